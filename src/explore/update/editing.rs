//! Editing the distance table in place.
//!
//! The build follows each digit as soon as the number is one a table can hold; until then the cell shows the digits and
//! nothing changes. However many digits a number took, it is one step of the history.

use super::{builds, selection};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::modes::Symmetry;
use crate::explore::state::selection::Entry;
use crate::explore::vocabulary::effect::Effect;
use crate::topology::edit::{Cell, Edit, Swap};
use crate::topology::{Invalid, LOCAL_DISTANCE, Topology};
use std::sync::Arc;

/// No table holds more digits: firmware has a byte, and even a wrong value worth trying is not larger.
const MOST_DIGITS: usize = 3;
const LARGEST: u32 = 999;

/// Which node a new one is made like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Like {
    /// The last one.
    Last,
    /// That of the chosen row.
    Chosen,
}

/// One digit more.
pub(super) fn digit(model: &mut Model, digit: u8) -> Vec<Effect> {
    let mut entry = model.entry.take().unwrap_or_default();
    if entry.digits.len() >= MOST_DIGITS {
        model.entry = Some(entry);
        model.report(Tone::Trouble, format!("a distance has {MOST_DIGITS} digits at most"));
        return Vec::new();
    }
    entry.digits.push(char::from(b'0' + digit.min(9)));
    follow(model, entry)
}

/// One digit less. With no number begun it begins with the one that is there.
pub(super) fn erase(model: &mut Model) -> Vec<Effect> {
    let mut entry = model.entry.take().unwrap_or_else(|| Entry {
        digits: model.doc.topology().distances.get(model.selection.from, model.selection.to).to_string(),
        applied: false,
    });
    entry.digits.pop();
    if entry.digits.is_empty() {
        return retract(model, &entry);
    }
    follow(model, entry)
}

/// Makes the table follow the digits.
fn follow(model: &mut Model, mut entry: Entry) -> Vec<Effect> {
    let mut changed = false;
    if let Some(value) = entry.value() {
        if !entry.applied {
            model.doc.seal();
        }
        changed = write(model, value);
        entry.applied |= changed;
    } else if entry.applied {
        changed = model.doc.retract();
        entry.applied = false;
    }
    model.entry = Some(entry);
    if changed { builds::rebuild(model) } else { Vec::new() }
}

/// Puts a distance at the chosen pair, both ways if editing is symmetric; whether anything changed.
fn write(model: &mut Model, value: u32) -> bool {
    let (from, to) = (model.selection.from, model.selection.to);
    let mut cells = vec![Cell { from, to, value }];
    if model.symmetry == Symmetry::Both && from != to {
        cells.push(Cell { from: to, to: from, value });
    }
    let result = model.doc.amend(&Edit::SetCells(cells));
    check(model, result)
}

/// Whether an edit changed anything; why not, when it could not be made.
fn check(model: &mut Model, result: Result<bool, Invalid>) -> bool {
    result.unwrap_or_else(|why| {
        model.report(Tone::Trouble, format!("not possible: {why}"));
        false
    })
}

/// Makes an edit and rebuilds.
pub(super) fn edit(model: &mut Model, edit: &Edit) -> Vec<Effect> {
    let result = model.doc.edit(edit);
    if !check(model, result) {
        return Vec::new();
    }
    model.report(Tone::Done, format!("{}; {}", edit.describe(), model.way_back()));
    selection::clamp(model);
    builds::rebuild(model)
}

/// Adds a node like the last one, or like the chosen one, and chooses it.
pub(super) fn add_like(model: &mut Model, like: Like) -> Vec<Effect> {
    let topology = model.doc.topology();
    let edit = match like {
        Like::Last => Edit::add_node(topology),
        Like::Chosen => Edit::duplicate_node(topology, model.selection.from),
    };
    match edit {
        Ok(edit) => {
            let effects = self::edit(model, &edit);
            if !effects.is_empty() {
                model.selection.from = model.doc.topology().nodes.len() - 1;
            }
            effects
        }
        Err(why) => {
            model.report(Tone::Trouble, format!("not possible: {why}"));
            Vec::new()
        }
    }
}

/// Takes the chosen row's node away.
pub(super) fn remove_node(model: &mut Model) -> Vec<Effect> {
    edit(model, &Edit::RemoveNode { index: model.selection.from })
}

/// Exchanges the places of the chosen pair's nodes in the interconnect.
pub(super) fn swap_nodes(model: &mut Model) -> Vec<Effect> {
    let (a, b) = (model.selection.from, model.selection.to);
    if a == b {
        model.report(Tone::Trouble, "choose a pair of two nodes to swap them");
        return Vec::new();
    }
    edit(model, &Edit::SwapNodes { a, b, what: Swap::Distances })
}

/// Ends the number: what the table follows stays; an unfinished one is dropped with a word.
pub(super) fn end_entry(model: &mut Model) -> Vec<Effect> {
    let Some(entry) = model.entry.take() else { return Vec::new() };
    if entry.value().is_none() {
        let kept = model.doc.topology().distances.get(model.selection.from, model.selection.to);
        let text = format!("{} is below the local distance, {LOCAL_DISTANCE}: it stays {kept}", entry.digits);
        model.report(Tone::Trouble, text);
    }
    Vec::new()
}

/// Ends the number as if it had never been begun.
pub(super) fn cancel_entry(model: &mut Model) -> Vec<Effect> {
    let Some(entry) = model.entry.take() else { return Vec::new() };
    retract(model, &entry)
}

fn retract(model: &mut Model, entry: &Entry) -> Vec<Effect> {
    if entry.applied && model.doc.retract() { builds::rebuild(model) } else { Vec::new() }
}

/// Adds to the chosen distance. Values firmware must not give can be reached too: what the kernel says to them is
/// worth seeing.
pub(super) fn nudge(model: &mut Model, by: i32) -> Vec<Effect> {
    let value = model.doc.topology().distances.get(model.selection.from, model.selection.to);
    let value = value.saturating_add_signed(by).min(LARGEST);
    if write(model, value) { builds::rebuild(model) } else { Vec::new() }
}

pub(super) fn toggle_symmetry(model: &mut Model) {
    model.symmetry = match model.symmetry {
        Symmetry::Both => Symmetry::OneWay,
        Symmetry::OneWay => Symmetry::Both,
    };
    let text = match model.symmetry {
        Symmetry::Both => "edits go both ways",
        Symmetry::OneWay => "edits go one way: from the row's node to the column's",
    };
    model.report(Tone::Done, text);
}

pub(super) fn undo(model: &mut Model) -> Vec<Effect> {
    let before = Arc::clone(model.doc.topology());
    let done = model.doc.undo();
    stepped(model, &before, done, "undone", "nothing to undo")
}

pub(super) fn redo(model: &mut Model) -> Vec<Effect> {
    let before = Arc::clone(model.doc.topology());
    let done = model.doc.redo();
    stepped(model, &before, done, "done again", "nothing to redo")
}

fn stepped(model: &mut Model, before: &Topology, what: Option<String>, verb: &str, nothing: &str) -> Vec<Effect> {
    let Some(what) = what else {
        model.report(Tone::Trouble, nothing);
        return Vec::new();
    };
    model.report(Tone::Done, format!("{verb}: {what}"));
    point_at_change(model, before);
    builds::rebuild(model)
}

/// Chooses the cell that changed, so that undoing shows what it undid.
fn point_at_change(model: &mut Model, before: &Topology) {
    let (old, new) = (&before.distances, &model.doc.topology().distances);
    if old.nodes() != new.nodes() {
        return selection::clamp(model);
    }
    let pairs = (0..new.nodes()).flat_map(|from| (0..new.nodes()).map(move |to| (from, to)));
    let mut changed = pairs.filter(|&(from, to)| old.get(from, to) != new.get(from, to));
    let chosen = (model.selection.from, model.selection.to);
    if old.get(chosen.0, chosen.1) == new.get(chosen.0, chosen.1)
        && let Some(pair) = changed.next()
    {
        (model.selection.from, model.selection.to) = pair;
    }
}
