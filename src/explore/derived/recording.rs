//! A simulation of tasks, recorded: what the Balance screen plays back and forth.

use super::build_view::{BuildRequest, BuildView};
use crate::balance::Balancer;
use crate::balance::simulate::{Decision, Reason, Simulation, Start, TaskId, What};
use crate::cpumask::CpuMask;
use crate::kernel::Release;
use crate::topology::Topology;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Draws when each CPU balances first: the same every time.
const SEED: u64 = 0;
/// The most events kept: a log nobody reads to its end.
const MAX_EVENTS: usize = 200_000;

/// Something that happened to tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A balance moved a task, or failed for a reason not met since the last move.
    Decided(Decision),
    /// A person gave a task another affinity, and it was moved if it had to be.
    Pinned {
        /// When, in ticks.
        tick: u64,
        /// Which.
        task: TaskId,
        /// Where it may run from now on.
        allowed: Arc<CpuMask>,
        /// The CPU it was on, and the one it is on now.
        cpus: (u32, u32),
    },
}

impl Event {
    /// When it happened, in ticks.
    pub fn tick(&self) -> u64 {
        match self {
            Self::Decided(decision) => decision.tick,
            Self::Pinned { tick, .. } => *tick,
        }
    }

    /// The task that moved, the CPU it left and the one it came to.
    pub fn moved(&self) -> Option<(TaskId, u32, u32)> {
        match self {
            Self::Decided(Decision { what: What::Moved { task, from, to, .. }, .. }) => Some((*task, *from, *to)),
            Self::Decided(_) => None,
            Self::Pinned { task, cpus: (from, to), .. } => (from != to).then_some((*task, *from, *to)),
        }
    }
}

/// A task gets another affinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Before which tick.
    pub tick: u64,
    /// Which task.
    pub task: TaskId,
    /// Where it may run.
    pub allowed: Arc<CpuMask>,
}

/// What is simulated: equal scenarios give equal recordings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The build of the machine, by generation.
    pub built: u64,
    /// Where each task may run.
    pub tasks: Arc<[Arc<CpuMask>]>,
    /// Where they are at first.
    pub start: Start,
    /// What a person changed on the way, in order.
    pub pins: Vec<Pin>,
    /// The release beside the one chosen.
    pub beside: Option<String>,
}

/// A simulation as far as it has come, and what it is on.
#[derive(Clone, Debug)]
pub struct Reached {
    /// What the release made of the machine.
    pub built: Arc<BuildView>,
    simulation: Simulation,
    seen: FxHashSet<(u32, u32, Reason)>,
    events: usize,
}

impl Reached {
    /// How far, in ticks.
    pub fn tick(&self) -> u64 {
        self.simulation.tick()
    }

    /// Whether more events are not kept.
    pub fn is_full(&self) -> bool {
        self.events >= MAX_EVENTS
    }
}

/// One release to go on with.
#[derive(Clone, Debug)]
pub struct SideRequest {
    /// The release.
    pub release: Release,
    /// How far it has come; `None` at the start.
    pub reached: Option<Arc<Reached>>,
    /// What it made of the machine, where that is known already.
    pub built: Option<Arc<BuildView>>,
}

/// What is to be simulated, and how far.
#[derive(Clone, Debug)]
pub struct SimulateRequest {
    /// What.
    pub scenario: Arc<Scenario>,
    /// The machine.
    pub topology: Arc<Topology>,
    /// The releases, the chosen one first.
    pub sides: Vec<SideRequest>,
    /// Until which tick.
    pub until: u64,
}

/// What was simulated of one release.
#[derive(Clone, Debug)]
pub struct Part {
    /// The CPU each task began on.
    pub first: Vec<u32>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// How far it has come.
    pub reached: Arc<Reached>,
}

impl SimulateRequest {
    /// Goes on, release by release.
    pub fn run(&self) -> Vec<Part> {
        self.sides.iter().map(|side| self.run_side(side)).collect()
    }

    fn run_side(&self, side: &SideRequest) -> Part {
        let built = side.reached.as_ref().map(|reached| &reached.built).or(side.built.as_ref());
        let built = built.cloned().unwrap_or_else(|| {
            let (generation, topology) = (self.scenario.built, Arc::clone(&self.topology));
            Arc::new(BuildView::untimed(BuildRequest { generation, topology, release: side.release.clone() }))
        });
        let balancer = Balancer::new(&built.topology, &built.build);
        let mut reached = side.reached.as_deref().cloned().unwrap_or_else(|| Reached {
            simulation: Simulation::new(&balancer, &self.scenario.tasks, &self.scenario.start, SEED),
            built: Arc::clone(&built),
            seen: FxHashSet::default(),
            events: 0,
        });
        let first = match side.reached {
            None => (0..reached.simulation.nr_tasks() as TaskId)
                .map(|task| reached.simulation.cpu_of(task) as u32)
                .collect(),
            Some(_) => Vec::new(),
        };
        let mut events = Vec::new();
        while reached.tick() < self.until && !reached.is_full() {
            self.step(&balancer, &mut reached, &mut events);
        }
        Part { first, events, reached: Arc::new(reached) }
    }

    fn step(&self, balancer: &Balancer, reached: &mut Reached, events: &mut Vec<Event>) {
        let Reached { simulation, seen, events: kept, .. } = reached;
        let tick = simulation.tick();
        let before = events.len();
        for Pin { task, allowed, .. } in self.scenario.pins.iter().filter(|pin| pin.tick == tick) {
            if *task as usize >= simulation.nr_tasks() {
                continue;
            }
            let from = simulation.cpu_of(*task) as u32;
            let decisions = simulation.set_affinity(balancer, *task, CpuMask::clone(allowed)).to_vec();
            // The task may have been pulled elsewhere since: it was first moved to the lowest CPU allowed.
            let to = decisions
                .iter()
                .find_map(|decision| moved_from(decision, *task))
                .unwrap_or(simulation.cpu_of(*task) as u32);
            events.push(Event::Pinned { tick, task: *task, allowed: Arc::clone(allowed), cpus: (from, to) });
            keep(&decisions, seen, events);
        }
        keep(simulation.step(balancer), seen, events);
        *kept += events.len() - before;
    }
}

fn moved_from(decision: &Decision, wanted: TaskId) -> Option<u32> {
    match decision.what {
        What::Moved { task, from, .. } if task == wanted => Some(from),
        _ => None,
    }
}

/// Keeps moves, and failures for a reason that this CPU has not met at this level since the last move.
fn keep(decisions: &[Decision], seen: &mut FxHashSet<(u32, u32, Reason)>, events: &mut Vec<Event>) {
    for decision in decisions {
        let is_new = match decision.what {
            What::Moved { .. } => {
                seen.clear();
                true
            }
            What::Failed(reason) => seen.insert((decision.puller, decision.level, reason)),
        };
        if is_new {
            events.push(Event::Decided(*decision));
        }
    }
}
