//! A trace, step by step: the decisions, the CPUs, and the kernel's variables.

use super::parts::{halves, open_frame};
use super::strip::Strip;
use crate::analysis::trace::{self, Trace};
use crate::cpumask::CpuMask;
use crate::explore::derived::scan_variables::ScanVariables;
use crate::explore::derived::step_facts::StepFacts;
use crate::explore::derived::trace_view::{Subject, TraceSteps, TraceView};
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Rows from which the rule stands above the variables; with fewer it is in the title below.
const RULE_FROM: u16 = 8;
/// Rows from which everything has room.
const ROOMY: u16 = 12;
/// Blanks under the legend, which stands in a frame.
const LEGEND: &str = "                                              ";
/// Columns of the variables' names.
const NAMES: u16 = 13;
/// The same where levels are named beside bars.
const FACT_NAMES: u16 = 17;

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let construct = &model.screens.construct;
    let Some(trace) = &construct.trace else { return draw_nothing(model, canvas) };
    let [mut upper, mut lower] = halves(canvas.area, u16::MAX, 56);
    if lower.is_empty() {
        // Of the two the steps say more.
        std::mem::swap(&mut upper, &mut lower);
    }
    let upper = open_frame(model, canvas, upper, &title(model), true);
    let (rule, dot) = (trace.rule(&model.built.build), model.theme.signs.dot);
    let mut part = canvas.part(upper);
    match &trace.steps {
        TraceSteps::Groups(trace) => {
            let variables = ScanVariables::at(&model.built.build, trace, construct.at);
            draw_variables(model, trace, &rule, &variables, &mut part);
            if !upper.is_empty() {
                draw_legend(&mut canvas.part(Rect { y: upper.bottom(), height: 1, ..upper }));
            }
        }
        steps => {
            let facts = StepFacts::of(steps, construct.at, &model.built, model.selection.cpu);
            draw_facts(model, &rule, &facts, &mut part);
        }
    }
    let pace = construct.pace().as_secs_f32();
    let playing = if construct.playing { format!(", playing at {pace} s a step") } else { String::new() };
    let rule = if upper.height < RULE_FROM { format!(" {dot} rule: {rule}") } else { String::new() };
    let title = format!("Step {} of {}{playing}{rule}", construct.at + 1, trace.len());
    let lower = open_frame(model, canvas, lower, &title, false);
    draw_steps(model, trace, state, &mut canvas.part(lower));
}

/// What is traced, of which place.
fn title(model: &Themed) -> String {
    let dot = model.theme.signs.dot;
    let (cpu, level) = (model.selection.cpu, model.level_label(model.selection.level));
    let subject = model.screens.construct.subject;
    let place = match subject {
        Subject::Groups => format!("CPU {cpu} {dot} {level} {dot} "),
        Subject::Degeneration => format!("CPU {cpu} {dot} "),
        Subject::Distances | Subject::SpanCheck => String::new(),
    };
    format!("Construct {dot} {} {dot} {place}{}", subject.name(), model.release.name)
}

fn draw_nothing(model: &Themed, canvas: &mut Canvas) {
    let area = canvas.area;
    let inner = open_frame(model, canvas, area, &title(model), true);
    let style = canvas.theme.warn;
    let (cpu, level) = (model.selection.cpu, model.level_label(model.selection.level));
    let text = match model.screens.construct.subject {
        Subject::Groups => {
            format!("CPU {cpu} has no groups at {level}: choose another level with < and >, a CPU with {{ and }}")
        }
        Subject::Degeneration => format!("CPU {cpu} has no domains: choose another with {{ and }}"),
        Subject::SpanCheck => trace::span_check_rule(&model.built.build).to_owned(),
        Subject::Distances => "there are no distances".to_owned(),
    };
    canvas.part(inner).put_wrapped(1, 0, &text, style);
}

/// The rule in words, in full where there is room for it; returns the row after it.
fn draw_rule(rule: &str, canvas: &mut Canvas) -> u16 {
    let theme = canvas.theme;
    if canvas.height() < RULE_FROM {
        return 0;
    }
    let mut lines = text::wrap(&format!("Rule: {rule}."), usize::from(canvas.width()));
    if canvas.height() < ROOMY && lines.len() > 2 {
        lines.truncate(2);
        lines[1].push_str(theme.signs.cut);
    }
    for (y, line) in (0..).zip(&lines) {
        canvas.put(0, y, line, theme.dim);
    }
    lines.len() as u16
}

/// The rule, the variables and the bars of a trace other than that of groups.
fn draw_facts(model: &Themed, rule: &str, facts: &StepFacts, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let names = FACT_NAMES;
    let mut y = draw_rule(rule, canvas);
    for (name, value) in &facts.facts {
        canvas.put(0, y, name, theme.head);
        canvas.put(names, y, value, theme.text);
        y += 1;
    }
    let all = facts.bars.iter().fold(CpuMask::new(), |all, (_, set)| all.or(set));
    let strip = Strip::new(&model.built.topology, &all, canvas.width().saturating_sub(names) / 2);
    let beside = names + strip.columns() + 2;
    // The newest bars are at the end; older ones give way.
    let room = usize::from(canvas.height().saturating_sub(y + 1));
    strip.draw_labels(canvas, names, y);
    for (name, set) in facts.bars.iter().skip(facts.bars.len().saturating_sub(room)) {
        y += 1;
        canvas.put_in(0, y, names - 1, name, theme.head);
        strip.draw_set(canvas, names, y, set);
        canvas.put_cpus(beside, y, canvas.width(), set, theme.text);
    }
}

/// The rule, the strip and the variables.
fn draw_variables(model: &Themed, trace: &Trace, rule: &str, variables: &ScanVariables, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let mut y = draw_rule(rule, canvas);
    let build = &model.built.build;
    let span = build.span(trace.span);
    // Groups of old releases reach out of the span: the strip shows what they hold.
    let all = span.or(&variables.covered);
    let strip = Strip::new(&model.built.topology, &all, canvas.width().saturating_sub(NAMES));
    strip.draw_labels(canvas, NAMES, y);
    canvas.put(0, y, if strip.by_cpu { "CPUs by node" } else { "nodes" }, theme.dim);
    draw_cpus(model, variables, span, &strip, y + 1, canvas);
    y += 2;
    for (name, cpus, style) in named_variables(model, variables) {
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
    draw_groups(model, variables, &strip, y, canvas);
}

/// The scan: what is covered, what is looked at, what is taken, what may still be.
fn draw_cpus(model: &Themed, variables: &ScanVariables, span: &CpuMask, strip: &Strip, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let signs = theme.signs;
    let chosen = variables.sg_span.map(|group| model.built.build.span(group));
    canvas.put(0, y, "the scan", theme.head);
    strip.draw(canvas, NAMES, y, |cpus, _| {
        if cpus.intersects(&variables.i) {
            (signs.mark, theme.pending)
        } else if chosen.is_some_and(|chosen| cpus.intersects(chosen)) {
            (signs.full, theme.lit)
        } else if cpus.intersects(&variables.covered) {
            (signs.shared, theme.good)
        } else if !cpus.intersects(span) {
            (" ", theme.text)
        } else {
            (signs.none, theme.dim)
        }
    });
}

/// What the signs of the scan mean, in the frame.
fn draw_legend(canvas: &mut Canvas) {
    let theme = canvas.theme;
    let signs = theme.signs;
    let pieces: [(&str, Style); 8] = [
        (signs.mark, theme.pending),
        ("current i", theme.dim),
        (signs.full, theme.lit),
        ("chosen", theme.dim),
        (signs.shared, theme.good),
        ("covered", theme.dim),
        (signs.none, theme.dim),
        ("candidate", theme.dim),
    ];
    canvas.put(1, 0, LEGEND, theme.dim);
    canvas.put_all(2, 0, &pieces);
}

/// The kernel's variables.
fn named_variables(model: &Themed, variables: &ScanVariables) -> Vec<(&'static str, Option<CpuMask>, Style)> {
    let (build, theme) = (&model.built.build, &model.theme);
    let span = |span| build.span(span).clone();
    let some = |set: &CpuMask| (!set.is_empty()).then(|| set.clone());
    vec![
        ("i", some(&variables.i), theme.lit),
        ("sibling", variables.sibling.map(span), theme.text),
        ("sg_span", variables.sg_span.map(span), theme.text),
        ("balance mask", variables.mask.clone(), theme.text),
        ("sgc of CPU", variables.owner.map(CpuMask::single), theme.text),
        ("covered", some(&variables.covered), theme.good),
    ]
}

/// The groups so far, newest last; the older ones give way.
fn draw_groups(model: &Themed, variables: &ScanVariables, strip: &Strip, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let room = usize::from(canvas.height().saturating_sub(y));
    let skip = variables.groups.len().saturating_sub(room);
    for (y, (number, group)) in (y..).zip(variables.groups.iter().enumerate().skip(skip)) {
        let mark = if variables.head == Some(number) { theme.signs.mark } else { " " };
        canvas.put(0, y, &format!("{mark} group {number}"), theme.head);
        strip.draw_set(canvas, NAMES, y, model.built.build.span(*group));
    }
}

fn draw_steps(model: &Themed, trace: &TraceView, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let chosen = model.screens.construct.at;
    // The chosen step is written out in full below the list.
    let build = &model.built.build;
    let whole = trace.text(build, chosen);
    let lines = text::wrap(&whole, usize::from(canvas.width().saturating_sub(2))).len() as u16;
    let below = if lines > 1 && canvas.height() > 2 { lines.min(canvas.height() - 1) } else { 0 };
    let height = canvas.height() - below;
    // What the lesson asks for is not told in advance.
    let told = if model.screens.lesson.asks() { chosen + 1 } else { trace.len() };
    let list = RowList::with_keys(model, ScrollOf::Steps, height, trace.len(), chosen);
    draw_rows(&list, state, canvas, Target::Line, |_, canvas, at, y| {
        if at >= told {
            return;
        }
        let style = match (at > chosen, trace.begins_part(at)) {
            (true, _) => theme.dim,
            (false, true) => theme.head,
            (false, false) => theme.text,
        };
        canvas.put(2, y, &trace.text(build, at), style);
        if at == chosen {
            canvas.put(0, y, theme.signs.mark, theme.lit);
        }
    });
    if below > 0 {
        let area = Rect { y: canvas.area.y + height, height: below, ..canvas.area };
        canvas.part(area).put_wrapped(2, 0, &whole, theme.lit);
    }
}
