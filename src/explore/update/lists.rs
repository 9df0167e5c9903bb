//! The fuzzy lists: presets and files to open, kernel releases, commands, and the help.

use super::focus;
use crate::explore::derived::release_words::group_rule;
use crate::explore::state::compare::Against;
use crate::explore::state::keymap::Keymap;
use crate::explore::state::model::Model;
use crate::explore::state::overlay::Overlay;
use crate::explore::state::picker::{Choice, Item, Picker, PickerKind};
use crate::explore::text;
use crate::explore::vocabulary::command::{Command, Section};
use crate::explore::vocabulary::effect::{Disk, Effect};
use crate::explore::vocabulary::pane::Screen;
use crate::explore::vocabulary::place::Spot;
use crate::explore::vocabulary::source::Source;
use crate::formats::visible;
use crate::kernel::Release;
use crate::presets;
use crate::topology::generate;
use rustc_hash::FxHashMap;

pub(super) fn open_help(model: &mut Model) {
    model.overlay = Overlay::Picker(Picker::new(PickerKind::Help, help(&model.keys)));
}

pub(super) fn pick_command(model: &mut Model) {
    let items = commands(&model.keys, &model.used, model.spot());
    model.overlay = Overlay::Picker(Picker::new(PickerKind::Palette, items));
}

pub(super) fn pick_release(model: &mut Model) {
    let mut list = Picker::new(PickerKind::Release, releases(&model.releases));
    list.point_at(&model.release.name);
    model.overlay = Overlay::Picker(list);
}

/// Lists the releases to show beside the one chosen, on Balance.
pub(super) fn pick_beside(model: &mut Model) {
    focus::show_screen(model, Screen::Balance);
    let none = Item { label: "none".to_owned(), detail: "this release alone".to_owned(), choice: Choice::Beside(None) };
    let mut items = releases(&model.releases);
    for item in &mut items {
        item.choice = Choice::Beside(Some(item.label.clone()));
    }
    model.overlay = Overlay::Picker(Picker::new(PickerKind::Beside, std::iter::once(none).chain(items).collect()));
}

/// Lists what can be opened: presets at once, files when they have been found.
pub(super) fn pick_source(model: &mut Model) -> Vec<Effect> {
    let list = Picker::new(PickerKind::Open, sources(model)).with_home(model.home.clone());
    model.overlay = Overlay::Picker(list);
    let mut effects = vec![Disk::List.into()];
    effects.extend(preview(model));
    effects
}

/// Lists what to compare with: files when they have been found.
pub(super) fn pick_other(model: &mut Model) -> Vec<Effect> {
    focus::show_screen(model, Screen::Compare);
    let mut list = Picker::new(PickerKind::Other, others(model)).with_home(model.home.clone());
    list.point_at(&model.against().label());
    model.overlay = Overlay::Picker(list);
    vec![Disk::List.into()]
}

fn others(model: &Model) -> Vec<Item> {
    let detail = if model.doc.is_unsaved() { "the machine as it was" } else { "there are none so far" };
    let opened = Against::Opened;
    let opened = Item { label: opened.label(), detail: detail.to_owned(), choice: Choice::Other(opened) };
    let mut releases = releases(&model.releases);
    for item in &mut releases {
        item.choice = Choice::Other(Against::Release(item.label.clone()));
    }
    let mut machines = sources(model);
    for item in &mut machines {
        if let Choice::Open(source) = &item.choice {
            item.choice = Choice::Other(Against::Machine(source.clone()));
        }
    }
    std::iter::once(opened).chain(releases).chain(machines).collect()
}

/// The name of the machine this runs on, and what it is.
const LIVE: &str = "live";
const THIS_MACHINE: &str = "this machine, as /sys shows it";

/// What can be opened: what was before comes first, latest at the top.
fn sources(model: &Model) -> Vec<Item> {
    let about: FxHashMap<&str, &str> = presets().collect();
    let recent = model.opened.iter().map(|source| {
        let (label, detail) = match source {
            Source::Preset(name) => (name.clone(), about.get(name.as_str()).copied().unwrap_or("preset")),
            Source::File(path) => (text::visible_path(path), "file"),
            Source::Generated(text) => (text.clone(), "made"),
            Source::Live => (LIVE.to_owned(), THIS_MACHINE),
        };
        Item {
            label: visible(&label).into_owned(),
            detail: format!("opened before {} {}", model.signs().dot, visible(detail)),
            choice: Choice::Open(source.clone()),
        }
    });
    let presets = presets().map(|(name, about)| Item {
        detail: visible(about).into_owned(),
        choice: Choice::Open(Source::Preset(name.to_owned())),
        label: name.to_owned(),
    });
    let files = model.files.iter().map(|path| Item {
        label: text::visible_path(path),
        detail: "file".to_owned(),
        choice: Choice::Open(Source::File(path.clone())),
    });
    let shapes = generate::Kind::names().map(|(_, example)| Item {
        label: example.to_owned(),
        detail: "make a machine: any size, and after it CPUs a node".to_owned(),
        choice: Choice::Open(Source::Generated(example.to_owned())),
    });
    let live = Item { label: LIVE.to_owned(), detail: THIS_MACHINE.to_owned(), choice: Choice::Open(Source::Live) };
    let is_new = |item: &Item| !matches!(&item.choice, Choice::Open(source) if model.opened.contains(source));
    recent.chain(files.chain(presets).chain(shapes).chain(std::iter::once(live)).filter(is_new)).collect()
}

/// The presets, name and description.
fn presets() -> impl Iterator<Item = (&'static str, &'static str)> {
    presets::all().map(|preset| (preset.name, preset.about()))
}

/// Files have been found: add them, keeping what is typed and chosen.
pub(super) fn fill_sources(model: &mut Model) {
    let Overlay::Picker(list) = &model.overlay else { return };
    let items = match list.kind {
        PickerKind::Open => sources(model),
        PickerKind::Other => others(model),
        PickerKind::Release | PickerKind::Beside | PickerKind::Palette | PickerKind::Help => return,
    };
    let Overlay::Picker(list) = &mut model.overlay else { return };
    let label = list.chosen().map(|item| item.label.clone()).unwrap_or_default();
    list.items = items;
    list.filter();
    list.point_at(&label);
}

/// Asks what the source under the cursor looks like, if that is not known yet.
pub(super) fn preview(model: &Model) -> Option<Effect> {
    let Overlay::Picker(list) = &model.overlay else { return None };
    let source = list.source()?;
    let known = list.preview.as_ref().is_some_and(|(other, _)| other == source);
    (!known).then(|| Disk::Preview(source.clone()).into())
}

/// The releases, newest first.
pub(super) fn releases(all: &[Release]) -> Vec<Item> {
    let item = |release: &Release| Item {
        label: release.name.clone(),
        detail: group_rule(release.rules.overlap_groups).to_owned(),
        choice: Choice::Release(release.name.clone()),
    };
    all.iter().rev().map(item).collect()
}

/// The commands with their keys: those in `used` first, those whose keys hold nowhere near last.
fn commands(keymap: &Keymap, used: &[Command], spot: Spot) -> Vec<Item> {
    let mut items: Vec<(usize, Item)> = Vec::new();
    for (row, keys) in keymap.iter() {
        let rank = match used.iter().position(|&other| other == row.command) {
            Some(at) => at,
            None if row.place.holds(spot) => used.len(),
            None => used.len() + 1,
        };
        let choice = Choice::Run(row.command);
        match items.iter_mut().find(|(_, item)| item.choice == choice) {
            Some((best, _)) => *best = rank.min(*best),
            None => items.push((rank, Item { label: row.about.to_owned(), detail: Keymap::written(keys), choice })),
        }
    }
    // Stable: what was never used keeps the order of the help.
    items.sort_by_key(|&(rank, _)| rank);
    items.into_iter().map(|(_, item)| item).collect()
}

/// The table of commands as a list: a heading for each section, then its keys.
fn help(keymap: &Keymap) -> Vec<Item> {
    let is_digit = |command| matches!(command, Command::Digit(_));
    let digits = keymap.iter().filter(|(row, _)| is_digit(row.command));
    let plain = digits.map(|(_, keys)| Keymap::written(keys)).collect::<String>() == "0123456789";
    let mut items = Vec::new();
    for section in Section::ALL {
        items.push(Item { label: section.name().to_owned(), detail: String::new(), choice: Choice::Heading });
        for (row, keys) in keymap.iter().filter(|(row, _)| row.section == section) {
            // One line stands for all ten digits.
            let keys = match row.command {
                Command::Digit(0) if plain => "0 to 9".to_owned(),
                Command::Digit(_) if plain => continue,
                _ if keys.is_empty() => "-".to_owned(),
                _ => Keymap::written(keys),
            };
            items.push(Item { label: keys, detail: row.about.to_owned(), choice: Choice::Run(row.command) });
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use tui_input::Input;

    #[test]
    fn help_names_every_key() {
        let keymap = Keymap::standard();
        let help = help(&keymap);
        for (row, keys) in keymap.iter().filter(|(row, _)| !matches!(row.command, Command::Digit(_))) {
            assert!(help.iter().any(|item| item.label == Keymap::written(keys)), "{:?}", row.command);
        }
    }

    #[test]
    fn typing_narrows_and_the_name_counts_most() {
        let mut picker = Picker::new(PickerKind::Release, releases(&Release::all()));
        let everything = picker.hits.len();
        picker.input = Input::new("6.12".into());
        picker.filter();
        assert!(picker.hits.len() < everything);
        assert_eq!(picker.chosen().map(|item| item.label.as_str()), Some("v6.12"));
    }
}
