//! Which pane goes where at which size.

use crate::ui::action::Pane;
use crate::ui::model::{Model, Zoom};
use ratatui::layout::Rect;

/// The smallest screen anything is drawn on.
pub(super) const SMALLEST: (u16, u16) = (60, 15);

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
    pub(super) fn seen(&self, model: &Model) -> Pane {
        let seen = model.recent.iter().find(|pane| self.panes.contains(pane));
        seen.copied().unwrap_or(self.panes[0])
    }
}

const ONE: [&[Pane]; 6] =
    [&[Pane::Distances], &[Pane::Cpus], &[Pane::Domains], &[Pane::Groups], &[Pane::Capacity], &[Pane::Findings]];
const REST: &[Pane] = &[Pane::Groups, Pane::Capacity, Pane::Findings];

fn alone(pane: Pane) -> &'static [Pane] {
    ONE[pane as usize]
}

/// Places for the panes in `area`.
pub(super) fn arrange(model: &Model, area: Rect) -> Vec<Slot> {
    if model.zoom == Zoom::Whole {
        return vec![Slot { area, panes: &Pane::ALL }];
    }
    match (area.width, area.height) {
        (112.., 17..) => three_columns(model, area),
        (76.., 32..) => two_columns(model, area, 3),
        (76.., 17..) => two_columns(model, area, 2),
        _ => vec![Slot { area, panes: &Pane::ALL }],
    }
}

/// Columns × rows the distance table wants, frame included.
fn table_size(model: &Model) -> (u16, u16) {
    let nodes = model.doc.topology().nodes.len() as u16;
    let (cell, header) = super::distances::cell_widths(model.doc.topology());
    (nodes.saturating_mul(cell).saturating_add(header + 3), nodes.saturating_add(6))
}

fn three_columns(model: &Model, area: Rect) -> Vec<Slot> {
    let (width, height) = table_size(model);
    let left = width.max(area.width * 27 / 100).clamp(36, (area.width * 36 / 100).max(36));
    // The CPU map gets what it can use, but never more than the groups beside it.
    let rest = area.width - left;
    let middle = (super::cpus::natural_width(model) + 2).clamp(rest * 2 / 5, rest / 2);
    let columns = split_wide(area, &[left, middle]);
    let upper = height.clamp(area.height / 3, area.height * 3 / 5).min(area.height.saturating_sub(7));
    let findings = finding_rows(model).clamp(4, area.height / 3);
    let [top_left, bottom_left] = split_high(columns[0], upper);
    let [top_middle, bottom_middle] = split_high(columns[1], area.height - findings);
    let [top_right, bottom_right] = split_high(columns[2], area.height * 11 / 20);
    vec![
        Slot { area: top_left, panes: alone(Pane::Distances) },
        Slot { area: bottom_left, panes: alone(Pane::Domains) },
        Slot { area: top_middle, panes: alone(Pane::Cpus) },
        Slot { area: bottom_middle, panes: alone(Pane::Findings) },
        Slot { area: top_right, panes: alone(Pane::Groups) },
        Slot { area: bottom_right, panes: alone(Pane::Capacity) },
    ]
}

fn finding_rows(model: &Model) -> u16 {
    model.rows(Pane::Findings).min(1000) as u16 + 2 + super::findings::DETAIL
}

fn two_columns(model: &Model, area: Rect, rows: u16) -> Vec<Slot> {
    let (width, height) = table_size(model);
    let left = width.clamp(34, area.width * 45 / 100);
    let columns = split_wide(area, &[left]);
    // The table may have more than half where the list of domains leaves it.
    let domains = model.built.build.levels.len() as u16 + 3;
    let most = if rows == 2 { area.height.saturating_sub(domains).max(area.height / 2) } else { area.height / 2 };
    let upper = height.clamp(area.height / 4, most);
    let [top_left, below_left] = split_high(columns[0], upper);
    if rows == 2 {
        let [top_right, bottom_right] = split_high(columns[1], area.height / 2);
        return vec![
            Slot { area: top_left, panes: alone(Pane::Distances) },
            Slot { area: below_left, panes: alone(Pane::Domains) },
            Slot { area: top_right, panes: alone(Pane::Cpus) },
            Slot { area: bottom_right, panes: REST },
        ];
    }
    let findings = finding_rows(model).clamp(4, area.height / 4);
    let [middle_left, bottom_left] = split_high(below_left, below_left.height - findings);
    let [top_right, below_right] = split_high(columns[1], area.height * 2 / 5);
    let [middle_right, bottom_right] = split_high(below_right, below_right.height / 2);
    vec![
        Slot { area: top_left, panes: alone(Pane::Distances) },
        Slot { area: middle_left, panes: alone(Pane::Domains) },
        Slot { area: bottom_left, panes: alone(Pane::Findings) },
        Slot { area: top_right, panes: alone(Pane::Cpus) },
        Slot { area: middle_right, panes: alone(Pane::Groups) },
        Slot { area: bottom_right, panes: alone(Pane::Capacity) },
    ]
}

/// Columns of these widths, the last with what is left.
fn split_wide(area: Rect, widths: &[u16]) -> Vec<Rect> {
    let mut rest = area;
    let mut columns = Vec::with_capacity(widths.len() + 1);
    for &width in widths {
        let width = width.min(rest.width);
        columns.push(Rect { width, ..rest });
        rest = Rect { x: rest.x + width, width: rest.width - width, ..rest };
    }
    columns.push(rest);
    columns
}

fn split_high(area: Rect, upper: u16) -> [Rect; 2] {
    let upper = upper.min(area.height);
    [Rect { height: upper, ..area }, Rect { y: area.y + upper, height: area.height - upper, ..area }]
}
