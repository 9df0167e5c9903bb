//! What a paste over the panes does: a table, a row or a number.

use super::{builds, bulk_edit, editing, selection};
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::explore::state::model::{Model, Tone};
use crate::explore::vocabulary::effect::Effect;
use crate::formats::table::Table;
use crate::formats::{self, Format};
use crate::topology::edit::Edit;
use crate::topology::{Distances, Topology};

/// A paste: a number is the chosen distance, a row of them the chosen row; a table replaces the table. One for another number of nodes makes another machine, with as many CPUs a
/// node as this one has.
pub(super) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    if let Some(effects) = paste_numbers(model, text) {
        return effects;
    }
    if let Some(effects) = paste_machine(model, text) {
        return effects;
    }
    let table = match Table::parse(text) {
        Ok(table) => table,
        Err(error) => {
            model.report(Tone::Trouble, format!("not a distance table: {error}"));
            return Vec::new();
        }
    };
    let Some(distances) = Distances::from_rows(&table.rows()) else { return Vec::new() };
    let nodes = model.doc.topology().nodes.len();
    let count = distances.nodes();
    let edit = if count == nodes {
        Edit::SetTable(distances)
    } else {
        Edit::Replace(Box::new(another_machine(model.doc.topology(), distances, table.ids)))
    };
    let result = model.doc.edit(&edit);
    match result {
        Ok(true) => {}
        Ok(false) => {
            model.report(Tone::Done, "the pasted table is the same");
            return Vec::new();
        }
        Err(why) => {
            model.report(Tone::Trouble, format!("this table makes no machine: {why}"));
            return Vec::new();
        }
    }
    let text = if count == nodes {
        format!("pasted; {}", model.way_back())
    } else {
        format!("pasted: a machine of {count} nodes now; {}", model.way_back())
    };
    model.report(Tone::Done, text);
    selection::clamp(model);
    builds::rebuild(model)
}

/// A whole machine in a format that is more than a table, also in the middle of other text. `None` when it is none.
fn paste_machine(model: &mut Model, text: &str) -> Option<Vec<Effect>> {
    let format = formats::recognise(text).filter(|format| !matches!(format, Format::Table))?;
    let loaded = match formats::parse(text) {
        Ok(loaded) => loaded,
        // What looks like more than a table may be one all the same.
        Err(_) if Table::parse(text).is_ok() => return None,
        Err(error) => {
            model.report(Tone::Trouble, format!("not taken as {}: {error}", format.name()));
            return Some(Vec::new());
        }
    };
    let mut topology = loaded.topology;
    if topology.name.is_empty() {
        "pasted".clone_into(&mut topology.name);
    }
    let assumed = if topology.about.is_empty() { String::new() } else { format!(": {}", topology.about) };
    if let Err(why) = model.doc.edit(&Edit::Replace(Box::new(topology))) {
        model.report(Tone::Trouble, format!("this makes no machine: {why}"));
        return Some(Vec::new());
    }
    model.report(Tone::Done, format!("pasted from {}{assumed}; {}", format.name(), model.way_back()));
    selection::clamp(model);
    Some(builds::rebuild(model))
}

/// Pasted numbers that are no table: one is the chosen distance, as many as there are nodes are its row. `None` when
/// they are neither.
pub(super) fn paste_numbers(model: &mut Model, text: &str) -> Option<Vec<Effect>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (line, None) = (lines.next()?, lines.next()) else { return None };
    let numbers: Vec<u32> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let nodes = model.doc.topology().nodes.len();
    let edit = match numbers[..] {
        [value] => {
            let to = model.selection.to;
            bulk_edit::row_edit(model, (0..nodes).map(|_| value), |_, other| other == to)
        }
        _ if numbers.len() == nodes => bulk_edit::row_edit(model, numbers.into_iter(), |_, _| true),
        _ => return None,
    };
    Some(editing::edit(model, &edit))
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
