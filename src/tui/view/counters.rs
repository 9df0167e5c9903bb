//! What the balancer does on a machine at work, second by second: summed by level and node.

use crate::counters::{Counters, Counts, Total, Tries};
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;

/// Columns of one number.
const NUMBER: u16 = 7;
/// Columns of the node.
const NODE: u16 = 6;

pub(super) fn title(model: &Themed) -> String {
    let dot = model.theme.signs.dot;
    match &model.counters.shown {
        Some(view) => format!("Counters {dot} a second {dot} over {:.1} s", view.counters.seconds),
        None => "Counters".to_owned(),
    }
}

/// Which numbers have room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Calls, failures and tasks of each kind of balancing.
    Each,
    /// Tasks moved and failures, over all kinds.
    Sum,
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let Some(view) = model.counters.shown.as_ref() else {
        let (text, style) = match (&model.counters.trouble, &model.counters.last) {
            (Some(why), _) => (why.as_str(), theme.warn),
            (None, Some(_)) => ("counting", theme.dim),
            (None, None) => (
                "no machine at work: `schedtopo live` counts what /proc/schedstat shows, `--recorded` plays copies of it",
                theme.dim,
            ),
        };
        canvas.put_wrapped(1, 0, text, style);
        return;
    };
    let top = draw_notes(model, &view.counters, canvas);
    let levels = view.totals.iter().map(|total| model.level_label(total.level).len()).max().unwrap_or(0).max(5) as u16;
    let first = 2 + levels + NODE + 2;
    let wanted = if first + 12 * NUMBER <= canvas.width() { Wanted::Each } else { Wanted::Sum };
    draw_head(levels, first, wanted, top, canvas);
    let head = if wanted == Wanted::Each { 2 } else { 1 };
    let Some(room) = canvas.height().checked_sub(top + head).filter(|&room| room > 0) else { return };
    let list = RowList::of_pane(model, Pane::Counters, top + head, room);
    draw_rows(
        &list,
        state,
        canvas,
        |row| Target::Row(Pane::Counters, row),
        |_, canvas, row, y| {
            let total = &view.totals[row];
            draw_total(model, total, levels, y, canvas);
            draw_numbers(&view.counters, &total.counts, first, wanted, y, canvas);
            if row == list.chosen {
                canvas.put(0, y, theme.signs.mark, theme.lit);
            }
        },
    );
}

/// What is to be known of the numbers; returns the rows taken.
fn draw_notes(model: &Themed, counters: &Counters, canvas: &mut Canvas) -> u16 {
    let theme = canvas.theme;
    let mut y = 0;
    if model.counters.last.as_ref().is_some_and(|sample| sample.switched_off) {
        y = canvas.put_wrapped(
            1,
            y,
            "the kernel does not count: sysctl kernel.sched_schedstats=1 makes it",
            theme.warn,
        );
    }
    if let Some(first) = counters.unmatched.first() {
        let count = counters.unmatched.len();
        let are = if count == 1 { "is" } else { "are" };
        let text = format!(
            "{} {are} not in the model: domain {} of CPU {} spans {}",
            text::count(count, "domain"),
            first.domain,
            first.cpu,
            first.span
        );
        y = canvas.put_wrapped(1, y, &text, theme.bad);
    }
    y
}

fn draw_head(levels: u16, first: u16, wanted: Wanted, top: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let below = if wanted == Wanted::Each { top + 1 } else { top };
    canvas.put(2, below, "level", theme.head);
    canvas.put_right(2 + levels + NODE, below, "node", theme.head);
    let numbers = ["calls", "failed", "moved"];
    if wanted == Wanted::Sum {
        for (at, name) in (1..).zip(numbers) {
            canvas.put_right(first + at * NUMBER, below, name, theme.head);
        }
        return;
    }
    for (kind, (name, _)) in (0..).zip(Counts::default().kinds()) {
        let x = first + kind * 3 * NUMBER;
        canvas.put_right(x + 3 * NUMBER, top, name, theme.head);
        for (at, name) in (1..).zip(numbers) {
            canvas.put_right(x + at * NUMBER, below, name, theme.dim);
        }
    }
}

fn draw_total(model: &Themed, total: &Total, levels: u16, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    canvas.put_in(2, y, levels, model.level_label(total.level), theme.text);
    let node = total.node.and_then(|node| model.built.topology.nodes.get(node as usize));
    let id = node.map_or_else(|| "-".to_owned(), |node| node.id.to_string());
    let style = total.node.map_or(theme.dim, |node| theme.hue(node as usize));
    canvas.put_right(2 + levels + NODE, y, &id, style);
}

fn draw_numbers(counters: &Counters, counts: &Counts, first: u16, wanted: Wanted, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let kinds: Vec<Tries> = match wanted {
        Wanted::Each => counts.kinds().into_iter().map(|(_, tries)| tries).collect(),
        Wanted::Sum => {
            let mut sum = Tries::default();
            counts.kinds().into_iter().for_each(|(_, tries)| sum += tries);
            vec![sum]
        }
    };
    let numbers = kinds.iter().flat_map(|tries| {
        let failed = if tries.failed > 0 { theme.warn } else { theme.dim };
        let pulled = if tries.pulled > 0 { theme.good } else { theme.dim };
        [(tries.calls, theme.text), (tries.failed, failed), (tries.pulled, pulled)]
    });
    for (at, (count, style)) in (1..).zip(numbers) {
        canvas.put_right(first + at * NUMBER, y, &rate_text(counters.rate(count)), style);
    }
}

/// A rate in at most six columns.
fn rate_text(rate: f64) -> String {
    match rate {
        0.0 => "-".to_owned(),
        _ if rate < 10.0 => format!("{rate:.1}"),
        _ if rate < 100_000.0 => format!("{rate:.0}"),
        _ => format!("{:.0}k", rate / 1000.0),
    }
}

/// What the balancer of the chosen CPU does in the chosen domain, in a line; `None` where nothing is counted.
pub(super) fn chosen(model: &Themed) -> Option<String> {
    let view = model.counters.shown.as_ref()?;
    let counts = view.counters.domains.get(&(model.selection.cpu, model.selection.level))?;
    let kind = |(name, tries): (&str, Tries)| {
        let [calls, failed, pulled] =
            [tries.calls, tries.failed, tries.pulled].map(|count| rate_text(view.counters.rate(count)));
        format!("{name} {calls}, failed {failed}, moved {pulled}")
    };
    Some(format!("a second: {}", counts.kinds().map(kind).join("; ")))
}
