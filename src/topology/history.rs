//! Undo and redo without end.

use super::edit::{Cell, Edit};
use super::{Invalid, Topology};

/// A step that can be taken back, or done again.
#[derive(Clone, Debug)]
struct Step {
    /// What was done, for people.
    what: String,
    /// The edit that takes it back, or does it again.
    edit: Edit,
}

/// The edits done to a topology, and those taken back.
#[derive(Clone, Debug)]
pub struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// How many steps were done when the file was saved; `None` when no undo or redo leads back there.
    saved: Option<usize>,
    /// Whether the last step may still take in more of the same.
    open: bool,
}

impl Default for History {
    fn default() -> Self {
        Self { done: Vec::new(), undone: Vec::new(), saved: Some(0), open: false }
    }
}

impl History {
    /// Applies an edit as a step of its own. An edit that changes nothing leaves no step.
    ///
    /// # Errors
    /// What [`Topology::apply`] says; nothing has changed then.
    pub fn apply(&mut self, topology: &mut Topology, edit: &Edit) -> Result<(), Invalid> {
        self.push(topology, edit, false)
    }

    /// Applies an edit and, where it sets the same cells as the amendment before it, makes one step of the two: a number
    /// typed digit by digit is one undo.
    ///
    /// # Errors
    /// As [`History::apply`].
    pub fn amend(&mut self, topology: &mut Topology, edit: &Edit) -> Result<(), Invalid> {
        self.push(topology, edit, true)
    }

    fn push(&mut self, topology: &mut Topology, edit: &Edit, amends: bool) -> Result<(), Invalid> {
        let inverse = topology.apply(edit)?;
        if changes_nothing(edit, &inverse) {
            return Ok(());
        }
        self.undone.clear();
        let last = self.done.last_mut().filter(|last| amends && self.open && same_cells(&last.edit, &inverse));
        if let Some(last) = last {
            // What takes both back is what took the first back.
            last.what = edit.describe();
        } else {
            if self.saved.is_some_and(|saved| saved > self.done.len()) {
                self.saved = None;
            }
            self.done.push(Step { what: edit.describe(), edit: inverse });
        }
        self.open = amends;
        Ok(())
    }

    /// Ends the step that [`History::amend`] adds to: the next one begins another.
    pub fn seal(&mut self) {
        self.open = false;
    }

    /// Takes the last step back and says what it was; `None` when there is none.
    pub fn undo(&mut self, topology: &mut Topology) -> Option<String> {
        self.open = false;
        step(topology, &mut self.done, &mut self.undone)
    }

    /// Does the step taken back last once more and says what it was; `None` when there is none.
    pub fn redo(&mut self, topology: &mut Topology) -> Option<String> {
        self.open = false;
        step(topology, &mut self.undone, &mut self.done)
    }

    /// Takes the last step back as if it had never been done: it can't be done again. Whether there was one.
    pub fn retract(&mut self, topology: &mut Topology) -> bool {
        let retracted = self.undo(topology).is_some();
        if retracted {
            self.undone.pop();
            if self.saved.is_some_and(|saved| saved > self.done.len()) {
                self.saved = None;
            }
        }
        retracted
    }

    /// Whether there is a step to take back.
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// Whether there is a step to do once more.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// The steps done, the oldest first, for people.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.done.iter().map(|step| step.what.as_str())
    }

    /// Notes that the topology is now as the file has it.
    pub fn mark_saved(&mut self) {
        self.saved = Some(self.done.len());
        self.open = false;
    }

    /// Whether the topology differs from what was saved, as far as steps tell.
    pub fn is_modified(&self) -> bool {
        self.saved != Some(self.done.len())
    }
}

/// Moves a step from one side to the other by applying it.
fn step(topology: &mut Topology, from: &mut Vec<Step>, to: &mut Vec<Step>) -> Option<String> {
    let Step { what, edit } = from.pop()?;
    if let Ok(edit) = topology.apply(&edit) {
        to.push(Step { what: what.clone(), edit });
        return Some(what);
    }
    // Only a topology that was changed behind the history's back gets here: keep the step, change nothing.
    from.push(Step { what, edit });
    None
}

/// Whether an edit left everything as it was.
fn changes_nothing(edit: &Edit, inverse: &Edit) -> bool {
    match (edit, inverse) {
        (Edit::SetCells(set), Edit::SetCells(back)) => set.iter().eq(back.iter().rev()),
        // A swap is its own inverse and still changes something.
        (Edit::SwapNodes { .. } | Edit::Batch(_), _) => false,
        _ => edit == inverse,
    }
}

/// Whether both set the same cells, in the same order.
fn same_cells(a: &Edit, b: &Edit) -> bool {
    let places = |cells: &[Cell]| cells.iter().map(|cell| (cell.from, cell.to)).collect::<Vec<_>>();
    match (a, b) {
        (Edit::SetCells(a), Edit::SetCells(b)) => places(a) == places(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::generate::{Machine, Shape};

    fn line() -> Topology {
        Machine::new(2, 1).topology("line", Shape::parse("line:2").unwrap().distances()).unwrap()
    }

    fn cell(value: u32) -> Edit {
        Edit::SetCells(vec![Cell { from: 0, to: 1, value }, Cell { from: 1, to: 0, value }])
    }

    #[test]
    fn a_number_typed_digit_by_digit_is_one_step() {
        let (mut line, mut history) = (line(), History::default());
        for value in [2, 21, 217] {
            history.amend(&mut line, &cell(value)).unwrap();
        }
        assert_eq!(history.steps().count(), 1);
        history.seal();
        history.amend(&mut line, &cell(3)).unwrap();
        assert_eq!(history.steps().count(), 2);
        assert_eq!(history.undo(&mut line).as_deref(), Some("set 2 distances"));
        assert_eq!(line.distances.get(0, 1), 217);
        history.undo(&mut line);
        assert_eq!(line.distances.get(0, 1), 20);
        assert!(!history.can_undo() && history.can_redo());
    }

    #[test]
    fn saving_marks_the_place() {
        let (mut line, mut history) = (line(), History::default());
        assert!(!history.is_modified());
        history.amend(&mut line, &cell(21)).unwrap();
        history.mark_saved();
        assert!(!history.is_modified());
        history.amend(&mut line, &cell(22)).unwrap();
        assert!(history.is_modified());
        history.undo(&mut line);
        assert!(!history.is_modified());
        history.undo(&mut line);
        assert!(history.is_modified());
        history.apply(&mut line, &cell(5)).unwrap();
        assert!(history.is_modified(), "the saved state is gone for good");
        history.undo(&mut line);
        assert!(history.is_modified());
    }

    #[test]
    fn a_step_retracted_was_never_done() {
        let (mut line, mut history) = (line(), History::default());
        history.amend(&mut line, &cell(21)).unwrap();
        assert!(history.retract(&mut line));
        assert_eq!(line.distances.get(0, 1), 20);
        assert!(!history.can_undo() && !history.can_redo() && !history.is_modified());
        assert!(!history.retract(&mut line));
        history.apply(&mut line, &cell(21)).unwrap();
        history.mark_saved();
        history.retract(&mut line);
        history.apply(&mut line, &cell(22)).unwrap();
        assert!(history.is_modified(), "the saved state is gone for good");
    }

    #[test]
    fn an_edit_that_changes_nothing_is_no_step() {
        let (mut line, mut history) = (line(), History::default());
        history.apply(&mut line, &cell(20)).unwrap();
        history.apply(&mut line, &Edit::SetSchedDebug(true)).unwrap();
        assert!(!history.can_undo());
        assert!(history.apply(&mut line, &cell(100_000)).is_err());
        assert!(!history.can_undo());
    }
}
