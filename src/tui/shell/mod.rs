//! The terminal and the disk around the explorer: the event loop, what performs effects, what outlives a session.

mod config_file;
mod disk;
mod environment;
mod event_loop;
mod events;
pub mod headless;
mod jobs;
mod recovery;
mod sampler;
mod session;
mod terminal;
mod watch;

pub use config_file::{load_config, own_config_file};
pub use environment::environment_options;
pub use event_loop::{Exit, run};
pub use recovery::state_folder;
