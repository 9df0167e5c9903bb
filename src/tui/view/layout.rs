//! Which pane goes where at which size.

use crate::explore::state::modes::Zoom;
use crate::explore::vocabulary::border::{Border, WHOLE};
use crate::explore::vocabulary::pane::Pane;
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{Divider, share};
use ratatui::layout::Rect;

/// The smallest screen anything is drawn on.
pub(in crate::tui) const SMALLEST: (u16, u16) = (60, 15);

/// A place for one of several panes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Where.
    pub(super) area: Rect,
    /// The panes that share it.
    pub(super) panes: &'static [Pane],
}

impl Slot {
    /// The pane seen: the one that had the focus last.
    pub(super) fn seen(&self, model: &Themed) -> Pane {
        let seen = model.recent.iter().find(|pane| self.panes.contains(pane));
        seen.copied().unwrap_or(self.panes[0])
    }
}

const ONE: [&[Pane]; 8] = [
    &[Pane::Distances],
    &[Pane::Cpus],
    &[Pane::Domains],
    &[Pane::Groups],
    &[Pane::Capacity],
    &[Pane::Findings],
    &[Pane::Graph],
    &[Pane::Counters],
];
const TABLE: &[Pane] = &[Pane::Distances, Pane::Graph];
const REST: &[Pane] = &[Pane::Groups, Pane::Capacity, Pane::Findings, Pane::Counters];
const USE: &[Pane] = &[Pane::Capacity, Pane::Counters];

fn alone(pane: Pane) -> &'static [Pane] {
    ONE[pane as usize]
}

/// Which pane goes where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The places.
    pub(super) slots: Vec<Slot>,
    /// The borders between them.
    pub(super) dividers: Vec<Divider>,
}

/// Places for the panes in `area`.
pub(super) fn arrange(model: &Themed, area: Rect) -> Layout {
    let mut cutter = Cutter { model, body: area, dividers: Vec::new() };
    let slots = match (model.zoom, area.width, area.height) {
        (Zoom::Split, 112.., 17..) => three_columns(&mut cutter, area),
        (Zoom::Split, 76.., 32..) => two_of_three(&mut cutter, area),
        (Zoom::Split, 76.., 17..) => two_of_two(&mut cutter, area),
        _ => vec![Slot { area, panes: &Pane::ALL }],
    };
    Layout { slots, dividers: cutter.dividers }
}

/// Columns × rows the distance table wants, frame included.
fn table_size(model: &Themed) -> (u16, u16) {
    let nodes = model.doc.topology().nodes.len() as u16;
    let (cell, header) = super::distances::cell_widths(model.doc.topology());
    let beside = super::distances::cpus_width(model);
    (nodes.saturating_mul(cell).saturating_add(header + 3 + beside), nodes.saturating_add(6))
}

fn three_columns(cutter: &mut Cutter, area: Rect) -> Vec<Slot> {
    let model = cutter.model;
    let (width, height) = table_size(model);
    let left = width.max(area.width * 27 / 100).clamp(36, (area.width * 36 / 100).max(36));
    let [left, rest] = cutter.aside(Border::WideLeft, area, left);
    // The CPU map gets what it can use, but never more than the groups beside it.
    let middle = (super::cpus::natural_width(model) + 2).clamp(rest.width * 2 / 5, rest.width / 2);
    let [middle, right] = cutter.aside(Border::WideMiddle, rest, middle);
    let findings = finding_rows(model).clamp(4, area.height / 3);
    let mut slots = left_column(cutter, left, height);
    let [top, bottom] = cutter.above(Border::WideFindings, middle, area.height - findings);
    slots.extend([Slot { area: top, panes: alone(Pane::Cpus) }, Slot { area: bottom, panes: alone(Pane::Findings) }]);
    let [top, bottom] = cutter.above(Border::WideGroups, right, area.height * 11 / 20);
    slots.extend([Slot { area: top, panes: alone(Pane::Groups) }, Slot { area: bottom, panes: USE }]);
    slots
}

/// Rows from which on the graph has a place of its own.
const GRAPH_FROM: u16 = 46;

/// Distances, graph, domains: the graph has its own place where there is one to spare.
fn left_column(cutter: &mut Cutter, area: Rect, height: u16) -> Vec<Slot> {
    let domains = cutter.model.built.build.levels.len() as u16 + 4;
    if area.height < GRAPH_FROM {
        let upper = height.clamp(area.height / 3, area.height * 3 / 5).min(area.height.saturating_sub(7));
        let [top, bottom] = cutter.above(Border::WideTable, area, upper);
        return vec![Slot { area: top, panes: TABLE }, Slot { area: bottom, panes: alone(Pane::Domains) }];
    }
    let [top, rest] = cutter.above(Border::WideTable, area, height.clamp(area.height / 4, area.height / 2));
    let graph = rest.height.saturating_sub(domains.clamp(8, rest.height / 2));
    let [middle, bottom] = cutter.above(Border::WideGraph, rest, graph);
    vec![
        Slot { area: top, panes: alone(Pane::Distances) },
        Slot { area: middle, panes: alone(Pane::Graph) },
        Slot { area: bottom, panes: alone(Pane::Domains) },
    ]
}

fn finding_rows(model: &Themed) -> u16 {
    model.rows(Pane::Findings).min(1000) as u16 + 2 + super::findings::DETAIL
}

/// The width of the first of two columns, and the rows above what lies below the table.
fn two_columns(cutter: &mut Cutter, border: Border, area: Rect) -> [Rect; 2] {
    let (width, _) = table_size(cutter.model);
    cutter.aside(border, area, width.clamp(34, area.width * 45 / 100))
}

fn two_of_two(cutter: &mut Cutter, area: Rect) -> Vec<Slot> {
    let [left, right] = two_columns(cutter, Border::ShortLeft, area);
    let (_, height) = table_size(cutter.model);
    // The table may have more than half where the list of domains leaves it.
    let domains = cutter.model.built.build.levels.len() as u16 + 3;
    let most = area.height.saturating_sub(domains).max(area.height / 2);
    let [top_left, bottom_left] = cutter.above(Border::ShortTable, left, height.clamp(area.height / 4, most));
    let [top_right, bottom_right] = cutter.above(Border::ShortCpus, right, area.height / 2);
    vec![
        Slot { area: top_left, panes: TABLE },
        Slot { area: bottom_left, panes: alone(Pane::Domains) },
        Slot { area: top_right, panes: alone(Pane::Cpus) },
        Slot { area: bottom_right, panes: REST },
    ]
}

fn two_of_three(cutter: &mut Cutter, area: Rect) -> Vec<Slot> {
    let [left, right] = two_columns(cutter, Border::TallLeft, area);
    let (_, height) = table_size(cutter.model);
    let [top_left, below] = cutter.above(Border::TallTable, left, height.clamp(area.height / 4, area.height / 2));
    let findings = finding_rows(cutter.model).clamp(4, area.height / 4);
    let [middle_left, bottom_left] = cutter.above(Border::TallFindings, below, below.height.saturating_sub(findings));
    let [top_right, below] = cutter.above(Border::TallCpus, right, area.height * 2 / 5);
    let [middle_right, bottom_right] = cutter.above(Border::TallGroups, below, below.height / 2);
    vec![
        Slot { area: top_left, panes: TABLE },
        Slot { area: middle_left, panes: alone(Pane::Domains) },
        Slot { area: bottom_left, panes: alone(Pane::Findings) },
        Slot { area: top_right, panes: alone(Pane::Cpus) },
        Slot { area: middle_right, panes: alone(Pane::Groups) },
        Slot { area: bottom_right, panes: USE },
    ]
}

/// Cuts places in two: where a person put the border, or else where it is best.
struct Cutter<'a> {
    model: &'a Themed<'a>,
    body: Rect,
    dividers: Vec<Divider>,
}

/// No pane is made smaller than this by moving a border: columns and rows.
const LEAST: (u16, u16) = (14, 4);

impl Cutter<'_> {
    /// Two places side by side, the first `best` wide.
    fn aside(&mut self, border: Border, area: Rect, best: u16) -> [Rect; 2] {
        let width = self.cut(border, (area.x, area.width), (self.body.x, self.body.width), LEAST.0, best);
        let [left, right] = [Rect { width, ..area }, Rect { x: area.x + width, width: area.width - width, ..area }];
        // The frames of both sides are the border.
        let divider = Rect { x: right.x.saturating_sub(1), width: 2, ..area };
        let at = share(right.x - self.body.x, self.body.width);
        self.dividers.push(Divider { border, area: divider, sideways: true, at });
        [left, right]
    }

    /// Two places one above the other, the first `best` high.
    fn above(&mut self, border: Border, area: Rect, best: u16) -> [Rect; 2] {
        let height = self.cut(border, (area.y, area.height), (self.body.y, self.body.height), LEAST.1, best);
        let [upper, lower] =
            [Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area }];
        let divider = Rect { y: lower.y.saturating_sub(1), height: 2, ..area };
        let at = share(lower.y - self.body.y, self.body.height);
        self.dividers.push(Divider { border, area: divider, sideways: false, at });
        [upper, lower]
    }

    /// How long the first part is: of a place that begins at and is so long, in a body that does.
    fn cut(&self, border: Border, area: (u16, u16), body: (u16, u16), least: u16, best: u16) -> u16 {
        let (start, long) = area;
        match self.model.borders.get(&border) {
            Some(&at) if long >= 2 * least => {
                let place = body.0 + (u32::from(body.1) * u32::from(at)).div_ceil(u32::from(WHOLE)) as u16;
                place.saturating_sub(start).clamp(least, long - least)
            }
            _ => best.min(long),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_and_its_share_agree() {
        for long in 1..=300_u16 {
            for place in 0..=long {
                let back = (u32::from(long) * u32::from(share(place, long))).div_ceil(u32::from(WHOLE)) as u16;
                assert_eq!(back, place, "of {long}");
            }
        }
    }
}
