//! Where a new task starts: `select_task_rq_fair` at fork.

use super::queues::Queues;
use crate::balance::Balancer;
use crate::cpumask::CpuMask;
use crate::kernel::{Domain, Flags};

/// The CPU a task forked on `cpu` starts on: from the highest domain with `SD_BALANCE_FORK` down, each time to the group
/// with the least running for its CPUs, the own one if none is better; the CPU with the fewest tasks in the end.
///
/// The tolerances of `find_idlest_group`, which differ by release, are left out: which nodes a task may start on is exact,
/// on which of equal ones is not.
pub(super) fn at_fork(balancer: &Balancer<'_>, queues: &Queues, cpu: usize, allowed: &CpuMask) -> Option<usize> {
    let build = balancer.build;
    let mut at = cpu;
    let mut below = usize::MAX;
    let fork = |&(level, domain): &(usize, &Domain), below| level < below && domain.flags.contains(Flags::BALANCE_FORK);
    while let Some((level, domain)) = build.chain(at).filter(|of| fork(of, below)).last() {
        below = level;
        let running = |span: &CpuMask| {
            let allowed = span.and(allowed);
            let running: usize = allowed.iter().map(|cpu| queues.nr_running(cpu)).sum();
            // Tasks for each CPU, as a fraction to compare exactly.
            (running, allowed.weight())
        };
        let less = |a: (usize, usize), b: (usize, usize)| a.0 * b.1 < b.0 * a.1;
        let mut best = None;
        for group in build.groups_of(domain) {
            let load = running(group.span);
            if load.1 > 0 && best.is_none_or(|(most, _)| less(load, most)) {
                best = Some((load, group.span));
            }
        }
        let (_, span) = best?;
        at = span.and(allowed).iter().min_by_key(|&cpu| (queues.nr_running(cpu), cpu != at))?;
    }
    if allowed.contains(at) { Some(at) } else { allowed.first() }
}
