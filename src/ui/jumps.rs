//! Where the selection was before it jumped, and the way there and back.

use super::action::{Action, Command, Pane, Step};
use super::model::{Model, Overlay, PromptKind, Selection, Tone};

/// Jumps remembered; older ones are forgotten.
const MOST: usize = 200;

/// A selection, and the pane it was made in.
type Place = (Selection, Pane);

/// The places on the way back, and those on the way forward again; nearest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Jumps {
    back: Vec<Place>,
    forward: Vec<Place>,
}

/// A direction in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To where one was before.
    Back,
    /// To where one was before going back.
    Forward,
}

impl Jumps {
    fn leave(&mut self, place: Place) {
        self.forward.clear();
        if self.back.last() != Some(&place) {
            self.back.push(place);
        }
        if self.back.len() > MOST {
            self.back.remove(0);
        }
    }
}

/// Whether what a person does may go far: steps of one row are no jumps.
pub(super) fn is_jump(model: &Model, action: &Action) -> bool {
    let Action::Do(command) = action else { return false };
    match &model.overlay {
        Overlay::None => match command {
            Command::Move(_, step) => *step != Step::One,
            Command::Enter => model.entry.is_none(),
            Command::Focus(_)
            | Command::NextPane
            | Command::PreviousPane
            | Command::NextMatch
            | Command::PreviousMatch => true,
            _ => false,
        },
        Overlay::Prompt(prompt) => *command == Command::Enter && prompt.kind == PromptKind::Search,
        _ => false,
    }
}

impl Model {
    fn place(&self) -> Place {
        // While a search is typed the selection follows it already.
        match &self.overlay {
            Overlay::Prompt(prompt) if prompt.kind == PromptKind::Search => (prompt.before, self.focus),
            _ => (self.selection, self.focus),
        }
    }

    /// Does `work`; if it is a jump and went somewhere, remembers where it started.
    pub(super) fn jumping<T>(&mut self, is_jump: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.place();
        let done = work(self);
        if is_jump && self.place() != before {
            self.jumps.leave(before);
        }
        done
    }

    /// Goes one jump back or forward.
    pub(super) fn jump(&mut self, direction: Direction) {
        let here = self.place();
        let (from, to) = match direction {
            Direction::Back => (&mut self.jumps.back, &mut self.jumps.forward),
            Direction::Forward => (&mut self.jumps.forward, &mut self.jumps.back),
        };
        let Some((selection, pane)) = from.pop() else {
            let text = if direction == Direction::Back { "no jump before this" } else { "no jump after this" };
            return self.say(Tone::Trouble, text);
        };
        to.push(here);
        if pane != self.focus {
            self.focus_on(pane);
        }
        self.selection = selection;
        // The machine may have become smaller since.
        self.clamp();
    }
}
