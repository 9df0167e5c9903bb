//! What one balance looks at.

use super::queues::Queues;
use crate::balance::Balancer;
use crate::cpumask::CpuMask;
use crate::kernel::{Domain, Flags};

/// Whether the CPU that balances has work: `enum cpu_idle_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuIdle {
    /// It is idle; the idle balancer does it for it.
    Idle,
    /// It ran out of tasks just now.
    NewlyIdle,
    /// It has work.
    Busy,
}

/// `struct lb_env` as `find_busiest_group` reads it.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) balancer: &'a Balancer<'a>,
    pub(super) queues: &'a Queues,
    /// `sgc->imbalance`, by instance.
    pub(super) imbalanced: &'a [bool],
    pub(super) domain: &'a Domain,
    pub(super) child: Option<&'a Domain>,
    pub(super) dst: usize,
    pub(super) cpus: &'a CpuMask,
    pub(super) idle: CpuIdle,
}

impl Search<'_> {
    pub(super) fn imbalance_pct(&self) -> u64 {
        u64::from(self.balancer.build.imbalance_pct(self.domain))
    }

    /// Whether the domain below prefers siblings.
    pub(super) fn child_prefers_sibling(&self) -> bool {
        self.child.is_some_and(|child| child.flags.contains(Flags::PREFER_SIBLING))
    }
}
