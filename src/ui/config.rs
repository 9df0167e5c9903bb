//! What a person sets once: look, mouse, keys. A TOML file of theirs over the one in `assets`.

use super::keys::{BINDINGS, Conflict, Key, Keymap};
use super::model::{Options, Symmetry};
use super::theme::{Charset, Palette};
use crate::formats::toml::{Section, Value, parse};
use crate::formats::{FormatError, did_you_mean, read_text};
use etcetera::BaseStrategy as _;
use std::path::{Path, PathBuf};

/// The configuration as it is when nobody says otherwise; what the `config` command prints.
pub const STANDARD: &str = include_str!("../../assets/config.toml");

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
    /// The one in `assets`.
    pub fn standard() -> Self {
        // A test holds that it can be read.
        let mut config = Self::default();
        let _ = config.read(STANDARD);
        config
    }

    /// The file at `path` over the standard; or else the person's own, when there is one.
    ///
    /// # Errors
    /// Where and what is wrong: no such file, bad TOML, a name or key nobody knows, a key that means two things.
    pub fn load(path: Option<&Path>) -> Result<Self, FormatError> {
        let mut config = Self::standard();
        let own = own_file().filter(|own| own.exists());
        let Some(path) = path.map(Path::to_owned).or(own) else { return Ok(config) };
        let text = read_text(&path)?;
        config.read(&text).map_err(|error| error.in_file(path.display().to_string()))?;
        Ok(config)
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
    /// As [`Config::load`], without the file's name. What was read before the error stays.
    pub fn read(&mut self, text: &str) -> Result<(), FormatError> {
        let file = parse(text)?;
        let root = Section::new(text, file.get_ref());
        let names: Vec<&str> = BINDINGS.iter().map(|binding| binding.name).collect();
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

    /// No key may mean two things in one place, and there has to be a way out.
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
        let quits = self.keys.iter().any(|(binding, keys)| binding.name == "quit" && !keys.is_empty());
        if quits {
            Ok(())
        } else {
            Err(at("quit", FormatError::new("quit: no key is left", "there has to be a way out")))
        }
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

/// Where the person's own file is looked for.
pub fn own_file() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("schedtopo").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::standard().read(text).unwrap_err().to_string()
    }

    #[test]
    fn the_standard_gives_every_command_its_keys_and_says_what_they_do() {
        let mut config = Config::default();
        config.read(STANDARD).unwrap();
        for (binding, keys) in config.keys.iter() {
            let start = format!("{} = [", binding.name);
            let line = STANDARD.lines().find(|line| line.starts_with(&start));
            let line = line.unwrap_or_else(|| panic!("{} is missing", binding.name));
            assert!(line.ends_with(&format!("# {}", binding.about)), "{line}");
            assert!(!keys.is_empty(), "{line}");
        }
    }

    #[test]
    fn what_is_not_set_stays() {
        let mut config = Config::standard();
        config.read("theme = \"light\"\nsymmetric = false\n[keys]\nundo = [\"ctrl-x\", \"U\"]\n").unwrap();
        assert_eq!((config.palette, config.symmetry), (Some(Palette::Light), Symmetry::OneWay));
        let keys = |name| config.keys.iter().find(|(binding, _)| binding.name == name).map(|(_, keys)| keys.to_vec());
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
            ("[keys\n", "1:6: unclosed table, expected `]`; check the TOML here"),
        ] {
            assert_eq!(error(text), expected);
        }
    }
}
