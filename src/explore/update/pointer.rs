//! What the mouse does.

use super::{editing, focus, lists, screens, selection, typing};
use crate::explore::state::model::Model;
use crate::explore::state::overlay::Overlay;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::direction::{Direction, MoveBy};
use crate::explore::vocabulary::effect::Effect;

/// A click: on top of everything only the list, or an answer, takes one.
pub(super) fn click(model: &mut Model, target: Target) -> Vec<Effect> {
    model.notice = None;
    match (&mut model.overlay, target) {
        (Overlay::Picker(list), Target::Item(row)) => {
            // A second click on the same item chooses it.
            if list.cursor == row {
                return typing::choose(model);
            }
            list.cursor = row.min(list.hits.len().saturating_sub(1));
            return lists::preview(model).into_iter().collect();
        }
        (Overlay::Picker(_), _) => {
            model.overlay = Overlay::None;
            return Vec::new();
        }
        (Overlay::Question(_), Target::Run(command)) => {
            model.chosen_command = Some(command);
            return Vec::new();
        }
        (Overlay::Prompt(_) | Overlay::Question(_) | Overlay::Repair(_), _) => return Vec::new(),
        (Overlay::None | Overlay::CopyMenu, _) => model.overlay = Overlay::None,
    }
    match target {
        Target::Run(command) => {
            model.chosen_command = Some(command);
            return Vec::new();
        }
        Target::Border(border) => {
            model.pulled = Some(border);
            return Vec::new();
        }
        _ => {}
    }
    editing::end_entry(model);
    if !screens::click(model, target) {
        selection::put(model, target);
        if let Some(pane) = target.pane().filter(|&pane| pane != model.focus) {
            focus::focus_on(model, pane);
        }
    }
    Vec::new()
}

/// The wheel moves the selection of what is under it.
pub(super) fn wheel(model: &mut Model, target: Target, rows: i32) -> Vec<Effect> {
    match model.overlay {
        Overlay::Picker(_) => return typing::step(model, rows as isize),
        Overlay::None => {}
        _ => return Vec::new(),
    }
    editing::end_entry(model);
    if !screens::wheel(model, target, rows)
        && let Some(pane) = target.pane()
    {
        let direction = if rows < 0 { Direction::Up } else { Direction::Down };
        for _ in 0..rows.unsigned_abs() {
            selection::go(model, pane, direction, MoveBy::One);
        }
    }
    Vec::new()
}
