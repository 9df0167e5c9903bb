//! The Reach screen: the matrix of the build, and what stands in the way of the chosen pair.

use super::selection;
use crate::analysis::reach;
use crate::explore::state::model::Model;
use std::sync::Arc;

pub(super) fn settle(model: &mut Model) {
    let built = &model.built;
    let state = &mut model.screens.reach;
    if state.built != Some(built.generation) {
        state.reach = Arc::new(reach::reach(&built.topology, &built.build));
        state.built = Some(built.generation);
    }
    let (from, to) = (model.selection.from, model.selection.to);
    let key = (built.generation, from, to);
    let nodes = built.topology.nodes.len();
    if state.pair != Some(key) {
        let there = from < nodes && to < nodes;
        state.why = if there { reach::why(&built.topology, &built.build, from, to) } else { Vec::new() };
        state.pair = Some(key);
    }
}

/// Chooses the CPU and level that say most about the pair: the highest level in whose groups both are, or else the
/// lowest at which it state.
pub(super) fn choose_obstacle(model: &mut Model) {
    let Some(obstacle) = reach::decisive(&model.screens.reach.why) else { return };
    model.selection.level = obstacle.level as usize;
    if let Some(cpu) = obstacle.cpus.first() {
        model.selection.cpu = cpu;
    }
    model.selection.group = 0;
    selection::link_group(model);
}
