//! The model against what a kernel printed: its log, its debug files, its `/proc/schedstat`.
//!
//! The model's domains are written as the kernel writes them and both are read by the same reader, so what is compared is
//! what was printed, field by field. Capacities in a log are those of a machine at work: time spent in interrupts and real-time
//! tasks is taken off. A printed capacity therefore agrees when it is at most the model's and at least a quarter of it.

mod difference;
mod files;
mod log;
mod report;

pub use difference::{Difference, Part};
pub use files::{check_debug_files, check_schedstat};
pub use log::check_log;
pub use report::{Check, Outcome, Report, Taken};
