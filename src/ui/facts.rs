//! A build with what the screen needs to know of it, worked out once per build and not per frame.

use super::action::Request;
use super::graph::Graph;
use super::text;
use crate::analysis::findings::{self, Finding};
use crate::analysis::sharing::{self, Sharing};
use crate::cpumask::CpuMask;
use crate::kernel::{Build, Domain, Fate, LevelMask, Rebuilder, SgcId, SpanId};
use crate::topology::Topology;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Cpulists are measured up to this many columns: no column is ever wider.
const WIDEST: usize = 28;
/// Machines up to this many CPUs are examined together with the build.
const SMALL: usize = 256;

thread_local! {
    /// What the last build left for the next one; each thread that builds has its own.
    static REBUILDER: RefCell<Rebuilder> = RefCell::default();
}

/// A build of one topology by one release.
#[derive(Debug)]
pub struct Built {
    /// The request it answers.
    pub generation: u64,
    /// What was built.
    pub topology: Arc<Topology>,
    /// The result.
    pub build: Build,
    /// How long the build took, nothing of this module included.
    pub took: Duration,
    /// Node index of each CPU.
    pub node_of: Vec<Option<u32>>,
    /// Names of the levels, told apart: the kernel calls every NUMA level `NUMA`.
    pub labels: Vec<String>,
    /// Every CPU domains were built for.
    pub cpu_map: CpuMask,
    levels: Vec<LevelFacts>,
    sharing: Vec<OnceLock<Sharing>>,
    findings: OnceLock<Vec<Finding>>,
    graph: OnceLock<Graph>,
}

#[derive(Debug, Default)]
struct LevelFacts {
    /// By span: the how-manieth different span of the level it is, `None` for spans of other levels.
    hues: Vec<Option<u32>>,
    /// Columns the longest cpulist takes.
    width: usize,
    /// Whether any CPU's domain stays.
    kept: bool,
}

impl Built {
    /// Builds what is asked for.
    pub fn new(request: Request) -> Self {
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
        let levels = (0..build.levels.len()).map(|level| level_facts(&build, level)).collect();
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
        let hue = self.levels.get(level).and_then(|facts| *facts.hues.get(span.0 as usize)?);
        hue.unwrap_or(0) as usize
    }

    /// Whether the domain of any CPU at `level` stays.
    pub fn is_kept_anywhere(&self, level: usize) -> bool {
        self.levels.get(level).is_some_and(|facts| facts.kept)
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
        self.levels.get(level).map_or(0, |facts| facts.width)
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
    pub fn shows(domain: &Domain, gone_too: bool) -> bool {
        gone_too || domain.fate == Fate::Kept
    }
}

fn level_facts(build: &Build, level: usize) -> LevelFacts {
    let mut facts = LevelFacts { hues: vec![None; build.spans.len()], width: 0, kept: false };
    let mut next = 0;
    for cpu in 0..build.nr_cpus {
        let Some(domain) = build.domain(cpu, level) else { continue };
        let kept = domain.fate == Fate::Kept;
        facts.kept |= kept;
        let hue = &mut facts.hues[domain.span.0 as usize];
        if hue.is_none() {
            *hue = Some(next);
            next += 1;
            // What went again is shown in brackets.
            let width = text::cpulist(build.span(domain.span), WIDEST, " ").len() + if kept { 0 } else { 2 };
            facts.width = facts.width.max(width);
        }
    }
    facts
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
