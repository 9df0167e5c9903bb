//! Tasks on the domains: played, gone back over, pinned, under two releases.

use super::{Driver, machine, ring4};
use crate::explore::derived::recording::Event;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::pane::{Pane, Screen};

/// The ring of four with two CPUs a node, and the pair 1 pulling from 3 played under a release.
fn pair(release: &str) -> Driver {
    let mut driver = Driver::ring4(release);
    driver.keys("f4 j l enter");
    assert_eq!((driver.model.selection.from, driver.model.selection.to), (1, 3));
    assert_eq!(driver.model.screens.now, Screen::Balance);
    driver
}

/// Lets so many frames of time pass.
fn frames(driver: &mut Driver, count: usize) {
    for _ in 0..count {
        driver.act(Action::Tick);
    }
    driver.draw();
}

/// Tasks on each CPU of the side at `at`.
fn counts(driver: &Driver, at: usize) -> Vec<usize> {
    driver.model.screens.balance.sides[at].queues(8).iter().map(Vec::len).collect()
}

#[test]
fn a_pair_of_the_ring_is_stuck_under_one_release_and_moves_beside_it_under_another() {
    let mut driver = pair("v4.11");
    assert!(driver.model.screens.balance.playing, "enter plays");
    driver.keys("c").text("4.14").keys("enter");
    frames(&mut driver, 400);
    assert_eq!(counts(&driver, 0), [0, 0, 0, 0, 0, 0, 4, 4]);
    let moved = counts(&driver, 1);
    assert!(moved[2] + moved[3] >= 2, "{moved:?}");
    let picture = driver.picture();
    assert!(picture.contains("idle though allowed: node 1"), "{picture}");
    assert!(picture.contains("every node allowed has a task"), "{picture}");
    // Enter leads to the groups that hold it back.
    driver.keys("enter");
    assert_eq!((driver.model.screens.now, driver.model.focus), (Screen::Explore, Pane::Groups));
}

#[test]
fn time_goes_back_over_the_same_way() {
    let mut driver = pair("v4.14");
    frames(&mut driver, 300);
    let total = driver.model.screens.balance.sides[0].at;
    let end = counts(&driver, 0);
    assert!(total > 5 && end != [0, 0, 0, 0, 0, 0, 4, 4], "{total} {end:?}");
    for _ in 0..total {
        driver.keys("k");
        assert_eq!(counts(&driver, 0).iter().sum::<usize>(), 8);
    }
    assert_eq!((counts(&driver, 0), driver.model.screens.balance.tick), (vec![0, 0, 0, 0, 0, 0, 4, 4], 0));
    for _ in 0..total {
        driver.keys("j");
    }
    assert_eq!(counts(&driver, 0), end);
    // Ticks as well as events; the first and the last.
    driver.keys("l l h");
    assert_eq!(counts(&driver, 0), end);
    driver.keys("g");
    assert_eq!(driver.model.screens.balance.sides[0].at, 0);
}

#[test]
fn a_pinned_task_stays_where_it_was_put_from_then_on() {
    let mut driver = pair("v4.11");
    frames(&mut driver, 20);
    let tick = driver.model.screens.balance.tick;
    driver.keys("e ctrl-u").text("3@cpus:2").keys("enter");
    assert_eq!(driver.model.screens.balance.tick, tick, "time stays");
    driver.keys("p");
    frames(&mut driver, 300);
    let side = &driver.model.screens.balance.sides[0];
    assert_eq!(side.cpu_of[3], 2);
    assert!(side.events.iter().any(|event| matches!(event, Event::Pinned { task: 3, .. })));
    for wrong in ["9@cpus:2", "x", "3@cpus:99", "3@nodes:7"] {
        driver.keys("e ctrl-u").text(wrong).keys("enter");
        assert!(driver.model.notice.is_some(), "{wrong}");
        assert_eq!(driver.model.screens.balance.pins.len(), 1, "{wrong}");
    }
}

#[test]
fn tasks_are_typed_and_what_they_name_must_be_there() {
    let mut driver = Driver::ring4("v6.12");
    driver.keys("f7 t ctrl-u").text("6@nodes:0 2@cpus:7 from 0").keys("enter");
    let tasks = driver.model.screens.balance.tasks.clone().expect("the screen has tasks");
    assert_eq!(tasks.tasks.len(), 8);
    assert_eq!(counts(&driver, 0), [3, 3, 0, 0, 0, 0, 0, 2]);
    for wrong in ["0", "3@nodes:9", "3 from 9", "3 from x"] {
        driver.keys("t ctrl-u").text(wrong).keys("enter");
        assert!(driver.model.notice.is_some(), "{wrong}");
        assert_eq!(driver.model.screens.balance.tasks.as_ref(), Some(&tasks), "{wrong}");
    }
    // Another release starts the same tasks anew; an edit that takes a node away finds other tasks.
    driver.keys("p");
    frames(&mut driver, 50);
    driver.keys("]");
    assert_eq!((driver.model.screens.balance.tick, driver.model.screens.balance.playing), (0, false));
    assert_eq!(driver.model.screens.balance.tasks.as_ref(), Some(&tasks));
}

#[test]
fn a_machine_of_many_nodes_is_a_row_a_node_and_a_refused_one_says_why() {
    let table: Vec<Vec<u32>> =
        (0..40).map(|from| (0..40).map(|to| if from == to { 10 } else { 20 }).collect()).collect();
    let rows: Vec<&[u32]> = table.iter().map(Vec::as_slice).collect();
    let mut driver = Driver::new(machine("forty", 8, &rows), "v6.12", 120, 60);
    driver.keys("f7 p");
    frames(&mut driver, 60);
    let picture = driver.picture();
    assert!(picture.contains("node 39") && picture.contains("8 CPUs"), "{picture}");
    let mut insane = ring4();
    let masks = [vec![0, 1], vec![1, 2]].into_iter().cycle().take(8).map(|cpus| cpus.into_iter().collect());
    let masks = crate::topology::CpuMasks::new(masks);
    insane.levels.set(crate::topology::MaskLevel::Mc, Some(std::sync::Arc::new(masks)));
    let mut driver = Driver::new(insane, "v6.12", 120, 40);
    driver.keys("f7");
    assert!(driver.picture().contains("not built"), "{}", driver.picture());
}

#[test]
fn the_screen_is_drawn_as_it_was() {
    let mut driver = pair("v4.11");
    driver.keys("c").text("4.14").keys("enter");
    frames(&mut driver, 60);
    driver.keys("p");
    insta::assert_snapshot!("balance", driver.picture());
    for (width, height) in [(80, 24), (60, 15), (20, 5)] {
        driver.event(crossterm::event::Event::Resize(width, height));
    }
}
