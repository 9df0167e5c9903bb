//! When different changes are the same to a reader: when they are equal with the CPUs left out of account that they
//! happen to be about.
//!
//! CPUs are counted from the lowest one of the domain, so that what happens to each of many packages is one change. Of
//! groups that stay as they are and only get other balance masks it counts what each mask became in relation to its
//! group, not which group it is. A mask wider than the group lets in every CPU of the group, however wide it is: where
//! such masks became the groups themselves, as everywhere in 4.13, that is one change.

use super::groups::{Aspect, Differing};
use super::{Change, Noted, Pair};
use crate::cpumask::CpuMask;
use crate::kernel::{Build, Domain, GroupView};

/// A change without the CPUs it is about: equal ones are alike.
pub(super) type Shape = Vec<i64>;

/// No CPU counted from another has this number.
const END: i64 = i64::MIN;
/// A balance mask that is the group's span.
const OWN: i64 = i64::MIN + 1;
/// One that holds the group's span and more.
const WIDER: i64 = i64::MIN + 2;

/// The shape of a change at a CPU; `None` for one that is like no other.
pub(super) fn shape(
    pair: &Pair,
    noted: &Noted,
    left: Option<usize>,
    right: Option<usize>,
    cpu: usize,
) -> Option<Shape> {
    let sides = Sides::new(pair, left, right, cpu);
    let mut shape = Shape::new();
    match noted {
        Noted::Groups(differing) => sides.groups(differing, &mut shape)?,
        Noted::Other(Change::Removed(span) | Change::Added(span)) => sides.set(span, &mut shape),
        Noted::Other(Change::Span { left, right }) => {
            sides.set(left, &mut shape);
            sides.set(right, &mut shape);
        }
        // An id is no more than a name: which one it is says nothing.
        Noted::Other(Change::Pointer { name: "sd_llc_id", .. }) => {}
        Noted::Other(Change::Pointer { .. } | Change::Flags { .. } | Change::Groups(_)) => return None,
    }
    Some(shape)
}

/// The domains of one CPU in both builds.
struct Sides<'a> {
    pair: &'a Pair<'a>,
    left: Option<&'a Domain>,
    right: Option<&'a Domain>,
    /// The CPU others are counted from.
    base: i64,
}

impl<'a> Sides<'a> {
    fn new(pair: &'a Pair<'a>, left: Option<usize>, right: Option<usize>, cpu: usize) -> Self {
        let of = |build: &'a Build, level: Option<usize>| build.domain(cpu, level?);
        let (left, right) = (of(pair.left, left), of(pair.right, right));
        let span = left.map(|domain| pair.left.span(domain.span));
        let span = span.or_else(|| right.map(|domain| pair.right.span(domain.span)));
        let base = span.and_then(CpuMask::first).unwrap_or(0) as i64;
        Self { pair, left, right, base }
    }

    fn set(&self, set: &CpuMask, shape: &mut Shape) {
        for (first, last) in set.ranges() {
            shape.extend([first as i64 - self.base, last as i64 - self.base]);
        }
        shape.push(END);
    }

    fn groups(&self, differing: &Differing, shape: &mut Shape) -> Option<()> {
        let (left, right) = (self.left?, self.right?);
        if differing.aspects.iter().all(|aspect| matches!(aspect, Aspect::Mask | Aspect::Capacity)) {
            self.masks(left, right, shape);
            return Some(());
        }
        for (build, domain) in [(self.pair.left, left), (self.pair.right, right)] {
            for group in build.groups_of(domain) {
                self.group(&group, shape);
            }
            shape.push(END);
        }
        Some(())
    }

    /// A group with everything that is compared.
    fn group(&self, group: &GroupView, shape: &mut Shape) {
        let counted = |cpu: usize| cpu as i64 - self.base;
        self.set(group.span, shape);
        self.mask(group, shape);
        shape.push(group.balance_cpu().map_or(END, counted));
        shape.extend([i64::from(group.sgc.level), counted(group.sgc.owner as usize), group.sgc.capacity as i64]);
    }

    fn mask(&self, group: &GroupView, shape: &mut Shape) {
        if group.mask == group.span {
            shape.push(OWN);
        } else if group.span.is_subset(group.mask) {
            shape.push(WIDER);
        } else {
            self.set(group.mask, shape);
        }
    }

    /// What masks and capacities became, each kind of change once.
    fn masks(&self, left: &Domain, right: &Domain, shape: &mut Shape) {
        let groups = self.pair.left.groups_of(left).zip(self.pair.right.groups_of(right));
        let mut changes: Vec<Shape> = groups
            .map(|(before, after)| {
                let mut change = Shape::new();
                self.mask(&before, &mut change);
                self.mask(&after, &mut change);
                change.extend([before.sgc.capacity as i64, after.sgc.capacity as i64]);
                change
            })
            .collect();
        changes.sort_unstable();
        changes.dedup();
        shape.extend(changes.into_iter().flatten());
    }
}
