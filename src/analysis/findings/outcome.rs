//! What became of the build, and what the kernel itself complains of.

use super::advice::Advice;
use super::{Checker, REPAIR, Severity, Witness, text};
use crate::cpumask::CpuMask;
use crate::kernel::release::SpanCheck;
use crate::kernel::{BuildError, MessageKind, dmesg};
use rustc_hash::FxHashMap;

/// How a message of the kernel is reported.
struct Report {
    id: &'static str,
    severity: Severity,
    /// What it means, after the kernel's words.
    meaning: &'static str,
    advice: Advice,
}

impl Checker<'_> {
    pub(super) fn outcome(&mut self) {
        if let Some(error) = &self.build.error {
            self.error(error);
        }
        self.messages();
    }

    fn error(&mut self, error: &BuildError) {
        let at = |name: &str| self.build.levels.iter().position(|level| level.name == name);
        let witness = match error {
            BuildError::SpanInsane { level, a, b } => {
                Witness { cpus: [*a, *b].into_iter().collect(), level: at(level), ..Witness::default() }
            }
            BuildError::EmptyCpuMap => Witness::default(),
            BuildError::BrokenRing { level, cpu } | BuildError::Oops { level, cpu, .. } => {
                Witness { cpus: CpuMask::single(*cpu), level: at(level), ..Witness::default() }
            }
        };
        let (id, advice) = match error {
            BuildError::SpanInsane { level, .. } if self.is_false_alarm(level) => (
                "span-check-false-alarm",
                Advice::Release {
                    since: (6, 18),
                    why: "which reads the masks right; they are sane",
                    otherwise: REPAIR,
                },
            ),
            BuildError::SpanInsane { .. } => (
                "build-refused",
                Advice::Words(
                    "masks of one level must be equal or have no CPU in common: correct what the firmware or hypervisor \
                     says of cores, clusters and caches",
                ),
            ),
            BuildError::EmptyCpuMap => {
                ("build-refused", Advice::Words("leave at least one online CPU that is not isolated"))
            }
            BuildError::BrokenRing { .. } => {
                ("group-ring-broken", Advice::Words("make the masks of this level equal or apart"))
            }
            BuildError::Oops { .. } => ("kernel-oops", Advice::Words("do not boot this kernel on this machine")),
        };
        self.push(id, Severity::Error, error.to_string(), witness, advice);
    }

    /// Whether only the stale NODE masks of 6.16 and 6.17 made the span check fail: NODE is a node's own CPUs.
    fn is_false_alarm(&self, level: &str) -> bool {
        self.build.release.rules.span_check == SpanCheck::StaleNode && level == "NODE"
    }

    /// The kernel's messages, the same one at the same level folded over CPUs. What another check says better, with
    /// the nodes or CPUs that cause it, is left to that.
    fn messages(&mut self) {
        let mut order: Vec<(MessageKind, Option<usize>)> = Vec::new();
        let mut cpus: FxHashMap<(String, Option<usize>), CpuMask> = FxHashMap::default();
        let mut note = |kind: &MessageKind, level: Option<usize>, cpu: Option<usize>| {
            let with = cpus.entry((format!("{kind:?}"), level)).or_insert_with(|| {
                order.push((kind.clone(), level));
                CpuMask::new()
            });
            if let Some(cpu) = cpu {
                with.insert(cpu);
            }
        };
        for message in &self.build.messages {
            let (level, cpu) = (message.level.map(|level| level as usize), message.cpu.map(|cpu| cpu as usize));
            note(&message.kind, level, cpu);
        }
        if !self.topology.sched_debug {
            // The log is off, and what it would say is as true.
            for cpu in self.cpu_map.iter() {
                for (level, kind) in dmesg::complaints(self.build, cpu) {
                    note(&kind, Some(level), Some(cpu));
                }
            }
        }
        for (kind, level) in order {
            let Some(report) = report(&kind) else { continue };
            let cpus = cpus.remove(&(format!("{kind:?}"), level)).unwrap_or_default();
            self.message(&kind, level, cpus, &report);
        }
    }

    fn message(&mut self, kind: &MessageKind, level: Option<usize>, cpus: CpuMask, report: &Report) {
        let first = cpus.first().map(|cpu| cpu as u32);
        let said = kind.text(first);
        // These lines name one CPU of several.
        let said = match kind {
            MessageKind::SpanLacksCpu | MessageKind::GroupsLackCpu => {
                said.replace(char::is_numeric, "").replace("CPU", "the CPU")
            }
            _ => said,
        };
        let place = match (level, cpus.is_empty()) {
            (Some(level), false) => format!(" ({}, {})", self.build.level_label(level), text::cpus(&cpus)),
            (Some(level), true) => format!(" ({})", self.build.level_label(level)),
            (None, false) => format!(" ({})", text::cpus(&cpus)),
            (None, true) => String::new(),
        };
        let groups = self.groups_said_of(kind, level, cpus.first());
        let masks = match (kind, groups.as_slice()) {
            (MessageKind::NotSubset { child, parent }, [below, mask]) => {
                format!(" (the span of {child}, {{{below}}}, is not within that of {parent}, {{{mask}}})")
            }
            _ => String::new(),
        };
        let message = format!("the kernel says \"{said}\"{place}{masks}: {}", report.meaning);
        let witness = Witness { cpus, level, groups, ..Witness::default() };
        self.push(report.id, report.severity, message, witness, report.advice);
    }

    /// The two masks, or the groups of the domain, a message is about.
    fn groups_said_of(&self, kind: &MessageKind, level: Option<usize>, cpu: Option<usize>) -> Vec<CpuMask> {
        let (Some(level), Some(cpu)) = (level, cpu) else { return Vec::new() };
        if let (MessageKind::NotSubset { .. }, Some(below)) = (kind, level.checked_sub(1)) {
            // The span below may have been widened itself; the one above is looked at before it is.
            let span = |level| self.build.domain(cpu, level).map(|domain| self.build.span(domain.span).clone());
            let mask = self.level_mask(level, cpu).and(&self.cpu_map);
            return vec![span(below).unwrap_or_else(|| self.level_mask(below, cpu)), mask];
        }
        match self.build.domain(cpu, level) {
            Some(domain) => self.build.groups_of(domain).map(|group| group.span.clone()).collect(),
            None => Vec::new(),
        }
    }
}

const FIX_MASKS: Advice = Advice::Words("correct the masks the firmware or hypervisor reports for this level");
const FIX_TABLE: Advice = Advice::Release { since: (5, 13), why: "which builds these groups right", otherwise: REPAIR };

/// How a message is reported; `None` for those that other checks report with their cause.
fn report(kind: &MessageKind) -> Option<Report> {
    use Severity::{Error, Warning};
    let (id, severity, meaning, advice) = match kind {
        // The checks of distances and the build's error say these.
        MessageKind::NotSymmetric
        | MessageKind::Node0NotRepresentative
        | MessageKind::InvalidDistance
        | MessageKind::SpanInsane { .. }
        | MessageKind::EmptyCpuMap => return None,
        MessageKind::ArrayOverflow { .. } => (
            "distance-array-overflow",
            Error,
            "it writes past the end of an array",
            Advice::Release {
                since: (5, 0),
                why: "or give fewer different distances",
                otherwise: "give fewer different distances",
            },
        ),
        MessageKind::MoreThanTwoPackages(_) => (
            "too-many-packages",
            Warning,
            "all remote distances become one number, and the structure between packages is lost",
            Advice::Release { since: (7, 0), why: "where distances are averaged per pair of packages", otherwise: "" },
        ),
        MessageKind::SlitNotClustered => (
            "slit-not-clustered",
            Warning,
            "the distances of sub-NUMA clusters stay as they are, and NUMA levels may mix packages",
            Advice::Words("make the table one symmetric block a package"),
        ),
        MessageKind::NoTopologyType => (
            "no-topology-type",
            Warning,
            "NUMA balancing treats the machine as directly connected",
            Advice::Words("check the table"),
        ),
        MessageKind::NotSubset { .. } => {
            ("child-not-subset", Error, "the span is widened for these CPUs only, and groups stop matching", FIX_MASKS)
        }
        MessageKind::AsymSmt => (
            "smt-asymmetric-capacity",
            Warning,
            "threads share a core and can't differ in capacity",
            Advice::Words("give the threads of a core one capacity"),
        ),
        MessageKind::VisitedMismatch => {
            ("group-visited-early", Warning, "a plain and a NUMA group use one capacity instance", FIX_MASKS)
        }
        MessageKind::EmptyBalanceMask => ("empty-balance-mask", Error, "nobody would balance for the group", FIX_TABLE),
        MessageKind::BalanceMaskDiffers => {
            ("balance-mask-differs", Warning, "the groups balance by the wrong CPUs", FIX_TABLE)
        }
        MessageKind::BalanceCpuNotFound => {
            ("balance-cpu-not-found", Warning, "CPU 0 stands in, wherever it is", FIX_TABLE)
        }
        MessageKind::ThreeHops => (
            "three-hops",
            Warning,
            "groups of nodes three hops apart come out wrong up to 5.12",
            Advice::Release { since: (5, 13), why: "which builds such groups right", otherwise: REPAIR },
        ),
        _ => return domain_report(kind),
    };
    Some(Report { id, severity, meaning, advice })
}

/// How the log's complaints about one domain are reported.
fn domain_report(kind: &MessageKind) -> Option<Report> {
    use Severity::{Error, Warning};
    let (id, severity, meaning, advice) = match kind {
        MessageKind::SpanLacksCpu => ("span-lacks-cpu", Error, "a CPU does not balance for itself here", FIX_MASKS),
        MessageKind::GroupsLackCpu => {
            ("groups-lack-cpu", Error, "the CPU balances for a group it is not in", FIX_MASKS)
        }
        MessageKind::FlagNotInChild(_) => {
            ("flag-not-in-child", Warning, "the flag is meant to hold from the bottom up", FIX_MASKS)
        }
        MessageKind::FlagNotInParent(_) => {
            ("flag-not-in-parent", Warning, "the flag is meant to hold to the top", FIX_MASKS)
        }
        MessageKind::GroupIsNull => ("group-is-null", Error, "there is nothing to balance", FIX_MASKS),
        MessageKind::EmptyGroup => ("empty-group", Error, "a group of no CPU divides by no capacity", FIX_MASKS),
        MessageKind::RepeatedCpus => ("repeated-cpus", Error, "load is counted twice", FIX_MASKS),
        MessageKind::HeadNotChild => {
            ("head-not-child", Error, "the local group's load is not that of the CPUs below", FIX_MASKS)
        }
        MessageKind::GroupsDontSpan => ("groups-dont-span", Error, "load is compared over the wrong CPUs", FIX_TABLE),
        MessageKind::ParentNotSuperset => {
            ("parent-not-superset", Error, "tasks can be pulled from CPUs the level above does not know", FIX_TABLE)
        }
        _ => return None,
    };
    Some(Report { id, severity, meaning, advice })
}
