//! What the kernel says while it builds, in order. Choosing a message goes to the place it is about.

use super::{Canvas, ViewState};
use crate::kernel::{Message, Severity};
use crate::ui::action::{Pane, Target};
use crate::ui::model::Model;
use crate::ui::text;

pub(super) fn title(model: &Model) -> String {
    format!("Messages {} {}", model.theme.signs.dot, model.built.build.messages.len())
}

pub(super) fn draw(model: &Model, state: &mut ViewState, canvas: &mut Canvas) {
    let (theme, messages) = (canvas.theme, &model.built.build.messages);
    if messages.is_empty() {
        canvas.put(1, 0, &format!("{} has nothing to complain about", model.release.name), theme.dim);
        return;
    }
    let height = usize::from(canvas.height());
    let first = state.first_row(model, Pane::Messages, height);
    let shown = messages.iter().enumerate().skip(first).take(height);
    let place = shown.clone().map(|(_, message)| text::width(&place(model, message))).max().unwrap_or(0) as u16;
    for (row, message) in shown {
        let y = (row - first) as u16;
        draw_message(model, message, place, y, canvas);
        state.region(canvas.row_area(y), Target::Row(Pane::Messages, row));
        if row == model.selection.message && model.focus == Pane::Messages {
            canvas.put(0, y, theme.signs.mark, theme.lit);
            canvas.paint_row(y, theme.chosen);
        }
    }
}

/// CPU and level a message is about.
fn place(model: &Model, message: &Message) -> String {
    let cpu = message.cpu.map(|cpu| format!("CPU {cpu}"));
    let level = message.level.map(|level| model.level_label(level as usize).to_owned());
    [cpu, level].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn draw_message(model: &Model, message: &Message, width: u16, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let (sign, style) = match message.kind.severity() {
        Severity::Warning => (theme.signs.warn, theme.warn),
        Severity::Error => (theme.signs.bad, theme.bad),
    };
    let x = 2 + text::width(theme.signs.bad) as u16 + 1;
    canvas.put(2, y, sign, style);
    canvas.put(x, y, &place(model, message), theme.head);
    let x = if width > 0 { x + width + 2 } else { x };
    let text = message.kind.text(message.cpu);
    // The sign says it already.
    let text = text.strip_prefix("ERROR: ").or_else(|| text.strip_prefix("WARNING: ")).unwrap_or(&text);
    canvas.put(x, y, text, style);
}
