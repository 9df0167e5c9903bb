//! Every ordered pair of nodes: do tasks that crowd on the one move to the other?

use super::decision::{Reason, What};
use super::queues::TaskId;
use super::run::{Simulation, Start};
use crate::balance::Balancer;
use crate::cpumask::CpuMask;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Tasks for each CPU of the crowded node.
const CROWD: usize = 4;

/// Two nodes, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Where the tasks are.
    pub from: usize,
    /// Where else they may run.
    pub to: usize,
}

/// What became of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairResult {
    /// A task moved.
    Moved {
        /// After so many ticks.
        tick: u64,
        /// The CPU that balanced. It may belong to neither node: a pinned task is retried with another CPU of its group.
        puller: usize,
    },
    /// None did: what most often ended the balances that could have moved one, and the level, an index into those of the
    /// build; `None` when no CPU has a domain with both nodes.
    Stuck(Option<(usize, Reason)>),
}

/// The nodes pairs are made of: those with online CPUs, as indices.
pub fn nodes(balancer: &Balancer<'_>) -> Vec<usize> {
    let topology = balancer.topology;
    (0..topology.nodes.len()).filter(|&node| !topology.node_online(node).is_empty()).collect()
}

/// Loads every CPU of `from` four-fold with tasks that may run on both nodes, and waits for one to move.
pub fn run_pair(balancer: &Balancer<'_>, pair: Pair, ticks: u64, seed: u64) -> PairResult {
    let (from, to) = (balancer.topology.node_online(pair.from), balancer.topology.node_online(pair.to));
    let allowed = Arc::new(from.or(&to));
    let tasks = vec![allowed; from.weight() * CROWD];
    let mut simulation = Simulation::new(balancer, &tasks, &Start::On(from.clone()), seed);
    let mut tally = Tally { balancer, from: &from, to: &to, reasons: FxHashMap::default() };
    while simulation.tick() < ticks {
        let tick = simulation.tick() + 1;
        for decision in simulation.step(balancer) {
            match decision.what {
                What::Moved { to: cpu, .. } if to.contains(cpu as usize) => {
                    return PairResult::Moved { tick, puller: decision.puller as usize };
                }
                What::Moved { .. } => {}
                What::Failed(reason) => tally.add(decision.puller as usize, decision.level as usize, reason),
            }
        }
    }
    debug_assert!((0..simulation.nr_tasks()).all(|task| from.contains(simulation.cpu_of(task as TaskId))));
    PairResult::Stuck(tally.most())
}

/// Why balances failed that could have moved a task.
struct Tally<'a> {
    balancer: &'a Balancer<'a>,
    from: &'a CpuMask,
    to: &'a CpuMask,
    reasons: FxHashMap<(usize, Reason), u64>,
}

impl Tally<'_> {
    fn add(&mut self, puller: usize, level: usize, reason: Reason) {
        let build = self.balancer.build;
        let reaches = build.domain(puller, level).is_some_and(|domain| build.span(domain.span).intersects(self.from));
        // A CPU that is not elected below goes no further up.
        let goes_no_further = matches!(reason, Reason::NotElected(_));
        if self.to.contains(puller) && (reaches || goes_no_further) {
            *self.reasons.entry((level, reason)).or_default() += 1;
        }
    }

    /// The reason met most at the highest level that has one; that nothing was to be pulled says the least.
    fn most(&self) -> Option<(usize, Reason)> {
        let says = |reason: Reason| reason != Reason::NothingToPull;
        self.reasons
            .iter()
            .max_by_key(|&(&(level, reason), &times)| (says(reason), level, times, std::cmp::Reverse(reason)))
            .map(|(&found, _)| found)
    }
}
