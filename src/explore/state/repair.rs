//! A search for a repair of the table, and what it found.

use crate::analysis::findings::Finding;
use crate::analysis::repair::{self, BUDGET, Progress, Repair};
use crate::explore::derived::build_view::BuildView;
use std::sync::Arc;

/// A search to be made.
#[derive(Clone, Debug)]
pub struct RepairRequest {
    /// The build that has the finding.
    pub built: Arc<BuildView>,
    /// The finding to remove.
    pub finding: Finding,
    /// How far the search is; tells one search from another.
    pub progress: Arc<Progress>,
}

impl RepairRequest {
    /// Searches, up to the budget.
    pub fn search(&self) -> Repair {
        let BuildView { topology, build, .. } = &*self.built;
        repair::repair_watched(topology, &build.release, &self.finding, BUDGET, &self.progress).unwrap_or_default()
    }
}

/// A search under way, or what it found.
#[derive(Clone, Debug)]
pub struct RepairOffer {
    /// The search.
    pub request: RepairRequest,
    /// What it found; nothing while it runs.
    pub repair: Option<Repair>,
    /// The first cell shown, where not all have room.
    pub top: usize,
}
