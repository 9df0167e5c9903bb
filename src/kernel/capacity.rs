//! `init_sched_groups_capacity`: what each group can carry, and how many cores it has.

use super::builder::Builder;
use super::flags::Flags;
use super::release::OverlapCapacity;
use super::spans::SpanId;
use super::{RingId, Sgc, Sharing};
use crate::cpumask::CpuMask;
use crate::topology::{Arch, MaskLevel};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::ops::Range;

/// `SCHED_CAPACITY_SCALE`.
pub(super) const FULL: u32 = 1024;
/// What a core of several threads was worth together up to 4.20, `smt_gain`.
const SMT_GAIN: u64 = 1178;

impl Builder<'_> {
    /// Weighs the levels from `split` up where those below are known to come to `lower`; whether that could be done,
    /// which it can't where the two are tied.
    pub(super) fn weigh_upper(&mut self, lower: &[Sgc], cpu_capacity: &[u32], split: usize) -> bool {
        let Some(upper) = self.upper_balance_cpus(split) else { return false };
        for (mine, known) in self.sgcs.iter_mut().zip(lower) {
            mine.capacity = known.capacity;
            mine.min_capacity = known.min_capacity;
            mine.max_capacity = known.max_capacity;
        }
        let mut sums: FxHashMap<SpanId, u64> = FxHashMap::default();
        let alike = self.alike();
        // A sum over CPUs meets some that have not been weighed yet.
        let mut weighed = self.nr_cpus;
        for (cpu, level) in upper {
            self.take_cpu_capacities(cpu_capacity, cpu..weighed);
            weighed = cpu;
            self.update_group_capacity(&mut sums, alike, level, cpu);
        }
        self.take_cpu_capacities(cpu_capacity, 0..weighed);
        true
    }

    fn take_cpu_capacities(&mut self, known: &[u32], cpus: Range<usize>) {
        for (pointers, &known) in self.pointers[cpus.clone()].iter_mut().zip(&known[cpus]) {
            pointers.cpu_capacity = known;
        }
    }

    /// CPUs from the highest down, each chain bottom up: a domain's first group is weighed by its balance CPU.
    pub(super) fn weigh(&mut self, cpu_map: &CpuMask, levels: Range<usize>) {
        let mut sums: FxHashMap<SpanId, u64> = FxHashMap::default();
        let alike = self.alike();
        // CPUs of one node come in runs that share their upper groups.
        let mut last = vec![((RingId::default(), 0), None); self.levels.len()];
        for cpu in cpu_map.iter().rev() {
            for level in levels.start..self.depth(cpu).min(levels.end) {
                let (head, last) = (self.ring_of[level * self.nr_cpus + cpu], &mut last[level]);
                if last.0 != head {
                    *last = (head, self.balance_cpu_of_head(level, cpu));
                }
                if last.1 == Some(cpu) {
                    self.update_group_capacity(&mut sums, alike, level, cpu);
                }
            }
        }
    }

    /// Whether a group's capacity is that of its CPUs, all full ones.
    fn alike(&self) -> bool {
        self.sharing == Sharing::PerClass && self.topology.capacity.is_none() && !self.rules.smt_gain
    }

    /// Who weighs a group at which level from `split` up, in the order it is done; `None` where one is weighed before
    /// every group below it.
    fn upper_balance_cpus(&self, split: usize) -> Option<Vec<(usize, usize)>> {
        let mut found = Vec::new();
        for run in self.runs.iter().rev() {
            let cpu = run.leader();
            let mut of_run = Vec::new();
            for level in split..self.depth(cpu) {
                let Some(balance) = self.balance_cpu_of_head(level, cpu).filter(|&cpu| run.contains(cpu)) else {
                    continue;
                };
                let child = self.child_span(level, cpu).filter(|_| level == split);
                if child.is_some_and(|child| self.span(child).first() != Some(balance)) {
                    return None;
                }
                of_run.push((balance, level));
            }
            // A later CPU first, its own levels bottom up.
            of_run.sort_by_key(|&(cpu, level)| (Reverse(cpu), level));
            found.append(&mut of_run);
        }
        Some(found)
    }

    fn head_group(&self, level: usize, cpu: usize) -> usize {
        let (ring, head) = self.ring_of[level * self.nr_cpus + cpu];
        self.rings[ring.0 as usize].groups[head as usize].0 as usize
    }

    fn balance_cpu_of_head(&self, level: usize, cpu: usize) -> Option<usize> {
        let group = &self.groups[self.head_group(level, cpu)];
        let mask = self.sgcs[group.sgc.0 as usize].mask;
        // Most groups are their own balance mask; then the lowest CPU is known without a scan.
        if mask == group.span { self.span(mask).first() } else { self.span(group.span).first_and(self.span(mask)) }
    }

    /// `update_group_capacity` of the first group of the domain of `cpu`.
    fn update_group_capacity(&mut self, sums: &mut FxHashMap<SpanId, u64>, alike: bool, level: usize, cpu: usize) {
        let group = self.head_group(level, cpu);
        let sgc = self.groups[group].sgc.0 as usize;
        let (capacity, min, max) = if level == 0 {
            let capacity = self.arch_capacity(cpu).max(1);
            self.pointers[cpu].cpu_capacity = capacity as u32;
            (capacity, capacity, capacity)
        } else if self.levels[level - 1].overlap {
            let span = self.groups[group].span;
            if alike {
                let sum = *sums.entry(span).or_insert_with(|| u64::from(self.spans.weight(span) * FULL));
                match self.rules.overlap_capacity {
                    OverlapCapacity::RunningSum => (sum, FULL.into(), sum),
                    OverlapCapacity::PerCpu => (sum, FULL.into(), FULL.into()),
                }
            } else {
                self.sum_cpus(span)
            }
        } else {
            self.sum_child_groups(level - 1, cpu)
        };
        let sgc = &mut self.sgcs[sgc];
        (sgc.capacity, sgc.min_capacity, sgc.max_capacity) = (capacity, min, max);
    }

    /// `arch_scale_cpu_capacity`.
    fn arch_capacity(&self, cpu: usize) -> u64 {
        if let Some(capacity) = &self.topology.capacity {
            return u64::from(capacity[cpu]);
        }
        let weight = u64::from(self.spans.weight(self.sd_span(0, cpu)));
        let smt = self.sd(0, self.leader_of[cpu] as usize).built_flags.contains(Flags::SHARE_CPUCAPACITY) && weight > 1;
        if self.rules.smt_gain && smt && self.topology.arch != Arch::Arm64 { SMT_GAIN / weight } else { FULL.into() }
    }

    /// Over an overlapping child: CPU by CPU, as far as they have been weighed.
    fn sum_cpus(&self, span: SpanId) -> (u64, u64, u64) {
        let (mut sum, mut min, mut max) = (0, u64::MAX, 0);
        for cpu in self.span(span).iter() {
            let capacity = u64::from(self.pointers[cpu].cpu_capacity);
            sum += capacity;
            let seen = match self.rules.overlap_capacity {
                OverlapCapacity::RunningSum => sum,
                OverlapCapacity::PerCpu => capacity,
            };
            min = min.min(seen);
            max = max.max(seen);
        }
        (sum, min, max)
    }

    /// Over a plain child: its groups' capacities.
    fn sum_child_groups(&self, child: usize, cpu: usize) -> (u64, u64, u64) {
        let ring = self.ring_at(child, cpu);
        let (mut sum, mut min, mut max) = (0, u64::MAX, 0);
        for group in &ring.groups {
            let sgc = &self.sgcs[self.groups[group.0 as usize].sgc.0 as usize];
            sum += sgc.capacity;
            min = min.min(sgc.min_capacity);
            max = max.max(sgc.max_capacity);
        }
        (sum, min, max)
    }

    /// 6.6 on: a group's cores are its sets of SMT siblings. For the groups from number `from` on.
    pub(super) fn count_cores(&mut self, from: usize, leaders: Option<&CoreLeaders>) {
        if !self.rules.group_cores {
            return;
        }
        let smt = self.topology.mask(MaskLevel::Smt);
        let mut known: FxHashMap<SpanId, u32> = FxHashMap::default();
        for index in from..self.groups.len() {
            let span = self.groups[index].span;
            if self.spans.weight(span) == 1 {
                self.groups[index].cores = 1;
                continue;
            }
            let cores = match known.get(&span) {
                Some(&cores) => cores,
                None => {
                    let mask = self.span(span);
                    let cores = match leaders {
                        Some(leaders) if leaders.whole_nodes(self, mask) => mask.weight_and(&leaders.cpus) as u32,
                        _ => {
                            let mut rest = mask.clone();
                            let mut cores = 0;
                            while let Some(cpu) = rest.first() {
                                cores += 1;
                                rest.andnot_assign(smt.get(cpu));
                                // A mask without its own CPU would never end.
                                rest.remove(cpu);
                            }
                            cores
                        }
                    };
                    known.insert(span, cores);
                    cores
                }
            };
            self.groups[index].cores = cores;
        }
    }

    /// The lowest CPU of each core, where cores lie within nodes and are apart, so that a span of whole nodes has as
    /// many cores as it has of these.
    pub(super) fn core_leaders(&self, cpu_map: &CpuMask) -> Option<CoreLeaders> {
        if self.sharing == Sharing::PerCpu {
            return None;
        }
        let smt = self.topology.mask(MaskLevel::Smt);
        let mut cpus = CpuMask::new();
        for cpu in cpu_map.iter() {
            let core = smt.get(cpu);
            let leader = core.first_and(cpu_map)?;
            if !core.contains(cpu) || self.node_of[leader] != self.node_of[cpu] || smt.id(leader) != smt.id(cpu) {
                return None;
            }
            cpus.insert(leader);
        }
        let nodes = (0..self.topology.nodes.len()).map(|node| self.topology.nodes[node].cpus.and(cpu_map)).collect();
        Some(CoreLeaders { cpus, nodes })
    }
}

/// See [`Builder::core_leaders`].
#[derive(Debug)]
pub(super) struct CoreLeaders {
    cpus: CpuMask,
    /// Per node, its CPUs in the map.
    nodes: Vec<CpuMask>,
}

impl CoreLeaders {
    /// Whether a set is made of whole nodes; asked of large sets only, small ones are counted sooner.
    fn whole_nodes(&self, builder: &Builder, mask: &CpuMask) -> bool {
        const SMALL: usize = 16;
        if mask.weight() <= SMALL {
            return false;
        }
        let mut rest = mask.clone();
        while let Some(cpu) = rest.first() {
            let node = &self.nodes[builder.node_of[cpu] as usize];
            if !node.is_subset(mask) {
                return false;
            }
            rest.andnot_assign(node);
        }
        true
    }
}
