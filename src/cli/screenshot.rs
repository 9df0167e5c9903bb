//! `schedtopo screenshot`: the explorer's screen as a picture.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use super::theme::theme;
use crate::explore::state::start::Start;
use crate::formats::save_atomic;
use crate::tui::shell::headless::{DiskAccess, Headless};
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

/// A picture of the documentation.
struct Picture {
    name: &'static str,
    machine: &'static str,
    kernel: &'static str,
    size: (u16, u16),
    keys: &'static str,
}

/// Every picture of the documentation.
const ALBUM: &[Picture] = &[
    Picture { name: "explore", machine: "ring4", kernel: "v4.11", size: (120, 32), keys: "" },
    Picture { name: "three-hops", machine: "x4600", kernel: "v5.10", size: (140, 40), keys: "" },
    Picture { name: "graph", machine: "mesh8", kernel: "v4.11", size: (120, 34), keys: "alt-7 z" },
    Picture { name: "construct", machine: "ring4", kernel: "v4.11", size: (120, 32), keys: "alt-1 j l l f2 l l l" },
    Picture { name: "compare", machine: "ring4", kernel: "v4.13", size: (120, 32), keys: "f3 c 4 . 1 1 enter j" },
    Picture { name: "reach", machine: "mesh8", kernel: "v4.11", size: (120, 34), keys: "f4" },
    Picture {
        name: "balance",
        machine: "bull8",
        kernel: "v4.11",
        size: (120, 34),
        keys: "f7 t ctrl-u 3 2 @ n o d e s : 1 , 2 space f r o m space 2 enter c 4 . 1 3 enter $",
    },
    Picture { name: "lesson", machine: "ring4", kernel: "v4.11", size: (120, 34), keys: "f6 ." },
];

/// Arguments of `screenshot`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file (TOML, JSON, a distance table, `numactl -H`, lscpu, QEMU), `-` for standard input, or a preset
    #[arg(value_name = "FILE|PRESET", required_unless_present = "album")]
    pub machine: Option<String>,
    /// The kernel to model: 6.12, v5.10.7, `uname -r` text, lauro-p2, newest
    #[arg(long, short, value_name = "RELEASE", default_value = "newest")]
    pub kernel: String,
    /// Columns and rows
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "120x40")]
    pub size: String,
    /// Keys to press first, separated by blanks: "f2 n" for the second group on Construct
    #[arg(long, value_name = "KEYS", default_value = "")]
    pub keys: String,
    /// Colours: dark, light, okabe-ito, high-contrast or mono
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Write the pictures of the documentation into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["machine", "keys", "theme"])]
    pub album: Option<PathBuf>,
}

/// Prints the explorer's screen as SVG after the keys asked for, or writes the documentation's pictures.
///
/// # Errors
/// Bad input, a word that is no key, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    if let Some(folder) = &args.album {
        return album(folder);
    }
    let machine = args.machine.as_deref().unwrap_or_default();
    let release = input::release(&args.kernel)?;
    let topology = input::load(machine)?.topology;
    let mut start = Start::new(topology, release);
    if let Some(name) = &args.theme {
        start.options.palette = theme(name)?;
    }
    out.write_all(picture(start, size(&args.size)?, &args.keys)?.as_bytes())?;
    Ok(Outcome::Clean)
}

fn album(folder: &Path) -> Result<Outcome, CliError> {
    std::fs::create_dir_all(folder)?;
    for Picture { name, machine, kernel, size, keys } in ALBUM {
        let topology = input::load(machine)?.topology;
        let svg = picture(Start::new(topology, input::release(kernel)?), *size, keys)?;
        save_atomic(folder.join(format!("{name}.svg")), &svg)?;
    }
    Ok(Outcome::Clean)
}

fn picture(start: Start, (width, height): (u16, u16), keys: &str) -> Result<String, CliError> {
    let mut headless = Headless::new(start, width, height);
    headless.model.built.examine();
    headless.draw();
    // A picture changes nothing.
    headless.disk = DiskAccess::ReadOnly;
    headless
        .press(keys)
        .map_err(|word| CliError::Argument(format!("--keys: `{word}` is no key; see `schedtopo config`")))?;
    Ok(headless.svg())
}

fn size(text: &str) -> Result<(u16, u16), CliError> {
    let parts = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    parts
        .filter(|&(width, height)| (1..=1000).contains(&width) && (1..=1000).contains(&height))
        .ok_or_else(|| CliError::Argument(format!("--size {text}: write columns and rows, for example 120x40")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_pictures_of_the_documentation_are_those_the_program_makes() {
        let made = tempfile::tempdir().unwrap();
        album(made.path()).unwrap();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
        for Picture { name, .. } in ALBUM {
            let file = format!("{name}.svg");
            let [made, kept] =
                [made.path(), &kept].map(|folder| fs::read_to_string(folder.join(&file)).unwrap_or_default());
            assert!(made == kept, "{file} is not up to date: cargo run -- screenshot --album screenshots");
        }
        assert_eq!(fs::read_dir(kept).unwrap().count(), ALBUM.len(), "a picture nobody makes");
    }
}
