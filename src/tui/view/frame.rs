//! Frames around panes and boxes.

use crate::explore::vocabulary::appearance::Charset;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::themed::Themed;
use ratatui::layout::Rect;
use ratatui::symbols::border;
use ratatui::widgets::{Block, Widget as _};

const ASCII_BORDER: border::Set = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// The signs of a frame without the focus.
pub(super) fn plain_border(model: &Themed) -> border::Set<'static> {
    match model.options.charset {
        Charset::Unicode => border::PLAIN,
        Charset::Ascii => ASCII_BORDER,
    }
}

/// Draws a frame and returns what is inside it. The focused one is heavier: colour alone would not do.
pub(super) fn frame_box(model: &Themed, screen: &mut Canvas, area: Rect, focused: bool) -> Rect {
    let theme = &model.theme;
    let (set, style) = match (model.options.charset, focused) {
        (Charset::Unicode, true) => (border::THICK, theme.frame_focus),
        (Charset::Ascii, true) => {
            (border::Set { horizontal_top: "=", horizontal_bottom: "=", ..ASCII_BORDER }, theme.frame_focus)
        }
        (_, false) => (plain_border(model), theme.frame),
    };
    let block = Block::bordered().border_set(set).border_style(style);
    let inner = block.inner(area);
    block.render(area, screen.buffer());
    inner
}
