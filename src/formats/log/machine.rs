//! As much of a machine as a log tells: nodes, levels, and in what order other nodes come near.

use super::read::{KernelLog, PrintedCpu, Rebuild, read};
use crate::cpumask::CpuMask;
use crate::formats::FormatError;
use crate::formats::boot::Parameters;
use crate::formats::found::level;
use crate::topology::{Arch, Distances, LOCAL_DISTANCE, MaskLevel, Node, Topology};
use std::collections::BTreeMap;

/// What a distance grows by from one level to the next, as assumed.
const STEP: u32 = 10;

/// Whether a text is a log with domains in it.
pub fn is_log(text: &str) -> bool {
    text.contains(" attaching sched-domain") && text.contains(" groups:")
}

/// Reads the machine, and the kernel that printed it where its version line is there. Distances are not in a log: each
/// level of NUMA domains is assumed to be one distance further.
///
/// # Errors
/// When no build is in the log.
pub fn read_machine(text: &str) -> Result<(Topology, Option<String>), FormatError> {
    let log = read(text);
    let Some(build) = log.rebuilds.iter().find(|build| build.cpus.values().any(|cpu| !cpu.domains.is_empty())) else {
        let cure = "boot with sched_verbose (before 5.13: sched_debug) and ignore_loglevel";
        return Err(FormatError::new("no domains are in this log", cure));
    };
    let nodes = nodes(&log, build);
    let distances = distances(&nodes, build);
    let mut topology = Topology::new("", nodes.values().cloned().collect(), distances);
    for (node, (&id, cpus)) in topology.nodes.iter_mut().zip(&nodes) {
        *node = Node { id, cpus: cpus.clone(), package: None };
    }
    topology.online = nodes.values().fold(CpuMask::new(), |all, cpus| all.or(cpus));
    topology.arch = arch(text);
    set_levels(&mut topology, build);
    let kept = build.cpus.keys().copied().collect::<CpuMask>();
    topology.isolated = topology.online.andnot(&kept);
    topology.relax_domain_level =
        log.command_line.as_deref().and_then(|line| Parameters::read(line).relax_domain_level);
    topology.about = format!(
        "from a kernel log, which holds no distances: {LOCAL_DISTANCE} within a node, and {STEP} more for each level of NUMA \
         domains assumed"
    );
    topology.validate()?;
    Ok((topology, log.version))
}

fn arch(text: &str) -> Arch {
    let has = |word: &str| text.contains(word);
    if has("BIOS-e820") || has("smpboot: ") || has("x86/") {
        Arch::X86
    } else if has("psci: ") || has("Booting Linux on physical CPU 0x") {
        Arch::Arm64
    } else {
        Arch::Generic
    }
}

fn is_numa(name: &str) -> bool {
    name == "NUMA"
}

/// The span of a CPU's highest domain within its node.
fn home(cpu: usize, printed: &PrintedCpu) -> CpuMask {
    let within = printed.domains.iter().rev().find(|domain| !is_numa(&domain.name));
    within.map_or_else(|| CpuMask::single(cpu), |domain| domain.span.clone())
}

/// The CPUs of each node: as they came up, or else as domains show them, numbered in order.
fn nodes(log: &KernelLog, build: &Rebuild) -> BTreeMap<u32, CpuMask> {
    let mut nodes = log.node_cpus.clone();
    let named = nodes.values().fold(CpuMask::new(), |all, cpus| all.or(cpus));
    let mut rest: CpuMask = build.cpus.keys().copied().collect::<CpuMask>().andnot(&named);
    if !nodes.is_empty() {
        // The CPU that boots is in no line. It is of the node its domains show, or of a node that has no CPUs yet.
        for (&cpu, printed) in build.cpus.iter().filter(|(cpu, _)| rest.contains(**cpu)) {
            let home = home(cpu, printed);
            let mate = nodes.iter().find(|(_, cpus)| cpus.intersects(&home)).map(|(&id, _)| id);
            let empty = (0..=nodes.len() as u32).find(|id| !nodes.contains_key(id)).unwrap_or(0);
            nodes.entry(mate.unwrap_or(empty)).or_default().insert(cpu);
        }
        return nodes;
    }
    while let Some(cpu) = rest.first() {
        let home = build.cpus.get(&cpu).map_or_else(|| CpuMask::single(cpu), |printed| home(cpu, printed));
        let cpus = home.and(&rest).or(&CpuMask::single(cpu));
        rest.andnot_assign(&cpus);
        nodes.insert(nodes.len() as u32, cpus);
    }
    nodes
}

/// Distances by the level of domains at which nodes first meet. A level that is degenerate for one CPU is not for another: the
/// table is taken for symmetric, and levels are moved up until both sides agree.
fn distances(nodes: &BTreeMap<u32, CpuMask>, build: &Rebuild) -> Distances {
    let cpus: Vec<&CpuMask> = nodes.values().collect();
    let chains: Vec<Vec<&CpuMask>> = cpus
        .iter()
        .map(|cpus| {
            let of = |cpu: usize| build.cpus.get(&cpu).map(|printed| &printed.domains[..]).unwrap_or_default();
            let longest = cpus.iter().max_by_key(|&cpu| of(cpu).len()).unwrap_or(0);
            of(longest).iter().filter(|domain| is_numa(&domain.name)).map(|domain| &domain.span).collect()
        })
        .collect();
    let count = cpus.len();
    let met = |from: usize, to: usize| chains[from].iter().position(|span| span.intersects(cpus[to]));
    let mut levels: Vec<Vec<u32>> = chains.iter().map(|chain| (1..=chain.len() as u32).collect()).collect();
    let most = 4 * count.max(4) as u32;
    let mut moved = true;
    while moved {
        moved = false;
        for from in 0..count {
            for at in 1..levels[from].len() {
                let least = levels[from][at - 1] + 1;
                if levels[from][at] < least {
                    levels[from][at] = least;
                    moved = true;
                }
            }
            for to in 0..count {
                let (Some(here), Some(there)) = (met(from, to), met(to, from)) else { continue };
                let both = levels[from][here].max(levels[to][there]);
                if from != to && both < most && (levels[from][here] < both || levels[to][there] < both) {
                    levels[from][here] = both;
                    levels[to][there] = both;
                    moved = true;
                }
            }
        }
    }
    let beyond = levels.iter().flatten().max().copied().unwrap_or(0) + 1;
    Distances::from_fn(count, |from, to| {
        let level = if from == to { 0 } else { met(from, to).map_or(beyond, |at| levels[from][at]) };
        LOCAL_DISTANCE + STEP * level
    })
}

fn set_levels(topology: &mut Topology, build: &Rebuild) {
    let span = |cpu: usize, names: &[&str]| {
        let printed = build.cpus.get(&cpu)?;
        let domain = printed.domains.iter().rev().find(|domain| names.contains(&domain.name.as_str()))?;
        Some(domain.span.clone())
    };
    let alone = |cpu: usize| if topology.online.contains(cpu) { CpuMask::single(cpu) } else { CpuMask::new() };
    let masks = |names: &[&str]| -> Vec<CpuMask> {
        (0..topology.nr_cpus).map(|cpu| span(cpu, names).unwrap_or_else(|| alone(cpu))).collect()
    };
    let (smt, cls, mc) =
        (masks(&["SMT"]), masks(&["SMT", "CLS", "CACHE"]), masks(&["SMT", "CLS", "CACHE", "MC", "GMC"]));
    level(topology, MaskLevel::Smt, smt);
    level(topology, MaskLevel::Cls, cls);
    level(topology, MaskLevel::Mc, mc);
}
