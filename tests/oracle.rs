//! Every field of every build equals what the kernel's own code made of the same machine, release by release.

mod common;

use rayon::prelude::*;
use schedtopo::formats::record::Record;
use schedtopo::kernel::{self, Release};
use schedtopo::topology::Topology;
use serde_json::Value;
use std::collections::HashMap;

#[test]
fn every_field_of_every_release_equals_the_kernel() {
    let machines: HashMap<String, Topology> = common::lines("core-inputs.jsonl.zst")
        .map(|line| serde_json::from_str(&line).expect("fixture is JSON"))
        .map(|value: Value| (value["name"].as_str().expect("inputs have names").to_owned(), common::topology(&value)))
        .collect();
    let checked: usize = common::lines("core-builds.jsonl.zst")
        .par_bridge()
        .map(|line| {
            let mut record: Value = serde_json::from_str(&line).expect("fixture is JSON");
            let build = record["build"].take();
            let machine = &machines[build["name"].as_str().expect("builds have names")];
            let kernels = record["kernels"].as_array().expect("kernels are a list");
            for kernel in kernels {
                check(machine, kernel.as_str().expect("kernels are names"), &build);
            }
            kernels.len()
        })
        .sum();
    assert_eq!(checked, 493 * 17);
}

fn check(machine: &Topology, kernel: &str, expected: &Value) {
    let release = Release::parse(kernel).expect("fixture kernels are known");
    let build = kernel::build(machine, &release);
    let error = expected["error"].as_str().unwrap_or_default();
    let place = format!("{kernel} {}", machine.name);
    if error.starts_with("CRASH") && !kernel.starts_with("lauro") {
        return; // Masks that corrupt the kernel's memory: anything goes, as long as we come back.
    }
    if error.starts_with("CRASH") || error.starts_with("HANG") {
        assert!(build.error.is_some(), "{place}: the kernel would not survive this: {error}");
        return;
    }
    assert_eq!(build.error.is_some(), !error.is_empty(), "{place}: error");
    let got = serde_json::to_value(Record { build: &build, topology: machine }).expect("records serialise");
    for (field, want) in expected.as_object().expect("a build is an object") {
        if field != "error" {
            let (want, got) = (normal(field, want), normal(field, &got[field]));
            assert!(want == got, "{place}: {field}\nexpected {want:#}\ngot {got:#}");
        }
    }
    let extra: Vec<_> = got
        .as_object()
        .expect("a record is an object")
        .keys()
        .filter(|key| *key != "kernel" && expected.get(key.as_str()).is_none())
        .collect();
    assert!(extra.is_empty(), "{place}: fields this release does not have: {extra:?}");
}

fn normal(field: &str, value: &Value) -> Value {
    if field != "warnings" {
        return value.clone();
    }
    let lines = value.as_array().expect("warnings are a list");
    lines.iter().map(|line| common::without_warning_words(line.as_str().expect("warnings are text"))).collect()
}

#[test]
fn a_wrong_field_would_be_noticed() {
    let line = common::lines("core-builds.jsonl.zst").next().expect("fixture has lines");
    let record: Value = serde_json::from_str(&line).expect("fixture is JSON");
    let build = &record["build"];
    let machine = common::lines("core-inputs.jsonl.zst")
        .map(|line| serde_json::from_str::<Value>(&line).expect("fixture is JSON"))
        .find(|value| value["name"] == build["name"])
        .map(|value| common::topology(&value))
        .expect("every build has its input");
    let kernel = record["kernels"][0].as_str().expect("kernels are names");
    check(&machine, kernel, build);
    let mut wrong = build.clone();
    wrong["cpus"][0]["domains"][0]["groups"][0]["balance_cpu"] = 77.into();
    let noticed = std::panic::catch_unwind(|| check(&machine, kernel, &wrong));
    assert!(noticed.is_err());
}
