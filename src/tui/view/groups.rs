//! The groups of the chosen domain in ring order, its own first, each with a bar that shows which nodes are in it.

use crate::cpumask::CpuMask;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::kernel::{Domain, GroupView, Sgc};
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;

/// Rows a group takes.
const ROWS: u16 = 2;
/// Columns left of the bars.
const LEFT: u16 = 2;
/// The widest a node's block gets.
const WIDEST: u16 = 8;
/// Beyond this many looks at sets, which blocks are shared is not worked out: a frame must stay cheap.
const LOOKS: usize = 40_000;

pub(super) fn title(model: &Themed) -> String {
    let (cpu, level) = (model.selection.cpu, model.level_label(model.selection.level));
    format!("Groups {dot} CPU {cpu} {dot} {level}", dot = model.theme.signs.dot)
}

/// Part of the domain that a block stands for: a node, several, or CPUs of the one node there is.
struct Unit {
    cpus: CpuMask,
    label: String,
    /// In how many groups of the ring it is, at least partly.
    groups: usize,
}

/// The blocks of a domain and how they are drawn.
struct Strip {
    units: Vec<Unit>,
    /// Columns of a block, the gap after it included.
    width: u16,
    /// What the blocks are.
    noun: &'static str,
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let (built, theme) = (&model.built, canvas.theme);
    let Some(domain) = model.domain() else {
        let level = model.level_label(model.selection.level);
        canvas.put(1, 0, &format!("CPU {} has no domain at {level}", model.selection.cpu), theme.warn);
        return;
    };
    let groups = built.build.nr_groups(domain);
    if groups == 0 {
        canvas.put(1, 0, "no groups were built", theme.warn);
        return;
    }
    let strip = strip(model, domain, canvas.width());
    draw_header(&strip, canvas);
    let legend = u16::from(canvas.height() > 1 + ROWS * 2);
    let room = (canvas.height().saturating_sub(1 + legend) / ROWS).max(1);
    let list = RowList { each: ROWS, ..RowList::of_pane(model, Pane::Groups, 1, room) };
    draw_rows(
        &list,
        state,
        canvas,
        |position| Target::Row(Pane::Groups, position),
        |_, canvas, position, y| {
            draw_group(model, &strip, position, &built.build.group(domain, position), y, canvas);
        },
    );
    if legend > 0 {
        draw_legend(&strip, canvas);
    }
}

fn strip(model: &Themed, domain: &Domain, width: u16) -> Strip {
    let (built, build) = (&model.built, &model.built.build);
    let span = build.span(domain.span);
    let room = width.saturating_sub(LEFT + 1).max(1);
    let nodes = built.topology.nodes.iter().filter(|node| node.cpus.intersects(span));
    let mut parts: Vec<(String, CpuMask)> = nodes.map(|node| (node.id.to_string(), node.cpus.and(span))).collect();
    let noun = if parts.len() > 1 { "node" } else { "CPU" };
    if parts.len() <= 1 {
        // Within a node the blocks are CPUs, several to a block when there are many.
        let cpus: Vec<usize> = span.iter().collect();
        let each = cpus.len().div_ceil(usize::from(room)).max(1);
        parts = cpus.chunks(each).map(|cpus| (cpus[0].to_string(), cpus.iter().copied().collect())).collect();
    }
    let each = parts.len().div_ceil(usize::from(room)).max(1);
    let folded = parts.chunks(each).map(|parts| {
        let cpus = parts.iter().fold(CpuMask::new(), |all, (_, cpus)| all.or(cpus));
        Unit { cpus, label: parts[0].0.clone(), groups: 0 }
    });
    let mut units: Vec<Unit> = folded.collect();
    let overlap = build.levels.get(model.selection.level).is_some_and(|level| level.overlap);
    if overlap && units.len() * build.nr_groups(domain) <= LOOKS {
        for unit in &mut units {
            unit.groups = build.groups_of(domain).filter(|view| view.span.intersects(&unit.cpus)).count();
        }
    }
    let width = (room / units.len().max(1) as u16).clamp(1, WIDEST);
    Strip { units, width, noun }
}

fn draw_header(strip: &Strip, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let longest = strip.units.iter().map(|unit| text::width(&unit.label)).max().unwrap_or(1) as u16 + 1;
    // Labels wider than their block: only every so many have room.
    let every = usize::from(longest.div_ceil(strip.width).max(1));
    let mut end = LEFT;
    for (at, unit) in strip.units.iter().enumerate().step_by(every) {
        end = canvas.put(LEFT + at as u16 * strip.width, 0, &unit.label, theme.head);
    }
    canvas.put(end.max(LEFT + strip.units.len() as u16 * strip.width) + 1, 0, strip.noun, theme.dim);
}

fn draw_group(model: &Themed, strip: &Strip, position: usize, view: &GroupView, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    if position == 0 {
        canvas.put(0, y, theme.signs.mark, theme.lit);
    }
    for (at, unit) in strip.units.iter().enumerate() {
        let x = LEFT + at as u16 * strip.width;
        let inside = view.span.weight_and(&unit.cpus);
        let (sign, style) = match inside {
            0 => (theme.signs.none, theme.dim),
            some if some < unit.cpus.weight() => (theme.signs.part, theme.hue(at)),
            _ if unit.groups > 1 => (theme.signs.shared, theme.hue(at)),
            _ => (theme.signs.full, theme.hue(at)),
        };
        let columns = if strip.width > 1 { strip.width - 1 } else { 1 };
        canvas.put_in(x, y, columns, &sign.repeat(usize::from(columns)), style);
    }
    draw_facts(model, view, y + 1, canvas);
    if position == model.selection.group {
        canvas.put(0, y + 1, theme.signs.lit, theme.text);
    }
}

/// Span, balance mask, balance CPU, sgc and capacity of a group; in fewer words where there is little room.
fn draw_facts(model: &Themed, view: &GroupView, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let wide = canvas.width() >= 56;
    let sgc = format!("sgc {}", sgc_text(model, view));
    let balance = match (view.balance_cpu(), wide) {
        (Some(cpu), true) => format!("balance CPU {cpu}"),
        (Some(cpu), false) => format!("bal {cpu}"),
        (None, _) => "no balance CPU".to_owned(),
    };
    let fixed = (text::width(&balance) + text::width(&sgc) + "mask ".len() + 3 * 2) as u16;
    let room = canvas.width().saturating_sub(LEFT + fixed);
    // Span and mask share the room; what one does not need the other may take.
    let need = |cpus: &CpuMask| text::cpulist(cpus, usize::from(room), "").len().max(1) as u16;
    let (span, mask) = (need(view.span), need(view.mask));
    let span = span.min(room.saturating_sub(mask.min(room / 2)));
    let mut x = canvas.put_cpus(LEFT, y, span, view.span, theme.text) + 2;
    x = canvas.put(x, y, "mask", theme.dim) + 1;
    x = canvas.put_cpus(x, y, room - span, view.mask, theme.text) + 2;
    let style = if view.balance_cpu().is_some() { theme.text } else { theme.bad };
    x = canvas.put(x, y, &balance, style) + 2;
    x = canvas.put(x, y, &sgc, theme.text) + 2;
    let capacity = format!("capacity {}", view.sgc.capacity);
    let each = format!("{capacity}, {} a CPU", each_capacity(view.sgc));
    let fits = |text: &&String| x + text::width(text) as u16 <= canvas.width();
    if let Some(capacity) = [&each, &capacity].into_iter().find(fits) {
        canvas.put(x, y, capacity, theme.dim);
    }
}

/// The capacities of the CPUs of a group, smallest and largest.
pub(super) fn each_capacity(sgc: &Sgc) -> String {
    match (sgc.min_capacity, sgc.max_capacity) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min}-{max}"),
    }
}

fn sgc_text(model: &Themed, view: &GroupView) -> String {
    model.built.sgc_label(view.group.sgc, model.selection.level)
}

fn draw_legend(strip: &Strip, canvas: &mut Canvas) {
    let (theme, y) = (canvas.theme, canvas.height() - 1);
    let all = |text: &str| format!("{text} {}", strip.noun);
    let meanings = [
        (theme.signs.mark, "own group".to_owned()),
        (theme.signs.full, all("whole")),
        (theme.signs.shared, "in several groups".to_owned()),
        (theme.signs.part, "in part".to_owned()),
    ];
    let mut x = 0;
    for (sign, meaning) in meanings {
        if x + (text::width(sign) + text::width(&meaning)) as u16 + 1 > canvas.width() {
            break;
        }
        x = canvas.put(x, y, sign, theme.text) + 1;
        x = canvas.put(x, y, &meaning, theme.dim) + 2;
    }
}
