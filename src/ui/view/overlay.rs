//! What lies over the panes: fuzzy lists, the help among them, and the question about unsaved edits.

use super::footer::put_input;
use super::{Canvas, ViewState, scroll};
use crate::formats::visible;
use crate::ui::action::{Answer, Peek, Target};
use crate::ui::model::{Model, Question, Waiting};
use crate::ui::outside;
use crate::ui::picker::{Choice, Hit, Kind, Picker};
use crate::ui::text;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear, Widget as _};

/// Draws an empty framed box of this size in the middle; returns its inside.
pub(super) fn open_box(model: &Model, screen: &mut Canvas, width: u16, height: u16, title: &str) -> Rect {
    let theme = &model.theme;
    let (width, height) = (width.min(screen.width()), height.min(screen.height()));
    let area = Rect {
        x: screen.area.x + (screen.width() - width) / 2,
        y: screen.area.y + (screen.height() - height) / 3,
        width,
        height,
    };
    Clear.render(area, screen.buffer());
    let block = Block::bordered().border_set(theme.signs.border).border_style(theme.frame_focus).style(theme.text);
    let inner = block.inner(area);
    block.render(area, screen.buffer());
    screen.part(Rect { x: area.x + 2, width: area.width.saturating_sub(4), height: 1, ..area }).put(
        0,
        0,
        &format!(" {title} "),
        theme.head_focus,
    );
    inner
}

/// Draws a list; returns where the text cursor belongs.
pub(super) fn draw_picker(model: &Model, list: &Picker, state: &mut ViewState, screen: &mut Canvas) -> Position {
    let width = screen.width().saturating_sub(8).clamp(58, 110);
    let wanted = list.items.len() as u16 + 6;
    let height = wanted.min(screen.height().saturating_sub(2)).max(10);
    let inner = open_box(model, screen, width, height, list.kind.title());
    let mut canvas = screen.part(inner);
    let theme = canvas.theme;
    let count = format!("{} of {}", list.hits.len(), list.items.len());
    let end = canvas.width().saturating_sub(text::width(&count) as u16 + 1);
    canvas.put(end, 0, &count, theme.dim);
    let x = canvas.put(1, 0, theme.signs.mark, theme.key) + 1;
    let cursor = put_input(&mut canvas, x, 0, end.saturating_sub(x + 1), &list.input);
    let line = theme.signs.line.repeat(usize::from(canvas.width()));
    canvas.put(0, 1, &line, theme.frame);
    let rows = usize::from(canvas.height().saturating_sub(4));
    state.drawn.page = rows as u16;
    let first = scroll(&mut state.list, list.cursor, rows, list.hits.len());
    let wide = draw_table(list, &mut canvas);
    let label = label_width(list, wide);
    for (at, hit) in list.hits.iter().enumerate().skip(first).take(rows) {
        let y = 2 + (at - first) as u16;
        let mut row = canvas.part(Rect { width: wide, ..canvas.row_area(y) });
        draw_item(list, hit, label, &mut row);
        state.region(row.area, Target::Item(at));
        if at == list.cursor {
            row.put(0, 0, theme.signs.mark, theme.lit);
            row.paint_row(0, theme.chosen);
        }
    }
    if list.hits.is_empty() {
        canvas.put(2, 2, "nothing matches", theme.warn);
    }
    let bottom = canvas.height().saturating_sub(2);
    canvas.put(0, bottom, &line, theme.frame);
    draw_look(list, bottom + 1, &mut canvas);
    cursor
}

/// Columns of the labels: they line up, and leave room for the rest.
fn label_width(list: &Picker, width: u16) -> u16 {
    let longest = list.items.iter().map(|item| text::width(&item.label)).max().unwrap_or(0) as u16;
    longest.min(width * 3 / 5)
}

fn draw_item(list: &Picker, hit: &Hit, label: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let item = &list.items[hit.item];
    if item.choice == Choice::Nothing {
        canvas.put(1, 0, &item.label, theme.head_focus);
        return;
    }
    let style = match list.kind {
        Kind::Help => theme.key,
        _ => theme.text,
    };
    draw_matched(canvas, 2, 0, label, &item.label, (0, &hit.at), (style, theme.hit));
    let skip = item.label.chars().count() + 1;
    let (x, room) = (2 + label + 2, canvas.width().saturating_sub(label + 5));
    let style = match list.kind {
        Kind::Help => theme.text,
        _ => theme.dim,
    };
    draw_matched(canvas, x, 0, room, &item.detail, (skip, &hit.at), (style, theme.hit));
}

/// Text with the matched characters marked; `skip` characters came before it in what was matched.
fn draw_matched(
    canvas: &mut Canvas,
    x: u16,
    y: u16,
    width: u16,
    text: &str,
    (skip, at): (usize, &[usize]),
    (plain, hit): (Style, Style),
) {
    let end = canvas.put_in(x, y, width, text, plain);
    let mut column = x;
    for (index, c) in text.chars().enumerate() {
        let wide = text::width(c.encode_utf8(&mut [0; 4])) as u16;
        // The last column of a cut text holds the sign, not the character.
        if column + wide > end {
            break;
        }
        if at.contains(&(index + skip)) {
            canvas.paint(column, y, wide, hit);
        }
        column += wide;
    }
}

/// The line at the bottom: a look at the chosen item, or what the keys do.
fn draw_look(list: &Picker, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let (text, style) = match (list.kind, look(list)) {
        (Kind::Open, Some(Ok(look))) => (look.summary.clone(), theme.good),
        (Kind::Open, Some(Err(why))) => (visible(why).into_owned(), theme.bad),
        (Kind::Open, None) => ("enter opens, esc closes".to_owned(), theme.dim),
        (Kind::Release, _) => ("enter uses it, esc closes".to_owned(), theme.dim),
        (Kind::Other, _) => ("enter compares with it, esc closes".to_owned(), theme.dim),
        (Kind::Palette, _) => ("enter does it, esc closes".to_owned(), theme.dim),
        (Kind::Help, _) => ("type to search, enter does it, esc closes".to_owned(), theme.dim),
    };
    canvas.put(1, y, &text, style);
}

/// What is known of the chosen item.
fn look(list: &Picker) -> Option<&Peek> {
    list.preview.as_ref().filter(|(source, _)| Some(source) == list.source()).map(|(_, look)| look)
}

/// Boxes of fewer columns than this show no table beside the list.
const BESIDE_FROM: u16 = 90;

/// The chosen machine's table beside the list, where there is room; returns the columns left for the list.
fn draw_table(list: &Picker, canvas: &mut Canvas) -> u16 {
    let width = canvas.width();
    if list.kind != Kind::Open || width < BESIDE_FROM {
        return width;
    }
    let theme = canvas.theme;
    let x = width - width / 3;
    let rows = canvas.height().saturating_sub(4);
    for y in 2..2 + rows {
        canvas.put(x, y, theme.signs.rule, theme.frame);
    }
    let Some(Ok(look)) = look(list) else { return x };
    for (y, line) in (2..2 + rows).zip(&look.table) {
        let style = if y == 2 { theme.head } else { theme.text };
        canvas.put(x + 2, y, line, style);
    }
    x
}

/// Draws a question with its answers.
pub(super) fn draw_question(model: &Model, question: &Question, state: &mut ViewState, screen: &mut Canvas) {
    let (title, text, answers): (_, _, &[(&str, Answer, &str)]) = match question {
        Question::Unsaved(Waiting::Quit) => (
            "Unsaved edits",
            "There are unsaved edits. Quit?".to_owned(),
            &[
                ("w", Answer::Save, "save first"),
                ("y", Answer::Discard, "quit without saving"),
                ("esc", Answer::Stay, "stay here"),
            ],
        ),
        Question::Unsaved(Waiting::Open(_)) => (
            "Unsaved edits",
            "There are unsaved edits. Open something else?".to_owned(),
            &[
                ("w", Answer::Save, "save first"),
                ("y", Answer::Discard, "go on without saving"),
                ("esc", Answer::Stay, "stay here"),
            ],
        ),
        Question::Recover(..) => (
            "Recovery",
            "Unsaved edits of this machine were left behind.".to_owned(),
            &[
                ("y", Answer::Discard, "go on with them"),
                ("d", Answer::Forget, "delete them"),
                ("esc", Answer::Stay, "keep them for later"),
            ],
        ),
        Question::Reload(path) => (
            "Changed on disk",
            format!("{} changed, and there are unsaved edits.", outside::visible_path(path)),
            &[
                ("y", Answer::Discard, "read it; undo brings the edits back"),
                ("w", Answer::Save, "save the edits over it"),
                ("esc", Answer::Stay, "go on editing"),
            ],
        ),
        Question::Replace(path) | Question::Overwrite(path, _) => (
            "There already",
            format!("{} is there already. Replace it?", outside::visible_path(path)),
            &[("y", Answer::Discard, "replace it"), ("esc", Answer::Stay, "leave it alone")],
        ),
    };
    let inner = open_box(model, screen, 56, 4 + answers.len() as u16, title);
    let mut canvas = screen.part(inner);
    let theme = canvas.theme;
    canvas.put(1, 0, &text, theme.text);
    for (y, &(key, answer, text)) in (2..).zip(answers) {
        state.region(canvas.row_area(y), Target::Answer(answer));
        canvas.put_right(6, y, key, theme.key);
        canvas.put(8, y, text, theme.text);
    }
}
