//! The graph, borders that move, edits that ask first, files written, what is remembered, keys of one's own.

use super::{Desk, machine, ring4};
use crate::cpumask::CpuMask;
use crate::topology::{Distances, Topology};
use crate::ui::action::{Action, Border, Effect, Pane, Target};
use crate::ui::config::Config;
use crate::ui::memory::Memory;
use crate::ui::model::{Overlay, Question, Tone, Zoom};
use crate::ui::picker::Source;
use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::fs;

fn mouse(desk: &mut Desk, kind: MouseEventKind, column: u16, row: u16) {
    desk.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

/// A place on the screen that stands for this.
fn place(desk: &Desk, target: Target) -> (u16, u16) {
    let area = desk.screen.area;
    let all = (0..area.height).flat_map(|y| (0..area.width).map(move |x| (x, y)));
    let mut found = all.filter(|&(x, y)| desk.view.target_at(x, y) == Some(target));
    found.next().unwrap_or_else(|| panic!("{target:?} is nowhere"))
}

#[test]
fn the_graph_walks_its_nodes_and_lights_the_span() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("alt-7");
    assert_eq!(desk.model.focus, Pane::Graph);
    assert_eq!(desk.model.selection.from, 0);
    desk.keys("l");
    assert_eq!((desk.model.selection.from, desk.model.selection.cpu), (1, 2));
    desk.keys("j");
    assert_eq!(desk.model.selection.from, 2);
    desk.keys("h k");
    assert_eq!(desk.model.selection.from, 0);
    let (x, y) = place(&desk, Target::Row(Pane::Graph, 3));
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), x, y);
    assert_eq!(desk.model.selection.from, 3);
    // NUMA-1 of node 3's CPU holds its neighbours and itself, not the opposite.
    desk.keys("3");
    while desk.model.level_label(desk.model.selection.level) != "NUMA-1" {
        desk.keys("<");
    }
    desk.keys("7 z");
    let picture = desk.picture();
    for label in ["·1", "█0", "█2", "█3"] {
        assert!(picture.contains(label), "{label}: {picture}");
    }
    // A single group, once groups were what was looked at.
    desk.keys("z 4 g 7 z");
    assert!(desk.picture().contains("·2"), "{}", desk.picture());
}

#[test]
fn many_nodes_make_a_grid() {
    let cpus = (0..200).map(|node| CpuMask::range(node * 2, node * 2 + 1)).collect();
    let far = |a: usize, b: usize| if a == b { 10 } else { 20 + 5 * (a.abs_diff(b) as u32 % 3) };
    let topology = Topology::new("many", cpus, Distances::from_fn(200, far));
    let mut desk = Desk::new(topology, "v6.12", 120, 40);
    desk.keys("alt-7");
    let columns = desk.model.drawn.grid.unwrap();
    desk.keys("g j");
    assert_eq!(desk.model.selection.from, columns);
    desk.keys("l k");
    assert_eq!(desk.model.selection.from, 1);
    desk.keys("G");
    assert_eq!(desk.model.selection.from, 199);
    assert!(desk.picture().contains("199"));
}

#[test]
fn a_border_follows_the_mouse_and_the_keys() {
    let mut desk = Desk::ring4("v4.11");
    let (x, y) = place(&desk, Target::Border(Border::WideLeft));
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), x, y + 3);
    mouse(&mut desk, MouseEventKind::Drag(MouseButton::Left), 60, y + 3);
    assert_eq!(place(&desk, Target::Border(Border::WideLeft)).0, 59);
    // After letting go nothing follows any more.
    mouse(&mut desk, MouseEventKind::Up(MouseButton::Left), 60, y + 3);
    mouse(&mut desk, MouseEventKind::Drag(MouseButton::Left), 20, y + 3);
    assert_eq!(place(&desk, Target::Border(Border::WideLeft)).0, 59);
    assert!(desk.left.iter().any(|effect| matches!(effect, Effect::Remember(_))));
    // By keys: the pane with the focus grows whichever side of it the border is.
    let width = |desk: &Desk| place(desk, Target::Border(Border::WideMiddle)).0;
    let before = width(&desk);
    desk.keys("alt-2 ctrl-right");
    assert!(width(&desk) > before);
    desk.keys("4 ctrl-right ctrl-right");
    assert!(width(&desk) < before);
    desk.keys("Z");
    assert_ne!(place(&desk, Target::Border(Border::WideLeft)).0, 59);
    // At the edge of the screen panes keep something to be seen.
    desk.act(Action::Pull(Border::WideLeft, 0));
    desk.act(Action::Pull(Border::WideMiddle, 5));
    desk.act(Action::Pull(Border::WideFindings, 1000));
    desk.draw();
    for pane in Pane::ALL.into_iter().filter(|&pane| pane != Pane::Graph) {
        place(&desk, Target::Pane(pane));
    }
}

#[test]
fn a_row_is_filled_and_a_table_scaled() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("f ctrl-u").text("42").keys("enter");
    assert_eq!((desk.distance(0, 0), desk.distance(0, 1), desk.distance(3, 0), desk.distance(1, 2)), (10, 42, 42, 20));
    desk.keys("u s f ctrl-u").text("25").keys("enter");
    assert_eq!((desk.distance(0, 3), desk.distance(3, 0)), (25, 20));
    desk.keys("u * ctrl-u").text("3/2").keys("enter");
    assert_eq!((desk.distance(0, 0), desk.distance(0, 1), desk.distance(0, 2)), (10, 30, 45));
    desk.keys("* ctrl-u").text("lots").keys("enter");
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    assert_eq!(desk.distance(0, 1), 30);
    desk.keys("delete");
    assert_eq!((desk.distance(0, 2), desk.distance(2, 0)), (30, 45));
}

#[test]
fn a_node_gets_another_id_and_other_cpus() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("j R ctrl-u").text("9").keys("enter");
    let ids: Vec<u32> = desk.model.doc.topology().nodes.iter().map(|node| node.id).collect();
    assert_eq!((ids, desk.model.selection.from), (vec![0, 2, 3, 9], 3));
    desk.keys("R ctrl-u").text("2").keys("enter");
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    desk.keys("e ctrl-u").text("3").keys("enter");
    assert_eq!(desk.model.doc.topology().nodes[3].cpus, CpuMask::single(3));
    desk.keys("e ctrl-u").text("3-x").keys("enter");
    assert!(desk.model.notice.as_ref().is_some_and(|notice| notice.text.starts_with("not possible")));
    desk.keys("u u");
    assert!(!desk.model.doc.is_unsaved());
}

#[test]
fn numbers_are_pasted_into_a_cell_or_a_row() {
    let mut desk = Desk::ring4("v4.11");
    desk.paste(" 55\n");
    assert_eq!((desk.distance(0, 2), desk.distance(2, 0), desk.model.doc.topology().nodes.len()), (55, 55, 4));
    desk.paste("10 21 31 41");
    assert_eq!((desk.distance(0, 1), desk.distance(3, 0)), (21, 41));
    desk.paste("10 21 31");
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    desk.keys("alt-r");
    assert!(matches!(desk.left.last(), Some(Effect::Copy(text)) if text == " 10  21  31  41\n"));
    desk.keys("y t");
    assert!(matches!(desk.left.last(), Some(Effect::Copy(text)) if text.lines().count() == 4));
}

#[test]
fn the_cpus_of_every_node_are_listed_on_demand() {
    let mut desk = Desk::ring4("v4.11");
    assert!(!desk.picture().contains("CPUs\n"));
    desk.keys("C");
    let picture = desk.picture();
    let row = picture.lines().find(|line| line.contains("  3│")).unwrap_or_default();
    assert!(row.contains(" 6-7"), "{picture}");
}

#[test]
fn enter_unfolds_a_row_of_several() {
    let table: &[&[u32]] = &[&[10, 20], &[20, 10]];
    let mut desk = Desk::new(machine("two", 64, table), "v6.12", 120, 40);
    desk.keys("alt-2");
    assert_eq!(desk.model.cpu_rows.len(), 2);
    desk.keys("enter");
    assert_eq!((desk.model.cpu_rows.len(), desk.model.focus), (65, Pane::Cpus));
    desk.keys("enter");
    assert_eq!(desk.model.focus, Pane::Domains);
    desk.keys("alt-2 f");
    assert_eq!(desk.model.cpu_rows.len(), 2);
    desk.keys("f");
    assert_eq!(desk.model.cpu_rows.len(), 128);
}

#[test]
fn panes_and_screens_are_written_to_files_and_nothing_is_replaced_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::ring4("v4.11");
    let write = |desk: &mut Desk, keys: &str, name: &str| {
        let path = folder.path().join(name);
        desk.keys(keys).keys("E");
        desk.event(Event::Paste(String::new()));
        let Overlay::Prompt(prompt) = &desk.model.overlay else { panic!("no line to type in") };
        let erase = vec!["backspace"; prompt.input.value().len()].join(" ");
        desk.keys(&erase).paste(&path.display().to_string()).keys("enter");
        path
    };
    let path = write(&mut desk, "alt-4", "groups.txt");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("Groups") && text.contains("balance"), "{text}");
    let picture = write(&mut desk, "f1", "screen.svg");
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let log = write(&mut desk, "f5", "log.txt");
    assert!(fs::read_to_string(&log).unwrap().contains("CPU0 attaching"));
    fs::write(&path, "mine").unwrap();
    write(&mut desk, "f1 alt-2", "groups.txt");
    assert!(matches!(desk.model.overlay, Overlay::Question(Question::Overwrite(..))));
    desk.keys("esc");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    write(&mut desk, "alt-2", "groups.txt");
    desk.keys("y");
    assert!(fs::read_to_string(&path).unwrap().starts_with("CPUs by level"));
}

#[test]
fn what_was_opened_comes_first_and_the_layout_comes_back() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("o").text("mesh8").keys("enter alt-4 z");
    assert_eq!(desk.model.opened.first(), Some(&Source::Preset("mesh8".to_owned())));
    desk.act(Action::Pull(Border::TallCpus, 300));
    let memory = desk.model.memory();
    let mut next = Desk::ring4("v4.11");
    next.model.recall(memory.clone());
    assert_eq!((next.model.focus, next.model.zoom), (Pane::Groups, Zoom::Whole));
    assert_eq!(next.model.memory(), memory);
    next.keys("o");
    assert!(next.picture().contains("opened before"), "{}", next.picture());
    assert!(
        matches!(&next.model.overlay, Overlay::Picker(list) if list.chosen().is_some_and(|item| item.label == "mesh8"))
    );
    next.model.recall(Memory::default());
    assert!(!next.model.opened.is_empty());
}

#[test]
fn keys_of_ones_own_work_and_are_shown() {
    let mut desk = Desk::new(ring4(), "v4.11", 120, 40);
    let mut config = Config::standard();
    config.read("[keys]\nundo = [\"ctrl-x\"]\nhelp = [\"f9\"]\nmove-down = [\"m\"]\n").unwrap();
    desk.model.keys = config.keys;
    desk.keys("+");
    assert_eq!(desk.distance(0, 2), 31);
    desk.keys("u");
    assert_eq!(desk.distance(0, 2), 31);
    assert!(desk.picture().contains("ctrl-x undo") && desk.picture().contains("f9 help"), "{}", desk.picture());
    desk.keys("ctrl-x m");
    assert_eq!((desk.distance(0, 2), desk.model.selection.from), (30, 1));
    desk.keys("f9").text("ctrl-x");
    assert!(desk.picture().contains("undo"));
}

#[test]
fn a_click_on_a_key_does_what_it_says() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("+");
    let (x, y) = place(&desk, Target::Run(crate::ui::action::Command::Undo));
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), x, y);
    assert_eq!(desk.distance(0, 2), 30);
}
