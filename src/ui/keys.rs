//! Which key does what, where, in what words. Dispatch, help, palette and footer all read it.
//!
//! [`BINDINGS`] has the commands, [`Keymap`] the keys they have: those of `assets/config.toml`, and before them those of
//! the person's own file.

mod keymap;
mod table;

pub use keymap::{Conflict, Keymap};
pub use table::BINDINGS;

use super::action::{Command, Pane, Screen};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// A key as this program tells keys apart: shift is part of a character, `BackTab` is shift and tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

const NAMED: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backtab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
    ("f1", KeyCode::F(1)),
    ("f2", KeyCode::F(2)),
    ("f3", KeyCode::F(3)),
    ("f4", KeyCode::F(4)),
    ("f5", KeyCode::F(5)),
    ("f6", KeyCode::F(6)),
    ("f7", KeyCode::F(7)),
    ("f8", KeyCode::F(8)),
    ("f9", KeyCode::F(9)),
    ("f10", KeyCode::F(10)),
    ("f11", KeyCode::F(11)),
    ("f12", KeyCode::F(12)),
];

const PREFIXES: [(&str, KeyModifiers); 3] =
    [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("shift-", KeyModifiers::SHIFT)];

impl Key {
    /// The key of a terminal event, folded.
    pub fn of(event: KeyEvent) -> Self {
        let mut modifiers = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            KeyCode::Char(c) if modifiers == KeyModifiers::SHIFT => KeyCode::Char(c.to_ascii_uppercase()),
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => KeyCode::Char(c.to_ascii_lowercase()),
            code => code,
        };
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers -= KeyModifiers::SHIFT;
        }
        Self { code, modifiers }
    }

    /// Reads `x`, `ctrl-r`, `alt-1`, `ctrl-alt-x`, `pgdn`; `None` when it names no key.
    pub fn parse(text: &str) -> Option<Self> {
        let (mut modifiers, mut name) = (KeyModifiers::NONE, text);
        for (prefix, modifier) in PREFIXES {
            if let Some(rest) = name.strip_prefix(prefix).filter(|rest| !rest.is_empty()) {
                modifiers |= modifier;
                name = rest;
            }
        }
        let mut chars = name.chars();
        let code = match (chars.next(), chars.next()) {
            // What a terminal can't send is no key: control sequences have no upper case.
            (Some(c), None) if modifiers.contains(KeyModifiers::SHIFT) || c.is_control() => return None,
            (Some(c), None) if modifiers.contains(KeyModifiers::CONTROL) => KeyCode::Char(c.to_ascii_lowercase()),
            (Some(c), None) => KeyCode::Char(c),
            _ => NAMED.iter().find(|(known, _)| *known == name)?.1,
        };
        if code == KeyCode::BackTab {
            modifiers -= KeyModifiers::SHIFT;
        }
        Some(Self { code, modifiers })
    }

    /// The names of keys that are no characters.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|&(name, _)| name)
    }

    /// The character it types, if it is a plain one.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// The terminal event it stands for.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (prefix, modifier) in PREFIXES {
            if self.modifiers.contains(modifier) {
                f.write_str(prefix)?;
            }
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{c}"),
            code => write!(f, "{code:?}"),
        }
    }
}

/// Where a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In every pane.
    Anywhere,
    /// In one pane, before what holds anywhere.
    In(Pane),
    /// In every pane but this one.
    NotIn(Pane),
    /// On one screen, before what holds anywhere.
    On(Screen),
    /// While the lesson is open, before everything else.
    Lesson,
    /// While the lesson asks something, before everything else.
    Question,
}

/// Where the person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The screen.
    pub screen: Screen,
    /// The pane, on Explore.
    pub pane: Pane,
    /// Whether the lesson is open.
    pub lesson: bool,
    /// Whether it waits for an answer.
    pub question: bool,
}

impl Place {
    /// Whether it covers `spot`, and how much it goes before others.
    fn rank(self, spot: Spot) -> Option<u8> {
        let explore = spot.screen == Screen::Explore;
        match self {
            Self::Question => spot.question.then_some(0),
            Self::Lesson => spot.lesson.then_some(1),
            Self::On(screen) => (screen == spot.screen).then_some(2),
            Self::In(pane) => (explore && pane == spot.pane).then_some(2),
            Self::NotIn(pane) => (!explore || pane != spot.pane).then_some(2),
            Self::Anywhere => Some(3),
        }
    }

    /// Whether it covers `spot`.
    pub fn holds(self, spot: Spot) -> bool {
        self.rank(spot).is_some()
    }

    /// Whether there is a spot where neither of two places goes before the other.
    fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::In(a), Self::In(b)) => a == b,
            (Self::In(a), Self::NotIn(b)) | (Self::NotIn(b), Self::In(a)) => a != b,
            (Self::On(a), Self::On(b)) => a == b,
            (Self::On(screen), Self::In(_)) | (Self::In(_), Self::On(screen)) => screen == Screen::Explore,
            (Self::On(_) | Self::NotIn(_), Self::NotIn(_)) | (Self::NotIn(_), Self::On(_)) => true,
            _ => self == other,
        }
    }
}

/// Part of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Moving about.
    Move,
    /// Changing the machine.
    Edit,
    /// Kernels, files.
    Open,
    /// What is shown.
    Show,
    /// Leaving and the like.
    Program,
}

impl Section {
    /// Every section, in help order.
    pub const ALL: [Self; 5] = [Self::Move, Self::Edit, Self::Open, Self::Show, Self::Program];

    /// Its heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "Moving",
            Self::Edit => "Editing",
            Self::Open => "Kernels and files",
            Self::Show => "Showing and finding",
            Self::Program => "Program",
        }
    }
}

/// One line of the table.
#[derive(Debug)]
pub struct Binding {
    /// What it is called in a configuration file.
    pub name: &'static str,
    /// What it does.
    pub command: Command,
    /// Where its keys do it.
    pub place: Place,
    /// Where help shows it.
    pub section: Section,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The word in the footer; empty when it has none there.
    pub hint: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_and_print_back() {
        for text in ["x", "X", "ctrl-r", "alt-1", "ctrl-alt-q", "shift-left", "f12", "space", "ctrl--", "-", "backtab"]
        {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "ctrl-", "xx", "hyper-x", "f13", "shift-x", "\u{7}"] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }

    #[test]
    fn shift_folds_into_the_character() {
        let shifted = KeyEvent::new(KeyCode::Char('g'), KeyModifiers::SHIFT);
        assert_eq!(Key::of(shifted), Key::parse("G").unwrap());
        let tab = KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT);
        assert_eq!(Key::of(tab), Key::parse("backtab").unwrap());
    }
}
