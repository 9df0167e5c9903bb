//! The graph, borders that move, edits that ask first, files written, what is remembered, keys of one's own.

use super::{Driver, machine, ring4};
use crate::cpumask::CpuMask;
use crate::explore::state::config::Config;
use crate::explore::state::memory::Memory;
use crate::explore::state::model::Tone;
use crate::explore::state::modes::Zoom;
use crate::explore::state::overlay::{Overlay, Question};
use crate::explore::update::files;
use crate::explore::vocabulary::action::{Action, Target};
use crate::explore::vocabulary::border::Border;
use crate::explore::vocabulary::effect::{Effect, Session, Terminal};
use crate::explore::vocabulary::pane::Pane;
use crate::explore::vocabulary::source::Source;
use crate::topology::{Distances, Topology};
use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::fs;

fn mouse(driver: &mut Driver, kind: MouseEventKind, column: u16, row: u16) {
    driver.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

/// A place on the screen that stands for this.
fn place(driver: &Driver, target: Target) -> (u16, u16) {
    let area = driver.screen.area;
    let all = (0..area.height).flat_map(|y| (0..area.width).map(move |x| (x, y)));
    let mut found = all.filter(|&(x, y)| driver.view.target_at(x, y) == Some(target));
    found.next().unwrap_or_else(|| panic!("{target:?} is nowhere"))
}

#[test]
fn the_graph_walks_its_nodes_and_lights_the_span() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("alt-7");
    assert_eq!(driver.model.focus, Pane::Graph);
    assert_eq!(driver.model.selection.from, 0);
    driver.keys("l");
    assert_eq!((driver.model.selection.from, driver.model.selection.cpu), (1, 2));
    driver.keys("j");
    assert_eq!(driver.model.selection.from, 2);
    driver.keys("h k");
    assert_eq!(driver.model.selection.from, 0);
    let (x, y) = place(&driver, Target::Row(Pane::Graph, 3));
    mouse(&mut driver, MouseEventKind::Down(MouseButton::Left), x, y);
    assert_eq!(driver.model.selection.from, 3);
    // NUMA-1 of node 3's CPU holds its neighbours and itself, not the opposite.
    driver.keys("3");
    while driver.model.level_label(driver.model.selection.level) != "NUMA-1" {
        driver.keys("<");
    }
    driver.keys("7 z");
    let picture = driver.picture();
    for label in ["·1", "█0", "█2", "█3"] {
        assert!(picture.contains(label), "{label}: {picture}");
    }
    // A single group, once groups were what was looked at.
    driver.keys("z 4 g 7 z");
    assert!(driver.picture().contains("·2"), "{}", driver.picture());
}

#[test]
fn many_nodes_make_a_grid() {
    let cpus = (0..200).map(|node| CpuMask::range(node * 2, node * 2 + 1)).collect();
    let far = |a: usize, b: usize| if a == b { 10 } else { 20 + 5 * (a.abs_diff(b) as u32 % 3) };
    let topology = Topology::new("many", cpus, Distances::from_fn(200, far));
    let mut driver = Driver::new(topology, "v6.12", 120, 40);
    driver.keys("alt-7");
    let columns = driver.model.drawn.grid.unwrap();
    driver.keys("g j");
    assert_eq!(driver.model.selection.from, columns);
    driver.keys("l k");
    assert_eq!(driver.model.selection.from, 1);
    driver.keys("G");
    assert_eq!(driver.model.selection.from, 199);
    assert!(driver.picture().contains("199"));
}

#[test]
fn a_border_follows_the_mouse_and_the_keys() {
    let mut driver = Driver::ring4("v4.11");
    let (x, y) = place(&driver, Target::Border(Border::WideLeft));
    mouse(&mut driver, MouseEventKind::Down(MouseButton::Left), x, y + 3);
    mouse(&mut driver, MouseEventKind::Drag(MouseButton::Left), 60, y + 3);
    assert_eq!(place(&driver, Target::Border(Border::WideLeft)).0, 59);
    // After letting go nothing follows any more.
    mouse(&mut driver, MouseEventKind::Up(MouseButton::Left), 60, y + 3);
    mouse(&mut driver, MouseEventKind::Drag(MouseButton::Left), 20, y + 3);
    assert_eq!(place(&driver, Target::Border(Border::WideLeft)).0, 59);
    assert!(driver.left.iter().any(|effect| matches!(effect, Effect::Session(Session::Remember(_)))));
    // By keys: the pane with the focus grows whichever side of it the border is.
    let width = |driver: &Driver| place(driver, Target::Border(Border::WideMiddle)).0;
    let before = width(&driver);
    driver.keys("alt-2 ctrl-right");
    assert!(width(&driver) > before);
    driver.keys("4 ctrl-right ctrl-right");
    assert!(width(&driver) < before);
    driver.keys("Z");
    assert_ne!(place(&driver, Target::Border(Border::WideLeft)).0, 59);
    // At the edge of the screen panes keep something to be seen.
    driver.act(Action::Pull(Border::WideLeft, 0));
    driver.act(Action::Pull(Border::WideMiddle, 5));
    driver.act(Action::Pull(Border::WideFindings, 1000));
    driver.draw();
    for pane in Pane::ALL.into_iter().filter(|pane| !matches!(pane, Pane::Graph | Pane::Counters)) {
        place(&driver, Target::Pane(pane));
    }
}

#[test]
fn a_row_is_filled_and_a_table_scaled() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("f ctrl-u").text("42").keys("enter");
    assert_eq!(
        (driver.distance(0, 0), driver.distance(0, 1), driver.distance(3, 0), driver.distance(1, 2)),
        (10, 42, 42, 20)
    );
    driver.keys("u s f ctrl-u").text("25").keys("enter");
    assert_eq!((driver.distance(0, 3), driver.distance(3, 0)), (25, 20));
    driver.keys("u * ctrl-u").text("3/2").keys("enter");
    assert_eq!((driver.distance(0, 0), driver.distance(0, 1), driver.distance(0, 2)), (10, 30, 45));
    driver.keys("* ctrl-u").text("lots").keys("enter");
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    assert_eq!(driver.distance(0, 1), 30);
    driver.keys("delete");
    assert_eq!((driver.distance(0, 2), driver.distance(2, 0)), (30, 45));
}

#[test]
fn a_node_gets_another_id_and_other_cpus() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("j R ctrl-u").text("9").keys("enter");
    let ids: Vec<u32> = driver.model.doc.topology().nodes.iter().map(|node| node.id).collect();
    assert_eq!((ids, driver.model.selection.from), (vec![0, 2, 3, 9], 3));
    driver.keys("R ctrl-u").text("2").keys("enter");
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    driver.keys("e ctrl-u").text("3").keys("enter");
    assert_eq!(driver.model.doc.topology().nodes[3].cpus, CpuMask::single(3));
    driver.keys("e ctrl-u").text("3-x").keys("enter");
    assert!(driver.model.notice.as_ref().is_some_and(|notice| notice.text.starts_with("not possible")));
    driver.keys("u u");
    assert!(!driver.model.doc.is_unsaved());
}

#[test]
fn numbers_are_pasted_into_a_cell_or_a_row() {
    let mut driver = Driver::ring4("v4.11");
    driver.paste(" 55\n");
    assert_eq!((driver.distance(0, 2), driver.distance(2, 0), driver.model.doc.topology().nodes.len()), (55, 55, 4));
    driver.paste("10 21 31 41");
    assert_eq!((driver.distance(0, 1), driver.distance(3, 0)), (21, 41));
    driver.paste("10 21 31");
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    driver.keys("alt-r");
    assert!(matches!(driver.left.last(), Some(Effect::Terminal(Terminal::Copy(text))) if text == " 10  21  31  41\n"));
    driver.keys("y t");
    assert!(matches!(driver.left.last(), Some(Effect::Terminal(Terminal::Copy(text))) if text.lines().count() == 4));
}

#[test]
fn the_cpus_of_every_node_are_listed_on_demand() {
    let mut driver = Driver::ring4("v4.11");
    assert!(!driver.picture().contains("CPUs\n"));
    driver.keys("C");
    let picture = driver.picture();
    let row = picture.lines().find(|line| line.contains("  3│")).unwrap_or_default();
    assert!(row.contains(" 6-7"), "{picture}");
}

#[test]
fn enter_unfolds_a_row_of_several() {
    let table: &[&[u32]] = &[&[10, 20], &[20, 10]];
    let mut driver = Driver::new(machine("two", 64, table), "v6.12", 120, 40);
    driver.keys("alt-2");
    assert_eq!(driver.model.cpu_rows.len(), 2);
    driver.keys("enter");
    assert_eq!((driver.model.cpu_rows.len(), driver.model.focus), (65, Pane::Cpus));
    driver.keys("enter");
    assert_eq!(driver.model.focus, Pane::Domains);
    driver.keys("alt-2 f");
    assert_eq!(driver.model.cpu_rows.len(), 2);
    driver.keys("f");
    assert_eq!(driver.model.cpu_rows.len(), 128);
}

#[test]
fn panes_and_screens_are_written_to_files_and_nothing_is_replaced_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::ring4("v4.11");
    let write = |driver: &mut Driver, keys: &str, name: &str| {
        let path = folder.path().join(name);
        driver.keys(keys).keys("E");
        driver.event(Event::Paste(String::new()));
        let Overlay::Prompt(prompt) = &driver.model.overlay else { panic!("no line to type in") };
        let erase = vec!["backspace"; prompt.input.value().len()].join(" ");
        driver.keys(&erase).paste(&path.display().to_string()).keys("enter");
        path
    };
    let path = write(&mut driver, "alt-4", "groups.txt");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("Groups") && text.contains("balance"), "{text}");
    let picture = write(&mut driver, "f1", "screen.svg");
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let log = write(&mut driver, "f5", "log.txt");
    assert!(fs::read_to_string(&log).unwrap().contains("CPU0 attaching"));
    fs::write(&path, "mine").unwrap();
    write(&mut driver, "f1 alt-2", "groups.txt");
    assert!(matches!(driver.model.overlay, Overlay::Question(Question::Replace(_))));
    driver.keys("esc");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    write(&mut driver, "alt-2", "groups.txt");
    driver.keys("y");
    assert!(fs::read_to_string(&path).unwrap().starts_with("CPUs by level"));
}

#[test]
fn what_was_opened_comes_first_and_the_layout_comes_back() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("o").text("mesh8").keys("enter alt-4 z");
    assert_eq!(driver.model.opened.first(), Some(&Source::Preset("mesh8".to_owned())));
    driver.act(Action::Pull(Border::TallCpus, 300));
    let memory = driver.model.memory();
    let mut next = Driver::ring4("v4.11");
    files::recall(&mut next.model, memory.clone());
    assert_eq!((next.model.focus, next.model.zoom), (Pane::Groups, Zoom::Whole));
    assert_eq!(next.model.memory(), memory);
    next.keys("o");
    assert!(next.picture().contains("opened before"), "{}", next.picture());
    assert!(
        matches!(&next.model.overlay, Overlay::Picker(list) if list.chosen().is_some_and(|item| item.label == "mesh8"))
    );
    files::recall(&mut next.model, Memory::default());
    assert!(!next.model.opened.is_empty());
}

#[test]
fn keys_of_ones_own_work_and_are_shown() {
    let mut driver = Driver::new(ring4(), "v4.11", 120, 40);
    let mut config = Config::standard();
    config.read("[keys]\nundo = [\"ctrl-x\"]\nhelp = [\"f9\"]\nmove-down = [\"m\"]\n").unwrap();
    driver.model.keys = config.keys;
    driver.keys("+");
    assert_eq!(driver.distance(0, 2), 31);
    assert!(driver.picture().contains("ctrl-x undo") && driver.picture().contains("f9 help"), "{}", driver.picture());
    driver.keys("u");
    assert_eq!(driver.distance(0, 2), 31);
    assert!(driver.picture().contains("u does nothing here: f9 lists every key"), "{}", driver.picture());
    driver.keys("ctrl-x m");
    assert_eq!((driver.distance(0, 2), driver.model.selection.from), (30, 1));
    driver.keys("f9").text("ctrl-x");
    assert!(driver.picture().contains("undo"));
}

#[test]
fn a_click_on_a_key_does_what_it_says() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("+");
    let (x, y) = place(&driver, Target::Run(crate::explore::vocabulary::command::Command::Undo));
    mouse(&mut driver, MouseEventKind::Down(MouseButton::Left), x, y);
    assert_eq!(driver.distance(0, 2), 30);
}
