//! Writing TOML afresh: the shortest form that says everything.

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
    for (key, value) in machine(topology) {
        line(&mut file, &key, value);
    }
    let _ = write!(file, "\n[distances]\ntable = \"\"\"\n{}\"\"\"\n", table(&topology.distances));
    let run = run(topology);
    if !run.is_empty() {
        file.push_str("\n[run]\n");
        for (key, value) in run {
            line(&mut file, key, value);
        }
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
fn machine(topology: &Topology) -> Vec<(String, Value)> {
    let mut lines = Vec::new();
    if topology.arch != Arch::Generic {
        lines.push(("arch".to_owned(), Value::from(topology.arch.name())));
    }
    match Machine::infer(topology) {
        Some(short) => lines.extend(short_form(&short).into_iter().map(|(key, value)| (key.to_owned(), value))),
        None => lines.extend(explicit_form(topology)),
    }
    if topology.nodes.iter().zip(0..).any(|(node, id)| node.id != id) {
        lines.insert(lines.len().min(2), ("node_ids".to_owned(), numbers(topology.nodes.iter().map(|node| node.id))));
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

/// CPUs, packages and levels word for word.
fn explicit_form(topology: &Topology) -> Vec<(String, Value)> {
    let mut lines = Vec::new();
    let last = topology.nodes.iter().filter_map(|node| node.cpus.last()).max();
    if last != topology.nr_cpus.checked_sub(1) {
        lines.push(("nr_cpus".to_owned(), Value::from(topology.nr_cpus as i64)));
    }
    lines.push(("node_cpus".to_owned(), lists(topology.nodes.iter().map(|node| &node.cpus))));
    if topology.nodes.iter().any(|node| node.package.is_some()) {
        lines.push(("package".to_owned(), packages(topology)));
    }
    if topology.numa_in_package {
        lines.push(("numa_in_package".to_owned(), Value::from(true)));
    }
    for level in MaskLevel::ALL {
        if let Some(masks) = topology.levels.get(level) {
            let (suffix, value) = level_value(masks);
            lines.push((format!("levels.{}{suffix}", level.name()), value));
        }
    }
    lines
}

/// The packages, -1 where one is not known.
pub(super) fn packages(topology: &Topology) -> Value {
    numbers(topology.nodes.iter().map(|node| node.package.map_or(-1, i64::from)))
}

/// A level's masks: as groups where they are some, else one per CPU. The first part is the key's ending.
pub(super) fn level_value(masks: &CpuMasks) -> (&'static str, Value) {
    match groups(masks) {
        Some(groups) => ("_groups", lists(groups.iter())),
        None => ("", lists((0..masks.len()).map(|cpu| masks.get(cpu)))),
    }
}

/// The masks of more than one CPU, if every CPU is in its own mask and no masks overlap.
pub(super) fn groups(masks: &CpuMasks) -> Option<Vec<CpuMask>> {
    let groups: Vec<CpuMask> = masks.distinct().iter().filter(|mask| mask.weight() > 1).cloned().collect();
    (CpuMasks::from_groups(&groups, masks.len()) == *masks).then_some(groups)
}

/// Keys and values of `[run]` that are not as by default.
pub(super) fn run(topology: &Topology) -> Vec<(&'static str, Value)> {
    let mut lines = Vec::new();
    if topology.online != CpuMask::first_n(topology.nr_cpus) {
        lines.push(("online", cpulist(&topology.online)));
    }
    for (key, mask) in [("isolated", &topology.isolated), ("nohz_full", &topology.nohz_full)] {
        if !mask.is_empty() {
            lines.push((key, cpulist(mask)));
        }
    }
    if !topology.cpusets.is_empty() {
        lines.push(("cpusets", lists(topology.cpusets.iter())));
    }
    if let Some(capacity) = &topology.capacity {
        lines.push(("capacity", numbers(capacity.iter().copied())));
    }
    if !topology.sched_debug {
        lines.push(("sched_debug", Value::from(false)));
    }
    if topology.reclaim_distance != RECLAIM_DISTANCE {
        lines.push(("reclaim_distance", Value::from(i64::from(topology.reclaim_distance))));
    }
    lines
}

fn cpulist(mask: &CpuMask) -> Value {
    Value::from(mask.to_string())
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
