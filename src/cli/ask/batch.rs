//! `schedtopo ask --batch`: questions as JSON lines in, answers out, in order.

use super::about::{About, Kind};
use super::answer::to_json;
use crate::balance::{Balancer, Steps};
use crate::cli::error::CliError;
use crate::cli::lines;
use crate::cli::outcome::Outcome;
use crate::formats::{FormatError, json};
use crate::kernel::{self, Build, Release};
use crate::presets;
use crate::topology::Topology;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// What a line says besides what the question is about. A line may carry fields of its own.
#[derive(Deserialize)]
struct Header {
    topology: Box<RawValue>,
    kernel: String,
    question: Kind,
}

/// A machine and what a kernel made of it.
type Built = Arc<(Topology, Build)>;

/// Builds that are kept: questions about one machine tend to follow one another.
#[derive(Default)]
struct Builds(Mutex<FxHashMap<(String, String), Built>>);

impl Builds {
    /// All CPUs of the builds kept at most, a measure of their memory.
    const CPUS: usize = 1 << 16;

    fn get(&self, header: &Header) -> Result<Built, CliError> {
        let key = (header.topology.get().to_owned(), header.kernel.clone());
        let kept = |builds: &Self| builds.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(built) = kept(self) {
            return Ok(built);
        }
        let release = Release::parse(&header.kernel)?;
        let topology = topology(header.topology.get())?;
        let build = kernel::build(&topology, &release);
        let built = Arc::new((topology, build));
        let mut builds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if builds.values().map(|built| built.0.nr_cpus).sum::<usize>() + built.0.nr_cpus > Self::CPUS {
            builds.clear();
        }
        builds.insert(key, Arc::clone(&built));
        Ok(built)
    }
}

/// A preset by its name, or a topology in full.
fn topology(json: &str) -> Result<Topology, FormatError> {
    match serde_json::from_str::<String>(json) {
        Ok(name) => presets::find(&name).ok_or_else(|| crate::cli::input::unknown_preset(&name))?.topology(),
        Err(_) => json::read(json),
    }
}

/// Answers every question of `input`.
///
/// # Errors
/// Input and output that fail. Bad lines are no errors: each gets a line of its own.
pub(super) fn answer_lines(mut input: impl BufRead, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let builds = Builds::default();
    let mut outcome = Outcome::Clean;
    loop {
        let lines = lines::read_some(&mut input)?;
        if lines.is_empty() {
            break;
        }
        for answer in lines::on_all_cores(&lines, |line| answer(&builds, line)) {
            let answer = answer.unwrap_or_else(|error| {
                outcome = Outcome::BadInput;
                json!({ "input_error": error.to_string() })
            });
            serde_json::to_writer(&mut *out, &answer).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    Ok(outcome)
}

fn answer(builds: &Builds, line: &lines::Line) -> Result<Value, CliError> {
    let text = line.text()?;
    let bad = |error: serde_json::Error| CliError::Argument(error.to_string());
    let header: Header = serde_json::from_str(text).map_err(bad)?;
    let about: About = serde_json::from_str(text).map_err(bad)?;
    let built = builds.get(&header)?;
    let (topology, build) = &*built;
    let question = about.question(header.question, topology)?;
    let balancer = Balancer::new(topology, build);
    let answer = question.ask(&balancer, &mut Steps::unheard());
    Ok(to_json(&answer.map_err(|bad| CliError::Argument(bad.to_string()))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &str) -> (Outcome, Vec<Value>) {
        let mut out = Vec::new();
        let outcome = answer_lines(input.as_bytes(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        (outcome, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn every_question_has_its_answer() {
        let ask = |rest: &str| format!("{{\"topology\":\"ring4\",{rest}}}\n");
        let lines = [
            (r#""kernel":"v6.12","question":"closest","cpu":1,"among":"2-3""#, json!({"cpu":2})),
            (r#""kernel":"v6.12","question":"closest","cpu":1,"among":"""#, json!({"cpu":null})),
            (r#""kernel":"v6.12","question":"nth","node":1,"n":3,"among":"0-3""#, json!({"cpu":3})),
            (r#""kernel":"v6.2","question":"nth","node":1,"n":3,"among":"0-3""#, json!({"absent":"6.3 brought it"})),
            (r#""kernel":"v6.12","question":"hops","node":1,"hops":1"#, json!({"mask":"0-2"})),
            (r#""kernel":"v6.12","question":"hops","node":1,"hops":3"#, json!({"mask":null,"errno":"EINVAL"})),
            (r#""kernel":"v6.12","question":"spread","node":-1,"n":5"#, json!({"cpu":1})),
            (
                r#""kernel":"v4.12","question":"may_balance","cpu":2,"level":1,"idle":"1-3""#,
                json!({"balances":false,"elected":1}),
            ),
            (
                r#""kernel":"v6.4","question":"pinned","dst":1,"src":3,"level":1,"allowed":"2-3","newidle":false"#,
                json!({"can":false,"new_dst":2,"flags":["SOME_PINNED","DST_PINNED"]}),
            ),
            (
                r#""kernel":"v6.12","question":"timer","cpu":0,"idle":"0-2","housekeeping":"3""#,
                json!({"cpu":3,"visited":1}),
            ),
            (r#""kernel":"v6.12","question":"ilb","cpu":3,"nohz_idle":"1-2","idle":"0-2""#, json!({"cpu":1})),
        ];
        let input: String = lines.iter().map(|(line, _)| ask(line)).collect();
        let (outcome, found) = answers(&input);
        assert_eq!(outcome, Outcome::Clean);
        for ((line, want), found) in lines.iter().zip(&found) {
            assert_eq!(found, want, "{line}");
        }
        assert_eq!(found.len(), lines.len());
    }

    #[test]
    fn bad_lines_say_so_and_the_rest_goes_on() {
        let ring = r#"{"name":"r","node_cpus":["0","1"],"distance":[[10,20],[20,10]]}"#;
        let ask = |topology: &str, question: &str| {
            format!(
                "{{\"topology\":{topology},\"kernel\":\"v6.12\",\"question\":\"{question}\",\"cpu\":0,\"among\":\"1\"}}\n"
            )
        };
        let input = [
            ask(ring, "closest"),
            ask("\"ringg4\"", "closest"),
            ask(ring, "furthest"),
            "nonsense\n".to_owned(),
            ask(ring, "closest").replace("v6.12", "v3.1"),
            ask("{\"node_cpus\":[]}", "closest"),
            ask(ring, "closest"),
        ];
        let (outcome, found) = answers(&input.concat());
        assert_eq!(outcome, Outcome::BadInput);
        assert_eq!(found.len(), input.len());
        for (at, answer) in found.iter().enumerate() {
            let good = at == 0 || at == input.len() - 1;
            assert_eq!(answer["cpu"] == 1, good, "{at}: {answer}");
            assert_eq!(answer["input_error"].is_string(), !good, "{at}: {answer}");
        }
        assert!(found[1]["input_error"].as_str().unwrap().contains("did you mean the preset ring4?"));
    }
}
