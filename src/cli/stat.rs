//! `schedtopo stat`: what the balancer did, second by second or between recorded readings of `/proc/schedstat`.

use super::error::CliError;
use super::input::{self, LIVE};
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::{Table, write_json};
use crate::counters::{Counters, Counts, seconds_between};
use crate::cpumask::CpuMask;
use crate::formats::{self, schedstat, schedstat::Schedstat};
use crate::kernel::Build;
use crate::topology::Topology;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

/// Arguments of `stat`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  schedtopo stat --count 10\n  schedtopo stat machine.tar.gz --recorded before.txt --recorded after.txt"
)]
pub struct Args {
    /// The machine the counters are of: `live`, or what recorded ones come from
    #[arg(value_name = "FILE|PRESET", default_value = LIVE)]
    pub machine: String,
    /// The kernel to model; without it the one the machine ran, where that is known, or else the newest
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Option<String>,
    /// Seconds from one reading to the next
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = interval)]
    pub interval: f64,
    /// Stop after so many intervals
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// A copy of /proc/schedstat; give two or more, oldest first
    #[arg(long, value_name = "FILE", conflicts_with_all = ["interval", "count"])]
    pub recorded: Vec<String>,
    /// Jiffies a second (`CONFIG_HZ`) of the machine recorded
    #[arg(long, value_name = "HZ", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub hz: u32,
    /// Print each of these CPUs, a cpulist, instead of sums by level and node
    #[arg(long, value_name = "CPUS")]
    pub cpu: Option<String>,
    /// Print JSON, a line for each interval
    #[arg(long)]
    pub json: bool,
}

fn interval(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.1..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| "give seconds from 0.1 to 86400".to_owned())
}

/// Prints what the balancer did.
///
/// # Errors
/// Bad input, no counters to read, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let recorded = readings(&args.recorded)?;
    let (topology, build) = input::build(&Machine { machine: args.machine.clone(), kernel: args.kernel.clone() })?;
    let cpus = args.cpu.as_deref().map(|list| input::cpus(&topology, "--cpu", list)).transpose()?;
    let mut page = Page { args, topology: &topology, build: &build, cpus, told: false };
    if recorded.is_empty() {
        live(args, |before, after, seconds| page.print(&Counters::between(&build, before, after, seconds), out))?;
    } else {
        for pair in recorded.windows(2) {
            let [before, after] = pair else { continue };
            let seconds = seconds_between(before, after, args.hz);
            page.print(&Counters::between(&build, before, after, seconds), out)?;
        }
    }
    Ok(Outcome::Clean)
}

/// The readings named with `--recorded`.
///
/// # Errors
/// When it is only one, or one can't be read.
pub fn readings(names: &[String]) -> Result<Vec<Schedstat>, CliError> {
    if names.len() == 1 {
        return Err(CliError::Argument("--recorded: give two readings or more, oldest first".to_owned()));
    }
    let read = |name: &String| -> Result<Schedstat, CliError> {
        Ok(schedstat::read(&formats::read_text(name)?).map_err(|error| error.in_file(name))?)
    };
    names.iter().map(read).collect()
}

/// Reads this machine's counters at every interval, until the count is reached.
fn live(
    args: &Args,
    mut print: impl FnMut(&Schedstat, &Schedstat, f64) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut before = schedstat::live()?;
    let mut read_at = Instant::now();
    if schedstat::is_switched_off() {
        input::say("the kernel does not count: sysctl kernel.sched_schedstats=1 makes it");
    }
    let interval = Duration::from_secs_f64(args.interval);
    let mut due = read_at;
    for _ in 0..args.count.unwrap_or(usize::MAX) {
        due += interval;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let after = schedstat::live()?;
        let now = Instant::now();
        print(&before, &after, (now - read_at).as_secs_f64())?;
        (before, read_at) = (after, now);
    }
    Ok(())
}

/// What is printed, and of what.
struct Page<'a> {
    args: &'a Args,
    topology: &'a Topology,
    build: &'a Build,
    /// Those to be listed, if any are.
    cpus: Option<CpuMask>,
    /// Whether it was said which domains are not in the model.
    told: bool,
}

impl Page<'_> {
    fn print(&mut self, counters: &Counters, out: &mut dyn Write) -> Result<(), CliError> {
        if !std::mem::replace(&mut self.told, true) {
            self.tell_unmatched(counters);
        }
        if self.args.json {
            write_json(out, &self.to_json(counters))?;
        } else {
            self.to_text(counters, out)?;
        }
        // Whoever watches sees each interval at its end.
        Ok(out.flush()?)
    }

    /// A domain that the model does not have tells that the model is of another machine or kernel.
    fn tell_unmatched(&self, counters: &Counters) {
        let Some(first) = counters.unmatched.first() else { return };
        let (count, release) = (counters.unmatched.len(), &self.build.release.name);
        input::say(&format!(
            "{count} domains of /proc/schedstat are not in the model under {release}, the first domain {} of CPU {} with span {}; \
             `schedtopo verify` compares them",
            first.domain, first.cpu, first.span
        ));
    }

    fn to_text(&self, counters: &Counters, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{:.3} s", counters.seconds)?;
        let kinds = Counts::default().kinds().map(|(name, _)| name);
        let head = kinds.iter().flat_map(|name| [format!("{name}/s"), "failed".into(), "moved".into()]);
        let first = if self.cpus.is_some() { ["CPU", "level"] } else { ["level", "node"] };
        let mut table = Table::new(first.map(str::to_owned).into_iter().chain(head));
        for (names, counts) in self.rows(counters) {
            let cells = counts.kinds().into_iter().flat_map(|(_, tries)| [tries.calls, tries.failed, tries.pulled]);
            table.row(names.into_iter().chain(cells.map(|count| rate_text(counters.rate(count)))));
        }
        table.write(out)?;
        writeln!(out)
    }

    /// What the rows are called, and their counts.
    fn rows(&self, counters: &Counters) -> Vec<([String; 2], Counts)> {
        if let Some(cpus) = &self.cpus {
            let chosen = counters.domains.iter().filter(|((cpu, _), _)| cpus.contains(*cpu));
            return chosen
                .map(|(&(cpu, level), &counts)| ([cpu.to_string(), self.build.level_label(level)], counts))
                .collect();
        }
        let row = |total: crate::counters::Total| {
            let node =
                total.node.map_or_else(|| "none".to_owned(), |node| self.topology.nodes[node as usize].id.to_string());
            ([self.build.level_label(total.level), node], total.counts)
        };
        counters.totals(self.topology).into_iter().map(row).collect()
    }

    fn to_json(&self, counters: &Counters) -> Value {
        let names = if self.cpus.is_some() { ["cpu", "level"] } else { ["level", "node"] };
        let number = |text: &str| text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number));
        let rows: Vec<Value> = self
            .rows(counters)
            .into_iter()
            .map(|(cells, counts)| {
                let mut row = Map::new();
                for (name, cell) in names.iter().zip(&cells) {
                    let value = match (*name, cell.as_str()) {
                        ("level", label) => json!(label),
                        (_, "none") => Value::Null,
                        (_, id) => number(id),
                    };
                    row.insert((*name).to_owned(), value);
                }
                for (name, tries) in counts.kinds() {
                    let value = json!({ "calls": tries.calls, "failed": tries.failed, "moved": tries.pulled });
                    row.insert(name.replace(' ', "_"), value);
                }
                Value::Object(row)
            })
            .collect();
        let unmatched: Vec<Value> = counters
            .unmatched
            .iter()
            .map(|domain| json!({ "cpu": domain.cpu, "domain": domain.domain, "span": domain.span.to_string() }))
            .collect();
        json!({ "seconds": counters.seconds, "rows": rows, "unmatched": unmatched })
    }
}

/// A rate in few figures.
fn rate_text(rate: f64) -> String {
    if rate == 0.0 {
        "-".to_owned()
    } else if rate < 10.0 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn stat(line: &[&str]) -> Result<String, String> {
        let line = Line::try_parse_from(std::iter::once("stat").chain(line.iter().copied()))
            .map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        run(&line.args, &mut out).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    const READING: &str = "version 15\ntimestamp 4294900000\n\
        cpu0 0 0 0 0 0 0 0 0 0\ndomain0 b 10 2 1 0 5 0 0 0 7 7 0 0 0 0 0 0 3 0 0 0 0 0 0 0 4 1 3 0 0 0 0 0 0 0 0 0\n";

    #[test]
    fn recorded_readings_are_played() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (before, after) = (place("before"), place("after"));
        std::fs::write(&before, READING).unwrap();
        let later = READING.replace("4294900000", "4294900500").replace("b 10 2 1 0 5", "b 30 2 1 0 6");
        std::fs::write(&after, later).unwrap();
        let line = ["ring4", "--kernel", "5.10", "--recorded", &before, "--recorded", &after];
        let text = stat(&line).unwrap();
        assert!(text.starts_with("2.000 s\n") && text.contains("NUMA"), "{text}");
        let row: Vec<&str> = text.lines().nth(2).unwrap().split_whitespace().collect();
        assert_eq!(row, ["NUMA-1", "0", "-", "-", "-", "10", "-", "0.5", "-", "-", "-", "-", "-", "-"], "{text}");
        let json: Value =
            serde_json::from_str(&stat(&[&line[..], &["--json", "--cpu", "0"]].concat()).unwrap()).unwrap();
        assert_eq!(json["rows"][0]["idle"], json!({ "calls": 20, "failed": 0, "moved": 1 }));
        assert_eq!((&json["rows"][0]["cpu"], &json["rows"][0]["level"]), (&json!(0), &json!("NUMA-1")));
    }

    #[test]
    fn one_reading_and_odd_intervals_are_refused() {
        assert!(stat(&["ring4", "--recorded", "x"]).unwrap_err().contains("two readings"));
        assert!(stat(&["ring4", "--interval", "0"]).unwrap_err().contains("0.1 to 86400"));
    }
}
