//! Where somebody is in the lesson, kept from one session to the next: the step's name in a file of the state folder.

use super::steps;
use crate::formats;
use std::fs;
use std::path::Path;

const FILE: &str = "lesson";

/// The step the lesson was left at, if it was left at one.
pub(in crate::ui) fn read(state: &Path) -> Option<usize> {
    let text = formats::read_text(state.join(FILE)).ok()?;
    steps().iter().position(|step| step.id == text.trim())
}

/// Keeps the step, or forgets that there was one.
///
/// # Errors
/// When the file can't be written.
pub(in crate::ui) fn write(state: &Path, at: Option<usize>) -> Result<(), formats::FormatError> {
    match at.and_then(|at| steps().get(at)) {
        Some(step) => formats::save_atomic(state.join(FILE), &format!("{}\n", step.id)),
        None => {
            // There may have been none.
            let _ = fs::remove_file(state.join(FILE));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_again_until_the_lesson_ends() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(read(state.path()), None);
        write(state.path(), Some(4)).unwrap();
        assert_eq!(read(state.path()), Some(4));
        write(state.path(), None).unwrap();
        assert_eq!(read(state.path()), None);
        fs::write(state.path().join(FILE), "no such step").unwrap();
        assert_eq!(read(state.path()), None);
    }
}
