//! The machine and the kernel a command is about, as they are named.

use std::path::PathBuf;

/// A machine and a kernel.
#[derive(Debug, clap::Args)]
pub struct Machine {
    /// A file in any format of the README, a folder or tar with a copy of /sys, `-` for standard input, `live` for this
    /// machine, or a preset
    #[arg(value_name = "FILE|PRESET")]
    pub machine: String,
    /// The kernel to model: 6.12, v5.10.7, `uname -r` text, lauro-p2, newest. Without it the one the machine ran, where that is
    /// known, or else the newest
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Option<String>,
}

/// Where the explorer's machine comes from, for saving back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An embedded preset.
    Preset,
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// This machine.
    Live,
    /// Made by rule: `ring:8 4`.
    Generated,
}
