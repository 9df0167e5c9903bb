//! Answers as JSON and in words.

use crate::balance::distance::NoHopMask;
use crate::balance::question::Answer;
use serde_json::{Value, json};

/// The answer as `--batch` prints it.
pub(super) fn to_json(answer: &Answer) -> Value {
    match answer {
        Answer::Cpu(cpu) => json!({ "cpu": cpu }),
        Answer::Mask(Ok(mask)) => json!({ "mask": mask.to_string() }),
        Answer::Mask(Err(NoHopMask::Einval)) => json!({ "mask": null, "errno": "EINVAL" }),
        Answer::Mask(Err(NoHopMask::NoCpus)) => json!({ "mask": null }),
        Answer::Verdict(verdict) => json!({ "balances": verdict.balances, "elected": verdict.elected }),
        Answer::Pinned(pinned) => {
            json!({ "can": pinned.can, "new_dst": pinned.new_dst, "flags": pinned.flags.names() })
        }
        Answer::Timer(target) => json!({ "cpu": target.cpu, "visited": target.visited }),
        Answer::Absent(since) => json!({ "absent": format!("{since} brought it") }),
    }
}

/// The answer in one line.
pub(super) fn in_words(answer: &Answer) -> String {
    let cpu = |cpu: &Option<usize>| cpu.map_or_else(|| "none".to_owned(), |cpu| format!("CPU {cpu}"));
    match answer {
        Answer::Cpu(found) => cpu(found),
        Answer::Mask(Ok(mask)) => format!("CPUs {mask}"),
        Answer::Mask(Err(NoHopMask::Einval)) => "-EINVAL".to_owned(),
        Answer::Mask(Err(NoHopMask::NoCpus)) => "NULL: the node has no CPUs".to_owned(),
        Answer::Verdict(verdict) => {
            let word = if verdict.balances { "yes" } else { "no" };
            verdict.elected.map_or_else(|| word.to_owned(), |elected| format!("{word}: CPU {elected} is elected"))
        }
        Answer::Pinned(pinned) if pinned.can => "it can migrate".to_owned(),
        Answer::Pinned(pinned) => {
            format!("it can't migrate; new_dst_cpu: {}; {}", cpu(&pinned.new_dst), pinned.flags.names().join(" "))
        }
        Answer::Timer(target) => format!("{}, after {} CPUs visited", cpu(&target.cpu), target.visited),
        Answer::Absent(since) => format!("this release has no such function: {since} brought it"),
    }
}
