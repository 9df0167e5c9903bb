//! Edits that ask for a value first: a row's distance, a factor, an id, a cpulist.

use super::{editing, prompt};
use crate::cpumask::CpuMask;
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::modes::{NodeCpus, Symmetry};
use crate::explore::state::overlay::PromptKind;
use crate::explore::vocabulary::effect::Effect;
use crate::formats::visible;
use crate::topology::edit::{Cell, Edit};
use crate::topology::{Distances, MAX_DISTANCE};

/// A factor, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Factor {
    times: u64,
    over: u64,
}

impl Factor {
    /// Reads `150%`, `3/2`, `1.5` or `2`.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<u64>().ok().filter(|&number| number <= 1_000_000);
        let text = text.trim();
        let (times, over) = if let Some(percent) = text.strip_suffix('%') {
            (number(percent)?, 100)
        } else if let Some((times, over)) = text.split_once('/') {
            (number(times)?, number(over)?)
        } else if let Some((whole, part)) = text.split_once('.') {
            let over = 10_u64.checked_pow(part.len() as u32).filter(|&over| over <= 1_000_000)?;
            (number(if whole.is_empty() { "0" } else { whole })? * over + number(part)?, over)
        } else {
            (number(text)?, 1)
        };
        (times > 0 && over > 0).then_some(Self { times, over })
    }

    /// A distance multiplied, to the nearest whole one.
    fn of(self, distance: u32) -> u32 {
        let exact = (u64::from(distance) * self.times * 2 + self.over) / (self.over * 2);
        u32::try_from(exact).unwrap_or(u32::MAX).min(MAX_DISTANCE.saturating_add(1))
    }
}

/// Asks for the distance of the chosen row, filled with the chosen one.
pub(super) fn fill(model: &mut Model) {
    let distances = &model.doc.topology().distances;
    let (from, to) = (model.selection.from, model.selection.to);
    if from.max(to) < distances.nodes() {
        let now = distances.get(from, to).to_string();
        prompt::ask(model, PromptKind::Fill, now);
    }
}

pub(super) fn scale(model: &mut Model) {
    prompt::ask(model, PromptKind::Scale, "100%".to_owned());
}

pub(super) fn renumber_node(model: &mut Model) {
    if let Some(node) = model.doc.topology().nodes.get(model.selection.from) {
        let id = node.id.to_string();
        prompt::ask(model, PromptKind::Renumber, id);
    }
}

pub(super) fn node_cpus(model: &mut Model) {
    if let Some(node) = model.doc.topology().nodes.get(model.selection.from) {
        let cpus = node.cpus.to_string();
        prompt::ask(model, PromptKind::NodeCpus, cpus);
    }
}

/// Makes the edit a line was typed for.
pub(super) fn edit_with(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    let index = model.selection.from;
    let edit = match kind {
        PromptKind::Fill => text.parse().ok().map(|value| filled_row(model, value)),
        PromptKind::Scale => Factor::parse(text).map(|factor| scaled(model, factor)),
        PromptKind::Renumber => text.parse().ok().map(|id| Edit::RenumberNode { index, id }),
        PromptKind::NodeCpus => match CpuMask::parse(text, None) {
            Ok(cpus) => Some(Edit::SetNodeCpus { index, cpus }),
            Err(why) => {
                model.report(Tone::Trouble, format!("not possible: {why}"));
                return Vec::new();
            }
        },
        PromptKind::Search
        | PromptKind::SaveAs
        | PromptKind::Filter
        | PromptKind::Export
        | PromptKind::Tasks
        | PromptKind::Pin => None,
    };
    let Some(edit) = edit else {
        let wanted = match kind {
            PromptKind::Scale => "a factor such as 150%, 3/2 or 1.5",
            PromptKind::Renumber => "a node id, a whole number",
            _ => "a distance, a whole number",
        };
        model.report(Tone::Trouble, format!("{} does not fit: give {wanted}", visible(text)));
        return Vec::new();
    };
    let id = match edit {
        Edit::RenumberNode { id, .. } => Some(id),
        _ => None,
    };
    let effects = editing::edit(model, &edit);
    // A node with another id may stand elsewhere: it stays the chosen one.
    if let Some(at) = id.filter(|_| !effects.is_empty()).and_then(|id| model.doc.topology().node_index(id)) {
        model.selection.from = at;
    }
    effects
}

/// The chosen row at one distance, to itself apart.
fn filled_row(model: &Model, value: u32) -> Edit {
    let nodes = model.doc.topology().nodes.len();
    row_edit(model, (0..nodes).map(|_| value), |from, to| from != to)
}

/// The chosen row with these distances where `takes` says so, and its column too if editing is symmetric.
pub(super) fn row_edit(model: &Model, values: impl Iterator<Item = u32>, takes: impl Fn(usize, usize) -> bool) -> Edit {
    let from = model.selection.from;
    let mut cells = Vec::new();
    for (to, value) in values.enumerate().filter(|&(to, _)| takes(from, to)) {
        cells.push(Cell { from, to, value });
        if model.symmetry == Symmetry::Both && from != to {
            cells.push(Cell { from: to, to: from, value });
        }
    }
    Edit::SetCells(cells)
}

fn scaled(model: &Model, factor: Factor) -> Edit {
    let distances = &model.doc.topology().distances;
    let of = |from: usize, to: usize| {
        let distance = distances.get(from, to);
        if from == to { distance } else { factor.of(distance) }
    };
    Edit::SetTable(Distances::from_fn(distances.nodes(), of))
}

/// Puts the chosen distance back to what was opened or saved last.
pub(super) fn clear_cell(model: &mut Model) -> Vec<Effect> {
    let (from, to) = (model.selection.from, model.selection.to);
    let saved = &model.doc.saved().distances;
    if saved.nodes() != model.doc.topology().distances.nodes() {
        model.report(Tone::Trouble, "there were other nodes then: undo goes back step by step");
        return Vec::new();
    }
    let mut cells = vec![Cell { from, to, value: saved.get(from, to) }];
    if model.symmetry == Symmetry::Both && from != to {
        cells.push(Cell { from: to, to: from, value: saved.get(to, from) });
    }
    editing::edit(model, &Edit::SetCells(cells))
}

pub(super) fn toggle_node_cpus(model: &mut Model) {
    model.node_cpus = match model.node_cpus {
        NodeCpus::Hidden => NodeCpus::Shown,
        NodeCpus::Shown => NodeCpus::Hidden,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_exact_and_round_to_the_nearest() {
        for (text, of_15) in [("150%", 23), ("3/2", 23), ("1.5", 23), ("2", 30), (".5", 8), ("1/3", 5), ("100%", 15)] {
            assert_eq!(Factor::parse(text).map(|factor| factor.of(15)), Some(of_15), "{text}");
        }
        for text in ["", "0", "x", "1/0", "-2", "1.2.3", "1.00000001", "99999999999", "%"] {
            assert_eq!(Factor::parse(text), None, "{text}");
        }
        assert!(Factor { times: 1_000_000, over: 1 }.of(u32::MAX) > MAX_DISTANCE);
    }
}
