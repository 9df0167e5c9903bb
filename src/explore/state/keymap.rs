//! Which keys the commands have.

use crate::explore::vocabulary::command::{Command, CommandRow, rows};
use crate::explore::vocabulary::key::Key;
use crate::explore::vocabulary::place::Spot;

/// The keys of every [row](rows) of the table of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// By index into the table.
    keys: Vec<Vec<Key>>,
}

/// A key that two rows want in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The key.
    pub key: Key,
    /// The name of one row.
    pub one: &'static str,
    /// The name of the other.
    pub other: &'static str,
}

impl Default for Keymap {
    /// No command has a key.
    fn default() -> Self {
        Self { keys: vec![Vec::new(); rows().len()] }
    }
}

impl Keymap {
    /// Every command has the keys its row says.
    pub fn standard() -> Self {
        let keys = |row: &CommandRow| row.keys.split(' ').filter_map(Key::parse).collect();
        Self { keys: rows().iter().map(keys).collect() }
    }

    /// Gives the row called `name` these keys and no others; whether there is one.
    pub fn set(&mut self, name: &str, keys: Vec<Key>) -> bool {
        let Some(at) = rows().iter().position(|row| row.name == name) else { return false };
        self.keys[at] = keys;
        true
    }

    /// Every row with its keys, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static CommandRow, &[Key])> {
        rows().iter().zip(self.keys.iter().map(Vec::as_slice))
    }

    /// The command of `key` where the person is: the narrowest place first.
    pub fn command(&self, key: Key, spot: Spot) -> Option<Command> {
        let matching = self.iter().filter(|(_, keys)| keys.contains(&key));
        let holding = matching.filter_map(|(row, _)| Some((row.place.rank(spot)?, row.command)));
        holding.min_by_key(|&(rank, _)| rank).map(|(_, command)| command)
    }

    /// The first key of a command, as written; a dash when it has none.
    pub fn key_of(&self, command: Command) -> String {
        let key = self.iter().filter(|(row, _)| row.command == command).find_map(|(_, keys)| keys.first());
        key.map_or_else(|| "-".to_owned(), ToString::to_string)
    }

    /// Keys separated by blanks.
    pub fn written(keys: &[Key]) -> String {
        keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    /// A key that means two things in one place, if there is one.
    pub fn conflict(&self) -> Option<Conflict> {
        for (at, (one, keys)) in self.iter().enumerate() {
            for (other, others) in self.iter().skip(at + 1).filter(|(other, _)| one.place.meets(other.place)) {
                if let Some(&key) = keys.iter().find(|key| others.contains(key)) {
                    return Some(Conflict { key, one: one.name, other: other.name });
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::vocabulary::pane::{Pane, Screen};
    use crate::explore::vocabulary::place::Layer;
    use std::collections::HashSet;

    fn at(pane: Pane) -> Spot {
        Spot { layer: Layer::Panes, screen: Screen::Explore, pane, lesson: false, lesson_asks: false }
    }

    #[test]
    fn every_row_has_a_name_of_its_own_and_keys_that_are_keys() {
        let names: HashSet<&str> = rows().iter().map(|row| row.name).collect();
        assert_eq!(names.len(), rows().len());
        for (row, keys) in Keymap::standard().iter() {
            assert_eq!(keys.len(), row.keys.split(' ').count(), "{}: {}", row.name, row.keys);
        }
    }

    #[test]
    fn a_pane_overrides_what_holds_anywhere() {
        let keymap = Keymap::standard();
        let key = Key::parse("2").unwrap();
        assert_eq!(keymap.command(key, at(Pane::Distances)), Some(Command::Digit(2)));
        assert_eq!(keymap.command(key, at(Pane::Cpus)), Some(Command::Focus(Pane::Cpus)));
        let zero = Key::parse("0").unwrap();
        assert_eq!(keymap.command(zero, at(Pane::Cpus)), Some(Command::FirstColumn));
    }

    #[test]
    fn what_lies_on_top_has_the_keys() {
        let keymap = Keymap::standard();
        let spot = |layer| Spot { layer, ..at(Pane::Cpus) };
        let key = Key::parse("esc").unwrap();
        assert_eq!(keymap.command(key, spot(Layer::Typing)), Some(Command::Cancel));
        assert_eq!(keymap.command(key, spot(Layer::Repair)), Some(Command::RefuseRepair));
        assert_eq!(keymap.command(Key::parse("K").unwrap(), spot(Layer::Question)), None);
    }

    #[test]
    fn keys_conflict_only_where_neither_goes_first() {
        let mut keymap = Keymap::standard();
        assert_eq!(keymap.conflict(), None);
        let key = Key::parse("f").unwrap();
        // Fill has it in Distances and fold in CPUs: a third one anywhere is reached from elsewhere.
        assert!(keymap.set("theme", vec![key]));
        assert_eq!(keymap.conflict(), None);
        assert!(keymap.set("zoom", vec![key]));
        assert_eq!(keymap.conflict(), Some(Conflict { key, one: "fill", other: "zoom" }));
        assert!(!keymap.set("no-such-command", vec![key]));
    }
}
