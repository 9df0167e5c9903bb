//! `build_sched_domain` and `sd_init`: each CPU's chain of domains, bottom up.

use super::builder::Builder;
use super::flags::Flags;
use super::levels::{Level, LevelMask};
use super::message::MessageKind;
use super::numa::Numa;
use super::release::{AsymRule, ImbNumaNr, PreferSibling, RelaxRule, Rules, SharedRule};
use super::runs::Run;
use super::sane;
use super::spans::SpanId;
use super::{BuildError, Sharing};
use crate::cpumask::CpuMask;
use crate::topology::Topology;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// What every domain of a level starts with, whatever its CPU.
struct LevelInit {
    flags: Flags,
    /// For each mask index of the level, the mask within the CPU map, once a CPU has asked.
    clipped: Vec<Option<SpanId>>,
    /// For each mask index, its weight.
    weights: Vec<u32>,
}

impl Builder<'_> {
    /// Builds the chain of every CPU of `cpu_map` over `levels`, up to the level that spans the whole map. Chains that
    /// do not reach the first of the levels are left as they are.
    ///
    /// # Errors
    /// When the span check fails; messages up to there are kept.
    pub(super) fn build_chains(&mut self, cpu_map: &CpuMask, levels: Range<usize>) -> Result<(), BuildError> {
        let asym_level = self.asym_level(cpu_map);
        let mut asym = AsymClasses::new(self, cpu_map);
        let mut inits: Vec<LevelInit> = (0..self.levels.len()).map(|level| self.level_init(level)).collect();
        let mut check = sane::BeforeEachLevel::new(self, cpu_map, &levels);
        let mut subsets = SubsetCache::default();
        let whole = self.spans.intern(cpu_map.clone());
        let mut has_asym = false;
        let runs = Arc::clone(&self.runs);
        for &run in runs.iter() {
            let (cpu, said) = (run.leader(), self.messages.len());
            if levels.start > 0 && (self.depth(cpu) < levels.start || self.sd_span(levels.start - 1, cpu) == whole) {
                continue;
            }
            for level in levels.clone() {
                let init = &mut inits[level];
                check.check(self, cpu_map, level, cpu)?;
                let (mut span, weight) = self.clip(init, cpu_map, level, cpu);
                let mut flags = init.flags | asym.classify(self, span);
                if self.is_asym_level(asym_level, level) {
                    flags |= Flags::ASYM_CPUCAPACITY;
                }
                if flags.contains(Flags::ASYM_CPUCAPACITY | Flags::SHARE_CPUCAPACITY) && asym.warn_smt() {
                    self.say(cpu, level, MessageKind::AsymSmt);
                }
                has_asym |= flags.contains(Flags::ASYM_CPUCAPACITY);
                self.share(level, cpu, span, flags, weight)?;
                let child = level.checked_sub(1).map(|below| self.sd_span(below, cpu));
                if let Some(child) = child
                    && !subsets.contains(self, level, child, span)
                {
                    let (child_level, parent_level) = (self.levels[level - 1].name, self.levels[level].name);
                    self.say(cpu, level, MessageKind::NotSubset { child: child_level, parent: parent_level });
                    let both = self.span(span).or(self.span(child));
                    span = self.spans.intern(both);
                }
                if span == SpanId::EMPTY {
                    return Err(self.oops(cpu, level, "the domain spans no CPU"));
                }
                self.asym_marks_child(level, cpu, &mut flags);
                flags = relaxed(self.topology, self.rules, level, flags);
                self.span_of[level * self.nr_cpus + cpu] = span;
                self.depth_of[cpu] = level as u32 + 1;
                let domain = self.sd_mut(level, cpu);
                domain.span = span;
                domain.built_flags = flags;
                domain.interval = weight;
                if span == whole {
                    break;
                }
            }
            self.spread_chain(run, levels.start);
            self.say_of_all(run, said);
        }
        self.asym_cpucapacity_key += u32::from(has_asym && self.rules.asym_key);
        for level in levels {
            let built = self.built_at(cpu_map, level);
            self.built[level].or_assign(&built);
        }
        Ok(())
    }

    /// Hands the spans the leader of `run` has from `level` up to the others.
    fn spread_chain(&mut self, run: Run, level: usize) {
        let depth = self.depth(run.leader());
        if run.len() == 1 || depth <= level {
            return;
        }
        self.depth_of[run.others()].fill(depth as u32);
        for level in level..depth {
            let span = self.sd_span(level, run.leader());
            let row = level * self.nr_cpus;
            self.span_of[row + run.leader()..=row + run.end()].fill(span);
        }
    }

    /// The CPUs whose domain at `level` holds them. What holds the leader of a run holds its child, and so all.
    fn built_at(&self, cpu_map: &CpuMask, level: usize) -> CpuMask {
        let here = |run: &&Run| self.span(self.sd_span(level, run.leader())).contains(run.leader());
        if self.runs.iter().all(|run| here(&run)) {
            return cpu_map.clone();
        }
        self.runs.iter().filter(here).fold(CpuMask::new(), |mut all, run| {
            all.or_assign(&CpuMask::range(run.leader(), run.end()));
            all
        })
    }

    fn level_init(&self, level: usize) -> LevelInit {
        let source = &self.sources[level];
        let weights = (0..source.len()).map(|id| source.mask(id).weight() as u32).collect();
        LevelInit {
            flags: level_flags(self.topology, self.rules, &self.numa, (level, &self.levels[level])),
            clipped: vec![None; source.len()],
            weights,
        }
    }

    /// The span of `cpu` at a level, `cpu_map & tl->mask(cpu)`, and the weight its intervals are made of.
    fn clip(&mut self, init: &mut LevelInit, cpu_map: &CpuMask, level: usize, cpu: usize) -> (SpanId, u32) {
        let id = self.mask_id(level, cpu);
        let known = init.clipped[id].filter(|_| self.sharing == Sharing::PerClass);
        let span = known.unwrap_or_else(|| {
            let clipped = self.sources[level].mask(id).and(cpu_map);
            self.spans.intern(clipped)
        });
        init.clipped[id] = Some(span);
        let weight = if self.rules.interval_of_span { self.spans.weight(span) } else { init.weights[id] };
        (span, weight)
    }

    /// Connects a `sched_domain_shared` to a domain that shares a cache: that of the lowest CPU of its span.
    fn share(&mut self, level: usize, cpu: usize, span: SpanId, flags: Flags, weight: u32) -> Result<(), BuildError> {
        if !flags.contains(Flags::SHARE_LLC) || self.rules.shared != SharedRule::EveryLlcLevel {
            return Ok(());
        }
        match self.span(span).first() {
            Some(first) => self.busy[level * self.nr_cpus + first] = weight,
            None => return Err(self.oops(cpu, level, "the mask is empty, so no CPU has its sched_domain_shared")),
        }
        Ok(())
    }

    fn is_asym_level(&self, asym_level: Option<usize>, level: usize) -> bool {
        match self.rules.asym {
            AsymRule::OneLevel => asym_level == Some(level),
            AsymRule::LevelAndUp => asym_level.is_some_and(|lowest| level >= lowest),
            AsymRule::None | AsymRule::Classify => false,
        }
    }

    /// What a domain with CPUs of different capacity does to itself and those below it.
    fn asym_marks_child(&mut self, level: usize, cpu: usize, flags: &mut Flags) {
        if !flags.contains(Flags::ASYM_CPUCAPACITY) {
            return;
        }
        if level > 0 && self.rules.prefer_sibling == PreferSibling::NotNumaNotAsymChild {
            let child = self.sd_mut(level - 1, cpu);
            child.built_flags = child.built_flags.without(Flags::PREFER_SIBLING);
        }
        if self.rules.asym_balance_wake {
            *flags |= Flags::BALANCE_WAKE;
            for below in 0..level {
                self.sd_mut(below, cpu).built_flags |= Flags::BALANCE_WAKE;
            }
        }
    }

    /// `asym_cpu_capacity_level`, 4.20 to 5.13: the lowest level from which every CPU sees the biggest CPU it can see.
    ///
    /// NUMA levels are read through the level index left from before, which at boot is that of NODE.
    fn asym_level(&self, cpu_map: &CpuMask) -> Option<usize> {
        if !matches!(self.rules.asym, AsymRule::OneLevel | AsymRule::LevelAndUp) {
            return None;
        }
        let capacity = self.topology.capacity.as_ref()?;
        let first = capacity[cpu_map.first()?];
        if cpu_map.iter().all(|cpu| capacity[cpu] == first) {
            return None;
        }
        let node = self.levels.iter().position(|level| matches!(level.mask, LevelMask::Numa(_)));
        let seen_as = |level: usize| node.filter(|&node| level > node).unwrap_or(level);
        let biggest = |mask: &CpuMask| mask.and(cpu_map).iter().map(|cpu| capacity[cpu]).max().unwrap_or(0);
        let tables: Vec<Vec<u32>> = (0..self.levels.len())
            .map(|level| {
                let source = &self.sources[seen_as(level)];
                (0..source.len()).map(|id| biggest(source.mask(id))).collect()
            })
            .collect();
        let mut lowest = None;
        for cpu in cpu_map.iter() {
            let mut seen = capacity[cpu];
            for level in lowest.unwrap_or(0)..self.levels.len() {
                let biggest = tables[level][self.mask_id(seen_as(level), cpu)];
                if biggest > seen {
                    seen = biggest;
                    lowest = Some(level);
                }
            }
        }
        lowest
    }

    /// `imb_numa_nr` of every domain.
    pub(super) fn set_imb_numa_nr(&mut self) {
        let runs = Arc::clone(&self.runs);
        let leaders = runs.iter().map(|run| run.leader());
        match self.rules.imb_numa_nr {
            ImbNumaNr::None => {}
            ImbNumaNr::Quarter => leaders.for_each(|cpu| self.imb_above_llc(cpu, |weight| weight >> 2)),
            ImbNumaNr::Eighth => leaders.for_each(|cpu| self.imb_above_llc(cpu, |weight| (weight >> 3).max(1))),
            ImbNumaNr::AboveLlc => leaders.for_each(|cpu| self.imb_above_topmost_llc(cpu)),
        }
    }

    /// 5.18 to 7.0: from the first domain that shares no cache over one that does.
    fn imb_above_llc(&mut self, cpu: usize, one_llc: impl Fn(u32) -> u32) {
        let (mut imb, mut imb_span) = (0, 1);
        for level in 0..self.depth(cpu) {
            let weight = self.spans.weight(self.sd_span(level, cpu));
            let llc = self.sd(level, cpu).built_flags.contains(Flags::SHARE_LLC);
            if !llc && self.child_flags(level, cpu).contains(Flags::SHARE_LLC) {
                let nr_llcs = weight / self.spans.weight(self.sd_span(level - 1, cpu));
                imb = if nr_llcs == 1 { one_llc(weight) } else { nr_llcs };
                imb_span = self.first_numa_weight(level + 1, cpu).unwrap_or(weight);
                self.sd_mut(level, cpu).imb_numa_nr = imb;
            } else {
                self.sd_mut(level, cpu).imb_numa_nr = imb * (weight / imb_span).max(1);
            }
        }
    }

    /// 7.1 on: from the parent of the topmost domain that shares a cache.
    fn imb_above_topmost_llc(&mut self, cpu: usize) {
        let depth = self.depth(cpu);
        let llc = (0..depth).take_while(|&level| self.sd(level, cpu).built_flags.contains(Flags::SHARE_LLC)).last();
        let Some(parent) = llc.map(|llc| llc + 1).filter(|&parent| parent < depth) else { return };
        let weight = self.spans.weight(self.sd_span(parent, cpu));
        let nr_llcs = weight / self.spans.weight(self.sd_span(parent - 1, cpu));
        let imb = if nr_llcs == 1 { weight >> 3 } else { nr_llcs }.max(1);
        let imb_span = self.first_numa_weight(parent, cpu).unwrap_or(weight);
        self.sd_mut(parent, cpu).imb_numa_nr = imb;
        for level in parent + 1..depth {
            let factor = (self.spans.weight(self.sd_span(level, cpu)) / imb_span).max(1);
            self.sd_mut(level, cpu).imb_numa_nr = imb * factor;
        }
    }

    /// The weight of the lowest NUMA domain of `cpu` from `level` up.
    fn first_numa_weight(&self, level: usize, cpu: usize) -> Option<u32> {
        (level..self.depth(cpu))
            .find(|&level| self.sd(level, cpu).built_flags.contains(Flags::NUMA))
            .map(|level| self.spans.weight(self.sd_span(level, cpu)))
    }
}

/// Flags of a level's domains before capacities are looked at.
pub(super) fn level_flags(topology: &Topology, rules: &Rules, numa: &Numa, (level, tl): (usize, &Level)) -> Flags {
    let mut flags = rules.base_flags | tl.flags;
    let spans_nodes =
        tl.flags.contains(Flags::NUMA) && !tl.flags.intersects(Flags::SHARE_CPUCAPACITY | Flags::SHARE_LLC);
    let prefer_sibling = match rules.prefer_sibling {
        PreferSibling::NotLlc => {
            tl.flags.contains(Flags::SHARE_CPUCAPACITY) || !(tl.flags.contains(Flags::SHARE_LLC) || spans_nodes)
        }
        PreferSibling::NotNuma | PreferSibling::NotNumaNotAsymChild => !spans_nodes,
    };
    if prefer_sibling {
        flags |= Flags::PREFER_SIBLING;
    }
    if let (true, LevelMask::Numa(index)) = (spans_nodes, tl.mask) {
        flags |= Flags::SERIALIZE;
        if numa.distances[index] > topology.reclaim_distance {
            flags = flags.without(Flags::BALANCE_EXEC | Flags::BALANCE_FORK | Flags::WAKE_AFFINE);
        }
    }
    if tl.overlap && rules.overlap_flag {
        flags |= Flags::OVERLAP;
    }
    relaxed(topology, rules, level, flags)
}

/// The flags of a domain at `level` once `set_domain_attribute` has seen the `relax_domain_level` boot option.
fn relaxed(topology: &Topology, rules: &Rules, level: usize, flags: Flags) -> Flags {
    let idle_and_waking = Flags::BALANCE_NEWIDLE | Flags::BALANCE_WAKE;
    let Some(asked) = topology.relax_domain_level else { return flags };
    let (level, asked) = (level as u64, u64::from(asked));
    match rules.relax {
        RelaxRule::SetsAndClears if level <= asked => flags | idle_and_waking,
        RelaxRule::ClearsFrom if level >= asked => flags.without(idle_and_waking),
        RelaxRule::SetsAndClears | RelaxRule::ClearsAbove if level > asked => flags.without(idle_and_waking),
        _ => flags,
    }
}

/// `asym_cpu_capacity_classify`, 5.14 on: which capacities are inside a span and which outside.
struct AsymClasses {
    /// CPUs of each capacity; empty when all are alike.
    classes: Vec<CpuMask>,
    map: CpuMask,
    known: FxHashMap<SpanId, Flags>,
    warned: bool,
}

impl AsymClasses {
    fn new(builder: &Builder, cpu_map: &CpuMask) -> Self {
        let mut classes: FxHashMap<u32, CpuMask> = FxHashMap::default();
        if let (AsymRule::Classify, Some(capacity)) = (builder.rules.asym, &builder.topology.capacity) {
            let housekeeping = CpuMask::first_n(builder.nr_cpus).andnot(&builder.topology.isolated);
            for cpu in housekeeping.iter() {
                classes.entry(capacity[cpu]).or_default().insert(cpu);
            }
        }
        let classes = if classes.len() > 1 { classes.into_values().collect() } else { Vec::new() };
        Self { classes, map: cpu_map.clone(), known: FxHashMap::default(), warned: false }
    }

    fn classify(&mut self, builder: &Builder, span: SpanId) -> Flags {
        if self.classes.is_empty() {
            return Flags::NONE;
        }
        let (classes, map) = (&self.classes, &self.map);
        *self.known.entry(span).or_insert_with(|| {
            let mask = builder.span(span);
            let inside = classes.iter().filter(|class| class.intersects(mask)).count();
            let outside = classes.iter().any(|class| !class.intersects(mask) && class.intersects(map));
            match (inside, outside) {
                (0 | 1, _) => Flags::NONE,
                (_, true) => Flags::ASYM_CPUCAPACITY,
                (_, false) => Flags::ASYM_CPUCAPACITY | Flags::ASYM_CPUCAPACITY_FULL,
            }
        })
    }

    /// Whether threads of different capacity are still to be complained of: once, and only from 5.14.
    fn warn_smt(&mut self) -> bool {
        !self.classes.is_empty() && !std::mem::replace(&mut self.warned, true)
    }
}

/// Whether one span lies within another, asked for few pairs by many CPUs.
#[derive(Default)]
struct SubsetCache {
    known: FxHashMap<(SpanId, SpanId), bool>,
    /// The pair found inside last at each level: CPUs of one node come in runs.
    last: Vec<(SpanId, SpanId)>,
}

impl SubsetCache {
    fn contains(&mut self, builder: &Builder, level: usize, child: SpanId, span: SpanId) -> bool {
        if self.last.len() <= level {
            self.last.resize(level + 1, (SpanId::EMPTY, SpanId::EMPTY));
        }
        if child == span || self.last[level] == (child, span) {
            return true;
        }
        let inside =
            *self.known.entry((child, span)).or_insert_with(|| builder.span(child).is_subset(builder.span(span)));
        if inside {
            self.last[level] = (child, span);
        }
        inside
    }
}
