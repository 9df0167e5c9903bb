//! Moving over the graph: to the next node in a direction.

use crate::analysis::graph::Point;
use crate::explore::state::model::Model;
use crate::explore::vocabulary::direction::{Direction, MoveBy};

/// The node next to the chosen row's in a direction; `None` where there is none.
pub(super) fn next(model: &Model, direction: Direction, by: MoveBy) -> Option<usize> {
    let nodes = model.doc.topology().nodes.len();
    let from = model.selection.from;
    match (by, direction) {
        (MoveBy::End, Direction::Up | Direction::Left) => Some(0),
        (MoveBy::End, Direction::Down | Direction::Right) => Some(nodes.saturating_sub(1)),
        _ => match model.drawn.grid {
            Some(columns) => in_grid(from, nodes, columns, direction),
            None => towards(&model.built.graph().points, from, direction),
        },
    }
}

fn in_grid(from: usize, nodes: usize, columns: usize, direction: Direction) -> Option<usize> {
    let to = match direction {
        Direction::Up => from.checked_sub(columns)?,
        Direction::Down => from + columns,
        Direction::Left => from.checked_sub(1)?,
        Direction::Right => from + 1,
    };
    (to < nodes).then_some(to)
}

/// The nearest point in a direction; what lies to the side counts as further.
fn towards(points: &[Point], from: usize, direction: Direction) -> Option<usize> {
    let here = *points.get(from)?;
    let far = |there: &Point| {
        let (dx, dy) = (there.x - here.x, there.y - here.y);
        let (along, aside) = match direction {
            Direction::Up => (-dy, dx),
            Direction::Down => (dy, dx),
            Direction::Left => (-dx, dy),
            Direction::Right => (dx, dy),
        };
        (along > 0.02).then_some(along + 2.0 * aside.abs())
    };
    let reached = points.iter().enumerate().filter_map(|(at, there)| Some((at, far(there)?)));
    reached.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_node_in_a_direction_is_next() {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Point { x, y });
        assert_eq!(towards(&square, 0, Direction::Right), Some(1));
        assert_eq!(towards(&square, 0, Direction::Down), Some(3));
        assert_eq!(towards(&square, 2, Direction::Left), Some(3));
        assert_eq!(towards(&square, 0, Direction::Up), None);
    }

    #[test]
    fn a_grid_is_walked_by_its_rows() {
        assert_eq!(in_grid(0, 10, 4, Direction::Down), Some(4));
        assert_eq!(in_grid(7, 10, 4, Direction::Down), None);
        assert_eq!(in_grid(5, 10, 4, Direction::Up), Some(1));
        assert_eq!(in_grid(9, 10, 4, Direction::Right), None);
    }
}
