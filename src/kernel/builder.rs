//! The working state of a build, shared by its steps.

use super::flags::Flags;
use super::levels::{Level, LevelMask};
use super::message::{Message, MessageKind};
use super::numa::Numa;
use super::release::Rules;
use super::runs::Run;
use super::spans::{SpanId, SpanTable};
use super::{Build, BuildError, CpuPointers, Domain, Group, GroupId, Release, Ring, RingId, Sgc, SgcId, Sharing};
use crate::cpumask::CpuMask;
use crate::topology::{CpuMasks, Topology};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Where a level's masks come from, resolved: `tl->mask`.
pub(super) enum Source {
    /// One id per different mask of the architecture's level.
    Arch(Arc<CpuMasks>),
    /// One id per node.
    Numa(Vec<CpuMask>),
}

/// The working state. Domains are stored chain by chain, `cpu * levels + level`: most steps
/// walk one CPU's chain. The other `_of` tables and `busy` are level-major,
/// `level * nr_cpus + cpu`.
pub(super) struct Builder<'a> {
    pub(super) topology: &'a Topology,
    pub(super) rules: &'a Rules,
    pub(super) sharing: Sharing,
    pub(super) nr_cpus: usize,
    pub(super) numa: Numa,
    pub(super) levels: Vec<Level>,
    pub(super) sources: Vec<Source>,
    /// Index of each CPU's node.
    pub(super) node_of: Vec<u32>,
    pub(super) spans: SpanTable,
    pub(super) domains: Vec<Domain>,
    /// CPUs that come out alike, ascending; every CPU of the CPU map is in one.
    pub(super) runs: Arc<[Run]>,
    /// The leader of each CPU's run, or itself.
    pub(super) leader_of: Vec<u32>,
    /// For each CPU the order in which it meets the others, where that tells all of its scans.
    pub(super) orders: Option<Arc<[u32]>>,
    /// How many levels the chain of each CPU has.
    pub(super) depth_of: Vec<u32>,
    /// The domains' spans, level by level: most passes over the CPUs of a level need nothing else.
    pub(super) span_of: Vec<SpanId>,
    /// Ring and position of the first group, level by level, until the domains get them.
    pub(super) ring_of: Vec<(RingId, u32)>,
    /// Per level, the CPUs whose domain there exists and contains them.
    pub(super) built: Vec<CpuMask>,
    pub(super) rings: Vec<Ring>,
    pub(super) groups: Vec<Group>,
    pub(super) sgcs: Vec<Sgc>,
    /// Index into `sgcs`, or [`NONE`].
    pub(super) sgc_of: Vec<u32>,
    /// `nr_busy_cpus` of the `sched_domain_shared` of each level and CPU.
    pub(super) busy: Vec<u32>,
    pub(super) messages: Vec<Message>,
    pub(super) pointers: Vec<CpuPointers>,
    pub(super) asym_cpucapacity_key: u32,
    pub(super) cluster_key: u32,
}

/// No index.
pub(super) const NONE: u32 = u32::MAX;

impl Source {
    /// Index of the mask of `cpu`, which is in the node of index `node`.
    pub(super) fn id(&self, cpu: usize, node: u32) -> usize {
        match self {
            Self::Arch(masks) => masks.id(cpu),
            Self::Numa(_) => node as usize,
        }
    }

    /// The mask of this index.
    pub(super) fn mask(&self, id: usize) -> &CpuMask {
        match self {
            Self::Arch(masks) => &masks.distinct()[id],
            Self::Numa(masks) => &masks[id],
        }
    }

    /// The masks, by index.
    pub(super) fn masks(&self) -> impl Iterator<Item = &CpuMask> {
        match self {
            Self::Arch(masks) => masks.distinct().iter(),
            Self::Numa(masks) => masks.iter(),
        }
    }

    /// How many indices there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Arch(masks) => masks.distinct().len(),
            Self::Numa(masks) => masks.len(),
        }
    }
}

/// What there is to build: the first thing a kernel works out, of distances alone.
pub(super) struct Table {
    pub(super) numa: Numa,
    pub(super) levels: Vec<Level>,
    pub(super) messages: Vec<Message>,
}

impl Table {
    pub(super) fn new(topology: &Topology, rules: &Rules) -> Self {
        let mut messages = Vec::new();
        let numa = super::numa::init(topology, rules, &mut messages);
        let levels = super::levels::table(topology, rules, numa.distances.len());
        Self { numa, levels, messages }
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(topology: &'a Topology, release: &'a Release, sharing: Sharing) -> Self {
        Self::on(Table::new(topology, &release.rules), topology, release, sharing)
    }

    /// With the levels as they are in `table`.
    pub(super) fn on(table: Table, topology: &'a Topology, release: &'a Release, sharing: Sharing) -> Self {
        let rules = &release.rules;
        let Table { numa, levels, messages } = table;
        let source = |level: &Level| match level.mask {
            LevelMask::Arch(mask) => Source::Arch(topology.mask(mask)),
            LevelMask::Numa(index) => Source::Numa(numa.masks[index].clone()),
        };
        let sources = levels.iter().map(source).collect();
        let nr_cpus = topology.nr_cpus;
        let pointer = CpuPointers { cpu_capacity: super::capacity::FULL, ..CpuPointers::default() };
        Self {
            topology,
            rules,
            sharing,
            nr_cpus,
            sources,
            node_of: topology.node_of_cpus().into_iter().map(|node| node.unwrap_or(NONE)).collect(),
            // Every CPU alone, and every core: what most of the sets will be.
            spans: SpanTable::with_room(2 * nr_cpus),
            domains: vec![Domain::default(); levels.len() * nr_cpus],
            runs: Arc::default(),
            orders: None,
            leader_of: (0..nr_cpus as u32).collect(),
            depth_of: vec![0; nr_cpus],
            span_of: vec![SpanId::EMPTY; levels.len() * nr_cpus],
            ring_of: vec![(RingId::default(), 0); levels.len() * nr_cpus],
            built: vec![CpuMask::new(); levels.len()],
            rings: Vec::new(),
            groups: Vec::new(),
            sgcs: Vec::new(),
            sgc_of: vec![NONE; levels.len() * nr_cpus],
            busy: vec![0; levels.len() * nr_cpus],
            messages,
            pointers: vec![pointer; nr_cpus],
            asym_cpucapacity_key: 0,
            cluster_key: 0,
            numa,
            levels,
        }
    }

    pub(super) fn finish(self, release: &Release, cpu_maps: Vec<CpuMask>, error: Option<BuildError>) -> Build {
        Build {
            release: release.clone(),
            numa: self.numa,
            levels: self.levels,
            nr_cpus: self.nr_cpus,
            online: self.topology.online.clone(),
            cpu_maps,
            spans: Arc::new(self.spans),
            rings: Arc::new(self.rings),
            groups: Arc::new(self.groups),
            sgcs: Arc::new(self.sgcs),
            error,
            messages: self.messages,
            asym_cpucapacity_key: self.asym_cpucapacity_key,
            cluster_key: self.cluster_key,
            pointers: Arc::new(self.pointers),
            domains: Arc::new(self.domains),
        }
    }

    /// Index of the mask of `cpu` at `level`.
    pub(super) fn mask_id(&self, level: usize, cpu: usize) -> usize {
        self.sources[level].id(cpu, self.node_of[cpu])
    }

    /// `tl->mask(cpu)`, as the architecture or the NUMA step gives it.
    pub(super) fn mask(&self, level: usize, cpu: usize) -> &CpuMask {
        self.sources[level].mask(self.mask_id(level, cpu))
    }

    /// The domain of `cpu` at `level`; its span is empty where the chain of that CPU ended below. Of a run only the
    /// leader's is up to date above the levels of cores and caches, until [`attach`](Self::attach).
    pub(super) fn sd(&self, level: usize, cpu: usize) -> &Domain {
        &self.domains[cpu * self.levels.len() + level]
    }

    pub(super) fn sd_mut(&mut self, level: usize, cpu: usize) -> &mut Domain {
        &mut self.domains[cpu * self.levels.len() + level]
    }

    /// Takes these runs for the steps to come.
    pub(super) fn use_runs(&mut self, runs: Arc<[Run]>) {
        for run in runs.iter().filter(|run| run.len() > 1) {
            self.leader_of[run.cpus()].fill(run.first);
        }
        self.runs = runs;
    }

    /// Says of each CPU of `run` what has been said of its leader since message number `from`.
    pub(super) fn say_of_all(&mut self, run: Run, from: usize) {
        let said = self.messages.len();
        for cpu in run.others().filter(|_| said > from) {
            for at in from..said {
                let message = self.messages[at].clone();
                self.messages.push(Message { cpu: Some(cpu as u32), ..message });
            }
        }
    }

    /// Whether `cpu` has a domain at `level`.
    pub(super) fn has_sd(&self, level: usize, cpu: usize) -> bool {
        level < self.depth_of[cpu] as usize
    }

    /// The span of the domain of `cpu` at `level`, empty where there is none.
    pub(super) fn sd_span(&self, level: usize, cpu: usize) -> SpanId {
        self.span_of[level * self.nr_cpus + cpu]
    }

    /// Notes the ring of a domain, and where in it the CPU's first group is.
    pub(super) fn set_ring(&mut self, level: usize, cpus: RangeInclusive<usize>, ring: RingId, head: u32) {
        let row = level * self.nr_cpus;
        self.ring_of[row + cpus.start()..=row + cpus.end()].fill((ring, head));
    }

    /// The span of the child of the domain of `cpu` at `level`, where there is one.
    pub(super) fn child_span(&self, level: usize, cpu: usize) -> Option<SpanId> {
        (level > 0 && self.has_sd(level, cpu)).then(|| self.sd_span(level - 1, cpu))
    }

    /// The flags of that child.
    pub(super) fn child_flags(&self, level: usize, cpu: usize) -> Flags {
        let has_child = level > 0 && self.has_sd(level, cpu);
        if has_child { self.sd(level - 1, self.leader_of[cpu] as usize).built_flags } else { Flags::NONE }
    }

    pub(super) fn span(&self, id: SpanId) -> &CpuMask {
        self.spans.get(id)
    }

    /// How many levels the chain of `cpu` has.
    pub(super) fn depth(&self, cpu: usize) -> usize {
        self.depth_of[cpu] as usize
    }

    /// The capacity instance of `level` and `owner`, allocated when first asked for; and whether it is new.
    pub(super) fn claim_sgc(&mut self, level: usize, owner: usize) -> (SgcId, bool) {
        let slot = &mut self.sgc_of[level * self.nr_cpus + owner];
        if *slot != NONE {
            return (SgcId(*slot), false);
        }
        *slot = self.sgcs.len() as u32;
        self.sgcs.push(Sgc {
            level: level as u32,
            owner: owner as u32,
            mask: SpanId::EMPTY,
            capacity: 0,
            min_capacity: 0,
            max_capacity: 0,
        });
        (SgcId(*slot), true)
    }

    /// Sets what a group's capacity starts from: a full CPU for each of `weight` CPUs.
    pub(super) fn preset_capacity(&mut self, sgc: SgcId, weight: u32) {
        let sgc = &mut self.sgcs[sgc.0 as usize];
        sgc.capacity = u64::from(weight) * 1024;
        sgc.min_capacity = 1024;
        sgc.max_capacity = 1024;
    }

    pub(super) fn push_group(&mut self, span: SpanId, sgc: SgcId, flags: Flags) -> GroupId {
        self.groups.push(Group { span, sgc, flags, cores: 0 });
        GroupId(self.groups.len() as u32 - 1)
    }

    pub(super) fn say(&mut self, cpu: usize, level: usize, kind: MessageKind) {
        self.messages.push(Message { cpu: Some(cpu as u32), level: Some(level as u32), kind });
    }

    /// An oops of the modelled kernel.
    pub(super) fn oops(&self, cpu: usize, level: usize, why: &'static str) -> BuildError {
        BuildError::Oops { level: self.levels[level].name, cpu, why }
    }
}
