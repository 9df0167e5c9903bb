//! Terminal events to actions. The only place that decides which key events count.

use crate::explore::state::model::Model;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::key::{Key, KeyCode};
use crate::explore::vocabulary::place::Layer;
use crate::tui::view::ViewState;
use crossterm::event::{self, Event, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use tui_input::backend::crossterm::to_input_request;

/// Rows one notch of the wheel moves.
const WHEEL: i32 = 3;

/// What a terminal event means right now; `None` when it means nothing.
pub(super) fn action_of(model: &Model, view: &ViewState, event: Event) -> Option<Action> {
    match event {
        Event::Key(key) if matches!(key.kind, KeyEventKind::Press | KeyEventKind::Repeat) => of_key(model, key),
        Event::Mouse(mouse) if model.options.mouse => of_mouse(model, view, mouse),
        // Terminals send line ends as the enter key would.
        Event::Paste(text) => Some(Action::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))),
        _ => None,
    }
}

fn of_key(model: &Model, event: KeyEvent) -> Option<Action> {
    let key = key_of(event)?;
    let spot = model.spot();
    if let Some(command) = model.keys.command(key, spot) {
        return Some(Action::Do(command));
    }
    match spot.layer {
        Layer::Typing => match key.character() {
            Some(c) => Some(Action::Type(c)),
            None => to_input_request(&Event::Key(event)).map(Action::Line),
        },
        // Any other key closes the menu.
        Layer::CopyMenu => Some(Action::Do(Command::CloseMenu)),
        Layer::Panes | Layer::Question | Layer::Repair => Some(Action::NoCommand(key)),
    }
}

/// The key of a terminal event; `None` for one that no command can have.
pub(super) fn key_of(event: KeyEvent) -> Option<Key> {
    let code = match event.code {
        event::KeyCode::Char(c) => KeyCode::Char(c),
        event::KeyCode::F(n) => KeyCode::Function(n),
        other => CODES.iter().find(|(theirs, _)| *theirs == other)?.1,
    };
    let [ctrl, alt, shift] =
        [KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SHIFT].map(|held| event.modifiers.contains(held));
    Some(Key::new(code, ctrl, alt, shift))
}

/// The terminal event a key stands for.
pub(super) fn event_of(key: Key) -> Event {
    let code = match key.code {
        KeyCode::Char(c) => event::KeyCode::Char(c),
        KeyCode::Function(n) => event::KeyCode::F(n),
        other => CODES.iter().find(|(_, ours)| *ours == other).map_or(event::KeyCode::Null, |&(theirs, _)| theirs),
    };
    let held = [(KeyModifiers::CONTROL, key.ctrl), (KeyModifiers::ALT, key.alt), (KeyModifiers::SHIFT, key.shift)];
    let modifiers = held.into_iter().filter(|&(_, held)| held).fold(KeyModifiers::NONE, |all, (held, _)| all | held);
    Event::Key(KeyEvent::new(code, modifiers))
}

/// The keys that are no characters, as the terminal library calls them and as we do.
const CODES: &[(event::KeyCode, KeyCode)] = &[
    (event::KeyCode::Enter, KeyCode::Enter),
    (event::KeyCode::Esc, KeyCode::Esc),
    (event::KeyCode::Tab, KeyCode::Tab),
    (event::KeyCode::BackTab, KeyCode::BackTab),
    (event::KeyCode::Backspace, KeyCode::Backspace),
    (event::KeyCode::Delete, KeyCode::Delete),
    (event::KeyCode::Insert, KeyCode::Insert),
    (event::KeyCode::Up, KeyCode::Up),
    (event::KeyCode::Down, KeyCode::Down),
    (event::KeyCode::Left, KeyCode::Left),
    (event::KeyCode::Right, KeyCode::Right),
    (event::KeyCode::Home, KeyCode::Home),
    (event::KeyCode::End, KeyCode::End),
    (event::KeyCode::PageUp, KeyCode::PageUp),
    (event::KeyCode::PageDown, KeyCode::PageDown),
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_has_a_name_comes_back_from_its_event() {
        for name in Key::names().chain(["x", "X", "ctrl-r", "alt-1", "ctrl-alt-q", "shift-left"]) {
            let key = Key::parse(name).unwrap();
            let Event::Key(event) = event_of(key) else { panic!("{name} is no key event") };
            assert_eq!(key_of(event), Some(key), "{name}");
        }
    }
}
