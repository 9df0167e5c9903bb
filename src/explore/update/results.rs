//! What comes back from outside.

use super::{balance, builds, copy, counters, dmesg, files, lesson_arrival, listing, lists, search, selection};
use crate::explore::derived::build_view::BuildView;
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::{Overlay, Question};
use crate::explore::text;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::effect::Effect;
use crate::explore::vocabulary::pane::{Pane, Screen};

/// Takes what comes back from outside.
pub(super) fn take(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        // An older result than the one asked for last is still newer than the one shown: while keys are held the view
        // follows, and `is_rebuilding` says that it is behind. What is older than the view is dropped.
        Action::Built(built) if built.generation > model.built.generation => {
            show(model, built);
            return builds::examine(model);
        }
        Action::BuildFailed(generation, why) if generation == model.wanted => {
            model.report(Tone::Trouble, format!("this build failed, the last good one stays: {why}"));
        }
        Action::Examined(generation) if generation == model.built.generation => search::refresh(model),
        Action::Saved(path) => return files::saved(model, path),
        Action::Tick => tick(model),
        Action::Exported(path) => model.report(Tone::Done, format!("wrote {}", text::visible_path(&path))),
        Action::Converted(path, left_out) => files::converted(model, &path, &left_out),
        Action::FileExists(request) => model.overlay = Overlay::Question(Question::Replace(request)),
        Action::PaneText(text) => return copy::copy_text(model, &text),
        Action::Repaired(progress, found) => super::repair::found(model, &progress, found),
        Action::Compared(request, compared) => model.screens.compare.arrived(&request, compared),
        Action::Simulated(scenario, Ok(parts)) => balance::simulated(model, &scenario, parts),
        Action::Simulated(_, Err(why)) => balance::failed(model, &why),
        Action::Sampled(sample) => return counters::sampled(model, sample),
        Action::Counted(view) => counters::counted(model, view),
        Action::Loaded(topology, path, source) => return files::open_loaded(model, topology, path, source),
        Action::Listed(files) => {
            model.files = files;
            lists::fill_sources(model);
        }
        Action::Previewed(source, preview) => {
            if let Overlay::Picker(picker) = &mut model.overlay {
                picker.preview = Some((source, preview));
            }
        }
        Action::Recoverable(path, topology) if matches!(model.overlay, Overlay::None) => {
            model.overlay = Overlay::Question(Question::Recover(path, topology));
        }
        Action::Changed(path) => return files::file_changed(model, path),
        Action::Reloaded(topology) => return files::reloaded(model, &topology),
        Action::NotKept(why) => model.report(Tone::Trouble, why),
        Action::Failed(why) => {
            model.after_save = None;
            model.report(Tone::Trouble, why);
        }
        // Older than what is shown, or what a person does: not for here.
        _ => {}
    }
    Vec::new()
}

/// Something plays or goes on, and its time has come.
fn tick(model: &mut Model) {
    if model.log_searched().is_some() {
        dmesg::search_on(model);
    }
    if model.plays() && matches!(model.overlay, Overlay::None) {
        match model.screens.now {
            Screen::Balance => balance::play_on(model),
            _ => model.screens.construct.play_on(),
        }
    }
}

/// A new build is there: the selection stays on the same things where they still exist.
pub(super) fn show(model: &mut Model, built: std::sync::Arc<BuildView>) {
    let label = model.built.labels.get(model.selection.level).cloned();
    let group = model.selection.group;
    model.built = built;
    listing::list_cpus(model);
    if let Some(level) = model.built.labels.iter().position(|other| Some(other) == label.as_ref()) {
        model.selection.level = level;
    }
    selection::clamp(model);
    if model.focus == Pane::Distances {
        selection::link_pair(model);
    }
    model.selection.group = group;
    selection::clamp(model);
    selection::link_group(model);
    search::refresh(model);
    lesson_arrival::built(model);
}
