//! When a domain is due: `last_balance`, `balance_interval` and what changes them.

use crate::kernel::{Build, Domain};

/// Ticks a second: `HZ`.
pub(super) const HZ: u64 = 1000;
/// `MAX_PINNED_INTERVAL`, in ms.
const MAX_PINNED_INTERVAL: u64 = 512;

/// The part of a `struct sched_domain` that changes while it runs. Times are in ms, which are ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// When it last balanced.
    pub(super) last_balance: u64,
    /// `balance_interval`.
    pub(super) interval: u64,
    /// `nr_balance_failed`.
    pub(super) failed: u32,
}

impl Clock {
    /// As `sd_init` sets it.
    pub(super) fn new(domain: &Domain) -> Self {
        Self { interval: u64::from(domain.interval).max(1), ..Self::default() }
    }

    /// When it is due: `get_sd_balance_interval` after it last was.
    pub(super) fn due(&self, build: &Build, busy: bool) -> u64 {
        let longest = (HZ * build.online.weight() as u64 / 10).max(1);
        let factor = if busy { u64::from(build.release.rules.busy_factor) } else { 1 };
        // So that levels above, with multiples of the interval, do not fall on the same tick.
        let early = u64::from(busy && build.release.version >= (5, 10, 0));
        self.last_balance + (self.interval * factor - early).clamp(1, longest)
    }

    /// A balance that moved something, or could have.
    pub(super) fn reset(&mut self, domain: &Domain) {
        self.interval = u64::from(domain.interval).max(1);
    }

    /// A balance that had nothing to do waits longer the next time.
    pub(super) fn lengthen(&mut self, domain: &Domain, all_pinned: bool) {
        if (all_pinned && self.interval < MAX_PINNED_INTERVAL) || self.interval < 2 * u64::from(domain.interval) {
            self.interval *= 2;
        }
    }
}
