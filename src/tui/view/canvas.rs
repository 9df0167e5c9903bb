//! Drawing that can't go wrong: everything is clipped to an area, and cut text says that it is cut.

use crate::cpumask::CpuMask;
use crate::explore::text;
use crate::tui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// An area of the screen; coordinates count from its corner.
pub(super) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    /// Where it is.
    pub(super) area: Rect,
    /// How it looks.
    pub(super) theme: &'a Theme,
}

impl<'a> Canvas<'a> {
    /// The part of `area` that exists.
    pub(super) fn new(buffer: &'a mut Buffer, area: Rect, theme: &'a Theme) -> Self {
        let area = area.intersection(buffer.area);
        Self { buffer, area, theme }
    }

    /// A part of it.
    pub(super) fn part(&mut self, area: Rect) -> Canvas<'_> {
        let area = area.intersection(self.area);
        Canvas { buffer: self.buffer, area, theme: self.theme }
    }

    /// What it draws to, for widgets that know their own area.
    pub(super) fn buffer(&mut self) -> &mut Buffer {
        self.buffer
    }

    /// How many columns it has.
    pub(super) fn width(&self) -> u16 {
        self.area.width
    }

    /// How many rows it has.
    pub(super) fn height(&self) -> u16 {
        self.area.height
    }

    /// Writes `text` from column `x` on, as far as there is room; returns the column after it.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, style: Style) -> u16 {
        self.put_in(x, y, self.area.width.saturating_sub(x), text, style)
    }

    /// Writes `text` in `width` columns from `x` on, as far as there is room; returns the column after the text.
    pub(super) fn put_in(&mut self, x: u16, y: u16, width: u16, text: &str, style: Style) -> u16 {
        let width = width.min(self.area.width.saturating_sub(x));
        if y >= self.area.height || width == 0 {
            return x;
        }
        let shown = text::cut(text, usize::from(width), self.theme.signs.cut);
        let (end, _) = self.buffer.set_stringn(self.area.x + x, self.area.y + y, shown, usize::from(width), style);
        end - self.area.x
    }

    /// Writes `text` so that it ends before column `end`.
    pub(super) fn put_right(&mut self, end: u16, y: u16, text: &str, style: Style) {
        let width = (text::width(text) as u16).min(end);
        self.put_in(end - width, y, width, text, style);
    }

    /// Writes a cpulist in `width` columns; returns the column after it.
    pub(super) fn put_cpus(&mut self, x: u16, y: u16, width: u16, cpus: &CpuMask, style: Style) -> u16 {
        let width = width.min(self.area.width.saturating_sub(x));
        let list = text::cpulist(cpus, usize::from(width), self.theme.signs.cut);
        self.put_in(x, y, width, if list.is_empty() { "-" } else { &list }, style)
    }

    /// Gives a run of cells a style, keeping the text.
    pub(super) fn paint(&mut self, x: u16, y: u16, width: u16, style: Style) {
        let run = Rect { x: self.area.x.saturating_add(x), y: self.area.y.saturating_add(y), width, height: 1 };
        self.buffer.set_style(run.intersection(self.area), style);
    }

    /// Gives a whole row a style, keeping the text.
    pub(super) fn paint_row(&mut self, y: u16, style: Style) {
        self.paint(0, y, self.area.width, style);
    }

    /// Fills everything with blanks.
    pub(super) fn clear(&mut self, style: Style) {
        for y in self.area.top()..self.area.bottom() {
            for x in self.area.left()..self.area.right() {
                self.buffer[(x, y)].reset();
                self.buffer[(x, y)].set_style(style);
            }
        }
    }

    /// Writes a line of pieces, separated by a blank, as far as there is room; returns the column after it.
    pub(super) fn put_all(&mut self, mut x: u16, y: u16, pieces: &[(&str, Style)]) -> u16 {
        for (text, style) in pieces.iter().filter(|(text, _)| !text.is_empty()) {
            x = self.put(x, y, text, *style).saturating_add(1);
        }
        x
    }

    /// Writes text broken at blanks from row `y` on, the last row that has room cut with a sign when there is more; returns
    /// the row after it.
    pub(super) fn put_wrapped(&mut self, x: u16, y: u16, words: &str, style: Style) -> u16 {
        self.put_wrapped_in(x, y, self.height().saturating_sub(y), words, style)
    }

    /// As [`Canvas::put_wrapped`], over at most `rows` rows.
    pub(super) fn put_wrapped_in(&mut self, x: u16, y: u16, rows: u16, words: &str, style: Style) -> u16 {
        let width = self.width().saturating_sub(x + 1);
        let lines = text::wrap(words, usize::from(width));
        let shown = lines.len().min(usize::from(rows));
        for (row, line) in (y..).zip(&lines[..shown]) {
            self.put_in(x, row, width, line, style);
        }
        if shown > 0 && shown < lines.len() {
            let rest = lines[shown - 1..].join(" ");
            self.put_in(x, y + shown as u16 - 1, width, &rest, style);
        }
        y + shown as u16
    }

    /// The place of a row on the screen, for the mouse.
    pub(super) fn row_area(&self, y: u16) -> Rect {
        Rect { x: self.area.x, y: self.area.y + y, width: self.area.width, height: 1 }.intersection(self.area)
    }

    /// The place of a run of cells on the screen, for the mouse.
    pub(super) fn run_area(&self, x: u16, y: u16, width: u16) -> Rect {
        Rect { x: self.area.x + x, y: self.area.y + y, width, height: 1 }.intersection(self.area)
    }
}
