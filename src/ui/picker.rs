//! The fuzzy lists: presets and files to open, kernel releases, commands, and the help.

use super::action::{Command, Peek};
use super::fuzzy::{Fuzzy, Match};
use super::input::TEXT_KEYS;
use super::keys::{Keymap, Section};
use super::screens::compare::Against;
use crate::formats::visible;
use crate::kernel::Release;
use crate::kernel::release::OverlapGroups;
use std::path::PathBuf;
use tui_input::Input;

/// Where a topology comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Built in, by name.
    Preset(String),
    /// A file.
    File(PathBuf),
    /// Made by rule: a shape, and how many CPUs a node has: `ring:8 4`.
    Made(String),
}

/// What choosing an item does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Open a topology.
    Open(Source),
    /// Use a kernel release.
    Release(String),
    /// Compare with something else.
    Other(Against),
    /// Run a command.
    Run(Command),
    /// Nothing: it is only to be known.
    Known,
    /// Nothing: a heading.
    Nothing,
}

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is called; this is what is matched first.
    pub label: String,
    /// A few more words, matched too.
    pub detail: String,
    /// What choosing it does.
    pub choice: Choice,
}

/// Which list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Presets and files.
    Open,
    /// Kernel releases.
    Release,
    /// What to compare with: releases, the machine before its edits, machines.
    Other,
    /// Commands.
    Palette,
    /// Keys.
    Help,
}

impl Kind {
    /// The title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::Release => "Kernel release",
            Self::Other => "Compare with",
            Self::Palette => "Commands",
            Self::Help => "Keys",
        }
    }
}

/// An item that matches what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index into [`Picker::items`].
    pub item: usize,
    /// Matched characters of the label followed by a blank and the detail.
    pub at: Vec<usize>,
}

/// What an item says that was made of what is typed: a path, a shape.
const TYPED: [&str; 2] = ["this file", "make this machine; a number after it is CPUs a node"];

/// The source that typed text names by itself: a path has a slash or begins with a tilde, a shape has a colon.
fn typed_source(typed: &str) -> Option<Source> {
    if let Some(rest) = typed.strip_prefix("~/") {
        return Some(Source::File(etcetera::home_dir().ok()?.join(rest)));
    }
    if typed.contains('/') {
        return Some(Source::File(PathBuf::from(typed)));
    }
    typed.contains(':').then(|| Source::Made(typed.to_owned()))
}

/// A list with a line to filter it.
#[derive(Clone, Debug)]
pub struct Picker {
    /// Which list.
    pub kind: Kind,
    /// Everything there is.
    pub items: Vec<Item>,
    /// What matches, best first.
    pub hits: Vec<Hit>,
    /// The chosen one, index into [`Picker::hits`].
    pub cursor: usize,
    /// What is typed.
    pub input: Input,
    /// A look at the chosen item, when it is known, or why it can't be opened.
    pub preview: Option<(Source, Peek)>,
}

impl Picker {
    /// A list with nothing typed yet.
    pub fn new(kind: Kind, items: Vec<Item>) -> Self {
        let mut picker = Self { kind, items, hits: Vec::new(), cursor: 0, input: Input::default(), preview: None };
        picker.filter();
        picker
    }

    /// The chosen item.
    pub fn chosen(&self) -> Option<&Item> {
        self.hits.get(self.cursor).map(|hit| &self.items[hit.item])
    }

    /// The source under the cursor, if it is one.
    pub fn source(&self) -> Option<&Source> {
        match &self.chosen()?.choice {
            Choice::Open(source) => Some(source),
            _ => None,
        }
    }

    /// Puts the cursor on the item with this label.
    pub fn point_at(&mut self, label: &str) {
        self.cursor = self.hits.iter().position(|hit| self.items[hit.item].label == label).unwrap_or(0);
    }

    /// Moves the cursor, clamped.
    pub fn step(&mut self, by: isize) {
        let last = self.hits.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
        // A heading is no place to stand; the one at the very top is passed downwards.
        if self.chosen().is_some_and(|item| item.choice == Choice::Nothing) {
            let back = by < 0 && self.cursor > 0;
            self.cursor = if back { self.cursor - 1 } else { (self.cursor + 1).min(last) };
        }
    }

    /// What is typed may be a path or a shape to make: then that comes first.
    fn offer_typed(&mut self) {
        let typed = self.input.value().trim().to_owned();
        let Some(source) = typed_source(&typed) else { return };
        let detail = if matches!(source, Source::File(_)) { TYPED[0] } else { TYPED[1] };
        let choice = match self.kind {
            Kind::Open => Choice::Open(source),
            Kind::Other => Choice::Other(Against::Machine(source)),
            Kind::Release | Kind::Palette | Kind::Help => return,
        };
        let known = self.items.iter().position(|item| item.choice == choice);
        let item = known.unwrap_or_else(|| {
            self.items.push(Item { label: visible(&typed).into_owned(), detail: detail.to_owned(), choice });
            self.items.len() - 1
        });
        self.hits.retain(|hit| hit.item != item);
        self.hits.insert(0, Hit { item, at: Vec::new() });
    }

    /// Works out what matches; keeps the order of the list where nothing is typed.
    pub fn filter(&mut self) {
        self.items.retain(|item| !TYPED.contains(&item.detail.as_str()));
        let fuzzy = Fuzzy::new();
        let pattern = self.input.value();
        let mut scored: Vec<(i64, Hit)> = Vec::new();
        for (item, Item { label, detail, choice }) in self.items.iter().enumerate() {
            if *choice == Choice::Nothing && !pattern.trim().is_empty() {
                continue;
            }
            let Some(Match { score, at }) = fuzzy.find(&format!("{label} {detail}"), pattern) else { continue };
            // A match inside the name itself counts for more than one in the description.
            let bonus = fuzzy.find(label, pattern).map_or(0, |inside| inside.score);
            scored.push((score + bonus, Hit { item, at }));
        }
        if !pattern.trim().is_empty() {
            scored.sort_by_key(|(score, _)| -score);
        }
        self.hits = scored.into_iter().map(|(_, hit)| hit).collect();
        self.offer_typed();
        self.cursor = 0;
        self.step(0);
    }
}

/// What a release does when it builds groups, in a few words.
pub fn group_rule(rule: OverlapGroups) -> &'static str {
    match rule {
        OverlapGroups::FromFirstCpu => "groups from the lowest CPU",
        OverlapGroups::WrapOwnerFound => "groups from the CPU, sgc where found",
        OverlapGroups::ChildFirst => "own child first",
        OverlapGroups::ChildFirstThenOwner => "own child first, sgc by first owner",
        OverlapGroups::WrapBalanceOwner => "groups from the CPU",
        OverlapGroups::WrapDescended => "groups from the CPU, siblings descend",
    }
}

/// The releases, newest first.
pub fn releases(all: &[Release]) -> Vec<Item> {
    let item = |release: &Release| Item {
        label: release.name.clone(),
        detail: group_rule(release.rules.overlap_groups).to_owned(),
        choice: Choice::Release(release.name.clone()),
    };
    all.iter().rev().map(item).collect()
}

/// The commands that make sense from a list, with their keys; those in `used` first.
pub fn commands(keymap: &Keymap, used: &[Command]) -> Vec<Item> {
    let offered = keymap.iter().filter(|(binding, _)| {
        !matches!(
            binding.command,
            Command::Digit(_) | Command::Erase | Command::Enter | Command::Escape | Command::Choose(_)
        )
    });
    let mut seen = Vec::new();
    let mut items = Vec::new();
    for (binding, keys) in offered {
        if !seen.contains(&binding.command) {
            seen.push(binding.command);
            items.push(Item {
                label: binding.about.to_owned(),
                detail: Keymap::written(keys),
                choice: Choice::Run(binding.command),
            });
        }
    }
    // Stable: what was never used keeps the order of the help.
    items.sort_by_key(|item| match item.choice {
        Choice::Run(command) => used.iter().position(|&other| other == command).unwrap_or(usize::MAX),
        _ => usize::MAX,
    });
    items
}

/// The heading of the keys that hold where something is typed.
const IN_LISTS: &str = "In lists and lines";

/// The key table as a list: a heading for each section, then its keys.
pub fn help(keymap: &Keymap) -> Vec<Item> {
    let mut items = Vec::new();
    for section in Section::ALL {
        items.push(Item { label: section.name().to_owned(), detail: String::new(), choice: Choice::Nothing });
        let digits: String = keymap
            .iter()
            .filter(|(binding, _)| matches!(binding.command, Command::Digit(_)))
            .map(|(_, keys)| Keymap::written(keys))
            .collect();
        for (binding, keys) in keymap.iter().filter(|(binding, _)| binding.section == section) {
            // One line stands for all ten digits.
            let keys = match binding.command {
                Command::Digit(0) if digits == "0123456789" => "0 to 9".to_owned(),
                Command::Digit(_) if digits == "0123456789" => continue,
                _ if keys.is_empty() => "-".to_owned(),
                _ => Keymap::written(keys),
            };
            items.push(Item { label: keys, detail: binding.about.to_owned(), choice: Choice::Run(binding.command) });
        }
    }
    items.push(Item { label: IN_LISTS.to_owned(), detail: String::new(), choice: Choice::Nothing });
    for (keys, _, about) in TEXT_KEYS {
        items.push(Item { label: keys.join(" "), detail: (*about).to_owned(), choice: Choice::Known });
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::config::Config;

    #[test]
    fn help_names_every_key() {
        let keymap = Config::standard().keys;
        let help = help(&keymap);
        for (binding, keys) in keymap.iter().filter(|(binding, _)| !matches!(binding.command, Command::Digit(_))) {
            assert!(help.iter().any(|item| item.label == Keymap::written(keys)), "{:?}", binding.command);
        }
    }

    #[test]
    fn typing_narrows_and_the_name_counts_most() {
        let mut picker = Picker::new(Kind::Release, releases(&Release::all()));
        let everything = picker.hits.len();
        picker.input = Input::new("6.12".into());
        picker.filter();
        assert!(picker.hits.len() < everything);
        assert_eq!(picker.chosen().map(|item| item.label.as_str()), Some("v6.12"));
    }
}
