//! Machines made by rule: distance tables of the classic interconnects, and CPU numberings as firmware does them.

mod machine;
mod shape;

pub use machine::{Machine, Numbering};
pub use shape::{Hops, Kind, Shape};
