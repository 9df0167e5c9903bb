//! `schedtopo dmesg`: the kernel's own words.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use crate::kernel::{self, dmesg};
use std::fmt;
use std::io::{self, Write};

/// Prints what the kernel prints.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Machine, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (mut topology, release) = input::machine(args)?;
    // The option that makes the kernel print is the one being asked for.
    topology.sched_debug = true;
    let build = kernel::build(&topology, &release);
    let mut text = IoText { out, error: None };
    let written = dmesg::write_log(&build, &topology, &mut text);
    if let Some(error) = text.error {
        return Err(CliError::Io(error));
    }
    if written.is_err() {
        return Err(CliError::Io(io::Error::other("the log could not be formatted")));
    }
    Ok(Outcome::Clean)
}

/// Text written straight to an output, so that a log of many megabytes is never held whole.
struct IoText<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl fmt::Write for IoText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
