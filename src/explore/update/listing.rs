//! Which CPUs the CPU map lists, and how.

use super::{prompt, search, selection};
use crate::cpumask::CpuMask;
use crate::explore::derived::cpu_rows::{CpuOrder, CpuRows};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::PromptKind;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::Command;

/// Works the rows out again after a change of the build or the listing.
pub(super) fn list_cpus(model: &mut Model) {
    model.cpu_rows = CpuRows::new(&model.built, &model.listing);
    if model.cpu_rows.is_empty() && model.listing.only.take().is_some() {
        model.cpu_rows = CpuRows::new(&model.built, &model.listing);
    }
    search::refresh(model);
}

pub(super) fn toggle_fold(model: &mut Model) {
    // Rows unfolded one by one are folded first.
    let all = model.listing.unfolded.is_empty();
    model.listing.fold = Some(model.is_folded() != all);
    model.listing.unfolded = CpuMask::new();
    list_cpus(model);
}

/// Gives each CPU of the chosen row one of its own; whether it was a row of several.
pub(super) fn unfold_chosen(model: &mut Model) -> bool {
    let row = model.cpu_rows.row_of(model.selection.cpu).and_then(|row| model.cpu_rows.get(row));
    let Some(row) = row.filter(|row| row.count() > 1) else { return false };
    model.listing.unfolded.or_assign(&CpuMask::range(row.first, row.last));
    list_cpus(model);
    let key = model.keys.key_of(Command::ToggleFold);
    model.report(Tone::Done, format!("CPUs {} unfolded; {key} folds them again", row.label()));
    true
}

pub(super) fn toggle_order(model: &mut Model) {
    let (order, text) = match model.listing.order {
        CpuOrder::Number => (CpuOrder::Node, "CPUs by node"),
        CpuOrder::Node => (CpuOrder::Number, "CPUs by number"),
    };
    model.listing.order = order;
    list_cpus(model);
    model.report(Tone::Done, text);
}

/// Asks which CPUs to list.
pub(super) fn ask_filter(model: &mut Model) {
    let now = model.listing.only.as_ref().map(ToString::to_string);
    prompt::ask(model, PromptKind::Filter, now.unwrap_or_default());
}

/// Lists only the CPUs that `text` names, a cpulist or `node 2`; all of them when it is empty.
pub(super) fn filter_cpus(model: &mut Model, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        model.listing.only = None;
        return list_cpus(model);
    }
    let topology = &model.built.topology;
    let id = text.strip_prefix("node").or_else(|| text.strip_prefix('n')).map(|id| id.trim().parse::<u32>());
    let only = match id {
        Some(Ok(id)) => topology.node_index(id).map(|index| topology.nodes[index].cpus.clone()),
        Some(Err(_)) => None,
        None => CpuMask::parse(text, None).ok(),
    };
    let possible = CpuMask::first_n(model.built.build.nr_cpus);
    let Some(only) = only.filter(|only| only.intersects(&possible)) else {
        return model.report(Tone::Trouble, "no such CPUs here: give a cpulist such as 0-7,16 or node 2");
    };
    let outside = !only.contains(model.selection.cpu);
    let first = only.first();
    model.listing.only = Some(only);
    list_cpus(model);
    if let Some(first) = first.filter(|_| outside) {
        selection::put(model, Target::Cpu(first, None));
    }
}
