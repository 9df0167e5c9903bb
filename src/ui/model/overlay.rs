//! What lies over the panes: lists, lines being typed, questions.

use super::Selection;
use crate::topology::Topology;
use crate::ui::picker::{Picker, Source};
use crate::ui::repair::Offer;
use std::path::PathBuf;
use std::sync::Arc;
use tui_input::Input;

/// What a line being typed is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// Finding something in a pane; the view follows while typing.
    Search,
    /// The distance to fill a row with.
    Fill,
    /// What to multiply the distances with.
    Scale,
    /// A node's new id.
    Renumber,
    /// The CPUs of a node.
    NodeCpus,
    /// The file to write a pane to.
    Export,
    /// The name to save under.
    SaveAs,
    /// The CPUs to list.
    Filter,
}

/// A line being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What for.
    pub kind: PromptKind,
    /// The line.
    pub input: Input,
    /// Where the selection was, to go back to.
    pub before: Selection,
}

/// What waits for the answer about unsaved edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Leaving.
    Quit,
    /// Opening something else.
    Open(Source),
}

/// What is asked before something is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Unsaved edits, and what is to come after.
    Unsaved(Waiting),
    /// A file that is there already.
    Replace(PathBuf),
    /// A file that is there already, where a pane was to go.
    Overwrite(PathBuf, Arc<str>),
    /// Edits that another session left behind in this file.
    Recover(PathBuf, Arc<Topology>),
    /// The open file changed on disk, and there are unsaved edits.
    Reload(PathBuf),
}

/// What lies over the panes.
#[derive(Clone, Debug, Default)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// A list.
    Picker(Picker),
    /// A line at the bottom.
    Prompt(Prompt),
    /// A question: something would be lost.
    Question(Question),
    /// What to copy.
    Copy,
    /// A change of the table that removes a finding.
    Repair(Offer),
}
