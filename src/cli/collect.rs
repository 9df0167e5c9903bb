//! `schedtopo collect`: what tells of this machine's domains, in a tar.

use super::error::CliError;
use super::outcome::Outcome;
use crate::formats::sysfs::{self, Files};
use crate::formats::{self, STDIN, visible};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::Command;

/// Arguments of `collect`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tar to write, compressed with gzip; `-` for standard output
    #[arg(value_name = "OUT.tar.gz")]
    pub output: String,
    /// Leave out the kernel log, which holds more than domains
    #[arg(long)]
    pub no_log: bool,
}

/// Collects, and lists on standard error what went in and what could not be read.
///
/// # Errors
/// When this machine has no `/sys`, or the tar can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let mut files = sysfs::live()?;
    if !args.no_log {
        match kernel_log() {
            Ok(log) => files.add("dmesg", log),
            Err(why) => files.unread.push(format!("the kernel log: {why}")),
        }
    }
    let tar = sysfs::to_tar_gz(&files)?;
    if args.output == STDIN {
        out.write_all(&tar)?;
    } else {
        formats::save_atomic(&args.output, &tar)?;
    }
    // If it can't be listed, the tar is no worse.
    let _ = io::stderr().write_all(listing(&files).as_bytes());
    Ok(Outcome::Clean)
}

/// The lines of the log that domains can be checked with. `dmesg` knows how to read it where a user may.
fn kernel_log() -> Result<String, String> {
    let output = Command::new("dmesg").output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What is in the tar, by kind, and what is not.
fn listing(files: &Files) -> String {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for (name, _) in files.iter() {
        let kind: String = name.chars().map(|c| if c.is_ascii_digit() { 'N' } else { c }).collect();
        *kinds.entry(kind.replace("NN", "N").replace("NN", "N")).or_default() += 1;
    }
    let mut text = String::new();
    // Writing to a string can't fail.
    for (kind, count) in kinds {
        let _ = writeln!(text, "{count:>7}  {kind}");
    }
    for unread in &files.unread {
        let _ = writeln!(text, "not read: {}", visible(unread));
    }
    text
}
