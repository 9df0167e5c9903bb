//! What the explorer starts with.

use super::config::Config;
use super::counters::Recorded;
use super::keymap::Keymap;
use super::modes::Symmetry;
use super::options::Options;
use crate::explore::vocabulary::source::Source;
use crate::kernel::Release;
use crate::topology::Topology;
use std::path::PathBuf;

/// What the explorer starts with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The machine.
    pub topology: Topology,
    /// The file it came from, if it can be saved there.
    pub path: Option<PathBuf>,
    /// What names it, if anything does.
    pub source: Option<Source>,
    /// Where to keep things from one session to the next; nothing is kept without.
    pub state: Option<PathBuf>,
    /// What `~` stands for in a path that is typed.
    pub home: Option<PathBuf>,
    /// The kernel.
    pub release: Release,
    /// Look and feel.
    pub options: Options,
    /// Which keys do what.
    pub keys: Keymap,
    /// Readings of the counters of this machine, to be played.
    pub recorded: Option<Recorded>,
    /// Whether edits go both ways at first.
    pub symmetry: Symmetry,
}

impl Start {
    /// This machine under this kernel: from no file, nothing kept, look and keys as standard.
    pub fn new(topology: Topology, release: Release) -> Self {
        let Config { keys, symmetry, .. } = Config::standard();
        let options = Options::default();
        Self {
            topology,
            path: None,
            source: None,
            state: None,
            home: None,
            release,
            options,
            keys,
            recorded: None,
            symmetry,
        }
    }
}
