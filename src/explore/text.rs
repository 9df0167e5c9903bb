//! Text cut to a width, always with a sign that it was cut.

use crate::cpumask::CpuMask;
use crate::formats::visible;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many terminal columns `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `columns` columns, ending with `sign` when something was left out.
pub fn cut<'a>(text: &'a str, columns: usize, sign: &str) -> Cow<'a, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    let room = columns.saturating_sub(sign.width());
    let mut used = 0;
    let mut kept = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        kept.push(c);
    }
    if columns >= sign.width() {
        kept.push_str(sign);
    }
    Cow::Owned(kept)
}

/// The cpulist of `mask` in at most `columns` columns. A set of thousands of ranges costs no more than what is shown.
pub fn cpulist(mask: &CpuMask, columns: usize, sign: &str) -> String {
    let mut text = String::new();
    for (first, last) in mask.ranges() {
        if !text.is_empty() {
            text.push(',');
        }
        let _ = if first == last { write!(text, "{first}") } else { write!(text, "{first}-{last}") };
        if text.len() > columns {
            return cut(&text, columns, sign).into_owned();
        }
    }
    text
}

/// `text` in lines of at most `columns` columns, broken at blanks; a longer word has a line of its own.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// A path as text for the screen.
pub fn visible_path(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}

/// `1 CPU`, `8 CPUs`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_show() {
        assert_eq!(cut("0-3,8", 5, "…"), "0-3,8");
        assert_eq!(cut("0-3,8", 4, "…"), "0-3…");
        assert_eq!(cut("漢字", 3, "…"), "漢…");
        assert_eq!(cut("abc", 0, "…"), "");
    }

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("onetwothree 4", 5), ["onetwothree", "4"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn a_long_cpulist_stops_early() {
        let even: CpuMask = (0..8000).step_by(2).collect();
        assert_eq!(cpulist(&even, 8, "…"), "0,2,4,6…");
        assert_eq!(cpulist(&CpuMask::range(0, 7), 8, "…"), "0-7");
        assert_eq!(cpulist(&CpuMask::new(), 8, "…"), "");
    }
}
