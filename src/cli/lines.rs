//! Lines of standard input, read as far ahead as keeps all cores busy, and worked on side by side.

use crate::formats::{FormatError, MAX_BYTES};
use rayon::prelude::*;
use std::io::{self, BufRead, Read};

/// Lines worked on at a time, per core: enough to keep all busy, few enough to hold.
pub(super) const PER_CORE: usize = 8;

/// What `work` makes of each item, in order.
pub(super) fn on_all_cores<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    // One at a time: a large machine takes as long as thousands of small ones.
    items.par_iter().with_max_len(1).map(work).collect()
}

/// A line of input.
pub(super) enum Line {
    /// Its bytes.
    Text(Vec<u8>),
    /// It is longer than any topology.
    TooLong,
}

impl Line {
    /// The text of the line.
    ///
    /// # Errors
    /// When it is too long, or not UTF-8.
    pub(super) fn text(&self) -> Result<&str, FormatError> {
        let Self::Text(bytes) = self else {
            return Err(FormatError::new("line longer than 64 MiB", "give one topology per line"));
        };
        let text = std::str::from_utf8(bytes).map_err(|_| FormatError::new("not UTF-8 text", "write JSON in UTF-8"))?;
        Ok(text.trim())
    }
}

/// The next lines that are not blank, as many as are worked on at a time; none at the end.
///
/// # Errors
/// Input that fails.
pub(super) fn read_some(input: &mut impl BufRead) -> io::Result<Vec<Line>> {
    let at_most = PER_CORE * rayon::current_num_threads();
    let mut lines = Vec::new();
    let mut bytes = 0;
    while lines.len() < at_most && bytes < MAX_BYTES {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        if read as u64 > MAX_BYTES {
            skip_line(input)?;
            lines.push(Line::TooLong);
        } else if !line.trim_ascii().is_empty() {
            lines.push(Line::Text(line));
        }
    }
    Ok(lines)
}

/// Drops the rest of a line without holding it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let Some(end) = buffer.iter().position(|&byte| byte == b'\n') else {
            let all = buffer.len();
            if all == 0 {
                return Ok(());
            }
            input.consume(all);
            continue;
        };
        input.consume(end + 1);
        return Ok(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_worked_on_side_by_side() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        // Nobody passes before three are there.
        let meet = std::sync::Barrier::new(3);
        let done = pool.install(|| {
            on_all_cores(&[1, 2, 3], |item| {
                meet.wait();
                item * 2
            })
        });
        assert_eq!(done, [2, 4, 6]);
    }
}
