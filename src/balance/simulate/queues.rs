//! Which task waits on which CPU.

use crate::cpumask::CpuMask;
use std::collections::VecDeque;

/// A task, counted from 0.
pub type TaskId = u32;

/// The run queues.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    of: Vec<VecDeque<TaskId>>,
    /// The CPUs that have none.
    pub(super) idle: CpuMask,
    /// How many CPUs have more than one.
    overloaded: usize,
}

impl Queues {
    /// Empty queues of `nr_cpus` CPUs.
    pub(super) fn new(nr_cpus: usize) -> Self {
        Self { of: vec![VecDeque::new(); nr_cpus], idle: CpuMask::first_n(nr_cpus), overloaded: 0 }
    }

    /// `nr_running` of `cpu`.
    pub(super) fn nr_running(&self, cpu: usize) -> usize {
        self.of[cpu].len()
    }

    /// The tasks of `cpu`, the running one first.
    pub(super) fn tasks(&self, cpu: usize) -> impl ExactSizeIterator<Item = TaskId> + '_ {
        self.of[cpu].iter().copied()
    }

    /// Whether some CPU has more than one task.
    pub(super) fn any_overloaded(&self) -> bool {
        self.overloaded > 0
    }

    /// Puts a task at the end of the queue of `cpu`.
    pub(super) fn push(&mut self, cpu: usize, task: TaskId) {
        let queue = &mut self.of[cpu];
        queue.push_back(task);
        match queue.len() {
            1 => self.idle.remove(cpu),
            2 => self.overloaded += 1,
            _ => {}
        }
    }

    /// Takes a task off the queue of `cpu`, where it is.
    pub(super) fn remove(&mut self, cpu: usize, task: TaskId) {
        let queue = &mut self.of[cpu];
        let Some(at) = queue.iter().position(|&queued| queued == task) else { return };
        queue.remove(at);
        match queue.len() {
            0 => self.idle.insert(cpu),
            1 => self.overloaded -= 1,
            _ => {}
        }
    }

    /// Lets the next task of `cpu` run.
    pub(super) fn turn(&mut self, cpu: usize) {
        let queue = &mut self.of[cpu];
        if queue.len() > 1 {
            queue.rotate_left(1);
        }
    }
}
