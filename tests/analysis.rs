//! What analysis says of builds, held against plain re-computation and against public reports.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use schedtopo::analysis::compare;
use schedtopo::analysis::findings::{self, Finding, KINDS, Severity};
use schedtopo::analysis::reach::{self, Reach};
use schedtopo::analysis::trace::{self, DistanceFate, SpanOutcome, Step, Verdict};
use schedtopo::cpumask::CpuMask;
use schedtopo::kernel::{self, Build, BuildError, Release};
use schedtopo::topology::{Arch, CpuMasks, Distances, MaskLevel, Topology};
use std::time::Instant;

fn inputs() -> Vec<Topology> {
    common::lines("core-inputs.jsonl.zst").map(|line| common::topology(&serde_json::from_str(&line).unwrap())).collect()
}

fn built(topology: &Topology, release: &str) -> Build {
    kernel::build(topology, &Release::parse(release).unwrap())
}

fn preset(name: &str) -> Topology {
    schedtopo::presets::find(name).unwrap_or_else(|| panic!("no preset {name}")).topology().unwrap()
}

fn found(topology: &Topology, release: &str) -> Vec<Finding> {
    findings::find(topology, &built(topology, release))
}

fn ids(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.id).collect()
}

const RELEASES: &[&str] =
    &["v4.11", "lauro-p2", "v4.12.3", "v4.14", "v5.4", "v5.10", "v5.15", "v6.12", "v6.16", "v7.1"];

/// The definition of reach, CPU by CPU and pair by pair.
fn plain_reach(topology: &Topology, build: &Build) -> Reach {
    let nodes = topology.nodes.len();
    let mut reach = Reach {
        nodes: topology.nodes.iter().map(|node| node.id).collect(),
        level: vec![vec![None; nodes]; nodes],
        ..Reach::default()
    };
    for puller in 0..nodes {
        for source in 0..nodes {
            let busy = &topology.nodes[source].cpus;
            let mut level = None;
            let (mut elected_pulls, mut relayed) = (false, false);
            for cpu in topology.nodes[puller].cpus.iter() {
                for (at, domain) in build.chain(cpu) {
                    let head = build.group(domain, 0);
                    let candidates = head.span.and(head.mask);
                    let apart =
                        build.groups_of(domain).any(|group| group.span.intersects(busy) && !group.span.contains(cpu));
                    if !apart || !candidates.contains(cpu) {
                        continue;
                    }
                    level = Some(level.map_or(at as u32, |level: u32| level.min(at as u32)));
                    let idle = candidates.andnot(busy);
                    let elected = idle.first().or(candidates.first()).unwrap();
                    elected_pulls |= elected == cpu;
                    let Some(theirs) = build.chain(elected).find(|&(level, _)| level == at) else { continue };
                    let head = build.group(theirs.1, 0);
                    let candidates = head.span.and(head.mask);
                    let idle = candidates.andnot(busy);
                    relayed |= idle.first().or(candidates.first()) == Some(elected)
                        && head.span.contains(cpu)
                        && build
                            .groups_of(theirs.1)
                            .any(|group| group.span.intersects(busy) && !group.span.contains(elected));
                }
            }
            reach.level[puller][source] = level;
            let in_map = |node: usize| topology.nodes[node].cpus.intersects(&build.cpu_map());
            if puller != source && in_map(puller) && in_map(source) {
                match level {
                    None => reach.holes.push((puller, source)),
                    Some(_) if !elected_pulls => {
                        reach.blocked.push((puller, source));
                        if relayed {
                            reach.relayed.push((puller, source));
                        }
                    }
                    Some(_) => {}
                }
            }
        }
    }
    reach
}

#[test]
fn reach_is_as_defined() {
    let (mut holes, mut blocked) = (0, 0);
    for topology in inputs() {
        for release in RELEASES {
            let build = built(&topology, release);
            let reach = reach::reach(&topology, &build);
            assert_eq!(reach, plain_reach(&topology, &build), "{} {release}", topology.name);
            holes += reach.holes.len();
            blocked += reach.blocked.len();
        }
    }
    assert!(holes > 0 && blocked > 0);
}

#[test]
fn findings_are_sorted_named_and_say_something() {
    let mut seen = std::collections::BTreeMap::new();
    for topology in inputs() {
        for release in RELEASES {
            let findings = found(&topology, release);
            assert!(findings.is_sorted_by_key(|finding| std::cmp::Reverse(finding.severity)));
            for finding in &findings {
                assert!(KINDS.iter().any(|kind| kind.id == finding.id), "{}", finding.id);
                assert!(!finding.advice.is_empty() && finding.message.len() > 10);
                assert!(!finding.message.contains('\n'), "{}", finding.message);
                seen.entry(finding.id).or_insert_with(|| format!("{release} {}: {}", topology.name, finding.message));
            }
            for (index, one) in findings.iter().enumerate() {
                assert!(!findings[..index].contains(one), "{} {release}: {} twice", topology.name, one.message);
            }
        }
    }
    if std::env::var_os("SHOW").is_some() {
        for (id, example) in &seen {
            println!("{id}\n    {example}");
        }
    }
}

/// A level's name as newer releases have it.
fn label(build: &Build, finding: &Finding) -> String {
    let label = finding.witness.level.map(|level| build.level_label(level)).unwrap_or_default();
    if label == "DIE" { "PKG".to_owned() } else { label }
}

/// Advice to take a release is only given where the finding is gone there, and "or later" where it stays gone.
#[test]
fn a_release_that_is_named_removes_the_finding() {
    let (mut named, mut hopeless) = (0, 0);
    for topology in
        inputs().into_iter().step_by(6).chain(schedtopo::presets::all().map(|preset| preset.topology().unwrap()))
    {
        for release in ["v4.11", "lauro-p2", "v5.4", "v6.16"] {
            let build = built(&topology, release);
            for finding in findings::find(&topology, &build) {
                let Some(mends) = &finding.mended_by else {
                    hopeless += usize::from(finding.advice.starts_with("no later release"));
                    assert!(!finding.advice.contains("take v"), "{}", finding.advice);
                    continue;
                };
                assert!(finding.advice.contains(mends.as_str()), "{}", finding.advice);
                let later: Vec<&str> =
                    if finding.advice.contains("or later") { vec![mends, "v6.19", "v7.2"] } else { vec![mends] };
                let at = |name: &str| Release::parse(name).unwrap().version;
                for release in later.into_iter().filter(|name| at(name) >= at(mends)) {
                    let other = built(&topology, release);
                    assert_eq!(other.error, None, "{release} builds nothing of {}", topology.name);
                    let still = findings::find(&topology, &other).into_iter().find(|still| {
                        let pairs = &finding.witness.pairs;
                        let place = label(&other, still) == label(&build, &finding) && pairs.is_empty();
                        still.id == finding.id && (place || pairs.iter().any(|pair| still.witness.pairs.contains(pair)))
                    });
                    assert_eq!(still, None, "{}: {} under {release}", topology.name, finding.message);
                    named += 1;
                }
            }
        }
    }
    assert!(named > 100 && hopeless > 5, "{named} {hopeless}");
}

/// The cases that were told to take a release that changed nothing.
#[test]
fn what_no_release_changes_is_said_so() {
    let table = [
        [10, 11, 21, 21, 17, 28],
        [11, 10, 21, 21, 28, 28],
        [21, 21, 10, 11, 28, 17],
        [21, 21, 11, 10, 28, 28],
        [17, 28, 28, 28, 10, 28],
        [28, 28, 17, 28, 28, 10],
    ];
    let cpus = (0..6).map(CpuMask::single).collect();
    let topology = Topology::new("six", cpus, Distances::from_fn(6, |from, to| table[from][to]));
    for release in ["v5.15", "v6.12", "v7.2"] {
        let split: Vec<Finding> =
            found(&topology, release).into_iter().filter(|found| found.id == "split-sgc").collect();
        assert!(!split.is_empty(), "{release}");
        assert!(
            split.iter().all(|found| found.advice.starts_with("no later release changes this")),
            "{release}: {split:#?}"
        );
    }
    let granite: Vec<Finding> = found(&preset("gnr-snc3"), "v6.6");
    let spans = granite.iter().find(|found| found.id == "groups-dont-span").expect("6.6 complains");
    assert!(
        spans.mended_by.as_deref().is_some_and(|name| Release::parse(name).unwrap().version >= (6, 19, 0)),
        "{spans:#?}"
    );
}

/// A sentence about two spans names those that were compared, and a cause is told once.
#[test]
fn spans_that_are_widened_are_named_as_they_were_compared() {
    let cpus = (0..6).map(CpuMask::single).collect();
    let flat = Distances::from_fn(6, |from, to| if from == to { 10 } else { 20 });
    let mut topology = Topology { arch: Arch::X86, ..Topology::new("six", cpus, flat) };
    let masks = (0..6).map(|cpu| CpuMask::range(cpu / 3 * 3, cpu / 3 * 3 + 2));
    topology.levels.set(MaskLevel::Mc, Some(std::sync::Arc::new(CpuMasks::new(masks))));
    for release in ["v5.15", "v6.12"] {
        let findings = found(&topology, release);
        assert_eq!(findings[0].id, "llc-crosses-nodes", "the cause is first");
        let follow: Vec<&Finding> = findings.iter().filter(|found| found.id == "child-not-subset").collect();
        assert!(!follow.is_empty());
        for found in follow {
            assert!(found.message.contains("{0-2}, is not within that of"), "{}", found.message);
            assert!(found.advice.starts_with("follows from"), "{}", found.advice);
        }
    }
}

#[test]
fn nothing_is_found_about_nothing() {
    let cpus = vec![CpuMask::first_n(6)];
    let mut topology = Topology::new("isolated", cpus, Distances::from_fn(1, |_, _| 10));
    topology.isolated = CpuMask::first_n(6);
    assert_eq!(ids(&found(&topology, "v5.4")), ["build-refused", "isolated-cpus"]);
}

#[test]
fn from_4_13_no_path_is_blocked_for_good() {
    for preset in schedtopo::presets::all() {
        let topology = preset.topology().unwrap();
        for release in ["v4.13", "v5.4", "v6.12", "v7.2"] {
            let reach = reach::reach(&topology, &built(&topology, release));
            assert_eq!(reach.stuck().next(), None, "{} {release}", preset.name);
        }
    }
    for name in ["ring4", "mesh8", "bull8", "interlagos", "x3750"] {
        assert!(reach::reach(&preset(name), &built(&preset(name), "v4.11")).stuck().count() > 0, "{name}");
    }
}

#[test]
fn large_machines_take_no_time() {
    let nodes = (0..32).map(|node| CpuMask::range(node * 256, node * 256 + 255)).collect();
    let distance = |i: usize, j: usize| 10 + 10 * (i ^ j).count_ones();
    let topology = Topology::new("hypercube", nodes, Distances::from_fn(32, distance));
    for release in ["v4.11", "v6.12"] {
        let build = built(&topology, release);
        let start = Instant::now();
        let reach = reach::reach(&topology, &build);
        println!("{release}: reach {:?}", start.elapsed());
        let start = Instant::now();
        let findings = findings::find(&topology, &build);
        println!("{release}: findings {:?}, {:?}", start.elapsed(), ids(&findings));
        assert_eq!(reach.nodes.len(), 32);
    }
}

#[test]
fn a_sane_machine_has_nothing_serious() {
    for name in ["flat2", "flat4", "rome", "milan", "genoa", "westmere"] {
        let serious: Vec<_> =
            found(&preset(name), "v6.12").into_iter().filter(|f| f.severity > Severity::Info).collect();
        assert!(serious.is_empty(), "{name}: {serious:#?}");
    }
}

/// Every overlap rule and every plain rule.
const GROUP_RULES: &[&str] = &["v4.11", "v4.12.3", "lauro-p2", "lauro-p3", "v4.13", "v5.0", "v5.1", "v5.13", "v6.12"];

#[test]
fn traces_arrive_at_the_groups_of_the_build() {
    let (mut domains, mut tangled) = (0, 0);
    for topology in inputs() {
        for release in GROUP_RULES {
            let build = built(&topology, release);
            for cpu in build.cpu_map().iter() {
                for (level, domain) in build.built_chain(cpu) {
                    let trace = trace::trace(&build, cpu, level).unwrap();
                    let groups: Vec<_> = build.groups_of(domain).collect();
                    let place = format!("{} {release} CPU {cpu} level {level}", topology.name);
                    assert_eq!(trace.groups.len(), groups.len(), "{place}");
                    for (traced, group) in trace.groups.iter().zip(&groups) {
                        assert_eq!(traced.span, group.group.span, "{place}: {trace:#?}");
                        assert_eq!(&traced.mask, group.mask, "{place}: {trace:#?}");
                        let sgc = (group.sgc.level as usize, group.sgc.owner as usize);
                        assert_eq!((traced.level, traced.owner), sgc, "{place}: {trace:#?}");
                    }
                    domains += 1;
                    tangled += usize::from(trace.steps.contains(&Step::Tangled));
                    assert!(trace.steps.iter().all(|step| !step.text(&build).is_empty()));
                }
            }
        }
    }
    assert!(domains > 50_000 && tangled * 100 < domains, "{tangled} of {domains}");
}

#[test]
fn degeneration_is_traced_to_the_same_end() {
    for topology in inputs() {
        for release in RELEASES {
            let build = built(&topology, release);
            for cpu in build.cpu_map().iter() {
                let steps = trace::degeneration(&build, cpu);
                for (level, domain) in build.built_chain(cpu) {
                    let gone = steps.iter().find_map(|step| match step.verdict {
                        Verdict::Goes(fate) if step.level == level => Some(fate),
                        _ => None,
                    });
                    let place = format!("{} {release} CPU {cpu} level {level}: {steps:?}", topology.name);
                    assert_eq!(gone.unwrap_or_default(), domain.fate, "{place}");
                    let moved = steps.iter().any(|step| step.child == Some(level) && step.prefer_sibling_moves);
                    let grown = domain.flags != domain.built_flags;
                    assert_eq!(moved, grown, "{place}");
                }
            }
        }
    }
}

#[test]
fn distances_and_span_checks_are_traced() {
    let topology = preset("ring4");
    let build = built(&topology, "v4.11");
    let fates: Vec<_> = trace::distances(&topology, &build).iter().map(|step| step.text(&build)).collect();
    assert_eq!(
        fates,
        [
            "distance 10 (first from node 0 to 0, 4 in all): the local distance, no level",
            "distance 20 (first from node 0 to 1, 8 in all): makes NUMA-1",
            "distance 30 (first from node 0 to 2, 4 in all): makes NUMA-2",
        ]
    );
    for topology in inputs() {
        for release in RELEASES {
            let build = built(&topology, release);
            let levels: Vec<usize> = trace::distances(&topology, &build)
                .iter()
                .filter_map(|step| match step.fate {
                    DistanceFate::Level(level) => Some(level),
                    _ => None,
                })
                .collect();
            assert_eq!(levels.len(), build.numa.distances.len(), "{} {release}", topology.name);
            let check = trace::span_check(&topology, &build);
            let clash = check.levels.iter().find_map(|check| match &check.outcome {
                SpanOutcome::Clash { mask_a, mask_b, .. } => Some((mask_a, mask_b)),
                _ => None,
            });
            let refused = matches!(build.error, Some(BuildError::SpanInsane { .. }));
            assert_eq!(clash.is_some(), refused, "{} {release}", topology.name);
            if let Some((a, b)) = clash {
                assert!(
                    a != b && a.intersects(b) || topology.name.starts_with("insane"),
                    "{} {release}",
                    topology.name
                );
            }
        }
    }
}

#[test]
fn the_ring_changes_with_its_groups_in_4_13() {
    let topology = preset("ring4");
    let changes = compare::bisect(&topology, &compare::releases());
    let fix = changes.iter().find(|change| change.to == "v4.13").unwrap();
    assert_eq!((fix.from.as_str(), fix.cpus.to_string().as_str()), ("v4.12", "0-3"));
    assert!(fix.rules.contains(&"overlap_groups"));
    assert!(changes.iter().any(|change| change.to == "v4.12.3"));
    assert!(changes.iter().all(|change| !change.rules.is_empty()));
}

#[test]
fn a_build_equals_itself_and_rules_alone_make_differences() {
    for topology in inputs() {
        let builds: Vec<Build> = ["v4.11", "v6.12", "v6.14"].iter().map(|release| built(&topology, release)).collect();
        for build in &builds {
            assert!(compare::compare(build, build).is_equal(), "{}", topology.name);
        }
        assert!(compare::compare(&builds[1], &builds[2]).is_equal(), "{}", topology.name);
        let there = compare::compare(&builds[0], &builds[1]);
        let back = compare::compare(&builds[1], &builds[0]);
        assert_eq!(there.cpus(), back.cpus(), "{}", topology.name);
    }
}

#[test]
fn changes_of_equal_parts_are_one_and_others_are_not() {
    let topology = preset("bull8");
    let comparison = compare::compare(&built(&topology, "v4.12"), &built(&topology, "v4.13"));
    let at = |label: &str| {
        let level = built(&topology, "v4.13").find_level(label);
        comparison.differences.iter().filter(|one| one.right == level).collect::<Vec<_>>()
    };
    // Every mask became the group's own: one change for the machine, however many groups there are.
    for (label, variants) in [("SMT", 64), ("MC", 32), ("NUMA-1", 8)] {
        let [one] = at(label)[..] else { panic!("{label}: {:?}", at(label)) };
        assert_eq!((one.cpus.weight(), one.variants, one.alike), (64, variants, true), "{label}");
    }
    // The groups of the mesh differ from node to node: nothing is alike there.
    assert!(at("NUMA-2").len() > 4 && at("NUMA-2").iter().all(|one| one.variants == 1));
    let cpus: usize = comparison.differences.iter().map(|one| one.cpus.weight()).sum();
    assert_eq!(cpus, 4 * 64, "no CPU is lost in folding, and none counted twice at a level");
}

#[test]
fn many_changes_alike_are_one() {
    let nodes = (0..32).map(|node| CpuMask::range(node * 64, node * 64 + 63)).collect();
    let distance = |i: usize, j: usize| 10 + 10 * (i ^ j).count_ones();
    let topology = Topology::new("hypercube", nodes, Distances::from_fn(32, distance));
    let start = Instant::now();
    let comparison = compare::compare(&built(&topology, "v4.12"), &built(&topology, "v6.12"));
    println!("compare {:?}, {} differences", start.elapsed(), comparison.differences.len());
    assert!(!comparison.is_equal() && comparison.differences.len() < 60);
}
