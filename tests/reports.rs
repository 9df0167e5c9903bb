//! Public bug reports about scheduler domains: what this program must say of the machine in each.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use schedtopo::analysis::findings::{self, Finding, Severity};
use schedtopo::analysis::reach::reach;
use schedtopo::analysis::repair::{self, BUDGET};
use schedtopo::cpumask::CpuMask;
use schedtopo::kernel::{self, Build, Flags, Release};
use schedtopo::topology::{Arch, CpuMasks, Distances, MaskLevel, Topology};
use std::sync::Arc;

fn preset(name: &str) -> Topology {
    schedtopo::presets::find(name).unwrap_or_else(|| panic!("no preset {name}")).topology().unwrap()
}

fn built(topology: &Topology, release: &str) -> Build {
    kernel::build(topology, &Release::parse(release).unwrap())
}

fn found(topology: &Topology, release: &str) -> Vec<Finding> {
    findings::find(topology, &built(topology, release))
}

fn finding(topology: &Topology, release: &str, id: &str) -> Option<Finding> {
    found(topology, release).into_iter().find(|finding| finding.id == id)
}

fn serious(topology: &Topology, release: &str) -> Vec<&'static str> {
    found(topology, release).iter().filter(|f| f.severity > Severity::Info).map(|f| f.id).collect()
}

fn mask(list: &str) -> CpuMask {
    CpuMask::parse(list, None).unwrap()
}

fn give(machine: &mut Topology, level: MaskLevel, lists: &[&str]) {
    machine.levels.set(level, Some(Arc::new(CpuMasks::new(lists.iter().map(|list| mask(list))))));
}

/// A machine of these nodes, `remote` apart.
fn flat(nodes: &[&str], remote: u32) -> Topology {
    let distances = Distances::from_fn(nodes.len(), |i, j| if i == j { 10 } else { remote });
    Topology::new("", nodes.iter().map(|node| mask(node)).collect(), distances)
}

/// The groups of the domain of `cpu` that spans `span`.
fn groups(build: &Build, cpu: usize, span: &str) -> Vec<String> {
    let (_, domain) = build.chain(cpu).find(|(_, domain)| build.span(domain.span).to_string() == span).unwrap();
    build.groups_of(domain).map(|group| group.span.to_string()).collect()
}

/// The chain of a CPU as spans.
fn spans(build: &Build, cpu: usize) -> Vec<String> {
    build.chain(cpu).map(|(_, domain)| build.span(domain.span).to_string()).collect()
}

#[test]
fn kunpeng_920_groups_do_not_span_their_domain() {
    let machine = preset("kunpeng920");
    assert_eq!(groups(&built(&machine, "v5.10"), 0, "0-71"), ["0-47", "48-95"]);
    let bad = finding(&machine, "v5.10", "groups-dont-span").unwrap();
    assert!(bad.witness.cpus.contains(0) && bad.witness.cpus.contains(48));
    assert!(finding(&machine, "v5.10", "groups-leave-domain").is_some());
    assert_eq!(groups(&built(&machine, "v5.14"), 0, "0-71"), ["0-47", "48-71"]);
    assert_eq!(serious(&machine, "v5.14"), Vec::<&str>::new());
}

#[test]
fn a_line_of_four_has_two_bad_domains() {
    let mut machine = preset("line4");
    for sched_debug in [true, false] {
        machine.sched_debug = sched_debug;
        let bad = finding(&machine, "v5.4", "groups-dont-span").unwrap();
        let level = bad.witness.level.unwrap();
        let build = built(&machine, "v5.4");
        assert_eq!(build.level_label(level), "NUMA-2");
        let nodes: Vec<u32> =
            machine.nodes.iter().filter(|node| node.cpus.intersects(&bad.witness.cpus)).map(|node| node.id).collect();
        assert_eq!(nodes, [0, 3]);
        assert_eq!(serious(&machine, "v5.14"), Vec::<&str>::new());
        let right = built(&machine, "v5.14");
        assert_eq!(groups(&right, 0, "0-2"), ["0-1", "2"]);
        assert_eq!(groups(&right, 3, "1-3"), ["2-3", "1"]);
    }
}

#[test]
fn sun_fire_x4600_warns_of_its_shortest_path_in_5_11_only() {
    let machine = preset("x4600");
    assert!(finding(&machine, "v5.11", "three-hops").is_some());
    for release in ["v5.10", "v5.14"] {
        assert!(finding(&machine, release, "three-hops").is_none());
    }
    let bad = finding(&machine, "v5.10", "groups-dont-span").unwrap();
    assert_eq!(bad.witness.cpus, mask("0-3,28-31"));
    assert_eq!(serious(&machine, "v5.14"), Vec::<&str>::new());
}

#[test]
fn a_distance_missing_from_row_0_makes_no_level() {
    let mut machine = preset("swap4");
    machine.sched_debug = false;
    let lost = finding(&machine, "v5.11", "row0-incomplete").unwrap();
    assert!(lost.message.contains("30"), "{}", lost.message);
    assert_eq!(built(&machine, "v5.11").numa.distances, [10, 20]);
    assert_eq!(built(&machine, "v5.12").numa.distances, [10, 20, 30]);
    let (a, b) = lost.witness.pairs[0];
    let hole = finding(&machine, "v5.11", "no-direct-path").unwrap();
    assert!(hole.witness.pairs.contains(&(a, b)) && hole.witness.pairs.contains(&(b, a)));
    assert_eq!(serious(&machine, "v5.12"), Vec::<&str>::new());
    machine.sched_debug = true;
    assert!(finding(&machine, "v5.11", "row0-incomplete").unwrap().message.contains("sched_debug"));
}

#[test]
fn distances_other_machines_lack_in_row_0_are_named() {
    for (name, missing) in [("kunpeng920", "24"), ("uv2000-part", "79"), ("gnr-snc3", "23")] {
        let mut machine = preset(name);
        machine.sched_debug = false;
        let lost = finding(&machine, "v5.11", "row0-incomplete").unwrap_or_else(|| panic!("{name}"));
        assert!(lost.message.contains(missing), "{name}: {}", lost.message);
        assert!(finding(&machine, "v5.12", "row0-incomplete").is_none(), "{name}");
    }
}

#[test]
fn granite_rapids_snc3_mixes_packages_until_distances_are_averaged() {
    let machine = preset("gnr-snc3");
    let asymmetric = finding(&machine, "v6.12", "distance-asymmetric").unwrap();
    assert_eq!(asymmetric.witness.pairs, [(0, 4), (1, 3)]);
    let bad = finding(&machine, "v6.12", "groups-dont-span").unwrap();
    for (node, is_bad) in [(0, true), (1, false), (2, false), (3, true), (4, false), (5, false)] {
        assert_eq!(machine.nodes[node].cpus.intersects(&bad.witness.cpus), is_bad, "node {node}");
    }
    assert!(finding(&machine, "v6.12", "level-mixes-packages").is_some());
    for release in ["v6.19", "v7.0"] {
        let left = serious(&machine, release);
        assert_eq!(left, ["distance-asymmetric"], "{release}");
        let build = built(&machine, release);
        assert!(!build.numa.distances.contains(&28), "{release}: {:?}", build.numa.distances);
        let first = machine.nodes[0].cpus.first().unwrap();
        let package = (0..3).fold(CpuMask::new(), |all, node| all.or(&machine.nodes[node].cpus));
        assert!(spans(&build, first).contains(&package.to_string()), "{release}");
    }
}

#[test]
fn two_nodes_a_package_are_never_averaged_from_7_0() {
    let machine = preset("hpe16");
    assert_eq!(built(&machine, "v7.0").numa.distances, [10, 12, 16, 18, 40]);
    let machine_with_packages = {
        let mut machine = machine;
        for (index, node) in machine.nodes.iter_mut().enumerate() {
            node.package = Some(index as u32 / 2);
        }
        machine.arch = Arch::X86;
        machine
    };
    assert_eq!(built(&machine_with_packages, "v7.0").numa.distances, [10, 12, 16, 18, 40]);
    assert!(finding(&machine_with_packages, "v6.19", "too-many-packages").is_some());
}

#[test]
fn overlapping_numa_levels_are_no_reason_for_alarm() {
    let machine = preset("odd5");
    for release in ["v6.16", "v6.17"] {
        let alarm = finding(&machine, release, "span-check-false-alarm").unwrap();
        assert_eq!(alarm.severity, Severity::Error);
        assert!(finding(&machine, release, "masks-not-equivalent").is_none());
    }
    for release in ["v6.12", "v6.15", "v6.18"] {
        assert_eq!(serious(&machine, release), Vec::<&str>::new(), "{release}");
    }
    let build = built(&machine, "v6.18");
    let depth = |node: usize| {
        let cpu = machine.nodes[node].cpus.first().unwrap();
        build.chain(cpu).filter(|&(level, _)| build.levels[level].overlap).count()
    };
    assert_eq!((depth(0), depth(4)), (4, 1));
}

#[test]
fn kunpeng_128_has_cpus_in_two_groups_of_a_domain() {
    let mut machine = preset("kunpeng128");
    let rows = [[10, 12, 20, 22], [12, 10, 22, 24], [20, 22, 10, 12], [22, 24, 12, 10]].map(Vec::from);
    machine.distances = Distances::from_rows(&rows).unwrap();
    let build = built(&machine, "v6.3");
    assert_eq!(spans(&build, 64), ["64-67", "64-95", "64-127", "0-31,64-127", "0-127"]);
    let (_, top) = build.chain(64).last().unwrap();
    let groups: Vec<_> = build.groups_of(top).map(|group| (group.span.to_string(), group.mask.to_string())).collect();
    let wanted = [("0-31,64-127", "64-95"), ("0-63", "32-63")].map(|(span, mask)| (span.to_owned(), mask.to_owned()));
    assert_eq!(groups, wanted);
}

#[test]
fn sd_numa_of_a_node_of_two_caches() {
    let build = built(&preset("llc-half"), "v6.12");
    let level = build.pointers[0].sd_numa.unwrap() as usize;
    assert_eq!(build.span(build.domain(0, level).unwrap().span).to_string(), "0-15");
}

#[test]
fn taking_a_cpu_off_and_on_again_changes_nothing() {
    for name in ["haswell-cod", "skylake-snc2", "naples", "ring4"] {
        let machine = preset(name);
        let mut other = machine.clone();
        other.online.remove(1);
        let without = built(&other, "v6.12");
        assert!(without.chain(1).next().is_none());
        other.online.insert(1);
        let (before, after) = (built(&machine, "v6.12"), built(&other, "v6.12"));
        assert!(schedtopo::analysis::compare::compare(&before, &after).is_equal());
        assert!(!schedtopo::analysis::compare::compare(&before, &without).is_equal());
    }
}

#[test]
fn interlagos_nodes_1_and_2_are_in_every_group() {
    let machine = preset("interlagos");
    let pulls = reach(&machine, &built(&machine, "v4.11"));
    assert!(pulls.holes.contains(&(1, 2)) && pulls.holes.contains(&(2, 1)));
    let build = built(&machine, "v4.13");
    let pulls = reach(&machine, &build);
    assert!(pulls.holes.is_empty() && pulls.stuck().next().is_none());
    for node in [1, 2] {
        let cpu = machine.nodes[node].cpus.first().unwrap();
        let chain: Vec<_> = build.chain(cpu).collect();
        let [.., (_, child), (_, top)] = chain.as_slice() else { panic!("{chain:?}") };
        assert_eq!(build.group(top, 0).group.span, child.span, "the own child comes first");
    }
}

#[test]
fn several_nodes_and_no_numa_level_are_an_error() {
    let equal = flat(&["0-1", "2-3"], 10);
    assert!(finding(&equal, "v4.11", "no-numa-domains").is_some());
    assert!(finding(&equal, "v4.11", "distances-equal").is_some());
}

#[test]
fn naples_loses_flags_beyond_the_reclaim_distance() {
    let mut machine = preset("naples");
    let balances = Flags::BALANCE_EXEC | Flags::BALANCE_FORK | Flags::WAKE_AFFINE;
    machine.reclaim_distance = 30;
    let stripped = built(&machine, "v5.3");
    machine.reclaim_distance = 32;
    let kept = built(&machine, "v5.4");
    let top = |build: &Build| build.chain(0).last().unwrap().1.flags;
    assert!(!top(&stripped).intersects(balances) && top(&kept).contains(balances));
    assert!(finding(&machine, "v5.4", "reclaim-distance").is_none());
    machine.reclaim_distance = 30;
    let lost = finding(&machine, "v5.3", "reclaim-distance").unwrap();
    assert_eq!(lost.severity, Severity::Info);
    assert_eq!(lost.witness.level, built(&machine, "v5.3").chain(0).last().map(|(level, _)| level));
}

#[test]
fn unequal_depth_is_no_fault() {
    let machine = preset("asym4");
    for release in ["v4.14", "v6.12"] {
        let depth = finding(&machine, release, "unequal-depth").unwrap();
        assert_eq!(depth.severity, Severity::Info);
        assert_eq!(serious(&machine, release), Vec::<&str>::new());
    }
}

#[test]
fn threads_outside_their_cluster_break_the_hierarchy() {
    let mut machine = flat(&["0-3"], 20);
    give(&mut machine, MaskLevel::Smt, &["0-1", "0-1", "2-3", "2-3"]);
    give(&mut machine, MaskLevel::Cls, &["0", "1", "2", "3"]);
    give(&mut machine, MaskLevel::Mc, &["0-3"; 4]);
    let build = built(&machine, "v5.16");
    assert_eq!(build.messages.iter().filter(|message| message.kind.text(None).starts_with("BUG")).count(), 4);
    let broken = finding(&machine, "v5.16", "child-not-subset").unwrap();
    assert_eq!(broken.severity, Severity::Error);
    assert_eq!(broken.witness.groups, [mask("0-1"), mask("0")]);
    assert!(broken.message.contains("span of SMT, {0-1}, is not within that of CLS, {0}"), "{}", broken.message);
}

#[test]
fn altra_clusters_wider_than_mc() {
    let mut machine = flat(&["0-3"], 20);
    give(&mut machine, MaskLevel::Cls, &["0-1", "0-1", "2-3", "2-3"]);
    give(&mut machine, MaskLevel::Mc, &["0", "1", "2", "3"]);
    let broken = finding(&machine, "v5.16", "child-not-subset").unwrap();
    assert_eq!(broken.witness.groups, [mask("0-1"), mask("0")]);
    let build = built(&machine, "v5.16");
    assert_eq!(spans(&build, 0), ["0-1", "0-3"], "MC is CLS then, and one of them goes");
}

#[test]
fn threads_over_clusters_are_named_with_both_masks() {
    let mut machine = flat(&["0-7"], 20);
    let smt: Vec<&str> = vec!["0-1,4-5", "0-1,4-5", "2-3,6-7", "2-3,6-7", "0-1,4-5", "0-1,4-5", "2-3,6-7", "2-3,6-7"];
    give(&mut machine, MaskLevel::Smt, &smt);
    give(&mut machine, MaskLevel::Cls, &["0-3", "0-3", "0-3", "0-3", "4-7", "4-7", "4-7", "4-7"]);
    give(&mut machine, MaskLevel::Mc, &["0-7"; 8]);
    let broken = finding(&machine, "v5.16", "child-not-subset").unwrap();
    assert_eq!(broken.witness.groups, [mask("0-1,4-5"), mask("0-3")]);
}

#[test]
fn a_cluster_over_nodes_leaves_no_domains_at_all() {
    let machine = preset("cls-nodes");
    let refused = finding(&machine, "v5.14", "build-refused").unwrap();
    assert_eq!(refused.severity, Severity::Error);
    assert!(refused.message.contains("no CPU gets a domain"));
    let pair = finding(&machine, "v5.14", "masks-not-equivalent").unwrap();
    assert_eq!(pair.witness.cpus, mask("0,2"));
    assert_eq!(pair.witness.groups, [mask("0-2"), mask("2-3")]);
    assert!(finding(&machine, "v5.14", "no-direct-path").is_none(), "that is a consequence");
}

#[test]
fn a_cache_over_all_nodes_hides_numa() {
    let mut machine = flat(&["0-1", "2-3", "4-5", "6-7"], 20);
    give(&mut machine, MaskLevel::Mc, &["0-7"; 8]);
    let hidden = finding(&machine, "v6.12", "numa-levels-hidden").unwrap();
    assert_eq!(hidden.witness.cpus, mask("0-7"));
    assert!(hidden.message.starts_with("MC of CPUs 0-7 covers all CPUs of nodes 0, 1, 2 and 3"), "{}", hidden.message);
    assert_eq!(spans(&built(&machine, "v6.12"), 0), ["0-7"]);
}

#[test]
fn nodes_that_come_later_make_the_same_build() {
    let machine = preset("power-lpar");
    let mut boot = machine.clone();
    let late = machine.nodes.iter().rfind(|node| !node.cpus.is_empty()).unwrap();
    boot.online = boot.online.andnot(&late.cpus);
    assert_eq!(serious(&boot, "v5.14"), Vec::<&str>::new());
    boot.online.clone_from(&machine.online);
    assert!(schedtopo::analysis::compare::compare(&built(&machine, "v5.14"), &built(&boot, "v5.14")).is_equal());
}

#[test]
fn a_stale_mask_is_cut_to_online_cpus() {
    let mut machine = flat(&["0-4"], 20);
    give(&mut machine, MaskLevel::Mc, &["0,3-4", "1-2", "1-2", "0,3-4", "0,3-4"]);
    machine.online = mask("0-2,4");
    let build = built(&machine, "v5.10");
    assert_eq!(spans(&build, 0), ["0,4", "0-2,4"]);
    assert_eq!(serious(&machine, "v5.10"), Vec::<&str>::new());
}

#[test]
fn mismatching_core_ids_name_the_pair() {
    let mut machine = flat(&["0-3"], 20);
    give(&mut machine, MaskLevel::Smt, &["0-1", "1", "2-3", "2-3"]);
    give(&mut machine, MaskLevel::Mc, &["0-3"; 4]);
    let pair = finding(&machine, "v6.8", "masks-not-equivalent").unwrap();
    assert_eq!((pair.severity, pair.witness.cpus), (Severity::Error, mask("0-1")));
    assert!(finding(&machine, "v6.8", "build-refused").is_some());
}

#[test]
fn a_cpu_missing_from_die() {
    let mut machine = flat(&["0-3"], 20);
    give(&mut machine, MaskLevel::Mc, &["0-1", "0-1", "2-3", "2-3"]);
    give(&mut machine, MaskLevel::Pkg, &["0-2"; 4]);
    let broken = finding(&machine, "v4.19", "child-not-subset").unwrap();
    assert_eq!(broken.witness.groups, [mask("2-3"), mask("0-2")]);
}

#[test]
fn caches_over_nodes_say_what_x86_says() {
    let mut azure = flat(&["0-3", "4-7"], 20);
    azure.arch = Arch::X86;
    give(&mut azure, MaskLevel::Mc, &["0-7"; 8]);
    let crossing = finding(&azure, "v5.4", "llc-crosses-nodes").unwrap();
    assert!(
        crossing.message.contains(
            "sched: CPU #4's llc-sibling CPU #0 is not on the same node! [node: 1 != 0]. Ignoring dependency."
        ),
        "{}",
        crossing.message
    );
    let nodes = ["0-47", "48-95"];
    let mut hypervisor = flat(&nodes, 20);
    hypervisor.arch = Arch::X86;
    give(&mut hypervisor, MaskLevel::Mc, &["0-95"; 96]);
    let crossing = finding(&hypervisor, "v5.4", "llc-crosses-nodes").unwrap();
    assert!(crossing.message.contains("CPU #48's llc-sibling CPU #0"));
}

#[test]
fn a_cache_id_of_the_host_joins_two_sockets_of_a_guest() {
    // Two sockets of ten vCPUs; ids made for 32 threads a cache put both into one.
    let mut guest = flat(&["0-9", "10-19"], 20);
    guest.arch = Arch::X86;
    give(&mut guest, MaskLevel::Mc, &["0-19"; 20]);
    let crossing = finding(&guest, "v5.14", "llc-crosses-nodes").unwrap();
    assert!(crossing.message.contains("CPU #10's llc-sibling CPU #0"), "{}", crossing.message);
    // Capped to the vCPUs of a socket, as it should be.
    let sockets: Vec<&str> = (0..20).map(|cpu| if cpu < 10 { "0-9" } else { "10-19" }).collect();
    give(&mut guest, MaskLevel::Mc, &sockets);
    assert_eq!(serious(&guest, "v5.14"), Vec::<&str>::new());
    assert_eq!(spans(&built(&guest, "v5.14"), 10), ["10-19", "0-19"]);
}

#[test]
fn one_cache_over_two_nodes_of_eight_cpus() {
    let mut machine = flat(&["0-3", "4-7"], 20);
    machine.arch = Arch::X86;
    give(&mut machine, MaskLevel::Mc, &["0-7"; 8]);
    assert!(finding(&machine, "v6.12", "llc-crosses-nodes").is_some());
    let cut: Vec<&str> = (0..8).map(|cpu| if cpu < 4 { "0-3" } else { "4-7" }).collect();
    give(&mut machine, MaskLevel::Mc, &cut);
    let build = built(&machine, "v6.12");
    assert_eq!(
        (spans(&build, 0), spans(&build, 7)),
        (vec!["0-3".into(), "0-7".into()], vec!["4-7".into(), "0-7".into()])
    );
}

#[test]
fn a_cache_cut_at_the_node_builds_as_logged() {
    let build = built(&preset("llc-2nodes"), "v6.12");
    assert!(spans(&build, 0).ends_with(&["0-3".to_owned(), "0-15".to_owned()]));
    assert_eq!(groups(&build, 0, "0-15").len(), 4);
}

#[test]
fn nodes_in_a_package_drop_pkg() {
    let machine = preset("haswell-cod");
    assert!(machine.numa_in_package);
    assert!(built(&machine, "v6.12").levels.iter().all(|level| level.name != "PKG"));
    let mut plain = machine;
    plain.numa_in_package = false;
    assert!(built(&plain, "v6.12").levels.iter().any(|level| level.name == "PKG"));
}

#[test]
fn optane_nodes_turn_direct_into_a_mesh() {
    let machine = preset("optane");
    let (old, new) = (built(&machine, "v5.17"), built(&machine, "v5.18"));
    assert_eq!(old.numa.distances, [10, 17, 21, 28]);
    assert_eq!(old.numa.topology_type.name(), "GLUELESS_MESH");
    assert_eq!(new.numa.distances, [10, 21]);
    assert_eq!((new.numa.topology_type.name(), new.numa.max_distance), ("DIRECT", 21));
    let extra = finding(&machine, "v5.17", "cpuless-nodes-make-levels").unwrap();
    assert_eq!(extra.witness.nodes, [2, 3]);
    assert!(finding(&machine, "v5.18", "cpuless-nodes-make-levels").is_none());
}

#[test]
fn distances_at_the_edge_of_the_range() {
    for (distance, id) in [
        (9, Some("distance-out-of-range")),
        (11, None),
        (254, None),
        (255, Some("distance-unreachable")),
        (256, Some("distance-out-of-range")),
    ] {
        let machine = flat(&["0", "1"], distance);
        let ids: Vec<_> = found(&machine, "v6.12")
            .iter()
            .map(|finding| finding.id)
            .filter(|id| id.starts_with("distance-"))
            .collect();
        let wanted: Vec<&str> = id.into_iter().collect();
        assert_eq!(ids.iter().filter(|id| **id != "distance-not-beyond-local").copied().collect::<Vec<_>>(), wanted);
        let refused = built(&machine, "v6.12").numa.distances.is_empty();
        assert_eq!(refused, !(10..256).contains(&distance), "{distance}");
    }
    let machine = preset("gh200");
    assert_eq!(built(&machine, "v5.17").numa.distances, [10, 80, 255]);
    assert_eq!(built(&machine, "v5.18").numa.distances, [10]);
    assert_eq!(serious(&machine, "v6.12"), Vec::<&str>::new());
}

#[test]
fn power9_gpu_nodes_have_sparse_ids() {
    let machine = preset("power9");
    assert_eq!(machine.nodes.last().map(|node| node.id), Some(255));
    let build = built(&machine, "v6.12");
    assert_eq!(build.numa.distances, [10, 40]);
    let reach = reach(&machine, &build);
    assert_eq!(reach.nodes, machine.nodes.iter().map(|node| node.id).collect::<Vec<_>>());
    assert!(reach.holes.is_empty());
    let gpus = preset("power9-gpu6");
    assert_eq!(built(&gpus, "v6.12").numa.distances, [10, 40]);
    assert_eq!(serious(&gpus, "v6.12"), Vec::<&str>::new());
}

#[test]
fn nineteen_hundred_cpus_lose_one_and_stay_whole() {
    let nodes: Vec<String> = (0..16).map(|node| format!("{}-{}", node * 120, node * 120 + 119)).collect();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let mut machine = flat(&nodes, 20);
    let before = spans(&built(&machine, "v6.12"), 0);
    machine.online.remove(7);
    let build = built(&machine, "v6.12");
    assert!(build.chain(7).next().is_none());
    assert_eq!(before, ["0-119", "0-1919"]);
    assert_eq!(spans(&build, 0), ["0-6,8-119", "0-6,8-1919"]);
    assert_eq!(serious(&machine, "v6.12"), Vec::<&str>::new());
}

#[test]
fn nodes_without_memory_have_domains_of_their_own() {
    let build = built(&preset("naples-dimm"), "v6.12");
    assert!(reach(&preset("naples-dimm"), &build).holes.is_empty());
    assert_eq!(serious(&preset("naples-dimm"), "v6.12"), Vec::<&str>::new());
}

#[test]
fn unequal_pairs_of_an_asymmetric_table_are_listed() {
    let machine = preset("asym7");
    let unequal = finding(&machine, "v6.12", "distance-asymmetric").unwrap();
    assert_eq!(unequal.severity, Severity::Info, "the nodes it is about have no CPUs");
    assert_eq!(unequal.witness.pairs, [(0, 6), (1, 6)]);
    assert_eq!(built(&machine, "v6.12").numa.distances, [10, 21, 31]);
}

#[test]
fn no_cpu_left_is_refused() {
    let mut machine = flat(&["0-3"], 20);
    machine.isolated = mask("1-3");
    machine.online = mask("1-3");
    let refused = finding(&machine, "v5.4", "build-refused").unwrap();
    assert!(refused.message.contains("no online CPU is left"), "{}", refused.message);
}

#[test]
fn an_isolated_cpu_has_no_domain() {
    let mut machine = flat(&["0-1"], 20);
    machine.isolated = mask("1");
    let build = built(&machine, "v6.12");
    assert!(build.chain(1).next().is_none());
    assert_eq!(finding(&machine, "v6.12", "isolated-cpus").unwrap().witness.cpus, mask("1"));
    assert_eq!(finding(&machine, "v6.12", "cpus-without-domains").unwrap().severity, Severity::Info);
}

#[test]
fn all_cpus_tickless_leave_no_housekeeping() {
    let mut machine = flat(&["0-3"], 20);
    machine.nohz_full = mask("0-2");
    assert!(finding(&machine, "v6.12", "no-housekeeping-cpu").is_none());
    machine.online = mask("0-1");
    assert_eq!(finding(&machine, "v6.12", "no-housekeeping-cpu").unwrap().severity, Severity::Error);
}

#[test]
fn threads_of_isolated_cores_are_named() {
    let mut machine = flat(&["0-3"], 20);
    give(&mut machine, MaskLevel::Smt, &["0-1", "0-1", "2-3", "2-3"]);
    machine.isolated = mask("3");
    let split = finding(&machine, "v6.12", "isolated-smt-sibling").unwrap();
    assert_eq!((split.witness.cpus, split.witness.groups), (mask("2"), vec![mask("2-3")]));
    machine.isolated = mask("2-3");
    assert!(finding(&machine, "v6.12", "isolated-smt-sibling").is_none());
}

#[test]
fn every_group_has_one_balance_cpu() {
    for preset in schedtopo::presets::all() {
        let machine = preset.topology().unwrap();
        let build = built(&machine, "v6.12");
        for cpu in build.cpu_map().iter() {
            for (_, domain) in build.chain(cpu) {
                assert!(build.groups_of(domain).all(|group| group.balance_cpu().is_some()), "{}", preset.name);
            }
        }
    }
}

#[test]
fn repairs_do_what_they_say() {
    for (name, release) in [("ring4", "v4.11"), ("line4", "v5.4"), ("mesh8", "v4.11"), ("odd5", "v6.16")] {
        let machine = preset(name);
        let release = Release::parse(release).unwrap();
        for finding in found(&machine, &release.name) {
            let Some(repair) = repair::repair(&machine, &release, &finding, BUDGET) else { continue };
            assert!(!repair.cells.is_empty() && repair.builds <= BUDGET + 2, "{name}: {}", finding.message);
            let mut other = machine.clone();
            for cell in &repair.cells {
                let index = |id| other.node_index(id).unwrap();
                let (from, to) = (index(cell.from), index(cell.to));
                assert_eq!(other.distances.set(from, to, cell.value), cell.was);
            }
            let after = found(&other, &release.name);
            assert!(!after.iter().any(|later| later.message == finding.message), "{name}: {}", finding.message);
        }
    }
    let mixed = finding(&preset("gnr-snc3"), "v6.12", "level-mixes-packages").unwrap();
    let release = Release::parse("v6.12").unwrap();
    assert_eq!(repair::repair(&preset("gnr-snc3"), &release, &mixed, BUDGET).unwrap().cells.len(), 18);
    let ring = preset("ring4");
    let release = Release::parse("v4.11").unwrap();
    let hole = finding(&ring, "v4.11", "no-direct-path").unwrap();
    let cells = repair::repair(&ring, &release, &hole, BUDGET).unwrap().cells;
    assert_eq!(cells.iter().map(|cell| (cell.from, cell.to, cell.value)).collect::<Vec<_>>(), [(1, 3, 20), (3, 1, 20)]);
    assert!(repair::repair(&ring, &release, &hole, 0).unwrap().cells.is_empty());
}
