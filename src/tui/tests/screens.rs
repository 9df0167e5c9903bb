//! The screens beside Explore, and the lesson.

use super::{Driver, machine, ring4};
use crate::cpumask::CpuMask;
use crate::explore::derived::trace_view::Subject;
use crate::explore::state::compare::Against;
use crate::explore::state::lesson::steps;
use crate::explore::state::model::Tone;
use crate::explore::state::overlay::Overlay;
use crate::explore::state::picker::PickerKind;
use crate::explore::update::update;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::appearance::{Charset, Palette};
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::effect::{Effect, Job, Session};
use crate::explore::vocabulary::pane::{Pane, Screen};
use crate::explore::vocabulary::source::Source;
use crate::topology::{Distances, Topology};

fn on(screen: &str, release: &str, width: u16, height: u16) -> Driver {
    let mut driver = Driver::new(ring4(), release, width, height);
    driver.keys(screen);
    driver
}

#[test]
fn construct() {
    insta::assert_snapshot!(on("alt-1 j l l f2 l l l", "v4.11", 120, 40).painting());
}

#[test]
fn construct_at_80x24() {
    insta::assert_snapshot!(on("f2 n n", "v4.13", 80, 24).picture());
}

#[test]
fn compare() {
    insta::assert_snapshot!(on("f3 c", "v4.11", 120, 40).keys("4 . 1 3 enter j").painting());
}

#[test]
fn reach() {
    insta::assert_snapshot!(on("alt-1 j l l f4", "v4.11", 120, 40).painting());
}

#[test]
fn reach_at_60x15() {
    insta::assert_snapshot!(on("f4", "v4.11", 60, 15).picture());
}

#[test]
fn dmesg() {
    let table: &[&[u32]] = &[&[10, 20, 30, 40], &[20, 10, 20, 30], &[30, 20, 10, 20], &[40, 30, 20, 10]];
    let mut driver = Driver::new(machine("line4x2", 2, table), "v5.10", 120, 40);
    driver.keys("f5 / E R R O R enter");
    insta::assert_snapshot!(driver.painting());
}

#[test]
fn the_lesson_asks() {
    let mut driver = on("f6 .", "v4.11", 80, 24);
    driver.keys("b");
    insta::assert_snapshot!(driver.picture());
}

#[test]
fn screens_share_the_selection() {
    let mut driver = on("f4", "v4.11", 120, 40);
    driver.keys("j l");
    assert_eq!((driver.model.selection.from, driver.model.selection.to), (1, 3));
    driver.keys("tab");
    assert_eq!((driver.model.screens.now, driver.model.focus), (Screen::Explore, Pane::Groups));
    assert_eq!((driver.model.selection.cpu, driver.model.level_label(driver.model.selection.level)), (2, "NUMA-2"));
    driver.keys("f5");
    assert!(driver.picture().contains("CPU2 attaching"));
    driver.keys("G k k");
    assert_eq!(driver.model.selection.cpu, 7);
    driver.keys("f2");
    assert!(driver.picture().contains("CPU 7"), "{}", driver.picture());
    driver.keys("3");
    assert_eq!((driver.model.screens.now, driver.model.focus), (Screen::Explore, Pane::Domains));
}

#[test]
fn another_release_keeps_the_step_and_another_cpu_does_not() {
    let mut driver = on("f2 l l l l", "v4.13", 120, 40);
    assert_eq!(driver.model.screens.construct.at, 4);
    driver.keys("]");
    assert_eq!(driver.model.screens.construct.at, 4);
    driver.keys("}");
    assert_eq!(driver.model.screens.construct.at, 0);
}

#[test]
fn a_step_is_the_same_under_the_other_rule() {
    let mut driver = on("f1 alt-2 j j f2 n n", "v4.11", 120, 40);
    let step = |driver: &Driver| {
        let construct = &driver.model.screens.construct;
        construct.trace.as_ref().unwrap().text(&driver.model.built.build, construct.at)
    };
    assert_eq!(step(&driver), "group 1 at CPU 4: {2-7}, the child of its domain at NUMA-2");
    driver.keys("K").text("4.13").keys("enter");
    assert_eq!(step(&driver), "group 1 at CPU 6: {0-1,4-7}, the child of its domain at NUMA-2");
    driver.keys("t t t");
    driver.keys("j j K").text("6.12").keys("enter");
    assert_eq!(step(&driver), "NUMA-1 stays: it spans more than PKG");
}

#[test]
fn levels_span_check_and_what_stays_are_stepped_through_too() {
    let mut pictures = String::new();
    for (preset, release, keys) in
        [("line4", "v5.12", "f2 t j j"), ("odd5", "v6.16", "f2 t t n"), ("bull8", "v6.12", "f2 backtab j")]
    {
        let topology = crate::presets::find(preset).unwrap().topology().unwrap();
        let mut driver = Driver::new(topology, release, 90, 24);
        driver.keys(keys);
        pictures.push_str(&driver.picture());
    }
    insta::assert_snapshot!(pictures);
    let mut driver = on("f2 t t", "v4.11", 60, 15);
    assert!(driver.picture().contains("does not exist yet"), "{}", driver.picture());
    driver.keys("t t");
    assert_eq!(driver.model.screens.construct.subject, Subject::Groups);
}

#[test]
fn playing_goes_faster_and_slower() {
    let mut driver = on("f2 p", "v4.11", 120, 40);
    let plain = driver.model.pulse().unwrap();
    driver.keys("+");
    assert!(driver.model.pulse().unwrap() < plain);
    driver.keys("- -");
    assert!(driver.model.pulse().unwrap() > plain);
    assert!(driver.picture().contains("playing at 1.5 s a step"), "{}", driver.picture());
}

#[test]
fn playing_ends_at_the_end() {
    let mut driver = on("f2 p", "v4.11", 120, 40);
    let steps = driver.model.screens.construct.len();
    for _ in 0..steps + 2 {
        driver.act(Action::Tick);
    }
    assert_eq!(driver.model.screens.construct.at, steps - 1);
    assert_eq!(driver.model.pulse(), None);
}

#[test]
fn the_other_release_is_chosen_from_a_list() {
    let mut driver = on("f3 c", "v4.13", 120, 40);
    assert!(matches!(&driver.model.overlay, Overlay::Picker(list) if list.kind == PickerKind::Other));
    driver.text("4.11").keys("enter");
    let compared = driver.model.screens.compare.compared.clone().unwrap();
    assert_eq!((compared.left.as_str(), compared.right.as_str()), ("v4.11", "v4.13"));
    assert!(driver.model.screens.compare.rows() > 0);
    driver.keys("[ [ [");
    let compared = driver.model.screens.compare.compared.clone().unwrap();
    assert_eq!(compared.request.against, Against::Release("v4.11".into()));
}

#[test]
fn edits_are_compared_with_what_was_there_before() {
    let mut driver = on("f3 e", "v4.13", 100, 30);
    assert!(driver.picture().contains("no edit so far changes what is built"), "{}", driver.picture());
    driver.keys("f1 alt-1 2 0 enter f3");
    let compared = driver.model.screens.compare.compared.clone().unwrap();
    assert_eq!((compared.left.as_str(), compared.right.as_str()), ("before", "now"));
    assert!(!compared.comparison.is_equal());
    insta::assert_snapshot!(driver.picture());
    driver.keys("u");
    assert!(driver.model.screens.compare.compared.as_ref().unwrap().comparison.is_equal());
}

#[test]
fn another_machine_is_compared_with() {
    let mut driver = on("f3 c", "v6.12", 100, 30);
    driver.text("preset ring4").keys("esc c").text("line4").keys("enter");
    let compared = driver.model.screens.compare.compared.clone().unwrap();
    assert_eq!((compared.left.as_str(), compared.right.as_str()), ("ring4x2", "line4"));
    assert!(!compared.comparison.is_equal());
    let effects = {
        driver.model.screens.compare.other = Some(Against::Machine(Source::File("no/such/file".into())));
        update(&mut driver.model, Action::LetGo)
    };
    let [Effect::Job(Job::Compare(order))] = effects.as_slice() else { panic!("{effects:?}") };
    driver.draw();
    assert!(driver.picture().contains("comparing with no/such/file"), "{}", driver.picture());
    driver.act(Action::Compared(
        order.clone(),
        order.compare(|_| Err("no/such/file: there is no such file".to_owned())).map(std::sync::Arc::new),
    ));
    driver.draw();
    assert!(driver.picture().contains("not compared: no/such/file"), "{}", driver.picture());
}

#[test]
fn a_comparison_says_that_a_newer_one_is_on_its_way() {
    let mut driver = on("f3", "v4.11", 100, 30);
    assert!(!driver.picture().contains("comparing"));
    let effects = update(&mut driver.model, Action::Do(Command::NextRelease));
    for effect in effects {
        let Some(built) = driver.perform(effect) else { continue };
        let wanted = update(&mut driver.model, built);
        assert!(wanted.iter().any(|effect| matches!(effect, Effect::Job(Job::Compare(_)))), "{wanted:?}");
    }
    driver.draw();
    assert!(driver.picture().contains("comparing"), "{}", driver.picture());
}

#[test]
fn the_lesson_goes_through_every_step() {
    let mut driver = on("f6", "v6.12", 100, 36);
    for (at, step) in steps().iter().enumerate() {
        assert_eq!((driver.model.screens.lesson.at, driver.model.screens.lesson.open), (at, true));
        assert_eq!(driver.model.doc.topology().name, step.preset, "{}", step.id);
        assert_eq!(driver.model.built.build.release.name, step.kernel, "{}", step.id);
        assert_eq!((driver.model.screens.now, driver.model.selection.cpu), (step.screen, step.cpu), "{}", step.id);
        assert_eq!(driver.model.level_label(driver.model.selection.level), step.level, "{}", step.id);
        assert_eq!((driver.model.selection.from, driver.model.selection.to), step.pair.unwrap(), "{}", step.id);
        assert!(driver.picture().contains(&step.title), "{}", driver.picture());
        if step.question.is_some() {
            driver.keys("space");
            assert!(!driver.model.screens.lesson.asks());
        }
        driver.keys("space");
    }
    assert!(!driver.model.screens.lesson.open);
}

#[test]
fn a_step_too_long_for_the_screen_is_read_to_its_end() {
    let mut driver = on("f6 .", "v4.11", 60, 15);
    while driver.model.screens.lesson.at < 1 {
        driver.keys(".");
    }
    assert!(driver.picture().contains("lines more"), "{}", driver.picture());
    let step = &steps()[1];
    let mut read = String::new();
    for _ in 0..6 {
        read.push_str(&driver.picture());
        if driver.model.screens.lesson.asks() && !driver.picture().contains("more") {
            break;
        }
        driver.keys("space");
    }
    let last = step.question.as_ref().unwrap().choices.last().unwrap();
    assert!(read.contains(step.text.split_whitespace().next().unwrap()) && read.contains(last.as_str()), "{read}");
    driver.keys("c");
    assert!(driver.picture().contains("one level higher"), "the reason is in sight: {}", driver.picture());
    driver.keys(",");
    assert_eq!(driver.model.screens.lesson.at, 1, "back is up first");
    driver.keys(", ,");
    assert_eq!(driver.model.screens.lesson.at, 0);
}

#[test]
fn the_screen_does_not_give_the_answer_away() {
    let mut driver = on("f6", "v4.11", 120, 40);
    let mut seen = 0;
    while driver.model.screens.lesson.open {
        let step = driver.model.screens.lesson.step().unwrap();
        if driver.model.screens.lesson.asks() {
            let before = driver.picture();
            let hidden = match step.id.as_str() {
                "domain" => Some("0,2-3 "),
                "first-cpu" => Some("group 0 at CPU 0"),
                "hole" => Some("N2!"),
                "mask" => Some("mask 1"),
                _ => None,
            };
            driver.keys("space");
            if let Some(hidden) = hidden {
                let told = |picture: &str| picture.lines().filter(|line| line.contains(hidden)).count();
                assert!(told(&before) < told(&driver.picture()), "{}: {before}", step.id);
                seen += 1;
            }
        }
        driver.keys("space");
    }
    assert_eq!(seen, 4);
}

#[test]
fn every_step_of_the_lesson_shows_something_of_its_screen_at_60x15() {
    let mut driver = on("f6", "v4.11", 60, 15);
    let mut screens = String::new();
    for _ in 0..100 {
        let lesson = &driver.model.screens.lesson;
        if !lesson.open {
            break;
        }
        let needle = match lesson.step().unwrap().id.as_str() {
            "first-cpu" => "start at CPU 0",
            "hole" => "Reach",
            "line" => "CPU0 attaching",
            "compare" => "NUMA-2",
            _ => "",
        };
        assert!(driver.picture().contains(needle), "{needle}: {}", driver.picture());
        if lesson.at == 3 && screens.is_empty() {
            screens = driver.picture();
        }
        driver.keys("space");
    }
    assert!(!driver.model.screens.lesson.open);
    insta::assert_snapshot!(screens);
}

#[test]
fn the_lesson_is_taken_up_where_it_was_left_the_last_time() {
    let mut driver = on("f1", "v4.11", 100, 36);
    driver.model.screens.lesson.resume(&steps()[5].id);
    let effects = update(&mut driver.model, Action::Do(Command::Lesson));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Session(Session::Remember(memory)) if memory.lesson.as_ref() == Some(&steps()[5].id))),
        "{effects:?}"
    );
    driver.draw();
    assert!(driver.picture().contains(&steps()[5].title), "{}", driver.picture());
}

#[test]
fn the_lesson_waits_where_it_was_left_and_asks_before_edits_are_lost() {
    let mut driver = on("f6 . esc", "v4.11", 100, 36);
    assert!(!driver.model.screens.lesson.open);
    driver.keys("alt-1 + f6");
    assert!(matches!(driver.model.overlay, Overlay::Question(_)));
    driver.keys("y");
    assert_eq!((driver.model.screens.lesson.at, driver.model.screens.lesson.open), (1, true));
    assert!(!driver.model.doc.is_unsaved());
    assert_eq!(driver.model.focus, Pane::Domains);
    driver.keys("c");
    assert_eq!(driver.model.screens.lesson.answer(), Some(2));
}

#[test]
fn screens_work_at_any_size_and_without_colours() {
    for (width, height) in [(60, 15), (80, 24), (200, 60)] {
        let mut driver = on("f1", "v4.11", width, height);
        (driver.model.options.palette, driver.model.options.charset) = (Palette::Mono, Charset::Ascii);
        for keys in ["f2 n n", "f3 j j", "f4 j l", "f5 G", "f1 f6", ". b", "."] {
            driver.keys(keys);
            assert!(driver.picture().is_ascii(), "{keys}: {}", driver.picture());
        }
    }
}

#[test]
fn all_of_a_long_log_is_searched_a_bite_at_a_time() {
    let cpus = (0..32).map(|node| CpuMask::range(node * 256, node * 256 + 255)).collect();
    let table = Distances::from_fn(32, |i, j| if i == j { 10 } else { 20 + 10 * (i.abs_diff(j) as u32 % 3) });
    let mut driver = Driver::new(Topology::new("many", cpus, table), "v6.12", 100, 30);
    driver.keys("f5 g /").text("cpu8000 attaching").keys("enter");
    assert!(driver.model.search.rows.is_empty() && driver.picture().contains("searched "), "{}", driver.picture());
    assert_eq!(driver.model.pulse(), Some(std::time::Duration::ZERO), "it goes on when nothing else is to do");
    let mut bites = 0;
    while driver.model.log_searched().is_some() {
        driver.act(Action::Tick);
        bites += 1;
        assert!(bites < 1000);
    }
    assert_eq!((driver.model.search.rows.len(), driver.model.selection.cpu), (1, 8000));
    assert_eq!(driver.model.pulse(), None);
    driver.keys("/").text("cpu17 attaching").keys("enter");
    while driver.model.log_searched().is_some() {
        driver.act(Action::Tick);
    }
    assert_eq!(driver.model.selection.cpu, 17, "from the end it goes on at the beginning");
}

#[test]
fn thousands_of_cpus_and_no_nodes_to_speak_of() {
    let cpus = (0..32).map(|node| CpuMask::range(node * 256, node * 256 + 255)).collect();
    let many = Topology::new(
        "many",
        cpus,
        Distances::from_fn(32, |i, j| if i == j { 10 } else { 20 + 10 * (i.abs_diff(j) as u32 % 3) }),
    );
    let one = Topology::new("one", vec![CpuMask::single(0)], Distances::from_fn(1, |_, _| 10));
    for topology in [many, one] {
        let mut driver = Driver::new(topology, "v6.12", 200, 60);
        driver.keys("f2 n p f3 j G enter f4 G $ enter f5 G pgup / 4 0 9 5 enter");
        assert!(driver.left.iter().all(|effect| !matches!(effect, Effect::Quit)));
        assert!(
            driver.model.notice.as_ref().is_none_or(|notice| notice.tone == Tone::Done || notice.text.contains("4095"))
        );
        driver.keys("esc esc f6 . . . esc");
    }
}
