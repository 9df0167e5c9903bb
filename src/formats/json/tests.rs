//! JSON there and back, and what is said of bad JSON.

use super::{name_of, read, read_from, write};
use crate::topology::{Arch, Levels, MaskLevel, arbitrary};
use proptest::prelude::*;

const RING: &str = r#"{"name":"ring","node_cpus":["0","1","2","3"],
    "distance":[[10,20,30,20],[20,10,20,30],[30,20,10,20],[20,30,20,10]]}"#;

fn says(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn defaults_are_those_of_the_format() {
    let ring = read(RING).unwrap();
    assert_eq!((ring.nr_cpus, ring.arch, ring.sched_debug, ring.reclaim_distance), (4, Arch::Generic, true, 30));
    assert_eq!(ring.online.to_string(), "0-3");
    assert_eq!(ring.levels, Levels::default());
    assert_eq!(ring.nodes.iter().map(|node| node.id).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let one = read(r#"{"node_cpus":["0-1"]}"#).unwrap();
    assert_eq!(one.distances.get(0, 0), 10);
    let named = read(r#"{"node_cpus":["0"],"online":"0","levels":{"mc":["0","0","0,2"]}}"#).unwrap();
    assert_eq!(named.nr_cpus, 3);
}

#[test]
fn last_cpu_needs_the_number_of_cpus() {
    let given = read(r#"{"nr_cpus":8,"node_cpus":["0-3","4-N"],"distance":[[10,20],[20,10]],"isolated":"all"}"#);
    assert_eq!(given.unwrap().nodes[1].cpus.to_string(), "4-7");
    let error = says(r#"{"node_cpus":["0-N"]}"#);
    assert!(error.contains("write its number, or give nr_cpus"), "{error}");
}

#[test]
fn errors_say_where_what_and_how() {
    assert_eq!(says(r#"{"dsitance":[]}"#), "1:11: unknown field `dsitance`; did you mean `distance`?");
    assert_eq!(
        says("{\"node_cpus\":[\"0\",\n \"1-x\"]}"),
        "2:6: node_cpus: cpulist part \"1-x\" is not a CPU number or range; write for example 0-3,8"
    );
    assert_eq!(says(&RING.replace("[30,", "[\n30,7,")), "2:45: distance[2]: 5 distances for 4 nodes; give 4 of them");
    assert!(says(&RING.replace("[30,", "[-30,")).contains("give a distance from 0 to 99999"));
    assert!(says(r#"{"levels":{"smtt":[]}}"#).contains("unknown field `smtt`; did you mean `smt`?"));
    assert!(says(r#"{"name":"a","name":"b"}"#).contains("`name` is given twice; keep one"));
    assert!(says(r#"{"arch":"x68"}"#).contains("no architecture is called \"x68\"; did you mean `x86`?"));
    assert!(says(r#"{"node_cpus":[1]}"#).contains("node_cpus: invalid type: integer `1`; give a cpulist such as"));
    assert!(says(r#"{"nr_cpus":4294967296}"#).contains("give a number of CPUs"));
    assert!(says(r#"{"nr_cpus":9999,"node_cpus":["0"]}"#).contains("1:12: nr_cpus: 9999 CPUs"));
    assert!(says("[]").contains("give an object with node_cpus and distance"));
    assert!(says("{\"name\":").contains("close every"));
    assert!(says("{} {}").contains("trailing characters"));
    assert!(says("{}").contains("the nodes are missing"));
}

#[test]
fn lists_without_end_are_refused_early() {
    let many = format!("{{\"node_cpus\":[{}\"\"]}}", "\"\",".repeat(5000));
    assert!(says(&many).contains("more than 1024 values"));
    let many = format!("{{\"levels\":{{\"mc\":[{}\"\"]}}}}", "\"\",".repeat(9000));
    assert!(says(&many).contains("more than 8192 masks"));
}

#[test]
fn names_of_bad_lines_are_recovered() {
    assert_eq!(name_of(r#"{"node_cpus":7,"name":"x","distance":"#).as_deref(), Some("x"));
    assert_eq!(name_of(r#"{"name":"a\"b""#).as_deref(), Some("a\"b"));
    assert_eq!(name_of(r#"{"node_cpus":[1,"#), None);
    assert_eq!(name_of("[]"), None);
    assert_eq!(name_of(r#"{"name":5}"#), None);
}

#[test]
fn equal_masks_written_differently_are_one() {
    let text = r#"{"node_cpus":["0-1"],"levels":{"mc":["0-1","0,1"]}}"#;
    assert_eq!(read(text).unwrap().levels.get(MaskLevel::Mc).unwrap().distinct().len(), 1);
}

proptest! {
    #[test]
    fn nothing_is_lost(topology in arbitrary::topology()) {
        let line = write(&topology);
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(read(&line).unwrap(), topology.clone());
        prop_assert_eq!(read_from(line.as_bytes()).unwrap(), topology.clone());
        if !topology.name.is_empty() {
            prop_assert_eq!(name_of(&line), Some(topology.name));
        }
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_from(&bytes[..]);
        let _ = name_of(&String::from_utf8_lossy(&bytes));
    }

    /// A byte changed somewhere in a valid file gives an error or another topology, never a panic.
    #[test]
    fn damaged_files_never_panic(topology in arbitrary::topology(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = write(&topology).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Err(error) = read_from(&bytes[..]) {
            let _ = error.to_string();
        }
    }
}
