//! Machines made by rule: distance tables of the classic interconnects, and CPU numberings as firmware does them.

mod dealing;
mod machine;
mod shape;

pub use dealing::Dealing;
pub use machine::{Machine, Numbering};
pub use shape::{Hops, Kind, Shape};
