//! `sched_domain_topology`: the level table of an architecture and release, NUMA levels included.

use super::flags::Flags;
use crate::topology::MaskLevel;

/// Where a level's masks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelMask {
    /// The architecture.
    Arch(MaskLevel),
    /// The NUMA level of this index in [`Numa::distances`](super::Numa::distances).
    Numa(usize),
}

/// One level of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The name the kernel prints.
    pub name: &'static str,
    /// The flags the level gives its domains.
    pub flags: Flags,
    /// Where its masks come from.
    pub mask: LevelMask,
    /// Whether its domains may overlap (`SDTL_OVERLAP`): NUMA levels, NODE not.
    pub overlap: bool,
}
