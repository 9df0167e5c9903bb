//! Node × node: the lowest level at which the row can pull directly from the column, and why for the chosen pair.

use super::parts::{halves, open_frame};
use super::strip::Strip;
use crate::analysis::reach::{self, Obstacle};
use crate::cpumask::CpuMask;
use crate::explore::state::reach::PairState;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::Command;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Rows above the first node.
const TOP: u16 = 2;

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let [left, right] = halves(canvas.area, 100, 58);
    let left = open_frame(model, canvas, left, &title(model), true);
    draw_matrix(model, state, &mut canvas.part(left));
    let right = open_frame(model, canvas, right, &pair_title(model), false);
    draw_pair(model, &mut canvas.part(right));
}

fn title(model: &Themed) -> String {
    let reach = &model.screens.reach.reach;
    let dot = model.theme.signs.dot;
    let (holes, stuck) = (reach.holes.len(), reach.stuck().count());
    if holes + stuck == 0 {
        return format!("Reach {dot} every pair of nodes can pull");
    }
    format!("Reach {dot} {} {dot} {stuck} blocked", text::count(holes, "hole"))
}

fn node_id(model: &Themed, index: usize) -> String {
    model.built.topology.nodes.get(index).map_or_else(|| "-".to_owned(), |node| node.id.to_string())
}

/// Whether a cell is hidden: while the lesson asks, only the pair it talks about is open.
fn is_hidden(model: &Themed, puller: usize, source: usize) -> bool {
    let lesson = &model.screens.lesson;
    let open = lesson.step().and_then(|step| step.pair);
    lesson.asks() && open.is_some_and(|(a, b)| (puller, source) != (a, b) && (puller, source) != (b, a))
}

/// A cell: a level in few letters and a sign, or only a sign.
fn cell(model: &Themed, puller: usize, source: usize) -> (String, Style) {
    let (theme, reach) = (&model.theme, &model.screens.reach);
    if is_hidden(model, puller, source) {
        return ("?".to_owned(), theme.dim);
    }
    let level = reach.level(puller, source);
    let label = level.map_or_else(String::new, |level| short(model.level_label(level)));
    let hue = || level.map_or(theme.dim, |level| theme.hue(model.built.hops(level)));
    match reach.pair_state(puller, source) {
        PairState::Hole => (theme.signs.bad.to_owned(), theme.bad),
        PairState::Stuck => (format!("{label}!"), theme.warn),
        PairState::Relayed => (format!("{label}*"), hue()),
        PairState::Direct if puller == source => (label, theme.dim),
        PairState::Direct => (label, hue()),
        PairState::Apart => (theme.signs.none.to_owned(), theme.dim),
    }
}

/// A level's name in two or three letters: NUMA levels are numbered, so `N2`.
fn short(label: &str) -> String {
    match label.strip_prefix("NUMA-") {
        Some(number) => format!("N{number}"),
        None => label.chars().take(3).collect(),
    }
}

fn draw_matrix(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let nodes = model.screens.reach.reach.nodes.len();
    let digits = (0..nodes).map(|index| node_id(model, index).len()).max().unwrap_or(1) as u16;
    let (width, header) = (digits.max(3) + 2, digits + 2);
    let columns = usize::from((canvas.width().saturating_sub(header + 1) / width).max(1));
    let legend = u16::from(canvas.height() > TOP + 3);
    let height = canvas.height().saturating_sub(TOP + legend).max(1);
    let (from, to) = (model.selection.from, model.selection.to);
    let first_column = state.scroll_to(ScrollOf::Sources, to, columns, nodes);
    let shown = first_column..nodes.min(first_column + columns);
    let x_of = |column: usize| header + 1 + (column - first_column) as u16 * width;
    for column in shown.clone() {
        let style = if column == to { theme.head_focus } else { theme.head };
        canvas.put_right(x_of(column) + width - 2, 0, &node_id(model, column), style);
    }
    let more = (first_column > 0, shown.end < nodes);
    canvas.put(0, 0, if more.0 { "<" } else { "" }, theme.warn);
    canvas.put(canvas.width().saturating_sub(1), 0, if more.1 { ">" } else { "" }, theme.warn);
    canvas.put(0, 1, &theme.signs.line.repeat(usize::from(canvas.width())), theme.frame);
    let list = RowList { top: TOP, mark: None, ..RowList::with_keys(model, ScrollOf::Pullers, height, nodes, from) };
    draw_rows(
        &list,
        state,
        canvas,
        |row| Target::Cell(row, to),
        |state, canvas, row, y| {
            let style = if row == from { theme.head_focus } else { theme.head };
            canvas.put_right(header - 1, y, &node_id(model, row), style);
            canvas.put(header, y, theme.signs.rule, theme.frame);
            for column in shown.clone() {
                let (text, style) = cell(model, row, column);
                let style = match (row == from, column == to) {
                    (true, true) => theme.cell,
                    (true, false) | (false, true) => theme.cross(style),
                    (false, false) => style,
                };
                let x = x_of(column);
                canvas.paint(x, y, width, style);
                canvas.put_right(x + width - 1, y, &text, style);
                state.region(canvas.run_area(x, y, width), Target::Cell(row, column));
            }
        },
    );
    if legend > 0 {
        draw_legend(canvas);
    }
}

fn draw_legend(canvas: &mut Canvas) {
    let (theme, y) = (canvas.theme, canvas.height() - 1);
    let pieces = [
        ("row pulls from column", theme.dim),
        (theme.signs.bad, theme.bad),
        ("never", theme.dim),
        ("!", theme.warn),
        ("never let through", theme.dim),
        ("*", theme.text),
        ("another CPU pulls for it", theme.dim),
    ];
    canvas.put_all(0, y, &pieces);
}

fn pair_title(model: &Themed) -> String {
    let (from, to) = (model.selection.from, model.selection.to);
    format!("Node {} pulling from node {}", node_id(model, from), node_id(model, to))
}

/// What is said of a pair: sign, style, in short, and in full.
fn verdict(model: &Themed, from: usize, to: usize) -> (&'static str, Style, String, String) {
    let theme = &model.theme;
    let reach = &model.screens.reach;
    let level = reach.level(from, to).map_or("-", |level| model.level_label(level));
    let (sign, style, short, long) = match reach.pair_state(from, to) {
        PairState::Hole => (
            theme.signs.bad,
            theme.bad,
            "A hole: whatever the load, tasks never move directly.".to_owned(),
            "A group that holds the puller is local, and the balancer never takes from a local group.".to_owned(),
        ),
        PairState::Stuck => (
            theme.signs.warn,
            theme.warn,
            format!("Blocked: groups would allow it at {level}, but another CPU is let through."),
            "When only the source is busy, should_we_balance elects that CPU, and for it all groups with the source are \
             local."
                .to_owned(),
        ),
        PairState::Relayed => (
            theme.signs.good,
            theme.good,
            format!("Relayed: at {level} another CPU is let through and pulls; from there tasks come over."),
            String::new(),
        ),
        PairState::Direct if from == to => {
            (theme.signs.good, theme.text, format!("Within the node: at {level}."), String::new())
        }
        PairState::Direct => {
            (theme.signs.good, theme.good, format!("Pulls directly, at {level} at the lowest."), String::new())
        }
        PairState::Apart => (
            theme.signs.none,
            theme.dim,
            "Nothing to pull: no CPUs, or not in one CPU map.".to_owned(),
            String::new(),
        ),
    };
    (sign, style, short, long)
}

/// Rows from which everything is said in full.
const ROOMY: u16 = 12;

fn draw_pair(model: &Themed, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let (from, to) = (model.selection.from, model.selection.to);
    let reach = &model.screens.reach;
    if is_hidden(model, from, to) {
        canvas.put_wrapped(0, 0, "? answer first, then this is shown", theme.dim);
        return;
    }
    let (sign, style, short, long) = verdict(model, from, to);
    let roomy = canvas.height() >= ROOMY;
    canvas.put(0, 0, sign, style);
    let x = text::width(sign) as u16 + 1;
    let mut y = canvas.put_wrapped(x, 0, &short, style);
    if roomy {
        y = canvas.put_wrapped(x, y, &long, theme.dim) + 1;
    }
    // What decides comes first, with its groups as bars.
    let decisive = reach::decisive(&reach.why);
    let others = reach.why.iter().filter(|&other| decisive.is_none_or(|decisive| !std::ptr::eq(decisive, other)));
    for obstacle in decisive.into_iter().chain(others) {
        if y + 1 >= canvas.height() {
            canvas.put(0, canvas.height().saturating_sub(1), theme.signs.cut, theme.dim);
            return;
        }
        y = draw_obstacle(model, obstacle, y, canvas);
    }
    if y + 1 < canvas.height() && reach.pair_state(from, to) != PairState::Apart {
        let [plays, shows] = [Command::GoOn, Command::ShowGroups].map(|command| model.keys.key_of(command));
        let rest = Rect { y: canvas.area.y + y + 1, height: 1, ..canvas.area };
        canvas.part(rest).put_all(
            0,
            0,
            &[
                (&plays, theme.key),
                ("plays its tasks", theme.dim),
                (&shows, theme.key),
                ("shows the groups on Explore", theme.dim),
            ],
        );
    }
}

/// One obstacle: where, why, and the groups; returns the row after it.
fn draw_obstacle(model: &Themed, obstacle: &Obstacle, mut y: u16, canvas: &mut Canvas) -> u16 {
    let theme = canvas.theme;
    let build = &model.built.build;
    let level = model.level_label(obstacle.level as usize);
    let cpus = text::cpulist(&obstacle.cpus, 24, theme.signs.cut);
    let noun = if obstacle.cpus.weight() == 1 { "CPU" } else { "CPUs" };
    let style = theme.hue(model.built.hops(obstacle.level as usize));
    let end = canvas.put(0, y, level, style) + 1;
    canvas.put(end, y, &format!("{noun} {cpus}"), theme.head);
    y = canvas.put_wrapped(2, y + 1, &obstacle.why.text(build), theme.text);
    let groups = obstacle.why.groups();
    let room = canvas.height().saturating_sub(y + 2);
    if groups.is_empty() || room == 0 {
        return y;
    }
    let all = groups.iter().fold(CpuMask::new(), |all, &group| all.or(build.span(group)));
    let strip = Strip::new(&model.built.topology, &all, (canvas.width().saturating_sub(4) / 2).max(1));
    strip.draw_labels(canvas, 2, y);
    for &group in groups.iter().take(usize::from(room)) {
        y += 1;
        strip.draw_set(canvas, 2, y, build.span(group));
        canvas.put_cpus(4 + strip.columns(), y, canvas.width(), build.span(group), theme.text);
    }
    y + 1
}
