//! How the explorer looks and behaves.

use crate::explore::vocabulary::appearance::{Charset, ColorDepth, Palette};

/// How the explorer looks and behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The theme.
    pub palette: Palette,
    /// How many colours there are.
    pub depth: ColorDepth,
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
            depth: ColorDepth::Full,
            charset: Charset::Unicode,
            mouse: true,
            welcome: Welcome::Silent,
        }
    }
}
