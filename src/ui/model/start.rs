//! What the explorer starts with.

use super::Symmetry;
use crate::kernel::Release;
use crate::topology::Topology;
use crate::ui::config::Config;
use crate::ui::keys::Keymap;
use crate::ui::picker::Source;
use crate::ui::theme::{Charset, Depth, Palette};
use std::path::PathBuf;

/// How the explorer looks and behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The theme.
    pub palette: Palette,
    /// How many colours there are.
    pub depth: Depth,
    /// Which signs may be drawn.
    pub charset: Charset,
    /// Whether to take the mouse.
    pub mouse: bool,
    /// What greets the person.
    pub welcome: Welcome,
}

/// What greets the person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Welcome {
    /// Nothing.
    #[default]
    Silent,
    /// A word about the lesson.
    Hint,
    /// The lesson.
    Lesson,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            palette: Palette::Dark,
            depth: Depth::Full,
            charset: Charset::Unicode,
            mouse: true,
            welcome: Welcome::Silent,
        }
    }
}

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
    /// The kernel.
    pub release: Release,
    /// Look and feel.
    pub options: Options,
    /// Which keys do what.
    pub keys: Keymap,
    /// Whether edits go both ways at first.
    pub symmetry: Symmetry,
}

impl Start {
    /// This machine under this kernel: from no file, nothing kept, look and keys as standard.
    pub fn new(topology: Topology, release: Release) -> Self {
        let Config { keys, symmetry, .. } = Config::standard();
        let options = Options::default();
        Self { topology, path: None, source: None, state: None, release, options, keys, symmetry }
    }
}
