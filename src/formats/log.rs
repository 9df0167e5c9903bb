//! What a kernel printed with `sched_verbose` (before 5.13: `sched_debug`), of every era: found among other lines, with time
//! stamps of any kind or without, whole or broken off.

mod groups;
mod line;
mod machine;
mod read;

pub use machine::{is_log, read_machine};
pub use read::{KernelLog, PrintedCpu, PrintedDomain, Rebuild, read, read_domains};

use crate::cpumask::CpuMask;

/// A group as it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedGroup {
    /// The CPU whose `sched_group_capacity` it is; not printed up to 4.12.
    pub owner: Option<usize>,
    /// The group's span.
    pub span: CpuMask,
    /// The balance mask, printed where it differs from the span.
    pub mask: Option<CpuMask>,
    /// The capacity; 1024 where none is printed.
    pub capacity: u64,
}
