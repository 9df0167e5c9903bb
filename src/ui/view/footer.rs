//! The line at the bottom: what is being typed, what was just said, or the keys that matter here.

use super::{Canvas, ViewState};
use crate::ui::action::{Command, Target};
use crate::ui::model::{Model, Overlay, Prompt, PromptKind, Symmetry, Tone};
use crate::ui::text;
use ratatui::layout::Position;

/// Draws it; returns where the text cursor belongs, if a line is being typed.
pub(super) fn draw(model: &Model, state: &mut ViewState, screen: &mut Canvas) -> Option<Position> {
    let y = screen.height() - 1;
    if let Overlay::Prompt(prompt) = &model.overlay {
        return Some(draw_prompt(model, prompt, screen, y));
    }
    if matches!(model.overlay, Overlay::Copy) {
        let mut x = screen.put(1, y, "copy:", screen.theme.head) + 2;
        for (key, what) in [
            ("c", "value"),
            ("r", "row"),
            ("t", "table"),
            ("p", "pane"),
            ("d", "kernel log"),
            ("s", "shell command"),
            ("esc", "nothing"),
        ] {
            x = screen.put(x, y, key, screen.theme.key) + 1;
            x = screen.put(x, y, what, screen.theme.text) + 2;
        }
        return None;
    }
    if let Some(notice) = &model.notice {
        let style = match notice.tone {
            Tone::Done => screen.theme.good,
            Tone::Trouble => screen.theme.bad,
        };
        screen.put(1, y, &notice.text, style);
        return None;
    }
    draw_keys(model, state, screen, y);
    None
}

fn draw_prompt(model: &Model, prompt: &Prompt, screen: &mut Canvas, y: u16) -> Position {
    let theme = screen.theme;
    let label = match prompt.kind {
        PromptKind::Search => "search:",
        PromptKind::SaveAs => "save as:",
        PromptKind::Filter => "list CPUs:",
        PromptKind::Fill => "fill the row with:",
        PromptKind::Scale => "scale distances by:",
        PromptKind::Renumber => "new id of the node:",
        PromptKind::NodeCpus => "CPUs of the node:",
        PromptKind::Export => "write to file:",
    };
    let found = match (prompt.kind, prompt.input.value().is_empty()) {
        (PromptKind::Search, false) => text::count(model.search.rows.len(), "match").replace("matchs", "matches"),
        (PromptKind::Search, true) => "a CPU, node 2, a cpulist, a word".to_owned(),
        (PromptKind::Filter, _) => "a cpulist or node 2; empty for all".to_owned(),
        (PromptKind::Fill, _) => "a distance; to itself it stays".to_owned(),
        (PromptKind::Scale, _) => "150%, 3/2 or 1.5".to_owned(),
        (PromptKind::Renumber, _) => "a number no other node has".to_owned(),
        (PromptKind::NodeCpus, _) => "a cpulist; empty for none".to_owned(),
        (PromptKind::Export, _) => ".svg for a picture, or text".to_owned(),
        (PromptKind::SaveAs, _) => "enter saves, esc does not".to_owned(),
    };
    let x = screen.put(1, y, label, theme.key) + 1;
    let end = screen.width().saturating_sub(text::width(&found) as u16 + 2);
    screen.put(end, y, &found, theme.dim);
    put_input(screen, x, y, end.saturating_sub(x + 1), &prompt.input)
}

/// Writes a line being typed, scrolled so that its cursor is seen; returns the cursor's place.
pub(super) fn put_input(screen: &mut Canvas, x: u16, y: u16, width: u16, input: &tui_input::Input) -> Position {
    let style = screen.theme.text;
    let scroll = input.visual_scroll(usize::from(width.max(1)) - 1);
    let mut skipped = 0;
    let shown: String = input
        .value()
        .chars()
        .skip_while(|&c| {
            let skip = skipped < scroll;
            skipped += text::width(c.encode_utf8(&mut [0; 4]));
            skip
        })
        .collect();
    screen.put_in(x, y, width, &shown, style);
    let at = x + (input.visual_cursor().max(scroll) - scroll) as u16;
    Position::new(screen.area.x + at.min(screen.width().saturating_sub(1)), screen.area.y + y)
}

/// The hints of the key table that hold in the focused pane, as many as there is room for.
fn draw_keys(model: &Model, state: &mut ViewState, screen: &mut Canvas, y: u16) {
    let theme = screen.theme;
    let mut hints: Vec<(Command, &str)> = Vec::new();
    if model.entry.is_some() {
        hints.extend([(Command::Enter, "done"), (Command::Escape, "as it was"), (Command::Erase, "erase")]);
    }
    let here = model.keys.iter().filter(|(binding, _)| !binding.hint.is_empty() && binding.place.holds(model.spot()));
    hints.extend(here.map(|(binding, _)| (binding.command, binding.hint)));
    // The way to all the others is never what gives way.
    if let Some(help) = hints.iter().position(|&(_, hint)| hint == "help") {
        let help = hints.remove(help);
        hints.insert(0, help);
    }
    let mut x = 1;
    for (command, hint) in hints {
        let key = model.keys.key_of(command);
        let hint = match (hint, model.symmetry) {
            ("symmetric", Symmetry::OneWay) => "one way",
            (hint, _) => hint,
        };
        let width = (text::width(&key) + text::width(hint) + 1) as u16;
        if x + width >= screen.width() {
            break;
        }
        state.region(screen.run_area(x, y, width), Target::Run(command));
        x = screen.put(x, y, &key, theme.key) + 1;
        x = screen.put(x, y, hint, theme.dim) + 2;
    }
}
