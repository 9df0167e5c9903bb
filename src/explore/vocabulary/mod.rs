//! The words of the explorer: what a person can ask for, what can happen, what has to be done outside, and the names of
//! panes, screens, keys and signs.

pub mod action;
pub mod appearance;
pub mod border;
pub mod command;
pub mod direction;
pub mod effect;
pub mod key;
pub mod pane;
pub mod place;
pub mod preview;
pub mod signs;
pub mod source;
