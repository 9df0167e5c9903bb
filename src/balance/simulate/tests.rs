use super::matrix::{Pair, PairResult, nodes, run_pair};
use super::{CpuIdle, Decision, Reason, Simulation, Start, What, parse_tasks};
use crate::analysis::reach;
use crate::balance::Balancer;
use crate::cpumask::CpuMask;
use crate::kernel::{self, Build, Release};
use crate::presets;
use crate::topology::generate::{Machine, Shape};
use crate::topology::{Topology, arbitrary};
use proptest::prelude::*;
use std::sync::Arc;

fn built(topology: &Topology, release: &str) -> Build {
    kernel::build(topology, &Release::parse(release).unwrap())
}

/// The ring of four with so many CPUs on each node.
fn ring(cpus: usize) -> Topology {
    let machine = Machine { llc_cpus: Some(cpus), ..Machine::new(4, cpus) };
    machine.topology("ring", Shape::parse("ring:4").unwrap().distances()).unwrap()
}

/// The pairs of node ids between which nothing moves.
fn stuck(topology: &Topology, release: &str) -> Vec<(usize, usize)> {
    let build = built(topology, release);
    let balancer = Balancer::new(topology, &build);
    let nodes = nodes(&balancer);
    let pairs = nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| (from, to))).filter(|(from, to)| from != to);
    pairs
        .filter(|&(from, to)| {
            let result = run_pair(&balancer, Pair { from, to }, 5000, 0);
            if let PairResult::Stuck(why) = result {
                assert!(why.is_some(), "{from} to {to} is stuck for no reason");
            }
            !matches!(result, PairResult::Moved { .. })
        })
        .collect()
}

#[test]
fn tasks_are_stuck_where_they_were_on_real_machines_with_two_cpus_a_node() {
    let ring = ring(2);
    for release in ["4.11", "4.12"] {
        assert_eq!(stuck(&ring, release), [(0, 2), (1, 3), (3, 1)], "{release}");
    }
    for release in ["4.14", "5.4", "5.10", "6.12", "newest"] {
        assert_eq!(stuck(&ring, release), [], "{release}");
    }
}

#[test]
fn with_one_cpu_a_node_4_14_leaves_distant_pairs_alone_and_6_12_does_not() {
    let ring = ring(1);
    assert_eq!(stuck(&ring, "4.12"), [(0, 2), (1, 3), (3, 1)]);
    // On real machines 2 to 0 and 3 to 1 moved: CPUs 0 and 1 had other work, after which they were newly idle.
    assert_eq!(stuck(&ring, "4.14"), [(0, 2), (1, 3), (2, 0), (3, 1)]);
    assert_eq!(stuck(&ring, "6.12"), []);
    let build = built(&ring, "4.14");
    let why = run_pair(&Balancer::new(&ring, &build), Pair { from: 1, to: 3 }, 5000, 0);
    assert!(matches!(why, PairResult::Stuck(Some((_, Reason::TooFewIdleCpus)))), "{why:?}");
}

/// Tasks on each node after 5000 ticks, all started on `start`.
fn spread(topology: &Topology, release: &str, tasks: &str, start: &Start) -> Vec<usize> {
    let build = built(topology, release);
    let balancer = Balancer::new(topology, &build);
    let tasks = parse_tasks(topology, tasks).unwrap();
    let mut simulation = Simulation::new(&balancer, &tasks, start, 0);
    simulation.run_until(&balancer, 5000, |_| {});
    let on = |node: &crate::topology::Node| node.cpus.iter().map(|cpu| simulation.tasks_on(cpu).len()).sum();
    topology.nodes.iter().map(on).collect()
}

#[test]
fn tasks_end_up_even_where_they_can() {
    let ring = ring(2);
    let start = Start::On(CpuMask::range(2, 3));
    assert_eq!(spread(&ring, "4.12", "8@nodes:1,3", &start), [0, 8, 0, 0]);
    assert_eq!(spread(&ring, "4.14", "8@nodes:1,3", &start), [0, 4, 0, 4]);
    assert_eq!(spread(&ring, "4.14", "8", &start), [2, 2, 2, 2]);
    assert_eq!(spread(&ring, "newest", "8", &start), [2, 2, 2, 2]);
}

#[test]
fn the_reclaim_distance_decides_where_tasks_start() {
    let naples = presets::find("naples").unwrap().topology().unwrap();
    let started = |reclaim| {
        let naples = Topology { reclaim_distance: reclaim, ..naples.clone() };
        let build = built(&naples, "5.10");
        let balancer = Balancer::new(&naples, &build);
        let tasks = parse_tasks(&naples, "16").unwrap();
        let simulation = Simulation::new(&balancer, &tasks, &Start::ForkedOn(0), 0);
        naples.nodes.iter().filter(|node| node.cpus.iter().any(|cpu| simulation.tasks_on(cpu).len() > 0)).count()
    };
    // The other package is at 32: with 30 no task is forked there.
    assert_eq!(started(30), 4);
    assert_eq!(started(32), 8);
}

#[test]
fn a_cpu_that_loses_its_last_task_pulls_at_once() {
    let ring = ring(2);
    let build = built(&ring, "6.12");
    let balancer = Balancer::new(&ring, &build);
    let tasks = parse_tasks(&ring, "1@cpus:0,5 4@cpus:1").unwrap();
    let mut simulation = Simulation::new(&balancer, &tasks, &Start::On(CpuMask::range(0, 1)), 0);
    for task in 1..5 {
        simulation.set_affinity(&balancer, task, CpuMask::range(0, 1));
    }
    let decisions = simulation.set_affinity(&balancer, 0, CpuMask::single(5)).to_vec();
    let [Decision { puller: 0, idle: CpuIdle::NewlyIdle, what: What::Moved { from: 1, to: 0, .. }, .. }] =
        decisions[..]
    else {
        panic!("{decisions:?}");
    };
    assert_eq!(simulation.cpu_of(0), 5);
    assert!(simulation.set_affinity(&balancer, 0, CpuMask::new()).is_empty());
    assert_eq!(simulation.cpu_of(0), 5);
}

#[test]
fn one_seed_gives_one_run() {
    let ring = ring(4);
    let build = built(&ring, "6.12");
    let balancer = Balancer::new(&ring, &build);
    let tasks = parse_tasks(&ring, "20@nodes:0-3 5@cpus:1,9").unwrap();
    let run = |seed| {
        let mut moves = Vec::new();
        let mut simulation = Simulation::new(&balancer, &tasks, &Start::On(CpuMask::single(0)), seed);
        simulation.run_until(&balancer, 2000, |decision| moves.push(*decision));
        moves
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn what_names_no_tasks_is_refused_with_the_part_that_is_wrong() {
    let ring = ring(1);
    for (text, part) in [
        ("", ""),
        ("0", "0"),
        ("8 x@nodes:1", "x@nodes:1"),
        ("8@nodes:7", "8@nodes:7"),
        ("8@cpus:99", "8@cpus:99"),
        ("8@planets:1", "8@planets:1"),
        ("99999999", "99999999"),
    ] {
        assert_eq!(parse_tasks(&ring, text).unwrap_err().part, part, "{text}");
    }
    assert_eq!(parse_tasks(&ring, "2@nodes:1,3; 1@cpus:0").unwrap().len(), 3);
}

fn tasks() -> impl Strategy<Value = Vec<Arc<CpuMask>>> {
    proptest::collection::vec(arbitrary::mask(24).prop_map(Arc::new), 1..40)
}

fn release() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "4.11", "4.12.3", "4.19", "5.4", "5.5", "5.10", "5.19", "6.1", "6.4", "6.6", "newest",
    ])
}

proptest! {
    #[test]
    fn no_task_is_lost_doubled_or_where_it_may_not_be(
        topology in arbitrary::topology(),
        release in release(),
        affinities in tasks(),
        at in 0_usize..24,
        seed: u64,
    ) {
        prop_assume!(!topology.online.is_empty());
        let build = built(&topology, release);
        let balancer = Balancer::new(&topology, &build);
        let at = at % topology.nr_cpus;
        let start = if seed % 2 == 0 { Start::On(CpuMask::single(at)) } else { Start::ForkedOn(at) };
        let mut simulation = Simulation::new(&balancer, &affinities, &start, seed);
        for turn in 0..300 {
            simulation.step(&balancer);
            if turn % 50 == 49 {
                let task = turn % affinities.len() as u32;
                simulation.set_affinity(&balancer, task, affinities[0].as_ref().clone());
            }
            let mut seen = vec![0; affinities.len()];
            for cpu in 0..topology.nr_cpus {
                for task in simulation.tasks_on(cpu) {
                    seen[task as usize] += 1;
                    prop_assert_eq!(simulation.cpu_of(task), cpu);
                    prop_assert!(topology.online.contains(cpu));
                    let allowed = simulation.allowed(task);
                    prop_assert!(allowed.contains(cpu), "task {} on CPU {} of {}", task, cpu, allowed);
                }
            }
            prop_assert!(seen.iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn every_hole_stays_stuck_and_what_is_stuck_has_a_reason(
        topology in arbitrary::topology(),
        release in release(),
        seed: u64,
    ) {
        let build = built(&topology, release);
        let balancer = Balancer::new(&topology, &build);
        let reach = reach::reach(&topology, &build);
        let nodes = nodes(&balancer);
        for (from, to) in nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| (from, to))) {
            if from == to {
                continue;
            }
            let result = run_pair(&balancer, Pair { from, to }, 600, seed);
            let id = |node: usize| topology.nodes[node].id;
            let at = |node| reach.nodes.iter().position(|&known| known == id(node)).unwrap();
            if reach.holes.contains(&(at(to), at(from))) {
                // Nobody of the node itself can; a third one may send a pinned task there.
                let own = matches!(result, PairResult::Moved { puller, .. } if topology.nodes[to].cpus.contains(puller));
                prop_assert!(!own, "{} to {}: {result:?}", id(from), id(to));
            }
            let apart = || build.chain(topology.nodes[to].cpus.first().unwrap()).next().is_none();
            if let PairResult::Stuck(None) = result {
                let both = |cpu| build.chain(cpu).any(|(_, domain)| build.span(domain.span).intersects(&topology.nodes[from].cpus));
                prop_assert!(apart() || !topology.node_online(to).iter().any(both), "{} to {} without a reason", id(from), id(to));
            }
        }
    }
}
