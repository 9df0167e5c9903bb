//! A machine as a list shows it before it is opened.

/// What a source looks like, or why it can't be opened.
pub type Preview = Result<Summary, String>;

/// A machine in a few lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// CPUs, nodes and distances, in one line.
    pub line: String,
    /// The corner of the distance table, a line for each row, ids first.
    pub table: Vec<String>,
}
