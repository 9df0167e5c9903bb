//! Where the selection was before it jumped, and the way there and back.

use super::selection::Selection;
use crate::explore::vocabulary::pane::Pane;

/// Jumps remembered; older ones are forgotten.
const MOST: usize = 200;

/// A selection, and the pane it was made in.
pub type JumpPlace = (Selection, Pane);

/// The places on the way back, and those on the way forward again; nearest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Jumps {
    /// Where the selection was before its jumps.
    pub back: Vec<JumpPlace>,
    /// Where it was before going back.
    pub forward: Vec<JumpPlace>,
}

impl Jumps {
    /// Remembers a place the selection jumped away from.
    pub fn leave(&mut self, place: JumpPlace) {
        self.forward.clear();
        if self.back.last() != Some(&place) {
            self.back.push(place);
        }
        if self.back.len() > MOST {
            self.back.remove(0);
        }
    }
}
