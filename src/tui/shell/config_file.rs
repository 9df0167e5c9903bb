//! The file a person's own configuration is in.

use crate::explore::state::config::Config;
use crate::formats::{FormatError, read_text};
use etcetera::BaseStrategy as _;
use std::path::{Path, PathBuf};

/// The configuration in the file at `path` over the standard; or else in the person's own, when there is one.
///
/// # Errors
/// No such file, or what [`Config::read`] says, with the file's name.
pub fn load_config(path: Option<&Path>) -> Result<Config, FormatError> {
    let mut config = Config::standard();
    let own = own_config_file().filter(|own| own.exists());
    let Some(path) = path.map(Path::to_owned).or(own) else { return Ok(config) };
    let text = read_text(&path)?;
    config.read(&text).map_err(|error| error.in_file(path.display().to_string()))?;
    Ok(config)
}

/// Where the person's own file is looked for.
pub fn own_config_file() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("schedtopo").join("config.toml"))
}
