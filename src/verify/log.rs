//! A kernel's log against the model, build by build.

use super::difference::{Difference, Part};
use super::report::{Check, Report, Taken};
use crate::cpumask::CpuMask;
use crate::formats::log::{KernelLog, PrintedCpu, PrintedDomain, PrintedGroup, Rebuild, read_domains};
use crate::kernel::{self, Build, Release, dmesg};
use crate::topology::{CpuMasks, MaskLevel, Topology};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Interrupts and real-time tasks take capacity off, at most all but this part of it. A guest whose CPU had to wait for the host
/// showed a third.
const LEAST_PART: u64 = 4;

/// Compares every build in a log with what the model makes of the CPUs it was for.
pub fn check_log(topology: &Topology, release: &Release, log: &KernelLog) -> Report {
    let mut report = Report::default();
    for (at, rebuild) in log.rebuilds.iter().enumerate() {
        let name = if log.rebuilds.len() == 1 { "the log".to_owned() } else { format!("build {} in the log", at + 1) };
        let check = check_rebuild(topology, release, rebuild, &name);
        report.checks.push(check);
        if rebuild.span.is_none() && release.version > (4, 13, u32::MAX) {
            report.lost.push(format!("line {}: {name} breaks off before its last line", rebuild.line));
        }
    }
    report.lost.extend(log.lost.iter().map(|(line, what)| format!("line {line}: {what}")));
    report
}

/// The CPUs a build was for, as far as it says.
fn cpus_of(rebuild: &Rebuild) -> CpuMask {
    rebuild.span.clone().unwrap_or_else(|| rebuild.cpus.keys().copied().collect())
}

fn check_rebuild(topology: &Topology, release: &Release, rebuild: &Rebuild, name: &str) -> Check {
    let compare = |topology: &Topology, taken| {
        let build = kernel::build(topology, release);
        let differences = differences(&build, rebuild);
        Check { what: name.to_owned(), line: Some(rebuild.line), cpus: cpus_of(rebuild), taken, differences }
    };
    let as_given = compare(topology, Taken::AsGiven);
    let cpus = cpus_of(rebuild);
    let map = topology.online.andnot(&topology.isolated);
    if as_given.differences.is_empty() || cpus == map || rebuild.span.is_none() {
        return as_given;
    }
    // Other CPUs than the machine has online: some went or came back, or cpusets cut it.
    let mut tried = Vec::new();
    if !rebuild.at_boot || !rebuild.offline.is_empty() || !cpus.is_subset(&map) {
        tried.extend(
            with_online(topology, &cpus.or(&topology.isolated.and(&topology.online)))
                .map(|other| compare(&other, Taken::Hotplug)),
        );
    }
    if !rebuild.at_boot && cpus.is_subset(&map) {
        let cut = Topology { cpusets: vec![cpus.clone()], ..topology.clone() };
        tried.push(compare(&cut, Taken::Partition));
    }
    let best = tried.into_iter().min_by_key(|check| check.differences.len());
    best.filter(|best| best.differences.len() < as_given.differences.len()).unwrap_or(as_given)
}

/// The machine with these CPUs online: a CPU that is not is in nobody's mask. `None` when it has no such CPUs.
fn with_online(topology: &Topology, online: &CpuMask) -> Option<Topology> {
    let mut other = topology.clone();
    other.online = online.clone();
    for level in MaskLevel::ALL {
        let Some(masks) = topology.levels.get(level) else { continue };
        let cut = (0..topology.nr_cpus).map(|cpu| {
            if online.contains(cpu) { masks.get(cpu).and(online).or(&CpuMask::single(cpu)) } else { CpuMask::new() }
        });
        other.levels.set(level, Some(Arc::new(CpuMasks::new(cut))));
    }
    other.validate().is_ok().then_some(other)
}

/// The model's domains of some CPUs, read from what it prints.
fn model_of(build: &Build, cpus: impl Iterator<Item = usize>) -> BTreeMap<usize, PrintedCpu> {
    let mut text = String::new();
    for cpu in cpus.filter(|&cpu| cpu < build.nr_cpus) {
        // Writing to a string can't fail.
        let _ = dmesg::write_cpu(build, cpu, &mut text);
    }
    read_domains(&text)
}

fn differences(build: &Build, rebuild: &Rebuild) -> Vec<Difference> {
    let mut found = Vec::new();
    let printed: CpuMask = rebuild.cpus.keys().copied().collect();
    let about = |part, printed: String, model: String| Difference {
        line: Some(rebuild.line),
        cpu: None,
        domain: None,
        group: None,
        part,
        printed,
        model,
    };
    let map = build.cpu_map();
    let of_partition = || build.cpu_maps.iter().any(|map| rebuild.span.as_ref() == Some(map));
    if let Some(span) = rebuild.span.as_ref().filter(|span| **span != map && !of_partition()) {
        found.push(about(Part::CpuMap, span.to_string(), map.to_string()));
    }
    // A build is of all CPUs of its last line.
    let missing = rebuild.span.as_ref().map(|span| span.andnot(&printed)).unwrap_or_default();
    let beyond = rebuild.span.as_ref().map(|span| printed.andnot(span)).unwrap_or_default();
    for cpu in missing.iter().chain(beyond.iter()) {
        let said = |is: bool| if is { "its domains" } else { "nothing" }.to_owned();
        let (here, there) = (beyond.contains(cpu), map.contains(cpu) && missing.contains(cpu));
        let line = rebuild.cpus.get(&cpu).map(|printed| printed.line);
        found.push(Difference { cpu: Some(cpu), line, ..about(Part::Domains, said(here), said(there)) });
    }
    let model = model_of(build, printed.iter());
    for (&cpu, printed) in &rebuild.cpus {
        let empty = PrintedCpu::default();
        compare_cpu(cpu, printed, model.get(&cpu).unwrap_or(&empty), &mut found);
    }
    found
}

fn compare_cpu(cpu: usize, printed: &PrintedCpu, model: &PrintedCpu, found: &mut Vec<Difference>) {
    for (index, (here, there)) in printed.domains.iter().zip(&model.domains).enumerate() {
        let place = |group: Option<usize>, part, printed: String, model: String| Difference {
            line: Some(here.line + usize::from(group.is_some())),
            cpu: Some(cpu),
            domain: Some((index, there.name.clone())),
            group,
            part,
            printed,
            model,
        };
        compare_domain(here, there, &place, found);
    }
    let (here, there) = (printed.domains.len(), model.domains.len());
    if here != there && !(printed.broken && here < there) {
        let names = |cpu: &PrintedCpu| {
            let names: Vec<&str> = cpu.domains.iter().map(|domain| domain.name.as_str()).collect();
            if names.is_empty() { "no domains".to_owned() } else { names.join(" ") }
        };
        found.push(Difference {
            line: Some(printed.line),
            cpu: Some(cpu),
            domain: None,
            group: None,
            part: Part::Domains,
            printed: names(printed),
            model: names(model),
        });
    }
}

type Place<'a> = dyn Fn(Option<usize>, Part, String, String) -> Difference + 'a;

fn compare_domain(here: &PrintedDomain, there: &PrintedDomain, place: &Place, found: &mut Vec<Difference>) {
    if here.name != there.name {
        found.push(place(None, Part::Name, here.name.clone(), there.name.clone()));
    }
    if here.span != there.span {
        found.push(place(None, Part::Span, here.span.to_string(), there.span.to_string()));
    }
    if here.complaints != there.complaints {
        found.push(place(None, Part::Complaint, here.complaints.join("; "), there.complaints.join("; ")));
    }
    let (Some(groups), Some(model)) = (&here.groups, &there.groups) else { return };
    if groups.len() != model.len() {
        found.push(place(None, Part::Groups, groups.len().to_string(), model.len().to_string()));
        return;
    }
    let spans =
        |groups: &[PrintedGroup]| -> Vec<String> { groups.iter().map(|group| group.span.to_string()).collect() };
    let (mut sorted, mut wanted) = (spans(groups), spans(model));
    if sorted != wanted {
        let (printed, expected) = (sorted.join(" "), wanted.join(" "));
        sorted.sort();
        wanted.sort();
        if sorted == wanted {
            found.push(place(None, Part::GroupOrder, printed, expected));
            return;
        }
    }
    for (at, (group, model)) in groups.iter().zip(model).enumerate() {
        compare_group(at, group, model, place, found);
    }
}

fn compare_group(at: usize, group: &PrintedGroup, model: &PrintedGroup, place: &Place, found: &mut Vec<Difference>) {
    let text = |mask: &Option<CpuMask>| mask.as_ref().map(CpuMask::to_string).unwrap_or_default();
    if group.span != model.span {
        found.push(place(Some(at), Part::GroupSpan, group.span.to_string(), model.span.to_string()));
    }
    if group.owner != model.owner {
        let text = |owner: Option<usize>| owner.map(|cpu| cpu.to_string()).unwrap_or_default();
        found.push(place(Some(at), Part::GroupOwner, text(group.owner), text(model.owner)));
    }
    if group.mask != model.mask {
        found.push(place(Some(at), Part::BalanceMask, text(&group.mask), text(&model.mask)));
    }
    if group.capacity > model.capacity || group.capacity * LEAST_PART < model.capacity {
        found.push(place(Some(at), Part::Capacity, group.capacity.to_string(), model.capacity.to_string()));
    }
}
