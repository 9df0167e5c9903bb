//! Moving about: over rows, levels, CPUs and panes, on to what hangs on the selection, and back.

use super::{editing, focus, listing, screens, selection};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::modes::Zoom;
use crate::explore::state::selection::Search;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::direction::{Direction, MoveBy};
use crate::explore::vocabulary::effect::Effect;
use crate::explore::vocabulary::pane::{Pane, Screen};

/// Moves in what has the keys.
pub(super) fn go(model: &mut Model, direction: Direction, by: MoveBy) {
    if model.screens.now == Screen::Explore {
        selection::go(model, model.focus, direction, by);
    } else {
        screens::go(model, direction, by);
    }
}

/// Focuses the next pane, or the one before.
pub(super) fn pane_step(model: &mut Model, forward: bool) {
    if model.screens.now == Screen::Explore {
        focus::focus_step(model, forward);
    }
}

/// Gives a pane the keys, on Explore.
pub(super) fn focus(model: &mut Model, pane: Pane) {
    focus::show_screen(model, Screen::Explore);
    focus::focus_on(model, pane);
}

/// Ends the number; with none begun, goes on.
pub(super) fn end_number(model: &mut Model) {
    if model.entry.is_some() {
        editing::end_entry(model);
    } else {
        go_on(model);
    }
}

/// Goes on to what hangs on the selection.
pub(super) fn go_on(model: &mut Model) {
    if model.screens.now != Screen::Explore {
        return screens::enter(model);
    }
    match model.focus {
        Pane::Distances => focus::focus_on(model, Pane::Cpus),
        Pane::Graph | Pane::Counters => focus::focus_on(model, Pane::Domains),
        Pane::Cpus => {
            if !listing::unfold_chosen(model) {
                focus::focus_on(model, Pane::Domains);
            }
        }
        Pane::Domains => focus::focus_on(model, Pane::Groups),
        Pane::Groups => focus::focus_on(model, Pane::Capacity),
        Pane::Capacity => go_to_sharer(model),
        Pane::Findings => {
            selection::link_finding(model);
            focus::focus_on(model, Pane::Groups);
        }
    }
}

/// From a capacity instance to a CPU that holds it, the next one each time.
fn go_to_sharer(model: &mut Model) {
    let (level, cpu) = (model.selection.level, model.selection.cpu);
    let Some(sharing) = model.built.sharing(level) else { return };
    let Some(instance) = sharing.instances.get(model.selection.instance) else { return };
    let Some(next) = instance.holders.next_wrap(cpu + 1) else { return };
    let at = model.selection.instance;
    model.selection.cpu = next;
    selection::link_cpu(model);
    model.selection.instance = at;
    selection::link_instance(model);
    let key = model.keys.key_of(Command::GoOn);
    model.report(Tone::Done, format!("CPU {next} holds it too; {key} again for the next one"));
}

/// Backs out: of a number, the lesson, a search, a screen, a zoomed pane.
pub(super) fn back_out(model: &mut Model) -> Vec<Effect> {
    if model.entry.is_some() {
        return editing::cancel_entry(model);
    }
    if model.screens.lesson.open {
        model.screens.lesson.open = false;
    } else if !model.search.query.is_empty() {
        model.search = Search::default();
    } else if model.screens.now == Screen::Explore {
        model.zoom = Zoom::Split;
    } else {
        focus::show_screen(model, Screen::Explore);
    }
    Vec::new()
}
