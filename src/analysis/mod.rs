//! What a build means: who can pull tasks from whom, what is wrong, how two builds differ, and why groups came out as
//! they did. Pure: no terminal, no files, nothing is printed.

pub mod compare;
pub mod findings;
pub mod graph;
pub mod reach;
pub mod repair;
pub mod sharing;
pub mod trace;
