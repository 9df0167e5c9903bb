//! What is opened, saved, kept and copied.

use super::{Driver, machine, ring4};
use crate::explore::state::model::Tone;
use crate::explore::state::overlay::{Overlay, Question, Waiting};
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::effect::{Effect, Terminal};
use crate::explore::vocabulary::source::Source;
use std::sync::Arc;

fn copied(driver: &mut Driver) -> String {
    match driver.left.pop() {
        Some(Effect::Terminal(Terminal::Copy(text))) => text,
        other => panic!("nothing copied but {other:?}: {:?}", driver.model.notice),
    }
}

#[test]
fn quitting_asks_only_when_edits_would_be_lost() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("+ q");
    assert!(matches!(driver.model.overlay, Overlay::Question(Question::Unsaved(Waiting::Quit))));
    driver.keys("x esc");
    assert!(driver.left.is_empty());
    driver.keys("ctrl-c y");
    assert!(matches!(driver.left[..], [Effect::Quit]));
    let mut driver = Driver::ring4("v4.11");
    driver.keys("ctrl-c");
    assert!(matches!(driver.left[..], [Effect::Quit]));
}

#[test]
fn saving_writes_what_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.toml");
    let mut driver = Driver::ring4("v4.11");
    driver.keys("+ w").keys("ctrl-u").text(path.to_str().unwrap()).keys("enter");
    assert!(!driver.model.doc.is_unsaved(), "{:?}", driver.model.notice);
    assert_eq!(crate::formats::load(&path).unwrap().topology.distances.get(0, 2), 31);
    // Now it has a name: one key saves.
    driver.keys("+ w");
    assert_eq!(crate::formats::load(&path).unwrap().topology.distances.get(0, 2), 32);
    // Quitting may save on the way.
    driver.keys("+ q w");
    assert_eq!(crate::formats::load(&path).unwrap().topology.distances.get(0, 2), 33);
    assert!(matches!(driver.left[..], [Effect::Quit]));
}

#[test]
fn saving_over_another_file_asks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.txt");
    std::fs::write(&path, "precious").unwrap();
    let mut driver = Driver::ring4("v4.11");
    driver.keys("W ctrl-u").text(path.to_str().unwrap()).keys("enter esc");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    driver.keys("W ctrl-u").text(path.to_str().unwrap()).keys("enter y");
    assert!(crate::formats::load(&path).is_ok());
}

#[test]
fn a_file_of_another_format_is_not_overwritten_in_passing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.txt");
    std::fs::write(&path, "10 20\n20 10\n").unwrap();
    let mut driver = Driver::ring4("v4.11");
    driver.act(Action::Loaded(Arc::new(ring4()), Some(path.clone()), Source::File(path.clone())));
    driver.keys("+ w");
    assert!(matches!(driver.model.overlay, Overlay::Question(Question::Replace(_))));
    driver.keys("esc");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "10 20\n20 10\n");
}

#[test]
fn comments_survive_a_save() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.toml");
    std::fs::write(&path, format!("# mine\n{}", crate::formats::toml::write(&ring4()))).unwrap();
    let mut driver = Driver::ring4("v4.11");
    driver.act(Action::Loaded(Arc::new(ring4()), Some(path.clone()), Source::File(path.clone())));
    driver.keys("+ w");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("# mine\n"));
    assert_eq!(crate::formats::load(&path).unwrap().topology.distances.get(0, 2), 31);
}

#[test]
fn presets_open_and_show_what_they_are() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("+ o").text("x4600");
    assert!(driver.picture().contains("32 CPUs, 8 nodes"), "{}", driver.picture());
    driver.keys("enter");
    // The edit would be lost.
    assert!(matches!(driver.model.overlay, Overlay::Question(Question::Unsaved(Waiting::Open(_)))));
    driver.keys("y");
    assert_eq!((driver.model.built.build.nr_cpus, driver.model.doc.topology().nodes.len()), (32, 8));
    assert!(!driver.model.doc.is_unsaved());
}

#[test]
fn a_failed_save_keeps_everything() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("+ q w ctrl-u").text("/nonexistent/ring.toml").keys("enter");
    assert!(driver.left.is_empty());
    assert!(driver.model.doc.is_unsaved());
    assert_eq!(driver.model.notice.as_ref().map(|notice| notice.tone), Some(Tone::Trouble));
    // What was waiting for the save does not wait any longer.
    assert!(driver.model.after_save.is_none());
}

#[test]
fn names_from_files_can_not_drive_the_terminal() {
    let topology = crate::topology::Topology { name: "evil\u{1b}[2Jname".into(), ..ring4() };
    let driver = Driver::new(topology, "v4.11", 120, 40);
    assert!(driver.picture().contains("evil^[[2Jname"));
}

#[test]
fn a_file_changed_on_disk_is_read_again_but_not_over_edits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.toml");
    let mut other = ring4();
    other.distances.set(0, 1, 25);
    std::fs::write(&path, crate::formats::toml::write(&other)).unwrap();
    let mut driver = Driver::ring4("v4.11");
    driver.keys("l");
    let before = driver.model.selection;
    driver.act(Action::Changed(path.clone()));
    assert_eq!((driver.distance(0, 1), driver.model.doc.is_unsaved()), (25, false));
    assert_eq!(driver.model.selection.to, before.to);
    // Undoing points at what it undid; that is edited then.
    driver.keys("u +");
    assert_eq!(driver.distance(0, 1), 21);
    driver.act(Action::Changed(path.clone()));
    assert!(matches!(driver.model.overlay, Overlay::Question(Question::Reload(_))));
    driver.keys("esc");
    assert_eq!(driver.distance(0, 1), 21);
    driver.act(Action::Changed(path));
    driver.keys("y");
    assert_eq!(driver.distance(0, 1), 25);
    // Even then nothing is lost.
    driver.keys("u");
    assert_eq!(driver.distance(0, 1), 21);
}

#[test]
fn machines_are_made_by_rule() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("o").text("mesh:3x3 4");
    assert!(driver.picture().contains("36 CPUs, 9 nodes"), "{}", driver.picture());
    driver.keys("enter");
    assert_eq!((driver.model.built.build.nr_cpus, driver.distance(0, 8)), (36, 50));
    driver.keys("o").text("hypercube:6");
    assert!(driver.picture().contains("power of two"), "{}", driver.picture());
    driver.keys("esc o").text("ring:2000 9000").keys("enter");
    assert_eq!(driver.model.doc.topology().nodes.len(), 9);
}

#[test]
fn copying_takes_what_is_chosen() {
    let mut driver = Driver::ring4("v4.11");
    driver.keys("y");
    assert!(driver.picture().contains("c value"), "{}", driver.picture());
    driver.keys("c");
    assert_eq!(copied(&mut driver), "30");
    driver.keys("y x");
    assert!(driver.left.is_empty() && matches!(driver.model.overlay, Overlay::None));
    driver.keys("y p");
    assert_eq!(crate::formats::table::Table::parse(&copied(&mut driver)).unwrap().rows().len(), 4);
    driver.keys("alt-3 y c");
    assert_eq!(copied(&mut driver), "0-7");
    driver.keys("y p");
    let text = copied(&mut driver);
    assert!(text.contains("NUMA-1 0-3,6-7") && !text.contains('│'), "{text}");
    driver.keys("y d");
    assert!(copied(&mut driver).contains("attaching sched-domain"));
}

#[test]
fn the_copied_command_shows_the_same_machine() {
    let mut driver = Driver::ring4("v4.11");
    driver.model.source = Some(Source::Preset("ring4".into()));
    driver.keys("y s");
    assert_eq!(copied(&mut driver), "schedtopo show ring4 --kernel v4.11 --cpu 0 --level NUMA-2\n");
    driver.model.source = Some(Source::File("it's here.toml".into()));
    driver.keys("y s");
    assert!(copied(&mut driver).starts_with("schedtopo show 'it'\\''s here.toml' "));
    driver.keys("+ y s");
    let text = copied(&mut driver);
    let body = text.split_once("<<'END'\n").unwrap().1.strip_suffix("END\n").unwrap();
    assert_eq!(crate::formats::parse(body).unwrap().topology.distances.get(0, 2), 31);
}

#[test]
fn what_no_terminal_takes_is_not_copied() {
    let table: [&[u32]; 2] = [&[10, 20], &[20, 10]];
    let mut driver = Driver::new(machine("large", 1024, &table), "v6.12", 120, 40);
    driver.keys("y d");
    assert!(driver.left.is_empty());
    assert!(driver.model.notice.as_ref().unwrap().text.contains("too large"));
}

#[test]
fn a_path_that_is_typed_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far away.txt");
    std::fs::write(&path, "10 20\n20 10\n").unwrap();
    let mut driver = Driver::ring4("v6.12");
    driver.keys("o").paste(&path.display().to_string());
    assert!(driver.picture().contains("2 nodes"), "{}", driver.picture());
    driver.keys("enter");
    assert_eq!((driver.model.doc.topology().nodes.len(), &driver.model.source), (2, &Some(Source::File(path.clone()))));
    driver.keys("u f3 c").paste(&path.display().to_string()).keys("enter");
    let compared = driver.model.screens.compare.compared.clone().unwrap();
    assert!(compared.comparison.is_equal());
}

#[test]
fn a_name_ending_in_another_format_writes_that_and_says_what_it_has_no_place_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.sh");
    let mut driver = Driver::ring4("v4.11");
    driver.keys("+ W ctrl-u").text(path.to_str().unwrap()).keys("enter");
    assert_eq!(crate::formats::load(&path).unwrap().format, crate::formats::Format::Qemu);
    assert!(driver.model.doc.is_unsaved(), "a command line is no place to save to");
    let path = folder.path().join("ring.aml");
    driver.keys("W ctrl-u").text(path.to_str().unwrap()).keys("enter");
    assert_eq!(crate::formats::load(&path).unwrap().topology.distances.get(0, 2), 31);
    // Leaving is not done by the way.
    driver.keys("q w ctrl-u").text(folder.path().join("ring.json").to_str().unwrap()).keys("enter");
    assert!(driver.left.is_empty());
}

#[test]
fn a_machine_in_the_middle_of_a_mail_is_pasted() {
    let mut driver = Driver::ring4("v4.11");
    driver.paste(
        "Hi,\n> available: 2 nodes (0-1)\n> node 0 cpus: 0 1\n> node 1 cpus: 2 3\n> node distances:\n> node 0 1\n> 0: 10 21\n\
         > 1: 21 10\nany idea?",
    );
    let topology = driver.model.doc.topology();
    assert_eq!((topology.nodes.len(), topology.nr_cpus, topology.distances.get(0, 1)), (2, 4, 21));
    let notice = driver.model.notice.clone().expect("it says what it took");
    assert!(notice.text.contains("pasted from numactl -H"), "{notice:?}");
    driver.keys("u");
    assert_eq!(driver.model.doc.topology().nodes.len(), 4);
    driver.paste("NUMA node0 CPU(s): 0-3\nNUMA node1 CPU(s): 4-7\n");
    assert!(driver.model.notice.clone().unwrap().text.contains("20 between nodes assumed"));
}
