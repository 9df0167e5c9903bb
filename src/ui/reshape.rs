//! Edits that ask for a value first: a row's distance, a factor, an id, a cpulist.

use super::action::{Command, Effect};
use super::model::{Model, NodeCpus, PromptKind, Symmetry, Tone};
use crate::cpumask::CpuMask;
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

impl Model {
    /// Opens the line that an edit takes its value from, filled with what there is.
    pub(super) fn ask_for_edit(&mut self, command: Command) {
        let topology = self.doc.topology();
        let Some(node) = topology.nodes.get(self.selection.from) else { return };
        let (kind, text) = match command {
            Command::Fill => {
                let now = topology.distances.get(self.selection.from, self.selection.to);
                (PromptKind::Fill, now.to_string())
            }
            Command::Scale => (PromptKind::Scale, "100%".to_owned()),
            Command::RenumberNode => (PromptKind::Renumber, node.id.to_string()),
            Command::NodeCpus => (PromptKind::NodeCpus, node.cpus.to_string()),
            _ => return,
        };
        self.ask(kind, text);
    }

    /// Makes the edit a line was typed for.
    pub(super) fn edit_with(&mut self, kind: PromptKind, text: &str) -> Vec<Effect> {
        let index = self.selection.from;
        let edit = match kind {
            PromptKind::Fill => text.parse().ok().map(|value| self.filled_row(value)),
            PromptKind::Scale => Factor::parse(text).map(|factor| self.scaled(factor)),
            PromptKind::Renumber => text.parse().ok().map(|id| Edit::RenumberNode { index, id }),
            PromptKind::NodeCpus => match CpuMask::parse(text, None) {
                Ok(cpus) => Some(Edit::SetNodeCpus { index, cpus }),
                Err(why) => {
                    self.say(Tone::Trouble, format!("not possible: {why}"));
                    return Vec::new();
                }
            },
            PromptKind::Search | PromptKind::SaveAs | PromptKind::Filter | PromptKind::Export => None,
        };
        let Some(edit) = edit else {
            let wanted = match kind {
                PromptKind::Scale => "a factor such as 150%, 3/2 or 1.5",
                PromptKind::Renumber => "a node id, a whole number",
                _ => "a distance, a whole number",
            };
            self.say(Tone::Trouble, format!("{} does not fit: give {wanted}", visible(text)));
            return Vec::new();
        };
        let id = match edit {
            Edit::RenumberNode { id, .. } => Some(id),
            _ => None,
        };
        let effects = self.edit(&edit);
        // A node with another id may stand elsewhere: it stays the chosen one.
        if let Some(at) = id.filter(|_| !effects.is_empty()).and_then(|id| self.doc.topology().node_index(id)) {
            self.selection.from = at;
        }
        effects
    }

    /// The chosen row at one distance, to itself apart.
    fn filled_row(&self, value: u32) -> Edit {
        let nodes = self.doc.topology().nodes.len();
        self.row_edit((0..nodes).map(|_| value), |from, to| from != to)
    }

    /// The chosen row with these distances where `takes` says so, and its column too if editing is symmetric.
    fn row_edit(&self, values: impl Iterator<Item = u32>, takes: impl Fn(usize, usize) -> bool) -> Edit {
        let from = self.selection.from;
        let mut cells = Vec::new();
        for (to, value) in values.enumerate().filter(|&(to, _)| takes(from, to)) {
            cells.push(Cell { from, to, value });
            if self.symmetry == Symmetry::Both && from != to {
                cells.push(Cell { from: to, to: from, value });
            }
        }
        Edit::SetCells(cells)
    }

    fn scaled(&self, factor: Factor) -> Edit {
        let distances = &self.doc.topology().distances;
        let of = |from: usize, to: usize| {
            let distance = distances.get(from, to);
            if from == to { distance } else { factor.of(distance) }
        };
        Edit::SetTable(Distances::from_fn(distances.nodes(), of))
    }

    /// Puts the chosen distance back to what was opened or saved last.
    pub(super) fn clear_cell(&mut self) -> Vec<Effect> {
        let (from, to) = (self.selection.from, self.selection.to);
        let saved = &self.doc.saved().distances;
        if saved.nodes() != self.doc.topology().distances.nodes() {
            self.say(Tone::Trouble, "there were other nodes then: undo goes back step by step");
            return Vec::new();
        }
        let mut cells = vec![Cell { from, to, value: saved.get(from, to) }];
        if self.symmetry == Symmetry::Both && from != to {
            cells.push(Cell { from: to, to: from, value: saved.get(to, from) });
        }
        self.edit(&Edit::SetCells(cells))
    }

    /// Pasted numbers that are no table: one is the chosen distance, as many as there are nodes are its row. `None` when
    /// they are neither.
    pub(super) fn paste_numbers(&mut self, text: &str) -> Option<Vec<Effect>> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let (line, None) = (lines.next()?, lines.next()) else { return None };
        let numbers: Vec<u32> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let nodes = self.doc.topology().nodes.len();
        let edit = match numbers[..] {
            [value] => {
                let to = self.selection.to;
                self.row_edit((0..nodes).map(|_| value), |_, other| other == to)
            }
            _ if numbers.len() == nodes => self.row_edit(numbers.into_iter(), |_, _| true),
            _ => return None,
        };
        Some(self.edit(&edit))
    }

    pub(super) fn toggle_node_cpus(&mut self) {
        self.node_cpus = match self.node_cpus {
            NodeCpus::Hidden => NodeCpus::Shown,
            NodeCpus::Shown => NodeCpus::Hidden,
        };
    }
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
