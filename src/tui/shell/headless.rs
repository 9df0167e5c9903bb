//! An explorer without a terminal: keys in, a drawn screen out. Pictures and tests are made with it.

use super::{disk, events, jobs, terminal};
use crate::explore::derived::build_view::BuildView;
use crate::explore::state::model::Model;
use crate::explore::state::start::Start;
use crate::explore::update::{self, update};
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::effect::{Disk, Effect, Job, Session, Terminal};
use crate::explore::vocabulary::key::Key;
use crate::tui::picture;
use crate::tui::view::{self, ViewState};
use crossterm::event::Event;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// What of the disk can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskAccess {
    /// All of it.
    Full,
    /// It can be read.
    ReadOnly,
    /// None.
    None,
}

impl DiskAccess {
    fn refuses(self, disk: &Disk) -> bool {
        match disk {
            Disk::Write(_) => self != Self::Full,
            Disk::Load(_) | Disk::Preview(_) | Disk::List | Disk::Reload(_) => self == Self::None,
        }
    }
}

/// The explorer on a screen of its own. Everything happens at once and takes no time.
#[derive(Debug)]
pub struct Headless {
    /// Its state.
    pub model: Model,
    /// What drawing remembers.
    pub view: ViewState,
    /// What was drawn.
    pub screen: Buffer,
    /// What of the disk it sees.
    pub disk: DiskAccess,
    /// Effects that only a terminal could perform.
    pub left: Vec<Effect>,
}

impl Headless {
    /// The explorer as it starts, on a screen of this many columns and rows.
    pub fn new(start: Start, width: u16, height: u16) -> Self {
        let mut model = update::start(start);
        timeless(&mut model.built);
        let screen = Buffer::empty(Rect::new(0, 0, width, height));
        let mut headless = Self { model, view: ViewState::default(), screen, disk: DiskAccess::Full, left: Vec::new() };
        headless.draw();
        headless
    }

    /// Presses keys, written as in a configuration and separated by blanks.
    ///
    /// # Errors
    /// The first word that names no key; those before it were pressed.
    pub fn press(&mut self, keys: &str) -> Result<(), String> {
        for word in keys.split_whitespace() {
            let key = Key::parse(word).ok_or_else(|| word.to_owned())?;
            self.happen(events::event_of(key));
        }
        Ok(())
    }

    /// Lets something happen as if to a terminal.
    pub fn happen(&mut self, event: Event) {
        if let Some(action) = events::action_of(&self.model, &self.view, event) {
            self.act(action);
        }
        self.draw();
    }

    /// Lets an action happen, with all that follows from it.
    pub fn act(&mut self, action: Action) {
        let mut actions = VecDeque::from([action]);
        while let Some(action) = actions.pop_front() {
            for effect in update(&mut self.model, action) {
                actions.extend(self.perform(effect));
            }
        }
    }

    /// Does what an effect asks for, where that needs no terminal.
    pub fn perform(&mut self, effect: Effect) -> Option<Action> {
        match effect {
            Effect::Job(job) => Some(perform_job(job)),
            Effect::Disk(disk) if self.disk.refuses(&disk) => Some(Action::Failed("no disk".to_owned())),
            Effect::Disk(disk) => {
                let done = terminal::shielded(|| disk::perform(disk, &self.model));
                Some(done.unwrap_or_else(Action::Failed))
            }
            Effect::Terminal(Terminal::PaneText) => {
                Some(Action::PaneText(view::pane_text(&self.model, self.model.focus)))
            }
            Effect::Session(Session::FindEdits) => None,
            effect @ (Effect::Terminal(_) | Effect::Session(_) | Effect::Quit) => {
                self.left.push(effect);
                None
            }
        }
    }

    /// Draws a frame.
    pub fn draw(&mut self) {
        self.screen.reset();
        view::render(&self.model, &mut self.view, self.screen.area, &mut self.screen);
        let drawn = self.view.drawn();
        self.act(Action::Drawn(drawn));
    }

    /// The screen as text, without blanks at line ends.
    pub fn text(&self) -> String {
        view::text_of(&self.screen)
    }

    /// The screen as an SVG picture.
    pub fn svg(&self) -> String {
        picture::svg(&self.screen)
    }
}

fn perform_job(job: Job) -> Action {
    let mut action = jobs::perform(job);
    if let Action::Built(built) = &mut action {
        timeless(built);
    }
    action
}

/// Times differ from run to run, and what is drawn here must not.
fn timeless(built: &mut Arc<BuildView>) {
    if let Some(built) = Arc::get_mut(built) {
        built.took = Duration::ZERO;
    }
}
