//! The kernel log of a build, line by line: how many lines each CPU has is counted, not written, so that thousands of
//! CPUs scroll at once and only the lines seen are made.

use crate::kernel::{Build, Fate, MessageKind, dmesg};
use crate::topology::Topology;
use crate::ui::action::{Screen, Step, Way};
use crate::ui::model::Model;
use std::ops::Range;
use std::sync::Arc;

/// Columns a step to the side goes.
const ASIDE: usize = 16;
/// A search looks at so many characters of the log at a time, and goes on when nothing else is to do.
const BITE: usize = 2 << 20;

/// What the Dmesg screen knows.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The build the index is of.
    built: Option<u64>,
    /// Where each part of the log begins.
    pub index: Arc<Index>,
    /// The CPU the chosen line followed last.
    followed: Option<usize>,
    /// Columns left out at the left.
    pub column: usize,
    /// The search under way.
    hunt: Option<Hunt>,
}

/// A search through the log that is not at its end.
#[derive(Clone, Debug)]
struct Hunt {
    built: Option<u64>,
    wanted: String,
    /// Where it began: it goes on to the end of the log and then from the beginning.
    start: usize,
    /// How many blocks it has looked at.
    looked_at: usize,
}

impl Log {
    /// Moves the view aside.
    pub(super) fn go_aside(&mut self, way: Way, step: Step) {
        self.column = match (way, step) {
            (Way::Left, Step::End) => 0,
            (Way::Left, _) => self.column.saturating_sub(ASIDE),
            (_, Step::End) => self.column.saturating_add(ASIDE * 16),
            (_, _) => self.column.saturating_add(ASIDE),
        }
        .min(1 << 20);
    }
}

/// A part of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// What is said before the domains.
    Before,
    /// The domains of one CPU.
    Cpu(u32),
    /// The last line of a CPU map.
    Root(u32),
}

#[derive(Clone, Copy, Debug)]
struct Block {
    first: usize,
    part: Part,
}

/// Where each part of a log begins.
#[derive(Debug, Default)]
pub struct Index {
    before: String,
    blocks: Vec<Block>,
    /// By CPU: where its lines begin.
    line_of: Vec<Option<u32>>,
    len: usize,
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// The CPU it is about.
    pub cpu: Option<usize>,
}

impl Index {
    /// Counts the lines of a build of `topology`.
    pub fn new(build: &Build, topology: &Topology) -> Self {
        let mut before = String::new();
        // Writing to a string can't fail.
        let _ = dmesg::write_before_domains(build, topology, &mut before);
        let mut index = Self { len: 0, blocks: Vec::new(), line_of: vec![None; build.nr_cpus], before };
        index.push(Part::Before, index.before.lines().count());
        if !topology.sched_debug {
            return index;
        }
        let extra = extra_lines(build);
        for (map, cpus) in build.cpu_maps.iter().enumerate().filter(|&(map, _)| build.is_attached(map)) {
            for cpu in cpus.iter() {
                index.line_of[cpu] = Some(index.len as u32);
                let domains = build.chain(cpu).count();
                index.push(Part::Cpu(cpu as u32), 1 + 2 * domains + usize::from(extra[cpu]));
            }
            index.push(Part::Root(map as u32), 1);
        }
        index
    }

    fn push(&mut self, part: Part, lines: usize) {
        if lines > 0 {
            self.blocks.push(Block { first: self.len, part });
            self.len += lines;
        }
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the lines of `cpu` begin.
    pub fn line_of(&self, cpu: usize) -> Option<usize> {
        self.line_of.get(cpu).copied().flatten().map(|line| line as usize)
    }

    fn block_at(&self, line: usize) -> usize {
        self.blocks.partition_point(|block| block.first <= line).saturating_sub(1)
    }

    /// The CPU a line is about.
    pub fn cpu_at(&self, line: usize) -> Option<usize> {
        match self.blocks.get(self.block_at(line))?.part {
            Part::Cpu(cpu) => Some(cpu as usize),
            Part::Before | Part::Root(_) => None,
        }
    }

    /// The lines of a range.
    pub fn lines(&self, build: &Build, range: Range<usize>) -> Vec<Line> {
        let mut lines = Vec::with_capacity(range.len());
        for block in self.blocks.iter().skip(self.block_at(range.start)) {
            if block.first >= range.end {
                break;
            }
            let (text, cpu) = self.text(build, block.part);
            let skip = range.start.saturating_sub(block.first);
            let room = range.end - block.first.max(range.start);
            lines.extend(text.lines().skip(skip).take(room).map(|text| Line { text: text.to_owned(), cpu }));
        }
        lines
    }

    fn text(&self, build: &Build, part: Part) -> (String, Option<usize>) {
        let mut text = String::new();
        let cpu = match part {
            Part::Before => {
                text.clone_from(&self.before);
                None
            }
            Part::Cpu(cpu) => {
                let _ = dmesg::write_cpu(build, cpu as usize, &mut text);
                Some(cpu as usize)
            }
            Part::Root(map) => {
                let _ = dmesg::write_root_line(build, &build.cpu_maps[map as usize], &mut text);
                None
            }
        };
        (text, cpu)
    }

    /// Takes a bite of the log: adds the lines that hold what is wanted, in any case.
    fn bite(&self, build: &Build, hunt: &mut Hunt, found: &mut Vec<usize>) {
        let mut eaten = 0;
        while hunt.looked_at < self.blocks.len() && eaten < BITE {
            let block = self.blocks[(hunt.start + hunt.looked_at) % self.blocks.len()];
            let mut text = self.text(build, block.part).0;
            text.make_ascii_lowercase();
            let matching = text.lines().enumerate().filter(|(_, line)| line.contains(&hunt.wanted));
            found.extend(matching.map(|(at, _)| block.first + at));
            eaten += text.len();
            hunt.looked_at += 1;
        }
    }
}

/// By CPU: lines its complaints add to the plain two of a domain.
fn extra_lines(build: &Build) -> Vec<u16> {
    let mut extra = vec![0_u16; build.nr_cpus];
    for message in &build.messages {
        let lines = match message.kind {
            // These cut the line of groups, or end it early.
            MessageKind::HeadNotChild | MessageKind::EmptyGroup | MessageKind::RepeatedCpus => 2,
            MessageKind::SpanLacksCpu
            | MessageKind::GroupsLackCpu
            | MessageKind::FlagNotInChild(_)
            | MessageKind::FlagNotInParent(_)
            | MessageKind::GroupsDontSpan
            | MessageKind::ParentNotSuperset => 1,
            _ => 0,
        };
        let kept = |level: u32, cpu: u32| {
            build.domain(cpu as usize, level as usize).is_some_and(|domain| domain.fate == Fate::Kept)
        };
        if let (Some(cpu), Some(level)) = (message.cpu, message.level)
            && kept(level, cpu)
        {
            extra[cpu as usize] += lines;
        }
    }
    extra
}

impl Model {
    /// Begins to look for a text, in small letters, from the chosen line on; returns the lines found at once.
    pub(in crate::ui) fn hunt(&mut self, wanted: &str) -> Vec<usize> {
        let (build, log) = (&self.built.build, &mut self.screens.log);
        let start = log.index.block_at(self.selection.line);
        let mut hunt = Hunt { built: log.built, wanted: wanted.to_owned(), start, looked_at: 0 };
        let mut found = Vec::new();
        log.index.bite(build, &mut hunt, &mut found);
        log.hunt = (hunt.looked_at < log.index.blocks.len()).then_some(hunt);
        found.sort_unstable();
        found
    }

    /// How much of the log a search has looked at, in percent, while it is not at its end.
    pub fn hunted(&self) -> Option<usize> {
        let hunt = self.screens.log.hunt.as_ref().filter(|_| self.screens.now == Screen::Dmesg)?;
        let same = hunt.wanted == self.search.query.to_lowercase() && hunt.built == self.screens.log.built;
        same.then(|| 100 * hunt.looked_at / self.screens.log.index.blocks.len().max(1))
    }

    /// Goes on with the search: matches come in as they are found, and the first one is gone to.
    pub(super) fn hunt_on(&mut self) {
        let (build, log) = (&self.built.build, &mut self.screens.log);
        let Some(mut hunt) = log.hunt.take() else { return };
        let first = self.search.rows.is_empty();
        log.index.bite(build, &mut hunt, &mut self.search.rows);
        log.hunt = (hunt.looked_at < log.index.blocks.len()).then_some(hunt);
        self.search.rows.sort_unstable();
        let rows = &self.search.rows;
        let nearest = rows.iter().find(|&&row| row >= self.selection.line).or_else(|| rows.first()).copied();
        if let Some(row) = nearest.filter(|_| first) {
            self.put_line(row);
        }
    }

    /// Keeps the log in step with the build, and its chosen line with the chosen CPU.
    pub(super) fn settle_log(&mut self) {
        let built = &self.built;
        let log = &mut self.screens.log;
        let is_new = log.built != Some(built.generation);
        if is_new {
            log.index = Arc::new(Index::new(&built.build, &built.topology));
            log.built = Some(built.generation);
        }
        let line = self.selection.line.min(log.index.len().saturating_sub(1));
        self.selection.line = line;
        let cpu = self.selection.cpu;
        if (is_new || log.followed != Some(cpu)) && log.index.cpu_at(line) != Some(cpu) {
            self.selection.line = log.index.line_of(cpu).unwrap_or(line);
        }
        self.screens.log.followed = Some(cpu);
    }

    /// Chooses a line of the log, and with it the CPU and the level it is about.
    pub(in crate::ui) fn put_line(&mut self, line: usize) {
        let index = Arc::clone(&self.screens.log.index);
        let line = line.min(index.len().saturating_sub(1));
        self.selection.line = line;
        let build = &self.built.build;
        let Some(cpu) = index.cpu_at(line).filter(|&cpu| cpu < build.nr_cpus) else { return };
        let first = index.line_of(cpu).unwrap_or(line);
        let above = index.lines(build, first..line + 1);
        let domains = above.iter().filter(|line| line.text.trim_start().starts_with("domain")).count();
        let level = domains.checked_sub(1).and_then(|at| build.chain(cpu).nth(at)).map(|(level, _)| level);
        self.screens.log.followed = Some(cpu);
        let same = self.selection.cpu == cpu && level.is_none_or(|level| level == self.selection.level);
        if !same {
            self.selection.cpu = cpu;
            self.selection.level = level.unwrap_or(self.selection.level);
            self.link_cpu();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::presets;
    use crate::topology::arbitrary;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn agrees(topology: &Topology, release: &Release) {
        let build = kernel::build(topology, release);
        let index = Index::new(&build, topology);
        let text = dmesg::text(&build, topology);
        let whole: Vec<String> = index.lines(&build, 0..index.len()).into_iter().map(|line| line.text).collect();
        assert_eq!(whole, text.lines().collect::<Vec<_>>());
        assert_eq!(index.len(), whole.len());
        let middle = index.len() / 3..index.len() / 2;
        let part: Vec<String> = index.lines(&build, middle.clone()).into_iter().map(|line| line.text).collect();
        assert_eq!(part, whole[middle]);
    }

    #[test]
    fn counts_what_the_kernel_prints_for_every_preset() {
        for preset in presets::all() {
            for release in ["v4.11", "v5.10", "v6.12"] {
                let topology = preset.topology().unwrap();
                if topology.nr_cpus < 600 {
                    agrees(&topology, &Release::parse(release).unwrap());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn counts_what_the_kernel_prints(topology in arbitrary::topology(), release in select(Release::all())) {
            let built = std::panic::catch_unwind(|| kernel::build(&topology, &release));
            prop_assume!(built.is_ok());
            agrees(&topology, &release);
        }
    }
}
