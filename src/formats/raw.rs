//! The fields of a topology as a file gives them, before defaults are filled in: where JSON and TOML meet.

use super::error::FormatError;
use crate::cpumask::{CpuListError, CpuListFault, CpuMask, MAX_CPUS};
use crate::topology::{
    Arch, CpuMasks, Distances, Invalid, LOCAL_DISTANCE, Levels, MAX_NODES, MaskLevel, Node, RECLAIM_DISTANCE, Topology,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A cpulist as written. `N` and `all` wait until the number of CPUs is known.
#[derive(Clone, Debug)]
pub(super) enum RawMask {
    Known(CpuMask),
    Relative(String),
}

impl RawMask {
    /// Reads a cpulist, leaving what depends on the number of CPUs for later.
    pub(super) fn parse(text: &str) -> Result<Self, CpuListError> {
        match CpuMask::parse(text, None) {
            Ok(mask) => Ok(Self::Known(mask)),
            Err(CpuListError { why: CpuListFault::NoLast, .. }) => {
                // Everything else about it must be right now, while its place in the file is known.
                CpuMask::parse(text, Some(MAX_CPUS))?;
                Ok(Self::Relative(text.to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    fn last(&self) -> Option<usize> {
        match self {
            Self::Known(mask) => mask.last(),
            Self::Relative(_) => None,
        }
    }

    fn resolve(self, place: &str, nr_cpus: Option<usize>) -> Result<CpuMask, Invalid> {
        match self {
            Self::Known(mask) => Ok(mask),
            Self::Relative(text) => CpuMask::parse(&text, nr_cpus).map_err(|error| {
                let FormatError { fault, cure, .. } = FormatError::from_words(&error.to_string());
                let cure = if nr_cpus.is_none() { "write its number, or give nr_cpus".to_owned() } else { cure };
                Invalid::new(place, fault, cure)
            }),
        }
    }
}

/// A level's masks as written.
#[derive(Clone, Debug)]
pub(super) enum RawLevel {
    /// One per CPU; equal texts once.
    PerCpu { distinct: Vec<RawMask>, of_cpu: Vec<u32> },
    /// The groups that share; a CPU in none of them is alone.
    Groups(Vec<RawMask>),
    /// Made from the short form.
    Made(CpuMasks),
}

impl RawLevel {
    fn last(&self) -> Option<usize> {
        let masks = match self {
            Self::PerCpu { distinct: masks, .. } | Self::Groups(masks) => masks,
            Self::Made(masks) => return masks.len().checked_sub(1),
        };
        masks.iter().filter_map(RawMask::last).max()
    }

    fn resolve(self, place: &str, given: Option<usize>, nr_cpus: usize) -> Result<CpuMasks, Invalid> {
        let resolve = |masks: Vec<RawMask>| -> Result<Vec<CpuMask>, Invalid> {
            masks.into_iter().map(|mask| mask.resolve(place, given)).collect()
        };
        match self {
            Self::Made(masks) => Ok(masks),
            Self::Groups(groups) => grouped(place, &resolve(groups)?, nr_cpus),
            Self::PerCpu { distinct, of_cpu } => Ok(interned(resolve(distinct)?, of_cpu)),
        }
    }
}

/// Masks of groups, which must not overlap or leave the machine.
fn grouped(place: &str, groups: &[CpuMask], nr_cpus: usize) -> Result<CpuMasks, Invalid> {
    let mut taken = CpuMask::new();
    for group in groups {
        if let Some(cpu) = group.first_and(&taken) {
            return Err(Invalid::new(place, format!("CPU {cpu} is in two groups"), "a CPU belongs to one group"));
        }
        if let Some(last) = group.last().filter(|&last| last >= nr_cpus) {
            let fault = format!("CPU {last} does not exist, there are {nr_cpus}");
            return Err(Invalid::new(place, fault, format!("CPUs go from 0 to {}", nr_cpus.saturating_sub(1))));
        }
        taken.or_assign(group);
    }
    Ok(CpuMasks::from_groups(groups, nr_cpus))
}

/// Equal masks may have been written differently (`0-1`, `0,1`): they become one.
fn interned(distinct: Vec<CpuMask>, of_cpu: Vec<u32>) -> CpuMasks {
    let mut ids: FxHashMap<&CpuMask, u32> = FxHashMap::default();
    let unlike = distinct.iter().enumerate().all(|(at, mask)| ids.insert(mask, at as u32).is_none());
    if unlike {
        return CpuMasks::from_parts(distinct, of_cpu);
    }
    CpuMasks::new(of_cpu.into_iter().filter_map(|id| distinct.get(id as usize).cloned()))
}

/// A file's fields; `None` is a field that is not there.
#[derive(Clone, Debug, Default)]
pub(super) struct Raw {
    pub(super) name: Option<String>,
    pub(super) about: Option<String>,
    pub(super) source: Option<String>,
    pub(super) arch: Option<Arch>,
    pub(super) nr_cpus: Option<u32>,
    pub(super) node_cpus: Option<Vec<RawMask>>,
    pub(super) node_ids: Option<Vec<u32>>,
    pub(super) package: Option<Vec<Option<u32>>>,
    pub(super) distance: Option<Vec<Vec<u32>>>,
    pub(super) levels: Vec<(MaskLevel, RawLevel)>,
    pub(super) online: Option<RawMask>,
    pub(super) isolated: Option<RawMask>,
    pub(super) nohz_full: Option<RawMask>,
    pub(super) cpusets: Option<Vec<RawMask>>,
    pub(super) capacity: Option<Vec<u32>>,
    pub(super) sched_debug: Option<bool>,
    pub(super) reclaim_distance: Option<u32>,
    pub(super) relax_domain_level: Option<u32>,
    pub(super) numa_in_package: Option<bool>,
}

impl Raw {
    /// Fills in the defaults and checks the whole.
    pub(super) fn into_topology(mut self) -> Result<Topology, Invalid> {
        let given = self.given_cpus()?;
        let nr_cpus = given.unwrap_or_else(|| self.named_cpus());
        let nodes = self.nodes(given)?;
        let topology = Topology {
            distances: distances(self.distance.take(), nodes.len())?,
            levels: levels(std::mem::take(&mut self.levels), given, nr_cpus)?,
            online: self.online.map_or_else(|| Ok(CpuMask::first_n(nr_cpus)), |mask| mask.resolve("online", given))?,
            isolated: optional(self.isolated, "isolated", given)?,
            nohz_full: optional(self.nohz_full, "nohz_full", given)?,
            cpusets: list(self.cpusets.unwrap_or_default(), "cpusets", given)?,
            name: self.name.unwrap_or_default(),
            about: self.about.unwrap_or_default(),
            source: self.source.unwrap_or_default(),
            arch: self.arch.unwrap_or_default(),
            nr_cpus,
            nodes,
            capacity: self.capacity.map(Arc::from),
            sched_debug: self.sched_debug.unwrap_or(true),
            reclaim_distance: self.reclaim_distance.unwrap_or(RECLAIM_DISTANCE),
            relax_domain_level: self.relax_domain_level,
            numa_in_package: self.numa_in_package.unwrap_or(false),
        };
        topology.validate()?;
        Ok(topology)
    }

    /// `nr_cpus` as given, checked before anything of that size is made.
    pub(super) fn given_cpus(&self) -> Result<Option<usize>, Invalid> {
        match self.nr_cpus.map(|n| n as usize) {
            Some(n) if n == 0 || n > MAX_CPUS => {
                Err(Invalid::new("nr_cpus", format!("{n} CPUs"), format!("a machine has 1 to {MAX_CPUS} CPUs")))
            }
            given => Ok(given),
        }
    }

    /// The highest CPU named, and one.
    pub(super) fn named_cpus(&self) -> usize {
        let nodes = self.node_cpus.iter().flatten().filter_map(RawMask::last);
        let levels = self.levels.iter().filter_map(|(_, level)| level.last());
        let online = self.online.iter().filter_map(RawMask::last);
        nodes.chain(levels).chain(online).max().map_or(0, |last| last + 1)
    }

    /// The CPUs of the nodes, before the machine is whole.
    pub(super) fn known_nodes(&self, nr_cpus: usize) -> Result<Vec<CpuMask>, Invalid> {
        list(self.node_cpus.clone().unwrap_or_default(), "node_cpus", Some(nr_cpus))
    }

    fn nodes(&mut self, given: Option<usize>) -> Result<Vec<Node>, Invalid> {
        let missing = || Invalid::new("node_cpus", "the nodes are missing", "give a list of cpulists, one per node");
        let cpus = list(self.node_cpus.take().ok_or_else(missing)?, "node_cpus", given)?;
        let count = cpus.len();
        let same = |place: &str, len: usize| {
            let fault = format!("{len} values for {count} nodes");
            if len == count { Ok(()) } else { Err(Invalid::new(place, fault, "give one per node")) }
        };
        let ids = self.node_ids.take().unwrap_or_else(|| (0..count as u32).collect());
        same("node_ids", ids.len())?;
        let packages = self.package.take().unwrap_or_else(|| vec![None; count]);
        same("package", packages.len())?;
        let parts = ids.into_iter().zip(cpus).zip(packages);
        Ok(parts.map(|((id, cpus), package)| Node { id, cpus, package }).collect())
    }
}

fn optional(mask: Option<RawMask>, place: &str, given: Option<usize>) -> Result<CpuMask, Invalid> {
    mask.map_or_else(|| Ok(CpuMask::new()), |mask| mask.resolve(place, given))
}

fn list(masks: Vec<RawMask>, place: &str, given: Option<usize>) -> Result<Vec<CpuMask>, Invalid> {
    masks.into_iter().enumerate().map(|(at, mask)| mask.resolve(&format!("{place}[{at}]"), given)).collect()
}

fn levels(raw: Vec<(MaskLevel, RawLevel)>, given: Option<usize>, nr_cpus: usize) -> Result<Levels, Invalid> {
    let mut levels = Levels::default();
    for (level, masks) in raw {
        let masks = masks.resolve(&format!("levels.{}", level.name()), given, nr_cpus)?;
        levels.set(level, Some(Arc::new(masks)));
    }
    Ok(levels)
}

fn distances(rows: Option<Vec<Vec<u32>>>, nodes: usize) -> Result<Distances, Invalid> {
    let Some(rows) = rows else {
        if nodes == 1 {
            return Ok(Distances::from_fn(1, |_, _| LOCAL_DISTANCE));
        }
        return Err(Invalid::new(
            "distance",
            "the table is missing",
            format!("give {nodes} rows of {nodes} distances"),
        ));
    };
    if rows.len() != nodes {
        let fault = format!("{} rows for {nodes} nodes", rows.len());
        return Err(Invalid::new("distance", fault, format!("give {nodes} rows of {nodes} distances")));
    }
    if let Some((at, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != nodes) {
        let fault = format!("{} distances for {nodes} nodes", row.len());
        return Err(Invalid::new(format!("distance[{at}]"), fault, format!("give {nodes} of them")));
    }
    Ok(Distances::from_rows(&rows).unwrap_or_default())
}

/// The bound on a list that has an entry per node.
pub(super) const PER_NODE: (usize, &str) = (MAX_NODES, "a machine has at most 1024 nodes");
/// The bound on a list that has an entry per CPU.
pub(super) const PER_CPU: (usize, &str) = (MAX_CPUS, "a machine has at most 8192 CPUs");
