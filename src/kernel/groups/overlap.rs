//! Groups of NUMA levels: every CPU has its own ring, and groups may share CPUs.

use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{
    BuildError, Builder, CpuMask, Flags, FxHashMap, GroupId, GroupState, MessageKind, NONE, OverlapGroups, OverlapKey,
    Ring, RingId, SgcId, SmallVec, SpanId, depends_on_start, owns_first_group, takes_child_first,
};

/// A ring while its groups are found, before or while capacities are chosen.
#[derive(Default)]
struct Found {
    groups: SmallVec<[GroupId; 4]>,
    union: CpuMask,
}

/// What is known of the rings of one level.
#[derive(Default)]
struct Known {
    rings: FxHashMap<OverlapKey, RingId>,
    rests: FxHashMap<OverlapKey, Rest>,
    /// The CPUs of a span outside of a child.
    outside: FxHashMap<(SpanId, SpanId), CpuMask>,
}

/// The groups after a CPU's own first one.
struct Rest {
    found: Found,
    /// A ring that ends in them; others have the same spans.
    like: Option<RingId>,
}

impl Builder<'_> {
    pub(super) fn build_overlap_level(
        &mut self,
        state: &mut GroupState,
        cpu_map: &CpuMask,
        level: usize,
    ) -> Result<(), BuildError> {
        let rule = self.rules.overlap_groups;
        let mut known = Known::default();
        let mut last: Option<(OverlapKey, usize, RingId)> = None;
        let runs = Arc::clone(&self.runs);
        for &run in runs.iter() {
            let mut from = run.leader();
            while from <= run.end() && self.has_sd(level, from) {
                let (key, ring) = match last {
                    Some((key, before, ring)) if self.continues(key, level, before, from) => (key, ring),
                    _ => {
                        let key = self.overlap_key(&mut known.outside, level, from);
                        (key, self.ring_of_key(state, &mut known, key, level, from)?)
                    }
                };
                let to = if owns_first_group(rule) { from } else { run.end() };
                self.place(level, from..=to, ring)?;
                last = Some((key, to, ring));
                from = to + 1;
            }
        }
        if rule == OverlapGroups::ChildFirstThenOwner {
            self.choose_owners(state, cpu_map, level)?;
        }
        Ok(())
    }

    /// The ring of CPUs with this key, scanned for the first of them, `cpu`.
    fn ring_of_key(
        &mut self,
        state: &mut GroupState,
        known: &mut Known,
        key: OverlapKey,
        level: usize,
        cpu: usize,
    ) -> Result<RingId, BuildError> {
        if owns_first_group(self.rules.overlap_groups) {
            return self.own_ring(state, known, key, level, cpu);
        }
        if let Some(&ring) = known.rings.get(&key) {
            return Ok(ring);
        }
        let ring = self.scan(state, level, cpu)?;
        known.rings.insert(key, ring);
        Ok(ring)
    }

    /// Where the first group takes the CPU's own instance no ring is like another, but what follows may be, and all
    /// that is said of its spans.
    fn own_ring(
        &mut self,
        state: &mut GroupState,
        known: &mut Known,
        key: OverlapKey,
        level: usize,
        cpu: usize,
    ) -> Result<RingId, BuildError> {
        let mut found = Found::default();
        self.scan_first(state, &mut found, level, cpu)?;
        let rest = match known.rests.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(Rest { found: self.scan_rest(state, level, cpu, &found)?, like: None }),
        };
        found.groups.extend_from_slice(&rest.found.groups);
        if let Some(like) = rest.like {
            let Ring { union, disjoint, .. } = self.rings[like.0 as usize];
            self.rings.push(Ring { groups: found.groups, union, disjoint });
            return Ok(RingId(self.rings.len() as u32 - 1));
        }
        found.union.or_assign(&rest.found.union);
        let ring = self.push_ring(found.groups, found.union, self.sd_span(level, cpu));
        rest.like = Some(ring);
        Ok(ring)
    }

    /// Gives CPUs of one run their ring. Up to 4.12 where a CPU starts in it is another matter for balance CPUs.
    fn place(&mut self, level: usize, cpus: RangeInclusive<usize>, ring: RingId) -> Result<(), BuildError> {
        let own = |rule| matches!(rule, OverlapGroups::FromFirstCpu | OverlapGroups::WrapOwnerFound);
        if !own(self.rules.overlap_groups) {
            self.set_ring(level, cpus, ring, 0);
            return Ok(());
        }
        let balance = self.balance_cpus(ring, &cpus);
        if let Some(ordinary) = cpus.clone().find(|cpu| !balance.contains(cpu)) {
            let head = self.head_by_balance_cpu(level, ordinary, ring)?;
            self.set_ring(level, cpus, ring, head);
        }
        for cpu in balance {
            let head = self.head_by_balance_cpu(level, cpu, ring)?;
            self.set_ring(level, cpu..=cpu, ring, head);
        }
        Ok(())
    }

    /// Those of `cpus` that are the balance CPU of a group of `ring`, as far as these are known by now.
    fn balance_cpus(&self, ring: RingId, cpus: &RangeInclusive<usize>) -> SmallVec<[usize; 4]> {
        let balance_cpu = |group: &GroupId| {
            let group = &self.groups[group.0 as usize];
            self.span(group.span).first_and(self.span(self.sgcs[group.sgc.0 as usize].mask))
        };
        self.rings[ring.0 as usize].groups.iter().filter_map(balance_cpu).filter(|cpu| cpus.contains(cpu)).collect()
    }

    /// Whether `cpu`, the next after `before` to be looked at, has the same key, told without working it out: most
    /// CPUs follow another of their node. Only for rules whose rings start with the CPU's child.
    fn continues(&self, key: OverlapKey, level: usize, before: usize, cpu: usize) -> bool {
        let rule = self.rules.overlap_groups;
        let next = key.next as usize;
        let same_next = match &self.orders {
            Some(orders) => orders[cpu] == key.next,
            None => next != before && !(before < next && next <= cpu) && self.span(key.child).contains(cpu),
        };
        self.shares()
            && matches!(rule, OverlapGroups::WrapBalanceOwner | OverlapGroups::WrapDescended)
            && key.span == self.sd_span(level, cpu)
            && Some(key.child) == self.child_span(level, cpu)
            && key.flags == self.group_flags(self.child_flags(level, cpu))
            && same_next
    }

    fn overlap_key(&self, rest: &mut FxHashMap<(SpanId, SpanId), CpuMask>, level: usize, cpu: usize) -> OverlapKey {
        let span = self.sd_span(level, cpu);
        let child = self.child_span(level, cpu).unwrap_or(SpanId::EMPTY);
        let flags = self.group_flags(self.child_flags(level, cpu));
        let rule = self.rules.overlap_groups;
        if !self.shares() {
            return OverlapKey { span, child, flags, next: cpu as u32 };
        }
        if rule == OverlapGroups::FromFirstCpu {
            return OverlapKey { span, child: SpanId::EMPTY, flags, next: NONE };
        }
        if !depends_on_start(rule) {
            return OverlapKey { span, child, flags, next: NONE };
        }
        if let Some(orders) = self.orders.as_ref().filter(|_| !owns_first_group(rule)) {
            return OverlapKey { span, child, flags, next: orders[cpu] };
        }
        // The scan takes the child first and then what follows it: CPUs of one child from which the same CPU follows
        // are scanned alike.
        let outside = rest.entry((span, child)).or_insert_with(|| self.span(span).andnot(self.span(child)));
        if !self.span(child).contains(cpu) {
            // A mask that lacks its own CPU: where the scan starts, nothing is covered yet that another start would
            // have covered.
            return OverlapKey { span, child: SpanId::EMPTY, flags, next: cpu as u32 };
        }
        let next = outside.next_wrap(cpu).unwrap_or(0);
        OverlapKey { span, child, flags, next: next as u32 }
    }

    /// The groups of the domain of `cpu`, in the order the release finds them.
    fn scan(&mut self, state: &mut GroupState, level: usize, cpu: usize) -> Result<RingId, BuildError> {
        let mut found = Found::default();
        if takes_child_first(self.rules.overlap_groups) {
            self.scan_first(state, &mut found, level, cpu)?;
        }
        let rest = self.scan_rest(state, level, cpu, &found)?;
        found.groups.extend_from_slice(&rest.groups);
        found.union.or_assign(&rest.union);
        Ok(self.push_ring(found.groups, found.union, self.sd_span(level, cpu)))
    }

    /// The group of the CPU's own child, or of its whole domain where it has none.
    fn scan_first(
        &mut self,
        state: &mut GroupState,
        found: &mut Found,
        level: usize,
        cpu: usize,
    ) -> Result<(), BuildError> {
        let first = self.child_span(level, cpu).unwrap_or(self.sd_span(level, cpu));
        self.add_group(state, found, level, cpu, cpu, first)
    }

    /// The groups after those `found` already, from where the release starts its scan.
    fn scan_rest(
        &mut self,
        state: &mut GroupState,
        level: usize,
        cpu: usize,
        found: &Found,
    ) -> Result<Found, BuildError> {
        let span = self.sd_span(level, cpu);
        let mut remaining = self.span(span).and(&self.built[level]).andnot(&found.union);
        let wraps = depends_on_start(self.rules.overlap_groups);
        let start = if wraps { cpu } else { 0 };
        let mut rest = Found::default();
        let (mut at, mut wrapped) = (start, !wraps);
        loop {
            let Some(i) = remaining.next_from(at).filter(|&i| !wraps || !wrapped || i < start) else {
                if wrapped {
                    return Ok(rest);
                }
                (wrapped, at) = (true, 0);
                continue;
            };
            let (group_level, group_span) = self.group_at(level, span, i);
            self.add_group(state, &mut rest, group_level, i, cpu, group_span)?;
            remaining.andnot_assign(self.span(group_span));
            at = i + 1;
        }
    }

    /// The span of the group found at CPU `i`, and the level it is taken from: that of the domain, or from 5.13 that of
    /// a descendant of `i`'s domain whose child does not reach out of `span` (`find_descended_sibling`).
    fn group_at(&self, level: usize, span: SpanId, i: usize) -> (usize, SpanId) {
        let mut level = level;
        if self.rules.overlap_groups == OverlapGroups::WrapDescended {
            let leaves = |child: SpanId| !self.span(child).is_subset(self.span(span));
            if self.child_span(level, i).is_some_and(leaves) {
                while self.child_span(level, i).is_some_and(leaves) {
                    level -= 1;
                }
                while self.child_span(level, i) == Some(self.sd_span(level, i)) {
                    level -= 1;
                }
            }
        }
        (level, self.child_span(level, i).unwrap_or(self.sd_span(level, i)))
    }

    /// Adds the group with `span` found at CPU `i` to the ring of `cpu`, and gives it its capacity instance.
    fn add_group(
        &mut self,
        state: &mut GroupState,
        found: &mut Found,
        level: usize,
        i: usize,
        cpu: usize,
        span: SpanId,
    ) -> Result<(), BuildError> {
        found.union.or_assign(self.span(span));
        if self.rules.overlap_groups == OverlapGroups::ChildFirstThenOwner {
            // Owners are chosen once every group exists; until then the group belongs to no instance.
            let group = self.push_group(span, SgcId(NONE), Flags::NONE);
            found.groups.push(group);
            return Ok(());
        }
        let (owner, mask) = self.owner_and_mask(state, level, i, cpu, span)?;
        let (sgc, _) = self.claim_sgc(level, owner);
        self.use_overlap_sgc(state, sgc, cpu, level, mask);
        self.preset_capacity(sgc, self.spans.weight(span));
        let flags = self.group_flags(self.child_flags(level, i));
        let known = state.overlap_groups.get(&(span, sgc, flags)).copied();
        let group = known.unwrap_or_else(|| self.push_group(span, sgc, flags));
        state.overlap_groups.insert((span, sgc, flags), group);
        found.groups.push(group);
        Ok(())
    }

    /// Which CPU's capacity instance a group takes, and the balance mask it would bring.
    fn owner_and_mask(
        &mut self,
        state: &mut GroupState,
        level: usize,
        i: usize,
        cpu: usize,
        span: SpanId,
    ) -> Result<(usize, CpuMask), BuildError> {
        match self.rules.overlap_groups {
            OverlapGroups::FromFirstCpu | OverlapGroups::ChildFirst => {
                let domain = self.sd_span(level, cpu);
                Ok((i, self.span(domain).and(&self.built[level])))
            }
            OverlapGroups::WrapOwnerFound => Ok((i, self.balance_mask(state, level, span))),
            _ => {
                let mask = self.balance_mask(state, level, span);
                match mask.first() {
                    Some(owner) => Ok((owner, mask)),
                    None => {
                        self.say(cpu, level, MessageKind::EmptyBalanceMask);
                        Err(self.oops(cpu, level, "a group has no balance CPU"))
                    }
                }
            }
        }
    }

    /// `build_balance_mask`: the CPUs of a group whose own domain at the level has the group's span as its child.
    fn balance_mask(&self, state: &mut GroupState, level: usize, span: SpanId) -> CpuMask {
        if !self.shares() {
            return self.span(span).iter().filter(|&cpu| self.child_span(level, cpu) == Some(span)).collect();
        }
        let holders = state.holders.entry(level).or_insert_with(|| self.holders_of_children(level));
        holders.get(&span).map_or_else(CpuMask::new, |holders| holders.and(self.span(span)))
    }

    /// The CPUs of each child span of a level.
    fn holders_of_children(&self, level: usize) -> FxHashMap<SpanId, CpuMask> {
        let mut holders: FxHashMap<SpanId, CpuMask> = FxHashMap::default();
        let mut last = (SpanId::EMPTY, 0, 0);
        let mut note = |(child, first, end)| {
            if child != SpanId::EMPTY {
                holders.entry(child).or_default().or_assign(&CpuMask::range(first, end));
            }
        };
        for run in self.runs.iter() {
            let child = self.child_span(level, run.leader()).unwrap_or(SpanId::EMPTY);
            if child == last.0 && run.leader() == last.2 + 1 {
                last.2 = run.end();
            } else {
                note(std::mem::replace(&mut last, (child, run.leader(), run.end())));
            }
        }
        note(last);
        holders
    }

    /// The first user of a capacity instance sets its balance mask.
    pub(super) fn use_overlap_sgc(
        &mut self,
        state: &mut GroupState,
        sgc: SgcId,
        cpu: usize,
        level: usize,
        mask: CpuMask,
    ) {
        let index = sgc.0 as usize;
        if state.first_overlap_user.len() <= index {
            state.first_overlap_user.resize(index + 1, NONE);
        }
        let first_user = &mut state.first_overlap_user[index];
        *first_user = (*first_user).min(cpu as u32);
        let known = self.sgcs[index].mask;
        if known == SpanId::EMPTY {
            self.sgcs[index].mask = self.spans.intern(mask);
        } else if self.rules.overlap_groups == OverlapGroups::WrapDescended
            || self.rules.overlap_groups == OverlapGroups::WrapBalanceOwner
        {
            let once = self.messages.iter().any(|message| message.kind == MessageKind::BalanceMaskDiffers);
            if *self.span(known) != mask && !once {
                self.say(cpu, level, MessageKind::BalanceMaskDiffers);
            }
        }
    }

    /// The first group up to 4.12: the last one whose balance CPU is `cpu`, or else the first that holds it.
    fn head_by_balance_cpu(&self, level: usize, cpu: usize, ring: RingId) -> Result<u32, BuildError> {
        let mut head = None;
        for (position, group) in self.rings[ring.0 as usize].groups.iter().enumerate() {
            let group = &self.groups[group.0 as usize];
            let span = self.span(group.span);
            let mask = self.span(self.sgcs[group.sgc.0 as usize].mask);
            if (head.is_none() && span.contains(cpu)) || (span.contains(cpu) && span.first_and(mask) == Some(cpu)) {
                head = Some(position as u32);
            }
        }
        head.ok_or_else(|| self.oops(cpu, level, "no group holds the CPU"))
    }
}
