//! This release against another.

use crate::analysis::compare::{self, Aspect, Change, Comparison, Difference, GroupsChange};
use crate::kernel::{self, Build, Release};
use crate::ui::action::{Effect, Request};
use crate::ui::facts::Built;
use crate::ui::model::Model;
use crate::ui::text;
use std::sync::Arc;

/// The release to compare with at first: the last one with the groups of before 4.13.
const BEFORE: &str = "v4.11";

/// A comparison, and what it is of.
#[derive(Debug)]
pub struct Compared {
    /// The build shown, by number.
    pub generation: u64,
    /// The other release.
    pub other: String,
    /// The older of the two releases, on the left.
    pub left: String,
    /// The newer one, on the right.
    pub right: String,
    /// Whether the release shown is the left one.
    pub shown_is_left: bool,
    /// What differs.
    pub comparison: Comparison,
    /// One line for each difference.
    pub lines: Vec<String>,
}

impl Compared {
    /// Builds what is asked for and compares it with `built`.
    pub fn new(request: &Request, built: &Built) -> Self {
        let build = kernel::build(&built.topology, &request.release);
        let (other, shown) = (request.release.name.clone(), built.build.release.name.clone());
        let age = |name: &String| Release::all().iter().position(|release| release.name == *name);
        let shown_is_left = age(&shown) < age(&other);
        let (before, after) = if shown_is_left { (&built.build, &build) } else { (&build, &built.build) };
        let comparison = compare::compare(before, after);
        let lines = comparison.differences.iter().map(|difference| line(difference, before, after)).collect();
        let (left, right) = if shown_is_left { (shown, other.clone()) } else { (other.clone(), shown) };
        Self { generation: built.generation, other, left, right, shown_is_left, comparison, lines }
    }
}

/// What the Compare screen knows.
#[derive(Clone, Debug, Default)]
pub struct Versus {
    /// The release chosen to compare with; `None` until somebody chooses.
    pub other: Option<String>,
    /// The newest comparison.
    pub compared: Option<Arc<Compared>>,
    /// The one asked for: build and release.
    asked: Option<(u64, String)>,
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

    /// A comparison is ready.
    pub(in crate::ui) fn arrived(&mut self, compared: Arc<Compared>) {
        if self.asked.as_ref() == Some(&(compared.generation, compared.other.clone())) {
            self.compared = Some(compared);
            self.row = self.row.min(self.rows().saturating_sub(1));
        }
    }
}

impl Model {
    /// The release to compare with.
    pub(in crate::ui) fn other_release(&self) -> String {
        let newest = self.releases.last().map_or("", |release| release.name.as_str());
        let first = if self.release.name == newest { BEFORE } else { newest };
        self.screens.compare.other.clone().unwrap_or_else(|| first.to_owned())
    }

    /// Asks for the comparison that is missing.
    pub(super) fn settle_compare(&mut self) -> Vec<Effect> {
        let other = self.other_release();
        let key = (self.built.generation, other);
        if self.screens.compare.asked.as_ref() == Some(&key) {
            return Vec::new();
        }
        let Some(release) = self.releases.iter().find(|release| release.name == key.1) else { return Vec::new() };
        let request = Request {
            generation: self.built.generation,
            topology: Arc::clone(&self.built.topology),
            release: release.clone(),
        };
        self.screens.compare.asked = Some(key);
        vec![Effect::Compare(request, Arc::clone(&self.built))]
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
    let variants = match difference.variants {
        0 | 1 => String::new(),
        many => format!(" ({many} variants, the first shown)"),
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
