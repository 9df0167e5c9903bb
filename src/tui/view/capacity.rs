//! The capacity instances of the chosen level: who shares each, and whether the sharing keeps the rules.

use crate::analysis::sharing::{Instance, Sharing, Verdict};
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;

pub(super) fn title(model: &Themed) -> String {
    let level = model.level_label(model.selection.level);
    let sharing = model.built.sharing(model.selection.level);
    let count = sharing.map_or(0, |sharing| sharing.instances.len());
    format!("Capacity {dot} {level} {dot} {count} sgc", dot = model.theme.signs.dot)
}

/// Where the columns begin.
struct Columns {
    groups: u16,
    balance: u16,
    held: u16,
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let sharing = model.built.sharing(model.selection.level).filter(|sharing| !sharing.instances.is_empty());
    let Some(sharing) = sharing else {
        canvas.put(1, 0, "no capacity instances at this level", theme.dim);
        return;
    };
    let top = draw_rules(model, sharing, canvas);
    if canvas.height() <= top + 1 {
        return;
    }
    let columns = columns(model, sharing, canvas.width());
    canvas.put(2, top, "sgc", theme.head);
    canvas.put(columns.groups, top, "groups", theme.head);
    canvas.put(columns.balance, top, "balance", theme.head);
    canvas.put(columns.held, top, "held by", theme.head);
    // What more there is to say of the chosen one goes before a row of the list, but not before the only ones.
    let below = u16::from(canvas.height() > top + 4);
    if below > 0 {
        draw_chosen(model, sharing, canvas);
    }
    let list = RowList::of_pane(model, Pane::Capacity, top + 1, canvas.height() - top - 1 - below);
    draw_rows(
        &list,
        state,
        canvas,
        |row| Target::Row(Pane::Capacity, row),
        |_, canvas, row, y| {
            draw_instance(model, &sharing.instances[row], &columns, y, canvas);
            if row == list.chosen {
                canvas.put(0, y, theme.signs.mark, theme.lit);
            }
        },
    );
}

/// The chosen instance in words: whose it is, and what it holds.
fn draw_chosen(model: &Themed, sharing: &Sharing, canvas: &mut Canvas) {
    let Some(instance) = sharing.instances.get(model.selection.instance) else { return };
    let sgc = model.built.build.sgc(instance.sgc);
    let level = model.level_label(sgc.level as usize);
    let (capacity, each) = (sgc.capacity, super::groups::each_capacity(sgc));
    let text = format!("of CPU {} at {level}: capacity {capacity}, {each} a CPU", sgc.owner);
    let (y, style) = (canvas.height() - 1, canvas.theme.dim);
    canvas.put(1, y, &text, style);
}

/// The three rules, each broken one with what shows it; returns the rows taken.
fn draw_rules(model: &Themed, sharing: &Sharing, canvas: &mut Canvas) -> u16 {
    let mut y = 0;
    // The list below keeps at least its header and two rows.
    let spare = canvas.height().saturating_sub(sharing.verdicts.len() as u16 + 3);
    let broken = sharing.verdicts.iter().filter(|verdict| verdict.witness.is_some()).count() as u16;
    let each = spare.checked_div(broken).unwrap_or(0).min(2);
    for verdict in &sharing.verdicts {
        y += draw_rule(model, verdict, y, each, canvas);
    }
    y
}

fn draw_rule(model: &Themed, verdict: &Verdict, y: u16, rows: u16, canvas: &mut Canvas) -> u16 {
    let theme = canvas.theme;
    let Some(witness) = verdict.witness else {
        canvas.put_all(0, y, &[(theme.signs.good, theme.good), (verdict.rule.text(), theme.text)]);
        return 1;
    };
    let x = canvas.put_all(0, y, &[(theme.signs.bad, theme.bad), (verdict.rule.text(), theme.bad)]);
    // Named as in the list below.
    let level = model.selection.level;
    let prefix = format!("{}/{level}@", model.built.build.level_name(level));
    let text = witness.text(&model.built.build).replace(&prefix, "@");
    if rows == 0 {
        canvas.put(x, y, &text, theme.warn);
        return 1;
    }
    canvas.put(x, y, &format!("broken {}x", verdict.broken), theme.dim);
    canvas.put_wrapped_in(1, y + 1, rows, &text, theme.warn) - y
}

fn columns(model: &Themed, sharing: &Sharing, width: u16) -> Columns {
    // Measured on the first rows only: there may be thousands.
    const MEASURED: usize = 64;
    let first = || sharing.instances.iter().take(MEASURED);
    let name = first().map(|instance| name(model, instance).len()).max().unwrap_or(0).max(3) as u16;
    let groups = 2 + name + 1;
    let room = width.saturating_sub(groups + 8 + 9);
    let widest = first().map(|instance| spans(model, instance, usize::from(room)).len()).max().unwrap_or(0) as u16;
    let balance = groups + widest.clamp(6, room.max(6)) + 1;
    Columns { groups, balance, held: balance + 8 }
}

fn name(model: &Themed, instance: &Instance) -> String {
    model.built.sgc_label(instance.sgc, model.selection.level)
}

/// The groups an instance serves; it should be one.
fn spans(model: &Themed, instance: &Instance, columns: usize) -> String {
    let cut = model.theme.signs.cut;
    let lists: Vec<String> =
        instance.spans.iter().take(8).map(|&span| text::cpulist(model.built.build.span(span), columns, cut)).collect();
    lists.join(" + ")
}

fn draw_instance(model: &Themed, instance: &Instance, columns: &Columns, y: u16, canvas: &mut Canvas) {
    let (theme, build) = (canvas.theme, &model.built.build);
    let in_domain = model
        .domain()
        .is_some_and(|domain| build.groups_of(domain).take(64).any(|view| view.group.sgc == instance.sgc));
    if in_domain {
        canvas.put(0, y, theme.signs.lit, theme.lit);
    }
    canvas.put_in(2, y, columns.groups - 3, &name(model, instance), if in_domain { theme.lit } else { theme.text });
    let room = columns.balance - columns.groups - 1;
    let style = if instance.spans.len() > 1 { theme.bad } else { theme.text };
    canvas.put_in(columns.groups, y, room, &spans(model, instance, usize::from(room)), style);
    let mask = build.span(build.sgc(instance.sgc).mask);
    let balance: Vec<String> = instance
        .spans
        .iter()
        .take(4)
        .map(|&span| build.span(span).first_and(mask).map_or("none".to_owned(), |cpu| cpu.to_string()))
        .collect();
    canvas.put_in(columns.balance, y, 7, &balance.join(" "), style);
    canvas.put_cpus(columns.held, y, canvas.width(), &instance.holders, theme.dim);
}
