//! What the kernel prints besides the domains: errors, bugs and warnings.

use super::release::Rules;
use crate::topology::{Distances, Topology};

/// How serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A `WARN`: a stack trace, and the kernel goes on.
    Warning,
    /// `ERROR` or `BUG`.
    Error,
}

/// One message, at the place it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The CPU it is about.
    pub cpu: Option<u32>,
    /// The level it is about, index into [`Build::levels`](super::Build::levels).
    pub level: Option<u32>,
    /// What it says.
    pub kind: MessageKind,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Two nodes see different distances; with the table.
    NotSymmetric,
    /// A distance is missing from the row of node 0; with the table.
    Node0NotRepresentative,
    /// A distance below 10 or above 255; with the table.
    InvalidDistance,
    /// More levels than the kernel's array of distances holds.
    ArrayOverflow {
        /// Levels found.
        levels: usize,
        /// Slots there are.
        slots: usize,
    },
    /// 6.19: more packages than the averaging of remote distances is meant for.
    MoreThanTwoPackages(usize),
    /// 7.0 on: the table is not made of one symmetric block a package, so distances stay as given.
    SlitNotClustered,
    /// No topology type fits.
    NoTopologyType,
    /// `topology_span_sane` failed.
    SpanInsane {
        /// Whether the whole map was checked at once (6.16 on).
        whole_map: bool,
    },
    /// No CPU to build for.
    EmptyCpuMap,
    /// A domain does not contain its child.
    NotSubset {
        /// The child's level.
        child: &'static str,
        /// The domain's level.
        parent: &'static str,
    },
    /// Capacities differ among the threads of a core.
    AsymSmt,
    /// A group was seen before its capacity instance or the other way round.
    VisitedMismatch,
    /// A balance mask came out empty.
    EmptyBalanceMask,
    /// Two groups with one capacity instance have different balance masks.
    BalanceMaskDiffers,
    /// No CPU has a first group like this group.
    BalanceCpuNotFound,
    /// More than two NUMA domains on one CPU.
    ThreeHops,
    /// The span lacks the CPU itself.
    SpanLacksCpu,
    /// The first group lacks the CPU itself.
    GroupsLackCpu,
    /// A flag the child domain lacks.
    FlagNotInChild(&'static str),
    /// A flag the parent domain lacks.
    FlagNotInParent(&'static str),
    /// There is no group.
    GroupIsNull,
    /// A group holds no CPU.
    EmptyGroup,
    /// Two groups of a plain domain share a CPU.
    RepeatedCpus,
    /// The first group is not the child domain.
    HeadNotChild,
    /// The groups' CPUs are not the domain's.
    GroupsDontSpan,
    /// The groups reach out of the parent.
    ParentNotSuperset,
}

impl MessageKind {
    /// How serious it is.
    pub fn severity(&self) -> Severity {
        match self {
            Self::SpanInsane { .. }
            | Self::EmptyCpuMap
            | Self::AsymSmt
            | Self::VisitedMismatch
            | Self::EmptyBalanceMask
            | Self::BalanceMaskDiffers
            | Self::BalanceCpuNotFound
            | Self::MoreThanTwoPackages(_)
            | Self::SlitNotClustered
            | Self::ThreeHops => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// Whether it is a line of the log before the first domain.
    pub(super) fn is_before_domains(&self) -> bool {
        matches!(
            self,
            Self::NotSymmetric
                | Self::Node0NotRepresentative
                | Self::InvalidDistance
                | Self::NoTopologyType
                | Self::NotSubset { .. }
        )
    }

    /// The kernel's first line of it.
    pub fn text(&self, cpu: Option<u32>) -> String {
        let fixed = match self {
            Self::NotSymmetric => "ERROR: Node-distance not symmetric",
            Self::Node0NotRepresentative => "ERROR: Node-0 not representative",
            Self::InvalidDistance => "ERROR: Invalid distance value range",
            Self::ArrayOverflow { levels, slots } => {
                return format!(
                    "HARNESS: kernel overflows sched_domains_numa_distance[]: {levels} levels in an array of {slots} ints"
                );
            }
            Self::MoreThanTwoPackages(count) => {
                return format!(
                    "WARNING: arch_sched_node_distance: {count} packages, and the average is meant for two"
                );
            }
            Self::SlitNotClustered => "[Firmware Bug]: SLIT is not clustered by package; using it as it is",
            Self::NoTopologyType => "Failed to find a NUMA topology type, defaulting to DIRECT",
            Self::SpanInsane { whole_map: false } => {
                "WARNING: build_sched_domains: masks of one level partly overlap, no domains are built"
            }
            Self::SpanInsane { whole_map: true } => {
                "WARNING: build_sched_domains: masks of a level partly overlap, no domains are built"
            }
            Self::EmptyCpuMap => "WARNING: build_sched_domains: there is no CPU to build domains for",
            Self::NotSubset { .. } => "BUG: arch topology borken",
            Self::AsymSmt => "WARNING: sd_init: threads of one core differ in capacity",
            Self::VisitedMismatch => {
                "WARNING: get_group: a group of a NUMA domain took this group's capacity instance before it was built"
            }
            Self::EmptyBalanceMask => "WARNING: build_balance_mask: no CPU has this group as its child",
            Self::BalanceMaskDiffers => {
                "WARNING: init_overlap_sched_group: groups that share a capacity instance differ in balance mask"
            }
            Self::BalanceCpuNotFound => "WARNING: find_group_balance_cpu: no CPU has this group first",
            Self::ThreeHops => "WARNING: cpu_attach_domain: Shortest NUMA path spans too many nodes",
            Self::SpanLacksCpu => return format!("ERROR: domain->span does not contain CPU{}", cpu.unwrap_or(0)),
            Self::GroupsLackCpu => return format!("ERROR: domain->groups does not contain CPU{}", cpu.unwrap_or(0)),
            Self::FlagNotInChild(flag) => return format!("ERROR: flag {flag} set here but not in child"),
            Self::FlagNotInParent(flag) => return format!("ERROR: flag {flag} set here but not in parent"),
            Self::GroupIsNull => "ERROR: group is NULL",
            Self::EmptyGroup => "ERROR: empty group",
            Self::RepeatedCpus => "ERROR: repeated CPUs",
            Self::HeadNotChild => "ERROR: domain->groups does not match domain->child",
            Self::GroupsDontSpan => "ERROR: groups don't span domain->span",
            Self::ParentNotSuperset => "ERROR: parent span is not a superset of domain->span",
        };
        fixed.to_owned()
    }
}

/// The distance table as `sched_numa_warn` prints it, a line per node, trailing blanks included.
pub(super) fn distance_lines(topology: &Topology, rules: &Rules) -> Vec<String> {
    let distances: &Distances = &topology.distances;
    let cpuless: Vec<bool> = (0..topology.nodes.len()).map(|node| topology.node_online(node).is_empty()).collect();
    let cell = |from: usize, to: usize| {
        let distance = distances.get(from, to);
        match (rules.log_marks_cpuless, cpuless[from] || cpuless[to]) {
            (false, _) => format!("{distance:02} "),
            (true, false) => format!(" {distance:02}  "),
            (true, true) => format!("({distance:02}) "),
        }
    };
    let nodes = topology.nodes.len();
    (0..nodes).map(|from| format!("  {}", (0..nodes).map(|to| cell(from, to)).collect::<String>())).collect()
}
