//! What can be stepped through: four traces that look the same from outside.

use super::build_view::BuildView;
use crate::analysis::trace::{self, DegenerateStep, DistanceStep, SpanCheckTrace, Step as Decision, Trace};
use crate::kernel::Build;
use std::sync::Arc;

/// What is traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// The groups of the chosen CPU's domain at the chosen level.
    #[default]
    Groups,
    /// How distances became levels: `sched_init_numa`.
    Distances,
    /// `topology_span_sane`.
    SpanCheck,
    /// Which domains of the chosen CPU went: `cpu_attach_domain`.
    Degeneration,
}

impl Subject {
    /// Every subject.
    pub const ALL: [Self; 4] = [Self::Groups, Self::Distances, Self::SpanCheck, Self::Degeneration];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Groups => "groups",
            Self::Distances => "levels",
            Self::SpanCheck => "span check",
            Self::Degeneration => "what stays",
        }
    }

    pub(in crate::explore) fn next(self) -> Self {
        self.by(1)
    }

    pub(in crate::explore) fn previous(self) -> Self {
        self.by(Self::ALL.len() - 1)
    }

    fn by(self, steps: usize) -> Self {
        let at = Self::ALL.iter().position(|&subject| subject == self).unwrap_or(0);
        Self::ALL[(at + steps) % Self::ALL.len()]
    }
}

/// A trace.
#[derive(Clone, Debug)]
pub enum TraceSteps {
    /// The groups of a domain.
    Groups(Arc<Trace>),
    /// Distances, ascending.
    Distances(Arc<[DistanceStep]>),
    /// Levels, bottom up.
    SpanCheck(Arc<SpanCheckTrace>),
    /// Domains, in the kernel's order.
    Degeneration(Arc<[DegenerateStep]>),
}

/// What makes a step the same in another build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::explore) enum StepKey {
    /// A decision of this kind, about this group, or its number among those of its kind.
    Decision(usize, usize),
    /// A distance.
    Distance(u32),
    /// A level, by name: what index it has is another matter in another release.
    Level(String),
}

/// A trace, step by step.
#[derive(Clone, Debug)]
pub struct TraceView {
    /// The trace.
    pub steps: TraceSteps,
    keys: Arc<[StepKey]>,
}

impl TraceView {
    /// Traces a subject; `None` where there is nothing to trace.
    pub(in crate::explore) fn new(subject: Subject, built: &BuildView, cpu: usize, level: usize) -> Option<Self> {
        let (topology, build) = (&built.topology, &built.build);
        let steps = match subject {
            Subject::Groups => TraceSteps::Groups(Arc::new(trace::trace(build, cpu, level)?)),
            Subject::Distances => TraceSteps::Distances(trace::distances(topology, build).into()),
            Subject::SpanCheck => TraceSteps::SpanCheck(Arc::new(trace::span_check(topology, build))),
            Subject::Degeneration => TraceSteps::Degeneration(trace::degeneration(build, cpu).into()),
        };
        let keys: Arc<[StepKey]> = steps.keys(&built.labels).into();
        (!keys.is_empty()).then_some(Self { steps, keys })
    }

    /// A step in a sentence.
    pub fn text(&self, build: &Build, at: usize) -> String {
        self.steps.text(build, at)
    }

    /// The rule of the release, in words.
    pub fn rule(&self, build: &Build) -> String {
        self.steps.rule(build)
    }

    /// Whether a part begins at the step.
    pub fn begins_part(&self, at: usize) -> bool {
        self.steps.begins_part(at)
    }

    /// How many steps there are; one at least.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What makes the step the same in another build.
    pub(in crate::explore) fn key(&self, at: usize) -> Option<StepKey> {
        self.keys.get(at).cloned()
    }

    /// The step that is the same as one of another build.
    pub(in crate::explore) fn find(&self, key: &StepKey) -> Option<usize> {
        self.keys.iter().position(|own| own == key)
    }
}

impl TraceSteps {
    fn keys(&self, labels: &[String]) -> Vec<StepKey> {
        let level = |level: usize| match labels.get(level).map(String::as_str) {
            // The same level, renamed in 6.7.
            Some("DIE") => StepKey::Level("PKG".to_owned()),
            label => StepKey::Level(label.unwrap_or_default().to_owned()),
        };
        match self {
            Self::Groups(trace) => keys_of_decisions(&trace.steps),
            Self::Distances(steps) => steps.iter().map(|step| StepKey::Distance(step.distance)).collect(),
            Self::SpanCheck(check) => check.levels.iter().map(|check| level(check.level)).collect(),
            Self::Degeneration(steps) => steps.iter().map(|step| level(step.level)).collect(),
        }
    }

    /// A step in a sentence.
    pub fn text(&self, build: &Build, at: usize) -> String {
        let text = match self {
            Self::Groups(trace) => trace.steps.get(at).map(|step| step.text(build)),
            Self::Distances(steps) => steps.get(at).map(|step| step.text(build)),
            Self::SpanCheck(check) => check.levels.get(at).map(|level| level.text(build)),
            Self::Degeneration(steps) => steps.get(at).map(|step| step.text(build)),
        };
        text.unwrap_or_default()
    }

    /// The rule of the release, in words.
    pub fn rule(&self, build: &Build) -> String {
        match self {
            Self::Groups(trace) => trace.rule.text().to_owned(),
            Self::Distances(_) => trace::distances_rule(build),
            Self::SpanCheck(_) => trace::span_check_rule(build).to_owned(),
            Self::Degeneration(_) => trace::degeneration_rule(build),
        }
    }

    /// Whether the step is where somebody wants to go next: a group is taken, a level made, a mask found bad, a domain
    /// goes.
    pub fn begins_part(&self, at: usize) -> bool {
        match self {
            Self::Groups(trace) => matches!(trace.steps.get(at), Some(Decision::Take { .. })),
            Self::Distances(steps) => {
                steps.get(at).is_some_and(|step| matches!(step.fate, trace::DistanceFate::Level(_)))
            }
            Self::SpanCheck(check) => {
                let level = check.levels.get(at);
                level.is_some_and(|level| matches!(level.outcome, trace::SpanOutcome::Clash { .. }))
            }
            Self::Degeneration(steps) => {
                steps.get(at).is_some_and(|step| matches!(step.verdict, trace::Verdict::Goes(_)))
            }
        }
    }
}

/// By decision: its kind, and the group it is about or how many of its kind came before.
fn keys_of_decisions(steps: &[Decision]) -> Vec<StepKey> {
    let mut seen = [0_usize; 9];
    let key = |step: &Decision| {
        let (kind, group) = kind(step);
        let number = group.unwrap_or(seen[kind]);
        seen[kind] += 1;
        StepKey::Decision(kind, number)
    };
    steps.iter().map(key).collect()
}

fn kind(step: &Decision) -> (usize, Option<usize>) {
    match step {
        Decision::Start { .. } => (0, None),
        Decision::Skip { .. } => (1, None),
        Decision::Descend { .. } => (2, None),
        Decision::Take { group, .. } => (3, Some(*group)),
        Decision::Mask { group, .. } => (4, Some(*group)),
        Decision::Sgc { group, .. } => (5, Some(*group)),
        Decision::Head { .. } => (6, None),
        Decision::Tangled => (7, None),
        Decision::End { .. } => (8, None),
    }
}
