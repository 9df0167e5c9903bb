//! Files: reading them into a [`Topology`] and writing one out.
//!
//! Files are hostile. Sizes are bounded before anything is built, every error says where, what and how to put it
//! right, and nothing read here may reach a screen unless it went through [`visible()`].

pub mod boot;
pub mod dot;
mod error;
mod file;
mod format;
mod found;
pub mod hwloc;
pub mod json;
pub mod libvirt;
pub mod log;
pub mod lscpu;
pub mod markdown;
pub mod numa_fake;
pub mod numactl;
pub mod qemu;
mod raw;
pub mod record;
pub mod schedstat;
pub mod slit;
pub mod synthetic;
pub mod sysfs;
pub mod table;
mod target;
pub mod toml;
mod visible;
mod xml;

pub use error::FormatError;
pub(crate) use error::did_you_mean;
pub use file::{MAX_BYTES, STDIN, read_bytes, read_source, read_text, save_atomic};
pub use format::{Format, Loaded, from_files, load, parse, parse_bytes, recognise, release_in, unpacked};
pub use target::{Target, left_out, write};
pub use visible::visible;

#[cfg(doc)]
use crate::topology::Topology;
