//! Repairs offered in the explorer.

use super::{Driver, machine};
use crate::analysis::repair::Repair;
use crate::explore::state::model::Tone;
use crate::explore::state::overlay::Overlay;
use crate::explore::update::update;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::effect::{Effect, Job};
use std::sync::Arc;

fn ring() -> Driver {
    let table: &[&[u32]] = &[&[10, 20, 30, 20], &[20, 10, 20, 30], &[30, 20, 10, 20], &[20, 30, 20, 10]];
    Driver::new(machine("ring4", 1, table), "v4.11", 80, 24)
}

fn offered(driver: &Driver) -> Option<&Repair> {
    match &driver.model.overlay {
        Overlay::Repair(offer) => offer.repair.as_ref(),
        _ => None,
    }
}

#[test]
fn a_repair_is_offered_with_what_becomes_of_the_findings() {
    let mut driver = ring();
    driver.keys("alt-6 r");
    insta::assert_snapshot!(driver.picture());
    assert_eq!(driver.distance(1, 3), 30, "nothing changes before it is accepted");
}

#[test]
fn accepting_is_one_edit_and_refusing_is_none() {
    let mut driver = ring();
    driver.keys("alt-6 r esc");
    assert!(matches!(driver.model.overlay, Overlay::None));
    assert!(!driver.model.doc.is_unsaved());
    driver.keys("r enter");
    assert_eq!((driver.distance(1, 3), driver.distance(3, 1)), (20, 20));
    let ids: Vec<_> = driver.model.built.findings().unwrap().iter().map(|finding| finding.id).collect();
    assert!(!ids.contains(&"no-direct-path"), "{ids:?}");
    driver.keys("u");
    assert_eq!((driver.distance(1, 3), driver.distance(3, 1)), (30, 30));
    assert!(!driver.model.doc.is_unsaved());
}

#[test]
fn what_no_distance_mends_is_said() {
    let mut driver = ring();
    driver.model.release = crate::kernel::Release::parse("v6.12").unwrap();
    driver.keys("K").text("6.12").keys("enter alt-6 r");
    let notice = driver.model.notice.clone().unwrap();
    assert_eq!(notice.tone, Tone::Trouble);
    assert!(matches!(driver.model.overlay, Overlay::None), "{}", notice.text);
}

#[test]
fn a_search_is_seen_stopped_and_then_forgotten() {
    let mut driver = ring();
    // As in the loop, where the search runs elsewhere.
    let effects = update(&mut driver.model, Action::Do(Command::Repair));
    let [Effect::Job(Job::Repair(order))] = effects.as_slice() else { panic!("{effects:?}") };
    driver.draw();
    assert!(driver.picture().contains("looking for the smallest change"), "{}", driver.picture());
    assert!(driver.model.pulse().is_some(), "the count is drawn anew");
    driver.keys("esc");
    assert_eq!(driver.model.pulse(), None);
    assert!(order.search().cells.is_empty(), "a stopped search finds nothing");
    driver.keys("alt-6 r");
    driver.act(Action::Repaired(Arc::clone(&order.progress), Ok(Repair::default())));
    assert!(offered(&driver).is_some(), "an old search says nothing about a new one");
}

#[test]
fn many_cells_scroll_and_fit_the_smallest_screen() {
    let topology = crate::presets::find("gnr-snc3").unwrap().topology().unwrap();
    let mut driver = Driver::new(topology, "v6.12", 60, 15);
    let findings = driver.model.built.examine();
    let at = findings.iter().position(|finding| finding.id == "level-mixes-packages").unwrap();
    driver.keys("alt-6");
    driver.model.selection.finding = at;
    driver.keys("r");
    assert_eq!(offered(&driver).unwrap().cells.len(), 18);
    assert!(driver.picture().contains("below") && driver.picture().contains("enter makes it"), "{}", driver.picture());
    driver.keys("pgdn pgdn pgdn");
    assert!(driver.picture().contains("from node 5 to 2: 21"), "{}", driver.picture());
    driver.keys("y");
    assert_eq!(driver.distance(5, 2), 24);
}
