//! The steps by which an answer was come by, said only to those who ask.

/// A listener for the steps of an answer.
#[derive(Debug, Default)]
pub struct Steps(Option<Vec<String>>);

impl Steps {
    /// Steps nobody reads: none is put into words.
    pub fn unheard() -> Self {
        Self(None)
    }

    /// Steps that are kept.
    pub fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    /// Adds a step.
    pub(super) fn say(&mut self, words: impl FnOnce() -> String) {
        if let Some(steps) = &mut self.0 {
            steps.push(words());
        }
    }

    /// The steps, in order.
    pub fn into_lines(self) -> Vec<String> {
        self.0.unwrap_or_default()
    }
}
