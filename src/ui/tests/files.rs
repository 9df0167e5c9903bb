//! What is opened, saved, kept and copied.

use super::{Desk, machine, ring4};
use crate::ui::action::{Action, Effect};
use crate::ui::model::{Overlay, Question, Tone, Waiting};
use crate::ui::picker::Source;
use std::sync::Arc;

fn copied(desk: &mut Desk) -> String {
    match desk.left.pop() {
        Some(Effect::Copy(text)) => text,
        other => panic!("nothing copied but {other:?}: {:?}", desk.model.notice),
    }
}

#[test]
fn quitting_asks_only_when_edits_would_be_lost() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("+ q");
    assert!(matches!(desk.model.overlay, Overlay::Question(Question::Unsaved(Waiting::Quit))));
    desk.keys("x esc");
    assert!(desk.left.is_empty());
    desk.keys("ctrl-c y");
    assert!(matches!(desk.left[..], [Effect::Quit]));
    let mut desk = Desk::ring4("v4.11");
    desk.keys("ctrl-c");
    assert!(matches!(desk.left[..], [Effect::Quit]));
}

#[test]
fn saving_writes_what_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.toml");
    let mut desk = Desk::ring4("v4.11");
    desk.keys("+ w").keys("ctrl-u").text(path.to_str().unwrap()).keys("enter");
    assert!(!desk.model.doc.is_unsaved(), "{:?}", desk.model.notice);
    assert_eq!(crate::formats::load(&path).unwrap().0.distances.get(0, 2), 31);
    // Now it has a name: one key saves.
    desk.keys("+ w");
    assert_eq!(crate::formats::load(&path).unwrap().0.distances.get(0, 2), 32);
    // Quitting may save on the way.
    desk.keys("+ q w");
    assert_eq!(crate::formats::load(&path).unwrap().0.distances.get(0, 2), 33);
    assert!(matches!(desk.left[..], [Effect::Quit]));
}

#[test]
fn saving_over_another_file_asks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.txt");
    std::fs::write(&path, "precious").unwrap();
    let mut desk = Desk::ring4("v4.11");
    desk.keys("W ctrl-u").text(path.to_str().unwrap()).keys("enter esc");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    desk.keys("W ctrl-u").text(path.to_str().unwrap()).keys("enter y");
    assert!(crate::formats::load(&path).is_ok());
}

#[test]
fn a_file_of_another_format_is_not_overwritten_in_passing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.txt");
    std::fs::write(&path, "10 20\n20 10\n").unwrap();
    let mut desk = Desk::ring4("v4.11");
    desk.act(Action::Loaded(Arc::new(ring4()), Some(path.clone()), Source::File(path.clone())));
    desk.keys("+ w");
    assert!(matches!(desk.model.overlay, Overlay::Question(Question::Replace(_))));
    desk.keys("esc");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "10 20\n20 10\n");
}

#[test]
fn comments_survive_a_save() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.toml");
    std::fs::write(&path, format!("# mine\n{}", crate::formats::toml::write(&ring4()))).unwrap();
    let mut desk = Desk::ring4("v4.11");
    desk.act(Action::Loaded(Arc::new(ring4()), Some(path.clone()), Source::File(path.clone())));
    desk.keys("+ w");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("# mine\n"));
    assert_eq!(crate::formats::load(&path).unwrap().0.distances.get(0, 2), 31);
}

#[test]
fn presets_open_and_show_what_they_are() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("+ o").text("x4600");
    assert!(desk.picture().contains("32 CPUs, 8 nodes"), "{}", desk.picture());
    desk.keys("enter");
    // The edit would be lost.
    assert!(matches!(desk.model.overlay, Overlay::Question(Question::Unsaved(Waiting::Open(_)))));
    desk.keys("y");
    assert_eq!((desk.model.built.build.nr_cpus, desk.model.doc.topology().nodes.len()), (32, 8));
    assert!(!desk.model.doc.is_unsaved());
}

#[test]
fn a_failed_save_keeps_everything() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("+ q w ctrl-u").text("/nonexistent/ring.toml").keys("enter");
    assert!(desk.left.is_empty());
    assert!(desk.model.doc.is_unsaved());
    assert_eq!(desk.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    // What was waiting for the save does not wait any longer.
    assert!(desk.model.after_save.is_none());
}

#[test]
fn names_from_files_can_not_drive_the_terminal() {
    let topology = crate::topology::Topology { name: "evil\u{1b}[2Jname".into(), ..ring4() };
    let desk = Desk::new(topology, "v4.11", 120, 40);
    assert!(desk.picture().contains("evil^[[2Jname"));
}

#[test]
fn a_file_changed_on_disk_is_read_again_but_not_over_edits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.toml");
    let mut other = ring4();
    other.distances.set(0, 1, 25);
    std::fs::write(&path, crate::formats::toml::write(&other)).unwrap();
    let mut desk = Desk::ring4("v4.11");
    desk.keys("l");
    let before = desk.model.selection;
    desk.act(Action::Changed(path.clone()));
    assert_eq!((desk.distance(0, 1), desk.model.doc.is_unsaved()), (25, false));
    assert_eq!(desk.model.selection.to, before.to);
    // Undoing points at what it undid; that is edited then.
    desk.keys("u +");
    assert_eq!(desk.distance(0, 1), 21);
    desk.act(Action::Changed(path.clone()));
    assert!(matches!(desk.model.overlay, Overlay::Question(Question::Reload(_))));
    desk.keys("esc");
    assert_eq!(desk.distance(0, 1), 21);
    desk.act(Action::Changed(path));
    desk.keys("y");
    assert_eq!(desk.distance(0, 1), 25);
    // Even then nothing is lost.
    desk.keys("u");
    assert_eq!(desk.distance(0, 1), 21);
}

#[test]
fn machines_are_made_by_rule() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("o").text("mesh:3x3 4");
    assert!(desk.picture().contains("36 CPUs, 9 nodes"), "{}", desk.picture());
    desk.keys("enter");
    assert_eq!((desk.model.built.build.nr_cpus, desk.distance(0, 8)), (36, 50));
    desk.keys("o").text("hypercube:6");
    assert!(desk.picture().contains("power of two"), "{}", desk.picture());
    desk.keys("esc o").text("ring:2000 9000").keys("enter");
    assert_eq!(desk.model.doc.topology().nodes.len(), 9);
}

#[test]
fn copying_takes_what_is_chosen() {
    let mut desk = Desk::ring4("v4.11");
    desk.keys("y");
    assert!(desk.picture().contains("c value"), "{}", desk.picture());
    desk.keys("c");
    assert_eq!(copied(&mut desk), "30");
    desk.keys("y x");
    assert!(desk.left.is_empty() && matches!(desk.model.overlay, Overlay::None));
    desk.keys("y p");
    assert_eq!(crate::formats::table::Table::parse(&copied(&mut desk)).unwrap().rows().len(), 4);
    desk.keys("alt-3 y c");
    assert_eq!(copied(&mut desk), "0-7");
    desk.keys("y p");
    let text = copied(&mut desk);
    assert!(text.contains("NUMA-1 0-3,6-7") && !text.contains('│'), "{text}");
    desk.keys("y d");
    assert!(copied(&mut desk).contains("attaching sched-domain"));
}

#[test]
fn the_copied_command_shows_the_same_machine() {
    let mut desk = Desk::ring4("v4.11");
    desk.model.source = Some(Source::Preset("ring4".into()));
    desk.keys("y s");
    assert_eq!(copied(&mut desk), "schedtopo show ring4 --kernel v4.11 --cpu 0 --level NUMA-2\n");
    desk.model.source = Some(Source::File("it's here.toml".into()));
    desk.keys("y s");
    assert!(copied(&mut desk).starts_with("schedtopo show 'it'\\''s here.toml' "));
    desk.keys("+ y s");
    let text = copied(&mut desk);
    let body = text.split_once("<<'END'\n").unwrap().1.strip_suffix("END\n").unwrap();
    assert_eq!(crate::formats::parse(body).unwrap().0.distances.get(0, 2), 31);
}

#[test]
fn what_no_terminal_takes_is_not_copied() {
    let table: [&[u32]; 2] = [&[10, 20], &[20, 10]];
    let mut desk = Desk::new(machine("large", 1024, &table), "v6.12", 120, 40);
    desk.keys("y d");
    assert!(desk.left.is_empty());
    assert!(desk.model.notice.as_ref().unwrap().text.contains("too large"));
}

#[test]
fn a_path_that_is_typed_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far away.txt");
    std::fs::write(&path, "10 20\n20 10\n").unwrap();
    let mut desk = Desk::ring4("v6.12");
    desk.keys("o").paste(&path.display().to_string());
    assert!(desk.picture().contains("2 nodes"), "{}", desk.picture());
    desk.keys("enter");
    assert_eq!((desk.model.doc.topology().nodes.len(), &desk.model.source), (2, &Some(Source::File(path.clone()))));
    desk.keys("u f3 c").paste(&path.display().to_string()).keys("enter");
    let compared = desk.model.screens.compare.compared.clone().unwrap();
    assert!(compared.comparison.is_equal());
}
