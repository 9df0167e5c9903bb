//! What the Balance screen knows: tasks, releases side by side, and the time shown.

use crate::balance::simulate::{Start, TaskId, parse_tasks};
use crate::cpumask::CpuMask;
use crate::explore::derived::build_view::BuildView;
use crate::explore::derived::recording::{Event, Part, Pin, Reached, Scenario};
use crate::kernel::Release;
use crate::topology::Topology;
use std::sync::Arc;
use std::time::Duration;

/// Between two frames while time runs.
pub const FRAME: Duration = Duration::from_millis(100);
/// Ticks a frame, slowest first.
const PACES: [u64; 6] = [1, 3, 10, 30, 100, 300];
/// The pace it begins with, as an index.
const FIRST_PACE: usize = 1;
/// Tasks for each CPU of the node that is crowded.
const CROWD: usize = 4;
/// The most tasks a pair is played with.
const MAX_CROWD: usize = 4096;

/// Tasks as a person writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TasksText {
    /// `8@nodes:1,3 from 3`
    pub text: String,
    /// Where each may run.
    pub tasks: Arc<[Arc<CpuMask>]>,
    /// Where they are at first.
    pub start: Start,
}

impl TasksText {
    /// Reads `TASKS`, or `TASKS from NODE`.
    ///
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn parse(topology: &Topology, text: &str) -> Result<Self, String> {
        let (tasks, node) = match text.split_once(" from ") {
            Some((tasks, node)) => (tasks.trim(), Some(node.trim())),
            None => (text.trim(), None),
        };
        let parsed = parse_tasks(topology, tasks).map_err(|error| error.to_string())?;
        let start = match node {
            None => Start::ForkedOn(parsed[0].first().unwrap_or(0)),
            Some(node) => {
                let id = node.parse::<u32>().map_err(|_| format!("`{node}` is no node; write from 3"))?;
                let index = topology.node_index(id).ok_or_else(|| format!("there is no node {id}"))?;
                let cpus = topology.node_online(index);
                if cpus.is_empty() {
                    return Err(format!("node {id} has no online CPU"));
                }
                Start::On(cpus)
            }
        };
        Ok(Self { text: text.trim().to_owned(), tasks: parsed.into(), start })
    }

    /// The tasks that show whether one node pulls from another: all of them on `source`, node indices.
    pub fn of_pair(topology: &Topology, puller: usize, source: usize) -> Option<Self> {
        let crowd = (topology.node_online(source).weight() * CROWD).min(MAX_CROWD);
        let [a, b] = [puller, source].map(|node| topology.nodes.get(node).map(|node| node.id));
        let (a, b) = (a?, b?);
        Self::parse(topology, &format!("{crowd}@nodes:{},{} from {b}", a.min(b), a.max(b))).ok()
    }

    /// Two tasks a CPU, all forked on the first.
    pub fn of_machine(topology: &Topology) -> Option<Self> {
        let count = (topology.online.weight() * 2).min(MAX_CROWD);
        Self::parse(topology, &count.to_string()).ok()
    }
}

/// One release and what tasks do under it.
#[derive(Clone, Debug)]
pub struct Side {
    /// The release.
    pub release: Release,
    /// What happened so far as it is simulated.
    pub events: Vec<Event>,
    /// How far it is simulated.
    pub reached: Option<Arc<Reached>>,
    /// How many events lie before the time shown.
    pub at: usize,
    /// The CPU of each task at the time shown.
    pub cpu_of: Vec<u32>,
    /// The CPU each task began on.
    pub first: Vec<u32>,
}

impl Side {
    pub(in crate::explore) fn new(release: Release) -> Self {
        Self { release, events: Vec::new(), reached: None, at: 0, cpu_of: Vec::new(), first: Vec::new() }
    }

    /// How far it is simulated, in ticks.
    pub fn until(&self) -> u64 {
        self.reached.as_ref().map_or(0, |reached| reached.tick())
    }

    /// What the release made of the machine.
    pub fn built(&self) -> Option<&BuildView> {
        self.reached.as_ref().map(|reached| &*reached.built)
    }

    /// The event that happened last.
    pub fn event(&self) -> Option<&Event> {
        self.events.get(self.at.checked_sub(1)?)
    }

    /// Puts the time shown after so many events.
    pub(in crate::explore) fn seek(&mut self, at: usize) {
        let at = at.min(self.events.len());
        while self.at < at {
            if let Some((task, _, to)) = self.events[self.at].moved() {
                self.cpu_of[task as usize] = to;
            }
            self.at += 1;
        }
        while self.at > at {
            self.at -= 1;
            if let Some((task, from, _)) = self.events[self.at].moved() {
                self.cpu_of[task as usize] = from;
            }
        }
    }

    /// How many events there are up to a tick.
    pub fn events_until(&self, tick: u64) -> usize {
        self.events.partition_point(|event| event.tick() <= tick)
    }

    fn take(&mut self, part: Part) {
        if self.reached.is_none() {
            self.cpu_of.clone_from(&part.first);
            self.first = part.first;
        }
        self.events.extend(part.events);
        self.reached = Some(part.reached);
    }

    /// The tasks of each CPU at the time shown.
    pub fn queues(&self, nr_cpus: usize) -> Vec<Vec<TaskId>> {
        let mut queues = vec![Vec::new(); nr_cpus];
        for (task, &cpu) in self.cpu_of.iter().enumerate() {
            if let Some(queue) = queues.get_mut(cpu as usize) {
                queue.push(task as TaskId);
            }
        }
        queues
    }
}

/// What the Balance screen knows.
#[derive(Clone, Debug, Default)]
pub struct BalanceState {
    /// The tasks; none before the screen was looked at.
    pub tasks: Option<TasksText>,
    /// What a person changed on the way.
    pub pins: Vec<Pin>,
    /// The release beside the one chosen.
    pub beside: Option<Release>,
    /// What is simulated.
    pub scenario: Option<Arc<Scenario>>,
    /// The releases: the chosen one, and the one beside it.
    pub sides: Vec<Side>,
    /// The time shown, in ticks.
    pub tick: u64,
    /// Whether time runs.
    pub playing: bool,
    /// The side whose events are listed, an index.
    pub listed: usize,
    /// Whether each CPU has its row even where not all have room.
    pub by_cpu: bool,
    /// Whether more is being simulated.
    pub waiting: bool,
    /// Steps from the pace it begins with.
    pace: isize,
}

impl BalanceState {
    /// Ticks a frame while time runs.
    pub fn pace(&self) -> u64 {
        PACES[FIRST_PACE.saturating_add_signed(self.pace).min(PACES.len() - 1)]
    }

    /// Changes the pace by steps.
    pub(in crate::explore) fn change_pace(&mut self, by: isize) {
        let first = FIRST_PACE as isize;
        self.pace = (self.pace + by).clamp(-first, PACES.len() as isize - 1 - first);
    }

    /// How far all sides are simulated, in ticks.
    pub fn until(&self) -> u64 {
        self.sides.iter().map(Side::until).min().unwrap_or(0)
    }

    /// Whether nothing more is simulated: the log is full.
    pub fn is_full(&self) -> bool {
        self.sides.iter().any(|side| side.reached.as_ref().is_some_and(|reached| reached.is_full()))
    }

    /// Puts the time shown at a tick, as far as it is simulated.
    pub(in crate::explore) fn seek_tick(&mut self, tick: u64) {
        self.tick = tick.min(self.until());
        for side in &mut self.sides {
            side.seek(side.events_until(self.tick));
        }
    }

    /// The side whose events are listed.
    pub fn listed(&self) -> Option<&Side> {
        self.sides.get(self.listed).or_else(|| self.sides.first())
    }

    /// Puts the time shown after so many events of the side that is listed.
    pub(in crate::explore) fn seek_event(&mut self, at: usize) {
        let listed = if self.listed < self.sides.len() { self.listed } else { 0 };
        let Some(side) = self.sides.get_mut(listed) else { return };
        side.seek(at);
        self.tick = side.event().map_or(0, Event::tick);
        for (_, side) in self.sides.iter_mut().enumerate().filter(|(at, _)| *at != listed) {
            side.seek(side.events_until(self.tick));
        }
    }

    /// Takes what was simulated.
    pub(in crate::explore) fn take(&mut self, parts: Vec<Part>) {
        self.waiting = false;
        for (side, part) in self.sides.iter_mut().zip(parts) {
            side.take(part);
        }
    }
}
