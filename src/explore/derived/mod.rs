//! What is computed from the state for all to read. Each part names the build it is of, and is computed anew for another.

pub mod build_view;
pub mod counters;
pub mod cpu_rows;
pub mod fuzzy;
pub mod log_index;
pub mod recording;
pub mod release_words;
pub mod scan_variables;
pub mod step_facts;
pub mod trace_view;
