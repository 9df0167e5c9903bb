//! Which CPU is the closest, the n-th closest, or within so many hops: the walks over `sched_domains_numa_masks`.
//!
//! A *hop* is a NUMA level: an index into the list of distances, from the node itself up, whatever the links between
//! nodes are.

use super::rules::{LocalSpread, NthCpu};
use super::{Balancer, Steps, set};
use crate::cpumask::CpuMask;

/// A node as the kernel is asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeId {
    /// `NUMA_NO_NODE`, -1.
    None,
    /// This id.
    Id(u32),
}

/// Why `sched_numa_hop_mask` returns no mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoHopMask {
    /// `-EINVAL`: the node or the number of hops is out of range.
    Einval,
    /// A null pointer: a node without CPUs has no masks (5.18 on).
    NoCpus,
}

impl Balancer<'_> {
    fn nr_levels(&self) -> usize {
        self.build.numa.distances.len()
    }

    /// `nr_node_ids`.
    fn nr_node_ids(&self) -> u32 {
        self.topology.nodes.last().map_or(0, |node| node.id + 1)
    }

    /// `sched_domains_numa_masks[level]` of the node at `index`; `None` where the kernel has no mask.
    fn numa_mask(&self, level: usize, index: usize) -> Option<&CpuMask> {
        let mask = self.build.numa.masks.get(level)?.get(index)?;
        (!mask.is_empty() || self.has_cpus(index)).then_some(mask)
    }

    fn has_cpus(&self, index: usize) -> bool {
        self.topology.nodes[index].cpus.intersects(&self.topology.online)
    }

    /// The CPU of `among` closest to `cpu`: `sched_numa_find_closest`, 5.4 on. `None` stands for `nr_cpu_ids`.
    ///
    /// Of CPUs at one distance the lowest is taken; from 6.18 the kernel takes turns.
    pub fn closest_cpu(&self, cpu: usize, among: &CpuMask, steps: &mut Steps) -> Option<usize> {
        let node = self.node_of(cpu)?;
        for (level, distance) in self.build.numa.distances.iter().enumerate() {
            let Some(mask) = self.numa_mask(level, node) else {
                steps.say(|| format!("node {} has no CPUs and no mask: none", self.topology.nodes[node].id));
                return None;
            };
            let found = mask.first_and(among);
            steps.say(|| match found {
                Some(found) => format!("within distance {distance}, {{{mask}}}: CPU {found}"),
                None => format!("within distance {distance}, {{{mask}}}: none of {}", set(among)),
            });
            if found.is_some() {
                return found;
            }
        }
        steps.say(|| "no level is left: none".to_owned());
        None
    }

    /// The CPU of `among` that is `n`-th by distance from `node`, 0 being the first: `sched_numa_find_nth_cpu`, 6.3 on.
    /// `None` stands for `nr_cpu_ids`, and for what the kernel would not survive.
    pub fn nth_cpu(&self, node: NodeId, n: usize, among: &CpuMask, steps: &mut Steps) -> Option<usize> {
        let NodeId::Id(id) = node else {
            steps.say(|| "NUMA_NO_NODE: counted over the online CPUs".to_owned());
            return among.and(&self.topology.online).iter().nth(n);
        };
        let index = self.node_with_cpus(id, steps)?;
        for (level, distance) in self.build.numa.distances.iter().enumerate() {
            let mask = self.numa_mask(level, index)?;
            let near = mask.weight_and(among);
            if near <= n {
                steps.say(|| format!("within distance {distance}, {{{mask}}}: {near} of them, too few"));
                continue;
            }
            let below = level.checked_sub(1).and_then(|below| self.numa_mask(below, index));
            let new = below.map_or_else(|| mask.clone(), |below| mask.andnot(below)).and(among);
            let passed = below.map_or(0, |below| below.weight_and(among));
            let found = new.iter().nth(n - passed);
            steps.say(|| {
                let left = n - passed;
                format!("within distance {distance}: {near} of them; entry {left} of {} at this distance", set(&new))
            });
            return found;
        }
        steps.say(|| format!("there are not {} of them: none", n + 1));
        None
    }

    /// The node itself, or where a node without CPUs stands for the nearest that has some, that one.
    fn node_with_cpus(&self, id: u32, steps: &mut Steps) -> Option<usize> {
        let index = self.topology.node_index(id)?;
        if self.has_cpus(index) {
            return Some(index);
        }
        if self.rules.nth_cpu != NthCpu::NearestNode {
            steps.say(|| format!("node {id} has no CPUs: the kernel reads a mask that is not there"));
            return None;
        }
        let others = (0..self.topology.nodes.len()).filter(|&other| self.has_cpus(other));
        let nearest = others.min_by_key(|&other| self.topology.distances.get(index, other))?;
        steps.say(|| format!("node {id} has no CPUs: node {} is the nearest", self.topology.nodes[nearest].id));
        Some(nearest)
    }

    /// The CPUs within `hops` NUMA levels of the node with this id: `sched_numa_hop_mask`, 6.3 on.
    ///
    /// # Errors
    /// What the kernel returns in place of a mask.
    pub fn hop_mask(&self, id: u32, hops: usize, steps: &mut Steps) -> Result<&CpuMask, NoHopMask> {
        let levels = self.nr_levels();
        if id >= self.nr_node_ids() || hops >= levels {
            steps.say(|| format!("node ids are below {}, hops below {levels}: EINVAL", self.nr_node_ids()));
            return Err(NoHopMask::Einval);
        }
        let mask = self.topology.node_index(id).and_then(|index| self.numa_mask(hops, index));
        steps.say(|| match mask {
            Some(mask) => format!("within distance {} of node {id}: {{{mask}}}", self.build.numa.distances[hops]),
            None => format!("node {id} has no CPUs and no mask"),
        });
        mask.ok_or(NoHopMask::NoCpus)
    }

    /// The `n`-th CPU for a device at `node`, round and round: `cpumask_local_spread`.
    pub fn local_spread(&self, node: NodeId, n: usize, steps: &mut Steps) -> Option<usize> {
        match self.rules.local_spread {
            LocalSpread::NodeFirst => self.spread_node_first(node, n, &self.topology.online, steps),
            LocalSpread::NodeFirstHousekeeping => {
                let possible = CpuMask::first_n(self.topology.nr_cpus);
                let housekeeping = possible.andnot(&self.topology.isolated);
                self.spread_node_first(node, n, &housekeeping, steps)
            }
            LocalSpread::ByDistance => {
                let count = self.topology.online.weight();
                let wrapped = n.checked_rem(count)?;
                steps.say(|| format!("{n} modulo {count} online CPUs is {wrapped}"));
                self.nth_cpu(node, wrapped, &self.topology.online, steps)
            }
        }
    }

    fn spread_node_first(&self, node: NodeId, n: usize, mask: &CpuMask, steps: &mut Steps) -> Option<usize> {
        let wrapped = n.checked_rem(mask.weight())?;
        let own = match node {
            NodeId::None => CpuMask::new(),
            NodeId::Id(id) => self.topology.node_online(self.topology.node_index(id)?).and(mask),
        };
        let rest = mask.andnot(&own);
        steps.say(|| format!("first {}, then {}; entry {wrapped}", set(&own), set(&rest)));
        own.iter().chain(rest.iter()).nth(wrapped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Build, Release};
    use crate::presets;
    use crate::topology::arbitrary;
    use crate::topology::{Node, Topology};
    use proptest::prelude::*;

    fn ring() -> Topology {
        presets::find("ring4").unwrap().topology().unwrap()
    }

    fn built(topology: &Topology, release: &str) -> Build {
        kernel::build(topology, &Release::parse(release).unwrap())
    }

    fn mask(text: &str) -> CpuMask {
        CpuMask::parse(text, None).unwrap()
    }

    #[test]
    fn nearer_nodes_go_first() {
        let ring = ring();
        let build = built(&ring, "6.12");
        let balancer = Balancer::new(&ring, &build);
        let unheard = &mut Steps::unheard();
        assert_eq!(balancer.closest_cpu(1, &mask("3"), unheard), Some(3));
        assert_eq!(balancer.closest_cpu(1, &mask("2-3"), unheard), Some(2));
        assert_eq!(balancer.closest_cpu(1, &mask(""), unheard), None);
        let order: Vec<_> = (0..5).map(|n| balancer.nth_cpu(NodeId::Id(1), n, &mask("0-3"), unheard)).collect();
        assert_eq!(order, [Some(1), Some(0), Some(2), Some(3), None]);
        let hops = |hops| balancer.hop_mask(1, hops, &mut Steps::unheard()).map(ToString::to_string);
        assert_eq!(hops(0), Ok("1".to_owned()));
        assert_eq!(hops(1), Ok("0-2".to_owned()));
        assert_eq!(hops(3), Err(NoHopMask::Einval));
        assert_eq!(balancer.hop_mask(4, 0, unheard), Err(NoHopMask::Einval));
        assert_eq!(balancer.local_spread(NodeId::Id(1), 7, unheard), Some(3));
    }

    #[test]
    fn a_node_without_cpus_stands_for_the_nearest_from_6_6() {
        let mut topology = ring();
        topology.nodes.push(Node { id: 9, ..Node::default() });
        topology.distances = crate::topology::Distances::from_fn(5, |from, to| match (from, to) {
            (4, 2) | (2, 4) => 17,
            (4, 4) => 10,
            (4, _) | (_, 4) => 28,
            _ => ring().distances.get(from, to),
        });
        for (release, first) in [("6.3", None), ("6.12", Some(2))] {
            let build = built(&topology, release);
            let balancer = Balancer::new(&topology, &build);
            assert_eq!(balancer.nth_cpu(NodeId::Id(9), 0, &mask("0-3"), &mut Steps::unheard()), first);
            assert_eq!(balancer.hop_mask(9, 1, &mut Steps::unheard()), Err(NoHopMask::NoCpus));
            assert_eq!(balancer.hop_mask(7, 0, &mut Steps::unheard()), Err(NoHopMask::NoCpus));
            assert_eq!(balancer.hop_mask(10, 0, &mut Steps::unheard()), Err(NoHopMask::Einval));
        }
        let build = built(&topology, "6.2");
        let spread = |n| Balancer::new(&topology, &build).local_spread(NodeId::Id(9), n, &mut Steps::unheard());
        assert_eq!((spread(0), spread(6)), (Some(0), Some(2)));
    }

    proptest! {
        /// The n-th CPU is the n-th of all CPUs sorted by distance: the search by levels against plain sorting.
        #[test]
        fn the_nth_cpu_is_the_nth_by_distance(topology in arbitrary::topology(), n in 0_usize..40) {
            let build = built(&topology, "6.12");
            prop_assume!(!build.numa.distances.is_empty());
            let balancer = Balancer::new(&topology, &build);
            for (index, node) in topology.nodes.iter().enumerate().filter(|(index, _)| balancer.has_cpus(*index)) {
                let distances = &build.numa.distances;
                let distance = |cpu| topology.distances.get(index, balancer.node_of(cpu).unwrap());
                let level = |cpu| distances.iter().position(|&level| distance(cpu) <= level).unwrap();
                let mut sorted: Vec<(usize, usize)> = topology.online.iter().map(|cpu| (level(cpu), cpu)).collect();
                sorted.sort_unstable();
                let found = balancer.nth_cpu(NodeId::Id(node.id), n, &topology.online, &mut Steps::unheard());
                prop_assert_eq!(found, sorted.get(n).map(|&(_, cpu)| cpu));
            }
        }
    }
}
