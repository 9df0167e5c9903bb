//! What more than one command writes: JSON, and text in columns.

use super::error::CliError;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Writes one JSON value and a line end.
pub(super) fn write_json(out: &mut dyn Write, value: &serde_json::Value) -> Result<(), CliError> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Columns as wide as their widest cell.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    pub(super) indent: usize,
}

impl Table {
    pub(super) fn new(header: impl IntoIterator<Item = String>) -> Self {
        Self { rows: vec![header.into_iter().collect()], indent: 0 }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|at| self.rows.iter().filter_map(|row| Some(row.get(at)?.width())).max().unwrap_or(0))
            .collect();
        for row in &self.rows {
            let mut line = " ".repeat(self.indent);
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(width - cell.width() + 2));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
