//! `schedtopo reach`: node by node, the lowest level at which one can pull tasks directly from the other.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::Table;
use super::write::write_json;
use crate::analysis::reach::{self, Reach};
use crate::kernel::Build;
use crate::topology::Topology;
use serde_json::{Value, json};
use std::io::Write;

/// Arguments of `reach`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine and the kernel.
    #[command(flatten)]
    pub of: Machine,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the table of nodes.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (topology, build) = input::build(&args.of)?;
    let reach = reach::reach(&topology, &build);
    if args.json {
        write_json(out, &to_json(&build, &reach))?;
    } else {
        to_text(&topology, &build, &reach, out)?;
    }
    Ok(Outcome::Clean)
}

/// Pairs of node indices as pairs of ids.
fn ids(reach: &Reach, pairs: &[(usize, usize)]) -> Vec<[u32; 2]> {
    pairs.iter().map(|&(puller, source)| [reach.nodes[puller], reach.nodes[source]]).collect()
}

fn to_json(build: &Build, reach: &Reach) -> Value {
    let label = |level: &Option<u32>| level.map(|level| build.level_label(level as usize));
    let rows: Vec<Vec<Option<String>>> = reach.level.iter().map(|row| row.iter().map(label).collect()).collect();
    json!({
        "nodes": reach.nodes,
        "level": rows,
        "holes": ids(reach, &reach.holes),
        "blocked": ids(reach, &reach.blocked),
        "relayed": ids(reach, &reach.relayed),
    })
}

fn to_text(topology: &Topology, build: &Build, reach: &Reach, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some(error) = &build.error {
        writeln!(out, "NOT BUILT: {error}\n")?;
    }
    writeln!(
        out,
        "Lowest level at which a node (row) pulls tasks directly from another (column), {}\n",
        build.release
    )?;
    let header = reach.nodes.iter().map(|id| format!("node {id}"));
    let mut table = Table::new(std::iter::once(String::new()).chain(header));
    let stuck: Vec<(usize, usize)> = reach.stuck().collect();
    for (puller, row) in reach.level.iter().enumerate() {
        let cells = row.iter().enumerate().map(|(source, level)| {
            let pair = (puller, source);
            match level {
                Some(level) if stuck.binary_search(&pair).is_ok() => format!("{}!", build.level_label(*level as usize)),
                Some(level) => build.level_label(*level as usize),
                None if reach.holes.binary_search(&pair).is_ok() => "NEVER".to_owned(),
                None => "-".to_owned(),
            }
        });
        table.row(std::iter::once(format!("node {}", reach.nodes[puller])).chain(cells));
    }
    table.write(out)?;
    writeln!(out)?;
    let pairs = Pairs { topology, build, reach };
    pairs.list(&reach.holes, "NEVER: no level, whatever the load", out)?;
    pairs.list(&stuck, "!: never when it matters, the CPU elected to balance can't pull from there", out)?;
    if reach.holes.is_empty() && stuck.is_empty() {
        writeln!(out, "every node with CPUs can pull from every other")?;
    }
    Ok(())
}

/// Pairs shown before the rest is counted.
const PAIRS: usize = 24;

/// What is written about pairs of nodes.
struct Pairs<'a> {
    topology: &'a Topology,
    build: &'a Build,
    reach: &'a Reach,
}

impl Pairs<'_> {
    fn list(&self, pairs: &[(usize, usize)], what: &str, out: &mut dyn Write) -> Result<(), CliError> {
        if pairs.is_empty() {
            return Ok(());
        }
        writeln!(out, "{what}")?;
        for &(puller, source) in pairs.iter().take(PAIRS) {
            let [from, to] = [puller, source].map(|node| self.reach.nodes[node]);
            writeln!(out, "  node {from} from node {to}: {}", self.cause(puller, source))?;
        }
        if pairs.len() > PAIRS {
            writeln!(out, "  and {} more", pairs.len() - PAIRS)?;
        }
        Ok(())
    }

    /// What stands in the way, with the groups it is about.
    fn cause(&self, puller: usize, source: usize) -> String {
        let obstacles = reach::why(self.topology, self.build, puller, source);
        let Some(obstacle) = reach::decisive(&obstacles) else {
            return "no domain of its CPUs has a group with the source".to_owned();
        };
        let level = self.build.level_label(obstacle.level as usize);
        format!("CPUs {} at {level}: {}", obstacle.cpus, obstacle.why.text(self.build))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_the_holes_of_the_ring() {
        let of = Machine { machine: "ring4".into(), kernel: Some("v4.11".into()) };
        let mut out = Vec::new();
        run(&Args { of, json: true }, &mut out).unwrap();
        let reach: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(reach["nodes"], json!([0, 1, 2, 3]));
        assert_eq!(reach["holes"], json!([[1, 3], [3, 1]]));
        assert_eq!(reach["blocked"], json!([[2, 0]]));
        assert_eq!(reach["level"][0], json!([null, "NUMA-1", "NUMA-2", "NUMA-1"]));
    }

    #[test]
    fn text_marks_holes_and_blocked_paths() {
        let of = Machine { machine: "ring4".into(), kernel: Some("v4.11".into()) };
        let mut out = Vec::new();
        run(&Args { of, json: false }, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("node 1  NUMA-1   -       NUMA-1  NEVER"), "{text}");
        assert!(text.contains("node 2  NUMA-2!"), "{text}");
        assert!(text.contains("node 1 from node 3: CPUs 1 at NUMA-2: in every group"), "{text}");
        assert!(text.contains("node 2 from node 0: CPUs 2 at NUMA-2: could, but CPU 1"), "{text}");
    }
}
