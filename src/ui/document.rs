//! The machine being edited, where it came from, and the way back.

use crate::topology::Topology;
use std::path::PathBuf;
use std::sync::Arc;

/// A topology with its history.
///
/// History is a list of whole topologies. They are cheap: what is big in them is shared, and a distance table of a
/// large machine is a few kilobytes.
#[derive(Clone, Debug)]
pub struct Document {
    topology: Arc<Topology>,
    /// The file it is saved to.
    pub path: Option<PathBuf>,
    past: Vec<Arc<Topology>>,
    future: Vec<Arc<Topology>>,
    saved: Arc<Topology>,
}

impl Document {
    /// A document without edits.
    pub fn new(topology: Arc<Topology>, path: Option<PathBuf>) -> Self {
        Self { saved: Arc::clone(&topology), topology, path, past: Vec::new(), future: Vec::new() }
    }

    /// The machine as it is now.
    pub fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// Whether it differs from what was opened or saved last.
    pub fn is_unsaved(&self) -> bool {
        !Arc::ptr_eq(&self.saved, &self.topology) && *self.saved != *self.topology
    }

    /// What is on disk now is what is here.
    pub fn mark_saved(&mut self, path: PathBuf) {
        self.path = Some(path);
        self.saved = Arc::clone(&self.topology);
    }

    /// Makes an edit; what was undone before is gone. Returns whether anything changed.
    pub fn edit(&mut self, change: impl FnOnce(&mut Topology)) -> bool {
        let mut next = Topology::clone(&self.topology);
        change(&mut next);
        if next == *self.topology {
            return false;
        }
        self.past.push(std::mem::replace(&mut self.topology, Arc::new(next)));
        self.future.clear();
        true
    }

    /// Takes the last edit back; whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(&mut self.topology, before));
        true
    }

    /// Makes the last undone edit again; whether there was one.
    pub fn redo(&mut self) -> bool {
        let Some(after) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(&mut self.topology, after));
        true
    }

    /// Takes the last edit back as if it had never been made.
    pub fn forget(&mut self) -> bool {
        let there = self.undo();
        self.future.pop();
        there
    }
}
