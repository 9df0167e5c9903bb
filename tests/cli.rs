//! The program as a command: what it prints, where, and how it ends.

mod common;

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_schedtopo"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that does not read its input closes it.
    let _ = child.stdin.take().expect("input is piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

#[test]
fn the_presets_ring_prints_the_logs_of_2017() {
    for (kernel, file) in [("v4.11", "ring4-2017-before.log"), ("lauro-p3", "ring4-2017-after.log")] {
        let output = run(&["dmesg", "ring4", "--kernel", kernel], "");
        let want = std::fs::read_to_string(common::fixture(file)).expect("fixture exists");
        let got: Vec<String> = text(&output.stdout).lines().map(|line| line.trim_start().to_owned()).collect();
        assert_eq!(got, want.lines().collect::<Vec<_>>(), "{kernel}");
        assert!(output.status.success());
    }
}

#[test]
fn bad_input_is_named_and_ends_with_2() {
    let hostile = "\u{1b}[31m{\"name\":";
    for (arguments, input, said) in [
        (vec!["show", "ringg4"], "", "did you mean the preset ring4?"),
        (vec!["show", "ring4", "--kernel", "3.10"], "", "older than v4.10"),
        (vec!["show", "ring4", "--level", "NUMA-9"], "", "the levels are"),
        (vec!["show", "ring4", "--cpu", "9"], "", "CPU 9 does not exist"),
        (vec!["show", "-"], "10 20\n20\n", "standard input:2:1"),
        (vec!["show", "-"], hostile, "no machine is found in this"),
        (vec!["show", "-"], "", "the text is empty"),
        (vec!["presets", "nothing"], "", "no preset of that name"),
    ] {
        let output = run(&arguments, input);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(said), "{arguments:?}: {error}");
        assert!(!error.contains('\u{1b}'), "{arguments:?}: text of a file reached the terminal");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn batch_goes_on_after_a_bad_line() {
    let input = "{\"name\":\"a\",\"node_cpus\":[\"0\"],\"distance\":[[10]]}\nnonsense\n";
    let output = run(&["batch", "--kernel", "v6.12"], input);
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect();
    assert!(output.stderr.is_empty(), "progress is for terminals only");
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["name"], "a");
    assert!(lines[1]["input_error"].is_string());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn which_kernel_answers_is_said_beside_the_answer() {
    let output = run(&["dmesg", "ring4", "--kernel", "7.9"], "");
    assert!(text(&output.stderr).contains("7.9 is not known"));
    assert!(text(&output.stdout).starts_with("CPU0 attaching"));
    assert!(run(&["dmesg", "ring4", "--kernel", "v6.12"], "").stderr.is_empty());
}

#[test]
fn presets_print_as_files_that_load() {
    let list = text(&run(&["presets"], "").stdout);
    for name in ["ring4", "mesh8", "bull8", "altix64", "gh200"] {
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}");
        let toml = text(&run(&["presets", name], "").stdout);
        let as_preset = run(&["show", name, "--kernel", "v6.12", "--json"], "");
        let as_file = run(&["show", "-", "--kernel", "v6.12", "--json"], &toml);
        assert!(as_preset.status.success() && as_preset.stdout == as_file.stdout, "{name}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_schedtopo"))
        .args(["dmesg", "altix64"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty());
}
