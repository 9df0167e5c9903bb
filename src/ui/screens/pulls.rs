//! Who can pull from whom: the matrix of a build, and what stands in the way of the chosen pair.

use crate::analysis::reach::{self, Obstacle, Reach, Why};
use crate::kernel::Build;
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
        let why = &self.screens.pulls.why;
        // Of the highest level the first CPUs.
        let highest = |wanted: &dyn Fn(&Why) -> bool| {
            why.iter().rev().filter(|obstacle| wanted(&obstacle.why)).max_by_key(|obstacle| obstacle.level)
        };
        let hole = highest(&|why| matches!(why, Why::OnlyLocalGroups(_)));
        let pulls = why.iter().find(|obstacle| obstacle.why == Why::Pulls);
        let stopped = highest(&|why| *why != Why::OutOfSight);
        let Some(obstacle) = pulls.or(hole).or(stopped) else { return };
        self.selection.level = obstacle.level as usize;
        if let Some(cpu) = obstacle.cpus.first() {
            self.selection.cpu = cpu;
        }
        self.selection.group = 0;
        self.link_group();
    }
}

/// An obstacle in plain words, without its place.
pub fn words(build: &Build, why: &Why) -> String {
    match why {
        Why::OutOfSight => "no group holds the source: too far away for this level".to_owned(),
        Why::OnlyLocalGroups(spans) => {
            let spans: Vec<String> = spans.iter().map(|&span| format!("{{{}}}", build.span(span))).collect();
            format!("in every group with the source is the puller too, so all are local: {}", spans.join(" "))
        }
        Why::NotElectable { group, mask } => format!(
            "not in the balance mask {{{}}} of its first group {{{}}}: others balance for it",
            build.span(*mask),
            build.span(*group)
        ),
        Why::OtherElected(cpu) => format!("could, but CPU {cpu} is the one that should_we_balance lets through"),
        Why::Pulls => "can pull: a group holds the source and not the puller".to_owned(),
    }
}
