//! Level masks: what the architecture says of cores, clusters, caches and packages.

use super::advice::Advice;
use super::{Checker, Severity, Witness, text};
use crate::cpumask::CpuMask;
use crate::kernel::{LevelMask, SpanId};
use crate::topology::{Arch, CpuMasks, MaskLevel};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

impl Checker<'_> {
    pub(super) fn masks(&mut self) {
        for level in 0..self.build.levels.len() {
            let LevelMask::Arch(kind) = self.build.levels[level].mask else { continue };
            if self.topology.levels.get(kind).is_none() {
                continue;
            }
            let masks = self.topology.mask(kind);
            self.not_equivalent(level, &masks);
            match kind {
                MaskLevel::Smt => self.crosses_nodes(level, &masks, "smt-crosses-nodes", "smt"),
                MaskLevel::Cls => self.crosses_nodes(level, &masks, "cluster-crosses-nodes", "cluster"),
                MaskLevel::Mc => self.crosses_nodes(level, &masks, "llc-crosses-nodes", "llc"),
                MaskLevel::Pkg | MaskLevel::Book | MaskLevel::Drawer => {}
            }
        }
        self.mixed_packages();
    }

    /// Masks must be those of an equivalence relation: the CPUs that have a mask are the CPUs in it.
    fn not_equivalent(&mut self, level: usize, masks: &CpuMasks) {
        let mut holders: FxHashMap<usize, CpuMask> = FxHashMap::default();
        for cpu in self.cpu_map.iter() {
            holders.entry(masks.id(cpu)).or_default().insert(cpu);
        }
        // Different masks can be the same within the map.
        let mut by_mask: FxHashMap<CpuMask, CpuMask> = FxHashMap::default();
        for (id, cpus) in holders {
            by_mask.entry(masks.distinct()[id].and(&self.cpu_map)).or_default().or_assign(&cpus);
        }
        let broken: Vec<(CpuMask, CpuMask)> = by_mask.into_iter().filter(|(mask, cpus)| mask != cpus).collect();
        let Some((mask, cpus)) = broken.iter().min_by_key(|(_, cpus)| cpus.first()) else { return };
        let Some(a) = cpus.first() else { return };
        let stranger = mask.andnot(cpus).first();
        let b = stranger.or_else(|| cpus.andnot(mask).first()).unwrap_or(a);
        let theirs = masks.get(b).and(&self.cpu_map);
        let label = self.build.level_label(level);
        let message = match stranger {
            Some(_) => format!(
                "masks of {label} are neither equal nor apart: CPU {a} has {mask}, and CPU {b}, which is in it, has {theirs}"
            ),
            None => format!("masks of {label} are no classes: CPU {b} has mask {mask} and is not in it"),
        };
        let severity = if self.is_refused() { Severity::Error } else { Severity::Warning };
        let witness = Witness {
            cpus: [a, b].into_iter().collect(),
            level: Some(level),
            groups: vec![mask.clone(), theirs],
            ..Witness::default()
        };
        let advice = "CPUs of one core, cluster, cache or package must all report the same set";
        self.push("masks-not-equivalent", severity, message, witness, advice);
    }

    /// CPUs of one core, cluster or cache belong to one node; x86 complains of the first that does not, in boot order,
    /// and ignores such links.
    fn crosses_nodes(&mut self, level: usize, masks: &CpuMasks, id: &'static str, word: &str) {
        let used: FxHashSet<usize> = self.cpu_map.iter().map(|cpu| masks.id(cpu)).collect();
        let mut crossing: Vec<(usize, usize, CpuMask)> = Vec::new();
        for mask in used.iter().map(|&id| masks.distinct()[id].and(&self.topology.online)) {
            let Some(first) = mask.first() else { continue };
            let Some(node) = self.node_of[first] else { continue };
            if let Some(other) = mask.andnot(&self.topology.nodes[node as usize].cpus).first() {
                crossing.push((other, first, mask));
            }
        }
        let Some((cpu, sibling, _)) = crossing.iter().min_by_key(|(cpu, sibling, _)| (*cpu, *sibling)) else { return };
        let (cpu, sibling) = (*cpu, *sibling);
        let node = |cpu: usize| self.node_of[cpu].map_or(0, |node| self.id(node as usize));
        let label = self.build.level_label(level);
        let shared = format!(
            "{label} reaches over nodes: CPU {cpu} of node {} shares it with CPU {sibling} of node {}",
            node(cpu),
            node(sibling)
        );
        let said = format!(
            "; the kernel says \"sched: CPU #{cpu}'s {word}-sibling CPU #{sibling} is not on the same node! [node: {} != \
             {}]. Ignoring dependency.\" and cuts the mask at the node's edge",
            node(cpu),
            node(sibling)
        );
        let message = if self.topology.arch == Arch::X86 { shared + &said } else { shared };
        let mut groups: Vec<CpuMask> = crossing.iter().map(|(_, _, mask)| mask.clone()).collect();
        groups.sort_unstable_by_key(CpuMask::first);
        let mut nodes = vec![node(sibling), node(cpu)];
        nodes.sort_unstable();
        let witness = Witness {
            cpus: [cpu, sibling].into_iter().collect(),
            nodes,
            level: Some(level),
            groups,
            ..Witness::default()
        };
        let advice = "correct the cache or core ids the hypervisor gives, or put these CPUs in one node";
        self.push(id, Severity::Warning, message, witness, advice);
    }

    /// The CPUs in the map of each node's package, by node; `None` when packages are not known.
    fn packages(&self) -> Option<Vec<CpuMask>> {
        let nodes = &self.topology.nodes;
        let present = self.nodes_in_map();
        let mut package = vec![None; nodes.len()];
        if present.iter().all(|&node| nodes[node].package.is_some()) {
            for &node in &present {
                package[node] = nodes[node].package.map(|id| id as usize);
            }
        } else {
            let masks = self.topology.levels.get(MaskLevel::Pkg)?;
            for &node in &present {
                let cpu = nodes[node].cpus.first_and(&self.cpu_map)?;
                package[node] = masks.get(cpu).first();
            }
        }
        let mut cpus: FxHashMap<usize, CpuMask> = FxHashMap::default();
        for &node in &present {
            cpus.entry(package[node]?).or_default().or_assign(&nodes[node].cpus.and(&self.cpu_map));
        }
        Some(package.iter().map(|id| id.and_then(|id| cpus.get(&id).cloned()).unwrap_or_default()).collect())
    }

    /// NUMA domains that hold part of another package: sub-NUMA clusters whose remote distances differ.
    fn mixed_packages(&mut self) {
        let Some(packages) = self.packages() else { return };
        let build = self.build;
        let mut known: FxHashMap<(SpanId, u32), bool> = FxHashMap::default();
        let mut by_level: BTreeMap<usize, CpuMask> = BTreeMap::new();
        for cpu in self.cpu_map.iter() {
            let Some(node) = self.node_of[cpu] else { continue };
            for (level, domain) in build.chain(cpu).filter(|&(level, _)| build.levels[level].overlap) {
                let mixed = *known.entry((domain.span, node)).or_insert_with(|| {
                    let span = build.span(domain.span);
                    let own = &packages[node as usize];
                    packages.iter().any(|other| other != own && other.intersects(span) && !other.is_subset(span))
                });
                if mixed {
                    by_level.entry(level).or_default().insert(cpu);
                }
            }
        }
        for (level, cpus) in by_level {
            let Some(domain) = cpus.first().and_then(|cpu| build.domain(cpu, level)) else { continue };
            let span = build.span(domain.span).clone();
            let message = format!(
                "{} of {} joins part of another package with the local one: {{{span}}}",
                build.level_label(level),
                text::cpus(&cpus)
            );
            let nodes =
                self.topology.nodes.iter().filter(|node| node.cpus.intersects(&cpus)).map(|node| node.id).collect();
            let witness = Witness { cpus, nodes, level: Some(level), groups: vec![span], ..Witness::default() };
            let advice = Advice::Release {
                since: (7, 0),
                why: "where distances are averaged by package; or give all nodes of another package one distance",
                otherwise: "give all nodes of another package one distance",
            };
            self.push("level-mixes-packages", Severity::Warning, message, witness, advice);
        }
    }
}
