//! Tasks as a person writes them: `8@nodes:1,3`.

use crate::cpumask::CpuMask;
use crate::topology::Topology;
use std::sync::Arc;

/// Tasks at most, which is more than any machine is asked to hold.
const MAX_TASKS: usize = 1_000_000;

/// Text that names no tasks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}`: {what}; write COUNT, COUNT@nodes:LIST or COUNT@cpus:LIST, as in 8@nodes:1,3 4@cpus:0-3")]
pub struct SpecError {
    /// The part that is wrong.
    pub part: String,
    /// What is wrong.
    pub what: String,
}

/// The affinities of the tasks `text` names, in order: parts separated by blanks or `;`, each a number of tasks and the
/// node ids or CPUs they may run on; all online CPUs when none are named.
///
/// # Errors
/// Which part is wrong, and what would be right.
pub fn parse_tasks(topology: &Topology, text: &str) -> Result<Vec<Arc<CpuMask>>, SpecError> {
    let mut tasks: Vec<Arc<CpuMask>> = Vec::new();
    for part in text.split([' ', '\t', ';']).filter(|part| !part.is_empty()) {
        let bad = |what: &str| SpecError { part: part.to_owned(), what: what.to_owned() };
        let (count, place) = part.split_once('@').unwrap_or((part, ""));
        let count: usize = count.parse().map_err(|_| bad("no number of tasks"))?;
        if count == 0 || tasks.len() + count > MAX_TASKS {
            return Err(bad("between 1 and 1000000 tasks are possible"));
        }
        let allowed = affinity(topology, place).map_err(|what| bad(&what))?;
        tasks.extend(std::iter::repeat_n(Arc::new(allowed), count));
    }
    if tasks.is_empty() {
        return Err(SpecError { part: text.to_owned(), what: "no tasks".to_owned() });
    }
    Ok(tasks)
}

fn affinity(topology: &Topology, place: &str) -> Result<CpuMask, String> {
    let list = |text: &str, limit| CpuMask::parse(text, Some(limit)).map_err(|error| error.to_string());
    let allowed = match place.split_once(':') {
        None if place.is_empty() => topology.online.clone(),
        Some(("nodes" | "node", ids)) => {
            let last = topology.nodes.last().map_or(0, |node| node.id as usize);
            let mut cpus = CpuMask::new();
            for id in list(ids, last + 1)?.iter() {
                let index = topology.node_index(id as u32).ok_or_else(|| format!("there is no node {id}"))?;
                cpus.or_assign(&topology.node_online(index));
            }
            cpus
        }
        Some(("cpus" | "cpu", cpus)) => list(cpus, topology.nr_cpus)?.and(&topology.online),
        _ => return Err("it names neither nodes nor CPUs".to_owned()),
    };
    if allowed.is_empty() { Err("no online CPU is among them".to_owned()) } else { Ok(allowed) }
}
