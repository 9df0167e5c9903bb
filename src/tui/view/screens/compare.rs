//! Two builds: what differs, folded over the CPUs it is the same for, and spans and groups as bars one above the other.

use super::parts::{halves, open_frame};
use super::strip::Strip;
use crate::analysis::compare::{Change, GroupFacts, GroupsChange};
use crate::cpumask::CpuMask;
use crate::explore::state::compare::{Against, Compared};
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::formats::visible;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let versus = &model.screens.compare;
    let Some(compared) = &versus.compared else {
        let area = canvas.area;
        let inner = open_frame(model, canvas, area, "Compare", true);
        let theme = canvas.theme;
        let (text, style) = match &versus.error {
            Some(why) => (format!("not compared: {}", visible(why)), theme.bad),
            None => (format!("comparing with {}", model.against().label()), theme.pending),
        };
        canvas.part(inner).put_wrapped(1, 0, &text, style);
        return;
    };
    let dot = model.theme.signs.dot;
    let pending = if versus.is_comparing() { format!(" {dot} comparing") } else { String::new() };
    let cpus = text::count(compared.comparison.cpus().weight(), "CPU");
    let rows = text::count(versus.rows(), "difference");
    let title = format!(
        "Compare {dot} {} {} {} {dot} {rows} {dot} {cpus}{pending}",
        compared.left, model.theme.signs.to, compared.right
    );
    let [list, detail] = halves(canvas.area, 130, 50);
    let list = open_frame(model, canvas, list, &title, true);
    draw_list(model, compared, state, &mut canvas.part(list));
    let detail = open_frame(model, canvas, detail, "Before and after", false);
    draw_detail(model, compared, &mut canvas.part(detail));
}

fn draw_list(model: &Themed, compared: &Compared, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let (versus, machine) = (&model.screens.compare, &compared.comparison.machine);
    if compared.comparison.is_equal() {
        let text = match &compared.request.against {
            Against::Opened => "no edit so far changes what is built".to_owned(),
            _ => format!("nothing differs between {} and {}", compared.left, compared.right),
        };
        canvas.put(1, 0, &text, theme.good);
        return;
    }
    let list = RowList::with_keys(model, ScrollOf::Differences, canvas.height(), versus.rows(), versus.row);
    draw_rows(&list, state, canvas, Target::Line, |_, canvas, row, y| {
        if let Some(change) = machine.get(row) {
            let x = canvas.put(2, y, "machine", theme.head) + 2;
            let text = format!("{}: {} became {}", change.what.name(), change.left, change.right);
            canvas.put(x, y, &text, theme.warn);
        } else {
            let line = compared.lines.get(row - machine.len()).map_or("", String::as_str);
            canvas.put(2, y, line, theme.text);
        }
        if row == versus.row {
            canvas.put(0, y, theme.signs.mark, theme.lit);
        }
    });
}

fn draw_detail(model: &Themed, compared: &Compared, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let versus = &model.screens.compare;
    if let Some(change) = compared.comparison.machine.get(versus.row) {
        let y = canvas.put_wrapped(1, 0, &format!("{}: {}", compared.left, change.left), theme.text);
        canvas.put_wrapped(1, y, &format!("{}: {}", compared.right, change.right), theme.text);
        return;
    }
    let Some(difference) = versus.chosen() else { return };
    let line = compared.lines.get(versus.row - compared.comparison.machine.len()).map_or("", String::as_str);
    // Where there is little room the bars go before the words, which the list has too.
    let roomy = canvas.height() > 5;
    let y = if roomy { canvas.put_wrapped(1, 0, line, theme.head) + 1 } else { 0 };
    match &difference.change {
        Change::Groups(groups) => draw_groups(compared, groups, y, canvas),
        Change::Span { left, right } => draw_sets(compared, Some(left), Some(right), y, canvas),
        Change::Removed(span) => draw_sets(compared, Some(span), None, y, canvas),
        Change::Added(span) => draw_sets(compared, None, Some(span), y, canvas),
        Change::Flags { .. } | Change::Pointer { .. } if !roomy => {
            canvas.put_wrapped(1, 0, line, theme.head);
        }
        Change::Flags { .. } | Change::Pointer { .. } => {}
    }
}

/// The names of both sides, and bars that start beside them.
struct Bars<'a> {
    names: [&'a str; 2],
    strip: Strip,
    /// Where bars begin.
    x: u16,
    /// Where what is written beside them begins.
    beside: u16,
}

impl<'a> Bars<'a> {
    fn new(compared: &'a Compared, all: &CpuMask, canvas: &Canvas) -> Self {
        let names = [compared.left.as_str(), compared.right.as_str()];
        let longest = names.iter().map(|name| text::width(name)).max().unwrap_or(0) as u16;
        let x = longest.min(canvas.width() / 4) + 4;
        let strip = Strip::new(&compared.widest, all, (canvas.width().saturating_sub(x) / 2).max(1));
        let beside = x + strip.columns() + 2;
        Self { names, strip, x, beside }
    }

    fn draw_labels(&self, y: u16, canvas: &mut Canvas) {
        self.strip.draw_labels(canvas, self.x, y);
    }

    /// The bar of one side with its name; the room beside it is left free.
    fn draw(&self, side: usize, y: u16, set: Option<&CpuMask>, canvas: &mut Canvas) {
        let theme = canvas.theme;
        canvas.put_in(2, y, self.x.saturating_sub(3), self.names[side], theme.head);
        match set {
            Some(set) => self.strip.draw_set(canvas, self.x, y, set),
            None => {
                canvas.put(self.x, y, theme.signs.none, theme.dim);
            }
        }
    }
}

fn draw_sets(compared: &Compared, left: Option<&CpuMask>, right: Option<&CpuMask>, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let all = [left, right].into_iter().flatten().fold(CpuMask::new(), |all, set| all.or(set));
    let bars = Bars::new(compared, &all, canvas);
    bars.draw_labels(y, canvas);
    for (side, set) in [left, right].into_iter().enumerate() {
        let y = y + 1 + side as u16;
        bars.draw(side, y, set, canvas);
        match set {
            Some(set) => canvas.put_cpus(bars.beside, y, canvas.width(), set, theme.text),
            None => canvas.put(bars.beside, y, "no such domain", theme.dim),
        };
    }
}

/// The groups of both by their place in the ring, one above the other.
fn draw_groups(compared: &Compared, groups: &GroupsChange, y: u16, canvas: &mut Canvas) {
    let all = groups.left.iter().chain(&groups.right).fold(CpuMask::new(), |all, group| all.or(&group.span));
    let bars = Bars::new(compared, &all, canvas);
    bars.draw_labels(y, canvas);
    let places = groups.left.len().max(groups.right.len());
    let room = usize::from(canvas.height().saturating_sub(y + 1)) / 2;
    let shown = if places > room { room.saturating_sub(1).max(1) } else { places };
    for place in 0..shown {
        let sides = [groups.left.get(place), groups.right.get(place)];
        let same = sides[0] == sides[1];
        for (side, group) in sides.into_iter().enumerate() {
            let y = y + 1 + 2 * place as u16 + side as u16;
            draw_group(&bars, side, group, same, y, canvas);
        }
    }
    if places > shown {
        let y = y + 1 + 2 * shown as u16;
        let dim = canvas.theme.dim;
        canvas.put(2, y, &format!("and {} more places in the ring", places - shown), dim);
    }
}

fn draw_group(bars: &Bars, side: usize, group: Option<&GroupFacts>, same: bool, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    canvas.put(0, y, if same { " " } else { theme.signs.unequal }, theme.warn);
    bars.draw(side, y, group.map(|group| &group.span), canvas);
    let Some(group) = group else { return };
    let style = if same { theme.dim } else { theme.text };
    let room = canvas.width().saturating_sub(bars.beside);
    let x = canvas.put_cpus(bars.beside, y, room / 3, &group.span, style) + 1;
    let x = canvas.put(x, y, "mask", theme.dim) + 1;
    let x = canvas.put_cpus(x, y, room / 4, &group.mask, style) + 1;
    let x = canvas.put(x, y, "by", theme.dim) + 1;
    let balance = group.balance_cpu.map_or_else(|| "none".to_owned(), |cpu| cpu.to_string());
    let x = canvas.put(x, y, &balance, style) + 1;
    canvas.put(x, y, &format!("{} cap {}", group.sgc, group.capacity), style);
}
