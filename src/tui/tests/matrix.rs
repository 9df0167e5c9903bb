//! Every pane, whole and beside the others, at every size, with colours and without, for small machines and large ones.

use super::{Driver, ring4};
use crate::cpumask::CpuMask;
use crate::explore::state::modes::Zoom;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::appearance::{Charset, Palette};
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::pane::Pane;
use crate::presets;
use crate::topology::{Distances, Topology};
use std::fmt::Write as _;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn hypercube64() -> Topology {
    let cpus = (0..64).map(|node| CpuMask::range(node * 4, node * 4 + 3)).collect();
    Topology::new("hypercube64", cpus, Distances::from_fn(64, |a, b| 10 + 10 * ((a ^ b) as u32).count_ones()))
}

/// 32 nodes in eight packages of four, CPUs numbered node by node, and the second threads after all the first ones.
fn large() -> Topology {
    let cpus = (0..32).map(|node| {
        let first = CpuMask::range(node * 128, node * 128 + 127);
        first.or(&CpuMask::range(4096 + node * 128, 4096 + node * 128 + 127))
    });
    let far = |a: usize, b: usize| match (a == b, a / 4 == b / 4, (a / 4) % 4 == (b / 4) % 4) {
        (true, ..) => 10,
        (_, true, _) => 12,
        (_, _, true) => 24,
        _ => 36,
    };
    Topology::new("large", cpus.collect(), Distances::from_fn(32, far))
}

/// Each pane on the whole screen, after the panes beside each other.
fn album(topology: &Topology, release: &str, (width, height): (u16, u16), palette: Palette) -> String {
    let mut driver = Driver::new(topology.clone(), release, width, height);
    (driver.model.options.palette, driver.model.options.charset) = (palette, Charset::Unicode);
    driver.model.built.examine();
    let mut album = String::new();
    let mut page = |driver: &mut Driver, name: &str| {
        driver.draw();
        let _ = write!(album, "== {name}\n{}", driver.painting());
    };
    page(&mut driver, "all");
    for pane in Pane::ALL {
        driver.act(Action::Do(Command::Focus(pane)));
        driver.model.zoom = Zoom::Whole;
        page(&mut driver, pane.name());
    }
    album
}

fn check(name: &str, topology: &Topology, release: &str) {
    insta::with_settings!({ snapshot_path => "snapshots/matrix", prepend_module_to_snapshot => false, omit_expression => true }, {
        for (width, height) in SIZES {
            for palette in [Palette::Dark, Palette::Mono] {
                let album = album(topology, release, (width, height), palette);
                insta::assert_snapshot!(format!("{name}_{width}x{height}_{}", palette.name()), album);
            }
        }
    });
}

#[test]
fn ring_of_four() {
    check("ring4", &ring4(), "v4.11");
}

#[test]
fn mesh_of_eight() {
    check("mesh8", &presets::find("mesh8").unwrap().topology().unwrap(), "v4.11");
}

#[test]
fn sixty_four_nodes() {
    check("hypercube64", &hypercube64(), "v6.12");
}

#[test]
fn thousands_of_cpus() {
    check("large", &large(), "v6.12");
}

#[test]
fn ascii_draws_nothing_else() {
    for topology in [ring4(), hypercube64(), large()] {
        for (width, height) in SIZES {
            let mut driver = Driver::new(topology.clone(), "v6.12", width, height);
            (driver.model.options.palette, driver.model.options.charset) = (Palette::Dark, Charset::Ascii);
            for pane in Pane::ALL {
                driver.act(Action::Do(Command::Focus(pane)));
                driver.draw();
                assert!(driver.picture().is_ascii(), "{}", driver.picture());
            }
            assert!(driver.model.keys.key_of(Command::Help).is_ascii());
        }
    }
}
