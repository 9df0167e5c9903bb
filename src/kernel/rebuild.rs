//! Building again after an edit, keeping what the edit leaves as it was.
//!
//! Where the masks of all levels are what they were, so is everything made of them: an edit that leaves every pair of
//! nodes at its level changes distances and no more. Otherwise, the levels below NODE and NUMA follow from CPUs, not
//! from distances: their domains, groups and capacity instances are built once and copied into the next build, or where
//! they are many shared with it. The spans of every CPU and core are among them, so this is the larger part of the
//! work. They follow from few of a kernel's rules as well, so most steps from one release to the next keep them.
//! Whatever makes the two halves depend on each other (capacities that differ, partitions, masks the kernel complains
//! of) is built whole.

use super::builder::{Builder, Table};
use super::capacity::{CoreLeaders, FULL};
use super::domains::level_flags;
use super::groups::GroupState;
use super::release::{self, Rules};
use super::runs::Run;
use super::spans::{SpanId, SpanTable};
use super::{
    Build, BuildError, Domain, Flags, Group, Level, LevelMask, Numa, Release, Ring, RingId, Sgc, Sharing, build_with,
    cpu_maps,
};
use crate::cpumask::CpuMask;
use crate::topology::{Arch, Levels, Topology};
use std::sync::Arc;

/// Builds one machine after another, each equal to [`build_with`] of it.
#[derive(Debug, Default)]
pub struct Rebuilder {
    lower: Option<Lower>,
    last: Option<Last>,
}

impl Rebuilder {
    /// Builds the domains of `topology` as `release` does.
    pub fn build(&mut self, topology: &Topology, release: &Release) -> Build {
        match self.build_in_halves(topology, release) {
            Some(build) => build,
            None => build_with(topology, release, Sharing::PerClass),
        }
    }

    fn build_in_halves(&mut self, topology: &Topology, release: &Release) -> Option<Build> {
        let cpu_map = only_map(topology)?;
        let table = Table::new(topology, &release.rules);
        let last = self.last.take().filter(|last| last.is_of(topology, release, &table));
        if let (Some(last), Some(lower)) = (last, &self.lower)
            && lower.key.is_of(topology, release)
        {
            let build = last.with(table, release);
            self.last = Some(last);
            return Some(build);
        }
        let said = table.messages.len();
        let mut builder = Builder::on(table, topology, release, Sharing::PerClass);
        let split = builder.levels.iter().position(|level| matches!(level.mask, LevelMask::Numa(_)))?;
        let mut groups = None;
        if !self.lower.as_ref().is_some_and(|lower| lower.split == split && lower.key.is_of(topology, release)) {
            // What is there is no longer wanted, and may be large.
            self.lower = None;
            let lower = builder.build_lower(&cpu_map, split, Key::of(topology, release))?;
            groups = Some(lower.state.clone());
            self.lower = Some(lower);
        }
        let lower = self.lower.as_ref()?;
        let mut groups = groups.unwrap_or_else(|| lower.restore(&mut builder));
        let built = builder.build_upper(&cpu_map, lower, &mut groups);
        if built.is_err() {
            builder.forget(&cpu_map);
        }
        let build = builder.finish(release, vec![cpu_map], built.err());
        self.last = Some(Last::of(topology, &build, said));
        Some(build)
    }
}

/// The build before, with what all of it follows from besides the levels below NODE.
#[derive(Debug)]
struct Last {
    build: Build,
    /// How many of its messages are about distances.
    said: usize,
    flags: Vec<Flags>,
    sched_debug: bool,
    highest_node: Option<u32>,
}

impl Last {
    fn of(topology: &Topology, build: &Build, said: usize) -> Self {
        Self {
            build: build.clone(),
            said,
            flags: flags_of(topology, &build.release, &build.numa, &build.levels),
            sched_debug: topology.sched_debug,
            highest_node: topology.nodes.last().map(|node| node.id),
        }
    }

    /// Whether a build of `table` differs in nothing but distances.
    fn is_of(&self, topology: &Topology, release: &Release, table: &Table) -> bool {
        self.build.release.rules == release.rules
            && self.build.levels == table.levels
            && self.build.numa.masks == table.numa.masks
            && self.flags == flags_of(topology, release, &table.numa, &table.levels)
            && self.sched_debug == topology.sched_debug
            && self.highest_node == topology.nodes.last().map(|node| node.id)
    }

    fn with(&self, table: Table, release: &Release) -> Build {
        let mut messages = table.messages;
        messages.extend_from_slice(&self.build.messages[self.said..]);
        Build { release: release.clone(), numa: table.numa, messages, ..self.build.clone() }
    }
}

/// The flags of each level; those of NUMA levels follow from distances.
fn flags_of(topology: &Topology, release: &Release, numa: &Numa, levels: &[Level]) -> Vec<Flags> {
    levels.iter().enumerate().map(|level| level_flags(topology, &release.rules, numa, level)).collect()
}

/// The CPU map, where there is but one and nothing ties the levels below NODE to those above.
fn only_map(topology: &Topology) -> Option<CpuMask> {
    let mut maps = cpu_maps(topology);
    let plain = topology.capacity.is_none() && topology.cpusets.is_empty() && maps.len() == 1;
    maps.pop().filter(|map| plain && !map.is_empty())
}

impl Builder<'_> {
    /// The levels below `split`; `None` where the kernel has something to say of them.
    fn build_lower(&mut self, cpu_map: &CpuMask, split: usize, key: Key) -> Option<Lower> {
        let said = self.messages.len();
        self.use_runs(Run::each(cpu_map).into());
        self.build_chains(cpu_map, 0..split).ok()?;
        self.check_whole_map(cpu_map, 0..split).ok()?;
        let mut groups = GroupState::default();
        self.build_groups(&mut groups, cpu_map, 0..split).ok()?;
        if self.messages.len() > said {
            return None;
        }
        self.place_rings(0..split);
        let leaders = self.core_leaders(cpu_map);
        self.count_cores(0, leaders.as_ref());
        let preset = self.sgcs.clone();
        self.weigh(cpu_map, 0..split);
        let weighed = std::mem::replace(&mut self.sgcs, preset);
        let lower = Lower::of(self, cpu_map, key, split, (groups, weighed, leaders));
        self.pointers.iter_mut().for_each(|pointers| pointers.cpu_capacity = FULL);
        Some(lower)
    }

    /// The levels above those of `lower`, and what follows when all levels have their groups.
    fn build_upper(&mut self, cpu_map: &CpuMask, lower: &Lower, groups: &mut GroupState) -> Result<(), BuildError> {
        let levels = lower.split..self.levels.len();
        self.build_chains(cpu_map, levels.clone())?;
        self.check_whole_map(cpu_map, levels.clone())?;
        let from = self.messages.len();
        self.build_groups(groups, cpu_map, levels.clone())?;
        self.split_by_ring(lower.split);
        self.place_rings(levels);
        self.finish_groups(groups, from);
        self.set_imb_numa_nr();
        if groups.has_taken(lower.sgcs.len()) || !self.weigh_upper(&lower.weighed, &lower.cpu_capacity, lower.split) {
            self.weigh(cpu_map, 0..self.levels.len());
        }
        self.count_cores(lower.groups.len(), lower.leaders.as_ref());
        self.attach(cpu_map, lower.split);
        Ok(())
    }
}

/// What the lower levels follow from.
#[derive(Clone, Debug)]
struct Key {
    rules: Rules,
    arch: Arch,
    numa_in_package: bool,
    nr_cpus: usize,
    online: CpuMask,
    isolated: CpuMask,
    node_cpus: Vec<CpuMask>,
    levels: Levels,
    relax_domain_level: Option<u32>,
}

impl Key {
    fn of(topology: &Topology, release: &Release) -> Self {
        Self {
            rules: below_node(&release.rules),
            arch: topology.arch,
            numa_in_package: topology.numa_in_package,
            nr_cpus: topology.nr_cpus,
            online: topology.online.clone(),
            isolated: topology.isolated.clone(),
            node_cpus: topology.nodes.iter().map(|node| node.cpus.clone()).collect(),
            levels: topology.levels.clone(),
            relax_domain_level: topology.relax_domain_level,
        }
    }

    /// Whether it is that of `topology` and `release`.
    fn is_of(&self, topology: &Topology, release: &Release) -> bool {
        self.rules == below_node(&release.rules)
            && self.arch == topology.arch
            && self.numa_in_package == topology.numa_in_package
            && self.nr_cpus == topology.nr_cpus
            && self.online == topology.online
            && self.isolated == topology.isolated
            && self.node_cpus.iter().eq(topology.nodes.iter().map(|node| &node.cpus))
            && self.levels == topology.levels
            && self.relax_domain_level == topology.relax_domain_level
    }
}

/// The rules with those that say nothing of the levels below NODE set alike.
fn below_node(rules: &Rules) -> Rules {
    Rules {
        distance_list: release::DistanceList::CpuNodes,
        node_level: false,
        distance_slots_extra: 0,
        domain_distance: release::DomainDistance::AsGiven,
        topology_type: release::TopologyTypeRule::OneLevel,
        refuses_empty_map: false,
        overlap_groups: release::OverlapGroups::FromFirstCpu,
        overlap_flag: false,
        needs_groups: Flags::NONE,
        parent_needs_groups: Flags::NONE,
        max_capacity: false,
        overlap_capacity: release::OverlapCapacity::PerCpu,
        imb_numa_nr: release::ImbNumaNr::None,
        share_id: false,
        busy_factor: 0,
        imbalance_pct: 0,
        llc_flag_name: "",
        pkg_name: "",
        log: release::LogFormat::New,
        log_flag_checks: false,
        log_marks_cpuless: false,
        root_line: rules.root_line,
        warn_three_hops: false,
        ..*rules
    }
}

/// The levels below NODE and NUMA as built, before anything degenerates.
#[derive(Debug)]
struct Lower {
    key: Key,
    split: usize,
    spans: Arc<SpanTable>,
    runs: Arc<[Run]>,
    orders: Option<Arc<[u32]>>,
    leader_of: Vec<u32>,
    leaders: Option<CoreLeaders>,
    /// Chain by chain, `cpu * split + level`.
    domains: Vec<Domain>,
    depth_of: Vec<u32>,
    /// Level by level, as in the builder.
    span_of: Vec<SpanId>,
    ring_of: Vec<(RingId, u32)>,
    sgc_of: Vec<u32>,
    busy: Vec<u32>,
    built: Vec<CpuMask>,
    rings: Vec<Ring>,
    groups: Vec<Group>,
    sgcs: Vec<Sgc>,
    /// The same instances once weighed.
    weighed: Vec<Sgc>,
    cpu_capacity: Vec<u32>,
    state: GroupState,
}

impl Lower {
    fn of(
        builder: &mut Builder,
        cpu_map: &CpuMask,
        key: Key,
        split: usize,
        (state, weighed, leaders): (GroupState, Vec<Sgc>, Option<CoreLeaders>),
    ) -> Self {
        let by_level = split * builder.nr_cpus;
        let all = builder.levels.len();
        let runs = builder.find_runs(cpu_map, split);
        builder.orders = builder.find_orders(cpu_map, &runs, split);
        builder.use_runs(runs.into());
        Self {
            key,
            split,
            runs: Arc::clone(&builder.runs),
            orders: builder.orders.clone(),
            leader_of: builder.leader_of.clone(),
            leaders,
            domains: builder.domains.chunks(all).flat_map(|chain| &chain[..split]).cloned().collect(),
            depth_of: builder.depth_of.clone(),
            span_of: builder.span_of[..by_level].to_vec(),
            ring_of: builder.ring_of[..by_level].to_vec(),
            sgc_of: builder.sgc_of[..by_level].to_vec(),
            busy: builder.busy[..by_level].to_vec(),
            built: builder.built[..split].to_vec(),
            spans: Arc::new(builder.spans.clone()),
            rings: builder.rings.clone(),
            groups: builder.groups.clone(),
            sgcs: builder.sgcs.clone(),
            weighed,
            cpu_capacity: builder.pointers.iter().map(|pointers| pointers.cpu_capacity).collect(),
            state,
        }
    }

    /// Puts the levels into a fresh builder.
    fn restore(&self, builder: &mut Builder) -> GroupState {
        let all = builder.levels.len();
        if self.split > 0 {
            for (chain, kept) in builder.domains.chunks_mut(all).zip(self.domains.chunks(self.split)) {
                chain[..self.split].clone_from_slice(kept);
            }
        }
        builder.spans = SpanTable::on(Arc::clone(&self.spans));
        builder.runs = Arc::clone(&self.runs);
        builder.orders.clone_from(&self.orders);
        builder.leader_of.clone_from(&self.leader_of);
        builder.depth_of.clone_from(&self.depth_of);
        builder.span_of[..self.span_of.len()].copy_from_slice(&self.span_of);
        builder.ring_of[..self.ring_of.len()].copy_from_slice(&self.ring_of);
        builder.sgc_of[..self.sgc_of.len()].copy_from_slice(&self.sgc_of);
        builder.busy[..self.busy.len()].copy_from_slice(&self.busy);
        builder.built[..self.split].clone_from_slice(&self.built);
        builder.rings.clone_from(&self.rings);
        builder.groups.clone_from(&self.groups);
        builder.sgcs.clone_from(&self.sgcs);
        self.state.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Distances;

    #[test]
    fn a_distance_that_makes_no_other_level_keeps_the_build() {
        let ring = |far: u32| {
            let hops = [10, 20, far, 20];
            let cpus = (0..4).map(|node| CpuMask::range(2 * node, 2 * node + 1)).collect();
            Topology::new("ring", cpus, Distances::from_fn(4, |from, to| hops[(4 + to - from) % 4]))
        };
        let (release, mut rebuilder) = (Release::newest(), Rebuilder::default());
        let first = rebuilder.build(&ring(29), &release);
        let kept = rebuilder.build(&ring(30), &release);
        assert_eq!(kept.numa.distances, [10, 20, 30]);
        assert!(Arc::ptr_eq(&first.domains, &kept.domains));
        // 31 is beyond the reclaim distance, 20 no level of its own.
        for far in [31, 20] {
            assert!(!Arc::ptr_eq(&kept.domains, &rebuilder.build(&ring(far), &release).domains));
        }
    }
}
