//! Colours and signs. The only file that names a colour.
//!
//! A theme never relies on colour alone: what colour says, a sign or a word says too. The monochrome theme sets no
//! colour at all, neither foreground nor background, so that `NO_COLOR` is kept to the letter.

use crate::explore::vocabulary::appearance::{Charset, ColorDepth, Palette};
use crate::explore::vocabulary::signs::Signs;
use ratatui::style::{Color, Modifier, Style};

/// A theme, ready to draw with.
#[derive(Clone, Debug)]
pub struct Theme {
    /// Ordinary text.
    pub text: Style,
    /// Less important text.
    pub dim: Style,
    /// Frames.
    pub frame: Style,
    /// The frame of the focused pane.
    pub frame_focus: Style,
    /// Column headers and pane titles.
    pub head: Style,
    /// The title of the focused pane.
    pub head_focus: Style,
    /// The chosen row in the focused pane, foreground and background.
    pub chosen: Style,
    /// The chosen row elsewhere.
    pub chosen_idle: Style,
    /// The chosen cell within a chosen row.
    pub cell: Style,
    /// What belongs to the selection.
    pub lit: Style,
    /// A number not finished.
    pub pending: Style,
    /// All is well.
    pub good: Style,
    /// Something is off.
    pub warn: Style,
    /// Something is wrong.
    pub bad: Style,
    /// A banner about something wrong.
    pub alarm: Style,
    /// Keys in help and footer.
    pub key: Style,
    /// Matched characters.
    pub hit: Style,
    hues: &'static [Color],
    /// The signs.
    pub signs: &'static Signs,
}

// Eight hues that people with any colour vision tell apart, after Okabe and Ito; bright for dark ground, deep for light.
const HUES_DARK: &[Color] = &[
    Color::Indexed(117),
    Color::Indexed(214),
    Color::Indexed(79),
    Color::Indexed(218),
    Color::Indexed(228),
    Color::Indexed(141),
    Color::Indexed(209),
    Color::Indexed(153),
];
const HUES_OKABE: &[Color] = &[
    Color::Indexed(74),
    Color::Indexed(214),
    Color::Indexed(36),
    Color::Indexed(227),
    Color::Indexed(32),
    Color::Indexed(202),
    Color::Indexed(175),
];
const HUES_LIGHT: &[Color] = &[
    Color::Indexed(25),
    Color::Indexed(130),
    Color::Indexed(29),
    Color::Indexed(126),
    Color::Indexed(94),
    Color::Indexed(55),
    Color::Indexed(124),
    Color::Indexed(23),
];
const HUES_16_DARK: &[Color] =
    &[Color::LightCyan, Color::Yellow, Color::LightGreen, Color::LightMagenta, Color::LightBlue, Color::LightRed];
const HUES_16_LIGHT: &[Color] = &[Color::Blue, Color::Red, Color::Magenta, Color::Green, Color::Cyan];
const HUES_CONTRAST: &[Color] =
    &[Color::LightCyan, Color::LightYellow, Color::LightGreen, Color::LightMagenta, Color::White];

const fn fg(color: Color) -> Style {
    Style::new().fg(color)
}

const fn on(fg: Color, bg: Color) -> Style {
    Style::new().fg(fg).bg(bg)
}

impl Theme {
    /// The theme for a terminal.
    pub fn new(palette: Palette, depth: ColorDepth, charset: Charset) -> Self {
        let signs = Signs::of(charset);
        match (palette, depth) {
            (Palette::Dark, ColorDepth::Full) => Self::dark(signs),
            (Palette::Dark, ColorDepth::Sixteen) => Self::dark_sixteen(signs),
            (Palette::Okabe, ColorDepth::Full) => Self::okabe(signs),
            (Palette::Okabe, ColorDepth::Sixteen) => Self::okabe_sixteen(signs),
            (Palette::Light, depth) => Self::light(signs, depth),
            (Palette::Contrast, _) => Self::contrast(signs),
            (Palette::Mono, _) => Self::mono(signs),
        }
    }

    /// The colour of the `n`th of things to be told apart.
    pub fn hue(&self, n: usize) -> Style {
        if self.hues.is_empty() { self.text } else { fg(self.hues[n % self.hues.len()]) }
    }

    /// A style on the ground of the chosen row or column, keeping what its own colour says.
    pub fn cross(&self, style: Style) -> Style {
        match self.chosen_idle.bg {
            Some(ground) => self.chosen_idle.patch(style).bg(ground),
            None => style,
        }
    }

    fn dark(signs: &'static Signs) -> Self {
        let bold = Modifier::BOLD;
        Self {
            text: fg(Color::Reset),
            dim: fg(Color::Indexed(245)),
            frame: fg(Color::Indexed(240)),
            frame_focus: fg(Color::Indexed(117)),
            head: fg(Color::Indexed(250)).add_modifier(bold),
            head_focus: fg(Color::Indexed(117)).add_modifier(bold),
            chosen: on(Color::Indexed(231), Color::Indexed(25)),
            chosen_idle: on(Color::Indexed(253), Color::Indexed(238)),
            cell: on(Color::Indexed(16), Color::Indexed(117)).add_modifier(bold),
            lit: fg(Color::Indexed(228)).add_modifier(bold),
            pending: on(Color::Indexed(16), Color::Indexed(228)).add_modifier(bold),
            good: fg(Color::Indexed(79)),
            warn: fg(Color::Indexed(214)),
            bad: fg(Color::Indexed(210)).add_modifier(bold),
            alarm: on(Color::Indexed(231), Color::Indexed(124)).add_modifier(bold),
            key: fg(Color::Indexed(117)),
            hit: fg(Color::Indexed(228)).add_modifier(Modifier::UNDERLINED),
            hues: HUES_DARK,
            signs,
        }
    }

    /// Blue says good, orange and vermillion say bad.
    fn okabe(signs: &'static Signs) -> Self {
        let bold = Modifier::BOLD;
        Self {
            good: fg(Color::Indexed(74)),
            warn: fg(Color::Indexed(214)),
            bad: fg(Color::Indexed(202)).add_modifier(bold),
            alarm: on(Color::Indexed(16), Color::Indexed(202)).add_modifier(bold),
            lit: fg(Color::Indexed(227)).add_modifier(bold),
            hues: HUES_OKABE,
            ..Self::dark(signs)
        }
    }

    fn okabe_sixteen(signs: &'static Signs) -> Self {
        let hues = &[Color::LightCyan, Color::Yellow, Color::LightBlue, Color::LightMagenta];
        Self { good: fg(Color::LightCyan), hues, ..Self::dark_sixteen(signs) }
    }

    fn dark_sixteen(signs: &'static Signs) -> Self {
        let bold = Modifier::BOLD;
        Self {
            dim: fg(Color::DarkGray),
            frame: fg(Color::DarkGray),
            frame_focus: fg(Color::LightCyan),
            head: fg(Color::Gray).add_modifier(bold),
            head_focus: fg(Color::LightCyan).add_modifier(bold),
            chosen: on(Color::White, Color::Blue),
            chosen_idle: on(Color::White, Color::DarkGray),
            cell: on(Color::Black, Color::LightCyan).add_modifier(bold),
            lit: fg(Color::LightYellow).add_modifier(bold),
            pending: on(Color::Black, Color::Yellow).add_modifier(bold),
            good: fg(Color::LightGreen),
            warn: fg(Color::Yellow),
            bad: fg(Color::LightRed).add_modifier(bold),
            alarm: on(Color::White, Color::Red).add_modifier(bold),
            key: fg(Color::LightCyan),
            hit: fg(Color::LightYellow).add_modifier(Modifier::UNDERLINED),
            hues: HUES_16_DARK,
            ..Self::dark(signs)
        }
    }

    fn light(signs: &'static Signs, depth: ColorDepth) -> Self {
        let bold = Modifier::BOLD;
        let pick = |full: u8, sixteen: Color| if depth == ColorDepth::Full { Color::Indexed(full) } else { sixteen };
        let (black, white) = (pick(16, Color::Black), pick(231, Color::White));
        Self {
            text: fg(Color::Reset),
            dim: fg(pick(242, Color::DarkGray)),
            frame: fg(pick(248, Color::Gray)),
            frame_focus: fg(pick(25, Color::Blue)),
            head: fg(pick(238, Color::Black)).add_modifier(bold),
            head_focus: fg(pick(25, Color::Blue)).add_modifier(bold),
            chosen: on(black, pick(153, Color::Cyan)),
            chosen_idle: on(black, pick(253, Color::Gray)),
            cell: on(white, pick(25, Color::Blue)).add_modifier(bold),
            lit: fg(pick(55, Color::Blue)).add_modifier(bold),
            pending: on(black, pick(221, Color::Yellow)).add_modifier(bold),
            good: fg(pick(28, Color::Green)),
            warn: fg(pick(130, Color::Magenta)),
            bad: fg(pick(160, Color::Red)).add_modifier(bold),
            alarm: on(white, pick(160, Color::Red)).add_modifier(bold),
            key: fg(pick(25, Color::Blue)),
            hit: fg(pick(55, Color::Blue)).add_modifier(Modifier::UNDERLINED),
            hues: if depth == ColorDepth::Full { HUES_LIGHT } else { HUES_16_LIGHT },
            signs,
        }
    }

    fn contrast(signs: &'static Signs) -> Self {
        let bold = Modifier::BOLD;
        let plain = on(Color::White, Color::Black);
        Self {
            text: plain,
            dim: plain,
            frame: plain,
            frame_focus: on(Color::LightYellow, Color::Black).add_modifier(bold),
            head: plain.add_modifier(bold),
            head_focus: on(Color::LightYellow, Color::Black).add_modifier(bold),
            chosen: on(Color::Black, Color::White).add_modifier(bold),
            chosen_idle: on(Color::White, Color::Blue).add_modifier(bold),
            cell: on(Color::Black, Color::LightYellow).add_modifier(bold),
            lit: on(Color::LightYellow, Color::Black).add_modifier(bold),
            pending: on(Color::Black, Color::LightMagenta).add_modifier(bold),
            good: on(Color::LightGreen, Color::Black).add_modifier(bold),
            warn: on(Color::LightYellow, Color::Black).add_modifier(bold),
            bad: on(Color::LightRed, Color::Black).add_modifier(bold),
            alarm: on(Color::White, Color::Red).add_modifier(bold),
            key: on(Color::LightCyan, Color::Black).add_modifier(bold),
            hit: on(Color::LightYellow, Color::Black).add_modifier(bold.union(Modifier::UNDERLINED)),
            hues: HUES_CONTRAST,
            signs,
        }
    }

    fn mono(signs: &'static Signs) -> Self {
        let plain = Style::new();
        let with = |modifier| plain.add_modifier(modifier);
        Self {
            text: plain,
            dim: with(Modifier::DIM),
            frame: with(Modifier::DIM),
            frame_focus: with(Modifier::BOLD),
            head: with(Modifier::BOLD),
            head_focus: with(Modifier::BOLD.union(Modifier::UNDERLINED)),
            chosen: with(Modifier::REVERSED),
            chosen_idle: with(Modifier::UNDERLINED),
            cell: with(Modifier::REVERSED.union(Modifier::BOLD)),
            lit: with(Modifier::BOLD),
            pending: with(Modifier::REVERSED.union(Modifier::UNDERLINED)),
            good: plain,
            warn: with(Modifier::BOLD),
            bad: with(Modifier::BOLD.union(Modifier::UNDERLINED)),
            alarm: with(Modifier::REVERSED.union(Modifier::BOLD)),
            key: with(Modifier::BOLD),
            hit: with(Modifier::BOLD.union(Modifier::UNDERLINED)),
            hues: &[],
            signs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mono_sets_no_colour() {
        let theme = Theme::new(Palette::Mono, ColorDepth::Full, Charset::Unicode);
        for style in [theme.text, theme.chosen, theme.cell, theme.alarm, theme.hue(3), theme.bad, theme.pending] {
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }

    #[test]
    fn a_chosen_row_sets_both_colours_where_there_are_colours() {
        for palette in [Palette::Dark, Palette::Light, Palette::Okabe, Palette::Contrast] {
            for depth in [ColorDepth::Sixteen, ColorDepth::Full] {
                let theme = Theme::new(palette, depth, Charset::Unicode);
                for style in [theme.chosen, theme.chosen_idle, theme.cell, theme.pending, theme.alarm] {
                    assert!(style.fg.is_some() && style.bg.is_some(), "{palette:?} {depth:?}");
                    assert!(!style.add_modifier.contains(Modifier::REVERSED));
                }
            }
        }
    }
}
