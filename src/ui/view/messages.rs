//! What the kernel says while it builds, in order. Choosing a message goes to the place it is about.

use super::{Canvas, ViewState};
use crate::kernel::{Message, Severity};
use crate::ui::action::{Pane, Target};
use crate::ui::model::{Folding, Model};
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
    let shown: Vec<Row> = (first..model.rows(Pane::Messages).min(first + height)).map(|row| of(model, row)).collect();
    let place = shown.iter().map(|row| text::width(&row.place)).max().unwrap_or(0) as u16;
    let chosen = model.row(Pane::Messages);
    for (y, row) in (0..).zip(&shown) {
        let at = first + usize::from(y);
        draw_row(row, place, y, canvas);
        state.region(canvas.row_area(y), Target::Row(Pane::Messages, at));
        if at == chosen && model.focus == Pane::Messages {
            canvas.put(0, y, theme.signs.mark, theme.lit);
            canvas.paint_row(y, theme.chosen);
        }
    }
}

/// One row: a message, or several alike.
struct Row<'a> {
    message: &'a Message,
    place: String,
}

/// Columns the CPUs of several messages get.
const LIST: usize = 16;

fn of(model: &Model, row: usize) -> Row<'_> {
    let (built, messages) = (&model.built, &model.built.build.messages);
    let (message, cpus) = match model.folding {
        Folding::Folded => {
            let fold = &built.folds[row];
            let list = text::cpulist(&fold.cpus, LIST, model.theme.signs.cut);
            let noun = if fold.cpus.weight() > 1 { "CPUs" } else { "CPU" };
            (&messages[fold.first], (!fold.cpus.is_empty()).then(|| format!("{noun} {list}")))
        }
        Folding::Each => (&messages[row], messages[row].cpu.map(|cpu| format!("CPU {cpu}"))),
    };
    let level = message.level.map(|level| model.level_label(level as usize).to_owned());
    Row { message, place: [level, cpus].into_iter().flatten().collect::<Vec<_>>().join(" ") }
}

fn draw_row(row: &Row, width: u16, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let (sign, style) = match row.message.kind.severity() {
        Severity::Warning => (theme.signs.warn, theme.warn),
        Severity::Error => (theme.signs.bad, theme.bad),
    };
    let x = 2 + text::width(theme.signs.bad) as u16 + 1;
    canvas.put(2, y, sign, style);
    canvas.put(x, y, &row.place, theme.head);
    let x = if width > 0 { x + width + 1 } else { x };
    let text = row.message.kind.text(row.message.cpu);
    // The sign says it already.
    let text = text.strip_prefix("ERROR: ").or_else(|| text.strip_prefix("WARNING: ")).unwrap_or(&text);
    canvas.put(x, y, text, style);
}
