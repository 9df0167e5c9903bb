//! The `numa=fake=` boot parameter of x86: nodes that are made up, and the distances between them.

use super::error::{FormatError, short};
use crate::cpumask::CpuMask;
use crate::topology::{Distances, LOCAL_DISTANCE, MAX_NODES, Topology};

/// What is said of CPUs, which the parameter has none of.
const ASSUMED: &str = "numa=fake names no CPUs: one CPU a node assumed; newer kernels list every CPU in every fake node, and then \
                       build no NUMA domains";

/// The value of the last such parameter.
fn value(text: &str) -> Option<&str> {
    text.split_whitespace()
        .filter_map(|word| word.trim_matches(['"', '\'', '`']).strip_prefix("numa=fake="))
        .next_back()
}

/// Whether a text is, or holds, such a parameter.
pub(super) fn is_numa_fake(text: &str) -> bool {
    value(text).is_some()
}

/// Reads the machine: as many nodes as the parameter makes on one real node, with one CPU each.
///
/// # Errors
/// When the number of nodes depends on memory, or the distances are no table.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    let value = value(text).unwrap_or_default();
    let (count, list) = value.split_once(':').unwrap_or((value, ""));
    let nodes = count.parse::<usize>().ok().filter(|nodes| (1..=MAX_NODES).contains(nodes)).ok_or_else(|| {
        let fault = format!("numa=fake={}: how many nodes these are depends on memory", short(value));
        FormatError::new(fault, "write a number of nodes: numa=fake=4:10,20,...")
    })?;
    let numbers: Result<Vec<u32>, _> = list.split(',').filter(|word| !word.is_empty()).map(str::parse).collect();
    let numbers =
        numbers.map_err(|_| FormatError::new("numa=fake: the distances are no numbers", "write 10,20,20,10"))?;
    let distances = match numbers.len() {
        // Those on one real node are as near as that node is to itself.
        0 => Distances::from_fn(nodes, |_, _| LOCAL_DISTANCE),
        count if count == nodes * nodes => Distances::from_fn(nodes, |from, to| numbers[from * nodes + to]),
        count => {
            let fault = format!("numa=fake: {count} distances for {nodes} nodes");
            return Err(FormatError::new(fault, format!("give {} of them, row by row", nodes * nodes)));
        }
    };
    let cpus = (0..nodes).map(CpuMask::single).collect();
    let topology = Topology { about: ASSUMED.to_owned(), ..Topology::new("", cpus, distances) };
    topology.validate()?;
    Ok(topology)
}

/// Writes the parameter.
///
/// # Errors
/// When a distance is beyond what a kernel takes.
pub fn write(topology: &Topology) -> Result<String, FormatError> {
    let cells: Vec<String> = topology.distances.rows().flatten().map(u32::to_string).collect();
    if let Some(far) = topology.distances.rows().flatten().find(|&&cell| !(1..=255).contains(&cell)) {
        return Err(FormatError::new(format!("a distance of {far}"), "numa=fake takes 1 to 255"));
    }
    Ok(format!("numa=fake={}:{}\n", topology.nodes.len(), cells.join(",")))
}
