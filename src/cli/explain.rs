//! `schedtopo explain`: why groups came out as they did.

mod json;

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::write_json;
use crate::analysis::trace::{self, Trace};
use crate::kernel::Build;
use crate::topology::Topology;
use std::io::{self, Write};

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine and the kernel.
    #[command(flatten)]
    pub of: Machine,
    /// The CPU; the first with domains when none is named
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<usize>,
    /// The level: MC, NUMA, NUMA-2 (the second NUMA level), or its index; all when none is named
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the traces of one CPU.
///
/// # Errors
/// Bad input, a CPU or level without groups, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (topology, build) = input::build(&args.of)?;
    let only = args.level.as_deref().map(|name| input::level(&build, name)).transpose()?;
    let cpu = args.cpu.or_else(|| build.cpu_map().first()).unwrap_or(0);
    if cpu >= topology.nr_cpus {
        return Err(CliError::Argument(format!("--cpu {cpu}: CPUs go from 0 to {}", topology.nr_cpus - 1)));
    }
    let traces = traces(&build, cpu, only)?;
    if args.json {
        write_json(out, &json::explained(&topology, &build, cpu, &traces))?;
        return Ok(Outcome::Clean);
    }
    writeln!(out, "CPU {cpu}, {}", build.release)?;
    if only.is_none() {
        levels(&topology, &build, out)?;
    }
    for trace in &traces {
        groups(&build, trace, out)?;
    }
    if only.is_none() {
        degeneration(&build, cpu, out)?;
    }
    Ok(Outcome::Clean)
}

/// The traces asked for.
fn traces(build: &Build, cpu: usize, only: Option<usize>) -> Result<Vec<Trace>, CliError> {
    let Some(level) = only else {
        return Ok(build.built_chain(cpu).filter_map(|(level, _)| trace::trace(build, cpu, level)).collect());
    };
    let none = || {
        let labels: Vec<String> = build.built_chain(cpu).map(|(level, _)| build.level_label(level)).collect();
        let has = if labels.is_empty() { "no domain at all".to_owned() } else { format!("only {}", labels.join(", ")) };
        CliError::Argument(format!("CPU {cpu} has no domain at {}: it has {has}", build.level_label(level)))
    };
    Ok(vec![trace::trace(build, cpu, level).ok_or_else(none)?])
}

fn levels(topology: &Topology, build: &Build, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nLevels from distances")?;
    writeln!(out, "  rule: {}", trace::distances_rule(build))?;
    for step in trace::distances(topology, build) {
        writeln!(out, "  {}", step.text(build))?;
    }
    let check = trace::span_check(topology, build);
    if !check.levels.is_empty() {
        writeln!(out, "\nSpan check")?;
        writeln!(out, "  rule: {}", trace::span_check_rule(build))?;
        for level in &check.levels {
            writeln!(out, "  {}", level.text(build))?;
        }
    }
    if let Some(error) = &build.error {
        writeln!(out, "\nNOT BUILT: {error}")?;
    }
    Ok(())
}

fn groups(build: &Build, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nGroups at {}, span {}", build.level_label(trace.level), build.span(trace.span))?;
    writeln!(out, "  rule: {}", trace.rule.text())?;
    for (number, step) in trace.steps.iter().enumerate() {
        writeln!(out, "  {:>3}. {}", number + 1, step.text(build))?;
    }
    for group in &trace.groups {
        writeln!(out, "  => {{{}}} mask {}", build.span(group.span), group.mask)?;
    }
    Ok(())
}

fn degeneration(build: &Build, cpu: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nDomains that stay and go")?;
    writeln!(out, "  rule: {}", trace::degeneration_rule(build))?;
    for step in trace::degeneration(build, cpu) {
        writeln!(out, "  {}", step.text(build))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn explain(machine: &str, kernel: &str, cpu: usize, level: Option<&str>, json: bool) -> Result<String, CliError> {
        let of = Machine { machine: machine.into(), kernel: Some(kernel.into()) };
        let mut out = Vec::new();
        run(&Args { of, cpu: Some(cpu), level: level.map(Into::into), json }, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn tells_the_bug_of_2017() {
        let text = explain("ring4", "v4.11", 1, Some("NUMA-2"), false).unwrap();
        assert!(text.contains("start at CPU 0: the lowest CPU of the span"), "{text}");
        assert!(text.contains("made for CPU 0: in {0-3}: they have a domain at this level"), "{text}");
        let fixed = explain("ring4", "v4.13", 1, Some("NUMA-2"), false).unwrap();
        assert!(fixed.contains("start at CPU 1: the CPU itself"), "{fixed}");
    }

    #[test]
    fn json_has_steps_and_groups() {
        let value: Value = serde_json::from_str(&explain("line4", "v6.12", 0, None, true).unwrap()).unwrap();
        let traces = value["traces"].as_array().unwrap();
        assert!(traces.iter().any(|trace| {
            let steps = trace["steps"].as_array().unwrap();
            trace["level"] == "NUMA-2" && steps.iter().any(|step| step["step"] == "descend")
        }));
    }

    #[test]
    fn json_steps_have_fields() {
        let value: Value = serde_json::from_str(&explain("ring4", "v4.11", 1, Some("NUMA-2"), true).unwrap()).unwrap();
        let trace = &value["traces"][0];
        assert_eq!(trace["builder"], "build_overlap_sched_groups");
        let steps = trace["steps"].as_array().unwrap();
        let first = |kind: &str| steps.iter().find(|step| step["step"] == kind).unwrap();
        assert_eq!((&first("start")["cpu"], &first("start")["why"]), (&0.into(), &"lowest-cpu".into()));
        assert_eq!((&first("take")["span"], &first("take")["level"]), (&"0-1,3".into(), &"NUMA-2".into()));
        assert_eq!(first("skip")["why"], "covered");
        let part = &first("mask")["parts"][0];
        assert_eq!((&part["cpus"], &part["in"], &part["why"]), (&"0-3".into(), &true.into(), &"has-domain".into()));
        assert_eq!(first("sgc")["earlier"]["cpu"], 0);
        assert_eq!(first("end")["covered"], "0-3");
        let distances = value["distances"]["steps"].as_array().unwrap();
        assert_eq!((&distances[1]["distance"], &distances[1]["level"]), (&20.into(), &"NUMA-1".into()));
        let gone = value["degeneration"]["steps"].as_array().unwrap().iter().filter(|step| step["goes"] == true);
        assert!(gone.count() > 0);
        let odd: Value = serde_json::from_str(&explain("odd5", "v6.16", 0, None, true).unwrap()).unwrap();
        let clash = odd["span_check"]["steps"].as_array().unwrap().iter().find(|step| step["outcome"] == "clash");
        assert_eq!((&clash.unwrap()["level"], &clash.unwrap()["read_as"]), (&"NODE".into(), &"NUMA-1".into()));
    }

    #[test]
    fn a_level_the_cpu_lacks_is_named() {
        let error = explain("asym4", "v6.12", 1, Some("NUMA-2"), false).unwrap_err().to_string();
        assert!(
            error.contains("CPU 1 has no domain at NUMA-2: it has only") || error.contains("the levels are"),
            "{error}"
        );
        assert!(explain("ring4", "v6.12", 99, None, false).is_err());
    }
}
