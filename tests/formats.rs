//! Real output of tools, read: the machine it came from comes out, the same from each tool as far as that can say it.

mod common;

use schedtopo::formats::{Format, Loaded, parse};
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
    let Loaded { topology, format: found, .. } = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
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

/// A fixture in any format, packed or not.
fn loaded(path: &str) -> Topology {
    schedtopo::formats::load(common::fixture(&format!("formats/{path}")))
        .unwrap_or_else(|error| panic!("{error}"))
        .topology
}

/// One machine from every source. What a source cannot say is left out of the comparison, and only that.
#[test]
fn every_source_of_one_machine_gives_the_same_machine() {
    for machine in ["ring4", "amd6272", "cxl3"] {
        let tree = loaded(&format!("systree/systree_{machine}_v73.tar.gz"));
        let xml = loaded(&format!("hwloc/{machine}_v73_guest_xml.txt"));
        let qemu = loaded(&format!("qemu/{machine}.sh"));
        let lscpu = loaded(&format!("lscpu/{machine}_v73_p.txt"));
        let numactl = loaded(&format!("numactl_H/{machine}_v73.txt"));
        let libvirt = loaded(&format!("libvirt/{machine}.xml"));
        // hwloc knows all of it.
        assert_eq!(
            (&xml.nodes, &xml.distances, &xml.levels, xml.arch),
            (&tree.nodes, &tree.distances, &tree.levels, tree.arch)
        );
        assert_eq!((&qemu.nodes, &qemu.distances), (&tree.nodes, &tree.distances), "{machine}");
        assert_eq!((&qemu.levels, qemu.arch), (&tree.levels, tree.arch), "{machine}");
        // lscpu has no distances, and leaves out nodes without CPUs.
        assert_eq!(nodes(&lscpu), nodes(&tree), "{machine}");
        assert_eq!(lscpu.levels, tree.levels, "{machine}");
        // numactl and libvirt know no cores and no caches.
        for (of, known) in [("numactl", &numactl), ("libvirt", &libvirt)] {
            assert_eq!((nodes(known), &known.distances), (nodes(&tree), &tree.distances), "{machine} {of}");
        }
    }
    // ACPI has distances alone.
    for (slit, tree) in [("slit_ring4", "ring4"), ("slit_amd6272", "amd6272")] {
        let tree = loaded(&format!("systree/systree_{tree}_v73.tar.gz"));
        for ending in ["bin", "dsl"] {
            assert_eq!(loaded(&format!("acpi/{slit}.{ending}")).distances, tree.distances, "{slit}.{ending}");
        }
    }
    assert_eq!(loaded("acpi/edit.aml").distances, loaded("acpi/edit.dsl").distances);
}

#[test]
fn a_tree_with_sparse_nodes_keeps_their_ids_and_columns() {
    let tree = loaded("systree/systree_sparse_selfmade.tar.gz");
    let ids: Vec<u32> = tree.nodes.iter().map(|node| node.id).collect();
    assert_eq!(ids, [0, 8, 250, 252]);
    assert_eq!(tree.distances, loaded("numactl_H/sparse_selfmade_2.0.19.txt").distances);
}

#[test]
fn files_that_cannot_be_are_refused_with_their_line() {
    for (file, said) in [
        ("libvirt/bad9.xml", "13:1: a distance of 9"),
        ("libvirt/bad256.xml", "13:1: a distance of 256"),
        ("libvirt/sparse.xml", "holes"),
    ] {
        let error = schedtopo::formats::load(common::fixture(&format!("formats/{file}"))).expect_err(file).to_string();
        assert!(error.contains(said), "{error}");
    }
    let mut slit = fs::read(common::fixture("formats/acpi/slit_ring4.bin")).expect("fixture exists");
    slit[50] ^= 1;
    let error = schedtopo::formats::parse_bytes(slit.clone()).expect_err("a bit fell over").to_string();
    assert!(error.contains("checksum"), "{error}");
    let error = schedtopo::formats::parse_bytes(slit[..50].to_vec()).expect_err("it is cut short").to_string();
    assert!(error.contains("60 bytes, and 50 are there"), "{error}");
}

mod written {
    use super::*;
    use schedtopo::formats::{hwloc, libvirt, numa_fake, slit, synthetic};
    use schedtopo::presets;
    use schedtopo::topology::MaskLevel;

    fn every_preset() -> impl Iterator<Item = (String, Topology)> {
        presets::all().map(|preset| (preset.name.to_owned(), preset.topology().expect("presets are machines")))
    }

    fn back(bytes: Vec<u8>, format: Format, name: &str) -> Topology {
        let loaded = schedtopo::formats::parse_bytes(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(loaded.format, format, "{name}");
        loaded.topology
    }

    #[test]
    fn hwloc_xml_keeps_nodes_distances_cores_and_caches() {
        for (name, machine) in every_preset() {
            let after = back(hwloc::write(&machine).into_bytes(), Format::Hwloc, &name);
            assert_eq!((nodes(&after), &after.distances), (nodes(&machine), &machine.distances), "{name}");
            assert_eq!(after.arch, machine.arch, "{name}");
            for level in [MaskLevel::Smt, MaskLevel::Mc] {
                let of = machine.node_of_cpus();
                for cpu in machine.online.iter() {
                    // A cache that reaches over nodes is cut at their borders.
                    let node = machine.node_online(of[cpu].expect("online CPUs have nodes") as usize);
                    let want = machine.mask(level).get(cpu).and(&node);
                    assert_eq!(*after.mask(level).get(cpu), want, "{name} {level:?} CPU {cpu}");
                }
            }
        }
    }

    #[test]
    fn libvirt_keeps_nodes_and_distances() {
        let mut written = 0;
        for (name, machine) in every_preset() {
            let Ok(text) = libvirt::write(&machine) else { continue };
            let after = back(text.into_bytes(), Format::Libvirt, &name);
            let all = |machine: &Topology| machine.nodes.iter().map(|node| node.cpus.clone()).collect::<Vec<_>>();
            assert_eq!((all(&after), &after.distances), (all(&machine), &machine.distances), "{name}");
            written += 1;
        }
        assert!(written > 40, "{written}");
    }

    #[test]
    fn tables_of_firmware_and_boot_parameters_keep_distances() {
        let mut written = 0;
        for (name, machine) in every_preset() {
            let Ok(binary) = slit::write_binary(&machine) else { continue };
            assert_eq!(back(binary, Format::Slit, &name).distances, machine.distances, "{name}");
            let archive = slit::write_override(&machine).expect("the table was written");
            assert_eq!(archive.len() % 512, 0);
            assert_eq!(back(archive, Format::Slit, &name).distances, machine.distances, "{name}");
            let source = slit::write_text(&machine).expect("the table was written");
            assert_eq!(back(source.into_bytes(), Format::Slit, &name).distances, machine.distances, "{name}");
            if let Ok(parameter) = numa_fake::write(&machine) {
                assert_eq!(
                    back(parameter.into_bytes(), Format::NumaFake, &name).distances,
                    machine.distances,
                    "{name}"
                );
            }
            written += 1;
        }
        assert!(written > 60, "{written}");
    }

    #[test]
    fn descriptions_keep_nodes_cores_and_caches() {
        let mut written = 0;
        for (name, machine) in every_preset() {
            let Ok(text) = synthetic::write(&machine) else { continue };
            let after = back(text.clone().into_bytes(), Format::Synthetic, &name);
            assert_eq!(nodes(&after).len(), nodes(&machine).len(), "{name}: {text}");
            for level in [MaskLevel::Smt, MaskLevel::Mc] {
                for cpu in 0..machine.nr_cpus {
                    assert_eq!(after.mask(level).get(cpu), machine.mask(level).get(cpu), "{name}: {text}");
                }
            }
            written += 1;
        }
        assert!(written > 20, "{written}");
    }
}

mod damaged {
    use super::*;
    use proptest::prelude::*;
    use std::path::PathBuf;
    use std::sync::LazyLock;

    /// Every sample, unpacked where it is packed, cut to what is quickly read.
    static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let mut files: Vec<PathBuf> = Vec::new();
        for folder in fs::read_dir(common::fixture("formats")).expect("the folder is there") {
            let folder = folder.expect("it can be listed").path();
            let inside = fs::read_dir(folder).expect("it is a folder");
            files.extend(inside.map(|entry| entry.expect("it can be listed").path()));
        }
        files.sort();
        let read =
            |path: &PathBuf| schedtopo::formats::unpacked(fs::read(path).expect("it is a file")).expect("it is whole");
        files.iter().map(read).filter(|bytes| bytes.len() < 200_000).collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Bytes changed, taken out and doubled: an error or another machine, never a panic, and never without end.
        #[test]
        fn files_never_panic(
            at in any::<prop::sample::Index>(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..6),
        ) {
            let mut bytes = SAMPLES[at.index(SAMPLES.len())].clone();
            for (place, byte, kind) in changes {
                let place = place.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
                match kind {
                    0 => bytes[place] = byte,
                    1 => bytes.truncate(place.max(1)),
                    2 => bytes.insert(place, b'0' + byte % 10),
                    _ => bytes.extend_from_within(..place.min(5000)),
                }
            }
            if let Err(error) = schedtopo::formats::parse_bytes(bytes) {
                prop_assert!(!error.to_string().chars().any(char::is_control), "{:?}", error.to_string());
            }
        }
    }
}
