//! The command line.

use schedtopo::formats;
use schedtopo::kernel::Release;
use schedtopo::presets;
use schedtopo::ui::theme::{Charset, Palette};
use schedtopo::ui::{self, Exit, Options, Start};
use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut options = Options::for_terminal(|name| std::env::var(name).ok());
    let (mut input, mut release) = ("ring4".to_owned(), "v4.11".to_owned());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--kernel" => release = args.next().unwrap_or_default(),
            "--theme" => options.palette = args.next().and_then(|name| Palette::find(&name)).unwrap_or_default(),
            "--ascii" => options.charset = Charset::Ascii,
            _ => input = arg,
        }
    }
    let (topology, path) = if let Some(preset) = presets::find(&input) {
        (preset.topology()?, None)
    } else {
        let (topology, format) = formats::load(&input)?;
        (topology, (format == formats::Format::Toml).then(|| input.into()))
    };
    let release = Release::parse(&release)?;
    Ok(match ui::run(Start { topology, path, release, options })? {
        Exit::Quit => ExitCode::SUCCESS,
        Exit::Signal(signal) => ExitCode::from(128_u8.saturating_add(u8::try_from(signal).unwrap_or(0))),
    })
}
