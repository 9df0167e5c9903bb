//! `topology_span_sane`: masks of one level must be equal or apart.
//!
//! Four forms: none at all, each CPU against each other, each against those above it, and the lowest CPU of a mask
//! standing for it. The first two of these cost O(N²) per level in the kernel; where CPUs are built by class, only
//! *different* masks are compared, after a look at each mask has told whether there is anything to find.
//!
//! The patch that brought the O(N) form reports that taking a CPU offline went from 2.18 s to 1.01 s on a machine of 1920
//! CPUs; that is the whole operation, of which the check is a part: a ratio of 2.2. Run alone, here, the check takes
//! 0.1 ms instead of 129 ms at 1920 CPUs, a ratio of about 1,300, and 0.4 ms instead of 2.4 s at 8192, a ratio of about
//! 5,700 (`cargo bench --bench rebuild`). Two things make these figures differ from a kernel's: masks here are only as
//! wide as their CPUs, where the kernel's are as wide as the machine, and nothing here is cold or contended.

use super::builder::{Builder, Source};
use super::levels::LevelMask;
use super::message::{Message, MessageKind};
use super::release::SpanCheck;
use super::{BuildError, Release, Sharing};
use crate::cpumask::CpuMask;
use crate::topology::Topology;
use std::ops::Range;

/// The two CPUs whose masks meet without being equal.
pub type Witness = (usize, usize);

/// The pairwise form for one CPU, `topology_span_sane` of 5.6 to 6.15: whether the mask of `cpu` meets that of another
/// CPU of `cpu_map` without being equal. `above` limits the others to those above `cpu`, as from 6.10.
pub fn pairwise<'a>(
    cpu_map: &CpuMask,
    cpu: usize,
    above: bool,
    mask: impl Fn(usize) -> &'a CpuMask,
) -> Option<Witness> {
    let mine = mask(cpu);
    let from = if above { cpu + 1 } else { 0 };
    let mut other = cpu_map.next_from(from);
    while let Some(j) = other {
        let theirs = mask(j);
        if j != cpu && mine != theirs && mine.intersects(theirs) {
            return Some((cpu, j));
        }
        other = cpu_map.next_from(j + 1);
    }
    None
}

/// The O(N) form of 6.16 on: the lowest CPU of a mask is its id; an id seen before must bring the same mask, a new one
/// a mask apart from all others.
///
/// An empty mask has no lowest CPU: the kernel then takes the number past the last CPU for its id, and when a second
/// CPU brings one compares with whatever `past_end` that number's mask reads as.
pub fn linear<'a>(
    cpu_map: &CpuMask,
    past_end: Option<&CpuMask>,
    mask: impl Fn(usize) -> &'a CpuMask,
) -> Option<Witness> {
    let mut covered = CpuMask::new();
    let mut seen = CpuMask::new();
    let mut first_empty = None;
    for cpu in cpu_map.iter() {
        let mine = mask(cpu);
        let Some(id) = mine.first() else {
            match first_empty {
                Some(first) if !past_end.is_some_and(CpuMask::is_empty) => return Some((first, cpu)),
                _ => first_empty = Some(cpu),
            }
            continue;
        };
        if seen.contains(id) {
            if mask(id) != mine {
                return Some((id, cpu));
            }
        } else {
            if mine.intersects(&covered) {
                let other = cpu_map.iter().find(|&other| mask(other).intersects(mine)).unwrap_or(cpu);
                return Some((other, cpu));
            }
            covered.or_assign(mine);
            seen.insert(id);
        }
    }
    None
}

/// The pairwise check of 5.6 to 6.15, run before each level of each CPU.
pub(super) struct BeforeEachLevel {
    /// Per level, what each CPU would find; `None` where nothing can be found.
    insane: Vec<Option<Vec<Option<usize>>>>,
    above: Option<bool>,
}

impl BeforeEachLevel {
    /// Looks at these levels only.
    pub(super) fn new(builder: &Builder, cpu_map: &CpuMask, levels: &Range<usize>) -> Self {
        let above = match builder.rules.span_check {
            SpanCheck::Pairwise => Some(false),
            SpanCheck::PairwiseAbove => Some(true),
            SpanCheck::None | SpanCheck::StaleNode | SpanCheck::Linear => None,
        };
        let insane = match (above, builder.sharing) {
            (Some(above), Sharing::PerClass) => {
                let found =
                    |level| levels.contains(&level).then(|| conflicts(builder, cpu_map, level, above)).flatten();
                (0..builder.levels.len()).map(found).collect()
            }
            _ => Vec::new(),
        };
        Self { insane, above }
    }

    /// # Errors
    /// When the mask of `cpu` at `level` partly overlaps another's; the kernel's warning is said.
    pub(super) fn check(
        &mut self,
        builder: &mut Builder,
        cpu_map: &CpuMask,
        level: usize,
        cpu: usize,
    ) -> Result<(), BuildError> {
        let Some(above) = self.above.filter(|_| !builder.levels[level].overlap) else { return Ok(()) };
        let other = match self.insane.get(level) {
            Some(found) => found.as_ref().and_then(|found| found[cpu]),
            None => pairwise(cpu_map, cpu, above, |cpu| builder.mask(level, cpu)).map(|(_, other)| other),
        };
        match other {
            Some(other) => {
                builder.say(cpu, level, MessageKind::SpanInsane { whole_map: false });
                Err(BuildError::SpanInsane { level: builder.levels[level].name, a: cpu, b: other })
            }
            None => Ok(()),
        }
    }
}

/// Whether the different masks of a level's CPUs share no CPU: then their weights add up to that of their union.
fn are_apart(builder: &Builder, level: usize) -> bool {
    let source = &builder.sources[level];
    let mut used = vec![false; source.len()];
    for run in builder.runs.iter() {
        match source {
            Source::Numa(_) => used[builder.mask_id(level, run.leader())] = true,
            Source::Arch(_) => run.cpus().for_each(|cpu| used[builder.mask_id(level, cpu)] = true),
        }
    }
    let mut seen = vec![0u64; builder.nr_cpus.div_ceil(64)];
    source.masks().zip(used).filter(|(_, used)| *used).all(|(mask, _)| mask.take_from(&mut seen))
}

/// For each CPU the lowest other CPU its mask conflicts with, found among *different* masks; `None` when they are all
/// apart, which the sum of their weights tells.
fn conflicts(builder: &Builder, cpu_map: &CpuMask, level: usize, above: bool) -> Option<Vec<Option<usize>>> {
    let source = &builder.sources[level];
    if builder.levels[level].overlap || are_apart(builder, level) {
        return None;
    }
    let mut holders: Vec<Option<CpuMask>> = vec![None; source.len()];
    for cpu in cpu_map.iter() {
        holders[builder.mask_id(level, cpu)].get_or_insert_default().insert(cpu);
    }
    let used: Vec<(usize, CpuMask)> =
        holders.into_iter().enumerate().filter_map(|(id, cpus)| Some((id, cpus?))).collect();
    let mut found = vec![None; builder.nr_cpus];
    for (id, cpus) in &used {
        let mine = source.mask(*id);
        let others = used.iter().filter(|(other, _)| {
            let theirs = source.mask(*other);
            mine != theirs && mine.intersects(theirs)
        });
        let partners: CpuMask = others.fold(CpuMask::new(), |all, (_, cpus)| all.or(cpus));
        for cpu in cpus.iter() {
            found[cpu] = partners.next_from(if above { cpu + 1 } else { 0 });
        }
    }
    Some(found)
}

impl Builder<'_> {
    /// The check of 6.16 on, once all domains exist.
    ///
    /// # Errors
    /// When masks of a level partly overlap; the kernel's warning is said.
    pub(super) fn check_whole_map(&mut self, cpu_map: &CpuMask, levels: Range<usize>) -> Result<(), BuildError> {
        let stale = match self.rules.span_check {
            SpanCheck::StaleNode => self.numa_level_built_last(cpu_map),
            SpanCheck::Linear => None,
            SpanCheck::None | SpanCheck::Pairwise | SpanCheck::PairwiseAbove => return Ok(()),
        };
        for level in levels.filter(|&level| !self.levels[level].overlap) {
            let seen_as = match (self.levels[level].mask, stale) {
                (LevelMask::Numa(_), Some(stale)) => stale,
                _ => level,
            };
            // A CPU that does not exist reads as one of the first node.
            let past_end = match &self.sources[seen_as] {
                Source::Numa(masks) => masks.first(),
                Source::Arch(_) => None,
            };
            let found = linear(cpu_map, past_end, |cpu| self.mask(seen_as, cpu));
            if let Some((a, b)) = found {
                let kind = MessageKind::SpanInsane { whole_map: true };
                self.messages.push(Message { cpu: None, level: Some(level as u32), kind });
                return Err(BuildError::SpanInsane { level: self.levels[level].name, a, b });
            }
        }
        Ok(())
    }

    /// 6.16 and 6.17 read NODE through `sched_domains_curr_level`: the NUMA level of the last domain of the last CPU.
    fn numa_level_built_last(&self, cpu_map: &CpuMask) -> Option<usize> {
        let last = cpu_map.last()?;
        let top = self.depth(last).checked_sub(1)?;
        matches!(self.levels[top].mask, LevelMask::Numa(_)).then_some(top)
    }
}

/// The masks of a machine's levels, to run both forms of the check on, whatever the release.
pub struct Masks<'a> {
    builder: Builder<'a>,
    cpu_map: CpuMask,
}

impl<'a> Masks<'a> {
    /// The levels `release` has on `topology`.
    pub fn new(topology: &'a Topology, release: &'a Release) -> Self {
        let cpu_map = topology.online.andnot(&topology.isolated);
        Self { builder: Builder::new(topology, release, Sharing::PerCpu), cpu_map }
    }

    fn levels(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.builder.levels.len()).filter(|&level| !self.builder.levels[level].overlap)
    }

    /// [`pairwise`] for every level and CPU: O(N²).
    pub fn pairwise(&self) -> Option<Witness> {
        self.levels().find_map(|level| {
            let mask = |cpu| self.builder.mask(level, cpu);
            self.cpu_map.iter().find_map(|cpu| pairwise(&self.cpu_map, cpu, false, mask))
        })
    }

    /// [`linear`] for every level: O(N).
    pub fn linear(&self) -> Option<Witness> {
        self.levels().find_map(|level| linear(&self.cpu_map, None, |cpu| self.builder.mask(level, cpu)))
    }
}
