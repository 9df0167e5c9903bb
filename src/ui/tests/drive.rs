//! What keys, pastes and clicks do.

use super::{Desk, machine, ring4};
use crate::ui::action::{Action, Effect, Pane, Target};
use crate::ui::model::{Gone, Overlay, Symmetry, Tone, Zoom};
use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::sync::Arc;

#[test]
fn it_starts_where_nodes_are_furthest_apart() {
    let desk = Desk::ring4("v4.11");
    assert_eq!((desk.model.selection.from, desk.model.selection.to), (0, 2));
    assert_eq!(desk.model.level_label(desk.model.selection.level), "NUMA-2");
}

#[test]
fn the_build_follows_a_number_from_ten_on() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("2");
    assert_eq!(desk.distance(0, 2), 30);
    assert!(desk.picture().contains(" 2_"), "{}", desk.picture());
    assert!(desk.picture().contains("unfinished"));
    desk.keys("5");
    assert_eq!((desk.distance(0, 2), desk.distance(2, 0)), (25, 25));
    assert_eq!(desk.model.built.topology.distances.get(0, 2), 25);
    desk.keys("0");
    assert_eq!(desk.distance(0, 2), 250);
    desk.keys("enter");
    assert!(desk.model.entry.is_none());
    // However many digits: one step back.
    desk.keys("u");
    assert_eq!(desk.distance(0, 2), 30);
    assert!(!desk.model.doc.is_unsaved());
    desk.keys("ctrl-r");
    assert_eq!(desk.distance(0, 2), 250);
}

#[test]
fn escape_puts_a_number_back() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("4 0 esc");
    assert_eq!(desk.distance(0, 2), 30);
    desk.keys("u");
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.text.as_str()), Some("nothing to undo"));
}

#[test]
fn an_arrow_ends_a_number_and_drops_an_unfinished_one() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("4 0 left 2 right");
    assert_eq!((desk.distance(0, 2), desk.distance(0, 1)), (40, 20));
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    desk.keys("backspace");
    assert_eq!(desk.model.entry.as_ref().map(|entry| entry.digits.as_str()), Some("4"));
    // The table no longer follows, and goes back to what it was.
    desk.keys("backspace");
    assert_eq!((desk.model.entry.is_none(), desk.distance(0, 2)), (true, 40));
}

#[test]
fn erasing_below_ten_retracts_what_was_typed() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("4 0");
    assert_eq!(desk.distance(0, 2), 40);
    desk.keys("backspace");
    assert_eq!(desk.distance(0, 2), 30);
    desk.keys("5 enter");
    assert_eq!(desk.distance(0, 2), 45);
}

#[test]
fn one_way_edits_mark_the_pair() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("s +");
    assert_eq!(desk.model.symmetry, Symmetry::OneWay);
    assert_eq!((desk.distance(0, 2), desk.distance(2, 0)), (31, 30));
    assert!(desk.picture().contains("31≠"));
    assert!(desk.picture().contains("back 30"));
    assert!(desk.picture().contains("one way"));
    assert!(!desk.model.built.build.messages.is_empty() || desk.model.built.build.error.is_some());
}

#[test]
fn moving_in_the_table_chooses_cpu_and_level() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("j");
    assert_eq!(desk.model.selection.cpu, 2);
    assert_eq!(desk.model.level_label(desk.model.selection.level), "NUMA-1");
    desk.keys("h");
    assert_eq!(desk.model.level_label(desk.model.selection.level), "DIE");
}

#[test]
fn choosing_a_cpu_chooses_its_node() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("alt-2 G");
    assert_eq!((desk.model.selection.cpu, desk.model.selection.from), (7, 3));
    desk.keys("k k");
    assert_eq!((desk.model.selection.cpu, desk.model.selection.from), (5, 2));
}

#[test]
fn groups_and_capacity_follow_each_other() {
    let mut desk = Desk::ring4("v4.13");
    desk.keys("alt-4 j");
    let instance = desk.model.selection.instance;
    assert_ne!(instance, 0);
    // An instance that none of this CPU's groups uses changes nothing, one that does chooses its group.
    desk.keys("alt-5 k");
    assert_eq!(desk.model.selection.group, 1);
    desk.keys("k");
    assert_eq!(desk.model.selection.group, 0);
}

#[test]
fn enter_goes_on_and_tab_goes_round() {
    let mut desk = Desk::ring4("v4.13");
    for pane in [Pane::Cpus, Pane::Domains, Pane::Groups, Pane::Capacity] {
        desk.keys("enter");
        assert_eq!(desk.model.focus, pane);
    }
    desk.keys("tab tab tab");
    assert_eq!(desk.model.focus, Pane::Distances);
    desk.keys("backtab backtab");
    assert_eq!(desk.model.focus, Pane::Findings);
    desk.keys("2");
    assert_eq!(desk.model.focus, Pane::Cpus);
}

#[test]
fn releases_step_and_are_picked() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("]");
    assert_eq!(desk.model.built.build.release.name, "lauro-p2");
    desk.keys("[ [");
    assert_eq!(desk.model.release.name, "v4.10");
    desk.keys("[");
    assert!(desk.model.notice.is_some());
    desk.keys("K").text("6.12").keys("enter");
    assert_eq!(desk.model.built.build.release.name, "v6.12");
    desk.keys("K").text("no such").keys("enter esc");
    assert_eq!(desk.model.release.name, "v6.12");
}

#[test]
fn the_level_chosen_stays_when_levels_are_inserted() {
    let mut desk = Desk::ring4("v4.14");
    desk.keys("alt-4");
    let label = desk.model.level_label(desk.model.selection.level).to_owned();
    desk.keys("]");
    assert_eq!(desk.model.level_label(desk.model.selection.level), label);
}

#[test]
fn a_pasted_table_replaces_the_table() {
    let mut desk = Desk::ring4("v4.11");
    desk.paste("node   0   1   2   3\n0: 10 15 20 20\n1: 15 10 20 20\n2: 20 20 10 15\n3: 20 20 15 10\n");
    assert_eq!(desk.distance(0, 1), 15);
    assert_eq!(desk.model.doc.topology().nr_cpus, 8);
    desk.keys("u");
    assert_eq!(desk.distance(0, 1), 20);
    desk.paste("10 20\n20 10\n");
    assert_eq!((desk.model.doc.topology().nodes.len(), desk.model.built.build.nr_cpus), (2, 4));
    desk.keys("u");
    assert_eq!(desk.model.built.build.nr_cpus, 8);
    desk.paste("10 20 30\n20 10\n");
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    assert_eq!(desk.model.doc.topology().nodes.len(), 4);
}

#[test]
fn nodes_come_and_go() {
    let mut desk = Desk::ring4("v4.13");
    desk.keys("a");
    assert_eq!((desk.model.doc.topology().nodes.len(), desk.model.built.build.nr_cpus), (5, 10));
    assert_eq!(desk.model.selection.from, 4);
    desk.keys("x");
    assert_eq!(*desk.model.doc.topology().as_ref(), ring4());
    desk.keys("g c");
    assert_eq!(desk.distance(4, 2), desk.distance(0, 2));
    desk.keys("u u u");
    assert_eq!(*desk.model.doc.topology().as_ref(), ring4());
    assert!(!desk.model.doc.is_unsaved());
    desk.keys("esc g l S");
    assert!(desk.model.notice.is_some());
    // The last node stays.
    desk.keys("x x x x x");
    assert_eq!(desk.model.doc.topology().nodes.len(), 1);
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
}

#[test]
fn nudges_in_a_row_are_one_step() {
    let mut desk = Desk::ring4("v4.13");
    desk.keys("+ + + u");
    assert_eq!(desk.distance(0, 2), 30);
    desk.keys("+ h l + u");
    assert_eq!(desk.distance(0, 2), 31);
}

#[test]
fn search_goes_to_what_is_asked_for_and_back() {
    let mut desk = Desk::ring4("v4.13");
    desk.keys("alt-2 /").text("node 3");
    assert_eq!(desk.model.selection.cpu, 6);
    desk.keys("enter n");
    assert_eq!(desk.model.selection.cpu, 7);
    desk.keys("n");
    assert_eq!(desk.model.selection.cpu, 6);
    desk.keys("/").text("5").keys("esc");
    assert_eq!(desk.model.selection.cpu, 6);
    desk.keys("/").text("0-5").keys("enter");
    assert_eq!(desk.model.search.rows, [2, 3]);
    desk.keys("/").text("nowhere").keys("enter");
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
}

#[test]
fn the_palette_runs_what_is_typed() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys(":").text("whole screen").keys("enter");
    assert_eq!(desk.model.zoom, Zoom::Whole);
    desk.keys("esc");
    assert_eq!(desk.model.zoom, Zoom::Split);
    desk.keys("?").text("degenerated").keys("enter");
    assert_eq!(desk.model.gone, Gone::Hidden);
}

#[test]
fn choosing_a_finding_moves_every_pane_to_what_shows_it() {
    let mut desk = Desk::ring4("v4.11");
    let findings = desk.model.built.findings().unwrap();
    let at = findings.iter().rposition(|one| one.witness.level.is_some() && !one.witness.cpus.is_empty()).unwrap();
    let witness = findings[at].witness.clone();
    assert!(findings.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
    desk.keys("alt-6 g");
    for _ in 0..at {
        desk.keys("j");
    }
    assert_eq!(desk.model.selection.finding, at);
    assert_eq!(Some(desk.model.selection.level), witness.level);
    assert!(witness.cpus.contains(desk.model.selection.cpu));
    assert_eq!(desk.model.lit(), witness.cpus);
    desk.keys("/").text("direct").keys("enter");
    assert!(desk.model.finding().unwrap().id.contains("direct"));
    desk.keys("enter");
    assert_eq!(desk.model.focus, Pane::Groups);
}

#[test]
fn a_large_machine_is_examined_after_it_is_shown() {
    let table: [&[u32]; 2] = [&[10, 20], &[20, 10]];
    let mut desk = Desk::new(machine("large", 200, &table), "v6.12", 120, 40);
    assert!(desk.model.built.findings().is_none());
    assert!(desk.picture().contains("looking for what is wrong"));
    assert!(matches!(desk.model.examine()[..], [Effect::Examine(_)]));
    desk.keys("+");
    assert!(desk.model.built.findings().is_some());
    assert!(desk.model.examine().is_empty());
}

#[test]
fn gone_levels_can_be_hidden() {
    let mut desk = Desk::ring4("v4.11");
    assert!(desk.picture().contains("gone: one CPU"));
    desk.keys("d");
    assert!(!desk.picture().contains("gone: one CPU"));
    assert!(!desk.picture().contains("SMT"));
}

#[test]
fn a_click_chooses_and_the_wheel_moves() {
    let mut desk = Desk::ring4("v4.11");
    let place = |desk: &Desk, wanted: Target| {
        let (width, height) = (desk.screen.area.width, desk.screen.area.height);
        let mut places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        places.find(|&(x, y)| desk.view.target_at(x, y) == Some(wanted)).unwrap()
    };
    let mouse = |kind, (column, row)| Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let at = place(&desk, Target::Cell(1, 3));
    desk.event(mouse(MouseEventKind::Down(MouseButton::Left), at));
    assert_eq!((desk.model.selection.from, desk.model.selection.to), (1, 3));
    let at = place(&desk, Target::Cpu(6, None));
    desk.event(mouse(MouseEventKind::Down(MouseButton::Left), at));
    assert_eq!((desk.model.selection.cpu, desk.model.focus), (6, Pane::Cpus));
    desk.event(mouse(MouseEventKind::ScrollUp, at));
    assert_eq!(desk.model.selection.cpu, 3);
    desk.event(mouse(MouseEventKind::Down(MouseButton::Left), (500, 500)));
    desk.keys("M");
    desk.event(mouse(MouseEventKind::ScrollUp, at));
    assert_eq!(desk.model.selection.cpu, 3);
}

#[test]
fn a_stale_build_never_replaces_a_newer_one() {
    use crate::ui::action::Request;
    use crate::ui::facts::Built;
    let mut desk = Desk::ring4("v4.11");
    let old =
        Request { generation: 1, topology: Arc::clone(desk.model.doc.topology()), release: desk.model.release.clone() };
    desk.keys("+ + +");
    assert_eq!(desk.model.built.generation, 3);
    desk.act(Action::Built(Arc::new(Built::new(old))));
    assert_eq!(desk.model.built.generation, 3);
    assert!(!desk.model.is_rebuilding());
}

#[test]
fn only_what_is_visible_is_drawn() {
    let table: Vec<Vec<u32>> =
        (0..16).map(|from| (0..16).map(|to| if from == to { 10 } else { 20 }).collect()).collect();
    let rows: Vec<&[u32]> = table.iter().map(Vec::as_slice).collect();
    let desk = Desk::new(machine("big", 64, &rows), "v6.12", 200, 60);
    // One region per visible row, cell or tab.
    assert!(desk.view.regions() < 1000, "{}", desk.view.regions());
}

#[test]
fn jumps_go_back_and_forward() {
    let mut desk = Desk::ring4("v4.13");
    let start = desk.model.selection;
    desk.keys("alt-2 G");
    let end = desk.model.selection;
    desk.keys("ctrl-o");
    assert_eq!((desk.model.selection, desk.model.focus), (start, Pane::Cpus));
    desk.keys("ctrl-o");
    assert_eq!((desk.model.selection, desk.model.focus), (start, Pane::Distances));
    desk.keys("ctrl-o");
    assert_eq!(desk.model.notice.as_ref().unwrap().tone, Tone::Trouble);
    desk.keys("ctrl-n ctrl-n");
    assert_eq!((desk.model.selection, desk.model.focus), (end, Pane::Cpus));
    // Going somewhere else from the middle forgets what lay ahead.
    desk.keys("ctrl-o alt-4 ctrl-n");
    assert_eq!(desk.model.focus, Pane::Groups);
}

#[test]
fn the_palette_begins_with_what_was_used_last() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys(":").text("next colour").keys("enter :").text("degenerated").keys("enter :");
    let Overlay::Picker(list) = &desk.model.overlay else { panic!() };
    assert!(list.items[0].label.contains("degenerated") && list.items[1].label.contains("next colour"));
}

#[test]
fn large_machines_fold_and_unfold_and_filter() {
    let table: [&[u32]; 2] = [&[10, 20], &[20, 10]];
    let mut desk = Desk::new(machine("large", 64, &table), "v6.12", 160, 40);
    assert_eq!(desk.model.rows(Pane::Cpus), 2);
    assert!(desk.picture().contains("64-127"), "{}", desk.picture());
    desk.keys("alt-2 G");
    assert_eq!(desk.model.selection.cpu, 64);
    desk.keys("f j");
    assert_eq!((desk.model.rows(Pane::Cpus), desk.model.selection.cpu), (128, 65));
    desk.keys("F").text("node 0").keys("enter");
    assert_eq!((desk.model.rows(Pane::Cpus), desk.model.selection.cpu), (64, 0));
    desk.keys("F ctrl-u").text("3,64-70").keys("enter");
    assert_eq!((desk.model.rows(Pane::Cpus), desk.model.selection.cpu), (8, 3));
    desk.keys("j");
    assert_eq!(desk.model.selection.cpu, 64);
    desk.keys("F ctrl-u").text("9999").keys("enter");
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    desk.keys("F ctrl-u enter f");
    assert_eq!(desk.model.rows(Pane::Cpus), 2);
    desk.keys("/").text("100").keys("enter");
    assert_eq!(desk.model.search.rows, [1]);
}
