//! Drawing the screens beside Explore, the tabs that lead to them, and the lesson's panel.

use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::pane::Screen;
use crate::tui::view::themed::Themed;
mod balance;
mod compare;
mod construct;
mod dmesg;
mod lesson;
mod parts;
mod reach;
mod strip;

use crate::tui::view::canvas::Canvas;
use crate::tui::view::view_state::ViewState;
use ratatui::layout::Rect;

/// Screens with fewer rows than this have no tab line.
const TABS_FROM: u16 = 18;

/// Draws the tab line where there is room for one; returns the rows taken.
pub(super) fn draw_tabs(model: &Themed, state: &mut ViewState, screen: &mut Canvas, y: u16) -> u16 {
    if screen.height() < TABS_FROM {
        return 0;
    }
    let theme = screen.theme;
    let tabs = tabs(model);
    let width = |gap: u16| tabs.iter().map(|tab| tab.width() + gap).sum::<u16>() + 1;
    let gap = (1..=3).rev().find(|&gap| width(gap) <= screen.width() + gap);
    let mut x = 1;
    for tab in tabs {
        let start = x;
        x = screen.put(x, y, &tab.key, theme.key) + 1;
        // Where not all names have room, the keys say where they lead.
        if gap.is_some() || tab.is_shown {
            let style = if tab.is_shown { theme.head_focus } else { theme.dim };
            x = screen.put(x, y, tab.name, style) + 1;
        }
        state.region(screen.run_area(start, y, x.saturating_sub(start + 1)), tab.target);
        x += gap.unwrap_or(1) - 1;
    }
    1
}

/// A tab: where a key leads.
struct Tab {
    key: String,
    name: &'static str,
    is_shown: bool,
    target: Target,
}

impl Tab {
    fn width(&self) -> u16 {
        (text::width(&self.key) + text::width(self.name)) as u16 + 1
    }
}

/// The screens and the lesson, by function key.
fn tabs(model: &Themed) -> Vec<Tab> {
    let screens = Screen::ALL.into_iter().map(|screen| Tab {
        key: shown_key(model, Command::Show(screen)),
        name: screen.name(),
        is_shown: screen == model.screens.now,
        target: Target::Screen(screen),
    });
    let mut tabs: Vec<Tab> = screens.collect();
    let name = if model.screens.lesson.open { "leave lesson" } else { "lesson" };
    let key = shown_key(model, Command::Lesson);
    tabs.insert(5, Tab { key, name, is_shown: false, target: Target::Run(Command::Lesson) });
    tabs
}

/// A key as keyboards have it written: function keys in capitals.
fn shown_key(model: &Themed, command: Command) -> String {
    let key = model.keys.key_of(command);
    let numbered = key.strip_prefix('f').is_some_and(|number| number.parse::<u8>().is_ok());
    if numbered { key.to_uppercase() } else { key }
}

/// Draws the screen shown, unless that is Explore; whether it did.
pub(super) fn draw(model: &Themed, state: &mut ViewState, screen: &mut Canvas, body: Rect) -> bool {
    let mut canvas = screen.part(body);
    match model.screens.now {
        Screen::Explore => return false,
        Screen::Construct => construct::draw(model, state, &mut canvas),
        Screen::Compare => compare::draw(model, state, &mut canvas),
        Screen::Reach => reach::draw(model, state, &mut canvas),
        Screen::Dmesg => dmesg::draw(model, state, &mut canvas),
        Screen::Balance => balance::draw(model, state, &mut canvas),
    }
    true
}

/// Takes the lesson's panel off the bottom of the body; returns what is left.
pub(super) fn draw_lesson(model: &Themed, state: &mut ViewState, screen: &mut Canvas, body: Rect) -> Rect {
    let (seen, rest) = lesson::draw(model, screen, body);
    state.drawn.lesson = seen;
    rest
}
