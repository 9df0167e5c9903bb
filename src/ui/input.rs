//! Terminal events to actions. The only place that decides which key events count.

use super::action::{Action, Answer, Clip, Command, Step, Way};
use super::keys::Key;
use super::model::{Model, Overlay};
use super::view::ViewState;
use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use tui_input::backend::crossterm::to_input_request;

/// Rows one notch of the wheel moves.
const WHEEL: i32 = 3;

/// Keys of lists and lines, what they do, and that in words; every other key is text or edits it.
pub(super) const TEXT_KEYS: &[(&[&str], Command, &str)] = &[
    (&["enter"], Command::Enter, "take what is chosen or typed"),
    (&["esc", "ctrl-c"], Command::Escape, "leave things as they were"),
    (&["up", "ctrl-p", "backtab"], Command::Move(Way::Up, Step::One), "the item above, the match before"),
    (&["down", "ctrl-n", "tab"], Command::Move(Way::Down, Step::One), "the item below, the next match"),
    (&["pgup"], Command::Move(Way::Up, Step::Page), "half a list up"),
    (&["pgdn"], Command::Move(Way::Down, Step::Page), "half a list down"),
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
const COPIES: &[(&str, Clip)] = &[
    ("c", Clip::Cell),
    ("r", Clip::Row),
    ("t", Clip::Table),
    ("p", Clip::Pane),
    ("d", Clip::Dmesg),
    ("s", Clip::Shell),
];

/// What a terminal event means right now; `None` when it means nothing.
pub fn action_of(model: &Model, view: &ViewState, event: Event) -> Option<Action> {
    match event {
        Event::Key(key) if matches!(key.kind, KeyEventKind::Press | KeyEventKind::Repeat) => of_key(model, key),
        Event::Mouse(mouse) if model.options.mouse => of_mouse(model, view, mouse),
        // Terminals send line ends as the enter key would.
        Event::Paste(text) => Some(Action::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))),
        _ => None,
    }
}

fn of_key(model: &Model, event: KeyEvent) -> Option<Action> {
    let key = Key::of(event);
    match &model.overlay {
        Overlay::None => model.keys.command(key, model.spot()).map(Action::Do),
        Overlay::Picker(_) | Overlay::Prompt(_) => of_text_key(key),
        Overlay::Question(_) => find(ANSWERS, key).map(Action::Answer),
        Overlay::Repair(_) => find(REPAIR_KEYS, key).map(Action::Do),
        // Any other key closes the menu.
        Overlay::Copy => Some(Action::Do(find(COPIES, key).map_or(Command::Escape, Command::Copy))),
    }
}

fn of_text_key(key: Key) -> Option<Action> {
    let taken = TEXT_KEYS.iter().find(|(keys, ..)| keys.iter().any(|text| Key::parse(text) == Some(key)));
    if let Some(&(_, command, _)) = taken {
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

fn of_mouse(model: &Model, view: &ViewState, event: MouseEvent) -> Option<Action> {
    if let Some(border) = model.pulled {
        return match event.kind {
            MouseEventKind::Drag(MouseButton::Left) => {
                Some(Action::Pull(border, view.place_of(border, event.column, event.row)?))
            }
            // Whatever else it was: the button is no longer down.
            _ => Some(Action::LetGo),
        };
    }
    let target = view.target_at(event.column, event.row)?;
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Action::Click(target)),
        MouseEventKind::ScrollUp => Some(Action::Wheel(target, -WHEEL)),
        MouseEventKind::ScrollDown => Some(Action::Wheel(target, WHEEL)),
        _ => None,
    }
}
