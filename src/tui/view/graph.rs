//! The nodes and the links between them; the span of the chosen domain or group lit.

use crate::analysis::graph::{Graph, Link, Point};
use crate::cpumask::CpuMask;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::appearance::Charset;
use crate::explore::vocabulary::pane::Pane;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget as _;
use ratatui::widgets::canvas::{Canvas as Plane, Line};

/// What a dotted line is made of where braille can't be drawn.
const DOT: &str = ".";

pub(super) fn title(model: &Themed) -> String {
    let dot = model.theme.signs.dot;
    let Some(domain) = model.domain() else { return "Graph".to_owned() };
    let level = model.level_label(model.selection.level);
    let span = text::cpulist(model.built.build.span(domain.span), 16, model.theme.signs.cut);
    let graph = model.built.graph();
    let links = if graph.links.len() > DENSE * graph.points.len() { " (its links)" } else { "" };
    format!("Graph{links} {dot} CPU {} {dot} {level} {span}", model.selection.cpu)
}

/// Columns a node's label takes: two signs and the id.
fn label_width(model: &Themed) -> u16 {
    let last = model.doc.topology().nodes.last().map_or(0, |node| node.id);
    last.checked_ilog10().unwrap_or(0) as u16 + 4
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    // The build the picture belongs to may be behind the table by a frame.
    let nodes = model.doc.topology().nodes.len();
    let graph = model.built.graph();
    let label = label_width(model);
    let room = usize::from(canvas.height()) * usize::from(canvas.width() / (label + 2));
    let lit = model.graphed();
    if graph.points.len() == nodes && nodes * 3 <= room && canvas.height() >= 3 {
        draw_plane(model, graph, &lit, state, canvas);
    } else {
        draw_grid(model, &lit, state, canvas);
    }
}

fn draw_plane(model: &Themed, graph: &Graph, lit: &CpuMask, state: &mut ViewState, canvas: &mut Canvas) {
    if model.focus == Pane::Graph {
        state.drawn.page = canvas.height();
    }
    let label = label_width(model);
    // The lines end in the middle of the labels.
    let area = canvas.area;
    let (wide, high) = (area.width.saturating_sub(label).max(1), area.height.saturating_sub(1).max(1));
    // A cell is twice as high as wide. Pulled further than this, what is square would no longer look it.
    let (width, height) = (wide.min(high.saturating_mul(4)), high.min(wide.div_ceil(2).max(3)));
    let field = Rect { x: area.x + label / 2 + (wide - width) / 2, y: area.y + (high - height) / 2, width, height };
    draw_links(model, graph, field, canvas);
    for node in 0..graph.points.len() {
        let (x, y) = cell_of(graph.points[node], field);
        let (x, y) = (x - area.x - label / 2, y - area.y);
        draw_label(model, node, lit, canvas, x, y);
        draw_distance(model, node, canvas, x, y + 1);
        state.region(canvas.run_area(x, y, label), Target::Row(Pane::Graph, node));
    }
}

/// The cell a point of the unit square is in.
fn cell_of(point: Point, field: Rect) -> (u16, u16) {
    let along = |share: f64, from: u16, long: u16| from + (share * f64::from(long - 1)).round() as u16;
    (along(point.x, field.x, field.width), along(point.y, field.y, field.height))
}

/// Graphs with more links a node than this show those of the chosen node only: more would hide each other.
const DENSE: usize = 3;

/// The links, those of the chosen node and the chosen pair above the others.
fn draw_links(model: &Themed, graph: &Graph, field: Rect, canvas: &mut Canvas) {
    let (from, to) = (model.selection.from, model.selection.to);
    let theme = canvas.theme;
    let chosen = Link { a: from.min(to), b: from.max(to) };
    let (mut near, mut rest): (Vec<Link>, Vec<Link>) =
        graph.links.iter().partition(|link| link.a == from || link.b == from);
    if graph.links.len() > DENSE * graph.points.len() {
        rest.clear();
    }
    if from != to && chosen.b < graph.points.len() && !near.contains(&chosen) {
        near.push(chosen);
    }
    draw_lines(model, graph, &rest, |_| theme.dim, field, canvas);
    draw_lines(model, graph, &near, |link| hue(model, link), field, canvas);
}

/// The colour of the level a pair meets at, as in the distance table.
fn hue(model: &Themed, link: Link) -> Style {
    match model.built.meeting_level(link.a, link.b) {
        Some(level) => model.theme.hue(model.built.hops(level)),
        None => model.theme.bad,
    }
}

fn draw_lines(
    model: &Themed,
    graph: &Graph,
    links: &[Link],
    style: impl Fn(Link) -> Style,
    field: Rect,
    canvas: &mut Canvas,
) {
    // Half a cell of margin, so that a line ends in the middle of its cell.
    let (wide, high) = (f64::from(field.width), f64::from(field.height));
    let x = |point: Point| point.x * (wide - 1.0) + 0.5;
    let y = |point: Point| high - (point.y * (high - 1.0) + 0.5);
    let plane = Plane::default().marker(Marker::Braille).x_bounds([0.0, wide]).y_bounds([0.0, high]);
    let plane = plane.paint(|context| {
        for &link in links {
            let (from, to) = (graph.points[link.a], graph.points[link.b]);
            context.draw(&Line::new(x(from), y(from), x(to), y(to), style(link).fg.unwrap_or_default()));
        }
    });
    let mut drawn = Buffer::empty(field);
    plane.render(field, &mut drawn);
    // Where there are no colours, what is bold or faint says the same.
    let base = links.first().map(|&link| Style { fg: None, ..style(link) }).unwrap_or_default();
    for (at, cell) in drawn.content().iter().enumerate().filter(|(_, cell)| cell.symbol() != " ") {
        if let Some(under) = canvas.buffer().cell_mut(drawn.pos_of(at)) {
            match model.options.charset {
                Charset::Ascii => under.set_symbol(DOT),
                Charset::Unicode => under.set_symbol(&merged(under.symbol(), cell.symbol())),
            };
            under.set_style(base.fg(cell.fg));
        }
    }
}

/// Two braille signs in one cell: the dots of both.
fn merged(one: &str, other: &str) -> String {
    let dots = |sign: &str| {
        let code = sign.chars().next().map_or(0, u32::from);
        if (BRAILLE..BRAILLE + 256).contains(&code) { code - BRAILLE } else { 0 }
    };
    char::from_u32(BRAILLE + (dots(one) | dots(other))).map_or_else(|| other.to_owned(), String::from)
}

/// The braille sign without dots.
const BRAILLE: u32 = 0x2800;

/// A node: how much of it is lit, and its id; the chosen one marked.
fn draw_label(model: &Themed, node: usize, lit: &CpuMask, canvas: &mut Canvas, x: u16, y: u16) {
    let theme = canvas.theme;
    let Some(of) = model.doc.topology().nodes.get(node) else { return };
    let width = label_width(model);
    let (sign, style) = match (of.cpus.intersects(lit), of.cpus.is_subset(lit)) {
        (false, _) => (theme.signs.none, theme.dim),
        (true, true) => (theme.signs.full, theme.hue(node)),
        (true, false) => (theme.signs.part, theme.hue(node)),
    };
    let chosen = node == model.selection.from;
    let mark = if chosen { theme.signs.mark } else { " " };
    canvas.put_in(x, y, width, &" ".repeat(usize::from(width)), theme.text);
    let after = canvas.put(x, y, mark, theme.lit);
    let after = canvas.put(after, y, sign, style);
    let style = if of.cpus.is_empty() { theme.dim } else { theme.text };
    canvas.put(after, y, &of.id.to_string(), style);
    if chosen {
        canvas.paint(x, y, width, if model.focus == Pane::Graph { theme.cell } else { theme.chosen });
    } else if node == model.selection.to {
        canvas.paint(x, y, width, theme.chosen_idle);
    }
}

/// How far a node is from the chosen one.
fn draw_distance(model: &Themed, node: usize, canvas: &mut Canvas, x: u16, y: u16) {
    let from = model.selection.from;
    let distances = &model.doc.topology().distances;
    if node == from || y >= canvas.height() || from >= distances.nodes() {
        return;
    }
    let link = Link { a: from, b: node };
    canvas.put(x + 2, y, &distances.get(from, node).to_string(), hue(model, link));
}

/// Every node in rows, with its distance from the chosen one: what is left when a plane is too small.
fn draw_grid(model: &Themed, lit: &CpuMask, state: &mut ViewState, canvas: &mut Canvas) {
    let nodes = model.doc.topology().nodes.len();
    let label = label_width(model);
    let cell = label + 5;
    let columns = usize::from((canvas.width() / cell).max(1));
    let rows = nodes.div_ceil(columns);
    state.drawn.grid = Some(columns);
    let list = RowList::of_pane(model, Pane::Graph, 0, canvas.height());
    let list = RowList { len: rows, chosen: model.selection.from / columns, mark: None, ..list };
    draw_rows(
        &list,
        state,
        canvas,
        |_| Target::Pane(Pane::Graph),
        |state, canvas, row, y| {
            for (column, node) in (row * columns..nodes.min((row + 1) * columns)).enumerate() {
                let x = column as u16 * cell;
                draw_label(model, node, lit, canvas, x, y);
                let distances = &model.doc.topology().distances;
                if node != model.selection.from && model.selection.from < distances.nodes() {
                    let link = Link { a: model.selection.from, b: node };
                    canvas.put_in(x + label, y, 4, &distances.get(link.a, link.b).to_string(), hue(model, link));
                }
                state.region(canvas.run_area(x, y, cell), Target::Row(Pane::Graph, node));
            }
        },
    );
}
