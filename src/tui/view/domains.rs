//! The domains of the chosen CPU, the widest at the top; below them what else is known of the chosen one.

use super::cpus;
use crate::explore::derived::build_view::fate_text;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::kernel::{Domain, Fate, Flags};
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;
use ratatui::style::Style;

/// The most and the fewest rows of details below the list.
const DETAILS: (u16, u16) = (9, 4);

pub(super) fn title(model: &Themed) -> String {
    let cpu = model.selection.cpu;
    let node = model.built.node_of.get(cpu).copied().flatten();
    let id = node.map(|index| model.built.topology.nodes[index as usize].id);
    match id {
        Some(id) => format!("Domains {dot} CPU {cpu} {dot} node {id}", dot = model.theme.signs.dot),
        None => format!("Domains {} CPU {cpu}", model.theme.signs.dot),
    }
}

/// Where the columns begin.
struct Columns {
    span: u16,
    groups: u16,
    /// None where there is no room for anything that helps.
    flags: Option<u16>,
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let rows = model.domain_rows();
    let theme = canvas.theme;
    if rows.is_empty() {
        let why = cpus::without_domains(model, model.selection.cpu);
        canvas.put(1, 0, why.unwrap_or("no domain stays"), theme.warn);
        return;
    }
    let columns = columns(model, &rows, canvas.width());
    canvas.put(2, 0, "level", theme.head);
    canvas.put(columns.span, 0, "span", theme.head);
    canvas.put(columns.groups, 0, "groups", theme.head);
    if let Some(x) = columns.flags {
        canvas.put(x, 0, "flags", theme.head);
    }
    let room = canvas.height().saturating_sub(1);
    let spare = room.saturating_sub(rows.len() as u16 + 1);
    let details = if spare < DETAILS.1 { 0 } else { spare.min(DETAILS.0) };
    let list = RowList::of_pane(model, Pane::Domains, 1, room - details);
    // The chosen level may have no domain here: the row where it would be is then in sight, but not marked.
    let is_there = rows.get(list.chosen) == Some(&model.selection.level);
    let list = RowList { mark: list.mark.filter(|_| is_there), ..list };
    draw_rows(
        &list,
        state,
        canvas,
        |row| Target::Row(Pane::Domains, row),
        |_, canvas, row, y| {
            let Some(domain) = model.built.build.domain(model.selection.cpu, rows[row]) else { return };
            draw_row(model, rows[row], domain, &columns, y, canvas);
            if is_there && row == list.chosen {
                canvas.put(0, y, theme.signs.mark, theme.lit);
            }
        },
    );
    if details > 0 {
        draw_details(model, details, canvas);
    }
}

fn columns(model: &Themed, rows: &[usize], width: u16) -> Columns {
    let label = rows.iter().map(|&level| text::width(model.level_label(level))).max().unwrap_or(0).max(5) as u16;
    let widest = rows
        .iter()
        .filter_map(|&level| model.built.build.domain(model.selection.cpu, level))
        .map(|domain| span_text(model, domain, 40).len())
        .max()
        .unwrap_or(0) as u16;
    let span = 2 + label + 1;
    let most = width.saturating_sub(span + 8).max(4);
    let groups = span + widest.max(4).min(most) + 1;
    Columns { span, groups, flags: (groups + 8 + 12 <= width).then_some(groups + 8) }
}

/// Span and weight.
fn span_text(model: &Themed, domain: &Domain, columns: usize) -> String {
    let list = text::cpulist(model.built.build.span(domain.span), columns, model.theme.signs.cut);
    format!("{list} ({})", model.built.build.spans.weight(domain.span))
}

fn draw_row(model: &Themed, level: usize, domain: &Domain, columns: &Columns, y: u16, canvas: &mut Canvas) {
    let (build, theme) = (&model.built.build, canvas.theme);
    let kept = domain.fate == Fate::Kept;
    let style = |style: Style| if kept { style } else { theme.dim };
    canvas.put_in(2, y, columns.span - 3, model.level_label(level), style(theme.text));
    let room = columns.groups - columns.span - 1;
    let weight = format!(" ({})", build.spans.weight(domain.span));
    let hue = theme.hue(model.built.hue(level, domain.span));
    let list_room = room.saturating_sub(weight.len() as u16);
    let x = canvas.put_cpus(columns.span, y, list_room, build.span(domain.span), style(hue));
    canvas.put_in(x, y, weight.len() as u16, &weight, theme.dim);
    if !kept {
        canvas.put(x + weight.len() as u16 + 2, y, fate_text(domain.fate), theme.dim);
        return;
    }
    canvas.put_right(columns.groups + 6, y, &build.nr_groups(domain).to_string(), theme.text);
    if let Some(x) = columns.flags {
        canvas.put(x, y, &short_flags(model, domain), theme.dim);
    }
}

/// The flags without the prefix they all have. Those that degeneration gave have a plus; those it took come last, with
/// a minus.
fn short_flags(model: &Themed, domain: &Domain) -> String {
    let (before, now) = (domain.built_flags, domain.flags);
    let marked = |flags: Flags, mark: &'static str| {
        let names = flags.names(model.release.rules.llc_flag_name);
        names.map(move |name| format!("{mark}{}", name.strip_prefix("SD_").unwrap_or(name)))
    };
    let changed = marked(now.without(before), "+").chain(marked(before.without(now), "-"));
    marked(now & before, "").chain(changed).collect::<Vec<_>>().join(" ")
}

/// What the marks of [`short_flags`] mean, where there are any.
fn marks(domain: &Domain) -> &'static str {
    if domain.flags == domain.built_flags { "" } else { " (+ given, - taken as other levels degenerated)" }
}

/// All flags and numbers of the chosen domain, and what the CPU points at.
fn draw_details(model: &Themed, rows: u16, canvas: &mut Canvas) {
    let Some(domain) = model.domain() else { return };
    let (build, theme) = (&model.built.build, canvas.theme);
    let bottom = canvas.height();
    let top = bottom - rows;
    let line = theme.signs.line.repeat(usize::from(canvas.width()));
    canvas.put(0, top, &line, theme.frame);
    let flags = if domain.fate == Fate::Kept {
        format!("{}{}", short_flags(model, domain), marks(domain))
    } else {
        format!("{}; built with {}", fate_text(domain.fate), domain.built_flags).replace("SD_", "")
    };
    let numbers = format!(
        "interval {}-{}, imbalance {}%, tries {}, imb_numa_nr {}",
        domain.interval,
        u64::from(domain.interval) * 2,
        build.imbalance_pct(domain),
        build.cache_nice_tries(domain),
        domain.imb_numa_nr
    );
    let mut y = top + 1;
    let counted = super::counters::chosen(model).map(|text| (text, theme.text));
    let lines = [(flags, theme.text), (numbers, theme.dim), (pointers(model), theme.dim)];
    for (text, style) in counted.into_iter().chain(lines) {
        y = canvas.put_wrapped(1, y, &text, style);
    }
}

/// What the chosen CPU points at.
fn pointers(model: &Themed) -> String {
    let Some(pointers) = model.built.build.pointers.get(model.selection.cpu) else { return String::new() };
    let name = |level: Option<u32>| level.map_or("none", |level| model.level_label(level as usize));
    format!(
        "CPU {}: capacity {}, sd_llc {} (id {}, size {}), sd_numa {}",
        model.selection.cpu,
        pointers.cpu_capacity,
        name(pointers.sd_llc),
        pointers.sd_llc_id,
        pointers.sd_llc_size,
        name(pointers.sd_numa)
    )
}
