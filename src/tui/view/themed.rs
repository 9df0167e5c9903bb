//! The state with the theme it is drawn in.

use crate::explore::state::model::Model;
use crate::tui::theme::Theme;
use std::ops::Deref;

/// What the view reads: the state, and the theme its options make.
pub(super) struct Themed<'a> {
    /// The state.
    model: &'a Model,
    /// Colours and signs.
    pub(super) theme: Theme,
}

impl<'a> Themed<'a> {
    /// The state in its theme.
    pub(super) fn new(model: &'a Model) -> Self {
        let options = model.options;
        Self { model, theme: Theme::new(options.palette, options.depth, options.charset) }
    }
}

impl Deref for Themed<'_> {
    type Target = Model;

    fn deref(&self) -> &Model {
        self.model
    }
}
