//! `schedtopo screenshot`: the explorer's screen as a picture.

use super::args::Screenshot;
use super::{CliError, Outcome, input};
use crate::ui::model::{Model, Start};
use crate::ui::picture;
use crate::ui::view::{self, ViewState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io::Write;

/// Prints the screen the explorer would open with, as SVG.
///
/// # Errors
/// Bad input, or output that can't be written.
pub fn run(args: &Screenshot, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let release = input::release(&args.of.kernel)?;
    let (topology, _) = input::load(&args.of.machine)?;
    let (width, height) = size(&args.size)?;
    let model = Model::new(Start::new(topology, release));
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    view::render(&model, &mut ViewState::default(), area, &mut buffer);
    out.write_all(picture::svg(&buffer).as_bytes())?;
    Ok(Outcome::Clean)
}

fn size(text: &str) -> Result<(u16, u16), CliError> {
    let parts = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    parts
        .filter(|&(width, height)| (1..=1000).contains(&width) && (1..=1000).contains(&height))
        .ok_or_else(|| CliError::Argument(format!("--size {text}: write columns and rows, for example 120x40")))
}
