//! Sets of CPUs, and the cpulist notation the kernel prints and reads them in.
//!
//! A [`CpuMask`] keeps only the words between its first and its last CPU. Most masks of a machine are small (a core,
//! a last-level cache, a node), so a mask of two CPUs costs two words whether the machine has 4 CPUs or 8192, and
//! comparing or hashing it costs the same.

use smallvec::SmallVec;
use std::fmt;

/// The most CPUs a machine may have: the kernel's own `NR_CPUS` on x86 with `MAXSMP`.
pub const MAX_CPUS: usize = 8192;

const BITS: usize = 64;

/// A set of CPU numbers, `struct cpumask`.
///
/// Always in normal form: no zero word at either end, and an empty set has no words and starts at 0. Equal sets are
/// therefore equal as values and hash alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuMask {
    start: u32,
    words: SmallVec<[u64; 2]>,
}

impl CpuMask {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The set of one CPU.
    pub fn single(cpu: usize) -> Self {
        let mut words = SmallVec::new();
        words.push(1 << (cpu % BITS));
        Self { start: (cpu / BITS) as u32, words }
    }

    /// The set of CPUs `first..=last`; empty when `first > last`.
    pub fn range(first: usize, last: usize) -> Self {
        if first > last {
            return Self::new();
        }
        let (from, to) = (first / BITS, last / BITS);
        let mut words: SmallVec<[u64; 2]> = SmallVec::from_elem(u64::MAX, to - from + 1);
        words[0] &= u64::MAX << (first % BITS);
        words[to - from] &= u64::MAX >> (BITS - 1 - last % BITS);
        Self { start: from as u32, words }
    }

    /// The set of the first `n` CPUs, `0..n`.
    pub fn first_n(n: usize) -> Self {
        if n == 0 { Self::new() } else { Self::range(0, n - 1) }
    }

    /// Index of the first word past the end.
    fn end(&self) -> usize {
        self.start as usize + self.words.len()
    }

    /// The word at absolute index `at`, zero outside the kept window.
    fn word(&self, at: usize) -> u64 {
        at.checked_sub(self.start as usize).and_then(|i| self.words.get(i)).copied().unwrap_or(0)
    }

    fn normalise(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
        let zeros = self.words.iter().take_while(|&&word| word == 0).count();
        if zeros > 0 {
            self.words.drain(..zeros);
            self.start += zeros as u32;
        }
        if self.words.is_empty() {
            self.start = 0;
        }
    }

    /// Whether no CPU is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many CPUs are in the set, `cpumask_weight`.
    pub fn weight(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether `cpu` is in the set.
    pub fn contains(&self, cpu: usize) -> bool {
        self.word(cpu / BITS) >> (cpu % BITS) & 1 == 1
    }

    /// Puts `cpu` in.
    pub fn insert(&mut self, cpu: usize) {
        let at = cpu / BITS;
        if self.is_empty() {
            *self = Self::single(cpu);
            return;
        }
        let start = self.start as usize;
        if at < start {
            self.words.insert_many(0, std::iter::repeat_n(0, start - at));
            self.start = at as u32;
        } else if at >= self.end() {
            self.words.resize(at - start + 1, 0);
        }
        self.words[at - self.start as usize] |= 1 << (cpu % BITS);
    }

    /// Takes `cpu` out.
    pub fn remove(&mut self, cpu: usize) {
        let at = cpu / BITS;
        if self.contains(cpu) {
            self.words[at - self.start as usize] &= !(1 << (cpu % BITS));
            self.normalise();
        }
    }

    /// The lowest CPU, `cpumask_first`.
    pub fn first(&self) -> Option<usize> {
        self.words.first().map(|word| self.start as usize * BITS + word.trailing_zeros() as usize)
    }

    /// The highest CPU, `cpumask_last`.
    pub fn last(&self) -> Option<usize> {
        self.words.last().map(|word| self.end() * BITS - 1 - word.leading_zeros() as usize)
    }

    /// The lowest CPU that is `from` or higher, `cpumask_next(from - 1)`.
    pub fn next_from(&self, from: usize) -> Option<usize> {
        let first = self.first()?;
        if from <= first {
            return Some(first);
        }
        let mut at = from / BITS;
        let mut word = self.word(at) & (u64::MAX << (from % BITS));
        while word == 0 {
            at += 1;
            if at >= self.end() {
                return None;
            }
            word = self.words[at - self.start as usize];
        }
        Some(at * BITS + word.trailing_zeros() as usize)
    }

    /// The lowest CPU that is `from` or higher, and if there is none the lowest of all: one step of
    /// `for_each_cpu_wrap`.
    pub fn next_wrap(&self, from: usize) -> Option<usize> {
        self.next_from(from).or_else(|| self.first())
    }

    /// The words both masks may share: absolute indices, `self` and `other` side by side.
    fn overlap<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (usize, u64, u64)> + 'a {
        let from = self.start.max(other.start) as usize;
        let to = self.end().min(other.end());
        (from..to).map(|at| (at, self.words[at - self.start as usize], other.words[at - other.start as usize]))
    }

    /// Whether the two sets share a CPU, `cpumask_intersects`.
    pub fn intersects(&self, other: &Self) -> bool {
        self.overlap(other).any(|(_, a, b)| a & b != 0)
    }

    /// Whether every CPU of this set is in `other`, `cpumask_subset`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.is_empty()
            || (self.start >= other.start
                && self.end() <= other.end()
                && self.overlap(other).all(|(_, a, b)| a & !b == 0))
    }

    /// The lowest CPU in both sets, `cpumask_first_and`.
    pub fn first_and(&self, other: &Self) -> Option<usize> {
        self.overlap(other).find(|(_, a, b)| a & b != 0).map(|(at, a, b)| at * BITS + (a & b).trailing_zeros() as usize)
    }

    /// The lowest CPU in all three sets, `cpumask_first_and_and`.
    pub fn first_and_and(&self, second: &Self, third: &Self) -> Option<usize> {
        self.overlap(second).find_map(|(at, a, b)| {
            let common = a & b & third.word(at);
            (common != 0).then(|| at * BITS + common.trailing_zeros() as usize)
        })
    }

    /// How many CPUs are in both sets, `cpumask_weight_and`.
    pub fn weight_and(&self, other: &Self) -> usize {
        self.overlap(other).map(|(_, a, b)| (a & b).count_ones() as usize).sum()
    }

    /// The CPUs in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let start = self.start.max(other.start);
        let mut mask = Self { start, words: self.overlap(other).map(|(_, a, b)| a & b).collect() };
        mask.normalise();
        mask
    }

    /// The CPUs in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let mut mask = self.clone();
        mask.or_assign(other);
        mask
    }

    /// The CPUs of this set that are not in `other`.
    #[must_use]
    pub fn andnot(&self, other: &Self) -> Self {
        let mut mask = self.clone();
        mask.andnot_assign(other);
        mask
    }

    /// Adds every CPU of `other`.
    pub fn or_assign(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        if other.start < self.start {
            self.words.insert_many(0, std::iter::repeat_n(0, (self.start - other.start) as usize));
            self.start = other.start;
        }
        if other.end() > self.end() {
            self.words.resize(other.end() - self.start as usize, 0);
        }
        let shift = (other.start - self.start) as usize;
        for (mine, theirs) in self.words[shift..].iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// Takes every CPU of `other` out.
    pub fn andnot_assign(&mut self, other: &Self) {
        let from = self.start.max(other.start) as usize;
        let to = self.end().min(other.end());
        for at in from..to {
            self.words[at - self.start as usize] &= !other.words[at - other.start as usize];
        }
        self.normalise();
    }

    /// Marks the CPUs of this set in `words` (bit `cpu % 64` of word `cpu / 64`), and says whether all were unmarked.
    pub(crate) fn take_from(&self, words: &mut [u64]) -> bool {
        let start = self.start as usize;
        let mut fresh = true;
        for (mine, taken) in self.words.iter().zip(&mut words[start..]) {
            fresh &= *mine & *taken == 0;
            *taken |= *mine;
        }
        fresh
    }

    /// The CPUs in ascending order, `for_each_cpu`.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(move |(i, &word)| Bits { word, base: (self.start as usize + i) * BITS })
    }

    /// The CPUs from `start` upwards, then those below it: `for_each_cpu_wrap`. `start` itself need not be set.
    pub fn iter_wrap(&self, start: usize) -> impl Iterator<Item = usize> + '_ {
        let split = self.next_from(start);
        let upper = std::iter::successors(split, move |&cpu| self.next_from(cpu + 1));
        let lower = std::iter::successors(self.first(), move |&cpu| self.next_from(cpu + 1));
        upper.chain(lower.take_while(move |&cpu| cpu < start))
    }

    /// The runs of consecutive CPUs, first and last of each.
    pub fn ranges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut from = self.first();
        std::iter::from_fn(move || {
            let first = from?;
            let last = self.next_clear(first) - 1;
            from = self.next_from(last + 1);
            Some((first, last))
        })
    }

    /// The lowest CPU number from `from` on that is not in the set.
    fn next_clear(&self, from: usize) -> usize {
        let mut at = from / BITS;
        let mut clear = !self.word(at) & (u64::MAX << (from % BITS));
        while clear == 0 {
            at += 1;
            clear = !self.word(at);
        }
        at * BITS + clear.trailing_zeros() as usize
    }

    /// Reads a cpulist: `0-3,8`, `0-31:2/4` (of every 4, the first 2), `N` for the last CPU, `all`, or nothing.
    ///
    /// `nr_cpus` is what `N` and `all` refer to; `None` means that they can't be known here and are refused.
    ///
    /// # Errors
    /// [`CpuListError`] when a part is no number, range or pattern, runs backwards, or lies at or above [`MAX_CPUS`].
    pub fn parse(text: &str, nr_cpus: Option<usize>) -> Result<Self, CpuListError> {
        let mut mask = Self::new();
        for part in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty()) {
            mask.or_assign(&parse_part(part, nr_cpus)?);
        }
        Ok(mask)
    }

    /// Reads what the kernel prints with `%*pb`: hexadecimal digits, 32 bits between commas, the highest first. `None` when
    /// it is none, or names CPUs beyond [`MAX_CPUS`].
    pub fn parse_hex(text: &str) -> Option<Self> {
        if !text.contains(|c: char| c.is_ascii_hexdigit()) {
            return None;
        }
        let mut mask = Self::new();
        // A word may be short, or empty for 0.
        for (word, digits) in text.trim().rsplit(',').enumerate() {
            let digits = digits.trim().trim_start_matches("0x");
            // A mask of few CPUs is one word, whatever its length.
            if digits.len() > 8 && text.contains(',') {
                return None;
            }
            for (nibble, digit) in digits.bytes().rev().enumerate() {
                let bits = char::from(digit).to_digit(16)?;
                for bit in (0..4).filter(|bit| bits >> bit & 1 == 1) {
                    let cpu = word * 32 + nibble * 4 + bit;
                    if cpu >= MAX_CPUS {
                        return None;
                    }
                    mask.insert(cpu);
                }
            }
        }
        Some(mask)
    }
}

/// One comma-separated part of a cpulist.
fn parse_part(part: &str, nr_cpus: Option<usize>) -> Result<CpuMask, CpuListError> {
    let fault = |why| CpuListError { part: part.chars().take(40).collect(), why };
    let number = |text: &str| -> Result<usize, CpuListError> {
        if text.eq_ignore_ascii_case("n") {
            return nr_cpus.and_then(|n| n.checked_sub(1)).ok_or_else(|| fault(CpuListFault::NoLast));
        }
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(fault(CpuListFault::NotANumber));
        }
        text.parse().ok().filter(|&cpu| cpu < MAX_CPUS).ok_or_else(|| fault(CpuListFault::TooHigh))
    };
    let (range, pattern) = part.split_once(':').map_or((part, None), |(range, pattern)| (range, Some(pattern)));
    let (first, last) = if range.eq_ignore_ascii_case("all") {
        (0, nr_cpus.and_then(|n| n.checked_sub(1)).ok_or_else(|| fault(CpuListFault::NoLast))?)
    } else {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        (number(first)?, number(last)?)
    };
    if first > last {
        return Err(fault(CpuListFault::Backwards));
    }
    let Some(pattern) = pattern else { return Ok(CpuMask::range(first, last)) };
    let (used, group) = pattern.split_once('/').ok_or_else(|| fault(CpuListFault::Pattern))?;
    let (used, group): (usize, usize) = used
        .parse()
        .ok()
        .zip(group.parse().ok())
        .filter(|&(used, group)| group > 0 && used <= group)
        .ok_or_else(|| fault(CpuListFault::Pattern))?;
    let mut mask = CpuMask::new();
    for from in (first..=last).step_by(group).filter(|_| used > 0) {
        mask.or_assign(&CpuMask::range(from, last.min(from + used - 1)));
    }
    Ok(mask)
}

/// Why a cpulist can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cpulist part {part:?} {why}")]
pub struct CpuListError {
    /// The part at fault, as written.
    pub part: String,
    /// What is wrong with it.
    pub why: CpuListFault,
}

/// What is wrong with a part of a cpulist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CpuListFault {
    /// Neither a number nor a range of numbers.
    #[error("is not a CPU number or range; write for example 0-3,8")]
    NotANumber,
    /// At or above [`MAX_CPUS`].
    #[error("is beyond the last possible CPU, 8191")]
    TooHigh,
    /// The range's end is below its start.
    #[error("runs backwards; write the lower CPU first")]
    Backwards,
    /// The `:used/group` pattern is malformed.
    #[error("has a bad pattern; write for example 0-31:2/4, the first 2 of every 4")]
    Pattern,
    /// `N` or `all` where the number of CPUs is not known.
    #[error("refers to the last CPU, which is not known here; write its number")]
    NoLast,
}

/// The CPUs of one word.
struct Bits {
    word: u64,
    base: usize,
}

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.word == 0 {
            return None;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}

impl DoubleEndedIterator for Bits {
    fn next_back(&mut self) -> Option<usize> {
        if self.word == 0 {
            return None;
        }
        let bit = BITS - 1 - self.word.leading_zeros() as usize;
        self.word &= !(1 << bit);
        Some(self.base + bit)
    }
}

impl Extend<usize> for CpuMask {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, cpus: I) {
        cpus.into_iter().for_each(|cpu| self.insert(cpu));
    }
}

impl FromIterator<usize> for CpuMask {
    fn from_iter<I: IntoIterator<Item = usize>>(cpus: I) -> Self {
        let mut mask = Self::new();
        for cpu in cpus {
            mask.insert(cpu);
        }
        mask
    }
}

/// The kernel's `%*pbl`: `0-3,8`, nothing for the empty set.
impl fmt::Display for CpuMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (first, last)) in self.ranges().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
