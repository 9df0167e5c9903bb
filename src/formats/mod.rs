//! Files: reading them into a [`Topology`] and writing one out.
//!
//! Files are hostile. Sizes are bounded before anything is built, every error says where, what and how to put it
//! right, and nothing read here may reach a screen unless it went through [`visible()`].

mod error;
mod file;
mod found;
pub mod json;
pub mod lscpu;
pub mod numactl;
pub mod qemu;
mod raw;
pub mod record;
pub mod table;
pub mod toml;
mod visible;

pub use error::FormatError;
pub(crate) use error::did_you_mean;
pub use file::{Format, MAX_BYTES, STDIN, load, parse, read_bytes, read_text, recognise, save_atomic};
pub use visible::visible;

#[cfg(doc)]
use crate::topology::Topology;
