//! The line at the top: the machine, the kernel, and what came of them.

use crate::analysis::findings::Severity;
use crate::explore::derived::release_words::group_rule;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::pane::Pane;
use crate::formats::visible;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;
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

impl Fact {
    fn new(gives_way: u8, style: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), style, gives_way, short: None, leads_to: None }
    }

    fn to(self, command: Command) -> Self {
        Self { leads_to: Some(command), ..self }
    }
}

/// Draws the title, and below it why there are no domains if there are none; returns the rows taken.
pub(super) fn draw(model: &Themed, state: &mut ViewState, screen: &mut Canvas) -> u16 {
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

fn facts(model: &Themed) -> Vec<Fact> {
    let (theme, built) = (&model.theme, &model.built);
    let topology = model.doc.topology();
    let name = if topology.name.is_empty() { "unnamed" } else { &topology.name };
    let mut facts = vec![
        Fact::new(8, theme.dim, "schedtopo").to(Command::Help),
        Fact::new(0, theme.head_focus, text::cut(&visible(name), 32, theme.signs.cut)).to(Command::Open),
    ];
    if model.doc.is_unsaved() {
        facts.push(Fact::new(0, theme.warn, format!("{} unsaved", theme.signs.unsaved)).to(Command::Save));
    }
    let rule = format!("({})", group_rule(model.release.rules.overlap_groups));
    facts.extend([
        Fact::new(0, theme.head, &model.release.name).to(Command::PickRelease),
        Fact::new(5, theme.dim, rule).to(Command::PickRelease),
        size(model),
        Fact::new(4, theme.text, distances(model)),
        Fact::new(3, theme.text, built.build.numa.topology_type.name()),
    ]);
    findings(model, &mut facts);
    if model.is_rebuilding() {
        facts.push(Fact::new(1, theme.pending, "rebuilding"));
    } else if !built.took.is_zero() {
        facts.push(Fact::new(7, theme.dim, duration(built.took)));
    }
    facts
}

/// What is there; said at any width, if only in figures.
fn size(model: &Themed) -> Fact {
    let (topology, dot) = (model.doc.topology(), model.theme.signs.dot);
    let (cpus, nodes, levels) = (topology.nr_cpus, topology.nodes.len(), model.built.build.levels.len());
    let [c, n, l] = [(cpus, "CPU"), (nodes, "node"), (levels, "level")].map(|(count, noun)| text::count(count, noun));
    let short = Some(format!("{cpus}C {nodes}N {levels}L"));
    Fact { short, ..Fact::new(2, model.theme.text, format!("{c} {dot} {n} {dot} {l}")) }
}

/// The distances that make levels.
fn distances(model: &Themed) -> String {
    const MOST: usize = 6;
    let all = &model.built.build.numa.distances;
    let mut text: Vec<String> = all.iter().take(MOST).map(u32::to_string).collect();
    if all.len() > MOST {
        text.push(model.theme.signs.cut.to_owned());
    }
    text.join(" ")
}

/// How many findings there are of each severity, those that there are.
fn findings(model: &Themed, facts: &mut Vec<Fact>) {
    let (theme, there) = (&model.theme, Command::Focus(Pane::Findings));
    let Some(findings) = model.built.findings() else {
        return facts.push(Fact::new(6, theme.dim, "examining"));
    };
    if findings.is_empty() {
        return facts.push(Fact::new(6, theme.good, "no findings").to(there));
    }
    for severity in Severity::ALL {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        if count > 0 {
            let (sign, style) = super::findings::sign(theme, severity);
            let noun = if severity == Severity::Info { "note" } else { severity.name() };
            let gives_way = u8::from(severity == Severity::Info) * 6;
            facts.push(Fact::new(gives_way, style, format!("{sign} {}", text::count(count, noun))).to(there));
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
