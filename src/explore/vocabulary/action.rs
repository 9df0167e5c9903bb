//! Everything that can happen to the explorer, as values: a session is a list of these, so tests, lessons and pictures
//! replay it.

use super::border::{Border, Drawn};
use super::command::Command;
use super::effect::WriteRequest;
use super::key::Key;
use super::pane::{Pane, Screen};
use super::preview::Preview;
use super::source::Source;
use crate::analysis::repair::{Progress, Repair};
use crate::explore::derived::build_view::BuildView;
use crate::explore::derived::counters::CountersView;
use crate::explore::derived::recording::{Part, Scenario};
use crate::explore::state::compare::{CompareRequest, Compared};
use crate::explore::state::counters::Sample;
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
}

impl Target {
    /// The pane it is in.
    pub fn pane(self) -> Option<Pane> {
        match self {
            Self::Pane(pane) | Self::Row(pane, _) => Some(pane),
            Self::Cell(..) => Some(Pane::Distances),
            Self::Cpu(..) => Some(Pane::Cpus),
            Self::Item(_) | Self::Screen(_) | Self::Line(_) | Self::Border(_) | Self::Run(_) => None,
        }
    }
}

/// Anything that happens.
#[derive(Clone, Debug)]
pub enum Action {
    /// A key's or the palette's command.
    Do(Command),
    /// A key that has no command where the person is.
    NoCommand(Key),
    /// A character for the line being typed.
    Type(char),
    /// An editing key for the line being typed.
    Line(InputRequest),
    /// A bracketed paste.
    Paste(String),
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
    Compared(CompareRequest, Result<Arc<Compared>, String>),
    /// A build is ready.
    Built(Arc<BuildView>),
    /// The build with this generation failed inside this program.
    BuildFailed(u64, String),
    /// A search for a repair has ended.
    Repaired(Arc<Progress>, Result<Repair, String>),
    /// The findings of the build with this generation are there.
    Examined(u64),
    /// The topology is on disk.
    Saved(PathBuf),
    /// A pane or screen is on disk.
    Exported(PathBuf),
    /// Tasks were simulated, or it failed.
    Simulated(Arc<Scenario>, Result<Vec<Part>, String>),
    /// The counters of the machine were read, or can't be.
    Sampled(Result<Sample, String>),
    /// What the balancer did between two readings is counted.
    Counted(Arc<CountersView>),
    /// The topology is written in another format, which has no room for these things.
    Converted(PathBuf, Vec<String>),
    /// There is a file already where this was to go.
    FileExists(WriteRequest),
    /// The focused pane as text.
    PaneText(String),
    /// A topology was read; with the file it can be saved to, if there is one, and where it came from.
    Loaded(Arc<Topology>, Option<PathBuf>, Source),
    /// The files there are to open.
    Listed(Vec<PathBuf>),
    /// What the source under the picker's cursor looks like.
    Previewed(Source, Preview),
    /// Unsaved edits of this machine, kept by an explorer that has ended.
    Recoverable(PathBuf, Arc<Topology>),
    /// The open file is another one on disk.
    Changed(PathBuf),
    /// The open file was read again.
    Reloaded(Arc<Topology>),
    /// Something outside failed.
    Failed(String),
    /// Something outside failed that nothing waits for.
    NotKept(String),
}
