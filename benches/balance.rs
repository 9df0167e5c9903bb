//! What the balancer's walks cost in the forms they had, side by side in one run, and how many ticks a second the
//! simulation makes. The figures beside them are those of the patches that proposed the changes: known, not measured here.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use schedtopo::balance::Balancer;
use schedtopo::balance::pinned::{by_first_of_three, by_loop, by_two_intersections};
use schedtopo::balance::simulate::{Simulation, Start, parse_tasks};
use schedtopo::balance::timer::{first_busy_mask_each_step, first_busy_mask_once};
use schedtopo::cli::bench::median;
use schedtopo::cpumask::CpuMask;
use schedtopo::kernel::{self, Release};
use schedtopo::topology::generate::{Machine, Shape};
use schedtopo::topology::{Arch, Topology};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    timer_walk();
    retry_destination();
    for (nodes, cpus, tasks) in [(8, 16, 200), (32, 256, 20_000)] {
        ticks(nodes, cpus, tasks);
    }
}

/// So many of one thing in each measure, so that it is longer than the clock's grain.
const REPEATS: usize = 1000;

fn each(work: impl Fn()) -> f64 {
    median(|| (0..REPEATS).for_each(|_| work())) as f64 / REPEATS as f64
}

fn row(what: &str, ns: f64, baseline: f64, known: &str) {
    println!("{what:44} {ns:>9.0} ns  baseline {baseline:>9.0} ns  ratio {:>5.2}   {known}", baseline / ns);
}

/// An idle machine of 192 CPUs, of which the last does housekeeping.
fn timer_walk() {
    let span = CpuMask::first_n(192);
    let idle = CpuMask::first_n(191);
    let housekeeping = CpuMask::single(191);
    // What is asked for anew may have changed, which a compiler must believe.
    let mask = || black_box(&housekeeping);
    let every = each(|| {
        let _ = black_box(first_busy_mask_each_step(black_box(&span), &idle, mask));
    });
    let once = each(|| {
        let _ = black_box(first_busy_mask_once(black_box(&span), &idle, &housekeeping));
    });
    row("timer walk, housekeeping mask taken once", once, every, "proposed: 76 us to 16 us, 4.75");
}

/// A group and a domain of 128 CPUs each, and a task allowed on the last of them.
fn retry_destination() {
    let (group, cpus) = (CpuMask::first_n(128), CpuMask::first_n(128));
    let allowed = CpuMask::single(127);
    let measure = |search: fn(&CpuMask, &CpuMask, &CpuMask) -> Option<usize>| {
        each(|| {
            let _ = black_box(search(black_box(&group), &cpus, &allowed));
        })
    };
    let by_loop = measure(by_loop);
    row("new_dst_cpu by two intersections", measure(by_two_intersections), by_loop, "");
    row("new_dst_cpu by first of three", measure(by_first_of_three), by_loop, "proposed: about 130 ns to 93 ns, 1.4");
}

/// Tasks that may run anywhere, all on the first node at first.
fn ticks(nodes: usize, cpus: usize, tasks: usize) {
    let shape = Shape::parse(&format!("hypercube:{nodes}")).expect("shapes here are well formed");
    let machine = Machine { threads_per_core: 2, llc_cpus: Some(cpus), ..Machine::new(nodes, cpus) };
    let topology = machine.topology("bench", shape.distances()).expect("machines here are valid");
    let topology = Topology { arch: Arch::X86, ..topology };
    for kernel in ["v4.11", "v5.4", "v6.12"] {
        let build = kernel::build(&topology, &Release::parse(kernel).expect("kernels here are known"));
        let balancer = Balancer::new(&topology, &build);
        let affinities = parse_tasks(&topology, &tasks.to_string()).expect("a number of tasks");
        for (what, start) in
            [("spread at fork", Start::ForkedOn(0)), ("all on node 0", Start::On(CpuMask::first_n(cpus)))]
        {
            let mut simulation = Simulation::new(&balancer, &affinities, &start, 0);
            let end = if nodes * cpus > 1000 { 300 } else { 10_000 };
            let mut moves = 0_usize;
            let begun = Instant::now();
            simulation.run_until(&balancer, end, |_| moves += 1);
            let rate = end as f64 / begun.elapsed().as_secs_f64();
            println!(
                "{:6} CPUs {tasks:6} tasks {kernel:6} {what:15} {rate:>10.0} ticks/s  {moves} moves",
                nodes * cpus
            );
        }
    }
}
