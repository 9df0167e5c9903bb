//! Writing TOML afresh: the shortest form that says everything.

use super::groups_key;
use crate::cpumask::CpuMask;
use crate::topology::generate::{Machine, Numbering};
use crate::topology::{Arch, CpuMasks, Distances, MaskLevel, RECLAIM_DISTANCE, Topology};
use std::fmt::{Display, Write};
use toml_edit::Value;

/// The topology as a TOML file: short forms where they say it all, nothing that is as by default.
pub fn write(topology: &Topology) -> String {
    let mut file = String::new();
    for (key, text) in [("name", &topology.name), ("about", &topology.about), ("source", &topology.source)] {
        if !text.is_empty() {
            line(&mut file, key, quoted(text));
        }
    }
    file.push_str(if file.is_empty() { "[machine]\n" } else { "\n[machine]\n" });
    let short = Machine::infer(topology);
    for (key, value) in machine(topology, short.as_ref()) {
        line(&mut file, key, value);
    }
    let given = |&level: &MaskLevel| topology.levels.get(level).filter(|_| short.is_none()).map(|masks| (level, masks));
    let levels: Vec<_> = MaskLevel::ALL.iter().filter_map(given).collect();
    if !levels.is_empty() {
        file.push_str("\n[machine.levels]\n");
    }
    for (level, masks) in levels {
        let (key, value) = level_value(level, masks);
        line(&mut file, key, value);
    }
    let _ = write!(file, "\n[distances]\ntable = \"\"\"\n{}\"\"\"\n", table(&topology.distances));
    let run: Vec<RunKey> = run(topology).into_iter().filter(|key| !key.is_default).collect();
    if !run.is_empty() {
        file.push_str("\n[run]\n");
    }
    for RunKey { key, value, .. } in run {
        line(&mut file, key, value.unwrap_or_else(|| Value::from("")));
    }
    file
}

fn line(file: &mut String, key: &str, value: impl Display) {
    // Writing into a String can't fail.
    let _ = writeln!(file, "{key} = {value}");
}

/// A string in TOML's quotes.
pub(super) fn quoted(text: &str) -> Value {
    Value::from(text)
}

/// The rows, columns aligned.
pub(super) fn table(distances: &Distances) -> String {
    let width = distances.rows().flatten().max().map_or(1, |most| most.to_string().len());
    let mut text = String::new();
    for row in distances.rows() {
        let cells: Vec<String> = row.iter().map(|cell| format!("{cell:>width$}")).collect();
        text.push_str(&cells.join(" "));
        text.push('\n');
    }
    text
}

/// Keys and values of `[machine]`.
fn machine(topology: &Topology, short: Option<&Machine>) -> Vec<(&'static str, Value)> {
    let mut lines = Vec::new();
    if topology.arch != Arch::Generic {
        lines.push(("arch", Value::from(topology.arch.name())));
    }
    lines.extend(short.map_or_else(|| explicit_form(topology), short_form));
    if topology.nodes.iter().zip(0..).any(|(node, id)| node.id != id) {
        lines.push(("node_ids", numbers(topology.nodes.iter().map(|node| node.id))));
    }
    lines
}

/// The short form's keys, without those that are as by default.
pub(super) fn short_form(machine: &Machine) -> Vec<(&'static str, Value)> {
    let number = |n: usize| Value::from(n as i64);
    let mut lines = vec![("nodes", number(machine.nodes)), ("cpus_per_node", number(machine.cpus_per_node))];
    if machine.threads_per_core > 1 {
        lines.push(("threads_per_core", number(machine.threads_per_core)));
    }
    if machine.numbering != Numbering::Adjacent {
        lines.push(("numbering", Value::from(machine.numbering.name())));
    }
    let sizes = [
        ("llc_cpus", machine.llc_cpus),
        ("cluster_cpus", machine.cluster_cpus),
        ("nodes_per_package", machine.nodes_per_package),
    ];
    lines.extend(sizes.into_iter().filter_map(|(key, size)| Some((key, number(size?)))));
    lines
}

/// CPUs and packages word for word.
fn explicit_form(topology: &Topology) -> Vec<(&'static str, Value)> {
    let mut lines = Vec::new();
    let last = topology.nodes.iter().filter_map(|node| node.cpus.last()).max();
    if last != topology.nr_cpus.checked_sub(1) {
        lines.push(("nr_cpus", Value::from(topology.nr_cpus as i64)));
    }
    lines.push(("node_cpus", lists(topology.nodes.iter().map(|node| &node.cpus))));
    if topology.nodes.iter().any(|node| node.package.is_some()) {
        lines.push(("package", packages(topology)));
    }
    if topology.numa_in_package {
        lines.push(("numa_in_package", Value::from(true)));
    }
    lines
}

/// The packages, -1 where one is not known.
pub(super) fn packages(topology: &Topology) -> Value {
    numbers(topology.nodes.iter().map(|node| node.package.map_or(-1, i64::from)))
}

/// A level's key and value: its groups where the masks are some, else the mask of each CPU.
pub(super) fn level_value(level: MaskLevel, masks: &CpuMasks) -> (&'static str, Value) {
    match groups(masks) {
        Some(groups) => (groups_key(level), lists(groups.iter())),
        None => (level.name(), per_cpu(masks)),
    }
}

/// The mask of each CPU.
pub(super) fn per_cpu(masks: &CpuMasks) -> Value {
    lists((0..masks.len()).map(|cpu| masks.get(cpu)))
}

/// The masks of more than one CPU, if every CPU is in its own mask and no masks overlap.
fn groups(masks: &CpuMasks) -> Option<Vec<CpuMask>> {
    let groups: Vec<CpuMask> = masks.distinct().iter().filter(|mask| mask.weight() > 1).cloned().collect();
    let total: usize = groups.iter().map(CpuMask::weight).sum();
    let all = groups.iter().fold(CpuMask::new(), |all, group| all.or(group));
    // Overlapping groups are no groups, even where each CPU's last one is its mask.
    (total == all.weight() && CpuMasks::from_groups(&groups, masks.len()) == *masks).then_some(groups)
}

/// A key of `[run]`.
pub(super) struct RunKey {
    pub(super) key: &'static str,
    /// `None` where only leaving the key out says it.
    pub(super) value: Option<Value>,
    /// Whether leaving the key out says the same.
    pub(super) is_default: bool,
}

/// All of `[run]`.
pub(super) fn run(topology: &Topology) -> [RunKey; 8] {
    let key = |key, value: Value, is_default| RunKey { key, value: Some(value), is_default };
    let cpulist = |mask: &CpuMask| Value::from(mask.to_string());
    let capacity = topology.capacity.as_ref().map(|capacity| numbers(capacity.iter().copied()));
    let everyone = topology.online == CpuMask::first_n(topology.nr_cpus);
    let reclaim = topology.reclaim_distance;
    let relax = topology.relax_domain_level.map(|level| Value::from(i64::from(level)));
    [
        key("online", cpulist(&topology.online), everyone),
        key("isolated", cpulist(&topology.isolated), topology.isolated.is_empty()),
        key("nohz_full", cpulist(&topology.nohz_full), topology.nohz_full.is_empty()),
        key("cpusets", lists(topology.cpusets.iter()), topology.cpusets.is_empty()),
        RunKey { key: "capacity", is_default: capacity.is_none(), value: capacity },
        key("sched_debug", Value::from(topology.sched_debug), topology.sched_debug),
        key("reclaim_distance", Value::from(i64::from(reclaim)), reclaim == RECLAIM_DISTANCE),
        RunKey { key: "relax_domain_level", is_default: relax.is_none(), value: relax },
    ]
}

/// A list of cpulists.
pub(super) fn lists<'a>(masks: impl Iterator<Item = &'a CpuMask>) -> Value {
    masks.map(CpuMask::to_string).collect()
}

/// A list of numbers.
pub(super) fn numbers(values: impl Iterator<Item = impl Into<i64>>) -> Value {
    values.map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::toml::read;
    use crate::topology::arbitrary;
    use crate::topology::generate::Shape;
    use proptest::prelude::*;

    #[test]
    fn equal_nodes_are_written_short() {
        let machine = Machine { threads_per_core: 2, llc_cpus: Some(4), ..Machine::new(4, 8) };
        let ring = machine.topology("ring", Shape::parse("ring:4").unwrap().distances()).unwrap();
        let text = "name = \"ring\"\n\n[machine]\nnodes = 4\ncpus_per_node = 8\nthreads_per_core = 2\nllc_cpus = 4\n\n\
            [distances]\ntable = \"\"\"\n10 20 30 20\n20 10 20 30\n30 20 10 20\n20 30 20 10\n\"\"\"\n";
        assert_eq!(write(&ring), text);
    }

    #[test]
    fn masks_that_overlap_are_written_cpu_by_cpu() {
        let distances = crate::topology::Distances::from_fn(1, |_, _| 10);
        let mut machine = Topology::new("", vec![CpuMask::first_n(3)], distances);
        let masks = [CpuMask::range(0, 1), CpuMask::range(1, 2), CpuMask::range(1, 2)];
        machine.levels.set(MaskLevel::Mc, Some(std::sync::Arc::new(CpuMasks::new(masks))));
        assert_eq!(read(&write(&machine)).unwrap(), machine);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(topology in arbitrary::topology()) {
            let text = write(&topology);
            prop_assert_eq!(read(&text).map_err(|error| format!("{error}\n{text}")), Ok(topology));
        }

        #[test]
        fn any_text_never_panics(text in any::<String>()) {
            let _ = read(&text);
        }

        /// A byte changed somewhere in a valid file gives an error or another topology, never a panic.
        #[test]
        fn damaged_files_never_panic(topology in arbitrary::topology(), at in any::<prop::sample::Index>(), byte in 0_u8..128) {
            let mut bytes = write(&topology).into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Err(error) = read(&String::from_utf8_lossy(&bytes)) {
                let _ = error.to_string();
            }
        }
    }
}
