//! The clockwork: which CPUs balance in a tick, and in which order.

use super::clock::Clock;
use super::decision::{Decision, What};
use super::place;
use super::pull::{Pull, State};
use super::queues::{Queues, TaskId};
use super::search::CpuIdle;
use crate::balance::Balancer;
use crate::cpumask::CpuMask;
use crate::kernel::{Domain, Flags};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Where tasks are at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// On those of these CPUs they may run on, in turn; a task that may run on none of them where its affinity begins.
    On(CpuMask),
    /// Where they are placed when forked one after the other on this CPU.
    ForkedOn(usize),
}

/// Tasks on a build, at a time. It holds no reference to the build: each call is given the same one.
#[derive(Clone, Debug)]
pub struct Simulation {
    tick: u64,
    state: State,
    /// When CPUs are due, soonest first; at one time the lowest first.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// Idle CPUs that were due while nobody had a task too many.
    resting: Vec<u32>,
    log: Vec<Decision>,
}

impl Simulation {
    /// Tasks with these affinities, put where `start` says; `seed` draws when each CPU balances first.
    ///
    /// A task that may run on no online CPU may run on all of them, as when the last CPU of an affinity goes offline.
    pub fn new(balancer: &Balancer<'_>, tasks: &[Arc<CpuMask>], start: &Start, seed: u64) -> Self {
        let (topology, build) = (balancer.topology, balancer.build);
        let online = &topology.online;
        let all = Arc::new(online.clone());
        let fit =
            |allowed: &Arc<CpuMask>| if allowed.intersects(online) { Arc::clone(allowed) } else { Arc::clone(&all) };
        let mut state = State {
            queues: Queues::new(topology.nr_cpus),
            allowed: tasks.iter().map(fit).collect(),
            cpu_of: vec![0; tasks.len()],
            imbalanced: vec![false; build.sgcs.len()],
            clocks: vec![Clock::default(); topology.nr_cpus * build.levels.len()],
        };
        let mut random = Random(seed);
        let mut due = BinaryHeap::with_capacity(topology.nr_cpus);
        for cpu in online.iter() {
            for (level, domain) in build.chain(cpu) {
                let mut clock = Clock::new(domain);
                // As if the last balance lay up to an interval before.
                clock.last_balance = random.below(clock.interval);
                state.clocks[cpu * build.levels.len() + level] = clock;
            }
            if build.chain(cpu).next().is_some() {
                due.push(Reverse((1, cpu as u32)));
            }
        }
        place_all(balancer, &mut state, start);
        Self { tick: 0, state, due, resting: Vec::new(), log: Vec::new() }
    }

    /// Ticks passed.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// How many tasks there are.
    pub fn nr_tasks(&self) -> usize {
        self.state.cpu_of.len()
    }

    /// The tasks of `cpu`, the running one first.
    pub fn tasks_on(&self, cpu: usize) -> impl ExactSizeIterator<Item = TaskId> + '_ {
        self.state.queues.tasks(cpu)
    }

    /// The CPU a task is on.
    pub fn cpu_of(&self, task: TaskId) -> usize {
        self.state.cpu_of[task as usize] as usize
    }

    /// The affinity of a task.
    pub fn allowed(&self, task: TaskId) -> &CpuMask {
        &self.state.allowed[task as usize]
    }

    /// Changes the affinity of a task: `sched_setaffinity`. From a CPU it may no longer run on it is moved to the lowest
    /// it may; a CPU that loses its last task that way balances as a newly idle one. What was decided is returned. A set
    /// without an online CPU is refused, and changes nothing.
    pub fn set_affinity(&mut self, balancer: &Balancer<'_>, task: TaskId, allowed: CpuMask) -> &[Decision] {
        self.log.clear();
        let cpu = self.cpu_of(task);
        let Some(first) = allowed.first_and(&balancer.topology.online) else { return &self.log };
        self.state.allowed[task as usize] = Arc::new(allowed);
        if !self.allowed(task).contains(cpu) {
            self.state.migrate(task, first);
            if self.state.queues.nr_running(cpu) == 0 {
                self.balance_newly_idle(balancer, cpu);
            }
        }
        &self.log
    }

    /// One tick, and what was decided in it.
    pub fn step(&mut self, balancer: &Balancer<'_>) -> &[Decision] {
        self.tick += 1;
        self.log.clear();
        if self.state.queues.any_overloaded() && !self.resting.is_empty() {
            let woken = self.resting.drain(..);
            self.due.extend(woken.map(|cpu| Reverse((self.tick, cpu))));
        }
        while let Some(&Reverse((at, cpu))) = self.due.peek() {
            if at > self.tick {
                break;
            }
            self.due.pop();
            let idle = self.state.queues.nr_running(cpu as usize) == 0;
            if idle && !self.state.queues.any_overloaded() {
                self.resting.push(cpu);
                continue;
            }
            let next = self.rebalance(balancer, cpu as usize, if idle { CpuIdle::Idle } else { CpuIdle::Busy });
            self.due.push(Reverse((next.max(self.tick + 1), cpu)));
        }
        &self.log
    }

    /// `rebalance_domains`: when it is due next.
    fn rebalance(&mut self, balancer: &Balancer<'_>, cpu: usize, mut idle: CpuIdle) -> u64 {
        self.state.queues.turn(cpu);
        let build = balancer.build;
        let chain: Vec<(usize, &Domain)> = build.chain(cpu).collect();
        let mut next = u64::MAX;
        for (at, &(level, domain)) in chain.iter().enumerate() {
            let clock = cpu * build.levels.len() + level;
            if self.state.clocks[clock].due(build, idle == CpuIdle::Busy) <= self.tick {
                let pull = Pull {
                    balancer,
                    tick: self.tick,
                    cpu,
                    level,
                    domain,
                    child: at.checked_sub(1).map(|below| chain[below].1),
                    parent: chain.get(at + 1).map(|&(_, parent)| parent),
                    idle,
                    clock,
                };
                let pulled = pull.balance(&mut self.state, &mut self.log);
                if pulled.moved {
                    idle = if self.state.queues.nr_running(cpu) == 0 { CpuIdle::Idle } else { CpuIdle::Busy };
                }
                self.state.clocks[clock].last_balance = self.tick;
                next = next.min(self.state.clocks[clock].due(build, idle == CpuIdle::Busy));
                if pulled.stop {
                    break;
                }
            } else {
                next = next.min(self.state.clocks[clock].due(build, idle == CpuIdle::Busy));
            }
        }
        next
    }

    /// `idle_balance`, later `newidle_balance`: up the domains until something comes.
    fn balance_newly_idle(&mut self, balancer: &Balancer<'_>, cpu: usize) {
        let build = balancer.build;
        let chain: Vec<(usize, &Domain)> = build.chain(cpu).collect();
        for (at, &(level, domain)) in chain.iter().enumerate() {
            if !domain.flags.contains(Flags::BALANCE_NEWIDLE) {
                continue;
            }
            let pull = Pull {
                balancer,
                tick: self.tick,
                cpu,
                level,
                domain,
                child: at.checked_sub(1).map(|below| chain[below].1),
                parent: chain.get(at + 1).map(|&(_, parent)| parent),
                idle: CpuIdle::NewlyIdle,
                clock: cpu * build.levels.len() + level,
            };
            pull.balance(&mut self.state, &mut self.log);
            if self.state.queues.nr_running(cpu) > 0 {
                return;
            }
        }
    }

    /// Ticks until `end`, with every task that was moved told to `moved`.
    pub fn run_until(&mut self, balancer: &Balancer<'_>, end: u64, mut moved: impl FnMut(&Decision)) {
        while self.tick < end {
            self.step(balancer)
                .iter()
                .filter(|decision| matches!(decision.what, What::Moved { .. }))
                .for_each(&mut moved);
        }
    }
}

fn place_all(balancer: &Balancer<'_>, state: &mut State, start: &Start) {
    let turns: Vec<usize> = match start {
        Start::On(cpus) => cpus.and(&balancer.topology.online).iter().collect(),
        Start::ForkedOn(_) => Vec::new(),
    };
    for task in 0..state.allowed.len() {
        let allowed = state.allowed[task].and(&balancer.topology.online);
        let cpu = match start {
            Start::On(_) => {
                let mut from_turn = turns.iter().cycle().skip(task % turns.len().max(1)).take(turns.len());
                from_turn.find(|&&cpu| allowed.contains(cpu)).copied()
            }
            Start::ForkedOn(cpu) => place::at_fork(balancer, &state.queues, *cpu, &allowed),
        };
        let cpu = cpu.or_else(|| allowed.first()).unwrap_or(0);
        state.cpu_of[task] = cpu as u32;
        state.queues.push(cpu, task as TaskId);
    }
}

/// `SplitMix64`: enough to spread first balances, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}
