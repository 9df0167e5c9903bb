//! Arriving at a step of the lesson: its machine is opened, its build is there.

use super::{balance, focus, screens, selection};
use crate::explore::state::compare::Against;
use crate::explore::state::lesson::LessonStep;
use crate::explore::state::model::Model;
use crate::explore::vocabulary::pane::Screen;
use crate::kernel::Release;

/// A machine was opened: if it is the step's, the kernel goes with it.
pub(super) fn opened(model: &mut Model) {
    let lesson = &model.screens.lesson;
    let Some(step) = lesson.step().filter(|_| lesson.open && lesson.going) else { return };
    if model.doc.topology().name == step.preset
        && let Ok(release) = Release::parse(&step.kernel)
    {
        model.release = release;
    }
}

/// A build is there: if it is the step's, the place goes with it.
pub(super) fn built(model: &mut Model) {
    let lesson = &model.screens.lesson;
    let Some(step) = lesson.step().filter(|_| lesson.open && lesson.going) else { return };
    let built = &model.built;
    if built.topology.name == step.preset && built.build.release.name == model.release.name {
        model.screens.lesson.going = false;
        go_to_step(model, step);
    }
}

fn go_to_step(model: &mut Model, step: &LessonStep) {
    focus::show_screen(model, step.screen);
    if let Some(pair) = step.pair {
        (model.selection.from, model.selection.to) = pair;
    }
    if let Some(pane) = step.pane {
        focus::focus_on(model, pane);
    }
    model.selection.cpu = step.cpu;
    model.selection.level = model.built.build.find_level(&step.level).unwrap_or(model.selection.level);
    model.selection.group = 0;
    selection::clamp(model);
    selection::link_group(model);
    if let Some(other) = &step.other {
        model.screens.compare.other = Some(Against::Release(other.clone()));
    }
    if step.screen == Screen::Balance {
        model.screens.balance.beside = step.other.as_deref().and_then(|name| Release::parse(name).ok());
        balance::play_pair(model);
    }
    if let Some(at) = step.at {
        screens::settle(model);
        model.screens.construct.put(at);
    }
}
