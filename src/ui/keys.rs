//! The key table: which key does what, where, in what words. Dispatch, help, palette and footer all read it.

use super::action::{Clip, Command, Pane, Screen, Step, Way};
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
];

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

    /// Reads `x`, `ctrl-r`, `alt-1`, `pgdn`; `None` when it names no key.
    pub fn parse(text: &str) -> Option<Self> {
        let (modifiers, name) = if let Some(name) = text.strip_prefix("ctrl-") {
            (KeyModifiers::CONTROL, name)
        } else if let Some(name) = text.strip_prefix("alt-") {
            (KeyModifiers::ALT, name)
        } else {
            (KeyModifiers::NONE, text)
        };
        let mut chars = name.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) => KeyCode::Char(c),
            _ => NAMED.iter().find(|(known, _)| *known == name)?.1,
        };
        Some(Self { code, modifiers })
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
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("alt-")?;
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
    /// What it does.
    pub command: Command,
    /// The keys that do it.
    pub keys: &'static [&'static str],
    /// Where they do it.
    pub place: Place,
    /// Where help shows it.
    pub section: Section,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The word in the footer; empty when it has none there.
    pub hint: &'static str,
}

const fn bind(
    section: Section,
    place: Place,
    command: Command,
    keys: &'static [&'static str],
    about: &'static str,
    hint: &'static str,
) -> Binding {
    Binding { command, keys, place, section, about, hint }
}

use Command as C;
use Place::{Anywhere, In, NotIn, On};
use Section as S;

const EDIT: Place = In(Pane::Distances);
const LIST: Place = NotIn(Pane::Distances);

/// Every key, in the order of the help.
pub const BINDINGS: &[Binding] = &[
    bind(S::Move, Anywhere, C::Move(Way::Up, Step::One), &["k", "up"], "up one row", ""),
    bind(S::Move, Anywhere, C::Move(Way::Down, Step::One), &["j", "down"], "down one row", ""),
    bind(S::Move, Anywhere, C::Move(Way::Left, Step::One), &["h", "left"], "left one column or level", ""),
    bind(S::Move, Anywhere, C::Move(Way::Right, Step::One), &["l", "right"], "right one column or level", ""),
    bind(S::Move, Anywhere, C::Move(Way::Up, Step::Page), &["ctrl-u", "pgup"], "up half a screen", ""),
    bind(S::Move, Anywhere, C::Move(Way::Down, Step::Page), &["ctrl-d", "pgdn"], "down half a screen", ""),
    bind(S::Move, Anywhere, C::Move(Way::Up, Step::End), &["g", "home"], "first row", ""),
    bind(S::Move, Anywhere, C::Move(Way::Down, Step::End), &["G", "end"], "last row", ""),
    bind(S::Move, Anywhere, C::Move(Way::Left, Step::End), &["0", "^"], "first column", ""),
    bind(S::Move, Anywhere, C::Move(Way::Right, Step::End), &["$"], "last column", ""),
    bind(
        S::Move,
        LIST,
        C::Enter,
        &["enter"],
        "go on: CPU, domain, group, capacity; from a finding, to its groups",
        "go on",
    ),
    bind(S::Move, On(Screen::Explore), C::NextPane, &["tab"], "next pane", "pane"),
    bind(S::Move, On(Screen::Explore), C::PreviousPane, &["backtab"], "pane before", ""),
    bind(
        S::Move,
        Anywhere,
        C::Focus(Pane::Distances),
        &["1", "alt-1"],
        "to Distances (there digits type: use alt)",
        "",
    ),
    bind(S::Move, Anywhere, C::Focus(Pane::Cpus), &["2", "alt-2"], "to CPUs", ""),
    bind(S::Move, Anywhere, C::Focus(Pane::Domains), &["3", "alt-3"], "to Domains", ""),
    bind(S::Move, Anywhere, C::Focus(Pane::Groups), &["4", "alt-4"], "to Groups", ""),
    bind(S::Move, Anywhere, C::Focus(Pane::Capacity), &["5", "alt-5"], "to Capacity", ""),
    bind(S::Move, Anywhere, C::Focus(Pane::Findings), &["6", "alt-6"], "to Findings", ""),
    bind(S::Move, Anywhere, C::Show(Screen::Explore), &["f1"], "Explore: the panes", ""),
    bind(S::Move, Anywhere, C::Show(Screen::Construct), &["f2"], "Construct: how the groups came to be", ""),
    bind(
        S::Move,
        Anywhere,
        C::Show(Screen::Compare),
        &["f3"],
        "Compare: releases, before and after edits, machines",
        "",
    ),
    bind(S::Move, Anywhere, C::Show(Screen::Reach), &["f4"], "Reach: which node can pull from which", ""),
    bind(S::Move, Anywhere, C::Show(Screen::Dmesg), &["f5"], "Dmesg: what the kernel prints", ""),
    bind(S::Move, On(Screen::Construct), C::NextGroup, &["n"], "on Construct: on to the next group", "next group"),
    bind(S::Move, On(Screen::Construct), C::PreviousGroup, &["N"], "on Construct: back to the group before", ""),
    bind(S::Show, On(Screen::Construct), C::Play, &["p", "space"], "on Construct: let the steps run, or stop", "play"),
    bind(S::Show, On(Screen::Construct), C::Faster, &["+", "="], "on Construct: play faster", ""),
    bind(S::Show, On(Screen::Construct), C::Slower, &["-"], "on Construct: play slower", ""),
    bind(
        S::Show,
        On(Screen::Construct),
        C::NextSubject,
        &["tab", "t"],
        "on Construct: trace groups, levels, the span check, or what stays",
        "what",
    ),
    bind(S::Show, On(Screen::Construct), C::PreviousSubject, &["backtab"], "on Construct: the subject before", ""),
    bind(S::Open, On(Screen::Compare), C::PickOther, &["c"], "on Compare: what to compare with", "with"),
    bind(S::Open, On(Screen::Compare), C::CompareEdits, &["e"], "on Compare: before and after the edits", "edits"),
    bind(S::Show, Anywhere, C::Lesson, &["f6"], "the lesson: open it where it was left, or leave it", ""),
    bind(S::Show, Place::Lesson, C::NextStep, &["space", "."], "in the lesson: on", "on"),
    bind(S::Show, Place::Lesson, C::PreviousStep, &[","], "in the lesson: back", "back"),
    bind(S::Show, Place::Question, C::Choose(0), &["a"], "in the lesson: the first answer", ""),
    bind(S::Show, Place::Question, C::Choose(1), &["b"], "in the lesson: the second answer", ""),
    bind(S::Show, Place::Question, C::Choose(2), &["c"], "in the lesson: the third answer", ""),
    bind(S::Show, Place::Question, C::Choose(3), &["d"], "in the lesson: the fourth answer", ""),
    bind(S::Move, Anywhere, C::LevelUp, &[">"], "level above", ""),
    bind(S::Move, Anywhere, C::LevelDown, &["<"], "level below", ""),
    bind(S::Move, Anywhere, C::NextCpu, &["}"], "next CPU", ""),
    bind(S::Move, Anywhere, C::PreviousCpu, &["{"], "CPU before", ""),
    bind(S::Move, Anywhere, C::JumpBack, &["ctrl-o", "alt-left"], "back to where you were before the last jump", ""),
    bind(S::Move, Anywhere, C::JumpForward, &["ctrl-n", "alt-right"], "forward again", ""),
    bind(S::Edit, EDIT, C::Digit(0), &["0"], "type a distance: what is built follows from 10 on", ""),
    bind(S::Edit, EDIT, C::Digit(1), &["1"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(2), &["2"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(3), &["3"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(4), &["4"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(5), &["5"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(6), &["6"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(7), &["7"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(8), &["8"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Digit(9), &["9"], "type a distance", ""),
    bind(S::Edit, EDIT, C::Erase, &["backspace"], "take back a digit", ""),
    bind(S::Edit, EDIT, C::Enter, &["enter"], "end the number; with none begun, on to CPUs", ""),
    bind(S::Edit, EDIT, C::Nudge(1), &["+", "="], "one more", "more"),
    bind(S::Edit, EDIT, C::Nudge(-1), &["-"], "one less", "less"),
    bind(S::Edit, Anywhere, C::ToggleSymmetric, &["s"], "edit both directions of a pair, or one", "symmetric"),
    bind(S::Edit, EDIT, C::AddNode, &["a"], "add a node like the last one", ""),
    bind(S::Edit, EDIT, C::CopyNode, &["c"], "copy the row's node", ""),
    bind(S::Edit, EDIT, C::RemoveNode, &["x"], "remove the row's node", ""),
    bind(S::Edit, EDIT, C::SwapNodes, &["S"], "swap the places of the pair's nodes", ""),
    bind(
        S::Edit,
        In(Pane::Findings),
        C::Repair,
        &["r"],
        "look for the smallest change of the table that removes the finding",
        "repair",
    ),
    bind(S::Edit, Anywhere, C::Undo, &["u"], "undo", "undo"),
    bind(S::Edit, Anywhere, C::Redo, &["ctrl-r"], "redo", ""),
    bind(S::Open, Anywhere, C::PickRelease, &["K"], "choose the kernel release", "kernel"),
    bind(S::Open, Anywhere, C::PreviousRelease, &["["], "release before", ""),
    bind(S::Open, Anywhere, C::NextRelease, &["]"], "release after", ""),
    bind(S::Open, Anywhere, C::Open, &["o"], "open a preset or a file, or make a machine: ring:8 4", "open"),
    bind(S::Open, Anywhere, C::Save, &["w"], "save", ""),
    bind(S::Open, Anywhere, C::SaveAs, &["W"], "save under a name", ""),
    bind(S::Show, On(Screen::Explore), C::Zoom, &["z"], "give the pane the whole screen, or take it back", "zoom"),
    bind(S::Show, Anywhere, C::ToggleGone, &["d"], "show or hide levels that degenerated", ""),
    bind(S::Show, In(Pane::Cpus), C::ToggleFold, &["f"], "CPUs of a node that look alike as one row, or each", "fold"),
    bind(S::Show, In(Pane::Cpus), C::ToggleOrder, &["O"], "list CPUs by number or by node", ""),
    bind(S::Show, Anywhere, C::Filter, &["F"], "list only some CPUs: a cpulist or `node 2`; empty for all", ""),
    bind(S::Show, Anywhere, C::Search, &["/"], "search the pane: a CPU, `node 2`, a cpulist, a word", "search"),
    bind(S::Show, Anywhere, C::NextMatch, &["n"], "next match", ""),
    bind(S::Show, Anywhere, C::PreviousMatch, &["N"], "match before", ""),
    bind(S::Show, Anywhere, C::CopyMenu, &["y"], "copy through the terminal: then c, p, d or s", "copy"),
    bind(S::Show, Anywhere, C::Copy(Clip::Cell), &["alt-c"], "copy the chosen value or set", ""),
    bind(S::Show, Anywhere, C::Copy(Clip::Pane), &["alt-p"], "copy the pane as text", ""),
    bind(S::Show, Anywhere, C::Copy(Clip::Dmesg), &["alt-d"], "copy what this kernel prints", ""),
    bind(S::Show, Anywhere, C::Copy(Clip::Shell), &["alt-s"], "copy a shell command that shows the same", ""),
    bind(S::Show, Anywhere, C::NextTheme, &["T"], "next colour theme", ""),
    bind(S::Show, Anywhere, C::ToggleMouse, &["M"], "take or release the mouse (to copy with the terminal)", ""),
    bind(S::Program, Anywhere, C::Palette, &[":", "ctrl-p"], "every command, fuzzy", "commands"),
    bind(S::Program, Anywhere, C::Help, &["?"], "this help", "help"),
    bind(S::Program, Anywhere, C::Escape, &["esc"], "back out: of a number, a search, a zoomed pane", ""),
    bind(S::Program, Anywhere, C::Redraw, &["ctrl-l"], "draw everything again", ""),
    bind(S::Program, Anywhere, C::Suspend, &["ctrl-z"], "suspend", ""),
    bind(S::Program, Anywhere, C::Quit, &["q", "ctrl-c"], "quit; asks when there are unsaved edits", "quit"),
];

/// The command of `key` where the person is: the narrowest binding first.
pub fn lookup_at(key: Key, spot: Spot) -> Option<Command> {
    let holding = BINDINGS.iter().filter_map(|binding| Some((binding.place.rank(spot)?, binding)));
    let matching = holding.filter(|(_, binding)| binding.keys.iter().any(|text| Key::parse(text) == Some(key)));
    matching.min_by_key(|&(rank, _)| rank).map(|(_, binding)| binding.command)
}

/// The command of `key` in `pane` on the Explore screen.
pub fn lookup(key: Key, pane: Pane) -> Option<Command> {
    lookup_at(key, Spot { screen: Screen::Explore, pane, lesson: false, question: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_key_of_the_table_reads_and_prints_back() {
        for text in BINDINGS.iter().flat_map(|binding| binding.keys) {
            assert_eq!(Key::parse(text).unwrap().to_string(), **text);
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_place() {
        let mut taken: HashMap<(String, String), Command> = HashMap::new();
        for binding in BINDINGS {
            for key in binding.keys {
                let place = ((*key).to_owned(), format!("{:?}", binding.place));
                let other = taken.insert(place, binding.command);
                assert!(other.is_none(), "{key} is both {other:?} and {:?}", binding.command);
            }
        }
    }

    #[test]
    fn a_pane_overrides_what_holds_anywhere() {
        let key = Key::parse("2").unwrap();
        assert_eq!(lookup(key, Pane::Distances), Some(Command::Digit(2)));
        assert_eq!(lookup(key, Pane::Cpus), Some(Command::Focus(Pane::Cpus)));
        assert_eq!(lookup(Key::parse("0").unwrap(), Pane::Cpus), Some(Command::Move(Way::Left, Step::End)));
    }

    #[test]
    fn shift_folds_into_the_character() {
        let shifted = KeyEvent::new(KeyCode::Char('g'), KeyModifiers::SHIFT);
        assert_eq!(Key::of(shifted), Key::parse("G").unwrap());
        let tab = KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT);
        assert_eq!(Key::of(tab), Key::parse("backtab").unwrap());
    }
}
