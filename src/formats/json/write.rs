//! Writing JSON: one line, only what differs from the default, nothing lost.

use crate::cpumask::CpuMask;
use crate::topology::{Arch, CpuMasks, MaskLevel, RECLAIM_DISTANCE, Topology};
use std::fmt::{Display, Write};

/// The topology as one line of JSON, without the line's end.
pub fn write(topology: &Topology) -> String {
    let mut line = Object(String::from("{"));
    line.text("name", &topology.name);
    line.text("about", &topology.about);
    line.text("source", &topology.source);
    if topology.arch != Arch::Generic {
        line.text("arch", topology.arch.name());
    }
    line.value("nr_cpus", topology.nr_cpus);
    line.list("node_cpus", topology.nodes.iter().map(|node| quoted(&node.cpus)));
    if topology.nodes.iter().zip(0..).any(|(node, id)| node.id != id) {
        line.list("node_ids", topology.nodes.iter().map(|node| node.id));
    }
    if topology.nodes.iter().any(|node| node.package.is_some()) {
        line.list("package", topology.nodes.iter().map(|node| node.package.map_or(-1, i64::from)));
    }
    line.list("distance", topology.distances.rows().map(list));
    write_levels(&mut line, topology);
    write_run(&mut line, topology);
    line.0.push('}');
    line.0
}

fn write_levels(line: &mut Object, topology: &Topology) {
    let mut levels = Object(String::from("{"));
    for level in MaskLevel::ALL {
        if let Some(masks) = topology.levels.get(level) {
            levels.value(level.name(), per_cpu(masks));
        }
    }
    if levels.0.len() > 1 {
        levels.0.push('}');
        line.value("levels", levels.0);
    }
}

fn write_run(line: &mut Object, topology: &Topology) {
    if topology.online != CpuMask::first_n(topology.nr_cpus) {
        line.value("online", quoted(&topology.online));
    }
    for (name, mask) in [("isolated", &topology.isolated), ("nohz_full", &topology.nohz_full)] {
        if !mask.is_empty() {
            line.value(name, quoted(mask));
        }
    }
    if !topology.cpusets.is_empty() {
        line.list("cpusets", topology.cpusets.iter().map(quoted));
    }
    if let Some(capacity) = &topology.capacity {
        line.value("capacity", list(capacity));
    }
    if !topology.sched_debug {
        line.value("sched_debug", false);
    }
    if topology.reclaim_distance != RECLAIM_DISTANCE {
        line.value("reclaim_distance", topology.reclaim_distance);
    }
    if let Some(level) = topology.relax_domain_level {
        line.value("relax_domain_level", level);
    }
    if topology.numa_in_package {
        line.value("numa_in_package", true);
    }
}

/// The masks as a list with one cpulist per CPU, each different one printed once.
fn per_cpu(masks: &CpuMasks) -> String {
    let printed: Vec<String> = masks.distinct().iter().map(quoted).collect();
    joined((0..masks.len()).map(|cpu| printed[masks.id(cpu)].as_str()))
}

fn quoted(mask: &CpuMask) -> String {
    format!("\"{mask}\"")
}

fn list(values: &[u32]) -> String {
    joined(values.iter())
}

fn joined(values: impl Iterator<Item = impl Display>) -> String {
    let mut text = String::from("[");
    for (at, value) in values.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&value.to_string());
    }
    text.push(']');
    text
}

/// An object being written.
struct Object(String);

impl Object {
    fn value(&mut self, name: &str, value: impl Display) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        // Writing into a String can't fail.
        let _ = write!(self.0, "\"{name}\":{value}");
    }

    fn list(&mut self, name: &str, values: impl Iterator<Item = impl Display>) {
        self.value(name, joined(values));
    }

    /// A text, left out when empty: that is what it is when missing.
    fn text(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.value(name, serde_json::Value::from(text));
        }
    }
}
