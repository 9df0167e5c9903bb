//! Linux scheduler domains, exact release by release: what the kernel's scheduler builds of a machine, and what that does
//! to tasks.
//!
//! A machine is a [`Topology`](topology::Topology): nodes with their CPUs, a table of NUMA distances, and who shares cores
//! and caches. [`kernel::build`] makes of it what a [`Release`](kernel::Release) of the kernel makes: each CPU's chain of
//! `sched_domain`s, their groups with balance masks, the `sched_group_capacity` instances behind them, and every message
//! printed on the way. [`analysis`] says what such a [`Build`](kernel::Build) means.
//!
//! The data goes one way, and so do the modules:
//!
//! ```text
//! input --formats--> Topology --kernel::build--> Build --analysis--> findings, reach, comparisons
//!                                                                       |
//!                                            explore (state, no terminal) --> tui (cells)
//!                                            cli (text, JSON)
//! ```
//!
//! # Who can never pull from whom
//! Before Linux 4.13 the groups of every CPU were built starting from the lowest CPU of its domain. On a ring of four
//! nodes that puts nodes 1 and 3 into both groups of the top domain, and neither can ever pull a task from the other:
//!
//! ```
//! use schedtopo::analysis::reach;
//! use schedtopo::kernel::{self, Release};
//! use schedtopo::presets;
//!
//! let ring = presets::find("ring4").unwrap().topology()?;
//!
//! let build = kernel::build(&ring, &Release::parse("v4.11")?);
//! assert_eq!(reach::reach(&ring, &build).holes, [(1, 3), (3, 1)]);
//!
//! let build = kernel::build(&ring, &Release::parse("v4.13")?);
//! assert!(reach::reach(&ring, &build).holes.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod balance;
pub mod cli;
pub mod counters;
pub mod cpumask;
pub mod explore;
pub mod formats;
pub mod kernel;
pub mod presets;
pub mod topology;
pub mod tui;
pub mod verify;
