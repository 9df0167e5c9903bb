//! Who may balance here: `should_we_balance`.

use super::rules::Election;
use super::{Balancer, Steps, set};
use crate::cpumask::CpuMask;
use crate::kernel::{Domain, Flags, GroupView};

/// What `should_we_balance` says to one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the CPU balances.
    pub balances: bool,
    /// The CPU that is let through; `None` where there is no election (a newly idle CPU, or one out of `env.cpus`), and
    /// where the group has no CPU to balance for it.
    pub elected: Option<usize>,
}

impl Balancer<'_> {
    /// Whether `cpu` may balance for the first group of its `domain`, with `idle` CPUs idle, looking at `env_cpus` only.
    pub fn should_balance(
        &self,
        cpu: usize,
        domain: &Domain,
        idle: &CpuMask,
        newly_idle: bool,
        env_cpus: &CpuMask,
        steps: &mut Steps,
    ) -> Verdict {
        let without_election = |balances| Verdict { balances, elected: None };
        if self.rules.dst_in_env_cpus && !env_cpus.contains(cpu) {
            steps.say(|| format!("CPU {cpu} is not among the CPUs that may be looked at, {}: no", set(env_cpus)));
            return without_election(false);
        }
        if newly_idle {
            let busy = self.rules.newidle_needs_idle && !idle.contains(cpu);
            steps.say(|| {
                let then = if busy { "but was given a task meanwhile: no" } else { "and balances without an election" };
                format!("CPU {cpu} is newly idle, {then}")
            });
            return without_election(!busy);
        }
        if self.build.nr_groups(domain) == 0 {
            steps.say(|| "the domain has no groups".to_owned());
            return without_election(false);
        }
        let group = self.build.group(domain, 0);
        let elected = self.elect(domain, &group, idle, env_cpus, steps);
        Verdict { balances: elected == Some(cpu), elected }
    }

    /// The CPU that balances for the first group of a domain.
    fn elect(
        &self,
        domain: &Domain,
        group: &GroupView<'_>,
        idle: &CpuMask,
        env_cpus: &CpuMask,
        steps: &mut Steps,
    ) -> Option<usize> {
        // From 4.13 the mask lies within the span.
        let candidates = group.span.and(group.mask).and(env_cpus);
        steps.say(|| format!("first group {{{}}}, may balance for it: {}", group.span, set(&candidates)));
        let by_core =
            self.rules.election == Election::FirstIdleCore && !domain.flags.contains(Flags::SHARE_CPUCAPACITY);
        let first_idle =
            if by_core { self.first_idle_core(candidates, idle, steps) } else { candidates.first_and(idle) };
        match first_idle {
            Some(cpu) => steps.say(|| format!("CPU {cpu} is the first idle one")),
            None => steps.say(|| match group.balance_cpu() {
                Some(cpu) => format!("none of them is idle: the group's balance CPU is {cpu}"),
                None => "none of them is idle, and the group has no balance CPU".to_owned(),
            }),
        }
        first_idle.or_else(|| group.balance_cpu())
    }

    /// 6.6 on: the first CPU of a core that is idle as a whole, or else the first idle CPU.
    fn first_idle_core(&self, mut left: CpuMask, idle: &CpuMask, steps: &mut Steps) -> Option<usize> {
        let mut beside_busy = None;
        let mut from = 0;
        while let Some(cpu) = left.next_from(from) {
            from = cpu + 1;
            if !idle.contains(cpu) {
                continue;
            }
            let busy = self.core(cpu).iter().find(|&sibling| sibling != cpu && !idle.contains(sibling));
            let Some(busy) = busy else { return Some(cpu) };
            steps.say(|| format!("CPU {cpu} is idle, but CPU {busy} of its core is not"));
            beside_busy = beside_busy.or(Some(cpu));
            left.andnot_assign(self.core(cpu));
        }
        beside_busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::presets;
    use crate::topology::{CpuMasks, MaskLevel, Topology};
    use std::sync::Arc;

    fn elected(topology: &Topology, release: &str, cpu: usize, level: usize, idle: &str) -> Verdict {
        let build = kernel::build(topology, &Release::parse(release).unwrap());
        let balancer = Balancer::new(topology, &build);
        let domain = balancer.domain(cpu, level).unwrap();
        let env = balancer.env_cpus(domain, &topology.online);
        let idle = CpuMask::parse(idle, None).unwrap();
        balancer.should_balance(cpu, domain, &idle, false, &env, &mut Steps::unheard())
    }

    #[test]
    fn before_4_13_a_node_that_cannot_pull_is_elected_in_anothers_stead() {
        let ring = presets::find("ring4").unwrap().topology().unwrap();
        // Node 2's first group at the top is {1-3}, and every CPU of it is in the mask: node 1 goes first.
        assert_eq!(elected(&ring, "4.12", 2, 1, "1-3"), Verdict { balances: false, elected: Some(1) });
        assert_eq!(elected(&ring, "4.14", 2, 1, "1-3"), Verdict { balances: true, elected: Some(2) });
        assert_eq!(elected(&ring, "6.12", 2, 1, ""), Verdict { balances: true, elected: Some(2) });
    }

    #[test]
    fn from_6_6_a_core_that_is_idle_as_a_whole_goes_first() {
        let mut machine = presets::find("ring4").unwrap().topology().unwrap();
        machine.nodes = vec![crate::topology::Node { id: 0, cpus: CpuMask::first_n(8), package: None }];
        machine.distances = crate::topology::Distances::from_fn(1, |_, _| 10);
        machine.nr_cpus = 8;
        machine.online = CpuMask::first_n(8);
        let cores: Vec<CpuMask> = (0..4).map(|core| CpuMask::from_iter([core, core + 4])).collect();
        machine.levels.set(MaskLevel::Smt, Some(Arc::new(CpuMasks::from_groups(&cores, 8))));
        machine.levels.set(MaskLevel::Mc, Some(Arc::new(CpuMasks::new((0..8).map(|_| CpuMask::first_n(8))))));
        // At MC the first group is the own core: of core 0 only CPU 0 is idle.
        assert_eq!(elected(&machine, "6.5", 0, 1, "0,2,6").elected, Some(0));
        assert_eq!(elected(&machine, "6.6", 0, 1, "0,2,6").elected, Some(0));
        let build = kernel::build(&machine, &Release::parse("6.6").unwrap());
        let balancer = Balancer::new(&machine, &build);
        let idle = CpuMask::parse("0,2,6", None).unwrap();
        let all = CpuMask::first_n(8);
        assert_eq!(balancer.first_idle_core(all.clone(), &idle, &mut Steps::unheard()), Some(2));
        let halves = CpuMask::parse("3,4", None).unwrap();
        assert_eq!(balancer.first_idle_core(all, &halves, &mut Steps::unheard()), Some(3));
    }
}
