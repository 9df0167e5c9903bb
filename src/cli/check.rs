//! `schedtopo check`: findings as text, JSON or SARIF, and an exit status for scripts.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::write_json;
use crate::analysis::findings::{self, Finding, KINDS, Severity};
use crate::analysis::repair::{self, Cell, Repair};
use crate::formats::{sysfs, visible};
use crate::kernel::Build;
use crate::topology::Topology;
use serde_json::{Map, Value, json};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: schedtopo check collected/ --kernel 6.12 --json")]
pub struct Args {
    /// The machines: files in any format of the README, folders of such files, tars with a copy of /sys, `-`, `live`, presets
    #[arg(value_name = "FILE|PRESET", required = true)]
    pub machines: Vec<String>,
    /// The kernel to model: 6.12, v5.10.7, `uname -r` text, lauro-p2, newest. Without it the one each machine ran, where that is
    /// known, or else the newest
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Option<String>,
    /// Exit with 1 when a finding is at least this serious
    #[arg(long, value_name = "LEVEL", default_value = "warning")]
    pub level: Level,
    /// Print JSON
    #[arg(long, conflicts_with = "sarif")]
    pub json: bool,
    /// Look for the smallest change of the distance table that removes each finding
    #[arg(long, conflicts_with = "sarif")]
    pub repair: bool,
    /// Print SARIF 2.1.0, which code hosts show beside the file
    #[arg(long)]
    pub sarif: bool,
}

/// How serious a finding must be to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Level {
    /// Broken.
    Error,
    /// Likely to behave worse than it should.
    Warning,
    /// Worth knowing.
    Info,
}

impl Level {
    fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Info => Severity::Info,
        }
    }
}

/// Prints what is wrong.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    // A release that is misspelt is said before anything is read.
    args.kernel.as_deref().map(input::release).transpose()?;
    let names = names(&args.machines);
    let mut progress = Terminal::new(names.len() > 1 || args.repair);
    let mut checked = Vec::new();
    let mut bad = 0_usize;
    for (at, name) in names.iter().enumerate() {
        progress.tell(&format!("{} of {}: {}", at + 1, names.len(), visible(name)));
        match check(args, name, &mut progress) {
            Ok(one) => checked.push(one),
            // Of several machines the others are done all the same.
            Err(error) if names.len() > 1 => {
                progress.tell("");
                input::say(&error.to_string());
                bad += 1;
            }
            Err(error) => return Err(error),
        }
    }
    progress.tell("");
    write_all(args, &checked, names.len() > 1, out)?;
    let counts = |one: &Checked| one.findings.iter().any(|finding| finding.severity >= args.level.severity());
    Ok(match (bad, checked.iter().any(counts)) {
        (1.., _) => Outcome::BadInput,
        (0, true) => Outcome::Findings,
        (0, false) => Outcome::Clean,
    })
}

/// What was found of one machine.
struct Checked {
    /// As it was named.
    name: String,
    machine: String,
    build: Build,
    findings: Vec<Finding>,
    repairs: Vec<Option<Repair>>,
}

/// The machines named, with the files of folders that are no copy of `/sys` in the place of such a folder.
fn names(given: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for name in given {
        let path = Path::new(name);
        if !path.is_dir() || sysfs::is_tree(path) {
            names.push(name.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
        let mut inside: Vec<String> = entries
            .map(|entry| entry.path())
            .filter(|path| path.is_file() || sysfs::is_tree(path))
            .map(|path| path.display().to_string())
            .collect();
        inside.sort();
        names.extend(inside);
    }
    names
}

fn check(args: &Args, name: &str, progress: &mut Terminal) -> Result<Checked, CliError> {
    let of = Machine { machine: name.to_owned(), kernel: args.kernel.clone() };
    let (topology, build) = input::build(&of)?;
    let findings = findings::find(&topology, &build);
    let repairs =
        if args.repair { repairs(&topology, &build, &findings, progress) } else { vec![None; findings.len()] };
    Ok(Checked { name: name.to_owned(), machine: topology.name, build, findings, repairs })
}

fn write_all(args: &Args, checked: &[Checked], several: bool, out: &mut dyn Write) -> Result<(), CliError> {
    if args.sarif {
        return write_json(out, &sarif(checked));
    }
    for one in checked {
        if args.json {
            let pairs = one.findings.iter().zip(&one.repairs);
            let all: Vec<Value> =
                pairs.map(|(finding, repair)| to_json(&one.build, finding, repair.as_ref())).collect();
            let mut value = json!({ "machine": one.machine, "kernel": one.build.release.name, "findings": all });
            if several {
                value["file"] = json!(one.name);
            }
            write_json(out, &value)?;
        } else {
            if several {
                writeln!(out, "{}", visible(&one.name))?;
            }
            to_text(one, out)?;
            if several {
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

/// A terminal that is told how far a long search is; of no consequence when it can't be told.
struct Terminal(Option<io::Stderr>);

impl Terminal {
    fn new(wanted: bool) -> Self {
        Self(Some(io::stderr()).filter(|_| wanted).filter(IsTerminal::is_terminal))
    }

    fn tell(&mut self, text: &str) {
        if let Some(terminal) = &mut self.0 {
            let _ = write!(terminal, "\r\x1b[K{text}").and_then(|()| terminal.flush());
        }
    }
}

/// Looks for a repair of each finding. On a large machine that takes long: a terminal is told how far it is.
fn repairs(topology: &Topology, build: &Build, findings: &[Finding], progress: &mut Terminal) -> Vec<Option<Repair>> {
    let repair = |(at, finding): (usize, &Finding)| {
        progress.tell(&format!("looking for a repair of finding {} of {}", at + 1, findings.len()));
        repair::repair(topology, &build.release, finding, repair::BUDGET)
    };
    findings.iter().enumerate().map(repair).collect()
}

/// Places of one kind of finding that are named before the rest is counted.
const NAMED: usize = 5;

/// The counts, and the findings, most serious first: those of one kind with one advice are one, with their places.
fn to_text(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let findings = &checked.findings;
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let [errors, warnings, infos] = Severity::ALL.map(count);
    writeln!(out, "{}: {errors} errors, {warnings} warnings, {infos} notes", checked.build.release)?;
    let alike = |a: &Finding, b: &Finding| (a.id, a.severity, &a.advice) == (b.id, b.severity, &b.advice);
    let mut at = 0;
    for kind in findings.chunk_by(alike) {
        let (first, repairs) = (&kind[0], &checked.repairs[at..at + kind.len()]);
        at += kind.len();
        let head = format!("{}[{}]", first.severity.name(), first.id);
        if let [one] = kind {
            writeln!(out, "{head}: {}", visible(&one.message))?;
        } else {
            writeln!(out, "{head}: {} times", kind.len())?;
        }
        for (finding, repair) in kind.iter().zip(repairs).take(NAMED) {
            if kind.len() > 1 {
                writeln!(out, "  - {}", visible(&finding.message))?;
            }
            if let Some(repair) = repair {
                writeln!(out, "    {}", repair_text(repair))?;
            }
        }
        if kind.len() > NAMED {
            writeln!(out, "  - and {} more (--json lists all)", kind.len() - NAMED)?;
        }
        writeln!(out, "    {}", first.advice)?;
    }
    Ok(())
}

fn repair_text(repair: &Repair) -> String {
    if repair.cells.is_empty() {
        return format!("no small change of the table removes it ({} builds tried)", repair.builds);
    }
    let cells: Vec<String> = repair
        .cells
        .iter()
        .map(|cell| format!("{} to {}: {} -> {}", cell.from, cell.to, cell.was, cell.value))
        .collect();
    let left = repair.after;
    let counts = format!("{} of {} errors and warnings are left", left.serious(), repair.before.serious());
    format!("this change of the table removes it: {}; {counts}", cells.join(", "))
}

/// A finding; what a witness lacks is left out.
fn to_json(build: &Build, finding: &Finding, repair: Option<&Repair>) -> Value {
    let mut value = json!({
        "id": finding.id,
        "severity": finding.severity.name(),
        "message": finding.message,
        "witness": witness(build, finding),
        "advice": finding.advice,
        "mended_by": finding.mended_by,
    });
    if let Some(repair) = repair {
        let cell = |cell: &Cell| json!({ "from": cell.from, "to": cell.to, "was": cell.was, "value": cell.value });
        value["repair"] = repair.cells.iter().map(cell).collect::<Vec<_>>().into();
        let [errors, warnings, infos] = repair.after.0;
        value["repair_leaves"] = json!({ "error": errors, "warning": warnings, "info": infos });
    }
    value
}

fn witness(build: &Build, finding: &Finding) -> Value {
    let witness = &finding.witness;
    let mut map = Map::new();
    if !witness.cpus.is_empty() {
        map.insert("cpus".into(), witness.cpus.to_string().into());
    }
    if !witness.nodes.is_empty() {
        map.insert("nodes".into(), witness.nodes.clone().into());
    }
    if !witness.pairs.is_empty() {
        map.insert("pairs".into(), json!(witness.pairs));
    }
    if let Some(level) = witness.level {
        map.insert("level".into(), build.level_label(level).into());
    }
    if !witness.groups.is_empty() {
        map.insert("groups".into(), witness.groups.iter().map(ToString::to_string).collect::<Vec<_>>().into());
    }
    Value::Object(map)
}

/// SARIF knows `note` instead of `info`.
fn sarif_level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// One run of SARIF 2.1.0, with every kind of finding as a rule.
fn sarif(checked: &[Checked]) -> Value {
    let rules: Vec<Value> =
        KINDS.iter().map(|kind| json!({ "id": kind.id, "shortDescription": { "text": kind.about } })).collect();
    let all = checked.iter().flat_map(|one| one.findings.iter().map(move |finding| (one, finding)));
    let results: Vec<Value> = all
        .map(|(one, finding)| {
            json!({
                "ruleId": finding.id,
                "ruleIndex": KINDS.iter().position(|kind| kind.id == finding.id),
                "level": sarif_level(finding.severity),
                "message": { "text": format!("{}. Advice: {}.", finding.message, finding.advice) },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&one.name) } } }],
                "properties": { "kernel": one.build.release.name, "witness": witness(&one.build, finding) },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "schedtopo", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}

/// A path as the relative reference SARIF wants: slashes kept, everything unusual escaped.
fn uri(path: &str) -> String {
    let escaped = |byte: u8| match byte {
        _ if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(escaped).collect()
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

    fn check(line: &[&str]) -> (Outcome, String) {
        let line = Line::parse_from(std::iter::once("check").chain(line.iter().copied()));
        let mut out = Vec::new();
        let outcome = run(&line.args, &mut out).unwrap();
        (outcome, String::from_utf8(out).unwrap())
    }

    #[test]
    fn status_says_whether_it_is_serious() {
        let (outcome, text) = check(&["ring4", "--kernel", "v4.11"]);
        assert_eq!(outcome, Outcome::Findings);
        assert!(text.contains("error[no-direct-path]: nodes 1 and 3 can't take tasks from each other"), "{text}");
        assert_eq!(check(&["ring4", "--kernel", "v6.12"]).0, Outcome::Clean);
        assert_eq!(check(&["line4", "--kernel", "v6.12", "--level", "info"]).0, Outcome::Findings);
    }

    #[test]
    fn sarif_has_a_rule_for_every_result() {
        let (_, text) = check(&["ring4", "--kernel", "v4.11", "--sarif"]);
        let sarif: Value = serde_json::from_str(&text).unwrap();
        let run = &sarif["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert!(!results.is_empty());
        for result in results {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
    }

    #[test]
    fn json_names_nodes_and_groups() {
        let (_, text) = check(&["ring4", "--kernel", "v4.11", "--json"]);
        let findings: Value = serde_json::from_str(&text).unwrap();
        let hole = &findings["findings"][0];
        assert_eq!(hole["id"], "no-direct-path");
        assert_eq!(hole["witness"]["pairs"], json!([[1, 3], [3, 1]]));
        assert_eq!(hole["witness"]["level"], "NUMA-2");
        assert_eq!(hole["witness"]["groups"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn several_machines_and_folders_are_checked_and_bad_ones_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "10 20\n20 10\n").unwrap();
        std::fs::write(folder.path().join("b.txt"), "10 20\n20 11\n30\n").unwrap();
        let name = folder.path().to_str().unwrap();
        let (outcome, text) = check(&[name, "ring4", "--kernel", "v4.11"]);
        assert_eq!(outcome, Outcome::BadInput);
        assert!(text.contains("a.txt") && !text.contains("b.txt") && text.contains("ring4\n"), "{text}");
        let (_, lines) = check(&["ring4", "mesh8", "--kernel", "v4.11", "--json"]);
        let files: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["file"].clone()).collect();
        assert_eq!(files, ["ring4", "mesh8"]);
    }

    #[test]
    fn findings_of_one_kind_are_told_once() {
        let (_, text) = check(&["mesh8", "--kernel", "v4.11"]);
        assert!(text.contains("error[no-direct-path]: "), "{text}");
        assert_eq!(text.matches("only CPUs that have a group first balance for it").count(), 2, "{text}");
    }

    #[test]
    fn odd_paths_are_escaped() {
        assert_eq!(uri("a dir/é:1.toml"), "a%20dir/%C3%A9%3A1.toml");
    }
}
