//! What is kept from one session to the next: the layout, what was opened, the lesson's step.

use crate::explore::state::memory::{MOST_OPENED, Memory};
use crate::explore::vocabulary::source::Source;
use crate::formats::{FormatError, save_atomic};
use std::fs;
use std::path::{Path, PathBuf};

fn file(state: &Path) -> PathBuf {
    state.join("session.toml")
}

/// What is kept below `state`. What can't be read is nothing to stop at: the panes are then as at first.
pub(super) fn load(state: &Path) -> Memory {
    let text = fs::read_to_string(file(state)).unwrap_or_default();
    let mut memory: Memory = toml::from_str(&text).unwrap_or_default();
    let here = std::env::current_dir().unwrap_or_default();
    for source in &mut memory.recent {
        if let Source::File(path) = source
            && let Ok(near) = path.strip_prefix(&here)
        {
            *path = near.to_owned();
        }
    }
    memory
}

/// Keeps it in `state`, a folder that is there, together with what other sessions opened in the meantime.
///
/// # Errors
/// When nothing can be written there.
pub(super) fn save(mut memory: Memory, state: &Path) -> Result<(), FormatError> {
    memory.recent.extend(load(state).recent);
    let absolute = |source| match source {
        // A name that is no text can't be kept in a file of text.
        Source::File(path) => std::path::absolute(path).ok().filter(|path| path.to_str().is_some()).map(Source::File),
        other => Some(other),
    };
    let mut kept: Vec<Source> = Vec::new();
    for source in memory.recent.into_iter().filter_map(absolute) {
        if !kept.contains(&source) && kept.len() < MOST_OPENED {
            kept.push(source);
        }
    }
    memory.recent = kept;
    let wrong = |error: &dyn std::fmt::Display| {
        FormatError::new(error.to_string(), "").in_file(file(state).display().to_string())
    };
    let text = toml::to_string(&memory).map_err(|error| wrong(&error))?;
    save_atomic(file(state), &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::vocabulary::border::{Border, Borders};
    use crate::explore::vocabulary::pane::Pane;

    #[test]
    fn what_is_kept_comes_back_and_sessions_do_not_forget_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/state");
        assert_eq!(load(&state), Memory::default());
        fs::create_dir_all(&state).unwrap();
        let file = Source::File(folder.path().join("a \"b\".toml"));
        let first = Memory {
            zoomed: true,
            panes: vec![Pane::Graph, Pane::Cpus],
            recent: vec![Source::Preset("ring4".to_owned()), file.clone()],
            lesson: Some("domain".to_owned()),
            borders: Borders::from([(Border::WideLeft, 300), (Border::ShortCpus, 1)]),
        };
        save(first.clone(), &state).unwrap();
        assert_eq!(load(&state), first);
        let second =
            Memory { recent: vec![Source::Generated("ring:8 4".to_owned()), file.clone()], ..Memory::default() };
        save(second, &state).unwrap();
        let all = [Source::Generated("ring:8 4".to_owned()), file, Source::Preset("ring4".to_owned())];
        assert_eq!(load(&state).recent, all);
    }

    #[test]
    fn what_can_not_be_read_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(file(folder.path()), "panes = [\"attic\"]").unwrap();
        assert_eq!(load(folder.path()), Memory::default());
    }
}
