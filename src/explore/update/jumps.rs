//! Which moves are jumps, and going back to where the selection was before one.

use super::{focus, selection};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::{Overlay, PromptKind};
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::command::Command;

/// A direction in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JumpDirection {
    /// To where one was before.
    Back,
    /// To where one was before going back.
    Forward,
}

/// Whether what a person does may go far: steps of one row are no jumps.
pub(super) fn is_jump(model: &Model, action: &Action) -> bool {
    use Command as C;
    let Action::Do(command) = action else { return false };
    match &model.overlay {
        Overlay::None => match command {
            C::GoOn | C::EndNumber => model.entry.is_none(),
            C::PageUp
            | C::PageDown
            | C::FirstRow
            | C::LastRow
            | C::FirstColumn
            | C::LastColumn
            | C::Focus(_)
            | C::NextPane
            | C::PreviousPane
            | C::NextMatch
            | C::PreviousMatch => true,
            _ => false,
        },
        Overlay::Prompt(prompt) => *command == C::Accept && prompt.kind == PromptKind::Search,
        _ => false,
    }
}

/// Does `work`; if it is a jump and went somewhere, remembers where it started.
pub(super) fn jumping<T>(model: &mut Model, is_jump: bool, work: impl FnOnce(&mut Model) -> T) -> T {
    let before = model.jump_place();
    let done = work(model);
    if is_jump && model.jump_place() != before {
        model.jumps.leave(before);
    }
    done
}

/// Goes one jump back or forward.
pub(super) fn jump(model: &mut Model, direction: JumpDirection) {
    let here = model.jump_place();
    let (from, to) = match direction {
        JumpDirection::Back => (&mut model.jumps.back, &mut model.jumps.forward),
        JumpDirection::Forward => (&mut model.jumps.forward, &mut model.jumps.back),
    };
    let Some((selection, pane)) = from.pop() else {
        let text = if direction == JumpDirection::Back { "no jump before this" } else { "no jump after this" };
        return model.report(Tone::Trouble, text);
    };
    to.push(here);
    if pane != model.focus {
        focus::focus_on(model, pane);
    }
    model.selection = selection;
    // The machine may have become smaller since.
    selection::clamp(model);
}
