//! What `find_busiest_group` hands on, and `find_busiest_queue`.

use super::decision::Reason;
use super::search::Search;
use super::stats::{SCALE, capacity_of};
use crate::cpumask::CpuMask;

/// What the imbalance counts: `enum migration_type`. Up to 5.4 always load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Migrate {
    Load,
    Util,
    Task,
}

/// The busiest group, and how much of it is to be moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Busiest {
    /// Position in the ring, the domain's first group being 0.
    pub(super) group: usize,
    pub(super) migrate: Migrate,
    /// In load, utilisation or tasks.
    pub(super) imbalance: i64,
}

/// Why no group is busiest: whether tasks wait, but only where every group is local.
pub(super) fn none_busiest(search: &Search<'_>, waiting_outside: bool) -> Reason {
    let build = search.balancer.build;
    let own = build.groups_of(search.domain).filter(|group| group.span.contains(search.dst));
    // A plain group that waits for itself is the business of the domain below.
    let others = own.fold(CpuMask::new(), |others, group| {
        if group.span == build.span(search.child.map_or(search.domain.span, |child| child.span)) {
            others
        } else {
            others.or(group.span)
        }
    });
    let waits = |cpu: usize| search.cpus.contains(cpu) && search.queues.nr_running(cpu) > 1;
    if !waiting_outside && others.iter().any(|cpu| cpu != search.dst && waits(cpu)) {
        Reason::EveryGroupIsLocal
    } else {
        Reason::NothingToPull
    }
}

/// `find_busiest_queue`: the CPU of the busiest group to pull from.
pub(super) fn busiest_queue(search: &Search<'_>, busiest: &Busiest) -> Option<usize> {
    let group = search.balancer.build.group(search.domain, busiest.group);
    let mut found: Option<(usize, u64, u64)> = None;
    for cpu in group.span.iter().filter(|&cpu| search.cpus.contains(cpu)) {
        let running = search.queues.nr_running(cpu) as u64;
        let capacity = capacity_of(search, cpu);
        let load = running * SCALE;
        let alone_and_too_large = running == 1 && load.cast_signed() > busiest.imbalance;
        let busier = match busiest.migrate {
            _ if running == 0 => false,
            Migrate::Load => {
                let (most, of) = found.map_or((0, 1), |(_, most, of)| (most, of));
                !alone_and_too_large && load * of > most * capacity
            }
            Migrate::Util => running > 1 && found.is_none_or(|(_, most, _)| capacity > most),
            Migrate::Task => found.is_none_or(|(_, most, _)| running > most),
        };
        if busier {
            let measure = match busiest.migrate {
                Migrate::Load => load,
                Migrate::Util => capacity,
                Migrate::Task => running,
            };
            found = Some((cpu, measure, capacity));
        }
    }
    found.map(|(cpu, ..)| cpu)
}
