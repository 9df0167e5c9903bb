//! CPUs that take no part in balancing, on purpose or not.

use super::{Checker, Severity, Witness, text};
use crate::cpumask::CpuMask;
use crate::topology::MaskLevel;

impl Checker<'_> {
    pub(super) fn isolation(&mut self) {
        self.isolated();
        self.without_domains();
        self.split_cores();
        self.housekeeping();
    }

    fn isolated(&mut self) {
        let cpus = self.topology.isolated.and(&self.topology.online);
        if cpus.is_empty() {
            return;
        }
        let message = format!(
            "{} {} isolated: no domain, and nothing is balanced to or from there",
            text::cpus(&cpus),
            text::are(&cpus)
        );
        let witness = Witness { cpus, ..Witness::default() };
        self.push("isolated-cpus", Severity::Info, message, witness, "nothing to do where isolcpus= means it");
    }

    fn without_domains(&mut self) {
        if self.build.error.is_some() {
            return;
        }
        for map in &self.build.cpu_maps {
            let cpus: CpuMask = map.iter().filter(|&cpu| self.build.chain(cpu).next().is_none()).collect();
            if cpus.is_empty() {
                continue;
            }
            let alone = map.weight() == 1;
            let why = if alone { "it is alone in its set" } else { "every one of them degenerated" };
            let severity = if alone { Severity::Info } else { Severity::Warning };
            let message = format!("{} {} no domain: {why}", text::cpus(&cpus), text::have(&cpus));
            let witness = Witness { cpus, ..Witness::default() };
            let advice =
                "tasks on them stay until they move themselves; check distances and masks if that is not meant";
            self.push("cpus-without-domains", severity, message, witness, advice);
        }
    }

    /// Cores with threads in different CPU maps, or in one and in none.
    fn split_cores(&mut self) {
        let smt = self.topology.mask(MaskLevel::Smt);
        let mut cores = Vec::new();
        let mut inside = CpuMask::new();
        for core in smt.distinct() {
            let core = core.and(&self.topology.online);
            let mut parts = self.build.cpu_maps.iter().filter(|map| map.intersects(&core));
            let Some(part) = parts.next() else { continue };
            if core.is_subset(part) {
                continue;
            }
            inside.or_assign(&core.and(&self.cpu_map));
            cores.push(core);
        }
        if cores.is_empty() {
            return;
        }
        cores.sort_unstable_by_key(CpuMask::first);
        cores.dedup();
        let message = format!(
            "{} {} hardware threads outside the same domains: core{} {}",
            text::cpus(&inside),
            text::have(&inside),
            if cores.len() == 1 { "" } else { "s" },
            text::sets(&cores)
        );
        let witness = Witness { cpus: inside, groups: cores, ..Witness::default() };
        let advice = "isolate whole cores: a busy thread slows its sibling, and 4.9 to 5.9 and 6.1 to 6.8 could put tasks \
                      on isolated siblings";
        self.push("isolated-smt-sibling", Severity::Warning, message, witness, advice);
    }

    fn housekeeping(&mut self) {
        let online = &self.topology.online;
        if self.topology.nohz_full.is_empty() || !online.is_subset(&self.topology.nohz_full) {
            return;
        }
        let message = "every online CPU is in nohz_full: none is left to keep time and do housekeeping".to_owned();
        let witness = Witness { cpus: online.clone(), ..Witness::default() };
        self.push(
            "no-housekeeping-cpu",
            Severity::Error,
            message,
            witness,
            "leave at least one online CPU out of nohz_full",
        );
    }
}
