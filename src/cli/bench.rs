//! `schedtopo bench`: how long a rebuild takes, as JSON.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use crate::kernel::sane::Masks;
use crate::kernel::{self, Rebuilder, Release, Sharing};
use crate::topology::{MAX_DISTANCE, Topology};
use serde_json::json;
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

/// Above this many CPUs the plain build and the pairwise check take minutes.
const PLAIN_UP_TO: usize = 2048;
/// Each figure is the median of as many runs as fit in this time, within the bounds below.
const BUDGET: Duration = Duration::from_millis(1500);
const RUNS: std::ops::RangeInclusive<usize> = 3..=200;

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine and the kernel.
    #[command(flatten)]
    pub of: Machine,
    /// Time the plain build and the pairwise span check above 2048 CPUs too
    #[arg(long)]
    pub plain: bool,
}

/// Times the builds and span checks of a machine.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (topology, release) = input::machine(&args.of)?;
    let build = |sharing| median(|| drop(black_box(kernel::build_with(black_box(&topology), &release, sharing))));
    let masks = Masks::new(&topology, &release);
    let again = rebuild(&topology, &release);
    let plain = args.plain || topology.nr_cpus <= PLAIN_UP_TO;
    let record = json!({
        "name": topology.name,
        "kernel": release.name,
        "cpus": topology.nr_cpus,
        "nodes": topology.nodes.len(),
        "rebuild_ns": again,
        "build_ns": build(Sharing::PerClass),
        "plain_ns": plain.then(|| build(Sharing::PerCpu)),
        "span_linear_ns": median(|| {
            black_box(masks.linear());
        }),
        "span_pairwise_ns": plain.then(|| median(|| {
            black_box(masks.pairwise());
        })),
    });
    writeln!(out, "{record}")?;
    Ok(Outcome::Clean)
}

/// Median time of building again after an edit that moves a pair of nodes to another level, in nanoseconds.
pub fn rebuild(topology: &Topology, release: &Release) -> u64 {
    let mut edited = topology.clone();
    // One of the nearest pairs, which makes a level of its own; the farthest would only take the last one with it.
    let (from, to) = (0, 1.min(topology.nodes.len() - 1));
    let distance = topology.distances.get(from, to);
    let other = if distance < MAX_DISTANCE { distance + 1 } else { distance - 1 };
    edited.distances.set(from, to, other);
    edited.distances.set(to, from, other);
    let mut rebuilder = Rebuilder::default();
    let mut turn = [topology, &edited].into_iter().cycle();
    median(|| {
        if let Some(topology) = turn.next() {
            drop(black_box(rebuilder.build(black_box(topology), release)));
        }
    })
}

/// Median time of a run, in nanoseconds: of as many runs as fit a second and a half, but at least three.
pub fn median(mut run: impl FnMut()) -> u64 {
    run();
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < *RUNS.start() || (start.elapsed() < BUDGET && times.len() < *RUNS.end()) {
        let start = Instant::now();
        run();
        times.push(start.elapsed().as_nanos() as u64);
    }
    times.sort_unstable();
    times[times.len() / 2]
}
