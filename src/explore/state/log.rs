//! What the Dmesg screen knows.

use crate::explore::derived::log_index::LogIndex;
use crate::explore::vocabulary::direction::{Direction, MoveBy};
use crate::kernel::Build;
use std::sync::Arc;

/// Columns a step to the side goes.
const ASIDE: usize = 16;

/// What the Dmesg screen knows.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The generation of the build the index is of.
    pub built: Option<u64>,
    /// Where each part of the log begins.
    pub index: Arc<LogIndex>,
    /// The CPU the chosen line followed last.
    pub followed: Option<usize>,
    /// Columns left out at the left.
    pub column: usize,
    /// The search under way.
    pub search: Option<LogSearch>,
}

/// A search through the log that is not at its end.
#[derive(Clone, Debug)]
pub struct LogSearch {
    /// The generation of the build the log is of.
    pub built: Option<u64>,
    /// What is searched, in small letters.
    pub wanted: String,
    /// The block it began at: it goes on to the end of the log and then from the beginning.
    start: usize,
    /// How many blocks it has scanned.
    pub scanned: usize,
}

impl Log {
    /// Moves the view aside.
    pub fn go_aside(&mut self, direction: Direction, by: MoveBy) {
        self.column = match (direction, by) {
            (Direction::Left, MoveBy::End) => 0,
            (Direction::Left, _) => self.column.saturating_sub(ASIDE),
            (_, MoveBy::End) => self.column.saturating_add(ASIDE * 16),
            (_, _) => self.column.saturating_add(ASIDE),
        }
        .min(1 << 20);
    }

    /// Begins a search, for a text in small letters, at a line; adds what a first chunk holds to `found`.
    pub fn begin_search(&mut self, build: &Build, wanted: &str, line: usize, found: &mut Vec<usize>) {
        let start = self.index.block_at(line);
        self.search = Some(LogSearch { built: self.built, wanted: wanted.to_owned(), start, scanned: 0 });
        self.search_on(build, found);
    }

    /// Goes on with the search by a chunk; whether one was under way.
    pub fn search_on(&mut self, build: &Build, found: &mut Vec<usize>) -> bool {
        let Some(mut search) = self.search.take() else { return false };
        let left = self.index.blocks().saturating_sub(search.scanned);
        let from = search.start + search.scanned;
        search.scanned += self.index.scan_chunk(build, &search.wanted, from, left, found);
        found.sort_unstable();
        self.search = (search.scanned < self.index.blocks()).then_some(search);
        true
    }
}
