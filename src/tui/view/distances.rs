//! The distance table, edited in place. Rows are *from*, columns are *to*; both carry node ids.

use crate::explore::state::modes::{NodeCpus, Symmetry};
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::topology::Topology;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};
use ratatui::style::Style;

/// Rows above the first node: the column headers and a line.
const TOP: u16 = 2;

pub(super) fn title(model: &Themed) -> String {
    let dot = model.theme.signs.dot;
    match model.symmetry {
        Symmetry::Both => format!("Distances {dot} symmetric"),
        Symmetry::OneWay => format!("Distances {dot} one way"),
    }
}

/// Columns a cell takes, and columns the row header takes.
pub(super) fn cell_widths(topology: &Topology) -> (u16, u16) {
    let largest = topology.distances.rows().flatten().max().copied().unwrap_or(0);
    let last = topology.nodes.last().map_or(0, |node| node.id);
    let digits = |number: u32| number.checked_ilog10().unwrap_or(0) as u16 + 1;
    // A blank, the number, and room for the sign that the way back differs.
    (digits(largest).max(digits(last)).max(2) + 2, digits(last).max(2) + 1)
}

/// Columns the nodes' CPUs take beside the table, where they are listed.
pub(super) fn cpus_width(model: &Themed) -> u16 {
    match model.node_cpus {
        NodeCpus::Shown => 20,
        NodeCpus::Hidden => 0,
    }
}

/// What is drawn where, for one frame.
struct DistanceGrid<'a> {
    model: &'a Themed<'a>,
    cell: u16,
    header: u16,
    first_column: usize,
    columns: usize,
    focused: bool,
}

impl DistanceGrid<'_> {
    fn x(&self, column: usize) -> u16 {
        self.header + 1 + (column - self.first_column) as u16 * self.cell
    }

    /// Where the nodes' CPUs are listed, if they are.
    fn cpus(&self) -> Option<u16> {
        let shown = self.shown_columns().len() as u16;
        (self.model.node_cpus == NodeCpus::Shown).then_some(self.header + 2 + shown * self.cell)
    }

    fn shown_columns(&self) -> std::ops::Range<usize> {
        let nodes = self.model.doc.topology().nodes.len();
        self.first_column..nodes.min(self.first_column + self.columns)
    }
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let topology = model.doc.topology();
    let nodes = topology.nodes.len();
    let (cell, header) = cell_widths(topology);
    let columns = usize::from((canvas.width().saturating_sub(header + 1 + cpus_width(model)) / cell).max(1));
    // The line about the chosen pair goes before a row of the table does.
    let info = u16::from(canvas.height() > TOP + 3);
    let room = canvas.height().saturating_sub(TOP + info).max(1);
    let first_column = state.scroll_to(ScrollOf::Columns(Pane::Distances), model.selection.to, columns, nodes);
    let focused = model.focus == Pane::Distances;
    let table = DistanceGrid { model, cell, header, first_column, columns, focused };
    draw_header(&table, canvas);
    let list = RowList { mark: None, ..RowList::of_pane(model, Pane::Distances, TOP, room) };
    draw_rows(
        &list,
        state,
        canvas,
        |_| Target::Pane(Pane::Distances),
        |state, canvas, row, y| {
            draw_row(&table, row, y, state, canvas);
        },
    );
    if info > 0 {
        draw_pair(model, canvas);
    }
}

fn header_style(model: &Themed, index: usize, chosen: usize) -> Style {
    let topology = model.doc.topology();
    if index == chosen {
        model.theme.head_focus
    } else if topology.nodes[index].cpus.is_empty() {
        model.theme.dim
    } else {
        model.theme.head
    }
}

fn draw_header(table: &DistanceGrid, canvas: &mut Canvas) {
    let theme = canvas.theme;
    for column in table.shown_columns() {
        let id = table.model.doc.topology().nodes[column].id.to_string();
        let style = header_style(table.model, column, table.model.selection.to);
        canvas.put_right(table.x(column) + table.cell - 1, 0, &id, style);
    }
    let line = theme.signs.line.repeat(usize::from(canvas.width()));
    canvas.put(0, 1, &line, theme.frame);
    if let Some(x) = table.cpus() {
        canvas.put(x, 0, "CPUs", theme.head);
    }
    // More columns to either side than fit.
    let nodes = table.model.doc.topology().nodes.len();
    if table.first_column > 0 {
        canvas.put(table.header, 0, "<", theme.warn);
    }
    if table.first_column + table.columns < nodes {
        let x = table.cpus().unwrap_or(canvas.width()).saturating_sub(1);
        canvas.put(x, 0, ">", theme.warn);
    }
}

fn draw_row(table: &DistanceGrid, row: usize, y: u16, state: &mut ViewState, canvas: &mut Canvas) {
    let (theme, model) = (canvas.theme, table.model);
    let id = model.doc.topology().nodes[row].id.to_string();
    canvas.put_right(table.header, y, &id, header_style(model, row, model.selection.from));
    canvas.put(table.header, y, theme.signs.rule, theme.frame);
    for column in table.shown_columns() {
        draw_cell(table, row, column, y, canvas);
        state.region(canvas.run_area(table.x(column), y, table.cell), Target::Cell(row, column));
    }
    if let Some(x) = table.cpus() {
        canvas.put_cpus(x, y, canvas.width(), &model.doc.topology().nodes[row].cpus, theme.hue(row));
    }
}

fn draw_cell(table: &DistanceGrid, row: usize, column: usize, y: u16, canvas: &mut Canvas) {
    let (theme, model) = (canvas.theme, table.model);
    let distances = &model.doc.topology().distances;
    let (there, back) = (distances.get(row, column), distances.get(column, row));
    let chosen = (row, column) == (model.selection.from, model.selection.to);
    let (text, style) = match &model.entry {
        Some(entry) if chosen => (entry.digits.clone(), theme.pending),
        _ => (there.to_string(), cell_style(table, row, column)),
    };
    let x = table.x(column);
    canvas.paint(x, y, table.cell, style);
    canvas.put_right(x + table.cell - 1, y, &text, style);
    let sign = match &model.entry {
        Some(_) if chosen => theme.signs.cursor,
        _ if there != back => theme.signs.unequal,
        _ => return,
    };
    canvas.put(x + table.cell - 1, y, sign, style);
}

/// The colour of the level the pair meets at; the chosen row and column stand out, the chosen cell most.
fn cell_style(table: &DistanceGrid, row: usize, column: usize) -> Style {
    let (model, theme) = (table.model, &table.model.theme);
    match (row == model.selection.from, column == model.selection.to) {
        (true, true) if table.focused => theme.cell,
        (true, true) => theme.chosen,
        (true, false) | (false, true) => theme.cross(level_style(model, row, column)),
        (false, false) => level_style(model, row, column),
    }
}

fn level_style(model: &Themed, row: usize, column: usize) -> Style {
    if row == column {
        return model.theme.dim;
    }
    match model.built.meeting_level(row, column) {
        Some(level) => model.theme.hue(model.built.hops(level)),
        None => model.theme.bad,
    }
}

/// The chosen pair in words.
fn draw_pair(model: &Themed, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let topology = model.doc.topology();
    let (from, to) = (model.selection.from, model.selection.to);
    let y = canvas.height() - 1;
    let (Some(a), Some(b)) = (topology.nodes.get(from), topology.nodes.get(to)) else { return };
    if from == to {
        let cpus = format!("node {} {}", a.id, if a.cpus.is_empty() { "has no CPUs" } else { "CPUs" });
        let x = canvas.put(0, y, &cpus, theme.head) + 1;
        if !a.cpus.is_empty() {
            canvas.put_cpus(x, y, canvas.width(), &a.cpus, theme.text);
        }
        return;
    }
    let (there, back) = (topology.distances.get(from, to), topology.distances.get(to, from));
    let pair = format!("{} {} {}", a.id, theme.signs.to, b.id);
    let mut pieces = vec![(pair, theme.head), (there.to_string(), theme.text)];
    if there != back {
        pieces.push((format!("back {back}"), theme.warn));
    }
    if model.entry.as_ref().is_some_and(|entry| entry.value().is_none()) {
        pieces.push(("unfinished: 10 or more".to_owned(), theme.warn));
    } else {
        pieces.push(meeting(model, from, to));
    }
    let pieces: Vec<(&str, Style)> = pieces.iter().map(|(text, style)| (text.as_str(), *style)).collect();
    canvas.put_all(0, y, &pieces);
}

/// Where the pair meets.
fn meeting(model: &Themed, from: usize, to: usize) -> (String, Style) {
    let nodes = &model.doc.topology().nodes;
    if nodes[from].cpus.is_empty() || nodes[to].cpus.is_empty() {
        let id = if nodes[from].cpus.is_empty() { nodes[from].id } else { nodes[to].id };
        return (format!("node {id} has no CPUs"), model.theme.dim);
    }
    match model.built.meeting_level(from, to) {
        Some(level) => {
            let text = format!("meet at {}", model.level_label(level));
            (text, model.theme.hue(model.built.hops(level)))
        }
        None => ("never meet".to_owned(), model.theme.bad),
    }
}
