//! Asking for builds and their findings.

use crate::explore::derived::build_view::BuildRequest;
use crate::explore::state::model::{Model, Tone};
use crate::explore::vocabulary::effect::{Effect, Job};
use std::sync::Arc;

/// Asks for the findings of what is shown, if they are not there yet.
pub fn examine(model: &Model) -> Vec<Effect> {
    if model.built.findings().is_some() { Vec::new() } else { vec![Job::Examine(Arc::clone(&model.built)).into()] }
}

/// Asks for a build of what there is now.
pub(super) fn rebuild(model: &mut Model) -> Vec<Effect> {
    model.wanted += 1;
    let (topology, release) = (Arc::clone(model.doc.topology()), model.release.clone());
    vec![Job::Build(BuildRequest { generation: model.wanted, topology, release }).into()]
}

/// The release `by` further on.
pub(super) fn release_step(model: &mut Model, by: isize) -> Vec<Effect> {
    let Some(at) = model.releases.iter().position(|release| release.name == model.release.name) else {
        return Vec::new();
    };
    match at.checked_add_signed(by).and_then(|next| model.releases.get(next)) {
        Some(release) => {
            model.release = release.clone();
            rebuild(model)
        }
        None => {
            let text = if by < 0 { "there is no older release" } else { "there is no newer release" };
            model.report(Tone::Trouble, text);
            Vec::new()
        }
    }
}
