//! What takes processor time: builds, comparisons, findings, repairs.

use super::{disk, terminal};
use crate::explore::derived::build_view::BuildView;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::effect::Job;
use std::sync::Arc;

/// Does a job and says what came of it; a panic in it is an error in words.
pub(super) fn perform(job: Job) -> Action {
    match job {
        Job::Build(request) => {
            let generation = request.generation;
            match terminal::shielded(|| BuildView::new(request)) {
                Ok(built) => Action::Built(Arc::new(built)),
                Err(why) => Action::BuildFailed(generation, why),
            }
        }
        Job::Compare(request) => {
            let load = |source: &_| disk::load(source).map(|(topology, _)| topology).map_err(|error| error.to_string());
            let compared = terminal::shielded(|| request.compare(load).map(Arc::new)).unwrap_or_else(Err);
            Action::Compared(request, compared)
        }
        Job::Examine(built) => match terminal::shielded(|| built.examine().len()) {
            Ok(_) => Action::Examined(built.generation),
            Err(why) => Action::Failed(format!("no findings: {why}")),
        },
        Job::Simulate(request) => {
            let parts = terminal::shielded(|| request.run());
            Action::Simulated(request.scenario, parts)
        }
        Job::Count(request) => match terminal::shielded(|| request.count()) {
            Ok(view) => Action::Counted(Arc::new(view)),
            Err(why) => Action::Sampled(Err(why)),
        },
        Job::Repair(request) => {
            let found = terminal::shielded(|| request.search());
            Action::Repaired(request.progress, found)
        }
    }
}
