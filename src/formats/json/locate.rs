//! Where in a JSON text a field is: for errors that show only once the whole is put together.

/// A step down into the text.
#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

/// The byte at which the value of `place` (`distance[3][1]`, `levels.smt`) begins. The text must be valid JSON.
pub(super) fn locate(text: &str, place: &str) -> Option<usize> {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    for step in steps(place)? {
        match step {
            Step::Field(name) => scan.enter_field(name)?,
            Step::Item(index) => scan.enter_item(index)?,
        }
    }
    scan.blank();
    Some(scan.at)
}

fn steps(place: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in place.split('.') {
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        steps.push(Step::Field(name));
        for index in indices.split_terminator(']') {
            steps.push(Step::Item(index.strip_prefix('[')?.parse().ok()?));
        }
    }
    Some(steps)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Steps over `expected`, after blanks.
    fn take(&mut self, expected: u8) -> Option<()> {
        self.blank();
        (self.peek()? == expected).then(|| self.at += 1)
    }

    /// Steps over a string and gives what is between its quotes, as written.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.take(b'"')?;
        let start = self.at;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.bytes.get(start..self.at - 1)
    }

    /// Steps over one value, whatever it is.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.blank();
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    while self.peek().is_some_and(|b| !b.is_ascii_whitespace() && !b",:]}".contains(&b)) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Steps into an object, to the value of `name`.
    fn enter_field(&mut self, name: &str) -> Option<()> {
        self.take(b'{')?;
        loop {
            let key = self.string()?;
            self.take(b':')?;
            if key == name.as_bytes() {
                return Some(());
            }
            self.value()?;
            self.take(b',')?;
        }
    }

    /// Steps into a list, to its value at `index`.
    fn enter_item(&mut self, index: usize) -> Option<()> {
        self.take(b'[')?;
        for _ in 0..index {
            self.value()?;
            self.take(b',')?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_value() {
        let text = r#"{ "a": ["x\"]", {"b": 1}], "levels" : {"smt": ["0"], "mc":[ "1", "2" ]}, "d": [[1, 2],[3,40]] }"#;
        let value = |place| locate(text, place).map(|at| &text[at..at + 2]);
        assert_eq!(value("levels.mc[1]"), Some("\"2"));
        assert_eq!(value("d[1][1]"), Some("40"));
        assert_eq!(value("a"), Some("[\""));
        assert_eq!(value("none"), None);
        assert_eq!(value("d[5]"), None);
    }
}
