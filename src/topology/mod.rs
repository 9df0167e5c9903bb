//! What the machine is: CPUs, nodes, distances, the level masks the architecture reports, and the run-time settings
//! that decide which CPUs take part.
//!
//! A [`Topology`] may be *insane* (overlapping masks, a distance of 255 or 9, asymmetric tables): judging it is the
//! kernel step's work, as in real life. It can't be malformed: [`Topology::validate`] holds for every value that
//! reaches [`kernel::build`](crate::kernel::build).

#[cfg(test)]
pub(crate) mod arbitrary;
pub mod edit;
pub mod generate;
pub mod history;
mod validate;

pub use validate::{Invalid, MAX_DISTANCE, MAX_NODES};

use crate::cpumask::CpuMask;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// `LOCAL_DISTANCE`: what a table says of a node and itself.
pub const LOCAL_DISTANCE: u32 = 10;
/// `REMOTE_DISTANCE`: what the kernel assumes between nodes when firmware says nothing.
pub const REMOTE_DISTANCE: u32 = 20;
/// The default `RECLAIM_DISTANCE`.
pub const RECLAIM_DISTANCE: u32 = 30;

/// The level table and flags an architecture brings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arch {
    /// The default table of `kernel/sched/topology.c`, used by most architectures.
    #[default]
    Generic,
    /// x86: `ASYM_PACKING` of ITMT apart, the levels SMT, CLS, MC, PKG.
    X86,
    /// arm64: the default table; its CPU capacities never depend on SMT.
    Arm64,
    /// powerpc: SMT, CACHE, MC and PKG.
    Powerpc,
    /// s390: SMT, MC, BOOK, DRAWER and PKG.
    S390,
}

impl Arch {
    /// Every architecture, in the order shown to people.
    pub const ALL: [Self; 5] = [Self::Generic, Self::X86, Self::Arm64, Self::Powerpc, Self::S390];

    /// The name files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::X86 => "x86",
            Self::Arm64 => "arm64",
            Self::Powerpc => "powerpc",
            Self::S390 => "s390",
        }
    }
}

/// One NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The node's id; ids ascend along [`Topology::nodes`] and may have holes.
    pub id: u32,
    /// The CPUs of the node, offline ones included; may be empty.
    pub cpus: CpuMask,
    /// The package (socket) the node belongs to, where known.
    pub package: Option<u32>,
}

/// A square table of node distances; row = from, column = to, both as *indices* into [`Topology::nodes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distances {
    nodes: usize,
    cells: Vec<u32>,
}

impl Distances {
    /// A table of `nodes` × `nodes` where `of(from, to)` gives each cell.
    pub fn from_fn(nodes: usize, mut of: impl FnMut(usize, usize) -> u32) -> Self {
        let cells = (0..nodes * nodes).map(|i| of(i / nodes, i % nodes)).collect();
        Self { nodes, cells }
    }

    /// The table of these rows, or `None` when a row is not as long as there are rows.
    pub fn from_rows(rows: &[Vec<u32>]) -> Option<Self> {
        let nodes = rows.len();
        rows.iter().all(|row| row.len() == nodes).then(|| Self { nodes, cells: rows.concat() })
    }

    /// How many nodes the table is for.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The distance from the node at index `from` to the node at index `to`.
    pub fn get(&self, from: usize, to: usize) -> u32 {
        self.cells[from * self.nodes + to]
    }

    /// Sets one cell and returns what it was.
    pub fn set(&mut self, from: usize, to: usize, value: u32) -> u32 {
        std::mem::replace(&mut self.cells[from * self.nodes + to], value)
    }

    /// The rows, each with one cell per node.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.cells.chunks_exact(self.nodes.max(1))
    }

    /// Whether each pair of nodes sees the same distance both ways.
    pub fn is_symmetric(&self) -> bool {
        (0..self.nodes).all(|from| (0..from).all(|to| self.get(from, to) == self.get(to, from)))
    }
}

/// A mask for every CPU, equal masks stored once: one of the architecture's levels, word for word as reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuMasks {
    distinct: Vec<CpuMask>,
    of_cpu: Vec<u32>,
}

impl CpuMasks {
    /// The mask of each CPU from 0 on.
    pub fn new(masks: impl IntoIterator<Item = CpuMask>) -> Self {
        let mut seen: FxHashMap<CpuMask, u32> = FxHashMap::default();
        let mut all = Self::default();
        for mask in masks {
            let next = all.distinct.len() as u32;
            let id = *seen.entry(mask).or_insert_with_key(|mask| {
                all.distinct.push(mask.clone());
                next
            });
            all.of_cpu.push(id);
        }
        all
    }

    /// The masks of a machine of `nr_cpus` CPUs cut into `groups` that don't overlap; a CPU in none of them is alone.
    pub fn from_groups(groups: &[CpuMask], nr_cpus: usize) -> Self {
        let mut group_of = vec![None; nr_cpus];
        for group in groups {
            for cpu in group.iter().take_while(|&cpu| cpu < nr_cpus) {
                group_of[cpu] = Some(group);
            }
        }
        let mask = |(cpu, group): (usize, Option<&CpuMask>)| group.cloned().unwrap_or_else(|| CpuMask::single(cpu));
        Self::new(group_of.into_iter().enumerate().map(mask))
    }

    /// Masks given by index: CPU `c` has `distinct[of_cpu[c]]`.
    pub(crate) fn from_parts(distinct: Vec<CpuMask>, of_cpu: Vec<u32>) -> Self {
        Self { distinct, of_cpu }
    }

    /// The mask of `cpu`.
    pub fn get(&self, cpu: usize) -> &CpuMask {
        &self.distinct[self.of_cpu[cpu] as usize]
    }

    /// Index of the mask of `cpu` in [`CpuMasks::distinct`].
    pub fn id(&self, cpu: usize) -> usize {
        self.of_cpu[cpu] as usize
    }

    /// The different masks.
    pub fn distinct(&self) -> &[CpuMask] {
        &self.distinct
    }

    /// How many CPUs have a mask here.
    pub fn len(&self) -> usize {
        self.of_cpu.len()
    }

    /// Whether no CPU has a mask here.
    pub fn is_empty(&self) -> bool {
        self.of_cpu.is_empty()
    }
}

/// One of the level masks a topology may give. What it stands for on an architecture is the level table's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskLevel {
    /// Threads of a core.
    Smt,
    /// Cores of a cluster.
    Cls,
    /// CPUs sharing a last-level cache.
    Mc,
    /// CPUs of a package (on most machines: of a node).
    Pkg,
    /// s390: CPUs of a book.
    Book,
    /// s390: CPUs of a drawer.
    Drawer,
}

impl MaskLevel {
    /// Every level a file may give, bottom up.
    pub const ALL: [Self; 6] = [Self::Smt, Self::Cls, Self::Mc, Self::Book, Self::Drawer, Self::Pkg];

    /// The name files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smt => "smt",
            Self::Cls => "cls",
            Self::Mc => "mc",
            Self::Pkg => "pkg",
            Self::Book => "book",
            Self::Drawer => "drawer",
        }
    }
}

/// The level masks as given; what is missing has a default, see [`Topology::mask`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    given: [Option<Arc<CpuMasks>>; 6],
}

impl Levels {
    /// The masks given for `level`, if any.
    pub fn get(&self, level: MaskLevel) -> Option<&Arc<CpuMasks>> {
        self.given[level as usize].as_ref()
    }

    /// Gives or takes away the masks of `level`; returns what was there.
    pub fn set(&mut self, level: MaskLevel, masks: Option<Arc<CpuMasks>>) -> Option<Arc<CpuMasks>> {
        std::mem::replace(&mut self.given[level as usize], masks)
    }
}

/// A machine. Cheap to clone: the big parts are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Label.
    pub name: String,
    /// What it is, for a person.
    pub about: String,
    /// Where it comes from.
    pub source: String,
    /// The level table and its flags.
    pub arch: Arch,
    /// Possible CPUs; ids are `0..nr_cpus`.
    pub nr_cpus: usize,
    /// The nodes, ids ascending.
    pub nodes: Vec<Node>,
    /// Distances between the nodes, by index.
    pub distances: Distances,
    /// The level masks given.
    pub levels: Levels,
    /// Online CPUs.
    pub online: CpuMask,
    /// CPUs left out of all domains (`isolcpus=domain`).
    pub isolated: CpuMask,
    /// CPUs running tickless (`nohz_full`).
    pub nohz_full: CpuMask,
    /// Partitions (cpusets): each gets domains of its own; CPUs in none of them form one more.
    pub cpusets: Vec<CpuMask>,
    /// Each CPU's capacity, 1024 = full; `None` leaves it to the release.
    pub capacity: Option<Arc<[u32]>>,
    /// The `sched_debug` boot option, which decides distances before 5.12.
    pub sched_debug: bool,
    /// `node_reclaim_distance`.
    pub reclaim_distance: u32,
    /// The `relax_domain_level` boot option: a level, counted from 0 in the table of levels, the lowest first; `None` when
    /// the option is not given, which is -1 to the kernel.
    pub relax_domain_level: Option<u32>,
    /// x86: several nodes in one package, which drops the PKG level.
    pub numa_in_package: bool,
}

impl Default for Topology {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            source: String::new(),
            arch: Arch::Generic,
            nr_cpus: 0,
            nodes: Vec::new(),
            distances: Distances::default(),
            levels: Levels::default(),
            online: CpuMask::new(),
            isolated: CpuMask::new(),
            nohz_full: CpuMask::new(),
            cpusets: Vec::new(),
            capacity: None,
            sched_debug: true,
            reclaim_distance: RECLAIM_DISTANCE,
            relax_domain_level: None,
            numa_in_package: false,
        }
    }
}

impl Topology {
    /// A machine of these nodes (ids from 0) and distances; everything else as by default, all CPUs online.
    ///
    /// ```
    /// use schedtopo::cpumask::CpuMask;
    /// use schedtopo::topology::{Distances, Topology};
    ///
    /// let distances = Distances::from_fn(2, |from, to| if from == to { 10 } else { 20 });
    /// let machine = Topology::new("two nodes", vec![CpuMask::range(0, 3), CpuMask::range(4, 7)], distances);
    /// assert_eq!((machine.nr_cpus, machine.nodes[1].cpus.to_string()), (8, "4-7".to_owned()));
    /// ```
    pub fn new(name: &str, node_cpus: Vec<CpuMask>, distances: Distances) -> Self {
        let nr_cpus = node_cpus.iter().filter_map(CpuMask::last).max().map_or(0, |last| last + 1);
        let nodes = node_cpus.into_iter().zip(0..).map(|(cpus, id)| Node { id, cpus, package: None }).collect();
        Self { name: name.to_owned(), nr_cpus, nodes, distances, online: CpuMask::first_n(nr_cpus), ..Self::default() }
    }

    /// The index in [`Topology::nodes`] of the node each CPU belongs to; `None` for a CPU of no node.
    pub fn node_of_cpus(&self) -> Vec<Option<u32>> {
        let mut of = vec![None; self.nr_cpus];
        for (index, node) in self.nodes.iter().enumerate() {
            for cpu in node.cpus.iter() {
                if let Some(slot) = of.get_mut(cpu) {
                    *slot = Some(index as u32);
                }
            }
        }
        of
    }

    /// The index of the node with this id.
    pub fn node_index(&self, id: u32) -> Option<usize> {
        self.nodes.binary_search_by_key(&id, |node| node.id).ok()
    }

    /// The online CPUs of the node at `index`: `cpumask_of_node`.
    pub fn node_online(&self, index: usize) -> CpuMask {
        self.nodes[index].cpus.and(&self.online)
    }

    /// The masks of a level: as given, or by default of online CPUs only. SMT: the CPU alone; CLS and MC: the SMT
    /// mask; PKG, BOOK and DRAWER: the CPUs of the node.
    pub fn mask(&self, level: MaskLevel) -> Arc<CpuMasks> {
        if let Some(given) = self.levels.get(level) {
            return Arc::clone(given);
        }
        match level {
            MaskLevel::Smt => Arc::new(self.alone()),
            MaskLevel::Cls | MaskLevel::Mc => self.mask(MaskLevel::Smt),
            MaskLevel::Pkg | MaskLevel::Book | MaskLevel::Drawer => Arc::new(self.by_node()),
        }
    }

    fn alone(&self) -> CpuMasks {
        let distinct = (0..self.nr_cpus)
            .map(|cpu| if self.online.contains(cpu) { CpuMask::single(cpu) } else { CpuMask::new() })
            .collect();
        CpuMasks::from_parts(distinct, (0..self.nr_cpus as u32).collect())
    }

    fn by_node(&self) -> CpuMasks {
        let mut distinct: Vec<CpuMask> = (0..self.nodes.len()).map(|node| self.node_online(node)).collect();
        let nowhere = distinct.len() as u32;
        distinct.push(CpuMask::new());
        CpuMasks::from_parts(distinct, self.node_of_cpus().into_iter().map(|node| node.unwrap_or(nowhere)).collect())
    }
}
