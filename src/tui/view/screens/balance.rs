//! Tasks on the domains: the queue of each CPU at the time shown, what happened until then, and why.

use super::parts::{halves, open_frame};
use crate::balance::simulate::{CpuIdle, Decision, TaskId, What};
use crate::cpumask::CpuMask;
use crate::explore::derived::build_view::BuildView;
use crate::explore::derived::recording::Event;
use crate::explore::state::balance::Side;
use crate::explore::text;
use crate::explore::vocabulary::action::Target;
use crate::tui::view::canvas::Canvas;
use crate::tui::view::rows::{RowList, draw_rows};
use crate::tui::view::themed::Themed;
use crate::tui::view::view_state::{ScrollOf, ViewState};
use ratatui::layout::Rect;
use std::sync::Arc;

/// Columns from which queues and log stand side by side.
const WIDE_FROM: u16 = 100;
/// Rows of the explanation under the log.
const EXPLAINED: u16 = 5;

pub(super) fn draw(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let sides = &model.screens.balance.sides;
    let whole = canvas.area;
    let [queues, log] = if sides.len() > 1 {
        let upper = (whole.height * 3 / 5).max(6).min(whole.height);
        [Rect { height: upper, ..whole }, Rect { y: whole.y + upper, height: whole.height - upper, ..whole }]
    } else {
        halves(whole, WIDE_FROM, 46)
    };
    let width = queues.width / sides.len().max(1) as u16;
    for (at, side) in sides.iter().enumerate() {
        let last = at + 1 == sides.len();
        let x = queues.x + width * at as u16;
        let area = Rect { x, width: if last { queues.right() - x } else { width }, ..queues };
        let inner = open_frame(model, canvas, area, &side_title(model, side, at), at == model.screens.balance.listed);
        draw_queues(model, state, side, at, &mut canvas.part(inner));
    }
    let inner = open_frame(model, canvas, log, &log_title(model), false);
    draw_log(model, state, &mut canvas.part(inner));
}

fn side_title(model: &Themed, side: &Side, at: usize) -> String {
    let balance = &model.screens.balance;
    if at > 0 {
        return side.release.name.clone();
    }
    let dot = model.theme.signs.dot;
    let tasks = balance.tasks.as_ref().map_or("", |tasks| &tasks.text);
    format!("{} {dot} {tasks}", side.release.name)
}

fn log_title(model: &Themed) -> String {
    let balance = &model.screens.balance;
    let dot = model.theme.signs.dot;
    let playing = if balance.playing { format!(" {dot} {} a second", balance.pace() * 10) } else { String::new() };
    let waits =
        if balance.waiting && balance.tick >= balance.until() { format!(" {dot} simulating") } else { String::new() };
    let full = if balance.is_full() { format!(" {dot} the log is full") } else { String::new() };
    let of = balance
        .listed()
        .filter(|_| balance.sides.len() > 1)
        .map_or_else(String::new, |side| format!("{} {dot} ", side.release.name));
    format!("{of}tick {}{playing}{waits}{full}", balance.tick)
}

/// What is in a row of the queues: a CPU, or a node.
struct Row {
    label: String,
    node: usize,
    cpus: CpuMask,
    tasks: Vec<TaskId>,
}

fn rows(model: &Themed, side: &Side, room: usize) -> Vec<Row> {
    let topology = &model.built.topology;
    let queues = side.queues(topology.nr_cpus);
    let folded = topology.online.weight() > room && !model.screens.balance.by_cpu;
    let mut rows = Vec::new();
    for (index, node) in topology.nodes.iter().enumerate() {
        let cpus = topology.node_online(index);
        if folded {
            let tasks = cpus.iter().flat_map(|cpu| queues[cpu].iter().copied()).collect();
            rows.push(Row { label: format!("node {}", node.id), node: index, cpus, tasks });
            continue;
        }
        for (at, cpu) in cpus.iter().enumerate() {
            let label = if at == 0 { format!("node {}", node.id) } else { String::new() };
            rows.push(Row { label, node: index, cpus: CpuMask::single(cpu), tasks: queues[cpu].clone() });
        }
    }
    rows
}

fn draw_queues(model: &Themed, state: &mut ViewState, side: &Side, at: usize, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let Some(built) = side.built() else {
        canvas.put(0, 0, "simulating", theme.dim);
        return;
    };
    if let Some(error) = &built.build.error {
        canvas.put_wrapped(0, 0, &format!("not built: {error}"), theme.bad);
        return;
    }
    let height = canvas.height().saturating_sub(1);
    let rows = rows(model, side, usize::from(height));
    let about = involved(side.event());
    let chosen = rows.iter().position(|row| about.is_some_and(|cpu| row.cpus.contains(cpu))).unwrap_or(0);
    let label_width = rows.iter().map(|row| text::width(&row.label)).max().unwrap_or(0) as u16 + 1;
    let cpu_width = rows.iter().map(|row| text::width(&cpu_label(row))).max().unwrap_or(0) as u16;
    let allowed = allowed(model);
    let list = RowList {
        top: 0,
        mark: None,
        has_keys: false,
        ..RowList::with_keys(model, ScrollOf::Queues(at), height, rows.len(), chosen)
    };
    let moved = side.event().and_then(Event::moved).map(|(task, _, _)| task);
    draw_rows(
        &list,
        state,
        canvas,
        |row| Target::Cpu(rows[row].cpus.first().unwrap_or(0), None),
        |_, canvas, row, y| {
            let row = &rows[row];
            let style = theme.hue(row.node);
            let usable = row.cpus.intersects(&allowed);
            canvas.put(0, y, &row.label, if usable { style } else { theme.dim });
            let mark = about.is_some_and(|cpu| row.cpus.contains(cpu));
            canvas.put(label_width, y, if mark { theme.signs.mark } else { "" }, theme.key);
            canvas.put_right(
                label_width + 2 + cpu_width,
                y,
                &cpu_label(row),
                if usable { theme.text } else { theme.dim },
            );
            draw_tasks(model, side, row, moved, label_width + cpu_width + 3, y, canvas);
        },
    );
    draw_verdict(model, &rows, &allowed, canvas);
}

fn cpu_label(row: &Row) -> String {
    if row.label.is_empty() || row.cpus.weight() <= 1 {
        row.cpus.to_string()
    } else {
        format!("{} CPUs", row.cpus.weight())
    }
}

/// A mark for each task, in the colour of the node it began on, and how many there are.
fn draw_tasks(model: &Themed, side: &Side, row: &Row, moved: Option<TaskId>, mut x: u16, y: u16, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let count = row.tasks.len();
    if count == 0 {
        canvas.put(x, y, theme.signs.none, theme.dim);
        return;
    }
    let number = format!(" {count}");
    let room = usize::from(canvas.width().saturating_sub(x)).saturating_sub(number.len() + 1);
    // The one that moved is always seen.
    let mut shown: Vec<TaskId> = row.tasks.clone();
    shown.sort_by_key(|&task| Some(task) != moved);
    for &task in shown.iter().take(room) {
        let first = side.first.get(task as usize).map_or(0, |&cpu| cpu as usize);
        let node = model.built.node_of.get(first).copied().flatten().unwrap_or(0) as usize;
        let style = theme.hue(node);
        x = canvas.put(x, y, theme.signs.task, if Some(task) == moved { theme.cell } else { style });
    }
    if count > room {
        x = canvas.put(x, y, theme.signs.cut, theme.dim);
    }
    canvas.put(x, y, &number, theme.dim);
}

/// The CPUs some task may run on at the time shown.
fn allowed(model: &Themed) -> CpuMask {
    let balance = &model.screens.balance;
    let mut all = CpuMask::new();
    let mut last: Option<&Arc<CpuMask>> = None;
    for mask in balance.tasks.iter().flat_map(|tasks| tasks.tasks.iter()) {
        // Tasks of one part of the text share a mask.
        if !last.is_some_and(|last| Arc::ptr_eq(last, mask)) {
            all.or_assign(mask);
        }
        last = Some(mask);
    }
    balance.pins.iter().for_each(|pin| all.or_assign(&pin.allowed));
    all
}

/// Nodes that tasks may run on and that have none while others have one that waits.
fn draw_verdict(model: &Themed, rows: &[Row], allowed: &CpuMask, canvas: &mut Canvas) {
    let (theme, y) = (canvas.theme, canvas.height().saturating_sub(1));
    let topology = &model.built.topology;
    let tasks_of = |index: usize| rows.iter().filter(|row| row.node == index).map(|row| row.tasks.len()).sum::<usize>();
    let waits = rows.iter().any(|row| row.tasks.len() > row.cpus.weight());
    let idle: Vec<String> = (0..topology.nodes.len())
        .filter(|&index| topology.nodes[index].cpus.intersects(allowed) && tasks_of(index) == 0)
        .map(|index| topology.nodes[index].id.to_string())
        .collect();
    if idle.is_empty() {
        canvas.put_all(0, y, &[(theme.signs.good, theme.good), ("every node allowed has a task", theme.dim)]);
    } else if waits {
        let text = format!("idle though allowed: node {}", idle.join(", "));
        canvas.put_all(0, y, &[(theme.signs.bad, theme.bad), (&text, theme.bad)]);
    } else {
        canvas.put(0, y, "no task waits", theme.dim);
    }
}

/// The CPU an event is about.
fn involved(event: Option<&Event>) -> Option<usize> {
    match event? {
        Event::Decided(decision) => Some(decision.puller as usize),
        Event::Pinned { cpus: (_, to), .. } => Some(*to as usize),
    }
}

fn draw_log(model: &Themed, state: &mut ViewState, canvas: &mut Canvas) {
    let theme = canvas.theme;
    let Some((side, built)) = model.screens.balance.listed().and_then(|side| Some((side, side.built()?))) else {
        return;
    };
    let explained = if canvas.height() > EXPLAINED + 4 { EXPLAINED } else { canvas.height() / 3 };
    let height = canvas.height().saturating_sub(explained);
    if side.at == 0 {
        canvas.put(0, 0, "nothing has happened yet", theme.dim);
    }
    let list = RowList::with_keys(model, ScrollOf::Events, height, side.at, side.at.saturating_sub(1));
    draw_rows(&list, state, canvas, Target::Line, |_, canvas, row, y| {
        let event = &side.events[row];
        canvas.put_right(8, y, &event.tick().to_string(), theme.dim);
        let (text, is_move) = line(event, built, theme.signs.to);
        canvas.put(9, y, &text, if is_move { theme.text } else { theme.dim });
    });
    if explained > 1 {
        canvas.put(0, height, &theme.signs.line.repeat(usize::from(canvas.width())), theme.frame);
        let words = side.event().map_or_else(String::new, |event| explanation(event, built));
        canvas.put_wrapped(0, height + 1, &words, theme.text);
    }
}

/// An event in a line, and whether a task moved.
fn line(event: &Event, built: &BuildView, to_sign: &str) -> (String, bool) {
    match event {
        Event::Pinned { task, allowed, cpus: (from, to), .. } => {
            let moved = if from == to { String::new() } else { format!(", {from} {to_sign} {to}") };
            (format!("task {task} pinned to {allowed}{moved}"), true)
        }
        Event::Decided(Decision { puller, level, what, .. }) => {
            let level = built.labels.get(*level as usize).map_or("-", String::as_str);
            match what {
                What::Moved { task, from, to, active } => {
                    let how = match (active, puller == to) {
                        (true, _) => "pushed for",
                        (false, true) => "pulled by",
                        (false, false) => "sent on by",
                    };
                    (format!("task {task}: {from} {to_sign} {to}  {how} CPU {puller} at {level}"), true)
                }
                What::Failed(reason) => (format!("CPU {puller} at {level}: {}", reason.text()), false),
            }
        }
    }
}

/// An event in full.
fn explanation(event: &Event, built: &BuildView) -> String {
    match event {
        Event::Pinned { task, allowed, cpus: (from, to), .. } if from == to => {
            format!("Task {task} may run on {allowed} from here on, and is on one of them.")
        }
        Event::Pinned { task, allowed, cpus: (from, to), .. } => {
            format!("Task {task} may run on {allowed} from here on. It was on CPU {from}, and is put on CPU {to}.")
        }
        Event::Decided(Decision { puller, level, what, idle, .. }) => {
            let label = built.labels.get(*level as usize).map_or("-", String::as_str);
            let state = match idle {
                CpuIdle::Busy => "busy",
                CpuIdle::Idle => "idle",
                CpuIdle::NewlyIdle => "newly idle",
            };
            match what {
                What::Moved { task, from, to, active: true } => format!(
                    "CPU {puller} ({state}) failed to pull at {label} so often that the kernel stopped the running task {task} of CPU \
                     {from} and pushed it to CPU {to}."
                ),
                What::Moved { task, from, to, active: false } if puller == to => {
                    format!(
                        "CPU {puller} ({state}) found CPU {from} busiest at {label} and took task {task}, which waited there."
                    )
                }
                What::Moved { task, from, to, active: false } => format!(
                    "CPU {puller} ({state}) found CPU {from} busiest at {label}. Task {task} may not run on CPU {puller}: \
                     can_migrate_task had it retried with CPU {to} of the same group, where it may."
                ),
                What::Failed(reason) => format!(
                    "CPU {puller} ({state}) at {label}, {}: {}. {}",
                    reason.function(),
                    reason.text(),
                    reason.explanation()
                ),
            }
        }
    }
}
