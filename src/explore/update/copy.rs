//! What copying takes: as text, bounded by what terminals accept.

use crate::cpumask::CpuMask;
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::Overlay;
use crate::explore::text;
use crate::explore::vocabulary::command::Clip;
use crate::explore::vocabulary::effect::{Effect, Terminal};
use crate::explore::vocabulary::pane::Pane;
use crate::explore::vocabulary::source::Source;
use crate::formats;
use crate::kernel::{self, dmesg};
use crate::topology::Topology;
use std::fmt::{self, Write as _};
use std::ops::Range;

/// Bytes copied at most: with base64 around them this is what every terminal in use takes.
const MOST: usize = 74_000;

/// Text up to [`MOST`] bytes; writing more fails.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MOST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

pub(super) fn close_menu(model: &mut Model) {
    model.overlay = Overlay::None;
}

/// Copies what is asked for.
pub(super) fn copy(model: &mut Model, what: Clip) -> Vec<Effect> {
    close_menu(model);
    let mut out = Bounded(String::new());
    let written = match what {
        Clip::Cell => match chosen_text(model) {
            Some(chosen) => out.write_str(&chosen),
            None => {
                model.report(Tone::Trouble, "nothing is chosen here");
                return Vec::new();
            }
        },
        Clip::Row => write_rows(model, &mut out, model.selection.from..model.selection.from + 1),
        // The table as something to paste again, any other pane as it looks.
        Clip::Pane if model.focus != Pane::Distances => return vec![Terminal::PaneText.into()],
        Clip::Table | Clip::Pane => write_rows(model, &mut out, 0..model.doc.topology().nodes.len()),
        Clip::Dmesg => write_dmesg(model, &mut out),
        Clip::Shell => write_shell(model, &mut out),
    };
    copy_bounded(model, written.map(|()| out))
}

/// Copies text.
pub(super) fn copy_text(model: &mut Model, text: &str) -> Vec<Effect> {
    let mut out = Bounded(String::new());
    let written = out.write_str(text);
    copy_bounded(model, written.map(|()| out))
}

fn copy_bounded(model: &mut Model, out: Result<Bounded, fmt::Error>) -> Vec<Effect> {
    let Ok(Bounded(text)) = out else {
        model.report(Tone::Trouble, format!("not copied: too large, terminals take {} kB at most", MOST / 1000));
        return Vec::new();
    };
    let lines = match text.lines().count() {
        0 | 1 => text::cut(text.trim_end(), 40, model.signs().cut).into_owned(),
        many => text::count(many, "line"),
    };
    model.report(Tone::Done, format!("copied, if the terminal lets programs: {lines}"));
    vec![Terminal::Copy(text).into()]
}

/// What is chosen in the focused pane.
fn chosen_text(model: &Model) -> Option<String> {
    let (built, selection) = (&model.built, model.selection);
    let span = |cpus: &CpuMask| cpus.to_string();
    match model.focus {
        Pane::Distances | Pane::Graph => {
            let distances = &model.doc.topology().distances;
            let inside = selection.from.max(selection.to) < distances.nodes();
            inside.then(|| distances.get(selection.from, selection.to).to_string())
        }
        Pane::Cpus | Pane::Domains | Pane::Counters => model.domain().map(|domain| span(built.build.span(domain.span))),
        Pane::Groups => {
            let domain = model.domain().filter(|domain| built.build.nr_groups(domain) > 0)?;
            Some(span(built.build.group(domain, selection.group).span))
        }
        Pane::Capacity => {
            let instance = built.sharing(selection.level)?.instances.get(selection.instance)?;
            Some(span(&instance.holders))
        }
        Pane::Findings => {
            let one = model.finding()?;
            Some(format!("{}[{}]: {}\n    {}\n", one.severity.name(), one.id, one.message, one.advice))
        }
    }
}

/// Rows of the distance table, as they can be pasted again.
fn write_rows(model: &Model, out: &mut Bounded, rows: Range<usize>) -> fmt::Result {
    for row in model.doc.topology().distances.rows().skip(rows.start).take(rows.len()) {
        let row: Vec<String> = row.iter().map(|distance| format!("{distance:>3}")).collect();
        writeln!(out, "{}", row.join(" "))?;
    }
    Ok(())
}

/// As the kernel prints it when told to be verbose, which changes what old ones build.
fn write_dmesg(model: &Model, out: &mut Bounded) -> fmt::Result {
    let mut topology = Topology::clone(model.doc.topology());
    topology.sched_debug = true;
    dmesg::write_log(&kernel::build(&topology, &model.release), &topology, out)
}

fn write_shell(model: &Model, out: &mut Bounded) -> fmt::Result {
    let name = match &model.source {
        Some(Source::File(path)) if !model.doc.is_unsaved() => Some(path.display().to_string()),
        Some(Source::Preset(name)) if !model.doc.is_unsaved() => Some(name.clone()),
        Some(Source::Live) if !model.doc.is_unsaved() => Some("live".to_owned()),
        _ => None,
    };
    let selection = model.selection;
    write!(out, "schedtopo show {}", name.as_deref().map_or_else(|| "-".to_owned(), quoted))?;
    write!(out, " --kernel {} --cpu {}", quoted(&model.release.name), selection.cpu)?;
    if model.domain().is_some() {
        write!(out, " --level {}", quoted(model.level_label(selection.level)))?;
    }
    if name.is_some() {
        return writeln!(out);
    }
    // Nothing names this machine: it goes with the command.
    writeln!(out, " <<'END'")?;
    out.write_str(&formats::toml::write(model.doc.topology()))?;
    writeln!(out, "END")
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+:,@%".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
