//! The rules behind the traces of levels, of the span check and of what degenerates, in words.

use crate::kernel::Build;
use crate::kernel::release::{DistanceList, DomainDistance, GroupFlags, SpanCheck};

/// Which distances make levels.
pub fn distances_rule(build: &Build) -> String {
    let rules = &build.release.rules;
    let list = match rules.distance_list {
        DistanceList::RowZero => {
            "sched_init_numa sorts the distances of node 0's row; with sched_debug larger ones of other rows come after"
        }
        DistanceList::AllNodes => "every distance between any two nodes makes a level, nodes without CPUs included",
        DistanceList::CpuNodes => "every distance between two nodes that have CPUs makes a level",
    };
    let local = if rules.node_level { "the local one makes NODE" } else { "the local one makes none" };
    let arch = match rules.domain_distance {
        DomainDistance::AsGiven => "",
        DomainDistance::RemoteAverage => {
            "; where nodes name their package, distances of 20 and more count as their average"
        }
        DomainDistance::PackageAverage => {
            "; with three nodes or more a package, distances between two packages count as their average"
        }
    };
    format!("{list}; {local}{arch}")
}

/// How masks that partly overlap are looked for.
pub fn span_check_rule(build: &Build) -> &'static str {
    match build.release.rules.span_check {
        SpanCheck::None => "topology_span_sane does not exist yet: nothing is checked before 5.6",
        SpanCheck::Pairwise => {
            "topology_span_sane: before a level is built for a CPU, its mask must equal or miss that of each other CPU"
        }
        SpanCheck::PairwiseAbove => {
            "topology_span_sane: before a level is built for a CPU, its mask must equal or miss that of each CPU above it"
        }
        SpanCheck::StaleNode => {
            "topology_span_sane, once for all CPUs: masks with one lowest CPU must be equal, others apart; NODE is read \
             through the NUMA level built last, which is a mistake"
        }
        SpanCheck::Linear => {
            "topology_span_sane, once for all CPUs: masks with one lowest CPU must be equal, others apart"
        }
    }
}

/// Which domains go when a CPU gets its chain.
pub fn degeneration_rule(build: &Build) -> String {
    let flags = match build.release.rules.group_flags {
        GroupFlags::None => "",
        GroupFlags::Child => "; where the lowest domain goes, the first group above loses its flags",
        GroupFlags::ChildSmt => {
            "; above a domain that goes, the first group gets SD_SHARE_CPUCAPACITY of the one below"
        }
        GroupFlags::ChildAll => "; above a domain that goes, the first group gets the flags of the one below",
    };
    format!(
        "cpu_attach_domain: a parent goes if it has one CPU, or one group and nothing to do, or spans what its child \
         spans and has no flag that the child lacks; then the lowest domain is asked the same of itself{flags}"
    )
}
