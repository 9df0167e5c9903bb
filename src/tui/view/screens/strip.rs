//! CPUs as a strip of cells by node, for bars that compare sets.

use crate::cpumask::CpuMask;
use crate::explore::text;
use crate::topology::Topology;
use crate::tui::view::canvas::Canvas;
use ratatui::style::Style;

/// The widest a cell gets.
const WIDEST: u16 = 8;

/// One cell: a CPU, a node, or several nodes.
struct Cell {
    x: u16,
    cpus: CpuMask,
    /// Index of its first node, for the colour.
    node: usize,
}

/// The cells of a set of CPUs.
pub(super) struct Strip {
    cells: Vec<Cell>,
    labels: Vec<(u16, String)>,
    width: u16,
    /// Whether a cell is a CPU.
    pub(super) by_cpu: bool,
}

/// What is drawn in a cell.
pub(super) type Look = (&'static str, Style);

impl Strip {
    /// Cells for the CPUs of `span` in `room` columns: a cell a CPU if they fit, or else a cell a node, or else several
    /// nodes to a cell.
    pub(super) fn new(topology: &Topology, span: &CpuMask, room: u16) -> Self {
        let nodes = topology.nodes.iter().enumerate();
        let parts: Vec<(usize, u32, CpuMask)> = nodes
            .filter(|(_, node)| node.cpus.intersects(span))
            .map(|(index, node)| (index, node.id, node.cpus.and(span)))
            .collect();
        let cpus = span.weight();
        if cpus + parts.len() <= usize::from(room) {
            Self::of_cpus(&parts, room, cpus)
        } else {
            Self::of_nodes(&parts, room)
        }
    }

    fn of_cpus(parts: &[(usize, u32, CpuMask)], room: u16, cpus: usize) -> Self {
        let width = ((room - parts.len() as u16) / (cpus.max(1) as u16)).clamp(1, WIDEST);
        let mut strip = Self { cells: Vec::new(), labels: Vec::new(), width, by_cpu: true };
        let mut x = 0;
        for (node, id, cpus) in parts {
            strip.labels.push((x, id.to_string()));
            for cpu in cpus.iter() {
                strip.cells.push(Cell { x, cpus: CpuMask::single(cpu), node: *node });
                x += width;
            }
            x += 1;
        }
        strip
    }

    fn of_nodes(parts: &[(usize, u32, CpuMask)], room: u16) -> Self {
        let each = parts.len().div_ceil(usize::from(room.max(1))).max(1);
        let cells = parts.len().div_ceil(each).max(1) as u16;
        let width = (room / cells).clamp(1, WIDEST);
        let mut strip = Self { cells: Vec::new(), labels: Vec::new(), width, by_cpu: false };
        for (at, nodes) in parts.chunks(each).enumerate() {
            let x = at as u16 * width;
            strip.labels.push((x, nodes[0].1.to_string()));
            let cpus = nodes.iter().fold(CpuMask::new(), |all, (_, _, cpus)| all.or(cpus));
            strip.cells.push(Cell { x, cpus, node: nodes[0].0 });
        }
        strip
    }

    /// Columns it takes.
    pub(super) fn columns(&self) -> u16 {
        self.cells.last().map_or(0, |cell| cell.x + self.width)
    }

    /// Writes the nodes' ids over the cells, as many as have room.
    pub(super) fn draw_labels(&self, canvas: &mut Canvas, x: u16, y: u16) {
        let style = canvas.theme.head;
        let mut free = 0;
        for (at, label) in &self.labels {
            if *at >= free {
                canvas.put(x + at, y, label, style);
                free = at + text::width(label) as u16 + 1;
            }
        }
    }

    /// Draws a cell each, as `look` has it.
    pub(super) fn draw(&self, canvas: &mut Canvas, x: u16, y: u16, look: impl Fn(&CpuMask, usize) -> Look) {
        let columns = if self.width > 2 { self.width - 1 } else { self.width };
        for cell in &self.cells {
            let (sign, style) = look(&cell.cpus, cell.node);
            canvas.put_in(x + cell.x, y, columns, &sign.repeat(usize::from(columns)), style);
        }
    }

    /// Draws which cells a set holds.
    pub(super) fn draw_set(&self, canvas: &mut Canvas, x: u16, y: u16, set: &CpuMask) {
        let theme = canvas.theme;
        self.draw(canvas, x, y, |cpus, node| match set.weight_and(cpus) {
            0 => (theme.signs.none, theme.dim),
            some if some < cpus.weight() => (theme.signs.part, theme.hue(node)),
            _ => (theme.signs.full, theme.hue(node)),
        });
    }
}
