//! `/proc/schedstat`: what the balancer of each CPU did in each of its domains. Versions 15, 16 and 17.

use super::error::FormatError;
use crate::cpumask::{CpuMask, MAX_CPUS};
use std::collections::BTreeMap;

/// The versions read.
const VERSIONS: std::ops::RangeInclusive<u32> = 15..=17;
/// From here on domains have names, and idle types another order.
const NAMED: u32 = 17;

/// The idle types, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdleType {
    /// The CPU is idle.
    Idle,
    /// The CPU has tasks.
    Busy,
    /// The CPU is about to be idle.
    NewlyIdle,
}

impl IdleType {
    /// Those of a version, in order. Version 16 put busy first.
    fn order(version: u32) -> [Self; 3] {
        if version < 16 { [Self::Idle, Self::Busy, Self::NewlyIdle] } else { [Self::Busy, Self::Idle, Self::NewlyIdle] }
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::NewlyIdle => "newly idle",
        }
    }
}

/// What balancing did in a domain for one idle type, since boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// How often it was called.
    pub calls: u64,
    /// How often it found everything balanced.
    pub balanced: u64,
    /// How often it moved nothing though it should have.
    pub failed: u64,
    /// Tasks pulled.
    pub pulled: u64,
}

/// A domain's counters since boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainStat {
    /// Its line, from 1.
    pub line: usize,
    /// The name of its level, from version 17 on.
    pub name: Option<String>,
    /// Its span.
    pub span: CpuMask,
    /// Balancing by idle type.
    pub balance: BTreeMap<IdleType, Balance>,
    /// Active balances: calls, failures, tasks pushed.
    pub active: [u64; 3],
}

/// A CPU's domains, bottom up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuStat {
    /// Its line, from 1.
    pub line: usize,
    /// Its domains.
    pub domains: Vec<DomainStat>,
}

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedstat {
    /// The version.
    pub version: u32,
    /// Jiffies.
    pub timestamp: u64,
    /// By CPU.
    pub cpus: BTreeMap<usize, CpuStat>,
}

/// Where the kernel shows it.
pub const PLACE: &str = "/proc/schedstat";
/// Whether the kernel counts: 1 or 0.
const SWITCH: &str = "/proc/sys/kernel/sched_schedstats";

/// This machine's counters, now.
///
/// # Errors
/// When the kernel shows none, or they are in a version that is not known.
pub fn live() -> Result<Schedstat, FormatError> {
    let text = std::fs::read_to_string(PLACE).map_err(|error| {
        FormatError::new(error.to_string(), "the kernel has to be built with CONFIG_SCHEDSTATS").in_file(PLACE)
    })?;
    read(&text).map_err(|error| error.in_file(PLACE))
}

/// Whether this machine's kernel was told not to count.
pub fn is_switched_off() -> bool {
    std::fs::read_to_string(SWITCH).is_ok_and(|switch| switch.trim() == "0")
}

/// Whether a text is such a file.
pub fn is_schedstat(text: &str) -> bool {
    let mut lines = text.lines();
    let version = lines.next().is_some_and(|line| line.starts_with("version "));
    version && lines.next().is_some_and(|line| line.starts_with("timestamp ") || line.starts_with("cpu0 "))
}

/// Reads the file.
///
/// # Errors
/// When the version is not known, or a line is no such line.
pub fn read(text: &str) -> Result<Schedstat, FormatError> {
    let mut stat = Schedstat::default();
    let mut cpu = None;
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        let wrong = |fault: &str| FormatError::new(fault, "give /proc/schedstat as it is").at(at, 1);
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        if first == "version" {
            stat.version = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
            if !VERSIONS.contains(&stat.version) {
                let fault = format!("version {} of /proc/schedstat is not known", stat.version);
                return Err(FormatError::new(fault, "known are 15, 16 and 17").at(at, 1));
            }
        } else if first == "timestamp" {
            stat.timestamp = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        } else if let Some(number) = first.strip_prefix("cpu") {
            let number =
                number.parse().ok().filter(|&number: &usize| number < MAX_CPUS).ok_or_else(|| wrong("no such CPU"))?;
            stat.cpus.insert(number, CpuStat { line: at, domains: Vec::new() });
            cpu = Some(number);
        } else if first.starts_with("domain") {
            let known = cpu.and_then(|cpu| stat.cpus.get_mut(&cpu)).ok_or_else(|| wrong("a domain of no CPU"))?;
            let words: Vec<&str> = words.collect();
            let domain = domain(at, stat.version, &words).ok_or_else(|| wrong("this is no line of counters"))?;
            known.domains.push(domain);
        }
    }
    Ok(stat)
}

/// The words after `domain0`: a name from version 17 on, the span, three times as many counters as an idle type has, and
/// three of active balancing first among the rest. A line that is cut short has those counters it has.
fn domain(line: usize, version: u32, words: &[&str]) -> Option<DomainStat> {
    let (name, words) =
        if version >= NAMED { (Some((*words.first()?).to_owned()), &words[1..]) } else { (None, words) };
    let (span, counters) = words.split_first()?;
    let span = CpuMask::parse_hex(span)?;
    let counters: Vec<u64> = counters.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    // Version 17 split the imbalance in four.
    let each = if version >= NAMED { 11 } else { 8 };
    let mut balance = BTreeMap::new();
    for (of, part) in IdleType::order(version).into_iter().zip(counters.chunks(each)) {
        if let (&[calls, balanced, failed, ..], Some(&pulled)) = (part, part.get(each - 4)) {
            balance.insert(of, Balance { calls, balanced, failed, pulled });
        }
    }
    let active = [0, 1, 2].map(|at| counters.get(3 * each + at).copied().unwrap_or(0));
    Some(DomainStat { line, name, span, balance, active })
}
