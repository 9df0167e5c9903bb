//! Reading the fixtures: results and logs of real kernels, compressed.
#![allow(dead_code, unreachable_pub, reason = "each test uses its part")]

use schedtopo::formats::json;
use schedtopo::topology::Topology;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// The path of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", name].iter().collect()
}

/// The lines of a compressed fixture.
pub fn lines(name: &str) -> impl Iterator<Item = String> {
    let file = File::open(fixture(name)).expect("fixture exists");
    let decoder = ruzstd::decoding::StreamingDecoder::new(BufReader::new(file)).expect("fixture is zstd");
    BufReader::with_capacity(1 << 20, decoder).lines().map(|line| line.expect("fixture is text"))
}

/// A topology as one JSON value.
pub fn topology(value: &Value) -> Topology {
    json::read(&value.to_string()).expect("fixture topology is valid")
}

/// `WARNING: function: words` lines count up to the function; the words are ours.
pub fn without_warning_words(line: &str) -> String {
    match line.strip_prefix("WARNING: ").and_then(|rest| rest.split_once(':')) {
        Some((function, _)) => format!("WARNING: {function}"),
        None => line.to_owned(),
    }
}
