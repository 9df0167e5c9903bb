//! Where a move goes, and how far.

/// A direction on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the first row.
    Up,
    /// Towards the last row.
    Down,
    /// Towards the first column.
    Left,
    /// Towards the last column.
    Right,
}

/// How far a move goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveBy {
    /// One row or column.
    One,
    /// Half a screenful.
    Page,
    /// To the first or last row or column.
    End,
}

/// The place after a move from `at` among `len` places; a page is `page` places.
pub fn moved(at: usize, len: usize, direction: Direction, by: MoveBy, page: usize) -> usize {
    let last = len.saturating_sub(1);
    let by = match by {
        MoveBy::One => 1,
        MoveBy::Page => page.max(1),
        MoveBy::End => last,
    };
    match direction {
        Direction::Up | Direction::Left => at.saturating_sub(by),
        Direction::Down | Direction::Right => at.saturating_add(by).min(last),
    }
}
