//! The rows of the CPU map: a CPU each, or on large machines one for all that look alike.

use super::build_view::BuildView;
use crate::cpumask::CpuMask;
use crate::explore::text;
use crate::kernel::LevelMask;

/// Machines of more CPUs than this are folded until somebody unfolds them.
const MANY: usize = 64;
/// A row number that is none.
const NONE: u32 = u32::MAX;

/// In what order CPUs are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuOrder {
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
    pub order: CpuOrder,
    /// Only these.
    pub only: Option<CpuMask>,
    /// CPUs that have a row of their own where others are folded.
    pub unfolded: CpuMask,
}

impl Listing {
    /// Whether CPUs that look alike are one row.
    pub fn is_folded(&self, built: &BuildView) -> bool {
        self.fold.unwrap_or(built.build.nr_cpus > MANY)
    }
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
    /// The rows of a build, as the listing wants them.
    pub fn new(built: &BuildView, listing: &Listing) -> Self {
        let mut cpus: Vec<usize> = (0..built.build.nr_cpus).collect();
        if let Some(only) = &listing.only {
            cpus.retain(|&cpu| only.contains(cpu));
        }
        let node = |cpu: usize| built.node_of.get(cpu).copied().flatten().unwrap_or(NONE);
        if listing.order == CpuOrder::Node {
            cpus.sort_by_key(|&cpu| node(cpu));
        }
        let fold = listing.is_folded(built);
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

/// Whether two CPUs are of one node and see the same NUMA domains. Below them each core differs from the next.
fn is_alike(built: &BuildView, a: usize, b: usize) -> bool {
    let build = &built.build;
    let seen = |cpu: usize, level: usize| build.domain(cpu, level).map(|domain| (domain.span, domain.fate));
    let numa = |level: &usize| matches!(build.levels[*level].mask, LevelMask::Numa(_)) && build.levels[*level].overlap;
    built.node_of.get(a) == built.node_of.get(b)
        && built.cpu_map.contains(a) == built.cpu_map.contains(b)
        && (0..build.levels.len()).filter(numa).all(|level| seen(a, level) == seen(b, level))
}
