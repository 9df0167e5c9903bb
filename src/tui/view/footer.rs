//! The line at the bottom: what is being typed, what was just said, or the keys that matter here.

use crate::explore::state::model::Tone;
use crate::explore::state::modes::Symmetry;
use crate::explore::state::overlay::{Overlay, Prompt, PromptKind};
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::place::{Layer, Place, Spot};
use crate::tui::view::canvas::Canvas;
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;
use ratatui::layout::Position;

/// Draws it; returns where the text cursor belongs, if a line is being typed.
pub(super) fn draw(model: &Themed, state: &mut ViewState, screen: &mut Canvas) -> Option<Position> {
    let y = screen.height() - 1;
    if let Overlay::Prompt(prompt) = &model.overlay {
        return Some(draw_prompt(model, prompt, screen, y));
    }
    if matches!(model.overlay, Overlay::CopyMenu) {
        draw_copy_menu(model, screen, y);
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

/// What can be copied, by the keys of the table.
fn draw_copy_menu(model: &Themed, screen: &mut Canvas, y: u16) {
    let theme = screen.theme;
    let mut x = screen.put(1, y, "copy:", theme.head) + 2;
    for (row, keys) in model.keys.iter().filter(|(row, _)| row.place == Place::CopyMenu) {
        let what = if row.command == Command::CloseMenu { "nothing" } else { row.hint };
        if let Some(key) = keys.first() {
            x = screen.put(x, y, &key.to_string(), theme.key) + 1;
            x = screen.put(x, y, what, theme.text) + 2;
        }
    }
}

fn draw_prompt(model: &Themed, prompt: &Prompt, screen: &mut Canvas, y: u16) -> Position {
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
        PromptKind::Tasks => "tasks:",
        PromptKind::Pin => "pin task:",
    };
    let found = match (prompt.kind, prompt.input.value().is_empty()) {
        (PromptKind::Search, false) => text::count(model.search.rows.len(), "match").replace("matchs", "matches"),
        (PromptKind::Search, true) => "a CPU, node 2, a cpulist, a word".to_owned(),
        (PromptKind::Filter, _) => "a cpulist or node 2; empty for all".to_owned(),
        (PromptKind::Fill, _) => "a distance; to itself it stays".to_owned(),
        (PromptKind::Scale, _) => "150%, 3/2 or 1.5".to_owned(),
        (PromptKind::Renumber, _) => "a number no other node has".to_owned(),
        (PromptKind::NodeCpus, _) => "a cpulist; empty for none".to_owned(),
        (PromptKind::Tasks, _) => "8@nodes:1,3 4@cpus:0-3 from 3".to_owned(),
        (PromptKind::Pin, _) => "TASK@cpus:0-1, or @nodes:2".to_owned(),
        (PromptKind::Export, _) => ".svg for a picture, or text".to_owned(),
        (PromptKind::SaveAs, _) => {
            let [accept, cancel] = [Command::Accept, Command::Cancel].map(|command| model.keys.key_of(command));
            format!(".json .sh .xml .md .dot convert; {accept} saves, {cancel} does not")
        }
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
fn draw_keys(model: &Themed, state: &mut ViewState, screen: &mut Canvas, y: u16) {
    let theme = screen.theme;
    let mut hints: Vec<(Command, &str)> = Vec::new();
    if model.entry.is_some() {
        hints.extend([(Command::EndNumber, "done"), (Command::BackOut, "as it was"), (Command::Erase, "erase")]);
    }
    // What lies on top says its own keys: here are those of what is under it.
    let spot = Spot { layer: Layer::Panes, ..model.spot() };
    let here = model.keys.iter().filter(|(row, _)| !row.hint.is_empty() && row.place.holds(spot));
    hints.extend(here.map(|(row, _)| (row.command, row.hint)));
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
