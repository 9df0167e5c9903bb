//! `build_sched_groups`, one CPU at one level that is not NUMA.
//!
//! Groups are shared: one object stands for each child domain, and all CPUs of a span link the same ones.

use super::{HeadWhy, MaskPart, MaskWhy, Rule, Siblings, Skip, Start, Step, Trace, TracedGroup, from_head};
use crate::cpumask::CpuMask;
use crate::kernel::release::PlainGroups;
use crate::kernel::{Domain, GroupView, SpanId};

pub(super) fn trace(siblings: &Siblings, cpu: usize, level: usize, domain: &Domain) -> Trace {
    let rule = siblings.build.release.rules.plain_groups;
    let mut trace = Trace {
        cpu,
        level,
        span: domain.span,
        child: siblings.child(level, cpu),
        rule: Rule::Plain(rule),
        steps: Vec::new(),
        groups: Vec::new(),
    };
    if is_apart(siblings, level, domain.span) {
        scan(siblings, &mut trace, rule);
    } else {
        tangled(siblings, &mut trace, domain);
    }
    trace
}

/// Whether the CPUs of `span` all have that span, no other CPU's domain meets it, and its children are apart too: then
/// what a CPU finds is what stays.
fn is_apart(siblings: &Siblings, level: usize, span: SpanId) -> bool {
    let set = siblings.set(span);
    let level_is_apart = |level: usize, within: &CpuMask| {
        within.iter().all(|cpu| {
            let own = siblings.span(level, cpu);
            own.is_some_and(|own| {
                let own_set = siblings.set(own);
                own_set.contains(cpu)
                    && own_set.is_subset(within)
                    && (own_set.first() == Some(cpu)
                        || own_set.first().and_then(|first| siblings.span(level, first)) == Some(own))
            })
        })
    };
    let outside = siblings.build.cpu_map().andnot(set);
    let meets = |cpu: usize| siblings.span(level, cpu).is_some_and(|other| siblings.set(other).intersects(set));
    set.iter().all(|cpu| siblings.span(level, cpu) == Some(span))
        && !outside.iter().any(meets)
        && level.checked_sub(1).is_none_or(|below| level_is_apart(below, set))
}

/// The CPU that stands for the group of `cpu`, and the group's CPUs.
fn group_of(siblings: &Siblings, level: usize, cpu: usize) -> (usize, Option<SpanId>) {
    let child = siblings.child(level, cpu);
    (child.and_then(|child| siblings.set(child).first()).unwrap_or(cpu), child)
}

/// The scan of the CPU whose links stay.
fn scan(siblings: &Siblings, trace: &mut Trace, rule: PlainGroups) {
    let set = siblings.set(trace.span);
    let (lowest, highest) = (set.first().unwrap_or(trace.cpu), set.last().unwrap_or(trace.cpu));
    let (at, why) = match rule {
        PlainGroups::FirstCpuLinks => (lowest, Start::FirstCpuLinks),
        PlainGroups::EveryCpuRewrites | PlainGroups::EveryCpuLinks => (highest, Start::LastCpuLinks),
    };
    trace.steps.push(Step::Start { at, why });
    let mut covered = CpuMask::new();
    let mut passed = CpuMask::new();
    for i in set.iter_wrap(at) {
        if covered.contains(i) {
            passed.insert(i);
            continue;
        }
        pass(trace, &mut passed);
        let (owner, child) = group_of(siblings, trace.level, i);
        let members = child.map_or_else(|| CpuMask::single(i), |child| siblings.set(child).clone());
        covered.or_assign(&members);
        take(siblings, trace, i, owner, child, &members, rule);
    }
    pass(trace, &mut passed);
    let (own, _) = group_of(siblings, trace.level, trace.cpu);
    let head = trace.groups.iter().position(|group| group.owner == own).unwrap_or(0);
    trace.steps.push(Step::Head { group: head, why: HeadWhy::OwnGroup });
    trace.steps.push(Step::End { covered, span: trace.span });
    trace.groups = from_head(std::mem::take(&mut trace.groups), head);
}

fn pass(trace: &mut Trace, passed: &mut CpuMask) {
    if !passed.is_empty() {
        trace.steps.push(Step::Skip { cpus: std::mem::take(passed), why: Skip::Covered });
    }
}

fn take(
    siblings: &Siblings,
    trace: &mut Trace,
    found_at: usize,
    owner: usize,
    child: Option<SpanId>,
    members: &CpuMask,
    rule: PlainGroups,
) {
    let group = trace.groups.len();
    let level = trace.level;
    // A CPU alone is a span of the build like any other: its group has it.
    let span = child.or_else(|| siblings.build.spans.find(members)).unwrap_or(SpanId::EMPTY);
    trace.steps.push(Step::Take { group, cpu: found_at, level, span, child: child.is_some() });
    let sgc = siblings.sgc(level, owner);
    trace.steps.push(Step::Sgc { group, owner, sgc, earlier: None });
    let (mask, why) = match rule {
        PlainGroups::FirstCpuLinks => (CpuMask::first_n(siblings.build.nr_cpus), MaskWhy::AllOnes),
        _ => (members.clone(), MaskWhy::InGroup),
    };
    let made_by = trace.cpu;
    trace.steps.push(Step::Mask { group, made_by, parts: vec![MaskPart { cpus: mask.clone(), why }] });
    trace.groups.push(TracedGroup { found_at, span, mask, level, owner });
}

/// Where masks overlap, the ring is read off the build.
fn tangled(siblings: &Siblings, trace: &mut Trace, domain: &Domain) {
    let build = siblings.build;
    let traced = |view: GroupView| TracedGroup {
        found_at: view.sgc.owner as usize,
        span: view.group.span,
        mask: view.mask.clone(),
        level: view.sgc.level as usize,
        owner: view.sgc.owner as usize,
    };
    trace.groups = build.groups_of(domain).map(traced).collect();
    trace.steps.push(Step::Tangled);
    for (group, taken) in trace.groups.iter().enumerate() {
        let (cpu, level, span) = (taken.found_at, taken.level, taken.span);
        trace.steps.push(Step::Take { group, cpu, level, span, child: siblings.child(level, cpu).is_some() });
    }
    trace.steps.push(Step::Head { group: 0, why: HeadWhy::OwnGroup });
    let covered = build.span(build.rings[domain.ring.0 as usize].union).clone();
    trace.steps.push(Step::End { covered, span: trace.span });
}
