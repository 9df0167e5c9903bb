//! Runs commands: an exhaustive match made of the table of commands.

use super::editing::Like;
use super::jumps::JumpDirection;
use super::{
    balance, builds, bulk_edit, compare, construct, copy, editing, files, focus, jumps, layout, lesson, listing, lists,
    navigate, prompt, repair, screens, search, selection, typing,
};
use crate::explore::derived::trace_view::Subject;
use crate::explore::state::construct::Construct;
use crate::explore::state::model::{Model, Tone};
use crate::explore::state::overlay::{Overlay, PromptKind};
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::{Command, for_each_command, rows};
use crate::explore::vocabulary::direction::{Direction, MoveBy};
use crate::explore::vocabulary::effect::{Effect, IntoEffects};
use crate::explore::vocabulary::key::Key;
use crate::explore::vocabulary::place::{Layer, Place, Spot};

/// Runs a command; one that has nothing to do here says where it has.
pub(super) fn run(model: &mut Model, command: Command) -> Vec<Effect> {
    if let Some(why) = misplaced(command, model.spot()) {
        model.report(Tone::Trouble, why);
        return Vec::new();
    }
    end_number_before(model, command);
    call(model, command)
}

/// Says that a key has no command where the person is, and which keys have.
pub(super) fn report_no_command(model: &mut Model, key: Key) {
    let spot = model.spot();
    let others = if spot.layer == Layer::Panes {
        format!("{} lists every key", model.keys.key_of(Command::Help))
    } else {
        let here = model.keys.iter().filter(|(row, _)| row.place.holds(spot));
        let keys: Vec<String> = here.filter_map(|(_, keys)| keys.first()).map(ToString::to_string).collect();
        format!("here are {}", keys.join(" "))
    };
    model.report(Tone::Trouble, format!("{key} does nothing here: {others}"));
}

/// Why a command can't run where the person is: all its rows are for another layer, or for a lesson that is not open.
fn misplaced(command: Command, spot: Spot) -> Option<String> {
    let runs = |place: Place| match place {
        Place::Lesson | Place::LessonQuestion => place.holds(spot),
        place => place.layer() == spot.layer,
    };
    let mut own = rows().iter().filter(|row| row.command == command);
    let first = own.next()?;
    let misplaced = !runs(first.place) && !own.any(|row| runs(row.place));
    misplaced.then(|| format!("{}: only {}", first.about, first.place.name()))
}

/// A number being typed ends with any command that is not about it, and the next edit is a step of its own.
fn end_number_before(model: &mut Model, command: Command) {
    let about_number = match command {
        Command::Digit(_) | Command::Erase => true,
        Command::BackOut | Command::GoOn | Command::EndNumber => model.entry.is_some(),
        _ => false,
    };
    if about_number {
        return;
    }
    editing::end_entry(model);
    if !matches!(command, Command::More | Command::Less) {
        model.doc.seal();
    }
}

fn with<E: IntoEffects>(model: &mut Model, run: impl FnOnce(&mut Model) -> E) -> Vec<Effect> {
    run(model).into_effects()
}

macro_rules! define_call {
    ($($variant:ident $name:literal $section:ident ($($place:tt)*) $keys:literal $about:literal $hint:literal => $run:expr;)*) => {
        fn call(model: &mut Model, command: Command) -> Vec<Effect> {
            match command {
                $(Command::$variant => with(model, $run),)*
                Command::Focus(pane) => navigate::focus(model, pane).into_effects(),
                Command::Show(screen) => focus::show_screen(model, screen).into_effects(),
                Command::Digit(digit) => editing::digit(model, digit),
                Command::Copy(what) => copy::copy(model, what),
                Command::Choose(choice) => lesson::choose(model, choice).into_effects(),
                Command::Answer(answer) => files::answer(model, answer),
            }
        }
    };
}
for_each_command!(define_call);
