//! Such files on disk: of this machine, or copied from another.

use super::files::Files;
use crate::formats::FormatError;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Where such files stand in a tree; each is walked this deep.
const PLACES: [(&str, usize); 6] = [
    ("sys/devices/system/node", 2),
    ("sys/devices/system/cpu", 4),
    ("sys/kernel/debug/sched/domains", 3),
    ("proc/sys/kernel/sched_domain", 3),
    ("proc", 1),
    ("dmesg", 0),
];
/// A file of the kernel's is read to here: `schedstat` of 8192 CPUs has some megabytes.
const MAX_CONTENT: u64 = 64 << 20;

/// The files of this machine. No more than a user's rights are needed; what could not be read is in [`Files::unread`].
///
/// # Errors
/// When this is no Linux: there is no `/sys/devices/system/cpu`.
pub fn live() -> Result<Files, FormatError> {
    let mut files = from_folder(Path::new("/"))?;
    // What is there is about each CPU over and over, and only the kind of CPU counts.
    let first = files.whole("proc/cpuinfo").map(|text| text.split("\n\n").next().unwrap_or_default().to_owned());
    files.keep("proc/cpuinfo", || first);
    Ok(files)
}

/// The files of a tree in a folder: one with `sys` in it, one with `devices` in it, or one with nothing but such a folder in
/// it. No link is followed, so nothing outside is read.
///
/// # Errors
/// When there is no such tree in it.
pub fn from_folder(folder: &Path) -> Result<Files, FormatError> {
    let root = root_in(folder).ok_or_else(|| {
        FormatError::new(
            "there is no sys/devices/system in this folder",
            "name a folder with a copy of /sys, or a file",
        )
    })?;
    let mut files = Files::default();
    for (place, depth) in PLACES {
        let start = match place.strip_prefix("sys/") {
            Some(below) if !root.join("sys").is_dir() => root.join(below),
            _ => root.join(place),
        };
        walk(&start, place, depth, &mut files);
    }
    Ok(files)
}

/// Whether a folder holds a copy of `/sys`.
pub fn is_tree(folder: &Path) -> bool {
    root_in(folder).is_some()
}

fn root_in(folder: &Path) -> Option<PathBuf> {
    let is_root =
        |folder: &Path| folder.join("sys/devices/system").is_dir() || folder.join("devices/system/node").is_dir();
    if is_root(folder) {
        return Some(folder.to_owned());
    }
    let inside = fs::read_dir(folder).ok()?.take(64).filter_map(Result::ok).map(|entry| entry.path());
    inside.filter(|path| path.is_dir()).find(|path| is_root(path))
}

/// Reads what is at `start`, which stands at `path` of the tree, and what is below it to a depth.
fn walk(start: &Path, path: &str, depth: usize, files: &mut Files) {
    let Ok(about) = fs::symlink_metadata(start) else { return };
    if about.is_symlink() {
        // A CPU's node is told by a link; where it leads doesn't matter.
        files.keep(path, || path.contains("/node").then(String::new));
    } else if about.is_dir() {
        match fs::read_dir(start) {
            Ok(entries) if depth > 0 => {
                for entry in entries.filter_map(Result::ok) {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    walk(&entry.path(), &format!("{path}/{name}"), depth - 1, files);
                }
            }
            Ok(_) => {}
            Err(error) => files.unread.push(format!("/{path}: {error}")),
        }
    } else if about.is_file() {
        let mut failed = None;
        files.keep(path, || read(start).map_err(|error| failed = Some(error)).ok());
        if let Some(error) = failed {
            files.unread.push(format!("/{path}: {error}"));
        }
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut content = Vec::new();
    File::open(path)?.take(MAX_CONTENT).read_to_end(&mut content)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}
