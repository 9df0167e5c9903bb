//! `cpu_attach_domain`: domains that change nothing go, and each CPU learns its pointers.

use super::builder::Builder;
use super::flags::Flags;
use super::message::MessageKind;
use super::release::{GroupFlags, SharedRule};
use super::runs::Run;
use super::{CpuPointers, Fate, Shared};
use crate::cpumask::CpuMask;
use crate::topology::MaskLevel;
use std::sync::Arc;

/// The flags a CPU's first group gets at a level where groups are shared.
#[derive(Clone, Copy)]
struct HeadFlags {
    level: usize,
    /// What stays of those it has.
    kept: Flags,
    added: Flags,
}

/// What degeneration made of one CPU's chain.
#[derive(Default)]
struct Degenerated {
    /// The levels that stay, bottom up.
    chain: Vec<usize>,
    heads: Vec<HeadFlags>,
}

impl HeadFlags {
    /// These and no others.
    fn new(level: usize, flags: Flags) -> Self {
        Self { level, kept: Flags::NONE, added: flags }
    }

    fn of(self, flags: Flags) -> Flags {
        (flags & self.kept) | self.added
    }
}

impl Builder<'_> {
    /// Attaches the domains of every CPU of `cpu_map`, ascending. CPUs of a run differ only in what they have below
    /// `split`.
    pub(super) fn attach(&mut self, cpu_map: &CpuMask, split: usize) {
        let mut left = Degenerated::default();
        let mut clusters = false;
        let mut warned = false;
        let runs = Arc::clone(&self.runs);
        for &run in runs.iter() {
            let cpu = run.leader();
            self.degenerate(cpu, &mut left);
            let chain = &left.chain;
            if self.rules.warn_three_hops && !warned && self.numa_domains(cpu, chain) > 2 {
                warned = true;
                self.say(cpu, chain[chain.len() - 1], MessageKind::ThreeHops);
            }
            let said = self.messages.len();
            self.log_checks(cpu, chain);
            self.say_of_all(run, said);
            self.set_pointers(cpu_map, cpu, chain);
            clusters |= chain.iter().any(|&level| self.sd(level, cpu).flags.contains(Flags::CLUSTER));
            self.attach_others(cpu_map, run, split, &left);
        }
        if self.rules.share_id {
            self.cluster_key += u32::from(clusters);
        }
        if self.rules.shared == SharedRule::TopmostLlcDenseId {
            self.number_llcs(cpu_map);
        }
    }

    /// Hands what came of the leader's chain to the other CPUs of its run.
    fn attach_others(&mut self, cpu_map: &CpuMask, run: Run, split: usize, left: &Degenerated) {
        let (leader, levels) = (run.leader(), self.levels.len());
        let depth = self.depth(leader);
        let (before, rest) = self.domains.split_at_mut((leader + 1) * levels);
        let like = &before[leader * levels..][..depth];
        for chain in rest.chunks_exact_mut(levels).take(run.len() - 1) {
            for (mine, like) in chain.iter_mut().zip(&like[..split.min(depth)]) {
                (mine.flags, mine.fate, mine.imb_numa_nr) = (like.flags, like.fate, like.imb_numa_nr);
            }
            if split < depth {
                chain[split..depth].clone_from_slice(&like[split..]);
            }
        }
        for cpu in run.others() {
            for head in &left.heads {
                self.change_shared_head(cpu, *head);
            }
            self.set_pointers_like(cpu_map, cpu, leader, &left.chain);
        }
    }

    fn numa_domains(&self, cpu: usize, chain: &[usize]) -> usize {
        chain.iter().filter(|&&level| self.sd(level, cpu).flags.contains(Flags::NUMA)).count()
    }

    /// Drops what contributes nothing; leaves in `left` what stays.
    fn degenerate(&mut self, cpu: usize, left: &mut Degenerated) {
        let Degenerated { chain, heads } = left;
        heads.clear();
        chain.clear();
        chain.extend(0..self.depth(cpu));
        for &level in chain.iter() {
            let domain = self.sd_mut(level, cpu);
            domain.flags = domain.built_flags;
        }
        let mut at = 0;
        while at + 1 < chain.len() {
            let (tmp, parent) = (chain[at], chain[at + 1]);
            let Some(fate) = self.parent_degenerate(cpu, tmp, parent) else {
                at += 1;
                continue;
            };
            let flags = self.sd(tmp, cpu).flags;
            if let Some(&grandparent) = chain.get(at + 2) {
                self.move_group_flags_up(cpu, grandparent, flags, heads);
            }
            // The spans match for this property.
            if self.sd(parent, cpu).flags.contains(Flags::PREFER_SIBLING) {
                self.sd_mut(tmp, cpu).flags |= Flags::PREFER_SIBLING;
            }
            self.sd_mut(parent, cpu).fate = fate;
            chain.remove(at + 1);
        }
        if let Some(fate) = chain.first().and_then(|&base| self.sd_degenerate(cpu, base)) {
            let base = chain.remove(0);
            self.sd_mut(base, cpu).fate = fate;
            if let Some(&parent) = chain.first()
                && self.rules.group_flags >= GroupFlags::Child
            {
                self.set_head_flags(cpu, HeadFlags::new(parent, Flags::NONE), heads);
            }
        }
    }

    fn move_group_flags_up(&mut self, cpu: usize, grandparent: usize, flags: Flags, heads: &mut Vec<HeadFlags>) {
        match self.rules.group_flags {
            GroupFlags::None | GroupFlags::Child => {}
            GroupFlags::ChildSmt => {
                if flags.contains(Flags::SHARE_CPUCAPACITY) {
                    let with =
                        HeadFlags { kept: !Flags::NONE, ..HeadFlags::new(grandparent, Flags::SHARE_CPUCAPACITY) };
                    self.set_head_flags(cpu, with, heads);
                }
            }
            GroupFlags::ChildAll => self.set_head_flags(cpu, HeadFlags::new(grandparent, flags), heads),
        }
    }

    fn head_index(&self, cpu: usize, level: usize) -> usize {
        let (ring, head) = self.ring_of[level * self.nr_cpus + cpu];
        self.rings[ring.0 as usize].groups[head as usize].0 as usize
    }

    /// Groups of plain domains are shared objects, and noted in `heads`; those of overlapping ones are this CPU's own.
    fn set_head_flags(&mut self, cpu: usize, change: HeadFlags, heads: &mut Vec<HeadFlags>) {
        if !self.levels[change.level].overlap {
            self.change_shared_head(cpu, change);
            heads.push(change);
            return;
        }
        let shared = self.groups[self.head_index(cpu, change.level)].flags;
        let domain = self.sd_mut(change.level, cpu);
        domain.head_flags = Some(change.of(domain.head_flags.unwrap_or(shared)));
    }

    fn change_shared_head(&mut self, cpu: usize, change: HeadFlags) {
        let head = self.head_index(cpu, change.level);
        self.groups[head].flags = change.of(self.groups[head].flags);
    }

    fn has_one_group(&self, cpu: usize, level: usize) -> bool {
        self.rings[self.sd(level, cpu).ring.0 as usize].groups.len() == 1
    }

    /// `sd_degenerate`.
    fn sd_degenerate(&self, cpu: usize, level: usize) -> Option<Fate> {
        let domain = self.sd(level, cpu);
        if self.spans.weight(domain.span) == 1 {
            return Some(Fate::OneCpu);
        }
        let useful = domain.flags.intersects(self.rules.needs_groups) && !self.has_one_group(cpu, level);
        (!useful && !domain.flags.contains(Flags::WAKE_AFFINE)).then_some(Fate::OneGroup)
    }

    /// `sd_parent_degenerate`.
    fn parent_degenerate(&self, cpu: usize, child: usize, parent: usize) -> Option<Fate> {
        if let Some(fate) = self.sd_degenerate(cpu, parent) {
            return Some(fate);
        }
        let (child, above) = (self.sd(child, cpu), self.sd(parent, cpu));
        if child.span != above.span {
            return None;
        }
        let mut flags = above.flags;
        if self.has_one_group(cpu, parent) {
            flags = flags.without(self.rules.parent_needs_groups);
            let nr_node_ids = self.topology.nodes.last().map_or(0, |node| node.id + 1);
            if nr_node_ids == 1 {
                flags = flags.without(Flags::SERIALIZE);
            }
        }
        child.flags.contains(flags).then_some(Fate::SameAsChild)
    }

    /// What `sched_domain_debug` complains of, when it is on.
    fn log_checks(&mut self, cpu: usize, chain: &[usize]) {
        if !self.topology.sched_debug {
            return;
        }
        for at in 0..chain.len() {
            let child = at.checked_sub(1).map(|below| chain[below]);
            let checks = super::dmesg::checks(&self.log_view(cpu, chain[at], child, chain.get(at + 1).copied()));
            for kind in checks {
                self.say(cpu, chain[at], kind);
            }
        }
    }

    fn log_view(
        &self,
        cpu: usize,
        level: usize,
        child: Option<usize>,
        parent: Option<usize>,
    ) -> super::dmesg::View<'_> {
        super::dmesg::View {
            rules: self.rules,
            spans: &self.spans,
            groups: &self.groups,
            cpu,
            domain: self.sd(level, cpu),
            ring: &self.rings[self.sd(level, cpu).ring.0 as usize],
            overlap: self.levels[level].overlap,
            child: child.map(|child| self.sd(child, cpu)),
            parent: parent.map(|parent| self.sd(parent, cpu)),
        }
    }

    /// `update_top_cache_domain`.
    fn set_pointers(&mut self, cpu_map: &CpuMask, cpu: usize, chain: &[usize]) {
        let flag = |level: &usize, flag| self.sd(*level, cpu).flags.contains(flag);
        let lowest = |wanted: Flags| chain.iter().find(|level| flag(level, wanted)).map(|&level| level as u32);
        let first = |level: u32| self.span(self.sd_span(level as usize, cpu)).first().unwrap_or(cpu);
        let llc = chain.iter().take_while(|level| flag(level, Flags::SHARE_LLC)).last().map(|&level| level as u32);
        let llc_id = llc.map_or(cpu, first);
        let asym = match self.rules.asym {
            super::release::AsymRule::Classify => Flags::ASYM_CPUCAPACITY_FULL,
            _ => Flags::ASYM_CPUCAPACITY,
        };
        let pointers = CpuPointers {
            sd_llc: llc,
            sd_llc_id: llc_id as i32,
            sd_llc_size: llc.map_or(1, |level| self.spans.weight(self.sd_span(level as usize, cpu))),
            sd_share_id: lowest(Flags::CLUSTER).map_or(llc_id, first) as u32,
            sd_llc_shared: llc.and_then(|level| self.shared(cpu_map, cpu, level as usize)),
            sd_numa: lowest(Flags::NUMA),
            sd_asym_packing: chain
                .iter()
                .take_while(|level| flag(level, Flags::ASYM_PACKING))
                .last()
                .map(|&level| level as u32),
            sd_asym_cpucapacity: lowest(asym),
            cpu_capacity: self.pointers[cpu].cpu_capacity,
        };
        self.pointers[cpu] = pointers;
    }

    /// The pointers of `cpu`, whose chain is like that of `leader`: the same where their caches are.
    fn set_pointers_like(&mut self, cpu_map: &CpuMask, cpu: usize, leader: usize, chain: &[usize]) {
        let known = &self.pointers[leader];
        let same = |level: usize| self.sd_span(level, cpu) == self.sd_span(level, leader);
        let cluster = chain.iter().find(|&&level| self.sd(level, cpu).flags.contains(Flags::CLUSTER));
        let Some(llc) = known.sd_llc.filter(|&llc| same(llc as usize) && cluster.is_none_or(|&level| same(level)))
        else {
            return self.set_pointers(cpu_map, cpu, chain);
        };
        let pointers =
            CpuPointers { sd_llc: Some(llc), cpu_capacity: self.pointers[cpu].cpu_capacity, ..known.clone() };
        self.pointers[cpu] = pointers;
    }

    /// The `sched_domain_shared` of the LLC domain of `cpu`.
    fn shared(&self, cpu_map: &CpuMask, cpu: usize, llc: usize) -> Option<Shared> {
        if self.rules.shared == SharedRule::EveryLlcLevel {
            // Chosen by the level's own mask, before a child that sticks out widened the span.
            let owner = self.mask(llc, cpu).first_and(cpu_map)?;
            let nr_busy_cpus = self.busy[llc * self.nr_cpus + owner];
            return Some(Shared { level: Some(llc as u32), cpu: owner as u32, nr_busy_cpus });
        }
        let depth = self.depth(cpu);
        let topmost =
            (0..depth).take_while(|&level| self.sd(level, cpu).built_flags.contains(Flags::SHARE_LLC)).last()?;
        let span = self.sd_span(topmost, cpu);
        let owner = self.span(span).first()?;
        Some(Shared { level: None, cpu: owner as u32, nr_busy_cpus: self.spans.weight(span) })
    }

    /// 7.2: LLC ids are handed out from 0 in CPU order, whatever the partitions.
    fn number_llcs(&mut self, cpu_map: &CpuMask) {
        let llc = self.topology.mask(MaskLevel::Mc);
        let mut ids = vec![None; llc.distinct().len()];
        let mut next = 0;
        for pointer in self.pointers.iter_mut().filter(|pointer| pointer.sd_llc_size == 0) {
            pointer.sd_llc_id = -1;
        }
        for cpu in cpu_map.iter() {
            let id = &mut ids[llc.id(cpu)];
            self.pointers[cpu].sd_llc_id = *id.get_or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
    }
}
