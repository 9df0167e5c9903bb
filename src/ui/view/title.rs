//! The line at the top: the machine, the kernel, and what came of them.

use super::{Canvas, ViewState};
use crate::analysis::findings::Severity;
use crate::formats::visible;
use crate::ui::action::{Command, Pane, Target};
use crate::ui::model::Model;
use crate::ui::picker::group_rule;
use crate::ui::text;
use ratatui::style::Style;
use std::time::Duration;

/// One fact, and how soon it gives way when there is no room: the highest first.
struct Fact {
    text: String,
    style: Style,
    gives_way: u8,
    /// What is said instead before it gives way.
    short: Option<String>,
    /// What a click on it does.
    leads_to: Option<Command>,
}

/// When the CPUs, nodes and levels give way.
const SIZE: u8 = 2;

/// Draws the title, and below it why there are no domains if there are none; returns the rows taken.
pub(super) fn draw(model: &Model, state: &mut ViewState, screen: &mut Canvas) -> u16 {
    let mut facts = facts(model);
    let room = usize::from(screen.width()).saturating_sub(1);
    let wide = |facts: &[Fact]| facts.iter().map(|fact| text::width(&fact.text) + 2).sum::<usize>();
    while wide(&facts) > room
        && let Some(at) = (0..facts.len()).max_by_key(|&at| facts[at].gives_way).filter(|&at| facts[at].gives_way > 0)
    {
        match facts[at].short.take() {
            Some(short) => facts[at].text = short,
            None => drop(facts.remove(at)),
        }
    }
    let mut x = 1;
    for fact in &facts {
        let end = screen.put(x, 0, &fact.text, fact.style);
        if let Some(command) = fact.leads_to {
            state.region(screen.run_area(x, 0, end - x), Target::Run(command));
        }
        x = end.saturating_add(2);
    }
    let Some(error) = &model.built.build.error else { return 1 };
    let theme = screen.theme;
    screen.put(0, 1, &format!(" {} {error}", theme.signs.bad), theme.alarm);
    screen.paint_row(1, theme.alarm);
    2
}

fn facts(model: &Model) -> Vec<Fact> {
    let (theme, built) = (&model.theme, &model.built);
    let topology = model.doc.topology();
    let mut facts = Vec::new();
    let mut say =
        |gives_way, style, text: String, leads_to| facts.push(Fact { text, style, gives_way, short: None, leads_to });
    say(8, theme.dim, "schedtopo".to_owned(), Some(Command::Help));
    let name = if topology.name.is_empty() { "unnamed" } else { &topology.name };
    say(0, theme.head_focus, text::cut(&visible(name), 32, theme.signs.cut).into_owned(), Some(Command::Open));
    if model.doc.is_unsaved() {
        say(0, theme.warn, format!("{} unsaved", theme.signs.unsaved), Some(Command::Save));
    }
    say(0, theme.head, model.release.name.clone(), Some(Command::PickRelease));
    say(5, theme.dim, format!("({})", group_rule(model.release.rules.overlap_groups)), Some(Command::PickRelease));
    let (cpus, nodes) = (text::count(topology.nr_cpus, "CPU"), text::count(topology.nodes.len(), "node"));
    let levels = text::count(built.build.levels.len(), "level");
    say(SIZE, theme.text, format!("{cpus} {dot} {nodes} {dot} {levels}", dot = theme.signs.dot), None);
    say(4, theme.text, distances(model), None);
    say(3, theme.text, built.build.numa.topology_type.name().to_owned(), None);
    findings(model, &mut say);
    if model.is_rebuilding() {
        say(1, theme.pending, "rebuilding".to_owned(), None);
    } else if !built.took.is_zero() {
        say(7, theme.dim, duration(built.took), None);
    }
    // What is there is said at any width, if only in figures.
    if let Some(size) = facts.iter_mut().find(|fact| fact.gives_way == SIZE) {
        let (cpus, nodes, levels) = (topology.nr_cpus, topology.nodes.len(), built.build.levels.len());
        size.short = Some(format!("{cpus}C {nodes}N {levels}L"));
    }
    facts
}

/// The distances that make levels.
fn distances(model: &Model) -> String {
    const MOST: usize = 6;
    let all = &model.built.build.numa.distances;
    let mut text: Vec<String> = all.iter().take(MOST).map(u32::to_string).collect();
    if all.len() > MOST {
        text.push(model.theme.signs.cut.to_owned());
    }
    text.join(" ")
}

/// How many findings there are of each severity, those that there are.
fn findings(model: &Model, say: &mut impl FnMut(u8, Style, String, Option<Command>)) {
    let (theme, there) = (&model.theme, Some(Command::Focus(Pane::Findings)));
    let Some(findings) = model.built.findings() else { return say(6, theme.dim, "examining".to_owned(), None) };
    if findings.is_empty() {
        return say(6, theme.good, "no findings".to_owned(), there);
    }
    for severity in Severity::ALL {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        if count > 0 {
            let (sign, style) = super::findings::sign(theme, severity);
            let noun = if severity == Severity::Info { "note" } else { severity.name() };
            say(u8::from(severity == Severity::Info) * 6, style, format!("{sign} {}", text::count(count, noun)), there);
        }
    }
}

/// A duration in two or three digits.
fn duration(time: Duration) -> String {
    let micros = time.as_micros();
    match micros {
        0..1000 => format!("{micros} us"),
        1000..100_000 => format!("{:.1} ms", micros as f64 / 1e3),
        _ => format!("{} ms", micros / 1000),
    }
}
