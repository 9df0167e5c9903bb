//! `schedtopo convert`: a machine from any format into another.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use crate::formats::{self, STDIN, json, numactl, qemu, table, toml};
use crate::topology::{MaskLevel, RECLAIM_DISTANCE, Topology};
use std::io::{self, Write};
use std::path::Path;

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file in any format, `-` for standard input, or a preset
    #[arg(value_name = "IN")]
    pub input: String,
    /// The file to write, `-` for standard output
    #[arg(value_name = "OUT", default_value = "-")]
    pub output: String,
    /// The format to write; otherwise as the name of OUT ends: .json, .sh for QEMU, or else TOML
    #[arg(long, value_enum)]
    pub to: Option<To>,
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum To {
    /// Our TOML
    Toml,
    /// Our JSON
    Json,
    /// A bare table of distances
    Table,
    /// What `numactl -H` prints
    Numactl,
    /// A command line of QEMU
    Qemu,
}

impl To {
    fn of_file(name: &str) -> Self {
        match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            Some("json") => Self::Json,
            Some("sh") => Self::Qemu,
            _ => Self::Toml,
        }
    }
}

/// Converts, and says on standard error what the format can't say.
///
/// # Errors
/// Bad input, a machine the format can't hold, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (topology, _) = input::load(&args.input)?;
    let to = args.to.unwrap_or_else(|| To::of_file(&args.output));
    let text = match to {
        To::Toml => toml::write(&topology),
        To::Json => format!("{}\n", json::write(&topology).trim_end()),
        To::Table => table::write(&topology.distances),
        To::Numactl => numactl::write(&topology),
        To::Qemu => qemu::write(&topology)?,
    };
    let left_out = left_out(&topology, to);
    if !left_out.is_empty() {
        // If it can't be said, what was written is no worse.
        let _ = writeln!(io::stderr(), "schedtopo: the format has no place for {}", left_out.join(", "));
    }
    if args.output == STDIN {
        out.write_all(text.as_bytes())?;
    } else {
        formats::save_atomic(&args.output, &text)?;
    }
    Ok(Outcome::Clean)
}

/// What of a machine is not in the format.
fn left_out(topology: &Topology, to: To) -> Vec<String> {
    if matches!(to, To::Toml | To::Json) {
        return Vec::new();
    }
    let levels = MaskLevel::ALL.into_iter().filter(|level| topology.levels.get(*level).is_some());
    let mut left: Vec<String> = levels.map(|level| format!("the masks of {}", level.name())).collect();
    let offline = topology.nodes.iter().any(|node| !node.cpus.is_subset(&topology.online));
    let several = topology.nodes.iter().any(|node| node.cpus.weight() != 1);
    let said = [
        (several && to == To::Table, "which CPUs a node has"),
        (offline, "offline CPUs"),
        (!topology.isolated.is_empty(), "isolated CPUs"),
        (!topology.nohz_full.is_empty(), "nohz_full CPUs"),
        (!topology.cpusets.is_empty(), "cpusets"),
        (topology.capacity.is_some(), "capacities"),
        (topology.nodes.iter().any(|node| node.package.is_some()), "packages"),
        (topology.reclaim_distance != RECLAIM_DISTANCE, "the reclaim distance"),
        (topology.relax_domain_level.is_some(), "relax_domain_level"),
    ];
    left.extend(said.into_iter().filter(|(is, _)| *is).map(|(_, what)| what.to_owned()));
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(input: &str, to: To) -> String {
        let mut out = Vec::new();
        let args = Args { input: input.into(), output: "-".into(), to: Some(to) };
        run(&args, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn our_own_formats_lose_nothing_and_the_others_say_what() {
        for preset in crate::presets::all() {
            let before = preset.topology().unwrap();
            for to in [To::Toml, To::Json] {
                let (after, _) = formats::parse(&convert(preset.name, to)).unwrap();
                assert_eq!(after, before, "{} {to:?}", preset.name);
                assert!(left_out(&before, to).is_empty());
            }
        }
        let naples = crate::presets::find("naples").unwrap().topology().unwrap();
        assert!(left_out(&naples, To::Numactl).iter().any(|left| left.starts_with("the masks of ")));
        assert_eq!(convert("ring4", To::Table).lines().count(), 4);
    }

    #[test]
    fn the_format_is_told_by_the_name_of_the_file() {
        assert_eq!(To::of_file("a/b.json"), To::Json);
        assert_eq!(To::of_file("boot.sh"), To::Qemu);
        assert_eq!(To::of_file("-"), To::Toml);
    }
}
