//! CPU-bound tasks on a build: who pulls what from where, tick by tick, and what holds them back.
//!
//! A tick is a jiffy of 1 ms. In each, every CPU whose domains are due balances as `rebalance_domains` does, bottom up:
//! busy CPUs with `busy_factor` times the interval; idle ones, whose tick is stopped, only while some CPU has more than
//! one task, since nobody would kick the idle balancer otherwise. `should_we_balance`, `find_busiest_group` (by load up
//! to 5.4, by group type from 5.5), `find_busiest_queue`, `detach_tasks` with the pinned path of `can_migrate_task`, the
//! retries, the failure count and the active balance are those of the release.
//!
//! # What is left out
//! - Tasks never sleep and all weigh 1024: a queue's load is 1024 for each task, its utilisation the CPU's capacity when
//!   anything runs, from one tick to the next. Kernels average both over time.
//! - Nothing else runs: no kernel threads, no interrupts, no shell. On a real machine those make CPUs newly idle now and
//!   then, and a newly idle CPU passes tests that an idle one does not: on a ring of four with one CPU a node, 4.14 holds
//!   an idle CPU back because its group has no more idle CPUs than the busiest, from 1 to 3 and from 0 to 2, and here from
//!   3 to 1 and from 2 to 0 as well, where real kernels were seen to move tasks to the CPUs that had work of their own.
//! - No NUMA balancing, no wake-ups, no bandwidth limits, no cache-hot tasks (a queued task has waited longer than the
//!   migration cost), no capacity lost to real-time tasks, no `SD_ASYM_PACKING` priorities, misfit tasks or energy model.
//! - The queue of a CPU turns by one task whenever the CPU balances; the one at its head is running and can only be pushed.
//! - Where balances fall within the first interval is drawn from the seed; afterwards time is exact. The cost of a balance
//!   does not hold it back, and domains with `SD_SERIALIZE` never find the lock taken.

mod busiest;
mod by_load;
mod by_type;
mod clock;
mod decision;
pub mod matrix;
mod place;
mod pull;
mod queues;
mod run;
mod search;
mod spec;
mod stats;
#[cfg(test)]
mod tests;

pub use decision::{Decision, Reason, What};
pub use matrix::{Pair, PairResult};
pub use queues::TaskId;
pub use run::{Simulation, Start};
pub use search::CpuIdle;
pub use spec::{SpecError, parse_tasks};
