//! Who can pull from whom: the matrix of a build, and what stands in the way of the chosen pair.

use crate::analysis::reach::{Obstacle, Reach};
use std::sync::Arc;

/// What the Reach screen knows.
#[derive(Clone, Debug, Default)]
pub struct ReachState {
    /// The generation of the build the matrix is of.
    pub built: Option<u64>,
    /// The matrix.
    pub reach: Arc<Reach>,
    /// What `why` is about: the build's generation, the puller and the source, node indices.
    pub pair: Option<(u64, usize, usize)>,
    /// What stands in the way of the chosen pair, or nothing, level by level.
    pub why: Vec<Obstacle>,
}

/// Whether one node can pull from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairState {
    /// It can pull directly.
    Direct,
    /// A CPU that is let through pulls in its stead.
    Relayed,
    /// It could, but is never let through, and nobody helps.
    Stuck,
    /// There is no level at which it could.
    Hole,
    /// There is nothing to pull: no CPUs, another CPU map, or the node itself with one CPU.
    Apart,
}

impl ReachState {
    /// Whether `puller` can pull from `source`, node indices.
    pub fn pair_state(&self, puller: usize, source: usize) -> PairState {
        let reach = &self.reach;
        let has = |pairs: &[(usize, usize)]| pairs.binary_search(&(puller, source)).is_ok();
        if has(&reach.holes) {
            PairState::Hole
        } else if has(&reach.relayed) {
            PairState::Relayed
        } else if has(&reach.blocked) {
            PairState::Stuck
        } else if self.level(puller, source).is_some() {
            PairState::Direct
        } else {
            PairState::Apart
        }
    }

    /// The lowest level at which `puller` can pull from `source`.
    pub fn level(&self, puller: usize, source: usize) -> Option<usize> {
        let level = self.reach.level.get(puller)?.get(source).copied().flatten();
        level.map(|level| level as usize)
    }
}
