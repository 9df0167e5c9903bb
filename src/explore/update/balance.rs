//! The Balance screen: tasks typed and pinned, time that runs and is gone back over.

use super::{focus, prompt, selection};
use crate::balance::simulate::{Decision, TaskId, parse_tasks};
use crate::explore::derived::recording::{Event, Part, Pin, Scenario, SideRequest, SimulateRequest};
use crate::explore::state::balance::{BalanceState, Side, TasksText};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::PromptKind;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::direction::{Direction, MoveBy};
use crate::explore::vocabulary::effect::{Effect, Job};
use crate::explore::vocabulary::pane::Screen;
use std::sync::Arc;

/// Time that is simulated at most, in ticks: a minute and a half.
const MAX_TICKS: u64 = 100_000;
/// Ticks that a page moves.
const PAGE: u64 = 100;

/// Ticks simulated at a time: what takes a moment and no more.
fn chunk(nr_cpus: usize) -> u64 {
    match nr_cpus {
        0..=256 => 1000,
        257..=2048 => 200,
        _ => 50,
    }
}

/// Keeps the scenario true to what is chosen, and asks for more of it when it runs out.
pub(super) fn settle(model: &mut Model) -> Vec<Effect> {
    let topology = Arc::clone(&model.built.topology);
    let state = &mut model.screens.balance;
    // An edit may have taken away what the tasks name.
    let text = state.tasks.as_ref().and_then(|tasks| TasksText::parse(&topology, &tasks.text).ok());
    let (from, to) = (model.selection.from, model.selection.to);
    let pair = || (from != to).then(|| TasksText::of_pair(&topology, from, to)).flatten();
    let Some(tasks) = text.or_else(pair).or_else(|| TasksText::of_machine(&topology)) else { return Vec::new() };
    let scenario = Scenario {
        built: model.built.generation,
        tasks: Arc::clone(&tasks.tasks),
        start: tasks.start.clone(),
        pins: state.pins.clone(),
        beside: state.beside.as_ref().map(|release| release.name.clone()),
    };
    state.tasks = Some(tasks);
    if state.scenario.as_deref() != Some(&scenario) {
        begin(state, scenario, &model.built.build.release);
    }
    let wanted = (state.tick + chunk(topology.nr_cpus)).min(MAX_TICKS);
    if state.waiting || state.until() >= wanted || state.is_full() {
        return Vec::new();
    }
    let Some(scenario) = state.scenario.clone() else { return Vec::new() };
    state.waiting = true;
    let sides = state.sides.iter().enumerate().map(|(at, side)| SideRequest {
        release: side.release.clone(),
        reached: side.reached.clone(),
        built: (at == 0).then(|| Arc::clone(&model.built)),
    });
    let request = SimulateRequest { scenario, sides: sides.collect(), topology, until: wanted };
    vec![Job::Simulate(request).into()]
}

/// Starts a scenario. One that was only changed on the way or got a release beside it stays at its time.
fn begin(state: &mut BalanceState, scenario: Scenario, release: &crate::kernel::Release) {
    let same = |before: &Scenario| {
        before.built == scenario.built && before.tasks == scenario.tasks && before.start == scenario.start
    };
    if !state.scenario.as_deref().is_some_and(same) {
        state.tick = 0;
        if state.scenario.is_some() {
            state.playing = false;
            state.pins.clear();
        }
    }
    let scenario = Scenario { pins: state.pins.clone(), ..scenario };
    state.listed = 0;
    state.sides = std::iter::once(release).chain(state.beside.as_ref()).cloned().map(Side::new).collect();
    state.scenario = Some(Arc::new(scenario));
    state.waiting = false;
}

/// Something was simulated; it counts if it is what is shown.
pub(super) fn simulated(model: &mut Model, scenario: &Arc<Scenario>, parts: Vec<Part>) {
    let state = &mut model.screens.balance;
    if state.scenario.as_ref() != Some(scenario) {
        return;
    }
    let started = state.sides.first().is_some_and(|side| side.reached.is_none());
    state.take(parts);
    if started {
        state.seek_tick(state.tick);
    }
}

/// The simulation could not go on.
pub(super) fn failed(model: &mut Model, why: &str) {
    model.screens.balance.waiting = false;
    model.screens.balance.playing = false;
    model.report(Tone::Trouble, format!("not simulated: {why}"));
}

pub(super) fn toggle_play(model: &mut Model) {
    focus::show_screen(model, Screen::Balance);
    let state = &mut model.screens.balance;
    state.playing = !state.playing;
    if state.playing && state.tick >= MAX_TICKS {
        state.seek_tick(0);
    }
}

pub(super) fn change_pace(model: &mut Model, by: isize) {
    focus::show_screen(model, Screen::Balance);
    model.screens.balance.change_pace(by);
    let pace = model.screens.balance.pace();
    model.report(Tone::Done, format!("time runs {} ticks a second", pace * 10));
}

/// A frame of time.
pub(super) fn play_on(model: &mut Model) {
    let state = &mut model.screens.balance;
    let next = state.tick + state.pace();
    // What is not simulated yet is waited for.
    if next <= state.until() || state.is_full() || state.until() >= MAX_TICKS {
        state.seek_tick(next);
    }
    if state.tick >= state.until() && (state.is_full() || state.until() >= MAX_TICKS) {
        state.playing = false;
    }
}

/// Up and down an event, left and right a tick.
pub(super) fn go(model: &mut Model, direction: Direction, by: MoveBy) {
    let page = model.page;
    let state = &mut model.screens.balance;
    state.playing = false;
    let at = state.listed().map_or(0, |side| side.at);
    let step = |one: u64, page: u64| match by {
        MoveBy::One => one,
        MoveBy::Page => page,
        MoveBy::End => u64::MAX,
    };
    let (events, ticks) = (step(1, page as u64) as usize, step(1, PAGE));
    match direction {
        Direction::Up => state.seek_event(at.saturating_sub(events)),
        Direction::Down => state.seek_event(at.saturating_add(events)),
        Direction::Left => state.seek_tick(state.tick.saturating_sub(ticks)),
        Direction::Right => state.seek_tick(state.tick.saturating_add(ticks)),
    }
}

/// Puts the time shown after the event in this row of the log.
pub(super) fn put_event(model: &mut Model, row: usize) {
    model.screens.balance.playing = false;
    model.screens.balance.seek_event(row + 1);
}

/// A row a node where CPUs have no room, or always a row a CPU.
pub(super) fn toggle_by_cpu(model: &mut Model) {
    focus::show_screen(model, Screen::Balance);
    let state = &mut model.screens.balance;
    state.by_cpu = !state.by_cpu;
}

/// Lists the events of the other side.
pub(super) fn list_other(model: &mut Model) {
    focus::show_screen(model, Screen::Balance);
    let state = &mut model.screens.balance;
    if state.sides.len() < 2 {
        let key = model.keys.key_of(Command::Beside);
        return model.report(Tone::Trouble, format!("there is one release: {key} puts another beside it"));
    }
    state.listed = usize::from(state.listed == 0);
}

/// Asks for the tasks.
pub(super) fn ask_tasks(model: &mut Model) {
    focus::show_screen(model, Screen::Balance);
    let text = model.screens.balance.tasks.as_ref().map(|tasks| tasks.text.clone()).unwrap_or_default();
    prompt::ask(model, PromptKind::Tasks, text);
}

/// Takes the tasks that were typed.
pub(super) fn set_tasks(model: &mut Model, text: &str) {
    match TasksText::parse(&model.built.topology, text) {
        Ok(tasks) => {
            let state = &mut model.screens.balance;
            state.tasks = Some(tasks);
            state.pins.clear();
        }
        Err(why) => model.report(Tone::Trouble, why),
    }
}

/// Asks which task to pin.
pub(super) fn ask_pin(model: &mut Model) {
    focus::show_screen(model, Screen::Balance);
    let moved = model.screens.balance.listed().and_then(Side::event).and_then(Event::moved);
    let task = moved.map_or(0, |(task, _, _)| task);
    prompt::ask(model, PromptKind::Pin, format!("{task}@cpus:"));
}

/// Gives a task another affinity, from the time shown on: `3@cpus:0-1` is task 3.
pub(super) fn pin(model: &mut Model, text: &str) {
    let state = &model.screens.balance;
    let tasks = state.tasks.as_ref().map_or(0, |tasks| tasks.tasks.len());
    let Some((task, place)) = text.split_once('@') else {
        return model.report(Tone::Trouble, "write TASK@cpus:LIST or TASK@nodes:LIST, as in 3@cpus:0-1");
    };
    let Some(task) = task.trim().parse::<TaskId>().ok().filter(|&task| (task as usize) < tasks) else {
        let last = tasks.saturating_sub(1);
        return model.report(Tone::Trouble, format!("there is no such task: they go from 0 to {last}"));
    };
    match parse_tasks(&model.built.topology, &format!("1@{place}")) {
        Ok(allowed) => {
            let state = &mut model.screens.balance;
            let pin = Pin { tick: state.tick, task, allowed: Arc::clone(&allowed[0]) };
            // What was changed later would no longer hold.
            state.pins.retain(|other| other.tick <= pin.tick && (other.tick, other.task) != (pin.tick, task));
            state.pins.push(pin);
            model.report(Tone::Done, format!("task {task} may run on {} from here on", allowed[0]));
        }
        Err(error) => model.report(Tone::Trouble, error.what),
    }
}

/// Plays whether the puller of the pair chosen pulls from its source.
pub(super) fn play_pair(model: &mut Model) {
    let (from, to) = (model.selection.from, model.selection.to);
    let Some(tasks) = TasksText::of_pair(&model.built.topology, from, to).filter(|_| from != to) else {
        return model.report(Tone::Trouble, "choose two nodes, the second with CPUs");
    };
    let state = &mut model.screens.balance;
    (state.tasks, state.tick) = (Some(tasks), 0);
    state.pins.clear();
    state.scenario = None;
    focus::show_screen(model, Screen::Balance);
    model.screens.balance.playing = true;
}

/// Chooses the CPU and level that the event shown is about.
pub(super) fn choose_event(model: &mut Model) {
    let event = model.screens.balance.listed().and_then(Side::event);
    if let Some(Event::Decided(Decision { puller, level, .. })) = event {
        (model.selection.cpu, model.selection.level, model.selection.group) = (*puller as usize, *level as usize, 0);
        selection::link_group(model);
    }
}
