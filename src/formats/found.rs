//! What a text about a machine was found to say, where it says less than a topology: its lines, nodes and distances.

use super::error::FormatError;
use crate::cpumask::CpuMask;
use crate::topology::{CpuMasks, Distances, LOCAL_DISTANCE, MAX_NODES, MaskLevel, Node, REMOTE_DISTANCE, Topology};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the topology says of itself when the text has no distances.
const ASSUMED: &str = "no distances in the input: 10 within a node and 20 between nodes assumed";

/// The lines of a text as people pass them on, numbered from 1: without the marks of a quoted mail, non-breaking spaces
/// and the blanks around.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    text.lines().enumerate().map(|(at, line)| {
        let line = line.replace('\u{a0}', " ");
        (at + 1, line.trim_start_matches(['>', '|', ' ', '\t']).trim_end().to_owned())
    })
}

/// Nodes and distances, by id.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) nodes: BTreeMap<u32, CpuMask>,
    /// The ids of the columns, where they are named.
    pub(super) columns: Option<Vec<u32>>,
    pub(super) rows: BTreeMap<u32, Vec<u32>>,
    /// The package of nodes, where it is known.
    pub(super) packages: BTreeMap<u32, u32>,
}

impl Found {
    /// The machine it is.
    ///
    /// # Errors
    /// When distances are there and do not fit the nodes, or it can be no machine.
    pub(super) fn into_topology(mut self) -> Result<Topology, FormatError> {
        for &id in self.rows.keys() {
            self.nodes.entry(id).or_default();
        }
        if self.nodes.is_empty() || self.nodes.len() > MAX_NODES {
            let fault = format!("{} nodes are named", self.nodes.len());
            return Err(FormatError::new(fault, format!("between 1 and {MAX_NODES} are possible")));
        }
        let mut seen = CpuMask::new();
        for (id, cpus) in &self.nodes {
            if let Some(cpu) = seen.first_and(cpus) {
                let fault =
                    format!("CPU {cpu} is in node {id} and in one before it, as newer kernels have it under numa=fake");
                return Err(FormatError::new(fault, "such a kernel builds no NUMA domains: give each CPU one node"));
            }
            seen.or_assign(cpus);
        }
        let distances = self.distances()?;
        let cpus = self.nodes.values().cloned().collect();
        let mut topology = Topology::new("", cpus, distances);
        // Tools leave out CPUs that are offline.
        topology.online = seen;
        for (node, (&id, cpus)) in topology.nodes.iter_mut().zip(&self.nodes) {
            *node = Node { id, cpus: cpus.clone(), package: self.packages.get(&id).copied() };
        }
        if self.rows.is_empty() && topology.nodes.len() > 1 {
            ASSUMED.clone_into(&mut topology.about);
        }
        topology.validate()?;
        Ok(topology)
    }

    fn distances(&self) -> Result<Distances, FormatError> {
        let ids: Vec<u32> = self.nodes.keys().copied().collect();
        if self.rows.is_empty() {
            let of = |from, to| if from == to { LOCAL_DISTANCE } else { REMOTE_DISTANCE };
            return Ok(Distances::from_fn(ids.len(), of));
        }
        let columns = self.columns.clone().unwrap_or_else(|| ids.clone());
        let mut rows = Vec::with_capacity(ids.len());
        for id in &ids {
            let missing = || {
                let fault = format!("the distances of node {id} are missing");
                FormatError::new(fault, "give a row of distances for each node")
            };
            let row = self.rows.get(id).ok_or_else(missing)?;
            let in_order: Option<Vec<u32>> =
                ids.iter().map(|to| row.get(columns.iter().position(|column| column == to)?).copied()).collect();
            let uneven = || {
                let fault = format!("node {id} has {} distances, and there are {} nodes", row.len(), ids.len());
                FormatError::new(fault, "give one for each node, in the order of their ids")
            };
            rows.push(in_order.filter(|_| row.len() == columns.len()).ok_or_else(uneven)?);
        }
        Distances::from_rows(&rows)
            .ok_or_else(|| FormatError::new("the distances are no square", "give a row for each node"))
    }
}

/// Sets the masks of a level, one per CPU, unless they are what the level would be by default.
pub(super) fn level(topology: &mut Topology, level: MaskLevel, masks: Vec<CpuMask>) {
    let default = topology.mask(level);
    let same = masks.iter().enumerate().all(|(cpu, mask)| default.get(cpu) == mask);
    if !same && masks.len() == topology.nr_cpus {
        topology.levels.set(level, Some(Arc::new(CpuMasks::new(masks))));
    }
}

/// A list of CPUs as tools write it: numbers and ranges, separated by blanks or commas.
///
/// # Errors
/// What is no CPU, at this line.
pub(super) fn cpus(text: &str, line: usize) -> Result<CpuMask, FormatError> {
    let list = text.split([' ', '\t', ',']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",");
    CpuMask::parse(&list, None).map_err(|error| FormatError::from_words(&error.to_string()).at(line, 1))
}

/// Numbers separated by blanks.
///
/// # Errors
/// What is no number, at this line.
pub(super) fn numbers(text: &str, line: usize) -> Result<Vec<u32>, FormatError> {
    text.split_whitespace()
        .map(|word| {
            let bad = |_| {
                FormatError::new(format!("`{}` is no distance", super::visible(word)), "write a number").at(line, 1)
            };
            word.parse().map_err(bad)
        })
        .collect()
}
