//! Saving, opening, what is asked before something is lost, and edits that were left behind.

use super::action::{Answer, Command, Effect, Over, Pane};
use super::jumps::Jumps;
use super::model::{Model, Overlay, PromptKind, Question, Search, Tone, Waiting};
use super::picker::Source;
use crate::topology::Topology;
use crate::topology::edit::Edit;
use std::path::PathBuf;
use std::sync::Arc;

impl Model {
    /// Saves where the topology came from, or asks where.
    pub(super) fn save(&mut self) -> Vec<Effect> {
        if let Some(path) = self.doc.path.clone() {
            return vec![Effect::Save(Arc::clone(self.doc.topology()), path, Over::Own)];
        }
        let name = self.suggested_name();
        self.ask(PromptKind::SaveAs, name);
        Vec::new()
    }

    pub(super) fn suggested_name(&self) -> String {
        format!("{}.toml", self.file_stem())
    }

    /// The machine's name as part of a file's.
    pub(super) fn file_stem(&self) -> String {
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = self.doc.topology().name.chars().map(safe).take(60).collect();
        let name = name.trim_matches(['-', '.']);
        if name.is_empty() { "topology".to_owned() } else { name.to_owned() }
    }

    /// Goes for something that would lose unsaved edits: asks first.
    pub(super) fn leave_for(&mut self, waiting: Waiting) -> Vec<Effect> {
        if self.doc.is_unsaved() {
            self.overlay = Overlay::Question(Question::Unsaved(waiting));
            return Vec::new();
        }
        proceed(waiting)
    }

    pub(super) fn answer(&mut self, answer: Answer) -> Vec<Effect> {
        let Overlay::Question(question) = std::mem::take(&mut self.overlay) else { return Vec::new() };
        match (question, answer) {
            (Question::Recover(path, topology), Answer::Discard) => self.recover(path, &topology),
            (Question::Recover(path, _), Answer::Forget) => vec![Effect::Forget(path)],
            (Question::Recover(..), Answer::Stay | Answer::Save) => {
                self.say(Tone::Done, "the edits stay where they are, and are offered again");
                Vec::new()
            }
            (Question::Reload(path), Answer::Discard) => vec![Effect::Reload(path)],
            (question, Answer::Forget) => {
                self.overlay = Overlay::Question(question);
                Vec::new()
            }
            (Question::Reload(_), Answer::Save) => self.save(),
            (_, Answer::Stay) => {
                self.after_save = None;
                Vec::new()
            }
            (Question::Unsaved(waiting), Answer::Discard) => proceed(waiting),
            (Question::Unsaved(waiting), Answer::Save) => {
                self.after_save = Some(waiting);
                self.save()
            }
            (Question::Overwrite(path, text), Answer::Discard | Answer::Save) => {
                vec![Effect::Export(text, path, Over::Replace)]
            }
            (Question::Replace(path), Answer::Discard | Answer::Save) => {
                vec![Effect::Save(Arc::clone(self.doc.topology()), path, Over::Replace)]
            }
        }
    }

    pub(super) fn open_loaded(
        &mut self,
        topology: Arc<Topology>,
        path: Option<PathBuf>,
        source: Source,
    ) -> Vec<Effect> {
        self.was_opened(source.clone());
        self.source = Some(source);
        self.jumps = Jumps::default();
        self.doc = super::document::Document::new(topology, path);
        self.entry = None;
        self.search = Search::default();
        self.selection = super::model::Selection::default();
        self.listing.only = None;
        self.listing.unfolded = crate::cpumask::CpuMask::new();
        self.clamp();
        self.furthest_pair();
        self.focus_on(Pane::Distances);
        self.lesson_opened();
        let mut effects = self.rebuild();
        effects.push(Effect::FindEdits);
        effects.push(Effect::Remember(self.memory()));
        effects
    }

    /// Goes on with edits that another session left behind.
    pub(super) fn recover(&mut self, path: PathBuf, topology: &Topology) -> Vec<Effect> {
        if let Err(why) = self.doc.edit(&Edit::Replace(Box::new(topology.clone()))) {
            self.say(Tone::Trouble, format!("these edits make no machine: {why}"));
            return Vec::new();
        }
        let save = self.keys.key_of(Command::Save);
        self.say(Tone::Done, format!("recovered; {save} saves, {}", self.way_back()));
        self.clamp();
        let mut effects = self.rebuild();
        effects.push(Effect::Adopt(path));
        effects
    }

    /// The open file is another one on disk: read it, but never over unsaved edits.
    pub(super) fn file_changed(&mut self, path: PathBuf) -> Vec<Effect> {
        if !self.doc.is_unsaved() && self.entry.is_none() {
            return vec![Effect::Reload(path)];
        }
        let open = self.keys.key_of(Command::Open);
        let text = format!("{} changed on disk; {open} opens it again", super::outside::visible_path(&path));
        match self.overlay {
            Overlay::None => self.overlay = Overlay::Question(Question::Reload(path)),
            _ => self.say(Tone::Trouble, text),
        }
        Vec::new()
    }

    pub(super) fn reloaded(&mut self, topology: &Topology) -> Vec<Effect> {
        self.entry = None;
        match self.doc.reload(topology) {
            Ok(true) => {
                self.say(Tone::Done, format!("the file changed and was read again; {}", self.way_back()));
                self.clamp();
                self.rebuild()
            }
            Ok(false) => Vec::new(),
            Err(why) => {
                self.say(Tone::Trouble, format!("the changed file makes no machine: {why}"));
                Vec::new()
            }
        }
    }

    pub(super) fn listed(&mut self, files: Vec<PathBuf>) {
        self.files = files;
        self.fill_sources();
    }
}

/// Does what was waiting for an answer or a save.
pub(super) fn proceed(waiting: Waiting) -> Vec<Effect> {
    match waiting {
        Waiting::Quit => vec![Effect::Quit],
        Waiting::Open(source) => vec![Effect::Load(source)],
    }
}
