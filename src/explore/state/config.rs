//! What a person sets once: look, mouse, keys.

use super::keymap::{Conflict, Keymap};
use super::modes::Symmetry;
use super::options::Options;
use crate::explore::vocabulary::appearance::{Charset, Palette};
use crate::explore::vocabulary::command::{self, rows};
use crate::explore::vocabulary::key::Key;
use crate::explore::vocabulary::place::Layer;
use crate::formats::toml::{Section, Value, parse};
use crate::formats::{FormatError, did_you_mean};
use std::fmt::Write as _;

/// Everything but the keys, as it is when nobody says otherwise.
const HEAD: &str = include_str!("../../../assets/config.toml");
/// The column of what a key does.
const ABOUT_AT: usize = 37;

/// The configuration as it is when nobody says otherwise; what the `config` command prints.
pub fn standard_text() -> String {
    let mut text = HEAD.to_owned();
    for section in command::Section::ALL {
        // Writing to a string can't fail.
        let _ = writeln!(text, "# {}.", section.name());
        for row in rows().iter().filter(|row| row.section == section) {
            let keys: Vec<String> = row.keys.split(' ').map(|key| format!("{key:?}")).collect();
            let line = format!("{} = [{}]", row.name, keys.join(", "));
            let _ = writeln!(text, "{line:<ABOUT_AT$}# {}", row.about);
        }
        text.push('\n');
    }
    text.pop();
    text
}

const ROOT: [&str; 5] = ["theme", "characters", "mouse", "symmetric", "keys"];
/// Keys one command may have.
const MOST_KEYS: usize = 16;

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The theme, if one is set.
    pub palette: Option<Palette>,
    /// What to draw with, if that is set.
    pub charset: Option<Charset>,
    /// Whether to take the mouse, if that is set.
    pub mouse: Option<bool>,
    /// Whether an edit goes both ways.
    pub symmetry: Symmetry,
    /// Which keys do what.
    pub keys: Keymap,
}

impl Config {
    /// What holds when nobody says otherwise.
    pub fn standard() -> Self {
        Self { keys: Keymap::standard(), ..Self::default() }
    }

    /// Lets what is set here go before what the terminal said.
    pub fn adjust(&self, options: &mut Options) {
        options.palette = self.palette.unwrap_or(options.palette);
        options.charset = self.charset.unwrap_or(options.charset);
        options.mouse = self.mouse.unwrap_or(options.mouse);
    }

    /// Takes in what `text` sets.
    ///
    /// # Errors
    /// Where and what is wrong: bad TOML, an unknown name or key, a key that means two things. What was read before the
    /// error stays.
    pub fn read(&mut self, text: &str) -> Result<(), FormatError> {
        let file = parse(text)?;
        let root = Section::new(text, file.get_ref());
        let names: Vec<&str> = rows().iter().map(|row| row.name).collect();
        root.only(&ROOT, &[("", &ROOT), ("keys", &names)])?;
        self.palette = root.choice("theme", &Palette::ALL, Palette::name)?.or(self.palette);
        self.charset = root.choice("characters", &Charset::ALL, Charset::name)?.or(self.charset);
        self.mouse = root.get("mouse").map(Value::switch).transpose()?.or(self.mouse);
        if let Some(both) = root.get("symmetric").map(Value::switch).transpose()? {
            self.symmetry = if both { Symmetry::Both } else { Symmetry::OneWay };
        }
        let keys = root.section("keys")?;
        keys.only(&names, &[("", &ROOT)])?;
        for &name in &names {
            if let Some(value) = keys.get(name) {
                self.keys.set(name, value.list((MOST_KEYS, "give fewer keys"), key)?);
            }
        }
        self.check(keys)
    }

    /// No key may mean two things in one place, none that types may be taken where text is typed, and there has to be a
    /// way out.
    fn check(&self, keys: Section<'_>) -> Result<(), FormatError> {
        let at = |name: &'static str, error: FormatError| match keys.get(name) {
            Some(value) => value.place(error),
            None => error,
        };
        if let Some(Conflict { key, one, other }) = self.keys.conflict() {
            // The place to mend is the one in this file.
            let (here, there) = if keys.get(other).is_some() { (other, one) } else { (one, other) };
            let whose = if keys.get(there).is_some() { "" } else { ", which has it as standard" };
            let error = FormatError::new(
                format!("{here}: `{key}` is also the key of `{there}`{whose}"),
                format!("give one of them another key, or none: {there} = []"),
            );
            return Err(at(here, error));
        }
        for (row, keys) in self.keys.iter().filter(|(row, _)| row.place.layer() == Layer::Typing) {
            if let Some(key) = keys.iter().find(|key| key.character().is_some()) {
                let problem = format!("{}: `{key}` types where this key would hold", row.name);
                return Err(at(
                    row.name,
                    FormatError::new(problem, "give a key with ctrl or alt, or one without a character"),
                ));
            }
        }
        for name in ["quit", "cancel", "answer-no", "close-menu", "refuse-repair"] {
            if self.keys.iter().any(|(row, keys)| row.name == name && keys.is_empty()) {
                let problem = format!("{name}: no key is left");
                return Err(at(name, FormatError::new(problem, "there has to be a way out")));
            }
        }
        Ok(())
    }
}

fn key(value: Value<'_>) -> Result<Key, FormatError> {
    let text = value.string("a key such as \"ctrl-r\"")?;
    Key::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Key::names().collect();
        let word = text.rsplit('-').next().unwrap_or(text);
        value.error(format!("`{text}` is no key"), did_you_mean(word, &names))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::standard().read(text).unwrap_err().to_string()
    }

    #[test]
    fn the_standard_text_is_read_back_as_the_standard() {
        let mut config = Config { keys: Keymap::default(), ..Config::default() };
        config.read(&standard_text()).unwrap();
        assert_eq!(config, Config::standard());
    }

    #[test]
    fn what_is_not_set_stays() {
        let mut config = Config::standard();
        config.read("theme = \"light\"\nsymmetric = false\n[keys]\nundo = [\"ctrl-x\", \"U\"]\n").unwrap();
        assert_eq!((config.palette, config.symmetry), (Some(Palette::Light), Symmetry::OneWay));
        let keys = |name| config.keys.iter().find(|(row, _)| row.name == name).map(|(_, keys)| keys.to_vec());
        assert_eq!(keys("undo").map(|keys| Keymap::written(&keys)), Some("ctrl-x U".to_owned()));
        assert_eq!(keys("redo").map(|keys| Keymap::written(&keys)), Some("ctrl-r".to_owned()));
    }

    #[test]
    fn errors_say_where_what_and_what_would_be_right() {
        for (text, expected) in [
            ("them = \"dark\"", "1:1: unknown field `them`; did you mean `theme`?"),
            ("theme = \"drak\"", "1:9: theme: \"drak\" is not known; did you mean `dark`?"),
            ("mouse = 1", "1:9: mouse: `1` does not fit; give true or false"),
            ("undo = [\"u\"]", "1:1: `undo` is in the wrong table; move it to [keys]"),
            ("[keys]\nundoo = [\"u\"]", "2:1: unknown field `undoo`; did you mean `undo`?"),
            ("[keys]\nundo = [\"ctrl-entr\"]", "2:9: undo: `ctrl-entr` is no key; did you mean `enter`?"),
            ("[keys]\nundo = \"u\"", "2:8: undo: `\"u\"` does not fit; give a list in [ ]"),
            (
                "[keys]\nundo = [\"ctrl-z\"]",
                "2:8: undo: `ctrl-z` is also the key of `suspend`, which has it as standard; give one of them another \
                 key, or none: suspend = []",
            ),
            (
                "[keys]\nundo = [\"Q\"]\nsave = [\"Q\"]",
                "3:8: save: `Q` is also the key of `undo`; give one of them another key, or none: undo = []",
            ),
            ("[keys]\nquit = []", "2:8: quit: no key is left; there has to be a way out"),
            ("[keys]\nanswer-no = []", "2:13: answer-no: no key is left; there has to be a way out"),
            (
                "[keys]\naccept = [\"x\"]",
                "2:10: accept: `x` types where this key would hold; give a key with ctrl or alt, or one without a character",
            ),
            ("[keys\n", "1:6: unclosed table, expected `]`; check the TOML here"),
        ] {
            assert_eq!(error(text), expected);
        }
    }
}
