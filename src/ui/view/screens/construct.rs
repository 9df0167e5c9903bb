//! A trace, step by step: the decisions, the CPUs, and the kernel's variables.

use super::super::scroll;
use super::strip::Strip;
use super::{Canvas, ViewState, halves, open_frame, put_wrapped};
use crate::analysis::trace::{self, Trace};
use crate::cpumask::CpuMask;
use crate::ui::action::Target;
use crate::ui::model::Model;
use crate::ui::screens::construct::moment::Moment;
use crate::ui::screens::construct::scene::Scene;
use crate::ui::screens::construct::story::{Story, Subject, Tale};
use crate::ui::text;
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
const SCENE_NAMES: u16 = 17;

pub(super) fn draw(model: &Model, state: &mut ViewState, canvas: &mut Canvas) {
    let construct = &model.screens.construct;
    let Some(story) = &construct.story else { return draw_nothing(model, canvas) };
    let [mut upper, mut lower] = halves(canvas.area, u16::MAX, 56);
    if lower.is_empty() {
        // Of the two the steps say more.
        std::mem::swap(&mut upper, &mut lower);
    }
    let upper = open_frame(model, canvas, upper, &title(model), true);
    let (rule, dot) = (story.tale.rule(&model.built.build), model.theme.signs.dot);
    let mut part = canvas.part(upper);
    match &story.tale {
        Tale::Groups(trace) => {
            let moment = Moment::at(&model.built.build, trace, construct.at);
            draw_moment(model, trace, &rule, &moment, &mut part);
            if !upper.is_empty() {
                draw_legend(&mut canvas.part(Rect { y: upper.bottom(), height: 1, ..upper }));
            }
        }
        tale => {
            let scene = Scene::of(tale, construct.at, &model.built, model.selection.cpu);
            draw_scene(model, &rule, &scene, &mut part);
        }
    }
    let pace = construct.pace().as_secs_f32();
    let playing = if construct.playing { format!(", playing at {pace} s a step") } else { String::new() };
    let rule = if upper.height < RULE_FROM { format!(" {dot} rule: {rule}") } else { String::new() };
    let title = format!("Step {} of {}{playing}{rule}", construct.at + 1, story.len());
    let lower = open_frame(model, canvas, lower, &title, false);
    draw_steps(model, story, state, &mut canvas.part(lower));
}

/// What is traced, of which place.
fn title(model: &Model) -> String {
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

fn draw_nothing(model: &Model, canvas: &mut Canvas) {
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
    put_wrapped(&mut canvas.part(inner), 1, 0, &text, style);
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
fn draw_scene(model: &Model, rule: &str, scene: &Scene, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let names = SCENE_NAMES;
    let mut y = draw_rule(rule, canvas);
    for (name, value) in &scene.facts {
        canvas.put(0, y, name, theme.head);
        canvas.put(names, y, value, theme.text);
        y += 1;
    }
    let all = scene.bars.iter().fold(CpuMask::new(), |all, (_, set)| all.or(set));
    let strip = Strip::new(&model.built.topology, &all, canvas.width().saturating_sub(names) / 2);
    let beside = names + strip.columns() + 2;
    // The newest bars are at the end; older ones give way.
    let room = usize::from(canvas.height().saturating_sub(y + 1));
    strip.draw_labels(canvas, names, y);
    for (name, set) in scene.bars.iter().skip(scene.bars.len().saturating_sub(room)) {
        y += 1;
        canvas.put_in(0, y, names - 1, name, theme.head);
        strip.draw_set(canvas, names, y, set);
        canvas.put_cpus(beside, y, canvas.width(), set, theme.text);
    }
}

/// The rule, the strip and the variables.
fn draw_moment(model: &Model, trace: &Trace, rule: &str, moment: &Moment, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let mut y = draw_rule(rule, canvas);
    let build = &model.built.build;
    let span = build.span(trace.span);
    // Groups of old releases reach out of the span: the strip shows what they hold.
    let all = span.or(&moment.covered);
    let strip = Strip::new(&model.built.topology, &all, canvas.width().saturating_sub(NAMES));
    strip.draw_labels(canvas, NAMES, y);
    canvas.put(0, y, if strip.by_cpu { "CPUs by node" } else { "nodes" }, theme.dim);
    draw_cpus(model, moment, span, &strip, y + 1, canvas);
    y += 2;
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

/// The scan: what is covered, what is looked at, what is taken, what may still be.
fn draw_cpus(model: &Model, moment: &Moment, span: &CpuMask, strip: &Strip, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let signs = theme.signs;
    let chosen = moment.sg_span.map(|group| model.built.build.span(group));
    canvas.put(0, y, "the scan", theme.head);
    strip.draw(canvas, NAMES, y, |cpus, _| {
        if cpus.intersects(&moment.i) {
            (signs.mark, theme.pending)
        } else if chosen.is_some_and(|chosen| cpus.intersects(chosen)) {
            (signs.full, theme.lit)
        } else if cpus.intersects(&moment.covered) {
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

fn draw_steps(model: &Model, story: &Story, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let chosen = model.screens.construct.at;
    // The chosen step is written out in full below the list.
    let build = &model.built.build;
    let whole = story.tale.text(build, chosen);
    let lines = text::wrap(&whole, usize::from(canvas.width().saturating_sub(2))).len() as u16;
    let below = if lines > 1 && canvas.height() > 2 { lines.min(canvas.height() - 1) } else { 0 };
    let height = canvas.height() - below;
    state.drawn.page = height;
    let first = scroll(&mut state.screens.steps, chosen, usize::from(height), story.len());
    // What the lesson asks for is not told in advance.
    let told = if model.screens.lesson.asks() { chosen + 1 } else { story.len() };
    for (y, at) in (0..height).zip(first..told) {
        let style = match (at > chosen, story.tale.begins_part(at)) {
            (true, _) => theme.dim,
            (false, true) => theme.head,
            (false, false) => theme.text,
        };
        canvas.put(2, y, &story.tale.text(build, at), style);
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
