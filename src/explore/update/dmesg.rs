//! The kernel log on its screen: its index, its chosen line, and the search through it.

use super::selection;
use crate::explore::derived::log_index::LogIndex;
use crate::explore::state::model::Model;
use std::sync::Arc;

/// Begins to look for a text, in small letters, from the chosen line on; returns the lines found at once.
pub(super) fn begin_search(model: &mut Model, wanted: &str) -> Vec<usize> {
    let mut found = Vec::new();
    model.screens.log.begin_search(&model.built.build, wanted, model.selection.line, &mut found);
    found
}

/// Goes on with the search: matches come in as they are found, and the first one is gone to.
pub(super) fn search_on(model: &mut Model) {
    let first = model.search.rows.is_empty();
    if !model.screens.log.search_on(&model.built.build, &mut model.search.rows) {
        return;
    }
    let rows = &model.search.rows;
    let nearest = rows.iter().find(|&&row| row >= model.selection.line).or_else(|| rows.first()).copied();
    if let Some(row) = nearest.filter(|_| first) {
        put_line(model, row);
    }
}

/// Keeps the log in step with the build, and its chosen line with the chosen CPU.
pub(super) fn settle(model: &mut Model) {
    let built = &model.built;
    let log = &mut model.screens.log;
    let is_new = log.built != Some(built.generation);
    if is_new {
        log.index = Arc::new(LogIndex::new(&built.build, &built.topology));
        log.built = Some(built.generation);
    }
    let line = model.selection.line.min(log.index.len().saturating_sub(1));
    model.selection.line = line;
    let cpu = model.selection.cpu;
    if (is_new || log.followed != Some(cpu)) && log.index.cpu_at(line) != Some(cpu) {
        model.selection.line = log.index.line_of(cpu).unwrap_or(line);
    }
    model.screens.log.followed = Some(cpu);
}

/// Chooses a line of the log, and with it the CPU and the level it is about.
pub(super) fn put_line(model: &mut Model, line: usize) {
    let index = Arc::clone(&model.screens.log.index);
    let line = line.min(index.len().saturating_sub(1));
    model.selection.line = line;
    let build = &model.built.build;
    let Some(cpu) = index.cpu_at(line).filter(|&cpu| cpu < build.nr_cpus) else { return };
    let first = index.line_of(cpu).unwrap_or(line);
    let above = index.lines(build, first..line + 1);
    let domains = above.iter().filter(|line| line.text.trim_start().starts_with("domain")).count();
    let level = domains.checked_sub(1).and_then(|at| build.chain(cpu).nth(at)).map(|(level, _)| level);
    model.screens.log.followed = Some(cpu);
    let same = model.selection.cpu == cpu && level.is_none_or(|level| level == model.selection.level);
    if !same {
        model.selection.cpu = cpu;
        model.selection.level = level.unwrap_or(model.selection.level);
        selection::link_cpu(model);
    }
}
