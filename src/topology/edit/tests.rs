//! Every edit is taken back exactly by what applying it gave, and an edit that fails changes nothing.

use super::*;
use crate::topology::generate::{Machine, Shape};
use crate::topology::{Node, arbitrary, history::History};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Numbers to make an edit of that suits a topology, more or less.
type Seed = (u8, usize, usize, u32, BTreeSet<usize>);

fn seed() -> impl Strategy<Value = Seed> {
    (0_u8..22, 0_usize..8, 0_usize..8, 0_u32..120, btree_set(0_usize..28, 0..6))
}

fn edit(topology: &Topology, (kind, a, b, value, cpus): Seed) -> Edit {
    let cpus: CpuMask = cpus.into_iter().collect();
    let (nodes, index) = (topology.nodes.len(), a % topology.nodes.len());
    match kind {
        0 => Edit::SetCells(vec![Cell { from: a, to: b, value }]),
        1 => Edit::SetCells((0..3).map(|n| Cell { from: index, to: b % nodes, value: value + n }).collect()),
        2 => Edit::SetTable(Distances::from_fn(nodes, |from, to| value + (from * to) as u32)),
        3 => {
            let row: Vec<u32> = (0..=nodes as u32).collect();
            let node = Node { id: value, cpus, package: None };
            Edit::InsertNode(Box::new(NewNode { index: a, node, row: row.clone(), column: row }))
        }
        4 => Edit::RemoveNode { index: a },
        5 => Edit::SwapNodes { a, b: index, what: [Swap::Distances, Swap::Cpus, Swap::Both][b % 3] },
        6 => Edit::RenumberNode { index: a, id: value },
        7 => Edit::SetNodeCpus { index: a, cpus },
        8 => Edit::SetNodeCpus { index, cpus: topology.nodes[index].cpus.or(&CpuMask::single(topology.nr_cpus + b)) },
        9 => Edit::SetNodePackage { index: a, package: Some(value) },
        10 => Edit::SetName(value.to_string()),
        11 => Edit::SetArch(Arch::ALL[a % 5]),
        12 => Edit::SetOnline(cpus),
        13 => Edit::SetIsolated(cpus),
        14 => Edit::SetCpusets(vec![cpus]),
        15 => Edit::SetCapacity((a > 3).then(|| vec![value; topology.nr_cpus].into())),
        16 => Edit::SetLevel(MaskLevel::ALL[a % 6], (b > 3).then(|| topology.mask(MaskLevel::Pkg))),
        17 => Edit::add_node(topology).unwrap(),
        18 => Edit::duplicate_node(topology, index).unwrap(),
        19 => Edit::Batch(vec![
            Edit::SetReclaimDistance(value),
            Edit::SetRelaxDomainLevel(Some(value)),
            Edit::RemoveNode { index },
            Edit::SetIsolated(cpus),
        ]),
        20 => Edit::SetNohzFull(cpus),
        _ => Edit::Batch(vec![Edit::SetSchedDebug(a > 3), Edit::SetNumaInPackage(b > 3)]),
    }
}

proptest! {
    #[test]
    fn inverses_are_exact(start in arbitrary::topology(), seeds in vec(seed(), 1..12)) {
        let mut topology = start;
        for seed in seeds {
            let before = topology.clone();
            let edit = edit(&topology, seed);
            let Ok(inverse) = topology.apply(&edit) else {
                prop_assert_eq!(&topology, &before, "a failed {:?} changed something", edit);
                continue;
            };
            prop_assert!(topology.validate().is_ok());
            let mut back = topology.clone();
            let again = back.apply(&inverse).unwrap();
            prop_assert_eq!(&back, &before, "{:?} was not taken back", edit);
            back.apply(&again).unwrap();
            prop_assert_eq!(&back, &topology, "{:?} was not done again", edit);
        }
    }

    #[test]
    fn undo_and_redo_go_all_the_way(start in arbitrary::topology(), seeds in vec(seed(), 1..12), save_at in 0_usize..12) {
        let mut topology = start.clone();
        let mut history = History::default();
        let mut saved = start.clone();
        for (at, seed) in seeds.into_iter().enumerate() {
            let edit = edit(&topology, seed);
            let _ = if at % 2 == 0 { history.apply(&mut topology, &edit) } else { history.amend(&mut topology, &edit) };
            if at == save_at {
                history.mark_saved();
                saved = topology.clone();
            }
        }
        let end = topology.clone();
        loop {
            prop_assert!(history.is_modified() || topology == saved);
            if history.undo(&mut topology).is_none() {
                break;
            }
        }
        prop_assert_eq!(&topology, &start);
        while history.redo(&mut topology).is_some() {}
        prop_assert_eq!(&topology, &end);
    }
}

/// A ring of four, two threads a node, sharing a cache.
fn ring() -> Topology {
    let machine = Machine { threads_per_core: 2, llc_cpus: Some(2), ..Machine::new(4, 2) };
    machine.topology("ring", Shape::parse("ring:4").unwrap().distances()).unwrap()
}

#[test]
fn a_removed_node_leaves_no_hole() {
    let mut ring = ring();
    ring.isolated = [1, 4].into_iter().collect();
    ring.apply(&Edit::RemoveNode { index: 1 }).unwrap();
    assert_eq!(ring.nr_cpus, 6);
    assert_eq!(
        ring.nodes.iter().map(|node| (node.id, node.cpus.to_string())).collect::<Vec<_>>(),
        [(0, "0-1".to_owned()), (2, "2-3".to_owned()), (3, "4-5".to_owned())]
    );
    assert_eq!(ring.isolated.to_string(), "1-2");
    assert_eq!(ring.mask(MaskLevel::Smt).get(2).to_string(), "2-3");
    assert_eq!(ring.distances.rows().next().unwrap(), [10, 30, 20]);
}

#[test]
fn a_new_node_is_made_like_the_others() {
    let mut ring = ring();
    ring.apply(&Edit::add_node(&ring).unwrap()).unwrap();
    assert_eq!(ring.nodes[4].cpus.to_string(), "8-9");
    assert_eq!(ring.mask(MaskLevel::Smt).get(9).to_string(), "8-9");
    assert_eq!(ring.distances.rows().nth(4).unwrap(), [20, 20, 20, 20, 10]);
    ring.apply(&Edit::duplicate_node(&ring, 1).unwrap()).unwrap();
    assert_eq!(ring.distances.rows().nth(5).unwrap(), [20, 20, 20, 30, 20, 10]);
    assert_eq!(ring.nr_cpus, 12);
    assert!(ring.distances.is_symmetric());
}

#[test]
fn setting_cpus_grows_and_shrinks_the_machine() {
    let mut ring = ring();
    let start = ring.clone();
    let cpus = |text: &str| CpuMask::parse(text, None).unwrap();
    ring.apply(&Edit::SetNodeCpus { index: 3, cpus: cpus("6-9") }).unwrap();
    assert_eq!((ring.nr_cpus, ring.online.to_string()), (10, "0-9".to_owned()));
    assert_eq!(ring.mask(MaskLevel::Smt).get(9).to_string(), "9");
    ring.apply(&Edit::SetNodeCpus { index: 3, cpus: cpus("6-7") }).unwrap();
    assert_eq!(ring, start);
    ring.apply(&Edit::SetNodeCpus { index: 0, cpus: cpus("0") }).unwrap();
    assert_eq!((ring.nr_cpus, ring.online.to_string()), (8, "0,2-7".to_owned()));
    let error = ring.apply(&Edit::SetNodeCpus { index: 0, cpus: cpus("0,2") }).unwrap_err();
    assert!(error.to_string().contains("CPU 2 is in node 0 and in node 1"), "{error}");
}

#[test]
fn renumbering_moves_the_node() {
    let mut ring = ring();
    let inverse = ring.apply(&Edit::RenumberNode { index: 0, id: 9 }).unwrap();
    assert_eq!(ring.nodes.iter().map(|node| node.id).collect::<Vec<_>>(), [1, 2, 3, 9]);
    assert_eq!(ring.nodes[3].cpus.to_string(), "0-1");
    assert_eq!(inverse, Edit::RenumberNode { index: 3, id: 0 });
    let error = ring.apply(&Edit::RenumberNode { index: 0, id: 9 }).unwrap_err();
    assert!(error.to_string().contains("node id 9 is taken"));
}

#[test]
fn illegal_distances_are_refused() {
    let mut ring = ring();
    let cell = |from, to, value| Edit::SetCells(vec![Cell { from: 0, to: 0, value: 1 }, Cell { from, to, value }]);
    assert!(ring.apply(&cell(0, 1, 99_999)).is_ok());
    let before = ring.clone();
    assert!(ring.apply(&cell(0, 1, 100_000)).unwrap_err().to_string().contains("distances go from 0 to 99999"));
    assert!(ring.apply(&cell(4, 0, 10)).unwrap_err().to_string().contains("no such cell"));
    assert_eq!(ring, before);
}
