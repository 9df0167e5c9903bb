//! What can be switched over.

/// Whether an edit of a distance goes both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    /// Both directions at once.
    #[default]
    Both,
    /// The one cell only.
    OneWay,
}

/// Whether domains that degenerated are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DegeneratedRows {
    /// Listed, greyed, with the reason.
    #[default]
    Shown,
    /// Left out.
    Hidden,
}

/// How much of the screen the focused pane has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// Its share.
    #[default]
    Split,
    /// All of it.
    Whole,
}

/// Whether the CPUs of each node are listed beside its distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeCpus {
    /// Not listed: the chosen node's are below the table.
    #[default]
    Hidden,
    /// Listed.
    Shown,
}
