//! What differs between the groups of two domains.

use super::{LevelKey, Pair};
use crate::cpumask::CpuMask;
use crate::kernel::{Build, Domain, GroupView, RingId, SgcId, SpanId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// In what two lists of groups differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aspect {
    /// The CPUs of groups.
    Span,
    /// The same groups in another order.
    Order,
    /// Balance masks.
    Mask,
    /// Balance CPUs.
    BalanceCpu,
    /// Which capacity instance.
    Sgc,
    /// Capacities.
    Capacity,
}

impl Aspect {
    /// A name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Span => "spans",
            Self::Order => "order",
            Self::Mask => "balance masks",
            Self::BalanceCpu => "balance CPUs",
            Self::Sgc => "capacity instances",
            Self::Capacity => "capacities",
        }
    }
}

/// A group as compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupFacts {
    /// Its CPUs.
    pub span: CpuMask,
    /// Its balance mask.
    pub mask: CpuMask,
    /// Its balance CPU.
    pub balance_cpu: Option<usize>,
    /// Its capacity instance, `LEVEL/INDEX@CPU`.
    pub sgc: String,
    /// Its capacity.
    pub capacity: u64,
}

/// Two different lists of groups, each with the domain's first group first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupsChange {
    /// In what they differ, ascending.
    pub aspects: Vec<Aspect>,
    /// Left.
    pub left: Vec<GroupFacts>,
    /// Right.
    pub right: Vec<GroupFacts>,
}

/// A domain's list of groups: the ring and where it starts.
type List = (RingId, u32);

/// In what aspects, ascending; never empty.
pub(super) type Aspects = SmallVec<[Aspect; 6]>;

/// Two lists that differ: equal numbers are equal lists of their build.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Differing {
    pub(super) aspects: Aspects,
    lists: (u32, u32),
}

/// Comparisons of lists made so far; CPUs share rings.
pub(super) struct Rings<'a> {
    pair: &'a Pair<'a>,
    known: FxHashMap<(List, List), Option<Differing>>,
    /// The different lists of both builds. Span and capacity instance make a group.
    lists: [FxHashMap<Vec<(SpanId, SgcId)>, u32>; 2],
}

impl<'a> Rings<'a> {
    pub(super) fn new(pair: &'a Pair<'a>) -> Self {
        Self { pair, known: FxHashMap::default(), lists: [FxHashMap::default(), FxHashMap::default()] }
    }

    /// How the groups of two domains differ, if they do.
    pub(super) fn differ(&mut self, left: &Domain, right: &Domain) -> Option<Differing> {
        let key = ((left.ring, left.head), (right.ring, right.head));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let aspects = aspects(self.pair, left, right);
        let differing = (!aspects.is_empty()).then(|| {
            let lists = (self.list(0, self.pair.left, left), self.list(1, self.pair.right, right));
            Differing { aspects, lists }
        });
        self.known.insert(key, differing.clone());
        differing
    }

    fn list(&mut self, side: usize, build: &Build, domain: &Domain) -> u32 {
        let list = build.groups_of(domain).map(|group| (group.group.span, group.group.sgc)).collect();
        let next = self.lists[side].len() as u32;
        *self.lists[side].entry(list).or_insert(next)
    }
}

fn aspects(pair: &Pair, left: &Domain, right: &Domain) -> Aspects {
    let a: Vec<GroupView> = pair.left.groups_of(left).collect();
    let b: Vec<GroupView> = pair.right.groups_of(right).collect();
    let same_span = |a: &GroupView, b: &GroupView| pair.same_span(a.group.span, b.group.span);
    // Groups of the same CPUs are compared wherever they are in the lists.
    let partner = |(position, group): (usize, &GroupView)| {
        let here = b.get(position).filter(|other| same_span(group, other));
        here.or_else(|| b.iter().find(|other| same_span(group, other))).copied()
    };
    let partners: Vec<Option<GroupView>> = a.iter().enumerate().map(partner).collect();
    let in_order = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same_span(a, b));
    let all_there = a.len() == b.len() && partners.iter().all(Option::is_some);
    let sgc = |keys: &[LevelKey], group: &GroupView| (keys[group.sgc.level as usize], group.sgc.owner);
    let any = |differs: &dyn Fn(&GroupView, &GroupView) -> bool| {
        a.iter().zip(&partners).any(|(a, b)| b.as_ref().is_some_and(|b| differs(a, b)))
    };
    let found = [
        (Aspect::Span, !in_order && !all_there),
        (Aspect::Order, !in_order && all_there),
        (Aspect::Mask, any(&|a, b| !pair.same_span(a.sgc.mask, b.sgc.mask))),
        (Aspect::BalanceCpu, any(&|a, b| a.balance_cpu() != b.balance_cpu())),
        (Aspect::Sgc, any(&|a, b| sgc(&pair.left_keys, a) != sgc(&pair.right_keys, b))),
        (Aspect::Capacity, any(&|a, b| a.sgc.capacity != b.sgc.capacity)),
    ];
    found.into_iter().filter(|&(_, differs)| differs).map(|(aspect, _)| aspect).collect()
}

/// The groups of a CPU's domain, in full.
pub(super) fn facts(build: &Build, cpu: usize, level: Option<usize>) -> Vec<GroupFacts> {
    let Some(domain) = level.and_then(|level| build.domain(cpu, level)) else { return Vec::new() };
    build
        .groups_of(domain)
        .map(|group| GroupFacts {
            span: group.span.clone(),
            mask: group.mask.clone(),
            balance_cpu: group.balance_cpu(),
            sgc: build.sgc_name(group.sgc),
            capacity: group.sgc.capacity,
        })
        .collect()
}
