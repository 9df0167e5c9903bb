//! What the explorer remembers from one session to the next: where the borders are, what was opened.

use super::action::Pane;
use super::borders::Borders;
use super::model::{Model, Zoom};
use super::picker::Source;
use crate::formats::{FormatError, save_atomic};
use std::fs;
use std::path::{Path, PathBuf};

/// Things opened that are remembered; older ones are forgotten.
const MOST: usize = 30;

/// The layout and what was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Whether one pane had the whole screen.
    pub zoomed: bool,
    /// Panes by when they had the focus, latest first.
    pub panes: Vec<Pane>,
    /// What was opened, latest first.
    pub recent: Vec<Source>,
    /// The step the lesson was left at, if not the first.
    pub lesson: Option<String>,
    /// Borders that were moved.
    pub borders: Borders,
}

fn file(state: &Path) -> PathBuf {
    state.join("session.toml")
}

impl Memory {
    /// What is kept below `state`. What can't be read is nothing to stop at: the panes are then as at first.
    pub(super) fn load(state: &Path) -> Self {
        let text = fs::read_to_string(file(state)).unwrap_or_default();
        let mut memory: Self = toml::from_str(&text).unwrap_or_default();
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
    pub(super) fn save(mut self, state: &Path) -> Result<(), FormatError> {
        self.recent.extend(Self::load(state).recent);
        let absolute = |source| match source {
            // A name that is no text can't be kept in a file of text.
            Source::File(path) => {
                std::path::absolute(path).ok().filter(|path| path.to_str().is_some()).map(Source::File)
            }
            other => Some(other),
        };
        let mut kept: Vec<Source> = Vec::new();
        for source in self.recent.into_iter().filter_map(absolute) {
            if !kept.contains(&source) && kept.len() < MOST {
                kept.push(source);
            }
        }
        self.recent = kept;
        let wrong = |error: &dyn std::fmt::Display| {
            FormatError::new(error.to_string(), "").in_file(file(state).display().to_string())
        };
        let text = toml::to_string(&self).map_err(|error| wrong(&error))?;
        save_atomic(file(state), &text)
    }
}

impl Model {
    /// What is worth remembering.
    pub fn memory(&self) -> Memory {
        Memory {
            zoomed: self.zoom == Zoom::Whole,
            panes: self.recent.to_vec(),
            recent: self.opened.clone(),
            lesson: self.screens.lesson.bookmark(),
            borders: self.borders.clone(),
        }
    }

    /// Puts things where they were.
    pub fn recall(&mut self, memory: Memory) {
        self.zoom = if memory.zoomed { Zoom::Whole } else { Zoom::Split };
        for &pane in memory.panes.iter().rev() {
            self.focus_on(pane);
        }
        if let Some(step) = &memory.lesson {
            self.screens.lesson.resume(step);
        }
        self.borders = memory.borders;
        let now = std::mem::take(&mut self.opened);
        self.opened = memory.recent;
        for source in now {
            self.was_opened(source);
        }
    }

    /// Remembers that something was opened.
    pub(super) fn was_opened(&mut self, source: Source) {
        self.opened.retain(|other| *other != source);
        self.opened.insert(0, source);
        self.opened.truncate(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::borders::Border;

    #[test]
    fn what_is_kept_comes_back_and_sessions_do_not_forget_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/state");
        assert_eq!(Memory::load(&state), Memory::default());
        fs::create_dir_all(&state).unwrap();
        let file = Source::File(folder.path().join("a \"b\".toml"));
        let first = Memory {
            zoomed: true,
            panes: vec![Pane::Graph, Pane::Cpus],
            recent: vec![Source::Preset("ring4".to_owned()), file.clone()],
            lesson: Some("domain".to_owned()),
            borders: Borders::from([(Border::WideLeft, 300), (Border::ShortCpus, 1)]),
        };
        first.clone().save(&state).unwrap();
        assert_eq!(Memory::load(&state), first);
        let second = Memory { recent: vec![Source::Made("ring:8 4".to_owned()), file.clone()], ..Memory::default() };
        second.save(&state).unwrap();
        let all = [Source::Made("ring:8 4".to_owned()), file, Source::Preset("ring4".to_owned())];
        assert_eq!(Memory::load(&state).recent, all);
    }

    #[test]
    fn what_can_not_be_read_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(file(folder.path()), "panes = [\"attic\"]").unwrap();
        assert_eq!(Memory::load(folder.path()), Memory::default());
    }
}
