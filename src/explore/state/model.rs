//! Everything the explorer knows, and questions about it. Only [`update`](crate::explore::update::update) changes it; the
//! view reads it.

use super::balance;
use super::compare::Against;
use super::counters::LiveCounters;
use super::document::Document;
use super::jumps::{JumpPlace, Jumps};
use super::keymap::Keymap;
use super::memory::Memory;
use super::modes::{DegeneratedRows, NodeCpus, Symmetry, Zoom};
use super::options::Options;
use super::overlay::{Overlay, Prompt, PromptKind, Waiting};
use super::repair::RepairOffer;
use super::screens::Screens;
use super::selection::{Entry, Search, Selection};
use super::start::Start;
use crate::analysis::findings::Finding;
use crate::counters::Total;
use crate::cpumask::CpuMask;
use crate::explore::derived::build_view::{BuildRequest, BuildView};
use crate::explore::derived::cpu_rows::{CpuRows, Listing};
use crate::explore::vocabulary::border::{Border, Borders, Drawn};
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::pane::{Pane, Screen};
use crate::explore::vocabulary::place::{Layer, Spot};
use crate::explore::vocabulary::signs::Signs;
use crate::explore::vocabulary::source::Source;
use crate::kernel::{Domain, Release};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The release the newest one is compared with at first: the last one with the groups of before 4.13.
const FIRST_COMPARED: &str = "v4.11";
/// How often the count of a search for a repair is drawn anew.
const SEARCH_PULSE: Duration = Duration::from_millis(150);

/// Whether a notice tells of something done.
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
    /// Whether it tells of something done.
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
    pub built: Arc<BuildView>,
    /// The newest build asked for.
    pub wanted: u64,
    /// What is chosen.
    pub selection: Selection,
    /// The screens beside Explore.
    pub screens: Screens,
    /// The pane that has the keys.
    pub focus: Pane,
    /// Panes by when they had the focus, latest first: decides which of several in one place is seen.
    pub recent: [Pane; 8],
    /// How much the focused pane has.
    pub zoom: Zoom,
    /// Borders between panes that somebody moved.
    pub borders: Borders,
    /// The border held by the mouse.
    pub pulled: Option<Border>,
    /// What came of the last frame.
    pub drawn: Drawn,
    /// Whether edits go both ways.
    pub symmetry: Symmetry,
    /// Which keys do what.
    pub keys: Keymap,
    /// Whether degenerated domains are listed.
    pub degenerated: DegeneratedRows,
    /// Which CPUs the CPU map lists.
    pub listing: Listing,
    /// Its rows.
    pub cpu_rows: CpuRows,
    /// The number being typed.
    pub entry: Option<Entry>,
    /// What lies on top.
    pub overlay: Overlay,
    /// What the balancer does, where the machine is at work.
    pub counters: LiveCounters,
    /// Where the selection was before it jumped.
    pub(in crate::explore) jumps: Jumps,
    /// Commands run from the palette, latest first.
    pub(in crate::explore) used: Vec<Command>,
    /// What was opened, latest first.
    pub opened: Vec<Source>,
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
    /// What `~` stands for in a path that is typed.
    pub home: Option<PathBuf>,
    /// A command chosen from a list, to be run next.
    pub(in crate::explore) chosen_command: Option<Command>,
}

impl Model {
    /// The state at the start, with its first build. Nothing is chosen yet: see
    /// [`start`](crate::explore::update::start).
    pub fn new(start: Start) -> Self {
        let Start { topology, path, source, home, release, options, keys, symmetry, state: _, recorded: _ } = start;
        let topology = Arc::new(topology);
        let request = BuildRequest { generation: 0, topology: Arc::clone(&topology), release: release.clone() };
        let built = Arc::new(BuildView::new(request));
        let listing = Listing::default();
        Self {
            doc: Document::new(topology, path),
            opened: source.iter().cloned().collect(),
            source,
            release,
            releases: Release::all(),
            cpu_rows: CpuRows::new(&built, &listing),
            built,
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
            degenerated: DegeneratedRows::default(),
            listing,
            entry: None,
            overlay: Overlay::None,
            counters: LiveCounters::default(),
            jumps: Jumps::default(),
            used: Vec::new(),
            search: Search::default(),
            notice: None,
            files: Vec::new(),
            after_save: None,
            page: 10,
            node_cpus: NodeCpus::default(),
            options,
            home,
            chosen_command: None,
        }
    }

    /// The signs that may be drawn.
    pub fn signs(&self) -> &'static Signs {
        Signs::of(self.options.charset)
    }

    /// The domain chosen: that of the CPU at the level.
    pub fn domain(&self) -> Option<&Domain> {
        self.built.build.domain(self.selection.cpu, self.selection.level)
    }

    /// The levels the Domains pane lists for the chosen CPU, top down.
    pub fn domain_rows(&self) -> Vec<usize> {
        let chain = self.built.build.built_chain(self.selection.cpu);
        let shown = chain.filter(|(_, domain)| BuildView::shows(domain, self.degenerated == DegeneratedRows::Shown));
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
            Pane::Cpus | Pane::Domains | Pane::Counters => {
                span().unwrap_or_else(|| CpuMask::single(self.selection.cpu))
            }
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

    /// Where the person is, as the table of commands has it.
    pub fn spot(&self) -> Spot {
        let lesson = &self.screens.lesson;
        Spot {
            layer: self.layer(),
            screen: self.screens.now,
            pane: self.focus,
            lesson: lesson.open,
            lesson_asks: lesson.asks(),
        }
    }

    /// What has the keys.
    pub fn layer(&self) -> Layer {
        match self.overlay {
            Overlay::None => Layer::Panes,
            Overlay::Picker(_) | Overlay::Prompt(_) => Layer::Typing,
            Overlay::Question(_) => Layer::Question,
            Overlay::CopyMenu => Layer::CopyMenu,
            Overlay::Repair(_) => Layer::Repair,
        }
    }

    /// How long until something that plays goes on.
    pub fn pulse(&self) -> Option<Duration> {
        if let Overlay::Repair(RepairOffer { repair: None, .. }) = self.overlay {
            return Some(SEARCH_PULSE);
        }
        if self.log_searched().is_some() {
            return Some(Duration::ZERO);
        }
        let pace = || match self.screens.now {
            Screen::Balance => balance::FRAME,
            _ => self.screens.construct.pace(),
        };
        self.plays().then(pace)
    }

    /// Whether the steps of a construction, or time, run by themselves.
    pub fn plays(&self) -> bool {
        match self.screens.now {
            Screen::Construct => self.screens.construct.playing,
            Screen::Balance => self.screens.balance.playing,
            _ => false,
        }
    }

    /// How much of the log a search has looked at, in percent, while it is not at its end.
    pub fn log_searched(&self) -> Option<usize> {
        let log = &self.screens.log;
        let search = log.search.as_ref().filter(|_| self.screens.now == Screen::Dmesg)?;
        let same = search.wanted == self.search.query.to_lowercase() && search.built == log.built;
        same.then(|| 100 * search.scanned / log.index.blocks().max(1))
    }

    /// Whether the CPU map has a row for several CPUs.
    pub fn is_folded(&self) -> bool {
        self.listing.is_folded(&self.built)
    }

    /// What to compare with.
    pub fn against(&self) -> Against {
        let newest = self.releases.last().map_or("", |release| release.name.as_str());
        let first = if self.release.name == newest { FIRST_COMPARED } else { newest };
        self.screens.compare.other.clone().unwrap_or_else(|| Against::Release(first.to_owned()))
    }

    /// Whether `pane` has something to show: Counters only of a machine at work, or where somebody went there.
    pub fn is_offered(&self, pane: Pane) -> bool {
        let counters = &self.counters;
        pane != Pane::Counters || self.focus == pane || counters.last.is_some() || counters.trouble.is_some()
    }

    /// How many rows `pane` has.
    pub fn rows(&self, pane: Pane) -> usize {
        match pane {
            Pane::Distances | Pane::Graph => self.doc.topology().nodes.len(),
            Pane::Cpus => self.cpu_rows.len(),
            Pane::Domains => self.domain_rows().len(),
            Pane::Groups => self.domain().map_or(0, |domain| self.built.build.nr_groups(domain)),
            Pane::Capacity => self.built.sharing(self.selection.level).map_or(0, |sharing| sharing.instances.len()),
            Pane::Findings => self.built.findings().map_or(0, <[_]>::len),
            Pane::Counters => self.counters.shown.as_ref().map_or(0, |view| view.totals.len()),
        }
    }

    /// The chosen row of `pane`.
    pub fn row(&self, pane: Pane) -> usize {
        match pane {
            Pane::Distances | Pane::Graph => self.selection.from,
            Pane::Cpus => self.cpu_rows.row_of(self.selection.cpu).unwrap_or(0),
            Pane::Domains => {
                let rows = self.domain_rows();
                // A level without a domain, or a hidden one: stand where it would be.
                rows.iter().position(|&level| level <= self.selection.level).unwrap_or(rows.len().saturating_sub(1))
            }
            Pane::Groups => self.selection.group,
            Pane::Capacity => self.selection.instance,
            Pane::Findings => self.selection.finding,
            Pane::Counters => self.counters_row().unwrap_or(0),
        }
    }

    /// The sum that the chosen CPU and level are in.
    fn counters_row(&self) -> Option<usize> {
        let view = self.counters.shown.as_ref()?;
        let of = |total: &Total| total.level == self.selection.level && total.cpus.contains(self.selection.cpu);
        view.totals.iter().position(of)
    }

    /// Where a jump would start from.
    pub(in crate::explore) fn jump_place(&self) -> JumpPlace {
        // While a search is typed the selection follows it already.
        match &self.overlay {
            Overlay::Prompt(Prompt { kind: PromptKind::Search, before, .. }) => (*before, self.focus),
            _ => (self.selection, self.focus),
        }
    }

    /// What is worth remembering for the next session.
    pub fn memory(&self) -> Memory {
        Memory {
            zoomed: self.zoom == Zoom::Whole,
            panes: self.recent.to_vec(),
            recent: self.opened.clone(),
            lesson: self.screens.lesson.bookmark(),
            borders: self.borders.clone(),
        }
    }

    /// How to take an edit back.
    pub fn way_back(&self) -> String {
        format!("{} takes it back", self.keys.key_of(Command::Undo))
    }

    /// The machine's name as part of a file's.
    pub fn file_stem(&self) -> String {
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = self.doc.topology().name.chars().map(safe).take(60).collect();
        let name = name.trim_matches(['-', '.']);
        if name.is_empty() { "topology".to_owned() } else { name.to_owned() }
    }

    /// Puts a line in front of the person, until the next key.
    pub fn report(&mut self, tone: Tone, text: impl Into<String>) {
        self.notice = Some(Notice { tone, text: text.into() });
    }
}
