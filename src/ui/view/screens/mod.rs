//! Drawing the screens beside Explore, the tabs that lead to them, and the lesson's panel.

mod compare;
mod construct;
mod dmesg;
mod lesson;
mod reach;
mod strip;

use super::{Canvas, ViewState, frame_box};
use crate::ui::action::{Command, Screen, Target};
use crate::ui::model::Model;
use crate::ui::text;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Screens with fewer rows than this have no tab line.
const TABS_FROM: u16 = 18;

/// What the view remembers of the screens between frames: how far each is scrolled.
#[derive(Clone, Debug, Default)]
pub(super) struct Scrolls {
    log: usize,
    steps: usize,
    differences: usize,
    sources: usize,
    pullers: usize,
}

/// Draws the tab line where there is room for one; returns the rows taken.
pub(super) fn draw_tabs(model: &Model, state: &mut ViewState, screen: &mut Canvas, y: u16) -> u16 {
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
fn shown_key(model: &Model, command: Command) -> String {
    let key = model.keys.key_of(command);
    let numbered = key.strip_prefix('f').is_some_and(|number| number.parse::<u8>().is_ok());
    if numbered { key.to_uppercase() } else { key }
}

/// Draws the screen shown, unless that is Explore; whether it did.
pub(super) fn draw(model: &Model, state: &mut ViewState, screen: &mut Canvas, body: Rect) -> bool {
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
pub(super) fn draw_lesson(model: &Model, state: &mut ViewState, screen: &mut Canvas, body: Rect) -> Rect {
    let (seen, rest) = lesson::draw(model, screen, body);
    state.drawn.lesson = seen;
    rest
}

/// Draws a framed box with a title; returns its inside.
fn open_frame(model: &Model, canvas: &mut Canvas, area: Rect, title: &str, focused: bool) -> Rect {
    if area.is_empty() {
        return area;
    }
    let inner = frame_box(model, canvas, area, focused);
    let style = if focused { canvas.theme.head_focus } else { canvas.theme.head };
    let mut line =
        canvas.part(Rect { x: area.x.saturating_add(1), width: area.width.saturating_sub(2), height: 1, ..area });
    line.put(0, 0, &format!(" {title} "), style);
    inner
}

/// Writes text broken at blanks, from row `y` on; returns the row after it.
fn put_wrapped(canvas: &mut Canvas, x: u16, mut y: u16, words: &str, style: Style) -> u16 {
    for line in text::wrap(words, usize::from(canvas.width().saturating_sub(x))) {
        canvas.put(x, y, &line, style);
        y = y.saturating_add(1);
    }
    y
}

/// Rows from which two boxes stand one above the other; with fewer the first has all.
const STACK_FROM: u16 = 8;

/// Columns side by side where there is room, or else one above the other: `share` percent for the first.
fn halves(area: Rect, wide_from: u16, share: u16) -> [Rect; 2] {
    if area.width >= wide_from {
        let left = area.width * share / 100;
        [Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area }]
    } else if area.height < STACK_FROM {
        [area, Rect { height: 0, ..area }]
    } else {
        let upper = area.height * share / 100;
        [Rect { height: upper, ..area }, Rect { y: area.y + upper, height: area.height - upper, ..area }]
    }
}
