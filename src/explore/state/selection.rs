//! What is chosen, typed and searched.

use crate::topology::LOCAL_DISTANCE;

/// What is chosen; every pane shows its side of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Row of the distance table, a node index.
    pub from: usize,
    /// Column of the distance table, a node index.
    pub to: usize,
    /// The CPU.
    pub cpu: usize,
    /// The level, index into the build's levels.
    pub level: usize,
    /// The group, counted from the domain's first.
    pub group: usize,
    /// The capacity instance, index into the level's instances.
    pub instance: usize,
    /// The finding, index into [`BuildView::findings`](crate::explore::derived::build_view::BuildView::findings).
    pub finding: usize,
    /// The line of the kernel log.
    pub line: usize,
}

/// A distance being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The digits so far.
    pub digits: String,
    /// Whether the table already follows them.
    pub applied: bool,
}

impl Entry {
    /// The number, once it is one a table can hold: the local distance or more.
    pub fn value(&self) -> Option<u32> {
        self.digits.parse().ok().filter(|&value| value >= LOCAL_DISTANCE)
    }
}

/// What was looked for, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The text; empty when there is no search.
    pub query: String,
    /// Rows of the pane that match.
    pub rows: Vec<usize>,
}
