//! Drawing the state. Only reads it; what it remembers between frames is in [`ViewState`].
//!
//! One file per pane. Each draws the rows that are visible and nothing else, whatever the machine's size.

mod canvas;
mod capacity;
mod cpus;
mod distances;
mod domains;
mod findings;
mod footer;
mod graph;
mod groups;
mod layout;
mod overlay;
mod repair;
mod screens;
mod title;

use super::action::{Border, Command, Drawn, Edge, Pane, Target};
use super::model::{Model, Overlay};
use super::theme::Charset;
use canvas::Canvas;
pub(super) use layout::SMALLEST;
use layout::{Layout, Seam, Slot};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::symbols::border;
use ratatui::widgets::{Block, Widget as _};

/// What the view remembers: how far each list is scrolled, and what was drawn where.
#[derive(Clone, Debug, Default)]
pub struct ViewState {
    rows: [usize; Pane::ALL.len()],
    columns: [usize; Pane::ALL.len()],
    list: usize,
    screens: screens::Scrolls,
    regions: Vec<(Rect, Target)>,
    body: Rect,
    seams: Vec<Seam>,
    drawn: Drawn,
}

impl ViewState {
    /// What is drawn at a place of the screen. Mouse reports may lie outside of it.
    pub fn target_at(&self, column: u16, row: u16) -> Option<Target> {
        let at = Position::new(column, row);
        self.regions.iter().rev().find(|(area, _)| area.contains(at)).map(|&(_, target)| target)
    }

    /// What the state has to know of the frame.
    pub fn drawn(&self) -> Drawn {
        self.drawn
    }

    /// Where on the body a border is that is pulled to a place on the screen, in thousandths.
    pub fn place_of(&self, border: Border, column: u16, row: u16) -> Option<u16> {
        let seam = self.seams.iter().find(|seam| seam.border == border)?;
        let place = |at: u16, from: u16, long: u16| layout::share(at.saturating_sub(from).min(long), long);
        Some(if seam.sideways {
            place(column, self.body.x, self.body.width)
        } else {
            place(row, self.body.y, self.body.height)
        })
    }

    /// The border to move so that what lies in `area` grows to the side, or in height: the one after it, or else the
    /// one before.
    fn edge(&self, area: Rect, sideways: bool) -> Option<Edge> {
        let ends = |outwards: bool| match (sideways, outwards) {
            (true, true) => Rect { x: area.right().saturating_sub(1), width: 1, ..area },
            (true, false) => Rect { width: 1, ..area },
            (false, true) => Rect { y: area.bottom().saturating_sub(1), height: 1, ..area },
            (false, false) => Rect { height: 1, ..area },
        };
        [true, false].into_iter().find_map(|outwards| {
            let mut along = self.seams.iter().filter(|seam| seam.sideways == sideways);
            let seam = along.find(|seam| seam.area.intersection(ends(outwards)) == ends(outwards))?;
            Some(Edge { border: seam.border, at: seam.at, outwards })
        })
    }

    /// How many places the mouse can hit: a measure of how much was drawn.
    pub fn regions(&self) -> usize {
        self.regions.len()
    }

    fn region(&mut self, area: Rect, target: Target) {
        if !area.is_empty() {
            self.regions.push((area, target));
        }
    }

    /// The first row to draw of a pane, so that the chosen one is seen and no room is left empty.
    fn first_row(&mut self, model: &Model, pane: Pane, height: usize) -> usize {
        if pane == model.focus {
            self.drawn.page = height as u16;
        }
        scroll(&mut self.rows[pane as usize], model.row(pane), height, model.rows(pane))
    }
}

/// Moves `offset` as little as makes `chosen` visible among `len` rows of which `height` fit.
fn scroll(offset: &mut usize, chosen: usize, height: usize, len: usize) -> usize {
    let height = height.max(1);
    *offset = (*offset).min(chosen).max((chosen + 1).saturating_sub(height)).min(len.saturating_sub(height));
    *offset
}

/// A pane as plain text, without its frame: what a screen large enough for all of it would show, up to `rows` rows.
pub fn pane_text(model: &Model, pane: Pane, width: u16, rows: u16) -> String {
    let mut alone = model.clone();
    (alone.focus, alone.overlay) = (pane, Overlay::None);
    let wanted = (alone.rows(pane) * rows_of(pane) + 24).min(usize::from(rows)) as u16;
    let area = Rect::new(0, 0, width, wanted);
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
    state.regions.clear();
    state.drawn = Drawn { screen: (area.width, area.height), page: state.drawn.page, ..Drawn::default() };
    let mut screen = Canvas::new(buffer, area, &model.theme);
    screen.clear(model.theme.text);
    if area.width < layout::SMALLEST.0 || area.height < layout::SMALLEST.1 {
        too_small(&mut screen);
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
        Overlay::Prompt(_) | Overlay::None | Overlay::Copy => cursor,
    }
}

fn too_small(screen: &mut Canvas) {
    let (width, height) = layout::SMALLEST;
    let (text, dim) = (screen.theme.text, screen.theme.dim);
    screen.put(0, 0, "schedtopo needs more room", text);
    let size = format!("at least {width}x{height}, now {}x{}", screen.width(), screen.height());
    screen.put(0, 1, &size, text);
    screen.put(0, 2, "q quits", dim);
}

fn draw_panes(model: &Model, state: &mut ViewState, screen: &mut Canvas, body: Rect) {
    let Layout { slots, seams } = layout::arrange(model, body);
    (state.body, state.seams) = (body, seams);
    // What is in a pane, its title too, goes before the borders, and these before the frames they lie on.
    for slot in &slots {
        state.region(slot.area, Target::Pane(slot.seen(model)));
    }
    for at in 0..state.seams.len() {
        state.region(state.seams[at].area, Target::Border(state.seams[at].border));
    }
    for slot in &slots {
        draw_slot(model, state, screen, slot);
    }
}

fn draw_slot(model: &Model, state: &mut ViewState, screen: &mut Canvas, slot: &Slot) {
    let pane = slot.seen(model);
    let focused = pane == model.focus;
    if focused {
        (state.drawn.wide, state.drawn.high) = (state.edge(slot.area, true), state.edge(slot.area, false));
    }
    let inner = frame_box(model, screen, slot.area, focused);
    draw_tabs(model, state, screen, slot, pane);
    if model.screens.lesson.veils(pane) {
        let veil = model.theme.dim;
        screen.part(inner).put(1, 0, "? answer first, then this is shown", veil);
        return;
    }
    draw_pane(model, state, &mut screen.part(inner), pane);
}

fn draw_pane(model: &Model, state: &mut ViewState, canvas: &mut Canvas, pane: Pane) {
    match pane {
        Pane::Distances => distances::draw(model, state, canvas),
        Pane::Cpus => cpus::draw(model, state, canvas),
        Pane::Domains => domains::draw(model, state, canvas),
        Pane::Groups => groups::draw(model, state, canvas),
        Pane::Capacity => capacity::draw(model, state, canvas),
        Pane::Findings => findings::draw(model, state, canvas),
        Pane::Graph => graph::draw(model, state, canvas),
    }
}

/// Draws a frame and returns what is inside it. The focused one is heavier: colour alone would not do.
fn frame_box(model: &Model, screen: &mut Canvas, area: Rect, focused: bool) -> Rect {
    let theme = &model.theme;
    let heavy = match model.options.charset {
        Charset::Unicode => border::THICK,
        Charset::Ascii => border::Set { horizontal_top: "=", horizontal_bottom: "=", ..theme.signs.border },
    };
    let (set, style) = if focused { (heavy, theme.frame_focus) } else { (theme.signs.border, theme.frame) };
    let block = Block::bordered().border_set(set).border_style(style);
    let inner = block.inner(area);
    block.render(area, screen.buffer());
    inner
}

/// Writes the title into the frame; where panes share a place, the names of all.
fn draw_tabs(model: &Model, state: &mut ViewState, screen: &mut Canvas, slot: &Slot, seen: Pane) {
    let theme = &model.theme;
    let room = slot.area.width.saturating_sub(2);
    let mut line = screen.part(Rect { x: slot.area.x + 1, width: room, height: 1, ..slot.area });
    let others: usize = slot.panes.iter().filter(|&&pane| pane != seen).map(|pane| pane.name().len() + 2).sum();
    let own = room.saturating_sub(others as u16);
    let mut x = 0;
    for &pane in slot.panes {
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
fn seen_tab(model: &Model, pane: Pane, room: u16) -> String {
    let key = model.keys.key_of(Command::Focus(pane));
    let whole = format!(" {key} {} ", pane_title(model, pane));
    if super::text::width(&whole) <= usize::from(room) { whole } else { format!(" {key} {} ", pane.name()) }
}

fn pane_title(model: &Model, pane: Pane) -> String {
    match pane {
        Pane::Distances => distances::title(model),
        Pane::Cpus => cpus::title(model),
        Pane::Domains => domains::title(model),
        Pane::Groups => groups::title(model),
        Pane::Capacity => capacity::title(model),
        Pane::Findings => findings::title(model),
        Pane::Graph => graph::title(model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_keeps_the_chosen_row_in_sight_and_leaves_no_gap() {
        let mut offset = 0;
        assert_eq!(scroll(&mut offset, 12, 5, 20), 8);
        assert_eq!(scroll(&mut offset, 9, 5, 20), 8);
        assert_eq!(scroll(&mut offset, 19, 5, 20), 15);
        // The window grew: rows come back into view.
        assert_eq!(scroll(&mut offset, 19, 15, 20), 5);
        assert_eq!(scroll(&mut offset, 19, 40, 20), 0);
        assert_eq!(scroll(&mut offset, 0, 0, 0), 0);
    }
}
