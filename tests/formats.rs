//! Real output of tools, read: the machine it came from comes out, the same from each tool as far as that can say it.

mod common;

use schedtopo::formats::{Format, parse};
use schedtopo::topology::Topology;
use std::fs;

/// The samples of one tool: their names and text.
fn samples(tool: &str) -> Vec<(String, String)> {
    let folder = common::fixture("formats").join(tool);
    let mut samples: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| {
            let path = entry.expect("it can be listed").path();
            let name = path.file_name().expect("files have names").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("samples are text"))
        })
        .collect();
    samples.sort();
    samples
}

fn read(name: &str, text: &str, format: Format) -> Topology {
    let (topology, found) = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(found, format, "{name}");
    topology
}

/// The CPUs of each node that has some, online ones only.
fn nodes(topology: &Topology) -> Vec<(u32, String)> {
    let nodes = topology.nodes.iter().enumerate().map(|(at, node)| (node.id, topology.node_online(at)));
    nodes.filter(|(_, cpus)| !cpus.is_empty()).map(|(id, cpus)| (id, cpus.to_string())).collect()
}

/// Those of `numactl -H`, without the ones under `numa=fake`.
fn numactl() -> Vec<(String, String)> {
    samples("numactl_H").into_iter().filter(|(name, _)| !name.starts_with("fake")).collect()
}

#[test]
fn cpus_in_every_fake_node_are_refused_with_the_reason() {
    let fake = samples("numactl_H").into_iter().filter(|(name, _)| name.starts_with("fake"));
    let mut refused = 0;
    for (name, text) in fake {
        let error = parse(&text).expect_err(&name).to_string();
        assert!(error.contains("numa=fake"), "{name}: {error}");
        refused += 1;
    }
    assert_eq!(refused, 3);
}

#[test]
fn numactl_and_qemu_agree_on_nodes_and_distances() {
    let numactl: Vec<(String, Topology)> =
        numactl().iter().map(|(name, text)| (name.clone(), read(name, text, Format::Numactl))).collect();
    assert!(numactl.len() >= 20);
    let mut compared = 0;
    for (name, text) in samples("qemu") {
        let machine = name.trim_end_matches(".sh");
        let qemu = read(&name, &text, Format::Qemu);
        for (name, guest) in
            numactl.iter().filter(|(name, _)| name.starts_with(&format!("{machine}_")) && !name.contains("_off_"))
        {
            assert_eq!(nodes(&qemu), nodes(guest), "{name}");
            assert_eq!(qemu.distances, guest.distances, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn lscpu_agrees_with_numactl_on_nodes() {
    let numactl = numactl();
    let mut compared = 0;
    for (name, text) in samples("lscpu") {
        let lscpu = read(&name, &text, Format::Lscpu);
        let machine =
            name.trim_end_matches(".txt").rsplit_once('_').expect("names end in the option").0.replace("_lscpu", "");
        let same = numactl.iter().find(|(name, _)| {
            let name = name.trim_end_matches(".txt").replace("_numactl", "");
            name == machine
        });
        let Some((_, text)) = same else { continue };
        assert_eq!(nodes(&lscpu), nodes(&read(&machine, text, Format::Numactl)), "{name}");
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}
