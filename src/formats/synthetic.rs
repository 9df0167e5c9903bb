//! hwloc's description of a machine in a line: `package:2 numanode:2 l3:1 core:4 pu:2`.

use super::error::{FormatError, short};
use super::found::{Found, level};
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::topology::{MaskLevel, Topology};

/// What a level is made of, as far as domains are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Package,
    Node,
    /// A cache, by its level.
    Cache(u32),
    Core,
    Pu,
    /// Something that decides no domain.
    Other,
}

fn kind(name: &str) -> Option<Kind> {
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "package" | "pack" | "socket" => Kind::Package,
        "numanode" | "numa" | "node" => Kind::Node,
        "core" => Kind::Core,
        "pu" => Kind::Pu,
        "machine" | "group" | "die" | "system" => Kind::Other,
        _ => {
            let cache = name.trim_end_matches("cache").trim_end_matches(['d', 'u', 'i']);
            Kind::Cache(cache.strip_prefix('l')?.parse().ok().filter(|level| (1..=5).contains(level))?)
        }
    })
}

/// The levels of a description: kind, and how many are in each of the level above. Nodes in brackets hang on the level
/// before them.
fn levels(text: &str) -> Option<Vec<(Kind, usize)>> {
    let mut found = Vec::new();
    let text = text.replace('[', " [ ").replace(']', " ] ");
    for word in without_parentheses(&text).split_whitespace().filter(|word| !matches!(*word, "[" | "]")) {
        let (name, count) = word.split_once(':').unwrap_or((word, "1"));
        match name.parse::<usize>() {
            // A number alone is a level without a name.
            Ok(count) if !word.contains(':') => found.push((Kind::Other, count)),
            _ => found.push((kind(name)?, count.parse().ok()?)),
        }
    }
    Some(found)
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a line is such a description.
pub(super) fn is_synthetic(line: &str) -> bool {
    let found = levels(line).unwrap_or_default();
    found.len() >= 2 && found.iter().any(|(kind, _)| matches!(kind, Kind::Pu | Kind::Core))
}

/// Reads the machine.
///
/// # Errors
/// When it is no such description, or has more CPUs than a machine can have.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if line.contains("indexes=") {
        let cure = "give the output of `lstopo --of xml`";
        return Err(FormatError::new("CPUs in an order of their own are not read from a description", cure));
    }
    let bad = || {
        FormatError::new(format!("`{}` is no description of a machine", short(line)), "write numanode:2 core:4 pu:2")
    };
    let levels = levels(line).ok_or_else(bad)?;
    let total = levels.iter().try_fold(1_usize, |total, &(_, count)| total.checked_mul(count));
    let total = total.filter(|&total| (1..=MAX_CPUS).contains(&total)).ok_or_else(|| {
        FormatError::new("the description has no CPU, or too many", format!("between 1 and {MAX_CPUS} are possible"))
    })?;
    let mut parts = 1;
    let mut sized: Vec<(Kind, usize)> = Vec::new();
    for (kind, count) in levels {
        parts *= count;
        sized.push((kind, total / parts));
    }
    let size = |wanted: Kind| sized.iter().find(|(kind, _)| *kind == wanted).map(|&(_, size)| size);
    let mut found = Found::default();
    let per_node = size(Kind::Node).unwrap_or(total);
    for node in 0..total / per_node {
        found.nodes.insert(node as u32, CpuMask::range(node * per_node, (node + 1) * per_node - 1));
        if let Some(package) = size(Kind::Package) {
            found.packages.insert(node as u32, (node * per_node / package) as u32);
        }
    }
    let mut topology = found.into_topology()?;
    let cut = |size: usize| {
        (0..total).map(|cpu| CpuMask::range(cpu / size * size, cpu / size * size + size - 1)).collect::<Vec<_>>()
    };
    let last = sized
        .iter()
        .filter_map(|&(kind, size)| if let Kind::Cache(cache) = kind { Some((cache, size)) } else { None })
        .max();
    level(&mut topology, MaskLevel::Smt, cut(size(Kind::Core).unwrap_or(1)));
    if let Some((cache, size)) = last
        && cache >= 2
    {
        level(&mut topology, MaskLevel::Mc, cut(size.min(per_node)));
    }
    topology.validate()?;
    Ok(topology)
}

/// Writes the description of a machine whose nodes, caches and cores are all of one size and in order.
///
/// # Errors
/// When they are not.
pub fn write(topology: &Topology) -> Result<String, FormatError> {
    let nodes = topology.nodes.len();
    let each = topology.nr_cpus / nodes;
    let regular = |masks: &dyn Fn(usize) -> CpuMask| -> Option<usize> {
        let size = masks(0).weight();
        let fits = size > 0 && each.is_multiple_of(size);
        (fits
            && (0..topology.nr_cpus)
                .all(|cpu| masks(cpu) == CpuMask::range(cpu / size * size, cpu / size * size + size - 1)))
        .then_some(size)
    };
    let (smt, mc, of) = (topology.mask(MaskLevel::Smt), topology.mask(MaskLevel::Mc), topology.node_of_cpus());
    let node = |cpu: usize| of[cpu].map(|node| topology.nodes[node as usize].cpus.clone()).unwrap_or_default();
    let sizes = (regular(&node), regular(&|cpu| mc.get(cpu).clone()), regular(&|cpu| smt.get(cpu).clone()));
    let whole = |&(node, cache, core): &(usize, usize, usize)| {
        node == each && each * nodes == topology.nr_cpus && each.is_multiple_of(cache) && cache.is_multiple_of(core)
    };
    let sizes = sizes.0.zip(sizes.1).zip(sizes.2).map(|((node, cache), core)| (node, cache, core)).filter(whole);
    let Some((_, cache, core)) = sizes else {
        let cure = "its nodes, caches and cores must be of one size, with CPUs in order";
        return Err(FormatError::new("such a machine has no description in a line", cure));
    };
    let cache = if cache > core {
        format!(" l3:{} core:{}", each / cache, cache / core)
    } else {
        format!(" core:{}", each / core)
    };
    Ok(format!("numanode:{nodes}{cache} pu:{core}\n"))
}
