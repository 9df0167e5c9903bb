//! What is wrong with a file: where, what, and what would be right.

use super::visible;
use crate::topology::Invalid;
use std::fmt;

/// A file that can't be read or written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatError {
    /// The file, where one is known.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<usize>,
    /// Column in characters, counted from 1.
    pub column: Option<usize>,
    /// What is wrong.
    pub fault: String,
    /// What would be right; may be empty.
    pub cure: String,
}

impl FormatError {
    /// An error whose place is not known yet.
    pub fn new(fault: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { fault: fault.into(), cure: cure.into(), ..Self::default() }
    }

    /// An error in words of the form `fault; cure`.
    pub(super) fn from_words(words: &str) -> Self {
        let (fault, cure) = words.split_once("; ").unwrap_or((words, ""));
        Self::new(fault, cure)
    }

    /// The same error at a line and column, both from 1.
    #[must_use]
    pub fn at(self, line: usize, column: usize) -> Self {
        Self { line: Some(line), column: Some(column), ..self }
    }

    /// The same error at a byte of `text`.
    #[must_use]
    pub(super) fn at_byte(self, text: &str, byte: usize) -> Self {
        let before = &text.as_bytes()[..byte.min(text.len())];
        let line = before.split(|&b| b == b'\n').count();
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        // Bytes that continue a character don't count: columns are characters.
        let column = before[start..].iter().filter(|&&b| b & 0xC0 != 0x80).count() + 1;
        self.at(line, column)
    }

    /// The same error in a file.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..self }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place: Vec<String> = [
            self.file.as_deref().map(|file| visible(file).into_owned()),
            self.line.map(|line| line.to_string()),
            self.column.map(|column| column.to_string()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !place.is_empty() {
            write!(f, "{}: ", place.join(":"))?;
        }
        f.write_str(&visible(&self.fault))?;
        if self.cure.is_empty() { Ok(()) } else { write!(f, "; {}", visible(&self.cure)) }
    }
}

impl std::error::Error for FormatError {}

impl From<Invalid> for FormatError {
    fn from(invalid: Invalid) -> Self {
        Self::new(format!("{}: {}", invalid.place, invalid.fault), invalid.cure)
    }
}

/// `text` cut to what fits an error message.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 40;
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(MOST).collect();
    if chars.next().is_some() { format!("{head}…") } else { head }
}

/// The error for a field nobody knows, naming the nearest of `known`.
pub(super) fn unknown_field(field: &str, known: &[&str]) -> FormatError {
    FormatError::new(format!("unknown field `{}`", short(field)), did_you_mean(field, known))
}

/// The nearest of `known`, or all of them when none is near.
pub(crate) fn did_you_mean(word: &str, known: &[&str]) -> String {
    let word: String = word.chars().take(64).collect();
    let likeness = |candidate: &str| {
        // A shared beginning or end counts as much as a slip of the fingers: `distances` is `distance`.
        strsim::jaro_winkler(&word, candidate).max(strsim::normalized_damerau_levenshtein(&word, candidate))
    };
    let best = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match best.filter(|best| likeness(best) > 0.66) {
        Some(best) => format!("did you mean `{best}`?"),
        None => format!("known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_comes_first() {
        let error = FormatError::new("bad", "do better");
        assert_eq!(error.to_string(), "bad; do better");
        assert_eq!(error.clone().at(3, 7).to_string(), "3:7: bad; do better");
        assert_eq!(error.clone().at(3, 7).in_file("x.toml").to_string(), "x.toml:3:7: bad; do better");
        assert_eq!(error.at_byte("äö\nüx", 6).to_string(), "2:2: bad; do better");
    }

    #[test]
    fn slips_find_the_field() {
        let known = ["name", "arch", "distance", "node_cpus", "node_ids"];
        assert_eq!(did_you_mean("distances", &known), "did you mean `distance`?");
        assert_eq!(did_you_mean("nodecpus", &known), "did you mean `node_cpus`?");
        assert_eq!(did_you_mean("dsitance", &known), "did you mean `distance`?");
        assert!(did_you_mean("zzz", &known).starts_with("known are name, arch"));
    }
}
