//! Formats.

pub mod record;
