//! Boot parameters that decide domains, from a kernel's command line.

use crate::cpumask::CpuMask;
use crate::kernel::Release;
use crate::topology::Topology;

/// The parameters of a command line that decide domains; `None` is one that is not given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// `isolcpus=` with the domain flag, which it has when no flag is named.
    pub isolcpus: Option<String>,
    /// `nohz_full=`
    pub nohz_full: Option<String>,
    /// `maxcpus=`: how many CPUs the boot brings up.
    pub maxcpus: Option<usize>,
    /// `relax_domain_level=`; a negative one asks for nothing.
    pub relax_domain_level: Option<u32>,
    /// `numa=off`: one node.
    pub numa_off: bool,
    /// `sched_debug` or `sched_verbose`: domains are printed, and before 5.12 distances found.
    pub verbose: bool,
}

impl Parameters {
    /// Reads a command line. Of a parameter given twice the last counts; what follows `--` is not for the kernel.
    pub fn read(line: &str) -> Self {
        let mut found = Self::default();
        for word in line.split_whitespace().take_while(|word| *word != "--") {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match name.replace('-', "_").as_str() {
                "isolcpus" => found.isolcpus = isolated(value).or(found.isolcpus),
                "nohz_full" => found.nohz_full = Some(value.to_owned()),
                "maxcpus" => found.maxcpus = value.parse().ok(),
                "relax_domain_level" => found.relax_domain_level = value.parse().ok(),
                "numa" if value == "off" => found.numa_off = true,
                "sched_debug" | "sched_verbose" => found.verbose = true,
                _ => {}
            }
        }
        found
    }

    /// Applies what `/sys` does not show: `relax_domain_level`, and before 5.12 whether `sched_debug` was given.
    pub(super) fn apply_what_files_do_not_say(&self, topology: &mut Topology, version: Option<&str>) {
        topology.relax_domain_level = self.relax_domain_level;
        let release = version.and_then(|version| Release::parse(version).ok());
        if release.is_some_and(|release| release.version < (5, 12, 0)) {
            topology.sched_debug = self.verbose;
        }
    }

    /// Applies all of it to a machine that is known from elsewhere, as a boot with this line would find it.
    pub fn apply(&self, topology: &mut Topology) {
        let nr_cpus = Some(topology.nr_cpus);
        let possible = CpuMask::first_n(topology.nr_cpus);
        let list = |text: &str| CpuMask::parse(text, nr_cpus).ok().map(|list| list.and(&possible));
        if let Some(list) = self.isolcpus.as_deref().and_then(list) {
            topology.isolated = list;
        }
        if let Some(list) = self.nohz_full.as_deref().and_then(list) {
            topology.nohz_full = list;
        }
        if let Some(count) = self.maxcpus.filter(|&count| count > 0) {
            topology.online = topology.online.iter().take(count).collect();
        }
        if self.relax_domain_level.is_some() {
            topology.relax_domain_level = self.relax_domain_level;
        }
        if self.numa_off && topology.nodes.len() > 1 {
            let mut cpus = CpuMask::new();
            topology.nodes.iter().for_each(|node| cpus.or_assign(&node.cpus));
            topology.nodes.truncate(1);
            topology.nodes[0].cpus = cpus;
            topology.distances = crate::topology::Distances::from_fn(1, |_, _| crate::topology::LOCAL_DISTANCE);
        }
    }
}

/// The CPUs that `isolcpus=` takes out of the domains: those of a list without flags, or with the flag `domain`.
fn isolated(value: &str) -> Option<String> {
    let flags: Vec<&str> =
        value.split(',').take_while(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())).collect();
    let list: Vec<&str> = value.split(',').skip(flags.len()).collect();
    (flags.is_empty() || flags.contains(&"domain")).then(|| list.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_line() {
        let line =
            "BOOT_IMAGE=/vmlinuz isolcpus=domain,managed_irq,2,8-9 nohz_full=4-7 maxcpus=6 sched_verbose -- numa=off";
        let found = Parameters::read(line);
        assert_eq!(found.isolcpus.as_deref(), Some("2,8-9"));
        assert_eq!(found.nohz_full.as_deref(), Some("4-7"));
        assert_eq!((found.maxcpus, found.numa_off, found.verbose), (Some(6), false, true));
        assert_eq!(Parameters::read("isolcpus=managed_irq,3").isolcpus, None);
        assert_eq!(Parameters::read("relax_domain_level=-1").relax_domain_level, None);
        assert_eq!(Parameters::read("relax_domain_level=2").relax_domain_level, Some(2));
    }

    #[test]
    fn a_boot_finds_the_machine_as_told() {
        let mut ring = crate::presets::find("ring4").unwrap().topology().unwrap();
        Parameters::read("isolcpus=1 maxcpus=3 relax_domain_level=1").apply(&mut ring);
        assert_eq!((ring.isolated.to_string(), ring.online.to_string()), ("1".to_owned(), "0-2".to_owned()));
        Parameters::read("numa=off").apply(&mut ring);
        assert_eq!((ring.nodes.len(), ring.nodes[0].cpus.to_string()), (1, "0-3".to_owned()));
        ring.validate().unwrap();
    }
}
