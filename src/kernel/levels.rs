//! `sched_domain_topology`: the level table of an architecture and release, NUMA levels included.

use super::flags::Flags;
use super::release::{LevelTable, Rules};
use crate::topology::{Arch, MaskLevel, Topology};

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

/// The table for `topology`, with `numa_levels` NUMA levels on top.
pub(super) fn table(topology: &Topology, rules: &Rules, numa_levels: usize) -> Vec<Level> {
    let mut levels = match topology.arch {
        Arch::Generic | Arch::Arm64 => default_levels(rules),
        Arch::X86 => x86_levels(topology, rules),
        Arch::Powerpc => powerpc_levels(topology, rules),
        Arch::S390 => s390_levels(rules),
    };
    let node = if rules.node_level { 1.min(numa_levels) } else { 0 };
    for index in 0..numa_levels {
        let (name, flags, overlap) =
            if index < node { ("NODE", Flags::NONE, false) } else { ("NUMA", Flags::NUMA, true) };
        levels.push(Level { name, flags, mask: LevelMask::Numa(index), overlap });
    }
    levels
}

const SMT: Level = arch("SMT", Flags::SHARE_CPUCAPACITY.with(Flags::SHARE_LLC), MaskLevel::Smt);
const MC: Level = arch("MC", Flags::SHARE_LLC, MaskLevel::Mc);

const fn arch(name: &'static str, flags: Flags, mask: MaskLevel) -> Level {
    Level { name, flags, mask: LevelMask::Arch(mask), overlap: false }
}

fn cls(rules: &Rules) -> Level {
    let own = if rules.level_table >= LevelTable::Pkg { Flags::CLUSTER } else { Flags::NONE };
    arch("CLS", Flags::SHARE_LLC | own, MaskLevel::Cls)
}

fn pkg(rules: &Rules) -> Level {
    arch(rules.pkg_name, Flags::NONE, MaskLevel::Pkg)
}

/// `default_topology`.
fn default_levels(rules: &Rules) -> Vec<Level> {
    if rules.level_table >= LevelTable::Cluster {
        vec![SMT, cls(rules), MC, pkg(rules)]
    } else {
        vec![SMT, MC, pkg(rules)]
    }
}

/// x86 drops PKG where a package holds several nodes, and from 6.18 SMT where no core has two threads.
fn x86_levels(topology: &Topology, rules: &Rules) -> Vec<Level> {
    let mut levels = default_levels(rules);
    if topology.numa_in_package {
        levels.pop();
    }
    let single_threaded = || topology.mask(MaskLevel::Smt).distinct().iter().all(|mask| mask.weight() <= 1);
    if rules.level_table >= LevelTable::X86Static && single_threaded() {
        levels.remove(0);
    }
    levels
}

/// powerpc: CACHE has the masks given as `cls`, MC those given as `mc`; each level is there when its masks are.
fn powerpc_levels(topology: &Topology, rules: &Rules) -> Vec<Level> {
    let given = |level| topology.levels.get(level).is_some();
    let static_cache = (LevelTable::PowerpcMc..LevelTable::Pkg).contains(&rules.level_table);
    let mut levels = vec![SMT];
    if static_cache || given(MaskLevel::Cls) {
        levels.push(arch("CACHE", Flags::SHARE_LLC, MaskLevel::Cls));
    }
    if rules.level_table >= LevelTable::PowerpcMc && given(MaskLevel::Mc) {
        levels.push(arch("MC", Flags::NONE, MaskLevel::Mc));
    }
    levels.push(pkg(rules));
    levels
}

fn s390_levels(rules: &Rules) -> Vec<Level> {
    let book = arch("BOOK", Flags::NONE, MaskLevel::Book);
    let drawer = arch("DRAWER", Flags::NONE, MaskLevel::Drawer);
    vec![SMT, MC, book, drawer, pkg(rules)]
}
