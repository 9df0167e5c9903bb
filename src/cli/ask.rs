//! `schedtopo ask`: the questions the balancer, timers and drivers ask of the domains.

pub mod about;
mod answer;
mod batch;

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use super::write::write_json;
use crate::balance::{Balancer, Steps};
use about::{About, Kind};
use answer::{in_words, to_json};
use serde_json::json;
use std::io::Write;

/// Arguments of `ask`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is asked
    #[arg(value_enum, required_unless_present = "batch")]
    pub question: Option<Kind>,
    /// A file (TOML, JSON, a distance table, `numactl -H`, lscpu, QEMU), `-` for standard input, or a preset
    #[arg(value_name = "FILE|PRESET", required_unless_present = "batch")]
    pub machine: Option<String>,
    /// The kernel to model: 6.12, v5.10.7, `uname -r` text, lauro-p2, newest
    #[arg(long, short, value_name = "RELEASE")]
    pub kernel: Option<String>,
    /// What it is asked about.
    #[command(flatten)]
    pub about: About,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Read questions as JSON lines from standard input, print one answer for each
    #[arg(long, conflicts_with_all = ["question", "machine", "json"])]
    pub batch: bool,
}

/// Answers one question, or those of standard input.
///
/// # Errors
/// Bad input, a question about what the machine has not, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (Some(kind), Some(machine)) = (args.question, &args.machine) else {
        return batch::answer_lines(std::io::stdin().lock(), out);
    };
    let of = super::machine::Machine { machine: machine.clone(), kernel: args.kernel.clone() };
    let (topology, build) = input::build(&of)?;
    let balancer = Balancer::new(&topology, &build);
    let question = args.about.question(kind, &topology)?;
    let mut steps = Steps::kept();
    let answer = question.ask(&balancer, &mut steps).map_err(|bad| CliError::Argument(bad.to_string()))?;
    let steps = steps.into_lines();
    if args.json {
        let mut value = to_json(&answer);
        value["steps"] = json!(steps);
        write_json(out, &value)?;
        return Ok(Outcome::Clean);
    }
    writeln!(out, "{}", in_words(&answer))?;
    for (number, step) in steps.iter().enumerate() {
        writeln!(out, "  {:>2}. {step}", number + 1)?;
    }
    Ok(Outcome::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn ask(kind: Kind, kernel: &str, about: About, json: bool) -> Result<String, CliError> {
        let args = Args {
            question: Some(kind),
            machine: Some("ring4".into()),
            kernel: Some(kernel.into()),
            about,
            json,
            batch: false,
        };
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn an_answer_comes_with_its_steps() {
        let about = About { cpu: Some(2), level: Some(1), idle: Some("1-3".into()), ..About::default() };
        let text = ask(Kind::MayBalance, "4.12", about.clone(), false).unwrap();
        assert!(text.starts_with("no: CPU 1 is elected\n   1. first group {1-3}"), "{text}");
        let value: Value = serde_json::from_str(&ask(Kind::MayBalance, "4.14", about, true).unwrap()).unwrap();
        assert_eq!((&value["balances"], &value["elected"]), (&json!(true), &json!(2)));
        assert!(value["steps"].as_array().unwrap().len() > 1);
    }

    #[test]
    fn what_is_missing_or_not_there_is_named() {
        let said = |kind, about| ask(kind, "6.12", about, false).unwrap_err().to_string();
        assert_eq!(said(Kind::Timer, About::default()), "cpu is missing: the question needs it");
        let beyond = About { cpu: Some(4), ..About::default() };
        assert_eq!(said(Kind::Closest, beyond), "CPU 4 does not exist; CPUs go from 0 to 3");
        let node = About { node: Some(7), n: Some(0), ..About::default() };
        assert_eq!(said(Kind::Nth, node), "node 7 does not exist; the nodes are 0-3");
        let level = About { cpu: Some(0), level: Some(2), ..About::default() };
        assert_eq!(said(Kind::MayBalance, level), "CPU 0 has no domain at level 2; it has 2, counted from 0");
        let among = About { cpu: Some(0), among: Some("9".into()), ..About::default() };
        assert!(said(Kind::Closest, among).starts_with("among: CPU 9 does not exist"));
    }
}
