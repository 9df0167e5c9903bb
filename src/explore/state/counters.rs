//! The counters of a machine at work.

use crate::explore::derived::counters::CountersView;
use crate::formats::schedstat::Schedstat;
use std::sync::Arc;

/// A reading of `/proc/schedstat`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What was read.
    pub stat: Arc<Schedstat>,
    /// Seconds since the reading before.
    pub seconds: f64,
    /// Whether the kernel was told not to count.
    pub switched_off: bool,
}

/// Readings to be played.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Oldest first.
    pub readings: Vec<Arc<Schedstat>>,
    /// Jiffies a second.
    pub hz: u32,
}

/// What is known of a machine at work.
#[derive(Clone, Debug, Default)]
pub struct LiveCounters {
    /// The newest reading.
    pub last: Option<Sample>,
    /// What happened before it.
    pub shown: Option<Arc<CountersView>>,
    /// Why there is none.
    pub trouble: Option<String>,
}
