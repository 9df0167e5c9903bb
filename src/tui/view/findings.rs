//! What is wrong or worth knowing, most serious first. Choosing a finding moves every pane to what shows it.

use crate::analysis::findings::{Finding, Severity};
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::explore::vocabulary::pane::Pane;
use crate::formats::visible;
use crate::tui::theme::Theme;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::ViewState;
use ratatui::style::Style;

/// Rows below the list for the chosen finding in full, where there is room for them.
pub(super) const DETAIL: u16 = 3;
/// Rows of list that are worth more than the detail.
const LIST: u16 = 2;

pub(super) fn title(model: &Themed) -> String {
    match model.built.findings() {
        Some(findings) => format!("Findings {} {}", model.theme.signs.dot, findings.len()),
        None => "Findings".to_owned(),
    }
}

/// The sign and the style of a severity.
pub(super) fn sign(theme: &Theme, severity: Severity) -> (&'static str, Style) {
    match severity {
        Severity::Error => (theme.signs.bad, theme.bad),
        Severity::Warning => (theme.signs.warn, theme.warn),
        Severity::Info => (theme.signs.note, theme.dim),
    }
}

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let Some(findings) = model.built.findings() else {
        canvas.put(1, 0, "looking for what is wrong", theme.dim);
        return;
    };
    if findings.is_empty() {
        let text = format!("nothing wrong with this machine under {}", model.release.name);
        canvas.put(1, 0, &text, theme.good);
        return;
    }
    let detail = detail(model, canvas);
    let list = RowList::of_pane(model, Pane::Findings, 0, canvas.height() - detail.len() as u16);
    let list = RowList { mark: list.mark.filter(|_| list.has_keys), ..list };
    draw_rows(
        &list,
        state,
        canvas,
        |at| Target::Row(Pane::Findings, at),
        |_, canvas, at, y| {
            draw_row(model, &findings[at], y, canvas);
            if at == list.chosen && list.has_keys {
                canvas.put(0, y, theme.signs.mark, theme.lit);
            }
        },
    );
    let top = canvas.height() - detail.len() as u16;
    for (y, (line, style)) in (top..).zip(&detail) {
        canvas.put(2, y, line, *style);
    }
}

fn draw_row(model: &Themed, finding: &Finding, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let (sign, style) = sign(theme, finding.severity);
    canvas.put(2, y, sign, style);
    let x = 2 + text::width(theme.signs.bad) as u16 + 1;
    let level = finding.witness.level.map_or("", |level| model.level_label(level));
    let x = canvas.put(x, y, level, theme.head);
    let gap = u16::from(!level.is_empty());
    let plain = if finding.severity == Severity::Info { theme.text } else { style };
    canvas.put(x + gap, y, &visible(&finding.message), plain);
}

/// The chosen finding in full: its message where a row can't hold it, and what can be done.
fn detail(model: &Themed, canvas: &Canvas) -> Vec<(String, Style)> {
    let theme = canvas.theme;
    let Some(finding) = model.finding().filter(|_| canvas.height() >= DETAIL + LIST) else { return Vec::new() };
    let room = usize::from(canvas.width().saturating_sub(3));
    let most = usize::from(if canvas.height() > 4 * DETAIL { 2 * DETAIL } else { DETAIL });
    let message = visible(&finding.message);
    let mut lines = Vec::new();
    if text::width(&message) + 12 > room {
        lines.extend(text::wrap(&message, room).into_iter().map(|line| (line, theme.text)));
    }
    let advice = format!("{} {} [{}]", theme.signs.to, finding.advice, finding.id);
    lines.extend(text::wrap(&advice, room).into_iter().map(|line| (line, theme.dim)));
    if lines.len() > most {
        lines.truncate(most);
        if let Some((last, _)) = lines.last_mut() {
            last.push_str(theme.signs.cut);
        }
    }
    lines
}
