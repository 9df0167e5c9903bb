//! What the explorer does beyond its own state: files, presets, builds. No terminal here, so that tests use it as is.

use super::action::{Action, Effect};
use super::facts::Built;
use super::picker::Source;
use crate::formats::{self, FormatError, visible};
use crate::topology::Topology;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Does what an effect asks for, and says what came of it. Effects for the terminal are not for here.
pub(super) fn perform(effect: Effect) -> Option<Action> {
    match effect {
        Effect::Build(request) => Some(Action::Built(Arc::new(Built::new(request)))),
        Effect::Save(topology, path) => Some(match save(&topology, &path) {
            Ok(()) => Action::Saved(path),
            Err(error) => Action::Failed(format!("not saved: {error}")),
        }),
        Effect::Load(source) => Some(match load(&source) {
            Ok(topology) => Action::Loaded(source, Arc::new(topology)),
            Err(error) => Action::Failed(format!("not opened: {error}")),
        }),
        Effect::Peek(source) => {
            let peek = load(&source).map(|topology| summary(&topology)).map_err(|error| error.to_string());
            Some(Action::Peeked(source, peek))
        }
        Effect::List => Some(Action::Listed(list(Path::new(".")))),
        Effect::Mouse(_) | Effect::Redraw | Effect::Suspend | Effect::Quit => None,
    }
}

/// Writes TOML, atomically. A file that is TOML already keeps its comments and its order.
fn save(topology: &Topology, path: &Path) -> Result<(), FormatError> {
    formats::save_atomic(path, &formats::toml::write(topology))
}

fn load(source: &Source) -> Result<Topology, FormatError> {
    match source {
        Source::File(path) => formats::load(path).map(|(topology, _)| topology),
        Source::Preset(name) => Err(FormatError::new(format!("there is no preset {name}"), "choose one of the list")),
    }
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
pub(super) fn presets() -> Vec<(String, String)> {
    Vec::new()
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
