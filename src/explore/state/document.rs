//! The machine being edited, where it came from, and the way back.

use crate::topology::edit::Edit;
use crate::topology::history::History;
use crate::topology::{Invalid, Topology};
use std::path::PathBuf;
use std::sync::Arc;

/// A topology with its history of edits.
#[derive(Clone, Debug)]
pub struct Document {
    topology: Arc<Topology>,
    /// The file it is saved to.
    pub path: Option<PathBuf>,
    history: History,
    saved: Arc<Topology>,
}

impl Document {
    /// A document without edits.
    pub fn new(topology: Arc<Topology>, path: Option<PathBuf>) -> Self {
        Self { saved: Arc::clone(&topology), topology, path, history: History::default() }
    }

    /// The machine as it is now.
    pub fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// The machine as it was opened or saved last.
    pub fn saved(&self) -> &Arc<Topology> {
        &self.saved
    }

    /// Whether it differs from what was opened or saved last.
    pub fn is_unsaved(&self) -> bool {
        self.history.is_modified() && *self.saved != *self.topology
    }

    /// What is on disk now is what is here.
    pub fn mark_saved(&mut self, path: PathBuf) {
        self.path = Some(path);
        self.history.mark_saved();
        self.saved = Arc::clone(&self.topology);
    }

    /// The file was read again: what is there now is what is here. The way back leads to what was here before.
    ///
    /// # Errors
    /// As [`Document::edit`].
    pub fn reload(&mut self, topology: &Topology) -> Result<bool, Invalid> {
        let changed = self.edit(&Edit::Replace(Box::new(topology.clone())))?;
        self.history.mark_saved();
        self.saved = Arc::clone(&self.topology);
        Ok(changed)
    }

    /// Makes an edit, a step of its own; returns whether anything changed.
    ///
    /// # Errors
    /// What the machine would lack afterwards; nothing has changed then.
    pub fn edit(&mut self, edit: &Edit) -> Result<bool, Invalid> {
        self.change(|history, topology| history.apply(topology, edit))
    }

    /// Makes an edit that goes on with the one before where it sets the same distances, see [`Document::seal`].
    ///
    /// # Errors
    /// As [`Document::edit`].
    pub fn amend(&mut self, edit: &Edit) -> Result<bool, Invalid> {
        self.change(|history, topology| history.amend(topology, edit))
    }

    fn change(
        &mut self,
        change: impl FnOnce(&mut History, &mut Topology) -> Result<(), Invalid>,
    ) -> Result<bool, Invalid> {
        // A build holds the machine as it was: what is large in it stays shared, the rest is copied here.
        let before = Arc::clone(&self.topology);
        change(&mut self.history, Arc::make_mut(&mut self.topology))?;
        Ok(*before != *self.topology)
    }

    /// The next edit is a step of its own whatever it sets.
    pub fn seal(&mut self) {
        self.history.seal();
    }

    /// Takes the last edit back and says what it was.
    pub fn undo(&mut self) -> Option<String> {
        if !self.history.can_undo() {
            return None;
        }
        self.history.undo(Arc::make_mut(&mut self.topology))
    }

    /// Makes the last undone edit again and says what it is.
    pub fn redo(&mut self) -> Option<String> {
        if !self.history.can_redo() {
            return None;
        }
        self.history.redo(Arc::make_mut(&mut self.topology))
    }

    /// Takes the last edit back as if it had never been made; whether there was one.
    pub fn retract(&mut self) -> bool {
        self.history.can_undo() && self.history.retract(Arc::make_mut(&mut self.topology))
    }
}
