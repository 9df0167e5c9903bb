//! One difference for all CPUs that change alike.

use super::alike::{self, Shape};
use super::groups::{self, Aspects, Differing};
use super::{Change, Difference, GroupsChange, Pair};
use crate::cpumask::CpuMask;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Different changes of one kind at one level that are listed one by one; more are folded into one, alike or not.
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
            for folded in fold(pair, left, right, noted) {
                let Folded { noted, first, cpus, variants, alike } = folded;
                let change = written_out(pair, noted, left, right, first);
                all.push(Difference { cpus, left, right, change, variants, alike });
            }
        }
        all.sort_by_key(rank);
        all
    }
}

/// A change, and others of its kind that it stands for.
struct Folded {
    noted: Noted,
    /// The CPU it is written out for.
    first: usize,
    cpus: CpuMask,
    variants: usize,
    alike: bool,
}

impl Folded {
    fn take(&mut self, cpus: &CpuMask, variants: usize) {
        self.cpus.or_assign(cpus);
        self.variants += variants;
    }
}

/// Folds the changes of one kind: those that are alike, and where many are left, all of them.
fn fold(pair: &Pair, left: Option<usize>, right: Option<usize>, noted: Vec<(Noted, CpuMask)>) -> Vec<Folded> {
    let mut folded: Vec<Folded> = Vec::new();
    let mut known: FxHashMap<Shape, usize> = FxHashMap::default();
    for (noted, cpus) in noted {
        let first = cpus.first().unwrap_or(0);
        let shape = alike::shape(pair, &noted, left, right, first);
        match shape.as_ref().and_then(|shape| known.get(shape)) {
            Some(&at) => folded[at].take(&cpus, 1),
            None => {
                known.extend(shape.map(|shape| (shape, folded.len())));
                folded.push(Folded { noted, first, cpus, variants: 1, alike: true });
            }
        }
    }
    if folded.len() <= VARIANTS {
        return folded;
    }
    let mut all = folded.into_iter();
    let Some(mut one) = all.next() else { return Vec::new() };
    all.for_each(|other| one.take(&other.cpus, other.variants));
    vec![Folded { alike: false, ..one }]
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
