//! What is shown against something else: another release, the machine before its edits, another machine.

use crate::analysis::compare::{self, Aspect, Change, Comparison, Difference, GroupsChange};
use crate::explore::derived::build_view::BuildView;
use crate::explore::text;
use crate::explore::vocabulary::source::Source;
use crate::formats::visible;
use crate::kernel::{self, Build, Release};
use crate::topology::Topology;
use std::sync::Arc;

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
            Self::Release(name) | Self::Machine(Source::Preset(name) | Source::Generated(name)) => name.clone(),
            Self::Opened => "before the edits".to_owned(),
            Self::Machine(Source::Live) => "this machine".to_owned(),
            Self::Machine(Source::File(path)) => text::visible_path(path),
        }
    }
}

/// A comparison to be made.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// What is shown.
    pub built: Arc<BuildView>,
    /// What to compare it with.
    pub against: Against,
    /// The machine as it was opened or saved last.
    pub opened: Arc<Topology>,
}

impl CompareRequest {
    /// Whether both ask for the same.
    pub fn is(&self, other: &Self) -> bool {
        let opened = self.against != Against::Opened || Arc::ptr_eq(&self.opened, &other.opened);
        self.built.generation == other.built.generation && self.against == other.against && opened
    }

    /// Builds what is asked for and compares it with what is shown; `load` reads another machine.
    ///
    /// # Errors
    /// When there is nothing to compare with, in words.
    pub fn compare(&self, load: impl FnOnce(&Source) -> Result<Topology, String>) -> Result<Compared, String> {
        let release = &self.built.build.release;
        let (topology, release) = match &self.against {
            Against::Release(name) => {
                let release = Release::all().into_iter().find(|release| release.name == *name);
                let release = release.ok_or_else(|| format!("there is no release {name}"))?;
                (Arc::clone(&self.built.topology), release)
            }
            Against::Opened => (Arc::clone(&self.opened), release.clone()),
            Against::Machine(source) => (Arc::new(load(source)?), release.clone()),
        };
        let build = kernel::build(&topology, &release);
        Ok(Compared::new(self, topology, &build))
    }
}

/// A comparison, and what it is of.
#[derive(Debug)]
pub struct Compared {
    /// What was asked for.
    pub request: CompareRequest,
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
    fn new(request: &CompareRequest, topology: Arc<Topology>, build: &Build) -> Self {
        let shown = &request.built;
        let (here, there, shown_is_left) = names(request, &topology);
        let (before, after) = if shown_is_left { (&shown.build, build) } else { (build, &shown.build) };
        let comparison = compare::compare(before, after);
        let lines = comparison.differences.iter().map(|difference| line(difference, before, after)).collect();
        let (left, right) = if shown_is_left { (here, there) } else { (there, here) };
        let widest = if topology.nr_cpus > shown.topology.nr_cpus { topology } else { Arc::clone(&shown.topology) };
        Self { request: request.clone(), left, right, shown_is_left, widest, comparison, lines }
    }
}

/// What both sides are called, what is shown first; and whether that is on the left.
fn names(request: &CompareRequest, other: &Topology) -> (String, String, bool) {
    let machine = |topology: &Topology| visible(&topology.name).into_owned();
    match &request.against {
        Against::Release(name) => {
            let shown = request.built.build.release.name.clone();
            let age = |name: &String| Release::all().iter().position(|release| release.name == *name);
            let shown_is_left = age(&shown) < age(name);
            (shown, name.clone(), shown_is_left)
        }
        Against::Opened => ("now".to_owned(), "before".to_owned(), false),
        Against::Machine(_) => {
            let (shown, other) = (machine(&request.built.topology), machine(other));
            let told_apart = shown != other && !shown.is_empty() && !other.is_empty();
            if told_apart { (shown, other, true) } else { ("this one".to_owned(), request.against.label(), true) }
        }
    }
}

/// What the Compare screen knows.
#[derive(Clone, Debug, Default)]
pub struct CompareState {
    /// What was chosen to compare with; `None` until somebody chooses.
    pub other: Option<Against>,
    /// The newest comparison.
    pub compared: Option<Arc<Compared>>,
    /// Why the one asked for last can't be made.
    pub error: Option<String>,
    /// The one asked for last.
    pub asked: Option<CompareRequest>,
    /// The chosen row.
    pub row: usize,
}

impl CompareState {
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
        let is_there =
            |asked: &CompareRequest| self.compared.as_ref().is_some_and(|compared| compared.request.is(asked));
        self.error.is_none() && self.asked.as_ref().is_some_and(|asked| !is_there(asked))
    }

    /// A comparison is ready, or can't be made. While edits come fast, one of a moment ago is shown until the next.
    pub fn arrived(&mut self, request: &CompareRequest, result: Result<Arc<Compared>, String>) {
        let Some(asked) = self.asked.as_ref().filter(|asked| asked.against == request.against) else { return };
        match result {
            Ok(compared) => {
                self.compared = Some(compared);
                self.row = self.row.min(self.rows().saturating_sub(1));
            }
            Err(why) if asked.is(request) => {
                self.compared = None;
                self.error = Some(why);
            }
            Err(_) => {}
        }
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
