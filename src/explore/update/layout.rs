//! Borders between panes, zoom, theme and mouse: how the screen is used.

use crate::explore::state::model::{Model, Tone};
use crate::explore::state::modes::Zoom;
use crate::explore::vocabulary::border::{Border, Edge, WHOLE};
use crate::explore::vocabulary::direction::Direction;
use crate::explore::vocabulary::effect::{Effect, Session, Terminal};
use crate::explore::vocabulary::pane::Screen;

/// How far a key moves a border, in thousandths of the body.
const NOTCH: u16 = 30;

/// A border is pulled.
pub(super) fn pull(model: &mut Model, border: Border, at: u16) {
    model.borders.insert(border, at.min(WHOLE));
}

/// A border is let go: where it is now is where it stays.
pub(super) fn let_go(model: &mut Model) -> Vec<Effect> {
    match model.pulled.take() {
        Some(_) => vec![Session::Remember(model.memory()).into()],
        None => Vec::new(),
    }
}

/// Makes the focused pane larger or smaller.
pub(super) fn grow(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let edge = match direction {
        Direction::Left | Direction::Right => model.drawn.wide,
        Direction::Up | Direction::Down => model.drawn.high,
    };
    let Some(Edge { border, at, outwards }) = edge else {
        let text = if model.zoom == Zoom::Whole { "the pane has the whole screen" } else { "no border to move there" };
        model.report(Tone::Trouble, text);
        return Vec::new();
    };
    let larger = matches!(direction, Direction::Right | Direction::Down);
    let at = if larger == outwards { at.saturating_add(NOTCH) } else { at.saturating_sub(NOTCH) };
    pull(model, border, at);
    vec![Session::Remember(model.memory()).into()]
}

/// Gives every pane the room it had at first.
pub(super) fn reset(model: &mut Model) -> Vec<Effect> {
    model.borders.clear();
    model.zoom = Zoom::Split;
    model.report(Tone::Done, "panes as at first");
    vec![Session::Remember(model.memory()).into()]
}

/// Gives the focused pane the whole screen, or takes it back. Only the panes of Explore have a share.
pub(super) fn toggle_zoom(model: &mut Model) {
    if model.screens.now == Screen::Explore {
        model.zoom = match model.zoom {
            Zoom::Split => Zoom::Whole,
            Zoom::Whole => Zoom::Split,
        };
    }
}

pub(super) fn next_theme(model: &mut Model) {
    model.options.palette = model.options.palette.next();
    model.report(Tone::Done, format!("theme: {}", model.options.palette.name()));
}

pub(super) fn toggle_mouse(model: &mut Model) -> Effect {
    model.options.mouse = !model.options.mouse;
    let text = if model.options.mouse { "the mouse selects" } else { "the mouse is the terminal's" };
    model.report(Tone::Done, text);
    Terminal::Mouse(model.options.mouse).into()
}

pub(super) fn redraw(_: &mut Model) -> Effect {
    Terminal::Redraw.into()
}

pub(super) fn suspend(_: &mut Model) -> Effect {
    Terminal::Suspend.into()
}
