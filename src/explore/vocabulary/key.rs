//! Keys, as a configuration writes them.

use std::fmt;

/// What is pressed, besides ctrl, alt and shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character; upper case is with shift.
    Char(char),
    /// A function key, from 1 on.
    Function(u8),
    /// Return.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and tab.
    BackTab,
    /// Deletes to the left.
    Backspace,
    /// Deletes to the right.
    Delete,
    /// Insert.
    Insert,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
}

/// A key as this program tells keys apart: shift is part of a character, `BackTab` is shift and tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// What is pressed.
    pub code: KeyCode,
    /// With ctrl.
    pub ctrl: bool,
    /// With alt.
    pub alt: bool,
    /// With shift, where that is no other character.
    pub shift: bool,
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
    ("f1", KeyCode::Function(1)),
    ("f2", KeyCode::Function(2)),
    ("f3", KeyCode::Function(3)),
    ("f4", KeyCode::Function(4)),
    ("f5", KeyCode::Function(5)),
    ("f6", KeyCode::Function(6)),
    ("f7", KeyCode::Function(7)),
    ("f8", KeyCode::Function(8)),
    ("f9", KeyCode::Function(9)),
    ("f10", KeyCode::Function(10)),
    ("f11", KeyCode::Function(11)),
    ("f12", KeyCode::Function(12)),
];

impl Key {
    /// The key of what a terminal reports, folded.
    pub fn new(code: KeyCode, ctrl: bool, alt: bool, shift: bool) -> Self {
        let code = match code {
            KeyCode::Tab if shift => KeyCode::BackTab,
            KeyCode::Char(c) if ctrl => KeyCode::Char(c.to_ascii_lowercase()),
            KeyCode::Char(c) if shift && !alt => KeyCode::Char(c.to_ascii_uppercase()),
            code => code,
        };
        let shift = shift && !matches!(code, KeyCode::Char(_) | KeyCode::BackTab);
        Self { code, ctrl, alt, shift }
    }

    /// Reads `x`, `ctrl-r`, `alt-1`, `ctrl-alt-x`, `pgdn`; `None` when it names no key.
    pub fn parse(text: &str) -> Option<Self> {
        let mut name = text;
        let [ctrl, alt, shift] = ["ctrl-", "alt-", "shift-"].map(|prefix| {
            let rest = name.strip_prefix(prefix).filter(|rest| !rest.is_empty());
            name = rest.unwrap_or(name);
            rest.is_some()
        });
        let mut chars = name.chars();
        let code = match (chars.next(), chars.next()) {
            // What a terminal can't send is no key: control sequences have no upper case.
            (Some(c), None) if shift || c.is_control() => return None,
            (Some(c), None) => KeyCode::Char(c),
            _ => NAMED.iter().find(|(known, _)| *known == name)?.1,
        };
        Some(Self::new(code, ctrl, alt, shift))
    }

    /// The names of keys that are no characters.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|&(name, _)| name)
    }

    /// The character it types, if it is a plain one.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (prefix, held) in [("ctrl-", self.ctrl), ("alt-", self.alt), ("shift-", self.shift)] {
            if held {
                f.write_str(prefix)?;
            }
        }
        match (NAMED.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, code) => write!(f, "{code:?}"),
        }
    }
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
        assert_eq!(Key::new(KeyCode::Char('g'), false, false, true), Key::parse("G").unwrap());
        assert_eq!(Key::new(KeyCode::Tab, false, false, true), Key::parse("backtab").unwrap());
    }
}
