//! Terminal events to actions. The only place that decides which key events count.

use super::action::{Action, Answer, Clip, Command, Step, Way};
use super::keys::{self, Key};
use super::model::{Model, Overlay};
use super::view::ViewState;
use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use tui_input::backend::crossterm::to_input_request;

/// Rows one notch of the wheel moves.
const WHEEL: i32 = 3;

/// Keys of lists and lines; every other key is text or edits it.
const TEXT_KEYS: &[(&str, Command)] = &[
    ("enter", Command::Enter),
    ("esc", Command::Escape),
    ("ctrl-c", Command::Escape),
    ("up", Command::Move(Way::Up, Step::One)),
    ("ctrl-p", Command::Move(Way::Up, Step::One)),
    ("backtab", Command::Move(Way::Up, Step::One)),
    ("down", Command::Move(Way::Down, Step::One)),
    ("ctrl-n", Command::Move(Way::Down, Step::One)),
    ("tab", Command::Move(Way::Down, Step::One)),
    ("pgup", Command::Move(Way::Up, Step::Page)),
    ("pgdn", Command::Move(Way::Down, Step::Page)),
];

/// Answers to questions.
const ANSWERS: &[(&str, Answer)] = &[
    ("w", Answer::Save),
    ("s", Answer::Save),
    ("y", Answer::Discard),
    ("d", Answer::Forget),
    ("n", Answer::Stay),
    ("esc", Answer::Stay),
];

/// Keys while a repair is sought or offered.
const REPAIR_KEYS: &[(&str, Command)] = &[
    ("enter", Command::Enter),
    ("y", Command::Enter),
    ("esc", Command::Escape),
    ("n", Command::Escape),
    ("q", Command::Escape),
    ("ctrl-c", Command::Escape),
    ("j", Command::Move(Way::Down, Step::One)),
    ("down", Command::Move(Way::Down, Step::One)),
    ("pgdn", Command::Move(Way::Down, Step::Page)),
    ("k", Command::Move(Way::Up, Step::One)),
    ("up", Command::Move(Way::Up, Step::One)),
    ("pgup", Command::Move(Way::Up, Step::Page)),
];

/// What `y` can copy.
const COPIES: &[(&str, Clip)] = &[("c", Clip::Cell), ("p", Clip::Pane), ("d", Clip::Dmesg), ("s", Clip::Shell)];

/// What a terminal event means right now; `None` when it means nothing.
pub fn action_of(model: &Model, view: &ViewState, event: Event) -> Option<Action> {
    match event {
        Event::Key(key) if matches!(key.kind, KeyEventKind::Press | KeyEventKind::Repeat) => of_key(model, key),
        Event::Mouse(mouse) if model.options.mouse => of_mouse(view, mouse),
        // Terminals send line ends as the enter key would.
        Event::Paste(text) => Some(Action::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))),
        _ => None,
    }
}

fn of_key(model: &Model, event: KeyEvent) -> Option<Action> {
    let key = Key::of(event);
    match &model.overlay {
        Overlay::None => keys::lookup_at(key, model.spot()).map(Action::Do),
        Overlay::Picker(_) | Overlay::Prompt(_) => of_text_key(key),
        Overlay::Question(_) => find(ANSWERS, key).map(Action::Answer),
        Overlay::Repair(_) => find(REPAIR_KEYS, key).map(Action::Do),
        // Any other key closes the menu.
        Overlay::Copy => Some(Action::Do(find(COPIES, key).map_or(Command::Escape, Command::Copy))),
    }
}

fn of_text_key(key: Key) -> Option<Action> {
    if let Some(command) = find(TEXT_KEYS, key) {
        return Some(Action::Do(command));
    }
    if let Some(c) = key.character() {
        return Some(Action::Type(c));
    }
    to_input_request(&Event::Key(key.event())).map(Action::Line)
}

fn find<T: Copy>(table: &[(&str, T)], key: Key) -> Option<T> {
    table.iter().find(|(text, _)| Key::parse(text) == Some(key)).map(|&(_, meaning)| meaning)
}

fn of_mouse(view: &ViewState, event: MouseEvent) -> Option<Action> {
    let target = view.target_at(event.column, event.row)?;
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Action::Click(target)),
        MouseEventKind::ScrollUp => Some(Action::Wheel(target, -WHEEL)),
        MouseEventKind::ScrollDown => Some(Action::Wheel(target, WHEEL)),
        _ => None,
    }
}
