//! `build_sched_groups` and `build_overlap_sched_groups`: the groups of every domain.
//!
//! # Where the time goes
//! In the kernel each CPU builds the groups of each of its domains, CPU by CPU: O(CPUs² × levels) with the scans
//! inside. But what a scan finds follows from few things: the span, the child the scan starts in, and the order in which
//! it meets the rest, see [`OverlapKey`]. CPUs with equal keys get one ring. In a plain domain the groups are shared objects
//! anyway, and the ring is the one linked last. So the cost is that of the *different* rings, plus one look-up per run
//! of CPUs and level.
//!
//! Two states of the code, 4.12.3 and `lauro-p2`, give the first group of each CPU the capacity instance of that very
//! CPU. Their result holds a ring, a group and an instance for each CPU and level, tens of megabytes at 8192 CPUs, and
//! no sharing makes it smaller; what follows the first group is shared.

use super::builder::{Builder, NONE};
use super::flags::Flags;
use super::message::MessageKind;
use super::release::{GroupFlags, OverlapGroups, PlainGroups};
use super::runs::Run;
use super::spans::SpanId;
use super::{BuildError, GroupId, Ring, RingId, SgcId, Sharing};
use crate::cpumask::CpuMask;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

mod overlap;
mod owners;
mod plain;

/// What the steps of group building hand to each other.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupState {
    /// Per level and child span, the CPUs whose domain at that level has this child.
    holders: FxHashMap<usize, FxHashMap<SpanId, CpuMask>>,
    /// Groups of overlapping domains by content.
    overlap_groups: FxHashMap<(SpanId, SgcId, Flags), GroupId>,
    /// For each capacity instance the lowest CPU whose overlapping domain took it, or [`NONE`].
    first_overlap_user: Vec<u32>,
    /// Plain groups with the CPU that visited them first.
    visited: Vec<(GroupId, u32)>,
}

impl GroupState {
    /// Whether an overlapping domain took one of the first `sgcs` capacity instances.
    pub(super) fn has_taken(&self, sgcs: usize) -> bool {
        self.first_overlap_user.iter().take(sgcs).any(|&user| user != NONE)
    }
}

impl Builder<'_> {
    /// Builds the groups of the domains of `cpu_map` at `levels`.
    ///
    /// # Errors
    /// When the modelled kernel would not survive it, or the rings it leaves never end.
    pub(super) fn build_groups(
        &mut self,
        state: &mut GroupState,
        cpu_map: &CpuMask,
        levels: Range<usize>,
    ) -> Result<(), BuildError> {
        for level in levels {
            if self.levels[level].overlap {
                self.build_overlap_level(state, cpu_map, level)?;
            } else {
                self.build_plain_level(state, level)?;
            }
        }
        Ok(())
    }

    /// Once the groups of every level exist: puts what was said since message number `from` in the kernel's order,
    /// which goes CPU by CPU where this goes level by level.
    pub(super) fn finish_groups(&mut self, state: &GroupState, from: usize) {
        self.say_visit_mismatches(state);
        self.messages[from..].sort_by_key(|message| (message.cpu, message.level));
    }

    /// The ring a domain has been given.
    pub(super) fn ring_at(&self, level: usize, cpu: usize) -> &Ring {
        &self.rings[self.ring_of[level * self.nr_cpus + cpu].0.0 as usize]
    }

    /// Hands the rings of these levels to the domains, chain by chain.
    pub(super) fn place_rings(&mut self, levels: Range<usize>) {
        let runs = Arc::clone(&self.runs);
        for cpu in runs.iter().map(|run| run.leader()) {
            for level in levels.start..self.depth(cpu).min(levels.end) {
                let (ring, head) = self.ring_of[level * self.nr_cpus + cpu];
                let domain = self.sd_mut(level, cpu);
                (domain.ring, domain.head) = (ring, head);
            }
        }
    }

    /// From 5.1 `get_group` warns when a capacity instance was taken by an overlapping domain of an earlier CPU.
    fn say_visit_mismatches(&mut self, state: &GroupState) {
        if self.rules.plain_groups != PlainGroups::EveryCpuLinks {
            return;
        }
        for &(group, visitor) in &state.visited {
            let sgc = self.groups[group.0 as usize].sgc.0 as usize;
            if state.first_overlap_user.get(sgc).is_some_and(|&user| user != NONE && user < visitor) {
                let level = self.sgcs[sgc].level as usize;
                self.say(visitor as usize, level, MessageKind::VisitedMismatch);
            }
        }
    }

    /// The flags a group takes from the child it stands for.
    fn group_flags(&self, child_flags: Flags) -> Flags {
        if self.rules.group_flags == GroupFlags::None { Flags::NONE } else { child_flags }
    }

    /// Adds a ring; `likely` is the span its union most likely is.
    fn push_ring(&mut self, groups: SmallVec<[GroupId; 4]>, union: CpuMask, likely: SpanId) -> RingId {
        let union = if *self.span(likely) == union { likely } else { self.spans.intern(union) };
        let weights = || groups.iter().map(|group| self.spans.weight(self.groups[group.0 as usize].span));
        let disjoint = weights().all(|weight| weight > 0) && weights().sum::<u32>() == self.spans.weight(union);
        self.rings.push(Ring { groups, union, disjoint });
        RingId(self.rings.len() as u32 - 1)
    }

    /// Whether the domains of a level are apart from each other: each CPU in its own, and together no larger than the
    /// CPUs that have one. Then every CPU of a span has that very span. Its flags too, or a group would take those of
    /// whichever CPU is visited first: capacities can tell CPUs of one span apart where a child widened the span.
    pub(super) fn is_partition(&self, level: usize) -> bool {
        let mut seen: Vec<Option<Flags>> = vec![None; self.spans.len()];
        let mixed = self.topology.capacity.is_some();
        let (mut cpus, mut sum) = (0, 0);
        for run in self.runs.iter().filter(|run| self.has_sd(level, run.leader())) {
            let cpu = run.leader();
            let span = self.sd_span(level, cpu);
            if !self.built[level].contains(cpu) {
                return false;
            }
            cpus += run.len() as u32;
            let flags = if mixed { self.sd(level, cpu).built_flags } else { Flags::NONE };
            match seen[span.0 as usize].replace(flags) {
                None => sum += self.spans.weight(span),
                Some(known) if known != flags => return false,
                Some(_) => {}
            }
        }
        sum == cpus
    }

    /// The lowest CPU of the child of `cpu` at `level`, or `cpu` itself: which shared group stands for it.
    fn plain_owner(&self, level: usize, cpu: usize) -> usize {
        self.child_span(level, cpu).and_then(|child| self.span(child).first()).unwrap_or(cpu)
    }

    /// Whether rings are built once per class of CPUs.
    fn shares(&self) -> bool {
        self.sharing == Sharing::PerClass
    }
}

/// What an overlapping ring depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct OverlapKey {
    span: SpanId,
    /// The child the scan starts in; unused where it starts at the lowest CPU.
    child: SpanId,
    /// The flags the first group takes from that child.
    flags: Flags,
    /// Where the scan goes on after the child, or in which order it meets the rest; or which CPU it is built for where
    /// that matters.
    next: u32,
}

/// Which overlapping rings depend on what.
fn depends_on_start(rule: OverlapGroups) -> bool {
    matches!(rule, OverlapGroups::WrapOwnerFound | OverlapGroups::WrapBalanceOwner | OverlapGroups::WrapDescended)
}

/// Which build the group of the CPU's own child before they scan.
fn takes_child_first(rule: OverlapGroups) -> bool {
    matches!(rule, OverlapGroups::ChildFirst | OverlapGroups::ChildFirstThenOwner | OverlapGroups::WrapOwnerFound)
}

/// Which of these give that group the capacity instance of the CPU itself.
fn owns_first_group(rule: OverlapGroups) -> bool {
    matches!(rule, OverlapGroups::ChildFirst | OverlapGroups::WrapOwnerFound)
}
