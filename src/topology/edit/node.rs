//! Edits of whole nodes.

use super::Edit;
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::topology::{CpuMasks, Distances, Invalid, MAX_NODES, MaskLevel, Node, REMOTE_DISTANCE, Topology};
use std::sync::Arc;

/// A node to add, and the distances that come with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNode {
    /// Index it will have; its id must fit between those of its neighbours.
    pub index: usize,
    /// The node.
    pub node: Node,
    /// Its distances to all nodes, itself included, in their new order.
    pub row: Vec<u32>,
    /// The distances of all nodes to it, itself included, in their new order; its own is the row's.
    pub column: Vec<u32>,
}

/// What two nodes exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// Rows and columns of the table: their places in the interconnect.
    Distances,
    /// CPUs and package.
    Cpus,
    /// Both, so that only the ids change hands.
    Both,
}

impl Edit {
    /// Adds a node like the last one behind it: as many new CPUs, sharing caches as those do, as near to every other
    /// node as the nearest two are.
    ///
    /// # Errors
    /// There is no node to be like.
    pub fn add_node(topology: &Topology) -> Result<Self, Invalid> {
        let model = topology.nodes.len().saturating_sub(1);
        let near = nearest(topology).unwrap_or(REMOTE_DISTANCE);
        copy_of(topology, model, |_| (near, near))
    }

    /// Adds a copy of a node behind the last one: same distances, as many new CPUs, sharing caches alike. From the
    /// original it is as far as that one's nearest neighbour.
    ///
    /// # Errors
    /// There is no such node, or no room for another.
    pub fn duplicate_node(topology: &Topology, index: usize) -> Result<Self, Invalid> {
        topology.node(index)?;
        let others = (0..topology.nodes.len()).filter(|&other| other != index);
        let near = others.map(|other| topology.distances.get(index, other)).min().unwrap_or(REMOTE_DISTANCE);
        copy_of(topology, index, |other| {
            let table = &topology.distances;
            if other == index { (near, near) } else { (table.get(index, other), table.get(other, index)) }
        })
    }
}

/// The smallest distance between two nodes.
fn nearest(topology: &Topology) -> Option<u32> {
    let rows = topology.distances.rows().enumerate();
    rows.flat_map(|(from, row)| row.iter().enumerate().filter(move |&(to, _)| to != from).map(|(_, &value)| value))
        .min()
}

/// The edit that adds a node made like `model`; `distances` gives those to and from each other node.
fn copy_of(topology: &Topology, model: usize, distances: impl Fn(usize) -> (u32, u32)) -> Result<Edit, Invalid> {
    let node = topology.node(model)?;
    let index = topology.nodes.len();
    let id = topology.nodes.last().map_or(0, |last| last.id + 1);
    let cpus: Vec<usize> = (topology.nr_cpus..).take(node.cpus.weight()).collect();
    let own = topology.distances.get(model, model);
    let (mut row, mut column): (Vec<u32>, Vec<u32>) = (0..index).map(distances).unzip();
    row.push(own);
    column.push(own);
    let new = Node { id, cpus: cpus.iter().copied().collect(), package: node.package };
    let mut edits = vec![Edit::InsertNode(Box::new(NewNode { index, node: new, row, column }))];
    let copied = |mask: &CpuMask| -> CpuMask {
        node.cpus.iter().zip(&cpus).filter(|&(old, _)| mask.contains(old)).map(|(_, &new)| new).collect()
    };
    for level in MaskLevel::ALL {
        if let Some(masks) = topology.levels.get(level) {
            let old = (0..masks.len()).map(|cpu| masks.get(cpu).clone());
            let new = node.cpus.iter().map(|cpu| copied(masks.get(cpu)));
            edits.push(Edit::SetLevel(level, Some(Arc::new(CpuMasks::new(old.chain(new))))));
        }
    }
    Ok(Edit::Batch(edits))
}

impl Topology {
    /// The node at `index`.
    fn node(&self, index: usize) -> Result<&Node, Invalid> {
        self.nodes.get(index).ok_or_else(|| no_such(index, self.nodes.len()))
    }

    /// The node at `index`, to change it.
    pub(super) fn node_mut(&mut self, index: usize) -> Result<&mut Node, Invalid> {
        let nodes = self.nodes.len();
        self.nodes.get_mut(index).ok_or_else(|| no_such(index, nodes))
    }

    pub(super) fn insert_node(&mut self, new: &NewNode) -> Result<(), Invalid> {
        let (index, nodes) = (new.index, self.nodes.len());
        if index > nodes {
            return Err(no_such(index, nodes + 1));
        }
        let own = [new.row.get(index), new.column.get(index)];
        if new.row.len() != nodes + 1 || new.column.len() != nodes + 1 || own[0] != own[1] {
            let fault = format!("{} and {} distances for {} nodes", new.row.len(), new.column.len(), nodes + 1);
            return Err(Invalid::new("distance", fault, "give one to and one from every node, the same for itself"));
        }
        room_for(&new.node.cpus)?;
        let old = |at: usize| if at > index { at - 1 } else { at };
        self.distances = Distances::from_fn(nodes + 1, |from, to| match (from == index, to == index) {
            (true, _) => new.row[to],
            (_, true) => new.column[from],
            _ => self.distances.get(old(from), old(to)),
        });
        self.nodes.insert(index, Node { cpus: CpuMask::new(), ..new.node.clone() });
        self.set_node_cpus(index, &new.node.cpus)
    }

    pub(super) fn remove_node(&mut self, index: usize) -> Result<(), Invalid> {
        let gone = self.node(index)?.cpus.clone();
        let old = |at: usize| if at >= index { at + 1 } else { at };
        let left = self.nodes.len() - 1;
        self.distances = Distances::from_fn(left, |from, to| self.distances.get(old(from), old(to)));
        self.nodes.remove(index);
        self.keep(&CpuMask::first_n(self.nr_cpus).andnot(&gone));
        Ok(())
    }

    pub(super) fn swap_nodes(&mut self, a: usize, b: usize, what: Swap) -> Result<Edit, Invalid> {
        self.node(a)?;
        self.node(b)?;
        if what != Swap::Cpus {
            let other = |at: usize| {
                if at == a {
                    b
                } else if at == b {
                    a
                } else {
                    at
                }
            };
            let nodes = self.nodes.len();
            self.distances = Distances::from_fn(nodes, |from, to| self.distances.get(other(from), other(to)));
        }
        if what != Swap::Distances {
            let ids = [self.nodes[a].id, self.nodes[b].id];
            self.nodes.swap(a, b);
            self.nodes[a].id = ids[0];
            self.nodes[b].id = ids[1];
        }
        Ok(Edit::SwapNodes { a, b, what })
    }

    pub(super) fn renumber_node(&mut self, index: usize, id: u32) -> Result<Edit, Invalid> {
        let before = self.node(index)?.id;
        if id as usize >= MAX_NODES {
            let fault = format!("node id {id} is beyond the last possible one");
            return Err(Invalid::new("node_ids", fault, format!("node ids go from 0 to {}", MAX_NODES - 1)));
        }
        if self.nodes.iter().enumerate().any(|(at, node)| at != index && node.id == id) {
            let cure = "choose one that is free, or swap the two nodes";
            return Err(Invalid::new("node_ids", format!("node id {id} is taken"), cure));
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        self.nodes[index].id = id;
        order.sort_by_key(|&at| self.nodes[at].id);
        self.distances = Distances::from_fn(order.len(), |from, to| self.distances.get(order[from], order[to]));
        self.nodes.sort_by_key(|node| node.id);
        let index = order.iter().position(|&at| at == index).unwrap_or(index);
        Ok(Edit::RenumberNode { index, id: before })
    }

    pub(super) fn set_node_cpus(&mut self, index: usize, cpus: &CpuMask) -> Result<(), Invalid> {
        room_for(cpus)?;
        let node = self.node_mut(index)?;
        let before = std::mem::replace(&mut node.cpus, cpus.clone());
        let (lost, won) = (before.andnot(cpus), cpus.andnot(&before));
        self.grow(cpus.last().map_or(0, |last| last + 1));
        self.online.andnot_assign(&lost);
        self.online.or_assign(&won);
        let mut left = self.nr_cpus;
        while left.checked_sub(1).is_some_and(|last| lost.contains(last)) {
            left -= 1;
        }
        if left < self.nr_cpus {
            self.keep(&CpuMask::first_n(left));
        }
        Ok(())
    }
}

fn no_such(index: usize, nodes: usize) -> Invalid {
    let cure = format!("nodes go from 0 to {}", nodes.saturating_sub(1));
    Invalid::new("nodes", format!("there is no node at {index}"), cure)
}

/// Checks CPU numbers before anything of their size is made.
fn room_for(cpus: &CpuMask) -> Result<(), Invalid> {
    match cpus.last().filter(|&last| last >= MAX_CPUS) {
        Some(last) => {
            let cure = format!("CPUs go from 0 to {}", MAX_CPUS - 1);
            Err(Invalid::new("node_cpus", format!("CPU {last} is beyond the last possible one"), cure))
        }
        None => Ok(()),
    }
}
