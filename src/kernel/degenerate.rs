//! degenerate
