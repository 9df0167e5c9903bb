//! Who can pull from whom: the matrix of a build, and what stands in the way of the chosen pair.

use crate::analysis::reach::{self, Obstacle, Reach};
use crate::ui::model::Model;
use std::sync::Arc;

/// What the Reach screen knows.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    built: Option<u64>,
    /// The matrix.
    pub reach: Arc<Reach>,
    pair: Option<(u64, usize, usize)>,
    /// What stands in the way of the chosen pair, or nothing, level by level.
    pub why: Vec<Obstacle>,
}

/// How a pair stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
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

impl Pulls {
    /// How `puller` stands to `source`.
    pub fn stand(&self, puller: usize, source: usize) -> Stand {
        let reach = &self.reach;
        let has = |pairs: &[(usize, usize)]| pairs.binary_search(&(puller, source)).is_ok();
        if has(&reach.holes) {
            Stand::Hole
        } else if has(&reach.relayed) {
            Stand::Relayed
        } else if has(&reach.blocked) {
            Stand::Stuck
        } else if self.level(puller, source).is_some() {
            Stand::Direct
        } else {
            Stand::Apart
        }
    }

    /// The lowest level at which `puller` can pull from `source`.
    pub fn level(&self, puller: usize, source: usize) -> Option<usize> {
        let level = self.reach.level.get(puller)?.get(source).copied().flatten();
        level.map(|level| level as usize)
    }
}

impl Model {
    pub(super) fn settle_pulls(&mut self) {
        let built = &self.built;
        let pulls = &mut self.screens.pulls;
        if pulls.built != Some(built.generation) {
            pulls.reach = Arc::new(reach::reach(&built.topology, &built.build));
            pulls.built = Some(built.generation);
        }
        let (from, to) = (self.selection.from, self.selection.to);
        let key = (built.generation, from, to);
        let nodes = built.topology.nodes.len();
        if pulls.pair != Some(key) {
            let there = from < nodes && to < nodes;
            pulls.why = if there { reach::why(&built.topology, &built.build, from, to) } else { Vec::new() };
            pulls.pair = Some(key);
        }
    }

    /// Chooses the CPU and level that say most about the pair: the highest level in whose groups both are, or else the
    /// lowest at which it pulls.
    pub(super) fn choose_obstacle(&mut self) {
        let Some(obstacle) = reach::decisive(&self.screens.pulls.why) else { return };
        self.selection.level = obstacle.level as usize;
        if let Some(cpu) = obstacle.cpus.first() {
            self.selection.cpu = cpu;
        }
        self.selection.group = 0;
        self.link_group();
    }
}
