//! The screens beside Explore, and the lesson.

use super::{Desk, machine, ring4};
use crate::cpumask::CpuMask;
use crate::topology::{Distances, Topology};
use crate::ui::action::{Action, Command, Effect, Pane, Screen};
use crate::ui::lesson::steps;
use crate::ui::model::{Overlay, Tone};
use crate::ui::picker::{Kind, Source};
use crate::ui::screens::compare::Against;
use crate::ui::screens::construct::story::Subject;
use crate::ui::theme::{Charset, Palette, Theme};
use crate::ui::update;

fn on(screen: &str, release: &str, width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(ring4(), release, width, height);
    desk.keys(screen);
    desk
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
    let mut desk = Desk::new(machine("line4x2", 2, table), "v5.10", 120, 40);
    desk.keys("f5 / E R R O R enter");
    insta::assert_snapshot!(desk.painting());
}

#[test]
fn the_lesson_asks() {
    let mut desk = on("f6 .", "v4.11", 80, 24);
    desk.keys("b");
    insta::assert_snapshot!(desk.picture());
}

#[test]
fn screens_share_the_selection() {
    let mut desk = on("f4", "v4.11", 120, 40);
    desk.keys("j l");
    assert_eq!((desk.model.selection.from, desk.model.selection.to), (1, 3));
    desk.keys("enter");
    assert_eq!((desk.model.screens.now, desk.model.focus), (Screen::Explore, Pane::Groups));
    assert_eq!((desk.model.selection.cpu, desk.model.level_label(desk.model.selection.level)), (2, "NUMA-2"));
    desk.keys("f5");
    assert!(desk.picture().contains("CPU2 attaching"));
    desk.keys("G k k");
    assert_eq!(desk.model.selection.cpu, 7);
    desk.keys("f2");
    assert!(desk.picture().contains("CPU 7"), "{}", desk.picture());
    desk.keys("3");
    assert_eq!((desk.model.screens.now, desk.model.focus), (Screen::Explore, Pane::Domains));
}

#[test]
fn another_release_keeps_the_step_and_another_cpu_does_not() {
    let mut desk = on("f2 l l l l", "v4.13", 120, 40);
    assert_eq!(desk.model.screens.construct.at, 4);
    desk.keys("]");
    assert_eq!(desk.model.screens.construct.at, 4);
    desk.keys("}");
    assert_eq!(desk.model.screens.construct.at, 0);
}

#[test]
fn a_step_is_the_same_under_the_other_rule() {
    let mut desk = on("f1 alt-2 j j f2 n n", "v4.11", 120, 40);
    let step = |desk: &Desk| {
        let construct = &desk.model.screens.construct;
        construct.story.as_ref().unwrap().tale.text(&desk.model.built.build, construct.at)
    };
    assert_eq!(step(&desk), "group 1 at CPU 4: {2-7}, the child of its domain at NUMA-2");
    desk.keys("K").text("4.13").keys("enter");
    assert_eq!(step(&desk), "group 1 at CPU 6: {0-1,4-7}, the child of its domain at NUMA-2");
    desk.keys("t t t");
    let degenerate = desk.model.screens.construct.len();
    desk.keys("j j K").text("6.12").keys("enter");
    assert!(step(&desk).starts_with("NUMA-1") || degenerate > 2, "{}", step(&desk));
}

#[test]
fn levels_span_check_and_what_stays_are_stepped_through_too() {
    let mut pictures = String::new();
    for (preset, release, keys) in
        [("line4", "v5.12", "f2 t j j"), ("odd5", "v6.16", "f2 t t n"), ("bull8", "v6.12", "f2 backtab j")]
    {
        let topology = crate::presets::find(preset).unwrap().topology().unwrap();
        let mut desk = Desk::new(topology, release, 90, 24);
        desk.keys(keys);
        pictures.push_str(&desk.picture());
    }
    insta::assert_snapshot!(pictures);
    let mut desk = on("f2 t t", "v4.11", 60, 15);
    assert!(desk.picture().contains("does not exist yet"), "{}", desk.picture());
    desk.keys("t t");
    assert_eq!(desk.model.screens.construct.subject, Subject::Groups);
}

#[test]
fn playing_goes_faster_and_slower() {
    let mut desk = on("f2 p", "v4.11", 120, 40);
    let plain = desk.model.pulse().unwrap();
    desk.keys("+");
    assert!(desk.model.pulse().unwrap() < plain);
    desk.keys("- -");
    assert!(desk.model.pulse().unwrap() > plain);
    assert!(desk.picture().contains("playing at 1.5 s a step"), "{}", desk.picture());
}

#[test]
fn playing_ends_at_the_end() {
    let mut desk = on("f2 p", "v4.11", 120, 40);
    let steps = desk.model.screens.construct.len();
    for _ in 0..steps + 2 {
        desk.act(Action::Tick);
    }
    assert_eq!(desk.model.screens.construct.at, steps - 1);
    assert_eq!(desk.model.pulse(), None);
}

#[test]
fn the_other_release_is_chosen_from_a_list() {
    let mut desk = on("f3 c", "v4.13", 120, 40);
    assert!(matches!(&desk.model.overlay, Overlay::Picker(list) if list.kind == Kind::Other));
    desk.text("4.11").keys("enter");
    let compared = desk.model.screens.compare.compared.clone().unwrap();
    assert_eq!((compared.left.as_str(), compared.right.as_str()), ("v4.11", "v4.13"));
    assert!(desk.model.screens.compare.rows() > 0);
    desk.keys("[ [ [");
    let compared = desk.model.screens.compare.compared.clone().unwrap();
    assert_eq!(compared.order.against, Against::Release("v4.11".into()));
}

#[test]
fn edits_are_compared_with_what_was_there_before() {
    let mut desk = on("f3 e", "v4.13", 100, 30);
    assert!(desk.picture().contains("no edit so far changes what is built"), "{}", desk.picture());
    desk.keys("f1 alt-1 2 0 enter f3");
    let compared = desk.model.screens.compare.compared.clone().unwrap();
    assert_eq!((compared.left.as_str(), compared.right.as_str()), ("before", "now"));
    assert!(!compared.comparison.is_equal());
    insta::assert_snapshot!(desk.picture());
    desk.keys("u");
    assert!(desk.model.screens.compare.compared.as_ref().unwrap().comparison.is_equal());
}

#[test]
fn another_machine_is_compared_with() {
    let mut desk = on("f3 c", "v6.12", 100, 30);
    desk.text("preset ring4").keys("esc c").text("line4").keys("enter");
    let compared = desk.model.screens.compare.compared.clone().unwrap();
    assert_eq!((compared.left.as_str(), compared.right.as_str()), ("ring4x2", "line4"));
    assert!(!compared.comparison.is_equal());
    let effects = {
        desk.model.screens.compare.other = Some(Against::Machine(Source::File("no/such/file".into())));
        update::update(&mut desk.model, Action::LetGo)
    };
    let [Effect::Compare(order)] = effects.as_slice() else { panic!("{effects:?}") };
    desk.draw();
    assert!(desk.picture().contains("comparing with no/such/file"), "{}", desk.picture());
    desk.act(Action::Compared(order.clone(), order.compare().map(std::sync::Arc::new)));
    desk.draw();
    assert!(desk.picture().contains("not compared: no/such/file"), "{}", desk.picture());
}

#[test]
fn a_comparison_says_that_a_newer_one_is_on_its_way() {
    let mut desk = on("f3", "v4.11", 100, 30);
    assert!(!desk.picture().contains("comparing"));
    let effects = update::update(&mut desk.model, Action::Do(Command::NextRelease));
    for effect in effects {
        let Some(built) = desk.perform(effect) else { continue };
        let wanted = update::update(&mut desk.model, built);
        assert!(wanted.iter().any(|effect| matches!(effect, Effect::Compare(_))), "{wanted:?}");
    }
    desk.draw();
    assert!(desk.picture().contains("comparing"), "{}", desk.picture());
}

#[test]
fn the_lesson_goes_through_every_step() {
    let mut desk = on("f6", "v6.12", 100, 36);
    for (at, step) in steps().iter().enumerate() {
        assert_eq!((desk.model.screens.lesson.at, desk.model.screens.lesson.open), (at, true));
        assert_eq!(desk.model.doc.topology().name, step.preset, "{}", step.id);
        assert_eq!(desk.model.built.build.release.name, step.kernel, "{}", step.id);
        assert_eq!((desk.model.screens.now, desk.model.selection.cpu), (step.screen, step.cpu), "{}", step.id);
        assert_eq!(desk.model.level_label(desk.model.selection.level), step.level, "{}", step.id);
        assert_eq!((desk.model.selection.from, desk.model.selection.to), step.pair.unwrap(), "{}", step.id);
        assert!(desk.picture().contains(&step.title), "{}", desk.picture());
        if step.question.is_some() {
            desk.keys("space");
            assert!(!desk.model.screens.lesson.asks());
        }
        desk.keys("space");
    }
    assert!(!desk.model.screens.lesson.open);
}

#[test]
fn a_step_too_long_for_the_screen_is_read_to_its_end() {
    let mut desk = on("f6 .", "v4.11", 60, 15);
    while desk.model.screens.lesson.at < 1 {
        desk.keys(".");
    }
    assert!(desk.picture().contains("lines more"), "{}", desk.picture());
    let step = &steps()[1];
    let mut read = String::new();
    for _ in 0..6 {
        read.push_str(&desk.picture());
        if desk.model.screens.lesson.asks() && !desk.picture().contains("more") {
            break;
        }
        desk.keys("space");
    }
    let last = step.question.as_ref().unwrap().choices.last().unwrap();
    assert!(read.contains(step.text.split_whitespace().next().unwrap()) && read.contains(last.as_str()), "{read}");
    desk.keys("c");
    assert!(desk.picture().contains("one level higher"), "the reason is in sight: {}", desk.picture());
    desk.keys(",");
    assert_eq!(desk.model.screens.lesson.at, 1, "back is up first");
    desk.keys(", ,");
    assert_eq!(desk.model.screens.lesson.at, 0);
}

#[test]
fn the_screen_does_not_give_the_answer_away() {
    let mut desk = on("f6", "v4.11", 120, 40);
    let mut seen = 0;
    while desk.model.screens.lesson.open {
        let step = desk.model.screens.lesson.step().unwrap();
        if desk.model.screens.lesson.asks() {
            let before = desk.picture();
            let hidden = match step.id.as_str() {
                "domain" => Some("0,2-3 "),
                "first-cpu" => Some("group 0 at CPU 0"),
                "hole" => Some("N2!"),
                "mask" => Some("mask 1"),
                _ => None,
            };
            desk.keys("space");
            if let Some(hidden) = hidden {
                let told = |picture: &str| picture.lines().filter(|line| line.contains(hidden)).count();
                assert!(told(&before) < told(&desk.picture()), "{}: {before}", step.id);
                seen += 1;
            }
        }
        desk.keys("space");
    }
    assert_eq!(seen, 4);
}

#[test]
fn every_step_of_the_lesson_shows_something_of_its_screen_at_60x15() {
    let mut desk = on("f6", "v4.11", 60, 15);
    let mut screens = String::new();
    for _ in 0..100 {
        let lesson = &desk.model.screens.lesson;
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
        assert!(desk.picture().contains(needle), "{needle}: {}", desk.picture());
        if lesson.at == 3 && screens.is_empty() {
            screens = desk.picture();
        }
        desk.keys("space");
    }
    assert!(!desk.model.screens.lesson.open);
    insta::assert_snapshot!(screens);
}

#[test]
fn the_lesson_is_taken_up_where_it_was_left_the_last_time() {
    let mut desk = on("f1", "v4.11", 100, 36);
    desk.model.screens.lesson.resume(&steps()[5].id);
    let effects = update::update(&mut desk.model, Action::Do(Command::Lesson));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Remember(memory) if memory.lesson.as_ref() == Some(&steps()[5].id))),
        "{effects:?}"
    );
    desk.draw();
    assert!(desk.picture().contains(&steps()[5].title), "{}", desk.picture());
}

#[test]
fn the_lesson_waits_where_it_was_left_and_asks_before_edits_are_lost() {
    let mut desk = on("f6 . esc", "v4.11", 100, 36);
    assert!(!desk.model.screens.lesson.open);
    desk.keys("alt-1 + f6");
    assert!(matches!(desk.model.overlay, Overlay::Question(_)));
    desk.keys("y");
    assert_eq!((desk.model.screens.lesson.at, desk.model.screens.lesson.open), (1, true));
    assert!(!desk.model.doc.is_unsaved());
    assert_eq!(desk.model.focus, Pane::Domains);
    desk.keys("c");
    assert_eq!(desk.model.screens.lesson.answer(), Some(2));
}

#[test]
fn screens_work_at_any_size_and_without_colours() {
    for (width, height) in [(60, 15), (80, 24), (200, 60)] {
        let mut desk = on("f1", "v4.11", width, height);
        desk.model.options.charset = Charset::Ascii;
        desk.model.theme = Theme::new(Palette::Mono, desk.model.options.depth, Charset::Ascii);
        for keys in ["f2 n n", "f3 j j", "f4 j l", "f5 G", "f1 f6", ". b", "."] {
            desk.keys(keys);
            assert!(desk.picture().is_ascii(), "{keys}: {}", desk.picture());
        }
    }
}

#[test]
fn all_of_a_long_log_is_searched_a_bite_at_a_time() {
    let cpus = (0..32).map(|node| CpuMask::range(node * 256, node * 256 + 255)).collect();
    let table = Distances::from_fn(32, |i, j| if i == j { 10 } else { 20 + 10 * (i.abs_diff(j) as u32 % 3) });
    let mut desk = Desk::new(Topology::new("many", cpus, table), "v6.12", 100, 30);
    desk.keys("f5 g /").text("cpu8000 attaching").keys("enter");
    assert!(desk.model.search.rows.is_empty() && desk.picture().contains("searched "), "{}", desk.picture());
    assert_eq!(desk.model.pulse(), Some(std::time::Duration::ZERO), "it goes on when nothing else is to do");
    let mut bites = 0;
    while desk.model.hunted().is_some() {
        desk.act(Action::Tick);
        bites += 1;
        assert!(bites < 1000);
    }
    assert_eq!((desk.model.search.rows.len(), desk.model.selection.cpu), (1, 8000));
    assert_eq!(desk.model.pulse(), None);
    desk.keys("/").text("cpu17 attaching").keys("enter");
    while desk.model.hunted().is_some() {
        desk.act(Action::Tick);
    }
    assert_eq!(desk.model.selection.cpu, 17, "from the end it goes on at the beginning");
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
        let mut desk = Desk::new(topology, "v6.12", 200, 60);
        desk.keys("f2 n p f3 j G enter f4 G $ enter f5 G pgup / 4 0 9 5 enter");
        assert!(desk.left.iter().all(|effect| !matches!(effect, Effect::Quit)));
        assert!(
            desk.model.notice.as_ref().is_none_or(|notice| notice.tone == Tone::Done || notice.text.contains("4095"))
        );
        desk.keys("esc esc f6 . . . esc");
    }
}
