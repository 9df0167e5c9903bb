//! Building again after an edit, keeping what the edit leaves as it was.
//!
//! The levels below NODE and NUMA follow from CPUs, not from distances: their domains, groups and capacity instances
//! are built once and copied into the next build. The spans of every CPU and core are among them, so this is the larger
//! part of the work. Whatever makes the two halves depend on each other (capacities that differ, partitions, masks the
//! kernel complains of) is built whole.

use super::builder::Builder;
use super::groups::GroupState;
use super::release::Rules;
use super::spans::{SpanId, SpanTable};
use super::{Build, BuildError, Domain, Group, LevelMask, Release, Ring, RingId, Sgc, Sharing, build, cpu_maps};
use crate::cpumask::CpuMask;
use crate::topology::{Arch, Levels, Topology};

/// Builds one machine after another, each equal to [`build`] of it.
#[derive(Debug, Default)]
pub struct Rebuilder {
    lower: Option<Lower>,
}

impl Rebuilder {
    /// Builds the domains of `topology` as `release` does.
    pub fn build(&mut self, topology: &Topology, release: &Release) -> Build {
        match self.build_in_halves(topology, release) {
            Some(build) => build,
            None => build(topology, release),
        }
    }

    fn build_in_halves(&mut self, topology: &Topology, release: &Release) -> Option<Build> {
        let cpu_map = only_map(topology)?;
        let mut builder = Builder::new(topology, release, Sharing::PerClass);
        let split = builder.levels.iter().position(|level| matches!(level.mask, LevelMask::Numa(_)))?;
        let key = Key::of(topology, release);
        let mut groups = match &self.lower {
            Some(lower) if lower.key == key && lower.levels == split => lower.restore(&mut builder),
            _ => {
                let groups = builder.build_lower(&cpu_map, split)?;
                self.lower = Some(Lower::of(&builder, key, split, groups.clone()));
                groups
            }
        };
        let built = builder.build_upper(&cpu_map, split, &mut groups);
        if built.is_err() {
            builder.forget(&cpu_map);
        }
        Some(builder.finish(release, vec![cpu_map], built.err()))
    }
}

/// The CPU map, where there is but one and nothing ties the levels below NODE to those above.
fn only_map(topology: &Topology) -> Option<CpuMask> {
    let mut maps = cpu_maps(topology);
    let plain = topology.capacity.is_none() && topology.cpusets.is_empty() && maps.len() == 1;
    maps.pop().filter(|map| plain && !map.is_empty())
}

impl Builder<'_> {
    /// The levels below `split`; `None` where the kernel has something to say of them.
    fn build_lower(&mut self, cpu_map: &CpuMask, split: usize) -> Option<GroupState> {
        let said = self.messages.len();
        self.build_chains(cpu_map, 0..split).ok()?;
        let mut groups = GroupState::default();
        self.build_groups(&mut groups, cpu_map, 0..split).ok()?;
        (self.messages.len() == said).then_some(groups)
    }

    /// The levels from `split` on, and what follows when all levels have their groups.
    fn build_upper(&mut self, cpu_map: &CpuMask, split: usize, groups: &mut GroupState) -> Result<(), BuildError> {
        let levels = split..self.levels.len();
        self.build_chains(cpu_map, levels.clone())?;
        self.check_whole_map(cpu_map)?;
        let from = self.messages.len();
        self.build_groups(groups, cpu_map, levels)?;
        self.finish_groups(groups, cpu_map, from);
        self.weigh_and_attach(cpu_map);
        Ok(())
    }
}

/// What the lower levels follow from.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    rules: Rules,
    arch: Arch,
    numa_in_package: bool,
    nr_cpus: usize,
    online: CpuMask,
    isolated: CpuMask,
    node_cpus: Vec<CpuMask>,
    levels: Levels,
}

impl Key {
    fn of(topology: &Topology, release: &Release) -> Self {
        Self {
            rules: release.rules,
            arch: topology.arch,
            numa_in_package: topology.numa_in_package,
            nr_cpus: topology.nr_cpus,
            online: topology.online.clone(),
            isolated: topology.isolated.clone(),
            node_cpus: topology.nodes.iter().map(|node| node.cpus.clone()).collect(),
            levels: topology.levels.clone(),
        }
    }
}

/// The levels below NODE and NUMA as built, before capacities are weighed or anything degenerates.
#[derive(Debug)]
struct Lower {
    key: Key,
    levels: usize,
    spans: SpanTable,
    /// Chain by chain, `cpu * levels + level`.
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
    state: GroupState,
}

impl Lower {
    fn of(builder: &Builder, key: Key, levels: usize, state: GroupState) -> Self {
        let by_level = levels * builder.nr_cpus;
        let all = builder.levels.len();
        Self {
            key,
            levels,
            spans: builder.spans.clone(),
            domains: builder.domains.chunks(all).flat_map(|chain| &chain[..levels]).cloned().collect(),
            depth_of: builder.depth_of.clone(),
            span_of: builder.span_of[..by_level].to_vec(),
            ring_of: builder.ring_of[..by_level].to_vec(),
            sgc_of: builder.sgc_of[..by_level].to_vec(),
            busy: builder.busy[..by_level].to_vec(),
            built: builder.built[..levels].to_vec(),
            rings: builder.rings.clone(),
            groups: builder.groups.clone(),
            sgcs: builder.sgcs.clone(),
            state,
        }
    }

    /// Puts the levels into a fresh builder.
    fn restore(&self, builder: &mut Builder) -> GroupState {
        let all = builder.levels.len();
        for (chain, kept) in builder.domains.chunks_mut(all).zip(self.domains.chunks(self.levels)) {
            chain[..self.levels].clone_from_slice(kept);
        }
        builder.spans = self.spans.clone();
        builder.depth_of.clone_from(&self.depth_of);
        builder.span_of[..self.span_of.len()].copy_from_slice(&self.span_of);
        builder.ring_of[..self.ring_of.len()].copy_from_slice(&self.ring_of);
        builder.sgc_of[..self.sgc_of.len()].copy_from_slice(&self.sgc_of);
        builder.busy[..self.busy.len()].copy_from_slice(&self.busy);
        builder.built[..self.levels].clone_from_slice(&self.built);
        builder.rings.clone_from(&self.rings);
        builder.groups.clone_from(&self.groups);
        builder.sgcs.clone_from(&self.sgcs);
        self.state.clone()
    }
}
