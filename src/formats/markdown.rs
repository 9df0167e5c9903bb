//! Markdown: a machine as a page shows it.

use crate::topology::{MaskLevel, Topology};
use std::fmt::Write;

/// Writes the name, the nodes with their CPUs, and the distances.
pub fn write(topology: &Topology) -> String {
    let name = if topology.name.is_empty() { "A machine" } else { topology.name.as_str() };
    let mut out = format!("# {}\n\n", escaped(name));
    // Writing to a string can't fail.
    for text in [&topology.about, &topology.source].into_iter().filter(|text| !text.is_empty()) {
        let _ = writeln!(out, "{}\n", escaped(text));
    }
    let (smt, mc) = (topology.mask(MaskLevel::Smt), topology.mask(MaskLevel::Mc));
    out.push_str("| node | CPUs | threads of a core | CPUs of a last-level cache |\n|---|---|---|---|\n");
    for (index, node) in topology.nodes.iter().enumerate() {
        let cpus = topology.node_online(index);
        let of = |weight: usize| if weight == 0 { "-".to_owned() } else { weight.to_string() };
        let first = cpus.first();
        let (threads, cache) =
            (first.map_or(0, |cpu| smt.get(cpu).weight()), first.map_or(0, |cpu| mc.get(cpu).weight()));
        let list = if cpus.is_empty() { "none".to_owned() } else { cpus.to_string() };
        let _ = writeln!(out, "| {} | {list} | {} | {} |", node.id, of(threads), of(cache));
    }
    out.push('\n');
    out.push_str(&table(topology));
    out
}

/// The distances as a table; rows are from, columns to.
pub fn table(topology: &Topology) -> String {
    let ids: Vec<String> = topology.nodes.iter().map(|node| node.id.to_string()).collect();
    let mut out = format!("| from \\ to | {} |\n|---|{}\n", ids.join(" | "), "---|".repeat(ids.len()));
    for (id, row) in ids.iter().zip(topology.distances.rows()) {
        let cells: Vec<String> = row.iter().map(u32::to_string).collect();
        let _ = writeln!(out, "| **{id}** | {} |", cells.join(" | "));
    }
    out
}

/// Text that can't be taken for markup.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in super::visible(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
