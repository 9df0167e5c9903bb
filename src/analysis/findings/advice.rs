//! What can be done about a finding. Advice to take another release is followed before it is given: the machine is built there,
//! and a release is named only if the finding is gone.

use super::{Finding, Kind, facts, kind_of};
use crate::kernel::{self, Build, Release};
use crate::topology::Topology;
use std::cell::OnceCell;

/// Machines up to so many CPUs and nodes are built under every later release; of larger ones those that count most.
const TRIED_CPUS: usize = 512;
const TRIED_NODES: usize = 12;

/// What can be done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Advice {
    /// Something about the machine, in a sentence.
    Words(&'static str),
    /// Another release, if one removes it.
    Release {
        /// The release that brought the mend, major and minor: tried first on machines too large to try all.
        since: (u32, u32),
        /// What is different there, after a comma.
        why: &'static str,
        /// What to do, or to know, where no release removes it.
        otherwise: &'static str,
    },
}

impl From<&'static str> for Advice {
    fn from(words: &'static str) -> Self {
        Self::Words(words)
    }
}

/// A finding with what can be done about it, not proven yet.
pub(super) type Draft = (Finding, Advice);

/// Later releases, built and looked at when first asked for.
struct Later<'a> {
    topology: &'a Topology,
    releases: Vec<Release>,
    found: Vec<OnceCell<(Build, Vec<Draft>)>>,
}

impl<'a> Later<'a> {
    /// The releases after that of `build` whose rules differ from the one before, and the newest.
    fn new(topology: &'a Topology, build: &Build) -> Self {
        let mut releases: Vec<Release> = Vec::new();
        let mut rules = build.release.rules;
        for release in Release::all() {
            let stable = release.name.matches('.').count() > 1;
            if !release.name.starts_with('v') || stable || release.version <= build.release.version {
                continue;
            }
            if release.rules != rules {
                rules = release.rules;
                releases.push(release);
            }
        }
        let found = releases.iter().map(|_| OnceCell::new()).collect();
        Self { topology, releases, found }
    }

    fn has(&self, at: usize, finding: &Finding, label: &str) -> bool {
        let (build, drafts) = self.found[at].get_or_init(|| {
            let build = kernel::build(self.topology, &self.releases[at]);
            let drafts = facts(self.topology, &build);
            (build, drafts)
        });
        // A release that builds no domains mends nothing.
        build.error.is_some() || drafts.iter().any(|(other, _)| is_same(finding, label, other, &label_of(build, other)))
    }

    /// The first release that does not have the finding, and whether all after it don't either, as far as that was tried.
    fn mends(&self, finding: &Finding, label: &str, since: (u32, u32)) -> Option<(&Release, bool)> {
        let last = self.releases.len().checked_sub(1)?;
        let large = self.topology.nr_cpus > TRIED_CPUS || self.topology.nodes.len() > TRIED_NODES;
        if large {
            let newest_has = self.has(last, finding, label);
            let hinted = self.releases.iter().position(|release| (release.version.0, release.version.1) >= since)?;
            let gone = if newest_has { None } else { Some(last) };
            let at = if self.has(hinted, finding, label) { gone } else { Some(hinted) };
            return at.map(|at| (&self.releases[at], false));
        }
        let at = (0..=last).find(|&at| !self.has(at, finding, label))?;
        let stays = (at..=last).all(|at| !self.has(at, finding, label));
        Some((&self.releases[at], stays))
    }
}

/// The level a finding is about, named as newer releases name it.
fn label_of(build: &Build, finding: &Finding) -> String {
    let label = finding.witness.level.map(|level| build.level_label(level)).unwrap_or_default();
    if label == "DIE" { "PKG".to_owned() } else { label }
}

/// Whether two releases have the same to complain of: about one of the pairs, or at the level.
fn is_same(one: &Finding, label: &str, other: &Finding, other_label: &str) -> bool {
    let pairs = &one.witness.pairs;
    let place = if pairs.is_empty() {
        label == other_label
    } else {
        pairs.iter().any(|pair| other.witness.pairs.contains(pair))
    };
    one.id == other.id && place
}

/// The findings with advice that holds.
pub(super) fn proven(topology: &Topology, build: &Build, drafts: Vec<Draft>) -> Vec<Finding> {
    let later = Later::new(topology, build);
    let prove = |(mut finding, advice): Draft| {
        match advice {
            Advice::Words(words) => words.clone_into(&mut finding.advice),
            Advice::Release { since, why, otherwise } => {
                let label = label_of(build, &finding);
                match later.mends(&finding, &label, since) {
                    Some((release, stays)) => {
                        let or_later = if stays { " or later" } else { "" };
                        finding.advice = format!("take {}{or_later}, {why}", release.name);
                        finding.mended_by = Some(release.name.clone());
                    }
                    None => {
                        let about = kind_of(finding.id).map_or("", |Kind { about, .. }| about);
                        let otherwise = if otherwise.is_empty() { about } else { otherwise };
                        finding.advice = format!("no later release changes this: {otherwise}");
                    }
                }
            }
        }
        finding
    };
    drafts.into_iter().map(prove).collect()
}
