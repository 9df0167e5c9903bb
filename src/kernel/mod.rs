//! What the kernel does with a machine: levels, domains, groups, capacities, degeneration, and what it prints.
//!
//! One file per step, in build order: [`release`] says which rules hold, `numa` makes levels of distances, `levels` the
//! level table, `sane` checks it, `domains` builds each CPU's chain, `groups` the groups of each domain, `capacity`
//! their capacities, `degenerate` drops what does not matter, and [`dmesg`] says it in the kernel's words. [`Rebuilder`]
//! builds again after an edit.
//!
//! # What a build costs
//! The kernel builds CPU by CPU: each CPU scans its span at each level, and each step of the scan handles masks as wide
//! as the machine. That is O(CPUs²) steps of O(CPUs) bits, and O(CPUs²) mask comparisons more for the pairwise span
//! check. Here the work has three parts:
//!
//! - *By different set.* Masks are interned, so each different span is intersected, weighed and hashed once. There are
//!   about as many as CPUs and cores (each one's own) plus nodes × NUMA levels.
//! - *By different ring.* The groups of a NUMA domain are scanned once for all CPUs with the same span and child that
//!   meet the rest in the same order: nodes × levels scans of at most `nodes` groups. Plain rings are linked once.
//! - *By run.* CPUs of a node with consecutive numbers come out alike above their cores and caches, so domains,
//!   degeneration and pointers are worked out for the first of them; the others get copies.
//!
//! An edit that leaves every pair of nodes at its level, which is most of those made by holding a key, keeps the whole
//! build but for the distances. Any other edit of a distance keeps the levels below NODE, with all that is there by core, and so does a step to a release
//! whose rules say the same of them: what is left is memory to fill, a few hundred bytes a CPU.
//!
//! So with the number of nodes fixed the cost is proportional to CPUs (0.15 to 0.2 µs a CPU from 512 to 8192 with 8
//! nodes, filling memory being most of it), and with CPUs a node fixed it grows with nodes × levels × groups: a
//! hypercube of n nodes has log n levels of n domains of up to n groups each, and takes 1.1 µs a CPU at 4 nodes and 10 µs
//! at 128.
//! `cargo bench --bench rebuild` prints both slopes, beside the plain build of [`Sharing::PerCpu`], whose slope is the
//! kernel's.

mod builder;
mod capacity;
mod degenerate;
pub mod dmesg;
mod domains;
pub mod flags;
mod groups;
mod levels;
mod message;
pub mod numa;
mod rebuild;
pub mod release;
mod runs;
pub mod sane;
mod spans;

pub use flags::Flags;
pub use levels::{Level, LevelMask};
pub use message::{Message, MessageKind, Severity};
pub use numa::{Numa, TopologyType};
pub use rebuild::Rebuilder;
pub use release::Release;
pub use spans::{SpanId, SpanTable};

use crate::cpumask::CpuMask;
use crate::topology::Topology;
use builder::Builder;
use groups::GroupState;
use runs::Run;
use smallvec::SmallVec;
use std::sync::Arc;

/// Whether CPUs that must agree are built once or each on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// One build per class of CPUs that must come out alike: what everything uses.
    PerClass,
    /// Every CPU a class of its own, as the kernel does it: the reference the other must equal, and far slower.
    PerCpu,
}

/// Index of a ring in [`Build::rings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RingId(pub(crate) u32);

/// Index of a group in [`Build::groups`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub(crate) u32);

/// Index of a `sched_group_capacity` instance in [`Build::sgcs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SgcId(pub(crate) u32);

/// Why the kernel refused to build, or would not have survived building.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// `topology_span_sane` failed: no CPU gets a domain.
    #[error(
        "build_sched_domains() = -12: masks of level {level} partly overlap (CPUs {a} and {b}), so no CPU gets a domain"
    )]
    SpanInsane {
        /// The level's name.
        level: &'static str,
        /// A CPU whose mask meets another's without being equal.
        a: usize,
        /// That other CPU.
        b: usize,
    },
    /// There is no CPU to build domains for.
    #[error("build_sched_domains() = -12: no online CPU is left to build domains for")]
    EmptyCpuMap,
    /// Overlapping masks left a ring of groups that does not return to its start: the kernel loops for ever.
    #[error("HANG: the groups of CPU {cpu} at level {level} form no ring, the kernel would walk them for ever")]
    BrokenRing {
        /// The level's name.
        level: &'static str,
        /// A CPU whose groups they are.
        cpu: usize,
    },
    /// The kernel would follow a null or stray pointer here.
    #[error("CRASH: the kernel would oops at CPU {cpu}, level {level}: {why}")]
    Oops {
        /// The level's name.
        level: &'static str,
        /// The CPU whose domain was being built.
        cpu: usize,
        /// What is missing.
        why: &'static str,
    },
}

/// What became of a domain after it was built (`cpu_attach_domain`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It stays.
    #[default]
    Kept,
    /// It went: a span of one CPU.
    OneCpu,
    /// It went: a single group, and no flag that matters without groups.
    OneGroup,
    /// It went: same span as its child and no flag the child lacks.
    SameAsChild,
}

/// One CPU's sched domain at one level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// The CPUs it spans.
    pub span: SpanId,
    /// Flags before degeneration.
    pub built_flags: Flags,
    /// Flags in the end.
    pub flags: Flags,
    /// Whether degeneration kept it.
    pub fate: Fate,
    /// Its groups.
    pub ring: RingId,
    /// Position in the ring of this CPU's first group.
    pub head: u32,
    /// The first group's flags where they differ from the ring's; overlapping rings belong to one CPU in the kernel.
    pub head_flags: Option<Flags>,
    /// Weight that intervals are made of: `min_interval` and `balance_interval`; twice that is `max_interval`.
    pub interval: u32,
    /// Imbalance tolerated between nodes, in tasks; `imb_numa_nr`.
    pub imb_numa_nr: u32,
}

impl Default for SpanId {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Default for RingId {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

/// Groups that point at one another in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The groups in ring order; a domain's order starts at its [`Domain::head`].
    pub groups: SmallVec<[GroupId; 4]>,
    /// All CPUs of all groups.
    pub union: SpanId,
    /// No group is empty, and the sum of their weights is that of the union: no two share a CPU.
    pub disjoint: bool,
}

/// A sched group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The CPUs it holds.
    pub span: SpanId,
    /// Its `sched_group_capacity`, shared with other groups or not.
    pub sgc: SgcId,
    /// The child domain's flags, in releases that copy them.
    pub flags: Flags,
    /// Cores in it, in releases that count them.
    pub cores: u32,
}

/// A `sched_group_capacity` instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sgc {
    /// Level it was allocated for, index into [`Build::levels`].
    pub level: u32,
    /// The CPU it was allocated for: its id.
    pub owner: u32,
    /// The balance mask.
    pub mask: SpanId,
    /// Capacity of the group, 1024 = one full CPU.
    pub capacity: u64,
    /// Capacity of its smallest CPU.
    pub min_capacity: u64,
    /// Capacity of its largest CPU.
    pub max_capacity: u64,
}

/// What a CPU points at once its domains are attached (`update_top_cache_domain`). Domains are level indices into
/// [`Build::levels`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuPointers {
    /// The highest domain that shares a cache.
    pub sd_llc: Option<u32>,
    /// An id equal on CPUs sharing a last-level cache: their lowest CPU, or from 7.2 a dense number (-1 before one is
    /// given).
    pub sd_llc_id: i32,
    /// How many CPUs share it.
    pub sd_llc_size: u32,
    /// An id equal on CPUs sharing a cluster, or else a cache; 6.7 on.
    pub sd_share_id: u32,
    /// The `sched_domain_shared` instance of the LLC domain.
    pub sd_llc_shared: Option<Shared>,
    /// The lowest domain over nodes.
    pub sd_numa: Option<u32>,
    /// The highest domain with `SD_ASYM_PACKING`.
    pub sd_asym_packing: Option<u32>,
    /// The lowest domain with every capacity.
    pub sd_asym_cpucapacity: Option<u32>,
    /// The CPU's own capacity, 1024 = full.
    pub cpu_capacity: u32,
}

/// A `sched_domain_shared` instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shared {
    /// Level it was allocated for, or `None` where they are not allocated by level (7.1 on).
    pub level: Option<u32>,
    /// The CPU it was allocated for.
    pub cpu: u32,
    /// `nr_busy_cpus` as set at first.
    pub nr_busy_cpus: u32,
}

/// Everything a kernel makes of a machine. Cheap to clone: the large parts are shared.
#[derive(Clone, Debug)]
pub struct Build {
    /// Which kernel.
    pub release: Release,
    /// NUMA levels, distances and type.
    pub numa: Numa,
    /// The level table, bottom up.
    pub levels: Vec<Level>,
    /// Possible CPUs of the machine.
    pub nr_cpus: usize,
    /// Online CPUs.
    pub online: CpuMask,
    /// The CPU sets domains were built for, one per partition; usually one.
    pub cpu_maps: Vec<CpuMask>,
    /// Every different span.
    pub spans: Arc<SpanTable>,
    /// Rings of groups.
    pub rings: Arc<Vec<Ring>>,
    /// Groups.
    pub groups: Arc<Vec<Group>>,
    /// Capacities.
    pub sgcs: Arc<Vec<Sgc>>,
    /// Why there are no domains, if so.
    pub error: Option<BuildError>,
    /// What the kernel prints besides the domains, in order.
    pub messages: Vec<Message>,
    /// How often the build turns on `sched_asym_cpucapacity`.
    pub asym_cpucapacity_key: u32,
    /// How often it turns on `sched_cluster_active`.
    pub cluster_key: u32,
    /// One per CPU.
    pub pointers: Arc<Vec<CpuPointers>>,
    /// Chain by chain: `cpu * levels + level`; an empty span where the chain of that CPU ended below.
    domains: Arc<Vec<Domain>>,
}

/// A group as one CPU's domain sees it.
#[derive(Clone, Copy, Debug)]
pub struct GroupView<'a> {
    /// Which group.
    pub id: GroupId,
    /// Its data.
    pub group: &'a Group,
    /// Its capacity instance.
    pub sgc: &'a Sgc,
    /// The CPUs it holds.
    pub span: &'a CpuMask,
    /// Its balance mask.
    pub mask: &'a CpuMask,
    /// Its flags as this CPU sees them.
    pub flags: Flags,
}

impl GroupView<'_> {
    /// `group_balance_cpu`: the lowest CPU in both span and balance mask.
    pub fn balance_cpu(&self) -> Option<usize> {
        self.span.first_and(self.mask)
    }
}

impl Build {
    /// The domain of `cpu` at `level` as built, degenerated or not; `None` when its chain ended below.
    pub fn domain(&self, cpu: usize, level: usize) -> Option<&Domain> {
        let inside = cpu < self.nr_cpus && level < self.levels.len();
        inside.then(|| &self.domains[cpu * self.levels.len() + level]).filter(|domain| domain.span != SpanId::EMPTY)
    }

    /// The domains of `cpu` before degeneration, bottom up, with their level's index.
    pub fn built_chain(&self, cpu: usize) -> impl Iterator<Item = (usize, &Domain)> {
        (0..self.levels.len()).map_while(move |level| Some((level, self.domain(cpu, level)?)))
    }

    /// The domains of `cpu` that stay, bottom up, with their level's index.
    pub fn chain(&self, cpu: usize) -> impl Iterator<Item = (usize, &Domain)> {
        self.built_chain(cpu).filter(|(_, domain)| domain.fate == Fate::Kept)
    }

    /// The CPUs of a span.
    pub fn span(&self, id: SpanId) -> &CpuMask {
        self.spans.get(id)
    }

    /// The name of a level.
    pub fn level_name(&self, level: usize) -> &'static str {
        self.levels[level].name
    }

    /// The name of a level, NUMA levels counted from 1: `SMT`, `MC`, `NODE`, `NUMA-1`, `NUMA-2`.
    pub fn level_label(&self, level: usize) -> String {
        let below = self.levels[..level].iter().filter(|level| level.overlap).count();
        let Level { name, overlap, .. } = self.levels[level];
        if overlap { format!("{name}-{}", below + 1) } else { name.to_owned() }
    }

    /// The level a person names: its label in any case, `NUMA` for the first NUMA level, or its index.
    pub fn find_level(&self, name: &str) -> Option<usize> {
        let wanted = name.trim().to_ascii_uppercase();
        let is_named = |level: &usize| {
            let label = self.level_label(*level);
            label == wanted || label.strip_suffix("-1") == Some(wanted.as_str())
        };
        let by_index = || wanted.parse().ok().filter(|&level: &usize| level < self.levels.len());
        (0..self.levels.len()).find(is_named).or_else(by_index)
    }

    /// One group as `domain` sees it; `position` counts from the domain's first group.
    pub fn group(&self, domain: &Domain, position: usize) -> GroupView<'_> {
        let ring = &self.rings[domain.ring.0 as usize].groups;
        let id = ring[(domain.head as usize + position) % ring.len()];
        let group = &self.groups[id.0 as usize];
        let sgc = &self.sgcs[group.sgc.0 as usize];
        let flags = domain.head_flags.filter(|_| position == 0).unwrap_or(group.flags);
        GroupView { id, group, sgc, span: self.span(group.span), mask: self.span(sgc.mask), flags }
    }

    /// How many groups `domain` has.
    pub fn nr_groups(&self, domain: &Domain) -> usize {
        self.rings.get(domain.ring.0 as usize).map_or(0, |ring| ring.groups.len())
    }

    /// The groups of `domain` in ring order, its own first.
    pub fn groups_of<'a>(&'a self, domain: &'a Domain) -> impl ExactSizeIterator<Item = GroupView<'a>> + 'a {
        (0..self.nr_groups(domain)).map(move |position| self.group(domain, position))
    }

    /// A capacity instance.
    pub fn sgc(&self, id: SgcId) -> &Sgc {
        &self.sgcs[id.0 as usize]
    }

    /// The name of a capacity instance, `LEVEL/INDEX@CPU`: equal names are one instance.
    pub fn sgc_name(&self, sgc: &Sgc) -> String {
        format!("{}/{}@{}", self.level_name(sgc.level as usize), sgc.level, sgc.owner)
    }

    /// Every CPU domains were built for.
    pub fn cpu_map(&self) -> CpuMask {
        self.cpu_maps.iter().fold(CpuMask::new(), |all, map| all.or(map))
    }

    /// Whether the domains of a CPU map were attached, whatever became of them.
    pub fn is_attached(&self, map: usize) -> bool {
        self.cpu_maps[map].first().is_some_and(|cpu| self.pointers[cpu].sd_llc_size > 0)
    }

    /// `imbalance_pct` of a domain.
    pub fn imbalance_pct(&self, domain: &Domain) -> u32 {
        if domain.flags.contains(Flags::SHARE_CPUCAPACITY) {
            110
        } else if domain.flags.contains(Flags::SHARE_LLC) {
            117
        } else {
            self.release.rules.imbalance_pct
        }
    }

    /// `cache_nice_tries` of a domain.
    pub fn cache_nice_tries(&self, domain: &Domain) -> u32 {
        if domain.flags.contains(Flags::SHARE_CPUCAPACITY) {
            0
        } else if domain.flags.contains(Flags::SHARE_LLC) {
            1
        } else if domain.flags.contains(Flags::NUMA) {
            2
        } else {
            1
        }
    }
}

/// Builds the domains of `topology` as `release` does. The topology must be [valid](Topology::validate).
pub fn build(topology: &Topology, release: &Release) -> Build {
    Rebuilder::default().build(topology, release)
}

/// [`build`] in one go, with the choice of building every CPU on its own.
pub fn build_with(topology: &Topology, release: &Release, sharing: Sharing) -> Build {
    let mut builder = Builder::new(topology, release, sharing);
    let cpu_maps = cpu_maps(topology);
    let mut error = None;
    for cpu_map in &cpu_maps {
        if let Err(fault) = builder.build_map(cpu_map) {
            error.get_or_insert(fault);
        }
    }
    builder.finish(release, cpu_maps, error)
}

/// The CPU sets domains are built for: online CPUs that are not isolated, split by partition.
fn cpu_maps(topology: &Topology) -> Vec<CpuMask> {
    let housekeeping = topology.online.andnot(&topology.isolated);
    let mut rest = housekeeping.clone();
    let mut maps = Vec::new();
    for cpuset in &topology.cpusets {
        rest.andnot_assign(cpuset);
        maps.push(housekeeping.and(cpuset));
    }
    if !rest.is_empty() || maps.is_empty() {
        maps.insert(0, rest);
    }
    maps
}

impl Builder<'_> {
    /// `build_sched_domains` for one CPU map.
    fn build_map(&mut self, cpu_map: &CpuMask) -> Result<(), BuildError> {
        if cpu_map.is_empty() {
            if !self.rules.refuses_empty_map {
                return Ok(());
            }
            self.messages.push(Message { cpu: None, level: None, kind: MessageKind::EmptyCpuMap });
            return Err(BuildError::EmptyCpuMap);
        }
        let built = self.build_domains(cpu_map);
        if built.is_err() {
            self.forget(cpu_map);
        }
        built
    }

    fn build_domains(&mut self, cpu_map: &CpuMask) -> Result<(), BuildError> {
        let levels = 0..self.levels.len();
        self.use_runs(Run::each(cpu_map).into());
        self.build_chains(cpu_map, levels.clone())?;
        self.check_whole_map(cpu_map, levels.clone())?;
        let mut groups = GroupState::default();
        let from = self.messages.len();
        self.build_groups(&mut groups, cpu_map, levels.clone())?;
        self.place_rings(levels);
        self.finish_groups(&groups, from);
        self.set_imb_numa_nr();
        self.weigh(cpu_map, 0..self.levels.len());
        let leaders = self.core_leaders(cpu_map);
        self.count_cores(0, leaders.as_ref());
        self.attach(cpu_map, 0);
        Ok(())
    }

    /// A build that fails leaves every CPU of its map without domains.
    fn forget(&mut self, cpu_map: &CpuMask) {
        for level in 0..self.levels.len() {
            for cpu in cpu_map.iter() {
                *self.sd_mut(level, cpu) = Domain::default();
                self.span_of[level * self.nr_cpus + cpu] = SpanId::EMPTY;
                self.depth_of[cpu] = 0;
            }
            self.built[level].andnot_assign(cpu_map);
        }
    }
}
