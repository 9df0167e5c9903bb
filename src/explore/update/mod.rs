//! What each action does to the state. Pure: the same actions give the same state, and what has to happen outside
//! comes back as effects.
//!
//! Free functions, a file for each feature; lower ones know nothing of higher ones. [`update`] hands what a person does to
//! `dispatch`, `typing` and `pointer`, and what comes back from outside to `results`.

mod balance;
pub mod builds;
mod bulk_edit;
mod compare;
mod construct;
mod copy;
mod counters;
mod dispatch;
mod dmesg;
mod editing;
pub mod files;
mod focus;
mod graph_moves;
mod jumps;
mod layout;
pub mod lesson;
mod lesson_arrival;
mod listing;
mod lists;
mod navigate;
mod paste;
mod pointer;
mod prompt;
mod reach;
mod repair;
mod results;
mod screens;
mod search;
mod selection;
mod typing;

use super::state::model::Model;
use super::state::overlay::Overlay;
use super::state::start::Start;
use super::vocabulary::action::{Action, InputRequest};
use super::vocabulary::effect::Effect;

/// The explorer at its start: with the first build, and the pair of nodes furthest apart chosen.
pub fn start(start: Start) -> Model {
    let mut model = Model::new(start);
    selection::start(&mut model);
    model
}

/// Lets `action` happen.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let mut effects = apply(model, action);
    while let Some(command) = model.chosen_command.take() {
        effects.extend(apply(model, Action::Do(command)));
    }
    effects.extend(screens::settle(model));
    effects
}

fn apply(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Do(_) | Action::NoCommand(_) | Action::Type(_) | Action::Line(_) | Action::Paste(_) => {
            model.notice = None;
            let is_jump = jumps::is_jump(model, &action);
            jumps::jumping(model, is_jump, |model| by_key(model, action))
        }
        Action::Click(target) => jumps::jumping(model, true, |model| pointer::click(model, target)),
        Action::Wheel(target, rows) => pointer::wheel(model, target, rows),
        Action::Drawn(drawn) => {
            model.page = usize::from(drawn.page / 2).max(1);
            model.drawn = drawn;
            if let Some(seen) = drawn.lesson {
                model.screens.lesson.seen(seen);
            }
            Vec::new()
        }
        Action::Pull(border, at) => {
            layout::pull(model, border, at);
            Vec::new()
        }
        Action::LetGo => layout::let_go(model),
        other => results::take(model, other),
    }
}

/// What comes from a person's keys goes to whatever lies on top.
fn by_key(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Do(command) => dispatch::run(model, command),
        Action::NoCommand(key) => {
            dispatch::report_no_command(model, key);
            Vec::new()
        }
        Action::Type(c) => typing::edit(model, &[InputRequest::InsertChar(c)]),
        Action::Line(request) => typing::edit(model, &[request]),
        Action::Paste(text) if matches!(model.overlay, Overlay::None) => paste::paste(model, &text),
        Action::Paste(text) => typing::paste(model, &text),
        _ => Vec::new(),
    }
}
