//! What every topology must hold before a kernel could have booted with it.

use super::{Levels, MaskLevel, Topology};
use crate::cpumask::{CpuMask, MAX_CPUS};

/// The most nodes a machine may have: the kernel's own limit (`NODES_SHIFT` 10).
pub const MAX_NODES: usize = 1024;

/// The greatest distance kept. Firmware has one byte for it and the kernel an `int`; what is beyond can only be a slip.
pub const MAX_DISTANCE: u32 = 99_999;

/// A topology that can't be one: the place, what is wrong there, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}; {cure}")]
pub struct Invalid {
    /// The field, in the words of the file formats.
    pub place: String,
    /// What is wrong.
    pub fault: String,
    /// What would be right.
    pub cure: String,
}

impl Invalid {
    /// An error at `place`.
    pub fn new(place: impl Into<String>, fault: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { place: place.into(), fault: fault.into(), cure: cure.into() }
    }
}

impl Topology {
    /// Checks the shape: table square and as large as the node list, ids ascending, node CPUs apart, every CPU named
    /// within bounds, one mask and capacity per CPU.
    ///
    /// # Errors
    /// The first fault found, in file order.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.validate_nodes()?;
        self.validate_distances()?;
        validate_levels(&self.levels, self.nr_cpus)?;
        self.validate_run()
    }

    fn validate_nodes(&self) -> Result<(), Invalid> {
        let nodes = self.nodes.len();
        if nodes == 0 {
            return Err(Invalid::new("node_cpus", "there are no nodes", "name the CPUs of at least one node"));
        }
        if nodes > MAX_NODES {
            let fault = format!("{nodes} nodes are more than the {MAX_NODES} a kernel can have");
            return Err(Invalid::new("node_cpus", fault, format!("give at most {MAX_NODES} nodes")));
        }
        if self.nr_cpus == 0 || self.nr_cpus > MAX_CPUS {
            let fault = format!("{} CPUs", self.nr_cpus);
            return Err(Invalid::new("nr_cpus", fault, format!("a machine has 1 to {MAX_CPUS} CPUs")));
        }
        if let Some(pair) = self.nodes.windows(2).find(|pair| pair[0].id >= pair[1].id) {
            let fault = format!("node id {} follows {}", pair[1].id, pair[0].id);
            return Err(Invalid::new("node_ids", fault, "list the nodes by ascending id, each id once"));
        }
        if let Some(node) = self.nodes.iter().find(|node| node.id as usize >= MAX_NODES) {
            let fault = format!("node id {} is beyond the last possible one", node.id);
            return Err(Invalid::new("node_ids", fault, format!("node ids go from 0 to {}", MAX_NODES - 1)));
        }
        let mut taken = CpuMask::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let place = format!("node_cpus[{index}]");
            within(&place, &node.cpus, self.nr_cpus)?;
            if let Some(cpu) = node.cpus.first_and(&taken) {
                let other = self.nodes.iter().find(|other| other.cpus.contains(cpu)).map_or(0, |other| other.id);
                let fault = format!("CPU {cpu} is in node {other} and in node {}", node.id);
                return Err(Invalid::new(place, fault, "a CPU belongs to one node"));
            }
            taken.or_assign(&node.cpus);
        }
        let homeless = CpuMask::first_n(self.nr_cpus).andnot(&taken);
        if let Some(cpu) = homeless.first_and(&self.online) {
            let fault = format!("CPU {cpu} is online and in no node");
            return Err(Invalid::new("node_cpus", fault, "put every online CPU in a node, or lower nr_cpus"));
        }
        Ok(())
    }

    fn validate_distances(&self) -> Result<(), Invalid> {
        let (nodes, size) = (self.nodes.len(), self.distances.nodes());
        if nodes != size {
            let fault = format!("the table is {size}×{size} for {nodes} nodes");
            return Err(Invalid::new("distance", fault, format!("give {nodes} rows of {nodes} distances")));
        }
        let rows = self.distances.rows().enumerate();
        let far = rows.flat_map(|(from, row)| row.iter().enumerate().map(move |(to, &value)| (from, to, value)));
        match far.into_iter().find(|&(_, _, value)| value > MAX_DISTANCE) {
            Some((from, to, value)) => Err(too_far(from, to, value)),
            None => Ok(()),
        }
    }

    fn validate_run(&self) -> Result<(), Invalid> {
        within("online", &self.online, self.nr_cpus)?;
        within("isolated", &self.isolated, self.nr_cpus)?;
        within("nohz_full", &self.nohz_full, self.nr_cpus)?;
        let mut taken = CpuMask::new();
        for (index, cpuset) in self.cpusets.iter().enumerate() {
            let place = format!("cpusets[{index}]");
            within(&place, cpuset, self.nr_cpus)?;
            if let Some(cpu) = cpuset.first_and(&taken) {
                let fault = format!("CPU {cpu} is in an earlier partition too");
                return Err(Invalid::new(place, fault, "a CPU belongs to one partition"));
            }
            taken.or_assign(cpuset);
        }
        if let Some(capacity) = &self.capacity
            && capacity.len() != self.nr_cpus
        {
            let fault = format!("{} values for {} CPUs", capacity.len(), self.nr_cpus);
            return Err(Invalid::new("capacity", fault, "give one value per CPU"));
        }
        Ok(())
    }
}

/// The error for a distance beyond [`MAX_DISTANCE`].
pub(super) fn too_far(from: usize, to: usize, value: u32) -> Invalid {
    let fault = format!("{value} is no distance");
    Invalid::new(format!("distance[{from}][{to}]"), fault, format!("distances go from 0 to {MAX_DISTANCE}"))
}

fn validate_levels(levels: &Levels, nr_cpus: usize) -> Result<(), Invalid> {
    for level in MaskLevel::ALL {
        let Some(masks) = levels.get(level) else { continue };
        let place = format!("levels.{}", level.name());
        if masks.len() != nr_cpus {
            let fault = format!("{} masks for {nr_cpus} CPUs", masks.len());
            return Err(Invalid::new(place, fault, "give one cpulist per CPU"));
        }
        for mask in masks.distinct() {
            within(&place, mask, nr_cpus)?;
        }
    }
    Ok(())
}

fn within(place: &str, mask: &CpuMask, nr_cpus: usize) -> Result<(), Invalid> {
    match mask.last().filter(|&last| last >= nr_cpus) {
        Some(last) => {
            let fault = format!("CPU {last} does not exist, there are {nr_cpus}");
            Err(Invalid::new(place, fault, format!("CPUs go from 0 to {}", nr_cpus.saturating_sub(1))))
        }
        None => Ok(()),
    }
}
