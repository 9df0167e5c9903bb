//! What the command line understands.

use super::error::CliError;
use super::input::LIVE;
use super::machine::Machine;
use super::theme::theme;
use crate::explore::state::config::Config;
use crate::explore::state::options::{Options, Welcome};
use crate::explore::vocabulary::appearance::Charset;
use crate::tui::shell::environment_options;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Explore the Linux scheduler domains of a machine, exact release by release.
///
/// Without a subcommand the explorer opens; without a machine it opens the 4-node ring.
#[derive(Debug, Parser)]
#[command(name = "schedtopo", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; the explorer when nothing is named.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What the explorer opens.
    #[command(flatten)]
    pub explore: Explore,
}

/// Arguments of the explorer.
#[derive(Debug, Default, Args)]
pub struct Explore {
    /// A file in any format of the README, a folder or tar with a copy of /sys, `-` for standard input, `live` for this
    /// machine, or a preset (see `schedtopo presets`)
    #[arg(value_name = "FILE|PRESET")]
    pub machine: Option<String>,
    /// Open this machine, as /sys shows it: the same as naming `live`
    #[arg(long, conflicts_with = "machine")]
    pub live: bool,
    /// The kernel to model: 6.12, v5.10.7, `uname -r` text, lauro-p2, newest. Without it the one the machine ran, where that is
    /// known, or else the newest
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Option<String>,
    /// Begin with the lesson, or go on with it: what domains and groups are, and the bug of 2017, step by step
    #[arg(long, conflicts_with_all = ["machine", "kernel", "live"])]
    pub lesson: bool,
    /// Play a copy of /proc/schedstat in Counters; give two or more, oldest first
    #[arg(long, value_name = "FILE")]
    pub recorded: Vec<String>,
    /// Jiffies a second (`CONFIG_HZ`) of the machine recorded
    #[arg(long, value_name = "HZ", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub hz: u32,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Look and keys; without it schedtopo/config.toml in the configuration folder (see `schedtopo config`)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Colours: dark, light, okabe-ito (safe for colour-blind people), high-contrast or mono
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
}

impl Explore {
    /// The machine that is named, if one is.
    pub fn named(&self) -> Option<&str> {
        if self.live { Some(LIVE) } else { self.machine.as_deref() }
    }

    /// Look and feel: as asked for, or else as configured, and as far as the terminal can.
    ///
    /// # Errors
    /// When there is no theme of that name.
    pub fn options(&self, config: &Config) -> Result<Options, CliError> {
        let mut options = environment_options();
        config.adjust(&mut options);
        if let Some(name) = &self.theme {
            options.palette = theme(name)?;
        }
        options.welcome = match (self.lesson, self.named()) {
            (true, _) => Welcome::Lesson,
            (false, None) => Welcome::Hint,
            (false, Some(_)) => Welcome::Silent,
        };
        if self.ascii {
            options.charset = Charset::Ascii;
        }
        Ok(options)
    }
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print levels, domains, groups, capacity sharing and kernel messages
    Show(super::show::Args),
    /// Print what the kernel prints when told to be verbose, without time stamps
    Dmesg(Machine),
    /// Say what is wrong: exit status 1 when there are findings at or over --level
    Check(super::check::Args),
    /// Print which node can pull tasks directly from which, and at what level
    Reach(super::reach::Args),
    /// Print why a CPU's groups came out as they did, decision by decision
    Explain(super::explain::Args),
    /// Print what differs between two machines, or between two kernels on one
    Diff(super::diff::Args),
    /// Print the releases at which what a kernel makes of a machine changes
    Bisect(super::bisect::Args),
    /// Answer what the balancer, timers and drivers ask of the domains, step by step
    Ask(super::ask::Args),
    /// Run CPU-bound tasks on the domains, and print who pulls what from where
    Simulate(super::simulate::Args),
    /// Write a machine in another format
    Convert(super::convert::Args),
    /// Put what /sys, /proc and the kernel log tell of this machine's domains in a tar, to send along with a report
    Collect(super::collect::Args),
    /// Print the nodes and their links, or the groups of a level and the capacities they share: text, Graphviz or JSON
    Graph(super::graph::Args),
    /// Print one Markdown page about a machine: table, levels, findings with advice, how to see it in a guest
    Report(super::report::Args),
    /// Compare the model with what a kernel printed: its log, its debug files, /proc/schedstat; exit status 1 where they differ
    Verify(super::verify::Args),
    /// Print what the balancer does, second by second, by level and node: the rates of /proc/schedstat
    Stat(super::stat::Args),
    /// Read topologies as JSON lines from standard input, print a build for each
    Batch(super::batch::Args),
    /// List the embedded machines, or print one as TOML
    Presets(super::presets::Args),
    /// Time the rebuild of a machine
    #[command(hide = true)]
    Bench(super::bench::Args),
    /// Print the configuration as it is when nobody says otherwise: every key, and what it does
    Config,
    /// Print the explorer's screen as an SVG picture
    Screenshot(super::screenshot::Args),
    /// Print a completion script for a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}
