//! What a person chooses about looks, without a colour named: that is for the terminal's side.

/// The themes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Light text; the terminal's own background.
    #[default]
    Dark,
    /// Dark text; the terminal's own background.
    Light,
    /// The colours of Okabe and Ito on dark ground; nothing is told by red against green.
    Okabe,
    /// White on black, bold.
    Contrast,
    /// No colour: bold, underline, reverse.
    Mono,
}

impl Palette {
    /// Every theme, in the order they are cycled through.
    pub const ALL: [Self; 5] = [Self::Dark, Self::Light, Self::Okabe, Self::Contrast, Self::Mono];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Okabe => "okabe-ito",
            Self::Contrast => "high-contrast",
            Self::Mono => "mono",
        }
    }

    /// The theme with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|palette| palette.name() == name)
    }

    /// The theme after it.
    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&palette| palette == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorDepth {
    /// The sixteen every terminal has.
    Sixteen,
    /// 256.
    #[default]
    Full,
}

/// Which signs may be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// Box drawing, blocks and arrows.
    #[default]
    Unicode,
    /// Nothing beyond ASCII.
    Ascii,
}

impl Charset {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Unicode, Self::Ascii];

    /// The name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unicode => "unicode",
            Self::Ascii => "ascii",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_are_found_by_name() {
        for palette in Palette::ALL {
            assert_eq!(Palette::find(palette.name()), Some(palette));
        }
        assert_eq!(Palette::Mono.next(), Palette::Dark);
    }
}
