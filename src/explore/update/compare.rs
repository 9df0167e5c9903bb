//! The Compare screen: what is compared with, and the chosen difference.

use super::{focus, selection};
use crate::explore::state::compare::{Against, CompareRequest};
use crate::explore::state::model::{Model, Tone};
use crate::explore::vocabulary::effect::{Effect, Job};
use crate::explore::vocabulary::pane::Screen;
use std::sync::Arc;

/// Compares with the machine before its edits.
pub(super) fn with_edits(model: &mut Model) {
    focus::show_screen(model, Screen::Compare);
    model.screens.compare.other = Some(Against::Opened);
    if !model.doc.is_unsaved() {
        model.report(Tone::Done, "no edits so far: what follows is shown as it comes");
    }
}

/// Asks for the comparison that is missing.
pub(super) fn settle(model: &mut Model) -> Vec<Effect> {
    let request = CompareRequest {
        built: Arc::clone(&model.built),
        against: model.against(),
        opened: Arc::clone(model.doc.saved()),
    };
    let state = &mut model.screens.compare;
    if state.asked.as_ref().is_some_and(|asked| asked.is(&request)) {
        return Vec::new();
    }
    // Of something else nothing old is shown, nor a row of it chosen.
    if state.asked.as_ref().is_some_and(|asked| asked.against != request.against) {
        (state.compared, state.row) = (None, 0);
    }
    state.error = None;
    state.asked = Some(request.clone());
    vec![Job::Compare(request).into()]
}

/// Chooses a difference, and with it the CPU and level it is about.
pub(super) fn put_difference(model: &mut Model, row: usize) {
    let state = &mut model.screens.compare;
    state.row = row.min(state.rows().saturating_sub(1));
    let Some(difference) = state.chosen() else { return };
    let shown_is_left = state.compared.as_ref().is_some_and(|compared| compared.shown_is_left);
    let level = if shown_is_left { difference.left } else { difference.right };
    let cpu = difference.cpus.first();
    if let Some(level) = level {
        model.selection.level = level;
    }
    if let Some(cpu) = cpu {
        model.selection.cpu = cpu;
    }
    selection::clamp(model);
    selection::link_cpu(model);
}
