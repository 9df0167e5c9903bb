//! Graphviz: the graph of the nodes.

use crate::topology::{REMOTE_DISTANCE, Topology};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The most edges drawn: a graph with more can't be read.
const MAX_EDGES: usize = 2_000;

/// Writes the nodes with their CPUs and, between them, the shortest distances that hold the graph together: longer ones are
/// what two or more hops come to. Edges are directed where the table is asymmetric.
pub fn write(topology: &Topology) -> String {
    let (symmetric, nodes) = (topology.distances.is_symmetric(), topology.nodes.len());
    let (kind, arrow) = if symmetric { ("graph", "--") } else { ("digraph", "->") };
    let mut out =
        format!("{kind} \"{}\" {{\n  layout=neato; overlap=false; node [shape=box];\n", escaped(&topology.name));
    // Writing to a string can't fail.
    for (index, node) in topology.nodes.iter().enumerate() {
        let cpus =
            if node.cpus.is_empty() { "no CPUs".to_owned() } else { format!("CPUs {}", topology.node_online(index)) };
        let _ = writeln!(out, "  n{} [label=\"node {}\\n{cpus}\"];", node.id, node.id);
    }
    let limit = joining_distance(topology);
    let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
    let drawn = pairs.filter(|&(from, to)| if symmetric { from < to } else { from != to });
    let near = drawn.filter(|&(from, to)| topology.distances.get(from, to) <= limit).take(MAX_EDGES);
    for (from, to) in near {
        let (value, ids) = (topology.distances.get(from, to), [from, to].map(|at| topology.nodes[at].id));
        let length = f64::from(value) / f64::from(REMOTE_DISTANCE);
        let _ = writeln!(out, "  n{} {arrow} n{} [label=\"{value}\", len={length:.2}];", ids[0], ids[1]);
    }
    out.push_str("}\n");
    out
}

/// The smallest distance at which all nodes hang together.
fn joining_distance(topology: &Topology) -> u32 {
    let nodes = topology.nodes.len();
    let distances: BTreeSet<u32> = topology.distances.rows().flatten().copied().collect();
    let joined = |limit: u32| {
        let (mut seen, mut next) = (vec![false; nodes], vec![0]);
        while let Some(from) = next.pop() {
            if std::mem::replace(&mut seen[from], true) {
                continue;
            }
            next.extend((0..nodes).filter(|&to| !seen[to] && topology.distances.get(from, to) <= limit));
        }
        seen.into_iter().all(|seen| seen)
    };
    distances.iter().copied().find(|&limit| joined(limit)).unwrap_or(u32::MAX)
}

fn escaped(text: &str) -> String {
    super::visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_is_drawn_with_its_four_links() {
        let mut ring = crate::presets::find("ring4").unwrap().topology().unwrap();
        let text = write(&ring);
        assert_eq!(text.matches(" -- ").count(), 4);
        assert!(!text.contains("label=\"30\""));
        ring.distances.set(0, 1, 21);
        ring.name = "a\"b\\".to_owned();
        let text = write(&ring);
        assert!(text.starts_with("digraph \"a\\\"b\\\\\" {"), "{text}");
        assert!(text.contains("n1 -> n0"));
    }
}
