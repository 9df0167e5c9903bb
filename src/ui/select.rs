//! Moving the selection, and keeping its parts in step with one another.

use super::action::{Pane, Step, Target, Way};
use super::facts::Built;
use super::model::{Gone, Model, Tone, Zoom};

impl Model {
    /// Where to look first: the pair of nodes furthest apart, since that is where builds differ.
    pub(super) fn start_selection(&mut self) {
        self.furthest_pair();
        self.link_pair();
    }

    /// Chooses the pair of nodes furthest apart, the first such.
    pub(super) fn furthest_pair(&mut self) {
        let distances = &self.doc.topology().distances;
        let pairs = (0..distances.nodes()).flat_map(|from| (0..distances.nodes()).map(move |to| (from, to)));
        let furthest = pairs.rev().max_by_key(|&(from, to)| distances.get(from, to)).unwrap_or_default();
        (self.selection.from, self.selection.to) = furthest;
    }

    /// Gives `pane` the keys.
    pub(super) fn focus_on(&mut self, pane: Pane) {
        self.focus = pane;
        if let Some(at) = self.recent.iter().position(|&other| other == pane) {
            self.recent[..=at].rotate_right(1);
        }
        self.search.rows.clear();
        if pane == Pane::Distances {
            self.link_pair();
        }
    }

    pub(super) fn focus_step(&mut self, by: usize) {
        let at = Pane::ALL.iter().position(|&pane| pane == self.focus).unwrap_or(0);
        self.focus_on(Pane::ALL[(at + by) % Pane::ALL.len()]);
    }

    /// The chosen pair decides the CPU and the level.
    pub(super) fn link_pair(&mut self) {
        let (from, to) = (self.selection.from, self.selection.to);
        let built = &self.built;
        let here = built.node_of.get(self.selection.cpu).copied().flatten() == Some(from as u32);
        if !here && let Some(cpu) = built.cpu_of_node(from) {
            self.selection.cpu = cpu;
        }
        if let Some(level) = self.built.meeting_level(from, to) {
            self.selection.level = level;
        }
        self.link_domain();
    }

    /// The chosen CPU decides the row of the distance table.
    pub(super) fn link_cpu(&mut self) {
        if let Some(Some(node)) = self.built.node_of.get(self.selection.cpu) {
            self.selection.from = *node as usize;
        }
        self.link_domain();
    }

    /// The domain is another one: begin with its first group.
    pub(super) fn link_domain(&mut self) {
        self.selection.group = 0;
        self.link_group();
    }

    /// The chosen group decides the capacity instance.
    pub(super) fn link_group(&mut self) {
        let build = &self.built.build;
        let Some(domain) = self.domain().filter(|domain| build.nr_groups(domain) > 0) else { return };
        let sgc = build.group(domain, self.selection.group).group.sgc;
        if let Some(at) = self.built.sharing(self.selection.level).and_then(|sharing| sharing.position(sgc)) {
            self.selection.instance = at;
        }
    }

    /// The chosen capacity instance decides the group, when the chosen domain has one that uses it.
    fn link_instance(&mut self) {
        let built = &self.built;
        let Some(sharing) = built.sharing(self.selection.level) else { return };
        let Some(instance) = sharing.instances.get(self.selection.instance) else { return };
        let Some(domain) = self.domain() else { return };
        let at = built.build.groups_of(domain).position(|view| view.group.sgc == instance.sgc);
        if let Some(at) = at {
            self.selection.group = at;
        }
    }

    /// The chosen finding decides everything its witness names.
    fn link_finding(&mut self) {
        let built = std::sync::Arc::clone(&self.built);
        let Some(finding) = built.findings().and_then(|all| all.get(self.selection.finding)) else { return };
        let witness = &finding.witness;
        let index = |id: u32| built.topology.node_index(id);
        let pair = witness.pairs.first().and_then(|&(from, to)| Some((index(from)?, index(to)?)));
        let nodes = pair.or_else(|| {
            let mut nodes = witness.nodes.iter().filter_map(|&id| index(id));
            let first = nodes.next()?;
            Some((first, nodes.next().unwrap_or(self.selection.to)))
        });
        let of_node = || nodes.and_then(|(from, _)| built.cpu_of_node(from));
        if let Some(cpu) = witness.cpus.first().or_else(of_node) {
            self.selection.cpu = cpu;
        }
        let meeting = || pair.and_then(|(from, to)| built.meeting_level(from, to));
        if let Some(level) = witness.level.or_else(meeting) {
            self.selection.level = level;
        }
        self.clamp();
        self.link_cpu();
        if let Some((from, to)) = nodes {
            (self.selection.from, self.selection.to) = (from, to);
        }
        self.clamp();
        let group = witness.groups.first();
        let at = self
            .domain()
            .zip(group)
            .and_then(|(domain, cpus)| self.built.build.groups_of(domain).position(|view| view.span == cpus));
        if let Some(at) = at {
            self.selection.group = at;
            self.link_group();
        }
    }

    /// A new build is there: the selection stays on the same things where they still exist.
    pub(super) fn show(&mut self, built: std::sync::Arc<Built>) {
        let label = self.built.labels.get(self.selection.level).cloned();
        let group = self.selection.group;
        self.built = built;
        self.list_cpus();
        if let Some(level) = self.built.labels.iter().position(|other| Some(other) == label.as_ref()) {
            self.selection.level = level;
        }
        self.clamp();
        if self.focus == Pane::Distances {
            self.link_pair();
        }
        self.selection.group = group;
        self.clamp();
        self.link_group();
        self.refresh_search();
        self.lesson_built();
    }

    /// Keeps every part of the selection inside what there is.
    pub(super) fn clamp(&mut self) {
        let last = |len: usize| len.saturating_sub(1);
        let nodes = self.doc.topology().nodes.len();
        let built = &self.built;
        let selection = &mut self.selection;
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
    pub(super) fn go(&mut self, pane: Pane, way: Way, step: Step) {
        match (pane, way) {
            (Pane::Graph, _) => self.go_in_graph(way, step),
            (Pane::Distances, Way::Left | Way::Right) => {
                let to = moved(self.selection.to, self.doc.topology().nodes.len(), way, step, self.page);
                self.put(Target::Cell(self.selection.from, to));
            }
            (_, Way::Left | Way::Right) => {
                // Levels lie side by side in the CPU map, lowest first; other panes have nothing else to the side.
                let levels = self.built.build.levels.len();
                self.selection.level = moved(self.selection.level, levels, way, step, 1);
                self.link_domain();
            }
            (_, Way::Up | Way::Down) => {
                let row = moved(self.row(pane), self.rows(pane), way, step, self.page);
                self.put_row(pane, row);
            }
        }
    }

    /// How many rows `pane` has.
    pub fn rows(&self, pane: Pane) -> usize {
        match pane {
            Pane::Distances | Pane::Graph => self.doc.topology().nodes.len(),
            Pane::Cpus => self.cpu_rows.len(),
            Pane::Domains => self.domain_rows().len(),
            Pane::Groups => self.domain().map_or(0, |domain| self.built.build.nr_groups(domain)),
            Pane::Capacity => self.built.sharing(self.selection.level).map_or(0, |sharing| sharing.instances.len()),
            Pane::Findings => self.built.findings().map_or(0, <[_]>::len),
        }
    }

    /// The chosen row of `pane`.
    pub fn row(&self, pane: Pane) -> usize {
        match pane {
            Pane::Distances | Pane::Graph => self.selection.from,
            Pane::Cpus => self.cpu_rows.row_of(self.selection.cpu).unwrap_or(0),
            Pane::Domains => {
                let rows = self.domain_rows();
                // A level without a domain, or a hidden one: stand where it would be.
                rows.iter().position(|&level| level <= self.selection.level).unwrap_or(rows.len().saturating_sub(1))
            }
            Pane::Groups => self.selection.group,
            Pane::Capacity => self.selection.instance,
            Pane::Findings => self.selection.finding,
        }
    }

    /// Chooses a row of `pane`.
    pub(super) fn put_row(&mut self, pane: Pane, row: usize) {
        match pane {
            Pane::Distances | Pane::Graph => self.put(Target::Cell(row, self.selection.to)),
            Pane::Cpus => {
                // In a row of several the chosen one stays.
                let row = self.cpu_rows.get(row).filter(|_| self.cpu_rows.row_of(self.selection.cpu) != Some(row));
                if let Some(row) = row {
                    self.put(Target::Cpu(row.first, None));
                }
            }
            _ => self.put(Target::Row(pane, row)),
        }
    }

    /// Chooses what a place on the screen stands for, without moving the focus.
    pub(super) fn put(&mut self, target: Target) {
        match target {
            Target::Cell(from, to) => {
                (self.selection.from, self.selection.to) = (from, to);
                self.clamp();
                self.link_pair();
            }
            Target::Cpu(cpu, level) => {
                self.selection.cpu = cpu;
                self.selection.level = level.unwrap_or(self.selection.level);
                self.clamp();
                self.link_cpu();
            }
            Target::Row(Pane::Domains, row) => {
                if let Some(&level) = self.domain_rows().get(row) {
                    self.selection.level = level;
                    self.link_domain();
                }
            }
            Target::Row(Pane::Groups, row) => {
                self.selection.group = row;
                self.clamp();
                self.link_group();
            }
            Target::Row(Pane::Capacity, row) => {
                self.selection.instance = row;
                self.clamp();
                self.link_instance();
            }
            Target::Row(Pane::Findings, row) => {
                self.selection.finding = row;
                self.clamp();
                self.link_finding();
            }
            Target::Row(pane, row) => self.put_row(pane, row),
            Target::Pane(_)
            | Target::Item(_)
            | Target::Screen(_)
            | Target::Line(_)
            | Target::Border(_)
            | Target::Run(_)
            | Target::Answer(_) => {}
        }
    }

    /// Chooses the level above or below.
    pub(super) fn level_step(&mut self, way: Way) {
        self.selection.level = moved(self.selection.level, self.built.build.levels.len(), way, Step::One, 1);
        self.link_domain();
    }

    /// Goes on to what hangs on the selection.
    pub(super) fn go_on(&mut self) {
        match self.focus {
            Pane::Distances => self.focus_on(Pane::Cpus),
            Pane::Graph => self.focus_on(Pane::Domains),
            Pane::Cpus => {
                if !self.unfold_chosen() {
                    self.focus_on(Pane::Domains);
                }
            }
            Pane::Domains => self.focus_on(Pane::Groups),
            Pane::Groups => self.focus_on(Pane::Capacity),
            Pane::Capacity => self.go_to_sharer(),
            Pane::Findings => {
                self.link_finding();
                self.focus_on(Pane::Groups);
            }
        }
    }

    /// From a capacity instance to a CPU that holds it, the next one each time.
    fn go_to_sharer(&mut self) {
        let (level, cpu) = (self.selection.level, self.selection.cpu);
        let Some(sharing) = self.built.sharing(level) else { return };
        let Some(instance) = sharing.instances.get(self.selection.instance) else { return };
        let Some(next) = instance.holders.next_wrap(cpu + 1) else { return };
        let at = self.selection.instance;
        self.selection.cpu = next;
        self.link_cpu();
        self.selection.instance = at;
        self.link_instance();
        let key = self.keys.key_of(super::action::Command::Enter);
        self.say(Tone::Done, format!("CPU {next} holds it too; {key} again for the next one"));
    }

    pub(super) fn toggle_gone(&mut self) {
        self.gone = match self.gone {
            Gone::Shown => Gone::Hidden,
            Gone::Hidden => Gone::Shown,
        };
    }

    pub(super) fn toggle_zoom(&mut self) {
        self.zoom = match self.zoom {
            Zoom::Split => Zoom::Whole,
            Zoom::Whole => Zoom::Split,
        };
    }
}

/// The place after a move among `len` places.
pub(super) fn moved(at: usize, len: usize, way: Way, step: Step, page: usize) -> usize {
    let last = len.saturating_sub(1);
    let by = match step {
        Step::One => 1,
        Step::Page => page.max(1),
        Step::End => last,
    };
    match way {
        Way::Up | Way::Left => at.saturating_sub(by),
        Way::Down | Way::Right => at.saturating_add(by).min(last),
    }
}
