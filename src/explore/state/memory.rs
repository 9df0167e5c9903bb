//! What the explorer remembers from one session to the next: where the borders are, what was opened.

use crate::explore::vocabulary::border::Borders;
use crate::explore::vocabulary::pane::Pane;
use crate::explore::vocabulary::source::Source;

/// Things opened that are remembered; older ones are forgotten.
pub const MOST_OPENED: usize = 30;

/// The layout and what was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Whether one pane had the whole screen.
    pub zoomed: bool,
    /// Panes by when they had the focus, latest first.
    pub panes: Vec<Pane>,
    /// What was opened, latest first.
    pub recent: Vec<Source>,
    /// The step the lesson was left at, if not the first.
    pub lesson: Option<String>,
    /// Borders that were moved.
    pub borders: Borders,
}
