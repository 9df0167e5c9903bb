//! The smallest change of the distance table that removes a finding.
//!
//! A search, with a stated budget of builds: first what the finding itself names (the two directions of a pair, a value
//! out of range), then one pair of nodes, then two, small changes before large ones. Values tried are those the table
//! has already. Because groups of NUMA levels follow the nodes, the search runs on the same machine with one CPU a node
//! where the finding shows there too; whatever it arrives at is verified on the machine itself.

use super::findings::{self, Finding, Severity};
use crate::cpumask::CpuMask;
use crate::kernel::{self, Release};
use crate::topology::{LOCAL_DISTANCE, Levels, Node, Topology};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Builds a search may take, when nothing else is said.
pub const BUDGET: usize = 2000;
/// The largest distance that is not "unreachable".
const FARTHEST: u32 = 254;
/// Single changes combined in twos.
const COMBINED: usize = 96;

/// One cell to change; nodes by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The row.
    pub from: u32,
    /// The column.
    pub to: u32,
    /// What is there.
    pub was: u32,
    /// What to put there.
    pub value: u32,
}

/// How many findings there are, by severity, most serious first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally(pub [usize; 3]);

impl Tally {
    fn of(findings: &[Finding]) -> Self {
        Self(Severity::ALL.map(|severity| findings.iter().filter(|finding| finding.severity == severity).count()))
    }

    /// Errors and warnings.
    pub fn serious(self) -> usize {
        self.0[0] + self.0[1]
    }
}

/// What a search arrived at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// The cells to change, row by row; empty when none was found within the budget.
    pub cells: Vec<Cell>,
    /// How many builds it took.
    pub builds: usize,
    /// The findings there are.
    pub before: Tally,
    /// The findings there would be; those there are when nothing was found.
    pub after: Tally,
}

/// How far a search is, for others to see, and their word to stop.
#[derive(Debug, Default)]
pub struct Progress {
    builds: AtomicUsize,
    stopped: AtomicBool,
}

impl Progress {
    /// How many builds were made so far.
    pub fn builds(&self) -> usize {
        self.builds.load(Ordering::Relaxed)
    }

    /// Tells the search to end: it finds nothing from then on.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn count(&self) {
        self.builds.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether a change of the table can remove findings of this kind.
pub fn is_repairable(id: &str) -> bool {
    matches!(
        id,
        "no-direct-path"
            | "blocked-path"
            | "no-numa-domains"
            | "distance-asymmetric"
            | "distance-out-of-range"
            | "distance-unreachable"
            | "distance-not-beyond-local"
            | "groups-dont-span"
            | "groups-leave-domain"
            | "parent-not-superset"
            | "row0-incomplete"
            | "span-check-false-alarm"
            | "level-mixes-packages"
            | "head-not-child"
            | "empty-balance-mask"
            | "balance-mask-differs"
            | "balance-cpu-not-found"
            | "kernel-oops"
            | "no-topology-type"
            | "slit-not-clustered"
            | "distance-array-overflow"
            | "three-hops"
            | "balance-cpu-elsewhere"
            | "shared-sgc"
            | "split-sgc"
    )
}

/// Looks for the smallest change that removes `finding` from the findings of `topology` under `release` and adds no
/// serious one of another kind, with at most `budget` builds; `None` for findings no such change removes.
pub fn repair(topology: &Topology, release: &Release, finding: &Finding, budget: usize) -> Option<Repair> {
    repair_watched(topology, release, finding, budget, &Progress::default())
}

/// As [`repair`], for somebody who watches and may stop it.
pub fn repair_watched(
    topology: &Topology,
    release: &Release,
    finding: &Finding,
    budget: usize,
    progress: &Progress,
) -> Option<Repair> {
    if !is_repairable(finding.id) {
        return None;
    }
    let mut real = Search::new(topology, release, finding, budget, progress);
    let direct = named_by(topology, finding);
    if !direct.is_empty() {
        let found = direct.into_iter().find(|edit| real.removes(edit));
        if found.is_some() || real.builds >= budget {
            return Some(real.done(found.as_ref()));
        }
    }
    let small = one_cpu_a_node(topology);
    let mut search = Search::new(&small, release, finding, budget.saturating_sub(real.builds), progress);
    let found = if search.shows() {
        let mut found = None;
        // What helps the small machine nearly always helps the real one.
        while let Some(edit) = search.next() {
            if real.removes(&edit) {
                found = Some(edit);
                break;
            }
        }
        real.builds += search.builds;
        found
    } else {
        real.next()
    };
    Some(real.done(found.as_ref()))
}

/// Cells to set, by node index.
type Edit = Vec<(usize, usize, u32)>;

/// Changes that follow from the finding itself, smaller ones first.
fn named_by(topology: &Topology, finding: &Finding) -> Vec<Edit> {
    let index = |id: u32| topology.node_index(id);
    let pairs: Vec<(usize, usize)> =
        finding.witness.pairs.iter().filter_map(|&(a, b)| Some((index(a)?, index(b)?))).collect();
    let table = &topology.distances;
    match finding.id {
        "distance-asymmetric" => {
            let both = |of: fn(u32, u32) -> u32| -> Edit {
                pairs
                    .iter()
                    .flat_map(|&(a, b)| {
                        let value = of(table.get(a, b), table.get(b, a));
                        [(a, b, value), (b, a, value)]
                    })
                    .collect()
            };
            vec![both(u32::min), both(u32::max)]
        }
        "distance-out-of-range" | "distance-unreachable" => {
            let within = |&(a, b): &(usize, usize)| {
                let value = table.get(a, b).clamp(LOCAL_DISTANCE + 1, FARTHEST);
                (a, b, if a == b { LOCAL_DISTANCE } else { value })
            };
            vec![pairs.iter().map(within).collect()]
        }
        "distance-not-beyond-local" => {
            vec![pairs.iter().map(|&(a, b)| (a, b, table.get(a, a) + 1)).collect()]
        }
        "level-mixes-packages" => packages_averaged(topology).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Every distance between two packages set to the average between them, where nodes name their package.
fn packages_averaged(topology: &Topology) -> Option<Edit> {
    let packages: Vec<u32> = topology.nodes.iter().map(|node| node.package).collect::<Option<_>>()?;
    let nodes = || 0..topology.nodes.len();
    let mut edit = Vec::new();
    for from in nodes() {
        for to in nodes().filter(|&to| packages[to] != packages[from]) {
            let pair = [packages[from], packages[to]];
            let between =
                |&(a, b): &(usize, usize)| pair == [packages[a], packages[b]] || pair == [packages[b], packages[a]];
            let cells: Vec<u64> = nodes()
                .flat_map(|a| nodes().map(move |b| (a, b)))
                .filter(between)
                .map(|(a, b)| u64::from(topology.distances.get(a, b)))
                .collect();
            edit.push((from, to, (cells.iter().sum::<u64>() / cells.len().max(1) as u64) as u32));
        }
    }
    Some(edit)
}

/// A machine, the finding to remove, and how far the search is.
struct Search<'a> {
    topology: &'a Topology,
    release: &'a Release,
    finding: &'a Finding,
    before: Vec<Finding>,
    /// What the last edit tried left.
    after: Tally,
    edits: Vec<Edit>,
    at: usize,
    builds: usize,
    budget: usize,
    progress: &'a Progress,
}

impl<'a> Search<'a> {
    fn new(
        topology: &'a Topology,
        release: &'a Release,
        finding: &'a Finding,
        budget: usize,
        progress: &'a Progress,
    ) -> Self {
        let before = findings::find(topology, &kernel::build(topology, release));
        let after = Tally::of(&before);
        Self { topology, release, finding, before, after, edits: Vec::new(), at: 0, builds: 1, budget, progress }
    }

    /// Whether the machine has the finding at all.
    fn shows(&self) -> bool {
        self.before.iter().any(|finding| self.is_same(finding))
    }

    /// Whether a finding is the one to remove: of its kind, and about the same nodes where it names nodes.
    fn is_same(&self, other: &Finding) -> bool {
        let (witness, pairs) = (&self.finding.witness, &other.witness.pairs);
        other.id == self.finding.id
            && (witness.pairs.is_empty() || pairs.iter().any(|pair| witness.pairs.contains(pair)))
    }

    /// Builds the machine with an edit: whether the finding is gone, and nothing serious came instead.
    fn removes(&mut self, edit: &Edit) -> bool {
        let mut topology = self.topology.clone();
        for &(from, to, value) in edit {
            topology.distances.set(from, to, value);
        }
        self.builds += 1;
        self.progress.count();
        let after = findings::find(&topology, &kernel::build(&topology, self.release));
        self.after = Tally::of(&after);
        let serious = |findings: &[Finding]| findings.iter().filter(|f| f.severity > Severity::Info).count();
        let known = |finding: &Finding| self.before.iter().any(|before| before.id == finding.id);
        !after.iter().any(|finding| self.is_same(finding))
            && serious(&after) <= serious(&self.before)
            && after.iter().all(|finding| finding.severity == Severity::Info || known(finding))
    }

    /// The next change that removes the finding.
    fn next(&mut self) -> Option<Edit> {
        if self.edits.is_empty() {
            self.edits = candidates(self.topology, self.finding);
        }
        while self.at < self.edits.len() && self.builds < self.budget && !self.progress.is_stopped() {
            let edit = self.edits[self.at].clone();
            self.at += 1;
            if self.removes(&edit) {
                return Some(edit);
            }
        }
        None
    }

    fn done(&self, edit: Option<&Edit>) -> Repair {
        let cell = |&(from, to, value): &(usize, usize, u32)| {
            let was = self.topology.distances.get(from, to);
            let id = |node: usize| self.topology.nodes[node].id;
            (was != value).then(|| Cell { from: id(from), to: id(to), was, value })
        };
        let mut cells: Vec<Cell> = edit.into_iter().flatten().filter_map(cell).collect();
        cells.sort_unstable_by_key(|cell| (cell.from, cell.to));
        let before = Tally::of(&self.before);
        Repair { cells, builds: self.builds, before, after: if edit.is_some() { self.after } else { before } }
    }
}

/// One pair of nodes set to a distance the table has elsewhere, then two pairs; by how much changes, those about the
/// finding's own nodes first.
fn candidates(topology: &Topology, finding: &Finding) -> Vec<Edit> {
    let table = &topology.distances;
    let nodes: Vec<usize> = (0..topology.nodes.len()).filter(|&node| !topology.node_online(node).is_empty()).collect();
    let pairs = || nodes.iter().flat_map(|&a| nodes.iter().filter(move |&&b| a < b).map(move |&b| (a, b)));
    let values: BTreeSet<u32> = pairs().map(|(a, b)| table.get(a, b)).collect();
    let concerns = |node: usize| finding.witness.nodes.contains(&topology.nodes[node].id);
    let mut single: Vec<(u32, usize, (usize, usize, u32))> = Vec::new();
    for (a, b) in pairs() {
        let strangers = usize::from(!concerns(a)) + usize::from(!concerns(b));
        for &value in values.iter().filter(|&&value| value != table.get(a, b)) {
            single.push((table.get(a, b).abs_diff(value), strangers, (a, b, value)));
        }
    }
    single.sort_unstable();
    let both = |(a, b, value): (usize, usize, u32)| [(a, b, value), (b, a, value)];
    let mut edits: Vec<Edit> = single.iter().map(|&(_, _, set)| both(set).to_vec()).collect();
    let few = &single[..single.len().min(COMBINED)];
    let mut double: Vec<(u32, usize, usize)> = Vec::new();
    for (i, one) in few.iter().enumerate() {
        for (j, two) in few.iter().enumerate().skip(i + 1) {
            if (one.2.0, one.2.1) != (two.2.0, two.2.1) {
                double.push((one.0 + two.0, i, j));
            }
        }
    }
    double.sort_unstable();
    edits.extend(double.into_iter().map(|(_, i, j)| [both(few[i].2), both(few[j].2)].concat()));
    edits
}

/// The same nodes and distances with one CPU a node, numbered in the order of the nodes' lowest CPUs; nodes that take
/// no part in balancing have none.
fn one_cpu_a_node(topology: &Topology) -> Topology {
    let taking_part = topology.online.andnot(&topology.isolated);
    let mut order: Vec<(usize, usize)> = (0..topology.nodes.len())
        .filter_map(|node| Some((topology.nodes[node].cpus.first_and(&taking_part)?, node)))
        .collect();
    order.sort_unstable();
    let mut nodes: Vec<Node> =
        topology.nodes.iter().map(|node| Node { cpus: CpuMask::new(), ..node.clone() }).collect();
    for (cpu, &(_, node)) in order.iter().enumerate() {
        nodes[node].cpus = CpuMask::single(cpu);
    }
    Topology {
        nr_cpus: order.len(),
        nodes,
        levels: Levels::default(),
        online: CpuMask::first_n(order.len()),
        isolated: CpuMask::new(),
        nohz_full: CpuMask::new(),
        cpusets: Vec::new(),
        capacity: None,
        ..topology.clone()
    }
}
