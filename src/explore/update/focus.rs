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

pub(super) fn focus_step(model: &mut Model, by: usize) {
    let at = Pane::ALL.iter().position(|&pane| pane == model.focus).unwrap_or(0);
    focus_on(model, Pane::ALL[(at + by) % Pane::ALL.len()]);
}

pub(super) fn show_screen(model: &mut Model, screen: Screen) {
    if screen != model.screens.now {
        model.screens.now = screen;
        model.screens.construct.playing = false;
        model.screens.balance.playing = false;
        model.search.rows.clear();
    }
}
