//! Runs of CPUs that come out alike above the levels of their cores and caches.
//!
//! Up to NODE nearly every CPU has a span of its own; above, all CPUs of a node have the same. CPUs of a node come in
//! runs of consecutive numbers, so each step of the build looks at the first of a run, its *leader*, and fills in the
//! others. A machine numbered round robin has runs of one CPU, and costs what it costs CPU by CPU.

use super::builder::Builder;
use super::spans::SpanId;
use crate::cpumask::CpuMask;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Consecutive CPUs of the CPU map, first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Run {
    fn one(cpu: usize) -> Self {
        Self { first: cpu as u32, last: cpu as u32 }
    }

    /// Each CPU of `cpu_map` on its own.
    pub(super) fn each(cpu_map: &CpuMask) -> Vec<Self> {
        cpu_map.iter().map(Self::one).collect()
    }

    /// The CPU the others are like.
    pub(super) fn leader(self) -> usize {
        self.first as usize
    }

    /// The last CPU.
    pub(super) fn end(self) -> usize {
        self.last as usize
    }

    /// How many CPUs there are.
    pub(super) fn len(self) -> usize {
        (self.last - self.first) as usize + 1
    }

    /// Every CPU, ascending.
    pub(super) fn cpus(self) -> RangeInclusive<usize> {
        self.leader()..=self.end()
    }

    /// Every CPU but the leader.
    pub(super) fn others(self) -> RangeInclusive<usize> {
        self.leader() + 1..=self.end()
    }

    /// Whether `cpu` is one of them.
    pub(super) fn contains(self, cpu: usize) -> bool {
        self.cpus().contains(&cpu)
    }
}

impl Builder<'_> {
    /// The runs of `cpu_map`, once the levels below `split` have their domains and groups. Where anything about these
    /// is out of the ordinary each CPU is a run of its own.
    pub(super) fn find_runs(&self, cpu_map: &CpuMask, split: usize) -> Vec<Run> {
        if !(0..split).all(|level| self.is_ordinary(cpu_map, level)) {
            return Run::each(cpu_map);
        }
        let mut runs: Vec<Run> = Vec::new();
        for cpu in cpu_map.iter() {
            match runs.last_mut() {
                Some(run) if run.end() + 1 == cpu && self.are_alike(run.leader(), cpu, split) => run.last = cpu as u32,
                _ => runs.push(Run::one(cpu)),
            }
        }
        runs
    }

    /// For each CPU a number for the order in which its scans meet the others: groups hold all CPUs of a node, or of a
    /// domain below `split`, or none, so what a scan finds follows from which of these come first after the CPU, and in
    /// which order, not from where. Numbered round robin, all CPUs of a node meet the others in one order.
    ///
    /// `None` where groups may be smaller, or where there are too many of them for this to pay.
    pub(super) fn find_orders(&self, cpu_map: &CpuMask, runs: &[Run], split: usize) -> Option<Arc<[u32]>> {
        const MOST: usize = 256;
        let mut classes: IndexSet<(u32, SpanId, u32), FxBuildHasher> = IndexSet::default();
        let mut class_of = Vec::with_capacity(runs.len());
        for run in runs {
            let (cpu, depth) = (run.leader(), self.depth(run.leader()).min(split));
            let seam = self.sd_span(depth.checked_sub(1)?, cpu);
            if self.span(seam).iter().any(|other| self.node_of[other] != self.node_of[cpu]) {
                return None;
            }
            class_of.push(classes.insert_full((self.node_of[cpu], seam, self.depth_of[cpu])).0 as u16);
        }
        if classes.len() > MOST || !(0..split).all(|level| self.is_ordinary(cpu_map, level)) {
            return None;
        }
        // From the last run down, the classes by where they come next; twice round, for scans wrap.
        let mut next: Vec<u16> = (0..classes.len() as u16).collect();
        let mut orders: IndexSet<Vec<u16>, FxBuildHasher> = IndexSet::default();
        let mut order_of = vec![0; self.nr_cpus];
        for (run, &class) in runs.iter().zip(&class_of).rev().chain(runs.iter().zip(&class_of).rev()) {
            let others = next.iter().copied().filter(|&other| other != class).collect();
            order_of[run.cpus()].fill(orders.insert_full(others).0 as u32);
            let at = next.iter().position(|&other| other == class)?;
            next[..=at].rotate_right(1);
        }
        Some(order_of.into())
    }

    /// Whether the domains of a level are apart, and every CPU's groups are apart, make up its domain, and begin with
    /// its child.
    fn is_ordinary(&self, cpu_map: &CpuMask, level: usize) -> bool {
        let in_order = |cpu: usize| {
            let (ring, head) = self.ring_of[level * self.nr_cpus + cpu];
            let ring = &self.rings[ring.0 as usize];
            let head = self.groups[ring.groups[head as usize].0 as usize].span;
            let first = match self.child_span(level, cpu) {
                Some(child) => head == child,
                None => self.spans.weight(head) == 1 && self.span(head).contains(cpu),
            };
            first && ring.disjoint && ring.union == self.sd_span(level, cpu)
        };
        self.is_partition(level) && cpu_map.iter().filter(|&cpu| self.has_sd(level, cpu)).all(in_order)
    }

    /// Whether two CPUs of one node differ in nothing below `split` that later steps look at.
    fn are_alike(&self, a: usize, b: usize, split: usize) -> bool {
        let depth = self.depth(a);
        let shape = |level: usize, cpu: usize| {
            let (domain, span) = (self.sd(level, cpu), self.sd_span(level, cpu));
            let one_group = self.ring_at(level, cpu).groups.len() == 1;
            let as_child = self.child_span(level, cpu) == Some(span);
            (domain.built_flags, domain.interval, self.spans.weight(span), one_group, as_child)
        };
        self.node_of[a] == self.node_of[b]
            && depth == self.depth(b)
            && depth > 0
            && self.sd_span(depth - 1, a) == self.sd_span(depth - 1, b)
            && (0..depth.min(split)).all(|level| shape(level, a) == shape(level, b))
    }

    /// Splits the runs where CPUs got different rings, or places in them, from `split` up.
    pub(super) fn split_by_ring(&mut self, split: usize) {
        let all = self.nr_cpus;
        let mut runs = Vec::with_capacity(self.runs.len());
        for &run in self.runs.iter() {
            let mut first = run.leader();
            for cpu in run.others() {
                let differs = |level: usize| self.ring_of[level * all + cpu] != self.ring_of[level * all + first];
                if (split..self.depth(cpu)).any(differs) {
                    runs.push(Run { first: first as u32, last: cpu as u32 - 1 });
                    first = cpu;
                }
            }
            runs.push(Run { first: first as u32, last: run.last });
        }
        for run in &runs {
            self.lead(*run, split);
        }
        self.runs = runs.into();
    }

    /// Makes the first CPU of `run` its leader, with all its old leader knew from `split` up.
    fn lead(&mut self, run: Run, split: usize) {
        let (leader, before) = (run.leader(), self.leader_of[run.leader()] as usize);
        if leader == before {
            return;
        }
        for level in split..self.depth(leader) {
            *self.sd_mut(level, leader) = self.sd(level, before).clone();
        }
        self.leader_of[run.cpus()].fill(leader as u32);
    }
}
