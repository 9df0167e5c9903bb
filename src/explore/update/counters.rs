//! Readings of the counters, as they come in.

use crate::explore::derived::counters::{CountRequest, CountersView};
use crate::explore::state::counters::{LiveCounters, Sample};
use crate::explore::state::model::Model;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::effect::{Effect, Job};
use std::sync::Arc;

/// A reading is there: with the one before it, it can be counted.
pub(super) fn sampled(model: &mut Model, sample: Result<Sample, String>) -> Vec<Effect> {
    let sample = match sample {
        Ok(sample) => sample,
        Err(why) => {
            model.counters = LiveCounters { trouble: Some(why), ..LiveCounters::default() };
            return Vec::new();
        }
    };
    let (after, seconds) = (Arc::clone(&sample.stat), sample.seconds);
    model.counters.trouble = None;
    let Some(Sample { stat: before, .. }) = model.counters.last.replace(sample) else { return Vec::new() };
    let built = Arc::clone(&model.built);
    vec![Job::Count(CountRequest { built, before, after, seconds }).into()]
}

/// It is counted; what is of an older build is of no use any more.
pub(super) fn counted(model: &mut Model, view: Arc<CountersView>) {
    if view.generation == model.built.generation && model.counters.last.is_some() {
        model.counters.shown = Some(view);
    }
}

/// What a row of the pane stands for: its level, and the first of its CPUs.
pub(super) fn target(model: &Model, row: usize) -> Option<Target> {
    let total = model.counters.shown.as_ref()?.totals.get(row)?;
    Some(Target::Cpu(total.cpus.first()?, Some(total.level)))
}
