//! `schedtopo convert`: a machine from any format into another.

use super::error::CliError;
use super::input;
use super::outcome::Outcome;
use crate::formats::{self, STDIN, Target};
use std::io::Write;
use std::path::Path;

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file in any format, `-` for standard input, or a preset
    #[arg(value_name = "IN")]
    pub input: String,
    /// The file to write, `-` for standard output
    #[arg(value_name = "OUT", default_value = "-")]
    pub output: String,
    /// The format to write; otherwise as the name of OUT ends: .json, .sh for QEMU, .xml for hwloc, .aml, .dsl, .dot, .md, or
    /// else TOML
    #[arg(long, value_enum)]
    pub to: Option<Target>,
}

/// Converts, and says on standard error what the format can't say.
///
/// # Errors
/// Bad input, a machine the format can't hold, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let topology = input::load(&args.input)?.topology;
    let to = args.to.unwrap_or_else(|| Target::of_file(Path::new(&args.output)));
    let content = formats::write(&topology, to)?;
    let left_out = formats::left_out(&topology, to);
    if !left_out.is_empty() {
        input::say(&format!("the format has no place for {}", left_out.join(", ")));
    }
    if to == Target::NumaFake {
        input::say("newer kernels list every CPU in every fake node, and then build no NUMA domains");
    }
    if args.output == STDIN {
        out.write_all(&content)?;
    } else {
        formats::save_atomic(&args.output, &content)?;
    }
    Ok(Outcome::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(input: &str, to: Target) -> String {
        let mut out = Vec::new();
        let args = Args { input: input.into(), output: "-".into(), to: Some(to) };
        run(&args, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn our_own_formats_lose_nothing_and_the_others_say_what() {
        for preset in crate::presets::all() {
            let before = preset.topology().unwrap();
            for to in [Target::Toml, Target::Json] {
                let after = formats::parse(&convert(preset.name, to)).unwrap().topology;
                assert_eq!(after, before, "{} {to:?}", preset.name);
                assert!(formats::left_out(&before, to).is_empty());
            }
        }
        let naples = crate::presets::find("naples").unwrap().topology().unwrap();
        assert!(formats::left_out(&naples, Target::Numactl).iter().any(|left| left.starts_with("the masks of ")));
        assert_eq!(convert("ring4", Target::Table).lines().count(), 4);
    }

    #[test]
    fn the_format_is_told_by_the_name_of_the_file() {
        assert_eq!(Target::of_file(Path::new("a/b.json")), Target::Json);
        assert_eq!(Target::of_file(Path::new("boot.sh")), Target::Qemu);
        assert_eq!(Target::of_file(Path::new("-")), Target::Toml);
    }
}
