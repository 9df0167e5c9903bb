//! What keys, pastes and clicks do.

use super::{Driver, machine, ring4};
use crate::explore::state::model::Tone;
use crate::explore::state::modes::{DegeneratedRows, Symmetry, Zoom};
use crate::explore::state::overlay::Overlay;
use crate::explore::update::builds;
use crate::explore::vocabulary::action::{Action, Target};
use crate::explore::vocabulary::effect::{Effect, Job};
use crate::explore::vocabulary::pane::Pane;
use crate::kernel::MessageKind;
use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::sync::Arc;

#[test]
fn a_key_pressed_in_vain_says_so() {
    let mut driver = Driver::ring4("v4.11");
    let told = |driver: &Driver| driver.model.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    driver.keys("ctrl-y");
    assert_eq!(told(&driver), "ctrl-y does nothing here: ? lists every key");
    driver.keys("+ q x");
    assert_eq!(told(&driver), "x does nothing here: here are w y d n");
    driver.keys("d");
    assert!(told(&driver).starts_with("no such answer here"), "{}", told(&driver));
    assert!(matches!(driver.model.overlay, Overlay::Question(_)), "it still asks");
    driver.keys("esc 1 2 3 4");
    assert_eq!(told(&driver), "a distance has 3 digits at most");
}

#[test]
fn it_starts_where_nodes_are_furthest_apart() {
    let driver = Driver::ring4("v4.11");
    assert_eq!((driver.model.selection.from, driver.model.selection.to), (0, 2));
    assert_eq!(driver.model.level_label(driver.model.selection.level), "NUMA-2");
}

#[test]
fn the_build_follows_a_number_from_ten_on() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("2");
    assert_eq!(driver.distance(0, 2), 30);
    assert!(driver.picture().contains(" 2_"), "{}", driver.picture());
    assert!(driver.picture().contains("unfinished"));
    driver.keys("5");
    assert_eq!((driver.distance(0, 2), driver.distance(2, 0)), (25, 25));
    assert_eq!(driver.model.built.topology.distances.get(0, 2), 25);
    driver.keys("0");
    assert_eq!(driver.distance(0, 2), 250);
    driver.keys("enter");
    assert!(driver.model.entry.is_none());
    // However many digits: one step back.
    driver.keys("u");
    assert_eq!(driver.distance(0, 2), 30);
    assert!(!driver.model.doc.is_unsaved());
    driver.keys("ctrl-r");
    assert_eq!(driver.distance(0, 2), 250);
}

#[test]
fn escape_puts_a_number_back() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("4 0 esc");
    assert_eq!(driver.distance(0, 2), 30);
    driver.keys("u");
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.text.as_str()), Some("nothing to undo"));
}

#[test]
fn an_arrow_ends_a_number_and_drops_an_unfinished_one() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("4 0 left 2 right");
    assert_eq!((driver.distance(0, 2), driver.distance(0, 1)), (40, 20));
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    driver.keys("backspace");
    assert_eq!(driver.model.entry.as_ref().map(|entry| entry.digits.as_str()), Some("4"));
    // The table no longer follows, and goes back to what it was.
    driver.keys("backspace");
    assert_eq!((driver.model.entry.is_none(), driver.distance(0, 2)), (true, 40));
}

#[test]
fn erasing_below_ten_retracts_what_was_typed() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("4 0");
    assert_eq!(driver.distance(0, 2), 40);
    driver.keys("backspace");
    assert_eq!(driver.distance(0, 2), 30);
    driver.keys("5 enter");
    assert_eq!(driver.distance(0, 2), 45);
}

#[test]
fn one_way_edits_mark_the_pair() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("s +");
    assert_eq!(driver.model.symmetry, Symmetry::OneWay);
    assert_eq!((driver.distance(0, 2), driver.distance(2, 0)), (31, 30));
    assert!(driver.picture().contains("31≠"));
    assert!(driver.picture().contains("back 30"));
    assert!(driver.picture().contains("one way"));
    let kinds: Vec<MessageKind> =
        driver.model.built.build.messages.iter().map(|message| message.kind.clone()).collect();
    assert_eq!(kinds, [MessageKind::NotSymmetric], "built nonetheless: {:?}", driver.model.built.build.error);
}

#[test]
fn moving_in_the_table_chooses_cpu_and_level() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("j");
    assert_eq!(driver.model.selection.cpu, 2);
    assert_eq!(driver.model.level_label(driver.model.selection.level), "NUMA-1");
    driver.keys("h");
    assert_eq!(driver.model.level_label(driver.model.selection.level), "DIE");
}

#[test]
fn choosing_a_cpu_chooses_its_node() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("alt-2 G");
    assert_eq!((driver.model.selection.cpu, driver.model.selection.from), (7, 3));
    driver.keys("k k");
    assert_eq!((driver.model.selection.cpu, driver.model.selection.from), (5, 2));
}

#[test]
fn groups_and_capacity_follow_each_other() {
    let mut driver = Driver::ring4("v4.13");
    driver.keys("alt-4 j");
    let instance = driver.model.selection.instance;
    assert_ne!(instance, 0);
    // An instance that none of this CPU's groups uses changes nothing, one that does chooses its group.
    driver.keys("alt-5 k");
    assert_eq!(driver.model.selection.group, 1);
    driver.keys("k");
    assert_eq!(driver.model.selection.group, 0);
}

#[test]
fn enter_goes_on_and_tab_goes_round() {
    let mut driver = Driver::ring4("v4.13");
    for pane in [Pane::Cpus, Pane::Domains, Pane::Groups, Pane::Capacity] {
        driver.keys("enter");
        assert_eq!(driver.model.focus, pane);
    }
    driver.keys("tab tab tab");
    assert_eq!(driver.model.focus, Pane::Distances);
    driver.keys("backtab backtab");
    assert_eq!(driver.model.focus, Pane::Findings);
    driver.keys("2");
    assert_eq!(driver.model.focus, Pane::Cpus);
}

#[test]
fn releases_step_and_are_picked() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("]");
    assert_eq!(driver.model.built.build.release.name, "lauro-p2");
    driver.keys("[ [");
    assert_eq!(driver.model.release.name, "v4.10");
    driver.keys("[");
    assert!(driver.model.notice.is_some());
    driver.keys("K").text("6.12").keys("enter");
    assert_eq!(driver.model.built.build.release.name, "v6.12");
    driver.keys("K").text("no such").keys("enter esc");
    assert_eq!(driver.model.release.name, "v6.12");
}

#[test]
fn the_level_chosen_stays_when_levels_are_inserted() {
    let mut driver = Driver::ring4("v4.14");
    driver.keys("alt-4");
    let label = driver.model.level_label(driver.model.selection.level).to_owned();
    driver.keys("]");
    assert_eq!(driver.model.level_label(driver.model.selection.level), label);
}

#[test]
fn a_pasted_table_replaces_the_table() {
    let mut driver = Driver::ring4("v4.11");
    driver.paste("node   0   1   2   3\n0: 10 15 20 20\n1: 15 10 20 20\n2: 20 20 10 15\n3: 20 20 15 10\n");
    assert_eq!(driver.distance(0, 1), 15);
    assert_eq!(driver.model.doc.topology().nr_cpus, 8);
    driver.keys("u");
    assert_eq!(driver.distance(0, 1), 20);
    driver.paste("10 20\n20 10\n");
    assert_eq!((driver.model.doc.topology().nodes.len(), driver.model.built.build.nr_cpus), (2, 4));
    driver.keys("u");
    assert_eq!(driver.model.built.build.nr_cpus, 8);
    driver.paste("10 20 30\n20 10\n");
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    assert_eq!(driver.model.doc.topology().nodes.len(), 4);
}

#[test]
fn nodes_come_and_go() {
    let mut driver = Driver::ring4("v4.13");
    driver.keys("a");
    assert_eq!((driver.model.doc.topology().nodes.len(), driver.model.built.build.nr_cpus), (5, 10));
    assert_eq!(driver.model.selection.from, 4);
    driver.keys("x");
    assert_eq!(*driver.model.doc.topology().as_ref(), ring4());
    driver.keys("g c");
    assert_eq!(driver.distance(4, 2), driver.distance(0, 2));
    driver.keys("u u u");
    assert_eq!(*driver.model.doc.topology().as_ref(), ring4());
    assert!(!driver.model.doc.is_unsaved());
    driver.keys("esc g l S");
    assert!(driver.model.notice.is_some());
    // The last node stays.
    driver.keys("x x x x x");
    assert_eq!(driver.model.doc.topology().nodes.len(), 1);
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
}

#[test]
fn nudges_in_a_row_are_one_step() {
    let mut driver = Driver::ring4("v4.13");
    driver.keys("+ + + u");
    assert_eq!(driver.distance(0, 2), 30);
    driver.keys("+ h l + u");
    assert_eq!(driver.distance(0, 2), 31);
}

#[test]
fn search_goes_to_what_is_asked_for_and_back() {
    let mut driver = Driver::ring4("v4.13");
    driver.keys("alt-2 /").text("node 3");
    assert_eq!(driver.model.selection.cpu, 6);
    driver.keys("enter n");
    assert_eq!(driver.model.selection.cpu, 7);
    driver.keys("n");
    assert_eq!(driver.model.selection.cpu, 6);
    driver.keys("/").text("5").keys("esc");
    assert_eq!(driver.model.selection.cpu, 6);
    driver.keys("/").text("0-5").keys("enter");
    assert_eq!(driver.model.search.rows, [2, 3]);
    driver.keys("/").text("nowhere").keys("enter");
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
}

#[test]
fn the_palette_runs_what_is_typed() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys(":").text("whole screen").keys("enter");
    assert_eq!(driver.model.zoom, Zoom::Whole);
    driver.keys("esc");
    assert_eq!(driver.model.zoom, Zoom::Split);
    driver.keys("?").text("degenerated").keys("enter");
    assert_eq!(driver.model.degenerated, DegeneratedRows::Hidden);
}

#[test]
fn choosing_a_finding_moves_every_pane_to_what_shows_it() {
    let mut driver = Driver::ring4("v4.11");
    let findings = driver.model.built.findings().unwrap();
    let at = findings.iter().rposition(|one| one.witness.level.is_some() && !one.witness.cpus.is_empty()).unwrap();
    let witness = findings[at].witness.clone();
    assert!(findings.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
    driver.keys("alt-6 g");
    for _ in 0..at {
        driver.keys("j");
    }
    assert_eq!(driver.model.selection.finding, at);
    assert_eq!(Some(driver.model.selection.level), witness.level);
    assert!(witness.cpus.contains(driver.model.selection.cpu));
    assert_eq!(driver.model.lit(), witness.cpus);
    driver.keys("/").text("direct").keys("enter");
    assert!(driver.model.finding().unwrap().id.contains("direct"));
    driver.keys("enter");
    assert_eq!(driver.model.focus, Pane::Groups);
}

#[test]
fn a_large_machine_is_examined_after_it_is_shown() {
    let table: [&[u32]; 2] = [&[10, 20], &[20, 10]];
    let mut driver = Driver::new(machine("large", 200, &table), "v6.12", 120, 40);
    assert!(driver.model.built.findings().is_none());
    assert!(driver.picture().contains("looking for what is wrong"));
    assert!(matches!(builds::examine(&driver.model)[..], [Effect::Job(Job::Examine(_))]));
    driver.keys("+");
    assert!(driver.model.built.findings().is_some());
    assert!(builds::examine(&driver.model).is_empty());
}

#[test]
fn gone_levels_can_be_hidden() {
    let mut driver = Driver::ring4("v4.11");
    assert!(driver.picture().contains("gone: one CPU"));
    driver.keys("d");
    assert!(!driver.picture().contains("gone: one CPU"));
    assert!(!driver.picture().contains("SMT"));
}

#[test]
fn a_click_chooses_and_the_wheel_moves() {
    let mut driver = Driver::ring4("v4.11");
    let place = |driver: &Driver, wanted: Target| {
        let (width, height) = (driver.screen.area.width, driver.screen.area.height);
        let mut places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        places.find(|&(x, y)| driver.view.target_at(x, y) == Some(wanted)).unwrap()
    };
    let mouse = |kind, (column, row)| Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let at = place(&driver, Target::Cell(1, 3));
    driver.event(mouse(MouseEventKind::Down(MouseButton::Left), at));
    assert_eq!((driver.model.selection.from, driver.model.selection.to), (1, 3));
    let at = place(&driver, Target::Cpu(6, None));
    driver.event(mouse(MouseEventKind::Down(MouseButton::Left), at));
    assert_eq!((driver.model.selection.cpu, driver.model.focus), (6, Pane::Cpus));
    driver.event(mouse(MouseEventKind::ScrollUp, at));
    assert_eq!(driver.model.selection.cpu, 3);
    driver.event(mouse(MouseEventKind::Down(MouseButton::Left), (500, 500)));
    driver.keys("M");
    driver.event(mouse(MouseEventKind::ScrollUp, at));
    assert_eq!(driver.model.selection.cpu, 3);
}

#[test]
fn a_stale_build_never_replaces_a_newer_one() {
    use crate::explore::derived::build_view::BuildRequest;
    use crate::explore::derived::build_view::BuildView;
    let mut driver = Driver::ring4("v4.11");
    let old = BuildRequest {
        generation: 1,
        topology: Arc::clone(driver.model.doc.topology()),
        release: driver.model.release.clone(),
    };
    driver.keys("+ + +");
    assert_eq!(driver.model.built.generation, 3);
    driver.act(Action::Built(Arc::new(BuildView::new(old))));
    assert_eq!(driver.model.built.generation, 3);
    assert!(!driver.model.is_rebuilding());
}

#[test]
fn only_what_is_visible_is_drawn() {
    let table: Vec<Vec<u32>> =
        (0..16).map(|from| (0..16).map(|to| if from == to { 10 } else { 20 }).collect()).collect();
    let rows: Vec<&[u32]> = table.iter().map(Vec::as_slice).collect();
    let driver = Driver::new(machine("big", 64, &rows), "v6.12", 200, 60);
    // One region per visible row, cell or tab.
    assert!(driver.view.regions() < 1000, "{}", driver.view.regions());
}

#[test]
fn jumps_go_back_and_forward() {
    let mut driver = Driver::ring4("v4.13");
    let start = driver.model.selection;
    driver.keys("alt-2 G");
    let end = driver.model.selection;
    driver.keys("ctrl-o");
    assert_eq!((driver.model.selection, driver.model.focus), (start, Pane::Cpus));
    driver.keys("ctrl-o");
    assert_eq!((driver.model.selection, driver.model.focus), (start, Pane::Distances));
    driver.keys("ctrl-o");
    assert_eq!(driver.model.notice.as_ref().unwrap().tone, Tone::Trouble);
    driver.keys("ctrl-n ctrl-n");
    assert_eq!((driver.model.selection, driver.model.focus), (end, Pane::Cpus));
    // Going somewhere else from the middle forgets what lay ahead.
    driver.keys("ctrl-o alt-4 ctrl-n");
    assert_eq!(driver.model.focus, Pane::Groups);
}

#[test]
fn the_palette_begins_with_what_was_used_last() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys(":").text("next colour").keys("enter :").text("degenerated").keys("enter :");
    let Overlay::Picker(list) = &driver.model.overlay else { panic!() };
    assert!(list.items[0].label.contains("degenerated") && list.items[1].label.contains("next colour"));
}

#[test]
fn large_machines_fold_and_unfold_and_filter() {
    let table: [&[u32]; 2] = [&[10, 20], &[20, 10]];
    let mut driver = Driver::new(machine("large", 64, &table), "v6.12", 160, 40);
    assert_eq!(driver.model.rows(Pane::Cpus), 2);
    assert!(driver.picture().contains("64-127"), "{}", driver.picture());
    driver.keys("alt-2 G");
    assert_eq!(driver.model.selection.cpu, 64);
    driver.keys("f j");
    assert_eq!((driver.model.rows(Pane::Cpus), driver.model.selection.cpu), (128, 65));
    driver.keys("F").text("node 0").keys("enter");
    assert_eq!((driver.model.rows(Pane::Cpus), driver.model.selection.cpu), (64, 0));
    driver.keys("F ctrl-u").text("3,64-70").keys("enter");
    assert_eq!((driver.model.rows(Pane::Cpus), driver.model.selection.cpu), (8, 3));
    driver.keys("j");
    assert_eq!(driver.model.selection.cpu, 64);
    driver.keys("F ctrl-u").text("9999").keys("enter");
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    driver.keys("F ctrl-u enter f");
    assert_eq!(driver.model.rows(Pane::Cpus), 2);
    driver.keys("/").text("100").keys("enter");
    assert_eq!(driver.model.search.rows, [1]);
}
