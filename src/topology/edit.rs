//! Edits as values: applying one gives the edit that takes it back.

mod cpus;
mod node;

pub use node::{NewNode, Swap};

use super::validate::too_far;
use super::{Arch, CpuMasks, Distances, Invalid, MAX_DISTANCE, MaskLevel, Topology};
use crate::cpumask::CpuMask;
use std::sync::Arc;

/// One cell of the distance table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Row: index of the node the distance is seen from.
    pub from: usize,
    /// Column: index of the node it leads to.
    pub to: usize,
    /// The distance.
    pub value: u32,
}

/// A change of a [`Topology`]. Nodes are named by index, as everywhere in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Sets some distances, one after the other.
    SetCells(Vec<Cell>),
    /// Sets all distances; the number of nodes stays.
    SetTable(Distances),
    /// Adds a node. CPUs beyond the machine's last make it grow; new CPUs are online and alone at every level given.
    InsertNode(Box<NewNode>),
    /// Takes a node and its CPUs away. Higher CPUs close up, so that numbers stay without holes.
    RemoveNode {
        /// Which.
        index: usize,
    },
    /// Exchanges two nodes; the ids stay where they are.
    SwapNodes {
        /// One node.
        a: usize,
        /// The other.
        b: usize,
        /// What of them.
        what: Swap,
    },
    /// Gives a node another id, and with it another place where ids would no longer ascend.
    RenumberNode {
        /// Which.
        index: usize,
        /// Its new id.
        id: u32,
    },
    /// Sets the CPUs of a node. CPUs new to the machine or to all nodes come online; CPUs the node loses go offline, and
    /// the machine's last CPUs go altogether when it was them.
    SetNodeCpus {
        /// Which.
        index: usize,
        /// Its CPUs from now on.
        cpus: CpuMask,
    },
    /// Sets the package of a node.
    SetNodePackage {
        /// Which.
        index: usize,
        /// Its package, where known.
        package: Option<u32>,
    },
    /// Sets the label.
    SetName(String),
    /// Sets the architecture.
    SetArch(Arch),
    /// Sets the online CPUs.
    SetOnline(CpuMask),
    /// Sets the isolated CPUs.
    SetIsolated(CpuMask),
    /// Sets the tickless CPUs.
    SetNohzFull(CpuMask),
    /// Sets the partitions.
    SetCpusets(Vec<CpuMask>),
    /// Sets every CPU's capacity, or leaves them to the release.
    SetCapacity(Option<Arc<[u32]>>),
    /// Sets a level's masks, or leaves them to their default.
    SetLevel(MaskLevel, Option<Arc<CpuMasks>>),
    /// Sets `node_reclaim_distance`.
    SetReclaimDistance(u32),
    /// Sets the `relax_domain_level` boot option, or leaves it out.
    SetRelaxDomainLevel(Option<u32>),
    /// Sets the `sched_debug` boot option.
    SetSchedDebug(bool),
    /// Says whether a package holds several nodes.
    SetNumaInPackage(bool),
    /// Puts another machine in its place.
    Replace(Box<Topology>),
    /// Several edits as one: all of them or none.
    Batch(Vec<Edit>),
}

impl Edit {
    /// What the edit does, in a few words for an undo list.
    pub fn describe(&self) -> String {
        match self {
            Self::SetCells(cells) => match cells[..] {
                [Cell { value, .. }] => format!("set a distance to {value}"),
                _ => format!("set {} distances", cells.len()),
            },
            Self::SetTable(_) => "set the distance table".to_owned(),
            Self::InsertNode(new) => format!("add node {}", new.node.id),
            Self::RemoveNode { .. } => "remove a node".to_owned(),
            Self::SwapNodes { .. } => "swap two nodes".to_owned(),
            Self::RenumberNode { id, .. } => format!("renumber a node to {id}"),
            Self::SetNodeCpus { cpus, .. } => format!("set a node's CPUs to {cpus}"),
            Self::SetNodePackage { .. } => "set a node's package".to_owned(),
            Self::SetName(_) => "rename".to_owned(),
            Self::SetArch(arch) => format!("set the architecture to {}", arch.name()),
            Self::SetOnline(_) => "set the online CPUs".to_owned(),
            Self::SetIsolated(_) => "set the isolated CPUs".to_owned(),
            Self::SetNohzFull(_) => "set the tickless CPUs".to_owned(),
            Self::SetCpusets(_) => "set the cpusets".to_owned(),
            Self::SetCapacity(_) => "set the capacities".to_owned(),
            Self::SetLevel(level, _) => format!("set the {} masks", level.name()),
            Self::SetReclaimDistance(value) => format!("set the reclaim distance to {value}"),
            Self::SetRelaxDomainLevel(_) => "set relax_domain_level".to_owned(),
            Self::SetSchedDebug(on) => format!("turn sched_debug {}", if *on { "on" } else { "off" }),
            Self::SetNumaInPackage(_) => "set numa_in_package".to_owned(),
            Self::Replace(_) => "replace the machine".to_owned(),
            Self::Batch(edits) => edits.first().map_or_else(|| "change nothing".to_owned(), Self::describe),
        }
    }
}

impl Topology {
    /// Applies an edit and gives the one that takes it back exactly.
    ///
    /// # Errors
    /// What the machine would lack afterwards; it is then as it was.
    pub fn apply(&mut self, edit: &Edit) -> Result<Edit, Invalid> {
        match edit {
            Edit::SetCells(cells) => self.set_cells(cells),
            Edit::SetTable(table) => self.set(|t| &mut t.distances, table.clone(), Edit::SetTable),
            Edit::InsertNode(new) => self.change(|topology| topology.insert_node(new)),
            &Edit::RemoveNode { index } => self.change(|topology| topology.remove_node(index)),
            &Edit::SwapNodes { a, b, what } => self.swap_nodes(a, b, what),
            &Edit::RenumberNode { index, id } => self.renumber_node(index, id),
            Edit::SetNodeCpus { index, cpus } => self.change(|topology| topology.set_node_cpus(*index, cpus)),
            &Edit::SetNodePackage { index, package } => {
                let node = self.node_mut(index)?;
                Ok(Edit::SetNodePackage { index, package: std::mem::replace(&mut node.package, package) })
            }
            Edit::SetName(name) => self.set(|t| &mut t.name, name.clone(), Edit::SetName),
            Edit::SetArch(arch) => self.set(|t| &mut t.arch, *arch, Edit::SetArch),
            Edit::SetOnline(cpus) => self.set(|t| &mut t.online, cpus.clone(), Edit::SetOnline),
            Edit::SetIsolated(cpus) => self.set(|t| &mut t.isolated, cpus.clone(), Edit::SetIsolated),
            Edit::SetNohzFull(cpus) => self.set(|t| &mut t.nohz_full, cpus.clone(), Edit::SetNohzFull),
            Edit::SetCpusets(cpusets) => self.set(|t| &mut t.cpusets, cpusets.clone(), Edit::SetCpusets),
            Edit::SetCapacity(capacity) => self.set(|t| &mut t.capacity, capacity.clone(), Edit::SetCapacity),
            Edit::SetLevel(level, masks) => self.set_level(*level, masks.clone()),
            Edit::SetReclaimDistance(value) => self.set(|t| &mut t.reclaim_distance, *value, Edit::SetReclaimDistance),
            Edit::SetRelaxDomainLevel(level) => {
                self.set(|t| &mut t.relax_domain_level, *level, Edit::SetRelaxDomainLevel)
            }
            Edit::SetSchedDebug(on) => self.set(|t| &mut t.sched_debug, *on, Edit::SetSchedDebug),
            Edit::SetNumaInPackage(on) => self.set(|t| &mut t.numa_in_package, *on, Edit::SetNumaInPackage),
            Edit::Replace(other) => {
                other.validate()?;
                Ok(Edit::Replace(Box::new(std::mem::replace(self, Topology::clone(other)))))
            }
            Edit::Batch(edits) => self.apply_all(edits),
        }
    }

    /// Sets one field; `inverse` makes the edit that sets it back.
    fn set<T>(
        &mut self,
        field: impl Fn(&mut Self) -> &mut T,
        value: T,
        inverse: impl FnOnce(T) -> Edit,
    ) -> Result<Edit, Invalid> {
        let before = std::mem::replace(field(self), value);
        if let Err(invalid) = self.validate() {
            *field(self) = before;
            return Err(invalid);
        }
        Ok(inverse(before))
    }

    fn set_level(&mut self, level: MaskLevel, masks: Option<Arc<CpuMasks>>) -> Result<Edit, Invalid> {
        let before = self.levels.set(level, masks);
        if let Err(invalid) = self.validate() {
            self.levels.set(level, before);
            return Err(invalid);
        }
        Ok(Edit::SetLevel(level, before))
    }

    /// A change of many parts at once: the machine before it is what takes it back.
    fn change(&mut self, change: impl FnOnce(&mut Self) -> Result<(), Invalid>) -> Result<Edit, Invalid> {
        let before = self.clone();
        if let Err(invalid) = change(self).and_then(|()| self.validate()) {
            *self = before;
            return Err(invalid);
        }
        Ok(Edit::Replace(Box::new(before)))
    }

    fn set_cells(&mut self, cells: &[Cell]) -> Result<Edit, Invalid> {
        let nodes = self.distances.nodes();
        for &Cell { from, to, value } in cells {
            if from >= nodes || to >= nodes {
                let fault = format!("there is no such cell in a table of {nodes} nodes");
                let cure = format!("rows and columns go from 0 to {}", nodes.saturating_sub(1));
                return Err(Invalid::new(format!("distance[{from}][{to}]"), fault, cure));
            }
            if value > MAX_DISTANCE {
                return Err(too_far(from, to, value));
            }
        }
        let set = |&Cell { from, to, value }: &Cell| Cell { from, to, value: self.distances.set(from, to, value) };
        // Backwards: a cell set twice must get its first value back last.
        let mut before: Vec<Cell> = cells.iter().map(set).collect();
        before.reverse();
        Ok(Edit::SetCells(before))
    }

    fn apply_all(&mut self, edits: &[Edit]) -> Result<Edit, Invalid> {
        let mut inverse = Vec::with_capacity(edits.len());
        for edit in edits {
            match self.apply(edit) {
                Ok(back) => inverse.push(back),
                Err(invalid) => {
                    // Each of these did apply a moment ago, so taking it back can't fail.
                    while let Some(back) = inverse.pop() {
                        let _ = self.apply(&back);
                    }
                    return Err(invalid);
                }
            }
        }
        inverse.reverse();
        Ok(Edit::Batch(inverse))
    }
}

#[cfg(test)]
mod tests;
