//! What each action does to the state. Pure: the same actions give the same state, and what has to happen outside
//! comes back as effects.

use super::action::{Action, Command, Effect, Pane, Target, Way};
use super::editing::Like;
use super::files;
use super::jumps::{self, Direction};
use super::model::{Model, Overlay, Prompt, PromptKind, Question, Search, Tone, Waiting, Zoom};
use super::picker::Source;
use super::theme::Theme;
use crate::formats::visible;
use tui_input::Input;

/// Lets `action` happen.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let mut effects = apply(model, action);
    effects.extend(model.settle_screens());
    effects
}

fn apply(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Do(_) | Action::Type(_) | Action::Line(_) | Action::Paste(_) | Action::Answer(_) => {
            model.notice = None;
            let jumps = jumps::is_jump(model, &action);
            model.jumping(jumps, |model| by_key(model, action))
        }
        Action::Click(target) => model.jumping(true, |model| model.click(target)),
        Action::Wheel(target, rows) => model.wheel(target, rows),
        Action::Drawn(drawn) => {
            model.page = usize::from(drawn.page / 2).max(1);
            model.drawn = drawn;
            if let Some(seen) = drawn.lesson {
                model.screens.lesson.seen(seen);
            }
            Vec::new()
        }
        Action::Pull(border, at) => {
            model.pull(border, at);
            Vec::new()
        }
        Action::LetGo => model.let_go(),
        other => by_outside(model, other),
    }
}

/// What comes from a person's keys goes to whatever lies on top.
fn by_key(model: &mut Model, action: Action) -> Vec<Effect> {
    match (&model.overlay, action) {
        (Overlay::None, Action::Do(command)) => model.run(command),
        (Overlay::None, Action::Paste(text)) => {
            let mut effects = model.end_entry();
            effects.extend(model.paste_table(&text));
            effects
        }
        (Overlay::Picker(_), action) => model.in_picker(action),
        (Overlay::Prompt(_), action) => model.in_prompt(action),
        (Overlay::Question(_), Action::Answer(answer)) => model.answer(answer),
        (Overlay::Copy, action) => {
            model.overlay = Overlay::None;
            match action {
                Action::Do(command @ Command::Copy(_)) => model.run(command),
                _ => Vec::new(),
            }
        }
        (Overlay::Repair(_), Action::Do(command)) => model.in_repair(command),
        (Overlay::None | Overlay::Question(_) | Overlay::Repair(_), _) => Vec::new(),
    }
}

/// What comes back from outside.
fn by_outside(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        // An older result than the one asked for last is still newer than the one shown: while keys are held the view
        // follows, and `is_rebuilding` says that it is behind. What is older than the view is dropped.
        Action::Built(built) if built.generation > model.built.generation => {
            model.show(built);
            return model.examine();
        }
        Action::BuildFailed(generation, why) if generation == model.wanted => {
            model.say(Tone::Trouble, format!("this build failed, the last good one stays: {why}"));
        }
        Action::Examined(generation) if generation == model.built.generation => model.refresh_search(),
        Action::Saved(path) => {
            model.say(Tone::Done, format!("saved {}", super::outside::visible_path(&path)));
            model.source = Some(Source::File(path.clone()));
            model.was_opened(Source::File(path.clone()));
            model.doc.mark_saved(path);
            if let Some(waiting) = model.after_save.take() {
                return files::proceed(waiting);
            }
        }
        Action::Tick => model.tick(),
        Action::Exported(path) => model.say(Tone::Done, format!("wrote {}", super::outside::visible_path(&path))),
        Action::InTheWay(path, text) => model.overlay = Overlay::Question(Question::Overwrite(path, text)),
        Action::Repaired(progress, found) => model.repair_found(&progress, found),
        Action::Compared(order, compared) => model.screens.compare.arrived(&order, compared),
        Action::Exists(path) => model.overlay = Overlay::Question(Question::Replace(path)),
        Action::Loaded(topology, path, source) => return model.open_loaded(topology, path, source),
        Action::Listed(files) => model.listed(files),
        Action::Peeked(source, peek) => {
            if let Overlay::Picker(picker) = &mut model.overlay {
                picker.preview = Some((source, peek));
            }
        }
        Action::Recoverable(path, topology) if matches!(model.overlay, Overlay::None) => {
            model.overlay = Overlay::Question(Question::Recover(path, topology));
        }
        Action::Changed(path) => return model.file_changed(path),
        Action::Reloaded(topology) => return model.reloaded(&topology),
        Action::Unkept(why) => model.say(Tone::Trouble, why),
        Action::Failed(why) => {
            model.after_save = None;
            model.say(Tone::Trouble, why);
        }
        _ => {}
    }
    Vec::new()
}

impl Model {
    /// Runs a command on the panes.
    fn run(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Digit(digit) => return self.digit(digit),
            Command::Erase => return self.erase(),
            Command::Escape if self.entry.is_some() => return self.cancel_entry(),
            Command::Enter if self.entry.is_some() => return self.end_entry(),
            _ => {}
        }
        let mut effects = self.end_entry();
        if !matches!(command, Command::Nudge(_)) {
            self.doc.seal();
        }
        effects.extend(self.run_settled(command));
        effects
    }

    /// Runs a command while no number is being typed.
    fn run_settled(&mut self, command: Command) -> Vec<Effect> {
        if let Some(effects) = self.run_on_screen(command) {
            return effects;
        }
        match command {
            Command::Move(way, step) => self.go(self.focus, way, step),
            Command::Enter => self.go_on(),
            Command::Escape => self.back_out(),
            Command::Focus(pane) => self.focus_on(pane),
            Command::NextPane => self.focus_step(1),
            Command::PreviousPane => self.focus_step(Pane::ALL.len() - 1),
            Command::Zoom => self.toggle_zoom(),
            Command::LevelUp => self.level_step(Way::Right),
            Command::LevelDown => self.level_step(Way::Left),
            Command::NextCpu => self.put(Target::Cpu(self.selection.cpu + 1, None)),
            Command::PreviousCpu => self.put(Target::Cpu(self.selection.cpu.saturating_sub(1), None)),
            Command::ToggleSymmetric => self.toggle_symmetry(),
            Command::ToggleNodeCpus => self.toggle_node_cpus(),
            Command::Fill | Command::Scale | Command::RenumberNode | Command::NodeCpus => self.ask_for_edit(command),
            Command::Export => self.ask(PromptKind::Export, self.export_name()),
            Command::ToggleFold => self.toggle_fold(),
            Command::ToggleOrder => self.toggle_order(),
            Command::Filter => {
                let now = self.listing.only.as_ref().map(ToString::to_string);
                self.ask(PromptKind::Filter, now.unwrap_or_default());
            }
            Command::CopyMenu => self.overlay = Overlay::Copy,
            Command::JumpBack => self.jump(Direction::Back),
            Command::JumpForward => self.jump(Direction::Forward),
            Command::ToggleGone => self.toggle_gone(),
            Command::Search => self.ask(PromptKind::Search, String::new()),
            Command::NextMatch => self.say_match(true),
            Command::PreviousMatch => self.say_match(false),
            Command::NextTheme => self.next_theme(),
            Command::Palette => self.pick_command(),
            Command::Help => self.open_help(),
            Command::PickRelease => self.pick_release(),
            _ => return self.run_outside(command),
        }
        Vec::new()
    }

    /// Runs a command that may need something from outside.
    fn run_outside(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Nudge(by) => self.nudge(by),
            Command::ClearCell => self.clear_cell(),
            Command::Grow(way) => self.grow(way),
            Command::ResetLayout => self.reset_layout(),
            Command::AddNode => self.add_node(Like::Last),
            Command::CopyNode => self.add_node(Like::Chosen),
            Command::RemoveNode => self.remove_node(),
            Command::SwapNodes => self.swap_nodes(),
            Command::Repair => self.seek_repair(),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::NextRelease => self.release_step(1),
            Command::PreviousRelease => self.release_step(-1),
            Command::Open => self.pick_source(),
            Command::Save => self.save(),
            Command::SaveAs => {
                let name = self.doc.path.as_ref().map(|path| path.display().to_string());
                self.ask(PromptKind::SaveAs, name.unwrap_or_else(|| self.suggested_name()));
                Vec::new()
            }
            Command::ToggleMouse => {
                self.options.mouse = !self.options.mouse;
                let text = if self.options.mouse { "the mouse selects" } else { "the mouse is the terminal's" };
                self.say(Tone::Done, text);
                vec![Effect::Mouse(self.options.mouse)]
            }
            Command::Copy(what) => self.copy(what),
            Command::Redraw => vec![Effect::Redraw],
            Command::Suspend => vec![Effect::Suspend],
            Command::Quit => self.leave_for(Waiting::Quit),
            _ => Vec::new(),
        }
    }

    pub(super) fn back_out(&mut self) {
        if self.search.query.is_empty() {
            self.zoom = Zoom::Split;
        }
        self.search = Search::default();
    }

    fn next_theme(&mut self) {
        let palette = self.options.palette.next();
        self.options.palette = palette;
        self.theme = Theme::new(palette, self.options.depth, self.options.charset);
        self.say(Tone::Done, format!("theme: {}", palette.name()));
    }

    fn say_match(&mut self, forwards: bool) {
        match self.search_step(forwards) {
            Some(at) => self.say(Tone::Done, format!("match {} of {}", at + 1, self.search.rows.len())),
            None if self.search.query.is_empty() => {
                let key = self.keys.key_of(Command::Search);
                self.say(Tone::Trouble, format!("nothing searched yet: {key} searches"));
            }
            None if self.hunted().is_some() => self.say(Tone::Done, "nothing found yet: the search goes on"),
            None => self.say(Tone::Trouble, format!("no match for {} here", visible(&self.search.query))),
        }
    }

    /// The release `by` further on.
    fn release_step(&mut self, by: isize) -> Vec<Effect> {
        let Some(at) = self.releases.iter().position(|release| release.name == self.release.name) else {
            return Vec::new();
        };
        match at.checked_add_signed(by).and_then(|next| self.releases.get(next)) {
            Some(release) => {
                self.release = release.clone();
                self.rebuild()
            }
            None => {
                let text = if by < 0 { "there is no older release" } else { "there is no newer release" };
                self.say(Tone::Trouble, text);
                Vec::new()
            }
        }
    }

    /// Opens a line to type in.
    pub(super) fn ask(&mut self, kind: PromptKind, text: String) {
        self.overlay = Overlay::Prompt(Prompt { kind, input: Input::new(text), before: self.selection });
    }
}
