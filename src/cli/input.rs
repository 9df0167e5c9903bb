//! Finding the machine a command names: a file, standard input, or a preset.

use super::error::CliError;
use super::machine::{Machine, Origin};
use crate::cpumask::CpuMask;
use crate::formats::{self, FormatError, STDIN};
use crate::kernel::{self, Build, Release};
use crate::presets;
use crate::topology::Topology;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Loads the machine `name` stands for: `-`, an existing file, or a preset.
///
/// # Errors
/// When there is no such file or preset, with the nearest preset's name, or what is wrong with the file.
pub fn load(name: &str) -> Result<(Topology, Origin), CliError> {
    if name == STDIN {
        return Ok((formats::load(name)?.0, Origin::Stdin));
    }
    if Path::new(name).exists() {
        let (mut topology, _) = formats::load(name)?;
        if topology.name.is_empty() {
            let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            topology.name = stem.unwrap_or_default();
        }
        return Ok((topology, Origin::File(PathBuf::from(name))));
    }
    match presets::find(name) {
        Some(preset) => Ok((preset.topology()?, Origin::Preset)),
        None => Err(CliError::Input(unknown_preset(name))),
    }
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
        // If it can't be said, the answer is no worse.
        let _ = writeln!(io::stderr(), "schedtopo: {note}");
    }
    Ok(release)
}

/// The machine and the kernel a command names, and what that kernel makes of it.
///
/// # Errors
/// What [`release`] and [`load`] say.
pub fn build(of: &Machine) -> Result<(Topology, Build), CliError> {
    let release = release(&of.kernel)?;
    let (topology, _) = load(&of.machine)?;
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
