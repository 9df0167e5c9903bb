//! The build by classes of CPUs equals the plain one, in which every CPU is built on its own as the kernel does, in
//! every field, over random machines: asymmetric tables, insane masks, offline and isolated CPUs, partitions,
//! interleaved numbering, capacities.

use proptest::prelude::*;
use schedtopo::cpumask::CpuMask;
use schedtopo::kernel::{self, Build, Rebuilder, Release, Sharing};
use schedtopo::topology::generate::{Machine, Numbering};
use schedtopo::topology::{Arch, CpuMasks, Distances, MaskLevel, Topology};
use std::sync::Arc;

/// Everything a person or program can see of a build, one line per fact, so that a difference names itself.
fn facts(build: &Build) -> Vec<String> {
    let mut facts = vec![
        format!("{:?}", build.numa),
        format!("error {:?}", build.error),
        format!("keys {} {}", build.asym_cpucapacity_key, build.cluster_key),
    ];
    facts.extend(build.messages.iter().map(|message| format!("{message:?}")));
    for cpu in 0..build.nr_cpus {
        facts.push(format!("cpu {cpu} {:?}", build.pointers[cpu]));
        for (level, domain) in build.built_chain(cpu) {
            facts.push(format!(
                "cpu {cpu} level {level} span {} flags {} / {} {:?} interval {} imb {}",
                build.span(domain.span),
                domain.built_flags,
                domain.flags,
                domain.fate,
                domain.interval,
                domain.imb_numa_nr
            ));
            for group in build.groups_of(domain) {
                facts.push(format!(
                    "cpu {cpu} level {level} group {} mask {} flags {} cores {} {} {} {} {}",
                    group.span,
                    group.mask,
                    group.flags,
                    group.group.cores,
                    build.sgc_name(group.sgc),
                    group.sgc.capacity,
                    group.sgc.min_capacity,
                    group.sgc.max_capacity
                ));
            }
        }
    }
    facts
}

fn assert_equal(build: &Build, plain: &Build, topology: &Topology) {
    let (fast, plain) = (facts(build), facts(plain));
    for (fast, plain) in fast.iter().zip(&plain) {
        assert_eq!(fast, plain, "{}: {topology:?}", build.release);
    }
    assert_eq!(fast.len(), plain.len(), "{}: {topology:?}", build.release);
}

fn assert_same(topology: &Topology, release: &Release) {
    let plain = kernel::build_with(topology, release, Sharing::PerCpu);
    assert_equal(&kernel::build_with(topology, release, Sharing::PerClass), &plain, topology);
    assert_equal(&kernel::build(topology, release), &plain, topology);
}

/// A partition of `cpus` into runs of `size`, as masks.
fn runs(cpus: &[usize], size: usize) -> Vec<CpuMask> {
    cpus.chunks(size.max(1)).map(|run| run.iter().copied().collect()).collect()
}

#[derive(Clone, Debug)]
struct Shape {
    node_sizes: Vec<usize>,
    /// Draws for everything else, used up in order.
    draws: Vec<u32>,
}

struct Draws<'a>(std::iter::Cycle<std::slice::Iter<'a, u32>>);

impl Draws<'_> {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.next().map_or(0, |draw| draw % limit.max(1))
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    (prop::collection::vec(0..9usize, 1..7), prop::collection::vec(any::<u32>(), 400))
        .prop_map(|(node_sizes, draws)| Shape { node_sizes, draws })
}

fn machine(shape: &Shape) -> Topology {
    let mut draw = Draws(shape.draws.iter().cycle());
    let nr_cpus: usize = shape.node_sizes.iter().sum::<usize>().max(1);
    let nodes = shape.node_sizes.len();
    let mut node_cpus = deal(shape, nr_cpus, &mut draw);
    if node_cpus.iter().all(CpuMask::is_empty) {
        node_cpus[0] = CpuMask::single(0);
    }
    let choices = [10, 11, 12, 20, 21, 30, 31, 40, 255];
    let symmetric = draw.chance(60);
    let mut distances = Distances::from_fn(nodes, |from, to| {
        if from == to && !draw.chance(2) {
            10
        } else {
            let far = if draw.chance(5) { 9 } else { 8 };
            choices[draw.below(far) as usize]
        }
    });
    if symmetric {
        for from in 0..nodes {
            for to in 0..from {
                distances.set(from, to, distances.get(to, from));
            }
        }
    }
    let mut topology = Topology::new("random", node_cpus, distances);
    topology.arch = if draw.chance(50) { Arch::X86 } else { Arch::ALL[draw.below(5) as usize] };
    topology.numa_in_package = draw.chance(20);
    topology.sched_debug = draw.chance(80);
    topology.reclaim_distance = if draw.chance(20) { 20 } else { 30 };
    topology.relax_domain_level = draw.chance(20).then(|| if draw.chance(50) { 1 } else { 4 });
    levels(&mut topology, &mut draw);
    let some = |draw: &mut Draws, percent: u32| (0..nr_cpus).filter(|_| draw.chance(percent)).collect::<CpuMask>();
    if draw.chance(30) {
        topology.online = some(&mut draw, 80).or(&CpuMask::single(0));
    }
    if draw.chance(20) {
        topology.isolated = some(&mut draw, 25);
    }
    if draw.chance(15) {
        let half = some(&mut draw, 50);
        topology.cpusets = vec![half];
    }
    if draw.chance(25) {
        let kinds = [1024, 512, 700, 446];
        topology.capacity = Some((0..nr_cpus).map(|_| kinds[draw.below(3) as usize]).collect());
    }
    topology.validate().expect("random machines are valid");
    topology
}

/// Deals the CPUs to the nodes: node by node, in turn, or as it comes.
fn deal(shape: &Shape, nr_cpus: usize, draw: &mut Draws) -> Vec<CpuMask> {
    let mut order: Vec<usize> = (0..nr_cpus).collect();
    match draw.below(3) {
        0 => {}
        1 => order.sort_by_key(|cpu| (cpu % 3, *cpu)),
        _ => order.sort_by_key(|cpu| shape.draws[cpu % shape.draws.len()]),
    }
    let mut cpus = order.into_iter();
    shape.node_sizes.iter().map(|&size| cpus.by_ref().take(size).collect()).collect()
}

/// Cores within nodes, caches of cores, and now and then masks that make no sense.
fn levels(topology: &mut Topology, draw: &mut Draws) {
    let nr_cpus = topology.nr_cpus;
    let nodes: Vec<Vec<usize>> = topology.nodes.iter().map(|node| node.cpus.iter().collect()).collect();
    let sizes = [(MaskLevel::Smt, 2), (MaskLevel::Cls, 3), (MaskLevel::Mc, 4)];
    for (level, most) in sizes {
        if !draw.chance(60) {
            continue;
        }
        let size = 1 + draw.below(most) as usize;
        let masks: Vec<CpuMask> = nodes.iter().flat_map(|cpus| runs(cpus, size)).collect();
        let mut of: Vec<CpuMask> = (0..nr_cpus)
            .map(|cpu| masks.iter().find(|mask| mask.contains(cpu)).cloned().unwrap_or_else(|| CpuMask::single(cpu)))
            .collect();
        if draw.chance(15) {
            for _ in 0..=draw.below(3) {
                let (at, other) = (draw.below(nr_cpus as u32) as usize, draw.below(nr_cpus as u32) as usize);
                of[at].insert(other);
                if draw.chance(30) {
                    of[at].remove(at);
                }
            }
        }
        topology.levels.set(level, Some(Arc::new(CpuMasks::new(of))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn classes_of_cpus_build_as_every_cpu_on_its_own(shape in shape()) {
        let topology = machine(&shape);
        for release in Release::all() {
            assert_same(&topology, &release);
        }
    }
}

/// One step of a person's: a distance, now and then the kernel, a CPU going off or on line, or an isolated one.
fn step(topology: &mut Topology, release: &mut Release, all: &[Release], draw: &mut Draws) {
    let nodes = topology.nodes.len() as u32;
    let cpu = draw.below(topology.nr_cpus as u32) as usize;
    match draw.below(10) {
        0 => *release = all[draw.below(all.len() as u32) as usize].clone(),
        1 if topology.online.weight() > 1 => topology.online.remove(cpu),
        2 => topology.online.insert(cpu),
        3 => topology.isolated = CpuMask::single(cpu),
        4 => topology.isolated = CpuMask::new(),
        5 => topology.sched_debug = !topology.sched_debug,
        _ => {
            let (from, to) = (draw.below(nodes) as usize, draw.below(nodes) as usize);
            let value = 10 + draw.below(12);
            topology.distances.set(from, to, value);
            if draw.chance(70) {
                topology.distances.set(to, from, value);
            }
        }
    }
    if topology.validate().is_err() {
        // An online CPU of no node: back to all nodes' CPUs.
        topology.online = topology.nodes.iter().fold(CpuMask::new(), |all, node| all.or(&node.cpus));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn building_again_after_each_edit_equals_building_from_scratch(shape in shape(), first in any::<u32>()) {
        let all = Release::all();
        let mut topology = machine(&shape);
        let mut release = all[first as usize % all.len()].clone();
        let mut draw = Draws(shape.draws.iter().cycle());
        let mut rebuilder = Rebuilder::default();
        for _ in 0..20 {
            let scratch = kernel::build_with(&topology, &release, Sharing::PerClass);
            assert_equal(&rebuilder.build(&topology, &release), &scratch, &topology);
            step(&mut topology, &mut release, &all, &mut draw);
        }
    }

    /// Machines as people have them: CPUs of a node in one run or two, whole cores and caches. Here nearly all of a
    /// build is shared, within it and with the one before.
    #[test]
    fn regular_machines_are_built_again_as_every_cpu_on_its_own(
        (nodes, cores, threads, split) in (2..7usize, 1..6usize, 1..3usize, any::<bool>()),
        (numa_in_package, sched_debug) in (any::<bool>(), any::<bool>()),
        draws in prop::collection::vec(any::<u32>(), 200),
    ) {
        let all = Release::all();
        let mut draw = Draws(draws.iter().cycle());
        let distances = Distances::from_fn(nodes, |from, to| 10 + 10 * (from ^ to).count_ones());
        let numbering = if split { Numbering::Split } else { Numbering::Adjacent };
        let caches = if cores % 2 == 0 { 1 + draw.below(2) as usize } else { 1 };
        let llc_cpus = Some(threads * cores / caches);
        let shape = Machine { threads_per_core: threads, llc_cpus, numbering, ..Machine::new(nodes, cores * threads) };
        let mut topology = shape.topology("regular", distances).expect("the machine is valid");
        topology.arch = Arch::ALL[draw.below(5) as usize];
        (topology.numa_in_package, topology.sched_debug) = (numa_in_package, sched_debug);
        let mut release = all[draw.below(all.len() as u32) as usize].clone();
        let mut rebuilder = Rebuilder::default();
        for _ in 0..12 {
            let plain = kernel::build_with(&topology, &release, Sharing::PerCpu);
            assert_equal(&rebuilder.build(&topology, &release), &plain, &topology);
            match draw.below(3) {
                0 => release = all[draw.below(all.len() as u32) as usize].clone(),
                1 => stretch(&mut topology, &mut draw),
                _ => step(&mut topology, &mut release, &all, &mut draw),
            }
        }
    }
}

/// Makes a distance longer wherever it is: levels stay as they are, until it meets the next.
fn stretch(topology: &mut Topology, draw: &mut Draws) {
    let nodes = topology.nodes.len();
    let at = |draw: &mut Draws| draw.below(nodes as u32) as usize;
    let (distance, by) = (topology.distances.get(at(draw), at(draw)), draw.below(12));
    let stretched = |before: u32| if before == distance && before > 10 { (before + by).min(255) } else { before };
    topology.distances = Distances::from_fn(nodes, |from, to| stretched(topology.distances.get(from, to)));
}

/// Masks no machine has: empty, another's, everything, for one CPU or for all. Nothing panics, and both builds agree.
#[test]
fn masks_that_make_no_sense_are_survived_by_every_release() {
    let node_cpus = vec![CpuMask::range(0, 2), CpuMask::range(3, 5)];
    let table = Distances::from_fn(2, |from, to| if from == to { 10 } else { 20 });
    for arch in Arch::ALL {
        for level in MaskLevel::ALL {
            for mask in ["", "0", "5", "1-4", "0-5"] {
                let mask = CpuMask::parse(mask, None).expect("masks here are cpulists");
                for odd in [CpuMask::single(0), CpuMask::single(4), CpuMask::range(0, 5)] {
                    let own = |cpu: usize| if odd.contains(cpu) { mask.clone() } else { CpuMask::single(cpu) };
                    let mut topology = Topology::new("odd", node_cpus.clone(), table.clone());
                    topology.arch = arch;
                    topology.levels.set(level, Some(Arc::new(CpuMasks::new((0..6).map(own)))));
                    for release in Release::all() {
                        assert_same(&topology, &release);
                    }
                }
            }
        }
    }
}

#[test]
fn the_presets_build_the_same_both_ways() {
    for preset in schedtopo::presets::all() {
        let topology = preset.topology().expect("presets are valid");
        if topology.nr_cpus <= 128 {
            for kernel in ["v4.11", "lauro-p2", "v4.12.3", "v4.14", "v5.4", "v5.15", "v6.12", "v6.17", "v7.2"] {
                assert_same(&topology, &Release::parse(kernel).expect("release is known"));
            }
        }
    }
}
