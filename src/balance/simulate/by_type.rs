//! `find_busiest_group` and `calculate_imbalance` from 5.5: groups are weighed by what they are, then by load, tasks or
//! idle CPUs.

use super::busiest::{Busiest, Migrate, none_busiest};
use super::decision::Reason;
use super::search::{CpuIdle, Search};
use super::stats::{DomainStats, GroupType, SCALE, Stats};
use crate::balance::rules::NumaImbalance;
use crate::kernel::Flags;

/// The most tasks nodes may differ by while the destination has room: `NUMA_IMBALANCE_MIN`.
const NUMA_IMBALANCE_MIN: u64 = 2;

/// The busiest group.
///
/// # Errors
/// Which test found the domain balanced.
pub(super) fn find(search: &Search<'_>) -> Result<Busiest, Reason> {
    let sums = sum_up(search);
    let Some((group, busiest)) = sums.busiest else {
        return Err(none_busiest(search, sums.waiting_outside));
    };
    let prefer_sibling = prefers_sibling(search, &busiest);
    if busiest.kind != GroupType::Imbalanced {
        balanced(search, &sums, &busiest, prefer_sibling)?;
    }
    let (migrate, imbalance) = imbalance(search, &sums, &busiest, prefer_sibling)?;
    Ok(Busiest { group, migrate, imbalance: imbalance.cast_signed() })
}

/// `sds.prefer_sibling`.
fn prefers_sibling(search: &Search<'_>, busiest: &Stats) -> bool {
    if search.balancer.rules.prefer_sibling_of_group { busiest.prefers_sibling } else { search.child_prefers_sibling() }
}

/// The tests of `find_busiest_group` that leave things as they are.
fn balanced(search: &Search<'_>, sums: &DomainStats, busiest: &Stats, prefer_sibling: bool) -> Result<(), Reason> {
    let local = &sums.local;
    if local.kind > busiest.kind {
        return Err(Reason::LocalGroupType);
    }
    if local.kind == GroupType::Overloaded {
        if local.avg_load >= busiest.avg_load {
            return Err(Reason::LocalBusier);
        }
        if local.avg_load >= sums.average() {
            return Err(Reason::LocalAboveAverage);
        }
        if 100 * busiest.avg_load <= search.imbalance_pct() * local.avg_load {
            return Err(Reason::WithinImbalancePct);
        }
    }
    let spare = local.kind == GroupType::HasSpare;
    if prefer_sibling && spare && sibling_imbalance(search, local, busiest) > 1 {
        return Ok(());
    }
    if busiest.kind == GroupType::Overloaded {
        return Ok(());
    }
    if search.idle == CpuIdle::Busy {
        return Err(Reason::PullerBusy);
    }
    if busiest.kind == GroupType::SmtBalance && busiest.is_smt && !local.is_smt {
        return Ok(());
    }
    if busiest.weight > 1 && local.idle_cpus <= busiest.idle_cpus + 1 {
        return Err(Reason::TooFewIdleCpus);
    }
    if busiest.nr_running == 1 {
        return Err(Reason::OneTask);
    }
    Ok(())
}

/// How many tasks the busiest group has above the local one: `sibling_imbalance`, up to 6.5 the plain difference.
fn sibling_imbalance(search: &Search<'_>, local: &Stats, busiest: &Stats) -> u64 {
    let difference = busiest.nr_running.saturating_sub(local.nr_running);
    if !search.balancer.rules.smt_balance {
        return difference;
    }
    if search.idle == CpuIdle::Busy || busiest.nr_running == 0 {
        return 0;
    }
    if busiest.cores == local.cores {
        return difference;
    }
    let cores = local.cores + busiest.cores;
    let weighed = (local.cores * busiest.nr_running).saturating_sub(busiest.cores * local.nr_running);
    let imbalance = (2 * weighed + cores) / cores;
    let empty = imbalance <= 1 && local.nr_running == 0 && busiest.nr_running > 1;
    if empty { 2 } else { imbalance }
}

/// `update_sd_lb_stats`.
fn sum_up(search: &Search<'_>) -> DomainStats {
    let mut sums = DomainStats::default();
    for (position, group) in search.balancer.build.groups_of(search.domain).enumerate() {
        let mut stats = Stats::of(search, &group);
        let local = group.span.contains(search.dst);
        stats.kind = classify(search, &stats, search.imbalanced[group.group.sgc.0 as usize], local);
        if stats.kind == GroupType::Overloaded {
            stats.avg_load = stats.average();
        }
        sums.add(&stats);
        if local {
            sums.local = stats;
            continue;
        }
        sums.waiting_outside |= stats.nr_running + stats.idle_cpus > stats.weight;
        if stats.nr_running > 0 && sums.busiest.is_none_or(|(_, most)| is_busier(&stats, &most)) {
            sums.busiest = Some((position, stats));
        }
    }
    sums
}

/// `group_classify`.
fn classify(search: &Search<'_>, stats: &Stats, imbalanced: bool, local: bool) -> GroupType {
    let (pct, rules) = (search.imbalance_pct(), &search.balancer.rules);
    if stats.is_overloaded(pct, rules.group_runnable) {
        GroupType::Overloaded
    } else if imbalanced {
        GroupType::Imbalanced
    } else if rules.smt_balance && !local && stats.wants_smt_balance(search) {
        GroupType::SmtBalance
    } else if !stats.has_capacity(pct, rules.group_runnable) {
        GroupType::FullyBusy
    } else {
        GroupType::HasSpare
    }
}

/// `update_sd_pick_busiest`.
fn is_busier(stats: &Stats, most: &Stats) -> bool {
    if stats.kind != most.kind {
        return stats.kind > most.kind;
    }
    let fewer_idle =
        stats.idle_cpus < most.idle_cpus || (stats.idle_cpus == most.idle_cpus && stats.nr_running > most.nr_running);
    match stats.kind {
        GroupType::Overloaded => stats.avg_load > most.avg_load,
        // The first of them is as good as any.
        GroupType::Imbalanced => false,
        GroupType::SmtBalance if stats.idle_cpus != 0 || most.idle_cpus != 0 => fewer_idle,
        // Without an average load, which only overloaded groups have, all are equal.
        GroupType::SmtBalance | GroupType::FullyBusy => !most.is_smt && stats.is_smt,
        GroupType::HasSpare => fewer_idle,
    }
}

/// `calculate_imbalance`.
///
/// # Errors
/// When there is nothing to move.
fn imbalance(
    search: &Search<'_>,
    sums: &DomainStats,
    busiest: &Stats,
    prefer_sibling: bool,
) -> Result<(Migrate, u64), Reason> {
    let local = &sums.local;
    match busiest.kind {
        GroupType::SmtBalance | GroupType::Imbalanced => return Ok((Migrate::Task, 1)),
        _ => {}
    }
    if local.kind == GroupType::HasSpare {
        return fill_spare(search, local, busiest, prefer_sibling);
    }
    let average = sums.average();
    let mut local_load = local.avg_load;
    if local.kind < GroupType::Overloaded {
        local_load = local.average();
        if local_load >= busiest.avg_load {
            return Err(Reason::LocalBusier);
        }
        if local_load >= average {
            return Err(Reason::LocalAboveAverage);
        }
    }
    let pull = busiest.avg_load.saturating_sub(average) * busiest.capacity;
    let take = average.saturating_sub(local_load) * local.capacity;
    match pull.min(take) / SCALE {
        0 => Err(Reason::NoImbalance),
        imbalance => Ok((Migrate::Load, imbalance)),
    }
}

/// The local group has CPUs to spare.
fn fill_spare(
    search: &Search<'_>,
    local: &Stats,
    busiest: &Stats,
    prefer_sibling: bool,
) -> Result<(Migrate, u64), Reason> {
    let flags = search.domain.flags;
    if busiest.kind > GroupType::FullyBusy && !flags.contains(Flags::SHARE_LLC) {
        let room = local.capacity.saturating_sub(local.util);
        return match (room, search.idle) {
            (0, CpuIdle::Busy) => Err(Reason::NoImbalance),
            (0, _) => Ok((Migrate::Task, 1)),
            _ => Ok((Migrate::Util, room)),
        };
    }
    let mut imbalance = if busiest.weight == 1 || prefer_sibling {
        sibling_imbalance(search, local, busiest)
    } else {
        local.idle_cpus.saturating_sub(busiest.idle_cpus)
    };
    if flags.contains(Flags::NUMA) && imbalance > 0 && numa_allows(search, local, busiest, imbalance) {
        return Err(Reason::NumaImbalanceAllowed);
    }
    imbalance /= 2;
    if imbalance == 0 { Err(Reason::NoImbalance) } else { Ok((Migrate::Task, imbalance)) }
}

/// `adjust_numa_imbalance`: whether nodes may differ by that much.
fn numa_allows(search: &Search<'_>, local: &Stats, busiest: &Stats, imbalance: u64) -> bool {
    let small = imbalance <= NUMA_IMBALANCE_MIN;
    match search.balancer.rules.numa_imbalance {
        NumaImbalance::Never => false,
        NumaImbalance::TwoTasks => busiest.nr_running <= NUMA_IMBALANCE_MIN,
        NumaImbalance::QuarterWeight => small && busiest.nr_running < busiest.weight / 4,
        NumaImbalance::ImbNumaNr => small && local.nr_running < u64::from(search.domain.imb_numa_nr),
    }
}
