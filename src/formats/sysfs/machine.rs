//! The machine that such files tell of.

use super::files::Files;
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::formats::FormatError;
use crate::formats::boot;
use crate::formats::found::{Found, cpus, level, numbers};
use crate::topology::{Arch, MaskLevel, Topology};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What `node_reclaim_distance` is on AMD's Zen and its kin, from 5.4.
const RECLAIM_DISTANCE_ZEN: u32 = 32;

/// Reads the machine.
///
/// # Errors
/// When nodes, CPUs or distances are missing or do not fit together, with the file.
pub fn read(files: &Files) -> Result<Topology, FormatError> {
    let online = online(files)?;
    let mut found = Found::default();
    let columns = node_ids(files)?;
    for &id in &columns {
        let name = format!("node{id}");
        let list = mask(files, &format!("{name}/cpulist"), &format!("{name}/cpumap"))?.unwrap_or_default();
        found.nodes.insert(id, list);
        if let Some(row) = files.get(&format!("{name}/distance")) {
            let row = numbers(row, 1).map_err(|error| error.in_file(format!("{name}/distance")))?;
            found.rows.insert(id, row);
        }
    }
    if columns.is_empty() {
        found.nodes.insert(0, online.clone());
    } else {
        found.columns = Some(columns);
    }
    add_offline(files, &mut found);
    for (&id, list) in &found.nodes {
        let package = list.iter().find_map(|cpu| number(files, cpu, "physical_package_id"));
        if let Some(package) = package {
            found.packages.insert(id, package);
        }
    }
    let mut topology = found.into_topology()?;
    let present = ["cpu/present", "cpu/possible", "cpu/online"].iter().find_map(|name| files.get(name));
    let present = present.map(|list| cpus(list, 1)).transpose()?.unwrap_or_default();
    topology.nr_cpus = topology.nr_cpus.max(present.last().map_or(0, |last| last + 1));
    if topology.nr_cpus > MAX_CPUS {
        return Err(FormatError::new(format!("{} CPUs", topology.nr_cpus), format!("at most {MAX_CPUS} are possible")));
    }
    topology.online = if online.is_empty() { topology.online } else { online };
    topology.arch = arch(files.whole("proc/cpuinfo").unwrap_or_default());
    set_levels(files, &mut topology)?;
    set_capacities(files, &mut topology);
    set_run(files, &mut topology)?;
    topology.validate()?;
    Ok(topology)
}

fn online(files: &Files) -> Result<CpuMask, FormatError> {
    let list = files.get("cpu/online").unwrap_or_default();
    cpus(list, 1).map_err(|error| error.in_file("cpu/online"))
}

/// The nodes that are online: a row of distances has a column for each of them, in order.
fn node_ids(files: &Files) -> Result<Vec<u32>, FormatError> {
    if let Some(list) = files.get("node/online") {
        let nodes = cpus(list, 1).map_err(|error| error.in_file("node/online"))?;
        return Ok(nodes.iter().map(|id| id as u32).collect());
    }
    let mut ids: Vec<u32> = files.below("node").filter_map(|(rest, _)| rest.split_once('/')?.0.parse().ok()).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The lists of nodes hold no CPUs that are offline; links still tell where they belong.
fn add_offline(files: &Files, found: &mut Found) {
    for (rest, _) in files.below("cpu") {
        let Some((cpu, node)) = rest.split_once("/node") else { continue };
        let (Ok(cpu), Ok(node)) = (cpu.parse::<usize>(), node.parse::<u32>()) else { continue };
        let known = found.nodes.values().any(|cpus| cpus.contains(cpu));
        if let Some(list) = found.nodes.get_mut(&node).filter(|_| !known && cpu < MAX_CPUS) {
            list.insert(cpu);
        }
    }
}

/// A set of CPUs from a list, or else from a mask in hexadecimal.
fn mask(files: &Files, list: &str, hex: &str) -> Result<Option<CpuMask>, FormatError> {
    if let Some(text) = files.get(list) {
        return cpus(text, 1).map(Some).map_err(|error| error.in_file(list));
    }
    let Some(text) = files.get(hex) else { return Ok(None) };
    let bad =
        || FormatError::new("this is no mask of CPUs", "write hexadecimal digits, 32 bits between commas").in_file(hex);
    CpuMask::parse_hex(text).ok_or_else(bad).map(Some)
}

fn number(files: &Files, cpu: usize, file: &str) -> Option<u32> {
    files.get(&format!("cpu{cpu}/topology/{file}"))?.parse().ok()
}

/// The architecture, as `/proc/cpuinfo` shows it by the words it uses.
fn arch(cpuinfo: &str) -> Arch {
    let has = |word: &str| cpuinfo.lines().any(|line| line.starts_with(word));
    if cpuinfo.contains("IBM/S390") {
        Arch::S390
    } else if has("vendor_id") || has("cpu family") {
        Arch::X86
    } else if has("CPU implementer") {
        Arch::Arm64
    } else if has("cpu\t\t: POWER") || has("platform\t: p") {
        Arch::Powerpc
    } else {
        Arch::Generic
    }
}

/// The masks of one CPU.
struct OfCpu {
    smt: CpuMask,
    cluster: Option<CpuMask>,
    package: Option<CpuMask>,
    /// Caches from level 2 on: level and who shares it.
    caches: Vec<(u32, CpuMask)>,
}

fn of_cpu(files: &Files, cpu: usize) -> Result<OfCpu, FormatError> {
    let named =
        |list: &str, hex: &str| mask(files, &format!("cpu{cpu}/topology/{list}"), &format!("cpu{cpu}/topology/{hex}"));
    let smt = match named("core_cpus_list", "core_cpus")? {
        Some(mask) => mask,
        None => named("thread_siblings_list", "thread_siblings")?.unwrap_or_else(|| CpuMask::single(cpu)),
    };
    let package = match named("package_cpus_list", "package_cpus")? {
        Some(mask) => Some(mask),
        None => named("core_siblings_list", "core_siblings")?,
    };
    // An id of 65535 or -1 is no cluster; the list then holds what is lowest.
    let cluster = match files.get(&format!("cpu{cpu}/topology/cluster_id")) {
        None | Some("65535" | "-1") => None,
        Some(_) => named("cluster_cpus_list", "cluster_cpus")?,
    };
    let mut caches = Vec::new();
    for index in 0..8 {
        let file = |name: &str| format!("cpu{cpu}/cache/index{index}/{name}");
        let level = files.get(&file("level")).and_then(|level| level.parse::<u32>().ok());
        let (Some(level), kind) = (level, files.get(&file("type"))) else { continue };
        if level >= 2 && kind != Some("Instruction") {
            let shared = mask(files, &file("shared_cpu_list"), &file("shared_cpu_map"))?;
            caches.extend(shared.map(|shared| (level, shared)));
        }
    }
    caches.sort_by_key(|(level, _)| *level);
    Ok(OfCpu { smt, cluster, package, caches })
}

/// What the kernel takes for the masks of each level, by architecture.
fn set_levels(files: &Files, topology: &mut Topology) -> Result<(), FormatError> {
    let mut masks: BTreeMap<&'static str, Vec<CpuMask>> = BTreeMap::new();
    let mut crosses = false;
    let nodes = topology.node_of_cpus();
    for (cpu, node) in nodes.into_iter().enumerate() {
        let node = node.map(|node| topology.node_online(node as usize)).unwrap_or_default();
        let here = if topology.online.contains(cpu) { Some(of_cpu(files, cpu)?) } else { None };
        let mut push = |name, mask: Option<CpuMask>| masks.entry(name).or_default().push(mask.unwrap_or_default());
        let Some(here) = here else {
            for name in ["smt", "cls", "mc", "book", "drawer"] {
                push(name, None);
            }
            continue;
        };
        crosses |= here.package.as_ref().is_some_and(|package| !package.is_subset(&node));
        let (cls, mc) = match topology.arch {
            Arch::X86 => of_x86(&here, &node),
            Arch::Powerpc => (here.caches.first().map(|(_, mask)| mask.clone()), None),
            Arch::S390 => (None, here.package.clone()),
            Arch::Arm64 | Arch::Generic => of_arm64(&here, &node),
        };
        let named = |list: &str| mask(files, &format!("cpu{cpu}/topology/{list}"), "");
        push("book", named("book_siblings_list")?);
        push("drawer", named("drawer_siblings_list")?);
        push("cls", Some(cls.unwrap_or_else(|| here.smt.clone())));
        push("mc", Some(mc.unwrap_or_else(|| here.smt.clone())));
        push("smt", Some(here.smt));
    }
    topology.numa_in_package = topology.arch == Arch::X86 && crosses;
    let mut take = |name| masks.remove(name).unwrap_or_default();
    level(topology, MaskLevel::Smt, take("smt"));
    level(topology, MaskLevel::Cls, take("cls"));
    level(topology, MaskLevel::Mc, take("mc"));
    if topology.arch == Arch::S390 {
        level(topology, MaskLevel::Book, take("book"));
        level(topology, MaskLevel::Drawer, take("drawer"));
    }
    Ok(())
}

/// `cpu_clustergroup_mask`, who shares the second level of cache, and `cpu_coregroup_mask`, who shares the last, cut at the
/// borders of the node as `match_llc` and `topology_sane` do.
fn of_x86(here: &OfCpu, node: &CpuMask) -> (Option<CpuMask>, Option<CpuMask>) {
    let second = here.caches.iter().find(|(level, _)| *level == 2).map(|(_, mask)| mask.and(node));
    (second, here.caches.last().map(|(_, mask)| mask.and(node)))
}

/// `cpu_clustergroup_mask` and `cpu_coregroup_mask` of `drivers/base/arch_topology.c`: the smallest of node, package and
/// last cache, widened to the cluster, and no cluster where it says the same.
fn of_arm64(here: &OfCpu, node: &CpuMask) -> (Option<CpuMask>, Option<CpuMask>) {
    let mut mc = node.clone();
    let last = here.caches.last().map(|(_, mask)| mask);
    for smaller in [here.package.as_ref(), last].into_iter().flatten() {
        if smaller.is_subset(&mc) {
            mc = smaller.clone();
        }
    }
    let cluster = here.cluster.clone();
    if let Some(cluster) = cluster.as_ref().filter(|cluster| mc.is_subset(cluster)) {
        mc = cluster.clone();
    }
    (cluster.filter(|cluster| !mc.is_subset(cluster)), Some(mc))
}

/// Capacities count where they are not all full.
fn set_capacities(files: &Files, topology: &mut Topology) {
    let of =
        |cpu: usize| files.get(&format!("cpu{cpu}/cpu_capacity")).and_then(|text| text.parse().ok()).unwrap_or(1024);
    let capacities: Vec<u32> = (0..topology.nr_cpus).map(of).collect();
    if capacities.iter().any(|&capacity| capacity != 1024) {
        topology.capacity = Some(Arc::from(capacities));
    }
}

/// What was decided at boot.
fn set_run(files: &Files, topology: &mut Topology) -> Result<(), FormatError> {
    let list = |name: &str| match files.get(name) {
        None | Some("(null)") => Ok(CpuMask::new()),
        Some(list) => cpus(list, 1).map_err(|error| error.in_file(name)),
    };
    let possible = CpuMask::first_n(topology.nr_cpus);
    topology.isolated = list("cpu/isolated")?.and(&possible);
    topology.nohz_full = list("cpu/nohz_full")?.and(&possible);
    if let Some(line) = files.get("proc/cmdline") {
        boot::Parameters::read(line).apply_what_files_do_not_say(topology, files.get("proc/version"));
    }
    let cpuinfo = files.whole("proc/cpuinfo").unwrap_or_default();
    if is_zen(cpuinfo) {
        topology.reclaim_distance = RECLAIM_DISTANCE_ZEN;
    }
    Ok(())
}

fn is_zen(cpuinfo: &str) -> bool {
    let value = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|word| word.trim() == name));
        line.and_then(|line| Some(line.split_once(':')?.1.trim()))
    };
    let family = value("cpu family").and_then(|family| family.parse::<u32>().ok()).unwrap_or(0);
    match value("vendor_id") {
        Some("AuthenticAMD") => family >= 0x17,
        Some("HygonGenuine") => true,
        _ => false,
    }
}
