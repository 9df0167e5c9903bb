//! How distances became levels (`sched_init_numa`), and what the span check saw (`topology_span_sane`).

use crate::cpumask::CpuMask;
use crate::kernel::release::{DistanceList, DomainDistance, SpanCheck};
use crate::kernel::{Build, BuildError, Level, LevelMask, MessageKind};
use crate::topology::{CpuMasks, Topology};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What became of one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceFate {
    /// It is that of node 0 to itself, which made no level before 4.15.
    Local,
    /// It made this level, index into [`Build::levels`].
    Level(usize),
    /// Row 0 lacks it, and so does the list (up to 5.11).
    NotInRowZero,
    /// Only nodes without CPUs have it (5.18 on).
    WithoutCpus,
    /// The architecture put an average in its place (6.19 on).
    Averaged,
    /// A distance of the table is out of range, and the whole table is refused.
    Refused,
}

/// One distance of the table, or one made by averaging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistanceStep {
    /// The distance.
    pub distance: u32,
    /// The first pair of nodes that has it (from, to, by id), in table order; `None` for an average.
    pub first: Option<(u32, u32)>,
    /// How many ordered pairs have it, a node and itself included.
    pub pairs: usize,
    /// What became of it.
    pub fate: DistanceFate,
}

/// Where a distance is seen in the table.
#[derive(Default)]
struct Seen {
    first: Option<(usize, usize)>,
    pairs: usize,
    /// Whether two nodes that count have it.
    counts: bool,
}

/// What became of every distance, ascending.
pub fn distances(topology: &Topology, build: &Build) -> Vec<DistanceStep> {
    let nodes = topology.nodes.len();
    let counts = |node: usize| {
        build.release.rules.distance_list != DistanceList::CpuNodes || !topology.node_online(node).is_empty()
    };
    let counted: Vec<bool> = (0..nodes).map(counts).collect();
    let mut seen: BTreeMap<u32, Seen> = BTreeMap::new();
    for from in 0..nodes {
        for to in 0..nodes {
            let seen = seen.entry(topology.distances.get(from, to)).or_default();
            seen.first.get_or_insert((from, to));
            seen.pairs += 1;
            seen.counts |= counted[from] && counted[to];
        }
    }
    for &distance in &build.numa.distances {
        seen.entry(distance).or_default().counts = true;
    }
    let id = |node: usize| topology.nodes[node].id;
    seen.into_iter()
        .map(|(distance, Seen { first, pairs, counts })| DistanceStep {
            distance,
            first: first.map(|(from, to)| (id(from), id(to))),
            pairs,
            fate: fate(topology, build, distance, counts),
        })
        .collect()
}

fn fate(topology: &Topology, build: &Build, distance: u32, counts: bool) -> DistanceFate {
    let made = |index: usize| build.levels.iter().position(|level| level.mask == LevelMask::Numa(index));
    let index = build.numa.distances.iter().position(|&listed| listed == distance);
    if let Some(level) = index.and_then(made) {
        return DistanceFate::Level(level);
    }
    let rules = &build.release.rules;
    if build.messages.iter().any(|message| message.kind == MessageKind::InvalidDistance) {
        return DistanceFate::Refused;
    }
    match rules.distance_list {
        DistanceList::RowZero if distance == topology.distances.get(0, 0) => DistanceFate::Local,
        DistanceList::RowZero => DistanceFate::NotInRowZero,
        _ if !counts => DistanceFate::WithoutCpus,
        _ if rules.domain_distance != DomainDistance::AsGiven => DistanceFate::Averaged,
        _ => DistanceFate::Local,
    }
}

/// What the span check found at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanOutcome {
    /// NUMA masks may overlap: they are not looked at.
    MayOverlap,
    /// Its masks, this many different ones, are equal or apart.
    Apart(usize),
    /// Two CPUs' masks meet without being equal.
    Clash {
        /// One CPU.
        a: usize,
        /// Its mask.
        mask_a: CpuMask,
        /// The other.
        b: usize,
        /// Its mask.
        mask_b: CpuMask,
    },
    /// The check had failed before.
    NotReached,
}

/// The span check at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelCheck {
    /// The level, index into [`Build::levels`].
    pub level: usize,
    /// The level whose masks were read: another one where 6.16 and 6.17 read NODE through a stale index.
    pub read_as: usize,
    /// What was found.
    pub outcome: SpanOutcome,
}

/// The span check, level by level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanCheckTrace {
    /// How the release checks; with [`SpanCheck::None`] there are no levels.
    pub rule: SpanCheck,
    /// The levels, bottom up.
    pub levels: Vec<LevelCheck>,
    /// The masks that were checked.
    pub masks: LevelMasks,
}

/// What the span check of `build` saw.
pub fn span_check(topology: &Topology, build: &Build) -> SpanCheckTrace {
    let rule = build.release.rules.span_check;
    if rule == SpanCheck::None {
        return SpanCheckTrace { rule, levels: Vec::new(), masks: LevelMasks::default() };
    }
    let masks = LevelMasks::new(topology, build);
    let cpu_map = build.cpu_map();
    let clash = match &build.error {
        Some(BuildError::SpanInsane { level, a, b }) => {
            build.levels.iter().position(|known| known.name == *level).map(|level| (level, *a, *b))
        }
        _ => None,
    };
    let check = |level: usize| {
        let read_as = masks.read_as(build, level);
        let outcome = match clash {
            _ if build.levels[level].overlap => SpanOutcome::MayOverlap,
            Some((failed, _, _)) if level > failed => SpanOutcome::NotReached,
            Some((failed, a, b)) if level == failed => {
                let of = |cpu: usize| masks.of(build, read_as, cpu);
                SpanOutcome::Clash { a, mask_a: of(a), b, mask_b: of(b) }
            }
            _ => SpanOutcome::Apart(cpu_map.iter().map(|cpu| masks.id(read_as, cpu)).collect::<FxHashSet<_>>().len()),
        };
        LevelCheck { level, read_as, outcome }
    };
    let levels = (0..build.levels.len()).map(check).collect();
    SpanCheckTrace { rule, levels, masks }
}

/// `tl->mask(cpu)` of every level: the CPUs it gives a CPU before anything is built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelMasks {
    /// By level, where the architecture gives the masks; others are those of `sched_domains_numa_masks`.
    arch: Vec<Option<Arc<CpuMasks>>>,
    node_of: Vec<Option<u32>>,
}

impl LevelMasks {
    fn new(topology: &Topology, build: &Build) -> Self {
        let of = |level: &Level| match level.mask {
            LevelMask::Arch(kind) => Some(topology.mask(kind)),
            LevelMask::Numa(_) => None,
        };
        Self { arch: build.levels.iter().map(of).collect(), node_of: topology.node_of_cpus() }
    }

    /// The mask of a CPU at a level of the build these are of.
    pub fn of(&self, build: &Build, level: usize, cpu: usize) -> CpuMask {
        match (build.levels[level].mask, &self.arch[level]) {
            (LevelMask::Numa(index), _) => build.numa.masks[index][self.id(level, cpu)].clone(),
            (_, Some(masks)) => masks.get(cpu).clone(),
            (_, None) => CpuMask::new(),
        }
    }

    /// Equal for CPUs that have one mask.
    fn id(&self, level: usize, cpu: usize) -> usize {
        match &self.arch[level] {
            Some(masks) => masks.id(cpu),
            None => self.node_of[cpu].map_or(0, |node| node as usize),
        }
    }

    /// 6.16 and 6.17 read NODE as the NUMA level at which the chain of the last CPU ended.
    fn read_as(&self, build: &Build, level: usize) -> usize {
        let is_node = matches!(build.levels[level].mask, LevelMask::Numa(_)) && !build.levels[level].overlap;
        if !is_node || build.release.rules.span_check != SpanCheck::StaleNode {
            return level;
        }
        // The first map that fails is the one the error is of; with one map there is no choice.
        let Some(map) = build.cpu_maps.iter().find(|map| !map.is_empty()) else { return level };
        let Some(last) = map.last() else { return level };
        let covers = |&at: &usize| map.is_subset(&self.of(build, at, last));
        let top = (0..build.levels.len()).find(covers).unwrap_or(build.levels.len() - 1);
        if matches!(build.levels[top].mask, LevelMask::Numa(_)) { top } else { level }
    }
}
