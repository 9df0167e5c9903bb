//! Two releases: what differs, folded over the CPUs it is the same for, and the groups one above the other.

use super::super::scroll;
use super::strip::Strip;
use super::{Canvas, ViewState, halves, open_frame, put_wrapped};
use crate::analysis::compare::{Change, GroupFacts, GroupsChange};
use crate::cpumask::CpuMask;
use crate::ui::action::Target;
use crate::ui::model::Model;
use crate::ui::screens::compare::Compared;
use crate::ui::text;

pub(super) fn draw(model: &Model, state: &mut ViewState, canvas: &mut Canvas) {
    let versus = &model.screens.compare;
    let Some(compared) = &versus.compared else {
        let area = canvas.area;
        let inner = open_frame(model, canvas, area, "Compare", true);
        let style = canvas.theme.pending;
        canvas.part(inner).put(1, 0, "building", style);
        return;
    };
    let dot = model.theme.signs.dot;
    let cpus = text::count(compared.comparison.cpus().weight(), "CPU");
    let rows = text::count(versus.rows(), "difference");
    let title = format!(
        "Compare {dot} {} {} {} {dot} {rows} {dot} {cpus}",
        compared.left, model.theme.signs.to, compared.right
    );
    let [list, detail] = halves(canvas.area, 130, 50);
    let list = open_frame(model, canvas, list, &title, true);
    draw_list(model, compared, state, &mut canvas.part(list));
    let detail = open_frame(model, canvas, detail, "Before and after", false);
    draw_detail(model, compared, &mut canvas.part(detail));
}

fn draw_list(model: &Model, compared: &Compared, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let (versus, machine) = (&model.screens.compare, &compared.comparison.machine);
    if compared.comparison.is_equal() {
        let text = format!("{} and {} build this machine alike", compared.left, compared.right);
        canvas.put(1, 0, &text, theme.good);
        return;
    }
    let height = canvas.height();
    state.drawn.page = height;
    let first = scroll(&mut state.screens.differences, versus.row, usize::from(height), versus.rows());
    for (y, row) in (0..height).zip(first..versus.rows()) {
        match machine.get(row) {
            Some(change) => {
                let x = canvas.put(2, y, "machine", theme.head) + 2;
                canvas.put(
                    x,
                    y,
                    &format!("{}: {} became {}", change.what.name(), change.left, change.right),
                    theme.warn,
                );
            }
            None => {
                let line = compared.lines.get(row - machine.len()).map_or("", String::as_str);
                canvas.put(2, y, line, theme.text);
            }
        }
        if row == versus.row {
            canvas.put(0, y, theme.signs.mark, theme.lit);
            canvas.paint_row(y, theme.chosen);
        }
        state.region(canvas.row_area(y), Target::Line(row));
    }
}

fn draw_detail(model: &Model, compared: &Compared, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let versus = &model.screens.compare;
    if let Some(change) = compared.comparison.machine.get(versus.row) {
        let y = put_wrapped(canvas, 1, 0, &format!("{}: {}", compared.left, change.left), theme.text);
        put_wrapped(canvas, 1, y, &format!("{}: {}", compared.right, change.right), theme.text);
        return;
    }
    let Some(difference) = versus.chosen() else { return };
    let line = compared.lines.get(versus.row - compared.comparison.machine.len()).map_or("", String::as_str);
    let y = put_wrapped(canvas, 1, 0, line, theme.head) + 1;
    match &difference.change {
        Change::Groups(groups) => draw_groups(model, compared, groups, y, canvas),
        Change::Span { left, right } => draw_sets(model, compared, Some(left), Some(right), y, canvas),
        Change::Removed(span) => draw_sets(model, compared, Some(span), None, y, canvas),
        Change::Added(span) => draw_sets(model, compared, None, Some(span), y, canvas),
        Change::Flags { .. } | Change::Pointer { .. } => {}
    }
}

fn strip(model: &Model, all: &CpuMask, canvas: &Canvas) -> Strip {
    Strip::new(&model.built.topology, all, canvas.width().saturating_sub(3))
}

fn draw_sets(
    model: &Model,
    compared: &Compared,
    left: Option<&CpuMask>,
    right: Option<&CpuMask>,
    mut y: u16,
    canvas: &mut Canvas,
) {
    let theme = canvas.theme;
    let all = [left, right].into_iter().flatten().fold(CpuMask::new(), |all, set| all.or(set));
    let strip = strip(model, &all, canvas);
    for (name, set) in [(&compared.left, left), (&compared.right, right)] {
        let x = canvas.put(1, y, name, theme.head_focus) + 1;
        match set {
            Some(set) => {
                canvas.put_cpus(x, y, canvas.width(), set, theme.text);
                strip.draw_labels(canvas, 2, y + 1);
                strip.draw_set(canvas, 2, y + 2, set);
            }
            None => {
                canvas.put(x, y, "no such domain", theme.dim);
            }
        }
        y += 4;
    }
}

/// The groups of both, each as a bar and its facts; half the room for each.
fn draw_groups(model: &Model, compared: &Compared, groups: &GroupsChange, y: u16, canvas: &mut Canvas) {
    let all = groups.left.iter().chain(&groups.right).fold(CpuMask::new(), |all, group| all.or(&group.span));
    let strip = strip(model, &all, canvas);
    let room = canvas.height().saturating_sub(y);
    let wanted = 2 + 2 * groups.left.len() as u16;
    let end = y + wanted.min(room / 2).max(room.saturating_sub(2 + 2 * groups.right.len() as u16).min(wanted));
    let next = draw_side(&compared.left, &groups.left, &groups.right, &strip, (y, end), canvas);
    draw_side(&compared.right, &groups.right, &groups.left, &strip, (next, canvas.height()), canvas);
}

/// One side, from a row to before another; returns the row after it.
fn draw_side(
    name: &str,
    groups: &[GroupFacts],
    others: &[GroupFacts],
    strip: &Strip,
    (mut y, end): (u16, u16),
    canvas: &mut Canvas,
) -> u16 {
    let theme = canvas.theme;
    if y >= end {
        return y;
    }
    canvas.put(1, y, name, theme.head_focus);
    strip.draw_labels(canvas, 2, y + 1);
    y += 2;
    for (at, group) in groups.iter().enumerate() {
        if y + 1 >= end {
            canvas.put(2, y, &format!("and {} more", groups.len() - at), theme.dim);
            return y + 1;
        }
        let same = others.iter().any(|other| other == group);
        let style = if same { theme.text } else { theme.warn };
        canvas.put(0, y, if same { " " } else { theme.signs.unequal }, theme.warn);
        strip.draw_set(canvas, 2, y, &group.span);
        let x = canvas.put_cpus(2, y + 1, canvas.width() / 3, &group.span, style) + 2;
        let x = canvas.put(x, y + 1, "mask", theme.dim) + 1;
        let x = canvas.put_cpus(x, y + 1, canvas.width() / 4, &group.mask, style) + 2;
        let balance = group.balance_cpu.map_or_else(|| "none".to_owned(), |cpu| cpu.to_string());
        canvas.put(x, y + 1, &format!("balance CPU {balance}  sgc {}", group.sgc), style);
        y += 2;
    }
    y
}
