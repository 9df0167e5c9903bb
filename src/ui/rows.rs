//! The rows of the CPU map: a CPU each, or on large machines one for all that look alike.

use super::facts::Built;
use super::model::{Model, Tone};
use super::text;
use crate::cpumask::CpuMask;
use crate::kernel::LevelMask;

/// Machines of more CPUs than this are folded until somebody unfolds them.
const MANY: usize = 64;
/// A row number that is none.
const NONE: u32 = u32::MAX;

/// In what order CPUs are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By number.
    #[default]
    Number,
    /// By node, in the order of the distance table.
    Node,
}

/// Which CPUs are listed, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Whether CPUs that look alike are one row; by the size of the machine when nobody said.
    pub fold: Option<bool>,
    /// Their order.
    pub order: Order,
    /// Only these.
    pub only: Option<CpuMask>,
    /// CPUs that have a row of their own where others are folded.
    pub unfolded: CpuMask,
}

/// CPUs in one row: all from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuRow {
    /// The first CPU.
    pub first: usize,
    /// The last CPU.
    pub last: usize,
}

impl CpuRow {
    /// How many CPUs it is.
    pub fn count(self) -> usize {
        self.last - self.first + 1
    }

    /// What it is called.
    pub fn label(self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}-{}", self.first, self.last) }
    }
}

/// The rows of one build.
#[derive(Clone, Debug, Default)]
pub struct CpuRows {
    rows: Vec<CpuRow>,
    row_of: Vec<u32>,
    width: usize,
}

impl CpuRows {
    pub(super) fn new(built: &Built, listing: &Listing) -> Self {
        let mut cpus: Vec<usize> = (0..built.build.nr_cpus).collect();
        if let Some(only) = &listing.only {
            cpus.retain(|&cpu| only.contains(cpu));
        }
        let node = |cpu: usize| built.node_of.get(cpu).copied().flatten().unwrap_or(NONE);
        if listing.order == Order::Node {
            cpus.sort_by_key(|&cpu| node(cpu));
        }
        let fold = is_folded(built, listing);
        let folds = |row: CpuRow, cpu: usize| {
            row.last + 1 == cpu && !listing.unfolded.contains(row.first) && is_alike(built, row.first, cpu)
        };
        let mut rows: Vec<CpuRow> = Vec::new();
        let mut row_of = vec![NONE; built.build.nr_cpus];
        for cpu in cpus {
            match rows.last_mut() {
                Some(row) if fold && folds(*row, cpu) => row.last = cpu,
                _ => rows.push(CpuRow { first: cpu, last: cpu }),
            }
            row_of[cpu] = rows.len() as u32 - 1;
        }
        let width = rows.iter().map(|row| text::width(&row.label())).max().unwrap_or(0);
        Self { rows, row_of, width }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One of them.
    pub fn get(&self, row: usize) -> Option<CpuRow> {
        self.rows.get(row).copied()
    }

    /// The row a CPU is in.
    pub fn row_of(&self, cpu: usize) -> Option<usize> {
        self.row_of.get(cpu).copied().filter(|&row| row != NONE).map(|row| row as usize)
    }

    /// Columns the longest label takes.
    pub fn width(&self) -> usize {
        self.width
    }
}

fn is_folded(built: &Built, listing: &Listing) -> bool {
    listing.fold.unwrap_or(built.build.nr_cpus > MANY)
}

/// Whether two CPUs are of one node and see the same NUMA domains. Below them each core differs from the next.
fn is_alike(built: &Built, a: usize, b: usize) -> bool {
    let build = &built.build;
    let seen = |cpu: usize, level: usize| build.domain(cpu, level).map(|domain| (domain.span, domain.fate));
    let numa = |level: &usize| matches!(build.levels[*level].mask, LevelMask::Numa(_)) && build.levels[*level].overlap;
    built.node_of.get(a) == built.node_of.get(b)
        && built.cpu_map.contains(a) == built.cpu_map.contains(b)
        && (0..build.levels.len()).filter(numa).all(|level| seen(a, level) == seen(b, level))
}

impl Model {
    /// Works the rows out again after a change of the build or the listing.
    pub(super) fn list_cpus(&mut self) {
        self.cpu_rows = CpuRows::new(&self.built, &self.listing);
        if self.cpu_rows.is_empty() && self.listing.only.take().is_some() {
            self.cpu_rows = CpuRows::new(&self.built, &self.listing);
        }
        self.refresh_search();
    }

    /// Whether the CPU map has a row for several CPUs.
    pub fn is_folded(&self) -> bool {
        is_folded(&self.built, &self.listing)
    }

    pub(super) fn toggle_fold(&mut self) {
        // Rows unfolded one by one are folded first.
        let all = self.listing.unfolded.is_empty();
        self.listing.fold = Some(self.is_folded() != all);
        self.listing.unfolded = CpuMask::new();
        self.list_cpus();
    }

    /// Gives each CPU of the chosen row one of its own; whether it was a row of several.
    pub(super) fn unfold_chosen(&mut self) -> bool {
        let row = self.cpu_rows.row_of(self.selection.cpu).and_then(|row| self.cpu_rows.get(row));
        let Some(row) = row.filter(|row| row.count() > 1) else { return false };
        self.listing.unfolded.or_assign(&CpuMask::range(row.first, row.last));
        self.list_cpus();
        let key = self.keys.key_of(super::action::Command::ToggleFold);
        self.say(Tone::Done, format!("CPUs {} unfolded; {key} folds them again", row.label()));
        true
    }

    pub(super) fn toggle_order(&mut self) {
        let (order, text) = match self.listing.order {
            Order::Number => (Order::Node, "CPUs by node"),
            Order::Node => (Order::Number, "CPUs by number"),
        };
        self.listing.order = order;
        self.list_cpus();
        self.say(Tone::Done, text);
    }

    /// Lists only the CPUs that `text` names, a cpulist or `node 2`; all of them when it is empty.
    pub(super) fn filter_cpus(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            self.listing.only = None;
            return self.list_cpus();
        }
        let topology = &self.built.topology;
        let id = text.strip_prefix("node").or_else(|| text.strip_prefix('n')).map(|id| id.trim().parse::<u32>());
        let only = match id {
            Some(Ok(id)) => topology.node_index(id).map(|index| topology.nodes[index].cpus.clone()),
            Some(Err(_)) => None,
            None => CpuMask::parse(text, None).ok(),
        };
        let possible = CpuMask::first_n(self.built.build.nr_cpus);
        let Some(only) = only.filter(|only| only.intersects(&possible)) else {
            return self.say(Tone::Trouble, "no such CPUs here: give a cpulist such as 0-7,16 or node 2");
        };
        let outside = !only.contains(self.selection.cpu);
        let first = only.first();
        self.listing.only = Some(only);
        self.list_cpus();
        if let Some(first) = first.filter(|_| outside) {
            self.put(super::action::Target::Cpu(first, None));
        }
    }
}
