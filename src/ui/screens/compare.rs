//! What is shown against something else: another release, the machine before its edits, another machine.

use crate::analysis::compare::{self, Aspect, Change, Comparison, Difference, GroupsChange};
use crate::formats::visible;
use crate::kernel::{self, Build, Release};
use crate::topology::Topology;
use crate::ui::action::Effect;
use crate::ui::facts::Built;
use crate::ui::model::{Model, Tone};
use crate::ui::outside;
use crate::ui::picker::Source;
use crate::ui::text;
use std::sync::Arc;

/// The release to compare with at first: the last one with the groups of before 4.13.
const BEFORE: &str = "v4.11";

/// What the machine shown is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// Itself under another release, by name.
    Release(String),
    /// Itself as it was opened or saved last, under the same release.
    Opened,
    /// Another machine under the same release.
    Machine(Source),
}

impl Against {
    /// What it is called in lists.
    pub fn label(&self) -> String {
        match self {
            Self::Release(name) | Self::Machine(Source::Preset(name) | Source::Made(name)) => name.clone(),
            Self::Opened => "before the edits".to_owned(),
            Self::Machine(Source::File(path)) => outside::visible_path(path),
        }
    }
}

/// A comparison to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// What is shown.
    pub built: Arc<Built>,
    /// What to compare it with.
    pub against: Against,
    /// The machine as it was opened or saved last.
    opened: Arc<Topology>,
}

impl Order {
    /// Whether both ask for the same.
    fn is(&self, other: &Self) -> bool {
        let opened = self.against != Against::Opened || Arc::ptr_eq(&self.opened, &other.opened);
        self.built.generation == other.built.generation && self.against == other.against && opened
    }

    /// Builds what is asked for and compares it with what is shown.
    ///
    /// # Errors
    /// When there is nothing to compare with, in words.
    pub(in crate::ui) fn compare(&self) -> Result<Compared, String> {
        let release = &self.built.build.release;
        let (topology, release) = match &self.against {
            Against::Release(name) => {
                let release = Release::all().into_iter().find(|release| release.name == *name);
                let release = release.ok_or_else(|| format!("there is no release {name}"))?;
                (Arc::clone(&self.built.topology), release)
            }
            Against::Opened => (Arc::clone(&self.opened), release.clone()),
            Against::Machine(source) => {
                let (topology, _) = outside::load(source).map_err(|error| error.to_string())?;
                (Arc::new(topology), release.clone())
            }
        };
        let build = kernel::build(&topology, &release);
        Ok(Compared::new(self, topology, &build))
    }
}

/// A comparison, and what it is of.
#[derive(Debug)]
pub struct Compared {
    /// What was asked for.
    pub order: Order,
    /// What stands on the left: the older release, the machine before its edits, or the machine shown.
    pub left: String,
    /// What stands on the right.
    pub right: String,
    /// Whether what is shown is on the left.
    pub shown_is_left: bool,
    /// The machine with more CPUs: bars are drawn over its nodes.
    pub widest: Arc<Topology>,
    /// What differs.
    pub comparison: Comparison,
    /// One line for each difference.
    pub lines: Vec<String>,
}

impl Compared {
    fn new(order: &Order, topology: Arc<Topology>, build: &Build) -> Self {
        let shown = &order.built;
        let (here, there, shown_is_left) = names(order, &topology);
        let (before, after) = if shown_is_left { (&shown.build, build) } else { (build, &shown.build) };
        let comparison = compare::compare(before, after);
        let lines = comparison.differences.iter().map(|difference| line(difference, before, after)).collect();
        let (left, right) = if shown_is_left { (here, there) } else { (there, here) };
        let widest = if topology.nr_cpus > shown.topology.nr_cpus { topology } else { Arc::clone(&shown.topology) };
        Self { order: order.clone(), left, right, shown_is_left, widest, comparison, lines }
    }
}

/// What both sides are called, what is shown first; and whether that is on the left.
fn names(order: &Order, other: &Topology) -> (String, String, bool) {
    let machine = |topology: &Topology| visible(&topology.name).into_owned();
    match &order.against {
        Against::Release(name) => {
            let shown = order.built.build.release.name.clone();
            let age = |name: &String| Release::all().iter().position(|release| release.name == *name);
            let shown_is_left = age(&shown) < age(name);
            (shown, name.clone(), shown_is_left)
        }
        Against::Opened => ("now".to_owned(), "before".to_owned(), false),
        Against::Machine(_) => {
            let (shown, other) = (machine(&order.built.topology), machine(other));
            let told_apart = shown != other && !shown.is_empty() && !other.is_empty();
            if told_apart { (shown, other, true) } else { ("this one".to_owned(), order.against.label(), true) }
        }
    }
}

/// What the Compare screen knows.
#[derive(Clone, Debug, Default)]
pub struct Versus {
    /// What was chosen to compare with; `None` until somebody chooses.
    pub other: Option<Against>,
    /// The newest comparison.
    pub compared: Option<Arc<Compared>>,
    /// Why the one asked for last can't be made.
    pub trouble: Option<String>,
    /// The one asked for last.
    asked: Option<Order>,
    /// The chosen row.
    pub row: usize,
}

impl Versus {
    /// How many rows there are: differences of the machine, then of CPUs.
    pub fn rows(&self) -> usize {
        let compared = self.compared.as_ref();
        compared.map_or(0, |compared| compared.comparison.machine.len() + compared.comparison.differences.len())
    }

    /// The difference at the chosen row.
    pub fn chosen(&self) -> Option<&Difference> {
        let comparison = &self.compared.as_ref()?.comparison;
        comparison.differences.get(self.row.checked_sub(comparison.machine.len())?)
    }

    /// Whether the comparison asked for last is still on its way.
    pub fn is_comparing(&self) -> bool {
        let is_there = |asked: &Order| self.compared.as_ref().is_some_and(|compared| compared.order.is(asked));
        self.trouble.is_none() && self.asked.as_ref().is_some_and(|asked| !is_there(asked))
    }

    /// A comparison is ready, or can't be made. While edits come fast, one of a moment ago is shown until the next.
    pub(in crate::ui) fn arrived(&mut self, order: &Order, result: Result<Arc<Compared>, String>) {
        let Some(asked) = self.asked.as_ref().filter(|asked| asked.against == order.against) else { return };
        match result {
            Ok(compared) => {
                self.compared = Some(compared);
                self.row = self.row.min(self.rows().saturating_sub(1));
            }
            Err(why) if asked.is(order) => {
                self.compared = None;
                self.trouble = Some(why);
            }
            Err(_) => {}
        }
    }
}

impl Model {
    /// What to compare with.
    pub(in crate::ui) fn against(&self) -> Against {
        let newest = self.releases.last().map_or("", |release| release.name.as_str());
        let first = if self.release.name == newest { BEFORE } else { newest };
        self.screens.compare.other.clone().unwrap_or_else(|| Against::Release(first.to_owned()))
    }

    /// Compares with the machine before its edits.
    pub(super) fn compare_edits(&mut self) {
        self.screens.compare.other = Some(Against::Opened);
        if !self.doc.is_unsaved() {
            self.say(Tone::Done, "no edits so far: what follows is shown as it comes");
        }
    }

    /// Asks for the comparison that is missing.
    pub(super) fn settle_compare(&mut self) -> Vec<Effect> {
        let order =
            Order { built: Arc::clone(&self.built), against: self.against(), opened: Arc::clone(self.doc.saved()) };
        let versus = &mut self.screens.compare;
        if versus.asked.as_ref().is_some_and(|asked| asked.is(&order)) {
            return Vec::new();
        }
        // Of something else nothing old is shown, nor a row of it chosen.
        if versus.asked.as_ref().is_some_and(|asked| asked.against != order.against) {
            (versus.compared, versus.row) = (None, 0);
        }
        versus.trouble = None;
        versus.asked = Some(order.clone());
        vec![Effect::Compare(order)]
    }

    /// Chooses a difference, and with it the CPU and level it is about.
    pub(super) fn put_difference(&mut self, row: usize) {
        let versus = &mut self.screens.compare;
        versus.row = row.min(versus.rows().saturating_sub(1));
        let Some(difference) = versus.chosen() else { return };
        let shown_is_left = versus.compared.as_ref().is_some_and(|compared| compared.shown_is_left);
        let level = if shown_is_left { difference.left } else { difference.right };
        let cpu = difference.cpus.first();
        if let Some(level) = level {
            self.selection.level = level;
        }
        if let Some(cpu) = cpu {
            self.selection.cpu = cpu;
        }
        self.clamp();
        self.link_cpu();
    }
}

/// A difference in one line.
fn line(difference: &Difference, left: &Build, right: &Build) -> String {
    let level = match (difference.right, difference.left) {
        (Some(level), _) => right.level_label(level),
        (None, Some(level)) => left.level_label(level),
        (None, None) => "pointers".to_owned(),
    };
    let cpus = text::cpulist(&difference.cpus, 24, "..");
    let noun = if difference.cpus.weight() == 1 { "CPU" } else { "CPUs" };
    let variants = match (difference.variants, difference.alike) {
        (0 | 1, _) => String::new(),
        (many, true) => format!(" ({many} alike, the first shown)"),
        (many, false) => format!(" ({many} different ones, the first shown)"),
    };
    format!("{level}  {noun} {cpus}: {}{variants}", change(&difference.change))
}

fn change(change: &Change) -> String {
    let set = |cpus| text::cpulist(cpus, 40, "..");
    match change {
        Change::Removed(span) => format!("domain {} gone", set(span)),
        Change::Added(span) => format!("domain {} added", set(span)),
        Change::Span { left, right } => format!("span {} became {}", set(left), set(right)),
        Change::Flags { lost, gained } => {
            let lost = if lost.is_empty() { String::new() } else { format!(" lost {lost}") };
            let gained = if gained.is_empty() { String::new() } else { format!(" gained {gained}") };
            format!("flags{lost}{gained}")
        }
        Change::Groups(GroupsChange { aspects, .. }) => {
            format!("groups: {}", aspects.iter().map(|&aspect| Aspect::name(aspect)).collect::<Vec<_>>().join(", "))
        }
        Change::Pointer { name, left, right } => format!("{name} {left} became {right}"),
    }
}
