//! A build with what the screen needs to know of it, worked out once per build and not per frame.

use super::action::Request;
use super::text;
use crate::analysis::sharing::{self, Sharing};
use crate::cpumask::CpuMask;
use crate::kernel::{Build, Domain, Fate, LevelMask, Message, Rebuilder, SgcId, SpanId};
use crate::topology::Topology;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::mem::discriminant;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Cpulists are measured up to this many columns: no column is ever wider.
const WIDEST: usize = 28;

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
    /// The messages, alike ones as one.
    pub folds: Vec<Fold>,
    /// Which of [`Built::folds`] each message is in.
    pub fold_of: Vec<u32>,
    levels: Vec<LevelFacts>,
    sharing: Vec<OnceLock<Sharing>>,
}

/// Messages that say the same of the same level, for one CPU after another.
#[derive(Debug)]
pub struct Fold {
    /// Index of the first one.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// The CPUs they are about.
    pub cpus: CpuMask,
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
        Self::of(request.generation, request.topology, build, took)
    }

    fn of(generation: u64, topology: Arc<Topology>, build: Build, took: Duration) -> Self {
        let levels = (0..build.levels.len()).map(|level| level_facts(&build, level)).collect();
        let (folds, fold_of) = fold(&build.messages);
        Self {
            generation,
            folds,
            fold_of,
            node_of: topology.node_of_cpus(),
            labels: (0..build.levels.len()).map(|level| build.level_label(level)).collect(),
            cpu_map: build.cpu_map(),
            levels,
            sharing: build.levels.iter().map(|_| OnceLock::new()).collect(),
            topology,
            took,
            build,
        }
    }

    /// Who shares what at `level`; worked out when first asked for.
    pub fn sharing(&self, level: usize) -> Option<&Sharing> {
        Some(self.sharing.get(level)?.get_or_init(|| sharing::of_level(&self.build, level)))
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

/// Puts alike messages together, in order of the first of each.
fn fold(messages: &[Message]) -> (Vec<Fold>, Vec<u32>) {
    let mut folds: Vec<Fold> = Vec::new();
    let mut known: FxHashMap<_, SmallVec<[u32; 1]>> = FxHashMap::default();
    let mut fold_of = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        // Kinds of one discriminant may still name different flags or levels.
        let alike = known.entry((message.level, discriminant(&message.kind))).or_default();
        let found = alike.iter().copied().find(|&fold| messages[folds[fold as usize].first].kind == message.kind);
        let fold = found.unwrap_or_else(|| {
            alike.push(folds.len() as u32);
            folds.push(Fold { first: index, count: 0, cpus: CpuMask::new() });
            folds.len() as u32 - 1
        });
        folds[fold as usize].count += 1;
        if let Some(cpu) = message.cpu {
            folds[fold as usize].cpus.insert(cpu as usize);
        }
        fold_of.push(fold);
    }
    (folds, fold_of)
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
