//! Repairing the table: a search for the smallest change that removes the chosen finding, offered to be accepted, as one
//! edit, or refused.

use super::editing;
use crate::analysis::repair::{self, Progress, Repair};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::Overlay;
use crate::explore::state::repair::{RepairOffer, RepairRequest};
use crate::explore::vocabulary::effect::{Effect, Job};
use crate::topology::edit::{Cell, Edit};
use std::sync::Arc;

/// Begins the search for what removes the chosen finding.
pub(super) fn search(model: &mut Model) -> Vec<Effect> {
    let Some(finding) = model.finding().cloned() else {
        model.report(Tone::Trouble, "there is no finding to repair");
        return Vec::new();
    };
    if model.is_rebuilding() {
        model.report(Tone::Trouble, "the build is on its way: try again when it is there");
        return Vec::new();
    }
    if !repair::is_repairable(finding.id) {
        model.report(Tone::Trouble, format!("no change of distances removes this: {}", finding.advice));
        return Vec::new();
    }
    let request = RepairRequest { built: Arc::clone(&model.built), finding, progress: Arc::default() };
    model.overlay = Overlay::Repair(RepairOffer { request: request.clone(), repair: None, top: 0 });
    vec![Job::Repair(request).into()]
}

/// A search has ended; one that nobody waits for any more counts for nothing.
pub(super) fn found(model: &mut Model, progress: &Arc<Progress>, found: Result<Repair, String>) {
    let Overlay::Repair(offer) = &mut model.overlay else { return };
    if !Arc::ptr_eq(&offer.request.progress, progress) {
        return;
    }
    match found {
        Ok(repair) if !repair.cells.is_empty() => offer.repair = Some(repair),
        Ok(repair) => {
            model.overlay = Overlay::None;
            let builds = repair.builds;
            model.report(Tone::Trouble, format!("no small change of the table removes it: {builds} builds tried"));
        }
        Err(why) => {
            model.overlay = Overlay::None;
            model.report(Tone::Trouble, format!("the search failed: {why}"));
        }
    }
}

/// Stops the search, or leaves the table as it is.
pub(super) fn refuse(model: &mut Model) {
    let Overlay::Repair(offer) = std::mem::take(&mut model.overlay) else { return };
    offer.request.progress.stop();
    let text = if offer.repair.is_some() { "the table stays as it is" } else { "the search was stopped" };
    model.report(Tone::Done, text);
}

pub(super) fn scroll(model: &mut Model, by: isize) {
    let Overlay::Repair(offer) = &mut model.overlay else { return };
    let cells = offer.repair.as_ref().map_or(0, |repair| repair.cells.len());
    offer.top = offer.top.saturating_add_signed(by).min(cells.saturating_sub(1));
}

/// Makes the change offered, as one edit.
pub(super) fn accept(model: &mut Model) -> Vec<Effect> {
    let Overlay::Repair(offer) = std::mem::take(&mut model.overlay) else { return Vec::new() };
    let topology = Arc::clone(model.doc.topology());
    if !Arc::ptr_eq(&topology, &offer.request.built.topology) && *topology != *offer.request.built.topology {
        model.report(Tone::Trouble, "the machine is another one by now: search again");
        return Vec::new();
    }
    let cells = offer.repair.iter().flat_map(|repair| &repair.cells);
    let indexed = cells.filter_map(|cell| {
        let (from, to) = (topology.node_index(cell.from)?, topology.node_index(cell.to)?);
        Some(Cell { from, to, value: cell.value })
    });
    model.doc.seal();
    editing::edit(model, &Edit::SetCells(indexed.collect()))
}
