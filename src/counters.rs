//! What the balancer did between two readings of `/proc/schedstat`, by the domains of the model.
//!
//! The kernel counts for each domain of each CPU how often balancing was tried, how often it moved nothing, and how many
//! tasks it pulled; only where `sysctl kernel.sched_schedstats` is 1, or else every counter stands still. A domain of the
//! file is the one of the model that the same CPU has with the same span.

use crate::cpumask::CpuMask;
use crate::formats::schedstat::{Balance, DomainStat, IdleType, Schedstat};
use crate::kernel::Build;
use crate::topology::Topology;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// What balancing for one idle type came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// Calls of `sched_balance_rq()`.
    pub calls: u64,
    /// Of them, those that moved nothing though the load was uneven.
    pub failed: u64,
    /// Tasks pulled.
    pub pulled: u64,
}

impl Tries {
    fn between(before: Balance, after: Balance) -> Self {
        Self {
            calls: since(before.calls, after.calls),
            failed: since(before.failed, after.failed),
            pulled: since(before.pulled, after.pulled),
        }
    }
}

/// How far a counter came; one that was set back began at zero.
fn since(before: u64, after: u64) -> u64 {
    after.checked_sub(before).unwrap_or(after)
}

impl AddAssign for Tries {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.pulled += other.pulled;
    }
}

/// What balancing in a domain, or in several, came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// While the CPU had tasks.
    pub busy: Tries,
    /// While it was idle.
    pub idle: Tries,
    /// When it was about to be idle.
    pub newly_idle: Tries,
    /// Active balancing, in which the busy CPU pushes: calls, failures, tasks pushed.
    pub active: Tries,
}

impl Counts {
    fn between(before: &DomainStat, after: &DomainStat) -> Self {
        let tries = |idle: IdleType| {
            let [before, after] = [before, after].map(|stat| stat.balance.get(&idle).copied().unwrap_or_default());
            Tries::between(before, after)
        };
        let [calls, failed, pulled] = [0, 1, 2].map(|at| since(before.active[at], after.active[at]));
        Self {
            busy: tries(IdleType::Busy),
            idle: tries(IdleType::Idle),
            newly_idle: tries(IdleType::NewlyIdle),
            active: Tries { calls, failed, pulled },
        }
    }

    /// The four kinds, with their names for people.
    pub fn kinds(&self) -> [(&'static str, Tries); 4] {
        [
            (IdleType::Busy.name(), self.busy),
            (IdleType::Idle.name(), self.idle),
            (IdleType::NewlyIdle.name(), self.newly_idle),
            ("active", self.active),
        ]
    }

    /// Whether nothing happened.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.busy += other.busy;
        self.idle += other.idle;
        self.newly_idle += other.newly_idle;
        self.active += other.active;
    }
}

/// A domain of the file that the model does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// The CPU.
    pub cpu: usize,
    /// The domain's number in the file, from 0, bottom up.
    pub domain: usize,
    /// Its span there.
    pub span: CpuMask,
}

/// What happened between two readings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Seconds from the first to the second.
    pub seconds: f64,
    /// By CPU, and by index of the level in the build.
    pub domains: BTreeMap<(usize, usize), Counts>,
    /// Domains of the file that the model does not have.
    pub unmatched: Vec<Unmatched>,
}

/// A sum over the CPUs of a node at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// Index of the level in the build.
    pub level: usize,
    /// Index of the node; `None` for CPUs of no node.
    pub node: Option<u32>,
    /// The CPUs summed.
    pub cpus: CpuMask,
    /// What they did.
    pub counts: Counts,
}

impl Counters {
    /// What happened from `before` to `after`, `seconds` apart, in the domains of `build`. CPUs that only one of the readings
    /// has are left out: they came or went.
    pub fn between(build: &Build, before: &Schedstat, after: &Schedstat, seconds: f64) -> Self {
        let mut counters = Self { seconds, ..Self::default() };
        for (&cpu, stat) in &after.cpus {
            let Some(earlier) = before.cpus.get(&cpu) else { continue };
            counters.count_cpu(build, cpu, &earlier.domains, &stat.domains);
        }
        counters
    }

    fn count_cpu(&mut self, build: &Build, cpu: usize, before: &[DomainStat], after: &[DomainStat]) {
        let chain: Vec<(usize, &CpuMask)> = if cpu < build.nr_cpus {
            build.chain(cpu).map(|(level, domain)| (level, build.span(domain.span))).collect()
        } else {
            Vec::new()
        };
        for (at, stat) in after.iter().enumerate() {
            let same = chain.get(at).filter(|(_, span)| **span == stat.span);
            let Some(&(level, _)) = same.or_else(|| chain.iter().find(|(_, span)| **span == stat.span)) else {
                self.unmatched.push(Unmatched { cpu, domain: at, span: stat.span.clone() });
                continue;
            };
            // Domains that were rebuilt in between count from zero again.
            let same = before.get(at).filter(|earlier| earlier.span == stat.span);
            let counts = same.map_or_else(Counts::default, |earlier| Counts::between(earlier, stat));
            *self.domains.entry((cpu, level)).or_default() += counts;
        }
    }

    /// Sums by level, the highest first, and node, in the order of the topology.
    pub fn totals(&self, topology: &Topology) -> Vec<Total> {
        let node_of = topology.node_of_cpus();
        let mut sums: BTreeMap<(std::cmp::Reverse<usize>, u32), Total> = BTreeMap::new();
        for (&(cpu, level), &counts) in &self.domains {
            let node = node_of.get(cpu).copied().flatten();
            let key = (std::cmp::Reverse(level), node.unwrap_or(u32::MAX));
            let total = sums.entry(key).or_insert_with(|| Total {
                level,
                node,
                cpus: CpuMask::new(),
                counts: Counts::default(),
            });
            total.cpus.insert(cpu);
            total.counts += counts;
        }
        sums.into_values().collect()
    }

    /// So many a second.
    pub fn rate(&self, count: u64) -> f64 {
        if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 }
    }

    /// Whether nothing at all was counted: the kernel may have been told not to.
    pub fn stands_still(&self) -> bool {
        self.domains.values().all(Counts::is_zero)
    }
}

/// Seconds between two readings by their jiffies, of which there are `hz` a second.
pub fn seconds_between(before: &Schedstat, after: &Schedstat, hz: u32) -> f64 {
    since(before.timestamp, after.timestamp) as f64 / f64::from(hz.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::schedstat;
    use crate::kernel::{self, Release};
    use crate::presets;

    /// Two CPUs' worth of a reading of version 15 on the ring: domains 0-1,3 and 0-3 of CPU 0.
    fn reading(jiffies: u64, pulled: u64) -> Schedstat {
        let domain = |index: usize, span: &str, first: u64| {
            let idle = format!("{first} 2 1 0 {pulled} 0 0 0");
            format!("domain{index} {span} {idle} 7 7 0 0 0 0 0 0 {first} 0 0 0 0 0 0 0 4 1 3 0 0 0 0 0 0 0 0 0")
        };
        let text = format!(
            "version 15\ntimestamp {jiffies}\ncpu0 0 0 0 0 0 0 0 0 0\n{}\n{}\ncpu1 0 0 0 0 0 0 0 0 0\n{}\n",
            domain(0, "b", 10 + jiffies),
            domain(1, "f", 20),
            domain(0, "6", 1)
        );
        schedstat::read(&text).unwrap()
    }

    #[test]
    fn domains_are_found_by_their_spans_and_counted_between_readings() {
        let ring = presets::find("ring4").unwrap().topology().unwrap();
        let build = kernel::build(&ring, &Release::parse("v5.10").unwrap());
        let (before, after) = (reading(100, 5), reading(350, 9));
        assert!((seconds_between(&before, &after, 250) - 1.0).abs() < 1e-9);
        let counters = Counters::between(&build, &before, &after, 1.0);
        let (level, _) = build.chain(0).next().unwrap();
        let counts = counters.domains[&(0, level)];
        assert_eq!(counts.idle, Tries { calls: 250, failed: 0, pulled: 4 });
        assert_eq!(counts.newly_idle.calls, 250);
        assert!(counts.active == Tries::default() && counts.busy == Tries::default());
        assert_eq!(counters.unmatched, [Unmatched { cpu: 1, domain: 0, span: CpuMask::parse("1-2", None).unwrap() }]);
        let totals = counters.totals(&ring);
        assert_eq!(totals.iter().map(|total| (total.level, total.node)).collect::<Vec<_>>().len(), 2);
        assert!(totals[0].level > totals[1].level && totals[1].counts == counts);
        assert!(!counters.stands_still());
        assert!(Counters::between(&build, &after, &after, 1.0).stands_still());
    }

    #[test]
    fn a_counter_that_was_set_back_began_at_zero() {
        assert_eq!((since(5, 9), since(9, 5)), (4, 5));
    }
}
