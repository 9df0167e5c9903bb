//! `schedtopo convert`: a machine from any format into another.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use crate::formats::{
    self, STDIN, dot, hwloc, json, libvirt, markdown, numa_fake, numactl, qemu, slit, synthetic, table, toml,
};
use crate::topology::{MaskLevel, RECLAIM_DISTANCE, Topology};
use std::io::Write;
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
    /// The format to write; otherwise as the name of OUT ends: .json, .sh for QEMU, .xml for hwloc, .aml, .dsl, .dot, .md, or
    /// else TOML
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
    /// libvirt's XML: the element cpu of a guest
    Libvirt,
    /// hwloc's XML, which `lstopo -i` reads
    Hwloc,
    /// hwloc's description in a line
    Synthetic,
    /// The ACPI table of distances, as bytes
    Slit,
    /// The ACPI table of distances, as source for iasl
    Iasl,
    /// The ACPI table in an archive for the front of an initrd, which a kernel takes in place of the firmware's
    SlitInitrd,
    /// The numa=fake= boot parameter
    NumaFake,
    /// Graphviz: the nodes and their distances
    Dot,
    /// Markdown: the table, and the nodes
    Markdown,
}

impl To {
    fn of_file(name: &str) -> Self {
        match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            Some("json") => Self::Json,
            Some("sh") => Self::Qemu,
            Some("xml") => Self::Hwloc,
            Some("aml") => Self::Slit,
            Some("dsl" | "asl") => Self::Iasl,
            Some("dot" | "gv") => Self::Dot,
            Some("md") => Self::Markdown,
            _ => Self::Toml,
        }
    }

    /// What the format has room for; `None` for all there is.
    fn room(self) -> Option<&'static [Said]> {
        use Said::{Caches, Distances, Ids, Nodes, Offline};
        match self {
            Self::Toml | Self::Json => None,
            Self::Table | Self::Slit | Self::Iasl | Self::SlitInitrd | Self::NumaFake => Some(&[Distances]),
            Self::Numactl | Self::Dot | Self::Markdown => Some(&[Nodes, Ids, Distances]),
            Self::Libvirt => Some(&[Nodes, Distances, Offline]),
            Self::Qemu => Some(&[Nodes, Distances, Offline, Caches]),
            Self::Hwloc => Some(&[Nodes, Ids, Distances, Caches]),
            Self::Synthetic => Some(&[Nodes, Caches]),
        }
    }
}

/// What some formats can say of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// Which CPUs a node has.
    Nodes,
    /// Ids of nodes with holes.
    Ids,
    /// Distances.
    Distances,
    /// CPUs that are offline.
    Offline,
    /// Threads of a core, and who shares the last cache.
    Caches,
}

/// Converts, and says on standard error what the format can't say.
///
/// # Errors
/// Bad input, a machine the format can't hold, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let topology = input::load(&args.input)?.topology;
    let to = args.to.unwrap_or_else(|| To::of_file(&args.output));
    let content = write(&topology, to)?;
    let left_out = left_out(&topology, to);
    if !left_out.is_empty() {
        input::say(&format!("the format has no place for {}", left_out.join(", ")));
    }
    if to == To::NumaFake {
        input::say("newer kernels list every CPU in every fake node, and then build no NUMA domains");
    }
    if args.output == STDIN {
        out.write_all(&content)?;
    } else {
        formats::save_atomic(&args.output, &content)?;
    }
    Ok(Outcome::Clean)
}

fn write(topology: &Topology, to: To) -> Result<Vec<u8>, CliError> {
    let text = match to {
        To::Toml => toml::write(topology),
        To::Json => format!("{}\n", json::write(topology).trim_end()),
        To::Table => table::write(&topology.distances),
        To::Numactl => numactl::write(topology),
        To::Qemu => qemu::write(topology)?,
        To::Libvirt => libvirt::write(topology)?,
        To::Hwloc => hwloc::write(topology),
        To::Synthetic => synthetic::write(topology)?,
        To::Slit => return Ok(slit::write_binary(topology)?),
        To::SlitInitrd => return Ok(slit::write_override(topology)?),
        To::Iasl => slit::write_text(topology)?,
        To::NumaFake => numa_fake::write(topology)?,
        To::Dot => dot::write(topology),
        To::Markdown => markdown::write(topology),
    };
    Ok(text.into_bytes())
}

/// What of a machine is not in the format.
fn left_out(topology: &Topology, to: To) -> Vec<String> {
    let Some(room) = to.room() else { return Vec::new() };
    let has = |said| room.contains(&said);
    let caches = has(Said::Caches) && (to != To::Qemu || qemu::has_shape(topology));
    let held = |level| caches && matches!(level, MaskLevel::Smt | MaskLevel::Mc);
    let levels = MaskLevel::ALL.into_iter().filter(|&level| topology.levels.get(level).is_some() && !held(level));
    let mut left: Vec<String> = levels.map(|level| format!("the masks of {}", level.name())).collect();
    let offline = topology.nodes.iter().any(|node| !node.cpus.is_subset(&topology.online));
    let several = topology.nodes.iter().any(|node| node.cpus.weight() != 1);
    let ids = topology.nodes.iter().enumerate().any(|(at, node)| node.id as usize != at);
    let said = [
        (several && !has(Said::Nodes), "which CPUs a node has"),
        (ids && !has(Said::Ids), "node ids"),
        (topology.nodes.len() > 1 && !has(Said::Distances), "distances"),
        (offline && !has(Said::Offline), "offline CPUs"),
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
                let after = formats::parse(&convert(preset.name, to)).unwrap().topology;
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
