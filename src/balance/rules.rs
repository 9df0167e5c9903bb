//! The rules of balancing in which kernels differ, each named for what it does, and which release has which.

use crate::kernel::Release;

/// The CPUs a balancing CPU may look at: `env.cpus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvCpus {
    /// Up to 4.12.2: every active CPU.
    Active,
    /// 4.12.3 on: the active CPUs of the domain.
    ActiveInSpan,
}

/// Which CPU of a group `should_we_balance` lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Election {
    /// Up to 6.5: the first idle CPU of the group's balance mask.
    FirstIdleCpu,
    /// 6.6 on: above SMT the first CPU of a core that is idle as a whole, and only then the first idle CPU.
    FirstIdleCore,
}

/// Which CPUs a pinned task may be retried with: `env.dst_grpmask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DstGroupMask {
    /// Up to 6.4 (6.1 stable has the next): the span of the first group.
    Span,
    /// 6.5 on: its balance mask.
    BalanceMask,
}

/// How an active balance keeps `can_migrate_task` from looking for another CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveBalanceFlag {
    /// Up to 4.12.2: it has no `dst_grpmask`.
    NoGroupMask,
    /// 4.12.3 to 5.12: it starts with `LBF_DST_PINNED` set.
    DstPinned,
    /// 5.13 on: it has a flag of its own, `LBF_ACTIVE_LB`.
    ActiveLb,
}

/// How `get_nohz_timer_target` walks the domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerWalk {
    /// Up to 5.5: every CPU of each span.
    WholeSpan,
    /// 5.6 on: the housekeeping CPUs of each span.
    Housekeeping,
}

/// Which housekeeping CPU stands in when nobody is busy: `housekeeping_any_cpu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyHousekeeping {
    /// Up to 5.3: the lowest online one.
    Lowest,
    /// 5.4 on: one of the closest, by distance.
    Closest,
}

/// Who balances for CPUs whose tick is stopped: `find_new_ilb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleBalancer {
    /// Up to 5.1: the lowest CPU without a tick, if it is idle.
    LowestIfIdle,
    /// 5.2 to 5.10: the first idle housekeeping CPU without a tick.
    FirstIdleHousekeeping,
    /// 5.11 on: the same, but never the one that asks.
    FirstIdleOther,
}

/// `sched_numa_find_nth_cpu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NthCpu {
    /// Up to 6.2: it does not exist.
    Absent,
    /// 6.3 to 6.5: a node without CPUs has no masks to look at.
    NodeWithCpus,
    /// 6.6 (stable) on: a node without CPUs stands for the nearest that has some.
    NearestNode,
}

/// `cpumask_local_spread`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalSpread {
    /// The CPUs of the node, then all others in ascending order.
    NodeFirst,
    /// 5.9 and 5.10: the same over housekeeping CPUs, or possible ones when none are isolated.
    NodeFirstHousekeeping,
    /// 6.3 on: by distance.
    ByDistance,
}

/// How `find_busiest_group` weighs groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupChoice {
    /// Up to 5.4: by load.
    Load,
    /// 5.5 on: by what kind of group it is, then by load, idle CPUs or tasks.
    Type,
}

/// What lets a small imbalance between nodes be (`adjust_numa_imbalance`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumaImbalance {
    /// Up to 5.5: nothing.
    Never,
    /// 5.6 to 5.10: as long as the source runs no more than two tasks.
    TwoTasks,
    /// 5.11 to 5.17: as long as the source runs less than a quarter of its weight.
    QuarterWeight,
    /// 5.18 on: as long as it runs no more than `imb_numa_nr`.
    ImbNumaNr,
}

/// What one kernel's balancing does differently from others'.
#[expect(clippy::struct_excessive_bools, reason = "each is a rule a kernel has or has not, not a state")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalanceRules {
    /// `env.cpus`.
    pub env_cpus: EnvCpus,
    /// From 4.14 a CPU that is not in `env.cpus` never balances.
    pub dst_in_env_cpus: bool,
    /// From 6.0 a newly idle CPU that was given a task meanwhile does not balance.
    pub newidle_needs_idle: bool,
    /// `should_we_balance`.
    pub election: Election,
    /// `env.dst_grpmask`.
    pub dst_grpmask: DstGroupMask,
    /// What an active balance passes to `can_migrate_task`.
    pub active_balance: ActiveBalanceFlag,
    /// From 4.12.3 a search whose tasks are all pinned goes on only while CPUs outside the own group are left.
    pub redo_outside_group: bool,
    /// `get_nohz_timer_target`.
    pub timer_walk: TimerWalk,
    /// `housekeeping_any_cpu`.
    pub any_housekeeping: AnyHousekeeping,
    /// `find_new_ilb`.
    pub idle_balancer: IdleBalancer,
    /// From 5.4 there is `sched_numa_find_closest`.
    pub find_closest: bool,
    /// `sched_numa_find_nth_cpu`.
    pub nth_cpu: NthCpu,
    /// From 6.3 there is `sched_numa_hop_mask`.
    pub hop_mask: bool,
    /// `cpumask_local_spread`.
    pub local_spread: LocalSpread,
    /// `find_busiest_group`.
    pub group_choice: GroupChoice,
    /// From 4.12 `PREFER_SIBLING` leaves a sibling alone that has no more than one task above the local group.
    pub prefer_sibling_margin: bool,
    /// From 4.15 an idle CPU pulls from a group without capacity whenever its own has some; before, a newly idle one.
    pub idle_forces_balance: bool,
    /// From 5.7 tasks that wait count when a group is classified: `group_runnable`.
    pub group_runnable: bool,
    /// From 6.5 `PREFER_SIBLING` is read from the busiest group; before, from the child domain.
    pub prefer_sibling_of_group: bool,
    /// From 6.6 SMT groups with more than one task are a type of their own, `group_smt_balance`.
    pub smt_balance: bool,
    /// `adjust_numa_imbalance`.
    pub numa_imbalance: NumaImbalance,
    /// From 5.18 a search that met only pinned tasks looks beyond `loop_max`.
    pub search_past_pinned: bool,
}

const V4_10: BalanceRules = BalanceRules {
    env_cpus: EnvCpus::Active,
    dst_in_env_cpus: false,
    newidle_needs_idle: false,
    election: Election::FirstIdleCpu,
    dst_grpmask: DstGroupMask::Span,
    active_balance: ActiveBalanceFlag::NoGroupMask,
    redo_outside_group: false,
    timer_walk: TimerWalk::WholeSpan,
    any_housekeeping: AnyHousekeeping::Lowest,
    idle_balancer: IdleBalancer::LowestIfIdle,
    find_closest: false,
    nth_cpu: NthCpu::Absent,
    hop_mask: false,
    local_spread: LocalSpread::NodeFirst,
    group_choice: GroupChoice::Load,
    prefer_sibling_margin: false,
    idle_forces_balance: false,
    group_runnable: false,
    prefer_sibling_of_group: false,
    smt_balance: false,
    numa_imbalance: NumaImbalance::Never,
    search_past_pinned: false,
};

/// The rules of a kernel, made of those of another.
type Change = fn(BalanceRules) -> BalanceRules;

/// The releases at which balancing changed, oldest first, each made of the one before.
const CHANGES: &[((u32, u32, u32), Change)] = &[
    ((4, 12, 0), |rules| BalanceRules { prefer_sibling_margin: true, ..rules }),
    ((4, 12, 3), |rules| BalanceRules {
        env_cpus: EnvCpus::ActiveInSpan,
        active_balance: ActiveBalanceFlag::DstPinned,
        redo_outside_group: true,
        ..rules
    }),
    ((4, 14, 0), |rules| BalanceRules { dst_in_env_cpus: true, ..rules }),
    ((4, 15, 0), |rules| BalanceRules { idle_forces_balance: true, ..rules }),
    ((5, 2, 0), |rules| BalanceRules { idle_balancer: IdleBalancer::FirstIdleHousekeeping, ..rules }),
    ((5, 4, 0), |rules| BalanceRules { find_closest: true, any_housekeeping: AnyHousekeeping::Closest, ..rules }),
    ((5, 5, 0), |rules| BalanceRules { group_choice: GroupChoice::Type, ..rules }),
    ((5, 6, 0), |rules| BalanceRules {
        timer_walk: TimerWalk::Housekeeping,
        numa_imbalance: NumaImbalance::TwoTasks,
        ..rules
    }),
    ((5, 7, 0), |rules| BalanceRules { group_runnable: true, ..rules }),
    ((5, 9, 0), |rules| BalanceRules { local_spread: LocalSpread::NodeFirstHousekeeping, ..rules }),
    ((5, 11, 0), |rules| BalanceRules {
        idle_balancer: IdleBalancer::FirstIdleOther,
        local_spread: LocalSpread::NodeFirst,
        numa_imbalance: NumaImbalance::QuarterWeight,
        ..rules
    }),
    ((5, 13, 0), |rules| BalanceRules { active_balance: ActiveBalanceFlag::ActiveLb, ..rules }),
    ((5, 18, 0), |rules| BalanceRules { numa_imbalance: NumaImbalance::ImbNumaNr, search_past_pinned: true, ..rules }),
    ((6, 0, 0), |rules| BalanceRules { newidle_needs_idle: true, ..rules }),
    ((6, 3, 0), |rules| BalanceRules {
        nth_cpu: NthCpu::NodeWithCpus,
        hop_mask: true,
        local_spread: LocalSpread::ByDistance,
        ..rules
    }),
    ((6, 5, 0), |rules| BalanceRules {
        dst_grpmask: DstGroupMask::BalanceMask,
        prefer_sibling_of_group: true,
        ..rules
    }),
    ((6, 6, 0), |rules| BalanceRules {
        election: Election::FirstIdleCore,
        nth_cpu: NthCpu::NearestNode,
        smt_balance: true,
        ..rules
    }),
];

/// Series that took rules from later mainline in their stable trees, of which those trees are the ones examined.
const BACKPORTS: &[((u32, u32), Change)] =
    &[((6, 1), |rules| BalanceRules { dst_grpmask: DstGroupMask::BalanceMask, ..rules })];

impl BalanceRules {
    /// How `release` balances.
    pub fn of(release: &Release) -> Self {
        let (major, minor, _) = release.version;
        let mainline = CHANGES
            .iter()
            .take_while(|(from, _)| *from <= release.version)
            .fold(V4_10, |rules, (_, change)| change(rules));
        let backports = BACKPORTS.iter().filter(|&&(series, _)| series == (major, minor));
        backports.fold(mainline, |rules, (_, change)| change(rules))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(release: &str) -> BalanceRules {
        BalanceRules::of(&Release::parse(release).unwrap())
    }

    #[test]
    fn changes_are_in_order_and_each_is_one() {
        assert!(CHANGES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut before = V4_10;
        for (from, change) in CHANGES {
            let after = change(before);
            assert_ne!(before, after, "{from:?}");
            before = after;
        }
    }

    #[test]
    fn each_release_has_the_rules_of_its_time() {
        assert_eq!(rules("lauro-p3"), rules("4.11"));
        assert_ne!(rules("4.12"), rules("4.12.3"));
        assert_eq!(rules("4.13"), rules("4.12.3"));
        assert!(!rules("4.13").dst_in_env_cpus && rules("4.14").dst_in_env_cpus);
        assert_eq!(rules("6.0").dst_grpmask, DstGroupMask::Span);
        assert_eq!(rules("6.1").dst_grpmask, DstGroupMask::BalanceMask);
        assert_eq!(rules("6.2").dst_grpmask, DstGroupMask::Span);
        assert_eq!(rules("6.5").dst_grpmask, DstGroupMask::BalanceMask);
        assert_eq!(rules("5.10").local_spread, LocalSpread::NodeFirstHousekeeping);
        assert_eq!(rules("newest"), rules("6.6"));
    }
}
