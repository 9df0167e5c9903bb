//! CPU numberings as firmware does them: so many CPUs a node, threads of a core side by side or far apart.

use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::topology::{CpuMasks, Distances, Invalid, MAX_NODES, MaskLevel, Node, Topology};
use std::sync::Arc;

/// Where the second thread of a core gets its CPU number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// Right after the first: CPUs 0 and 1 are a core.
    #[default]
    Adjacent,
    /// After the first threads of all cores of the machine: on 8 cores, CPUs 0 and 8 are a core.
    Split,
}

impl Numbering {
    /// Both, in the order shown to people.
    pub const ALL: [Self; 2] = [Self::Adjacent, Self::Split];

    /// The name files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "adjacent",
            Self::Split => "split",
        }
    }
}

/// A machine of equal nodes: the short form of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Nodes, ids from 0.
    pub nodes: usize,
    /// CPUs (threads) of each.
    pub cpus_per_node: usize,
    /// Threads of each core; more than 1 gives an SMT level.
    pub threads_per_core: usize,
    /// How the threads are numbered.
    pub numbering: Numbering,
    /// CPUs that share a last-level cache (MC), counted core by core; may cover several nodes.
    pub llc_cpus: Option<usize>,
    /// CPUs of a cluster (CLS), counted core by core.
    pub cluster_cpus: Option<usize>,
    /// Nodes of a package; gives each node its package, and several set `numa_in_package`.
    pub nodes_per_package: Option<usize>,
}

impl Machine {
    /// Nodes of so many CPUs, numbered node by node, no threads or caches.
    pub fn new(nodes: usize, cpus_per_node: usize) -> Self {
        Self {
            nodes,
            cpus_per_node,
            threads_per_core: 1,
            numbering: Numbering::Adjacent,
            llc_cpus: None,
            cluster_cpus: None,
            nodes_per_package: None,
        }
    }

    /// How many CPUs the machine has.
    pub fn nr_cpus(&self) -> usize {
        self.nodes.saturating_mul(self.cpus_per_node)
    }

    /// Checks that the numbers fit each other and the bounds.
    ///
    /// # Errors
    /// The field at fault and what would be right.
    pub fn check(&self) -> Result<(), Invalid> {
        if self.nodes == 0 || self.nodes > MAX_NODES {
            let cure = format!("a machine has 1 to {MAX_NODES} nodes");
            return Err(Invalid::new("nodes", format!("{} nodes", self.nodes), cure));
        }
        if self.cpus_per_node == 0 || self.nr_cpus() > MAX_CPUS {
            let fault = format!("{} nodes of {} CPUs", self.nodes, self.cpus_per_node);
            return Err(Invalid::new("cpus_per_node", fault, format!("a machine has 1 to {MAX_CPUS} CPUs")));
        }
        self.check_share("threads_per_core", self.threads_per_core)?;
        self.check_share("llc_cpus", self.llc_cpus.unwrap_or(1))?;
        self.check_share("cluster_cpus", self.cluster_cpus.unwrap_or(1))?;
        let packed = self.nodes_per_package.unwrap_or(1);
        if packed == 0 || !self.nodes.is_multiple_of(packed) {
            let fault = format!("{packed} nodes a package do not make up {} nodes", self.nodes);
            return Err(Invalid::new("nodes_per_package", fault, format!("give a divisor of {}", self.nodes)));
        }
        Ok(())
    }

    /// A group of CPUs must divide the node, or hold whole nodes and divide the machine.
    fn check_share(&self, place: &str, share: usize) -> Result<(), Invalid> {
        let divides = |part: usize, whole: usize| part != 0 && whole.is_multiple_of(part);
        let whole_nodes = place != "threads_per_core" && divides(self.cpus_per_node, share);
        if divides(share, self.cpus_per_node) || (whole_nodes && divides(share, self.nr_cpus())) {
            return Ok(());
        }
        let fault = format!("groups of {share} CPUs do not make up a node of {}", self.cpus_per_node);
        Err(Invalid::new(place, fault, format!("give a divisor of {}", self.cpus_per_node)))
    }

    /// The CPU of a place counted core by core, node by node.
    fn cpu(&self, slot: usize) -> usize {
        match self.numbering {
            Numbering::Adjacent => slot,
            Numbering::Split => {
                let cores = self.nr_cpus() / self.threads_per_core;
                slot % self.threads_per_core * cores + slot / self.threads_per_core
            }
        }
    }

    /// The machine cut into groups of `size` CPUs, core by core.
    fn groups(&self, size: usize) -> Vec<CpuMask> {
        (0..self.nr_cpus() / size)
            .map(|group| (group * size..(group + 1) * size).map(|slot| self.cpu(slot)).collect())
            .collect()
    }

    /// The CPUs of each node.
    pub fn node_cpus(&self) -> Vec<CpuMask> {
        self.groups(self.cpus_per_node)
    }

    /// The package of the node at `index`, where packages are given.
    pub fn package(&self, index: usize) -> Option<u32> {
        self.nodes_per_package.map(|nodes| (index / nodes) as u32)
    }

    /// Whether a package holds several nodes.
    pub fn numa_in_package(&self) -> bool {
        self.nodes_per_package.is_some_and(|nodes| nodes > 1)
    }

    /// The level masks the numbers give; the others stay as by default.
    pub fn levels(&self) -> impl Iterator<Item = (MaskLevel, CpuMasks)> + '_ {
        let threads = Some(self.threads_per_core).filter(|&threads| threads > 1);
        let sizes = [(MaskLevel::Smt, threads), (MaskLevel::Cls, self.cluster_cpus), (MaskLevel::Mc, self.llc_cpus)];
        sizes.into_iter().filter_map(|(level, size)| Some((level, self.masks(size?))))
    }

    fn masks(&self, size: usize) -> CpuMasks {
        CpuMasks::from_groups(&self.groups(size), self.nr_cpus())
    }

    /// The whole machine with these distances.
    ///
    /// # Errors
    /// What [`Machine::check`] and [`Topology::validate`] say.
    pub fn topology(&self, name: &str, distances: Distances) -> Result<Topology, Invalid> {
        self.check()?;
        let mut topology = Topology::new(name, self.node_cpus(), distances);
        for (index, node) in topology.nodes.iter_mut().enumerate() {
            node.package = self.package(index);
        }
        topology.numa_in_package = self.numa_in_package();
        for (level, masks) in self.levels() {
            topology.levels.set(level, Some(Arc::new(masks)));
        }
        topology.validate()?;
        Ok(topology)
    }

    /// Whether nodes, packages and level masks of `topology` are exactly what these numbers give.
    pub fn describes(&self, topology: &Topology) -> bool {
        if self.check().is_err() || self.nr_cpus() != topology.nr_cpus || self.nodes != topology.nodes.len() {
            return false;
        }
        let like =
            |(index, (node, cpus)): (usize, (&Node, CpuMask))| node.cpus == cpus && node.package == self.package(index);
        let nodes = topology.nodes.iter().zip(self.node_cpus()).enumerate().all(like);
        let given = MaskLevel::ALL.iter().filter(|&&level| topology.levels.get(level).is_some()).count();
        nodes
            && topology.numa_in_package == self.numa_in_package()
            && given == self.levels().count()
            && self.levels().all(|(level, masks)| topology.levels.get(level).is_some_and(|given| **given == masks))
    }

    /// The numbers that describe `topology`, if equal nodes do.
    pub fn infer(topology: &Topology) -> Option<Self> {
        let weight =
            |level| Some(topology.levels.get(level)?).filter(|masks| !masks.is_empty()).map(|m| m.get(0).weight());
        let packages = topology.nodes.iter().filter(|node| node.package == Some(0)).count();
        let plain = Self {
            threads_per_core: weight(MaskLevel::Smt).unwrap_or(1).max(1),
            llc_cpus: weight(MaskLevel::Mc),
            cluster_cpus: weight(MaskLevel::Cls),
            nodes_per_package: Some(packages).filter(|&nodes| nodes > 0),
            ..Self::new(topology.nodes.len(), topology.nodes.first()?.cpus.weight())
        };
        let numbered = |numbering| Self { numbering, ..plain.clone() };
        Numbering::ALL.map(numbered).into_iter().find(|machine| machine.describes(topology))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::generate::Shape;

    fn four(machine: &Machine) -> Topology {
        machine.topology("four", Shape::parse("ring:4").unwrap().distances()).unwrap()
    }

    #[test]
    fn split_threads_come_after_all_cores() {
        let machine = Machine {
            threads_per_core: 2,
            numbering: Numbering::Split,
            llc_cpus: Some(4),
            nodes_per_package: Some(2),
            ..Machine::new(4, 8)
        };
        let four = four(&machine);
        assert_eq!(four.nodes[1].cpus.to_string(), "4-7,20-23");
        assert_eq!(four.mask(MaskLevel::Smt).get(5).to_string(), "5,21");
        assert_eq!(four.mask(MaskLevel::Mc).get(5).to_string(), "4-5,20-21");
        assert!(four.numa_in_package);
        assert_eq!(four.nodes[3].package, Some(1));
        assert_eq!(Machine::infer(&four), Some(machine));
    }

    #[test]
    fn a_cache_may_cover_several_nodes() {
        let machine = Machine { llc_cpus: Some(4), ..Machine::new(4, 2) };
        let four = four(&machine);
        assert_eq!(four.mask(MaskLevel::Mc).get(2).to_string(), "0-3");
        assert_eq!(Machine::infer(&four), Some(machine));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let says = |machine: Machine| machine.check().unwrap_err().to_string();
        let plain = Machine::new(4, 8);
        assert!(says(Machine { nodes: 2000, ..plain.clone() }).contains("1 to 1024"));
        assert!(says(Machine { cpus_per_node: usize::MAX, ..plain.clone() }).contains("1 to 8192"));
        assert!(says(Machine { threads_per_core: 3, ..plain.clone() }).contains("divisor of 8"));
        assert!(says(Machine { threads_per_core: 16, ..plain.clone() }).contains("divisor of 8"));
        assert!(says(Machine { threads_per_core: 0, ..plain.clone() }).contains("divisor of 8"));
        assert!(says(Machine { llc_cpus: Some(24), ..plain.clone() }).contains("divisor of 8"));
        assert!(says(Machine { nodes_per_package: Some(3), ..plain }).contains("divisor of 4"));
    }

    #[test]
    fn uneven_machines_have_no_short_form() {
        let mut four = four(&Machine::new(4, 2));
        assert!(Machine::infer(&four).is_some());
        four.nodes[3].cpus = CpuMask::single(6);
        assert_eq!(Machine::infer(&four), None);
    }
}
