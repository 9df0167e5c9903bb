//! Files: what is opened, previewed, saved and exported.

use crate::explore::state::model::Model;
use crate::explore::text;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::effect::{Content, Disk, Overwrite, WriteRequest};
use crate::explore::vocabulary::preview::Summary;
use crate::explore::vocabulary::source::Source;
use crate::formats::{self, Format, FormatError, Loaded, Target};
use crate::presets;
use crate::topology::Topology;
use crate::topology::generate;
use crate::tui::view;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Does what is asked for, and says what came of it. The screen written is that of `model`.
pub(super) fn perform(disk: Disk, model: &Model) -> Action {
    match disk {
        Disk::Write(request) => write(request, model),
        Disk::Load(source) => match load(&source) {
            Ok((topology, path)) => Action::Loaded(Arc::new(topology), path, source),
            Err(error) => Action::Failed(format!("not opened: {error}")),
        },
        Disk::Preview(source) => {
            let preview = preview(&source).map_err(|error| error.to_string());
            Action::Previewed(source, preview)
        }
        Disk::Reload(path) => match load(&Source::File(path)) {
            Ok((topology, _)) => Action::Reloaded(Arc::new(topology)),
            Err(error) => Action::Failed(format!("the file changed and can't be read: {error}")),
        },
        Disk::List => Action::Listed(list(Path::new("."))),
    }
}

fn write(request: WriteRequest, model: &Model) -> Action {
    if would_replace(&request.path, request.overwrite) {
        return Action::FileExists(request);
    }
    let WriteRequest { content, path, .. } = request;
    match content {
        Content::Topology(topology) if Target::of_file(&path) != Target::Toml => export(&topology, path),
        Content::Topology(topology) => match save(&topology, &path) {
            Ok(()) => Action::Saved(path),
            Err(error) => Action::Failed(format!("not saved: {error}")),
        },
        Content::Screen => match formats::save_atomic(&path, view::export(model, &path)) {
            Ok(()) => Action::Exported(path),
            Err(error) => Action::Failed(format!("not written: {error}")),
        },
    }
}

/// Writes a machine in the format that the file's name asks for. It is no place to save to: other formats say less.
fn export(topology: &Topology, path: PathBuf) -> Action {
    let target = Target::of_file(&path);
    match formats::write(topology, target).and_then(|content| formats::save_atomic(&path, content)) {
        Ok(()) => Action::Converted(path, formats::left_out(topology, target)),
        Err(error) => Action::Failed(format!("not written: {error}")),
    }
}

/// Whether writing there would replace something else.
fn would_replace(path: &Path, overwrite: Overwrite) -> bool {
    match overwrite {
        Overwrite::Own => formats::read_text(path).is_ok_and(|text| formats::recognise(&text) != Some(Format::Toml)),
        Overwrite::Ask => path.exists(),
        Overwrite::Replace => false,
    }
}

/// Writes TOML, atomically. What is there keeps its comments and its order if it is a topology in TOML.
fn save(topology: &Topology, path: &Path) -> Result<(), FormatError> {
    let before = formats::read_text(path).ok();
    let merged = before.and_then(|text| formats::toml::save(&text, topology).ok());
    formats::save_atomic(path, merged.unwrap_or_else(|| formats::toml::write(topology)))
}

/// Reads a topology, and says where it can be saved: only TOML is written back, other formats are not ours to write.
pub(super) fn load(source: &Source) -> Result<(Topology, Option<PathBuf>), FormatError> {
    match source {
        Source::File(path) => {
            let Loaded { mut topology, format, .. } = formats::load(path)?;
            if topology.name.is_empty() {
                topology.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            }
            Ok((topology, (format == Format::Toml).then(|| path.clone())))
        }
        Source::Generated(text) => Ok((generate::machine(text)?, None)),
        Source::Live => {
            let mut topology = formats::from_files(&formats::sysfs::live()?)?.topology;
            "live".clone_into(&mut topology.name);
            Ok((topology, None))
        }
        Source::Preset(name) => {
            let preset = presets::find(name);
            let preset = preset.ok_or_else(|| FormatError::new(format!("there is no preset {name}"), ""))?;
            Ok((preset.topology()?, None))
        }
    }
}

/// Bytes of a file that is previewed; a larger one is read when it is opened.
const PREVIEWED: u64 = 2 << 20;

/// What a source looks like.
fn preview(source: &Source) -> Result<Summary, FormatError> {
    if is_large(source, PREVIEWED) {
        return Err(FormatError::new("a large file: it is read when it is opened", ""));
    }
    let (topology, _) = load(source)?;
    Ok(Summary { line: summary(&topology), table: corner(&topology) })
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
fn summary(topology: &Topology) -> String {
    let mut distances: Vec<u32> = topology.distances.rows().flatten().copied().collect();
    distances.sort_unstable();
    distances.dedup();
    let shown: Vec<String> = distances.iter().take(8).map(u32::to_string).collect();
    let more = if distances.len() > 8 { " …" } else { "" };
    let cpus = text::count(topology.nr_cpus, "CPU");
    let nodes = text::count(topology.nodes.len(), "node");
    format!("{cpus}, {nodes}, distances {}{more}", shown.join(" "))
}

/// Files of this folder that look like topologies, sorted, so many at most.
fn list(folder: &Path) -> Vec<PathBuf> {
    const MOST: usize = 500;
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let known = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        matches!(
            extension,
            "toml" | "json" | "xml" | "txt" | "log" | "dat" | "aml" | "dsl" | "slit" | "gz" | "tar" | "sh"
        )
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
