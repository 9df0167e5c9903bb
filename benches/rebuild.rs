//! What a rebuild costs, and what it would cost if every CPU were built on its own; what a span check costs in its two
//! forms; what it costs by CPUs and by nodes; how many topologies a second `batch` builds. Each line has its baseline
//! beside it, measured in the same run, and the ratio between them. No bench harness prints such ratios; `steps` has
//! the single steps under one.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use schedtopo::cli::batch::{Progress, batch};
use schedtopo::cli::bench::{self, median};
use schedtopo::formats::json;
use schedtopo::kernel::sane::Masks;
use schedtopo::kernel::{self, Rebuilder, Release, Sharing};
use schedtopo::presets;
use schedtopo::topology::Topology;
use schedtopo::topology::generate::{Machine, Shape};
use std::hint::black_box;
use std::io;
use std::time::Duration;

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

/// What the kernel's own C took for the same on a machine of so many CPUs, v6.18 built for user space: known, not
/// measured here.
const KERNEL_C: [(usize, Duration); 2] = [(1920, Duration::from_millis(1150)), (8192, Duration::from_secs(56))];

fn rebuild(name: &str, topology: &Topology) {
    for kernel in KERNELS {
        let release = Release::parse(kernel).expect("kernels here are known");
        let again = bench::rebuild(topology, &release);
        let mut rebuilder = Rebuilder::default();
        let kept = median(|| drop(black_box(rebuilder.build(black_box(topology), &release))));
        let first = median(|| drop(black_box(kernel::build(black_box(topology), &release))));
        let plain = median(|| drop(black_box(kernel::build_with(black_box(topology), &release, Sharing::PerCpu))));
        row("rebuild", name, kernel, again, plain);
        row("same levels", name, kernel, kept, plain);
        row("first build", name, kernel, first, plain);
        if let Some((_, known)) = KERNEL_C.iter().find(|(cpus, _)| *cpus == topology.nr_cpus) {
            println!("{:>90} {:>9.1}", "to the kernel's C", known.as_nanos() as f64 / again as f64);
        }
    }
}

/// Topologies a second through `batch`, on all cores and on one.
fn bulk() {
    let lines: Vec<String> = presets::all()
        .filter_map(|preset| preset.topology().ok())
        .filter(|topology| topology.nr_cpus <= 128)
        .map(|topology| json::write(&topology).replace('\n', " "))
        .collect();
    let input = format!("{}\n", lines.join("\n")).repeat(4);
    let release = Release::newest();
    let run = || {
        let mut progress = Progress::new(Box::new(io::sink()));
        batch(&release, input.as_bytes(), &mut io::sink(), &mut progress).expect("nothing here fails");
    };
    let all = median(run);
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let one = one_core.install(|| median(run));
    let cores = rayon::current_num_threads();
    let rate = |ns: u64| lines.len() as f64 * 4.0 / (ns as f64 / 1e9);
    println!(
        "batch       {} presets up to 128 CPUs: {:.0} a second on {cores} cores  baseline {:.0} on one  ratio {:.2}",
        lines.len(),
        rate(all),
        rate(one),
        one as f64 / all as f64
    );
}

/// A machine numbered round robin has a ring for each CPU before 4.13 and after.
fn interleaved(nodes: usize, cpus: usize) -> Topology {
    let node_cpus = (0..nodes).map(|node| (node..cpus).step_by(nodes).collect()).collect();
    let shape = Shape::parse(&format!("hypercube:{nodes}")).expect("shapes here are well formed");
    Topology { arch: schedtopo::topology::Arch::X86, ..Topology::new("interleaved", node_cpus, shape.distances()) }
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
    println!("a rebuild follows an edit that moves a pair of nodes to another level; `same levels`, one that does not");
    println!("baseline of a rebuild: every CPU built on its own, as the kernel does; of a span check: pairwise, O(N²)");
    for (name, topology) in &machines {
        rebuild(name, topology);
    }
    for (name, topology) in &machines[2..] {
        span_check(name, topology);
    }
    let interleaved = interleaved(32, 8192);
    for kernel in KERNELS {
        let release = Release::parse(kernel).expect("kernels here are known");
        let again = bench::rebuild(&interleaved, &release);
        println!("rebuild     32 nodes in turn, 8192 CPUs  {kernel:<6} {:>11.4} ms", again as f64 / 1e6);
    }
    bulk();
    println!("\nslope in CPUs, 8 nodes, and in nodes, 4 CPUs a node: v7.2");
    let newest = Release::newest();
    let slope = |name: String, topology: &Topology| {
        let ns = bench::rebuild(topology, &newest);
        println!("{name:<24} {:>9.4} ms  {:>7.1} ns a CPU", ns as f64 / 1e6, ns as f64 / topology.nr_cpus as f64);
    };
    for cpus in [64, 128, 256, 512, 1024, 2048, 4096, 8192] {
        slope(format!("{cpus} CPUs"), &machine("hypercube:8", cpus / 8, 2));
    }
    for nodes in [2, 4, 8, 16, 32, 64, 128] {
        slope(format!("{nodes} nodes"), &machine(&format!("hypercube:{nodes}"), 4, 2));
    }
}
