//! What domains do to tasks: the questions the balancer, timers and drivers ask of them, release by release.
//!
//! One file per question, on top of a finished [`Build`]:
//!
//! | file | question | kernel function |
//! |---|---|---|
//! | [`elect`] | who may balance here? | `should_we_balance` |
//! | [`pinned`] | which CPU would the balancer retry with? | `can_migrate_task` |
//! | [`timer`] | where does a timer go? | `get_nohz_timer_target` |
//! | [`ilb`] | who runs the idle balance? | `find_new_ilb` |
//! | [`distance`] | which CPU is closest, the n-th closest, within h hops? | `sched_numa_find_closest`, `sched_numa_find_nth_cpu`, `sched_numa_hop_mask`, `cpumask_local_spread` |
//!
//! Every answer can be had with its [`Steps`]. [`question`] holds all of them as values, for those who read them from a
//! file; [`BalanceRules`] says what each release does.

pub mod distance;
pub mod elect;
pub mod ilb;
pub mod pinned;
pub mod question;
pub mod rules;
pub mod simulate;
mod steps;
pub mod timer;

pub use rules::BalanceRules;
pub use steps::Steps;

use crate::cpumask::CpuMask;
use crate::kernel::{Build, Domain};
use crate::topology::{CpuMasks, MaskLevel, Topology};
use rules::EnvCpus;
use std::sync::Arc;

/// A build, ready to be asked about balancing.
#[derive(Debug)]
pub struct Balancer<'a> {
    /// The machine.
    pub topology: &'a Topology,
    /// What the release made of it.
    pub build: &'a Build,
    /// How the release balances.
    pub rules: BalanceRules,
    node_of: Vec<Option<u32>>,
    cores: Arc<CpuMasks>,
}

impl<'a> Balancer<'a> {
    /// For `build`, which is a build of `topology`.
    pub fn new(topology: &'a Topology, build: &'a Build) -> Self {
        Self {
            topology,
            build,
            rules: BalanceRules::of(&build.release),
            node_of: topology.node_of_cpus(),
            cores: topology.mask(MaskLevel::Smt),
        }
    }

    /// The domain of `cpu` at `level`, counted from the lowest that degeneration kept.
    pub fn domain(&self, cpu: usize, level: usize) -> Option<&'a Domain> {
        self.build.chain(cpu).nth(level).map(|(_, domain)| domain)
    }

    /// The index of the node of `cpu`; `None` for a CPU of no node.
    pub fn node_of(&self, cpu: usize) -> Option<usize> {
        self.node_of.get(cpu).copied().flatten().map(|node| node as usize)
    }

    /// `cpu_smt_mask`.
    pub fn core(&self, cpu: usize) -> &CpuMask {
        self.cores.get(cpu)
    }

    /// `env.cpus` at the start of a balance in `domain`.
    pub fn env_cpus(&self, domain: &Domain, active: &CpuMask) -> CpuMask {
        match self.rules.env_cpus {
            EnvCpus::Active => active.clone(),
            EnvCpus::ActiveInSpan => self.build.span(domain.span).and(active),
        }
    }
}

/// A set of CPUs in words.
fn set(mask: &CpuMask) -> String {
    if mask.is_empty() { "no CPU".to_owned() } else { format!("{{{mask}}}") }
}
