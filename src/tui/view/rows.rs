//! The rows of a list that are on screen: one widget for every pane, screen and picker.

use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};
use ratatui::style::Style;

/// A list, and the room it is drawn in.
pub(super) struct RowList {
    /// Whose scrolling it is.
    pub(super) scroll: ScrollOf,
    /// The canvas row of the first item drawn.
    pub(super) top: u16,
    /// Items that have room.
    pub(super) room: u16,
    /// Canvas rows an item takes.
    pub(super) each: u16,
    /// How many items there are.
    pub(super) len: usize,
    /// The chosen item, kept in sight.
    pub(super) chosen: usize,
    /// How the chosen item is marked, if here: in the last of its rows.
    pub(super) mark: Option<Style>,
    /// Whether keys move in this list: a page is then half of its room.
    pub(super) has_keys: bool,
}

impl RowList {
    /// The rows of a pane, one canvas row each, the chosen one marked.
    pub(super) fn of_pane(model: &Themed, pane: Pane, top: u16, room: u16) -> Self {
        let has_keys = pane == model.focus;
        let mark = if has_keys { model.theme.chosen } else { model.theme.chosen_idle };
        let (len, chosen) = (model.rows(pane), model.row(pane));
        Self { scroll: ScrollOf::Pane(pane), top, room, each: 1, len, chosen, mark: Some(mark), has_keys }
    }

    /// The rows of a list that has the keys, one canvas row each, the chosen one marked.
    pub(super) fn with_keys(model: &Themed, scroll: ScrollOf, room: u16, len: usize, chosen: usize) -> Self {
        Self { scroll, top: 0, room, each: 1, len, chosen, mark: Some(model.theme.chosen), has_keys: true }
    }
}

/// Draws the items that are on screen with `draw`, which is given the item and its first canvas row; each is what
/// `target` says for the mouse.
pub(super) fn draw_rows(
    list: &RowList,
    state: &mut ViewState,
    canvas: &mut Canvas,
    target: impl Fn(usize) -> Target,
    mut draw: impl FnMut(&mut ViewState, &mut Canvas, usize, u16),
) {
    let room = usize::from(list.room);
    if list.has_keys {
        state.drawn.page = list.room;
    }
    let first = state.scroll_to(list.scroll, list.chosen, room, list.len);
    for item in first..list.len.min(first + room) {
        let y = list.top + (item - first) as u16 * list.each;
        for row in y..(y + list.each).min(canvas.height()) {
            state.region(canvas.row_area(row), target(item));
        }
        draw(state, canvas, item, y);
        if let Some(style) = list.mark.filter(|_| item == list.chosen) {
            canvas.paint_row(y + list.each - 1, style);
        }
    }
}
