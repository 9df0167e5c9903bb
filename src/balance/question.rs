//! The questions as values, each with all it asks about, and their answers.

use super::distance::{NoHopMask, NodeId};
use super::elect::Verdict;
use super::pinned::{LbEnv, Pinned, PinnedFlags, Purpose};
use super::rules::NthCpu;
use super::timer::TimerTarget;
use super::{Balancer, Steps};
use crate::cpumask::CpuMask;
use crate::kernel::Domain;

/// One question. CPUs are numbers, `level` counts a CPU's domains from 0, bottom up, after degeneration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// `sched_numa_find_closest`.
    Closest {
        /// The CPU it is asked for.
        cpu: usize,
        /// The CPUs to choose from.
        among: CpuMask,
    },
    /// `sched_numa_find_nth_cpu`.
    Nth {
        /// The node distances are from.
        node: NodeId,
        /// Which, 0 being the closest.
        n: usize,
        /// The CPUs to choose from.
        among: CpuMask,
    },
    /// `sched_numa_hop_mask`.
    Hops {
        /// The node's id.
        node: u32,
        /// How many NUMA levels away at most.
        hops: usize,
    },
    /// `cpumask_local_spread`.
    Spread {
        /// The node of the device.
        node: NodeId,
        /// Which CPU.
        n: usize,
    },
    /// `should_we_balance`.
    MayBalance {
        /// The CPU that asks.
        cpu: usize,
        /// Its domain.
        level: usize,
        /// The CPUs that are idle.
        idle: CpuMask,
        /// Whether it ran out of tasks just now.
        newly_idle: bool,
        /// `cpu_active_mask`.
        active: CpuMask,
    },
    /// The affinity test of `can_migrate_task`.
    Pinned {
        /// The CPU that pulls.
        dst: usize,
        /// Its domain.
        level: usize,
        /// The CPUs the task may run on.
        allowed: CpuMask,
        /// Why it pulls.
        purpose: Purpose,
        /// `cpu_active_mask`.
        active: CpuMask,
    },
    /// `get_nohz_timer_target`.
    Timer {
        /// The CPU the timer is started on.
        cpu: usize,
        /// The CPUs that are idle.
        idle: CpuMask,
        /// The CPUs timers may go to.
        housekeeping: CpuMask,
    },
    /// `find_new_ilb`.
    Ilb {
        /// The CPU that asks.
        cpu: usize,
        /// The CPUs whose tick is stopped.
        nohz_idle: CpuMask,
        /// The CPUs that are idle.
        idle: CpuMask,
        /// The CPUs such work may go to.
        housekeeping: CpuMask,
    },
}

/// What a question comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A CPU, or none.
    Cpu(Option<usize>),
    /// A mask, or what the kernel returns in its place.
    Mask(Result<CpuMask, NoHopMask>),
    /// `should_we_balance`.
    Verdict(Verdict),
    /// `can_migrate_task`.
    Pinned(Pinned),
    /// `get_nohz_timer_target`.
    Timer(TimerTarget),
    /// The release has no such function; the first that has.
    Absent(&'static str),
}

/// A question about what the machine has not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadQuestion {
    /// There is no such CPU.
    #[error("CPU {cpu} does not exist; CPUs go from 0 to {last}")]
    NoCpu {
        /// The CPU asked about.
        cpu: usize,
        /// The last there is.
        last: usize,
    },
    /// There is no such node.
    #[error("node {node} does not exist; the nodes are {nodes}")]
    NoNode {
        /// The node asked about.
        node: u32,
        /// Those there are.
        nodes: String,
    },
    /// The CPU has no domain there.
    #[error("CPU {cpu} has no domain at level {level}; it has {domains}, counted from 0")]
    NoDomain {
        /// The CPU asked about.
        cpu: usize,
        /// The level asked for.
        level: usize,
        /// How many domains it has.
        domains: usize,
    },
}

impl Question {
    /// The answer, with its steps for `steps`.
    ///
    /// # Errors
    /// When it asks about a CPU, node or domain that is not there.
    pub fn ask(&self, balancer: &Balancer<'_>, steps: &mut Steps) -> Result<Answer, BadQuestion> {
        if let Some(since) = self.absent(balancer) {
            return Ok(Answer::Absent(since));
        }
        Ok(match self {
            Self::Closest { cpu, among } => Answer::Cpu(balancer.closest_cpu(known(balancer, *cpu)?, among, steps)),
            Self::Nth { node, n, among } => {
                Answer::Cpu(balancer.nth_cpu(known_node(balancer, *node)?, *n, among, steps))
            }
            Self::Hops { node, hops } => Answer::Mask(balancer.hop_mask(*node, *hops, steps).cloned()),
            Self::Spread { node, n } => Answer::Cpu(balancer.local_spread(known_node(balancer, *node)?, *n, steps)),
            Self::MayBalance { cpu, level, idle, newly_idle, active } => {
                let domain = domain(balancer, *cpu, *level)?;
                let env_cpus = balancer.env_cpus(domain, active);
                Answer::Verdict(balancer.should_balance(*cpu, domain, idle, *newly_idle, &env_cpus, steps))
            }
            Self::Pinned { dst, level, allowed, purpose, active } => {
                let domain = domain(balancer, *dst, *level)?;
                let cpus = balancer.env_cpus(domain, active);
                let flags = PinnedFlags::default();
                let env = LbEnv { dst: *dst, domain, cpus: &cpus, purpose: *purpose, flags };
                Answer::Pinned(balancer.can_migrate(&env, allowed, steps))
            }
            Self::Timer { cpu, idle, housekeeping } => {
                Answer::Timer(balancer.timer_target(known(balancer, *cpu)?, idle, housekeeping, steps))
            }
            Self::Ilb { cpu, nohz_idle, idle, housekeeping } => {
                Answer::Cpu(balancer.idle_balancer(known(balancer, *cpu)?, nohz_idle, idle, housekeeping, steps))
            }
        })
    }

    /// The release that brought the function, when this one has it not.
    fn absent(&self, balancer: &Balancer<'_>) -> Option<&'static str> {
        let rules = &balancer.rules;
        let (there, since) = match self {
            Self::Closest { .. } => (rules.find_closest, "5.4"),
            Self::Nth { .. } => (rules.nth_cpu != NthCpu::Absent, "6.3"),
            Self::Hops { .. } => (rules.hop_mask, "6.3"),
            _ => (true, ""),
        };
        (!there).then_some(since)
    }
}

fn known(balancer: &Balancer<'_>, cpu: usize) -> Result<usize, BadQuestion> {
    let count = balancer.topology.nr_cpus;
    if cpu < count { Ok(cpu) } else { Err(BadQuestion::NoCpu { cpu, last: count - 1 }) }
}

fn known_node(balancer: &Balancer<'_>, node: NodeId) -> Result<NodeId, BadQuestion> {
    match node {
        NodeId::Id(id) if balancer.topology.node_index(id).is_none() => {
            let nodes = balancer.topology.nodes.iter().map(|node| node.id as usize).collect::<CpuMask>();
            Err(BadQuestion::NoNode { node: id, nodes: nodes.to_string() })
        }
        node => Ok(node),
    }
}

fn domain<'a>(balancer: &Balancer<'a>, cpu: usize, level: usize) -> Result<&'a Domain, BadQuestion> {
    let cpu = known(balancer, cpu)?;
    let domains = || balancer.build.chain(cpu).count();
    balancer.domain(cpu, level).ok_or_else(|| BadQuestion::NoDomain { cpu, level, domains: domains() })
}
