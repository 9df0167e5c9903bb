//! What the balancer did between two readings of the counters, by the domains on screen.

use super::build_view::BuildView;
use crate::counters::{Counters, Total};
use crate::formats::schedstat::Schedstat;
use std::sync::Arc;

/// Two readings to be counted.
#[derive(Clone, Debug)]
pub struct CountRequest {
    /// The build whose domains they are of.
    pub built: Arc<BuildView>,
    /// The first.
    pub before: Arc<Schedstat>,
    /// The second.
    pub after: Arc<Schedstat>,
    /// Seconds between them.
    pub seconds: f64,
}

/// What happened between two readings.
#[derive(Clone, Debug, PartialEq)]
pub struct CountersView {
    /// The build whose domains are counted.
    pub generation: u64,
    /// By CPU and level.
    pub counters: Counters,
    /// By level and node.
    pub totals: Vec<Total>,
}

impl CountRequest {
    /// Counts. On a large machine this takes longer than a frame may.
    pub fn count(&self) -> CountersView {
        let counters = Counters::between(&self.built.build, &self.before, &self.after, self.seconds);
        let totals = counters.totals(&self.built.topology);
        CountersView { generation: self.built.generation, counters, totals }
    }
}
