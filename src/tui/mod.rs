//! The terminal: [`view`] reads the explorer's state and draws it, [`shell`] hands it what happens and performs what it
//! wants done.

pub mod picture;
pub mod shell;
pub mod theme;
pub mod view;

#[cfg(test)]
mod tests;
