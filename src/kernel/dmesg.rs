//! What the kernel prints of its domains with `sched_verbose` (before 5.13: `sched_debug`), line for line, without time
//! stamps.

use super::flags::Flags;
use super::message::{MessageKind, distance_lines};
use super::release::{LogFormat, RootLine, Rules};
use super::spans::SpanTable;
use super::{Build, Domain, Group, Ring};
use crate::cpumask::CpuMask;
use crate::topology::Topology;
use smallvec::SmallVec;
use std::fmt::{self, Write};

/// One domain as `sched_domain_debug_one` looks at it, after degeneration.
pub(super) struct View<'a> {
    pub(super) rules: &'a Rules,
    pub(super) spans: &'a SpanTable,
    pub(super) groups: &'a [Group],
    pub(super) cpu: usize,
    pub(super) domain: &'a Domain,
    pub(super) ring: &'a Ring,
    pub(super) overlap: bool,
    pub(super) child: Option<&'a Domain>,
    pub(super) parent: Option<&'a Domain>,
}

impl View<'_> {
    /// The groups' data, the first group first.
    fn ring_order(&self) -> impl Iterator<Item = &Group> {
        let ring = &self.ring.groups;
        let head = self.domain.head as usize;
        (0..ring.len()).map(move |position| &self.groups[ring[(head + position) % ring.len()].0 as usize])
    }

    /// Where the printed list of groups ends early: the position, and why.
    fn list_ends(&self) -> Option<(usize, MessageKind)> {
        // Groups of overlapping domains stand for built domains, which are never empty.
        if self.ring.disjoint || self.overlap {
            return None;
        }
        let mut seen = CpuMask::new();
        for (position, group) in self.ring_order().enumerate() {
            let span = self.spans.get(group.span);
            if span.is_empty() {
                return Some((position, MessageKind::EmptyGroup));
            }
            if seen.intersects(span) {
                return Some((position, MessageKind::RepeatedCpus));
            }
            seen.or_assign(span);
        }
        None
    }
}

/// The complaints of one domain, in the order they are printed.
pub(super) fn checks(view: &View) -> SmallVec<[MessageKind; 2]> {
    let mut found = SmallVec::new();
    let (spans, domain) = (view.spans, view.domain);
    if !spans.get(domain.span).contains(view.cpu) {
        found.push(MessageKind::SpanLacksCpu);
    }
    let head = view.ring_order().next();
    if !head.is_some_and(|head| spans.get(head.span).contains(view.cpu)) {
        found.push(MessageKind::GroupsLackCpu);
    }
    if view.rules.log_flag_checks {
        flag_checks(view, &mut found);
    }
    let ends = view.list_ends();
    let head_is_printed = ends.as_ref().is_none_or(|&(position, _)| position > 0);
    if view.rules.log == LogFormat::New
        && head_is_printed
        && let (Some(head), Some(child)) = (head, view.child)
        && head.span != child.span
    {
        found.push(MessageKind::HeadNotChild);
    }
    let mut union = view.ring.union;
    let mut printed = None;
    if let Some((position, why)) = ends {
        found.push(why);
        let mut cpus = CpuMask::new();
        view.ring_order().take(position).for_each(|group| cpus.or_assign(spans.get(group.span)));
        union = spans.find(&cpus).unwrap_or(super::SpanId::EMPTY);
        printed = Some(cpus);
    }
    let spans_domain = match &printed {
        Some(cpus) => cpus == spans.get(domain.span),
        None => union == domain.span,
    };
    if !spans_domain {
        found.push(MessageKind::GroupsDontSpan);
    }
    if let Some(parent) = view.parent {
        let inside = match &printed {
            Some(cpus) => cpus.is_subset(spans.get(parent.span)),
            // A domain lies within its parent, as built.
            None => union == domain.span || spans.get(union).is_subset(spans.get(parent.span)),
        };
        if !inside {
            found.push(MessageKind::ParentNotSuperset);
        }
    }
    found
}

/// From 5.10: flags that mean something for the domain's child or parent must be there as well.
fn flag_checks(view: &View, found: &mut SmallVec<[MessageKind; 2]>) {
    const SHARED_CHILD: Flags = Flags::BALANCE_NEWIDLE
        .with(Flags::BALANCE_EXEC)
        .with(Flags::BALANCE_FORK)
        .with(Flags::BALANCE_WAKE)
        .with(Flags::WAKE_AFFINE)
        .with(Flags::SHARE_CPUCAPACITY)
        .with(Flags::SHARE_LLC);
    const SHARED_PARENT: Flags = Flags::ASYM_CPUCAPACITY
        .with(Flags::ASYM_CPUCAPACITY_FULL)
        .with(Flags::SERIALIZE)
        .with(Flags::OVERLAP)
        .with(Flags::NUMA);
    let missing = |theirs: Option<&Domain>, kind: Flags| {
        theirs.map_or(Flags::NONE, |theirs| (view.domain.flags & kind).without(theirs.flags))
    };
    let (below, above) = (missing(view.child, SHARED_CHILD), missing(view.parent, SHARED_PARENT));
    if (below | above).is_empty() {
        return;
    }
    for &(flag, name) in Flags::NAMED {
        let name = if flag == Flags::SHARE_LLC { view.rules.llc_flag_name } else { name };
        if below.contains(flag) {
            found.push(MessageKind::FlagNotInChild(name));
        }
        if above.contains(flag) {
            found.push(MessageKind::FlagNotInParent(name));
        }
    }
}

/// The whole log of a build.
pub fn text(build: &Build, topology: &Topology) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = write_log(build, topology, &mut out);
    out
}

/// Writes the whole log of a build: what is said before the domains, each CPU's domains, the last line.
///
/// # Errors
/// What `out` reports.
pub fn write_log(build: &Build, topology: &Topology, out: &mut dyn Write) -> fmt::Result {
    write_before_domains(build, topology, out)?;
    if !topology.sched_debug {
        return Ok(());
    }
    for (index, cpu_map) in build.cpu_maps.iter().enumerate() {
        if !build.is_attached(index) {
            continue;
        }
        for cpu in cpu_map.iter() {
            write_cpu(build, cpu, out)?;
        }
        write_root_line(build, cpu_map, out)?;
    }
    Ok(())
}

/// Writes what the kernel says before the first CPU line: errors about distances and masks. A `WARN` brings a register
/// dump and a stack trace instead of a line, so it is no part of this text; see [`Build::messages`].
///
/// # Errors
/// What `out` reports.
pub fn write_before_domains(build: &Build, topology: &Topology, out: &mut dyn Write) -> fmt::Result {
    for message in build.messages.iter().filter(|message| message.kind.is_before_domains()) {
        for line in message_lines(&message.kind, message.cpu, build, topology) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// The lines of one message.
fn message_lines(kind: &MessageKind, cpu: Option<u32>, build: &Build, topology: &Topology) -> Vec<String> {
    let mut lines = vec![kind.text(cpu)];
    match kind {
        MessageKind::NotSymmetric | MessageKind::Node0NotRepresentative | MessageKind::InvalidDistance => {
            lines.push(String::new());
            lines.extend(distance_lines(topology, &build.release.rules));
            lines.push(String::new());
        }
        MessageKind::NotSubset { child, parent } => {
            lines.push(format!("     the {child} domain not a subset of the {parent} domain"));
        }
        _ => {}
    }
    lines
}

/// Writes the domains of one CPU.
///
/// # Errors
/// What `out` reports.
pub fn write_cpu(build: &Build, cpu: usize, out: &mut dyn Write) -> fmt::Result {
    let chain: SmallVec<[(usize, &Domain); 16]> = build.chain(cpu).collect();
    if chain.is_empty() {
        return writeln!(out, "CPU{cpu} attaching NULL sched-domain.");
    }
    match build.release.rules.log {
        LogFormat::Old => writeln!(out, "CPU{cpu} attaching sched-domain:")?,
        LogFormat::New => writeln!(out, "CPU{cpu} attaching sched-domain(s):")?,
    }
    for (index, &(level, _)) in chain.iter().enumerate() {
        let view = view(build, cpu, &chain, index);
        write_domain(build, &view, index, build.level_name(level), out)?;
    }
    Ok(())
}

/// The domain at `index` of the chain of `cpu`.
fn view<'a>(build: &'a Build, cpu: usize, chain: &[(usize, &'a Domain)], index: usize) -> View<'a> {
    let (level, domain) = chain[index];
    View {
        rules: &build.release.rules,
        spans: &build.spans,
        groups: &build.groups,
        cpu,
        domain,
        ring: &build.rings[domain.ring.0 as usize],
        overlap: build.levels[level].overlap,
        child: index.checked_sub(1).map(|below| chain[below].1),
        parent: chain.get(index + 1).map(|above| above.1),
    }
}

/// What the log would complain of in the domains of `cpu`, by level, whether or not the log is on.
pub fn complaints(build: &Build, cpu: usize) -> Vec<(usize, MessageKind)> {
    let chain: SmallVec<[(usize, &Domain); 16]> = build.chain(cpu).collect();
    let of_domain = |index: usize| checks(&view(build, cpu, &chain, index)).into_iter().map(move |kind| (index, kind));
    (0..chain.len()).flat_map(of_domain).map(|(index, kind)| (chain[index].0, kind)).collect()
}

/// `sched_domain_debug_one`.
fn write_domain(build: &Build, view: &View, index: usize, name: &str, out: &mut dyn Write) -> fmt::Result {
    let span = view.spans.get(view.domain.span);
    match view.rules.log {
        LogFormat::Old => writeln!(out, "{:index$} domain {index}: span {span} level {name}", "")?,
        LogFormat::New => writeln!(out, "{:index$} domain-{index}: span={span} level={name}", "")?,
    }
    let found = checks(view);
    let line = |kind: &MessageKind| kind.text(Some(view.cpu as u32));
    let before = |kind: &&MessageKind| {
        matches!(
            kind,
            MessageKind::SpanLacksCpu
                | MessageKind::GroupsLackCpu
                | MessageKind::FlagNotInChild(_)
                | MessageKind::FlagNotInParent(_)
        )
    };
    for kind in found.iter().filter(before) {
        writeln!(out, "{}", line(kind))?;
    }
    let indent = index + 1;
    write!(out, "{:indent$} groups:", "")?;
    let ends = view.list_ends();
    let whole = view.ring.groups.len();
    let printed = ends.as_ref().map_or(whole, |&(position, _)| position);
    for position in 0..printed {
        write_group(build, view, position, out)?;
        if position == 0 && found.contains(&MessageKind::HeadNotChild) {
            write!(out, "\n{}\n", line(&MessageKind::HeadNotChild))?;
        }
        if view.rules.log == LogFormat::New {
            out.write_str(" }")?;
            if position + 1 < whole {
                out.write_str(",")?;
            }
        }
    }
    out.write_str("\n")?;
    if let Some((_, why)) = ends {
        write!(out, "{}\n\n", line(&why))?;
    }
    for kind in found.iter().filter(|kind| matches!(kind, MessageKind::GroupsDontSpan | MessageKind::ParentNotSuperset))
    {
        writeln!(out, "{}", line(kind))?;
    }
    Ok(())
}

fn write_group(build: &Build, view: &View, position: usize, out: &mut dyn Write) -> fmt::Result {
    let group = build.group(view.domain, position);
    let capacity = group.sgc.capacity;
    match view.rules.log {
        LogFormat::Old => {
            write!(out, " {}", group.span)?;
            if capacity != 1024 {
                write!(out, " (cpu_capacity = {capacity})")?;
            }
        }
        LogFormat::New => {
            write!(out, " {}:{{ span={}", group.sgc.owner, group.span)?;
            if view.overlap && group.group.span != group.sgc.mask {
                write!(out, " mask={}", group.mask)?;
            }
            if capacity != 1024 {
                write!(out, " cap={capacity}")?;
            }
        }
    }
    Ok(())
}

/// Writes the last line of the build of one CPU map.
///
/// # Errors
/// What `out` reports.
pub fn write_root_line(build: &Build, cpu_map: &CpuMask, out: &mut dyn Write) -> fmt::Result {
    let capacity = || cpu_map.iter().map(|cpu| build.pointers[cpu].cpu_capacity).max().unwrap_or(0);
    match build.release.rules.root_line {
        RootLine::Span => writeln!(out, "span: {cpu_map} (max cpu_capacity = {})", capacity()),
        RootLine::RootDomainCapacity => {
            writeln!(out, "root domain span: {cpu_map} (max cpu_capacity = {})", capacity())
        }
        RootLine::RootDomain => writeln!(out, "root domain span: {cpu_map}"),
    }
}

/// The kernel's ERROR, BUG and WARNING lines in order, as a log at that level would hold them: blank lines and trailing
/// blanks left out, the rest of a line cut in two by an error included.
pub fn warnings(build: &Build, topology: &Topology) -> Vec<String> {
    let mut lines = Vec::new();
    for message in &build.messages {
        for line in message_lines(&message.kind, message.cpu, build, topology) {
            if !line.is_empty() {
                lines.push(line.trim_end().to_owned());
            }
        }
        if message.kind == MessageKind::HeadNotChild {
            lines.push(rest_of_cut_line(build, message));
        }
    }
    lines
}

/// What follows an error printed in the middle of the line of groups.
fn rest_of_cut_line(build: &Build, message: &super::Message) -> String {
    let (cpu, level) = (message.cpu.unwrap_or(0) as usize, message.level.unwrap_or(0) as usize);
    let mut text = String::new();
    let index = build.chain(cpu).position(|(other, _)| other == level).unwrap_or(0);
    if write_cpu(build, cpu, &mut text).is_err() {
        return String::new();
    }
    let marker = MessageKind::HeadNotChild.text(None);
    let indent = format!("{:index$} domain-{index}:", "");
    let mut after = text.lines().skip_while(|line| !line.starts_with(&indent)).skip_while(|line| *line != marker);
    after.nth(1).unwrap_or_default().to_owned()
}
