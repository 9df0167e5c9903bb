//! The explorer: panes around one selection, the machine edited in place, the rest of the screen following.
//!
//! State is [`model`], changed only by [`update`] from [`action`]s, drawn by [`view`]. Nothing of that knows a terminal
//! or a file: `run` holds the one, `outside` the other. No domains are computed here, only shown.

pub mod action;
pub mod borders;
pub mod config;
mod copy;
mod document;
mod editing;
mod environment;
pub mod facts;
mod files;
mod fuzzy;
pub mod graph;
pub mod input;
mod jumps;
pub mod keys;
pub mod lesson;
pub mod memory;
pub mod model;
mod outside;
mod overlays;
pub mod picker;
pub mod picture;
mod recovery;
pub mod repair;
mod reshape;
pub mod rows;
mod run;
pub mod screens;
mod search;
mod select;
pub mod stage;
mod terminal;
mod text;
pub mod theme;
pub mod update;
pub mod view;
mod watch;

#[cfg(test)]
mod tests;

pub use model::{Options, Start, Welcome};
pub use recovery::state_folder;
pub use run::{Exit, run};
