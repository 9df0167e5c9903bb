//! The command line: one file per subcommand, text output only.
//!
#![doc = include_str!("json.md")]

pub mod args;
pub mod batch;
pub mod bench;
pub mod bisect;
pub mod check;
pub mod diff;
pub mod dmesg;
pub mod explain;
pub mod input;
pub mod presets;
pub mod reach;
pub mod screenshot;
pub mod show;

use crate::explore::state::config::{self, Config};
use crate::explore::state::start::Start;
use crate::explore::vocabulary::source::Source;
use crate::formats::FormatError;
use crate::kernel::Release;
use crate::kernel::release::ReleaseError;
use crate::tui::shell::{self, Exit};
use args::{Cli, Command, Origin};
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
    /// A signal ended the explorer.
    Signal(i32),
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::BadInput => Self::from(2),
            // As a shell counts a program that a signal ended.
            Outcome::Signal(signal) => Self::from(u8::try_from(128 + signal).unwrap_or(u8::MAX)),
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
        Some(Command::Check(args)) => check::run(&args, out),
        Some(Command::Reach(args)) => reach::run(&args, out),
        Some(Command::Explain(args)) => explain::run(&args, out),
        Some(Command::Diff(args)) => diff::run(&args, out),
        Some(Command::Bisect(args)) => bisect::run(&args, out),
        Some(Command::Batch(args)) => batch::run(&args, out),
        Some(Command::Presets(args)) => presets::run(&args, out),
        Some(Command::Bench(args)) => bench::run(&args, out),
        Some(Command::Screenshot(args)) => screenshot::run(&args, out),
        Some(Command::Config) => {
            out.write_all(config::standard_text().as_bytes())?;
            Ok(Outcome::Clean)
        }
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

/// Writes one JSON value and a line end.
fn write_json(out: &mut dyn Write, value: &serde_json::Value) -> Result<(), CliError> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// What the explorer opens when nothing is named: the ring, under the last release that gets it wrong.
const FIRST_MACHINE: &str = "ring4";
const FIRST_KERNEL: &str = "v4.11";

fn explore(args: &args::Explore) -> Result<Outcome, CliError> {
    let kernel = args.kernel.as_deref().unwrap_or(if args.machine.is_some() { "newest" } else { FIRST_KERNEL });
    let release = Release::parse(kernel)?;
    let (topology, origin) = input::load(args.machine.as_deref().unwrap_or(FIRST_MACHINE))?;
    let machine = args.machine.as_deref().unwrap_or(FIRST_MACHINE);
    let (path, source) = match origin {
        Origin::File(path) => (Some(path.clone()), Some(Source::File(path))),
        Origin::Preset => (None, Some(Source::Preset(machine.to_owned()))),
        Origin::Stdin => (None, None),
    };
    let config = shell::load_config(args.config.as_deref())?;
    let options = args.options(&config)?;
    let Config { keys, symmetry, .. } = config;
    let (state, home) = (shell::state_folder(), etcetera::home_dir().ok());
    match shell::run(Start { topology, path, source, state, home, release, options, keys, symmetry })? {
        Exit::Quit => Ok(Outcome::Clean),
        Exit::Signal(signal) => Ok(Outcome::Signal(signal)),
    }
}
