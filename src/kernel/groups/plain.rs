//! Groups of levels whose domains don't overlap: one object per child domain, shared by all CPUs of the span.

use super::{BuildError, Builder, CpuMask, GroupId, GroupState, NONE, PlainGroups, RingId, Run, SmallVec, SpanId};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The shared groups of one level while they are linked; by the CPU that stands for each.
struct PlainLevel {
    level: usize,
    group: Vec<u32>,
    next: Vec<u32>,
    ring: Vec<RingId>,
    position: Vec<u32>,
}

impl PlainLevel {
    /// Links the group of `owner` behind the last of a ring being made; `ends` are its first and last.
    fn append(&mut self, ends: &mut Option<(u32, u32)>, owner: usize) {
        let owner = owner as u32;
        match ends {
            None => *ends = Some((owner, owner)),
            Some((_, last)) => {
                self.next[*last as usize] = owner;
                *last = owner;
            }
        }
    }

    /// Links the last group of a ring to its first.
    fn close(&mut self, ends: Option<(u32, u32)>) {
        if let Some((first, last)) = ends {
            self.next[last as usize] = first;
        }
    }
}

/// The CPUs of a run that may change the groups of its level. CPUs of a run have one span and child, so its first CPU
/// asks for all the groups they share, and where levels are regular its last one links them last.
fn visitors(run: Run, rule: PlainGroups, regular: bool) -> RangeInclusive<usize> {
    match rule {
        PlainGroups::FirstCpuLinks => run.leader()..=run.leader(),
        PlainGroups::EveryCpuRewrites | PlainGroups::EveryCpuLinks if regular => run.end()..=run.end(),
        PlainGroups::EveryCpuRewrites | PlainGroups::EveryCpuLinks => run.cpus(),
    }
}

impl Builder<'_> {
    pub(super) fn build_plain_level(&mut self, state: &mut GroupState, level: usize) -> Result<(), BuildError> {
        if !self.runs.iter().any(|run| self.has_sd(level, run.leader())) {
            return Ok(());
        }
        let size = self.nr_cpus;
        let mut plain = PlainLevel {
            level,
            group: vec![NONE; size],
            // A group nobody links points at itself, as allocated.
            next: (0..size as u32).collect(),
            ring: vec![RingId::default(); size],
            position: vec![0; size],
        };
        let regular = self.shares() && self.is_partition(level) && (level == 0 || self.is_partition(level - 1));
        let runs = Arc::clone(&self.runs);
        for cpu in runs.iter().flat_map(|run| visitors(*run, self.rules.plain_groups, regular)) {
            if !self.has_sd(level, cpu) {
                continue;
            }
            let span = self.sd_span(level, cpu);
            match self.rules.plain_groups {
                PlainGroups::FirstCpuLinks => {
                    let owner = self.plain_owner(level, cpu);
                    self.plain_group(state, &mut plain, owner, cpu);
                    if self.span(span).first() == Some(cpu) {
                        self.link_from_first(state, &mut plain, span, regular);
                    }
                }
                PlainGroups::EveryCpuRewrites | PlainGroups::EveryCpuLinks => {
                    // All of them link the same ring anew, so the last one's is what stays.
                    if regular && self.span(span).last() != Some(cpu) {
                        continue;
                    }
                    // The first to visit its groups was the first CPU of the span.
                    let visitor = if regular { self.span(span).first().unwrap_or(cpu) } else { cpu };
                    self.link_from(state, &mut plain, span, cpu, visitor);
                }
            }
        }
        self.attach_plain_rings(&mut plain)
    }

    /// `get_group` of 4.13 on, for every CPU of `span` not yet covered, wrapping from `cpu`; linked in that order.
    fn link_from(&mut self, state: &mut GroupState, plain: &mut PlainLevel, span: SpanId, cpu: usize, visitor: usize) {
        let level = plain.level;
        let rewrites = self.rules.plain_groups == PlainGroups::EveryCpuRewrites;
        let mut remaining = self.span(span).clone();
        let mut ends = None;
        let mut at = cpu;
        let mut wrapped = false;
        loop {
            let Some(i) = remaining.next_from(at).filter(|&i| !wrapped || i < cpu) else {
                if wrapped {
                    break;
                }
                (wrapped, at) = (true, 0);
                continue;
            };
            let child = self.child_span(level, i);
            let owner = self.plain_owner(level, i);
            let (group, new) = self.plain_group(state, plain, owner, visitor);
            if new || rewrites {
                let written = match child {
                    Some(child) => child,
                    None if new => self.spans.intern(CpuMask::single(owner)),
                    None => {
                        let with = self.span(self.groups[group.0 as usize].span).or(&CpuMask::single(owner));
                        self.spans.intern(with)
                    }
                };
                let flags = self.group_flags(self.child_flags(level, i));
                let weight = self.spans.weight(written);
                let data = &mut self.groups[group.0 as usize];
                (data.span, data.flags) = (written, flags);
                let sgc = data.sgc;
                self.sgcs[sgc.0 as usize].mask = written;
                self.preset_capacity(sgc, weight);
            }
            remaining.andnot_assign(self.span(self.groups[group.0 as usize].span));
            plain.append(&mut ends, owner);
            at = i + 1;
        }
        plain.close(ends);
    }

    /// `build_sched_groups` up to 4.12, run by the lowest CPU of a span only: groups by the lowest CPU of each child,
    /// ascending, with a balance mask of all ones and no capacity yet.
    fn link_from_first(&mut self, state: &mut GroupState, plain: &mut PlainLevel, span: SpanId, regular: bool) {
        let level = plain.level;
        let all_ones = self.spans.intern(CpuMask::first_n(self.nr_cpus));
        let members = self.span(span).clone();
        let visitor = members.first().unwrap_or(0);
        let mut remaining = members.clone();
        let mut ends = None;
        let mut at = 0;
        while let Some(i) = remaining.next_from(at) {
            let owner = self.plain_owner(level, i);
            let (group, _) = self.plain_group(state, plain, owner, visitor);
            let child = self.child_span(level, i);
            let held = match child {
                Some(child) if regular => self.span(child).clone(),
                _ if regular => CpuMask::single(i),
                _ => members.iter().filter(|&j| self.plain_owner(level, j) == owner).collect(),
            };
            remaining.andnot_assign(&held);
            let with = self.span(self.groups[group.0 as usize].span).or(&held);
            let written = self.spans.intern(with);
            let data = &mut self.groups[group.0 as usize];
            data.span = written;
            self.sgcs[data.sgc.0 as usize].mask = all_ones;
            plain.append(&mut ends, owner);
            at = i + 1;
        }
        plain.close(ends);
    }

    /// The shared group of `owner`, allocated when first visited; and whether it is new.
    fn plain_group(
        &mut self,
        state: &mut GroupState,
        plain: &mut PlainLevel,
        owner: usize,
        visitor: usize,
    ) -> (GroupId, bool) {
        if plain.group[owner] != NONE {
            return (GroupId(plain.group[owner]), false);
        }
        let (sgc, _) = self.claim_sgc(plain.level, owner);
        let group = self.push_group(SpanId::EMPTY, sgc, super::Flags::NONE);
        plain.group[owner] = group.0;
        state.visited.push((group, visitor as u32));
        (group, true)
    }

    /// Gives every CPU of the level the ring its group ended up in.
    fn attach_plain_rings(&mut self, plain: &mut PlainLevel) -> Result<(), BuildError> {
        let level = plain.level;
        let runs = Arc::clone(&self.runs);
        for run in runs.iter() {
            let cpu = run.leader();
            if !self.has_sd(level, cpu) {
                continue;
            }
            let owner = self.plain_owner(level, self.first_visited(level, cpu));
            if plain.group[owner] == NONE {
                return Err(self.oops(cpu, level, "the domain has no group"));
            }
            if plain.ring[owner] == RingId::default() {
                self.close_ring(plain, owner, cpu)?;
            }
            let (ring, head) = (plain.ring[owner], plain.position[owner]);
            self.set_ring(level, run.cpus(), ring, head);
        }
        Ok(())
    }

    /// The CPU whose group comes first for `cpu`: itself, or from 4.13 the first its scan of the span meets, which is
    /// another where a mask lacks its own CPU.
    fn first_visited(&self, level: usize, cpu: usize) -> usize {
        match self.rules.plain_groups {
            PlainGroups::FirstCpuLinks => cpu,
            _ => self.span(self.sd_span(level, cpu)).next_wrap(cpu).unwrap_or(cpu),
        }
    }

    /// Follows the links from `start` until they return.
    fn close_ring(&mut self, plain: &mut PlainLevel, start: usize, cpu: usize) -> Result<(), BuildError> {
        let level = plain.level;
        let mut owners: SmallVec<[u32; 8]> = SmallVec::from_elem(start as u32, 1);
        loop {
            let next = plain.next[owners[owners.len() - 1] as usize];
            if next as usize == start {
                break;
            }
            // Longer than there are groups: it runs in a circle that leaves the start out.
            if owners.len() > self.nr_cpus {
                return Err(BuildError::BrokenRing { level: self.levels[level].name, cpu });
            }
            owners.push(next);
        }
        let groups: SmallVec<[GroupId; 4]> = owners.iter().map(|&owner| GroupId(plain.group[owner as usize])).collect();
        let mut union = CpuMask::new();
        for group in &groups {
            union.or_assign(self.span(self.groups[group.0 as usize].span));
        }
        let ring = self.push_ring(groups, union, self.sd_span(level, cpu));
        for (position, &owner) in owners.iter().enumerate() {
            plain.ring[owner as usize] = ring;
            plain.position[owner as usize] = position as u32;
        }
        Ok(())
    }
}
