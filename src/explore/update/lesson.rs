//! The lesson: on, back, and its questions.

use super::{builds, files, lesson_arrival};
use crate::explore::state::lesson::{LessonStep, steps};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::options::Welcome;
use crate::explore::state::overlay::Waiting;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::effect::{Effect, Session};
use crate::explore::vocabulary::source::Source;

/// Greets the person as asked for.
pub fn welcome(model: &mut Model) -> Vec<Effect> {
    match model.options.welcome {
        Welcome::Silent => Vec::new(),
        Welcome::Hint => {
            let (steps, at) = (steps().len(), model.screens.lesson.at);
            let [lesson, help] = [Command::Lesson, Command::Help].map(|command| model.keys.key_of(command));
            let text = if at == 0 {
                format!("new to scheduler domains? {lesson} is a lesson of {steps} short steps; {help} has every key")
            } else {
                format!("{lesson} goes on with the lesson at step {} of {steps}; {help} has every key", at + 1)
            };
            model.report(Tone::Done, text);
            Vec::new()
        }
        Welcome::Lesson => toggle(model),
    }
}

/// Goes to the machine, kernel and place of the step.
fn enter_step(model: &mut Model) -> Vec<Effect> {
    let Some(step) = model.screens.lesson.step() else { return Vec::new() };
    let mut effects = vec![Session::Remember(model.memory()).into()];
    effects.extend(go_for_step(model, step));
    effects
}

fn go_for_step(model: &mut Model, step: &LessonStep) -> Vec<Effect> {
    model.screens.lesson.going = true;
    if model.doc.topology().name != step.preset || model.doc.path.is_some() || model.doc.is_unsaved() {
        return files::leave_for(model, Waiting::Open(Source::Preset(step.preset.clone())));
    }
    lesson_arrival::opened(model);
    if model.built.build.release.name == model.release.name && !model.is_rebuilding() {
        lesson_arrival::built(model);
        return Vec::new();
    }
    builds::rebuild(model)
}

/// Opens the lesson where it was left, or leaves it.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    let lesson = &mut model.screens.lesson;
    lesson.open = !lesson.open;
    if lesson.open {
        return enter_step(model);
    }
    let key = model.keys.key_of(Command::Lesson);
    model.report(Tone::Done, format!("the lesson waits here: {key} goes on with it"));
    Vec::new()
}

/// On: by the lines that have no room, by the answer not given, by a step.
pub(super) fn next_step(model: &mut Model) -> Vec<Effect> {
    let lesson = &mut model.screens.lesson;
    if lesson.seen.below > 0 {
        lesson.first = lesson.seen.first + lesson.seen.shown;
        lesson.seen.below = 0;
        return Vec::new();
    }
    // Going on without an answer shows it first.
    if lesson.asks() {
        lesson.give(u8::MAX);
        return Vec::new();
    }
    if lesson.at + 1 < steps().len() {
        lesson.go(lesson.at + 1);
        return enter_step(model);
    }
    lesson.open = false;
    lesson.go(0);
    model.report(Tone::Done, "that was the lesson; everything stays as it is, to try things out");
    vec![Session::Remember(model.memory()).into()]
}

/// Back: by the lines that were there before, or by a step.
pub(super) fn previous_step(model: &mut Model) -> Vec<Effect> {
    let lesson = &mut model.screens.lesson;
    if lesson.seen.first > 0 {
        lesson.first = lesson.seen.first.saturating_sub(lesson.seen.shown);
        lesson.seen.first = 0;
        return Vec::new();
    }
    lesson.go(lesson.at.saturating_sub(1));
    enter_step(model)
}

/// Answers the step's question, from 0.
pub(super) fn choose(model: &mut Model, choice: u8) {
    let lesson = &mut model.screens.lesson;
    let choices = lesson.step().and_then(|step| step.question.as_ref()).map_or(0, |ask| ask.choices.len());
    if usize::from(choice) < choices {
        lesson.give(choice);
    } else {
        model.report(Tone::Trouble, format!("there are {choices} answers"));
    }
}
