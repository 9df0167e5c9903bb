//! The log and the debug files of real kernels, booted on real shapes, line for line.

mod common;

use schedtopo::cpumask::CpuMask;
use schedtopo::kernel::{self, Build, Domain, Flags, Release, dmesg};
use schedtopo::topology::{Arch, Distances, Topology};
use serde_json::Value;
use std::collections::BTreeMap;

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
    debugfs: Option<String>,
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
            debugfs: boot["debugfs"].as_str().map(str::to_owned),
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

/// Flag names as the files hold them, a blank after each.
fn spaced(names: impl Iterator<Item = &'static str>) -> String {
    let mut all = String::new();
    for name in names {
        all.push_str(name);
        all.push(' ');
    }
    all
}

/// The fields of a domain in the kernel's debug files, those a boot changes left out.
fn debug_files(build: &Build, cpu: usize, level: usize, domain: &Domain) -> BTreeMap<&'static str, String> {
    let flags = |flags: Flags| spaced(flags.names(build.release.rules.llc_flag_name));
    let head = build.group(domain, 0);
    BTreeMap::from([
        ("name", build.level_name(level).to_owned()),
        ("level", level.to_string()),
        ("flags", flags(domain.flags)),
        ("groups_flags", flags(head.flags)),
        ("min_interval", domain.interval.to_string()),
        ("max_interval", (2 * domain.interval).to_string()),
        ("busy_factor", build.release.rules.busy_factor.to_string()),
        ("imbalance_pct", build.imbalance_pct(domain).to_string()),
        ("cache_nice_tries", build.cache_nice_tries(domain).to_string()),
        ("cpu", cpu.to_string()),
    ])
}

/// Names of the flag bits up to 5.7, by bit.
const OLD_BITS: [&str; 15] = [
    "SD_LOAD_BALANCE",
    "SD_BALANCE_NEWIDLE",
    "SD_BALANCE_EXEC",
    "SD_BALANCE_FORK",
    "SD_BALANCE_WAKE",
    "SD_WAKE_AFFINE",
    "SD_ASYM_CPUCAPACITY",
    "SD_SHARE_CPUCAPACITY",
    "SD_SHARE_POWERDOMAIN",
    "SD_SHARE_PKG_RESOURCES",
    "SD_SERIALIZE",
    "SD_ASYM_PACKING",
    "SD_PREFER_SIBLING",
    "SD_OVERLAP",
    "SD_NUMA",
];

fn flag_words(value: &str) -> String {
    match value.parse::<u32>() {
        Ok(bits) => spaced((0..OLD_BITS.len()).filter(|bit| bits >> bit & 1 == 1).map(|bit| OLD_BITS[bit])),
        Err(_) => value.to_owned(),
    }
}

#[test]
fn every_debug_file_equals_the_boot() {
    let mut files = 0;
    for boot in boots() {
        let Some(debugfs) = &boot.debugfs else { continue };
        let mut domains: BTreeMap<(usize, usize), BTreeMap<&'static str, String>> = BTreeMap::new();
        for cpu in boot.build.cpu_map().iter() {
            for (index, (level, domain)) in boot.build.chain(cpu).enumerate() {
                domains.insert((cpu, index), debug_files(&boot.build, cpu, level, domain));
            }
        }
        for line in debugfs.lines() {
            let Some((path, value)) = line.split_once(':') else { continue };
            let mut parts = path.trim_start_matches("./").split('/');
            let number = |part: Option<&str>, prefix: &str| {
                part.and_then(|part| part.strip_prefix(prefix)?.parse::<usize>().ok())
            };
            let place = (number(parts.next(), "cpu"), number(parts.next(), "domain"));
            let ((Some(cpu), Some(index)), Some(file)) = (place, parts.next()) else { continue };
            let domain = domains.get(&(cpu, index));
            let domain = domain.unwrap_or_else(|| panic!("{}: cpu{cpu} has no domain{index}", boot.place));
            if let Some(want) = domain.get(file) {
                let got = if file.ends_with("flags") { flag_words(value) } else { value.to_owned() };
                assert_eq!(&got, want, "{}: {path}", boot.place);
                files += 1;
            }
        }
    }
    assert!(files > 10_000, "only {files} files compared");
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
    let build = schedtopo::kernel::build(&topology, &schedtopo::kernel::Release::parse("6.12").expect("a release"));
    let debugfs = std::fs::read_to_string(common::fixture("relax0.v6.12.debugfs")).expect("fixture exists");
    let mut compared = 0;
    for line in debugfs.lines() {
        let (path, value) = line.split_once(':').expect("a path and a value");
        let parts: Vec<&str> = path.rsplit('/').take(3).collect();
        let [file, domain, cpu] = parts[..] else { panic!("{path}") };
        let number =
            |name: &str, prefix: &str| name.strip_prefix(prefix).and_then(|number| number.parse::<usize>().ok());
        let (Some(cpu), Some(at)) = (number(cpu, "cpu"), number(domain, "domain")) else { continue };
        let (level, domain) = build.chain(cpu).nth(at).expect("the model has the domain");
        let model = match file {
            "flags" => spaced(domain.flags.names(build.release.rules.llc_flag_name)),
            "name" => build.level_name(level).to_owned(),
            "min_interval" => domain.interval.to_string(),
            "max_interval" => (2 * domain.interval).to_string(),
            "imbalance_pct" => build.imbalance_pct(domain).to_string(),
            _ => continue,
        };
        assert_eq!(model, value, "{path}");
        compared += 1;
    }
    assert_eq!(compared, 8 * 3 * 5);
}
