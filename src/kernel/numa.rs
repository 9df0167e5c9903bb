//! `sched_init_numa`: which distances make levels, the CPUs within each, and the topology type.

use super::message::{Message, MessageKind};
use super::release::{DistanceList, DomainDistance, Rules, TopologyTypeRule};
use crate::cpumask::CpuMask;
use crate::topology::{Arch, LOCAL_DISTANCE, Topology};
use std::fmt;

/// `sched_numa_topology_type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TopologyType {
    /// Every node reaches every other directly, or there are too few levels to tell.
    #[default]
    Direct,
    /// Some nodes reach each other through a node in between.
    GluelessMesh,
    /// Nodes reach each other through a backplane.
    Backplane,
}

impl TopologyType {
    /// The kernel's name without `NUMA_`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "DIRECT",
            Self::GluelessMesh => "GLUELESS_MESH",
            Self::Backplane => "BACKPLANE",
        }
    }
}

impl fmt::Display for TopologyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a kernel makes of the distance table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numa {
    /// The distances of the NUMA levels, ascending; from 4.15 the first is the local distance, that of level NODE.
    pub distances: Vec<u32>,
    /// `sched_max_numa_distance`.
    pub max_distance: u32,
    /// `sched_numa_topology_type`.
    pub topology_type: TopologyType,
    /// `sched_domains_numa_masks[level][node index]`: online CPUs no further than the level's distance *from* the node.
    pub masks: Vec<Vec<CpuMask>>,
}
