//! The lesson's panel at the bottom: the words, a question with its answers, and what was right.

use super::parts::open_frame;
use crate::explore::state::lesson::{Lesson, LessonQuestion, steps};
use crate::explore::text::{count, wrap};
use crate::explore::vocabulary::border::LessonRows;
use crate::explore::vocabulary::command::Command;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::themed::Themed;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Rows the panes keep at least.
const KEPT: u16 = 4;
/// Text wider than this is hard to read.
const READABLE: u16 = 110;

/// Draws the panel; returns how much of the step has room, and what is left of the body.
pub(super) fn draw(model: &Themed, screen: &mut Canvas, body: Rect) -> (Option<LessonRows>, Rect) {
    let lesson = &model.screens.lesson;
    let Some(step) = lesson.step().filter(|_| lesson.open) else { return (None, body) };
    let columns = usize::from(body.width.saturating_sub(4).min(READABLE));
    let theme = screen.theme;
    let mut lines: Vec<(String, Style)> =
        wrap(&step.text, columns).into_iter().map(|line| (line, theme.text)).collect();
    lines.extend(step.question.iter().flat_map(|ask| question(model, ask, lesson, columns)));
    let room = usize::from(body.height.saturating_sub(KEPT + 2)).max(1);
    let shown = lines.len().min(room);
    let first = lesson.first.min(lines.len() - shown);
    let seen = LessonRows { first, shown, below: lines.len() - shown - first };
    let height = (shown as u16 + 2).min(body.height);
    let area = Rect { y: body.y + body.height - height, height, ..body };
    let title = format!("Lesson {} of {} {} {}", lesson.at + 1, steps().len(), theme.signs.dot, step.title);
    let inner = open_frame(model, screen, area, &title, true);
    let mut canvas = screen.part(inner);
    for (y, (line, style)) in (0..).zip(lines.iter().skip(first).take(shown)) {
        canvas.put(1, y, line, *style);
    }
    draw_keys(model, seen, screen, area);
    (Some(seen), Rect { height: body.height - height, ..body })
}

fn draw_keys(model: &Themed, seen: LessonRows, screen: &mut Canvas, area: Rect) {
    let theme = screen.theme;
    let [next, previous, leave, lesson] =
        [Command::NextStep, Command::PreviousStep, Command::BackOut, Command::Lesson].map(|c| model.keys.key_of(c));
    let mut line = screen.part(Rect { y: area.y + area.height.saturating_sub(1), height: 1, ..area });
    let (on, style) = match (seen.below, model.screens.lesson.asks()) {
        (0, true) => ("show me".to_owned(), theme.dim),
        (0, false) => ("on".to_owned(), theme.dim),
        (lines, _) => (format!("{} more", count(lines, "line")), theme.warn),
    };
    line.put_all(2, 0, &[(&next, theme.key), (&on, style), (&previous, theme.key), ("back", theme.dim)]);
    let end = line.width().saturating_sub(2);
    line.put_right(end, 0, &format!(" {leave} leaves, {lesson} comes back "), theme.dim);
}

/// The question, its answers with their keys, and once answered what is right and why.
fn question(model: &Themed, ask: &LessonQuestion, lesson: &Lesson, columns: usize) -> Vec<(String, Style)> {
    let theme = &model.theme;
    let mut lines: Vec<(String, Style)> = wrap(&ask.ask, columns).into_iter().map(|line| (line, theme.head)).collect();
    let answer = lesson.answer().map(usize::from);
    for (at, choice) in ask.choices.iter().enumerate() {
        let key = model.keys.key_of(Command::Choose(at as u8));
        let (sign, style) = match answer {
            None => (" ", theme.key),
            Some(_) if at == ask.right => (theme.signs.good, theme.good),
            Some(given) if given == at => (theme.signs.bad, theme.bad),
            Some(_) => (" ", theme.dim),
        };
        lines.push((format!("{sign} {key}  {choice}"), style));
    }
    if answer.is_some() {
        lines.extend(wrap(&ask.why, columns).into_iter().map(|line| (line, theme.text)));
    }
    lines
}
