//! `schedtopo presets`: the embedded machines.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use crate::presets;
use serde_json::json;
use std::io::Write;

/// Arguments of `presets`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print this preset as TOML
    pub name: Option<String>,
    /// Print the list as JSON
    #[arg(long, conflicts_with = "name")]
    pub json: bool,
}

/// Lists the presets, or prints one.
///
/// # Errors
/// No preset of that name, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    if let Some(name) = &args.name {
        let preset = presets::find(name).ok_or_else(|| CliError::Input(input::unknown_preset(name)))?;
        out.write_all(preset.text.as_bytes())?;
        return Ok(Outcome::Clean);
    }
    let mut all = Vec::new();
    for preset in presets::all() {
        all.push((preset.name, preset.topology()?));
    }
    if args.json {
        let list: Vec<_> = all
            .iter()
            .map(|(name, machine)| {
                json!({ "name": name, "cpus": machine.nr_cpus, "nodes": machine.nodes.len(), "about": machine.about })
            })
            .collect();
        serde_json::to_writer(&mut *out, &list).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(Outcome::Clean);
    }
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    writeln!(out, "{:width$}  {:>4}  {:>5}  about", "name", "CPUs", "nodes")?;
    for (name, machine) in &all {
        writeln!(out, "{name:width$}  {:>4}  {:>5}  {}", machine.nr_cpus, machine.nodes.len(), machine.about)?;
    }
    Ok(Outcome::Clean)
}
