//! The state of the explorer. Only [`update`](super::update::update) changes it; the view reads it.

mod overlay;
mod start;

pub use overlay::{Overlay, Prompt, PromptKind, Question, Waiting};
pub use start::{Options, Start, Welcome};

use super::action::{Command, Effect, Pane, Request};
use super::borders::{Border, Borders, Drawn};
use super::document::Document;
use super::facts::Built;
use super::jumps::Jumps;
use super::keys::Keymap;
use super::picker::Source;
use super::rows::{CpuRows, Listing};
use super::screens::Screens;
use super::theme::Theme;
use crate::analysis::findings::Finding;
use crate::cpumask::CpuMask;
use crate::kernel::{Domain, Release};
use std::path::PathBuf;
use std::sync::Arc;

/// Whether an edit of a distance goes both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    /// Both directions at once.
    #[default]
    Both,
    /// The one cell only.
    OneWay,
}

/// Whether domains that degenerated are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gone {
    /// Listed, greyed, with the reason.
    #[default]
    Shown,
    /// Left out.
    Hidden,
}

/// How much of the screen the focused pane has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// Its share.
    #[default]
    Split,
    /// All of it.
    Whole,
}

/// Whether the CPUs of each node are listed beside its distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeCpus {
    /// Not listed: the chosen node's are below the table.
    #[default]
    Hidden,
    /// Listed.
    Shown,
}

/// What is chosen; every pane shows its side of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Row of the distance table, a node index.
    pub from: usize,
    /// Column of the distance table, a node index.
    pub to: usize,
    /// The CPU.
    pub cpu: usize,
    /// The level, index into the build's levels.
    pub level: usize,
    /// The group, counted from the domain's first.
    pub group: usize,
    /// The capacity instance, index into the level's instances.
    pub instance: usize,
    /// The finding, index into [`Built::findings`].
    pub finding: usize,
    /// The line of the kernel log.
    pub line: usize,
}

/// A distance being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The digits so far.
    pub digits: String,
    /// Whether the table already follows them.
    pub applied: bool,
}

impl Entry {
    /// The number, once it is one a table can hold: the local distance or more.
    pub fn value(&self) -> Option<u32> {
        self.digits.parse().ok().filter(|&value| value >= crate::topology::LOCAL_DISTANCE)
    }
}

/// What was looked for, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The text; empty when there is no search.
    pub query: String,
    /// Rows of the pane that match.
    pub rows: Vec<usize>,
}

/// How a notice sounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Done,
    /// Something was not done.
    Trouble,
}

/// One line to the person, gone with the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How it sounds.
    pub tone: Tone,
    /// What it says.
    pub text: String,
}

/// Everything the explorer knows.
#[derive(Clone, Debug)]
pub struct Model {
    /// The machine being edited.
    pub doc: Document,
    /// What names the machine as it was opened or saved last, if anything does.
    pub source: Option<Source>,
    /// The kernel.
    pub release: Release,
    /// Every kernel there is, oldest first.
    pub releases: Vec<Release>,
    /// The newest build there is; what the panes show.
    pub built: Arc<Built>,
    /// The newest build asked for.
    pub wanted: u64,
    /// What is chosen.
    pub selection: Selection,
    /// The screens beside Explore.
    pub screens: Screens,
    /// The pane that has the keys.
    pub focus: Pane,
    /// Panes by when they had the focus, latest first: decides which of several in one place is seen.
    pub recent: [Pane; 7],
    /// How much the focused pane has.
    pub zoom: Zoom,
    /// Borders between panes that somebody moved.
    pub borders: Borders,
    /// The border held by the mouse.
    pub(super) pulled: Option<Border>,
    /// What came of the last frame.
    pub(super) drawn: Drawn,
    /// Whether edits go both ways.
    pub symmetry: Symmetry,
    /// Which keys do what.
    pub keys: Keymap,
    /// Whether degenerated domains are listed.
    pub gone: Gone,
    /// Which CPUs the CPU map lists.
    pub listing: Listing,
    /// Its rows.
    pub cpu_rows: CpuRows,
    /// The number being typed.
    pub entry: Option<Entry>,
    /// What lies on top.
    pub overlay: Overlay,
    /// Where the selection was before it jumped.
    pub(super) jumps: Jumps,
    /// Commands run from the palette, latest first.
    pub(super) used: Vec<Command>,
    /// What was opened, latest first.
    pub(super) opened: Vec<Source>,
    /// The last search.
    pub search: Search,
    /// A line to the person.
    pub notice: Option<Notice>,
    /// Files found to open.
    pub files: Vec<PathBuf>,
    /// What to do once a save has worked.
    pub after_save: Option<Waiting>,
    /// Rows of half a screen.
    pub page: usize,
    /// Whether the nodes' CPUs are listed beside the distances.
    pub node_cpus: NodeCpus,
    /// Look and feel.
    pub options: Options,
    /// The theme they make.
    pub theme: Theme,
}

impl Model {
    /// The state at the start, with its first build.
    pub fn new(start: Start) -> Self {
        let Start { topology, path, source, state: _, release, options, keys, symmetry } = start;
        let topology = Arc::new(topology);
        let request = Request { generation: 0, topology: Arc::clone(&topology), release: release.clone() };
        let mut model = Self {
            doc: Document::new(topology, path),
            opened: source.iter().cloned().collect(),
            source,
            release,
            releases: Release::all(),
            built: Arc::new(Built::new(request)),
            wanted: 0,
            selection: Selection::default(),
            screens: Screens::default(),
            focus: Pane::Distances,
            recent: Pane::ALL,
            zoom: Zoom::default(),
            borders: Borders::default(),
            pulled: None,
            drawn: Drawn::default(),
            symmetry,
            keys,
            gone: Gone::default(),
            listing: Listing::default(),
            cpu_rows: CpuRows::default(),
            entry: None,
            overlay: Overlay::None,
            jumps: Jumps::default(),
            used: Vec::new(),
            search: Search::default(),
            notice: None,
            files: Vec::new(),
            after_save: None,
            page: 10,
            node_cpus: NodeCpus::default(),
            theme: Theme::new(options.palette, options.depth, options.charset),
            options,
        };
        model.list_cpus();
        model.start_selection();
        model
    }

    /// The domain chosen: that of the CPU at the level.
    pub fn domain(&self) -> Option<&Domain> {
        self.built.build.domain(self.selection.cpu, self.selection.level)
    }

    /// The levels the Domains pane lists for the chosen CPU, top down.
    pub fn domain_rows(&self) -> Vec<usize> {
        let chain = self.built.build.built_chain(self.selection.cpu);
        let shown = chain.filter(|(_, domain)| Built::shows(domain, self.gone == Gone::Shown));
        let mut levels: Vec<usize> = shown.map(|(level, _)| level).collect();
        levels.reverse();
        levels
    }

    /// The label of a level; a dash where there is none.
    pub fn level_label(&self, level: usize) -> &str {
        self.built.labels.get(level).map_or("-", String::as_str)
    }

    /// Whether what is shown is not yet what was asked for.
    pub fn is_rebuilding(&self) -> bool {
        self.built.generation < self.wanted
    }

    /// The CPUs the selection of the focused pane is about: lit in every pane.
    pub fn lit(&self) -> CpuMask {
        self.lit_of(self.focus)
    }

    /// The CPUs the graph shows: of the group or instance where those were looked at last, or else of the domain.
    pub fn graphed(&self) -> CpuMask {
        let pane = self.recent.iter().find(|pane| !matches!(pane, Pane::Graph | Pane::Distances));
        self.lit_of(pane.copied().unwrap_or(Pane::Domains))
    }

    fn lit_of(&self, pane: Pane) -> CpuMask {
        let built = &self.built;
        let nodes = &built.topology.nodes;
        let node = |index: usize| nodes.get(index).map(|node| node.cpus.clone()).unwrap_or_default();
        let span = || self.domain().map(|domain| built.build.span(domain.span).clone());
        match pane {
            Pane::Distances => node(self.selection.from).or(&node(self.selection.to)),
            Pane::Graph => self.graphed(),
            Pane::Findings => self.witnessed().or_else(span).unwrap_or_default(),
            Pane::Cpus | Pane::Domains => span().unwrap_or_else(|| CpuMask::single(self.selection.cpu)),
            Pane::Groups => {
                let groups = self.domain().filter(|domain| built.build.nr_groups(domain) > 0);
                groups.map(|domain| built.build.group(domain, self.selection.group).span.clone()).unwrap_or_default()
            }
            Pane::Capacity => {
                let sharing = built.sharing(self.selection.level);
                let instance = sharing.and_then(|sharing| sharing.instances.get(self.selection.instance));
                instance.map(|instance| instance.holders.clone()).unwrap_or_default()
            }
        }
    }

    /// The finding chosen, when findings are known.
    pub fn finding(&self) -> Option<&Finding> {
        self.built.findings()?.get(self.selection.finding)
    }

    /// The CPUs the chosen finding is about: its own, or those of its nodes.
    fn witnessed(&self) -> Option<CpuMask> {
        let witness = &self.finding()?.witness;
        if !witness.cpus.is_empty() {
            return Some(witness.cpus.clone());
        }
        let topology = &self.built.topology;
        let pair = witness.pairs.first().map(|&(puller, source)| [puller, source]);
        let ids = pair.iter().flatten().chain(&witness.nodes);
        let nodes = ids.filter_map(|&id| topology.nodes.get(topology.node_index(id)?));
        let cpus = nodes.fold(CpuMask::new(), |all, node| all.or(&node.cpus));
        (!cpus.is_empty()).then_some(cpus)
    }

    /// Asks for the findings of what is shown, if they are not there yet.
    pub(super) fn examine(&self) -> Vec<Effect> {
        if self.built.findings().is_some() { Vec::new() } else { vec![Effect::Examine(Arc::clone(&self.built))] }
    }

    /// Asks for a build of what there is now.
    pub(super) fn rebuild(&mut self) -> Vec<Effect> {
        self.wanted += 1;
        vec![Effect::Build(Request {
            generation: self.wanted,
            topology: Arc::clone(self.doc.topology()),
            release: self.release.clone(),
        })]
    }

    /// Says something, until the next key.
    pub(super) fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.notice = Some(Notice { tone, text: text.into() });
    }
}
