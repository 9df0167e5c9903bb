//! Why the kernel made these groups: the construction of one CPU's groups at one level, decision by decision.
//!
//! A trace is derived on demand from a finished [`Build`]: a scan looks at nothing but the domains of the CPUs in the
//! span, and those are in it. What a trace says of groups, masks and capacity instances is worked out anew from the
//! release's rule, and tests hold it against the build.

mod degenerate;
mod numa;
mod overlap;
mod plain;
mod rules;
mod text;

pub use degenerate::{DegenerateStep, Verdict, degeneration};
pub use numa::{
    DistanceFate, DistanceStep, LevelCheck, LevelMasks, SpanCheckTrace, SpanOutcome, distances, span_check,
};
pub use rules::{degeneration_rule, distances_rule, span_check_rule};

use crate::cpumask::CpuMask;
use crate::kernel::release::{OverlapGroups, PlainGroups};
use crate::kernel::{Build, Domain, RingId, SgcId, SpanId};
use rustc_hash::FxHashMap;

/// The rule by which groups are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `build_overlap_sched_groups`: NUMA levels.
    Overlap(OverlapGroups),
    /// `build_sched_groups`: all others.
    Plain(PlainGroups),
}

/// Where a scan starts, and why there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the lowest CPU of the span, whichever CPU the groups are for (up to 4.12).
    LowestCpu,
    /// At the CPU the groups are for, wrapping around.
    OwnCpu,
    /// The CPU's own child is taken first, then the scan goes on from the lowest CPU (the patches of April 2017).
    OwnChildFirst,
    /// At the lowest CPU of the span, which alone links the groups that all share (plain levels up to 4.12).
    FirstCpuLinks,
    /// At the highest CPU of the span, wrapping around: each CPU links the shared groups anew, so the last one's links
    /// stay (plain levels from 4.13).
    LastCpuLinks,
}

/// Why the scan passes over CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// A group taken before holds them.
    Covered,
    /// Their own domain at this level does not hold them.
    NotInOwnDomain(SpanId),
    /// They have no domain at this level: their chain ended below.
    NoDomain,
}

/// Why CPUs are in a balance mask or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskWhy {
    /// In: their child domain is the group.
    ChildIsGroup,
    /// Out: their child domain is another.
    ChildIs(SpanId),
    /// Out: their domain has no child.
    NoChild,
    /// In: they have a domain at this level that holds them (up to 4.12 nothing else is asked).
    HasDomain,
    /// Out: they have no domain at this level, or one that does not hold them.
    NoDomain,
    /// In: their first group is the group.
    HeadIsGroup,
    /// Out: their first group is another.
    HeadIs(SpanId),
    /// In: plain groups have every CPU of the machine in their mask up to 4.12.
    AllOnes,
    /// In: from 4.13 a plain group is its own mask.
    InGroup,
}

impl MaskWhy {
    /// Whether it lets CPUs in.
    pub fn is_in(self) -> bool {
        matches!(self, Self::ChildIsGroup | Self::HasDomain | Self::HeadIsGroup | Self::AllOnes | Self::InGroup)
    }
}

/// CPUs that are in a balance mask, or out of it, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskPart {
    /// Which.
    pub cpus: CpuMask,
    /// Why.
    pub why: MaskWhy,
}

/// A use of a capacity instance before the one traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The CPU whose groups were built then.
    pub cpu: usize,
    /// The level of those groups.
    pub level: usize,
    /// The group that took the instance, by span.
    pub group: SpanId,
}

/// Why a group comes first in the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadWhy {
    /// It was taken first, and holds the CPU's child.
    TakenFirst,
    /// The CPU is its balance CPU.
    BalanceCpu,
    /// It is the first that holds the CPU.
    FirstHolding,
    /// It is the shared group of the CPU's child.
    OwnGroup,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The scan starts.
    Start {
        /// At this CPU.
        at: usize,
        /// By which rule.
        why: Start,
    },
    /// CPUs passed over, one after the other, for one reason.
    Skip {
        /// Which.
        cpus: CpuMask,
        /// Why.
        why: Skip,
    },
    /// The child of this CPU's domain reaches out of the span, so a descendant stands in (`find_descended_sibling`).
    Descend {
        /// The CPU.
        cpu: usize,
        /// The level the scan is for.
        from: usize,
        /// The level whose child fits.
        to: usize,
        /// The child that reaches out.
        outside: SpanId,
        /// What is taken instead.
        fits: SpanId,
    },
    /// A group is taken.
    Take {
        /// Position among the groups, in the order taken.
        group: usize,
        /// Found at this CPU.
        cpu: usize,
        /// From the domain of this level.
        level: usize,
        /// The group's CPUs.
        span: SpanId,
        /// Whether it is the child of that domain; if not, there is no child, and it is the domain or the CPU itself.
        child: bool,
    },
    /// The balance mask of a group, CPU by CPU.
    Mask {
        /// Position of the group.
        group: usize,
        /// The CPU whose groups were built when it was made: the first to use the capacity instance, which keeps it.
        made_by: usize,
        /// The CPUs looked at, by what was found.
        parts: Vec<MaskPart>,
    },
    /// A capacity instance is picked.
    Sgc {
        /// Position of the group.
        group: usize,
        /// The CPU whose instance it is.
        owner: usize,
        /// The instance; `None` in a build that came to nothing.
        sgc: Option<SgcId>,
        /// Who used it before, if anybody: then it keeps the mask it got there.
        earlier: Option<Earlier>,
    },
    /// The first group is chosen.
    Head {
        /// Position of the group.
        group: usize,
        /// Why that one.
        why: HeadWhy,
    },
    /// Masks of this level overlap: several CPUs linked the same groups in different ways, and what is left is the ring
    /// of the build, not that of any one scan.
    Tangled,
    /// The scan is through.
    End {
        /// What the groups hold together.
        covered: CpuMask,
        /// What they ought to hold: the domain's CPUs.
        span: SpanId,
    },
}

/// A group as the trace arrives at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedGroup {
    /// The CPU it was found at.
    pub found_at: usize,
    /// Its CPUs.
    pub span: SpanId,
    /// Its balance mask.
    pub mask: CpuMask,
    /// The level of its capacity instance.
    pub level: usize,
    /// The CPU its capacity instance is of.
    pub owner: usize,
}

/// How one CPU's groups at one level came to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The CPU.
    pub cpu: usize,
    /// The level, index into [`Build::levels`].
    pub level: usize,
    /// The domain's CPUs.
    pub span: SpanId,
    /// Its child's CPUs.
    pub child: Option<SpanId>,
    /// The rule.
    pub rule: Rule,
    /// The decisions, in order.
    pub steps: Vec<Step>,
    /// The groups in ring order, the domain's first group first.
    pub groups: Vec<TracedGroup>,
}

/// Traces the groups of `cpu` at `level`; `None` when it has no domain there.
pub fn trace(build: &Build, cpu: usize, level: usize) -> Option<Trace> {
    let domain = build.domain(cpu, level)?;
    if build.nr_groups(domain) == 0 {
        return None;
    }
    let siblings = Siblings { build };
    Some(if build.levels[level].overlap {
        overlap::trace(&siblings, cpu, level, domain)
    } else {
        plain::trace(&siblings, cpu, level, domain)
    })
}

/// The domains a scan looks at.
struct Siblings<'a> {
    build: &'a Build,
}

impl<'a> Siblings<'a> {
    fn set(&self, span: SpanId) -> &'a CpuMask {
        self.build.span(span)
    }

    /// The span of the domain of `cpu`, if it has one.
    fn span(&self, level: usize, cpu: usize) -> Option<SpanId> {
        self.build.domain(cpu, level).map(|domain| domain.span)
    }

    /// The span of that domain's child; empty where masks are empty.
    fn child(&self, level: usize, cpu: usize) -> Option<SpanId> {
        self.span(level, cpu)?;
        let below = level.checked_sub(1)?;
        Some(self.span(below, cpu).unwrap_or(SpanId::EMPTY))
    }

    /// Whether the domain of `cpu` exists and holds it: what the scan asks of a sibling.
    fn is_built(&self, level: usize, cpu: usize) -> bool {
        self.span(level, cpu).is_some_and(|span| self.set(span).contains(cpu))
    }

    /// The capacity instance of a level and CPU.
    fn sgc(&self, level: usize, owner: usize) -> Option<SgcId> {
        let is_it = |sgc: &crate::kernel::Sgc| sgc.level as usize == level && sgc.owner as usize == owner;
        self.build.sgcs.iter().position(is_it).map(|index| SgcId(index as u32))
    }

    /// The first use of a capacity instance: the kernel builds groups CPU by CPU, each chain bottom up.
    fn first_use(&self, sgc: SgcId) -> Option<Earlier> {
        let build = self.build;
        let mut known: FxHashMap<RingId, Option<SpanId>> = FxHashMap::default();
        for cpu in build.cpu_map().iter() {
            for (level, domain) in build.built_chain(cpu) {
                let user = *known.entry(domain.ring).or_insert_with(|| using(build, domain, sgc));
                if let Some(group) = user {
                    return Some(Earlier { cpu, level, group });
                }
            }
        }
        None
    }
}

/// The span of the group of `domain` that uses `sgc`.
fn using(build: &Build, domain: &Domain, sgc: SgcId) -> Option<SpanId> {
    build.groups_of(domain).find(|group| group.group.sgc == sgc).map(|group| group.group.span)
}

/// Sorts CPUs by reason.
fn parts(cpus: &CpuMask, why: impl Fn(usize) -> MaskWhy) -> Vec<MaskPart> {
    let mut parts: Vec<MaskPart> = Vec::new();
    let mut index: FxHashMap<MaskWhy, usize> = FxHashMap::default();
    for cpu in cpus.iter() {
        let why = why(cpu);
        let at = *index.entry(why).or_insert_with(|| {
            parts.push(MaskPart { cpus: CpuMask::new(), why });
            parts.len() - 1
        });
        parts[at].cpus.insert(cpu);
    }
    parts
}

/// The CPUs of the parts that are in.
fn inside(parts: &[MaskPart]) -> CpuMask {
    parts.iter().filter(|part| part.why.is_in()).fold(CpuMask::new(), |all, part| all.or(&part.cpus))
}

/// Turns the groups so that the one at `head` comes first.
fn from_head(mut groups: Vec<TracedGroup>, head: usize) -> Vec<TracedGroup> {
    if head < groups.len() {
        groups.rotate_left(head);
    }
    groups
}
