//! What drawing remembers from frame to frame: how far each list is scrolled, and what was drawn where.

use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::border::{Border, Drawn, Edge, WHOLE};
use crate::explore::vocabulary::pane::Pane;
use ratatui::layout::{Position, Rect};

/// What the view remembers: how far each list is scrolled, and what was drawn where.
#[derive(Clone, Debug, Default)]
pub struct ViewState {
    rows: [usize; Pane::ALL.len()],
    pub(super) columns: [usize; Pane::ALL.len()],
    others: [usize; 9],
    pub(super) regions: Vec<(Rect, Target)>,
    pub(super) body: Rect,
    pub(super) dividers: Vec<Divider>,
    pub(super) drawn: Drawn,
}

impl ViewState {
    /// What is drawn at a place of the screen. Mouse reports may lie outside of it.
    pub fn target_at(&self, column: u16, row: u16) -> Option<Target> {
        let at = Position::new(column, row);
        self.regions.iter().rev().find(|(area, _)| area.contains(at)).map(|&(_, target)| target)
    }

    /// What the state has to know of the frame.
    pub fn drawn(&self) -> Drawn {
        self.drawn
    }

    /// Where on the body a border is that is pulled to a place on the screen, in thousandths.
    pub fn place_of(&self, border: Border, column: u16, row: u16) -> Option<u16> {
        let divider = self.dividers.iter().find(|divider| divider.border == border)?;
        let place = |at: u16, from: u16, long: u16| share(at.saturating_sub(from).min(long), long);
        Some(if divider.sideways {
            place(column, self.body.x, self.body.width)
        } else {
            place(row, self.body.y, self.body.height)
        })
    }

    /// The border to move so that what lies in `area` grows to the side, or in height: the one after it, or else the
    /// one before.
    pub(super) fn edge(&self, area: Rect, sideways: bool) -> Option<Edge> {
        let ends = |outwards: bool| match (sideways, outwards) {
            (true, true) => Rect { x: area.right().saturating_sub(1), width: 1, ..area },
            (true, false) => Rect { width: 1, ..area },
            (false, true) => Rect { y: area.bottom().saturating_sub(1), height: 1, ..area },
            (false, false) => Rect { height: 1, ..area },
        };
        [true, false].into_iter().find_map(|outwards| {
            let mut along = self.dividers.iter().filter(|divider| divider.sideways == sideways);
            let divider = along.find(|divider| divider.area.intersection(ends(outwards)) == ends(outwards))?;
            Some(Edge { border: divider.border, at: divider.at, outwards })
        })
    }

    /// How many places the mouse can hit: a measure of how much was drawn.
    pub fn regions(&self) -> usize {
        self.regions.len()
    }

    pub(super) fn region(&mut self, area: Rect, target: Target) {
        if !area.is_empty() {
            self.regions.push((area, target));
        }
    }

    /// Scrolls a list so that the chosen item is seen and no room is left empty; returns the first item to draw.
    pub(super) fn scroll_to(&mut self, of: ScrollOf, chosen: usize, room: usize, len: usize) -> usize {
        let offset = match of {
            ScrollOf::Pane(pane) => &mut self.rows[pane as usize],
            ScrollOf::Columns(pane) => &mut self.columns[pane as usize],
            ScrollOf::Picker => &mut self.others[0],
            ScrollOf::Log => &mut self.others[1],
            ScrollOf::Steps => &mut self.others[2],
            ScrollOf::Differences => &mut self.others[3],
            ScrollOf::Pullers => &mut self.others[4],
            ScrollOf::Sources => &mut self.others[5],
            ScrollOf::Events => &mut self.others[6],
            ScrollOf::Queues(side) => &mut self.others[7 + side.min(1)],
        };
        scroll(offset, chosen, room, len)
    }
}

/// Moves `offset` as little as makes `chosen` visible among `len` rows of which `height` fit.
pub(super) fn scroll(offset: &mut usize, chosen: usize, height: usize, len: usize) -> usize {
    let height = height.max(1);
    *offset = (*offset).min(chosen).max((chosen + 1).saturating_sub(height)).min(len.saturating_sub(height));
    *offset
}

/// Whose scrolling is remembered from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScrollOf {
    /// The rows of a pane.
    Pane(Pane),
    /// The columns of a pane.
    Columns(Pane),
    /// The list on top.
    Picker,
    /// The kernel log.
    Log,
    /// The steps of a construction.
    Steps,
    /// The differences of a comparison.
    Differences,
    /// What happened to tasks.
    Events,
    /// The tasks of CPUs, of one side or the other.
    Queues(usize),
    /// The rows of the reach matrix.
    Pullers,
    /// The columns of the reach matrix.
    Sources,
}

/// A border between panes, as it lies on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Divider {
    /// Which.
    pub(super) border: Border,
    /// The cells that are it.
    pub(super) area: Rect,
    /// Whether it moves to the sides, or up and down.
    pub(super) sideways: bool,
    /// Where it is, in thousandths of the body.
    pub(super) at: u16,
}

/// A place in thousandths of a length, rounded down; `Cutter::cut` rounds up, so that they agree.
pub(super) fn share(place: u16, long: u16) -> u16 {
    (u32::from(place) * u32::from(WHOLE) / u32::from(long.max(1))) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_keeps_the_chosen_row_in_sight_and_leaves_no_gap() {
        let mut offset = 0;
        assert_eq!(scroll(&mut offset, 12, 5, 20), 8);
        assert_eq!(scroll(&mut offset, 9, 5, 20), 8);
        assert_eq!(scroll(&mut offset, 19, 5, 20), 15);
        // The window grew: rows come back into view.
        assert_eq!(scroll(&mut offset, 19, 15, 20), 5);
        assert_eq!(scroll(&mut offset, 19, 40, 20), 0);
        assert_eq!(scroll(&mut offset, 0, 0, 0), 0);
    }
}
