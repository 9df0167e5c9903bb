//! The construction of one domain's groups, step by step: the decisions, the CPUs, and the kernel's variables.

use super::super::scroll;
use super::strip::Strip;
use super::{Canvas, ViewState, halves, open_frame, put_wrapped};
use crate::analysis::trace::{Step, Trace};
use crate::cpumask::CpuMask;
use crate::ui::action::Target;
use crate::ui::model::Model;
use crate::ui::screens::construct::Moment;
use crate::ui::text;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns of the variables' names.
const NAMES: u16 = 13;

pub(super) fn draw(model: &Model, state: &mut ViewState, canvas: &mut Canvas) {
    let dot = model.theme.signs.dot;
    let (cpu, level) = (model.selection.cpu, model.level_label(model.selection.level));
    let place = format!("Construct {dot} CPU {cpu} {dot} {level} {dot} {}", model.release.name);
    let Some(trace) = &model.screens.construct.trace else {
        let area = canvas.area;
        let inner = open_frame(model, canvas, area, &place, true);
        let style = canvas.theme.warn;
        let text =
            format!("CPU {cpu} has no groups at {level}: choose another level with < and >, a CPU with {{ and }}");
        put_wrapped(&mut canvas.part(inner), 1, 0, &text, style);
        return;
    };
    let moment = model.screens.construct.moment(&model.built.build);
    let [upper, lower] = halves(canvas.area, u16::MAX, 56);
    let upper = open_frame(model, canvas, upper, &place, true);
    draw_moment(model, trace, &moment, &mut canvas.part(upper));
    let title = format!("Step {} of {}", model.screens.construct.at + 1, trace.steps.len());
    let playing = if model.screens.construct.playing { " playing" } else { "" };
    let lower = open_frame(model, canvas, lower, &format!("{title}{playing}"), false);
    draw_steps(model, trace, state, &mut canvas.part(lower));
}

/// The rule, the strip and the variables.
fn draw_moment(model: &Model, trace: &Trace, moment: &Moment, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let roomy = canvas.height() >= 12;
    let mut y = 0;
    if roomy {
        y = put_wrapped(canvas, 0, 0, &format!("Rule: {}.", trace.rule.text()), theme.dim);
    }
    let build = &model.built.build;
    let span = build.span(trace.span);
    // Groups of old releases reach out of the span: the strip shows what they hold.
    let all = span.or(&moment.covered);
    let strip = Strip::new(&model.built.topology, &all, canvas.width().saturating_sub(NAMES));
    strip.draw_labels(canvas, NAMES, y);
    canvas.put(0, y, if strip.by_cpu { "CPUs by node" } else { "nodes" }, theme.dim);
    draw_cpus(moment, span, &strip, y + 1, canvas);
    y += 2;
    if roomy {
        draw_legend(y, canvas);
        y += 1;
    }
    for (name, cpus, style) in variables(model, moment) {
        if y >= canvas.height() {
            return;
        }
        canvas.put(0, y, name, theme.head);
        match cpus {
            Some(cpus) => canvas.put_cpus(NAMES, y, canvas.width(), &cpus, style),
            None => canvas.put(NAMES, y, theme.signs.none, theme.dim),
        };
        y += 1;
    }
    draw_groups(model, moment, &strip, y, canvas);
}

fn draw_cpus(moment: &Moment, span: &CpuMask, strip: &Strip, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let signs = theme.signs;
    let taken = moment.sg_span.is_some();
    canvas.put(0, y, "the scan", theme.head);
    strip.draw(canvas, NAMES, y, |cpus, _| {
        let covered = cpus.intersects(&moment.covered);
        if cpus.intersects(&moment.i) {
            (if taken { signs.full } else { signs.mark }, theme.pending)
        } else if covered {
            (signs.shared, theme.good)
        } else if !cpus.intersects(span) {
            (" ", theme.text)
        } else {
            (signs.none, theme.dim)
        }
    });
}

fn draw_legend(y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let signs = theme.signs;
    let pieces: [(&str, Style); 6] = [
        (signs.mark, theme.pending),
        ("i, looked at", theme.dim),
        (signs.shared, theme.good),
        ("covered", theme.dim),
        (signs.none, theme.dim),
        ("not yet", theme.dim),
    ];
    canvas.put_all(NAMES, y, &pieces);
}

/// The kernel's variables.
fn variables(model: &Model, moment: &Moment) -> Vec<(&'static str, Option<CpuMask>, Style)> {
    let (build, theme) = (&model.built.build, &model.theme);
    let span = |span| build.span(span).clone();
    let some = |set: &CpuMask| (!set.is_empty()).then(|| set.clone());
    vec![
        ("i", some(&moment.i), theme.lit),
        ("sibling", moment.sibling.map(span), theme.text),
        ("sg_span", moment.sg_span.map(span), theme.text),
        ("balance mask", moment.mask.clone(), theme.text),
        ("sgc of CPU", moment.owner.map(CpuMask::single), theme.text),
        ("covered", some(&moment.covered), theme.good),
    ]
}

/// The groups so far, newest last; the older ones give way.
fn draw_groups(model: &Model, moment: &Moment, strip: &Strip, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let room = usize::from(canvas.height().saturating_sub(y));
    let skip = moment.groups.len().saturating_sub(room);
    for (y, (number, group)) in (y..).zip(moment.groups.iter().enumerate().skip(skip)) {
        let mark = if moment.head == Some(number) { theme.signs.mark } else { " " };
        canvas.put(0, y, &format!("{mark} group {number}"), theme.head);
        strip.draw_set(canvas, NAMES, y, model.built.build.span(*group));
    }
}

fn draw_steps(model: &Model, trace: &Trace, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let chosen = model.screens.construct.at;
    // The chosen step is written out in full below the list.
    let whole = trace.steps.get(chosen).map_or_else(String::new, |step| step.text(&model.built.build));
    let lines = text::wrap(&whole, usize::from(canvas.width().saturating_sub(2))).len() as u16;
    let below = if lines > 1 && canvas.height() > lines + 3 { lines } else { 0 };
    let height = canvas.height() - below;
    state.drawn.page = height;
    let first = scroll(&mut state.screens.steps, chosen, usize::from(height), trace.steps.len());
    for (y, (at, step)) in (0..height).zip(trace.steps.iter().enumerate().skip(first)) {
        let style = match (at.cmp(&chosen), step) {
            (std::cmp::Ordering::Greater, _) => theme.dim,
            (_, Step::Take { .. }) => theme.head,
            _ => theme.text,
        };
        canvas.put(2, y, &step.text(&model.built.build), style);
        if at == chosen {
            canvas.put(0, y, theme.signs.mark, theme.lit);
            canvas.paint_row(y, theme.chosen);
        }
        state.region(canvas.row_area(y), Target::Line(at));
    }
    if below > 0 {
        let area = Rect { y: canvas.area.y + height, height: below, ..canvas.area };
        put_wrapped(&mut canvas.part(area), 2, 0, &whole, theme.lit);
    }
}
