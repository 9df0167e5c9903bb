//! `schedtopo diff`: what differs between two builds.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use super::write::write_json;
use crate::analysis::compare::{self, Change, Comparison, Difference, GroupFacts};
use crate::formats::visible;
use crate::kernel::{self, Build};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One machine and two kernels, or two machines
    #[arg(value_name = "FILE|PRESET", num_args = 1..=2, required = true)]
    pub machines: Vec<String>,
    /// The kernel; give it twice to compare two
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// The machine and the kernel of each side.
    fn sides(&self) -> Result<[(&str, &str); 2], CliError> {
        let first = self.machines[0].as_str();
        let second = self.machines.last().map_or(first, String::as_str);
        let kernels = match self.kernel.as_slice() {
            [] => ["newest", "newest"],
            [one] => [one.as_str(), one.as_str()],
            [one, two] => [one.as_str(), two.as_str()],
            _ => return Err(CliError::Argument("--kernel: give it at most twice".into())),
        };
        if self.machines.len() == 1 && self.kernel.len() < 2 {
            let advice = "name a second machine, or give --kernel twice";
            return Err(CliError::Argument(format!("nothing to compare {first} with: {advice}")));
        }
        Ok([(first, kernels[0]), (second, kernels[1])])
    }
}

/// Prints the differences.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let sides = args.sides()?;
    let build = |(machine, kernel): (&str, &str)| -> Result<Build, CliError> {
        let release = input::release(kernel)?;
        Ok(kernel::build(&input::load(machine)?.topology, &release))
    };
    let (left, right) = (build(sides[0])?, build(sides[1])?);
    let comparison = compare::compare(&left, &right);
    let outcome = if comparison.is_equal() { Outcome::Clean } else { Outcome::Findings };
    if args.json {
        let [a, b] = sides.map(|(machine, _)| machine);
        let mut value = to_json(&left, &right, &comparison);
        value["left"] = json!({ "machine": a, "kernel": left.release.name });
        value["right"] = json!({ "machine": b, "kernel": right.release.name });
        write_json(out, &value)?;
        return Ok(outcome);
    }
    for ((machine, _), (sign, build)) in sides.iter().zip([("-", &left), ("+", &right)]) {
        writeln!(out, "{sign} {} {}", visible(machine), build.release)?;
    }
    to_text(&left, &right, &comparison, out)?;
    Ok(outcome)
}

/// The name of a level that may have different ones on both sides.
fn place(left: &Build, right: &Build, difference: &Difference) -> String {
    let label = |build: &Build, level: Option<usize>| level.map(|level| build.level_label(level));
    match (label(left, difference.left), label(right, difference.right)) {
        (Some(a), Some(b)) if a != b => format!("{a}/{b}"),
        (Some(label), _) | (None, Some(label)) => label,
        (None, None) => String::new(),
    }
}

pub(super) fn to_text(left: &Build, right: &Build, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    if comparison.is_equal() {
        return writeln!(out, "\nno difference");
    }
    for change in &comparison.machine {
        writeln!(out, "\n{}\n  - {}\n  + {}", change.what.name(), change.left, change.right)?;
    }
    for difference in &comparison.differences {
        let place = place(left, right, difference);
        let space = if place.is_empty() { "" } else { " " };
        write!(out, "\nCPU {}{space}{place}: ", difference.cpus)?;
        if difference.variants > 1 {
            let first = difference.cpus.first().unwrap_or(0);
            let how = if difference.alike { "alike, for other CPUs" } else { "different ones of this kind" };
            write!(out, "({} changes, {how}; of CPU {first}:) ", difference.variants)?;
        }
        change(right, &difference.change, out)?;
    }
    Ok(())
}

fn change(right: &Build, change: &Change, out: &mut dyn Write) -> io::Result<()> {
    match change {
        Change::Removed(span) => writeln!(out, "no longer there\n  - {span}"),
        Change::Added(span) => writeln!(out, "new\n  + {span}"),
        Change::Span { left, right } => writeln!(out, "span\n  - {left}\n  + {right}"),
        Change::Flags { lost, gained } => {
            let llc = right.release.rules.llc_flag_name;
            writeln!(out, "flags")?;
            for (sign, flags) in [("-", lost), ("+", gained)] {
                if !flags.is_empty() {
                    writeln!(out, "  {sign} {}", flags.names(llc).collect::<Vec<_>>().join(" "))?;
                }
            }
            Ok(())
        }
        Change::Groups(groups) => {
            let aspects: Vec<&str> = groups.aspects.iter().map(|aspect| aspect.name()).collect();
            writeln!(out, "groups: {}", aspects.join(", "))?;
            writeln!(out, "  - {}\n  + {}", list(&groups.left), list(&groups.right))
        }
        Change::Pointer { name, left, right } => writeln!(out, "{name}\n  - {left}\n  + {right}"),
    }
}

/// Groups shown before the rest is counted.
const GROUPS: usize = 12;

fn list(groups: &[GroupFacts]) -> String {
    let shown: Vec<String> = groups
        .iter()
        .take(GROUPS)
        .map(|group| {
            let balance = group.balance_cpu.map_or_else(|| "none".to_owned(), |cpu| cpu.to_string());
            let mask = if group.mask == group.span { String::new() } else { format!(" mask {}", group.mask) };
            format!("{{{}{mask} balance CPU {balance} {} cap {}}}", group.span, group.sgc, group.capacity)
        })
        .collect();
    let more = groups.len().saturating_sub(GROUPS);
    if more > 0 { format!("{} and {more} more", shown.join(" ")) } else { shown.join(" ") }
}

fn to_json(left: &Build, right: &Build, comparison: &Comparison) -> Value {
    let label = |build: &Build, level: Option<usize>| level.map(|level| build.level_label(level));
    let machine: Vec<Value> = comparison
        .machine
        .iter()
        .map(|change| json!({ "what": change.what.name(), "left": change.left, "right": change.right }))
        .collect();
    let differences: Vec<Value> = comparison
        .differences
        .iter()
        .map(|difference| {
            let mut value = change_json(left, right, &difference.change);
            value["cpus"] = difference.cpus.to_string().into();
            value["left_level"] = label(left, difference.left).into();
            value["right_level"] = label(right, difference.right).into();
            value["variants"] = difference.variants.into();
            value["alike"] = difference.alike.into();
            value
        })
        .collect();
    json!({ "left": null, "right": null, "equal": comparison.is_equal(), "machine": machine, "differences": differences })
}

fn change_json(left_build: &Build, right_build: &Build, change: &Change) -> Value {
    let groups = |groups: &[GroupFacts]| -> Vec<Value> {
        groups
            .iter()
            .map(|group| {
                json!({
                    "span": group.span.to_string(),
                    "mask": group.mask.to_string(),
                    "balance_cpu": group.balance_cpu,
                    "sgc": group.sgc,
                    "capacity": group.capacity,
                })
            })
            .collect()
    };
    match change {
        Change::Removed(span) => json!({ "change": "removed", "left": span.to_string() }),
        Change::Added(span) => json!({ "change": "added", "right": span.to_string() }),
        Change::Span { left, right } => {
            json!({ "change": "span", "left": left.to_string(), "right": right.to_string() })
        }
        Change::Flags { lost, gained } => {
            let lost: Vec<&str> = lost.names(left_build.release.rules.llc_flag_name).collect();
            let gained: Vec<&str> = gained.names(right_build.release.rules.llc_flag_name).collect();
            json!({ "change": "flags", "left": lost, "right": gained })
        }
        Change::Groups(change) => json!({
            "change": "groups",
            "aspects": change.aspects.iter().map(|aspect| aspect.name()).collect::<Vec<_>>(),
            "left": groups(&change.left),
            "right": groups(&change.right),
        }),
        Change::Pointer { name, left, right } => json!({ "change": name, "left": left, "right": right }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(machines: &[&str], kernels: &[&str], json: bool) -> Result<String, CliError> {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let mut out = Vec::new();
        run(&Args { machines: list(machines), kernel: list(kernels), json }, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn shows_groups_of_two_kernels() {
        let text = diff(&["ring4"], &["v4.12", "v4.13"], false).unwrap();
        assert!(text.contains("CPU 1 NUMA-2: groups: spans"), "{text}");
        let value: Value = serde_json::from_str(&diff(&["ring4"], &["v4.12", "v4.13"], true).unwrap()).unwrap();
        assert_eq!(value["equal"], false);
        assert!(value["differences"].as_array().unwrap().iter().any(|one| one["change"] == "groups"));
    }

    #[test]
    fn alike_is_no_difference() {
        assert!(diff(&["ring4", "ring4"], &[], false).unwrap().contains("no difference"));
        assert!(diff(&["ring4"], &["v6.12"], false).is_err());
        assert!(diff(&["ring4"], &["v6.12", "v6.13", "v6.14"], false).is_err());
    }
}
