//! `schedtopo explain`: why groups came out as they did.

use super::args::Machine;
use super::{CliError, Outcome, input, write_json};
use crate::analysis::trace::{self, Step, Trace};
use crate::kernel::Build;
use crate::topology::Topology;
use serde_json::{Value, json};
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
        write_json(out, &to_json(&topology, &build, cpu, &traces))?;
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
    for step in trace::distances(topology, build) {
        writeln!(out, "  {}", step.text(build))?;
    }
    let check = trace::span_check(topology, build);
    if !check.levels.is_empty() {
        writeln!(out, "\nSpan check")?;
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
    if !trace.spans_domain(build) {
        writeln!(out, "  the groups do not hold exactly the domain's CPUs")?;
    }
    Ok(())
}

fn degeneration(build: &Build, cpu: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nDomains that stay and go")?;
    for step in trace::degeneration(build, cpu) {
        writeln!(out, "  {}", step.text(build))?;
    }
    Ok(())
}

fn to_json(topology: &Topology, build: &Build, cpu: usize, traces: &[Trace]) -> Value {
    let lines = |texts: Vec<String>| Value::from(texts);
    let check = trace::span_check(topology, build);
    json!({
        "cpu": cpu,
        "kernel": build.release.name,
        "distances": lines(trace::distances(topology, build).iter().map(|step| step.text(build)).collect()),
        "span_check": lines(check.levels.iter().map(|level| level.text(build)).collect()),
        "traces": traces.iter().map(|trace| trace_json(build, trace)).collect::<Vec<_>>(),
        "degeneration": lines(trace::degeneration(build, cpu).iter().map(|step| step.text(build)).collect()),
    })
}

fn trace_json(build: &Build, trace: &Trace) -> Value {
    let groups: Vec<Value> = trace
        .groups
        .iter()
        .map(|group| {
            json!({
                "span": build.span(group.span).to_string(),
                "mask": group.mask.to_string(),
                "found_at": group.found_at,
                "owner": group.owner,
                "level": build.level_label(group.level),
            })
        })
        .collect();
    json!({
        "level": build.level_label(trace.level),
        "span": build.span(trace.span).to_string(),
        "child": trace.child.map(|child| build.span(child).to_string()),
        "rule": trace.rule.text(),
        "steps": trace.steps.iter().map(|step| step_json(build, step)).collect::<Vec<_>>(),
        "groups": groups,
    })
}

fn step_json(build: &Build, step: &Step) -> Value {
    let kind = match step {
        Step::Start { .. } => "start",
        Step::Skip { .. } => "skip",
        Step::Descend { .. } => "descend",
        Step::Take { .. } => "take",
        Step::Mask { .. } => "mask",
        Step::Sgc { .. } => "sgc",
        Step::Head { .. } => "head",
        Step::Tangled => "tangled",
        Step::End { .. } => "end",
    };
    json!({ "step": kind, "text": step.text(build) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(machine: &str, kernel: &str, cpu: usize, level: Option<&str>, json: bool) -> Result<String, CliError> {
        let of = Machine { machine: machine.into(), kernel: kernel.into() };
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
    fn a_level_the_cpu_lacks_is_named() {
        let error = explain("asym4", "v6.12", 1, Some("NUMA-2"), false).unwrap_err().to_string();
        assert!(
            error.contains("CPU 1 has no domain at NUMA-2: it has only") || error.contains("the levels are"),
            "{error}"
        );
        assert!(explain("ring4", "v6.12", 99, None, false).is_err());
    }
}
