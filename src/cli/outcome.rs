//! How a command that worked ended.

use std::process::ExitCode;

/// How a command that worked ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All well.
    Clean,
    /// Findings at or over the level asked for.
    Findings,
    /// Some input was bad; the rest was done.
    BadInput,
    /// A signal ended the explorer.
    Signal(i32),
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::BadInput => Self::from(2),
            // As a shell counts a program that a signal ended.
            Outcome::Signal(signal) => Self::from(u8::try_from(128 + signal).unwrap_or(u8::MAX)),
        }
    }
}
