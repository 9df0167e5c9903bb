//! CPUs × levels: a row per CPU, a column per level, lowest level first. Header, CPU and node stay in place.

use crate::cpumask::CpuMask;
use crate::explore::derived::cpu_rows::CpuRow;
use crate::explore::state::modes::DegeneratedRows;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::kernel::Fate;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ViewState, scroll};
use ratatui::style::Style;

const NARROWEST: usize = 5;
const HEADER: [&str; 2] = ["CPU", "node"];

pub(super) fn title(model: &Themed) -> String {
    let cpus = model.built.build.nr_cpus;
    let (dot, rows) = (model.theme.signs.dot, &model.cpu_rows);
    let only = if model.listing.only.is_some() { "some of " } else { "" };
    let folded = if model.is_folded() { format!(" {dot} {}", text::count(rows.len(), "row")) } else { String::new() };
    format!("CPUs by level {dot} {only}{cpus}{folded}")
}

/// Which level is drawn where.
struct Column {
    level: usize,
    x: u16,
    width: u16,
}

struct Map<'a> {
    model: &'a Themed<'a>,
    /// Columns of the CPU number and the node id.
    fixed: [u16; 2],
    columns: Vec<Column>,
    lit: CpuMask,
    focused: bool,
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let fixed = fixed_columns(model);
    let columns = columns(model, state, start(fixed), canvas.width());
    let map = Map { model, fixed, columns, lit: model.lit(), focused: model.focus == Pane::Cpus };
    draw_header(&map, state, canvas);
    let list = RowList { mark: None, ..RowList::of_pane(model, Pane::Cpus, 1, canvas.height().saturating_sub(1)) };
    let first_cpu = |at| model.cpu_rows.get(at).map_or(0, |row| row.first);
    draw_rows(
        &list,
        state,
        canvas,
        |at| Target::Cpu(first_cpu(at), None),
        |state, canvas, at, y| {
            if let Some(row) = model.cpu_rows.get(at) {
                draw_row(&map, row, y, state, canvas);
            }
        },
    );
}

/// Columns of the CPU number and the node id.
fn fixed_columns(model: &Themed) -> [u16; 2] {
    let cpu = model.cpu_rows.width();
    [cpu.max(HEADER[0].len()) as u16, HEADER[1].len() as u16]
}

/// Where the levels begin.
fn start(fixed: [u16; 2]) -> u16 {
    1 + fixed[0] + 1 + fixed[1] + 2
}

/// Columns a level takes, the gap after it included.
fn level_width(model: &Themed, level: usize) -> u16 {
    let label = text::width(model.level_label(level));
    model.built.span_width(level).max(label).max(NARROWEST) as u16 + 2
}

/// Columns the whole map takes.
pub(super) fn natural_width(model: &Themed) -> u16 {
    let levels = (0..model.built.build.levels.len()).filter(|&level| is_shown(model, level));
    start(fixed_columns(model)) + levels.map(|level| level_width(model, level)).sum::<u16>()
}

/// No column is made narrower than this to let others in.
const SQUEEZED: u16 = 14;

/// The widest a column may be so that all of them fit, if they can.
fn widest(widths: &[u16], room: u16) -> u16 {
    let fits = |most: &u16| widths.iter().map(|width| *width.min(most)).sum::<u16>() <= room;
    let natural = widths.iter().copied().max().unwrap_or(0);
    (SQUEEZED..=natural).rev().find(fits).unwrap_or(SQUEEZED)
}

/// The levels that fit from the scrolled-to one on, the chosen one among them.
fn columns(model: &Themed, state: &mut ViewState, start: u16, room: u16) -> Vec<Column> {
    let shown: Vec<usize> = (0..model.built.build.levels.len()).filter(|&level| is_shown(model, level)).collect();
    let mut widths: Vec<u16> = shown.iter().map(|&level| level_width(model, level)).collect();
    let room = room.saturating_sub(start);
    let most = widest(&widths, room).min(room);
    for width in &mut widths {
        *width = (*width).min(most);
    }
    let chosen = shown.iter().position(|&level| level >= model.selection.level).unwrap_or(0);
    // How many fit that end with the chosen one, and how many that end with the last one.
    let ending_at = |end: usize| {
        let mut used = 0;
        let fitting = widths[..end].iter().rev().take_while(|&&width| {
            used += width;
            used <= room
        });
        fitting.count().max(1)
    };
    let offset = &mut state.columns[Pane::Cpus as usize];
    scroll(offset, chosen, ending_at(shown.len().min(chosen + 1)), shown.len());
    *offset = (*offset).min(shown.len().saturating_sub(ending_at(shown.len()))).min(chosen);
    let mut used = 0;
    let mut columns = Vec::new();
    for (&level, &width) in shown.iter().zip(&widths).skip(*offset) {
        if used + 3 > room {
            break;
        }
        columns.push(Column { level, x: start + used, width: width.min(room - used) });
        used += width;
    }
    columns
}

/// Levels that degenerated on every CPU give way when such levels are hidden.
fn is_shown(model: &Themed, level: usize) -> bool {
    model.degenerated == DegeneratedRows::Shown || level == model.selection.level || model.built.is_kept_anywhere(level)
}

fn draw_header(map: &Map, state: &ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    canvas.put_right(1 + map.fixed[0], 0, HEADER[0], theme.head);
    canvas.put_right(2 + map.fixed[0] + map.fixed[1], 0, HEADER[1], theme.head);
    if state.columns[Pane::Cpus as usize] > 0 {
        canvas.put(2 + map.fixed[0] + map.fixed[1], 0, "<", theme.warn);
    }
    for column in &map.columns {
        let style = if column.level == map.model.selection.level { theme.head_focus } else { theme.head };
        canvas.put_in(column.x, 0, column.width, map.model.level_label(column.level), style);
    }
    let last = map.columns.last().map_or(0, |column| column.level);
    if (last + 1..map.model.built.build.levels.len()).any(|level| is_shown(map.model, level)) {
        canvas.put(canvas.width().saturating_sub(1), 0, ">", theme.warn);
    }
}

fn draw_row(map: &Map, row: CpuRow, y: u16, state: &mut ViewState, canvas: &mut Canvas) {
    let (model, theme) = (map.model, canvas.theme);
    let cpu = row.first;
    let chosen = (row.first..=row.last).contains(&model.selection.cpu);
    let lit = map.lit.next_from(row.first).is_some_and(|lit| lit <= row.last);
    let mark = if chosen { theme.signs.mark } else { theme.signs.lit };
    if chosen || lit {
        canvas.put(0, y, mark, theme.lit);
    }
    let style = if lit { theme.lit } else { theme.text };
    canvas.put_right(1 + map.fixed[0], y, &row.label(), style);
    let node = model.built.node_of.get(cpu).copied().flatten();
    let id = node.map_or("-".to_owned(), |index| model.built.topology.nodes[index as usize].id.to_string());
    canvas.put_right(2 + map.fixed[0] + map.fixed[1], y, &id, theme.dim);
    if let Some(why) = without_domains(model, cpu) {
        canvas.put(4 + map.fixed[0] + map.fixed[1], y, why, theme.warn);
    } else {
        for column in &map.columns {
            draw_cell(model, row, column, y, canvas);
            state.region(canvas.run_area(column.x, y, column.width), Target::Cpu(cpu, Some(column.level)));
        }
    }
    if chosen {
        canvas.paint_row(y, if map.focused { theme.chosen } else { theme.chosen_idle });
        let cell = map.columns.iter().find(|column| column.level == model.selection.level);
        if let Some(column) = cell.filter(|_| map.focused) {
            canvas.paint(column.x, y, column.width.saturating_sub(1), theme.cell);
        }
    }
}

fn draw_cell(model: &Themed, row: CpuRow, column: &Column, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let width = column.width.saturating_sub(1);
    let Some(domain) = model.built.build.domain(row.first, column.level) else {
        canvas.put_in(column.x, y, width, theme.signs.none, theme.dim);
        return;
    };
    let span = model.built.build.span(domain.span);
    if !span_holds(span, row) {
        // Each core or cluster has its own here: the first one's, and a sign that there are others.
        let more = format!("{}{}", text::cpulist(span, usize::from(width), ""), theme.signs.cut);
        canvas.put_in(column.x, y, width, &more, theme.dim);
        return;
    }
    match (domain.fate, model.degenerated) {
        (Fate::Kept, _) => {
            let style = theme.hue(model.built.hue(column.level, domain.span));
            canvas.put_cpus(column.x, y, width, span, style);
        }
        (_, DegeneratedRows::Shown) => put_degenerated(canvas, column.x, y, width, span),
        (_, DegeneratedRows::Hidden) => {
            canvas.put_in(column.x, y, width, theme.signs.none, theme.dim);
        }
    }
}

/// Whether all of a row is in one span.
fn span_holds(span: &CpuMask, row: CpuRow) -> bool {
    row.count() == 1 || span.ranges().any(|(first, last)| first <= row.first && row.last <= last)
}

/// A span in brackets: built, and degenerated.
fn put_degenerated(canvas: &mut Canvas, x: u16, y: u16, width: u16, span: &CpuMask) {
    let style: Style = canvas.theme.dim;
    canvas.put_in(x, y, width, "(", style);
    let end = canvas.put_cpus(x + 1, y, width.saturating_sub(2), span, style);
    canvas.put(end, y, ")", style);
}

/// Why a CPU has no domains, if so.
pub(super) fn without_domains(model: &Themed, cpu: usize) -> Option<&'static str> {
    let built = &model.built;
    if !built.build.online.contains(cpu) {
        Some("offline")
    } else if built.topology.isolated.contains(cpu) {
        Some("isolated: no domains")
    } else if built.build.domain(cpu, 0).is_none() {
        Some("no domains")
    } else {
        None
    }
}
