//! A drawn screen as an SVG picture: what the terminal would show, for documents.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Width and height of a cell, and where its letters stand, in pixels.
const CELL: (f64, f64, f64) = (8.4, 18.0, 13.5);
const FONT: &str = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
/// What a terminal's own colours are taken for.
const GROUND: &str = "#16181d";
const INK: &str = "#d7dae0";

/// The picture of a screen.
pub fn svg(buffer: &Buffer) -> String {
    let area = buffer.area;
    let (width, height) = (f64::from(area.width) * CELL.0, f64::from(area.height) * CELL.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"{FONT}\" \
         font-size=\"14\" xml:space=\"preserve\">\n<rect width=\"100%\" height=\"100%\" fill=\"{GROUND}\"/>\n"
    );
    for y in area.top()..area.bottom() {
        row(&mut out, buffer, y);
    }
    out.push_str("</svg>\n");
    out
}

/// One row: runs of cells that look alike, their ground first and their letters on it.
fn row(out: &mut String, buffer: &Buffer, y: u16) {
    let area = buffer.area;
    let mut x = area.left();
    while x < area.right() {
        let first = &buffer[(x, y)];
        let start = x;
        let mut text = String::new();
        while x < area.right() && looks_alike(&buffer[(x, y)], first) {
            let symbol = buffer[(x, y)].symbol();
            text.push_str(symbol);
            x += (symbol.width() as u16).max(1);
        }
        run(out, first, (start, y, x - start), &text);
    }
}

fn looks_alike(a: &Cell, b: &Cell) -> bool {
    (a.fg, a.bg, a.modifier) == (b.fg, b.bg, b.modifier)
}

fn run(out: &mut String, cell: &Cell, (x, y, columns): (u16, u16, u16), text: &str) {
    let (mut ink, mut ground) = (colour(cell.fg, INK), colour(cell.bg, GROUND));
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut ink, &mut ground);
    }
    let (left, top, width) = (f64::from(x) * CELL.0, f64::from(y) * CELL.1, f64::from(columns) * CELL.0);
    // Writing to a string can't fail.
    if ground != GROUND {
        let height = CELL.1;
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{ground}\"/>"
        );
    }
    // Blanks at the ends are stretched differently by different viewers.
    let letters = text.trim_start();
    let left = left + (text.width() - letters.width()) as f64 * CELL.0;
    let letters = letters.trim_end();
    let width = letters.width() as f64 * CELL.0;
    if letters.is_empty() {
        return;
    }
    let weight = if cell.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let faint = if cell.modifier.contains(Modifier::DIM) { " opacity=\"0.6\"" } else { "" };
    let line = if cell.modifier.contains(Modifier::UNDERLINED) { " text-decoration=\"underline\"" } else { "" };
    let base = top + CELL.2;
    let _ = writeln!(
        out,
        "<text x=\"{left:.1}\" y=\"{base:.1}\" textLength=\"{width:.1}\" fill=\"{ink}\"{weight}{faint}{line}>{}</text>",
        escaped(letters)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The sixteen colours as most terminals have them, the cube and the greys by rule.
fn colour(colour: Color, own: &str) -> String {
    const SIXTEEN: [&str; 16] = [
        "#1d1f21", "#cc6666", "#98c379", "#d7b05a", "#6a9fd8", "#b294bb", "#5fb3b3", "#c5c8c6", "#707880", "#ff7b72",
        "#b5e890", "#ffd75f", "#8cc0ff", "#d7a8e8", "#8be0e0", "#ffffff",
    ];
    let index = match colour {
        Color::Reset => return own.to_owned(),
        Color::Rgb(r, g, b) => return format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    match index {
        0..16 => SIXTEEN[usize::from(index)].to_owned(),
        16..232 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let cube = index - 16;
            format!("#{:02x}{:02x}{:02x}", level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn letters_stand_where_they_stood_and_can_not_break_out() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        buffer.set_string(2, 1, "<a&b>", Style::new().fg(Color::Indexed(196)).bg(Color::White));
        let svg = svg(&buffer);
        assert!(
            svg.contains("x=\"16.8\" y=\"31.5\" textLength=\"42.0\" fill=\"#ff0000\">&lt;a&amp;b&gt;</text>"),
            "{svg}"
        );
        assert!(svg.contains("fill=\"#ffffff\"/>"), "{svg}");
    }
}
