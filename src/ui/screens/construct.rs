//! Stepping through the construction of one domain's groups.

use crate::analysis::trace::{self, Step as Decision, Trace};
use crate::cpumask::CpuMask;
use crate::kernel::{Build, SpanId};
use crate::ui::action::{Command, Step, Way};
use crate::ui::model::Model;
use crate::ui::select::moved;
use std::sync::Arc;
use std::time::Duration;

/// How long a step stays while playing.
pub const PULSE: Duration = Duration::from_millis(700);

/// What the Construct screen knows.
#[derive(Clone, Debug, Default)]
pub struct Construct {
    built: Option<u64>,
    place: Option<(usize, usize)>,
    /// The trace of the chosen CPU and level, if it has a domain there.
    pub trace: Option<Arc<Trace>>,
    /// The step that was made last, index into the trace's steps.
    pub at: usize,
    /// Whether the steps run by themselves.
    pub playing: bool,
}

impl Construct {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.trace.as_ref().map_or(0, |trace| trace.steps.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Chooses a step.
    pub(in crate::ui) fn put(&mut self, at: usize) {
        self.at = at.min(self.len().saturating_sub(1));
    }

    pub(super) fn go(&mut self, way: Way, step: Step, page: usize) {
        self.playing = false;
        self.at = moved(self.at, self.len(), way, step, page);
    }

    pub(super) fn run(&mut self, command: Command) {
        match command {
            Command::Play => {
                self.playing = !self.playing && self.len() > 1;
                if self.playing && self.at + 1 >= self.len() {
                    self.at = 0;
                }
            }
            Command::NextGroup => self.seek_group(true),
            Command::PreviousGroup => self.seek_group(false),
            _ => {}
        }
    }

    /// To where the next or previous group is taken, or else to the end.
    fn seek_group(&mut self, forwards: bool) {
        self.playing = false;
        let Some(trace) = &self.trace else { return };
        let taken = |at: &usize| matches!(trace.steps[*at], Decision::Take { .. });
        let last = trace.steps.len().saturating_sub(1);
        self.at = if forwards {
            (self.at + 1..trace.steps.len()).find(taken).unwrap_or(last)
        } else {
            (0..self.at.min(trace.steps.len())).rev().find(taken).unwrap_or(0)
        };
    }

    pub(super) fn play_on(&mut self) {
        self.at += 1;
        if self.at + 1 >= self.len() {
            self.playing = false;
            self.put(self.at);
        }
    }

    /// What the kernel's variables are after the chosen step.
    pub fn moment(&self, build: &Build) -> Moment {
        let mut moment = Moment::default();
        let Some(trace) = &self.trace else { return moment };
        for step in trace.steps.iter().take(self.at + 1) {
            moment.make(build, trace.level, step);
        }
        moment
    }
}

/// The variables of the scan at one moment, by the kernel's names where it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// CPUs the groups so far hold.
    pub covered: CpuMask,
    /// CPUs looked at in this step.
    pub i: CpuMask,
    /// The domain of `i` at the level, where one CPU is looked at.
    pub sibling: Option<SpanId>,
    /// The group just taken.
    pub sg_span: Option<SpanId>,
    /// Its balance mask, once it is known.
    pub mask: Option<CpuMask>,
    /// The CPU and level its capacity instance is of, once it is picked.
    pub owner: Option<usize>,
    /// Groups so far, in the order taken.
    pub groups: Vec<SpanId>,
    /// The domain's first group, once it is chosen.
    pub head: Option<usize>,
}

impl Moment {
    fn make(&mut self, build: &Build, at_level: usize, step: &Decision) {
        match step {
            Decision::Start { at, .. } => self.look_at(build, at_level, *at),
            Decision::Skip { cpus, .. } => {
                (self.sibling, self.i) = (None, cpus.clone());
                self.forget_group();
            }
            Decision::Descend { cpu, to, .. } => self.look_at(build, *to, *cpu),
            Decision::Take { cpu, level, span, .. } => {
                self.look_at(build, *level, *cpu);
                self.sg_span = Some(*span);
                self.covered.or_assign(build.span(*span));
                self.groups.push(*span);
            }
            Decision::Mask { group, parts, .. } => {
                self.sg_span = self.groups.get(*group).copied();
                let inside = parts.iter().filter(|part| part.why.is_in());
                self.mask = Some(inside.fold(CpuMask::new(), |all, part| all.or(&part.cpus)));
            }
            Decision::Sgc { group, owner, sgc, .. } => {
                self.sg_span = self.groups.get(*group).copied();
                self.owner = Some(*owner);
                // An instance that was used before has its mask already.
                if let (None, Some(sgc)) = (&self.mask, sgc) {
                    self.mask = Some(build.span(build.sgc(*sgc).mask).clone());
                }
            }
            Decision::Head { group, .. } => {
                self.head = Some(*group);
                self.i = CpuMask::new();
                self.forget_group();
                self.sg_span = self.groups.get(*group).copied();
            }
            Decision::Tangled | Decision::End { .. } => {
                self.i = CpuMask::new();
                self.forget_group();
            }
        }
    }

    fn look_at(&mut self, build: &Build, level: usize, cpu: usize) {
        self.forget_group();
        self.i = CpuMask::single(cpu);
        self.sibling = build.domain(cpu, level).map(|domain| domain.span);
    }

    fn forget_group(&mut self) {
        (self.sg_span, self.mask, self.owner) = (None, None, None);
    }
}

impl Model {
    /// Traces the chosen domain; another release keeps the step, another place starts anew.
    pub(super) fn settle_construct(&mut self) {
        let (built, selection) = (&self.built, self.selection);
        let place = (selection.cpu, selection.level);
        let construct = &mut self.screens.construct;
        if construct.built == Some(built.generation) && construct.place == Some(place) {
            return;
        }
        construct.trace = trace::trace(&built.build, selection.cpu, selection.level).map(Arc::new);
        if construct.place != Some(place) {
            construct.at = 0;
            construct.playing = false;
        }
        (construct.built, construct.place) = (Some(built.generation), Some(place));
        construct.put(construct.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::presets;

    #[test]
    fn the_last_moment_has_the_groups_of_the_build() {
        for release in Release::all() {
            let topology = presets::find("mesh8").unwrap().topology().unwrap();
            let build = kernel::build(&topology, &release);
            for level in 0..build.levels.len() {
                let Some(trace) = trace::trace(&build, 9, level) else { continue };
                let domain = build.domain(9, level).unwrap();
                let mut construct = Construct { trace: Some(Arc::new(trace)), ..Construct::default() };
                construct.put(usize::MAX);
                let moment = construct.moment(&build);
                let head = moment.head.unwrap();
                let mut groups = moment.groups;
                groups.rotate_left(head);
                let expected: Vec<SpanId> = build.groups_of(domain).map(|group| group.group.span).collect();
                assert_eq!(groups, expected, "{} level {level}", release.name);
            }
        }
    }
}
