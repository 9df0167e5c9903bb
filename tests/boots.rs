//! The log and the debug files of real kernels, booted on real shapes, line for line.

mod common;

use schedtopo::cpumask::CpuMask;
use schedtopo::formats::sysfs;
use schedtopo::kernel::{self, Build, Release, dmesg};
use schedtopo::topology::{Arch, Distances, Topology};
use schedtopo::verify::{self, Part};
use serde_json::Value;

/// A boot line without time stamp, and without capacities, which interrupts change.
fn plain(line: &str) -> String {
    let line = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(line, |(_, rest)| rest);
    let line = drop_numbers(line, " cap=", "");
    let line = drop_numbers(&line, " (cpu_capacity = ", ")");
    drop_numbers(&line, "max cpu_capacity = ", "").trim_end().to_owned()
}

/// Drops `before`, the digits that follow it, and `after`.
fn drop_numbers(line: &str, before: &str, after: &str) -> String {
    let mut parts = line.split(before);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str(rest.strip_prefix(after).unwrap_or(rest));
    }
    out
}

struct Boot {
    place: String,
    topology: Topology,
    build: Build,
    log: String,
}

fn boots() -> impl Iterator<Item = Boot> {
    common::lines("boots.jsonl.zst").map(|line| {
        let boot: Value = serde_json::from_str(&line).expect("fixture is JSON");
        let kernel = boot["kernel"].as_str().expect("boots have a kernel");
        let topology = common::topology(&boot["topology"]);
        let release = Release::parse(kernel).expect("fixture kernels are known");
        Boot {
            place: format!("{} on {kernel}", topology.name),
            build: kernel::build(&topology, &release),
            log: boot["log"].as_str().expect("boots have a log").to_owned(),
            topology,
        }
    })
}

#[test]
fn every_log_line_equals_the_boot() {
    let mut seen = 0;
    for boot in boots() {
        let lines = |text: &str| text.lines().map(plain).filter(|line| !line.is_empty()).collect::<Vec<_>>();
        let (want, got) = (lines(&boot.log), lines(&dmesg::text(&boot.build, &boot.topology)));
        for (index, (want, got)) in want.iter().zip(&got).enumerate() {
            assert_eq!(want, got, "{}, line {}", boot.place, index + 1);
        }
        assert_eq!(want.len(), got.len(), "{}: number of lines", boot.place);
        seen += 1;
    }
    assert_eq!(seen, 130);
}

/// The guest both logs of the 2017 thread come from.
fn ring4() -> Topology {
    let node_cpus = (0..4).map(CpuMask::single).collect();
    let hops = |from: usize, to: usize| from.abs_diff(to).min(4 - from.abs_diff(to)) as u32;
    let distances = Distances::from_fn(4, |from, to| 10 + 10 * hops(from, to));
    Topology { arch: Arch::X86, ..Topology::new("ring4", node_cpus, distances) }
}

#[test]
fn the_ring_of_the_2017_thread_logs_the_same_before_and_after() {
    for (kernel, file) in [("v4.11", "ring4-2017-before.log"), ("lauro-p3", "ring4-2017-after.log")] {
        let release = Release::parse(kernel).expect("release is known");
        let topology = ring4();
        let text = dmesg::text(&kernel::build(&topology, &release), &topology);
        let want = std::fs::read_to_string(common::fixture(file)).expect("fixture exists");
        // The thread's archive lost the indent.
        let got: Vec<&str> = text.lines().map(str::trim_start).collect();
        assert_eq!(got, want.lines().collect::<Vec<_>>(), "{kernel}");
    }
}

/// A kernel of 6.12 booted with `relax_domain_level=1`: flags and intervals of every domain, as its debugfs has them.
#[test]
fn relax_domain_level_is_what_a_real_kernel_made_of_it() {
    let text = std::fs::read_to_string(common::fixture("relax0.json")).expect("fixture exists");
    let mut topology = schedtopo::formats::json::read(&text).expect("fixture is a topology");
    topology.relax_domain_level = Some(1);
    let debugfs = std::fs::read_to_string(common::fixture("relax0.v6.12.debugfs")).expect("fixture exists");
    let different = |topology: &Topology| {
        let build = kernel::build(topology, &Release::parse("6.12").expect("a release"));
        verify::check_debug_files(&build, &sysfs::from_text(&debugfs)).expect("files are there").differences
    };
    assert_eq!(different(&topology), []);
    topology.relax_domain_level = None;
    let flags = different(&topology);
    assert!(flags.len() == 24 && flags.iter().all(|found| found.part == Part::Flags), "{flags:#?}");
}
