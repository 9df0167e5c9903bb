//! The screens beside Explore: what they know, and what commands do on them. All share the one selection.
//!
//! What takes time to work out is worked out when a screen is looked at and something changed, never per frame.

pub mod compare;
pub mod construct;
pub mod log;
pub mod pulls;

use super::action::{Command, Effect, Pane, Screen, Step, Target, Way};
use super::keys::Spot;
use super::lesson::Lesson;
use super::model::{Model, Overlay, Tone};
use super::repair::Offer;
use super::select::moved;
use compare::Versus;
use construct::Construct;
use log::Log;
use pulls::Pulls;
use std::time::Duration;

/// How often the count of a search is drawn anew.
const SEARCH_PULSE: Duration = Duration::from_millis(150);

/// What the screens know.
#[derive(Clone, Debug, Default)]
pub struct Screens {
    /// The one shown.
    pub now: Screen,
    /// The kernel log.
    pub log: Log,
    /// Who can pull from whom.
    pub pulls: Pulls,
    /// The steps of a construction.
    pub construct: Construct,
    /// The other release.
    pub compare: Versus,
    /// The lesson.
    pub lesson: Lesson,
}

impl Model {
    /// Where the person is, as the key table has it.
    pub fn spot(&self) -> Spot {
        let lesson = &self.screens.lesson;
        Spot { screen: self.screens.now, pane: self.focus, lesson: lesson.open, question: lesson.asks() }
    }

    /// How long until something that plays goes on.
    pub fn pulse(&self) -> Option<Duration> {
        if let Overlay::Repair(Offer { repair: None, .. }) = self.overlay {
            return Some(SEARCH_PULSE);
        }
        if self.hunted().is_some() {
            return Some(Duration::ZERO);
        }
        self.plays().then(|| self.screens.construct.pace())
    }

    fn plays(&self) -> bool {
        self.screens.now == Screen::Construct && self.screens.construct.playing
    }

    /// Something plays or goes on, and its time has come.
    pub(super) fn tick(&mut self) {
        if self.hunted().is_some() {
            self.hunt_on();
        }
        if self.plays() && matches!(self.overlay, Overlay::None) {
            self.screens.construct.play_on();
        }
    }

    /// Works out what the screen shown needs and does not know yet.
    pub(super) fn settle_screens(&mut self) -> Vec<Effect> {
        match self.screens.now {
            Screen::Explore => {}
            Screen::Construct => self.settle_construct(),
            Screen::Compare => return self.settle_compare(),
            Screen::Reach => self.settle_pulls(),
            Screen::Dmesg => self.settle_log(),
        }
        Vec::new()
    }

    /// Runs a command as the screen shown understands it; `None` when it has no view of its own.
    pub(super) fn run_on_screen(&mut self, command: Command) -> Option<Vec<Effect>> {
        match command {
            Command::Show(screen) => self.show_screen(screen),
            Command::PickOther => {
                self.show_screen(Screen::Compare);
                return Some(self.pick_other());
            }
            Command::CompareEdits => {
                self.show_screen(Screen::Compare);
                self.compare_edits();
            }
            Command::NextGroup
            | Command::PreviousGroup
            | Command::Play
            | Command::Faster
            | Command::Slower
            | Command::NextSubject
            | Command::PreviousSubject => {
                self.show_screen(Screen::Construct);
                self.run_construct(command);
            }
            Command::Lesson | Command::NextStep | Command::PreviousStep | Command::Choose(_) => {
                return Some(self.run_lesson(command));
            }
            Command::Escape if self.screens.lesson.open => self.screens.lesson.open = false,
            _ if self.screens.now == Screen::Explore => return None,
            Command::Focus(pane) => {
                self.show_screen(Screen::Explore);
                self.focus_on(pane);
            }
            Command::Move(way, step) => self.go_on_screen(way, step),
            Command::Enter => self.enter_on_screen(),
            Command::NextPane | Command::PreviousPane | Command::Zoom => {}
            Command::Escape if self.search.query.is_empty() => self.show_screen(Screen::Explore),
            _ => return None,
        }
        Some(Vec::new())
    }

    pub(super) fn show_screen(&mut self, screen: Screen) {
        if screen != self.screens.now {
            self.screens.now = screen;
            self.screens.construct.playing = false;
            self.search.rows.clear();
        }
    }

    fn go_on_screen(&mut self, way: Way, step: Step) {
        match (self.screens.now, way) {
            (Screen::Reach, _) => self.go(Pane::Distances, way, step),
            (Screen::Construct, _) => self.screens.construct.go(way, step, self.page),
            (Screen::Dmesg, Way::Left | Way::Right) => self.screens.log.go_aside(way, step),
            (Screen::Dmesg, _) => {
                let line = moved(self.selection.line, self.screens.log.index.len(), way, step, self.page);
                self.put_line(line);
            }
            (Screen::Compare, Way::Up | Way::Down) => {
                let rows = self.screens.compare.rows();
                let row = moved(self.screens.compare.row, rows, way, step, self.page);
                self.put_difference(row);
            }
            (Screen::Compare | Screen::Explore, _) => {}
        }
    }

    /// Goes to Explore, to the place the screen is about.
    fn enter_on_screen(&mut self) {
        let pane = match self.screens.now {
            Screen::Explore => return,
            Screen::Reach => {
                self.choose_obstacle();
                Pane::Groups
            }
            Screen::Construct | Screen::Compare | Screen::Dmesg => Pane::Groups,
        };
        self.show_screen(Screen::Explore);
        let selection = self.selection;
        self.focus_on(pane);
        self.selection = selection;
        self.clamp();
        let at = format!("CPU {} at {}", self.selection.cpu, self.level_label(self.selection.level));
        self.say(Tone::Done, at);
    }

    /// A click on a screen's own places; whether it was one.
    pub(super) fn click_screen(&mut self, target: Target) -> bool {
        match (target, self.screens.now) {
            (Target::Screen(screen), _) => self.show_screen(screen),
            (_, Screen::Explore) => return false,
            (Target::Line(row), Screen::Dmesg) => self.put_line(row),
            (Target::Line(row), Screen::Construct) => self.screens.construct.put(row),
            (Target::Line(row), Screen::Compare) => self.put_difference(row),
            (Target::Cell(..), Screen::Reach) => self.put(target),
            _ => {}
        }
        true
    }

    /// The wheel on a screen; whether it was one other than Explore.
    pub(super) fn wheel_screen(&mut self, target: Target, rows: i32) -> bool {
        if self.screens.now == Screen::Explore || matches!(target, Target::Screen(_)) {
            return self.screens.now != Screen::Explore;
        }
        let way = if rows < 0 { Way::Up } else { Way::Down };
        for _ in 0..rows.unsigned_abs() {
            self.go_on_screen(way, Step::One);
        }
        true
    }
}
