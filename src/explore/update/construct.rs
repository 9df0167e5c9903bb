//! The Construct screen: stepping through a trace.

use super::focus;
use crate::explore::derived::trace_view::TraceView;
use crate::explore::state::construct::{Construct, TracePlace};
use crate::explore::state::model::{Model, Tone};
use crate::explore::vocabulary::pane::Screen;

/// The Construct screen, shown, with its trace.
pub(super) fn on_screen(model: &mut Model) -> &mut Construct {
    focus::show_screen(model, Screen::Construct);
    settle(model);
    &mut model.screens.construct
}

/// Changes the pace and says what it is now.
pub(super) fn set_pace(model: &mut Model, change: impl FnOnce(&mut Construct)) {
    change(on_screen(model));
    let pace = model.screens.construct.pace().as_secs_f32();
    model.report(Tone::Done, format!("playing takes {pace} s a step"));
}

/// Traces what is chosen. Another release or an edit keeps the step: the same one under the other rule; another
/// place starts anew.
pub(super) fn settle(model: &mut Model) {
    let (built, selection) = (&model.built, model.selection);
    let construct = &mut model.screens.construct;
    let place = TracePlace::new(construct.subject, selection.cpu, selection.level);
    let is_new = construct.built != Some(built.generation);
    if !is_new && construct.place == Some(place) {
        return;
    }
    let told = construct.trace.take().and_then(|trace| trace.key(construct.at));
    construct.trace = TraceView::new(construct.subject, built, selection.cpu, selection.level);
    // A level keeps its name from build to build, not its index.
    let stays = construct
        .place
        .is_some_and(|before| before == place || is_new && TracePlace { level: place.level, ..before } == place);
    if stays {
        let same = told.zip(construct.trace.as_ref()).and_then(|(key, trace)| trace.find(&key));
        construct.at = same.unwrap_or(construct.at);
    } else {
        (construct.at, construct.playing) = (0, false);
    }
    (construct.built, construct.place) = (Some(built.generation), Some(place));
    construct.put(construct.at);
}
