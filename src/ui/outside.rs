//! What the explorer does beyond its own state: files, presets, builds. No terminal here, so that tests use it as is.

use super::action::{Action, Effect, Look};
use super::facts::Built;
use super::picker::Source;
use crate::formats::{self, Format, FormatError, visible};
use crate::presets;
use crate::topology::Topology;
use crate::topology::generate::{Machine, Shape};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Does what an effect asks for, and says what came of it. Effects for the terminal are not for here.
pub(super) fn perform(effect: Effect) -> Option<Action> {
    match effect {
        Effect::Build(request) => Some(Action::Built(Arc::new(Built::new(request)))),
        Effect::Compare(order) => {
            let compared = order.compare().map(Arc::new);
            Some(Action::Compared(order, compared))
        }
        Effect::Repair(order) => {
            let found = order.search();
            Some(Action::Repaired(order.progress, Ok(found)))
        }
        Effect::Examine(built) => {
            built.examine();
            Some(Action::Examined(built.generation))
        }
        Effect::Save(_, path, over) if is_in_the_way(&path, over) => Some(Action::Exists(path)),
        Effect::Save(topology, path, _) => Some(match save(&topology, &path) {
            Ok(()) => Action::Saved(path),
            Err(error) => Action::Failed(format!("not saved: {error}")),
        }),
        Effect::Export(text, path, Over::Ask) if path.exists() => Some(Action::InTheWay(path, text)),
        Effect::Export(text, path, _) => Some(match formats::save_atomic(&path, &text) {
            Ok(()) => Action::Exported(path),
            Err(error) => Action::Failed(format!("not written: {error}")),
        }),
        Effect::Load(source) => Some(match load(&source) {
            Ok((topology, path)) => Action::Loaded(Arc::new(topology), path, source),
            Err(error) => Action::Failed(format!("not opened: {error}")),
        }),
        Effect::Peek(source) => {
            let peek = peek(&source).map_err(|error| error.to_string());
            Some(Action::Peeked(source, peek))
        }
        Effect::Reload(path) => Some(match load(&Source::File(path)) {
            Ok((topology, _)) => Action::Reloaded(Arc::new(topology)),
            Err(error) => Action::Failed(format!("the file changed and can't be read: {error}")),
        }),
        Effect::Forget(path) => {
            let removed = std::fs::remove_file(&path);
            removed.err().map(|error| Action::Unkept(format!("{}: {error}", visible_path(&path))))
        }
        Effect::List => Some(Action::Listed(list(Path::new(".")))),
        Effect::Copy(_)
        | Effect::FindEdits
        | Effect::Adopt(_)
        | Effect::Mouse(_)
        | Effect::Remember(_)
        | Effect::Redraw
        | Effect::Suspend
        | Effect::Quit => None,
    }
}

/// What to do about a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// It is the file the topology came from: change it, if it is TOML; other formats are not ours to write.
    Own,
    /// Ask first.
    Ask,
    /// Somebody said so.
    Replace,
}

/// Whether saving there would put an end to something else.
fn is_in_the_way(path: &Path, over: Over) -> bool {
    match over {
        Over::Own => formats::read_text(path).is_ok_and(|text| formats::recognise(&text) != Some(Format::Toml)),
        Over::Ask => path.exists(),
        Over::Replace => false,
    }
}

/// Writes TOML, atomically. What is there keeps its comments and its order if it is a topology in TOML.
fn save(topology: &Topology, path: &Path) -> Result<(), FormatError> {
    let before = formats::read_text(path).ok();
    let merged = before.and_then(|text| formats::toml::save(&text, topology).ok());
    formats::save_atomic(path, &merged.unwrap_or_else(|| formats::toml::write(topology)))
}

/// Reads a topology, and says where it can be saved: only TOML is written back, other formats are not ours to write.
pub(super) fn load(source: &Source) -> Result<(Topology, Option<PathBuf>), FormatError> {
    match source {
        Source::File(path) => {
            let (mut topology, format) = formats::load(path)?;
            if topology.name.is_empty() {
                topology.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            }
            Ok((topology, (format == Format::Toml).then(|| path.clone())))
        }
        Source::Made(text) => Ok((make(text)?, None)),
        Source::Preset(name) => {
            let preset = presets::find(name);
            let preset = preset.ok_or_else(|| FormatError::new(format!("there is no preset {name}"), ""))?;
            Ok((preset.topology()?, None))
        }
    }
}

/// CPUs of each node of a machine made by rule, when nobody says.
const CPUS_PER_NODE: usize = 2;

/// Makes a machine: a shape, and after a blank how many CPUs each node has.
fn make(text: &str) -> Result<Topology, FormatError> {
    let mut words = text.split_whitespace();
    let shape = Shape::parse(words.next().unwrap_or_default())?;
    let cpus = words.next().map_or(Ok(CPUS_PER_NODE), str::parse);
    let (Ok(cpus), None) = (cpus, words.next()) else {
        return Err(FormatError::new(format!("{text}: what follows the shape is no number"), "write ring:8 4"));
    };
    Ok(Machine::new(shape.kind.nodes(), cpus).topology(text, shape.distances())?)
}

/// Files larger than this are read when they are opened, not to be looked at.
const LOOKED_AT: u64 = 2 << 20;

fn peek(source: &Source) -> Result<Look, FormatError> {
    if is_large(source, LOOKED_AT) {
        return Err(FormatError::new("a large file: it is read when it is opened", ""));
    }
    let (topology, _) = load(source)?;
    Ok(Look { summary: summary(&topology), table: corner(&topology) })
}

/// Whether a source is a file of more than this many bytes.
pub(super) fn is_large(source: &Source, bytes: u64) -> bool {
    matches!(source, Source::File(path) if path.metadata().is_ok_and(|file| file.len() > bytes))
}

/// The first rows and columns of the distance table.
fn corner(topology: &Topology) -> Vec<String> {
    const MOST: usize = 16;
    let shown = topology.nodes.len().min(MOST);
    let id = |index: usize| topology.nodes[index].id.to_string();
    let cell = |text: String| format!("{text:>4}");
    let head: String = (0..shown).map(|column| cell(id(column))).collect();
    let row = |from: usize| {
        let cells: String = (0..shown).map(|to| cell(topology.distances.get(from, to).to_string())).collect();
        format!("{:>3}{cells}", id(from))
    };
    std::iter::once(format!("   {head}")).chain((0..shown).map(row)).collect()
}

/// A topology in one line.
pub(super) fn summary(topology: &Topology) -> String {
    let mut distances: Vec<u32> = topology.distances.rows().flatten().copied().collect();
    distances.sort_unstable();
    distances.dedup();
    let shown: Vec<String> = distances.iter().take(8).map(u32::to_string).collect();
    let more = if distances.len() > 8 { " …" } else { "" };
    let cpus = super::text::count(topology.nr_cpus, "CPU");
    let nodes = super::text::count(topology.nodes.len(), "node");
    format!("{cpus}, {nodes}, distances {}{more}", shown.join(" "))
}

/// The presets, name and description.
pub(super) fn presets() -> impl Iterator<Item = (&'static str, &'static str)> {
    presets::all().map(|preset| (preset.name, preset.about()))
}

/// Files of this folder that look like topologies, sorted, so many at most.
fn list(folder: &Path) -> Vec<PathBuf> {
    const MOST: usize = 500;
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let known = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        matches!(extension, "toml" | "json" | "xml" | "txt" | "log" | "dat" | "aml" | "dsl" | "slit")
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path().strip_prefix(".").map_or_else(|_| entry.path(), Path::to_path_buf))
        .filter(known)
        .take(MOST)
        .collect();
    files.sort();
    files
}

/// A path as text for the screen.
pub(super) fn visible_path(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}
