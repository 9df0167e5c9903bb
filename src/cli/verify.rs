//! `schedtopo verify`: the model against what a kernel printed.

use super::error::CliError;
use super::input::{self, LIVE};
use super::outcome::Outcome;
use super::write::write_json;
use crate::formats::log::{self, KernelLog};
use crate::formats::schedstat::{self, Schedstat};
use crate::formats::sysfs::{self, Files};
use crate::formats::{self, FormatError, visible};
use crate::kernel;
use crate::verify::{self, Check, Difference, Report, Taken};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine: a file, folder, tar or preset, or `live`
    #[arg(value_name = "FILE|PRESET", required_unless_present = "live")]
    pub machine: Option<String>,
    /// What the kernel printed: its log, its debug files (folder, tar, or `grep -r .` text) or /proc/schedstat; without it what
    /// is in the machine's own folder, tar or log
    #[arg(value_name = "LOG")]
    pub printed: Option<String>,
    /// Check this machine
    #[arg(long, conflicts_with_all = ["machine", "printed"])]
    pub live: bool,
    /// The kernel to model; without it the one that printed, where it says
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Option<String>,
    /// Print every difference, not the first of each build
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What a kernel printed, of each kind.
#[derive(Default)]
struct Printed {
    log: Option<KernelLog>,
    files: Option<Files>,
    schedstat: Option<Schedstat>,
    version: Option<String>,
}

impl Printed {
    fn of_files(mut files: Files) -> Result<Self, FormatError> {
        let log = files.whole("dmesg").filter(|text| log::is_log(text)).map(log::read);
        let stat = files.whole("proc/schedstat").map(schedstat::read).transpose()?;
        let version = files.get("proc/version").map(formats::release_in);
        files.unread.clear();
        Ok(Self { log, schedstat: stat, version, files: Some(files) })
    }

    fn of_text(text: &str) -> Result<Self, FormatError> {
        if schedstat::is_schedstat(text) {
            return Ok(Self { schedstat: Some(schedstat::read(text)?), ..Self::default() });
        }
        if log::is_log(text) {
            let log = log::read(text);
            return Ok(Self {
                version: log.version.as_deref().map(formats::release_in),
                log: Some(log),
                ..Self::default()
            });
        }
        let files = sysfs::from_text(text);
        if files.below("domains/").next().is_some() {
            return Self::of_files(files);
        }
        let cure = "give a log with sched_verbose (before 5.13: sched_debug), the debug files, or /proc/schedstat";
        Err(FormatError::new("no domains that a kernel printed are in this", cure))
    }

    fn load(path: &str) -> Result<Self, FormatError> {
        let read = || {
            if Path::new(path).is_dir() {
                return Self::of_files(sysfs::from_folder(Path::new(path))?);
            }
            let bytes = formats::unpacked(formats::read_source(Path::new(path))?)?;
            if sysfs::is_tar(&bytes) {
                return Self::of_files(sysfs::from_tar(&bytes)?);
            }
            // A serial console's log may hold any byte.
            Self::of_text(&String::from_utf8_lossy(&bytes))
        };
        read().map_err(|error: FormatError| error.in_file(path))
    }
}

/// Compares, and prints the first difference of each build, or all.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let machine = if args.live { LIVE } else { args.machine.as_deref().unwrap_or(LIVE) };
    let found = input::load(machine)?;
    let printed = match &args.printed {
        Some(path) => Printed::load(path)?,
        None if machine == LIVE => Printed::of_files(sysfs::live()?)?,
        None => Printed::load(machine)?,
    };
    let ran = printed.version.as_deref().or(found.kernel.as_deref());
    if args.kernel.is_none() && ran.is_none() {
        return Err(CliError::Argument("the kernel is not told by what it printed: give --kernel".to_owned()));
    }
    let release = input::release_of(args.kernel.as_deref(), ran)?;
    let build = kernel::build(&found.topology, &release);
    let mut report = Report::default();
    if let Some(log) = &printed.log {
        report = verify::check_log(&found.topology, &release, log);
    }
    report.checks.extend(printed.files.as_ref().and_then(|files| verify::check_debug_files(&build, files)));
    report.checks.extend(printed.schedstat.as_ref().map(|stat| verify::check_schedstat(&build, stat)));
    if args.json {
        let value = json!({
            "machine": found.topology.name,
            "kernel": release.name,
            "outcome": outcome_name(report.outcome()),
            "checks": report.checks.iter().map(check_json).collect::<Vec<_>>(),
            "lost": report.lost,
        });
        write_json(out, &value)?;
    } else {
        to_text(&release.name, &report, args.all, out)?;
    }
    Ok(match report.outcome() {
        verify::Outcome::Equal => Outcome::Clean,
        verify::Outcome::Different => Outcome::Findings,
        verify::Outcome::Unknown => Outcome::BadInput,
    })
}

fn outcome_name(outcome: verify::Outcome) -> &'static str {
    match outcome {
        verify::Outcome::Equal => "equal",
        verify::Outcome::Different => "different",
        verify::Outcome::Unknown => "unknown",
    }
}

fn taken_name(taken: Taken) -> &'static str {
    match taken {
        Taken::AsGiven => "as given",
        Taken::Hotplug => "hotplug",
        Taken::Partition => "partition",
    }
}

fn check_json(check: &Check) -> Value {
    let of = |difference: &Difference| {
        json!({
            "line": difference.line,
            "cpu": difference.cpu,
            "domain": difference.domain.as_ref().map(|(index, _)| index),
            "level": difference.domain.as_ref().map(|(_, name)| name),
            "group": difference.group,
            "part": difference.part.name(),
            "printed": difference.printed,
            "model": difference.model,
        })
    };
    json!({
        "what": check.what,
        "line": check.line,
        "cpus": check.cpus.to_string(),
        "taken": taken_name(check.taken),
        "differences": check.differences.iter().map(of).collect::<Vec<_>>(),
    })
}

fn to_text(kernel: &str, report: &Report, all: bool, out: &mut dyn Write) -> io::Result<()> {
    for check in &report.checks {
        let count = check.differences.len();
        let verdict = match count {
            0 => "equal".to_owned(),
            1 => "1 difference".to_owned(),
            count => format!("{count} differences"),
        };
        let line = check.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let taken = match check.taken {
            Taken::AsGiven => "",
            Taken::Hotplug => ", CPUs gone or come back",
            Taken::Partition => ", a partition",
        };
        writeln!(out, "{}{line}: CPUs {}{taken}: {verdict}", check.what, check.cpus)?;
        let shown = if all { count } else { count.min(1) };
        for difference in &check.differences[..shown] {
            writeln!(out, "    {}", visible(&difference.to_string()))?;
        }
        if shown < count {
            writeln!(out, "    and {} more (--all)", count - shown)?;
        }
    }
    for lost in &report.lost {
        writeln!(out, "lost: {lost}")?;
    }
    let verdict = match report.outcome() {
        verify::Outcome::Equal => "equal to what the kernel printed",
        verify::Outcome::Different => "not what the kernel printed",
        verify::Outcome::Unknown if report.checks.is_empty() => "nothing to compare with was found",
        verify::Outcome::Unknown => "equal as far as it was printed",
    };
    writeln!(out, "{kernel}: {verdict}")
}
