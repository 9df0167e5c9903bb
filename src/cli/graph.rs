//! `schedtopo graph`: the nodes and their links, or the groups of a level and the capacities they share.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::write_json;
use crate::analysis::graph::Graph;
use crate::analysis::sharing;
use crate::formats::{Target, visible, write as written};
use crate::kernel::{self, Build};
use crate::topology::Topology;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;

/// Arguments of `graph`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: schedtopo graph mesh8 --dot | neato -Tsvg > mesh8.svg")]
pub struct Args {
    /// The machine and the kernel.
    #[command(flatten)]
    pub of: Machine,
    /// Draw this level's groups and the `sched_group_capacity` instances they use: MC, NUMA, NUMA-2, or an index
    #[arg(long, value_name = "LEVEL")]
    pub sgc: Option<String>,
    /// Print Graphviz
    #[arg(long)]
    pub dot: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "dot")]
    pub json: bool,
}

/// Prints the graph.
///
/// # Errors
/// Bad input, a level there is not, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (topology, release) = input::machine(&args.of)?;
    match &args.sgc {
        Some(level) => {
            let build = kernel::build(&topology, &release);
            let edges = shares(&build, input::level(&build, level)?);
            if args.json {
                write_json(out, &json!({ "shares": edges.iter().map(Share::to_json).collect::<Vec<_>>() }))?;
            } else if args.dot {
                out.write_all(shares_dot(&edges).as_bytes())?;
            } else {
                edges.iter().try_for_each(|edge| writeln!(out, "{{{}}} -> {}", edge.span, edge.sgc))?;
            }
        }
        None if args.json => write_json(out, &nodes_json(&topology))?,
        None if args.dot => out.write_all(&written(&topology, Target::Dot)?)?,
        None => {
            for (from, to, distance) in links(&topology) {
                writeln!(out, "node {from} - node {to}  {distance}")?;
            }
        }
    }
    Ok(Outcome::Clean)
}

/// The shortest distances that join all nodes, by id.
fn links(topology: &Topology) -> Vec<(u32, u32, u32)> {
    let id = |index: usize| topology.nodes[index].id;
    let graph = Graph::new(&topology.distances);
    graph.links.iter().map(|link| (id(link.a), id(link.b), topology.distances.get(link.a, link.b))).collect()
}

fn nodes_json(topology: &Topology) -> Value {
    let graph = Graph::new(&topology.distances);
    let nodes: Vec<Value> = topology
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let point = graph.points.get(index).map(|point| [point.x, point.y]);
            json!({ "id": node.id, "cpus": node.cpus.to_string(), "at": point })
        })
        .collect();
    let links: Vec<Value> = links(topology).iter().map(|(from, to, distance)| json!([from, to, distance])).collect();
    json!({ "machine": topology.name, "nodes": nodes, "links": links })
}

/// A group and an instance it uses.
struct Share {
    span: String,
    sgc: String,
    capacity: u64,
    holders: String,
}

impl Share {
    fn to_json(&self) -> Value {
        json!({ "span": self.span, "sgc": self.sgc, "capacity": self.capacity, "holders": self.holders })
    }
}

fn shares(build: &Build, level: usize) -> Vec<Share> {
    let sharing = sharing::of_level(build, level);
    let of = |instance: &sharing::Instance| {
        let sgc = build.sgc(instance.sgc);
        let (name, capacity, holders) = (build.sgc_name(sgc), sgc.capacity, instance.holders.to_string());
        let share = move |span: &kernel::SpanId| Share {
            span: build.span(*span).to_string(),
            sgc: name.clone(),
            capacity,
            holders: holders.clone(),
        };
        instance.spans.iter().map(share).collect::<Vec<_>>()
    };
    sharing.instances.iter().flat_map(of).collect()
}

fn shares_dot(shares: &[Share]) -> String {
    let mut out = String::from("digraph sgc {\n  rankdir=LR;\n  node [shape=box];\n");
    // Writing to a string can't fail.
    for Share { span, sgc, capacity, holders } in shares {
        let sgc = visible(sgc);
        let _ = writeln!(out, "  \"{sgc}\" [shape=ellipse, label=\"{sgc}\\n{capacity}\"];");
        let _ = writeln!(out, "  \"{{{span}}}\" -> \"{sgc}\" [label=\"CPUs {holders}\"];");
    }
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(line: &str) -> String {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        let line = <Line as clap::Parser>::parse_from(std::iter::once("graph").chain(line.split_whitespace()));
        let mut out = Vec::new();
        run(&line.args, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_ring_has_four_links_and_its_groups_their_instances() {
        assert_eq!(graph("ring4").lines().count(), 4);
        let value: Value = serde_json::from_str(&graph("ring4 --json")).unwrap();
        assert_eq!((value["nodes"].as_array().unwrap().len(), value["links"].as_array().unwrap().len()), (4, 4));
        assert!(graph("ring4 --dot").contains("n0 -- n1"));
        let old = graph("ring4 --sgc NUMA-2 --kernel v4.11");
        let new = graph("ring4 --sgc NUMA-2 --kernel v4.13");
        assert_eq!((old.lines().count(), new.lines().count()), (2, 4), "{old}{new}");
        assert!(graph("ring4 --sgc NUMA-2 --kernel v4.11 --dot").contains("\"{0-1,3}\" -> "));
    }
}
