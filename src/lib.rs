//! Linux scheduler domains, exact release by release.
//!
//! The data's way is one line: input → [`topology::Topology`] → [`kernel::build`] → [`kernel::Build`] → analysis →
//! screen or text.

pub mod analysis;
pub mod cli;
pub mod cpumask;
pub mod explore;
pub mod formats;
pub mod kernel;
pub mod presets;
pub mod topology;
pub mod tui;
