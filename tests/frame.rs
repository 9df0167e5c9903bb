//! A frame costs what is visible: what drawing allocates does not grow with the machine.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use schedtopo::explore::state::model::Model;
use schedtopo::explore::state::start::Start;
use schedtopo::explore::update;
use schedtopo::kernel::Release;
use schedtopo::topology::generate::{Machine, Shape};
use schedtopo::topology::{Arch, Topology};
use schedtopo::tui::view::{self, ViewState};

fn model(cpus_per_node: usize) -> Model {
    let shape = Shape::parse("hypercube:32").expect("the shape is well formed");
    let machine = Machine { threads_per_core: 2, llc_cpus: Some(cpus_per_node), ..Machine::new(32, cpus_per_node) };
    let topology = machine.topology("frame", shape.distances()).expect("the machine is valid");
    let topology = Topology { arch: Arch::X86, ..topology };
    let release = Release::parse("v6.12").expect("the release is known");
    update::start(Start::new(topology, release))
}

/// Bytes allocated by one frame, once everything that is worked out once per build has been.
fn bytes_of_a_frame(cpus_per_node: usize) -> u64 {
    let model = model(cpus_per_node);
    let mut view = ViewState::default();
    let area = Rect::new(0, 0, 200, 60);
    let mut buffer = Buffer::empty(area);
    view::render(&model, &mut view, area, &mut buffer);
    allocation_counter::measure(|| {
        view::render(&model, &mut view, area, &mut buffer);
    })
    .bytes_total
}

#[test]
fn a_frame_allocates_alike_on_small_and_large_machines() {
    let (small, large) = (bytes_of_a_frame(4), bytes_of_a_frame(256));
    // Longer numbers and lists of CPUs make the difference; one byte a CPU would make it 8 KiB.
    assert!(large < small + 8192, "{small} bytes at 128 CPUs, {large} at 8192");
}
