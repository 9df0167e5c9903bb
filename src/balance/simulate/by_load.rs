//! `find_busiest_group` and `calculate_imbalance` up to 5.4: groups are weighed by their load.

use super::busiest::{Busiest, Migrate, none_busiest};
use super::decision::Reason;
use super::search::{CpuIdle, Search};
use super::stats::{DomainStats, GroupType, SCALE, Stats};

/// The busiest group.
///
/// # Errors
/// Which test found the domain balanced.
pub(super) fn find(search: &Search<'_>) -> Result<Busiest, Reason> {
    let sums = sum_up(search);
    let Some((group, busiest)) = sums.busiest.filter(|(_, stats)| stats.nr_running > 0) else {
        return Err(none_busiest(search, sums.waiting_outside));
    };
    let local = sums.local;
    let pct = search.imbalance_pct();
    let idle_enough = if search.balancer.rules.idle_forces_balance {
        search.idle != CpuIdle::Busy
    } else {
        search.idle == CpuIdle::NewlyIdle
    };
    let forced =
        busiest.kind == GroupType::Imbalanced || (idle_enough && local.has_capacity(pct, false) && busiest.no_capacity);
    if !forced {
        balanced(search, &sums, &busiest)?;
    }
    let imbalance = imbalance(&sums, local, busiest);
    Ok(Busiest { group, migrate: Migrate::Load, imbalance: imbalance.cast_signed() })
}

/// The tests of `find_busiest_group` that leave things as they are.
fn balanced(search: &Search<'_>, sums: &DomainStats, busiest: &Stats) -> Result<(), Reason> {
    let local = &sums.local;
    if local.avg_load >= busiest.avg_load {
        return Err(Reason::LocalBusier);
    }
    if local.avg_load >= sums.average() {
        return Err(Reason::LocalAboveAverage);
    }
    if search.idle == CpuIdle::Idle {
        if busiest.kind != GroupType::Overloaded && local.idle_cpus <= busiest.idle_cpus + 1 {
            return Err(Reason::TooFewIdleCpus);
        }
    } else if 100 * busiest.avg_load <= search.imbalance_pct() * local.avg_load {
        return Err(Reason::WithinImbalancePct);
    }
    Ok(())
}

/// `update_sd_lb_stats`.
fn sum_up(search: &Search<'_>) -> DomainStats {
    let build = search.balancer.build;
    let pct = search.imbalance_pct();
    let prefer_sibling = search.child_prefers_sibling();
    let mut sums = DomainStats::default();
    let mut local_seen = false;
    for (position, group) in build.groups_of(search.domain).enumerate() {
        let mut stats = Stats::of(search, &group);
        let imbalanced = search.imbalanced[group.group.sgc.0 as usize];
        stats.avg_load = stats.average();
        stats.no_capacity = stats.is_overloaded(pct, false);
        stats.kind = kind(&stats, imbalanced);
        sums.add(&stats);
        if group.span.contains(search.dst) {
            sums.local = stats;
            local_seen = true;
            continue;
        }
        sums.waiting_outside |= stats.nr_running + stats.idle_cpus > stats.weight;
        let margin = if search.balancer.rules.prefer_sibling_margin { sums.local.nr_running + 1 } else { 1 };
        if prefer_sibling && local_seen && sums.local.has_capacity(pct, false) && stats.nr_running > margin {
            stats.no_capacity = true;
            stats.kind = kind(&stats, imbalanced);
        }
        let (most_kind, most_load) =
            sums.busiest.map_or((GroupType::HasSpare, 0), |(_, most)| (most.kind, most.avg_load));
        if stats.kind > most_kind || (stats.kind == most_kind && stats.avg_load > most_load) {
            sums.busiest = Some((position, stats));
        }
    }
    sums
}

/// `group_classify`.
fn kind(stats: &Stats, imbalanced: bool) -> GroupType {
    match (stats.no_capacity, imbalanced) {
        (true, _) => GroupType::Overloaded,
        (false, true) => GroupType::Imbalanced,
        (false, false) => GroupType::HasSpare,
    }
}

/// `calculate_imbalance`, in load.
fn imbalance(sums: &DomainStats, local: Stats, mut busiest: Stats) -> u64 {
    let average = sums.average();
    if busiest.kind == GroupType::Imbalanced {
        busiest.load_per_task = busiest.load_per_task.min(average);
    }
    if busiest.avg_load <= average || local.avg_load >= average {
        return small_imbalance(&local, &busiest, 0);
    }
    let mut above_capacity = u64::MAX;
    if busiest.kind == GroupType::Overloaded && local.kind == GroupType::Overloaded {
        let load = busiest.nr_running * SCALE;
        if load > busiest.capacity {
            above_capacity = (load - busiest.capacity) * SCALE / busiest.capacity;
        }
    }
    let pull = (busiest.avg_load - average).min(above_capacity);
    let imbalance = (pull * busiest.capacity).min((average - local.avg_load) * local.capacity) / SCALE;
    if imbalance < busiest.load_per_task { small_imbalance(&local, &busiest, imbalance) } else { imbalance }
}

/// `fix_small_imbalance`: whether moving one task is worth it.
fn small_imbalance(local: &Stats, busiest: &Stats, imbalance: u64) -> u64 {
    // `cpu_avg_load_per_task` of a puller without tasks is 0.
    let twice = if local.nr_running > 0 && busiest.load_per_task > local.load_per_task { 1 } else { 2 };
    let task = busiest.load_per_task * SCALE / busiest.capacity;
    if busiest.avg_load + task >= local.avg_load + task * twice {
        return busiest.load_per_task;
    }
    let now = (busiest.capacity * busiest.load_per_task.min(busiest.avg_load)
        + local.capacity * local.load_per_task.min(local.avg_load))
        / SCALE;
    let without = busiest.capacity * busiest.load_per_task.min(busiest.avg_load.saturating_sub(task));
    let added = (busiest.avg_load * busiest.capacity).min(busiest.load_per_task * SCALE) / local.capacity;
    let with = local.capacity * local.load_per_task.min(local.avg_load + added);
    if (without + with) / SCALE > now { busiest.load_per_task } else { imbalance }
}
