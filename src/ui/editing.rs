//! Editing the distance table in place.
//!
//! The build follows each digit as soon as the number is one a table can hold; until then the cell shows the digits and
//! nothing changes. However many digits a number took, it is one step of the history.

use super::action::Effect;
use super::model::{Entry, Model, Symmetry, Tone};
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::formats::table::Table;
use crate::topology::edit::{Cell, Edit, Swap};
use crate::topology::{Distances, Invalid, LOCAL_DISTANCE, Topology};
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

impl Model {
    /// One digit more.
    pub(super) fn digit(&mut self, digit: u8) -> Vec<Effect> {
        let mut entry = self.entry.take().unwrap_or_default();
        if entry.digits.len() >= MOST_DIGITS {
            self.entry = Some(entry);
            return Vec::new();
        }
        entry.digits.push(char::from(b'0' + digit.min(9)));
        self.follow(entry)
    }

    /// One digit less. With no number begun it begins with the one that is there.
    pub(super) fn erase(&mut self) -> Vec<Effect> {
        let mut entry = self.entry.take().unwrap_or_else(|| Entry {
            digits: self.doc.topology().distances.get(self.selection.from, self.selection.to).to_string(),
            applied: false,
        });
        entry.digits.pop();
        if entry.digits.is_empty() {
            return self.retract(&entry);
        }
        self.follow(entry)
    }

    /// Makes the table follow the digits.
    fn follow(&mut self, mut entry: Entry) -> Vec<Effect> {
        let mut changed = false;
        if let Some(value) = entry.value() {
            if !entry.applied {
                self.doc.seal();
            }
            changed = self.write(value);
            entry.applied |= changed;
        } else if entry.applied {
            changed = self.doc.retract();
            entry.applied = false;
        }
        self.entry = Some(entry);
        if changed { self.rebuild() } else { Vec::new() }
    }

    /// Puts a distance at the chosen pair, both ways if editing is symmetric; whether anything changed.
    fn write(&mut self, value: u32) -> bool {
        let (from, to) = (self.selection.from, self.selection.to);
        let mut cells = vec![Cell { from, to, value }];
        if self.symmetry == Symmetry::Both && from != to {
            cells.push(Cell { from: to, to: from, value });
        }
        let result = self.doc.amend(&Edit::SetCells(cells));
        self.check(result)
    }

    /// Whether an edit changed anything; why not, when it could not be made.
    fn check(&mut self, result: Result<bool, Invalid>) -> bool {
        result.unwrap_or_else(|why| {
            self.say(Tone::Trouble, format!("not possible: {why}"));
            false
        })
    }

    /// Makes an edit and rebuilds.
    pub(super) fn edit(&mut self, edit: &Edit) -> Vec<Effect> {
        let result = self.doc.edit(edit);
        if !self.check(result) {
            return Vec::new();
        }
        self.say(Tone::Done, format!("{}; u takes it back", edit.describe()));
        self.clamp();
        self.rebuild()
    }

    /// Adds a node like the last one, or like the chosen one, and chooses it.
    pub(super) fn add_node(&mut self, like: Like) -> Vec<Effect> {
        let topology = self.doc.topology();
        let edit = match like {
            Like::Last => Edit::add_node(topology),
            Like::Chosen => Edit::duplicate_node(topology, self.selection.from),
        };
        match edit {
            Ok(edit) => {
                let effects = self.edit(&edit);
                if !effects.is_empty() {
                    self.selection.from = self.doc.topology().nodes.len() - 1;
                }
                effects
            }
            Err(why) => {
                self.say(Tone::Trouble, format!("not possible: {why}"));
                Vec::new()
            }
        }
    }

    /// Takes the chosen row's node away.
    pub(super) fn remove_node(&mut self) -> Vec<Effect> {
        self.edit(&Edit::RemoveNode { index: self.selection.from })
    }

    /// Exchanges the places of the chosen pair's nodes in the interconnect.
    pub(super) fn swap_nodes(&mut self) -> Vec<Effect> {
        let (a, b) = (self.selection.from, self.selection.to);
        if a == b {
            self.say(Tone::Trouble, "choose a pair of two nodes to swap them");
            return Vec::new();
        }
        self.edit(&Edit::SwapNodes { a, b, what: Swap::Distances })
    }

    /// Ends the number: what the table follows stays; an unfinished one is dropped with a word.
    pub(super) fn end_entry(&mut self) -> Vec<Effect> {
        let Some(entry) = self.entry.take() else { return Vec::new() };
        if entry.value().is_none() {
            let kept = self.doc.topology().distances.get(self.selection.from, self.selection.to);
            let text = format!("{} is below the local distance, {LOCAL_DISTANCE}: it stays {kept}", entry.digits);
            self.say(Tone::Trouble, text);
        }
        Vec::new()
    }

    /// Ends the number as if it had never been begun.
    pub(super) fn cancel_entry(&mut self) -> Vec<Effect> {
        let Some(entry) = self.entry.take() else { return Vec::new() };
        self.retract(&entry)
    }

    fn retract(&mut self, entry: &Entry) -> Vec<Effect> {
        if entry.applied && self.doc.retract() { self.rebuild() } else { Vec::new() }
    }

    /// Adds to the chosen distance. Values firmware must not give can be reached too: what the kernel says to them is
    /// worth seeing.
    pub(super) fn nudge(&mut self, by: i32) -> Vec<Effect> {
        let value = self.doc.topology().distances.get(self.selection.from, self.selection.to);
        let value = value.saturating_add_signed(by).min(LARGEST);
        if self.write(value) { self.rebuild() } else { Vec::new() }
    }

    pub(super) fn toggle_symmetry(&mut self) {
        self.symmetry = match self.symmetry {
            Symmetry::Both => Symmetry::OneWay,
            Symmetry::OneWay => Symmetry::Both,
        };
        let text = match self.symmetry {
            Symmetry::Both => "edits go both ways",
            Symmetry::OneWay => "edits go one way: from the row's node to the column's",
        };
        self.say(Tone::Done, text);
    }

    pub(super) fn undo(&mut self) -> Vec<Effect> {
        let before = Arc::clone(self.doc.topology());
        let done = self.doc.undo();
        self.stepped(&before, done, "undone", "nothing to undo")
    }

    pub(super) fn redo(&mut self) -> Vec<Effect> {
        let before = Arc::clone(self.doc.topology());
        let done = self.doc.redo();
        self.stepped(&before, done, "done again", "nothing to redo")
    }

    fn stepped(&mut self, before: &Topology, what: Option<String>, verb: &str, nothing: &str) -> Vec<Effect> {
        let Some(what) = what else {
            self.say(Tone::Trouble, nothing);
            return Vec::new();
        };
        self.say(Tone::Done, format!("{verb}: {what}"));
        self.point_at_change(before);
        self.rebuild()
    }

    /// Chooses the cell that changed, so that undoing shows what it undid.
    fn point_at_change(&mut self, before: &Topology) {
        let (old, new) = (&before.distances, &self.doc.topology().distances);
        if old.nodes() != new.nodes() {
            return self.clamp();
        }
        let pairs = (0..new.nodes()).flat_map(|from| (0..new.nodes()).map(move |to| (from, to)));
        let mut changed = pairs.filter(|&(from, to)| old.get(from, to) != new.get(from, to));
        let chosen = (self.selection.from, self.selection.to);
        if old.get(chosen.0, chosen.1) == new.get(chosen.0, chosen.1)
            && let Some(pair) = changed.next()
        {
            (self.selection.from, self.selection.to) = pair;
        }
    }

    /// A paste: a table replaces the table. One for another number of nodes makes another machine, with as many CPUs a
    /// node as this one has.
    pub(super) fn paste_table(&mut self, text: &str) -> Vec<Effect> {
        let table = match Table::parse(text) {
            Ok(table) => table,
            Err(error) => {
                self.say(Tone::Trouble, format!("not a distance table: {error}"));
                return Vec::new();
            }
        };
        let Some(distances) = Distances::from_rows(&table.rows()) else { return Vec::new() };
        let nodes = self.doc.topology().nodes.len();
        let count = distances.nodes();
        let edit = if count == nodes {
            Edit::SetTable(distances)
        } else {
            Edit::Replace(Box::new(another_machine(self.doc.topology(), distances, table.ids)))
        };
        let result = self.doc.edit(&edit);
        match result {
            Ok(true) => {}
            Ok(false) => {
                self.say(Tone::Done, "the pasted table is the same");
                return Vec::new();
            }
            Err(why) => {
                self.say(Tone::Trouble, format!("this table makes no machine: {why}"));
                return Vec::new();
            }
        }
        let text = if count == nodes {
            "pasted; u takes it back".to_owned()
        } else {
            format!("pasted: a machine of {count} nodes now; u takes it back")
        };
        self.say(Tone::Done, text);
        self.clamp();
        self.rebuild()
    }
}

/// A machine for a table of another size: CPUs node by node, as many a node as in the machine before.
fn another_machine(before: &Topology, distances: Distances, ids: Option<Vec<u32>>) -> Topology {
    let nodes = distances.nodes();
    let most = MAX_CPUS / nodes.max(1);
    let each = (before.nr_cpus / before.nodes.len().max(1)).clamp(1, most.max(1));
    let cpus = (0..nodes).map(|node| CpuMask::range(node * each, node * each + each - 1)).collect();
    let mut topology = Topology { arch: before.arch, ..Topology::new("pasted", cpus, distances) };
    for (node, id) in topology.nodes.iter_mut().zip(ids.into_iter().flatten()) {
        node.id = id;
    }
    topology
}
