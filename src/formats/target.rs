//! The formats a machine is written in, and what each has no room for.

use super::error::FormatError;
use super::{dot, hwloc, json, libvirt, markdown, numa_fake, numactl, qemu, slit, synthetic, table, toml};
use crate::topology::{MaskLevel, RECLAIM_DISTANCE, Topology};
use std::path::Path;

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
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

impl Target {
    /// The format that the name of a file asks for: by its ending, or else TOML.
    pub fn of_file(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
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

/// A machine in a format.
///
/// # Errors
/// When the format can't hold such a machine.
pub fn write(topology: &Topology, to: Target) -> Result<Vec<u8>, FormatError> {
    let text = match to {
        Target::Toml => toml::write(topology),
        Target::Json => format!("{}\n", json::write(topology).trim_end()),
        Target::Table => table::write(&topology.distances),
        Target::Numactl => numactl::write(topology),
        Target::Qemu => qemu::write(topology)?,
        Target::Libvirt => libvirt::write(topology)?,
        Target::Hwloc => hwloc::write(topology),
        Target::Synthetic => synthetic::write(topology)?,
        Target::Slit => return slit::write_binary(topology),
        Target::SlitInitrd => return slit::write_override(topology),
        Target::Iasl => slit::write_text(topology)?,
        Target::NumaFake => numa_fake::write(topology)?,
        Target::Dot => dot::write(topology),
        Target::Markdown => markdown::write(topology),
    };
    Ok(text.into_bytes())
}

/// What of a machine is not in the format, in words for people.
pub fn left_out(topology: &Topology, to: Target) -> Vec<String> {
    let Some(room) = to.room() else { return Vec::new() };
    let has = |said| room.contains(&said);
    let caches = has(Said::Caches) && (to != Target::Qemu || qemu::has_shape(topology));
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
