//! Who balances for the CPUs whose tick is stopped: `find_new_ilb`.

use super::rules::IdleBalancer;
use super::{Balancer, Steps, set};
use crate::cpumask::CpuMask;

impl Balancer<'_> {
    /// The CPU kicked by `cpu` to balance for all of `nohz_idle`, the CPUs without a tick, with `idle` CPUs idle and
    /// `housekeeping` ones for such work; `None` when nobody is.
    pub fn idle_balancer(
        &self,
        cpu: usize,
        nohz_idle: &CpuMask,
        idle: &CpuMask,
        housekeeping: &CpuMask,
        steps: &mut Steps,
    ) -> Option<usize> {
        steps.say(|| format!("without a tick: {}", set(nohz_idle)));
        let chosen = match self.rules.idle_balancer {
            IdleBalancer::LowestIfIdle => nohz_idle.first().filter(|&first| {
                let is_idle = idle.contains(first);
                steps.say(|| format!("the lowest is CPU {first}, {}", if is_idle { "idle" } else { "not idle" }));
                is_idle
            }),
            IdleBalancer::FirstIdleHousekeeping => nohz_idle.first_and_and(housekeeping, idle),
            IdleBalancer::FirstIdleOther => {
                let candidates = nohz_idle.and(housekeeping);
                candidates.iter().find(|&other| other != cpu && idle.contains(other))
            }
        };
        if self.rules.idle_balancer != IdleBalancer::LowestIfIdle {
            steps.say(|| format!("of those in housekeeping: {}", set(&nohz_idle.and(housekeeping))));
        }
        steps.say(|| match chosen {
            Some(chosen) => format!("CPU {chosen} balances for them"),
            None => "nobody balances for them".to_owned(),
        });
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::presets;

    fn chosen(release: &str, cpu: usize, nohz_idle: &str, idle: &str, housekeeping: &str) -> Option<usize> {
        let mesh = presets::find("mesh8").unwrap().topology().unwrap();
        let build = kernel::build(&mesh, &Release::parse(release).unwrap());
        let mask = |text| CpuMask::parse(text, Some(mesh.nr_cpus)).unwrap();
        let (nohz_idle, idle, housekeeping) = (mask(nohz_idle), mask(idle), mask(housekeeping));
        Balancer::new(&mesh, &build).idle_balancer(cpu, &nohz_idle, &idle, &housekeeping, &mut Steps::unheard())
    }

    #[test]
    fn each_era_has_its_choice() {
        assert_eq!(chosen("5.0", 7, "2-6", "3-6", "all"), None);
        assert_eq!(chosen("5.1", 7, "2-6", "2-6", "5"), Some(2));
        assert_eq!(chosen("5.2", 7, "2-6", "3-6", "all"), Some(3));
        assert_eq!(chosen("5.2", 7, "2-6", "3-6", "5-6"), Some(5));
        assert_eq!(chosen("5.10", 5, "2-6", "3-6", "5-6"), Some(5));
        assert_eq!(chosen("5.11", 5, "2-6", "3-6", "5-6"), Some(6));
        assert_eq!(chosen("6.12", 5, "5", "all", "all"), None);
    }
}
