//! The model against what real kernels printed, whole, cut, mixed with other lines, and with one thing changed.

mod common;

use proptest::prelude::*;
use schedtopo::cpumask::CpuMask;
use schedtopo::formats::log::{self, KernelLog};
use schedtopo::formats::sysfs::{self, Files};
use schedtopo::formats::{self, json, schedstat};
use schedtopo::kernel::{self, Release, dmesg};
use schedtopo::topology::Topology;
use schedtopo::verify::{Outcome, Part, Report, Taken, check_debug_files, check_log, check_schedstat};
use serde_json::Value;
use std::fs;
use std::sync::LazyLock;

struct Boot {
    place: String,
    topology: Topology,
    release: Release,
    log: String,
    debugfs: Option<String>,
}

static BOOTS: LazyLock<Vec<Boot>> = LazyLock::new(|| {
    common::lines("boots.jsonl.zst")
        .map(|line| {
            let boot: Value = serde_json::from_str(&line).expect("fixture is JSON");
            let kernel = boot["kernel"].as_str().expect("boots have a kernel");
            let topology = common::topology(&boot["topology"]);
            Boot {
                place: format!("{} on {kernel}", topology.name),
                topology,
                release: Release::parse(kernel).expect("fixture kernels are known"),
                log: boot["log"].as_str().expect("boots have a log").to_owned(),
                debugfs: boot["debugfs"].as_str().map(str::to_owned),
            }
        })
        .collect()
});

fn check(boot: &Boot, text: &str) -> Report {
    check_log(&boot.topology, &boot.release, &log::read(text))
}

fn text_of(name: &str) -> String {
    fs::read_to_string(common::fixture(name)).expect("fixture exists")
}

#[test]
fn every_boot_is_equal() {
    for boot in BOOTS.iter() {
        let report = check(boot, &boot.log);
        assert_eq!(report.outcome(), Outcome::Equal, "{}: {report:#?}", boot.place);
        assert_eq!(report.checks.len(), 1, "{}", boot.place);
    }
    assert_eq!(BOOTS.len(), 130);
}

#[test]
fn every_debug_file_is_equal() {
    let mut seen = 0;
    for boot in BOOTS.iter() {
        let Some(debugfs) = &boot.debugfs else { continue };
        let build = kernel::build(&boot.topology, &boot.release);
        let check = check_debug_files(&build, &sysfs::from_text(debugfs)).expect("files are there");
        assert_eq!(check.differences, [], "{}", boot.place);
        seen += 1;
    }
    assert!(seen > 90, "{seen}");
}

/// A tree, and what its kernel printed in the three ways.
fn samples(machine: &str) -> Vec<(String, Topology, Release)> {
    let tree = common::fixture(&format!("formats/systree/systree_{machine}_v73.tar.gz"));
    let source = if tree.exists() { tree } else { common::fixture(&format!("formats/qemu/{machine}.sh")) };
    let topology = formats::load(source).expect("samples are machines").topology;
    let kernels = [("v61", "6.1"), ("v612", "6.12"), ("v73", "7.3")];
    let release = |name| Release::parse(name).expect("a release");
    kernels.map(|(short, name)| (format!("{machine}_{short}.txt"), topology.clone(), release(name))).into()
}

#[test]
fn trees_and_command_lines_make_the_domains_their_kernels_printed() {
    let mut seen = [0; 3];
    for machine in ["ring4", "amd6272", "cxl3", "asym3", "unreach3", "line4", "flat2"] {
        for (name, topology, release) in samples(machine) {
            let build = kernel::build(&topology, &release);
            let text = |kind: &str| fs::read_to_string(common::fixture(&format!("formats/{kind}/{name}"))).ok();
            if let Some(text) = text("log") {
                let report = check_log(&topology, &release, &log::read(&text));
                assert_eq!(report.outcome(), Outcome::Equal, "{name}: {report:#?}");
                seen[0] += 1;
            }
            if let Some(text) = text("debugfs") {
                let check = check_debug_files(&build, &sysfs::from_text(&text)).expect("files are there");
                assert_eq!(check.differences, [], "{name}");
                seen[1] += 1;
            }
            if let Some(text) = text("schedstat") {
                let check = check_schedstat(&build, &schedstat::read(&text).expect("it is schedstat"));
                assert_eq!(check.differences, [], "{name}");
                seen[2] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count >= 15), "{seen:?}");
}

fn hotplug() -> (Topology, KernelLog) {
    (json::read(&text_of("hotplug.v6.12.json")).expect("a machine"), log::read(&text_of("hotplug.v6.12.log")))
}

#[test]
fn five_builds_in_one_log_are_each_checked_against_their_cpus() {
    let (topology, log) = hotplug();
    assert_eq!(formats::release_in(log.version.as_deref().expect("the log says")), "6.12.117+deb13-cloud-amd64");
    let report = check_log(&topology, &Release::parse("6.12").expect("a release"), &log);
    assert_eq!(report.outcome(), Outcome::Equal, "{report:#?}");
    let cpus: Vec<(String, Taken)> = report.checks.iter().map(|check| (check.cpus.to_string(), check.taken)).collect();
    let (given, gone) = (Taken::AsGiven, Taken::Hotplug);
    let want = [("0-3", given), ("0-2", gone), ("0-1", gone), ("0-1,3", gone), ("0-3", given)];
    assert_eq!(cpus, want.map(|(cpus, taken)| (cpus.to_owned(), taken)));
}

#[test]
fn a_log_of_another_release_is_different() {
    let ring = BOOTS.iter().find(|boot| boot.place == "ring4 on v4.11").expect("the ring was booted");
    let log = ring.log.replace("0-1,3 (cpu_capacity", "0-1 (cpu_capacity");
    assert_eq!(check(ring, &log).outcome(), Outcome::Different);
    let newer = BOOTS.iter().find(|boot| boot.place == "ring4 on v6.12").expect("the ring was booted");
    let report = check_log(&ring.topology, &Release::parse("4.11").expect("a release"), &log::read(&newer.log));
    assert_eq!(report.outcome(), Outcome::Different);
}

#[test]
fn logs_in_every_dress_are_read_the_same() {
    let boot = &BOOTS[0];
    let plain = |line: &str| line.split_once("] ").map_or(line, |(_, rest)| rest).to_owned();
    let dressed = |before: &str, after: &str| -> String {
        boot.log.lines().map(|line| [before, &plain(line), after].concat()).collect()
    };
    for (before, after) in [
        ("", "\n"),
        ("<6>[    0.1] ", "\r\n"),
        ("[Mon Dec  7 11:17:41 2026] ", "\n"),
        ("Dec 07 11:17:41 host kernel: ", "\n"),
        ("kern  :info  : [    0.1] ", "\n"),
        ("[    0.1][    T1] ", "\nrandom: crng init done\n"),
    ] {
        let report = check(boot, &dressed(before, after));
        assert_eq!(report.outcome(), Outcome::Equal, "{before}: {report:#?}");
    }
}

#[test]
fn a_log_that_breaks_off_or_lost_lines_is_checked_as_far_as_it_goes() {
    let boot = BOOTS.iter().find(|boot| boot.place == "ring8 on v6.12").expect("the ring was booted");
    let lines: Vec<&str> = boot.log.lines().collect();
    for end in 3..lines.len() {
        let report = check(boot, &lines[..end].join("\n"));
        assert_eq!(report.outcome(), Outcome::Unknown, "{end}: {report:#?}");
        let mut oops = lines[..end].to_vec();
        oops.push("[    1.0] Oops: general protection fault");
        oops.extend(&lines[..4]);
        assert_eq!(check(boot, &oops.join("\n")).outcome(), Outcome::Unknown, "{end}");
    }
    for gone in 0..lines.len() - 1 {
        let left: Vec<&str> = lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line).collect();
        let report = check(boot, &left.join("\n"));
        let outcome = report.outcome();
        // A CPU whose first line is lost looks like one that was not attached.
        assert_ne!(outcome, Outcome::Equal, "line {gone}: {}", lines[gone]);
        assert!(outcome == Outcome::Unknown || lines[gone].contains("attaching"), "{}: {report:#?}", lines[gone]);
    }
}

#[test]
fn a_log_alone_is_a_machine_that_prints_it() {
    let mut equal = 0;
    for boot in BOOTS.iter().filter(|boot| boot.topology.isolated.is_empty()) {
        let (machine, _) = log::read_machine(&boot.log).unwrap_or_else(|error| panic!("{}: {error}", boot.place));
        machine.validate().expect("it is a machine");
        equal += usize::from(check_log(&machine, &boot.release, &log::read(&boot.log)).outcome() == Outcome::Equal);
    }
    assert!(equal >= 110, "{equal} of {}", BOOTS.len());
}

/// A change of a log, and what must be reported.
#[derive(Clone, Copy, Debug)]
enum Change {
    Span,
    Name,
    GroupSpan,
    Mask,
    Order,
    RootSpan,
}

/// Makes the change in the line that `pick` chooses among those that have room for it.
fn changed(log: &str, change: Change, pick: usize) -> Option<(String, Part)> {
    let lines: Vec<String> = log.lines().map(str::to_owned).collect();
    let room = |line: &str| match change {
        Change::Span | Change::Name => line.contains(": span"),
        Change::GroupSpan | Change::Order => line.contains("groups:"),
        Change::Mask => line.contains("mask="),
        Change::RootSpan => line.contains("root domain span: "),
    };
    let fit: Vec<usize> = (0..lines.len()).filter(|&at| room(&lines[at])).collect();
    let at = *fit.get(pick % fit.len().max(1))?;
    let (line, part) = changed_line(&lines[at], change)?;
    let mut lines = lines;
    lines[at] = line;
    Some((lines.join("\n"), part))
}

/// A cpulist with one CPU more or fewer.
fn other_list(list: &str) -> String {
    let mut mask = CpuMask::parse(list, None).expect("logs have cpulists");
    let last = mask.last().unwrap_or(0);
    if mask.weight() > 1 {
        mask.remove(last);
    } else {
        mask.insert(last + 1);
    }
    mask.to_string()
}

fn with_list(line: &str, before: &str) -> Option<String> {
    let at = line.find(before)? + before.len();
    let end = line[at..].find(' ').map_or(line.len(), |end| at + end);
    Some(format!("{}{}{}", &line[..at], other_list(&line[at..end]), &line[end..]))
}

fn changed_line(line: &str, change: Change) -> Option<(String, Part)> {
    match change {
        Change::Span => {
            with_list(line, ": span=").or_else(|| with_list(line, ": span ")).map(|line| (line, Part::Span))
        }
        Change::Name => Some((format!("{}X", line.trim_end()), Part::Name)),
        Change::GroupSpan if line.contains(":{") => with_list(line, "{ span=").map(|line| (line, Part::GroupSpan)),
        Change::GroupSpan => with_list(line, "groups: ").map(|line| (line, Part::GroupSpan)),
        Change::Mask => with_list(line, " mask=").map(|line| (line, Part::BalanceMask)),
        Change::RootSpan => with_list(line, "root domain span: ").map(|line| (line, Part::CpuMap)),
        Change::Order => {
            let (head, groups) = line.split_once("groups: ")?;
            let mut parts: Vec<&str> = groups.split(", ").collect();
            (parts.len() > 1).then(|| parts.rotate_left(1))?;
            Some((format!("{head}groups: {}", parts.join(", ")), Part::GroupOrder))
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    use Change::{GroupSpan, Mask, Name, Order, RootSpan, Span};
    prop::sample::select(vec![Span, Name, GroupSpan, Mask, Order, RootSpan])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_thing_changed_is_what_is_reported(at in 0..130_usize, change in change(), pick in 0..10_000_usize) {
        let boot = &BOOTS[at];
        let Some((log, part)) = changed(&boot.log, change, pick) else { return Ok(()) };
        let report = check(boot, &log);
        prop_assert_eq!(report.outcome(), Outcome::Different, "{}: {:?}", &boot.place, change);
        let found: Vec<Part> = report.checks.iter().flat_map(|check| &check.differences).map(|found| found.part).collect();
        prop_assert!(found.contains(&part), "{}: {:?} is reported as {:?}", &boot.place, change, found);
        // Two CPUs share a sentence at most: the last line of a build is about all of them.
        let most = if matches!(change, Change::RootSpan) { 4 } else { 1 };
        prop_assert!(found.len() <= most, "{}: {:?} is reported as {:?}", &boot.place, change, found);
    }

    #[test]
    fn one_file_changed_is_what_is_reported(at in 0..130_usize, pick in 0..100_000_usize) {
        let boot = &BOOTS[at];
        let Some(debugfs) = &boot.debugfs else { return Ok(()) };
        let known = ["/flags:", "/name:", "/min_interval:", "/imbalance_pct:", "/level:", "/groups_flags:"];
        let mut lines: Vec<String> = debugfs.lines().map(str::to_owned).collect();
        let fit: Vec<usize> = (0..lines.len()).filter(|&at| known.iter().any(|file| lines[at].contains(file))).collect();
        let at = fit[pick % fit.len()];
        let value = lines[at].split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default();
        let (path, _) = lines[at].split_once(':').expect("it was looked for");
        // On a serial console another line may have run into a number.
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        lines[at] = match digits.parse::<u32>() {
            Ok(number) => format!("{path}:{}", number ^ 8),
            Err(_) => format!("{path}:{value} X"),
        };
        let build = kernel::build(&boot.topology, &boot.release);
        let check = check_debug_files(&build, &sysfs::from_text(&lines.join("\n"))).expect("files are there");
        prop_assert_eq!(check.differences.len(), 1, "{}: {:?}", &boot.place, check.differences);
    }

    #[test]
    fn garbage_is_no_reason_to_panic(text in "[ -~\n]{0,400}", at in 0..130_usize, cut in 0..4000_usize) {
        log::read(&text);
        let _ = schedstat::read(&text);
        let _ = formats::parse(&text);
        let log = &BOOTS[at].log;
        let cut = (0..=cut.min(log.len())).rev().find(|&cut| log.is_char_boundary(cut)).unwrap_or(0);
        check(&BOOTS[at], &format!("{}{text}{}", &log[..cut], &log[cut..]));
    }
}

#[test]
fn what_the_model_prints_is_equal_to_it() {
    let ring = schedtopo::presets::find("ring4").expect("a preset").topology().expect("it is one");
    for release in Release::all() {
        let text = dmesg::text(&kernel::build(&ring, &release), &ring);
        let report = check_log(&ring, &release, &log::read(&text));
        assert_eq!(report.outcome(), Outcome::Equal, "{release}: {report:#?}");
    }
}

#[test]
fn a_collected_tar_is_read_back_whole() {
    let tree = fs::read(common::fixture("formats/systree/systree_ring4_v73.tar.gz")).expect("fixture exists");
    let files = sysfs::from_tar(&formats::unpacked(tree).expect("it is packed")).expect("it is a tar");
    let again: Files =
        sysfs::from_tar(&formats::unpacked(sysfs::to_tar_gz(&files).expect("memory")).expect("packed")).expect("a tar");
    assert_eq!(again, files);
    let topology = sysfs::read(&again).expect("it is a machine");
    assert_eq!(topology, sysfs::read(&files).expect("it is a machine"));
}
