//! Cores and caches of nodes whose CPUs are written out: dealt within each node.

use super::machine::Numbering;
use crate::cpumask::CpuMask;
use crate::topology::{CpuMasks, Invalid, MaskLevel};

/// How the CPUs of each node make up cores and caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dealing {
    /// Threads of each core; more than 1 gives an SMT level.
    pub threads_per_core: usize,
    /// Which CPUs of a node are threads of one core. Where it is not given, a list of as many equal ranges as a core has threads,
    /// such as `0-5,24-29`, has the first threads in the first range.
    pub numbering: Option<Numbering>,
    /// CPUs that share a last-level cache (MC), counted core by core.
    pub llc_cpus: Option<usize>,
    /// CPUs of a cluster (CLS), counted core by core.
    pub cluster_cpus: Option<usize>,
}

impl Dealing {
    /// The masks of the levels it gives, for `nr_cpus` CPUs.
    ///
    /// # Errors
    /// The field at fault, when the CPUs of a node can't be dealt so, and what would be right.
    pub fn levels(&self, nodes: &[CpuMask], nr_cpus: usize) -> Result<Vec<(MaskLevel, CpuMasks)>, Invalid> {
        let threads = Some(self.threads_per_core).filter(|&threads| threads != 1);
        let sizes = [
            (MaskLevel::Smt, "threads_per_core", threads),
            (MaskLevel::Cls, "cluster_cpus", self.cluster_cpus),
            (MaskLevel::Mc, "llc_cpus", self.llc_cpus),
        ];
        let mut levels = Vec::new();
        for (level, key, size) in sizes {
            let Some(size) = size else { continue };
            let mut groups = Vec::new();
            for (at, cpus) in nodes.iter().enumerate() {
                let count = cpus.weight();
                if size == 0 || !count.is_multiple_of(size) {
                    let fault = format!("groups of {size} CPUs do not make up the {count} of node_cpus[{at}]");
                    return Err(Invalid::new(key, fault, format!("give a divisor of {count}")));
                }
                groups.extend(
                    self.core_by_core(cpus).chunks(size).map(|group| group.iter().copied().collect::<CpuMask>()),
                );
            }
            levels.push((level, CpuMasks::from_groups(&groups, nr_cpus)));
        }
        Ok(levels)
    }

    /// The CPUs of a node, the threads of each core side by side.
    fn core_by_core(&self, cpus: &CpuMask) -> Vec<usize> {
        let list: Vec<usize> = cpus.iter().collect();
        let threads = self.threads_per_core.max(1);
        if self.numbering.unwrap_or_else(|| self.guess(cpus)) == Numbering::Adjacent
            || !list.len().is_multiple_of(threads)
        {
            return list;
        }
        let cores = list.len() / threads;
        (0..list.len()).map(|slot| list[slot % threads * cores + slot / threads]).collect()
    }

    fn guess(&self, cpus: &CpuMask) -> Numbering {
        let mut sizes: Vec<usize> = cpus.ranges().map(|(first, last)| last - first).collect();
        let ranges = sizes.len();
        sizes.dedup();
        let split = self.threads_per_core > 1 && ranges == self.threads_per_core && sizes.len() == 1;
        if split { Numbering::Split } else { Numbering::Adjacent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_threads_are_where_people_write_them() {
        let nodes = ["0-5,24-29", "6-11,30-35"].map(|list| CpuMask::parse(list, None).unwrap());
        let dealing = Dealing { threads_per_core: 2, numbering: None, llc_cpus: Some(6), cluster_cpus: None };
        let masks = |dealing: &Dealing| {
            let levels = dealing.levels(&nodes, 36).unwrap();
            levels.iter().map(|(_, masks)| masks.get(7).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(masks(&dealing), ["7,31", "6-8,30-32"]);
        assert_eq!(masks(&Dealing { numbering: Some(Numbering::Adjacent), ..dealing.clone() }), ["6-7", "6-11"]);
        let error = Dealing { llc_cpus: Some(5), ..dealing }.levels(&nodes, 36).unwrap_err();
        assert_eq!(
            error.to_string(),
            "llc_cpus: groups of 5 CPUs do not make up the 12 of node_cpus[0]; give a divisor of 12"
        );
    }
}
