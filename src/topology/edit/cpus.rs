//! What happens to masks, capacities and partitions when CPUs come and go.

use crate::cpumask::CpuMask;
use crate::topology::{CpuMasks, MaskLevel, Topology};
use std::sync::Arc;

/// Capacity of a CPU nobody said anything about: a full one.
const FULL: u32 = 1024;

impl Topology {
    /// Makes room for CPUs up to `nr_cpus`: alone at every level given, with full capacity, in no node, offline.
    pub(super) fn grow(&mut self, nr_cpus: usize) {
        let new = self.nr_cpus..nr_cpus;
        if new.is_empty() {
            return;
        }
        for level in MaskLevel::ALL {
            if let Some(masks) = self.levels.get(level) {
                let old = (0..masks.len()).map(|cpu| masks.get(cpu).clone());
                let masks = CpuMasks::new(old.chain(new.clone().map(CpuMask::single)));
                self.levels.set(level, Some(Arc::new(masks)));
            }
        }
        if let Some(capacity) = &self.capacity {
            self.capacity = Some(capacity.iter().copied().chain(new.clone().map(|_| FULL)).collect());
        }
        self.nr_cpus = nr_cpus;
    }

    /// Keeps only these CPUs and numbers them anew from 0, in the same order.
    pub(super) fn keep(&mut self, kept: &CpuMask) {
        let mut new_number = vec![None; self.nr_cpus];
        for (new, old) in kept.iter().enumerate() {
            if let Some(slot) = new_number.get_mut(old) {
                *slot = Some(new);
            }
        }
        let renumber = |mask: &CpuMask| -> CpuMask {
            mask.iter().filter_map(|cpu| new_number.get(cpu).copied().flatten()).collect()
        };
        for level in MaskLevel::ALL {
            if let Some(masks) = self.levels.get(level) {
                let distinct: Vec<CpuMask> = masks.distinct().iter().map(renumber).collect();
                let masks = CpuMasks::new(kept.iter().map(|cpu| distinct[masks.id(cpu)].clone()));
                self.levels.set(level, Some(Arc::new(masks)));
            }
        }
        if let Some(capacity) = &self.capacity {
            self.capacity = Some(kept.iter().filter_map(|cpu| capacity.get(cpu).copied()).collect());
        }
        for node in &mut self.nodes {
            node.cpus = renumber(&node.cpus);
        }
        for cpuset in &mut self.cpusets {
            *cpuset = renumber(cpuset);
        }
        self.cpusets.retain(|cpuset| !cpuset.is_empty());
        for mask in [&mut self.online, &mut self.isolated, &mut self.nohz_full] {
            *mask = renumber(mask);
        }
        self.nr_cpus = kept.weight();
    }
}
