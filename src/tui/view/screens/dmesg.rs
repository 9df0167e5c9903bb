//! The kernel log: the lines that are visible, and no others, are made.

use super::parts::open_frame;
use crate::explore::derived::log_index::LogLine;
use crate::explore::vocabulary::action::Target;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};
use ratatui::style::Style;

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let (index, chosen) = (&model.screens.log.index, model.selection.line);
    let dot = model.theme.signs.dot;
    let title = if index.is_empty() {
        "Dmesg".to_owned()
    } else {
        let searched = model.log_searched().map_or_else(String::new, |percent| format!(" {dot} searched {percent} %"));
        format!("Dmesg {dot} {} {dot} line {} of {}{searched}", model.release.name, chosen + 1, index.len())
    };
    let area = canvas.area;
    let inner = open_frame(model, canvas, area, &title, true);
    let mut canvas = canvas.part(inner);
    let mut height = canvas.height();
    if !model.built.topology.sched_debug {
        height = height.saturating_sub(1);
        let style = canvas.theme.warn;
        canvas.put(1, height, "this machine boots without sched_verbose: the kernel prints no domains", style);
    }
    if index.is_empty() {
        let style = canvas.theme.dim;
        canvas.put(1, 0, "nothing is printed", style);
    }
    let list = RowList::with_keys(model, ScrollOf::Log, height, index.len(), chosen);
    let mut lines = Vec::new().into_iter();
    draw_rows(&list, state, &mut canvas, Target::Line, |_, canvas, at, y| {
        if y == 0 {
            // All that are seen at once: the lines of a CPU are made together.
            lines = index.lines(&model.built.build, at..index.len().min(at + usize::from(height))).into_iter();
        }
        if let Some(line) = lines.next() {
            draw_line(model, &line, y, canvas);
        }
    });
}

fn draw_line(model: &Themed, line: &LogLine, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    if line.cpu == Some(model.selection.cpu) {
        canvas.put(0, y, theme.signs.lit, theme.lit);
    }
    let skip = model.screens.log.column;
    let shown = match line.text.char_indices().nth(skip) {
        Some((byte, _)) => &line.text[byte..],
        None => "",
    };
    if skip > 0 && !line.text.is_empty() {
        canvas.put(1, y, "<", theme.warn);
    }
    canvas.put(2, y, shown, style(model, &line.text));
    draw_match(model, shown, y, canvas);
}

fn style(model: &Themed, text: &str) -> Style {
    let theme = &model.theme;
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if starts(&["ERROR", "BUG", "     the "]) {
        theme.bad
    } else if starts(&["WARNING", "[Firmware", "Failed"]) {
        theme.warn
    } else if text.starts_with("CPU") {
        theme.head
    } else if text.contains("span:") || text.contains("span=") && !text.contains("groups:") {
        theme.hue(text.len() - text.trim_start().len())
    } else {
        theme.text
    }
}

/// Marks what was searched for.
fn draw_match(model: &Themed, shown: &str, y: u16, canvas: &mut Canvas) {
    let wanted = model.search.query.trim().to_lowercase();
    if wanted.is_empty() || !shown.is_ascii() {
        return;
    }
    let style = canvas.theme.hit;
    let window = &shown[..shown.len().min(usize::from(canvas.width()))];
    for (at, _) in window.to_lowercase().match_indices(&wanted) {
        canvas.paint(2 + at as u16, y, wanted.len() as u16, style);
    }
}
