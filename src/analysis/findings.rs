//! What is wrong, or worth knowing, about a machine and what a kernel makes of it.
//!
//! Each check looks at the finished build or at the machine itself and says what it found with a *witness*: the CPUs,
//! nodes, level and groups that show it. Checks that find the same thing on many CPUs say it once, with all of them.

mod advice;
mod distances;
mod groups;
mod isolation;
mod masks;
mod outcome;
mod paths;
mod text;

use crate::cpumask::CpuMask;
use crate::kernel::{Build, Fate, LevelMask};
use crate::topology::Topology;
use advice::{Advice, Draft};

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Something is likely to behave worse than it should.
    Warning,
    /// Something is broken: tasks get stuck, domains are missing, the kernel says ERROR or dies.
    Error,
}

impl Severity {
    /// Every severity, most serious first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Info];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What shows a finding; what does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// CPUs it is about.
    pub cpus: CpuMask,
    /// Nodes it is about, by id.
    pub nodes: Vec<u32>,
    /// Pairs of nodes, by id: (puller, source) of a path, (from, to) of a distance.
    pub pairs: Vec<(u32, u32)>,
    /// The level, index into [`Build::levels`].
    pub level: Option<usize>,
    /// Groups, or masks, by their CPUs.
    pub groups: Vec<CpuMask>,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind, one of [`KINDS`].
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What is so, in a sentence.
    pub message: String,
    /// What shows it.
    pub witness: Witness,
    /// What can be done, in a sentence.
    pub advice: String,
    /// The release that removes it, where one does and that was tried.
    pub mended_by: Option<String>,
}

/// A kind of finding and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub id: &'static str,
    /// What it means, in a line.
    pub about: &'static str,
}

const fn kind(id: &'static str, about: &'static str) -> Kind {
    Kind { id, about }
}

/// Every kind there is.
pub const KINDS: &[Kind] = &[
    kind("build-refused", "the kernel refuses to build domains: no load balancing at all"),
    kind("span-check-false-alarm", "6.16 and 6.17 refuse a sane machine, reading the NODE masks through a stale index"),
    kind("group-ring-broken", "overlapping masks leave a ring of groups that never ends: the kernel hangs"),
    kind("kernel-oops", "the kernel follows a null or stray pointer while building"),
    kind("no-direct-path", "two nodes can never take tasks from each other directly"),
    kind("blocked-path", "a node could take tasks from another, but the kernel elects a CPU that can't"),
    kind("no-numa-domains", "there are several nodes, and no domain spans two of them"),
    kind("numa-levels-hidden", "a level below covers all CPUs, so NUMA levels are never built"),
    kind("shared-sgc", "different groups share one sched_group_capacity"),
    kind("split-sgc", "groups of the same CPUs have different sched_group_capacity instances"),
    kind("balance-cpu-elsewhere", "a group's balance CPU has another group first"),
    kind("groups-leave-domain", "a group holds CPUs outside its domain"),
    kind("unequal-depth", "CPUs reach the whole machine at different levels"),
    kind("row0-incomplete", "distances missing from the first row make no level before 5.12"),
    kind("distance-asymmetric", "two nodes are at different distances each way"),
    kind("distance-out-of-range", "a distance below 10 or above 255"),
    kind("distance-unreachable", "a distance of 255, which ACPI reserves for unreachable"),
    kind("distances-equal", "all distances are equal, the local ones included"),
    kind("distances-flat", "more than two nodes, all at one distance"),
    kind("distance-not-beyond-local", "another node is no farther than a node is from itself"),
    kind("distance-array-overflow", "more distances than the kernel's array holds"),
    kind("cpuless-nodes-make-levels", "nodes without CPUs add distances that make levels"),
    kind("topology-type-misjudged", "4.15 to 4.18 take two nodes for a backplane"),
    kind("level-mixes-packages", "a NUMA level joins part of a remote package with the local one"),
    kind("masks-not-equivalent", "masks of a level are neither equal nor apart"),
    kind("smt-crosses-nodes", "threads of one core are in different nodes"),
    kind("cluster-crosses-nodes", "a cluster has CPUs of different nodes"),
    kind("llc-crosses-nodes", "a last-level cache has CPUs of different nodes"),
    kind("cpus-without-domains", "CPUs that take part in balancing have no domain"),
    kind("isolated-cpus", "CPUs are left out of all domains"),
    kind("isolated-smt-sibling", "a core has threads inside and outside of the domains"),
    kind("no-housekeeping-cpu", "every online CPU is tickless"),
    kind("reclaim-distance", "a NUMA level is beyond the reclaim distance and loses exec, fork and wake balancing"),
    kind("child-not-subset", "a domain does not hold its child"),
    kind("smt-asymmetric-capacity", "threads of one core differ in capacity"),
    kind("too-many-packages", "6.19 averages remote distances over more than two packages"),
    kind("slit-not-clustered", "the distance table is not made of one symmetric block a package"),
    kind("no-topology-type", "no NUMA topology type fits"),
    kind("group-visited-early", "a NUMA group took a capacity instance before its plain group was built"),
    kind("empty-balance-mask", "a group has no balance CPU"),
    kind("balance-mask-differs", "groups that share a capacity instance differ in balance mask"),
    kind("balance-cpu-not-found", "no CPU has this group first"),
    kind("three-hops", "a CPU has more than two NUMA domains"),
    kind("span-lacks-cpu", "a CPU's domain does not hold the CPU"),
    kind("groups-lack-cpu", "a CPU's first group does not hold the CPU"),
    kind("flag-not-in-child", "a domain has a flag its child should have too"),
    kind("flag-not-in-parent", "a domain has a flag its parent should have too"),
    kind("group-is-null", "a domain has no group"),
    kind("empty-group", "a group holds no CPU"),
    kind("repeated-cpus", "groups of a domain that does not overlap share CPUs"),
    kind("head-not-child", "a domain's first group is not its child"),
    kind("groups-dont-span", "the groups of a domain do not hold exactly its CPUs"),
    kind("parent-not-superset", "groups reach out of the parent domain"),
];

/// What is left where no release helps.
const REPAIR: &str = "look for a change of the table that does: r in the explorer, or check --repair";

/// The kind called `id`.
pub fn kind_of(id: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.id == id)
}

/// What the checks look at, and where they put what they find.
struct Checker<'a> {
    topology: &'a Topology,
    build: &'a Build,
    /// Every CPU domains were to be built for.
    cpu_map: CpuMask,
    /// Index of each CPU's node.
    node_of: Vec<Option<u32>>,
    found: Vec<Draft>,
}

/// Everything worth saying about `topology` and its `build`, most serious first; within a severity in the order of
/// [`KINDS`], then by level and lowest CPU.
///
/// ```
/// use schedtopo::analysis::findings::{self, Severity};
/// use schedtopo::kernel::{self, Release};
/// use schedtopo::presets;
///
/// let ring = presets::find("ring4").unwrap().topology()?;
/// let build = kernel::build(&ring, &Release::parse("v4.11")?);
/// let worst = &findings::find(&ring, &build)[0];
/// assert_eq!((worst.id, worst.severity), ("no-direct-path", Severity::Error));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find(topology: &Topology, build: &Build) -> Vec<Finding> {
    advice::proven(topology, build, facts(topology, build))
}

/// What is so, with advice that is not proven yet.
fn facts(topology: &Topology, build: &Build) -> Vec<Draft> {
    let mut checker =
        Checker { topology, build, cpu_map: build.cpu_map(), node_of: topology.node_of_cpus(), found: Vec::new() };
    checker.outcome();
    checker.paths();
    checker.groups();
    checker.distances();
    checker.masks();
    checker.isolation();
    let order = |id: &str| KINDS.iter().position(|kind| kind.id == id);
    checker.causes();
    checker.found.sort_by_cached_key(|(finding, _)| {
        let witness = &finding.witness;
        (std::cmp::Reverse(finding.severity), order(finding.id), witness.level, witness.cpus.first())
    });
    checker.found
}

impl Checker<'_> {
    fn push(
        &mut self,
        id: &'static str,
        severity: Severity,
        message: String,
        witness: Witness,
        advice: impl Into<Advice>,
    ) {
        let finding = Finding { id, severity, message, witness, advice: String::new(), mended_by: None };
        self.found.push((finding, advice.into()));
    }

    /// Says one cause once: a level that reaches over nodes makes the levels above it no supersets.
    fn causes(&mut self) {
        const CROSSES: [&str; 3] = ["smt-crosses-nodes", "cluster-crosses-nodes", "llc-crosses-nodes"];
        const FOLLOWS: Advice = Advice::Words("follows from the level below that reaches over nodes: correct that one");
        let lowest = self
            .found
            .iter()
            .filter(|(finding, _)| CROSSES.contains(&finding.id))
            .map(|(finding, _)| finding.witness.level)
            .min();
        let Some(lowest) = lowest else { return };
        let mut follows = false;
        for (finding, advice) in &mut self.found {
            if finding.id == "child-not-subset" && finding.witness.level > lowest {
                *advice = FOLLOWS;
                follows = true;
            }
        }
        for (finding, _) in self.found.iter_mut().filter(|(finding, _)| follows && CROSSES.contains(&finding.id)) {
            finding.severity = Severity::Error;
        }
    }

    /// Whether any CPU keeps a domain at `level`.
    fn is_kept(&self, level: usize) -> bool {
        let kept = |cpu| self.build.domain(cpu, level).is_some_and(|domain| domain.fate == Fate::Kept);
        self.cpu_map.iter().any(kept)
    }

    /// Indices of the nodes with CPUs in the CPU map.
    fn nodes_in_map(&self) -> Vec<usize> {
        let nodes = &self.topology.nodes;
        (0..nodes.len()).filter(|&node| nodes[node].cpus.intersects(&self.cpu_map)).collect()
    }

    /// `tl->mask(cpu)`: what the architecture or the NUMA step gives the CPU at a level.
    fn level_mask(&self, level: usize, cpu: usize) -> CpuMask {
        match self.build.levels[level].mask {
            LevelMask::Arch(kind) => self.topology.mask(kind).get(cpu).clone(),
            LevelMask::Numa(index) => {
                let node = self.node_of[cpu].map(|node| node as usize);
                node.map(|node| self.build.numa.masks[index][node].clone()).unwrap_or_default()
            }
        }
    }

    fn id(&self, node: usize) -> u32 {
        self.topology.nodes[node].id
    }
}
