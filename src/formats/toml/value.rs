//! Values of a TOML file that know their key and place, so that what is wrong with them can be said exactly.

use crate::formats::error::{FormatError, did_you_mean, short, unknown_field};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and what is needed to complain about it.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    text: &'a str,
    key: &'a str,
    item: &'a Spanned<DeValue<'a>>,
}

impl<'a> Value<'a> {
    /// Where the value begins in the file.
    pub(crate) fn byte(self) -> usize {
        self.item.span().start
    }

    /// The value as written.
    pub(crate) fn written(self) -> &'a str {
        self.text.get(self.item.span()).unwrap_or_default()
    }

    /// An error at this value.
    pub(crate) fn error(self, fault: impl Into<String>, cure: impl Into<String>) -> FormatError {
        FormatError::new(format!("{}: {}", self.key, fault.into()), cure).at_byte(self.text, self.byte())
    }

    /// `error` at this value.
    pub(crate) fn place(self, error: FormatError) -> FormatError {
        error.at_byte(self.text, self.byte())
    }

    /// `error` said of this value.
    pub(crate) fn wrong(self, error: &impl ToString) -> FormatError {
        let FormatError { fault, cure, .. } = FormatError::from_words(&error.to_string());
        self.error(fault, cure)
    }

    fn unfit(self, what: &str) -> FormatError {
        self.error(format!("`{}` does not fit", short(self.written())), format!("give {what}"))
    }

    /// The text of a string.
    pub(crate) fn string(self, what: &str) -> Result<&'a str, FormatError> {
        self.item.get_ref().as_str().ok_or_else(|| self.unfit(what))
    }

    pub(crate) fn switch(self) -> Result<bool, FormatError> {
        self.item.get_ref().as_bool().ok_or_else(|| self.unfit("true or false"))
    }

    /// A whole number, below zero or not.
    pub(crate) fn integer(self, what: &str) -> Result<i64, FormatError> {
        let number = self.item.get_ref().as_integer();
        number.and_then(|n| i64::from_str_radix(n.as_str(), n.radix()).ok()).ok_or_else(|| self.unfit(what))
    }

    pub(crate) fn number(self, what: &str) -> Result<u32, FormatError> {
        u32::try_from(self.integer(what)?).map_err(|_| self.unfit(what))
    }

    /// Whether this is a list.
    pub(crate) fn is_list(self) -> bool {
        self.item.get_ref().is_array()
    }

    /// A list's items, each read by `item`; `bound` says how many there may be, and why.
    pub(crate) fn list<T>(
        self,
        bound: (usize, &str),
        item: impl FnMut(Self) -> Result<T, FormatError>,
    ) -> Result<Vec<T>, FormatError> {
        let items = self.item.get_ref().as_array().ok_or_else(|| self.unfit("a list in [ ]"))?;
        if items.len() > bound.0 {
            return Err(self.error(format!("{} values", items.len()), bound.1));
        }
        items.iter().map(|item| Self { item, ..self }).map(item).collect()
    }
}

/// A table of the file; one that is not there is empty.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    text: &'a str,
    table: Option<&'a DeTable<'a>>,
}

impl<'a> Section<'a> {
    pub(crate) fn new(text: &'a str, table: &'a DeTable<'a>) -> Self {
        Self { text, table: Some(table) }
    }

    /// The table under `key`.
    pub(crate) fn section(self, key: &'a str) -> Result<Self, FormatError> {
        let table = match self.get(key) {
            None => None,
            Some(value) => {
                let table = value.item.get_ref().as_table();
                Some(table.ok_or_else(|| value.error("not a table", format!("write [{key}] on a line of its own")))?)
            }
        };
        Ok(Self { table, ..self })
    }

    pub(crate) fn get(self, key: &'a str) -> Option<Value<'a>> {
        self.table?.get(key).map(|item| Value { text: self.text, key, item })
    }

    /// Refuses every key that is not in `known`; `elsewhere` has the keys of the other tables.
    pub(crate) fn only(self, known: &[&str], elsewhere: &[(&str, &[&str])]) -> Result<(), FormatError> {
        for key in self.table.into_iter().flatten().map(|(key, _)| key) {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let home = elsewhere.iter().find(|(_, keys)| keys.contains(&name));
            let error = match home {
                Some(("", _)) => {
                    FormatError::new(format!("`{name}` is in the wrong table"), "move it above the first [table]")
                }
                Some((table, _)) => {
                    FormatError::new(format!("`{name}` is in the wrong table"), format!("move it to [{table}]"))
                }
                None => unknown_field(name, known),
            };
            return Err(error.at_byte(self.text, key.span().start));
        }
        Ok(())
    }

    /// The choice a string names.
    pub(crate) fn choice<T: Copy>(
        self,
        key: &'a str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<Option<T>, FormatError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let names: Vec<&str> = all.iter().map(|&choice| name(choice)).collect();
        let word = value.string(&format!("one of {}", names.join(", ")))?;
        let found = all.iter().copied().find(|&choice| name(choice) == word);
        found
            .map(Some)
            .ok_or_else(|| value.error(format!("{:?} is not known", short(word)), did_you_mean(word, &names)))
    }
}
