//! The explorer driven by keys written as text, without a terminal.

use super::shell::headless::Headless;
use crate::cpumask::CpuMask;
use crate::explore::state::start::Start;
use crate::kernel::Release;
use crate::topology::{Distances, Topology};
use crossterm::event::Event;
use ratatui::style::{Color, Modifier, Style};
use std::fmt::Write as _;
use std::ops::{Deref, DerefMut};

mod balance;
mod counters;
mod drive;
mod explore;
mod files;
mod matrix;
mod pictures;
mod repair;
mod screens;
mod storms;

/// The explorer on a screen of its own, with words for tests.
pub(super) struct Driver(Headless);

impl Deref for Driver {
    type Target = Headless;

    fn deref(&self) -> &Headless {
        &self.0
    }
}

impl DerefMut for Driver {
    fn deref_mut(&mut self) -> &mut Headless {
        &mut self.0
    }
}

impl Driver {
    fn new(topology: Topology, release: &str, width: u16, height: u16) -> Self {
        Self(Headless::new(Start::new(topology, Release::parse(release).unwrap()), width, height))
    }

    pub(super) fn ring4(release: &str) -> Self {
        Self::new(ring4(), release, 120, 40)
    }

    /// Presses keys, written as in a configuration and separated by blanks.
    pub(super) fn keys(&mut self, keys: &str) -> &mut Self {
        self.press(keys).unwrap_or_else(|word| panic!("no key is called {word:?}"));
        self
    }

    /// Types text, character by character.
    fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            let name = if c == ' ' { "space".to_owned() } else { c.to_string() };
            self.keys(&name);
        }
        self
    }

    fn paste(&mut self, text: &str) -> &mut Self {
        self.event(Event::Paste(text.to_owned()))
    }

    fn event(&mut self, event: Event) -> &mut Self {
        self.happen(event);
        self
    }

    fn distance(&self, from: usize, to: usize) -> u32 {
        self.model.doc.topology().distances.get(from, to)
    }

    /// The screen as text.
    fn picture(&self) -> String {
        self.0.text()
    }

    /// The screen as text, each line followed by its runs of style where they are not plain.
    fn painting(&self) -> String {
        let mut painting = String::new();
        for (y, line) in self.picture().lines().enumerate() {
            let _ = writeln!(painting, "{line}");
            let runs = self.runs(y as u16);
            if !runs.is_empty() {
                let _ = writeln!(painting, "    {}", runs.join(" "));
            }
        }
        painting
    }

    fn runs(&self, y: u16) -> Vec<String> {
        let mut runs: Vec<(u16, u16, Style)> = Vec::new();
        for x in 0..self.screen.area.width {
            let style = self.screen[(x, y)].style();
            match runs.last_mut() {
                Some((_, end, last)) if *last == style => *end = x,
                _ => runs.push((x, x, style)),
            }
        }
        let named = runs.into_iter().map(|(from, to, style)| (from, to, style_name(style)));
        named.filter(|(_, _, name)| !name.is_empty()).map(|(from, to, name)| format!("{from}-{to}:{name}")).collect()
    }
}

fn style_name(style: Style) -> String {
    let color = |color: Option<Color>| match color {
        None | Some(Color::Reset) => String::new(),
        Some(Color::Indexed(index)) => index.to_string(),
        Some(other) => other.to_string(),
    };
    let mut name = color(style.fg);
    if !matches!(style.bg, None | Some(Color::Reset)) {
        let _ = write!(name, "/{}", color(style.bg));
    }
    for (modifier, letter) in
        [(Modifier::BOLD, "b"), (Modifier::UNDERLINED, "u"), (Modifier::REVERSED, "r"), (Modifier::DIM, "d")]
    {
        if style.add_modifier.contains(modifier) {
            name.push_str(letter);
        }
    }
    name
}

/// Four nodes in a ring, two CPUs a node.
fn ring4() -> Topology {
    machine("ring4x2", 2, &[&[10, 20, 30, 20], &[20, 10, 20, 30], &[30, 20, 10, 20], &[20, 30, 20, 10]])
}

fn machine(name: &str, each: usize, table: &[&[u32]]) -> Topology {
    let cpus = (0..table.len()).map(|node| CpuMask::range(node * each, node * each + each - 1)).collect();
    Topology::new(name, cpus, Distances::from_fn(table.len(), |from, to| table[from][to]))
}
