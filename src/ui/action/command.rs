//! What a person can ask for by a key or from the palette.

use super::Clip;

/// One pane of the explorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// The editable distance table.
    Distances,
    /// CPUs × levels.
    Cpus,
    /// Domains of the chosen CPU.
    Domains,
    /// Groups of the chosen domain.
    Groups,
    /// Capacity instances of the chosen level.
    Capacity,
    /// What is wrong or worth knowing, the kernel's own messages among it.
    Findings,
    /// The nodes and the links between them.
    Graph,
}

impl Pane {
    /// Every pane, in Tab order.
    pub const ALL: [Self; 7] =
        [Self::Distances, Self::Cpus, Self::Domains, Self::Groups, Self::Capacity, Self::Findings, Self::Graph];

    /// Its title.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distances => "Distances",
            Self::Cpus => "CPUs",
            Self::Domains => "Domains",
            Self::Groups => "Groups",
            Self::Capacity => "Capacity",
            Self::Findings => "Findings",
            Self::Graph => "Graph",
        }
    }
}

/// A whole view of the machine; all of them share one selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Screen {
    /// The panes.
    #[default]
    Explore,
    /// How the groups came to be, step by step.
    Construct,
    /// This release against another.
    Compare,
    /// Who can pull from whom.
    Reach,
    /// What the kernel prints.
    Dmesg,
}

impl Screen {
    /// Every screen, in the order of the function keys.
    pub const ALL: [Self; 5] = [Self::Explore, Self::Construct, Self::Compare, Self::Reach, Self::Dmesg];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explore => "Explore",
            Self::Construct => "Construct",
            Self::Compare => "Compare",
            Self::Reach => "Reach",
            Self::Dmesg => "Dmesg",
        }
    }
}

/// A direction on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
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
pub enum Step {
    /// One row or column.
    One,
    /// Half a screenful.
    Page,
    /// As far as it goes.
    End,
}

/// What a person can ask for by a key or from the palette. The table in [`keys`](crate::ui::keys) says which key, and what
/// each one does in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move the selection of the focused pane.
    Move(Way, Step),
    /// Go on to what hangs on the selection, or end a number.
    Enter,
    /// Back out: of a number, a search, a zoomed pane.
    Escape,
    /// Focus a pane.
    Focus(Pane),
    /// Focus the next pane.
    NextPane,
    /// Focus the pane before.
    PreviousPane,
    /// Show another screen.
    Show(Screen),
    /// Construct: on to the next group.
    NextGroup,
    /// Construct: back to the group before.
    PreviousGroup,
    /// Construct: let the steps run, or stop them.
    Play,
    /// Construct: let them run faster.
    Faster,
    /// Construct: let them run slower.
    Slower,
    /// Construct: trace something else.
    NextSubject,
    /// Construct: trace what was traced before.
    PreviousSubject,
    /// Compare: choose what to compare with.
    PickOther,
    /// Compare: with the machine before its edits.
    CompareEdits,
    /// Open the lesson where it was left, or leave it.
    Lesson,
    /// The next step of the lesson.
    NextStep,
    /// The step of the lesson before.
    PreviousStep,
    /// Choose an answer of the lesson's question.
    Choose(u8),
    /// Give the focused pane the whole screen, or take it back.
    Zoom,
    /// Make the focused pane wider, narrower, taller or shorter.
    Grow(Way),
    /// Give every pane the room it had at first.
    ResetLayout,
    /// Write the pane to a file.
    Export,
    /// Choose the level above.
    LevelUp,
    /// Choose the level below.
    LevelDown,
    /// Choose the next CPU.
    NextCpu,
    /// Choose the CPU before.
    PreviousCpu,
    /// One digit of a distance.
    Digit(u8),
    /// Take back one digit.
    Erase,
    /// Add to a distance.
    Nudge(i32),
    /// Put the chosen distance back to what was opened or saved last.
    ClearCell,
    /// Give a whole row one distance.
    Fill,
    /// Multiply the distances between nodes.
    Scale,
    /// Give the chosen row's node another id.
    RenumberNode,
    /// Edit the CPUs of the chosen row's node.
    NodeCpus,
    /// Show or hide the nodes' CPUs beside the distances.
    ToggleNodeCpus,
    /// Add a node.
    AddNode,
    /// Add a copy of the chosen row's node.
    CopyNode,
    /// Remove the chosen row's node.
    RemoveNode,
    /// Exchange the places of the chosen pair's nodes.
    SwapNodes,
    /// Edit both directions of a pair at once, or only one.
    ToggleSymmetric,
    /// Choose what to copy.
    CopyMenu,
    /// Copy through the terminal.
    Copy(Clip),
    /// Back to where the selection was before it jumped.
    JumpBack,
    /// Forward again.
    JumpForward,
    /// Show or hide domains that degenerated.
    ToggleGone,
    /// Show CPUs that look alike as one row, or each.
    ToggleFold,
    /// List CPUs by number or by node.
    ToggleOrder,
    /// List only some CPUs.
    Filter,
    /// Choose a kernel release from a list.
    PickRelease,
    /// The release after this one.
    NextRelease,
    /// The release before this one.
    PreviousRelease,
    /// Open a preset or file.
    Open,
    /// Take back the last edit.
    Undo,
    /// Do it again.
    Redo,
    /// Look for the smallest change of the table that removes the chosen finding.
    Repair,
    /// Save to the file the topology came from.
    Save,
    /// Save under a name.
    SaveAs,
    /// Search in the focused pane.
    Search,
    /// The next match.
    NextMatch,
    /// The match before.
    PreviousMatch,
    /// Every command, fuzzy.
    Palette,
    /// Every key.
    Help,
    /// The next colour theme.
    NextTheme,
    /// Take or release the mouse.
    ToggleMouse,
    /// Draw everything again.
    Redraw,
    /// Stop, as Ctrl-Z does.
    Suspend,
    /// Leave.
    Quit,
}
