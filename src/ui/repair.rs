//! Repairing the table: a search for the smallest change that removes the chosen finding, offered to be accepted, as one
//! edit, or refused.

use super::action::{Command, Effect, Step, Way};
use super::facts::Built;
use super::model::{Model, Overlay, Tone};
use crate::analysis::findings::Finding;
use crate::analysis::repair::{self, BUDGET, Progress, Repair};
use crate::topology::edit::{Cell, Edit};
use std::sync::Arc;

/// A search to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// What has the finding.
    pub built: Arc<Built>,
    /// The finding to remove.
    pub finding: Finding,
    /// How far the search is; tells one search from another.
    pub progress: Arc<Progress>,
}

impl Order {
    /// Searches; takes as long as it takes, up to the budget.
    pub(super) fn search(&self) -> Repair {
        let Built { topology, build, .. } = &*self.built;
        repair::repair_watched(topology, &build.release, &self.finding, BUDGET, &self.progress).unwrap_or_default()
    }
}

/// A search under way, or what it found.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The search.
    pub order: Order,
    /// What it found; nothing while it runs.
    pub repair: Option<Repair>,
    /// The first cell shown, where not all have room.
    pub top: usize,
}

impl Model {
    /// Begins the search for what removes the chosen finding.
    pub(super) fn seek_repair(&mut self) -> Vec<Effect> {
        let Some(finding) = self.finding().cloned() else {
            self.say(Tone::Trouble, "there is no finding to repair");
            return Vec::new();
        };
        if self.is_rebuilding() {
            self.say(Tone::Trouble, "the build is on its way: try again when it is there");
            return Vec::new();
        }
        if !repair::is_repairable(finding.id) {
            self.say(Tone::Trouble, format!("no change of distances removes this: {}", finding.advice));
            return Vec::new();
        }
        let order = Order { built: Arc::clone(&self.built), finding, progress: Arc::default() };
        self.overlay = Overlay::Repair(Offer { order: order.clone(), repair: None, top: 0 });
        vec![Effect::Repair(order)]
    }

    /// A search has ended; one that nobody waits for any more counts for nothing.
    pub(super) fn repair_found(&mut self, progress: &Arc<Progress>, found: Result<Repair, String>) {
        let Overlay::Repair(offer) = &mut self.overlay else { return };
        if !Arc::ptr_eq(&offer.order.progress, progress) {
            return;
        }
        match found {
            Ok(repair) if !repair.cells.is_empty() => offer.repair = Some(repair),
            Ok(repair) => {
                self.overlay = Overlay::None;
                let builds = repair.builds;
                self.say(Tone::Trouble, format!("no small change of the table removes it: {builds} builds tried"));
            }
            Err(why) => {
                self.overlay = Overlay::None;
                self.say(Tone::Trouble, format!("the search failed: {why}"));
            }
        }
    }

    /// Keys while a repair is sought or offered.
    pub(super) fn in_repair(&mut self, command: Command) -> Vec<Effect> {
        let Overlay::Repair(offer) = &mut self.overlay else { return Vec::new() };
        match command {
            Command::Enter if offer.repair.is_some() => return self.accept_repair(),
            Command::Escape => {
                offer.order.progress.stop();
                let text = if offer.repair.is_some() { "the table stays as it is" } else { "the search was stopped" };
                self.overlay = Overlay::None;
                self.say(Tone::Done, text);
            }
            Command::Move(way, step) => {
                let cells = offer.repair.as_ref().map_or(0, |repair| repair.cells.len());
                let by = if step == Step::One { 1 } else { 8 };
                offer.top = match way {
                    Way::Up | Way::Left => offer.top.saturating_sub(by),
                    Way::Down | Way::Right => (offer.top + by).min(cells.saturating_sub(1)),
                };
            }
            _ => {}
        }
        Vec::new()
    }

    /// Makes the change offered, as one edit.
    fn accept_repair(&mut self) -> Vec<Effect> {
        let Overlay::Repair(offer) = std::mem::take(&mut self.overlay) else { return Vec::new() };
        let topology = Arc::clone(self.doc.topology());
        if !Arc::ptr_eq(&topology, &offer.order.built.topology) && *topology != *offer.order.built.topology {
            self.say(Tone::Trouble, "the machine is another one by now: search again");
            return Vec::new();
        }
        let cells = offer.repair.iter().flat_map(|repair| &repair.cells);
        let indexed = cells.filter_map(|cell| {
            let (from, to) = (topology.node_index(cell.from)?, topology.node_index(cell.to)?);
            Some(Cell { from, to, value: cell.value })
        });
        self.doc.seal();
        self.edit(&Edit::SetCells(indexed.collect()))
    }
}
