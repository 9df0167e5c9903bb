//! What came of comparing.

use super::difference::Difference;
use crate::cpumask::CpuMask;

/// How the CPUs of a build in the log were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Those of the machine.
    AsGiven,
    /// The machine with some CPUs offline, or online again.
    Hotplug,
    /// A partition of cpusets.
    Partition,
}

/// One thing that was compared: a build in the log, the debug files, or `/proc/schedstat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What it is, for people.
    pub what: String,
    /// Its first line, from 1, in a log.
    pub line: Option<usize>,
    /// The CPUs.
    pub cpus: CpuMask,
    /// How they were taken.
    pub taken: Taken,
    /// What is not as the model has it.
    pub differences: Vec<Difference>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything printed is as the model has it.
    Equal,
    /// Something is not.
    Different,
    /// Nothing that was printed differs, but something is missing.
    Unknown,
}

/// Everything that was compared.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was compared, in order.
    pub checks: Vec<Check>,
    /// What is lost or broken in what was printed.
    pub lost: Vec<String>,
}

impl Report {
    /// What came of it.
    pub fn outcome(&self) -> Outcome {
        if self.checks.iter().any(|check| !check.differences.is_empty()) {
            Outcome::Different
        } else if self.checks.is_empty() || !self.lost.is_empty() {
            Outcome::Unknown
        } else {
            Outcome::Equal
        }
    }
}
