//! Kernel releases as bundles of rules.
//!
//! A rule is named for what it does; which release has it is the table `CHANGES`, one line per change. Between two
//! lines nothing that this program models changed.

use super::flags::Flags;
use std::fmt;

/// Which distances make NUMA levels (`sched_init_numa`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceList {
    /// Up to 5.11: a selection sort over the row of node 0; with `sched_debug` it goes on through the other rows and
    /// appends only what is larger than everything so far.
    RowZero,
    /// 5.12 to 5.17: every distance of every pair of nodes.
    AllNodes,
    /// 5.18 on: every distance between nodes that have CPUs.
    CpuNodes,
}

/// How `arch_sched_node_distance` changes distances before levels are made of them (Granite Rapids, Clearwater
/// Forest; told apart here by the topology naming each node's package).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainDistance {
    /// Up to 6.18: not at all.
    AsGiven,
    /// 6.19: every distance of 20 or more becomes the average of them all.
    RemoteAverage,
    /// 7.0 on: with three or more nodes a package, distances between two packages become their average.
    PackageAverage,
}

/// When few levels alone decide for `NUMA_DIRECT` (`init_numa_topology_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyTypeRule {
    /// Up to 4.18: at most one level. From 4.15 that counts the identity distance, so that two nodes are classified
    /// `BACKPLANE` there.
    OneLevel,
    /// 4.19 to 5.17: at most two levels, the identity distance included; every online node looked at.
    TwoLevels,
    /// 5.18 on: the same over nodes that have CPUs, with `DIRECT` as the announced default.
    TwoLevelsCpuNodes,
}

/// The era of the architectures' level tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LevelTable {
    /// Up to 5.9 (powerpc: SMT, CACHE, DIE).
    Classic,
    /// 5.10 to 5.15 (powerpc gains MC).
    PowerpcMc,
    /// 5.16 to 6.6: CLS between SMT and MC.
    Cluster,
    /// 6.7 to 6.17: DIE is called PKG, CLS has a flag of its own.
    Pkg,
    /// 6.18 on: x86 leaves SMT out when no core has two threads.
    X86Static,
}

/// How `topology_span_sane` looks for masks that partly overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanCheck {
    /// Up to 5.5 (5.4 stable has the next): it does not exist.
    None,
    /// 5.6 to 6.9: each CPU against each other one, at each level, before the level is built. O(N²).
    Pairwise,
    /// 6.10 to 6.15: each CPU against those above it only.
    PairwiseAbove,
    /// 6.16 and 6.17: once, by the lowest CPU of each mask, O(N); but the NODE level is read through whatever NUMA
    /// level was built last.
    StaleNode,
    /// 6.18 on: the same, NODE read correctly.
    Linear,
}

/// How the groups of an overlapping (NUMA) domain are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapGroups {
    /// Up to 4.12: the scan starts at the lowest CPU of the span, whichever CPU the groups are for; each group's sgc
    /// is that of the CPU it was found at. The scheduling group construction bug.
    FromFirstCpu,
    /// 4.12.3 stable: the scan starts at the CPU itself and wraps; the sgc is still that of the CPU found.
    WrapOwnerFound,
    /// The second patch of the 2017 series alone: the CPU's own child first, then ascending; masks and sgc as before.
    ChildFirst,
    /// The whole 2017 series: as the second patch, with sgc and masks chosen after all groups exist, by the first CPU
    /// whose first group has the same span.
    ChildFirstThenOwner,
    /// 4.13 to 5.12: the scan wraps from the CPU; the sgc is that of the lowest CPU of the balance mask.
    WrapBalanceOwner,
    /// 5.13 on: the same, and a sibling whose child reaches out of the domain is replaced by its descendant.
    WrapDescended,
}

/// How the groups of a plain domain are linked (`build_sched_groups`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainGroups {
    /// Up to 4.12: the lowest CPU of the span links the ring; the balance mask is all ones.
    FirstCpuLinks,
    /// 4.13 to 5.0: every CPU of the span links the shared groups anew from itself, and writes their spans again.
    EveryCpuRewrites,
    /// 5.1 on: every CPU links anew, a group already visited keeps its span.
    EveryCpuLinks,
}

/// What group flags are, and what degeneration does to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupFlags {
    /// Up to 5.15: groups have no flags.
    None,
    /// 5.16 to 6.4: those of the child domain; zero when the base domain goes.
    Child,
    /// 6.5: `SD_SHARE_CPUCAPACITY` moves up past a domain that goes.
    ChildSmt,
    /// 6.6 on: all flags of the surviving child move up past a domain that goes.
    ChildAll,
}

/// Which CPUs see `SD_ASYM_CPUCAPACITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsymRule {
    /// Up to 4.19: no mainline architecture sets it.
    None,
    /// 4.20 to 5.9: the lowest level at which some CPU sees a bigger one, that level only.
    OneLevel,
    /// 5.10 to 5.13: that level and all above.
    LevelAndUp,
    /// 5.14 on: every domain is classified by the capacities inside and outside.
    Classify,
}

/// Which domains get `SD_PREFER_SIBLING` at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferSibling {
    /// Up to 4.14: SMT and levels that are neither LLC nor NUMA.
    NotLlc,
    /// 4.15 to 4.19: all but NUMA.
    NotNuma,
    /// 4.20 on: all but NUMA, and not below a domain with CPUs of different capacity.
    NotNumaNotAsymChild,
}

/// `imb_numa_nr`, the imbalance tolerated before tasks are spread over nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImbNumaNr {
    /// Up to 5.17: the field does not exist.
    None,
    /// 5.18 and 5.19: a quarter of the domain above the LLC.
    Quarter,
    /// 6.0 to 7.0: an eighth, at least one.
    Eighth,
    /// 7.1 on: the same, from the parent of the topmost LLC domain whatever it is.
    AboveLlc,
}

/// How the capacity of a group over an overlapping child is summed (`update_group_capacity`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapCapacity {
    /// Up to 5.5: minimum and maximum are taken over the running sum.
    RunningSum,
    /// 5.6 on: over the CPUs.
    PerCpu,
}

/// What `sched_domain_shared` belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedRule {
    /// Up to 7.0: every domain that shares a cache has one of its level.
    EveryLlcLevel,
    /// 7.1: the topmost one only.
    TopmostLlc,
    /// 7.2: the same, and the LLC id is a dense number.
    TopmostLlcDenseId,
}

/// The words of the kernel log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Up to 4.12.
    Old,
    /// 4.13 on.
    New,
}

/// The last line of a build in the kernel log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootLine {
    /// Up to 4.16: `span: … (max cpu_capacity = …)`.
    Span,
    /// 4.17 to 6.9: `root domain span: … (max cpu_capacity = …)`.
    RootDomainCapacity,
    /// 6.10 on: `root domain span: …`.
    RootDomain,
}

/// What one kernel does differently from others.
#[expect(clippy::struct_excessive_bools, reason = "each is a rule a kernel has or has not, not a state")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Which distances make levels.
    pub distance_list: DistanceList,
    /// From 4.15 the local distance is in the list, and makes the NODE level.
    pub node_level: bool,
    /// How many distances fit in the kernel's array besides one per node id: 0, or 1 from 5.0.
    pub distance_slots_extra: usize,
    /// What the architecture does to distances.
    pub domain_distance: DomainDistance,
    /// The node set and level count behind the topology type.
    pub topology_type: TopologyTypeRule,
    /// The level tables.
    pub level_table: LevelTable,
    /// The span check.
    pub span_check: SpanCheck,
    /// From 5.4 an empty CPU map is refused with a warning; before, nothing is built and nothing said.
    pub refuses_empty_map: bool,
    /// Groups of NUMA domains.
    pub overlap_groups: OverlapGroups,
    /// Groups of other domains.
    pub plain_groups: PlainGroups,
    /// Group flags.
    pub group_flags: GroupFlags,
    /// From 6.6 groups count their cores.
    pub group_cores: bool,
    /// Capacity asymmetry.
    pub asym: AsymRule,
    /// Up to 5.6, a domain with CPUs of different capacity turns on `SD_BALANCE_WAKE` below.
    pub asym_balance_wake: bool,
    /// `SD_PREFER_SIBLING`.
    pub prefer_sibling: PreferSibling,
    /// Flags every domain starts with.
    pub base_flags: Flags,
    /// Up to 6.16, NUMA domains carry `SD_OVERLAP`.
    pub overlap_flag: bool,
    /// Flags that mean nothing in a domain of a single group, `sd_degenerate`.
    pub needs_groups: Flags,
    /// The same for `sd_parent_degenerate`, where the parent has a single group.
    pub parent_needs_groups: Flags,
    /// Up to 4.19, a thread of an SMT core has 1178 / threads of capacity.
    pub smt_gain: bool,
    /// From 4.20 a group knows its largest CPU.
    pub max_capacity: bool,
    /// How capacities over an overlapping child are summed.
    pub overlap_capacity: OverlapCapacity,
    /// Tolerated NUMA imbalance.
    pub imb_numa_nr: ImbNumaNr,
    /// `sched_domain_shared`.
    pub shared: SharedRule,
    /// From 6.7 `sd_share_id` exists, and clusters have a static key.
    pub share_id: bool,
    /// From 4.20 the `sched_asym_cpucapacity` static key and `sd_asym_cpucapacity` exist.
    pub asym_key: bool,
    /// `busy_factor` of every domain.
    pub busy_factor: u32,
    /// `imbalance_pct` of domains that share neither a core nor a cache.
    pub imbalance_pct: u32,
    /// From 7.1 intervals follow the domain's span; before, the level's mask however much of it takes part.
    pub interval_of_span: bool,
    /// What `SD_SHARE_LLC` is called.
    pub llc_flag_name: &'static str,
    /// What the package level is called.
    pub pkg_name: &'static str,
    /// The kernel log's words.
    pub log: LogFormat,
    /// Whether the log checks flags against child and parent, from 5.10.
    pub log_flag_checks: bool,
    /// Whether the distance table in the log marks nodes without CPUs, from 5.18.
    pub log_marks_cpuless: bool,
    /// The kernel log's last line.
    pub root_line: RootLine,
    /// 5.11 and 5.12: warn when a CPU has more than two NUMA domains.
    pub warn_three_hops: bool,
}

impl Rules {
    /// The names of the rules in which two releases differ, in the order of the fields.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        macro_rules! differing {
            ($($rule:ident),* $(,)?) => {{
                // Named one by one, so that a new rule can't be forgotten.
                let Self { $($rule),* } = self;
                [$(($rule != &other.$rule, stringify!($rule))),*]
            }};
        }
        let rules = differing!(
            distance_list,
            node_level,
            distance_slots_extra,
            domain_distance,
            topology_type,
            level_table,
            span_check,
            refuses_empty_map,
            overlap_groups,
            plain_groups,
            group_flags,
            group_cores,
            asym,
            asym_balance_wake,
            prefer_sibling,
            base_flags,
            overlap_flag,
            needs_groups,
            parent_needs_groups,
            smt_gain,
            max_capacity,
            overlap_capacity,
            imb_numa_nr,
            shared,
            share_id,
            asym_key,
            busy_factor,
            imbalance_pct,
            interval_of_span,
            llc_flag_name,
            pkg_name,
            log,
            log_flag_checks,
            log_marks_cpuless,
            root_line,
            warn_three_hops,
        );
        rules.into_iter().filter(|&(differs, _)| differs).map(|(_, name)| name).collect()
    }
}

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

const V4_10: Rules = Rules {
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
};
const LAURO_P2: Rules = Rules { overlap_groups: OverlapGroups::ChildFirst, ..V4_10 };
const LAURO_P3: Rules = Rules { overlap_groups: OverlapGroups::ChildFirstThenOwner, ..V4_10 };
const V4_12_3: Rules = Rules { overlap_groups: OverlapGroups::WrapOwnerFound, ..V4_10 };
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
const V5_6: Rules = Rules { overlap_capacity: OverlapCapacity::PerCpu, ..V5_4_59 };
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
const V6_10: Rules = Rules { root_line: RootLine::RootDomain, span_check: SpanCheck::PairwiseAbove, ..V6_9 };
const V6_16: Rules = Rules { span_check: SpanCheck::StaleNode, ..V6_10 };
const V6_17: Rules = Rules { overlap_flag: false, ..V6_16 };
const V6_18: Rules = Rules { span_check: SpanCheck::Linear, level_table: LevelTable::X86Static, ..V6_17 };
const V6_19: Rules = Rules { domain_distance: DomainDistance::RemoteAverage, ..V6_18 };
const V7_0: Rules = Rules { domain_distance: DomainDistance::PackageAverage, ..V6_19 };
const V7_1: Rules =
    Rules { interval_of_span: true, imb_numa_nr: ImbNumaNr::AboveLlc, shared: SharedRule::TopmostLlc, ..V7_0 };
const V7_2: Rules = Rules { shared: SharedRule::TopmostLlcDenseId, ..V7_1 };

/// One line of the release table: from this version on, these rules.
struct Change {
    version: (u32, u32, u32),
    rules: Rules,
}

const fn from(major: u32, minor: u32, patch: u32, rules: Rules) -> Change {
    Change { version: (major, minor, patch), rules }
}

/// The mainline releases at which something modelled here changed, oldest first.
const CHANGES: &[Change] = &[
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
const BACKPORTS: &[Change] = &[from(4, 12, 3, V4_12_3), from(4, 14, 177, V4_14_177), from(5, 4, 59, V5_4_59)];

/// Series whose name without a patch level means the patched tree that was examined, not the first release.
const EXAMINED: &[(u32, u32, u32)] = &[(4, 14, 177), (5, 4, 59)];

const OLDEST: (u32, u32) = (4, 10);
const NEWEST: (u32, u32) = (7, 2);
/// The last release of each major series.
const LAST_MINOR: &[(u32, u32)] = &[(4, 20), (5, 19), (6, 19), (7, 2)];

/// A kernel whose domains can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The bundle's name, such as `v6.12`, `v4.12.3` or `lauro-p2`.
    pub name: String,
    /// What was asked for, and why this bundle answers, when that is not plain.
    pub note: Option<String>,
    /// What it does.
    pub rules: Rules,
}

/// Why a text names no release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseError {
    /// No version in it.
    #[error("{0:?} names no kernel release; write for example v6.12, 6.12.3-amd64, lauro-p2 or newest")]
    NotAVersion(String),
    /// Older than any known.
    #[error("{0:?} is older than v4.10, the oldest release modelled")]
    TooOld(String),
}

impl Release {
    /// Reads `6.12`, `v6.12.3-amd64`, the output of `uname -r`, `lauro-p2`, `lauro-p3`, `newest` or `oldest`, and says
    /// in [`Release::note`] which bundle it took when the text leaves a choice.
    ///
    /// # Errors
    /// When the text holds no version or one older than 4.10.
    pub fn parse(text: &str) -> Result<Self, ReleaseError> {
        let word = text.trim();
        let named = |name: &str, rules| Ok(Self { name: name.to_owned(), note: None, rules });
        match word.to_ascii_lowercase().as_str() {
            "lauro-p2" => return named("lauro-p2", LAURO_P2),
            "lauro-p3" => return named("lauro-p3", LAURO_P3),
            "newest" | "latest" => return Ok(Self::newest()),
            "oldest" => return Ok(Self::mainline(OLDEST.0, OLDEST.1)),
            _ => {}
        }
        let (major, minor, patch) =
            version(word).ok_or_else(|| ReleaseError::NotAVersion(word.chars().take(60).collect()))?;
        if (major, minor) < OLDEST {
            return Err(ReleaseError::TooOld(word.to_owned()));
        }
        if !Self::exists(major, minor) {
            let below = Self::all_versions().rev().find(|&known| known < (major, minor)).unwrap_or(NEWEST);
            let mut release = Self::mainline(below.0, below.1);
            release.note = Some(format!("{word} is not known; {} is the newest release below it", release.name));
            return Ok(release);
        }
        // Distributions name a patched kernel X.Y.0-N: that is the series as patched, not its first release.
        let patch = patch.filter(|&patch| patch > 0 || !is_distribution(word));
        let mut release = Self::patched(major, minor, patch);
        if word.trim_start_matches(['v', 'V']) != release.name.trim_start_matches('v') {
            release.note = Some(format!("{word} is built by the rules of {}", release.name));
        }
        Ok(release)
    }

    /// The newest release known.
    pub fn newest() -> Self {
        Self::mainline(NEWEST.0, NEWEST.1)
    }

    /// Every bundle a person may choose from, oldest first: mainline releases, 4.12.3, and the 2017 states.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (major, minor) in Self::all_versions() {
            all.push(Self::mainline(major, minor));
            if (major, minor) == (4, 11) {
                all.push(Self { name: "lauro-p2".into(), note: None, rules: LAURO_P2 });
                all.push(Self { name: "lauro-p3".into(), note: None, rules: LAURO_P3 });
            }
            if (major, minor) == (4, 12) {
                all.push(Self { name: "v4.12.3".into(), note: None, rules: V4_12_3 });
            }
        }
        all
    }

    fn all_versions() -> impl DoubleEndedIterator<Item = (u32, u32)> {
        LAST_MINOR.iter().flat_map(|&(major, last)| {
            let first = if major == OLDEST.0 { OLDEST.1 } else { 0 };
            (first..=last).map(move |minor| (major, minor))
        })
    }

    fn exists(major: u32, minor: u32) -> bool {
        LAST_MINOR.iter().any(|&(series, last)| series == major && minor <= last)
    }

    fn mainline(major: u32, minor: u32) -> Self {
        Self::patched(major, minor, None)
    }

    fn patched(major: u32, minor: u32, patch: Option<u32>) -> Self {
        let examined = EXAMINED.iter().find(|&&(a, b, _)| (a, b) == (major, minor)).map(|&(_, _, patch)| patch);
        let patch = patch.or(examined).unwrap_or(0);
        let backport = BACKPORTS.iter().find(|change| {
            change.version <= (major, minor, patch) && change.version.0 == major && change.version.1 == minor
        });
        let change =
            backport.or_else(|| CHANGES.iter().rev().find(|change| change.version <= (major, minor, u32::MAX)));
        let rules = change.map_or(V4_10, |change| change.rules);
        let name = match backport {
            Some(change) if examined.is_none() => format!("v{major}.{minor}.{}", change.version.2),
            None if examined.is_some() => format!("v{major}.{minor}.0"),
            _ => format!("v{major}.{minor}"),
        };
        Self { name, note: None, rules }
    }
}

/// Whether the text names a distribution's build, such as `5.4.0-150-generic`: a dash and a number after the version.
fn is_distribution(text: &str) -> bool {
    text.split_once('-').is_some_and(|(_, build)| build.starts_with(|c: char| c.is_ascii_digit()))
}

/// The first `X.Y` or `X.Y.Z` of a text such as `Linux version 6.12.3-amd64 (…)`.
fn version(text: &str) -> Option<(u32, u32, Option<u32>)> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|part| {
        let mut numbers = part.split('.').map(|number| number.parse::<u32>().ok());
        let (major, minor) = (numbers.next()??, numbers.next()??);
        Some((major, minor, numbers.next().flatten()))
    })
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Release {
        Release::parse(text).unwrap()
    }

    #[test]
    fn reads_what_people_have_at_hand() {
        for (text, name) in [
            ("6.12", "v6.12"),
            ("v6.12.3-amd64", "v6.12"),
            ("5.15.0-91-generic", "v5.15"),
            ("6.1.0-18-amd64", "v6.1"),
            ("Linux version 4.19.0-26-amd64 (debian-kernel@lists.debian.org)", "v4.19"),
            ("4.12.2", "v4.12"),
            ("4.12.3", "v4.12.3"),
            ("4.12.14-lp151", "v4.12.3"),
            ("5.4", "v5.4"),
            ("5.4.0", "v5.4.0"),
            ("5.4.200", "v5.4"),
            ("5.4.0-150-generic", "v5.4"),
            ("5.4.0-rc3", "v5.4.0"),
            ("lauro-p2", "lauro-p2"),
            ("newest", "v7.2"),
            ("7.9-rc1", "v7.2"),
            ("8.0", "v7.2"),
            ("4.21", "v4.20"),
        ] {
            assert_eq!(parse(text).name, name, "{text}");
        }
        assert!(parse("7.9").note.unwrap().contains("not known"));
        assert_eq!(parse("v6.12").note, None);
        assert!(matches!(Release::parse("linux"), Err(ReleaseError::NotAVersion(_))));
        assert!(matches!(Release::parse("3.10.0-957.el7"), Err(ReleaseError::TooOld(_))));
    }

    #[test]
    fn every_listed_release_parses_to_itself() {
        for release in Release::all() {
            assert_eq!(parse(&release.name), release);
        }
    }

    #[test]
    fn rules_that_differ_are_named() {
        let (old, new) = (parse("4.12").rules, parse("4.13").rules);
        assert_eq!(old.differences(&new), ["overlap_groups", "plain_groups", "log"]);
        assert!(old.differences(&old).is_empty());
    }

    #[test]
    fn back_ports_apply_from_their_patch_level() {
        assert_eq!(parse("4.12.2").rules.overlap_groups, OverlapGroups::FromFirstCpu);
        assert_eq!(parse("4.12.3").rules.overlap_groups, OverlapGroups::WrapOwnerFound);
        assert_eq!(parse("5.4.58").rules.span_check, SpanCheck::None);
        assert_eq!(parse("5.4.59").rules.span_check, SpanCheck::Pairwise);
        assert_eq!(parse("5.5").rules.span_check, SpanCheck::None);
    }
}
