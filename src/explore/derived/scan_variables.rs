//! The kernel's variables at one step of a scan for groups.

use crate::analysis::trace::{Step as Decision, Trace};
use crate::cpumask::CpuMask;
use crate::kernel::{Build, SpanId};

/// The variables of the scan after one step, by the kernel's names where it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanVariables {
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

impl ScanVariables {
    /// What the variables are after the step at `at`.
    pub fn at(build: &Build, trace: &Trace, at: usize) -> Self {
        let mut variables = Self::default();
        for step in trace.steps.iter().take(at + 1) {
            variables.make(build, trace.level, step);
        }
        variables
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::trace;
    use crate::kernel::{self, Release};
    use crate::presets;

    #[test]
    fn the_last_variables_has_the_groups_of_the_build() {
        for release in Release::all() {
            let topology = presets::find("mesh8").unwrap().topology().unwrap();
            let build = kernel::build(&topology, &release);
            for level in 0..build.levels.len() {
                let Some(trace) = trace::trace(&build, 9, level) else { continue };
                let domain = build.domain(9, level).unwrap();
                let variables = ScanVariables::at(&build, &trace, trace.steps.len());
                let head = variables.head.unwrap();
                let mut groups = variables.groups;
                groups.rotate_left(head);
                let expected: Vec<SpanId> = build.groups_of(domain).map(|group| group.group.span).collect();
                assert_eq!(groups, expected, "{} level {level}", release.name);
            }
        }
    }
}
