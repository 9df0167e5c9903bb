//! What differs between two builds: of two releases, or before and after an edit.
//!
//! Domains of a CPU are matched by what their level stands for (the architecture's level, the NUMA distance), so that
//! DIE is PKG and a level that only one release has shifts nothing; what is left over is matched by span. CPUs that
//! change alike are one difference.

mod alike;
mod bisect;
mod fold;
mod groups;

pub use bisect::{Change as ReleaseChange, bisect, releases};
pub use groups::{Aspect, GroupFacts, GroupsChange};

use crate::cpumask::CpuMask;
use crate::kernel::{Build, CpuPointers, Domain, Flags, LevelMask, SpanId};
use crate::topology::MaskLevel;
use fold::{Folder, Noted};
use groups::Rings;
use smallvec::SmallVec;
use std::fmt::Display;

/// What changed in a domain, or about a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The domain is only in the left build.
    Removed(CpuMask),
    /// The domain is only in the right build.
    Added(CpuMask),
    /// The span.
    Span {
        /// Left.
        left: CpuMask,
        /// Right.
        right: CpuMask,
    },
    /// The flags.
    Flags {
        /// Only in the left build.
        lost: Flags,
        /// Only in the right build.
        gained: Flags,
    },
    /// The groups.
    Groups(GroupsChange),
    /// What the CPU points at, by the kernel's name.
    Pointer {
        /// Which pointer or number.
        name: &'static str,
        /// Left.
        left: String,
        /// Right.
        right: String,
    },
}

/// A change, and the CPUs it is the same for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The CPUs.
    pub cpus: CpuMask,
    /// The level in the left build; `None` for pointers and for domains only the right one has.
    pub left: Option<usize>,
    /// The level in the right build.
    pub right: Option<usize>,
    /// What changed; with [`Difference::variants`] above 1, what changed for the first of the CPUs.
    pub change: Change,
    /// How many different changes of this kind were folded into this one.
    pub variants: usize,
    /// Whether those are the same but for the CPUs they are about; or else there were too many to list.
    pub alike: bool,
}

/// What changed for the machine as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineChange {
    /// What.
    pub what: MachineFact,
    /// Left.
    pub left: String,
    /// Right.
    pub right: String,
}

/// What a build says of the machine as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MachineFact {
    /// The names of the levels.
    Levels,
    /// The distances that make NUMA levels.
    Distances,
    /// `sched_max_numa_distance`.
    MaxDistance,
    /// `sched_numa_topology_type`.
    TopologyType,
    /// Why the build came to nothing.
    Error,
}

impl MachineFact {
    /// A name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Levels => "levels",
            Self::Distances => "NUMA distances",
            Self::MaxDistance => "largest distance",
            Self::TopologyType => "topology type",
            Self::Error => "error",
        }
    }
}

/// All that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// About the machine.
    pub machine: Vec<MachineChange>,
    /// About CPUs, by level and lowest CPU.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_equal(&self) -> bool {
        self.machine.is_empty() && self.differences.is_empty()
    }

    /// Every CPU of which something differs.
    pub fn cpus(&self) -> CpuMask {
        self.differences.iter().fold(CpuMask::new(), |all, difference| all.or(&difference.cpus))
    }
}

/// Compares two builds.
pub fn compare(left: &Build, right: &Build) -> Comparison {
    let pair = Pair::new(left, right);
    Comparison { machine: machine(left, right), differences: pair.differences() }
}

fn machine(left: &Build, right: &Build) -> Vec<MachineChange> {
    fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
        items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
    }
    let facts = |build: &Build| {
        [
            (MachineFact::Levels, list((0..build.levels.len()).map(|level| build.level_label(level)))),
            (MachineFact::Distances, list(&build.numa.distances)),
            (MachineFact::MaxDistance, build.numa.max_distance.to_string()),
            (MachineFact::TopologyType, build.numa.topology_type.to_string()),
            (MachineFact::Error, build.error.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string)),
        ]
    };
    let both = facts(left).into_iter().zip(facts(right));
    both.filter(|((_, left), (_, right))| left != right)
        .map(|((what, left), (_, right))| MachineChange { what, left, right })
        .collect()
}

/// What a level stands for in any release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum LevelKey {
    Arch(MaskLevel),
    Distance(u32),
}

fn keys(build: &Build) -> Vec<LevelKey> {
    let key = |level: &crate::kernel::Level| match level.mask {
        LevelMask::Arch(kind) => LevelKey::Arch(kind),
        LevelMask::Numa(index) => LevelKey::Distance(build.numa.distances[index]),
    };
    build.levels.iter().map(key).collect()
}

/// A kept domain of each build that stand for one another, or one that has no counterpart.
type Matched = SmallVec<[(Option<usize>, Option<usize>); 12]>;

/// Two builds side by side.
struct Pair<'a> {
    left: &'a Build,
    right: &'a Build,
    left_keys: Vec<LevelKey>,
    right_keys: Vec<LevelKey>,
    /// For each span of the left build the same one in the right.
    same: Vec<Option<SpanId>>,
}

impl<'a> Pair<'a> {
    fn new(left: &'a Build, right: &'a Build) -> Self {
        let same = (0..left.spans.len()).map(|index| right.spans.find(left.spans.get(SpanId(index as u32)))).collect();
        Self { left, right, left_keys: keys(left), right_keys: keys(right), same }
    }

    fn differences(&self) -> Vec<Difference> {
        let mut folder = Folder::default();
        let mut rings = Rings::new(self);
        for cpu in 0..self.left.nr_cpus.max(self.right.nr_cpus) {
            for (left, right) in self.matched(cpu) {
                self.domain(&mut folder, &mut rings, cpu, left, right);
            }
            self.pointers(&mut folder, cpu);
        }
        folder.finish(self)
    }

    fn same_span(&self, left: SpanId, right: SpanId) -> bool {
        self.same[left.0 as usize] == Some(right)
    }

    /// The kept domains of a CPU, matched.
    fn matched(&self, cpu: usize) -> Matched {
        let left: SmallVec<[(usize, &Domain); 12]> = chain(self.left, cpu).collect();
        let mut right: SmallVec<[(usize, &Domain); 12]> = chain(self.right, cpu).collect();
        let mut matched: Matched = left.iter().map(|&(level, _)| (Some(level), None)).collect();
        let mut take = |wanted: &dyn Fn(usize, &Domain) -> bool| {
            let at = right.iter().position(|&(level, domain)| wanted(level, domain))?;
            Some(right.remove(at).0)
        };
        for (slot, &(level, _)) in matched.iter_mut().zip(&left) {
            slot.1 = take(&|other, _| self.left_keys[level] == self.right_keys[other]);
        }
        for (slot, (_, domain)) in matched.iter_mut().zip(&left).filter(|(slot, _)| slot.1.is_none()) {
            slot.1 = take(&|_, other| self.same_span(domain.span, other.span));
        }
        matched.extend(right.iter().map(|&(level, _)| (None, Some(level))));
        matched
    }

    fn domain(&self, folder: &mut Folder, rings: &mut Rings, cpu: usize, left: Option<usize>, right: Option<usize>) {
        let of = |build: &'a Build, level: Option<usize>| build.domain(cpu, level?);
        let mut note = |change| folder.note(cpu, left, right, Noted::Other(change));
        match (of(self.left, left), of(self.right, right)) {
            (Some(a), Some(b)) => {
                if !self.same_span(a.span, b.span) {
                    let (left, right) = (self.left.span(a.span).clone(), self.right.span(b.span).clone());
                    note(Change::Span { left, right });
                }
                if a.flags != b.flags {
                    note(Change::Flags { lost: a.flags.without(b.flags), gained: b.flags.without(a.flags) });
                }
                if let Some(groups) = rings.differ(a, b) {
                    folder.note(cpu, left, right, Noted::Groups(groups));
                }
            }
            (Some(a), None) => note(Change::Removed(self.left.span(a.span).clone())),
            (None, Some(b)) => note(Change::Added(self.right.span(b.span).clone())),
            (None, None) => {}
        }
    }

    fn pointers(&self, folder: &mut Folder, cpu: usize) {
        let (Some(left), Some(right)) = (self.left.pointers.get(cpu), self.right.pointers.get(cpu)) else { return };
        if left == right && self.left_keys == self.right_keys {
            return;
        }
        for ((name, left), (_, right)) in pointed(left).into_iter().zip(pointed(right)) {
            if !self.same_pointer(left, right) {
                let (left, right) = (left.text(self.left), right.text(self.right));
                folder.note(cpu, None, None, Noted::Other(Change::Pointer { name, left, right }));
            }
        }
    }

    fn same_pointer(&self, left: Pointed, right: Pointed) -> bool {
        match (left, right) {
            (Pointed::Level(left), Pointed::Level(right)) => {
                left.map(|level| self.left_keys[level as usize]) == right.map(|level| self.right_keys[level as usize])
            }
            _ => left == right,
        }
    }
}

fn chain(build: &Build, cpu: usize) -> impl Iterator<Item = (usize, &Domain)> {
    build.chain(cpu).take_while(move |_| cpu < build.nr_cpus)
}

/// What a CPU points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pointed {
    /// A domain, by level.
    Level(Option<u32>),
    /// An id, size or capacity.
    Number(i64),
}

impl Pointed {
    fn text(self, build: &Build) -> String {
        match self {
            Self::Level(None) => "none".to_owned(),
            Self::Level(Some(level)) => build.level_label(level as usize),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Everything a CPU points at, by the kernel's name.
fn pointed(pointers: &CpuPointers) -> [(&'static str, Pointed); 7] {
    [
        ("sd_llc", Pointed::Level(pointers.sd_llc)),
        ("sd_llc_id", Pointed::Number(i64::from(pointers.sd_llc_id))),
        ("sd_llc_size", Pointed::Number(i64::from(pointers.sd_llc_size))),
        ("sd_numa", Pointed::Level(pointers.sd_numa)),
        ("sd_asym_packing", Pointed::Level(pointers.sd_asym_packing)),
        ("sd_asym_cpucapacity", Pointed::Level(pointers.sd_asym_cpucapacity)),
        ("cpu_capacity", Pointed::Number(i64::from(pointers.cpu_capacity))),
    ]
}
