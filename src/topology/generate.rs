//! Machines made by rule: distance tables of the classic interconnects, and CPU numberings as firmware does them.

mod dealing;
mod machine;
mod shape;

pub use dealing::Dealing;
pub use machine::{Machine, Numbering};
pub use shape::{Hops, Kind, Shape};

use super::{Invalid, Topology};

/// CPUs of each node of a generated machine, when nobody says.
const CPUS_PER_NODE: usize = 2;

/// Generates a machine: a shape, and after a blank how many CPUs each node has: `ring:8 4`.
///
/// # Errors
/// What can't be read, and what it should look like.
pub fn machine(text: &str) -> Result<Topology, Invalid> {
    let mut words = text.split_whitespace();
    let shape = Shape::parse(words.next().unwrap_or_default())?;
    let cpus = words.next().map_or(Ok(CPUS_PER_NODE), str::parse);
    let (Ok(cpus), None) = (cpus, words.next()) else {
        return Err(Invalid::new("machine", format!("{text}: what follows the shape is no number"), "write ring:8 4"));
    };
    Machine::new(shape.kind.nodes(), cpus).topology(text, shape.distances())
}
