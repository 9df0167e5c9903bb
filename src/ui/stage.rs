//! An explorer without a terminal: keys in, a drawn screen out. Pictures and tests are made with it.

use super::action::{Action, Effect};
use super::keys::Key;
use super::model::{Model, Start};
use super::view::{self, ViewState};
use super::{input, outside, picture, terminal, update};
use crossterm::event::Event;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// What of the disk there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// All of it.
    There,
    /// It can be read.
    ReadOnly,
    /// None.
    Absent,
}

impl Disk {
    fn refuses(self, effect: &Effect) -> bool {
        match effect {
            Effect::Save(..) | Effect::Export(..) => self != Self::There,
            Effect::Load(_) | Effect::Peek(_) | Effect::List => self == Self::Absent,
            _ => false,
        }
    }
}

/// The explorer on a screen of its own. Everything happens at once and takes no time.
#[derive(Debug)]
pub struct Stage {
    /// Its state.
    pub model: Model,
    /// What drawing remembers.
    pub view: ViewState,
    /// What was drawn.
    pub screen: Buffer,
    /// What of the disk it sees.
    pub disk: Disk,
    /// Effects that only a terminal could perform.
    pub left: Vec<Effect>,
}

impl Stage {
    /// The explorer as it starts, on a screen of this many columns and rows.
    pub fn new(start: Start, width: u16, height: u16) -> Self {
        let mut model = Model::new(start);
        timeless(&mut model.built);
        let screen = Buffer::empty(Rect::new(0, 0, width, height));
        let mut stage = Self { model, view: ViewState::default(), screen, disk: Disk::There, left: Vec::new() };
        stage.draw();
        stage
    }

    /// Presses keys, written as in a configuration and separated by blanks.
    ///
    /// # Errors
    /// The first word that names no key; those before it were pressed.
    pub fn press(&mut self, keys: &str) -> Result<(), String> {
        for word in keys.split_whitespace() {
            let key = Key::parse(word).ok_or_else(|| word.to_owned())?;
            self.happen(Event::Key(key.event()));
        }
        Ok(())
    }

    /// Lets something happen to the terminal there is not.
    pub fn happen(&mut self, event: Event) {
        if let Some(action) = input::action_of(&self.model, &self.view, event) {
            self.act(action);
        }
        self.draw();
    }

    /// Lets an action happen, with all that follows from it.
    pub fn act(&mut self, action: Action) {
        let mut actions = VecDeque::from([action]);
        while let Some(action) = actions.pop_front() {
            for effect in update::update(&mut self.model, action) {
                actions.extend(self.perform(effect));
            }
        }
    }

    /// Does what an effect asks for, where that needs no terminal.
    pub fn perform(&mut self, effect: Effect) -> Option<Action> {
        if self.disk.refuses(&effect) {
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
            timeless(built);
        }
        Some(action)
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

/// Times differ from run to run, and what is drawn here must not.
fn timeless(built: &mut Arc<super::facts::Built>) {
    if let Some(built) = Arc::get_mut(built) {
        built.took = Duration::ZERO;
    }
}
