//! `build_overlap_sched_groups`, one CPU at one NUMA level.

use super::{Earlier, HeadWhy, MaskPart, MaskWhy, Rule, Siblings, Skip, Start, Step, Trace, TracedGroup, from_head};
use super::{inside, parts};
use crate::cpumask::CpuMask;
use crate::kernel::release::OverlapGroups;
use crate::kernel::{Domain, SpanId};

/// A scan under way.
struct Scan<'a> {
    siblings: &'a Siblings<'a>,
    rule: OverlapGroups,
    cpu: usize,
    level: usize,
    span: SpanId,
    steps: Vec<Step>,
    groups: Vec<TracedGroup>,
    covered: CpuMask,
}

pub(super) fn trace(siblings: &Siblings, cpu: usize, level: usize, domain: &Domain) -> Trace {
    let rule = siblings.build.release.rules.overlap_groups;
    let span = domain.span;
    let mut scan =
        Scan { siblings, rule, cpu, level, span, steps: Vec::new(), groups: Vec::new(), covered: CpuMask::new() };
    scan.run();
    if rule == OverlapGroups::ChildFirstThenOwner {
        for group in 0..scan.groups.len() {
            scan.balance(group);
        }
    }
    let head = scan.head();
    scan.steps.push(Step::End { covered: scan.covered, span });
    Trace {
        cpu,
        level,
        span,
        child: siblings.child(level, cpu),
        rule: Rule::Overlap(rule),
        steps: scan.steps,
        groups: from_head(scan.groups, head),
    }
}

impl Scan<'_> {
    fn run(&mut self) {
        let set = self.siblings.set(self.span);
        let lowest = set.first().unwrap_or(self.cpu);
        match self.rule {
            OverlapGroups::FromFirstCpu => {
                self.steps.push(Step::Start { at: lowest, why: Start::LowestCpu });
                self.scan(set.iter());
            }
            OverlapGroups::ChildFirst | OverlapGroups::ChildFirstThenOwner => {
                self.steps.push(Step::Start { at: self.cpu, why: Start::OwnChildFirst });
                let child = self.siblings.child(self.level, self.cpu);
                self.take(self.level, self.cpu, child.unwrap_or(self.span), child.is_some());
                self.scan(set.iter());
            }
            OverlapGroups::WrapOwnerFound | OverlapGroups::WrapBalanceOwner | OverlapGroups::WrapDescended => {
                self.steps.push(Step::Start { at: self.cpu, why: Start::OwnCpu });
                self.scan(set.iter_wrap(self.cpu));
            }
        }
    }

    /// Looks at the CPUs of the span in this order.
    fn scan(&mut self, order: impl Iterator<Item = usize>) {
        let mut passed: Option<(Skip, CpuMask)> = None;
        for i in order {
            match self.skips(i) {
                Some(why) => match &mut passed {
                    Some((same, cpus)) if *same == why => cpus.insert(i),
                    _ => {
                        self.pass(passed.take());
                        passed = Some((why, CpuMask::single(i)));
                    }
                },
                None => {
                    self.pass(passed.take());
                    self.found(i);
                }
            }
        }
        self.pass(passed);
    }

    fn pass(&mut self, passed: Option<(Skip, CpuMask)>) {
        self.steps.extend(passed.map(|(why, cpus)| Step::Skip { cpus, why }));
    }

    fn skips(&self, i: usize) -> Option<Skip> {
        if self.covered.contains(i) {
            return Some(Skip::Covered);
        }
        match self.siblings.span(self.level, i) {
            None => Some(Skip::NoDomain),
            Some(span) => (!self.siblings.set(span).contains(i)).then_some(Skip::NotInOwnDomain(span)),
        }
    }

    /// A group is found at CPU `i`: its own child, or from 5.13 a descendant of it that fits the span.
    fn found(&mut self, i: usize) {
        let siblings = self.siblings;
        let set = siblings.set(self.span);
        let leaves = |child: SpanId| !siblings.set(child).is_subset(set);
        let mut level = self.level;
        let outside = siblings.child(level, i).filter(|&child| leaves(child));
        if let (OverlapGroups::WrapDescended, Some(outside)) = (self.rule, outside) {
            while siblings.child(level, i).is_some_and(leaves) {
                level -= 1;
            }
            while siblings.child(level, i).is_some() && siblings.child(level, i) == siblings.span(level, i) {
                level -= 1;
            }
            let fits = siblings.child(level, i).or(siblings.span(level, i)).unwrap_or(SpanId::EMPTY);
            self.steps.push(Step::Descend { cpu: i, from: self.level, to: level, outside, fits });
        }
        let child = siblings.child(level, i);
        let span = child.or(siblings.span(level, i)).unwrap_or(SpanId::EMPTY);
        self.take(level, i, span, child.is_some());
    }

    fn take(&mut self, level: usize, i: usize, span: SpanId, child: bool) {
        let group = self.groups.len();
        self.covered.or_assign(self.siblings.set(span));
        self.steps.push(Step::Take { group, cpu: i, level, span, child });
        self.groups.push(TracedGroup { found_at: i, span, mask: CpuMask::new(), level, owner: i });
        // The third patch of April 2017 chooses instances once all groups of all CPUs exist.
        if self.rule != OverlapGroups::ChildFirstThenOwner {
            self.balance(group);
        }
    }

    /// The balance mask and capacity instance of a group.
    fn balance(&mut self, group: usize) {
        match self.rule {
            OverlapGroups::FromFirstCpu | OverlapGroups::ChildFirst | OverlapGroups::WrapOwnerFound => {
                // The instance is that of the CPU found; whoever uses it first sets its mask.
                let owner = self.groups[group].found_at;
                let earlier = self.sgc(group, owner);
                let made_by = earlier.map_or(self.cpu, |earlier| earlier.cpu);
                let parts = self.parts(group, made_by);
                self.groups[group].mask = inside(&parts);
                self.steps.push(Step::Mask { group, made_by, parts });
            }
            OverlapGroups::WrapBalanceOwner | OverlapGroups::WrapDescended | OverlapGroups::ChildFirstThenOwner => {
                // The mask comes first: its lowest CPU is the owner.
                let parts = self.parts(group, self.cpu);
                let mask = inside(&parts);
                let owner = mask.first().unwrap_or(0);
                self.groups[group].mask = mask;
                self.steps.push(Step::Mask { group, made_by: self.cpu, parts });
                self.sgc(group, owner);
            }
        }
    }

    /// Who may be in the mask of a group, when `user` sets it.
    fn parts(&self, group: usize, user: usize) -> Vec<MaskPart> {
        let siblings = self.siblings;
        let TracedGroup { span, level, .. } = self.groups[group];
        match self.rule {
            OverlapGroups::FromFirstCpu | OverlapGroups::ChildFirst => {
                let domain = siblings.span(self.level, user).unwrap_or(SpanId::EMPTY);
                parts(siblings.set(domain), |j| {
                    if siblings.is_built(self.level, j) { MaskWhy::HasDomain } else { MaskWhy::NoDomain }
                })
            }
            OverlapGroups::ChildFirstThenOwner => {
                parts(siblings.set(span), |j| match siblings.child(level, j).or(siblings.span(level, j)) {
                    None => MaskWhy::NoDomain,
                    Some(head) if head == span => MaskWhy::HeadIsGroup,
                    Some(head) => MaskWhy::HeadIs(head),
                })
            }
            _ => parts(siblings.set(span), |j| match (siblings.span(level, j), siblings.child(level, j)) {
                (None, _) => MaskWhy::NoDomain,
                (_, None) => MaskWhy::NoChild,
                (_, Some(child)) if child == span => MaskWhy::ChildIsGroup,
                (_, Some(child)) => MaskWhy::ChildIs(child),
            }),
        }
    }

    /// Picks the instance of `owner`; returns its use before this one.
    fn sgc(&mut self, group: usize, owner: usize) -> Option<Earlier> {
        self.groups[group].owner = owner;
        let sgc = self.siblings.sgc(self.groups[group].level, owner);
        let first = sgc.and_then(|sgc| self.siblings.first_use(sgc));
        let earlier = first.filter(|first| (first.cpu, first.level) != (self.cpu, self.level));
        self.steps.push(Step::Sgc { group, owner, sgc, earlier });
        earlier
    }

    /// Chooses the first group; returns its position.
    fn head(&mut self) -> usize {
        let (group, why) = match self.rule {
            OverlapGroups::FromFirstCpu | OverlapGroups::WrapOwnerFound => self.head_by_balance_cpu(),
            _ => (0, HeadWhy::TakenFirst),
        };
        self.steps.push(Step::Head { group, why });
        group
    }

    /// Up to 4.12: the last group whose balance CPU this is, or else the first that holds it.
    fn head_by_balance_cpu(&self) -> (usize, HeadWhy) {
        let set = |group: &TracedGroup| self.siblings.set(group.span);
        let holds = |group: &TracedGroup| set(group).contains(self.cpu);
        let balances = |group: &TracedGroup| holds(group) && set(group).first_and(&group.mask) == Some(self.cpu);
        if let Some(group) = self.groups.iter().rposition(balances) {
            return (group, HeadWhy::BalanceCpu);
        }
        (self.groups.iter().position(holds).unwrap_or(0), HeadWhy::FirstHolding)
    }
}
