//! `schedtopo bisect`: the releases at which what a kernel makes of a machine changes.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use super::write::write_json;
use crate::analysis::compare::{self, Aspect, Change, Comparison, ReleaseChange};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Arguments of `bisect`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file (TOML, JSON, a distance table, `numactl -H`, lscpu, QEMU), `-` for standard input, or a preset
    #[arg(value_name = "FILE|PRESET")]
    pub machine: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the changes, oldest first.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let topology = input::load(&args.machine)?.topology;
    let releases = compare::releases();
    let changes = compare::bisect(&topology, &releases);
    if args.json {
        let changes: Vec<Value> = changes.iter().map(to_json).collect();
        write_json(out, &json!({ "changes": changes }))?;
        return Ok(Outcome::Clean);
    }
    let (first, last) = (releases.first(), releases.last());
    if let (Some(first), Some(last)) = (first, last) {
        writeln!(out, "{} changes from {first} to {last}", changes.len())?;
    }
    for change in &changes {
        to_text(change, out)?;
    }
    Ok(Outcome::Clean)
}

fn to_json(change: &ReleaseChange) -> Value {
    json!({ "from": change.from, "to": change.to, "rules": change.rules, "cpus": change.cpus.to_string() })
}

fn to_text(change: &ReleaseChange, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{} -> {}", change.from, change.to)?;
    writeln!(out, "  rules    {}", change.rules.join(", "))?;
    if !change.cpus.is_empty() {
        writeln!(out, "  CPUs     {}", change.cpus)?;
    }
    writeln!(out, "  changes  {}", summary(&change.comparison).join(", "))
}

/// What kinds of things change.
fn summary(comparison: &Comparison) -> Vec<String> {
    let mut aspects: BTreeSet<Aspect> = BTreeSet::new();
    let mut kinds: BTreeSet<String> = comparison.machine.iter().map(|change| change.what.name().to_owned()).collect();
    for difference in &comparison.differences {
        match &difference.change {
            Change::Removed(_) => kinds.insert("domains gone".into()),
            Change::Added(_) => kinds.insert("domains new".into()),
            Change::Span { .. } => kinds.insert("domain spans".into()),
            Change::Flags { .. } => kinds.insert("domain flags".into()),
            Change::Pointer { name, .. } => kinds.insert((*name).to_owned()),
            Change::Groups(groups) => {
                aspects.extend(&groups.aspects);
                false
            }
        };
    }
    let aspects: Vec<&str> = aspects.into_iter().map(Aspect::name).collect();
    if !aspects.is_empty() {
        kinds.insert(format!("groups ({})", aspects.join(", ")));
    }
    kinds.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_names_the_rules() {
        let mut out = Vec::new();
        run(&Args { machine: "ring4".into(), json: true }, &mut out).unwrap();
        let value: Value = serde_json::from_slice(&out).unwrap();
        let fix = value["changes"].as_array().unwrap().iter().find(|change| change["to"] == "v4.13").unwrap();
        assert_eq!((&fix["from"], &fix["cpus"]), (&json!("v4.12"), &json!("0-3")));
        assert!(fix["rules"].as_array().unwrap().contains(&json!("overlap_groups")));
    }
}
