//! What lies over the panes: lists, the line at the bottom.

use super::action::{Action, Command, Effect, Over, Step, Target, Way};
use super::model::{Model, Overlay, Prompt, PromptKind, Tone, Waiting};
use super::outside;
use super::picker::{self, Choice, Item, Kind, Picker, Source};
use super::screens::compare::Against;
use crate::formats::visible;
use crate::topology::generate;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::Arc;
use tui_input::InputRequest;

impl Model {
    pub(super) fn open_help(&mut self) {
        self.overlay = Overlay::Picker(Picker::new(Kind::Help, picker::help(&self.keys)));
    }

    pub(super) fn pick_command(&mut self) {
        self.overlay = Overlay::Picker(Picker::new(Kind::Palette, picker::commands(&self.keys, &self.used)));
    }

    pub(super) fn pick_release(&mut self) {
        let mut list = Picker::new(Kind::Release, picker::releases(&self.releases));
        list.point_at(&self.release.name);
        self.overlay = Overlay::Picker(list);
    }

    /// Lists what can be opened: presets at once, files when they have been found.
    pub(super) fn pick_source(&mut self) -> Vec<Effect> {
        self.overlay = Overlay::Picker(Picker::new(Kind::Open, self.sources()));
        let mut effects = vec![Effect::List];
        effects.extend(self.peek());
        effects
    }

    /// Lists what to compare with: files when they have been found.
    pub(super) fn pick_other(&mut self) -> Vec<Effect> {
        let mut list = Picker::new(Kind::Other, self.others());
        list.point_at(&self.against().label());
        self.overlay = Overlay::Picker(list);
        vec![Effect::List]
    }

    fn others(&self) -> Vec<Item> {
        let detail = if self.doc.is_unsaved() { "the machine as it was" } else { "there are none so far" };
        let opened = Against::Opened;
        let opened = Item { label: opened.label(), detail: detail.to_owned(), choice: Choice::Other(opened) };
        let mut releases = picker::releases(&self.releases);
        for item in &mut releases {
            item.choice = Choice::Other(Against::Release(item.label.clone()));
        }
        let mut machines = self.sources();
        for item in &mut machines {
            if let Choice::Open(source) = &item.choice {
                item.choice = Choice::Other(Against::Machine(source.clone()));
            }
        }
        std::iter::once(opened).chain(releases).chain(machines).collect()
    }

    /// What can be opened: what was before comes first, latest at the top.
    fn sources(&self) -> Vec<Item> {
        let about: FxHashMap<&str, &str> = outside::presets().collect();
        let recent = self.opened.iter().map(|source| {
            let (label, detail) = match source {
                Source::Preset(name) => (name.clone(), about.get(name.as_str()).copied().unwrap_or("preset")),
                Source::File(path) => (outside::visible_path(path), "file"),
                Source::Made(text) => (text.clone(), "made"),
            };
            Item {
                label: visible(&label).into_owned(),
                detail: format!("opened before {} {}", self.theme.signs.dot, visible(detail)),
                choice: Choice::Open(source.clone()),
            }
        });
        let presets = outside::presets().map(|(name, about)| Item {
            detail: visible(about).into_owned(),
            choice: Choice::Open(Source::Preset(name.to_owned())),
            label: name.to_owned(),
        });
        let files = self.files.iter().map(|path| Item {
            label: outside::visible_path(path),
            detail: "file".to_owned(),
            choice: Choice::Open(Source::File(path.clone())),
        });
        let shapes = generate::Kind::names().map(|(_, example)| Item {
            label: example.to_owned(),
            detail: "make a machine: any size, and after it CPUs a node".to_owned(),
            choice: Choice::Open(Source::Made(example.to_owned())),
        });
        let is_new = |item: &Item| !matches!(&item.choice, Choice::Open(source) if self.opened.contains(source));
        recent.chain(files.chain(presets).chain(shapes).filter(is_new)).collect()
    }

    /// Files have been found: add them, keeping what is typed and chosen.
    pub(super) fn fill_sources(&mut self) {
        let Overlay::Picker(list) = &self.overlay else { return };
        let items = match list.kind {
            Kind::Open => self.sources(),
            Kind::Other => self.others(),
            Kind::Release | Kind::Palette | Kind::Help => return,
        };
        let Overlay::Picker(list) = &mut self.overlay else { return };
        let label = list.chosen().map(|item| item.label.clone()).unwrap_or_default();
        list.items = items;
        list.filter();
        list.point_at(&label);
    }

    /// A look at what is under the cursor, if that is not known yet.
    fn peek(&self) -> Option<Effect> {
        let Overlay::Picker(list) = &self.overlay else { return None };
        let source = list.source()?;
        let known = list.preview.as_ref().is_some_and(|(other, _)| other == source);
        (!known).then(|| Effect::Peek(source.clone()))
    }

    pub(super) fn in_picker(&mut self, action: Action) -> Vec<Effect> {
        let page = self.page;
        let Overlay::Picker(list) = &mut self.overlay else { return Vec::new() };
        match action {
            Action::Do(Command::Enter) => return self.choose(),
            Action::Do(Command::Escape | Command::Quit) => self.overlay = Overlay::None,
            Action::Do(Command::Move(way, step)) => step_list(list, way, step, page),
            Action::Type(c) => edit(list, &[InputRequest::InsertChar(c)]),
            Action::Line(request) => edit(list, &[request]),
            Action::Paste(text) => edit(list, &inserts(&text)),
            _ => {}
        }
        self.peek().into_iter().collect()
    }

    /// Does what the chosen item stands for.
    fn choose(&mut self) -> Vec<Effect> {
        let Overlay::Picker(list) = &self.overlay else { return Vec::new() };
        let Some(choice) = list.chosen().map(|item| item.choice.clone()) else { return Vec::new() };
        self.overlay = Overlay::None;
        match choice {
            Choice::Open(source) => self.leave_for(Waiting::Open(source)),
            Choice::Release(name) => {
                let Some(release) = self.releases.iter().find(|release| release.name == name) else {
                    return Vec::new();
                };
                self.release = release.clone();
                self.rebuild()
            }
            Choice::Other(name) => {
                self.screens.compare.other = Some(name);
                Vec::new()
            }
            Choice::Run(command) => {
                self.used.retain(|&other| other != command);
                self.used.insert(0, command);
                super::update::update(self, Action::Do(command))
            }
            Choice::Known | Choice::Nothing => Vec::new(),
        }
    }

    pub(super) fn in_prompt(&mut self, action: Action) -> Vec<Effect> {
        let Overlay::Prompt(prompt) = &mut self.overlay else { return Vec::new() };
        match action {
            Action::Do(Command::Enter) => return self.accept_prompt(),
            Action::Do(Command::Escape | Command::Quit) => return self.cancel_prompt(),
            Action::Do(Command::Move(way, _)) if prompt.kind == PromptKind::Search => {
                self.search_step(way == Way::Down);
                return Vec::new();
            }
            Action::Type(c) => {
                prompt.input.handle(InputRequest::InsertChar(c));
            }
            Action::Line(request) => {
                prompt.input.handle(request);
            }
            Action::Paste(text) => inserts(&text).into_iter().for_each(|request| {
                prompt.input.handle(request);
            }),
            _ => return Vec::new(),
        }
        let Prompt { kind, input, before } = prompt.clone();
        if kind == PromptKind::Search {
            // Each keystroke looks again from where the search began.
            self.selection = before;
            self.clamp();
            let from = self.found_row();
            self.search_from(input.value(), from);
        }
        Vec::new()
    }

    fn accept_prompt(&mut self) -> Vec<Effect> {
        let Overlay::Prompt(prompt) = std::mem::take(&mut self.overlay) else { return Vec::new() };
        let text = prompt.input.value().trim();
        match prompt.kind {
            PromptKind::Search => {
                let text = match self.search.rows.len() {
                    0 if text.is_empty() => return Vec::new(),
                    found if self.hunted().is_some() => {
                        let next = self.keys.key_of(Command::NextMatch);
                        self.say(Tone::Done, format!("{found} matches so far, the search goes on: {next} next"));
                        return Vec::new();
                    }
                    0 => format!("no match for {}", visible(text)),
                    1 => "one match".to_owned(),
                    many => {
                        let [next, before, end] = [Command::NextMatch, Command::PreviousMatch, Command::Escape]
                            .map(|command| self.keys.key_of(command));
                        format!("{many} matches: {next} next, {before} before, {end} ends the search")
                    }
                };
                self.say(if self.search.rows.is_empty() { Tone::Trouble } else { Tone::Done }, text);
                Vec::new()
            }
            PromptKind::Filter => {
                self.filter_cpus(text);
                Vec::new()
            }
            PromptKind::Fill | PromptKind::Scale | PromptKind::Renumber | PromptKind::NodeCpus => {
                self.edit_with(prompt.kind, text)
            }
            PromptKind::Export if text.is_empty() => {
                self.say(Tone::Trouble, "not written: no name given");
                Vec::new()
            }
            PromptKind::Export => {
                let path = PathBuf::from(text);
                vec![Effect::Export(self.export_text(&path).into(), path, Over::Ask)]
            }
            PromptKind::SaveAs if text.is_empty() => {
                self.after_save = None;
                self.say(Tone::Trouble, "not saved: no name given");
                Vec::new()
            }
            PromptKind::SaveAs => {
                let path = PathBuf::from(text);
                let over = if self.doc.path.as_ref() == Some(&path) { Over::Own } else { Over::Ask };
                vec![Effect::Save(Arc::clone(self.doc.topology()), path, over)]
            }
        }
    }

    fn cancel_prompt(&mut self) -> Vec<Effect> {
        let Overlay::Prompt(prompt) = std::mem::take(&mut self.overlay) else { return Vec::new() };
        match prompt.kind {
            PromptKind::Search => {
                self.selection = prompt.before;
                self.clamp();
                self.search = super::model::Search::default();
            }
            PromptKind::SaveAs => self.after_save = None,
            PromptKind::Filter
            | PromptKind::Fill
            | PromptKind::Scale
            | PromptKind::Renumber
            | PromptKind::NodeCpus
            | PromptKind::Export => {}
        }
        Vec::new()
    }

    /// A click: on top of everything only the list takes one.
    pub(super) fn click(&mut self, target: Target) -> Vec<Effect> {
        self.notice = None;
        match (&mut self.overlay, target) {
            (Overlay::Picker(list), Target::Item(row)) => {
                // A second click on the same item chooses it.
                if list.cursor == row {
                    return self.choose();
                }
                list.cursor = row.min(list.hits.len().saturating_sub(1));
                return self.peek().into_iter().collect();
            }
            (Overlay::Picker(_), _) => {
                self.overlay = Overlay::None;
                return Vec::new();
            }
            (Overlay::Question(_), Target::Answer(answer)) => return self.answer(answer),
            (Overlay::Prompt(_) | Overlay::Question(_) | Overlay::Repair(_), _) => return Vec::new(),
            (Overlay::None | Overlay::Copy, _) => self.overlay = Overlay::None,
        }
        match target {
            Target::Run(command) => return super::update::update(self, Action::Do(command)),
            Target::Border(border) => {
                self.pulled = Some(border);
                return Vec::new();
            }
            _ => {}
        }
        let effects = self.end_entry();
        if self.click_screen(target) {
            return effects;
        }
        self.put(target);
        let Some(pane) = target.pane() else { return effects };
        if pane != self.focus {
            self.focus_on(pane);
        }
        effects
    }

    /// The wheel moves the selection of what is under it.
    pub(super) fn wheel(&mut self, target: Target, rows: i32) -> Vec<Effect> {
        if let Overlay::Picker(list) = &mut self.overlay {
            list.step(rows as isize);
            return self.peek().into_iter().collect();
        }
        if !matches!(self.overlay, Overlay::None) {
            return Vec::new();
        }
        let effects = self.end_entry();
        if self.wheel_screen(target, rows) {
            return effects;
        }
        let Some(pane) = target.pane() else { return effects };
        let way = if rows < 0 { Way::Up } else { Way::Down };
        for _ in 0..rows.unsigned_abs() {
            self.go(pane, way, Step::One);
        }
        effects
    }
}

fn step_list(list: &mut Picker, way: Way, step: Step, page: usize) {
    let by = match step {
        Step::One => 1,
        Step::Page => page as isize,
        Step::End => isize::MAX / 2,
    };
    match way {
        Way::Up => list.step(-by),
        Way::Down => list.step(by),
        Way::Left | Way::Right => {}
    }
}

fn edit(list: &mut Picker, requests: &[InputRequest]) {
    let before = list.input.value().to_owned();
    for &request in requests {
        list.input.handle(request);
    }
    if list.input.value() != before {
        list.filter();
    }
}

/// A paste into a line: one line of it, without control characters, and not without end.
fn inserts(text: &str) -> Vec<InputRequest> {
    const MOST: usize = 300;
    let line = text.trim_start().lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(MOST).map(InputRequest::InsertChar).collect()
}
