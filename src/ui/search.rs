//! Finding things in a pane: a CPU number, `node 2` or `n2`, part of a cpulist, a word.

use super::action::{Pane, Screen};
use super::model::{Model, Search};
use super::text;
use crate::cpumask::CpuMask;
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

impl Model {
    /// Looks for `query` in the focused pane and moves to the first match at or after `from`.
    pub(super) fn search_from(&mut self, query: &str, from: usize) {
        let rows = if query.trim().is_empty() { Vec::new() } else { self.find(&query.to_lowercase()) };
        self.search = Search { query: query.trim().to_owned(), rows };
        let rows = &self.search.rows;
        if let Some(&row) = rows.iter().find(|&&row| row >= from).or_else(|| rows.first()) {
            self.put_found(row);
        }
    }

    /// The next match, or the one before.
    pub(super) fn search_step(&mut self, forwards: bool) -> Option<usize> {
        if self.search.rows.is_empty() && !self.search.query.is_empty() && self.hunted().is_none() {
            self.search.rows = self.find(&self.search.query.to_lowercase());
        }
        let (rows, at) = (&self.search.rows, self.found_row());
        let next = if forwards {
            rows.iter().find(|&&row| row > at).or_else(|| rows.first())
        } else {
            rows.iter().rev().find(|&&row| row < at).or_else(|| rows.last())
        };
        let row = *next?;
        self.put_found(row);
        self.search.rows.iter().position(|&other| other == row)
    }

    /// The build is another one: what matched may be elsewhere.
    pub(super) fn refresh_search(&mut self) {
        if !self.search.rows.is_empty() {
            self.search.rows = self.find(&self.search.query.to_lowercase());
        }
    }

    /// The pane whose rows are searched; `None` for the kernel log.
    fn searched(&self) -> Option<Pane> {
        match self.screens.now {
            Screen::Explore => Some(self.focus),
            Screen::Reach => Some(Pane::Distances),
            Screen::Construct | Screen::Compare => Some(Pane::Cpus),
            Screen::Dmesg => None,
        }
    }

    /// The chosen row of what is searched.
    pub(super) fn found_row(&self) -> usize {
        self.searched().map_or(self.selection.line, |pane| self.row(pane))
    }

    fn put_found(&mut self, row: usize) {
        match self.searched() {
            Some(pane) => self.put_row(pane, row),
            None => self.put_line(row),
        }
    }

    /// The rows that match.
    fn find(&mut self, query: &str) -> Vec<usize> {
        let query = Query::parse(query);
        let Some(pane) = self.searched() else { return self.find_lines(&query) };
        match pane {
            Pane::Distances | Pane::Graph => self.find_nodes(&query),
            Pane::Cpus => {
                let mut rows: Vec<usize> =
                    self.find_cpus(&query).into_iter().filter_map(|cpu| self.cpu_rows.row_of(cpu)).collect();
                rows.sort_unstable();
                rows.dedup();
                rows
            }
            Pane::Domains => self.find_domains(&query),
            Pane::Groups => self.find_groups(&query),
            Pane::Capacity => self.find_instances(&query),
            Pane::Findings => self.find_findings(&query),
        }
    }

    fn node_has(&self, id: u32, cpu: usize) -> bool {
        let topology = &self.built.topology;
        topology.node_index(id).is_some_and(|index| topology.nodes[index].cpus.contains(cpu))
    }

    /// Lines of the log: for a CPU or a node where its CPUs begin.
    fn find_lines(&mut self, query: &Query) -> Vec<usize> {
        let log = &self.screens.log.index;
        match query {
            Query::Number(cpu) => log.line_of(*cpu).into_iter().collect(),
            Query::Node(id) => {
                let cpus = self.built.topology.node_index(*id).map(|index| &self.built.topology.nodes[index].cpus);
                cpus.into_iter().flat_map(CpuMask::iter).filter_map(|cpu| log.line_of(cpu)).collect()
            }
            Query::Text(text) => self.hunt(text),
        }
    }

    fn find_nodes(&self, query: &Query) -> Vec<usize> {
        let nodes = self.doc.topology().nodes.iter().enumerate();
        let matching = nodes.filter(|(_, node)| match query {
            Query::Number(id) => node.id as usize == *id,
            Query::Node(id) => node.id == *id,
            Query::Text(text) => text::cpulist(&node.cpus, SEARCHED, "").contains(text),
        });
        matching.map(|(index, _)| index).collect()
    }

    fn find_cpus(&self, query: &Query) -> Vec<usize> {
        let build = &self.built.build;
        match query {
            Query::Number(cpu) => (0..build.nr_cpus).filter(|other| other == cpu).collect(),
            Query::Node(id) => (0..build.nr_cpus).filter(|&cpu| self.node_has(*id, cpu)).collect(),
            Query::Text(text) => {
                let mut known = FxHashMap::default();
                let mut in_span = |span| {
                    *known.entry(span).or_insert_with(|| text::cpulist(build.span(span), SEARCHED, "").contains(text))
                };
                (0..build.nr_cpus)
                    .filter(|&cpu| build.built_chain(cpu).any(|(_, domain)| in_span(domain.span)))
                    .collect()
            }
        }
    }

    fn find_domains(&self, query: &Query) -> Vec<usize> {
        let build = &self.built.build;
        let matching = self.domain_rows().into_iter().enumerate().filter(|&(_, level)| {
            let Some(domain) = build.domain(self.selection.cpu, level) else { return false };
            let span = build.span(domain.span);
            match query {
                Query::Number(cpu) => span.contains(*cpu),
                Query::Node(id) => span.iter().any(|cpu| self.node_has(*id, cpu)),
                Query::Text(text) => {
                    self.level_label(level).to_lowercase().contains(text)
                        || text::cpulist(span, SEARCHED, "").contains(text)
                        || domain.flags.to_string().to_lowercase().contains(text)
                }
            }
        });
        matching.map(|(row, _)| row).collect()
    }

    fn find_groups(&self, query: &Query) -> Vec<usize> {
        let Some(domain) = self.domain() else { return Vec::new() };
        let build = &self.built.build;
        let matching = build.groups_of(domain).enumerate().filter(|(_, view)| match query {
            Query::Number(cpu) => view.span.contains(*cpu),
            Query::Node(id) => view.span.iter().any(|cpu| self.node_has(*id, cpu)),
            Query::Text(text) => {
                text::cpulist(view.span, SEARCHED, "").contains(text)
                    || build.sgc_name(view.sgc).to_lowercase().contains(text)
            }
        });
        matching.map(|(row, _)| row).collect()
    }

    fn find_instances(&self, query: &Query) -> Vec<usize> {
        let build = &self.built.build;
        let Some(sharing) = self.built.sharing(self.selection.level) else { return Vec::new() };
        let matching = sharing.instances.iter().enumerate().filter(|(_, instance)| match query {
            Query::Number(cpu) => instance.holders.contains(*cpu),
            Query::Node(id) => instance.holders.iter().any(|cpu| self.node_has(*id, cpu)),
            Query::Text(text) => {
                build.sgc_name(build.sgc(instance.sgc)).to_lowercase().contains(text)
                    || instance.spans.iter().any(|&s| text::cpulist(build.span(s), SEARCHED, "").contains(text))
            }
        });
        matching.map(|(row, _)| row).collect()
    }

    fn find_findings(&self, query: &Query) -> Vec<usize> {
        let findings = self.built.findings().unwrap_or_default().iter().enumerate();
        let matching = findings.filter(|(_, finding)| {
            let witness = &finding.witness;
            match query {
                Query::Number(cpu) => witness.cpus.contains(*cpu),
                Query::Node(id) => {
                    witness.nodes.contains(id)
                        || witness.pairs.iter().any(|&(from, to)| from == *id || to == *id)
                        || witness.cpus.iter().any(|cpu| self.node_has(*id, cpu))
                }
                Query::Text(text) => {
                    finding.id.contains(text)
                        || finding.message.to_lowercase().contains(text)
                        || finding.severity.name().contains(text)
                        || witness.level.is_some_and(|at| self.level_label(at).to_lowercase().contains(text))
                }
            }
        });
        matching.map(|(row, _)| row).collect()
    }
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
