//! Our TOML: what people write, presets and saved files.
//!
//! The same words as in JSON, sorted into `[machine]`, `[distances]` and `[run]`, with short forms for machines of
//! equal nodes, and groups for levels whose masks don't overlap.

use crate::topology::MaskLevel;

mod merge;
mod read;
mod save;
mod value;
mod write;

pub(crate) use read::parse;
pub use read::read;
pub use save::save;
pub(crate) use value::{Section, Value};
pub use write::write;

/// Keys outside any table.
const ROOT: [&str; 6] = ["name", "about", "source", "machine", "distances", "run"];
/// Keys of the short form, from which CPUs, packages and level masks follow.
const SHORT: [&str; 7] =
    ["nodes", "cpus_per_node", "threads_per_core", "numbering", "llc_cpus", "cluster_cpus", "nodes_per_package"];
/// Those of them that say which CPUs there are.
const COUNTS: [&str; 2] = ["nodes", "cpus_per_node"];
/// Other keys of `[machine]`.
const MACHINE: [&str; 7] = ["arch", "nr_cpus", "node_cpus", "node_ids", "package", "numa_in_package", "levels"];
/// Keys of `[distances]`.
const DISTANCES: [&str; 1] = ["table"];
/// Keys of `[run]`.
const RUN: [&str; 8] =
    ["online", "isolated", "nohz_full", "cpusets", "capacity", "sched_debug", "reclaim_distance", "relax_domain_level"];

/// The key of `[machine.levels]` that has a level's groups.
fn groups_key(level: MaskLevel) -> &'static str {
    match level {
        MaskLevel::Smt => "smt_groups",
        MaskLevel::Cls => "cls_groups",
        MaskLevel::Mc => "mc_groups",
        MaskLevel::Book => "book_groups",
        MaskLevel::Drawer => "drawer_groups",
        MaskLevel::Pkg => "pkg_groups",
    }
}
