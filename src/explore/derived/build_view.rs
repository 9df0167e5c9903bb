//! A build with what the screen needs to know of it, worked out once per build and not per frame.

use crate::analysis::findings::{self, Finding};
use crate::analysis::graph::Graph;
use crate::analysis::sharing::{self, Sharing};
use crate::cpumask::CpuMask;
use crate::kernel::{Build, Domain, Fate, LevelMask, Rebuilder, Release, SgcId, SpanId};
use crate::topology::Topology;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Cpulists are measured up to this many columns: no column is ever wider.
const WIDEST: usize = 28;
/// Machines up to this many CPUs are examined together with the build.
const SMALL: usize = 64;
/// The hue of a span that is not of the level.
const NO_HUE: u32 = u32::MAX;

thread_local! {
    /// What the last build left for the next one; each thread that builds has its own.
    static REBUILDER: RefCell<Rebuilder> = RefCell::default();
}

/// What to build.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// Counts up with every request.
    pub generation: u64,
    /// The machine.
    pub topology: Arc<Topology>,
    /// The kernel.
    pub release: Release,
}

/// A build of one topology by one release.
#[derive(Debug)]
pub struct BuildView {
    /// The request it answers.
    pub generation: u64,
    /// What was built.
    pub topology: Arc<Topology>,
    /// The result.
    pub build: Build,
    /// How long the build itself took.
    pub took: Duration,
    /// Node index of each CPU.
    pub node_of: Vec<Option<u32>>,
    /// Names of the levels, told apart: the kernel calls every NUMA level `NUMA`.
    pub labels: Vec<String>,
    /// Every CPU domains were built for.
    pub cpu_map: CpuMask,
    levels: Vec<LevelView>,
    sharing: Vec<OnceLock<Sharing>>,
    findings: OnceLock<Vec<Finding>>,
    graph: OnceLock<Graph>,
}

#[derive(Debug, Default)]
struct LevelView {
    /// By span: its number among the different spans of the level, in the order met, [`NO_HUE`] for spans of other levels.
    hues: Vec<u32>,
    /// How many different spans there are.
    spans: u32,
    /// Columns the longest cpulist takes.
    width: usize,
    /// Whether any CPU's domain stays.
    kept: bool,
}

impl BuildView {
    /// Builds what is asked for, without telling how long it took: the same request gives the same view.
    pub fn untimed(request: BuildRequest) -> Self {
        Self { took: Duration::ZERO, ..Self::new(request) }
    }

    /// Builds what is asked for.
    pub fn new(request: BuildRequest) -> Self {
        let start = Instant::now();
        // Taken for the time of the build: one that panics is not used again.
        let mut rebuilder = REBUILDER.take();
        let build = rebuilder.build(&request.topology, &request.release);
        REBUILDER.set(rebuilder);
        let took = start.elapsed();
        let built = Self::of(request.generation, request.topology, build, took);
        if built.build.nr_cpus <= SMALL {
            built.examine();
        }
        built
    }

    fn of(generation: u64, topology: Arc<Topology>, build: Build, took: Duration) -> Self {
        let levels = level_views(&build);
        Self {
            generation,
            node_of: topology.node_of_cpus(),
            labels: (0..build.levels.len()).map(|level| build.level_label(level)).collect(),
            cpu_map: build.cpu_map(),
            levels,
            sharing: build.levels.iter().map(|_| OnceLock::new()).collect(),
            findings: OnceLock::new(),
            graph: OnceLock::new(),
            topology,
            took,
            build,
        }
    }

    /// Who shares what at `level`; worked out when first asked for.
    pub fn sharing(&self, level: usize) -> Option<&Sharing> {
        Some(self.sharing.get(level)?.get_or_init(|| sharing::of_level(&self.build, level)))
    }

    /// What is wrong or worth knowing, most serious first; `None` until somebody [examined](Self::examine) the build.
    pub fn findings(&self) -> Option<&[Finding]> {
        self.findings.get().map(Vec::as_slice)
    }

    /// Looks for what is wrong, once. On a large machine this takes longer than a frame may.
    pub fn examine(&self) -> &[Finding] {
        self.findings.get_or_init(|| findings::find(&self.topology, &self.build))
    }

    /// The picture of the distance table; worked out when first asked for.
    pub fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::new(&self.topology.distances))
    }

    /// The number of a span among the different spans of a level: equal spans have equal numbers.
    pub fn hue(&self, level: usize, span: SpanId) -> usize {
        let hue = self.levels.get(level).and_then(|view| view.hues.get(span.0 as usize));
        hue.copied().filter(|&hue| hue != NO_HUE).unwrap_or(0) as usize
    }

    /// Whether the domain of any CPU at `level` stays.
    pub fn is_kept_anywhere(&self, level: usize) -> bool {
        self.levels.get(level).is_some_and(|view| view.kept)
    }

    /// A capacity instance as the panes of `level` call it: by the CPU it belongs to, with its level only where that is
    /// another one.
    pub fn sgc_label(&self, sgc: SgcId, level: usize) -> String {
        let sgc = self.build.sgc(sgc);
        match self.labels.get(sgc.level as usize) {
            Some(label) if sgc.level as usize != level => format!("{label}@{}", sgc.owner),
            _ => format!("@{}", sgc.owner),
        }
    }

    /// Columns the longest cpulist of `level` takes, bounded.
    pub fn span_width(&self, level: usize) -> usize {
        self.levels.get(level).map_or(0, |view| view.width)
    }

    /// The first CPU of the node at `index` that domains were built for, or else its first CPU.
    pub fn cpu_of_node(&self, index: usize) -> Option<usize> {
        let cpus = &self.topology.nodes.get(index)?.cpus;
        cpus.first_and(&self.cpu_map).or_else(|| cpus.first())
    }

    /// The lowest domain, of those that stay, in which a CPU of node `from` sees a CPU of node `to`.
    pub fn meeting_level(&self, from: usize, to: usize) -> Option<usize> {
        let cpu = self.cpu_of_node(from)?;
        let target = self.cpu_of_node(to)?;
        let (level, _) = self.build.chain(cpu).find(|(_, domain)| self.build.span(domain.span).contains(target))?;
        Some(level)
    }

    /// How many NUMA levels lie below `level`, itself included: 0 for levels within nodes.
    pub fn hops(&self, level: usize) -> usize {
        let levels = self.build.levels.iter().take(level + 1);
        levels.filter(|level| matches!(level.mask, LevelMask::Numa(_)) && level.overlap).count()
    }

    /// Whether the domain is one to show.
    pub fn shows(domain: &Domain, degenerated_too: bool) -> bool {
        degenerated_too || domain.fate == Fate::Kept
    }
}

/// In one pass over the chains: they are stored CPU by CPU.
fn level_views(build: &Build) -> Vec<LevelView> {
    let none = || LevelView { hues: vec![NO_HUE; build.spans.len()], ..LevelView::default() };
    let mut levels: Vec<LevelView> = build.levels.iter().map(|_| none()).collect();
    for cpu in 0..build.nr_cpus {
        for (level, domain) in build.built_chain(cpu) {
            levels[level].note(build, domain);
        }
    }
    levels
}

impl LevelView {
    fn note(&mut self, build: &Build, domain: &Domain) {
        let kept = domain.fate == Fate::Kept;
        self.kept |= kept;
        let hue = &mut self.hues[domain.span.0 as usize];
        if *hue == NO_HUE {
            *hue = self.spans;
            self.spans += 1;
            // What went again is shown in brackets.
            let width = cpulist_width(build.span(domain.span)) + if kept { 0 } else { 2 };
            self.width = self.width.max(width);
        }
    }
}

/// Columns the cpulist of `mask` takes, [`WIDEST`] at most; without writing it, for there are thousands.
fn cpulist_width(mask: &CpuMask) -> usize {
    let digits = |cpu: usize| cpu.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut width = 0;
    for (first, last) in mask.ranges() {
        width += usize::from(width > 0) + digits(first);
        if last > first {
            width += 1 + digits(last);
        }
        if width > WIDEST {
            return WIDEST;
        }
    }
    width
}

/// What became of a domain, in a few words.
pub fn fate_text(fate: Fate) -> &'static str {
    match fate {
        Fate::Kept => "",
        Fate::OneCpu => "gone: one CPU",
        Fate::OneGroup => "gone: one group",
        Fate::SameAsChild => "gone: like its child",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::text;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cpulist_is_as_wide_as_it_is_long(cpus in prop::collection::btree_set(0..8192usize, 0..12), to in 0..300usize) {
            let mask: CpuMask = cpus.into_iter().chain(0..to).collect();
            prop_assert_eq!(cpulist_width(&mask), text::cpulist(&mask, WIDEST, " ").len());
        }
    }
}
