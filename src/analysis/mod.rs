//! What a build means. Pure: no terminal, no files.

pub mod sharing;
