//! What moves, clicks and Enter do on the screens beside Explore.
//!
//! What takes time to compute is computed when a screen is looked at and something changed, never per frame.

use super::{balance, compare, construct, dmesg, focus, reach, selection};
use crate::explore::state::model::{Model, Tone};
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::direction::{Direction, MoveBy, moved};
use crate::explore::vocabulary::effect::Effect;
use crate::explore::vocabulary::pane::{Pane, Screen};

/// Works out what the screen shown needs and does not know yet.
pub(super) fn settle(model: &mut Model) -> Vec<Effect> {
    match model.screens.now {
        Screen::Explore => {}
        Screen::Construct => construct::settle(model),
        Screen::Compare => return compare::settle(model),
        Screen::Reach => reach::settle(model),
        Screen::Dmesg => dmesg::settle(model),
        Screen::Balance => return balance::settle(model),
    }
    Vec::new()
}

pub(super) fn go(model: &mut Model, direction: Direction, by: MoveBy) {
    match (model.screens.now, direction) {
        (Screen::Balance, _) => balance::go(model, direction, by),
        (Screen::Reach, _) => selection::go(model, Pane::Distances, direction, by),
        (Screen::Construct, _) => model.screens.construct.go(direction, by, model.page),
        (Screen::Dmesg, Direction::Left | Direction::Right) => model.screens.log.go_aside(direction, by),
        (Screen::Dmesg, _) => {
            let line = moved(model.selection.line, model.screens.log.index.len(), direction, by, model.page);
            dmesg::put_line(model, line);
        }
        (Screen::Compare, Direction::Up | Direction::Down) => {
            let rows = model.screens.compare.rows();
            let row = moved(model.screens.compare.row, rows, direction, by, model.page);
            compare::put_difference(model, row);
        }
        (Screen::Compare | Screen::Explore, _) => {}
    }
}

/// Goes on from a screen: from Reach to the tasks of the pair, from the others to the groups they are about, on Explore.
pub(super) fn enter(model: &mut Model) {
    match model.screens.now {
        Screen::Explore => {}
        Screen::Reach => balance::play_pair(model),
        Screen::Construct | Screen::Compare | Screen::Dmesg | Screen::Balance => show_groups(model),
    }
}

/// Goes to Explore, to the groups the screen is about.
pub(super) fn show_groups(model: &mut Model) {
    match model.screens.now {
        Screen::Reach => reach::choose_obstacle(model),
        Screen::Balance => balance::choose_event(model),
        Screen::Explore | Screen::Construct | Screen::Compare | Screen::Dmesg => {}
    }
    focus::show_screen(model, Screen::Explore);
    let selection = model.selection;
    focus::focus_on(model, Pane::Groups);
    model.selection = selection;
    selection::clamp(model);
    let at = format!("CPU {} at {}", model.selection.cpu, model.level_label(model.selection.level));
    model.report(Tone::Done, at);
}

/// A click on a screen's own places; whether it was one.
pub(super) fn click(model: &mut Model, target: Target) -> bool {
    match (target, model.screens.now) {
        (Target::Screen(screen), _) => focus::show_screen(model, screen),
        (_, Screen::Explore) => return false,
        (Target::Line(row), Screen::Dmesg) => dmesg::put_line(model, row),
        (Target::Line(row), Screen::Construct) => model.screens.construct.put(row),
        (Target::Line(row), Screen::Balance) => balance::put_event(model, row),
        (Target::Line(row), Screen::Compare) => compare::put_difference(model, row),
        (Target::Cell(..), Screen::Reach) => selection::put(model, target),
        _ => {}
    }
    true
}

/// The wheel on a screen; whether it was one other than Explore.
pub(super) fn wheel(model: &mut Model, target: Target, rows: i32) -> bool {
    if model.screens.now == Screen::Explore || matches!(target, Target::Screen(_)) {
        return model.screens.now != Screen::Explore;
    }
    let direction = if rows < 0 { Direction::Up } else { Direction::Down };
    for _ in 0..rows.unsigned_abs() {
        go(model, direction, MoveBy::One);
    }
    true
}
