//! A repair sought or offered: the finding, the cells to change, and what becomes of the findings.

use super::overlay::open_box;
use crate::analysis::repair::{BUDGET, Cell, Repair, Tally};
use crate::explore::state::repair::RepairOffer;
use crate::explore::text;
use crate::explore::vocabulary::command::Command;
use crate::formats::visible;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;
use ratatui::layout::Rect;

/// The widest the box gets.
const WIDEST: u16 = 78;
/// Lines the finding may take.
const MESSAGE: usize = 3;
/// Rows besides the finding and the cells: the frame, the heads, the tally, the keys.
const AROUND: u16 = 8;

pub(super) fn draw(model: &Themed, offer: &RepairOffer, state: &mut ViewState, screen: &mut Canvas) {
    let width = screen.width().saturating_sub(2).min(WIDEST);
    let message = visible(&offer.request.finding.message);
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
        Some(repair) => draw_offer(model, repair, offer.top, state, &mut canvas),
        None => draw_search(model, offer, &mut canvas),
    }
}

fn draw_search(model: &Themed, offer: &RepairOffer, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let builds = offer.request.progress.builds();
    let text = format!("looking for the smallest change of the table: {builds} of at most {BUDGET} builds");
    canvas.put(1, 0, &text, theme.pending);
    let stop = model.keys.key_of(Command::RefuseRepair);
    canvas.put_all(1, 2, &[(stop.as_str(), theme.key), ("stops", theme.text)]);
}

fn draw_offer(model: &Themed, repair: &Repair, top: usize, state: &mut ViewState, canvas: &mut Canvas) {
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
        let [down, up] = [Command::RepairDown, Command::RepairUp].map(|command| model.keys.key_of(command));
        let more = format!(" {top} above, {hidden} below: {down} and {up} ");
        canvas.put_right(canvas.width().saturating_sub(1), room, &more, theme.warn);
    }
    let y = canvas.height().saturating_sub(3);
    canvas.put(1, y, "findings", theme.head);
    let before = format!("{} {} {}", tally(repair.before), theme.signs.to, tally(repair.after));
    let fewer = repair.after.serious() < repair.before.serious();
    canvas.put(11, y, &before, if fewer { theme.good } else { theme.text });
    let [accept, refuse] = [Command::AcceptRepair, Command::RefuseRepair].map(|command| model.keys.key_of(command));
    let keys = [
        (accept.as_str(), theme.key),
        ("makes it, one step to undo", theme.text),
        (refuse.as_str(), theme.key),
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
