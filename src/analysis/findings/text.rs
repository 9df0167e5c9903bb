//! Words for sets and lists in messages.

use crate::cpumask::CpuMask;
use std::fmt::Display;

/// How many things of a list are named before the rest is counted.
const NAMED: usize = 4;

/// `are`, or `is` of one.
pub(super) fn are(cpus: &CpuMask) -> &'static str {
    if cpus.weight() == 1 { "is" } else { "are" }
}

/// `have`, or `has` of one.
pub(super) fn have(cpus: &CpuMask) -> &'static str {
    if cpus.weight() == 1 { "has" } else { "have" }
}

/// `CPU 3`, `CPUs 0-3,8`.
pub(super) fn cpus(cpus: &CpuMask) -> String {
    let plural = if cpus.weight() == 1 { "" } else { "s" };
    format!("CPU{plural} {}", shortened(cpus))
}

/// A cpulist, cut after a few ranges.
fn shortened(cpus: &CpuMask) -> String {
    const RANGES: usize = 6;
    let ranges = cpus.ranges().count();
    if ranges <= RANGES {
        return cpus.to_string();
    }
    let text = cpus.to_string();
    let head: Vec<&str> = text.split(',').take(RANGES).collect();
    format!("{},… ({} in all)", head.join(","), cpus.weight())
}

/// `node 1`, `nodes 0, 1 and 3`.
pub(super) fn nodes(ids: &[u32]) -> String {
    format!("node{} {}", if ids.len() == 1 { "" } else { "s" }, list(ids))
}

/// `a`, `a and b`, `a, b, c, d and 7 more`.
pub(super) fn list<T: Display>(items: &[T]) -> String {
    let named: Vec<String> = items.iter().take(NAMED).map(ToString::to_string).collect();
    let more = items.len() - named.len();
    match (named.as_slice(), more) {
        ([], _) => "none".to_owned(),
        (all, 1..) => format!("{} and {more} more", all.join(", ")),
        ([one], _) => one.clone(),
        ([first @ .., last], _) => format!("{} and {last}", first.join(", ")),
    }
}

/// Sets in braces: `{0-1,3} and {1-3}`.
pub(super) fn sets(sets: &[CpuMask]) -> String {
    list(&sets.iter().map(|set| format!("{{{}}}", shortened(set))).collect::<Vec<_>>())
}
