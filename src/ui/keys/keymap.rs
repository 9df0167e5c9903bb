//! Which keys the commands have.

use super::table::BINDINGS;
use super::{Binding, Key, Spot};
use crate::ui::action::Command;

/// The keys of every [binding](BINDINGS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// By index into [`BINDINGS`].
    keys: Vec<Vec<Key>>,
}

/// A key that two commands want in one place: names of bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The key.
    pub key: Key,
    /// One command.
    pub one: &'static str,
    /// The other.
    pub other: &'static str,
}

impl Default for Keymap {
    /// No command has a key.
    fn default() -> Self {
        Self { keys: vec![Vec::new(); BINDINGS.len()] }
    }
}

impl Keymap {
    /// Gives the binding called `name` these keys and no others; whether there is one.
    pub fn set(&mut self, name: &str, keys: Vec<Key>) -> bool {
        let Some(at) = BINDINGS.iter().position(|binding| binding.name == name) else { return false };
        self.keys[at] = keys;
        true
    }

    /// Every binding with its keys, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Binding, &[Key])> {
        BINDINGS.iter().zip(self.keys.iter().map(Vec::as_slice))
    }

    /// The command of `key` where the person is: the narrowest binding first.
    pub fn command(&self, key: Key, spot: Spot) -> Option<Command> {
        let matching = self.iter().filter(|(_, keys)| keys.contains(&key));
        let holding = matching.filter_map(|(binding, _)| Some((binding.place.rank(spot)?, binding.command)));
        holding.min_by_key(|&(rank, _)| rank).map(|(_, command)| command)
    }

    /// The first key of a command, as written; a dash when it has none.
    pub fn key_of(&self, command: Command) -> String {
        let key = self.iter().filter(|(binding, _)| binding.command == command).find_map(|(_, keys)| keys.first());
        key.map_or_else(|| "-".to_owned(), ToString::to_string)
    }

    /// The keys of a binding, separated by blanks.
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
    use crate::ui::action::{Pane, Screen, Step, Way};
    use crate::ui::config::Config;
    use std::collections::HashSet;

    fn at(pane: Pane) -> Spot {
        Spot { screen: Screen::Explore, pane, lesson: false, question: false }
    }

    #[test]
    fn names_are_told_apart() {
        let names: HashSet<&str> = BINDINGS.iter().map(|binding| binding.name).collect();
        assert_eq!(names.len(), BINDINGS.len());
    }

    #[test]
    fn a_pane_overrides_what_holds_anywhere() {
        let keymap = Config::standard().keys;
        let key = Key::parse("2").unwrap();
        assert_eq!(keymap.command(key, at(Pane::Distances)), Some(Command::Digit(2)));
        assert_eq!(keymap.command(key, at(Pane::Cpus)), Some(Command::Focus(Pane::Cpus)));
        let zero = Key::parse("0").unwrap();
        assert_eq!(keymap.command(zero, at(Pane::Cpus)), Some(Command::Move(Way::Left, Step::End)));
    }

    #[test]
    fn keys_conflict_only_where_neither_goes_first() {
        let mut keymap = Config::standard().keys;
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
