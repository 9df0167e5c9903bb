//! The releases at which what a kernel makes of a machine changes.

use super::{Comparison, MachineFact, compare};
use crate::cpumask::CpuMask;
use crate::kernel::{self, Build, Release};
use crate::topology::Topology;

/// Two releases, one after the other, that build a machine differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The last release that builds it the old way.
    pub from: String,
    /// The first that builds it the new way.
    pub to: String,
    /// The rules in which the two differ, by name; at least one of them makes the difference.
    pub rules: Vec<&'static str>,
    /// The CPUs of which something changes; none where it is about the machine as a whole only.
    pub cpus: CpuMask,
    /// What changes.
    pub comparison: Comparison,
}

/// Every release, oldest first. The states of the 2017 patch series never were releases: they are left out.
pub fn releases() -> Vec<Release> {
    let versions = |release: &Release| release.name.starts_with('v');
    Release::all().into_iter().filter(versions).collect()
}

/// Builds `topology` with each of `releases` and compares each with the one before. A stable release with rules of its
/// own (v4.12.3) is compared with the release it patches, and so is the one after that.
///
/// Levels that come to nothing, their names, and whether the local distance is in the list of distances count for
/// nothing here: what matters is what CPUs end up with, the topology type, and whether the build is refused.
pub fn bisect(topology: &Topology, releases: &[Release]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut before: Option<(&Release, Build)> = None;
    for release in releases {
        let Some((old, known)) = before.take() else {
            before = Some((release, kernel::build(topology, release)));
            continue;
        };
        let rules = old.rules.differences(&release.rules);
        if rules.is_empty() {
            // The same rules build the same; only the name of the last one moves on.
            before = Some((release, known));
            continue;
        }
        let build = kernel::build(topology, release);
        let comparison = compare(&known, &build);
        if matters(&comparison) {
            let (from, to) = (old.name.clone(), release.name.clone());
            changes.push(Change { from, to, rules, cpus: comparison.cpus(), comparison });
        }
        before = Some(if is_stable(release) { (old, known) } else { (release, build) });
    }
    changes
}

/// Whether a release is a patched one beside mainline, named with three numbers.
fn is_stable(release: &Release) -> bool {
    release.name.matches('.').count() > 1
}

/// Whether two builds differ in what counts.
fn matters(comparison: &Comparison) -> bool {
    let counts = |what| matches!(what, MachineFact::TopologyType | MachineFact::Error);
    !comparison.differences.is_empty() || comparison.machine.iter().any(|change| counts(change.what))
}
