//! `schedtopo check`: findings as text, JSON or SARIF, and an exit status for scripts.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::write_json;
use crate::analysis::findings::{self, Finding, KINDS, Severity};
use crate::analysis::repair::{self, Cell, Repair};
use crate::formats::visible;
use crate::kernel::Build;
use crate::topology::Topology;
use serde_json::{Map, Value, json};
use std::io::{self, IsTerminal, Write};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine and the kernel.
    #[command(flatten)]
    pub of: Machine,
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
    let (topology, build) = input::build(&args.of)?;
    let findings = findings::find(&topology, &build);
    let repairs = if args.repair { repairs(&topology, &build, &findings) } else { vec![None; findings.len()] };
    if args.json {
        let all: Vec<Value> =
            findings.iter().zip(&repairs).map(|(finding, repair)| to_json(&build, finding, repair.as_ref())).collect();
        write_json(out, &json!({ "machine": topology.name, "kernel": build.release.name, "findings": all }))?;
    } else if args.sarif {
        write_json(out, &sarif(&build, &args.of.machine, &findings))?;
    } else {
        to_text(&build, &findings, &repairs, out)?;
    }
    let counts = findings.iter().any(|finding| finding.severity >= args.level.severity());
    Ok(if counts { Outcome::Findings } else { Outcome::Clean })
}

/// Looks for a repair of each finding. On a large machine that takes long: a terminal is told how far it is.
fn repairs(topology: &Topology, build: &Build, findings: &[Finding]) -> Vec<Option<Repair>> {
    let mut terminal = Some(io::stderr()).filter(IsTerminal::is_terminal);
    let mut tell = |text: &str| {
        if let Some(terminal) = &mut terminal {
            // Of no consequence when it can't be told.
            let _ = write!(terminal, "\r\x1b[K{text}").and_then(|()| terminal.flush());
        }
    };
    let repair = |(at, finding): (usize, &Finding)| {
        tell(&format!("looking for a repair of finding {} of {}", at + 1, findings.len()));
        repair::repair(topology, &build.release, finding, repair::BUDGET)
    };
    let repairs = findings.iter().enumerate().map(repair).collect();
    tell("");
    repairs
}

fn to_text(build: &Build, findings: &[Finding], repairs: &[Option<Repair>], out: &mut dyn Write) -> io::Result<()> {
    for (finding, repair) in findings.iter().zip(repairs) {
        writeln!(out, "{}[{}]: {}", finding.severity.name(), finding.id, visible(&finding.message))?;
        writeln!(out, "    {}", finding.advice)?;
        if let Some(repair) = repair {
            writeln!(out, "    {}", repair_text(repair))?;
        }
    }
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let [errors, warnings, infos] = Severity::ALL.map(count);
    writeln!(out, "{}: {errors} errors, {warnings} warnings, {infos} notes", build.release)
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
fn sarif(build: &Build, machine: &str, findings: &[Finding]) -> Value {
    let rules: Vec<Value> =
        KINDS.iter().map(|kind| json!({ "id": kind.id, "shortDescription": { "text": kind.about } })).collect();
    let results: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "ruleId": finding.id,
                "ruleIndex": KINDS.iter().position(|kind| kind.id == finding.id),
                "level": sarif_level(finding.severity),
                "message": { "text": format!("{}. Advice: {}.", finding.message, finding.advice) },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(machine) } } }],
                "properties": { "kernel": build.release.name, "witness": witness(build, finding) },
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
    fn odd_paths_are_escaped() {
        assert_eq!(uri("a dir/é:1.toml"), "a%20dir/%C3%A9%3A1.toml");
    }
}
