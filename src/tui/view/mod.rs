//! Drawing the state. Only reads it; what it remembers between frames is in [`ViewState`].
//!
//! One file per pane. Each draws the rows that are visible and nothing else, whatever the machine's size.

mod canvas;
mod capacity;
mod counters;
mod cpus;
mod distances;
mod domains;
mod findings;
mod footer;
mod frame;
mod graph;
mod groups;
mod layout;
mod overlay;
mod repair;
mod rows;
mod screens;
mod themed;
mod title;
mod view_state;

use super::picture;
use crate::explore::state::model::Model;
use crate::explore::state::overlay::Overlay;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::border::Drawn;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::pane::{Pane, Screen};
use canvas::Canvas;
use frame::frame_box;
use layout::{Layout, Slot};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::path::Path;
use themed::Themed;
pub use view_state::ViewState;

/// Columns of a pane that is drawn as text.
const TEXT_WIDTH: u16 = 160;
/// Rows of a pane that is copied, at most.
const TEXT_ROWS: u16 = 1000;

/// A pane as plain text to be copied.
pub(super) fn pane_text(model: &Model, pane: Pane) -> String {
    pane_rows(model, pane, TEXT_ROWS)
}

/// What goes into a file of this name: for `.svg` a picture of the screen; for others the focused pane, or the screen
/// beside Explore, as text.
pub(super) fn export(model: &Model, path: &Path) -> String {
    let is_picture = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    if !is_picture && model.screens.now == Screen::Explore {
        return pane_rows(model, model.focus, u16::MAX);
    }
    // The screen as it is, without what asks for the file's name.
    let mut still = model.clone();
    (still.overlay, still.notice) = (Overlay::None, None);
    let (width, height) = model.drawn.screen;
    let area = Rect::new(0, 0, width.max(layout::SMALLEST.0), height.max(layout::SMALLEST.1));
    let mut buffer = Buffer::empty(area);
    render(&still, &mut ViewState::default(), area, &mut buffer);
    if is_picture { picture::svg(&buffer) } else { text_of(&buffer) }
}

/// A pane as plain text, without its frame: what a screen large enough for all of it would show, up to `rows` rows.
fn pane_rows(model: &Model, pane: Pane, rows: u16) -> String {
    let mut alone = model.clone();
    (alone.focus, alone.overlay) = (pane, Overlay::None);
    let alone = Themed::new(&alone);
    let wanted = (alone.rows(pane) * rows_of(pane) + 24).min(usize::from(rows)) as u16;
    let area = Rect::new(0, 0, TEXT_WIDTH, wanted);
    let mut buffer = Buffer::empty(area);
    let mut state = ViewState::default();
    let mut canvas = Canvas::new(&mut buffer, area, &alone.theme);
    draw_pane(&alone, &mut state, &mut canvas, pane);
    let text = text_of(&buffer);
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    format!("{}\n{}\n", pane_title(&alone, pane), lines.join("\n"))
}

/// A drawn screen as text, without blanks at line ends.
pub(super) fn text_of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let line = |y| (area.left()..area.right()).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    let mut text = String::new();
    for y in area.top()..area.bottom() {
        text.push_str(line(y).trim_end());
        text.push('\n');
    }
    text
}

/// Screen rows that a row of a pane takes.
fn rows_of(pane: Pane) -> usize {
    if pane == Pane::Groups { 2 } else { 1 }
}

/// Draws everything.
pub fn draw(model: &Model, state: &mut ViewState, frame: &mut Frame) {
    let area = frame.area();
    let cursor = render(model, state, area, frame.buffer_mut());
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Draws everything into a buffer; returns where the text cursor belongs, if a line is being typed.
pub fn render(model: &Model, state: &mut ViewState, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let model = &Themed::new(model);
    state.regions.clear();
    state.drawn = Drawn { screen: (area.width, area.height), page: state.drawn.page, ..Drawn::default() };
    let mut screen = Canvas::new(buffer, area, &model.theme);
    screen.clear(model.theme.text);
    if area.width < layout::SMALLEST.0 || area.height < layout::SMALLEST.1 {
        too_small(model, &mut screen);
        return None;
    }
    let mut top = title::draw(model, state, &mut screen);
    top += screens::draw_tabs(model, state, &mut screen, top);
    let body = Rect { y: area.y + top, height: area.height - top - 1, ..area };
    let body = screens::draw_lesson(model, state, &mut screen, body);
    if !screens::draw(model, state, &mut screen, body) {
        draw_panes(model, state, &mut screen, body);
    }
    let cursor = footer::draw(model, state, &mut screen);
    match &model.overlay {
        Overlay::Picker(list) => Some(overlay::draw_picker(model, list, state, &mut screen)),
        Overlay::Question(question) => {
            overlay::draw_question(model, question, state, &mut screen);
            None
        }
        Overlay::Repair(offer) => {
            repair::draw(model, offer, state, &mut screen);
            None
        }
        Overlay::Prompt(_) | Overlay::None | Overlay::CopyMenu => cursor,
    }
}

fn too_small(model: &Themed, screen: &mut Canvas) {
    let (width, height) = layout::SMALLEST;
    let (text, dim) = (screen.theme.text, screen.theme.dim);
    screen.put(0, 0, "schedtopo needs more room", text);
    let size = format!("at least {width}x{height}, now {}x{}", screen.width(), screen.height());
    screen.put(0, 1, &size, text);
    screen.put(0, 2, &format!("{} quits", model.keys.key_of(Command::Quit)), dim);
}

fn draw_panes(model: &Themed, state: &mut ViewState, screen: &mut Canvas, body: Rect) {
    let Layout { slots, dividers } = layout::arrange(model, body);
    (state.body, state.dividers) = (body, dividers);
    // What is in a pane, its title too, goes before the borders, and these before the frames they lie on.
    for slot in &slots {
        state.region(slot.area, Target::Pane(slot.seen(model)));
    }
    for at in 0..state.dividers.len() {
        state.region(state.dividers[at].area, Target::Border(state.dividers[at].border));
    }
    for slot in &slots {
        draw_slot(model, state, screen, slot);
    }
}

fn draw_slot(model: &Themed, state: &mut ViewState, screen: &mut Canvas, slot: &Slot) {
    let pane = slot.seen(model);
    let focused = pane == model.focus;
    if focused {
        (state.drawn.wide, state.drawn.high) = (state.edge(slot.area, true), state.edge(slot.area, false));
    }
    let inner = frame_box(model, screen, slot.area, focused);
    draw_tabs(model, state, screen, slot, pane);
    if model.screens.lesson.hides(pane) {
        screen.part(inner).put(1, 0, "? answer first, then this is shown", model.theme.dim);
        return;
    }
    draw_pane(model, state, &mut screen.part(inner), pane);
}

fn draw_pane(model: &Themed, state: &mut ViewState, canvas: &mut Canvas, pane: Pane) {
    match pane {
        Pane::Distances => distances::draw(model, state, canvas),
        Pane::Cpus => cpus::draw(model, state, canvas),
        Pane::Domains => domains::draw(model, state, canvas),
        Pane::Groups => groups::draw(model, state, canvas),
        Pane::Capacity => capacity::draw(model, state, canvas),
        Pane::Findings => findings::draw(model, state, canvas),
        Pane::Graph => graph::draw(model, state, canvas),
        Pane::Counters => counters::draw(model, state, canvas),
    }
}

/// Writes the title into the frame; where panes share a place, the names of all.
fn draw_tabs(model: &Themed, state: &mut ViewState, screen: &mut Canvas, slot: &Slot, seen: Pane) {
    let theme = &model.theme;
    let room = slot.area.width.saturating_sub(2);
    let mut line = screen.part(Rect { x: slot.area.x + 1, width: room, height: 1, ..slot.area });
    let offered = || slot.panes.iter().copied().filter(|&pane| pane == seen || model.is_offered(pane));
    let others: usize = offered().filter(|&pane| pane != seen).map(|pane| pane.name().len() + 2).sum();
    let own = room.saturating_sub(others as u16);
    let mut x = 0;
    for pane in offered() {
        let style = match (pane == seen, pane == model.focus) {
            (true, true) => theme.head_focus,
            (true, false) => theme.head,
            (false, _) => theme.dim,
        };
        let text = if pane == seen { seen_tab(model, pane, own) } else { format!(" {} ", pane.name()) };
        let end = line.put(x, 0, &text, style);
        state.region(line.run_area(x, 0, end - x), Target::Pane(pane));
        x = end;
    }
}

/// The whole title where there is room, or else the name.
fn seen_tab(model: &Themed, pane: Pane, room: u16) -> String {
    let key = model.keys.key_of(Command::Focus(pane));
    let whole = format!(" {key} {} ", pane_title(model, pane));
    if text::width(&whole) <= usize::from(room) { whole } else { format!(" {key} {} ", pane.name()) }
}

fn pane_title(model: &Themed, pane: Pane) -> String {
    match pane {
        Pane::Distances => distances::title(model),
        Pane::Cpus => cpus::title(model),
        Pane::Domains => domains::title(model),
        Pane::Groups => groups::title(model),
        Pane::Capacity => capacity::title(model),
        Pane::Findings => findings::title(model),
        Pane::Graph => graph::title(model),
        Pane::Counters => counters::title(model),
    }
}
