//! Text of others made fit for a screen.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with everything that could drive or confuse a terminal written out: control characters as `^[`, and C1
/// controls, direction overrides and invisible characters as `<U+202E>`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\0'..='\x1f' | '\x7f' => shown.extend(['^', char::from(c as u8 ^ 0x40)]),
            c if is_hidden(c) => {
                // Writing into a String can't fail.
                let _ = write!(shown, "<U+{:04X}>", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Whether a terminal would act on `c`, or show nothing or something else for it.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_drives_a_terminal_is_written_out() {
        assert_eq!(visible("plain · text ä 漢"), "plain · text ä 漢");
        assert_eq!(visible("\x1b[2Jx\x7f\t\n"), "^[[2Jx^?^I^J");
        assert_eq!(visible("a\u{9b}31m"), "a<U+009B>31m");
        assert_eq!(visible("a\u{202e}b\u{200b}c\u{feff}"), "a<U+202E>b<U+200B>c<U+FEFF>");
    }

    proptest! {
        #[test]
        fn nothing_hidden_remains(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_hidden));
            prop_assert_eq!(visible(&shown), shown.clone());
        }
    }
}
