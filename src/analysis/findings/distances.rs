//! Distance tables that say less, more or other than was meant.

use super::advice::Advice;
use super::{Checker, Severity, Witness, text};
use crate::kernel::release::{DistanceList, TopologyTypeRule};
use crate::kernel::{Flags, LevelMask, MessageKind, TopologyType};
use crate::topology::LOCAL_DISTANCE;
use std::collections::BTreeSet;

/// Who asks for the topology type.
const TYPE: &str = "and only NUMA balancing looks at the type";
/// What ACPI reserves for "unreachable".
const UNREACHABLE: u32 = 255;

impl Checker<'_> {
    pub(super) fn distances(&mut self) {
        self.asymmetric();
        self.out_of_range();
        self.unreachable();
        self.equal_or_flat();
        self.not_beyond_local();
        self.row_zero();
        self.cpuless_levels();
        self.topology_type();
        self.reclaim();
    }

    /// Ordered pairs of different nodes of which `wanted(from, to)` is true.
    fn pairs(&self, wanted: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
        let nodes = self.topology.nodes.len();
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
        pairs.filter(|&(from, to)| from != to && wanted(from, to)).collect()
    }

    /// Splits pairs by whether both nodes have CPUs in the map.
    fn by_cpus(&self, pairs: Vec<(usize, usize)>) -> [Vec<(usize, usize)>; 2] {
        let present = self.nodes_in_map();
        let has = |node: &usize| present.binary_search(node).is_ok();
        let (with, without) = pairs.into_iter().partition(|(a, b)| has(a) && has(b));
        [with, without]
    }

    fn ids(&self, pairs: &[(usize, usize)]) -> Vec<(u32, u32)> {
        pairs.iter().map(|&(a, b)| (self.id(a), self.id(b))).collect()
    }

    /// `0 to 4 (28)`, for each pair.
    fn cells(&self, pairs: &[(usize, usize)]) -> String {
        let cell = |&(a, b): &(usize, usize)| {
            format!("{} to {} ({})", self.id(a), self.id(b), self.topology.distances.get(a, b))
        };
        text::list(&pairs.iter().map(cell).collect::<Vec<_>>())
    }

    fn of_pairs(&self, pairs: &[(usize, usize)]) -> Witness {
        let nodes: BTreeSet<u32> = pairs.iter().flat_map(|&(a, b)| [self.id(a), self.id(b)]).collect();
        Witness { nodes: nodes.into_iter().collect(), pairs: self.ids(pairs), ..Witness::default() }
    }

    fn asymmetric(&mut self) {
        let table = &self.topology.distances;
        let pairs = self.pairs(|from, to| from < to && table.get(from, to) != table.get(to, from));
        for (pairs, severity) in self.by_cpus(pairs).into_iter().zip([Severity::Warning, Severity::Info]) {
            if pairs.is_empty() {
                continue;
            }
            let named: Vec<String> = pairs
                .iter()
                .map(|&(a, b)| {
                    let (there, back) = (self.topology.distances.get(a, b), self.topology.distances.get(b, a));
                    format!("{} and {} ({there} there, {back} back)", self.id(a), self.id(b))
                })
                .collect();
            let message = format!("distances differ by direction between nodes {}", text::list(&named));
            let witness = self.of_pairs(&pairs);
            let advice = "give both directions the same distance: a CPU may otherwise be in the domain of another that \
                          is not in its own";
            self.push("distance-asymmetric", severity, message, witness, advice);
        }
    }

    fn out_of_range(&mut self) {
        let table = &self.topology.distances;
        let nodes = self.topology.nodes.len();
        let out = |from: usize, to: usize| !(LOCAL_DISTANCE..=UNREACHABLE).contains(&table.get(from, to));
        let mut pairs = self.pairs(out);
        pairs.extend((0..nodes).filter(|&node| out(node, node)).map(|node| (node, node)));
        pairs.sort_unstable();
        if pairs.is_empty() {
            return;
        }
        let refused = self.build.messages.iter().any(|message| message.kind == MessageKind::InvalidDistance);
        let effect = if refused {
            "the kernel refuses the whole table, and no domain spans nodes"
        } else {
            "this kernel takes it, 5.12 and later refuse the whole table"
        };
        let severity = if refused { Severity::Error } else { Severity::Warning };
        let message = format!("distance out of range from node {}: {effect}", self.cells(&pairs));
        let witness = self.of_pairs(&pairs);
        self.push("distance-out-of-range", severity, message, witness, "use 10 for a node itself and 11 to 254 beyond");
    }

    fn unreachable(&mut self) {
        let pairs = self.pairs(|from, to| self.topology.distances.get(from, to) == UNREACHABLE);
        for (pairs, severity) in self.by_cpus(pairs).into_iter().zip([Severity::Warning, Severity::Info]) {
            if pairs.is_empty() {
                continue;
            }
            let message = format!(
                "distance 255, which ACPI reserves for unreachable, is an ordinary distance to the scheduler: node {}",
                self.cells(&pairs)
            );
            let witness = self.of_pairs(&pairs);
            self.push(
                "distance-unreachable",
                severity,
                message,
                witness,
                "use 11 to 254 for nodes that can be reached",
            );
        }
    }

    fn equal_or_flat(&mut self) {
        let nodes = self.nodes_in_map();
        if nodes.len() < 2 {
            return;
        }
        let table = &self.topology.distances;
        let local = table.get(nodes[0], nodes[0]);
        let locals: BTreeSet<u32> = nodes.iter().map(|&node| table.get(node, node)).collect();
        let mut remote = BTreeSet::new();
        for &from in &nodes {
            remote.extend(nodes.iter().filter(|&&to| to != from).map(|&to| table.get(from, to)));
        }
        let ids: Vec<u32> = nodes.iter().map(|&node| self.id(node)).collect();
        let witness = Witness { nodes: ids.clone(), ..Witness::default() };
        if remote.len() == 1 && remote == locals {
            let message = format!("all distances are {local}: no level tells {} apart", text::nodes(&ids));
            let advice = "give remote nodes a larger distance than 10";
            self.push("distances-equal", Severity::Warning, message, witness, advice);
        } else if remote.len() == 1 && nodes.len() > 2 {
            let distance = remote.first().copied().unwrap_or_default();
            let message = format!("all {} nodes are at distance {distance} from each other", nodes.len());
            let advice = "fine where it is so; firmware that says nothing looks the same (20)";
            self.push("distances-flat", Severity::Info, message, witness, advice);
        }
    }

    fn not_beyond_local(&mut self) {
        let table = &self.topology.distances;
        let near = |from: usize, to: usize| table.get(from, to) <= table.get(from, from);
        let [pairs, _] = self.by_cpus(self.pairs(near));
        let whole = self.found.iter().any(|(finding, _)| finding.id == "distances-equal");
        if pairs.is_empty() || whole {
            return;
        }
        let message = format!(
            "another node is no farther than the node itself: {}; the scheduler merges them at its lowest NUMA level",
            self.cells(&pairs)
        );
        let witness = self.of_pairs(&pairs);
        let advice = "give other nodes a larger distance than a node has to itself";
        self.push("distance-not-beyond-local", Severity::Warning, message, witness, advice);
    }

    /// Up to 5.11 the list of levels is made from row 0, with `sched_debug` of larger values in other rows as well.
    fn row_zero(&mut self) {
        if self.build.release.rules.distance_list != DistanceList::RowZero {
            return;
        }
        let table = &self.topology.distances;
        let nodes = self.topology.nodes.len();
        let row: BTreeSet<u32> = (0..nodes).map(|to| table.get(0, to)).collect();
        let local = table.get(0, 0);
        let absent = |from: usize, to: usize| {
            let distance = table.get(from, to);
            distance > local && !row.contains(&distance)
        };
        let [pairs, _] = self.by_cpus(self.pairs(absent));
        if pairs.is_empty() {
            return;
        }
        let lost: BTreeSet<u32> = pairs
            .iter()
            .map(|&(a, b)| table.get(a, b))
            .filter(|distance| !self.build.numa.distances.contains(distance))
            .collect();
        let all: BTreeSet<u32> = pairs.iter().map(|&(a, b)| table.get(a, b)).collect();
        let list = |set: &BTreeSet<u32>| text::list(&set.iter().collect::<Vec<_>>());
        let message = if lost.is_empty() {
            format!("row 0 of the table lacks {}: these levels exist only because sched_debug is on", list(&all))
        } else {
            format!("row 0 of the table lacks {}, so this kernel makes no NUMA level of it", list(&lost))
        };
        let witness = self.of_pairs(&pairs);
        let why = "or let node 0 have every distance of the machine";
        let advice =
            Advice::Release { since: (5, 12), why, otherwise: "let node 0 have every distance of the machine" };
        self.push("row0-incomplete", Severity::Warning, message, witness, advice);
    }

    fn cpuless_levels(&mut self) {
        if self.build.release.rules.distance_list == DistanceList::CpuNodes {
            return;
        }
        let table = &self.topology.distances;
        let present = self.nodes_in_map();
        if present.is_empty() {
            return;
        }
        let between: BTreeSet<u32> =
            present.iter().flat_map(|&from| present.iter().map(move |&to| table.get(from, to))).collect();
        let extra: Vec<u32> =
            self.build.numa.distances.iter().copied().filter(|distance| !between.contains(distance)).collect();
        let nodes: Vec<u32> = (0..self.topology.nodes.len())
            .filter(|node| present.binary_search(node).is_err())
            .map(|node| self.id(node))
            .collect();
        if extra.is_empty() || nodes.is_empty() {
            return;
        }
        let (make, count) = if nodes.len() == 1 { ("makes", "counts") } else { ("make", "count") };
        let message = format!(
            "{} without CPUs to balance {make} NUMA levels of distance {}, and {count} for the largest distance ({}) and \
             the topology type ({})",
            text::nodes(&nodes),
            text::list(&extra),
            self.build.numa.max_distance,
            self.build.numa.topology_type
        );
        let witness = Witness { nodes, ..Witness::default() };
        let why = "where only nodes with CPUs count";
        let advice = Advice::Release { since: (5, 18), why, otherwise: "their distances count as levels" };
        self.push("cpuless-nodes-make-levels", Severity::Info, message, witness, advice);
    }

    fn topology_type(&mut self) {
        let (rules, numa) = (&self.build.release.rules, &self.build.numa);
        let old = rules.topology_type == TopologyTypeRule::OneLevel && rules.node_level;
        if !old || numa.distances.len() != 2 || numa.topology_type == TopologyType::Direct {
            return;
        }
        let message = format!(
            "all remote nodes are at distance {}, and this kernel takes them for {}",
            numa.max_distance, numa.topology_type
        );
        let advice = Advice::Release { since: (4, 19), why: TYPE, otherwise: TYPE };
        self.push("topology-type-misjudged", Severity::Info, message, Witness::default(), advice);
    }

    /// NUMA levels beyond the reclaim distance lose three flags.
    fn reclaim(&mut self) {
        let build = self.build;
        let lost = Flags::BALANCE_EXEC | Flags::BALANCE_FORK | Flags::WAKE_AFFINE;
        let beyond = |level: &usize| match build.levels[*level].mask {
            LevelMask::Numa(index) => {
                build.levels[*level].overlap && build.numa.distances[index] > self.topology.reclaim_distance
            }
            LevelMask::Arch(_) => false,
        };
        let levels: Vec<usize> = (0..build.levels.len()).filter(beyond).filter(|&level| self.is_kept(level)).collect();
        let Some(&lowest) = levels.first() else { return };
        let labels: Vec<String> = levels.iter().map(|&level| build.level_label(level)).collect();
        let distance = |level: usize| match build.levels[level].mask {
            LevelMask::Numa(index) => build.numa.distances[index],
            LevelMask::Arch(_) => 0,
        };
        let message = format!(
            "{} lack{} {}: distance {} is beyond the reclaim distance {}",
            text::list(&labels),
            if labels.len() == 1 { "s" } else { "" },
            lost.names("SD_SHARE_LLC").collect::<Vec<_>>().join(", "),
            distance(lowest),
            self.topology.reclaim_distance
        );
        let cpus =
            self.cpu_map.iter().filter(|&cpu| build.chain(cpu).any(|(level, _)| levels.contains(&level))).collect();
        let witness = Witness { cpus, level: Some(lowest), ..Witness::default() };
        let advice = "tasks are not spread this far on exec, fork and wakeup; where that is unwanted the architecture \
                      must raise node_reclaim_distance, as AMD Zen does to 32";
        self.push("reclaim-distance", Severity::Info, message, witness, advice);
    }
}
