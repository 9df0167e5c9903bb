//! What the terminal can do, as the environment tells.

use crate::explore::state::options::{Options, Welcome};
use crate::explore::vocabulary::appearance::{Charset, ColorDepth, Palette};

/// Look and feel for this process's terminal.
pub fn environment_options() -> Options {
    from_variables(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Look and feel from environment variables: `NO_COLOR` (no colour at all), `TERM`, `COLORTERM`, and the locale's
/// `LC_ALL`, `LC_CTYPE`, `LANG`, of which the first that is set says whether anything but ASCII can be drawn.
fn from_variables(get: impl Fn(&str) -> Option<String>) -> Options {
    let term = get("TERM").unwrap_or_default();
    let dumb = term == "dumb";
    let many =
        get("COLORTERM").is_some() || ["256", "direct", "kitty", "alacritty"].iter().any(|has| term.contains(has));
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(&get);
    let ascii = dumb || locale.is_some_and(|locale| !is_utf8(&locale));
    Options {
        palette: if dumb || get("NO_COLOR").is_some() { Palette::Mono } else { Palette::default() },
        depth: if many { ColorDepth::Full } else { ColorDepth::Sixteen },
        charset: if ascii { Charset::Ascii } else { Charset::Unicode },
        // The console reports no mouse, and nothing dumb does.
        mouse: !dumb && term != "linux",
        welcome: Welcome::Silent,
    }
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(variables: &[(&str, &str)]) -> Options {
        from_variables(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_decides() {
        assert_eq!(options(&[("TERM", "xterm-256color"), ("LANG", "de_DE.UTF-8")]), Options::default());
        assert_eq!(options(&[("NO_COLOR", "1")]).palette, Palette::Mono);
        assert_eq!(
            options(&[("TERM", "linux")]),
            Options { depth: ColorDepth::Sixteen, mouse: false, ..Options::default() }
        );
        assert_eq!(options(&[("TERM", "screen"), ("COLORTERM", "truecolor")]).depth, ColorDepth::Full);
        assert_eq!(options(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).charset, Charset::Ascii);
        assert_eq!(
            options(&[("TERM", "dumb")]),
            Options {
                charset: Charset::Ascii,
                palette: Palette::Mono,
                depth: ColorDepth::Sixteen,
                mouse: false,
                welcome: Welcome::Silent
            }
        );
    }
}
