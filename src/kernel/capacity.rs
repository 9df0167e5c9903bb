//! `init_sched_groups_capacity`: what each group can carry, and how many cores it has.

use super::builder::Builder;
use super::flags::Flags;
use super::release::OverlapCapacity;
use super::spans::SpanId;
use super::{RingId, Sharing};
use crate::cpumask::CpuMask;
use crate::topology::{Arch, MaskLevel};
use rustc_hash::FxHashMap;

/// `SCHED_CAPACITY_SCALE`.
const FULL: u64 = 1024;
/// What a core of several threads was worth together up to 4.20, `smt_gain`.
const SMT_GAIN: u64 = 1178;

impl Builder<'_> {
    /// CPUs from the highest down, each chain bottom up: a domain's first group is weighed by its balance CPU.
    pub(super) fn init_capacities(&mut self, cpu_map: &CpuMask) {
        let mut sums: FxHashMap<SpanId, u64> = FxHashMap::default();
        let alike = self.sharing == Sharing::PerClass && self.topology.capacity.is_none() && !self.rules.smt_gain;
        // CPUs of one node come in runs that share their upper groups.
        let mut last = vec![((RingId::default(), 0), None); self.levels.len()];
        for cpu in cpu_map.iter().rev() {
            for (level, last) in last.iter_mut().enumerate().take(self.depth(cpu)) {
                let head = self.ring_of[level * self.nr_cpus + cpu];
                if last.0 != head {
                    *last = (head, self.balance_cpu_of_head(level, cpu));
                }
                if last.1 == Some(cpu) {
                    self.update_group_capacity(&mut sums, alike, level, cpu);
                }
            }
        }
        if self.rules.group_cores {
            self.count_cores(cpu_map);
        }
    }

    fn head_group(&self, level: usize, cpu: usize) -> usize {
        let domain = self.sd(level, cpu);
        self.rings[domain.ring.0 as usize].groups[domain.head as usize].0 as usize
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
                let sum = *sums.entry(span).or_insert_with(|| u64::from(self.spans.weight(span)) * FULL);
                match self.rules.overlap_capacity {
                    OverlapCapacity::RunningSum => (sum, FULL, sum),
                    OverlapCapacity::PerCpu => (sum, FULL, FULL),
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
        let base = self.sd(0, cpu);
        let weight = u64::from(self.spans.weight(base.span));
        let smt = base.built_flags.contains(Flags::SHARE_CPUCAPACITY) && weight > 1;
        if self.rules.smt_gain && smt && self.topology.arch != Arch::Arm64 { SMT_GAIN / weight } else { FULL }
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
        let ring = &self.rings[self.sd(child, cpu).ring.0 as usize];
        let (mut sum, mut min, mut max) = (0, u64::MAX, 0);
        for group in &ring.groups {
            let sgc = &self.sgcs[self.groups[group.0 as usize].sgc.0 as usize];
            sum += sgc.capacity;
            min = min.min(sgc.min_capacity);
            max = max.max(sgc.max_capacity);
        }
        (sum, min, max)
    }

    /// 6.6 on: a group's cores are its sets of SMT siblings.
    fn count_cores(&mut self, cpu_map: &CpuMask) {
        let smt = self.topology.mask(MaskLevel::Smt);
        let mut known: FxHashMap<SpanId, u32> = FxHashMap::default();
        let leaders = (self.sharing == Sharing::PerClass).then(|| self.core_leaders(cpu_map)).flatten();
        for index in 0..self.groups.len() {
            let span = self.groups[index].span;
            if self.spans.weight(span) == 1 {
                self.groups[index].cores = 1;
                continue;
            }
            let cores = match known.get(&span) {
                Some(&cores) => cores,
                None => {
                    let mask = self.span(span);
                    let cores = match &leaders {
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
    fn core_leaders(&self, cpu_map: &CpuMask) -> Option<CoreLeaders> {
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

struct CoreLeaders {
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
