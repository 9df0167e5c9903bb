//! A build as one JSON object: what `batch` prints, one object a line.

use crate::cpumask::CpuMask;
use crate::kernel::release::{AsymRule, GroupFlags, ImbNumaNr};
use crate::kernel::{Build, Domain, Flags, GroupView, dmesg};
use crate::topology::Topology;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// A build and the machine it is of, to be serialised. Fields a release does not have are left out.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The build.
    pub build: &'a Build,
    /// The machine.
    pub topology: &'a Topology,
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { build, topology } = *self;
        let rules = &build.release.rules;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &topology.name)?;
        map.serialize_entry("kernel", &build.release.name)?;
        map.serialize_entry("numa_distances", &build.numa.distances)?;
        map.serialize_entry("max_distance", &build.numa.max_distance)?;
        map.serialize_entry("topology_type", build.numa.topology_type.name())?;
        map.serialize_entry("levels", &build.levels.iter().map(|level| level.name).collect::<Vec<_>>())?;
        map.serialize_entry("error", &build.error.as_ref().map(ToString::to_string))?;
        map.serialize_entry("warnings", &dmesg::warnings(build, topology))?;
        map.serialize_entry("cpus", &Cpus(build))?;
        if rules.asym_key {
            map.serialize_entry("asym_cpucapacity_key", &build.asym_cpucapacity_key)?;
        }
        if rules.share_id {
            map.serialize_entry("cluster_key", &build.cluster_key)?;
        }
        map.serialize_entry("dmesg", &dmesg::text(build, topology))?;
        map.end()
    }
}

/// Every online CPU.
struct Cpus<'a>(&'a Build);

impl Serialize for Cpus<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for cpu in self.0.online.iter() {
            seq.serialize_element(&Cpu { build: self.0, cpu })?;
        }
        seq.end()
    }
}

struct Cpu<'a> {
    build: &'a Build,
    cpu: usize,
}

impl Serialize for Cpu<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { build, cpu } = *self;
        let rules = &build.release.rules;
        let pointers = &build.pointers[cpu];
        let chain: Vec<(usize, &Domain)> = build.chain(cpu).collect();
        // Pointers name levels; the record counts the domains that are left.
        let index = |level: Option<u32>| chain.iter().position(|&(at, _)| Some(at as u32) == level);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("cpu", &cpu)?;
        map.serialize_entry("domains", &Domains { build, chain: &chain })?;
        map.serialize_entry("sd_llc_id", &pointers.sd_llc_id)?;
        map.serialize_entry("sd_llc_size", &pointers.sd_llc_size)?;
        map.serialize_entry("sd_llc", &index(pointers.sd_llc))?;
        let shared = pointers.sd_llc_shared.map(|shared| match shared.level {
            Some(level) => format!("{}/{level}@{}", build.level_name(level as usize), shared.cpu),
            None => format!("sds@{}", shared.cpu),
        });
        map.serialize_entry("sd_llc_shared", &shared)?;
        if let Some(shared) = pointers.sd_llc_shared {
            map.serialize_entry("nr_busy_cpus", &shared.nr_busy_cpus)?;
        }
        if rules.share_id {
            map.serialize_entry("sd_share_id", &pointers.sd_share_id)?;
        }
        map.serialize_entry("sd_numa", &index(pointers.sd_numa))?;
        map.serialize_entry("sd_asym_packing", &index(pointers.sd_asym_packing))?;
        if rules.asym != AsymRule::None {
            map.serialize_entry("sd_asym_cpucapacity", &index(pointers.sd_asym_cpucapacity))?;
        }
        map.serialize_entry("cpu_capacity", &pointers.cpu_capacity)?;
        map.end()
    }
}

struct Domains<'a> {
    build: &'a Build,
    chain: &'a [(usize, &'a Domain)],
}

impl Serialize for Domains<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let build = self.build;
        serializer.collect_seq(self.chain.iter().enumerate().map(|(index, &(level, domain))| DomainRecord {
            build,
            index,
            level,
            domain,
        }))
    }
}

struct DomainRecord<'a> {
    build: &'a Build,
    index: usize,
    level: usize,
    domain: &'a Domain,
}

impl Serialize for DomainRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { build, index, level, domain } = *self;
        let rules = &build.release.rules;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("level", &index)?;
        map.serialize_entry("name", build.level_name(level))?;
        map.serialize_entry("sd_level", &level)?;
        map.serialize_entry("span", &List(build.span(domain.span)))?;
        map.serialize_entry("flags", &FlagNames(domain.flags, rules.llc_flag_name))?;
        map.serialize_entry("groups", &Groups { build, domain })?;
        map.serialize_entry("imbalance_pct", &build.imbalance_pct(domain))?;
        map.serialize_entry("cache_nice_tries", &build.cache_nice_tries(domain))?;
        map.serialize_entry("busy_factor", &rules.busy_factor)?;
        map.serialize_entry("min_interval", &domain.interval)?;
        map.serialize_entry("max_interval", &(2 * domain.interval))?;
        map.serialize_entry("balance_interval", &domain.interval)?;
        map.serialize_entry("span_weight", &build.spans.weight(domain.span))?;
        if rules.imb_numa_nr != ImbNumaNr::None {
            map.serialize_entry("imb_numa_nr", &domain.imb_numa_nr)?;
        }
        map.end()
    }
}

struct Groups<'a> {
    build: &'a Build,
    domain: &'a Domain,
}

impl Serialize for Groups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let build = self.build;
        serializer.collect_seq(build.groups_of(self.domain).map(|group| GroupRecord { build, group }))
    }
}

struct GroupRecord<'a> {
    build: &'a Build,
    group: GroupView<'a>,
}

impl Serialize for GroupRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { build, group } = self;
        let rules = &build.release.rules;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &group.sgc.owner)?;
        map.serialize_entry("span", &List(group.span))?;
        map.serialize_entry("mask", &List(group.mask))?;
        map.serialize_entry("balance_cpu", &group.balance_cpu().unwrap_or(build.nr_cpus))?;
        map.serialize_entry("capacity", &group.sgc.capacity)?;
        map.serialize_entry("min_capacity", &group.sgc.min_capacity)?;
        if rules.max_capacity {
            map.serialize_entry("max_capacity", &group.sgc.max_capacity)?;
        }
        map.serialize_entry("weight", &build.spans.weight(group.group.span))?;
        if rules.group_cores {
            map.serialize_entry("cores", &group.group.cores)?;
        }
        if rules.group_flags != GroupFlags::None {
            map.serialize_entry("flags", &FlagNames(group.flags, rules.llc_flag_name))?;
        }
        map.serialize_entry("sgc", &build.sgc_name(group.sgc))?;
        map.end()
    }
}

/// A CPU set in the kernel's notation.
struct List<'a>(&'a CpuMask);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// Flags by name.
struct FlagNames(Flags, &'static str);

impl Serialize for FlagNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.names(self.1))
    }
}
