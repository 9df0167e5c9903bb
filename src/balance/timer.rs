//! Where a timer goes when its CPU is idle: `get_nohz_timer_target`.
//!
//! The walk goes up the domains of the CPU and takes the first busy housekeeping CPU. It is long where most are idle: up
//! to 5.5 it looks at every CPU of every span, later at the housekeeping ones, and CPUs of a lower domain are looked at
//! again in each one above.

use super::rules::{AnyHousekeeping, TimerWalk};
use super::{Balancer, Steps, set};
use crate::cpumask::CpuMask;

/// Where a timer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerTarget {
    /// The CPU; `None` when no housekeeping CPU is online.
    pub cpu: Option<usize>,
    /// How many CPUs the walk up the domains came by, those it skips and those it meets again included.
    pub visited: usize,
}

impl Balancer<'_> {
    /// The CPU a timer started on `cpu` goes to, with `idle` CPUs idle and `housekeeping` ones for timers.
    pub fn timer_target(&self, cpu: usize, idle: &CpuMask, housekeeping: &CpuMask, steps: &mut Steps) -> TimerTarget {
        if !idle.contains(cpu) && housekeeping.contains(cpu) {
            steps.say(|| format!("CPU {cpu} is busy and does housekeeping: it keeps its timer"));
            return TimerTarget { cpu: Some(cpu), visited: 0 };
        }
        let (found, visited) = self.walk_up(cpu, idle, housekeeping, steps);
        if found.is_some() {
            return TimerTarget { cpu: found, visited };
        }
        if housekeeping.contains(cpu) {
            steps.say(|| format!("no housekeeping CPU is busy: CPU {cpu} keeps its timer"));
            return TimerTarget { cpu: Some(cpu), visited };
        }
        TimerTarget { cpu: self.any_housekeeping(cpu, housekeeping, steps), visited }
    }

    /// The first busy housekeeping CPU up the domains, and how many CPUs were visited.
    fn walk_up(&self, cpu: usize, idle: &CpuMask, housekeeping: &CpuMask, steps: &mut Steps) -> (Option<usize>, usize) {
        let mut visited = 0;
        for (level, domain) in self.build.chain(cpu) {
            let span = self.build.span(domain.span);
            let before = visited;
            let found = match self.rules.timer_walk {
                TimerWalk::WholeSpan => span.iter().find(|&other| {
                    visited += 1;
                    other != cpu && !idle.contains(other) && housekeeping.contains(other)
                }),
                TimerWalk::Housekeeping => span.and(housekeeping).iter().find(|&other| {
                    visited += 1;
                    other != cpu && !idle.contains(other)
                }),
            };
            steps.say(|| {
                let seen = visited - before;
                let place = format!("{} {{{span}}}: {seen} visited", self.build.level_label(level));
                match found {
                    Some(found) => format!("{place}, CPU {found} is busy and does housekeeping"),
                    None => format!("{place}, none of them a busy housekeeping CPU"),
                }
            });
            if found.is_some() {
                return (found, visited);
            }
        }
        (None, visited)
    }

    /// `housekeeping_any_cpu` asked on `cpu`.
    fn any_housekeeping(&self, cpu: usize, housekeeping: &CpuMask, steps: &mut Steps) -> Option<usize> {
        let closest = match self.rules.any_housekeeping {
            AnyHousekeeping::Lowest => None,
            AnyHousekeeping::Closest => self.closest_cpu(cpu, housekeeping, &mut Steps::unheard()),
        };
        let any = closest.or_else(|| housekeeping.first_and(&self.topology.online));
        steps.say(|| match (any, closest) {
            (Some(any), Some(_)) => format!("nobody is busy: CPU {any}, the closest of {}", set(housekeeping)),
            (Some(any), None) => format!("nobody is busy: CPU {any}, the lowest of {}", set(housekeeping)),
            (None, _) => "no housekeeping CPU is online".to_owned(),
        });
        any
    }
}

/// The walk over one span with the housekeeping mask asked for anew at each step, as it was before it was taken once.
///
/// `mask` stands for the call that returns it. The answer is that of [`first_busy_mask_once`]; the two are here to be
/// timed beside each other.
pub fn first_busy_mask_each_step<'m>(span: &CpuMask, idle: &CpuMask, mask: impl Fn() -> &'m CpuMask) -> Option<usize> {
    let mut from = 0;
    loop {
        let cpu = span.next_from(from)?;
        from = cpu + 1;
        if mask().contains(cpu) && !idle.contains(cpu) {
            return Some(cpu);
        }
    }
}

/// The same with the mask taken once.
pub fn first_busy_mask_once(span: &CpuMask, idle: &CpuMask, mask: &CpuMask) -> Option<usize> {
    span.and(mask).iter().find(|&cpu| !idle.contains(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::presets;
    use crate::topology::arbitrary;
    use proptest::prelude::*;

    fn target(release: &str, cpu: usize, idle: &str, housekeeping: &str) -> TimerTarget {
        let mesh = presets::find("mesh8").unwrap().topology().unwrap();
        let build = kernel::build(&mesh, &Release::parse(release).unwrap());
        let mask = |text| CpuMask::parse(text, Some(mesh.nr_cpus)).unwrap();
        Balancer::new(&mesh, &build).timer_target(cpu, &mask(idle), &mask(housekeeping), &mut Steps::unheard())
    }

    #[test]
    fn a_busy_housekeeping_cpu_keeps_its_timer() {
        assert_eq!(target("6.12", 3, "", "all"), TimerTarget { cpu: Some(3), visited: 0 });
    }

    #[test]
    fn the_walk_is_shorter_from_5_6_and_ends_at_the_same_cpu() {
        let last = presets::find("mesh8").unwrap().topology().unwrap().nr_cpus - 1;
        let idle = format!("0-{}", last - 1);
        let old = target("5.5", 0, &idle, &last.to_string());
        let new = target("5.6", 0, &idle, &last.to_string());
        assert_eq!((old.cpu, new.cpu), (Some(last), Some(last)));
        assert!(new.visited < old.visited && new.visited > 0, "{old:?} {new:?}");
    }

    #[test]
    fn with_nobody_busy_a_housekeeping_cpu_stands_in() {
        assert_eq!(target("6.12", 2, "all", "all").cpu, Some(2));
        let last = presets::find("mesh8").unwrap().topology().unwrap().nr_cpus - 1;
        assert_eq!(target("5.3", last, "all", "0-1").cpu, Some(0));
        assert_eq!(target("6.12", 0, "all", &last.to_string()).cpu, Some(last));
    }

    proptest! {
        #[test]
        fn the_mask_taken_once_changes_nothing(
            span in arbitrary::mask(200),
            idle in arbitrary::mask(200),
            mask in arbitrary::mask(200),
        ) {
            prop_assert_eq!(
                first_busy_mask_each_step(&span, &idle, || &mask),
                first_busy_mask_once(&span, &idle, &mask)
            );
        }
    }
}
