//! What a rebuild costs, and what it would cost if every CPU were built on its own; what a span check costs in its two
//! forms. Each line has its baseline beside it, measured in the same run, and the ratio between them.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use schedtopo::cli::bench::median;
use schedtopo::kernel::sane::Masks;
use schedtopo::kernel::{self, Release, Sharing};
use schedtopo::topology::Topology;
use schedtopo::topology::generate::{Machine, Shape};
use std::hint::black_box;

/// One kernel before the fix, one with the pairwise check, one with the check in O(N).
const KERNELS: [&str; 3] = ["v4.11", "v6.12", "v7.2"];

fn machine(name: &str, cpus_per_node: usize, threads_per_core: usize) -> Topology {
    let shape = Shape::parse(name).expect("shapes here are well formed");
    let nodes = shape.distances().nodes();
    let machine = Machine { threads_per_core, llc_cpus: Some(cpus_per_node), ..Machine::new(nodes, cpus_per_node) };
    let mut topology = machine.topology(name, shape.distances()).expect("machines here are valid");
    topology.arch = schedtopo::topology::Arch::X86;
    topology
}

fn rebuild(name: &str, topology: &Topology) {
    for kernel in KERNELS {
        let release = Release::parse(kernel).expect("kernels here are known");
        let time = |sharing| median(|| drop(black_box(kernel::build_with(black_box(topology), &release, sharing))));
        row("rebuild", name, kernel, time(Sharing::PerClass), time(Sharing::PerCpu));
    }
}

fn span_check(name: &str, topology: &Topology) {
    let release = Release::newest();
    let masks = Masks::new(topology, &release);
    let linear = median(|| {
        black_box(masks.linear());
    });
    let pairwise = median(|| {
        black_box(masks.pairwise());
    });
    row("span check", name, "O(N)", linear, pairwise);
}

fn row(what: &str, name: &str, kernel: &str, ns: u64, baseline: u64) {
    let ms = |ns: u64| ns as f64 / 1e6;
    let ratio = baseline as f64 / ns as f64;
    println!(
        "{what:<11} {name:<28} {kernel:<6} {:>11.4} ms  baseline {:>12.4} ms  ratio {ratio:>9.1}",
        ms(ns),
        ms(baseline)
    );
}

fn main() {
    let machines = [
        ("ring of 4, 4 CPUs", machine("ring:4", 1, 1)),
        ("8 nodes x 32 CPUs", machine("hypercube:8", 32, 2)),
        ("16 nodes, 1920 CPUs", machine("hypercube:16", 120, 2)),
        ("32 nodes, 8192 CPUs", machine("hypercube:32", 256, 2)),
    ];
    println!("baseline of a rebuild: every CPU built on its own, as the kernel does; of a span check: pairwise, O(N²)");
    for (name, topology) in &machines {
        rebuild(name, topology);
    }
    for (name, topology) in &machines[2..] {
        span_check(name, topology);
    }
    println!("\nslope in CPUs, 8 nodes, and in nodes, 4 CPUs a node: v7.2");
    let newest = Release::newest();
    let slope = |name: String, topology: &Topology| {
        let ns = median(|| drop(black_box(kernel::build(black_box(topology), &newest))));
        println!("{name:<24} {:>9.4} ms  {:>7.1} ns a CPU", ns as f64 / 1e6, ns as f64 / topology.nr_cpus as f64);
    };
    for cpus in [64, 128, 256, 512, 1024, 2048, 4096, 8192] {
        slope(format!("{cpus} CPUs"), &machine("hypercube:8", cpus / 8, 2));
    }
    for nodes in [2, 4, 8, 16, 32, 64, 128] {
        slope(format!("{nodes} nodes"), &machine(&format!("hypercube:{nodes}"), 4, 2));
    }
}
