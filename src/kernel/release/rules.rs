//! The rules in which kernels differ, each named for what it does.

use super::super::flags::Flags;

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

/// What the `relax_domain_level` boot option does to the balancing of idle and waking CPUs: `set_domain_attribute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelaxRule {
    /// Up to 5.5: the flags are set up to the level asked for, and cleared above it.
    SetsAndClears,
    /// 5.6 to 6.9: they are cleared above it.
    ClearsAbove,
    /// 6.10 on: and at it.
    ClearsFrom,
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
    /// The `relax_domain_level` boot option.
    pub relax: RelaxRule,
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
            relax,
        );
        rules.into_iter().filter(|&(differs, _)| differs).map(|(_, name)| name).collect()
    }
}
