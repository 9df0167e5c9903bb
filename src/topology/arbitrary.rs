//! Random machines for property tests: sparse node ids, any numbering, masks that make no sense.

use super::{Arch, CpuMasks, Distances, MaskLevel, Node, Topology};
use crate::cpumask::CpuMask;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::sync::Arc;

/// Any valid topology of at most 6 nodes and 24 CPUs.
pub(crate) fn topology() -> impl Strategy<Value = Topology> {
    (1_usize..=6, 1_usize..=24).prop_flat_map(|(nodes, nr_cpus)| {
        let run = (
            cpus(nr_cpus),
            cpus(nr_cpus),
            cpus(nr_cpus),
            vec(0_usize..4, nr_cpus),
            (0_u32..60, proptest::option::weighted(0.2, 0_u32..8)),
            any::<[bool; 2]>(),
        );
        let machine = (
            subsequence((0_u32..40).collect::<Vec<_>>(), nodes),
            // The node of each CPU; one beyond the last is none.
            vec(0..=nodes, nr_cpus),
            vec(prop_oneof![Just(10_u32), Just(20), 0_u32..260], nodes * nodes),
            vec(proptest::option::of(0_u32..3), nodes),
            levels(nr_cpus),
        );
        let text =
            (label(), label(), label(), select(&Arch::ALL[..]), proptest::option::of(vec(1_u32..=1024, nr_cpus)));
        (Just((nodes, nr_cpus)), machine, run, text)
            .prop_map(|((nodes, nr_cpus), machine, run, text)| {
                let (ids, node_of, cells, packages, levels) = machine;
                let (offline, isolated, nohz_full, cpuset_of, (reclaim_distance, relax_domain_level), switches) = run;
                let (name, about, source, arch, capacity) = text;
                let of = |list: &[usize], wanted: usize| -> CpuMask {
                    list.iter().enumerate().filter(|&(_, &at)| at == wanted).map(|(cpu, _)| cpu).collect()
                };
                let nodes_cpus = (0..nodes).map(|node| of(&node_of, node));
                let mut topology = Topology {
                    name,
                    about,
                    source,
                    arch,
                    nr_cpus,
                    nodes: ids
                        .into_iter()
                        .zip(nodes_cpus)
                        .zip(packages)
                        .map(|((id, cpus), package)| Node { id, cpus, package })
                        .collect(),
                    distances: Distances::from_fn(nodes, |from, to| cells[from * nodes + to]),
                    online: CpuMask::first_n(nr_cpus).andnot(&offline).andnot(&of(&node_of, nodes)),
                    isolated,
                    nohz_full,
                    cpusets: (1..3).map(|set| of(&cpuset_of, set)).filter(|set| !set.is_empty()).collect(),
                    capacity: capacity.map(Arc::from),
                    sched_debug: switches[0],
                    numa_in_package: switches[1],
                    reclaim_distance,
                    relax_domain_level,
                    ..Topology::default()
                };
                for (level, masks) in MaskLevel::ALL.into_iter().zip(levels) {
                    topology.levels.set(level, masks.map(Arc::new));
                }
                topology
            })
            .prop_filter("must be valid", |topology| topology.validate().is_ok())
    })
}

/// Any set of CPUs below `nr_cpus`.
pub(crate) fn mask(nr_cpus: usize) -> impl Strategy<Value = CpuMask> {
    prop_oneof![
        2 => proptest::collection::btree_set(0..nr_cpus, 0..=8).prop_map(|set| set.into_iter().collect()),
        2 => vec(any::<bool>(), nr_cpus)
            .prop_map(|bits| bits.into_iter().enumerate().filter(|&(_, set)| set).map(|(cpu, _)| cpu).collect()),
        1 => (0..nr_cpus, 0..nr_cpus).prop_map(|(a, b)| CpuMask::range(a.min(b), a.max(b))),
    ]
}

fn cpus(nr_cpus: usize) -> impl Strategy<Value = CpuMask> {
    prop_oneof![
        3 => Just(CpuMask::new()),
        1 => proptest::collection::btree_set(0..nr_cpus, 0..=nr_cpus).prop_map(|set| set.into_iter().collect()),
    ]
}

fn levels(nr_cpus: usize) -> impl Strategy<Value = Vec<Option<CpuMasks>>> {
    let insane = vec(cpus(nr_cpus), nr_cpus).prop_map(|masks| Some(CpuMasks::new(masks)));
    let sane = (1..=nr_cpus).prop_map(move |size| {
        let group = |cpu: usize| CpuMask::range(cpu / size * size, (cpu / size * size + size).min(nr_cpus) - 1);
        Some(CpuMasks::new((0..nr_cpus).map(group)))
    });
    vec(prop_oneof![2 => Just(None), 2 => sane, 1 => insane], MaskLevel::ALL.len())
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z0-9-]{0,12}", 1 => any::<String>()]
}
