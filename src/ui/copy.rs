//! What copying takes: as text, bounded by what terminals accept.

use super::action::{Effect, Pane, Screen};
use super::model::{Model, Overlay, Tone};
use super::picker::Source;
use super::view::ViewState;
use super::{picture, text, view};
use crate::cpumask::CpuMask;
use crate::formats;
use crate::kernel::{self, dmesg};
use crate::topology::Topology;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::path::Path;

/// Bytes copied at most: with base64 around them this is what every terminal in use takes.
const MOST: usize = 74_000;
/// The screen a pane is drawn on to be copied.
const WIDTH: u16 = 160;
const ROWS: u16 = 1000;

/// Something to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clip {
    /// The chosen value: a distance, a set of CPUs, a finding.
    Cell,
    /// The chosen row of the distance table.
    Row,
    /// The distance table.
    Table,
    /// The focused pane.
    Pane,
    /// What this kernel prints for this machine.
    Dmesg,
    /// A command that shows the same outside of the explorer.
    Shell,
}

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

impl Model {
    pub(super) fn copy(&mut self, what: Clip) -> Vec<Effect> {
        let mut out = Bounded(String::new());
        let written = match what {
            Clip::Cell => match self.chosen_text() {
                Some(chosen) => out.write_str(&chosen),
                None => {
                    self.say(Tone::Trouble, "nothing is chosen here");
                    return Vec::new();
                }
            },
            Clip::Row => self.write_rows(&mut out, self.selection.from..self.selection.from + 1),
            Clip::Table => self.write_rows(&mut out, 0..self.doc.topology().nodes.len()),
            Clip::Pane => self.write_pane(&mut out),
            Clip::Dmesg => self.write_dmesg(&mut out),
            Clip::Shell => self.write_shell(&mut out),
        };
        if written.is_err() {
            self.say(Tone::Trouble, format!("not copied: too large, terminals take {} kB at most", MOST / 1000));
            return Vec::new();
        }
        let lines = match out.0.lines().count() {
            0 | 1 => text::cut(out.0.trim_end(), 40, self.theme.signs.cut).into_owned(),
            many => text::count(many, "line"),
        };
        self.say(Tone::Done, format!("copied, if the terminal lets programs: {lines}"));
        vec![Effect::Copy(out.0)]
    }

    /// The name proposed for a file with the focused pane, or the screen beside Explore.
    pub(super) fn export_name(&self) -> String {
        let what = match self.screens.now {
            Screen::Explore => self.focus.name(),
            screen => screen.name(),
        };
        format!("{}-{}.txt", self.file_stem(), what.to_lowercase())
    }

    /// What goes into a file of this name: for `.svg` a picture of the screen, or else text.
    pub(super) fn export_text(&self, path: &Path) -> String {
        let is_picture = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
        if !is_picture && self.screens.now == Screen::Explore {
            return view::pane_text(self, self.focus, WIDTH, u16::MAX);
        }
        // The screen as it is, without what asks for the file's name.
        let still = Self { overlay: Overlay::None, notice: None, ..self.clone() };
        let (width, height) = self.drawn.screen;
        let area = Rect::new(0, 0, width.max(view::SMALLEST.0), height.max(view::SMALLEST.1));
        let mut buffer = Buffer::empty(area);
        view::render(&still, &mut ViewState::default(), area, &mut buffer);
        if is_picture { picture::svg(&buffer) } else { view::text_of(&buffer) }
    }

    /// What is chosen in the focused pane.
    fn chosen_text(&self) -> Option<String> {
        let (built, selection) = (&self.built, self.selection);
        let span = |cpus: &CpuMask| cpus.to_string();
        match self.focus {
            Pane::Distances | Pane::Graph => {
                let distances = &self.doc.topology().distances;
                let inside = selection.from.max(selection.to) < distances.nodes();
                inside.then(|| distances.get(selection.from, selection.to).to_string())
            }
            Pane::Cpus | Pane::Domains => self.domain().map(|domain| span(built.build.span(domain.span))),
            Pane::Groups => {
                let domain = self.domain().filter(|domain| built.build.nr_groups(domain) > 0)?;
                Some(span(built.build.group(domain, selection.group).span))
            }
            Pane::Capacity => {
                let instance = built.sharing(selection.level)?.instances.get(selection.instance)?;
                Some(span(&instance.holders))
            }
            Pane::Findings => {
                let one = self.finding()?;
                Some(format!("{}[{}]: {}\n    {}\n", one.severity.name(), one.id, one.message, one.advice))
            }
        }
    }

    /// The table as something to paste again, any other pane as it looks.
    fn write_pane(&self, out: &mut Bounded) -> fmt::Result {
        if self.focus != Pane::Distances {
            return out.write_str(&view::pane_text(self, self.focus, WIDTH, ROWS));
        }
        self.write_rows(out, 0..self.doc.topology().nodes.len())
    }

    /// Rows of the distance table, as they can be pasted again.
    fn write_rows(&self, out: &mut Bounded, rows: Range<usize>) -> fmt::Result {
        for row in self.doc.topology().distances.rows().skip(rows.start).take(rows.len()) {
            let row: Vec<String> = row.iter().map(|distance| format!("{distance:>3}")).collect();
            writeln!(out, "{}", row.join(" "))?;
        }
        Ok(())
    }

    /// As the kernel prints it when told to be verbose, which changes what old ones build.
    fn write_dmesg(&self, out: &mut Bounded) -> fmt::Result {
        let mut topology = Topology::clone(self.doc.topology());
        topology.sched_debug = true;
        dmesg::write_log(&kernel::build(&topology, &self.release), &topology, out)
    }

    fn write_shell(&self, out: &mut Bounded) -> fmt::Result {
        let name = match &self.source {
            Some(Source::File(path)) if !self.doc.is_unsaved() => Some(path.display().to_string()),
            Some(Source::Preset(name)) if !self.doc.is_unsaved() => Some(name.clone()),
            _ => None,
        };
        let selection = self.selection;
        write!(out, "schedtopo show {}", name.as_deref().map_or_else(|| "-".to_owned(), quoted))?;
        write!(out, " --kernel {} --cpu {}", quoted(&self.release.name), selection.cpu)?;
        if self.domain().is_some() {
            write!(out, " --level {}", quoted(self.level_label(selection.level)))?;
        }
        if name.is_some() {
            return writeln!(out);
        }
        // Nothing names this machine: it goes with the command.
        writeln!(out, " <<'END'")?;
        out.write_str(&formats::toml::write(self.doc.topology()))?;
        writeln!(out, "END")
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+:,@%".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
