//! The signs beside letters, in Unicode and in ASCII.

use super::appearance::Charset;

/// The signs.
#[derive(Clone, Copy, Debug)]
pub struct Signs {
    /// Ends cut text.
    pub cut: &'static str,
    /// The chosen row.
    pub mark: &'static str,
    /// A row that shares CPUs with the selection.
    pub lit: &'static str,
    /// All of a node is in this group and in no other.
    pub full: &'static str,
    /// All of a node is in this group and in others.
    pub shared: &'static str,
    /// Part of a node is in this group.
    pub part: &'static str,
    /// Nothing of it.
    pub none: &'static str,
    /// Between facts.
    pub dot: &'static str,
    /// Between row headers and cells.
    pub rule: &'static str,
    /// Between column headers and cells.
    pub line: &'static str,
    /// A rule holds.
    pub good: &'static str,
    /// A rule is broken.
    pub bad: &'static str,
    /// A warning.
    pub warn: &'static str,
    /// Worth knowing.
    pub note: &'static str,
    /// The way back differs.
    pub unequal: &'static str,
    /// Unsaved edits.
    pub unsaved: &'static str,
    /// An unfinished number.
    pub cursor: &'static str,
    /// From one node to another.
    pub to: &'static str,
    /// A task.
    pub task: &'static str,
}

impl Signs {
    /// The signs of a charset.
    pub fn of(charset: Charset) -> &'static Self {
        match charset {
            Charset::Unicode => &UNICODE,
            Charset::Ascii => &ASCII,
        }
    }
}

static UNICODE: Signs = Signs {
    cut: "…",
    mark: "▸",
    lit: "▌",
    full: "█",
    shared: "▓",
    part: "░",
    none: "·",
    dot: "·",
    rule: "│",
    line: "─",
    good: "✓",
    bad: "✗",
    warn: "!",
    note: "i",
    unequal: "≠",
    unsaved: "●",
    cursor: "_",
    to: "→",
    task: "■",
};

static ASCII: Signs = Signs {
    cut: "~",
    mark: ">",
    lit: "|",
    full: "#",
    shared: "%",
    part: "+",
    none: ".",
    dot: "-",
    rule: "|",
    line: "-",
    good: "ok",
    bad: "NO",
    warn: "!",
    note: "i",
    unequal: "!",
    unsaved: "*",
    cursor: "_",
    to: "->",
    task: "#",
};
