//! Which release brought which rule: one constant for each release that changed something, each made of the one before.

use super::super::flags::Flags;
use super::rules::{
    AsymRule, DistanceList, DomainDistance, GroupFlags, ImbNumaNr, LevelTable, LogFormat, OverlapCapacity,
    OverlapGroups, PlainGroups, PreferSibling, RelaxRule, RootLine, Rules, SharedRule, SpanCheck, TopologyTypeRule,
};

const OLD_BASE: Flags =
    Flags::BALANCE_NEWIDLE.with(Flags::BALANCE_EXEC).with(Flags::BALANCE_FORK).with(Flags::WAKE_AFFINE);
const OLD_NEEDS_GROUPS: Flags = Flags::LOAD_BALANCE
    .with(Flags::BALANCE_NEWIDLE)
    .with(Flags::BALANCE_EXEC)
    .with(Flags::BALANCE_FORK)
    .with(Flags::ASYM_CPUCAPACITY)
    .with(Flags::SHARE_CPUCAPACITY)
    .with(Flags::SHARE_LLC)
    .with(Flags::SHARE_POWERDOMAIN);
const ALL_NEED_GROUPS: Flags = Flags::NONE
    .with(Flags::BALANCE_NEWIDLE)
    .with(Flags::BALANCE_EXEC)
    .with(Flags::BALANCE_FORK)
    .with(Flags::BALANCE_WAKE)
    .with(Flags::ASYM_CPUCAPACITY)
    .with(Flags::ASYM_CPUCAPACITY_FULL)
    .with(Flags::SHARE_CPUCAPACITY)
    .with(Flags::CLUSTER)
    .with(Flags::SHARE_LLC)
    .with(Flags::SERIALIZE)
    .with(Flags::ASYM_PACKING)
    .with(Flags::PREFER_SIBLING)
    .with(Flags::OVERLAP)
    .with(Flags::NUMA);

pub(super) const V4_10: Rules = Rules {
    distance_list: DistanceList::RowZero,
    node_level: false,
    distance_slots_extra: 0,
    domain_distance: DomainDistance::AsGiven,
    topology_type: TopologyTypeRule::OneLevel,
    level_table: LevelTable::Classic,
    span_check: SpanCheck::None,
    refuses_empty_map: false,
    overlap_groups: OverlapGroups::FromFirstCpu,
    plain_groups: PlainGroups::FirstCpuLinks,
    group_flags: GroupFlags::None,
    group_cores: false,
    asym: AsymRule::None,
    asym_balance_wake: true,
    prefer_sibling: PreferSibling::NotLlc,
    base_flags: OLD_BASE.with(Flags::LOAD_BALANCE),
    overlap_flag: true,
    needs_groups: OLD_NEEDS_GROUPS,
    parent_needs_groups: OLD_NEEDS_GROUPS.with(Flags::PREFER_SIBLING),
    smt_gain: true,
    max_capacity: false,
    overlap_capacity: OverlapCapacity::RunningSum,
    imb_numa_nr: ImbNumaNr::None,
    shared: SharedRule::EveryLlcLevel,
    share_id: false,
    asym_key: false,
    busy_factor: 32,
    imbalance_pct: 125,
    interval_of_span: false,
    llc_flag_name: "SD_SHARE_PKG_RESOURCES",
    pkg_name: "DIE",
    log: LogFormat::Old,
    log_flag_checks: false,
    log_marks_cpuless: false,
    root_line: RootLine::Span,
    warn_three_hops: false,
    relax: RelaxRule::SetsAndClears,
};
pub(super) const LAURO_P2: Rules = Rules { overlap_groups: OverlapGroups::ChildFirst, ..V4_10 };
pub(super) const LAURO_P3: Rules = Rules { overlap_groups: OverlapGroups::ChildFirstThenOwner, ..V4_10 };
pub(super) const V4_12_3: Rules = Rules { overlap_groups: OverlapGroups::WrapOwnerFound, ..V4_10 };
const V4_13: Rules = Rules {
    overlap_groups: OverlapGroups::WrapBalanceOwner,
    plain_groups: PlainGroups::EveryCpuRewrites,
    log: LogFormat::New,
    ..V4_10
};
const V4_14_177: Rules = Rules { distance_slots_extra: 1, ..V4_13 };
const V4_15: Rules = Rules { node_level: true, prefer_sibling: PreferSibling::NotNuma, ..V4_13 };
const V4_17: Rules = Rules { root_line: RootLine::RootDomainCapacity, ..V4_15 };
const V4_19: Rules = Rules { topology_type: TopologyTypeRule::TwoLevels, ..V4_17 };
const V4_20: Rules = Rules {
    asym: AsymRule::OneLevel,
    asym_key: true,
    prefer_sibling: PreferSibling::NotNumaNotAsymChild,
    max_capacity: true,
    ..V4_19
};
const V5_0: Rules = Rules { smt_gain: false, distance_slots_extra: 1, ..V4_20 };
const V5_1: Rules = Rules { plain_groups: PlainGroups::EveryCpuLinks, ..V5_0 };
const V5_4: Rules = Rules { refuses_empty_map: true, ..V5_1 };
const V5_4_59: Rules = Rules { span_check: SpanCheck::Pairwise, ..V5_4 };
const V5_6: Rules = Rules { overlap_capacity: OverlapCapacity::PerCpu, relax: RelaxRule::ClearsAbove, ..V5_4_59 };
const V5_7: Rules = Rules { asym_balance_wake: false, ..V5_6 };
const V5_8: Rules = Rules {
    base_flags: OLD_BASE,
    needs_groups: OLD_NEEDS_GROUPS.without(Flags::LOAD_BALANCE),
    parent_needs_groups: OLD_NEEDS_GROUPS.without(Flags::LOAD_BALANCE).with(Flags::PREFER_SIBLING),
    ..V5_7
};
const V5_10: Rules = Rules {
    needs_groups: ALL_NEED_GROUPS,
    parent_needs_groups: ALL_NEED_GROUPS,
    asym: AsymRule::LevelAndUp,
    busy_factor: 16,
    imbalance_pct: 117,
    level_table: LevelTable::PowerpcMc,
    log_flag_checks: true,
    ..V5_8
};
const V5_11: Rules = Rules { warn_three_hops: true, ..V5_10 };
const V5_12: Rules = Rules { distance_list: DistanceList::AllNodes, ..V5_11 };
const V5_13: Rules = Rules { overlap_groups: OverlapGroups::WrapDescended, warn_three_hops: false, ..V5_12 };
const V5_14: Rules = Rules { asym: AsymRule::Classify, ..V5_13 };
const V5_16: Rules = Rules { level_table: LevelTable::Cluster, group_flags: GroupFlags::Child, ..V5_14 };
const V5_18: Rules = Rules {
    distance_list: DistanceList::CpuNodes,
    topology_type: TopologyTypeRule::TwoLevelsCpuNodes,
    imb_numa_nr: ImbNumaNr::Quarter,
    log_marks_cpuless: true,
    ..V5_16
};
const V6_0: Rules = Rules { imb_numa_nr: ImbNumaNr::Eighth, ..V5_18 };
const V6_5: Rules = Rules { group_flags: GroupFlags::ChildSmt, ..V6_0 };
const V6_6: Rules = Rules { group_flags: GroupFlags::ChildAll, group_cores: true, ..V6_5 };
const V6_7: Rules = Rules { level_table: LevelTable::Pkg, pkg_name: "PKG", share_id: true, ..V6_6 };
const V6_9: Rules = Rules { llc_flag_name: "SD_SHARE_LLC", ..V6_7 };
const V6_10: Rules = Rules {
    root_line: RootLine::RootDomain,
    span_check: SpanCheck::PairwiseAbove,
    relax: RelaxRule::ClearsFrom,
    ..V6_9
};
const V6_16: Rules = Rules { span_check: SpanCheck::StaleNode, ..V6_10 };
const V6_17: Rules = Rules { overlap_flag: false, ..V6_16 };
const V6_18: Rules = Rules { span_check: SpanCheck::Linear, level_table: LevelTable::X86Static, ..V6_17 };
const V6_19: Rules = Rules { domain_distance: DomainDistance::RemoteAverage, ..V6_18 };
const V7_0: Rules = Rules { domain_distance: DomainDistance::PackageAverage, ..V6_19 };
const V7_1: Rules =
    Rules { interval_of_span: true, imb_numa_nr: ImbNumaNr::AboveLlc, shared: SharedRule::TopmostLlc, ..V7_0 };
const V7_2: Rules = Rules { shared: SharedRule::TopmostLlcDenseId, ..V7_1 };

/// One line of the release table: from this version on, these rules.
pub(super) struct Change {
    pub(super) version: (u32, u32, u32),
    pub(super) rules: Rules,
}

const fn from(major: u32, minor: u32, patch: u32, rules: Rules) -> Change {
    Change { version: (major, minor, patch), rules }
}

/// The mainline releases at which something modelled here changed, oldest first.
pub(super) const CHANGES: &[Change] = &[
    from(4, 10, 0, V4_10),
    from(4, 13, 0, V4_13),
    from(4, 15, 0, V4_15),
    from(4, 17, 0, V4_17),
    from(4, 19, 0, V4_19),
    from(4, 20, 0, V4_20),
    from(5, 0, 0, V5_0),
    from(5, 1, 0, V5_1),
    from(5, 4, 0, V5_4),
    from(5, 6, 0, V5_6),
    from(5, 7, 0, V5_7),
    from(5, 8, 0, V5_8),
    from(5, 10, 0, V5_10),
    from(5, 11, 0, V5_11),
    from(5, 12, 0, V5_12),
    from(5, 13, 0, V5_13),
    from(5, 14, 0, V5_14),
    from(5, 16, 0, V5_16),
    from(5, 18, 0, V5_18),
    from(6, 0, 0, V6_0),
    from(6, 5, 0, V6_5),
    from(6, 6, 0, V6_6),
    from(6, 7, 0, V6_7),
    from(6, 9, 0, V6_9),
    from(6, 10, 0, V6_10),
    from(6, 16, 0, V6_16),
    from(6, 17, 0, V6_17),
    from(6, 18, 0, V6_18),
    from(6, 19, 0, V6_19),
    from(7, 0, 0, V7_0),
    from(7, 1, 0, V7_1),
    from(7, 2, 0, V7_2),
];

/// Stable series that took rules from later mainline: from this patch level on.
pub(super) const BACKPORTS: &[Change] =
    &[from(4, 12, 3, V4_12_3), from(4, 14, 177, V4_14_177), from(5, 4, 59, V5_4_59)];

/// Series whose name without a patch level means the patched tree that was examined, not the first release.
pub(super) const EXAMINED: &[(u32, u32, u32)] = &[(4, 14, 177), (5, 4, 59)];

pub(super) const OLDEST: (u32, u32) = (4, 10);
pub(super) const NEWEST: (u32, u32) = (7, 2);
/// The last release of each major series.
pub(super) const LAST_MINOR: &[(u32, u32)] = &[(4, 20), (5, 19), (6, 19), (7, 2)];
