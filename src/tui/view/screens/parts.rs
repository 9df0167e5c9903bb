//! What the screens share: framed boxes, wrapped text, two halves.

use crate::tui::view::canvas::Canvas;
use crate::tui::view::frame::frame_box;
use crate::tui::view::themed::Themed;
use ratatui::layout::Rect;

/// Draws a framed box with a title; returns its inside.
pub(super) fn open_frame(model: &Themed, canvas: &mut Canvas, area: Rect, title: &str, focused: bool) -> Rect {
    if area.is_empty() {
        return area;
    }
    let inner = frame_box(model, canvas, area, focused);
    let style = if focused { canvas.theme.head_focus } else { canvas.theme.head };
    let mut line =
        canvas.part(Rect { x: area.x.saturating_add(1), width: area.width.saturating_sub(2), height: 1, ..area });
    line.put(0, 0, &format!(" {title} "), style);
    inner
}

/// Rows from which two boxes stand one above the other; with fewer the first has all.
const STACK_FROM: u16 = 8;

/// Columns side by side where there is room, or else one above the other: `share` percent for the first.
pub(super) fn halves(area: Rect, wide_from: u16, share: u16) -> [Rect; 2] {
    if area.width >= wide_from {
        let left = area.width * share / 100;
        [Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area }]
    } else if area.height < STACK_FROM {
        [area, Rect { height: 0, ..area }]
    } else {
        let upper = area.height * share / 100;
        [Rect { height: upper, ..area }, Rect { y: area.y + upper, height: area.height - upper, ..area }]
    }
}
