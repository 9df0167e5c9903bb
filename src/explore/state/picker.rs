//! A list with a line to filter it.

use super::compare::Against;
use crate::explore::derived::fuzzy::{Fuzzy, FuzzyMatch};
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::preview::Preview;
use crate::explore::vocabulary::source::Source;
use crate::formats::visible;
use std::path::{Path, PathBuf};
use tui_input::Input;

/// What choosing an item does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Open a topology.
    Open(Source),
    /// Use a kernel release.
    Release(String),
    /// Show another release beside this one on Balance, or none.
    Beside(Option<String>),
    /// Compare with something else.
    Other(Against),
    /// Run a command.
    Run(Command),
    /// Nothing: a heading.
    Heading,
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
pub enum PickerKind {
    /// Presets and files.
    Open,
    /// Kernel releases.
    Release,
    /// What to compare with: releases, the machine before its edits, machines.
    Other,
    /// Kernel releases to show beside the one chosen.
    Beside,
    /// Commands.
    Palette,
    /// Keys.
    Help,
}

impl PickerKind {
    /// The title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::Release => "Kernel release",
            Self::Other => "Compare with",
            Self::Beside => "Beside it",
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
fn typed_source(typed: &str, home: Option<&Path>) -> Option<Source> {
    if let Some((rest, home)) = typed.strip_prefix("~/").zip(home) {
        return Some(Source::File(home.join(rest)));
    }
    if typed.contains('/') {
        return Some(Source::File(PathBuf::from(typed)));
    }
    typed.contains(':').then(|| Source::Generated(typed.to_owned()))
}

/// A list with a line to filter it.
#[derive(Clone, Debug)]
pub struct Picker {
    /// Which list.
    pub kind: PickerKind,
    /// Everything there is.
    pub items: Vec<Item>,
    /// What matches, best first.
    pub hits: Vec<Hit>,
    /// The chosen one, index into [`Picker::hits`].
    pub cursor: usize,
    /// What is typed.
    pub input: Input,
    /// What `~` stands for.
    home: Option<PathBuf>,
    /// What the chosen item looks like, once that is known.
    pub preview: Option<(Source, Preview)>,
}

impl Picker {
    /// A list with nothing typed yet.
    pub fn new(kind: PickerKind, items: Vec<Item>) -> Self {
        let mut picker =
            Self { kind, items, hits: Vec::new(), cursor: 0, input: Input::default(), preview: None, home: None };
        picker.filter();
        picker
    }

    /// The same list, with what `~` stands for in a path that is typed.
    #[must_use]
    pub fn with_home(self, home: Option<PathBuf>) -> Self {
        Self { home, ..self }
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
        if self.chosen().is_some_and(|item| item.choice == Choice::Heading) {
            let back = by < 0 && self.cursor > 0;
            self.cursor = if back { self.cursor - 1 } else { (self.cursor + 1).min(last) };
        }
    }

    /// What is typed may be a path or a shape to make: then that comes first.
    fn offer_typed(&mut self) {
        let typed = self.input.value().trim().to_owned();
        let Some(source) = typed_source(&typed, self.home.as_deref()) else { return };
        let detail = if matches!(source, Source::File(_)) { TYPED[0] } else { TYPED[1] };
        let choice = match self.kind {
            PickerKind::Open => Choice::Open(source),
            PickerKind::Other => Choice::Other(Against::Machine(source)),
            PickerKind::Release | PickerKind::Beside | PickerKind::Palette | PickerKind::Help => return,
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
        let fuzzy = Fuzzy::default();
        let pattern = self.input.value();
        let mut scored: Vec<(i64, Hit)> = Vec::new();
        for (item, Item { label, detail, choice }) in self.items.iter().enumerate() {
            if *choice == Choice::Heading && !pattern.trim().is_empty() {
                continue;
            }
            let Some(FuzzyMatch { score, at }) = fuzzy.find(&format!("{label} {detail}"), pattern) else { continue };
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
