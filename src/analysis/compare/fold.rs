//! One difference for all CPUs that change alike.

use super::groups::{self, Aspects, Differing};
use super::{Change, Difference, GroupsChange, Pair};
use crate::cpumask::CpuMask;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Different changes of one kind at one level that are listed one by one; more are folded into one.
const VARIANTS: usize = 16;

/// What kind of change it is, whatever the CPUs in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Removed,
    Added,
    Span,
    Flags,
    Groups(Aspects),
    Pointer(&'static str),
}

/// A change as noted: lists of groups are written out only where they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Noted {
    Groups(Differing),
    Other(Change),
}

impl Kind {
    fn of(noted: &Noted) -> Self {
        let change = match noted {
            Noted::Groups(differing) => return Self::Groups(differing.aspects.clone()),
            Noted::Other(change) => change,
        };
        match change {
            Change::Removed(_) => Self::Removed,
            Change::Added(_) => Self::Added,
            Change::Span { .. } => Self::Span,
            Change::Flags { .. } => Self::Flags,
            Change::Groups(groups) => Self::Groups(groups.aspects.iter().copied().collect()),
            Change::Pointer { name, .. } => Self::Pointer(name),
        }
    }
}

/// Levels in both builds, and the change.
type Key = (Option<usize>, Option<usize>, Noted);

/// Levels in both builds, and the kind of change.
type KindKey = (Option<usize>, Option<usize>, Kind);

/// Collects changes CPU by CPU.
#[derive(Default)]
pub(super) struct Folder {
    found: IndexMap<Key, CpuMask, FxBuildHasher>,
}

impl Folder {
    pub(super) fn note(&mut self, cpu: usize, left: Option<usize>, right: Option<usize>, noted: Noted) {
        self.found.entry((left, right, noted)).or_default().insert(cpu);
    }

    /// The differences by level and lowest CPU.
    pub(super) fn finish(self, pair: &Pair) -> Vec<Difference> {
        let mut by_kind: FxHashMap<KindKey, Vec<(Noted, CpuMask)>> = FxHashMap::default();
        for ((left, right, noted), cpus) in self.found {
            by_kind.entry((left, right, Kind::of(&noted))).or_default().push((noted, cpus));
        }
        let mut all = Vec::new();
        for ((left, right, _), mut noted) in by_kind {
            noted.sort_by_key(|(_, cpus)| cpus.first());
            let fold = noted.len() > VARIANTS;
            let variants = if fold { noted.len() } else { 1 };
            let everyone = noted.iter().fold(CpuMask::new(), |all, (_, cpus)| all.or(cpus));
            for (noted, cpus) in noted.into_iter().take(if fold { 1 } else { VARIANTS }) {
                let change = written_out(pair, noted, left, right, cpus.first().unwrap_or(0));
                let cpus = if fold { everyone.clone() } else { cpus };
                all.push(Difference { cpus, left, right, change, variants });
            }
        }
        all.sort_by_key(rank);
        all
    }
}

/// The order of differences: by level, kind and lowest CPU.
fn rank(difference: &Difference) -> (usize, Option<usize>, usize, Option<usize>, &'static str) {
    let level = difference.right.or(difference.left).unwrap_or(usize::MAX);
    let (kind, name) = match difference.change {
        Change::Removed(_) => (0, ""),
        Change::Added(_) => (1, ""),
        Change::Span { .. } => (2, ""),
        Change::Flags { .. } => (3, ""),
        Change::Groups(_) => (4, ""),
        Change::Pointer { name, .. } => (5, name),
    };
    (level, difference.left, kind, difference.cpus.first(), name)
}

fn written_out(pair: &Pair, noted: Noted, left: Option<usize>, right: Option<usize>, cpu: usize) -> Change {
    match noted {
        Noted::Other(change) => change,
        Noted::Groups(Differing { aspects, .. }) => Change::Groups(GroupsChange {
            aspects: aspects.into_vec(),
            left: groups::facts(pair.left, cpu, left),
            right: groups::facts(pair.right, cpu, right),
        }),
    }
}
