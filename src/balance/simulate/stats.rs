//! What `update_sg_lb_stats` sums up over a group.

use super::queues::Queues;
use super::search::{CpuIdle, Search};
use crate::kernel::{Flags, GroupView};

/// `NICE_0_LOAD`, and `SCHED_CAPACITY_SCALE`: one task, one full CPU.
pub(super) const SCALE: u64 = 1024;

/// What a group is: `enum group_type`, of all eras.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GroupType {
    /// Up to 5.4 `group_other`.
    #[default]
    HasSpare,
    FullyBusy,
    SmtBalance,
    Imbalanced,
    Overloaded,
}

/// `struct sg_lb_stats`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stats {
    pub(super) load: u64,
    pub(super) util: u64,
    pub(super) runnable: u64,
    pub(super) nr_running: u64,
    pub(super) idle_cpus: u64,
    pub(super) capacity: u64,
    pub(super) weight: u64,
    pub(super) cores: u64,
    pub(super) avg_load: u64,
    pub(super) load_per_task: u64,
    pub(super) no_capacity: bool,
    pub(super) is_smt: bool,
    pub(super) prefers_sibling: bool,
    pub(super) kind: GroupType,
}

/// The capacity of a CPU, 1024 being a full one.
pub(super) fn capacity_of(search: &Search<'_>, cpu: usize) -> u64 {
    u64::from(search.balancer.build.pointers[cpu].cpu_capacity).max(1)
}

impl Stats {
    /// The sums over the CPUs of `group` that are looked at.
    pub(super) fn of(search: &Search<'_>, group: &GroupView<'_>) -> Self {
        let queues: &Queues = search.queues;
        let mut stats = Self {
            capacity: group.sgc.capacity.max(1),
            weight: group.span.weight() as u64,
            cores: u64::from(group.group.cores.max(1)),
            is_smt: group.flags.contains(Flags::SHARE_CPUCAPACITY),
            prefers_sibling: group.flags.contains(Flags::PREFER_SIBLING),
            ..Self::default()
        };
        for cpu in group.span.iter().filter(|&cpu| search.cpus.contains(cpu)) {
            let running = queues.nr_running(cpu) as u64;
            stats.nr_running += running;
            if running == 0 {
                stats.idle_cpus += 1;
            } else {
                stats.util += capacity_of(search, cpu);
            }
        }
        stats.load = stats.nr_running * SCALE;
        stats.runnable = stats.load;
        stats.load_per_task = if stats.nr_running > 0 { SCALE } else { 0 };
        stats
    }

    /// `avg_load` of the group.
    pub(super) fn average(&self) -> u64 {
        self.load * SCALE / self.capacity
    }

    /// `group_has_capacity`; `runnable` where tasks that wait count.
    pub(super) fn has_capacity(&self, pct: u64, runnable: bool) -> bool {
        if self.nr_running < self.weight {
            return true;
        }
        if runnable && self.capacity * pct < self.runnable * 100 {
            return false;
        }
        self.capacity * 100 > self.util * pct
    }

    /// `group_is_overloaded`.
    pub(super) fn is_overloaded(&self, pct: u64, runnable: bool) -> bool {
        if self.nr_running <= self.weight {
            return false;
        }
        self.capacity * 100 < self.util * pct || (runnable && self.capacity * pct < self.runnable * 100)
    }

    /// `smt_balance`: a core with more than one task, seen by an idle CPU.
    pub(super) fn wants_smt_balance(&self, search: &Search<'_>) -> bool {
        search.idle != CpuIdle::Busy && self.is_smt && self.nr_running > 1
    }
}

/// All groups of a domain: `struct sd_lb_stats`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DomainStats {
    /// Of the last group in ring order that holds the puller.
    pub(super) local: Stats,
    /// Of the busiest group, and its position in the ring.
    pub(super) busiest: Option<(usize, Stats)>,
    pub(super) total_load: u64,
    pub(super) total_capacity: u64,
    /// A group that is not local has a CPU with a second task.
    pub(super) waiting_outside: bool,
}

impl DomainStats {
    /// `sds.avg_load`.
    pub(super) fn average(&self) -> u64 {
        self.total_load * SCALE / self.total_capacity.max(1)
    }

    /// Adds the sums of a group, local or not.
    pub(super) fn add(&mut self, stats: &Stats) {
        self.total_load += stats.load;
        self.total_capacity += stats.capacity;
    }
}
