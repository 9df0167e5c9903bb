//! Random input: nothing panics, and the selection stays inside what there is.

use super::Driver;
use crate::explore::state::keymap::Keymap;
use crate::explore::vocabulary::key::Key;
use crate::kernel::{self, Release};
use crate::topology::{Topology, arbitrary};
use crate::tui::shell::headless::DiskAccess;
use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::panic::catch_unwind;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Blow {
    Key(Key),
    Char(char),
    Mouse(MouseEventKind, u16, u16),
    Paste(String),
    Resize(u16, u16),
}

fn blow() -> impl Strategy<Value = Blow> {
    let standard = Keymap::standard();
    let keys: Vec<Key> = standard.iter().flat_map(|(_, keys)| keys).copied().collect();
    let kinds = vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::Up(MouseButton::Left),
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollDown,
    ];
    let table = (1_usize..5).prop_flat_map(|nodes| {
        vec(vec(0_u32..300, nodes), nodes).prop_map(|rows| {
            let lines: Vec<String> =
                rows.iter().map(|row| row.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")).collect();
            lines.join("\n")
        })
    });
    prop_oneof![
        12 => select(keys).prop_map(Blow::Key),
        2 => any::<char>().prop_map(Blow::Char),
        3 => (select(kinds), 0_u16..220, 0_u16..70).prop_map(|(kind, x, y)| Blow::Mouse(kind, x, y)),
        1 => prop_oneof![table, ".{0,40}"].prop_map(Blow::Paste),
        2 => (0_u16..220, 0_u16..70).prop_map(|(width, height)| Blow::Resize(width, height)),
    ]
}

fn strike(driver: &mut Driver, blow: Blow) {
    match blow {
        Blow::Key(key) => {
            driver.keys(&key.to_string());
        }
        Blow::Char(c) => {
            if let Some(key) = Key::parse(&c.to_string()) {
                driver.keys(&key.to_string());
            }
        }
        Blow::Mouse(kind, column, row) => {
            driver.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
        }
        Blow::Paste(text) => {
            driver.paste(&text);
        }
        Blow::Resize(width, height) => {
            driver.screen = Buffer::empty(Rect::new(0, 0, width, height));
            driver.event(Event::Resize(width, height));
        }
    }
}

fn check(driver: &Driver) {
    let (model, selection) = (&driver.model, driver.model.selection);
    let nodes = model.doc.topology().nodes.len();
    assert!(selection.from < nodes && selection.to < nodes);
    assert!(selection.cpu < model.built.build.nr_cpus);
    assert!(selection.level < model.built.build.levels.len().max(1));
    model.doc.topology().validate().unwrap();
    let cells = usize::from(driver.screen.area.width) * usize::from(driver.screen.area.height);
    assert!(driver.view.regions() <= cells + 20);
}

/// Every edit made is on the way back, and all of them on the way forward again.
fn check_no_edit_is_lost(driver: &Driver, start: &Topology) {
    let mut doc = driver.model.doc.clone();
    let now = Arc::clone(doc.topology());
    let mut steps = 0;
    while doc.undo().is_some() {
        steps += 1;
    }
    assert_eq!(**doc.topology(), *start);
    for _ in 0..steps {
        doc.redo();
    }
    assert_eq!(*doc.topology(), now);
}

fn survive(topology: &Topology, release: &Release, blows: Vec<Blow>) {
    let mut driver = Driver::new(topology.clone(), &release.name, 100, 30);
    driver.disk = DiskAccess::None;
    for blow in blows {
        strike(&mut driver, blow);
        check(&driver);
    }
    check_no_edit_is_lost(&driver, topology);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_storm_is_survived(
        topology in arbitrary::topology(),
        release in select(Release::all()),
        blows in vec(blow(), 1..120),
    ) {
        // Building is held to account elsewhere; here is what the screen makes of it.
        let first = catch_unwind(|| kernel::build(&topology, &release));
        prop_assume!(first.is_ok());
        survive(&topology, &release, blows);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn long_storms_lose_no_edit(
        topology in arbitrary::topology(),
        release in select(Release::all()),
        blows in vec(blow(), 2000),
    ) {
        prop_assume!(catch_unwind(|| kernel::build(&topology, &release)).is_ok());
        survive(&topology, &release, blows);
    }
}
