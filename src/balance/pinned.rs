//! Which CPU the balancer retries with when a task may not run where it was to go: the affinity test of
//! `can_migrate_task`.
//!
//! The search for that CPU is one intersection of three sets. The kernel has long done it by a loop that tests the third
//! at each step; [`by_loop`], [`by_two_intersections`] and [`by_first_of_three`] are that loop and what was proposed for
//! it, and always agree.

use super::rules::{ActiveBalanceFlag, DstGroupMask};
use super::{Balancer, Steps, set};
use crate::cpumask::CpuMask;
use crate::kernel::Domain;

/// The flags of `struct lb_env` that pinned tasks set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinnedFlags {
    /// `LBF_ALL_PINNED`: no task looked at so far may run on the destination.
    pub all_pinned: bool,
    /// `LBF_SOME_PINNED`: some task may not.
    pub some_pinned: bool,
    /// `LBF_DST_PINNED`: another destination was found.
    pub dst_pinned: bool,
}

impl PinnedFlags {
    /// The names of those that are set, without `LBF_`.
    pub fn names(self) -> Vec<&'static str> {
        let all = [(self.all_pinned, "ALL_PINNED"), (self.some_pinned, "SOME_PINNED"), (self.dst_pinned, "DST_PINNED")];
        all.into_iter().filter(|&(set, _)| set).map(|(_, name)| name).collect()
    }
}

/// Why a balance looks for tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The periodic balance, busy or idle.
    Periodic,
    /// A CPU that ran out of tasks just now.
    NewlyIdle,
    /// `active_load_balance_cpu_stop`: the source's running task is pushed.
    Active,
}

/// What a balance looks at while it searches for tasks, of `struct lb_env` what the affinity test needs.
#[derive(Clone, Copy, Debug)]
pub struct LbEnv<'a> {
    /// The CPU that pulls.
    pub dst: usize,
    /// Its domain.
    pub domain: &'a Domain,
    /// The CPUs left to look at.
    pub cpus: &'a CpuMask,
    /// Why it pulls.
    pub purpose: Purpose,
    /// What the tasks before this one have set; of an active balance, nothing.
    pub flags: PinnedFlags,
}

/// What `can_migrate_task` says of a task's affinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// The task may run on the destination.
    pub can: bool,
    /// `env.new_dst_cpu`: the CPU to retry with.
    pub new_dst: Option<usize>,
    /// The flags of `env` afterwards.
    pub flags: PinnedFlags,
}

/// The first CPU of `group` and `cpus` that is allowed, as the loop finds it.
pub fn by_loop(group: &CpuMask, cpus: &CpuMask, allowed: &CpuMask) -> Option<usize> {
    let mut from = 0;
    loop {
        let cpu = next_and(group, cpus, from)?;
        if allowed.contains(cpu) {
            return Some(cpu);
        }
        from = cpu + 1;
    }
}

/// `cpumask_next_and`.
fn next_and(a: &CpuMask, b: &CpuMask, from: usize) -> Option<usize> {
    let mut cpu = a.next_from(from)?;
    while !b.contains(cpu) {
        // Leap to where the other set goes on.
        cpu = a.next_from(b.next_from(cpu)?)?;
    }
    Some(cpu)
}

/// The same by two intersections and the first bit of the second.
pub fn by_two_intersections(group: &CpuMask, cpus: &CpuMask, allowed: &CpuMask) -> Option<usize> {
    group.and(cpus).and(allowed).first()
}

/// The same by one search for the first bit set in all three: `cpumask_first_and_and`.
pub fn by_first_of_three(group: &CpuMask, cpus: &CpuMask, allowed: &CpuMask) -> Option<usize> {
    group.first_and_and(cpus, allowed)
}

impl Balancer<'_> {
    /// The affinity test of `can_migrate_task` for a task allowed on `allowed`.
    pub fn can_migrate(&self, env: &LbEnv<'_>, allowed: &CpuMask, steps: &mut Steps) -> Pinned {
        let LbEnv { dst, domain, purpose, mut flags, .. } = *env;
        if purpose == Purpose::Active && self.rules.active_balance == ActiveBalanceFlag::DstPinned {
            flags.dst_pinned = true;
        }
        if allowed.contains(dst) {
            steps.say(|| format!("the task may run on CPU {dst}"));
            flags.all_pinned = false;
            return Pinned { can: true, new_dst: None, flags };
        }
        flags.some_pinned = true;
        steps.say(|| format!("CPU {dst} is not among the task's CPUs, {}: SOME_PINNED", set(allowed)));
        if purpose != Purpose::Periodic || flags.dst_pinned || self.build.nr_groups(domain) == 0 {
            steps.say(|| match purpose {
                Purpose::NewlyIdle => "a newly idle CPU pulls for itself only: no other CPU is looked for".to_owned(),
                Purpose::Active => "an active balance has one destination: no other CPU is looked for".to_owned(),
                Purpose::Periodic => "another CPU was found before: DST_PINNED is set".to_owned(),
            });
            return Pinned { can: false, new_dst: None, flags };
        }
        let (what, group) = self.dst_grpmask(domain);
        let new_dst = by_first_of_three(group, env.cpus, allowed);
        flags.dst_pinned |= new_dst.is_some();
        steps.say(|| {
            let searched = format!("{what} {{{group}}}, of those looked at: {}", set(&group.and(env.cpus)));
            match new_dst {
                Some(cpu) => format!("{searched}; CPU {cpu} is the first the task may run on: DST_PINNED"),
                None => format!("{searched}; the task may run on none of them"),
            }
        });
        Pinned { can: false, new_dst, flags }
    }

    /// `env.dst_grpmask` of a domain that has groups, and what it is.
    pub(super) fn dst_grpmask(&self, domain: &Domain) -> (&'static str, &CpuMask) {
        let head = self.build.group(domain, 0);
        match self.rules.dst_grpmask {
            DstGroupMask::Span => ("the span of the first group", head.span),
            DstGroupMask::BalanceMask => ("the balance mask of the first group", head.mask),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::presets;
    use crate::topology::arbitrary;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_three_searches_agree(
            group in arbitrary::mask(300),
            cpus in arbitrary::mask(300),
            allowed in arbitrary::mask(300),
        ) {
            let expected = (0..300).find(|&cpu| group.contains(cpu) && cpus.contains(cpu) && allowed.contains(cpu));
            prop_assert_eq!(by_loop(&group, &cpus, &allowed), expected);
            prop_assert_eq!(by_two_intersections(&group, &cpus, &allowed), expected);
            prop_assert_eq!(by_first_of_three(&group, &cpus, &allowed), expected);
        }
    }

    fn asked(release: &str, dst: usize, allowed: &str, purpose: Purpose) -> Pinned {
        let ring = presets::find("ring4").unwrap().topology().unwrap();
        let build = kernel::build(&ring, &Release::parse(release).unwrap());
        let balancer = Balancer::new(&ring, &build);
        let domain = balancer.domain(dst, 1).unwrap();
        let allowed = CpuMask::parse(allowed, None).unwrap();
        let cpus = balancer.env_cpus(domain, &ring.online);
        let env = LbEnv { dst, domain, cpus: &cpus, purpose, flags: PinnedFlags::default() };
        balancer.can_migrate(&env, &allowed, &mut Steps::unheard())
    }

    #[test]
    fn up_to_6_4_a_task_may_be_sent_where_the_group_only_reaches() {
        // CPU 1's first group at the top is {0-2}, its balance mask {1}.
        assert_eq!(asked("6.4", 1, "2-3", Purpose::Periodic).new_dst, Some(2));
        assert_eq!(asked("6.5", 1, "2-3", Purpose::Periodic).new_dst, None);
        assert_eq!(
            asked("6.4", 1, "1", Purpose::Periodic),
            Pinned { can: true, new_dst: None, flags: PinnedFlags::default() }
        );
    }

    #[test]
    fn newly_idle_and_active_balances_look_for_no_other_cpu() {
        assert_eq!(asked("6.4", 1, "2-3", Purpose::NewlyIdle).flags.names(), ["SOME_PINNED"]);
        assert_eq!(asked("6.4", 1, "2-3", Purpose::Active).flags.names(), ["SOME_PINNED"]);
        assert_eq!(asked("5.10", 1, "2-3", Purpose::Active).flags.names(), ["SOME_PINNED", "DST_PINNED"]);
        assert_eq!(asked("5.10", 1, "2-3", Purpose::Active).new_dst, None);
        assert_eq!(asked("4.11", 1, "2-3", Purpose::Active).flags.names(), ["SOME_PINNED"]);
    }
}
