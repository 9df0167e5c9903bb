//! Whether the open file is still the one that was read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How often to look. Only while a file is open.
const EVERY: Duration = Duration::from_secs(1);

/// What tells one version of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    len: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        Some(Self { modified: about.modified().ok(), len: about.len() })
    }
}

/// The file being watched, if any.
#[derive(Debug, Default)]
pub(super) struct Watch {
    file: Option<(PathBuf, Option<Stamp>)>,
    next: Option<Instant>,
}

impl Watch {
    /// Watches `path` from now on, as it is now.
    pub(super) fn follow(&mut self, path: Option<&Path>) {
        self.file = path.map(|path| (path.to_owned(), Stamp::of(path)));
        self.next = path.map(|_| Instant::now() + EVERY);
    }

    /// When to look next.
    pub(super) fn due(&self) -> Option<Instant> {
        self.next
    }

    /// Looks, if it is time to; the file if it changed since the last look. One that is gone may be on its way back.
    pub(super) fn look(&mut self, now: Instant) -> Option<PathBuf> {
        if self.next.is_none_or(|next| next > now) {
            return None;
        }
        self.next = Some(now + EVERY);
        let (path, known) = self.file.as_mut()?;
        let stamp = Stamp::of(path).filter(|stamp| Some(*stamp) != *known)?;
        *known = Some(stamp);
        Some(path.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_once_and_a_missing_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        fs::write(&path, "10").unwrap();
        let mut watch = Watch::default();
        assert!(watch.due().is_none() && watch.look(Instant::now()).is_none());
        watch.follow(Some(&path));
        let mut now = Instant::now();
        let mut look = || {
            now += 2 * EVERY;
            watch.look(now)
        };
        assert_eq!(look(), None);
        fs::write(&path, "10 20").unwrap();
        assert_eq!(look(), Some(path.clone()));
        assert_eq!(look(), None);
        fs::remove_file(&path).unwrap();
        assert_eq!(look(), None);
    }
}
