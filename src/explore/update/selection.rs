//! Moving the selection, and keeping its parts in by with one another.

use super::{counters, graph_moves};
use crate::explore::state::model::Model;
use crate::explore::state::modes::DegeneratedRows;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::direction::{Direction, MoveBy, moved};
use crate::explore::vocabulary::pane::Pane;

/// Where to look first: the pair of nodes furthest apart, since that is where builds differ.
pub(super) fn start(model: &mut Model) {
    furthest_pair(model);
    link_pair(model);
}

/// Chooses the pair of nodes furthest apart, the first such.
pub(super) fn furthest_pair(model: &mut Model) {
    let distances = &model.doc.topology().distances;
    let pairs = (0..distances.nodes()).flat_map(|from| (0..distances.nodes()).map(move |to| (from, to)));
    let furthest = pairs.rev().max_by_key(|&(from, to)| distances.get(from, to)).unwrap_or_default();
    (model.selection.from, model.selection.to) = furthest;
}

/// The chosen pair decides the CPU and the level.
pub(super) fn link_pair(model: &mut Model) {
    let (from, to) = (model.selection.from, model.selection.to);
    let built = &model.built;
    let here = built.node_of.get(model.selection.cpu).copied().flatten() == Some(from as u32);
    if !here && let Some(cpu) = built.cpu_of_node(from) {
        model.selection.cpu = cpu;
    }
    if let Some(level) = model.built.meeting_level(from, to) {
        model.selection.level = level;
    }
    link_domain(model);
}

/// The chosen CPU decides the row of the distance table.
pub(super) fn link_cpu(model: &mut Model) {
    if let Some(Some(node)) = model.built.node_of.get(model.selection.cpu) {
        model.selection.from = *node as usize;
    }
    link_domain(model);
}

/// The domain is another one: begin with its first group.
pub(super) fn link_domain(model: &mut Model) {
    model.selection.group = 0;
    link_group(model);
}

/// The chosen group decides the capacity instance.
pub(super) fn link_group(model: &mut Model) {
    let build = &model.built.build;
    let Some(domain) = model.domain().filter(|domain| build.nr_groups(domain) > 0) else { return };
    let sgc = build.group(domain, model.selection.group).group.sgc;
    if let Some(at) = model.built.sharing(model.selection.level).and_then(|sharing| sharing.position(sgc)) {
        model.selection.instance = at;
    }
}

/// The chosen capacity instance decides the group, when the chosen domain has one that uses it.
pub(super) fn link_instance(model: &mut Model) {
    let built = &model.built;
    let Some(sharing) = built.sharing(model.selection.level) else { return };
    let Some(instance) = sharing.instances.get(model.selection.instance) else { return };
    let Some(domain) = model.domain() else { return };
    let at = built.build.groups_of(domain).position(|view| view.group.sgc == instance.sgc);
    if let Some(at) = at {
        model.selection.group = at;
    }
}

/// The chosen finding decides everything its witness names.
pub(super) fn link_finding(model: &mut Model) {
    let built = std::sync::Arc::clone(&model.built);
    let Some(finding) = built.findings().and_then(|all| all.get(model.selection.finding)) else { return };
    let witness = &finding.witness;
    let index = |id: u32| built.topology.node_index(id);
    let pair = witness.pairs.first().and_then(|&(from, to)| Some((index(from)?, index(to)?)));
    let nodes = pair.or_else(|| {
        let mut nodes = witness.nodes.iter().filter_map(|&id| index(id));
        let first = nodes.next()?;
        Some((first, nodes.next().unwrap_or(model.selection.to)))
    });
    let of_node = || nodes.and_then(|(from, _)| built.cpu_of_node(from));
    if let Some(cpu) = witness.cpus.first().or_else(of_node) {
        model.selection.cpu = cpu;
    }
    let meeting = || pair.and_then(|(from, to)| built.meeting_level(from, to));
    if let Some(level) = witness.level.or_else(meeting) {
        model.selection.level = level;
    }
    clamp(model);
    link_cpu(model);
    if let Some((from, to)) = nodes {
        (model.selection.from, model.selection.to) = (from, to);
    }
    clamp(model);
    let group = witness.groups.first();
    let at = model
        .domain()
        .zip(group)
        .and_then(|(domain, cpus)| model.built.build.groups_of(domain).position(|view| view.span == cpus));
    if let Some(at) = at {
        model.selection.group = at;
        link_group(model);
    }
}

/// Keeps every part of the selection inside what there is.
pub(super) fn clamp(model: &mut Model) {
    let last = |len: usize| len.saturating_sub(1);
    let nodes = model.doc.topology().nodes.len();
    let built = &model.built;
    let selection = &mut model.selection;
    selection.from = selection.from.min(last(nodes));
    selection.to = selection.to.min(last(nodes));
    selection.cpu = selection.cpu.min(last(built.build.nr_cpus));
    selection.level = selection.level.min(last(built.build.levels.len()));
    selection.finding = selection.finding.min(last(built.findings().map_or(0, <[_]>::len)));
    let groups = built.build.domain(selection.cpu, selection.level).map_or(0, |d| built.build.nr_groups(d));
    selection.group = selection.group.min(last(groups));
    let instances = built.sharing(selection.level).map_or(0, |sharing| sharing.instances.len());
    selection.instance = selection.instance.min(last(instances));
}

/// Moves the selection of `pane`.
pub(super) fn go(model: &mut Model, pane: Pane, direction: Direction, by: MoveBy) {
    match (pane, direction) {
        (Pane::Graph, _) => {
            let times = if by == MoveBy::Page { 4 } else { 1 };
            for _ in 0..times {
                let Some(next) = graph_moves::next(model, direction, by) else { return };
                put(model, Target::Cell(next, model.selection.to));
            }
        }
        (Pane::Distances, Direction::Left | Direction::Right) => {
            let to = moved(model.selection.to, model.doc.topology().nodes.len(), direction, by, model.page);
            put(model, Target::Cell(model.selection.from, to));
        }
        (_, Direction::Left | Direction::Right) => {
            // Levels lie side by side in the CPU map, lowest first; other panes have nothing else to the side.
            let levels = model.built.build.levels.len();
            model.selection.level = moved(model.selection.level, levels, direction, by, 1);
            link_domain(model);
        }
        (_, Direction::Up | Direction::Down) => {
            let row = moved(model.row(pane), model.rows(pane), direction, by, model.page);
            put_row(model, pane, row);
        }
    }
}

/// Chooses a row of `pane`.
pub(super) fn put_row(model: &mut Model, pane: Pane, row: usize) {
    match pane {
        Pane::Distances | Pane::Graph => put(model, Target::Cell(row, model.selection.to)),
        Pane::Cpus => {
            // In a row of several the chosen one stays.
            let row = model.cpu_rows.get(row).filter(|_| model.cpu_rows.row_of(model.selection.cpu) != Some(row));
            if let Some(row) = row {
                put(model, Target::Cpu(row.first, None));
            }
        }
        _ => put(model, Target::Row(pane, row)),
    }
}

/// Chooses what a place on the screen stands for, without moving the focus.
pub(super) fn put(model: &mut Model, target: Target) {
    match target {
        Target::Cell(from, to) => {
            (model.selection.from, model.selection.to) = (from, to);
            clamp(model);
            link_pair(model);
        }
        Target::Cpu(cpu, level) => {
            model.selection.cpu = cpu;
            model.selection.level = level.unwrap_or(model.selection.level);
            clamp(model);
            link_cpu(model);
        }
        Target::Row(Pane::Domains, row) => {
            if let Some(&level) = model.domain_rows().get(row) {
                model.selection.level = level;
                link_domain(model);
            }
        }
        Target::Row(Pane::Groups, row) => {
            model.selection.group = row;
            clamp(model);
            link_group(model);
        }
        Target::Row(Pane::Capacity, row) => {
            model.selection.instance = row;
            clamp(model);
            link_instance(model);
        }
        Target::Row(Pane::Findings, row) => {
            model.selection.finding = row;
            clamp(model);
            link_finding(model);
        }
        Target::Row(Pane::Counters, row) => {
            if let Some(target) = counters::target(model, row) {
                put(model, target);
            }
        }
        Target::Row(pane, row) => put_row(model, pane, row),
        Target::Pane(_)
        | Target::Item(_)
        | Target::Screen(_)
        | Target::Line(_)
        | Target::Border(_)
        | Target::Run(_) => {}
    }
}

/// Chooses the level above or below.
pub(super) fn level_step(model: &mut Model, direction: Direction) {
    model.selection.level = moved(model.selection.level, model.built.build.levels.len(), direction, MoveBy::One, 1);
    link_domain(model);
}

pub(super) fn toggle_degenerated(model: &mut Model) {
    model.degenerated = match model.degenerated {
        DegeneratedRows::Shown => DegeneratedRows::Hidden,
        DegeneratedRows::Hidden => DegeneratedRows::Shown,
    };
}
