//! A repair sought or offered: the finding, the cells to change, and what becomes of the findings.

use super::overlay::open_box;
use super::{Canvas, ViewState};
use crate::analysis::repair::{BUDGET, Cell, Repair, Tally};
use crate::formats::visible;
use crate::ui::model::Model;
use crate::ui::repair::Offer;
use crate::ui::text;
use ratatui::layout::Rect;

/// The widest the box gets.
const WIDEST: u16 = 78;
/// Lines the finding may take.
const MESSAGE: usize = 3;
/// Rows besides the finding and the cells: the frame, the heads, the tally, the keys.
const AROUND: u16 = 8;

pub(super) fn draw(model: &Model, offer: &Offer, state: &mut ViewState, screen: &mut Canvas) {
    let width = screen.width().saturating_sub(2).min(WIDEST);
    let message = visible(&offer.order.finding.message);
    let mut lines = text::wrap(&message, usize::from(width.saturating_sub(4)));
    if lines.len() > MESSAGE {
        lines.truncate(MESSAGE);
        lines[MESSAGE - 1].push_str(screen.theme.signs.cut);
    }
    let cells = offer.repair.as_ref().map_or(1, |repair| repair.cells.len() as u16);
    let height = lines.len() as u16 + AROUND + cells;
    let inner = open_box(model, screen, width, height.min(screen.height()), "Repair");
    let mut canvas = screen.part(inner);
    let theme = canvas.theme;
    for (y, line) in (0..).zip(&lines) {
        canvas.put(1, y, line, theme.text);
    }
    let rest = Rect { y: inner.y + lines.len() as u16 + 1, ..inner };
    let rest = Rect { height: inner.bottom().saturating_sub(rest.y), ..rest };
    let mut canvas = screen.part(rest);
    match &offer.repair {
        Some(repair) => draw_offer(repair, offer.top, state, &mut canvas),
        None => draw_search(offer, &mut canvas),
    }
}

fn draw_search(offer: &Offer, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let builds = offer.order.progress.builds();
    let text = format!("looking for the smallest change of the table: {builds} of at most {BUDGET} builds");
    canvas.put(1, 0, &text, theme.pending);
    canvas.put_all(1, 2, &[("esc", theme.key), ("stops", theme.text)]);
}

fn draw_offer(repair: &Repair, top: usize, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let cells = text::count(repair.cells.len(), "distance");
    let text = format!("This change of {cells} removes it ({} of at most {BUDGET} builds):", repair.builds);
    canvas.put(1, 0, &text, theme.head);
    let room = canvas.height().saturating_sub(5).max(1);
    state.drawn.page = room;
    let top = top.min(repair.cells.len().saturating_sub(usize::from(room)));
    for (y, cell) in (1..=room).zip(repair.cells.iter().skip(top)) {
        draw_cell(cell, y, canvas);
    }
    let hidden = repair.cells.len().saturating_sub(top + usize::from(room));
    if top + hidden > 0 {
        let more = format!(" {top} above, {hidden} below: j and k ");
        canvas.put_right(canvas.width().saturating_sub(1), room, &more, theme.warn);
    }
    let y = canvas.height().saturating_sub(3);
    canvas.put(1, y, "findings", theme.head);
    let before = format!("{} {} {}", tally(repair.before), theme.signs.to, tally(repair.after));
    let fewer = repair.after.serious() < repair.before.serious();
    canvas.put(11, y, &before, if fewer { theme.good } else { theme.text });
    let keys = [
        ("enter", theme.key),
        ("makes it, one step to undo", theme.text),
        ("esc", theme.key),
        ("leaves the table", theme.text),
    ];
    canvas.put_all(1, y + 2, &keys);
}

fn draw_cell(cell: &Cell, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let x = canvas.put(3, y, &format!("from node {} to {}:", cell.from, cell.to), theme.text) + 1;
    let x = canvas.put(x, y, &cell.was.to_string(), theme.dim) + 1;
    let x = canvas.put(x, y, theme.signs.to, theme.dim) + 1;
    canvas.put(x, y, &cell.value.to_string(), theme.lit);
}

/// Findings by severity.
fn tally(Tally([errors, warnings, notes]): Tally) -> String {
    let parts = [text::count(errors, "error"), text::count(warnings, "warning"), text::count(notes, "note")];
    parts.join(", ")
}
