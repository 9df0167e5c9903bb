//! The command line: one file per subcommand, text output only.

pub mod args;
pub mod batch;
pub mod bench;
pub mod dmesg;
pub mod input;
pub mod presets;
pub mod show;

use crate::formats::FormatError;
use crate::kernel::release::ReleaseError;
use args::{Cli, Command};
use clap::CommandFactory;
use std::io::{self, Write};
use std::process::ExitCode;

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
    /// The explorer can't run.
    #[error("{0}")]
    Explorer(String),
}

/// How a command that worked ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All well.
    Clean,
    /// Findings at or over the level asked for.
    Findings,
    /// Some input was bad; the rest was done.
    BadInput,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::BadInput => Self::from(2),
        }
    }
}

/// Runs a command line.
///
/// # Errors
/// What stopped it; the caller prints it and exits with 2.
pub fn run(cli: Cli, out: &mut dyn Write) -> Result<Outcome, CliError> {
    match cli.command {
        None => explore(&cli.explore),
        Some(Command::Show(args)) => show::run(&args, out),
        Some(Command::Dmesg(args)) => dmesg::run(&args, out),
        Some(Command::Batch(args)) => batch::run(&args, out),
        Some(Command::Presets(args)) => presets::run(&args, out),
        Some(Command::Bench(args)) => bench::run(&args, out),
        Some(Command::Completions { shell }) => {
            clap_complete::generate(shell, &mut Cli::command(), "schedtopo", out);
            Ok(Outcome::Clean)
        }
        Some(Command::Man) => {
            clap_mangen::Man::new(Cli::command()).render(out)?;
            Ok(Outcome::Clean)
        }
    }
}

fn explore(args: &args::Explore) -> Result<Outcome, CliError> {
    let _ = args;
    Err(CliError::Explorer("no explorer yet".into()))
}
