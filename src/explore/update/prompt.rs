//! A line being typed.

use crate::explore::state::model::Model;
use crate::explore::state::overlay::{Overlay, Prompt, PromptKind};
use tui_input::Input;

/// Opens a line to type in.
pub(super) fn ask(model: &mut Model, kind: PromptKind, text: String) {
    model.overlay = Overlay::Prompt(Prompt { kind, input: Input::new(text), before: model.selection });
}
