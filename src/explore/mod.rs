//! The explorer without a terminal: no ratatui, no crossterm, no file access.
//!
//! [`state`] is changed only by [`update`], by actions of the [`vocabulary`]; what takes time to compute of it is
//! [`derived`]. What has to happen outside comes back as effects, for a shell to perform. A script of keys plays here
//! without a terminal.

pub mod derived;
pub mod state;
pub mod text;
pub mod update;
pub mod vocabulary;

#[cfg(test)]
mod tests;
