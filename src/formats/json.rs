//! Our JSON: one object a topology, one topology a line in `batch`.

mod locate;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::{name_of, read, read_from};
pub use write::write;
