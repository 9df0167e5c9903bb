//! `load_balance`: one CPU, one domain.

use super::busiest::{Busiest, Migrate, busiest_queue};
use super::clock::Clock;
use super::decision::{Decision, Reason, What};
use super::queues::{Queues, TaskId};
use super::search::{CpuIdle, Search};
use super::stats::SCALE;
use super::{by_load, by_type};
use crate::balance::pinned::{LbEnv, PinnedFlags, Purpose};
use crate::balance::rules::GroupChoice;
use crate::balance::{Balancer, Steps};
use crate::cpumask::CpuMask;
use crate::kernel::Domain;
use std::sync::Arc;

/// `sysctl_sched_nr_migrate`: tasks looked at in one search.
const NR_MIGRATE: usize = 32;

/// What balancing changes.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) queues: Queues,
    /// The affinity of each task.
    pub(super) allowed: Vec<Arc<CpuMask>>,
    /// The CPU each task is on.
    pub(super) cpu_of: Vec<u32>,
    /// `sgc->imbalance`, by instance.
    pub(super) imbalanced: Vec<bool>,
    /// By CPU, then level.
    pub(super) clocks: Vec<Clock>,
}

impl State {
    /// Moves a task to another CPU.
    pub(super) fn migrate(&mut self, task: TaskId, to: usize) {
        let from = std::mem::replace(&mut self.cpu_of[task as usize], to as u32);
        self.queues.remove(from as usize, task);
        self.queues.push(to, task);
    }
}

/// A CPU that balances one of its domains.
pub(super) struct Pull<'a> {
    pub(super) balancer: &'a Balancer<'a>,
    pub(super) tick: u64,
    pub(super) cpu: usize,
    /// Index into the levels of the build.
    pub(super) level: usize,
    pub(super) domain: &'a Domain,
    pub(super) child: Option<&'a Domain>,
    pub(super) parent: Option<&'a Domain>,
    pub(super) idle: CpuIdle,
    /// Index into the clocks.
    pub(super) clock: usize,
}

/// What one balance came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pulled {
    /// Whether tasks were moved, an active balance not counted.
    pub(super) moved: bool,
    /// The CPU is not the one to balance here; it stops going up.
    pub(super) stop: bool,
}

/// What is left of a balance while it retries.
struct Attempt {
    dst: usize,
    cpus: CpuMask,
    flags: PinnedFlags,
    imbalance: i64,
}

impl Pull<'_> {
    /// Balances, and tells `log` what it did.
    pub(super) fn balance(&self, state: &mut State, log: &mut Vec<Decision>) -> Pulled {
        let possible = &self.balancer.topology.online;
        let mut attempt = Attempt {
            dst: self.cpu,
            cpus: self.balancer.env_cpus(self.domain, possible),
            flags: PinnedFlags::default(),
            imbalance: 0,
        };
        loop {
            let newly = self.idle == CpuIdle::NewlyIdle;
            let verdict = self.balancer.should_balance(
                self.cpu,
                self.domain,
                &state.queues.idle,
                newly,
                &attempt.cpus,
                &mut Steps::unheard(),
            );
            if !verdict.balances {
                self.out_balanced(state, &attempt);
                self.tell(log, Reason::NotElected(verdict.elected.map(|cpu| cpu as u32)));
                return Pulled { stop: true, ..Pulled::default() };
            }
            let (busiest, source) = match self.busiest(state, &attempt) {
                Ok(found) => found,
                Err(reason) => {
                    self.out_balanced(state, &attempt);
                    self.tell(log, reason);
                    return Pulled::default();
                }
            };
            attempt.imbalance = busiest.imbalance;
            attempt.flags.all_pinned = true;
            let several = state.queues.nr_running(source) > 1;
            let (moved, why) = self.detach(state, &mut attempt, busiest.migrate, source, log);
            if several {
                self.mark_imbalanced(state, &attempt);
                if attempt.flags.all_pinned {
                    attempt.cpus.remove(source);
                    if self.may_redo(&attempt.cpus) {
                        continue;
                    }
                    state.clocks[self.clock].failed = 0;
                    self.lengthen(state, true);
                    self.tell(log, Reason::AllPinned);
                    return Pulled::default();
                }
            }
            if moved {
                let clock = &mut state.clocks[self.clock];
                clock.failed = 0;
                clock.reset(self.domain);
                return Pulled { moved, stop: false };
            }
            self.tell(log, why);
            self.push(state, &attempt, busiest.migrate, source, log);
            return Pulled::default();
        }
    }

    /// `find_busiest_group` and `find_busiest_queue`.
    fn busiest(&self, state: &State, attempt: &Attempt) -> Result<(Busiest, usize), Reason> {
        let search = Search {
            balancer: self.balancer,
            queues: &state.queues,
            imbalanced: &state.imbalanced,
            domain: self.domain,
            child: self.child,
            dst: self.cpu,
            cpus: &attempt.cpus,
            idle: self.idle,
        };
        let busiest = match self.balancer.rules.group_choice {
            GroupChoice::Load => by_load::find(&search)?,
            GroupChoice::Type => by_type::find(&search)?,
        };
        if busiest.imbalance == 0 {
            return Err(Reason::NoImbalance);
        }
        let source = busiest_queue(&search, &busiest).ok_or(Reason::NoBusiestQueue)?;
        Ok((busiest, source))
    }

    /// `detach_tasks`, and again with another CPU where a pinned task names one. Whether tasks were moved, or else why
    /// not.
    fn detach(
        &self,
        state: &mut State,
        attempt: &mut Attempt,
        migrate: Migrate,
        source: usize,
        log: &mut Vec<Decision>,
    ) -> (bool, Reason) {
        let (mut moved, mut why) = (false, Reason::OnlyRunning);
        if state.queues.nr_running(source) <= 1 {
            return (false, why);
        }
        loop {
            let new_dst = self.detach_for(state, attempt, migrate, source, (&mut moved, &mut why), log);
            match new_dst {
                Some(new_dst) if attempt.imbalance > 0 => {
                    attempt.cpus.remove(attempt.dst);
                    attempt.dst = new_dst;
                    attempt.flags.dst_pinned = false;
                }
                _ => return (moved, why),
            }
        }
    }

    /// One pass of `detach_tasks` for one destination; the CPU a pinned task may be retried with.
    fn detach_for(
        &self,
        state: &mut State,
        attempt: &mut Attempt,
        migrate: Migrate,
        source: usize,
        (moved, why): (&mut bool, &mut Reason),
        log: &mut Vec<Decision>,
    ) -> Option<usize> {
        let mut retry = None;
        let tasks: Vec<TaskId> = state.queues.tasks(source).collect();
        let failed = state.clocks[self.clock].failed;
        // The list is searched from the task that waited longest, which is next to run; the running one is its last.
        for (looked_at, &task) in tasks.iter().skip(1).chain(tasks.first()).enumerate() {
            if self.idle != CpuIdle::Busy && state.queues.nr_running(source) <= 1 || attempt.imbalance <= 0 {
                break;
            }
            let past_pinned = self.balancer.rules.search_past_pinned && attempt.flags.all_pinned;
            if looked_at >= NR_MIGRATE && !past_pinned {
                break;
            }
            let env = LbEnv {
                dst: attempt.dst,
                domain: self.domain,
                cpus: &attempt.cpus,
                purpose: if self.idle == CpuIdle::NewlyIdle { Purpose::NewlyIdle } else { Purpose::Periodic },
                flags: attempt.flags,
            };
            let pinned = self.balancer.can_migrate(&env, &state.allowed[task as usize], &mut Steps::unheard());
            attempt.flags = pinned.flags;
            retry = pinned.new_dst.or(retry);
            if !pinned.can {
                *why = Reason::SomePinned;
                continue;
            }
            if Some(&task) == tasks.first() {
                // The running task.
                continue;
            }
            let size = match migrate {
                Migrate::Load => SCALE.cast_signed(),
                Migrate::Util => (SCALE / tasks.len() as u64).max(1).cast_signed(),
                Migrate::Task => 1,
            };
            if self.too_large(migrate, size, attempt.imbalance, failed) {
                *why = Reason::TaskTooLarge;
                continue;
            }
            attempt.imbalance -= size;
            *moved = true;
            self.migrate(state, task, attempt.dst, false, log);
            if self.idle == CpuIdle::NewlyIdle {
                break;
            }
        }
        retry
    }

    /// Whether a task is more than the imbalance, as far as failures have not softened that.
    fn too_large(&self, migrate: Migrate, size: i64, imbalance: i64, failed: u32) -> bool {
        let version = self.balancer.build.release.version;
        let tries = self.balancer.build.cache_nice_tries(self.domain);
        match migrate {
            Migrate::Task => false,
            Migrate::Util if version < (6, 12, 0) => size > imbalance,
            Migrate::Load if version < (5, 5, 0) => size / 2 > imbalance,
            Migrate::Load if version < (5, 10, 0) => size / 2 > imbalance && failed <= tries,
            Migrate::Load | Migrate::Util => size >> failed.min(62) > imbalance,
        }
    }

    /// A balance that found tasks and moved none: after some failures the running task is pushed.
    fn push(&self, state: &mut State, attempt: &Attempt, migrate: Migrate, source: usize, log: &mut Vec<Decision>) {
        let version = self.balancer.build.release.version;
        let tries = self.balancer.build.cache_nice_tries(self.domain);
        let clock = &mut state.clocks[self.clock];
        if self.idle != CpuIdle::NewlyIdle {
            clock.failed += 1;
        }
        let by_tasks = version < (5, 12, 0) || migrate == Migrate::Task;
        if clock.failed <= tries + 2 || !by_tasks {
            clock.reset(self.domain);
            return;
        }
        let Some(running) = state.queues.tasks(source).next() else { return };
        if !state.allowed[running as usize].contains(self.cpu) {
            // `out_one_pinned`.
            self.lengthen(state, attempt.flags.all_pinned);
            return;
        }
        if version < (5, 12, 0) {
            clock.failed = tries + 1;
        }
        if clock.interval < 2 * u64::from(self.domain.interval) {
            clock.interval *= 2;
        }
        // The stopper runs meanwhile, so that any task may go, and looks for the first that can.
        if state.queues.nr_running(source) > 1 {
            let can = |task: &TaskId| state.allowed[*task as usize].contains(self.cpu);
            let task = state.queues.tasks(source).find(can);
            if let Some(task) = task {
                self.migrate(state, task, self.cpu, true, log);
            }
        }
    }

    fn migrate(&self, state: &mut State, task: TaskId, to: usize, active: bool, log: &mut Vec<Decision>) {
        let from = state.cpu_of[task as usize];
        if from as usize == to {
            // Up to 6.4 a pinned task may be "sent" to where it is.
            return;
        }
        state.migrate(task, to);
        self.log(log, What::Moved { task, from, to: to as u32, active });
    }

    /// The parent is told that pinned tasks keep this domain from an even load.
    fn mark_imbalanced(&self, state: &mut State, attempt: &Attempt) {
        let uneven = attempt.flags.some_pinned && attempt.imbalance > 0;
        if let Some(sgc) = self.parent_sgc().filter(|_| uneven) {
            state.imbalanced[sgc] = true;
        }
    }

    /// Nothing to do: what pinned tasks left uneven before is over, unless all are pinned.
    fn out_balanced(&self, state: &mut State, attempt: &Attempt) {
        if let Some(sgc) = self.parent_sgc().filter(|_| !attempt.flags.all_pinned) {
            state.imbalanced[sgc] = false;
        }
        state.clocks[self.clock].failed = 0;
        self.lengthen(state, attempt.flags.all_pinned);
    }

    fn lengthen(&self, state: &mut State, all_pinned: bool) {
        if self.idle != CpuIdle::NewlyIdle {
            state.clocks[self.clock].lengthen(self.domain, all_pinned);
        }
    }

    fn parent_sgc(&self) -> Option<usize> {
        let parent = self.parent.filter(|parent| self.balancer.build.nr_groups(parent) > 0)?;
        Some(self.balancer.build.group(parent, 0).group.sgc.0 as usize)
    }

    /// Whether a search that met only pinned tasks goes on without that source.
    fn may_redo(&self, cpus: &CpuMask) -> bool {
        if self.balancer.rules.redo_outside_group {
            !cpus.is_subset(self.balancer.dst_grpmask(self.domain).1)
        } else {
            !cpus.is_empty()
        }
    }

    fn tell(&self, log: &mut Vec<Decision>, reason: Reason) {
        self.log(log, What::Failed(reason));
    }

    fn log(&self, log: &mut Vec<Decision>, what: What) {
        let (puller, level) = (self.cpu as u32, self.level as u32);
        log.push(Decision { tick: self.tick, puller, level, idle: self.idle, what });
    }
}
