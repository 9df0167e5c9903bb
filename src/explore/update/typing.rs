//! Lists and lines being typed: what their keys do.

use super::{balance, builds, bulk_edit, files, listing, lists, search, selection};
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::{Overlay, Prompt, PromptKind, Waiting};
use crate::explore::state::picker::{Choice, Picker};
use crate::explore::state::selection::Search;
use crate::explore::vocabulary::action::InputRequest;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::effect::Effect;
use crate::formats::visible;

/// Takes what is chosen or typed.
pub(super) fn accept(model: &mut Model) -> Vec<Effect> {
    match model.overlay {
        Overlay::Picker(_) => choose(model),
        Overlay::Prompt(_) => accept_prompt(model),
        _ => Vec::new(),
    }
}

/// Leaves things as they were.
pub(super) fn cancel(model: &mut Model) {
    let Overlay::Prompt(prompt) = std::mem::take(&mut model.overlay) else { return };
    match prompt.kind {
        PromptKind::Search => {
            model.selection = prompt.before;
            selection::clamp(model);
            model.search = Search::default();
        }
        PromptKind::SaveAs => model.after_save = None,
        PromptKind::Filter
        | PromptKind::Fill
        | PromptKind::Scale
        | PromptKind::Renumber
        | PromptKind::NodeCpus
        | PromptKind::Export
        | PromptKind::Tasks
        | PromptKind::Pin => {}
    }
}

/// Moves the cursor of a list by half of what is on screen.
pub(super) fn page(model: &mut Model, by: isize) -> Vec<Effect> {
    step(model, by * model.page as isize)
}

/// Moves the cursor of a list by items; of a search, to the next match or the one before.
pub(super) fn step(model: &mut Model, by: isize) -> Vec<Effect> {
    match &mut model.overlay {
        Overlay::Picker(list) => list.step(by),
        Overlay::Prompt(Prompt { kind: PromptKind::Search, .. }) => {
            search::search_step(model, by > 0);
        }
        _ => {}
    }
    lists::preview(model).into_iter().collect()
}

/// Editing keys for the line of a list or of a prompt.
pub(super) fn edit(model: &mut Model, requests: &[InputRequest]) -> Vec<Effect> {
    match &mut model.overlay {
        Overlay::Picker(list) => {
            edit_list(list, requests);
            lists::preview(model).into_iter().collect()
        }
        Overlay::Prompt(prompt) => {
            for &request in requests {
                prompt.input.handle(request);
            }
            let Prompt { kind, input, before } = prompt.clone();
            if kind == PromptKind::Search {
                // Each keystroke looks again from where the search began.
                model.selection = before;
                selection::clamp(model);
                let from = search::found_row(model);
                search::search_from(model, input.value(), from);
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn edit_list(list: &mut Picker, requests: &[InputRequest]) {
    let before = list.input.value().to_owned();
    for &request in requests {
        list.input.handle(request);
    }
    if list.input.value() != before {
        list.filter();
    }
}

/// A paste into a line: one line of it, without control characters, and not without end.
pub(super) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    const MOST: usize = 300;
    let line = text.trim_start().lines().next().unwrap_or_default();
    let typed = line.chars().filter(|c| !c.is_control()).take(MOST);
    let requests: Vec<InputRequest> = typed.map(InputRequest::InsertChar).collect();
    edit(model, &requests)
}

/// Does what the chosen item stands for.
pub(super) fn choose(model: &mut Model) -> Vec<Effect> {
    let Overlay::Picker(list) = &model.overlay else { return Vec::new() };
    let Some(choice) = list.chosen().map(|item| item.choice.clone()) else { return Vec::new() };
    model.overlay = Overlay::None;
    match choice {
        Choice::Open(source) => return files::leave_for(model, Waiting::Open(source)),
        Choice::Release(name) => {
            if let Some(release) = model.releases.iter().find(|release| release.name == name) {
                model.release = release.clone();
                return builds::rebuild(model);
            }
        }
        Choice::Beside(name) => {
            let release = model.releases.iter().find(|release| Some(&release.name) == name.as_ref());
            model.screens.balance.beside = release.cloned();
        }
        Choice::Other(other) => model.screens.compare.other = Some(other),
        Choice::Run(command) => {
            model.used.retain(|&other| other != command);
            model.used.insert(0, command);
            model.chosen_command = Some(command);
        }
        Choice::Heading => {}
    }
    Vec::new()
}

fn accept_prompt(model: &mut Model) -> Vec<Effect> {
    let Overlay::Prompt(prompt) = std::mem::take(&mut model.overlay) else { return Vec::new() };
    let text = prompt.input.value().trim();
    match prompt.kind {
        PromptKind::Search => report_found(model, text),
        PromptKind::Filter => listing::filter_cpus(model, text),
        PromptKind::Tasks => balance::set_tasks(model, text),
        PromptKind::Pin => balance::pin(model, text),
        PromptKind::Fill | PromptKind::Scale | PromptKind::Renumber | PromptKind::NodeCpus => {
            return bulk_edit::edit_with(model, prompt.kind, text);
        }
        PromptKind::Export => return files::export_to(model, text),
        PromptKind::SaveAs => return files::save_to(model, text),
    }
    Vec::new()
}

/// Says what a search found.
fn report_found(model: &mut Model, text: &str) {
    let key = |command| model.keys.key_of(command);
    let found = match model.search.rows.len() {
        0 if text.is_empty() => return,
        found if model.log_searched().is_some() => {
            let text = format!("{found} matches so far, the search goes on: {} next", key(Command::NextMatch));
            return model.report(Tone::Done, text);
        }
        0 => format!("no match for {}", visible(text)),
        1 => "one match".to_owned(),
        many => {
            let [next, before, end] = [Command::NextMatch, Command::PreviousMatch, Command::BackOut].map(key);
            format!("{many} matches: {next} next, {before} before, {end} ends the search")
        }
    };
    model.report(if model.search.rows.is_empty() { Tone::Trouble } else { Tone::Done }, found);
}
