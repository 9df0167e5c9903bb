//! Repairs offered in the explorer.

use super::{Desk, machine};
use crate::analysis::repair::Repair;
use crate::ui::action::{Action, Command, Effect};
use crate::ui::model::{Overlay, Tone};
use crate::ui::update;
use std::sync::Arc;

fn ring() -> Desk {
    let table: &[&[u32]] = &[&[10, 20, 30, 20], &[20, 10, 20, 30], &[30, 20, 10, 20], &[20, 30, 20, 10]];
    Desk::new(machine("ring4", 1, table), "v4.11", 80, 24)
}

fn offered(desk: &Desk) -> Option<&Repair> {
    match &desk.model.overlay {
        Overlay::Repair(offer) => offer.repair.as_ref(),
        _ => None,
    }
}

#[test]
fn a_repair_is_offered_with_what_becomes_of_the_findings() {
    let mut desk = ring();
    desk.keys("alt-6 r");
    insta::assert_snapshot!(desk.picture());
    assert_eq!(desk.distance(1, 3), 30, "nothing changes before it is accepted");
}

#[test]
fn accepting_is_one_edit_and_refusing_is_none() {
    let mut desk = ring();
    desk.keys("alt-6 r esc");
    assert!(matches!(desk.model.overlay, Overlay::None));
    assert!(!desk.model.doc.is_unsaved());
    desk.keys("r enter");
    assert_eq!((desk.distance(1, 3), desk.distance(3, 1)), (20, 20));
    let ids: Vec<_> = desk.model.built.findings().unwrap().iter().map(|finding| finding.id).collect();
    assert!(!ids.contains(&"no-direct-path"), "{ids:?}");
    desk.keys("u");
    assert_eq!((desk.distance(1, 3), desk.distance(3, 1)), (30, 30));
    assert!(!desk.model.doc.is_unsaved());
}

#[test]
fn what_no_distance_mends_is_said() {
    let mut desk = ring();
    desk.model.release = crate::kernel::Release::parse("v6.12").unwrap();
    desk.keys("K").text("6.12").keys("enter alt-6 r");
    let notice = desk.model.notice.clone().unwrap();
    assert_eq!(notice.tone, Tone::Trouble);
    assert!(matches!(desk.model.overlay, Overlay::None), "{}", notice.text);
}

#[test]
fn a_search_is_seen_stopped_and_then_forgotten() {
    let mut desk = ring();
    // As in the loop, where the search runs elsewhere.
    let effects = update::update(&mut desk.model, Action::Do(Command::Repair));
    let [Effect::Repair(order)] = effects.as_slice() else { panic!("{effects:?}") };
    desk.draw();
    assert!(desk.picture().contains("looking for the smallest change"), "{}", desk.picture());
    assert!(desk.model.pulse().is_some(), "the count is drawn anew");
    desk.keys("esc");
    assert_eq!(desk.model.pulse(), None);
    assert!(order.search().cells.is_empty(), "a stopped search finds nothing");
    desk.keys("alt-6 r");
    desk.act(Action::Repaired(Arc::clone(&order.progress), Ok(Repair::default())));
    assert!(offered(&desk).is_some(), "an old search says nothing about a new one");
}

#[test]
fn many_cells_scroll_and_fit_the_smallest_screen() {
    let topology = crate::presets::find("gnr-snc3").unwrap().topology().unwrap();
    let mut desk = Desk::new(topology, "v6.12", 60, 15);
    let findings = desk.model.built.examine();
    let at = findings.iter().position(|finding| finding.id == "level-mixes-packages").unwrap();
    desk.keys("alt-6");
    desk.model.selection.finding = at;
    desk.keys("r");
    assert_eq!(offered(&desk).unwrap().cells.len(), 18);
    assert!(desk.picture().contains("below") && desk.picture().contains("enter makes it"), "{}", desk.picture());
    desk.keys("pgdn pgdn pgdn");
    assert!(desk.picture().contains("from node 5 to 2: 21"), "{}", desk.picture());
    desk.keys("y");
    assert_eq!(desk.distance(5, 2), 24);
}
