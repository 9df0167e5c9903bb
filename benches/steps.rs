//! Single steps under a bench harness: rebuild, plain build, span check, drawing. The tables with ratios to a baseline
//! are those of `rebuild` and `explorer`; this one has spread and outliers, and takes a filter
//! (`cargo bench --bench steps -- span`).

use divan::{Bencher, black_box};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use schedtopo::explore::state::start::Start;
use schedtopo::explore::update;
use schedtopo::kernel::sane::Masks;
use schedtopo::kernel::{self, Rebuilder, Release, Sharing};
use schedtopo::topology::generate::{Machine, Shape};
use schedtopo::topology::{Arch, Topology};
use schedtopo::tui::view::{self, ViewState};

/// Nodes, and CPUs of each.
const MACHINES: [(usize, usize); 3] = [(4, 1), (16, 120), (32, 256)];

fn main() {
    divan::main();
}

fn machine((nodes, cpus): (usize, usize)) -> Topology {
    let shape = Shape::parse(&format!("hypercube:{nodes}")).expect("shapes here are well formed");
    let machine = Machine { threads_per_core: cpus.min(2), llc_cpus: Some(cpus), ..Machine::new(nodes, cpus) };
    let topology = machine.topology("bench", shape.distances()).expect("machines here are valid");
    Topology { arch: Arch::X86, ..topology }
}

/// After an edit of a distance that moves a pair of nodes to another level.
#[divan::bench(args = MACHINES)]
fn rebuild(bencher: Bencher, of: (usize, usize)) {
    let (topology, release) = (machine(of), Release::newest());
    let mut edited = topology.clone();
    edited.distances.set(0, 1, 21);
    let mut rebuilder = Rebuilder::default();
    let mut turn = [&topology, &edited].into_iter().cycle();
    bencher.bench_local(|| turn.next().map(|topology| rebuilder.build(black_box(topology), &release)));
}

#[divan::bench(args = MACHINES)]
fn first_build(bencher: Bencher, of: (usize, usize)) {
    let (topology, release) = (machine(of), Release::newest());
    bencher.bench_local(|| kernel::build(black_box(&topology), &release));
}

#[divan::bench(args = &MACHINES[..2])]
fn plain_build(bencher: Bencher, of: &(usize, usize)) {
    let (topology, release) = (machine(*of), Release::newest());
    bencher.bench_local(|| kernel::build_with(black_box(&topology), &release, Sharing::PerCpu));
}

#[divan::bench(args = MACHINES)]
fn span_check_linear(bencher: Bencher, of: (usize, usize)) {
    let (topology, release) = (machine(of), Release::newest());
    let masks = Masks::new(&topology, &release);
    bencher.bench_local(|| black_box(&masks).linear());
}

#[divan::bench(args = &MACHINES[..2])]
fn span_check_pairwise(bencher: Bencher, of: &(usize, usize)) {
    let (topology, release) = (machine(*of), Release::newest());
    let masks = Masks::new(&topology, &release);
    bencher.bench_local(|| black_box(&masks).pairwise());
}

#[divan::bench(args = MACHINES)]
fn draw(bencher: Bencher, of: (usize, usize)) {
    let model = update::start(Start::new(machine(of), Release::newest()));
    let (mut view, area) = (ViewState::default(), Rect::new(0, 0, 200, 60));
    let mut buffer = Buffer::empty(area);
    bencher.bench_local(|| view::render(&model, &mut view, area, &mut buffer));
}
