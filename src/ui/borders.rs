//! The borders between panes: where a person put them, and what drawing says of them.

use super::action::{Effect, Way};
use super::lesson::Seen;
use super::model::{Model, Tone, Zoom};
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
pub(super) const WHOLE: u16 = 1000;
/// How far a key moves a border.
const NOTCH: u16 = 30;

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
    pub lesson: Option<Seen>,
}

impl Model {
    /// A border is pulled.
    pub(super) fn pull(&mut self, border: Border, at: u16) {
        self.borders.insert(border, at.min(WHOLE));
    }

    /// A border is let go: where it is now is where it stays.
    pub(super) fn let_go(&mut self) -> Vec<Effect> {
        match self.pulled.take() {
            Some(_) => vec![Effect::Remember(self.memory())],
            None => Vec::new(),
        }
    }

    /// Makes the focused pane larger or smaller.
    pub(super) fn grow(&mut self, way: Way) -> Vec<Effect> {
        let edge = match way {
            Way::Left | Way::Right => self.drawn.wide,
            Way::Up | Way::Down => self.drawn.high,
        };
        let Some(Edge { border, at, outwards }) = edge else {
            let text =
                if self.zoom == Zoom::Whole { "the pane has the whole screen" } else { "no border to move there" };
            self.say(Tone::Trouble, text);
            return Vec::new();
        };
        let larger = matches!(way, Way::Right | Way::Down);
        let at = if larger == outwards { at.saturating_add(NOTCH) } else { at.saturating_sub(NOTCH) };
        self.pull(border, at);
        vec![Effect::Remember(self.memory())]
    }

    /// Gives every pane the room it had at first.
    pub(super) fn reset_layout(&mut self) -> Vec<Effect> {
        self.borders.clear();
        self.zoom = Zoom::Split;
        self.say(Tone::Done, "panes as at first");
        vec![Effect::Remember(self.memory())]
    }
}
