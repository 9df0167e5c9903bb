//! Why a command failed.

use crate::formats::FormatError;
use crate::kernel::release::ReleaseError;
use std::io;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A file or preset can't be used.
    #[error("{0}")]
    Input(#[from] FormatError),
    /// `--kernel` names no release.
    #[error("--kernel: {0}")]
    Release(#[from] ReleaseError),
    /// An argument does not fit the machine.
    #[error("{0}")]
    Argument(String),
    /// Output failed.
    #[error("output: {0}")]
    Io(#[from] io::Error),
}
