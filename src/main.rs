//! The command line.

use schedtopo::cpumask::CpuMask;
use schedtopo::kernel::Release;
use schedtopo::topology::{Distances, Topology};
use schedtopo::ui::{self, Exit, Options, Start};
use std::process::ExitCode;

fn main() -> std::io::Result<ExitCode> {
    let table = [[10, 20, 30, 20], [20, 10, 20, 30], [30, 20, 10, 20], [20, 30, 20, 10]];
    let cpus = (0..4).map(|node| CpuMask::range(node * 2, node * 2 + 1)).collect();
    let topology = Topology::new("ring4x2", cpus, Distances::from_fn(4, |from, to| table[from][to]));
    let release = Release::parse("v4.11").unwrap_or_else(|_| Release::newest());
    let exit = ui::run(Start { topology, path: None, release, options: Options::default() })?;
    Ok(match exit {
        Exit::Quit => ExitCode::SUCCESS,
        Exit::Signal(signal) => ExitCode::from(128_u8.saturating_add(u8::try_from(signal).unwrap_or(0))),
    })
}
