//! Which pane and which screen has the keys.

use super::selection;
use crate::explore::state::model::Model;
use crate::explore::vocabulary::pane::{Pane, Screen};

/// Gives `pane` the keys.
pub(super) fn focus_on(model: &mut Model, pane: Pane) {
    model.focus = pane;
    if let Some(at) = model.recent.iter().position(|&other| other == pane) {
        model.recent[..=at].rotate_right(1);
    }
    model.search.rows.clear();
    if pane == Pane::Distances {
        selection::link_pair(model);
    }
}

pub(super) fn focus_step(model: &mut Model, forward: bool) {
    let offered: Vec<Pane> = Pane::ALL.into_iter().filter(|&pane| model.is_offered(pane)).collect();
    let at = offered.iter().position(|&pane| pane == model.focus).unwrap_or(0);
    let next = if forward { at + 1 } else { at + offered.len() - 1 };
    focus_on(model, offered[next % offered.len()]);
}

pub(super) fn show_screen(model: &mut Model, screen: Screen) {
    if screen != model.screens.now {
        model.screens.now = screen;
        model.screens.construct.playing = false;
        model.screens.balance.playing = false;
        model.search.rows.clear();
    }
}
