//! The explorer played by keys without a terminal.

use super::state::model::Model;
use super::state::start::Start;
use super::update::{self, update};
use super::vocabulary::action::Action;
use super::vocabulary::command::Command;
use super::vocabulary::effect::{Effect, Job};
use super::vocabulary::key::Key;
use super::vocabulary::place::Layer;
use crate::explore::derived::build_view::BuildView;
use crate::explore::state::keymap::Keymap;
use crate::kernel::Release;
use crate::presets;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Does jobs at once; files and a terminal there are not.
fn perform(effect: Effect) -> Option<Action> {
    match effect {
        Effect::Job(Job::Build(request)) => Some(Action::Built(Arc::new(BuildView::untimed(request)))),
        Effect::Job(Job::Compare(request)) => {
            let compared = request.compare(|_| Err("no files here".to_owned())).map(Arc::new);
            Some(Action::Compared(request, compared))
        }
        Effect::Job(Job::Examine(built)) => {
            built.examine();
            Some(Action::Examined(built.generation))
        }
        Effect::Job(Job::Repair(request)) => {
            let found = request.search();
            Some(Action::Repaired(request.progress, Ok(found)))
        }
        Effect::Job(Job::Simulate(request)) => {
            let parts = request.run();
            Some(Action::Simulated(request.scenario, Ok(parts)))
        }
        Effect::Job(Job::Count(request)) => Some(Action::Counted(Arc::new(request.count()))),
        Effect::Disk(_) => Some(Action::Failed("no files here".to_owned())),
        Effect::Terminal(_) | Effect::Session(_) | Effect::Quit => None,
    }
}

fn play(machine: &str, release: &str, keys: &[Key]) -> Model {
    let topology = presets::find(machine).unwrap().topology().unwrap();
    let mut model = update::start(Start::new(topology, Release::parse(release).unwrap()));
    Arc::get_mut(&mut model.built).unwrap().took = Duration::ZERO;
    for &key in keys {
        let spot = model.spot();
        let action = match model.keys.command(key, spot) {
            Some(command) => Action::Do(command),
            None if spot.layer == Layer::Typing => match key.character() {
                Some(c) => Action::Type(c),
                None => continue,
            },
            None => continue,
        };
        let mut actions = VecDeque::from([action]);
        while let Some(action) = actions.pop_front() {
            actions.extend(update(&mut model, action).into_iter().filter_map(perform));
        }
    }
    model
}

fn keys(script: &str) -> Vec<Key> {
    script.split_whitespace().map(|key| Key::parse(key).unwrap_or_else(|| panic!("no key is called {key}"))).collect()
}

#[test]
fn a_script_of_keys_plays_without_a_terminal() {
    let model = play("ring4", "v4.11", &keys("2 5 enter f4 f2 l l : u n d o enter"));
    assert_eq!(model.doc.topology().distances.get(0, 2), 30, "the edit was undone from the palette");
    assert_eq!(model.built.topology, *model.doc.topology());
    assert_eq!(model.screens.construct.at, 2);
}

#[test]
fn a_command_out_of_place_says_where_its_place_is() {
    let mut model = play("ring4", "v4.11", &[]);
    for command in [Command::Accept, Command::RepairDown, Command::NextStep] {
        let effects = update(&mut model, Action::Do(command));
        assert!(effects.is_empty(), "{command:?}: {effects:?}");
        let notice = model.notice.clone().unwrap();
        assert!(notice.text.contains("only "), "{command:?}: {}", notice.text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_same_keys_give_the_same_model(
        script in vec(select(Keymap::standard().iter().flat_map(|(_, keys)| keys.to_vec()).collect::<Vec<_>>()), 0..40),
        machine in select(vec!["ring4", "mesh8", "odd5"]),
    ) {
        // A thread keeps parts of its last build for the next one: each run begins without.
        let run = || std::thread::scope(|scope| {
            scope.spawn(|| format!("{:?}", play(machine, "v4.11", &script))).join().expect("keys panic nowhere")
        });
        let [once, again] = [run(), run()];
        prop_assert_eq!(once, again);
    }
}
