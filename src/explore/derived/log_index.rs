//! The kernel log of a build, line by line: how many lines each CPU has is counted, not written, so that thousands of
//! CPUs scroll at once and only the lines seen are made.

use crate::kernel::{Build, Fate, MessageKind, dmesg};
use crate::topology::Topology;
use std::ops::Range;

/// Bytes of the log a search scans at a time; it goes on when nothing else is to do.
const CHUNK: usize = 2 << 20;

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
pub struct LogIndex {
    before: String,
    blocks: Vec<Block>,
    /// By CPU: where its lines begin.
    line_of: Vec<Option<u32>>,
    len: usize,
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The text.
    pub text: String,
    /// The CPU it is about.
    pub cpu: Option<usize>,
}

impl LogIndex {
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

    /// The CPU a line is about.
    pub fn cpu_at(&self, line: usize) -> Option<usize> {
        match self.blocks.get(self.block_at(line))?.part {
            Part::Cpu(cpu) => Some(cpu as usize),
            Part::Before | Part::Root(_) => None,
        }
    }

    /// The lines of a range.
    pub fn lines(&self, build: &Build, range: Range<usize>) -> Vec<LogLine> {
        let mut lines = Vec::with_capacity(range.len());
        for block in self.blocks.iter().skip(self.block_at(range.start)) {
            if block.first >= range.end {
                break;
            }
            let (text, cpu) = self.text(build, block.part);
            let skip = range.start.saturating_sub(block.first);
            let room = range.end - block.first.max(range.start);
            lines.extend(text.lines().skip(skip).take(room).map(|text| LogLine { text: text.to_owned(), cpu }));
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

    /// How many blocks there are: a search scans them one by one.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The block a line is in.
    pub fn block_at(&self, line: usize) -> usize {
        self.blocks.partition_point(|block| block.first <= line).saturating_sub(1)
    }

    /// Scans a chunk of the log from a block on, and from the end on to its beginning; adds the lines that hold `wanted`,
    /// in small letters, to `found`. Returns how many blocks were scanned, `most` at most.
    pub fn scan_chunk(&self, build: &Build, wanted: &str, from: usize, most: usize, found: &mut Vec<usize>) -> usize {
        let (mut scanned, mut bytes) = (0, 0);
        while scanned < most && bytes < CHUNK {
            let block = self.blocks[(from + scanned) % self.blocks.len()];
            let mut text = self.text(build, block.part).0;
            text.make_ascii_lowercase();
            let matching = text.lines().enumerate().filter(|(_, line)| line.contains(wanted));
            found.extend(matching.map(|(at, _)| block.first + at));
            bytes += text.len();
            scanned += 1;
        }
        scanned
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
        let index = LogIndex::new(&build, topology);
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
