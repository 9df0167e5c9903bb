//! The explorer driven by keys written as text, without a terminal.

use super::action::{Action, Effect};
use super::keys::Key;
use super::model::{Model, Start};
use super::view::{self, ViewState};
use super::{input, outside, terminal, update};
use crate::cpumask::CpuMask;
use crate::kernel::Release;
use crate::topology::{Distances, Topology};
use crossterm::event::Event;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

mod drive;
mod explore;
mod matrix;
mod pictures;
mod repair;
mod screens;
mod storms;

/// Whether files are read and written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disk {
    There,
    Absent,
}

/// The explorer on a screen of its own.
pub(super) struct Desk {
    pub(super) model: Model,
    view: ViewState,
    screen: Buffer,
    disk: Disk,
    /// Effects that only a terminal could perform.
    left: Vec<Effect>,
}

impl Desk {
    fn new(topology: Topology, release: &str, width: u16, height: u16) -> Self {
        let release = Release::parse(release).unwrap();
        let mut model = Model::new(Start::new(topology, release));
        // Times differ from run to run.
        Arc::get_mut(&mut model.built).unwrap().took = Duration::ZERO;
        let screen = Buffer::empty(Rect::new(0, 0, width, height));
        let mut desk = Self { model, view: ViewState::default(), screen, disk: Disk::There, left: Vec::new() };
        desk.draw();
        desk
    }

    pub(super) fn ring4(release: &str) -> Self {
        Self::new(ring4(), release, 120, 40)
    }

    fn draw(&mut self) {
        self.screen.reset();
        view::render(&self.model, &mut self.view, self.screen.area, &mut self.screen);
        let drawn = self.view.drawn();
        self.act(Action::Drawn(drawn));
        if let Some(seen) = self.view.lesson() {
            self.act(Action::LessonSeen(seen));
        }
    }

    /// Presses keys, written as in the key table and separated by blanks.
    pub(super) fn keys(&mut self, keys: &str) -> &mut Self {
        for word in keys.split_whitespace() {
            let key = Key::parse(word).unwrap_or_else(|| panic!("no key is called {word:?}"));
            self.event(Event::Key(key.event()));
        }
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
        if let Some(action) = input::action_of(&self.model, &self.view, event) {
            self.act(action);
        }
        self.draw();
        self
    }

    pub(super) fn act(&mut self, action: Action) {
        let mut actions = VecDeque::from([action]);
        while let Some(action) = actions.pop_front() {
            for effect in update::update(&mut self.model, action) {
                actions.extend(self.perform(effect));
            }
        }
    }

    fn perform(&mut self, effect: Effect) -> Option<Action> {
        let touches_disk = matches!(effect, Effect::Save(..) | Effect::Load(_) | Effect::Peek(_) | Effect::List);
        if touches_disk && self.disk == Disk::Absent {
            return Some(Action::Failed("no disk".to_owned()));
        }
        if matches!(
            effect,
            Effect::Quit | Effect::Suspend | Effect::Redraw | Effect::Mouse(_) | Effect::Copy(_) | Effect::Remember(_)
        ) {
            self.left.push(effect);
            return None;
        }
        let generation = self.model.wanted;
        let mut action = match terminal::shielded(|| outside::perform(effect)) {
            Ok(action) => action?,
            // As the loop does it: the last good view stays.
            Err(why) => Action::BuildFailed(generation, why),
        };
        if let Action::Built(built) = &mut action {
            Arc::get_mut(built).unwrap().took = Duration::ZERO;
        }
        Some(action)
    }

    fn distance(&self, from: usize, to: usize) -> u32 {
        self.model.doc.topology().distances.get(from, to)
    }

    /// The screen as text, blanks at line ends left out.
    fn picture(&self) -> String {
        let mut picture = String::new();
        for y in 0..self.screen.area.height {
            let line: String = (0..self.screen.area.width).map(|x| self.screen[(x, y)].symbol()).collect();
            let _ = writeln!(picture, "{}", line.trim_end());
        }
        picture
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
