//! What a balance did, or the kernel's test that ended it.

use super::queues::TaskId;
use super::search::CpuIdle;

/// Why a balance moved nothing, named after the kernel's test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// `should_we_balance`: another CPU was elected, or none.
    NotElected(Option<u32>),
    /// `find_busiest_group`: no CPU of the domain has a second task.
    NothingToPull,
    /// `find_busiest_group`: every group with a second task holds the puller too, so all of them are local.
    EveryGroupIsLocal,
    /// `local->avg_load >= busiest->avg_load`.
    LocalBusier,
    /// `local->avg_load >= sds.avg_load`.
    LocalAboveAverage,
    /// `local->idle_cpus <= busiest->idle_cpus + 1`.
    TooFewIdleCpus,
    /// `100 * busiest->avg_load <= imbalance_pct * local->avg_load`.
    WithinImbalancePct,
    /// `local->group_type > busiest->group_type`.
    LocalGroupType,
    /// `env->idle == CPU_NOT_IDLE`: the busiest group is not overloaded, and the puller has work.
    PullerBusy,
    /// `busiest->sum_h_nr_running == 1`.
    OneTask,
    /// `calculate_imbalance`: nothing to move.
    NoImbalance,
    /// `adjust_numa_imbalance`: nodes may differ by so little.
    NumaImbalanceAllowed,
    /// `find_busiest_queue`: no queue of the busiest group is worth it.
    NoBusiestQueue,
    /// The busiest queue has only its running task.
    OnlyRunning,
    /// `can_migrate_task`: every task of the busiest queue is pinned away from the puller.
    AllPinned,
    /// `can_migrate_task`: of the waiting tasks none may run on the puller.
    SomePinned,
    /// `detach_tasks`: every task is more than the imbalance.
    TaskTooLarge,
}

impl Reason {
    /// The kernel function that ended the balance.
    pub fn function(self) -> &'static str {
        match self {
            Self::NotElected(_) => "should_we_balance",
            Self::NoImbalance => "calculate_imbalance",
            Self::NumaImbalanceAllowed => "adjust_numa_imbalance",
            Self::NoBusiestQueue => "find_busiest_queue",
            Self::OnlyRunning => "load_balance",
            Self::AllPinned | Self::SomePinned => "can_migrate_task",
            Self::TaskTooLarge => "detach_tasks",
            _ => "find_busiest_group",
        }
    }

    /// What the test found.
    pub fn text(self) -> String {
        match self {
            Self::NotElected(Some(cpu)) => return format!("CPU {cpu} is elected to balance"),
            Self::NotElected(None) => "no CPU is elected to balance",
            Self::NothingToPull => "no CPU outside has a second task",
            Self::EveryGroupIsLocal => "every group with waiting tasks holds the puller too: all are local",
            Self::LocalBusier => "local->avg_load >= busiest->avg_load",
            Self::LocalAboveAverage => "local->avg_load >= sds.avg_load",
            Self::TooFewIdleCpus => "local->idle_cpus <= busiest->idle_cpus + 1",
            Self::WithinImbalancePct => "100 * busiest->avg_load <= imbalance_pct * local->avg_load",
            Self::LocalGroupType => "local->group_type > busiest->group_type",
            Self::PullerBusy => "env->idle == CPU_NOT_IDLE, and the busiest group is not overloaded",
            Self::OneTask => "busiest->sum_h_nr_running == 1",
            Self::NoImbalance => "env->imbalance == 0",
            Self::NumaImbalanceAllowed => "so small an imbalance between nodes is allowed",
            Self::NoBusiestQueue => "no queue of the busiest group is worth pulling from",
            Self::OnlyRunning => "busiest->nr_running <= 1",
            Self::AllPinned => "LBF_ALL_PINNED: no task of the busiest queue may run on the puller",
            Self::SomePinned => "LBF_SOME_PINNED: no waiting task may run on the puller",
            Self::TaskTooLarge => "each task is more than the imbalance",
        }
        .to_owned()
    }
}

impl Reason {
    /// The same in words for those who do not know the function.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NotElected(_) => {
                "Of each local group one CPU may balance at a level, so that not all of them do the same work: the first idle \
                 one, or else the balance CPU. This is another."
            }
            Self::NothingToPull => "No CPU of this domain outside the local group has a task that waits.",
            Self::EveryGroupIsLocal => {
                "The balancer takes only from groups it is not in. Tasks wait in groups that hold this CPU as well, so it \
                 never sees them as somebody else's."
            }
            Self::LocalBusier => "Its own group is at least as loaded as the busiest.",
            Self::LocalAboveAverage => "Its own group is above the average of the domain: pulling would make it worse.",
            Self::TooFewIdleCpus => {
                "An idle CPU pulls only if its group has more idle CPUs, by two at least, than the busiest: nothing would be \
                 gained otherwise."
            }
            Self::WithinImbalancePct => "The difference is smaller than the domain tolerates.",
            Self::LocalGroupType => "Its own group is in a worse state than the busiest.",
            Self::PullerBusy => "The CPU has work itself, and the busiest group can still cope with its own.",
            Self::OneTask => "The busiest group has one task, which runs: there is nothing to gain.",
            Self::NoImbalance => "What would have to be moved to even things out comes to nothing.",
            Self::NumaImbalanceAllowed => {
                "Between nodes a small difference is left alone, to keep tasks near their memory."
            }
            Self::NoBusiestQueue => "Of the CPUs of the busiest group none has enough to be pulled from.",
            Self::OnlyRunning => "The busiest CPU has only the task that runs.",
            Self::AllPinned => "Every task that waits there may not run here.",
            Self::SomePinned => {
                "The tasks that wait there may not run here, and no CPU of the local group can take one."
            }
            Self::TaskTooLarge => "Moving any one of the tasks would move more than the imbalance.",
        }
    }
}

/// What a balance came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A task was moved.
    Moved {
        /// Which.
        task: TaskId,
        /// The CPU it was on.
        from: u32,
        /// The CPU it is on now: the puller, or the one a pinned task was retried with.
        to: u32,
        /// Whether an active balance pushed it.
        active: bool,
    },
    /// Nothing was.
    Failed(Reason),
}

/// One balance of one CPU at one level, or one task it moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When, in ticks.
    pub tick: u64,
    /// The CPU that balanced.
    pub puller: u32,
    /// Its domain, as an index into the levels of the build.
    pub level: u32,
    /// Whether it was idle.
    pub idle: CpuIdle,
    /// What came of it.
    pub what: What,
}
