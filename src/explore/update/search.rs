//! Finding things in a pane: a CPU number, `node 2` or `n2`, part of a cpulist, a word.

use super::{dmesg, selection};
use crate::cpumask::CpuMask;
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::selection::Search;
use crate::explore::text;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::pane::{Pane, Screen};
use crate::formats::visible;
use rustc_hash::FxHashMap;

/// Cpulists are searched up to this many characters, so that a search costs no more than a screen of them.
const SEARCHED: usize = 200;

/// What a query asks for.
#[derive(Debug, PartialEq, Eq)]
enum Query<'a> {
    Number(usize),
    Node(u32),
    Text(&'a str),
}

impl<'a> Query<'a> {
    fn parse(text: &'a str) -> Self {
        let text = text.trim();
        if let Ok(number) = text.parse() {
            return Self::Number(number);
        }
        let node = text.strip_prefix("node").or_else(|| text.strip_prefix('n')).map(str::trim);
        match node.and_then(|id| id.parse().ok()) {
            Some(id) => Self::Node(id),
            None => Self::Text(text),
        }
    }
}

pub(super) fn report_match(model: &mut Model, forwards: bool) {
    match search_step(model, forwards) {
        Some(at) => model.report(Tone::Done, format!("match {} of {}", at + 1, model.search.rows.len())),
        None if model.search.query.is_empty() => {
            let key = model.keys.key_of(Command::Search);
            model.report(Tone::Trouble, format!("nothing searched yet: {key} searches"));
        }
        None if model.log_searched().is_some() => model.report(Tone::Done, "nothing found yet: the search goes on"),
        None => model.report(Tone::Trouble, format!("no match for {} here", visible(&model.search.query))),
    }
}

/// Looks for `query` in the focused pane and moves to the first match at or after `from`.
pub(super) fn search_from(model: &mut Model, query: &str, from: usize) {
    let rows = if query.trim().is_empty() { Vec::new() } else { find(model, &query.to_lowercase()) };
    model.search = Search { query: query.trim().to_owned(), rows };
    let rows = &model.search.rows;
    if let Some(&row) = rows.iter().find(|&&row| row >= from).or_else(|| rows.first()) {
        put_found(model, row);
    }
}

/// The next match, or the one before.
pub(super) fn search_step(model: &mut Model, forwards: bool) -> Option<usize> {
    if model.search.rows.is_empty() && !model.search.query.is_empty() && model.log_searched().is_none() {
        model.search.rows = find(model, &model.search.query.to_lowercase());
    }
    let (rows, at) = (&model.search.rows, found_row(model));
    let next = if forwards {
        rows.iter().find(|&&row| row > at).or_else(|| rows.first())
    } else {
        rows.iter().rev().find(|&&row| row < at).or_else(|| rows.last())
    };
    let row = *next?;
    put_found(model, row);
    model.search.rows.iter().position(|&other| other == row)
}

/// The build is another one: what matched may be elsewhere.
pub(super) fn refresh(model: &mut Model) {
    if !model.search.rows.is_empty() {
        model.search.rows = find(model, &model.search.query.to_lowercase());
    }
}

/// The pane whose rows are searched; `None` for the kernel log.
fn searched(model: &Model) -> Option<Pane> {
    match model.screens.now {
        Screen::Explore => Some(model.focus),
        Screen::Reach => Some(Pane::Distances),
        Screen::Construct | Screen::Compare | Screen::Balance => Some(Pane::Cpus),
        Screen::Dmesg => None,
    }
}

/// The chosen row of what is searched.
pub(super) fn found_row(model: &Model) -> usize {
    searched(model).map_or(model.selection.line, |pane| model.row(pane))
}

fn put_found(model: &mut Model, row: usize) {
    match searched(model) {
        Some(pane) => selection::put_row(model, pane, row),
        None => dmesg::put_line(model, row),
    }
}

/// The rows that match.
fn find(model: &mut Model, query: &str) -> Vec<usize> {
    let query = Query::parse(query);
    let Some(pane) = searched(model) else { return find_lines(model, &query) };
    match pane {
        Pane::Distances | Pane::Graph => find_nodes(model, &query),
        Pane::Cpus => {
            let mut rows: Vec<usize> =
                find_cpus(model, &query).into_iter().filter_map(|cpu| model.cpu_rows.row_of(cpu)).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        }
        Pane::Domains => find_domains(model, &query),
        Pane::Groups => find_groups(model, &query),
        Pane::Capacity => find_instances(model, &query),
        Pane::Findings => find_findings(model, &query),
        Pane::Counters => find_totals(model, &query),
    }
}

fn node_has(model: &Model, id: u32, cpu: usize) -> bool {
    let topology = &model.built.topology;
    topology.node_index(id).is_some_and(|index| topology.nodes[index].cpus.contains(cpu))
}

/// Lines of the log: for a CPU or a node where its CPUs begin.
fn find_lines(model: &mut Model, query: &Query) -> Vec<usize> {
    let log = &model.screens.log.index;
    match query {
        Query::Number(cpu) => log.line_of(*cpu).into_iter().collect(),
        Query::Node(id) => {
            let cpus = model.built.topology.node_index(*id).map(|index| &model.built.topology.nodes[index].cpus);
            cpus.into_iter().flat_map(CpuMask::iter).filter_map(|cpu| log.line_of(cpu)).collect()
        }
        Query::Text(text) => dmesg::begin_search(model, text),
    }
}

/// Sums of a node, or of a level by its name.
fn find_totals(model: &Model, query: &Query) -> Vec<usize> {
    let totals = model.counters.shown.iter().flat_map(|view| view.totals.iter().enumerate());
    let matching = totals.filter(|(_, total)| match query {
        Query::Number(cpu) => total.cpus.contains(*cpu),
        Query::Node(id) => {
            let node = total.node.and_then(|node| model.built.topology.nodes.get(node as usize));
            node.is_some_and(|node| node.id == *id)
        }
        Query::Text(text) => model.level_label(total.level).to_lowercase().contains(text),
    });
    matching.map(|(row, _)| row).collect()
}

fn find_nodes(model: &Model, query: &Query) -> Vec<usize> {
    let nodes = model.doc.topology().nodes.iter().enumerate();
    let matching = nodes.filter(|(_, node)| match query {
        Query::Number(id) => node.id as usize == *id,
        Query::Node(id) => node.id == *id,
        Query::Text(text) => text::cpulist(&node.cpus, SEARCHED, "").contains(text),
    });
    matching.map(|(index, _)| index).collect()
}

fn find_cpus(model: &Model, query: &Query) -> Vec<usize> {
    let build = &model.built.build;
    match query {
        Query::Number(cpu) => (0..build.nr_cpus).filter(|other| other == cpu).collect(),
        Query::Node(id) => (0..build.nr_cpus).filter(|&cpu| node_has(model, *id, cpu)).collect(),
        Query::Text(text) => {
            let mut known = FxHashMap::default();
            let mut in_span = |span| {
                *known.entry(span).or_insert_with(|| text::cpulist(build.span(span), SEARCHED, "").contains(text))
            };
            (0..build.nr_cpus).filter(|&cpu| build.built_chain(cpu).any(|(_, domain)| in_span(domain.span))).collect()
        }
    }
}

fn find_domains(model: &Model, query: &Query) -> Vec<usize> {
    let build = &model.built.build;
    let matching = model.domain_rows().into_iter().enumerate().filter(|&(_, level)| {
        let Some(domain) = build.domain(model.selection.cpu, level) else { return false };
        let span = build.span(domain.span);
        match query {
            Query::Number(cpu) => span.contains(*cpu),
            Query::Node(id) => span.iter().any(|cpu| node_has(model, *id, cpu)),
            Query::Text(text) => {
                model.level_label(level).to_lowercase().contains(text)
                    || text::cpulist(span, SEARCHED, "").contains(text)
                    || domain.flags.to_string().to_lowercase().contains(text)
            }
        }
    });
    matching.map(|(row, _)| row).collect()
}

fn find_groups(model: &Model, query: &Query) -> Vec<usize> {
    let Some(domain) = model.domain() else { return Vec::new() };
    let build = &model.built.build;
    let matching = build.groups_of(domain).enumerate().filter(|(_, view)| match query {
        Query::Number(cpu) => view.span.contains(*cpu),
        Query::Node(id) => view.span.iter().any(|cpu| node_has(model, *id, cpu)),
        Query::Text(text) => {
            text::cpulist(view.span, SEARCHED, "").contains(text)
                || build.sgc_name(view.sgc).to_lowercase().contains(text)
        }
    });
    matching.map(|(row, _)| row).collect()
}

fn find_instances(model: &Model, query: &Query) -> Vec<usize> {
    let build = &model.built.build;
    let Some(sharing) = model.built.sharing(model.selection.level) else { return Vec::new() };
    let matching = sharing.instances.iter().enumerate().filter(|(_, instance)| match query {
        Query::Number(cpu) => instance.holders.contains(*cpu),
        Query::Node(id) => instance.holders.iter().any(|cpu| node_has(model, *id, cpu)),
        Query::Text(text) => {
            build.sgc_name(build.sgc(instance.sgc)).to_lowercase().contains(text)
                || instance.spans.iter().any(|&s| text::cpulist(build.span(s), SEARCHED, "").contains(text))
        }
    });
    matching.map(|(row, _)| row).collect()
}

fn find_findings(model: &Model, query: &Query) -> Vec<usize> {
    let findings = model.built.findings().unwrap_or_default().iter().enumerate();
    let matching = findings.filter(|(_, finding)| {
        let witness = &finding.witness;
        match query {
            Query::Number(cpu) => witness.cpus.contains(*cpu),
            Query::Node(id) => {
                witness.nodes.contains(id)
                    || witness.pairs.iter().any(|&(from, to)| from == *id || to == *id)
                    || witness.cpus.iter().any(|cpu| node_has(model, *id, cpu))
            }
            Query::Text(text) => {
                finding.id.contains(text)
                    || finding.message.to_lowercase().contains(text)
                    || finding.severity.name().contains(text)
                    || witness.level.is_some_and(|at| model.level_label(at).to_lowercase().contains(text))
            }
        }
    });
    matching.map(|(row, _)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_mean_what_they_look_like() {
        assert_eq!(Query::parse(" 12 "), Query::Number(12));
        assert_eq!(Query::parse("n3"), Query::Node(3));
        assert_eq!(Query::parse("node 3"), Query::Node(3));
        assert_eq!(Query::parse("numa"), Query::Text("numa"));
        assert_eq!(Query::parse("0-3,8"), Query::Text("0-3,8"));
    }
}
