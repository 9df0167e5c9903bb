//! The command line: one file per subcommand, text output only.
//!
#![doc = include_str!("json.md")]

pub mod args;
pub mod ask;
pub mod batch;
pub mod bench;
pub mod bisect;
pub mod check;
pub mod collect;
pub mod convert;
pub mod diff;
pub mod dmesg;
pub mod error;
pub mod explain;
pub mod graph;
pub mod input;
mod lines;
pub mod machine;
pub mod outcome;
pub mod presets;
pub mod reach;
pub mod report;
pub mod screenshot;
pub mod show;
pub mod simulate;
pub mod stat;
mod theme;
pub mod verify;
mod write;

use crate::explore::state::config::{self, Config};
use crate::explore::state::counters::Recorded;
use crate::explore::state::start::Start;
use crate::explore::vocabulary::source::Source;
use crate::formats::{self, Format};
use crate::tui::shell::{self, Exit};
use args::{Cli, Command};
use clap::CommandFactory;
pub use error::CliError;
use input::Named;
use machine::Origin;
pub use outcome::Outcome;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

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
        Some(Command::Ask(args)) => ask::run(&args, out),
        Some(Command::Simulate(args)) => simulate::run(&args, out),
        Some(Command::Convert(args)) => convert::run(&args, out),
        Some(Command::Collect(args)) => collect::run(&args, out),
        Some(Command::Graph(args)) => graph::run(&args, out),
        Some(Command::Report(args)) => report::run(&args, out),
        Some(Command::Stat(args)) => stat::run(&args, out),
        Some(Command::Verify(args)) => verify::run(&args, out),
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

/// What the explorer opens when nothing is named: the ring, under the last release that gets it wrong.
const FIRST_MACHINE: &str = "ring4";
const FIRST_KERNEL: &str = "v4.11";

fn is_own(path: &Path) -> bool {
    path.is_file() && formats::read_text(path).is_ok_and(|text| formats::recognise(&text) == Some(Format::Toml))
}

fn explore(args: &args::Explore) -> Result<Outcome, CliError> {
    let machine = args.named().unwrap_or(FIRST_MACHINE);
    let Named { topology, origin, kernel } = input::load(machine)?;
    let kernel = if args.named().is_some() { kernel } else { Some(FIRST_KERNEL.to_owned()) };
    let release = input::release_of(args.kernel.as_deref(), kernel.as_deref())?;
    let (path, source) = match origin {
        // Only a file of our own is written back.
        Origin::File(path) if is_own(&path) => (Some(path.clone()), Some(Source::File(path))),
        Origin::File(path) => (None, Some(Source::File(path))),
        Origin::Preset => (None, Some(Source::Preset(machine.to_owned()))),
        Origin::Live => (None, Some(Source::Live)),
        Origin::Generated => (None, Some(Source::Generated(machine.to_owned()))),
        Origin::Stdin => (None, None),
    };
    let config = shell::load_config(args.config.as_deref())?;
    let options = args.options(&config)?;
    let Config { keys, symmetry, .. } = config;
    let (state, home) = (shell::state_folder(), etcetera::home_dir().ok());
    let readings = stat::readings(&args.recorded)?.into_iter().map(Arc::new).collect::<Vec<_>>();
    let recorded = (!readings.is_empty()).then_some(Recorded { readings, hz: args.hz });
    let start = Start { topology, path, source, state, home, release, options, keys, recorded, symmetry };
    match shell::run(start)? {
        Exit::Quit => Ok(Outcome::Clean),
        Exit::Signal(signal) => Ok(Outcome::Signal(signal)),
    }
}
