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
        check_balance_cpu(build, level, instance, &mut verdicts[2]);
    }
    Sharing { level, instances, verdicts }
}

/// Every different group of the level with the CPUs that have it in their domain, in order of its lowest such CPU.
fn groups_of_level(build: &Build, level: usize) -> Vec<(GroupId, CpuMask)> {
    let mut ring_order: Vec<RingId> = Vec::new();
    let mut cpus_of_ring: FxHashMap<RingId, CpuMask> = FxHashMap::default();
    for cpu in 0..build.nr_cpus {
        let Some(domain) = build.domain(cpu, level) else { continue };
        let cpus = cpus_of_ring.entry(domain.ring).or_insert_with(|| {
            ring_order.push(domain.ring);
            CpuMask::new()
        });
        cpus.insert(cpu);
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

fn check_balance_cpu(build: &Build, level: usize, instance: &Instance, verdict: &mut Verdict) {
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
