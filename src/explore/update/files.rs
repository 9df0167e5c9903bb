//! Saving, opening, what is asked before something is lost, and edits that were left behind.

use super::{builds, focus, lesson_arrival, prompt, selection};
use crate::cpumask::CpuMask;
use crate::explore::state::counters::LiveCounters;
use crate::explore::state::document::Document;
use crate::explore::state::jumps::Jumps;
use crate::explore::state::memory::{MOST_OPENED, Memory};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::modes::Zoom;
use crate::explore::state::overlay::{Overlay, PromptKind, Question, Waiting};
use crate::explore::state::selection::{Search, Selection};
use crate::explore::text;
use crate::explore::vocabulary::command::{Answer, Command};
use crate::explore::vocabulary::effect::{Content, Disk, Effect, Overwrite, Session, WriteRequest};
use crate::explore::vocabulary::pane::{Pane, Screen};
use crate::explore::vocabulary::source::Source;
use crate::topology::Topology;
use crate::topology::edit::Edit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Saves where the topology came from, or asks where.
pub(super) fn save(model: &mut Model) -> Vec<Effect> {
    if let Some(path) = model.doc.path.clone() {
        return vec![write_topology(model, path, Overwrite::Own)];
    }
    let name = suggested_name(model);
    prompt::ask(model, PromptKind::SaveAs, name);
    Vec::new()
}

/// Asks where to save.
pub(super) fn save_as(model: &mut Model) {
    let name = model.doc.path.as_ref().map(|path| path.display().to_string());
    let name = name.unwrap_or_else(|| suggested_name(model));
    prompt::ask(model, PromptKind::SaveAs, name);
}

/// Saves under a name that was typed.
pub(super) fn save_to(model: &mut Model, name: &str) -> Vec<Effect> {
    if name.is_empty() {
        model.after_save = None;
        model.report(Tone::Trouble, "not saved: no name given");
        return Vec::new();
    }
    let path = PathBuf::from(name);
    let overwrite = if model.doc.path.as_ref() == Some(&path) { Overwrite::Own } else { Overwrite::Ask };
    vec![write_topology(model, path, overwrite)]
}

fn write_topology(model: &Model, path: PathBuf, overwrite: Overwrite) -> Effect {
    let content = Content::Topology(Arc::clone(model.doc.topology()));
    Disk::Write(WriteRequest { content, path, overwrite }).into()
}

/// The topology is on disk.
pub(super) fn saved(model: &mut Model, path: PathBuf) -> Vec<Effect> {
    model.report(Tone::Done, format!("saved {}", text::visible_path(&path)));
    model.source = Some(Source::File(path.clone()));
    was_opened(model, Source::File(path.clone()));
    model.doc.mark_saved(path);
    model.after_save.take().map(proceed).into_iter().collect()
}

/// The topology is written in another format: it is saved nowhere yet.
pub(super) fn converted(model: &mut Model, path: &Path, left_out: &[String]) {
    model.after_save = None;
    let lacks =
        if left_out.is_empty() { String::new() } else { format!("; it has no place for {}", left_out.join(", ")) };
    model.report(Tone::Done, format!("wrote {}{lacks}", text::visible_path(path)));
}

/// Asks for the file to write the focused pane or the screen to.
pub(super) fn ask_export(model: &mut Model) {
    let what = match model.screens.now {
        Screen::Explore => model.focus.name(),
        screen => screen.name(),
    };
    let name = format!("{}-{}.txt", model.file_stem(), what.to_lowercase());
    prompt::ask(model, PromptKind::Export, name);
}

/// Writes the pane or screen under a name that was typed.
pub(super) fn export_to(model: &mut Model, name: &str) -> Vec<Effect> {
    if name.is_empty() {
        model.report(Tone::Trouble, "not written: no name given");
        return Vec::new();
    }
    let request = WriteRequest { content: Content::Screen, path: PathBuf::from(name), overwrite: Overwrite::Ask };
    vec![Disk::Write(request).into()]
}

pub(super) fn suggested_name(model: &Model) -> String {
    format!("{}.toml", model.file_stem())
}

pub(super) fn quit(model: &mut Model) -> Vec<Effect> {
    leave_for(model, Waiting::Quit)
}

/// Goes for something that would lose unsaved edits: asks first.
pub(super) fn leave_for(model: &mut Model, waiting: Waiting) -> Vec<Effect> {
    if model.doc.is_unsaved() {
        model.overlay = Overlay::Question(Question::Unsaved(waiting));
        return Vec::new();
    }
    vec![proceed(waiting)]
}

/// Does what was waiting for an answer or a save.
fn proceed(waiting: Waiting) -> Effect {
    match waiting {
        Waiting::Quit => Effect::Quit,
        Waiting::Open(source) => Disk::Load(source).into(),
    }
}

/// Answers the question on screen; an answer it does not take changes nothing.
pub(super) fn answer(model: &mut Model, answer: Answer) -> Vec<Effect> {
    let question = match std::mem::take(&mut model.overlay) {
        Overlay::Question(question) if question.answers().iter().any(|&(taken, _)| taken == answer) => question,
        other => {
            if let Overlay::Question(question) = &other {
                let keys = question.answers().iter().map(|&(taken, _)| model.keys.key_of(Command::Answer(taken)));
                let keys: Vec<String> = keys.collect();
                model.report(Tone::Trouble, format!("no such answer here: {} answer", keys.join(", ")));
            }
            model.overlay = other;
            return Vec::new();
        }
    };
    match (question, answer) {
        (Question::Recover(path, topology), Answer::Yes) => recover(model, path, &topology),
        (Question::Recover(path, _), Answer::Delete) => vec![Session::Forget(path).into()],
        (Question::Recover(..), Answer::No | Answer::Save) => {
            model.report(Tone::Done, "the edits stay where they are, and are offered again");
            Vec::new()
        }
        (Question::Reload(path), Answer::Yes) => vec![Disk::Reload(path).into()],
        (Question::Reload(_), Answer::Save) => save(model),
        (Question::Unsaved(waiting), Answer::Yes) => vec![proceed(waiting)],
        (Question::Unsaved(waiting), Answer::Save) => {
            model.after_save = Some(waiting);
            save(model)
        }
        (Question::Replace(request), Answer::Yes) => {
            vec![Disk::Write(WriteRequest { overwrite: Overwrite::Replace, ..request }).into()]
        }
        (Question::Reload(_) | Question::Unsaved(_) | Question::Replace(_), _) => {
            model.after_save = None;
            Vec::new()
        }
    }
}

/// A topology was read: it is what is shown from now on.
pub(super) fn open_loaded(
    model: &mut Model,
    topology: Arc<Topology>,
    path: Option<PathBuf>,
    source: Source,
) -> Vec<Effect> {
    was_opened(model, source.clone());
    model.source = Some(source);
    model.counters = LiveCounters::default();
    model.jumps = Jumps::default();
    model.doc = Document::new(topology, path);
    model.entry = None;
    model.search = Search::default();
    model.selection = Selection::default();
    model.listing.only = None;
    model.listing.unfolded = CpuMask::new();
    selection::clamp(model);
    selection::furthest_pair(model);
    focus::focus_on(model, Pane::Distances);
    lesson_arrival::opened(model);
    let mut effects = builds::rebuild(model);
    effects.push(Session::FindEdits.into());
    effects.push(Session::Remember(model.memory()).into());
    effects
}

/// Goes on with edits that another session left behind.
pub(super) fn recover(model: &mut Model, path: PathBuf, topology: &Topology) -> Vec<Effect> {
    if let Err(why) = model.doc.edit(&Edit::Replace(Box::new(topology.clone()))) {
        model.report(Tone::Trouble, format!("these edits make no machine: {why}"));
        return Vec::new();
    }
    let save = model.keys.key_of(Command::Save);
    model.report(Tone::Done, format!("recovered; {save} saves, {}", model.way_back()));
    selection::clamp(model);
    let mut effects = builds::rebuild(model);
    effects.push(Session::Adopt(path).into());
    effects
}

/// The open file is another one on disk: read it, but never over unsaved edits.
pub(super) fn file_changed(model: &mut Model, path: PathBuf) -> Vec<Effect> {
    if !model.doc.is_unsaved() && model.entry.is_none() {
        return vec![Disk::Reload(path).into()];
    }
    let open = model.keys.key_of(Command::Open);
    let text = format!("{} changed on disk; {open} opens it again", text::visible_path(&path));
    match model.overlay {
        Overlay::None => model.overlay = Overlay::Question(Question::Reload(path)),
        _ => model.report(Tone::Trouble, text),
    }
    Vec::new()
}

pub(super) fn reloaded(model: &mut Model, topology: &Topology) -> Vec<Effect> {
    model.entry = None;
    match model.doc.reload(topology) {
        Ok(true) => {
            model.report(Tone::Done, format!("the file changed and was read again; {}", model.way_back()));
            selection::clamp(model);
            builds::rebuild(model)
        }
        Ok(false) => Vec::new(),
        Err(why) => {
            model.report(Tone::Trouble, format!("the changed file makes no machine: {why}"));
            Vec::new()
        }
    }
}

/// Puts things where they were in the session before.
pub fn recall(model: &mut Model, memory: Memory) {
    model.zoom = if memory.zoomed { Zoom::Whole } else { Zoom::Split };
    for &pane in memory.panes.iter().rev() {
        focus::focus_on(model, pane);
    }
    if let Some(step) = &memory.lesson {
        model.screens.lesson.resume(step);
    }
    model.borders = memory.borders;
    let now = std::mem::replace(&mut model.opened, memory.recent);
    for source in now {
        was_opened(model, source);
    }
}

/// Remembers that something was opened.
fn was_opened(model: &mut Model, source: Source) {
    model.opened.retain(|other| *other != source);
    model.opened.insert(0, source);
    model.opened.truncate(MOST_OPENED);
}
