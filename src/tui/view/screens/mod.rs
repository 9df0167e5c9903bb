//! Drawing the screens beside Explore, the tabs that lead to them, and the lesson's panel.

use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::command::Command;
use crate::explore::vocabulary::pane::Screen;
use crate::tui::view::themed::Themed;
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
    let mut x = 1;
    for tab in Screen::ALL {
        let start = x;
        x = screen.put(x, y, &shown_key(model, Command::Show(tab)), theme.key) + 1;
        let style = if tab == model.screens.now { theme.head_focus } else { theme.dim };
        x = screen.put(x, y, tab.name(), style) + 3;
        state.region(screen.run_area(start, y, x.saturating_sub(start + 2)), Target::Screen(tab));
    }
    let lesson = if model.screens.lesson.open { "leave lesson" } else { "lesson" };
    let start = x;
    x = screen.put(x, y, &shown_key(model, Command::Lesson), theme.key) + 1;
    x = screen.put(x, y, lesson, theme.dim);
    state.region(screen.run_area(start, y, x.saturating_sub(start)), Target::Run(Command::Lesson));
    1
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
    }
    true
}

/// Takes the lesson's panel off the bottom of the body; returns what is left.
pub(super) fn draw_lesson(model: &Themed, state: &mut ViewState, screen: &mut Canvas, body: Rect) -> Rect {
    let (seen, rest) = lesson::draw(model, screen, body);
    state.drawn.lesson = seen;
    rest
}
