//! Who shares which `sched_group_capacity`, and whether the sharing makes sense.
//!
//! Three rules hold on a machine that balances well; the 2017 series exists because two of them were broken:
//!
//! 1. groups of the same CPUs share one instance, or their load statistics drift apart;
//! 2. different groups never share one, or they get one another's balance mask and capacity;
//! 3. a group's balance CPU has that group as its own first group, or nobody ever pulls on the group's behalf.
//!
//! The cost is one pass over the CPUs of the level plus one over its distinct rings, never CPUs × CPUs.

use crate::cpumask::CpuMask;
use crate::kernel::{Build, GroupId, RingId, SgcId, SpanId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// One capacity instance of a level, and who uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Which.
    pub sgc: SgcId,
    /// The different group spans that point at it, in order of discovery; more than one breaks rule 2.
    pub spans: SmallVec<[SpanId; 1]>,
    /// The CPUs with a group in their domain that points at it.
    pub holders: CpuMask,
}

/// The rules, in the order shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Groups of the same CPUs share one instance.
    SameGroupOneSgc,
    /// Different groups never share one.
    DifferentGroupsApart,
    /// The balance CPU is one on which the group comes first.
    BalanceCpuOwnsGroup,
}

impl Rule {
    /// Every rule, in the order shown.
    pub const ALL: [Self; 3] = [Self::SameGroupOneSgc, Self::DifferentGroupsApart, Self::BalanceCpuOwnsGroup];

    /// The rule in a few words.
    pub fn text(self) -> &'static str {
        match self {
            Self::SameGroupOneSgc => "same group, one sgc",
            Self::DifferentGroupsApart => "different groups, different sgc",
            Self::BalanceCpuOwnsGroup => "balance CPU has the group first",
        }
    }
}

/// What shows that a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witness {
    /// The group with this span has two instances.
    TwoInstances {
        /// The group's CPUs.
        span: SpanId,
        /// One instance.
        first: SgcId,
        /// The other.
        second: SgcId,
        /// A CPU that holds the second.
        cpu: usize,
    },
    /// One instance serves two groups.
    TwoGroups {
        /// The instance.
        sgc: SgcId,
        /// One group's CPUs.
        first: SpanId,
        /// The other's.
        second: SpanId,
        /// A CPU that holds the second.
        cpu: usize,
    },
    /// Span and balance mask have no CPU in common.
    NoBalanceCpu {
        /// The group's CPUs.
        span: SpanId,
        /// A CPU that holds the group.
        cpu: usize,
    },
    /// The balance CPU has another group first, or no domain at this level.
    GroupElsewhere {
        /// The group's CPUs.
        span: SpanId,
        /// Its balance CPU.
        balance: usize,
        /// The CPUs of that CPU's first group, if it has a domain here.
        first: Option<SpanId>,
    },
}

impl Witness {
    /// The CPU to look at.
    pub fn cpu(self) -> usize {
        match self {
            Self::TwoInstances { cpu, .. } | Self::TwoGroups { cpu, .. } | Self::NoBalanceCpu { cpu, .. } => cpu,
            Self::GroupElsewhere { balance, .. } => balance,
        }
    }

    /// The witness as a sentence.
    pub fn text(self, build: &Build) -> String {
        match self {
            Self::TwoInstances { span, first, second, cpu } => {
                let (first, second) = (build.sgc_name(build.sgc(first)), build.sgc_name(build.sgc(second)));
                format!("{} has {first} and, on CPU {cpu}, {second}", build.span(span))
            }
            Self::TwoGroups { sgc, first, second, .. } => {
                format!("{} serves {} and {}", build.sgc_name(build.sgc(sgc)), build.span(first), build.span(second))
            }
            Self::NoBalanceCpu { span, .. } => format!("{} has no CPU in its balance mask", build.span(span)),
            Self::GroupElsewhere { span, balance, first: Some(first) } => {
                format!("{} is balanced by CPU {balance}, which has {} first", build.span(span), build.span(first))
            }
            Self::GroupElsewhere { span, balance, first: None } => {
                format!("{} is balanced by CPU {balance}, which has no domain here", build.span(span))
            }
        }
    }
}

/// A rule and how it fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The rule.
    pub rule: Rule,
    /// The first thing that breaks it; `None` when it holds.
    pub witness: Option<Witness>,
    /// In how many places it is broken.
    pub broken: usize,
}

impl Verdict {
    fn note(&mut self, witness: Witness) {
        self.broken += 1;
        self.witness.get_or_insert(witness);
    }
}

/// The capacity instances of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// The level, index into [`Build::levels`].
    pub level: usize,
    /// The instances, by the CPU they were allocated for.
    pub instances: Vec<Instance>,
    /// The three rules.
    pub verdicts: [Verdict; 3],
}

impl Sharing {
    /// Position of `sgc` in [`Sharing::instances`].
    pub fn position(&self, sgc: SgcId) -> Option<usize> {
        self.instances.iter().position(|instance| instance.sgc == sgc)
    }

    /// Whether every rule holds.
    pub fn is_sound(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.witness.is_none())
    }
}

/// Who shares what at `level`, over all domains as built, degenerated ones included.
pub fn of_level(build: &Build, level: usize) -> Sharing {
    let mut verdicts = Rule::ALL.map(|rule| Verdict { rule, witness: None, broken: 0 });
    let groups = groups_of_level(build, level);
    let mut instances: FxHashMap<SgcId, Instance> = FxHashMap::default();
    let mut sgc_of_span: FxHashMap<SpanId, SgcId> = FxHashMap::default();
    for (group, holders) in groups {
        let (span, sgc) = (build.groups[group.0 as usize].span, build.groups[group.0 as usize].sgc);
        let cpu = holders.first().unwrap_or(0);
        let first = *sgc_of_span.entry(span).or_insert(sgc);
        if first != sgc && !instances.get(&sgc).is_some_and(|known| known.spans.contains(&span)) {
            verdicts[0].note(Witness::TwoInstances { span, first, second: sgc, cpu });
        }
        let new = || Instance { sgc, spans: SmallVec::new(), holders: CpuMask::new() };
        let instance = instances.entry(sgc).or_insert_with(new);
        instance.holders.or_assign(&holders);
        if !instance.spans.contains(&span) {
            if let Some(&first) = instance.spans.first() {
                verdicts[1].note(Witness::TwoGroups { sgc, first, second: span, cpu });
            }
            instance.spans.push(span);
        }
    }
    let mut instances: Vec<Instance> = instances.into_values().collect();
    instances.sort_unstable_by_key(|instance| (build.sgc(instance.sgc).owner, instance.sgc));
    for instance in &instances {
        check_balance_cpu(build, instance, &mut verdicts[2]);
    }
    Sharing { level, instances, verdicts }
}

/// Every different group of the level with the CPUs that have it in their domain, in order of its lowest such CPU.
fn groups_of_level(build: &Build, level: usize) -> Vec<(GroupId, CpuMask)> {
    let mut ring_order: Vec<RingId> = Vec::new();
    let mut cpus_of_ring: FxHashMap<RingId, CpuMask> = FxHashMap::default();
    let mut cpu = 0;
    while cpu < build.nr_cpus {
        // CPUs with one ring come in runs.
        let ring = build.domain(cpu, level).map(|domain| domain.ring);
        let first = cpu;
        while cpu < build.nr_cpus && build.domain(cpu, level).map(|domain| domain.ring) == ring {
            cpu += 1;
        }
        let Some(ring) = ring else { continue };
        let cpus = cpus_of_ring.entry(ring).or_insert_with(|| {
            ring_order.push(ring);
            CpuMask::new()
        });
        cpus.or_assign(&CpuMask::range(first, cpu - 1));
    }
    let mut seen: FxHashMap<GroupId, usize> = FxHashMap::default();
    let mut groups: Vec<(GroupId, CpuMask)> = Vec::new();
    for ring in ring_order {
        let Some(members) = build.rings.get(ring.0 as usize) else { continue };
        // A broken ring may name a group twice.
        let mut in_ring = FxHashSet::default();
        for &group in members.groups.iter().filter(|&&group| in_ring.insert(group)) {
            let at = *seen.entry(group).or_insert_with(|| {
                groups.push((group, CpuMask::new()));
                groups.len() - 1
            });
            groups[at].1.or_assign(&cpus_of_ring[&ring]);
        }
    }
    groups
}

/// A group taken from a descendant (5.13 on) has its instance, and its balance CPU, at that level below.
fn check_balance_cpu(build: &Build, instance: &Instance, verdict: &mut Verdict) {
    let level = build.sgc(instance.sgc).level as usize;
    let mask = build.span(build.sgc(instance.sgc).mask);
    for &span in &instance.spans {
        let Some(balance) = build.span(span).first_and(mask) else {
            verdict.note(Witness::NoBalanceCpu { span, cpu: instance.holders.first().unwrap_or(0) });
            continue;
        };
        let domain = build.domain(balance, level).filter(|domain| build.nr_groups(domain) > 0);
        let first = domain.map(|domain| build.group(domain, 0).group.span);
        if first != Some(span) {
            verdict.note(Witness::GroupElsewhere { span, balance, first });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::topology::{Distances, Topology, arbitrary};
    use proptest::prelude::*;
    use proptest::sample::select;
    use std::collections::{BTreeMap, BTreeSet};

    /// The same, CPU by CPU and group by group, as the rules say it.
    fn plainly(build: &Build, level: usize) -> ([bool; 3], BTreeMap<SgcId, CpuMask>) {
        let mut sgcs_of: BTreeMap<SpanId, BTreeSet<SgcId>> = BTreeMap::new();
        let mut spans_of: BTreeMap<SgcId, BTreeSet<SpanId>> = BTreeMap::new();
        let mut holders: BTreeMap<SgcId, CpuMask> = BTreeMap::new();
        let mut balanced = true;
        for cpu in 0..build.nr_cpus {
            let Some(domain) = build.domain(cpu, level) else { continue };
            for view in build.groups_of(domain) {
                sgcs_of.entry(view.group.span).or_default().insert(view.group.sgc);
                spans_of.entry(view.group.sgc).or_default().insert(view.group.span);
                holders.entry(view.group.sgc).or_default().insert(cpu);
                let own_level = view.sgc.level as usize;
                let first = view.balance_cpu().and_then(|balance| {
                    let domain = build.domain(balance, own_level).filter(|domain| build.nr_groups(domain) > 0)?;
                    Some(build.group(domain, 0).group.span)
                });
                balanced &= first == Some(view.group.span);
            }
        }
        let one = sgcs_of.values().all(|sgcs| sgcs.len() == 1);
        let apart = spans_of.values().all(|spans| spans.len() == 1);
        ([one, apart, balanced], holders)
    }

    proptest! {
        #[test]
        fn one_pass_sees_what_looking_at_every_cpu_sees(
            topology in arbitrary::topology(),
            release in select(Release::all()),
        ) {
            let build = kernel::build(&topology, &release);
            for level in 0..build.levels.len() {
                let sharing = of_level(&build, level);
                let (rules, holders) = plainly(&build, level);
                prop_assert_eq!(sharing.verdicts.map(|verdict| verdict.witness.is_none()), rules);
                prop_assert_eq!(sharing.verdicts.map(|verdict| verdict.broken == 0), rules);
                let seen = sharing.instances.iter().map(|one| (one.sgc, one.holders.clone())).collect();
                prop_assert_eq!(holders, seen);
            }
        }
    }

    fn twisted() -> Topology {
        let hops = [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]];
        let cpus = (0..4).map(CpuMask::single).collect();
        Topology::new("square", cpus, Distances::from_fn(4, |from, to| 10 + hops[from][to] * 10))
    }

    #[test]
    fn a_sound_build_keeps_every_rule() {
        let build = kernel::build(&twisted(), &Release::newest());
        for level in 0..build.levels.len() {
            assert!(of_level(&build, level).is_sound());
        }
    }

    #[test]
    fn the_patch_before_the_last_of_2017_breaks_a_rule() {
        let build = kernel::build(&twisted(), &Release::parse("lauro-p2").unwrap());
        let broken: Vec<_> = (0..build.levels.len())
            .flat_map(|level| of_level(&build, level).verdicts)
            .filter_map(|verdict| verdict.witness)
            .collect();
        assert!(!broken.is_empty());
        for witness in broken {
            assert!(!witness.text(&build).is_empty());
            assert!(witness.cpu() < build.nr_cpus);
        }
    }

    #[test]
    fn a_level_without_domains_has_nothing_to_share() {
        let build = kernel::build(&twisted(), &Release::newest());
        let sharing = of_level(&build, build.levels.len() + 3);
        assert!(sharing.instances.is_empty() && sharing.is_sound());
    }
}
