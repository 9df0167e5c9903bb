//! The state of the explorer: what is open, what is chosen, what each screen knows. Plain data; the only place with
//! methods of [`Model`](model::Model), which answer questions about it.

pub mod balance;
pub mod compare;
pub mod config;
pub mod construct;
pub mod counters;
pub mod document;
pub mod jumps;
pub mod keymap;
pub mod lesson;
pub mod log;
pub mod memory;
pub mod model;
pub mod modes;
pub mod options;
pub mod overlay;
pub mod picker;
pub mod reach;
pub mod repair;
pub mod screens;
pub mod selection;
pub mod start;
