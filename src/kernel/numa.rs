//! `sched_init_numa`: which distances make levels, the CPUs within each, and the topology type.

use super::message::{Message, MessageKind};
use super::release::{DistanceList, DomainDistance, Rules, TopologyTypeRule};
use crate::cpumask::CpuMask;
use crate::topology::{Arch, LOCAL_DISTANCE, REMOTE_DISTANCE, Topology};
use std::fmt;

/// `sched_numa_topology_type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TopologyType {
    /// Every node reaches every other directly, or there are too few levels to tell.
    #[default]
    Direct,
    /// Some nodes reach each other through a node in between.
    GluelessMesh,
    /// Nodes reach each other through a backplane.
    Backplane,
}

impl TopologyType {
    /// The kernel's name without `NUMA_`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "DIRECT",
            Self::GluelessMesh => "GLUELESS_MESH",
            Self::Backplane => "BACKPLANE",
        }
    }
}

impl fmt::Display for TopologyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a kernel makes of the distance table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numa {
    /// The distances of the NUMA levels, ascending; from 4.15 the first is the local distance, that of level NODE.
    pub distances: Vec<u32>,
    /// `sched_max_numa_distance`.
    pub max_distance: u32,
    /// `sched_numa_topology_type`.
    pub topology_type: TopologyType,
    /// `sched_domains_numa_masks[level][node index]`: online CPUs no further than the level's distance *from* the node.
    pub masks: Vec<Vec<CpuMask>>,
}

/// The distances levels are made of, as the architecture hands them to the scheduler: `arch_sched_node_distance`.
struct Table<'a> {
    topology: &'a Topology,
    /// Nodes the scheduler looks at, as indices.
    nodes: Vec<usize>,
    fix: Fix,
}

/// What the architecture makes of distances.
enum Fix {
    None,
    /// Every distance of 20 or more becomes this one.
    Remote(u32),
    /// Between two packages, the average of the blocks; by node index.
    Packages(Vec<Vec<u32>>),
}

impl Table<'_> {
    /// `node_distance`.
    fn node(&self, from: usize, to: usize) -> u32 {
        self.topology.distances.get(from, to)
    }

    /// `arch_sched_node_distance`.
    fn domain(&self, from: usize, to: usize) -> u32 {
        let distance = self.node(from, to);
        match &self.fix {
            Fix::None => distance,
            Fix::Remote(average) => {
                if distance >= REMOTE_DISTANCE {
                    *average
                } else {
                    distance
                }
            }
            Fix::Packages(table) => table[from][to],
        }
    }

    /// Every pair of nodes looked at, row by row.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.nodes.iter().flat_map(|&from| self.nodes.iter().map(move |&to| (from, to)))
    }
}

/// `sched_init_numa` and `init_numa_topology_type`.
pub(super) fn init(topology: &Topology, rules: &Rules, messages: &mut Vec<Message>) -> Numa {
    let online: Vec<CpuMask> = (0..topology.nodes.len()).map(|node| topology.node_online(node)).collect();
    let nodes = match rules.distance_list {
        DistanceList::RowZero | DistanceList::AllNodes => (0..online.len()).collect(),
        DistanceList::CpuNodes => (0..online.len()).filter(|&node| !online[node].is_empty()).collect(),
    };
    let mut table = Table { topology, nodes, fix: Fix::None };
    table.fix = fix(&table, rules, messages);
    let mut log = NumaLog { verbose: topology.sched_debug, warned: false, messages };
    let distances = match rules.distance_list {
        DistanceList::RowZero => row_zero(&table, rules, &mut log),
        DistanceList::AllNodes | DistanceList::CpuNodes => match all_pairs(&table, &mut log) {
            Some(distances) => distances,
            None => return Numa::default(),
        },
    };
    if distances.is_empty() {
        return Numa::default();
    }
    let farthest = table.pairs().map(|(from, to)| table.node(from, to)).max();
    let max_distance = match rules.domain_distance {
        DomainDistance::AsGiven => distances[distances.len() - 1],
        _ => farthest.unwrap_or(0),
    };
    let masks = masks(&table, &distances, &online);
    let topology_type = topology_type(&table, rules, distances.len(), max_distance, messages);
    Numa { distances, max_distance, topology_type, masks }
}

/// `sched_numa_warn`: only the first complaint about the table is printed.
struct NumaLog<'a> {
    verbose: bool,
    warned: bool,
    messages: &'a mut Vec<Message>,
}

impl NumaLog<'_> {
    fn warn(&mut self, kind: MessageKind) {
        if !self.warned {
            self.warned = true;
            self.messages.push(Message { cpu: None, level: None, kind });
        }
    }
}

/// Up to 5.11: selection sort over row 0; with `sched_debug` the other rows add what is larger still.
fn row_zero(table: &Table, rules: &Rules, log: &mut NumaLog) -> Vec<u32> {
    let local = table.node(0, 0);
    let mut current = local;
    let mut list = if rules.node_level { vec![local] } else { Vec::new() };
    for &from in &table.nodes {
        loop {
            let mut next = current;
            for &to in &table.nodes {
                let distance = table.node(from, to);
                if distance > current && (distance < next || next == current) {
                    next = distance;
                }
                if log.verbose && !log.warned {
                    if table.node(to, from) != distance {
                        log.warn(MessageKind::NotSymmetric);
                    } else if from > 0 && distance != local && !list.contains(&distance) {
                        log.warn(MessageKind::Node0NotRepresentative);
                    }
                }
            }
            if next == current {
                break;
            }
            list.push(next);
            current = next;
        }
        if !log.verbose {
            break;
        }
    }
    let nr_node_ids = table.topology.nodes.last().map_or(0, |node| node.id as usize + 1);
    let slots = nr_node_ids + rules.distance_slots_extra;
    if list.len() > slots {
        let kind = MessageKind::ArrayOverflow { levels: list.len(), slots };
        log.messages.push(Message { cpu: None, level: None, kind });
    }
    list
}

/// 5.12 on: the set of all distances; `None` when one of them is out of range, and then there are no NUMA levels.
fn all_pairs(table: &Table, log: &mut NumaLog) -> Option<Vec<u32>> {
    const NR_DISTANCE_VALUES: u32 = 256;
    let mut seen = [false; NR_DISTANCE_VALUES as usize];
    for (from, to) in table.pairs() {
        let distance = table.domain(from, to);
        if !(LOCAL_DISTANCE..NR_DISTANCE_VALUES).contains(&distance) {
            log.warn(MessageKind::InvalidDistance);
            return None;
        }
        seen[distance as usize] = true;
    }
    if log.verbose && table.pairs().any(|(from, to)| table.node(from, to) != table.node(to, from)) {
        log.warn(MessageKind::NotSymmetric);
    }
    Some((0..NR_DISTANCE_VALUES).filter(|&distance| seen[distance as usize]).collect())
}

/// `sched_domains_numa_masks`: per level and node, the CPUs within the level's distance *from* the node.
fn masks(table: &Table, distances: &[u32], online: &[CpuMask]) -> Vec<Vec<CpuMask>> {
    let mut levels: Vec<Vec<CpuMask>> = vec![vec![CpuMask::new(); online.len()]; distances.len()];
    for &from in &table.nodes {
        let mut near: Vec<(u32, usize)> = table.nodes.iter().map(|&to| (table.domain(from, to), to)).collect();
        near.sort_unstable();
        let mut near = near.into_iter().peekable();
        let mut mask = CpuMask::new();
        for (level, &limit) in distances.iter().enumerate() {
            while let Some((_, to)) = near.next_if(|&(distance, _)| distance <= limit) {
                mask.or_assign(&online[to]);
            }
            levels[level][from] = mask.clone();
        }
    }
    levels
}

fn topology_type(
    table: &Table,
    rules: &Rules,
    levels: usize,
    max_distance: u32,
    messages: &mut Vec<Message>,
) -> TopologyType {
    let few = if rules.topology_type == TopologyTypeRule::OneLevel { 1 } else { 2 };
    if levels <= few {
        return TopologyType::Direct;
    }
    let farthest = table.pairs().find(|&(from, to)| table.node(from, to) >= max_distance);
    let Some((a, b)) = farthest else {
        if rules.topology_type == TopologyTypeRule::TwoLevelsCpuNodes {
            messages.push(Message { cpu: None, level: None, kind: MessageKind::NoTopologyType });
        }
        return TopologyType::Direct;
    };
    let between = |&c: &usize| table.node(a, c) < max_distance && table.node(b, c) < max_distance;
    if table.nodes.iter().any(between) { TopologyType::GluelessMesh } else { TopologyType::Backplane }
}

/// Granite Rapids and Clearwater Forest with sub-NUMA clusters: only machines whose nodes name their package ask.
fn fix(table: &Table, rules: &Rules, messages: &mut Vec<Message>) -> Fix {
    let packages: Option<Vec<u32>> = table.nodes.iter().map(|&node| table.topology.nodes[node].package).collect();
    let Some(packages) = packages.filter(|_| table.topology.arch == Arch::X86) else { return Fix::None };
    let count = packages.iter().collect::<std::collections::BTreeSet<_>>().len();
    if count <= 1 {
        return Fix::None;
    }
    match rules.domain_distance {
        DomainDistance::AsGiven => Fix::None,
        DomainDistance::RemoteAverage if packages.len() == count => Fix::None,
        DomainDistance::RemoteAverage => {
            if count > 2 {
                messages.push(Message { cpu: None, level: None, kind: MessageKind::MoreThanTwoPackages(count) });
            }
            remote_average(table)
        }
        DomainDistance::PackageAverage => package_average(table, &packages, count, messages),
    }
}

fn remote_average(table: &Table) -> Fix {
    let remote = table.pairs().map(|(from, to)| table.node(from, to)).filter(|&distance| distance >= REMOTE_DISTANCE);
    let (sum, count) = remote.fold((0, 0), |(sum, count), distance| (sum + u64::from(distance), count + 1));
    let average: Option<u64> = sum.checked_div(count);
    Fix::Remote(average.map_or(REMOTE_DISTANCE, |average| average as u32))
}

/// 7.0 on: `slit_cluster_distance`, after the table has been found to be of the expected shape.
fn package_average(table: &Table, packages: &[u32], count: usize, messages: &mut Vec<Message>) -> Fix {
    let unit = packages.len() / count;
    if unit < 3 {
        return Fix::None;
    }
    if !is_clustered(table, packages, unit, count) {
        messages.push(Message { cpu: None, level: None, kind: MessageKind::SlitNotClustered });
        return Fix::None;
    }
    let nodes = &table.nodes;
    let size = table.topology.nodes.len();
    let mut fixed: Vec<Vec<u32>> = (0..size).map(|from| (0..size).map(|to| table.node(from, to)).collect()).collect();
    for a in 0..count {
        for b in (0..count).filter(|&b| b != a) {
            let cells = (0..unit).flat_map(|i| (0..unit).map(move |j| (nodes[a * unit + i], nodes[b * unit + j])));
            let sum: u64 = cells.clone().map(|(i, j)| u64::from(table.node(i, j)) + u64::from(table.node(j, i))).sum();
            for (from, to) in cells {
                fixed[from][to] = (sum / (2 * unit * unit) as u64) as u32;
            }
        }
    }
    Fix::Packages(fixed)
}

/// Whether each package is one block of as many nodes, symmetric in itself.
fn is_clustered(table: &Table, packages: &[u32], unit: usize, count: usize) -> bool {
    let one_each =
        packages.len() == unit * count && packages.chunks(unit).all(|block| block.iter().all(|p| p == &block[0]));
    one_each
        && table
            .nodes
            .chunks(unit)
            .all(|block| block.iter().all(|&from| block.iter().all(|&to| table.node(from, to) == table.node(to, from))))
}
