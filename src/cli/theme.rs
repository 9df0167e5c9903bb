//! Themes, as they are named.

use super::error::CliError;
use crate::explore::vocabulary::appearance::Palette;

/// The theme of that name.
///
/// # Errors
/// When there is none.
pub(super) fn theme(name: &str) -> Result<Palette, CliError> {
    Palette::find(name).ok_or_else(|| {
        let names: Vec<&str> = Palette::ALL.iter().map(|palette| palette.name()).collect();
        CliError::Argument(format!("--theme {name}: the themes are {}", names.join(", ")))
    })
}
