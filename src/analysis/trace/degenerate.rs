//! `cpu_attach_domain`, one CPU: which domains went and what they left behind.

use crate::kernel::release::GroupFlags;
use crate::kernel::{Build, Domain, Fate, Flags};

/// What was decided of one domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes, for this reason.
    Goes(Fate),
    /// It stays: it spans more than its child.
    SpansMore,
    /// It stays: these flags of it are missing in its child, which spans the same.
    HasFlags(Flags),
    /// It stays, being the lowest domain and of use.
    Lowest,
}

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegenerateStep {
    /// The level of the domain decided on, index into [`Build::levels`].
    pub level: usize,
    /// The level of the domain it was compared with; `None` for the lowest domain.
    pub child: Option<usize>,
    /// What was decided.
    pub verdict: Verdict,
    /// `SD_PREFER_SIBLING` moved down to that child.
    pub prefer_sibling_moves: bool,
    /// The first group of the domain at this level got these flags, since the domain below it went.
    pub group_flags: Option<(usize, Flags)>,
}

/// The decisions about the domains of `cpu`, in the kernel's order: upwards, then the lowest.
pub fn degeneration(build: &Build, cpu: usize) -> Vec<DegenerateStep> {
    let domains: Vec<(usize, &Domain)> = build.built_chain(cpu).collect();
    let mut chain: Vec<(usize, Flags)> = domains.iter().map(|&(level, domain)| (level, domain.built_flags)).collect();
    let domain = |level: usize| domains[level].1;
    let mut steps = Vec::new();
    let mut at = 0;
    while at + 1 < chain.len() {
        let ((child, flags), (level, above)) = (chain[at], chain[at + 1]);
        let verdict = of_parent(build, (domain(child), flags), (domain(level), above));
        let mut step =
            DegenerateStep { level, child: Some(child), verdict, prefer_sibling_moves: false, group_flags: None };
        if let Verdict::Goes(_) = verdict {
            step.group_flags = chain.get(at + 2).and_then(|&(up, _)| moved_up(build, flags).map(|flags| (up, flags)));
            step.prefer_sibling_moves = above.contains(Flags::PREFER_SIBLING) && !flags.contains(Flags::PREFER_SIBLING);
            if step.prefer_sibling_moves {
                chain[at].1 |= Flags::PREFER_SIBLING;
            }
            chain.remove(at + 1);
        } else {
            at += 1;
        }
        steps.push(step);
    }
    if let Some(&(level, flags)) = chain.first() {
        let goes = useless(build, domain(level), flags);
        let cleared = chain.get(1).filter(|_| goes.is_some() && build.release.rules.group_flags >= GroupFlags::Child);
        steps.push(DegenerateStep {
            level,
            child: None,
            verdict: goes.map_or(Verdict::Lowest, Verdict::Goes),
            prefer_sibling_moves: false,
            group_flags: cleared.map(|&(up, _)| (up, Flags::NONE)),
        });
    }
    steps
}

/// Which flags of the child the first group above a domain that goes gets.
fn moved_up(build: &Build, child: Flags) -> Option<Flags> {
    match build.release.rules.group_flags {
        GroupFlags::None | GroupFlags::Child => None,
        GroupFlags::ChildSmt => child.contains(Flags::SHARE_CPUCAPACITY).then_some(Flags::SHARE_CPUCAPACITY),
        GroupFlags::ChildAll => Some(child),
    }
}

/// `sd_degenerate`: why the domain is of no use, if so.
fn useless(build: &Build, domain: &Domain, flags: Flags) -> Option<Fate> {
    if build.spans.weight(domain.span) == 1 {
        return Some(Fate::OneCpu);
    }
    let balances = flags.intersects(build.release.rules.needs_groups) && build.nr_groups(domain) > 1;
    (!balances && !flags.contains(Flags::WAKE_AFFINE)).then_some(Fate::OneGroup)
}

/// `sd_parent_degenerate`.
fn of_parent(build: &Build, child: (&Domain, Flags), parent: (&Domain, Flags)) -> Verdict {
    let ((child, child_flags), (parent, flags)) = (child, parent);
    if let Some(fate) = useless(build, parent, flags) {
        return Verdict::Goes(fate);
    }
    if child.span != parent.span {
        return Verdict::SpansMore;
    }
    let one_group = build.nr_groups(parent) == 1;
    let wanted = if one_group { flags.without(build.release.rules.parent_needs_groups) } else { flags };
    let missing = wanted.without(child_flags);
    if missing.is_empty() { Verdict::Goes(Fate::SameAsChild) } else { Verdict::HasFlags(missing) }
}
