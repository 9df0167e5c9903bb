//! `schedtopo report`: one Markdown page about a machine under a kernel, to send along.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use crate::analysis::compare;
use crate::analysis::findings::{self, Finding, Severity};
use crate::analysis::reach;
use crate::formats::{markdown, qemu};
use crate::kernel::{self, Build, Release};
use crate::topology::Topology;
use std::fmt::Write as _;
use std::io::Write;

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: schedtopo report machine.tar.gz --kernel 4.11 --kernel 4.13 > report.md")]
pub struct Args {
    /// A file in any format of the README, a folder or tar with a copy of /sys, `-`, `live`, or a preset
    #[arg(value_name = "FILE|PRESET")]
    pub machine: String,
    /// The kernel; give it twice to add what another one does. Without it the one the machine ran, or the newest
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Vec<String>,
}

/// Groups of this many CPUs are shown.
const CPUS: usize = 4;

/// Prints the page.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let found = input::load(&args.machine)?;
    let mut releases: Vec<Release> = args.kernel.iter().map(|name| input::release(name)).collect::<Result<_, _>>()?;
    if releases.is_empty() {
        releases.push(input::release_of(None, found.kernel.as_deref())?);
    }
    let topology = &found.topology;
    let mut page = markdown::write(topology);
    for release in &releases {
        let build = kernel::build(topology, release);
        under(topology, &build, &mut page);
    }
    changes(topology, &mut page);
    reproduce(topology, &mut page);
    out.write_all(page.as_bytes())?;
    Ok(Outcome::Clean)
}

// Writing to a string can't fail, here and below.
fn under(topology: &Topology, build: &Build, page: &mut String) {
    let _ = writeln!(page, "\n## Under {}\n", build.release);
    if let Some(error) = &build.error {
        let _ = writeln!(page, "**No domains are built**: {}.\n", markdown::escaped(&error.to_string()));
    }
    let found = findings::find(topology, build);
    verdict(&found, page);
    levels(build, page);
    let cpus = shown_cpus(&found, build);
    for &cpu in &cpus {
        groups(build, cpu, page);
    }
}

fn verdict(found: &[Finding], page: &mut String) {
    if found.is_empty() {
        page.push_str("Nothing is wrong with this machine.\n");
        return;
    }
    for finding in found {
        let sign = if finding.severity == Severity::Info { "" } else { "**" };
        let message = markdown::escaped(&finding.message);
        let _ = writeln!(page, "- {sign}{}{sign} ({}): {message}", finding.severity.name(), finding.id);
        let _ = writeln!(page, "  - {}", markdown::escaped(&finding.advice));
    }
}

fn levels(build: &Build, page: &mut String) {
    page.push_str("\n| level | CPUs that have it | spans |\n|---|---|---|\n");
    for level in 0..build.levels.len() {
        let kept = |cpu: &usize| build.chain(*cpu).any(|(other, _)| other == level);
        let cpus: crate::cpumask::CpuMask = build.cpu_map().iter().filter(kept).collect();
        let mut spans: Vec<String> = Vec::new();
        for cpu in cpus.iter() {
            let span = build.domain(cpu, level).map(|domain| build.span(domain.span).to_string()).unwrap_or_default();
            if !spans.contains(&span) && spans.len() <= CPUS {
                spans.push(span);
            }
        }
        let more = if spans.len() > CPUS { " …" } else { "" };
        spans.truncate(CPUS);
        let list = if cpus.is_empty() { "none".to_owned() } else { cpus.to_string() };
        let _ = writeln!(page, "| {} | {list} | {}{more} |", build.level_label(level), spans.join(" "));
    }
}

/// The CPUs that show the most serious findings, or else the first.
fn shown_cpus(found: &[Finding], build: &Build) -> Vec<usize> {
    let serious = found.iter().filter(|finding| finding.severity > Severity::Info);
    let mut cpus: Vec<usize> = serious.filter_map(|finding| finding.witness.cpus.first()).collect();
    cpus.dedup();
    cpus.truncate(CPUS);
    if cpus.is_empty() {
        cpus.extend(build.cpu_map().first());
    }
    cpus
}

fn groups(build: &Build, cpu: usize, page: &mut String) {
    let _ =
        writeln!(page, "\nGroups of CPU {cpu}:\n\n| level | span | groups (balance mask, capacity) |\n|---|---|---|");
    for (level, domain) in build.chain(cpu) {
        let shown: Vec<String> = build
            .groups_of(domain)
            .take(16)
            .map(|group| format!("{{{}}} ({}, {})", group.span, group.mask, group.sgc.capacity))
            .collect();
        let more = build.nr_groups(domain).saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(
            page,
            "| {} | {} | {}{more} |",
            build.level_label(level),
            build.span(domain.span),
            shown.join(" ")
        );
    }
}

/// At which releases paths between nodes open or close.
fn changes(topology: &Topology, page: &mut String) {
    let changes = compare::bisect(topology, &compare::releases());
    page.push_str("\n## What changes from release to release\n\n");
    if changes.is_empty() {
        page.push_str("Nothing.\n");
    }
    for change in &changes {
        let holes = |name: &str| {
            let build = Release::parse(name).ok().map(|release| kernel::build(topology, &release));
            build.map_or(0, |build| reach::reach(topology, &build).holes.len())
        };
        let (before, after) = (holes(&change.from), holes(&change.to));
        let paths =
            if before == after { String::new() } else { format!("; pairs that can never pull: {before} to {after}") };
        let cpus =
            if change.cpus.is_empty() { "the machine as a whole".to_owned() } else { format!("CPUs {}", change.cpus) };
        let _ = writeln!(page, "- {} to {}: {cpus}{paths}", change.from, change.to);
    }
}

fn reproduce(topology: &Topology, page: &mut String) {
    page.push_str("\n## To see it in a guest\n\n");
    match qemu::write(topology) {
        Ok(line) => {
            let _ = writeln!(
                page,
                "```\n{}  -kernel bzImage -append \"console=ttyS0 sched_verbose ignore_loglevel\" -nographic\n```",
                line.trim_end().to_owned() + " \\\n"
            );
        }
        Err(error) => {
            let _ = writeln!(page, "QEMU can't have this machine: {}.", markdown::escaped(&error.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_what_a_reader_needs() {
        let mut out = Vec::new();
        run(&Args { machine: "ring4".into(), kernel: vec!["v4.11".into(), "v4.13".into()] }, &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        for part in [
            "| **0** | 10 | 20 | 30 | 20 |",
            "## Under v4.11",
            "(no-direct-path): nodes 1 and 3",
            "take v4.13 or later",
            "## Under v4.13",
            "Nothing is wrong with this machine.",
            "pairs that can never pull: 2 to 0",
            "-numa dist,src=0,dst=2,val=30",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
