//! The borders between panes, and what a drawn frame tells the state.

use std::collections::BTreeMap;

/// A border between panes. Each arrangement of the panes has its own, so that a small screen does not upset a large one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Border {
    /// Three columns: right of the first.
    WideLeft,
    /// Three columns: right of the second.
    WideMiddle,
    /// Three columns: below the distances.
    WideTable,
    /// Three columns: below the graph, where it has a place of its own.
    WideGraph,
    /// Three columns: above the findings.
    WideFindings,
    /// Three columns: below the groups.
    WideGroups,
    /// Two columns of three: right of the first.
    TallLeft,
    /// Two columns of three: below the distances.
    TallTable,
    /// Two columns of three: above the findings.
    TallFindings,
    /// Two columns of three: below the CPUs.
    TallCpus,
    /// Two columns of three: below the groups.
    TallGroups,
    /// Two columns of two: right of the first.
    ShortLeft,
    /// Two columns of two: below the distances.
    ShortTable,
    /// Two columns of two: below the CPUs.
    ShortCpus,
}

/// Where borders are that somebody moved: thousandths of the body's width or height.
pub type Borders = BTreeMap<Border, u16>;

/// The whole, where a border is in thousandths.
pub const WHOLE: u16 = 1000;

/// A border of the focused pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Which.
    pub border: Border,
    /// Where it is, in thousandths of the body.
    pub at: u16,
    /// Whether the pane grows as the border moves right or down.
    pub outwards: bool,
}

/// What came of drawing a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Rows the focused pane or list showed.
    pub page: u16,
    /// Columns and rows of the screen.
    pub screen: (u16, u16),
    /// The border that makes the focused pane wider.
    pub wide: Option<Edge>,
    /// The border that makes the focused pane taller.
    pub high: Option<Edge>,
    /// Nodes in a row of the graph, where it was drawn as a grid.
    pub grid: Option<usize>,
    /// How much of the lesson's step was drawn, when it is open.
    pub lesson: Option<LessonRows>,
}

/// How many rows of a lesson's step were on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LessonRows {
    /// The first of them.
    pub first: usize,
    /// How many.
    pub shown: usize,
    /// How many come after them.
    pub below: usize,
}
