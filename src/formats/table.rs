//! Distance tables as people paste them: out of mails with quote marks, out of `numactl -H` with labels, out of code
//! with brackets and commas.

use super::error::{FormatError, short};
use crate::topology::{Distances, MAX_DISTANCE, MAX_NODES};
use std::ops::Range;

/// A distance and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The distance.
    pub value: u32,
    /// Its bytes in the text.
    pub bytes: Range<usize>,
}

/// A table as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The nodes' ids, where a header or labels name them; ascending.
    pub ids: Option<Vec<u32>>,
    /// The distances, row = from; as many rows as columns.
    pub rows: Vec<Vec<Cell>>,
}

/// Writes distances as a table: a row a node, columns aligned.
pub fn write(distances: &Distances) -> String {
    let widest = distances.rows().flatten().map(|distance| distance.to_string().len()).max().unwrap_or(1);
    let row = |row: &[u32]| row.iter().map(|distance| format!("{distance:>widest$}")).collect::<Vec<_>>().join(" ");
    distances.rows().map(|cells| row(cells) + "\n").collect()
}

/// Reads the distances of a pasted table, without their labels.
///
/// # Errors
/// The line and column of what is no distance, or of the row that does not fit.
pub fn parse(text: &str) -> Result<Vec<Vec<u32>>, FormatError> {
    Ok(Table::parse(text)?.rows())
}

/// Whether a text looks like a table, right or wrong: it has a row of numbers, or a header.
pub(super) fn is_table(text: &str) -> bool {
    let first = text.lines().map(plain).find(|line| !is_blank(line));
    first.is_some_and(|line| {
        let line = line.trim_start_matches(is_separator);
        line.starts_with(|c: char| c.is_ascii_digit()) || is_node(line.split(is_separator).next().unwrap_or(""))
    })
}

/// A line of the table.
struct Row {
    /// Where the line begins.
    byte: usize,
    /// `0:` or `node 0:` before the distances.
    label: Option<u32>,
    cells: Vec<Cell>,
}

impl Table {
    /// Reads a pasted table. Before the rows may stand `node distances:` and everything above it, and a header of node
    /// ids; a row may have a label.
    ///
    /// # Errors
    /// The line and column of what is no distance, or of the row that does not fit.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        let mut header = None;
        let mut rows = Vec::new();
        let mut byte = start(text);
        for line in text[byte..].split_inclusive('\n') {
            let at = Line { text, byte, words: line };
            byte += line.len();
            match at.read()? {
                Content::Nothing => {}
                Content::Header(_) if !rows.is_empty() || header.is_some() => {
                    let cure = "give one table at a time";
                    return Err(FormatError::new("a second table starts here", cure).at_byte(text, at.byte));
                }
                Content::Header(ids) => header = ids,
                Content::Row(row) if rows.len() <= MAX_NODES => rows.push(row),
                Content::Row(row) => {
                    let fault = format!("more than {MAX_NODES} rows");
                    return Err(FormatError::new(fault, "that is the most nodes there can be").at_byte(text, row.byte));
                }
            }
        }
        let header = header.or_else(|| plain_header(&mut rows));
        strip_plain_labels(header.as_deref(), &mut rows);
        check_square(text, &rows)?;
        let ids = ids(text, header, &rows)?;
        Ok(Self { ids, rows: rows.into_iter().map(|row| row.cells).collect() })
    }

    /// The distances alone.
    pub fn rows(&self) -> Vec<Vec<u32>> {
        self.rows.iter().map(|row| row.iter().map(|cell| cell.value).collect()).collect()
    }
}

/// Where the table may begin: after `node distances:`, if there is such a line before any row.
fn start(text: &str) -> usize {
    let mut byte = 0;
    for line in text.split_inclusive('\n') {
        byte += line.len();
        let line = plain(line).trim();
        if line.eq_ignore_ascii_case("node distances:") {
            return byte;
        }
        // A row: the table is there already, and a later headline would belong to a second one.
        if line.contains(|c: char| c.is_ascii_digit()) && !line.contains(|c: char| c.is_alphabetic()) {
            return 0;
        }
    }
    0
}

/// A line without quote marks of mails.
fn plain(line: &str) -> &str {
    line.trim_start_matches(|c: char| c == '>' || c.is_whitespace())
}

/// White space of any kind. Mail archives turn hard spaces into question marks, code has brackets and commas.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '?' | ',' | ';' | '[' | ']' | '{' | '}' | '|')
}

fn is_blank(line: &str) -> bool {
    line.starts_with('#') || line.chars().all(is_separator)
}

fn is_node(word: &str) -> bool {
    word.eq_ignore_ascii_case("node") || word.eq_ignore_ascii_case("nodes")
}

/// What a line holds.
enum Content {
    Nothing,
    /// A headline, with the ids it names if it names any.
    Header(Option<Vec<u32>>),
    Row(Row),
}

/// A line and where it is.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    byte: usize,
    words: &'a str,
}

impl Line<'_> {
    fn read(self) -> Result<Content, FormatError> {
        let content = plain(self.words);
        if is_blank(content) {
            return Ok(Content::Nothing);
        }
        if content.trim().eq_ignore_ascii_case("node distances:") {
            return Ok(Content::Header(None));
        }
        let from = self.byte + self.words.len() - content.len();
        if let Some((label, rest)) = content.split_once(':') {
            let label = self.label(from, label)?;
            let cells = self.cells(from + content.len() - rest.len(), rest)?;
            return Ok(Content::Row(Row { byte: self.byte, label: Some(label), cells }));
        }
        let mut words = words(from, content);
        if words.clone().next().is_some_and(|(_, word)| is_node(word)) {
            words.next();
            let ids = words.map(|(at, word)| self.number(at, word)).collect::<Result<_, _>>()?;
            return Ok(Content::Header(Some(ids)));
        }
        Ok(Content::Row(Row { byte: self.byte, label: None, cells: self.cells(from, content)? }))
    }

    /// The id in `0`, `node 0` or `node0`.
    fn label(self, from: usize, label: &str) -> Result<u32, FormatError> {
        let word = label.trim_matches(is_separator);
        let lower = word.to_ascii_lowercase();
        let digits = lower.strip_prefix("node").unwrap_or(&lower).trim_start_matches(is_separator);
        digits.parse().map_err(|_| {
            let cure = "a row begins with its distances, with `0:` or with `node 0:`";
            FormatError::new(format!("`{}` is no row label", short(word)), cure).at_byte(self.text, from)
        })
    }

    fn cells(self, from: usize, content: &str) -> Result<Vec<Cell>, FormatError> {
        let mut cells = Vec::new();
        for (at, word) in words(from, content) {
            let value = self.number(at, word)?;
            if value > MAX_DISTANCE || cells.len() > MAX_NODES + 1 {
                let cure = format!("a table has at most {MAX_NODES} columns of distances up to {MAX_DISTANCE}");
                return Err(FormatError::new(format!("`{word}` can't be in a table"), cure).at_byte(self.text, at));
            }
            cells.push(Cell { value, bytes: at..at + word.len() });
        }
        Ok(cells)
    }

    fn number(self, at: usize, word: &str) -> Result<u32, FormatError> {
        word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok()).flatten().ok_or_else(|| {
            let fault = format!("`{}` is not a distance", short(word));
            FormatError::new(fault, "write whole numbers such as 10 or 21").at_byte(self.text, at)
        })
    }
}

/// The words of `content`, which begins at byte `from`, each with its place.
fn words(from: usize, content: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let place = move |word: &str| from + (word.as_ptr().addr() - content.as_ptr().addr());
    content.split(is_separator).filter(|word| !word.is_empty()).map(move |word| (place(word), word))
}

/// A first row of bare numbers that is a header: it ascends, and as many rows follow as it has numbers. A table of
/// distances can't look like that, for it would have one row too many.
fn plain_header(rows: &mut Vec<Row>) -> Option<Vec<u32>> {
    let (first, rest) = rows.split_first()?;
    let ascends = first.cells.windows(2).all(|pair| pair[0].value < pair[1].value);
    if first.label.is_some() || !ascends || rest.len() != first.cells.len() {
        return None;
    }
    Some(rows.remove(0).cells.into_iter().map(|cell| cell.value).collect())
}

/// Takes the first number off each row where a header says that it is the row's id and not a distance.
fn strip_plain_labels(header: Option<&[u32]>, rows: &mut [Row]) {
    let Some(ids) = header else { return };
    let labelled = |(row, id): (&Row, &u32)| {
        row.label.is_none()
            && row.cells.len() == ids.len() + 1
            && row.cells.first().is_some_and(|cell| cell.value == *id)
    };
    if rows.len() == ids.len() && rows.iter().zip(ids).all(labelled) {
        for row in rows {
            row.label = Some(row.cells.remove(0).value);
        }
    }
}

fn check_square(text: &str, rows: &[Row]) -> Result<(), FormatError> {
    let Some(first) = rows.first() else {
        return Err(FormatError::new("there is no table", "give a row of distances per node, one line each"));
    };
    let rest_fits = rows.len() > 1 && rows.iter().skip(1).all(|row| row.cells.len() == rows.len());
    let columns = if rest_fits { rows.len() } else { first.cells.len() };
    if let Some((at, row)) = rows.iter().enumerate().find(|(_, row)| row.cells.len() != columns) {
        let others = if rest_fits { "the others" } else { "the first" };
        let fault = format!("row {} has {} distances, unlike {others}", at + 1, row.cells.len());
        return Err(FormatError::new(fault, format!("give {columns} of them")).at_byte(text, row.byte));
    }
    if rows.len() != columns {
        let fault = format!("{} rows of {columns} distances", rows.len());
        let cure = "a table has as many rows as columns, one per node";
        return Err(FormatError::new(fault, cure).at_byte(text, first.byte));
    }
    Ok(())
}

/// The node ids a header or the labels name, which must agree and ascend.
fn ids(text: &str, header: Option<Vec<u32>>, rows: &[Row]) -> Result<Option<Vec<u32>>, FormatError> {
    let header = header.filter(|ids| !ids.is_empty());
    let labels: Option<Vec<u32>> = rows.iter().map(|row| row.label).collect();
    let at = |number: usize| rows.get(number).map_or(0, |row| row.byte);
    if let Some((number, _)) =
        labels.iter().flatten().zip(labels.iter().flatten().skip(1)).enumerate().find(|(_, (a, b))| a >= b)
    {
        let cure = "list the nodes by ascending id, each once";
        return Err(FormatError::new("the row labels do not ascend", cure).at_byte(text, at(number + 1)));
    }
    match (header, labels) {
        (Some(header), _) if header.len() != rows.len() => {
            let fault = format!("the header names {} nodes and there are {} rows", header.len(), rows.len());
            Err(FormatError::new(fault, "give a row per node").at_byte(text, at(0)))
        }
        (Some(header), Some(labels)) if header != labels => {
            let number = header.iter().zip(&labels).position(|(a, b)| a != b).unwrap_or(0);
            let fault =
                format!("row {} is labelled {}, the header says {}", number + 1, labels[number], header[number]);
            Err(FormatError::new(fault, "give rows and columns the same order").at_byte(text, at(number)))
        }
        (Some(header), None) if header.windows(2).any(|pair| pair[0] >= pair[1]) => {
            let cure = "list the nodes by ascending id, each once";
            Err(FormatError::new("the header's node ids do not ascend", cure).at_byte(text, at(0)))
        }
        (header, labels) => Ok(header.or(labels)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RING: [[u32; 4]; 4] = [[10, 20, 30, 20], [20, 10, 20, 30], [30, 20, 10, 20], [20, 30, 20, 10]];

    #[test]
    fn every_way_of_pasting_reads_the_same() {
        for text in [
            "10 20 30 20\n20 10 20 30\n30 20 10 20\n20 30 20 10",
            "\n  10\t20 30  20\r\n 20 10 20 30\r\n 30 20 10 20\r\n20 30 20 10\r\n\r\n",
            "0 1 2 3\n10 20 30 20\n20 10 20 30\n30 20 10 20\n20 30 20 10",
            "  0 1 2 3\n0 10 20 30 20\n1 20 10 20 30\n2 30 20 10 20\n3 20 30 20 10",
            "node distances:\nnode   0   1   2   3 \n  0:  10  20  30  20 \n  1:  20  10  20  30 \n  2:  30  20  10  20 \n  3:  20  30  20  10 \n",
            "4 nodes, ring topology\nnode distances:\nnode 0 1 2 3\n0: 10 20 30 20\n1: 20 10 20 30\n2: 30 20 10 20\n3: 20 30 20 10\n",
            "> > node???0???1???2???3\n> > ? 0:??10??20??30??20\n> > ? 1:??20??10??20??30\n> > ? 2:??30??20??10??20\n> > ? 3:??20??30??20??10",
            "node 0: 10 20 30 20\nnode 1: 20 10 20 30\nNode2: 30 20 10 20\nnode 3 : 20 30 20 10",
            "# ring\n[[10, 20, 30, 20],\n [20, 10, 20, 30],\n [30, 20, 10, 20],\n [20, 30, 20, 10]]",
            "\u{a0}10\u{a0}20\u{a0}30\u{a0}20\n20\u{3000}10 20 30\n30 20 10 20\n20 30 20 10",
        ] {
            assert_eq!(parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")), RING, "{text}");
        }
    }

    #[test]
    fn small_tables_are_no_headers() {
        assert_eq!(parse("10").unwrap(), [[10]]);
        assert_eq!(parse("0\n10").unwrap(), [[10]]);
        assert_eq!(parse("10 20\n20 10").unwrap(), [[10, 20], [20, 10]]);
        assert_eq!(Table::parse("0 8\n10 40\n40 10").unwrap().ids, Some(vec![0, 8]));
        assert_eq!(Table::parse("0: 10 40\n8: 40 10").unwrap().ids, Some(vec![0, 8]));
        assert_eq!(Table::parse("10 40\n40 10").unwrap().ids, None);
    }

    #[test]
    fn cells_know_their_place() {
        let text = "> node 0:  10 ?20\n> node 1:  20\u{a0}10";
        let table = Table::parse(text).unwrap();
        assert_eq!(
            table.rows.iter().flatten().map(|cell| &text[cell.bytes.clone()]).collect::<Vec<_>>(),
            ["10", "20", "20", "10"]
        );
    }

    #[test]
    fn errors_say_where_and_what() {
        let says = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(says("10 20\n20 1O"), "2:4: `1O` is not a distance; write whole numbers such as 10 or 21");
        assert_eq!(says("10 20\n20"), "2:1: row 2 has 1 distances, unlike the first; give 2 of them");
        assert_eq!(says("10 20 30\n20 10\n"), "1:1: row 1 has 3 distances, unlike the others; give 2 of them");
        assert!(says("10 20 20\n20 10 20").contains("2 rows of 3 distances"));
        assert!(says("").contains("no table"));
        assert!(says("-10").contains("`-10` is not a distance"));
        assert!(says("10 100000\n1 1").contains("can't be in a table"));
        assert!(says("0: 10 20\n0: 20 10").starts_with("2:1: the row labels do not ascend"));
        assert!(says("node 0 1\n0: 10 20\n2: 20 10").contains("labelled 2, the header says 1"));
        assert!(says("node 0 1 2\n10 20\n20 10").contains("names 3 nodes and there are 2 rows"));
        assert!(says("node distances:\n10\nnode distances:\n10").starts_with("3:1: a second table"));
        assert!(says("node 0 cpus: 0 1 2").contains("no row label"));
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "[0-9nodeN:?>, \\[\\]\\n\u{a0}-]{0,60}") {
            if let Ok(table) = Table::parse(&text) {
                for cell in table.rows.iter().flatten() {
                    prop_assert_eq!(text[cell.bytes.clone()].parse(), Ok(cell.value));
                }
            }
        }

        #[test]
        fn any_text_never_panics(text in any::<String>()) {
            let _ = parse(&text);
            let _ = is_table(&text);
        }
    }
}
