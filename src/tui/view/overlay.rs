//! What lies over the panes: fuzzy lists, the help among them, and the question about unsaved edits.

use super::footer::put_input;
use crate::explore::state::overlay::{Question, Waiting};
use crate::explore::state::picker::{Choice, Hit, Picker, PickerKind};
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::{Answer, Command};
use crate::explore::vocabulary::preview::Preview;
use crate::formats::visible;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::frame::plain_border;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear, Widget as _};

/// Draws an empty framed box of this size in the middle; returns its inside.
pub(super) fn open_box(model: &Themed, screen: &mut Canvas, width: u16, height: u16, title: &str) -> Rect {
    let theme = &model.theme;
    let (width, height) = (width.min(screen.width()), height.min(screen.height()));
    let area = Rect {
        x: screen.area.x + (screen.width() - width) / 2,
        y: screen.area.y + (screen.height() - height) / 3,
        width,
        height,
    };
    Clear.render(area, screen.buffer());
    let block = Block::bordered().border_set(plain_border(model)).border_style(theme.frame_focus).style(theme.text);
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
pub(super) fn draw_picker(model: &Themed, list: &Picker, state: &mut ViewState, screen: &mut Canvas) -> Position {
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
    let wide = draw_table(list, &mut canvas);
    let label = label_width(list, wide);
    let mut items = canvas.part(Rect { y: inner.y + 2, height: inner.height.saturating_sub(4), width: wide, ..inner });
    let rows = RowList::with_keys(model, ScrollOf::Picker, items.height(), list.hits.len(), list.cursor);
    draw_rows(&rows, state, &mut items, Target::Item, |_, items, at, y| {
        draw_item(list, &list.hits[at], label, y, items);
        if at == list.cursor {
            items.put(0, y, theme.signs.mark, theme.lit);
        }
    });
    if list.hits.is_empty() {
        canvas.put(2, 2, "nothing matches", theme.warn);
    }
    let bottom = canvas.height().saturating_sub(2);
    canvas.put(0, bottom, &line, theme.frame);
    draw_bottom(model, list, bottom + 1, &mut canvas);
    cursor
}

/// Columns of the labels: they line up, and leave room for the rest.
fn label_width(list: &Picker, width: u16) -> u16 {
    let longest = list.items.iter().map(|item| text::width(&item.label)).max().unwrap_or(0) as u16;
    longest.min(width * 3 / 5)
}

fn draw_item(list: &Picker, hit: &Hit, label: u16, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let item = &list.items[hit.item];
    if item.choice == Choice::Heading {
        canvas.put(1, y, &item.label, theme.head_focus);
        return;
    }
    let style = match list.kind {
        PickerKind::Help => theme.key,
        _ => theme.text,
    };
    draw_matched(canvas, 2, y, label, &item.label, (0, &hit.at), (style, theme.hit));
    let skip = item.label.chars().count() + 1;
    let (x, room) = (2 + label + 2, canvas.width().saturating_sub(label + 5));
    let style = match list.kind {
        PickerKind::Help => theme.text,
        _ => theme.dim,
    };
    draw_matched(canvas, x, y, room, &item.detail, (skip, &hit.at), (style, theme.hit));
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

/// The line at the bottom: what the chosen machine looks like, or what the keys do.
fn draw_bottom(model: &Themed, list: &Picker, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let [accept, cancel] = [Command::Accept, Command::Cancel].map(|command| model.keys.key_of(command));
    let (text, style) = match (list.kind, preview(list)) {
        (PickerKind::Open, Some(Ok(summary))) => (summary.line.clone(), theme.good),
        (PickerKind::Open, Some(Err(why))) => (visible(why).into_owned(), theme.bad),
        (PickerKind::Open, None) => (format!("{accept} opens, {cancel} closes"), theme.dim),
        (PickerKind::Release, _) => (format!("{accept} uses it, {cancel} closes"), theme.dim),
        (PickerKind::Beside, _) => (format!("{accept} shows it beside, {cancel} closes"), theme.dim),
        (PickerKind::Other, _) => (format!("{accept} compares with it, {cancel} closes"), theme.dim),
        (PickerKind::Palette, _) => (format!("{accept} does it, {cancel} closes"), theme.dim),
        (PickerKind::Help, _) => (format!("type to search, {accept} does it, {cancel} closes"), theme.dim),
    };
    canvas.put(1, y, &text, style);
}

/// What the chosen machine looks like, once that is known.
fn preview(list: &Picker) -> Option<&Preview> {
    list.preview.as_ref().filter(|(source, _)| Some(source) == list.source()).map(|(_, preview)| preview)
}

/// Boxes of fewer columns than this show no table beside the list.
const BESIDE_FROM: u16 = 90;

/// The chosen machine's table beside the list, where there is room; returns the columns left for the list.
fn draw_table(list: &Picker, canvas: &mut Canvas) -> u16 {
    let width = canvas.width();
    if list.kind != PickerKind::Open || width < BESIDE_FROM {
        return width;
    }
    let theme = canvas.theme;
    let x = width - width / 3;
    let rows = canvas.height().saturating_sub(4);
    for y in 2..2 + rows {
        canvas.put(x, y, theme.signs.rule, theme.frame);
    }
    let Some(Ok(summary)) = preview(list) else { return x };
    for (y, line) in (2..2 + rows).zip(&summary.table) {
        let style = if y == 2 { theme.head } else { theme.text };
        canvas.put(x + 2, y, line, style);
    }
    x
}

/// Draws a question with its answers.
pub(super) fn draw_question(model: &Themed, question: &Question, state: &mut ViewState, screen: &mut Canvas) {
    let (title, text) = match question {
        Question::Unsaved(Waiting::Quit) => ("Unsaved edits", "There are unsaved edits. Quit?".to_owned()),
        Question::Unsaved(Waiting::Open(_)) => {
            ("Unsaved edits", "There are unsaved edits. Open something else?".to_owned())
        }
        Question::Recover(..) => ("Recovery", "Unsaved edits of this machine were left behind.".to_owned()),
        Question::Reload(path) => {
            ("Changed on disk", format!("{} changed, and there are unsaved edits.", text::visible_path(path)))
        }
        Question::Replace(request) => {
            ("There already", format!("{} is there already. Replace it?", text::visible_path(&request.path)))
        }
    };
    let answers = question.answers();
    let inner = open_box(model, screen, 56, 4 + answers.len() as u16, title);
    let mut canvas = screen.part(inner);
    let theme = canvas.theme;
    canvas.put(1, 0, &text, theme.text);
    for (y, &(answer, text)) in (2..).zip(answers) {
        let command = Command::Answer(answer);
        state.region(canvas.row_area(y), Target::Run(command));
        canvas.put_right(6, y, &answer_key(model, answer), theme.key);
        canvas.put(8, y, text, theme.text);
    }
}

/// The key shown for an answer. Leaving everything as it is goes by the last of its keys: that is the usual way out.
fn answer_key(model: &Themed, answer: Answer) -> String {
    let row = model.keys.iter().find(|(row, _)| row.command == Command::Answer(answer));
    let key = row.and_then(|(_, keys)| if answer == Answer::No { keys.last() } else { keys.first() });
    key.map_or_else(|| "-".to_owned(), ToString::to_string)
}
