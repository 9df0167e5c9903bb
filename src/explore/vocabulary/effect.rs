//! What [`update`](crate::explore::update::update) wants done outside: by jobs, on the disk, on the terminal, between
//! sessions. Each kind has one performer.

use super::source::Source;
use crate::explore::derived::build_view::{BuildRequest, BuildView};
use crate::explore::derived::counters::CountRequest;
use crate::explore::derived::recording::SimulateRequest;
use crate::explore::state::compare::CompareRequest;
use crate::explore::state::memory::Memory;
use crate::explore::state::repair::RepairRequest;
use crate::topology::Topology;
use std::path::PathBuf;
use std::sync::Arc;

/// Something to be done outside.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Something that takes processor time.
    Job(Job),
    /// Something that reads or writes files.
    Disk(Disk),
    /// Something only a terminal can do.
    Terminal(Terminal),
    /// Something about what outlives a session.
    Session(Session),
    /// Leave.
    Quit,
}

/// What takes processor time. Of each kind the newest request wins.
#[derive(Clone, Debug)]
pub enum Job {
    /// Build the domains.
    Build(BuildRequest),
    /// Build what is to be compared, and compare.
    Compare(CompareRequest),
    /// Look for what is wrong with a build.
    Examine(Arc<BuildView>),
    /// Look for what removes a finding.
    Repair(RepairRequest),
    /// Go on with tasks on the domains.
    Simulate(SimulateRequest),
    /// Count what the balancer did between two readings.
    Count(CountRequest),
}

/// What reads or writes files.
#[derive(Clone, Debug)]
pub enum Disk {
    /// Write something to a file.
    Write(WriteRequest),
    /// Read a topology.
    Load(Source),
    /// Look at a topology without opening it.
    Preview(Source),
    /// Read the open file again.
    Reload(PathBuf),
    /// Find files to open.
    List,
}

/// What only a terminal can do.
#[derive(Clone, Debug)]
pub enum Terminal {
    /// Put text on the clipboard.
    Copy(String),
    /// Draw the focused pane as text.
    PaneText,
    /// Take or release the mouse.
    Mouse(bool),
    /// Draw everything again.
    Redraw,
    /// Stop the process until it is continued.
    Suspend,
}

/// What outlives a session.
#[derive(Clone, Debug)]
pub enum Session {
    /// Keep the layout and what was opened for the next session.
    Remember(Memory),
    /// Look for unsaved edits of the machine just opened.
    FindEdits,
    /// Edits found are in use: their file goes once they are kept under this process's name.
    Adopt(PathBuf),
    /// Delete the file of edits found.
    Forget(PathBuf),
}

/// Something to write, and where.
#[derive(Clone, Debug)]
pub struct WriteRequest {
    /// What to write.
    pub content: Content,
    /// The file.
    pub path: PathBuf,
    /// What to do about a file that is there already.
    pub overwrite: Overwrite,
}

/// What can be written.
#[derive(Clone, Debug)]
pub enum Content {
    /// The machine, as TOML.
    Topology(Arc<Topology>),
    /// The focused pane or the screen: text, or a picture where the file's name ends in `.svg`.
    Screen,
}

/// What to do about a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It is the file the topology came from: change it, if it is TOML; other formats are not ours to write.
    Own,
    /// Ask first.
    Ask,
    /// Somebody said so.
    Replace,
}

impl From<Job> for Effect {
    fn from(job: Job) -> Self {
        Self::Job(job)
    }
}

impl From<Disk> for Effect {
    fn from(disk: Disk) -> Self {
        Self::Disk(disk)
    }
}

impl From<Terminal> for Effect {
    fn from(terminal: Terminal) -> Self {
        Self::Terminal(terminal)
    }
}

impl From<Session> for Effect {
    fn from(session: Session) -> Self {
        Self::Session(session)
    }
}

/// What a function of [`update`](crate::explore::update) hands on: nothing, one effect or several.
pub trait IntoEffects {
    /// The effects, in the order they are to happen.
    fn into_effects(self) -> Vec<Effect>;
}

impl IntoEffects for () {
    fn into_effects(self) -> Vec<Effect> {
        Vec::new()
    }
}

impl IntoEffects for Vec<Effect> {
    fn into_effects(self) -> Vec<Effect> {
        self
    }
}

impl IntoEffects for Effect {
    fn into_effects(self) -> Vec<Effect> {
        vec![self]
    }
}
