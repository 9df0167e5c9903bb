//! What lies over the panes: lists, lines being typed, questions, menus.

use super::picker::Picker;
use super::repair::RepairOffer;
use super::selection::Selection;
use crate::explore::vocabulary::command::Answer;
use crate::explore::vocabulary::effect::WriteRequest;
use crate::explore::vocabulary::source::Source;
use crate::topology::Topology;
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
    /// Tasks to run.
    Tasks,
    /// A task to pin.
    Pin,
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
#[derive(Clone, Debug)]
pub enum Question {
    /// Unsaved edits, and what is to come after.
    Unsaved(Waiting),
    /// A file that is there already.
    Replace(WriteRequest),
    /// Edits that another session left behind in this file.
    Recover(PathBuf, Arc<Topology>),
    /// The open file changed on disk, and there are unsaved edits.
    Reload(PathBuf),
}

impl Question {
    /// The answers it takes, in the order they are offered, and what each does. No other answer does anything.
    pub fn answers(&self) -> &'static [(Answer, &'static str)] {
        match self {
            Self::Unsaved(Waiting::Quit) => {
                &[(Answer::Save, "save first"), (Answer::Yes, "quit without saving"), (Answer::No, "stay here")]
            }
            Self::Unsaved(Waiting::Open(_)) => {
                &[(Answer::Save, "save first"), (Answer::Yes, "go on without saving"), (Answer::No, "stay here")]
            }
            Self::Recover(..) => &[
                (Answer::Yes, "go on with them"),
                (Answer::Delete, "delete them"),
                (Answer::No, "keep them for later"),
            ],
            Self::Reload(_) => &[
                (Answer::Yes, "read it; undo brings the edits back"),
                (Answer::Save, "save the edits over it"),
                (Answer::No, "go on editing"),
            ],
            Self::Replace(_) => &[(Answer::Yes, "replace it"), (Answer::No, "leave it alone")],
        }
    }
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
    CopyMenu,
    /// A change of the table that removes a finding.
    Repair(RepairOffer),
}
