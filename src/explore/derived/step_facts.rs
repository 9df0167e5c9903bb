//! What is seen at a step of a trace other than that of groups: sets of CPUs as bars, and the kernel's variables.

use super::build_view::BuildView;
use super::trace_view::TraceSteps;
use crate::analysis::trace::{
    DegenerateStep, DistanceFate, DistanceStep, LevelCheck, LevelMasks, SpanOutcome, Verdict,
};
use crate::cpumask::CpuMask;
use crate::kernel::{Flags, LevelMask};

/// Variables by name, and sets that are drawn as bars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepFacts {
    /// Variables.
    pub facts: Vec<(&'static str, String)>,
    /// Sets of CPUs.
    pub bars: Vec<(String, CpuMask)>,
}

impl StepFacts {
    /// What is seen at a step, from the place of a CPU.
    pub fn of(trace: &TraceSteps, at: usize, built: &BuildView, cpu: usize) -> Self {
        let mut facts = Self::default();
        match trace {
            TraceSteps::Groups(_) => {}
            TraceSteps::Distances(steps) => facts.distances(&steps[..steps.len().min(at + 1)], built, cpu),
            TraceSteps::SpanCheck(check) => {
                if let Some(level) = check.levels.get(at) {
                    facts.check(level, &check.masks, built, cpu);
                }
            }
            TraceSteps::Degeneration(steps) => facts.degenerate(&steps[..steps.len().min(at + 1)], built, cpu),
        }
        facts
    }

    fn fact(&mut self, name: &'static str, value: impl Into<String>) {
        self.facts.push((name, value.into()));
    }

    /// The list of distances so far, and the masks of the CPU's node that come of them.
    fn distances(&mut self, steps: &[DistanceStep], built: &BuildView, cpu: usize) {
        let Some(step) = steps.last() else { return };
        self.fact("distance", step.distance.to_string());
        if let Some((from, to)) = step.first {
            self.fact("i, j", format!("node {from} to node {to} first, {} pairs in all", step.pairs));
        }
        let listed: Vec<&DistanceStep> =
            steps.iter().filter(|step| matches!(step.fate, DistanceFate::Level(_))).collect();
        let list: Vec<String> = listed.iter().map(|step| step.distance.to_string()).collect();
        self.fact("numa_distance", format!("[{}]", list.join(", ")));
        let Some(Some(node)) = built.node_of.get(cpu) else { return };
        for step in listed {
            let DistanceFate::Level(level) = step.fate else { continue };
            let LevelMask::Numa(index) = built.build.levels[level].mask else { continue };
            let mask = &built.build.numa.masks[index][*node as usize];
            self.bars.push((format!("masks[{index}][{node}]"), mask.clone()));
        }
    }

    /// The masks that clash, or that of the CPU.
    fn check(&mut self, check: &LevelCheck, masks: &LevelMasks, built: &BuildView, cpu: usize) {
        let label = |level: usize| built.labels.get(level).cloned().unwrap_or_default();
        self.fact("tl", label(check.level));
        if check.read_as != check.level {
            self.fact("read as", format!("{}, the level built last", label(check.read_as)));
        }
        let own = || (format!("mask of {cpu}"), masks.of(&built.build, check.read_as, cpu));
        match &check.outcome {
            SpanOutcome::Clash { a, mask_a, b, mask_b } => {
                self.fact("fails at", format!("CPU {a} and CPU {b}: the masks meet and differ"));
                self.bars.push((format!("mask of {a}"), mask_a.clone()));
                self.bars.push((format!("mask of {b}"), mask_b.clone()));
            }
            SpanOutcome::Apart(different) => {
                self.fact("masks", format!("{different} different ones"));
                self.bars.push(own());
            }
            SpanOutcome::MayOverlap => self.bars.push(own()),
            SpanOutcome::NotReached => self.fact("masks", "not reached"),
        }
    }

    /// The domain decided on and the one it is compared with, and what is left of the chain.
    fn degenerate(&mut self, steps: &[DegenerateStep], built: &BuildView, cpu: usize) {
        let Some(step) = steps.last() else { return };
        let build = &built.build;
        let label = |level: usize| built.labels.get(level).cloned().unwrap_or_default();
        let flags = |flags: Flags| flags.names(build.release.rules.llc_flag_name).collect::<Vec<_>>().join(" ");
        let gone =
            |level: usize| steps.iter().any(|step| step.level == level && matches!(step.verdict, Verdict::Goes(_)));
        let names = [("parent", Some(step.level)), ("tmp", step.child)];
        for (name, level) in names {
            let Some((level, domain)) = level.and_then(|level| Some((level, build.domain(cpu, level)?))) else {
                continue;
            };
            let name = if step.child.is_none() { "sd" } else { name };
            self.bars.push((format!("{name} {}", label(level)), build.span(domain.span).clone()));
            if name == "sd" {
                self.fact("flags", flags(domain.built_flags));
            }
        }
        let of = |level: usize| build.domain(cpu, level).map(|domain| domain.built_flags);
        if let Some((pflags, cflags)) = of(step.level).zip(step.child.and_then(of)) {
            let missing = pflags.without(cflags);
            self.fact("pflags & ~cflags", if missing.is_empty() { "none".to_owned() } else { flags(missing) });
        }
        let chain = build.built_chain(cpu).map(|(level, _)| level).filter(|&level| !gone(level));
        self.fact("chain", chain.map(label).collect::<Vec<_>>().join(" "));
    }
}
