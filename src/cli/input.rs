//! Finding the machine a command names: a file, standard input, or a preset.

use super::error::CliError;
use super::machine::{Machine, Origin};
use crate::cpumask::CpuMask;
use crate::formats::{self, Format, FormatError, Loaded, STDIN, sysfs, visible};
use crate::kernel::{self, Build, Release};
use crate::presets;
use crate::topology::{Topology, generate};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name that stands for this machine.
pub const LIVE: &str = "live";
/// The kernel modelled when nobody says.
const NEWEST: &str = "newest";

/// A machine a command names.
#[derive(Debug)]
pub struct Named {
    /// The machine.
    pub topology: Topology,
    /// Where it comes from.
    pub origin: Origin,
    /// The kernel it ran, as that names itself, where it is known.
    pub kernel: Option<String>,
}

/// Loads the machine `name` stands for: `-`, `live`, an existing file or folder, or a preset. What had to be assumed is said
/// on standard error.
///
/// # Errors
/// When there is no such file or preset, with the nearest preset's name, or what is wrong with the file.
pub fn load(name: &str) -> Result<Named, CliError> {
    if name == STDIN {
        return Ok(named(formats::load(name)?, "", Origin::Stdin));
    }
    if Path::new(name).exists() {
        let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        return Ok(named(formats::load(name)?, &stem, Origin::File(PathBuf::from(name))));
    }
    if name == LIVE {
        return live();
    }
    if presets::find(name).is_none() && name.contains(':') && !name.contains('/') {
        let topology = generate::machine(name).map_err(|invalid| FormatError::from(invalid).in_file(name))?;
        return Ok(Named { topology, origin: Origin::Generated, kernel: None });
    }
    match presets::find(name) {
        Some(preset) => Ok(Named { topology: preset.topology()?, origin: Origin::Preset, kernel: None }),
        None => Err(CliError::Input(unknown_preset(name))),
    }
}

/// This machine, as `/sys` and `/proc` show it.
fn live() -> Result<Named, CliError> {
    let files = sysfs::live()?;
    if let Some(first) = files.unread.first() {
        let others = files.unread.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" and {others} more") };
        say(&format!("not read: {first}{more}"));
    }
    Ok(named(formats::from_files(&files)?, LIVE, Origin::Live))
}

fn named(loaded: Loaded, name: &str, origin: Origin) -> Named {
    let Loaded { mut topology, format, kernel } = loaded;
    if topology.name.is_empty() {
        name.clone_into(&mut topology.name);
    }
    // Our own formats say nothing but what somebody wrote there.
    if !matches!(format, Format::Toml | Format::Json) && !topology.about.is_empty() {
        say(&topology.about);
    }
    Named { topology, origin, kernel }
}

/// Says something beside the output, which stays what it is.
pub(super) fn say(text: &str) {
    // If it can't be said, the answer is no worse.
    let _ = writeln!(io::stderr(), "schedtopo: {}", visible(text));
}

/// The error for a name that is neither a file nor a preset.
pub(super) fn unknown_preset(name: &str) -> FormatError {
    let looks_like_a_file = name.contains(['/', '.']);
    let nearest = presets::all()
        .map(|preset| (strsim::jaro_winkler(name, preset.name), preset.name))
        .filter(|&(score, _)| score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let cure = match nearest {
        Some((_, nearest)) if !looks_like_a_file => format!("did you mean the preset {nearest}?"),
        _ => "`schedtopo presets` lists the embedded machines".to_owned(),
    };
    FormatError::new("there is no such file, and no preset of that name", cure).in_file(name)
}

/// The kernel a person names. Where the name leaves a choice, which one was taken is said on standard error, so that
/// output stays what it is.
///
/// # Errors
/// When it names no release that is modelled.
pub fn release(name: &str) -> Result<Release, CliError> {
    let release = Release::parse(name)?;
    if let Some(note) = &release.note {
        say(note);
    }
    Ok(release)
}

/// The kernel a person names, or else the one the machine ran, or else the newest.
///
/// # Errors
/// When it names no release that is modelled.
pub fn release_of(named: Option<&str>, ran: Option<&str>) -> Result<Release, CliError> {
    release(named.or(ran).unwrap_or(NEWEST))
}

/// The machine and the kernel a command names.
///
/// # Errors
/// What [`release`] and [`load`] say.
pub fn machine(of: &Machine) -> Result<(Topology, Release), CliError> {
    // A release that is misspelt is said before a large file is read.
    let release = of.kernel.as_deref().map(release).transpose()?;
    let found = load(&of.machine)?;
    let release = release.map_or_else(|| release_of(None, found.kernel.as_deref()), Ok)?;
    Ok((found.topology, release))
}

/// The machine and the kernel a command names, and what that kernel makes of it.
///
/// # Errors
/// What [`release`] and [`load`] say.
pub fn build(of: &Machine) -> Result<(Topology, Build), CliError> {
    let (topology, release) = machine(of)?;
    let build = kernel::build(&topology, &release);
    Ok((topology, build))
}

/// The index of the level a person names: `MC`, `NUMA` (the first), `NUMA-2`, or a number.
///
/// # Errors
/// When the build has no such level; the message lists those there are.
pub fn level(build: &Build, name: &str) -> Result<usize, CliError> {
    build.find_level(name).ok_or_else(|| {
        let labels: Vec<String> = (0..build.levels.len()).map(|level| build.level_label(level)).collect();
        CliError::Argument(format!("--level {name}: the levels are {}", labels.join(", ")))
    })
}

/// The CPUs a person names with `option`, which must be possible ones.
///
/// # Errors
/// When it is no cpulist, or names CPUs the machine does not have.
pub fn cpus(topology: &Topology, option: &str, list: &str) -> Result<CpuMask, CliError> {
    let mask = CpuMask::parse(list, Some(topology.nr_cpus))
        .map_err(|error| CliError::Argument(format!("{option}: {error}")))?;
    match mask.last() {
        Some(last) if last >= topology.nr_cpus => Err(CliError::Argument(format!(
            "{option}: CPU {last} does not exist; CPUs go from 0 to {}",
            topology.nr_cpus - 1
        ))),
        _ => Ok(mask),
    }
}
