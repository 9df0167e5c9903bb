//! Everything that can happen to the explorer, as values: a session is a list of these, so tests, lessons and pictures
//! replay it.

mod command;

pub use command::{Command, Pane, Screen, Step, Way};

pub use super::borders::{Border, Drawn, Edge};
pub use super::copy::Clip;
use super::facts::Built;
use super::memory::Memory;
pub use super::outside::Over;
use super::picker::Source;
use super::repair::Order;
use super::screens::compare::{self, Compared};
use crate::analysis::repair::{Progress, Repair};
use crate::topology::Topology;
use std::path::PathBuf;
use std::sync::Arc;

pub use tui_input::InputRequest;

/// What a place on the screen stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A pane as such.
    Pane(Pane),
    /// A cell of the distance table, by node indices.
    Cell(usize, usize),
    /// A row of the CPU map, and a level's column if on one.
    Cpu(usize, Option<usize>),
    /// A row of a list pane.
    Row(Pane, usize),
    /// A row of whatever list lies on top.
    Item(usize),
    /// A screen, by its tab.
    Screen(Screen),
    /// A row of the list the screen is made of.
    Line(usize),
    /// A border between panes.
    Border(Border),
    /// A command's name.
    Run(Command),
    /// An answer to the question on screen.
    Answer(Answer),
}

impl Target {
    /// The pane it is in.
    pub fn pane(self) -> Option<Pane> {
        match self {
            Self::Pane(pane) | Self::Row(pane, _) => Some(pane),
            Self::Cell(..) => Some(Pane::Distances),
            Self::Cpu(..) => Some(Pane::Cpus),
            Self::Item(_) | Self::Screen(_) | Self::Line(_) | Self::Border(_) | Self::Run(_) | Self::Answer(_) => None,
        }
    }
}

/// How a person answers when something would be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Save first, where that is what is asked.
    Save,
    /// Let it be lost.
    Discard,
    /// Stay.
    Stay,
    /// Throw away what was kept.
    Forget,
}

/// What can be opened looks like this, or why it can't.
pub type Peek = Result<Look, String>;

/// A look at a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// How large it is and what distances it has, in one line.
    pub summary: String,
    /// The corner of its distance table, a line for each row, ids first.
    pub table: Vec<String>,
}

/// Anything that happens.
#[derive(Clone, Debug)]
pub enum Action {
    /// A key's or the palette's command.
    Do(Command),
    /// A character for the line being typed.
    Type(char),
    /// An editing key for the line being typed.
    Line(InputRequest),
    /// A bracketed paste.
    Paste(String),
    /// An answer to the question on screen.
    Answer(Answer),
    /// A mouse click.
    Click(Target),
    /// The mouse wheel over a place: rows, downwards positive.
    Wheel(Target, i32),
    /// A border is pulled to a place, in thousandths of the body.
    Pull(Border, u16),
    /// A border is let go.
    LetGo,
    /// What came of drawing.
    Drawn(Drawn),
    /// Time has passed while something plays.
    Tick,
    /// A comparison is ready, or why there is none.
    Compared(compare::Order, Result<Arc<Compared>, String>),
    /// A build is ready.
    Built(Arc<Built>),
    /// A build went wrong inside this program.
    BuildFailed(u64, String),
    /// A search for a repair has ended.
    Repaired(Arc<Progress>, Result<Repair, String>),
    /// The findings of a build are there: of the build with this generation.
    Examined(u64),
    /// The topology is on disk.
    Saved(PathBuf),
    /// There is a file of that name already.
    Exists(PathBuf),
    /// A pane is on disk.
    Exported(PathBuf),
    /// There is a file already where a pane was to go.
    InTheWay(PathBuf, Arc<str>),
    /// A topology was read; with the file it can be saved to, if there is one, and where it came from.
    Loaded(Arc<Topology>, Option<PathBuf>, Source),
    /// The files there are to open.
    Listed(Vec<PathBuf>),
    /// A look at the source under the picker's cursor.
    Peeked(Source, Peek),
    /// Unsaved edits of this machine, kept by an explorer that is no more.
    Recoverable(PathBuf, Arc<Topology>),
    /// The open file is another one on disk.
    Changed(PathBuf),
    /// The open file was read again.
    Reloaded(Arc<Topology>),
    /// Something outside went wrong.
    Failed(String),
    /// Something outside went wrong that nothing waits for.
    Unkept(String),
}

/// What [`update`](super::update::update) wants done outside.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Build the domains; the newest request wins.
    Build(Request),
    /// Build what is to be compared, and compare; the newest order wins.
    Compare(compare::Order),
    /// Look for what is wrong with a build; the newest request wins.
    Examine(Arc<Built>),
    /// Write a pane's text or picture.
    Export(Arc<str>, PathBuf, Over),
    /// Keep the layout and what was opened for the next session.
    Remember(Memory),
    /// Look for what removes a finding.
    Repair(Order),
    /// Write the topology.
    Save(Arc<Topology>, PathBuf, Over),
    /// Read a topology.
    Load(Source),
    /// Look at a topology without opening it.
    Peek(Source),
    /// Look for unsaved edits of the machine just opened.
    FindEdits,
    /// Edits found are in use: their file goes once they are kept under this process's name.
    Adopt(PathBuf),
    /// Delete the file of edits found.
    Forget(PathBuf),
    /// Read the open file again.
    Reload(PathBuf),
    /// Find files to open.
    List,
    /// Put text on the clipboard of the person's terminal.
    Copy(String),
    /// Take or release the mouse.
    Mouse(bool),
    /// Draw everything again.
    Redraw,
    /// Stop the process until it is continued.
    Suspend,
    /// Leave.
    Quit,
}

/// What to build.
#[derive(Clone, Debug)]
pub struct Request {
    /// Counts up with every request.
    pub generation: u64,
    /// The machine.
    pub topology: Arc<Topology>,
    /// The kernel.
    pub release: crate::kernel::Release,
}
