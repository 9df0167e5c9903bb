//! The table of commands: a row each, with its name in a configuration, its section of the help, where its keys hold,
//! its keys, what it does in words, its word in the footer, and the function that runs it.
//!
//! `for_each_command` is the table. The enum, the rows and the dispatch in [`update`](crate::explore::update) are made
//! of it, so that a row without its function does not compile.

use super::pane::{Pane, Screen};
use super::place::Place;
use std::sync::LazyLock;

/// Hands every row of the table to the macro `$then`: `Variant "name" Section (Place) "keys" "about" "hint" => function of the model`.
macro_rules! for_each_command {
    ($then:ident) => { $then! {
MoveUp "move-up" Move (Anywhere) "k up" "up one row" "" => |m| navigate::go(m, Direction::Up, MoveBy::One);
MoveDown "move-down" Move (Anywhere) "j down" "down one row" "" => |m| navigate::go(m, Direction::Down, MoveBy::One);
MoveLeft "move-left" Move (Anywhere) "h left" "left one column or level" "" => |m| navigate::go(m, Direction::Left, MoveBy::One);
MoveRight "move-right" Move (Anywhere) "l right" "right one column or level" "" => |m| navigate::go(m, Direction::Right, MoveBy::One);
PageUp "page-up" Move (Anywhere) "ctrl-u pgup" "up half a screen" "" => |m| navigate::go(m, Direction::Up, MoveBy::Page);
PageDown "page-down" Move (Anywhere) "ctrl-d pgdn" "down half a screen" "" => |m| navigate::go(m, Direction::Down, MoveBy::Page);
FirstRow "first-row" Move (Anywhere) "g home" "first row" "" => |m| navigate::go(m, Direction::Up, MoveBy::End);
LastRow "last-row" Move (Anywhere) "G end" "last row" "" => |m| navigate::go(m, Direction::Down, MoveBy::End);
FirstColumn "first-column" Move (Anywhere) "0 ^" "first column" "" => |m| navigate::go(m, Direction::Left, MoveBy::End);
LastColumn "last-column" Move (Anywhere) "$" "last column" "" => |m| navigate::go(m, Direction::Right, MoveBy::End);
GoOn "go-on" Move (NotIn(Pane::Distances)) "enter" "go on: CPU, domain, group, capacity; from a finding, to its groups; from a pair, to its tasks" "go on" => navigate::go_on;
NextPane "next-pane" Move (On(Screen::Explore)) "tab" "next pane" "pane" => |m| navigate::pane_step(m, true);
PreviousPane "previous-pane" Move (On(Screen::Explore)) "backtab" "pane before" "" => |m| navigate::pane_step(m, false);
NextGroup "next-group" Move (On(Screen::Construct)) "n" "on Construct: on to the next group" "next group" => |m| construct::on_screen(m).seek_part(true);
PreviousGroup "previous-group" Move (On(Screen::Construct)) "N" "on Construct: back to the group before" "" => |m| construct::on_screen(m).seek_part(false);
Play "play" Show (On(Screen::Construct)) "p space" "on Construct: let the steps run, or stop" "play" => |m| construct::on_screen(m).toggle_play();
Faster "faster" Show (On(Screen::Construct)) "+ =" "on Construct: play faster" "" => |m| construct::set_pace(m, Construct::faster);
Slower "slower" Show (On(Screen::Construct)) "-" "on Construct: play slower" "" => |m| construct::set_pace(m, Construct::slower);
NextSubject "next-subject" Show (On(Screen::Construct)) "tab t" "on Construct: trace groups, levels, the span check, or what stays" "what" => |m| construct::on_screen(m).change_subject(Subject::next);
PreviousSubject "previous-subject" Show (On(Screen::Construct)) "backtab" "on Construct: the subject before" "" => |m| construct::on_screen(m).change_subject(Subject::previous);
PlayTasks "play-tasks" Show (On(Screen::Balance)) "p space" "on Balance: let time run, or stop" "play" => balance::toggle_play;
TimeFaster "time-faster" Show (On(Screen::Balance)) "+ =" "on Balance: time runs faster" "" => |m| balance::change_pace(m, 1);
TimeSlower "time-slower" Show (On(Screen::Balance)) "-" "on Balance: time runs slower" "" => |m| balance::change_pace(m, -1);
Tasks "tasks" Edit (On(Screen::Balance)) "t" "on Balance: other tasks, as in 8@nodes:1,3 from 3" "tasks" => balance::ask_tasks;
Pin "pin" Edit (On(Screen::Balance)) "e" "on Balance: give a task another affinity from here on, as in 3@cpus:0" "pin" => balance::ask_pin;
Beside "beside" Open (On(Screen::Balance)) "c" "on Balance: another release beside this one, or none" "beside" => lists::pick_beside;
FoldQueues "fold-queues" Show (On(Screen::Balance)) "f" "on Balance: a row a node where CPUs have no room, or always a row a CPU" "" => balance::toggle_by_cpu;
ListOther "list-other" Show (On(Screen::Balance)) "tab" "on Balance: what happened under the other release" "" => balance::list_other;
ShowGroups "show-groups" Move (On(Screen::Reach)) "tab" "on Reach: the groups that decide, on Explore" "groups" => screens::show_groups;
CompareWith "compare-with" Open (On(Screen::Compare)) "c" "on Compare: what to compare with" "with" => lists::pick_other;
CompareEdits "compare-edits" Open (On(Screen::Compare)) "e" "on Compare: before and after the edits" "edits" => compare::with_edits;
Lesson "lesson" Show (Anywhere) "f6" "the lesson: open it where it was left, or leave it" "" => lesson::toggle;
NextStep "next-step" Show (Lesson) "space ." "in the lesson: on" "on" => lesson::next_step;
PreviousStep "previous-step" Show (Lesson) "," "in the lesson: back" "back" => lesson::previous_step;
LevelUp "level-up" Move (Anywhere) ">" "level above" "" => |m| selection::level_step(m, Direction::Right);
LevelDown "level-down" Move (Anywhere) "<" "level below" "" => |m| selection::level_step(m, Direction::Left);
NextCpu "next-cpu" Move (Anywhere) "}" "next CPU" "" => |m| selection::put(m, Target::Cpu(m.selection.cpu + 1, None));
PreviousCpu "previous-cpu" Move (Anywhere) "{" "CPU before" "" => |m| selection::put(m, Target::Cpu(m.selection.cpu.saturating_sub(1), None));
JumpBack "jump-back" Move (Anywhere) "ctrl-o alt-left" "back to where you were before the last jump" "" => |m| jumps::jump(m, JumpDirection::Back);
JumpForward "jump-forward" Move (Anywhere) "ctrl-n alt-right" "forward again" "" => |m| jumps::jump(m, JumpDirection::Forward);
Erase "erase" Edit (In(Pane::Distances)) "backspace" "take back a digit" "" => editing::erase;
EndNumber "end-number" Edit (In(Pane::Distances)) "enter" "end the number; with none begun, on to CPUs" "" => navigate::end_number;
More "more" Edit (In(Pane::Distances)) "+ =" "one more" "more" => |m| editing::nudge(m, 1);
Less "less" Edit (In(Pane::Distances)) "-" "one less" "less" => |m| editing::nudge(m, -1);
ClearCell "clear" Edit (In(Pane::Distances)) "delete" "put the distance back to what was opened or saved" "" => bulk_edit::clear_cell;
Fill "fill" Edit (In(Pane::Distances)) "f" "fill the row with a distance, to itself apart" "" => bulk_edit::fill;
Scale "scale" Edit (In(Pane::Distances)) "*" "scale every distance between nodes: 150% or 3/2" "" => bulk_edit::scale;
ToggleSymmetric "symmetric" Edit (Anywhere) "s" "edit both directions of a pair, or one" "symmetric" => editing::toggle_symmetry;
AddNode "add-node" Edit (In(Pane::Distances)) "a" "add a node like the last one" "" => |m| editing::add_like(m, Like::Last);
CopyNode "copy-node" Edit (In(Pane::Distances)) "c" "copy the row's node" "" => |m| editing::add_like(m, Like::Chosen);
RemoveNode "remove-node" Edit (In(Pane::Distances)) "x" "remove the row's node" "" => editing::remove_node;
SwapNodes "swap-nodes" Edit (In(Pane::Distances)) "S" "swap the places of the pair's nodes" "" => editing::swap_nodes;
RenumberNode "renumber-node" Edit (In(Pane::Distances)) "R" "give the row's node another id" "" => bulk_edit::renumber_node;
NodeCpus "node-cpus" Edit (In(Pane::Distances)) "e" "edit the CPUs of the row's node, a cpulist" "" => bulk_edit::node_cpus;
Repair "repair" Edit (In(Pane::Findings)) "r" "look for the smallest change of the table that removes the finding" "repair" => repair::search;
Undo "undo" Edit (Anywhere) "u" "undo" "undo" => editing::undo;
Redo "redo" Edit (Anywhere) "ctrl-r" "redo" "" => editing::redo;
PickRelease "release" Open (Anywhere) "K" "choose the kernel release" "kernel" => lists::pick_release;
PreviousRelease "previous-release" Open (Anywhere) "[" "release before" "" => |m| builds::release_step(m, -1);
NextRelease "next-release" Open (Anywhere) "]" "release after" "" => |m| builds::release_step(m, 1);
Open "open" Open (Anywhere) "o" "open a preset or a file (a path works too), or make a machine: ring:8 4" "open" => lists::pick_source;
Save "save" Open (Anywhere) "w" "save" "" => files::save;
SaveAs "save-as" Open (Anywhere) "W" "save under a name" "" => files::save_as;
Zoom "zoom" Show (On(Screen::Explore)) "z" "give the pane the whole screen, or take it back" "zoom" => layout::toggle_zoom;
Wider "wider" Show (On(Screen::Explore)) "ctrl-right" "make the pane wider" "" => |m| layout::grow(m, Direction::Right);
Narrower "narrower" Show (On(Screen::Explore)) "ctrl-left" "make the pane narrower" "" => |m| layout::grow(m, Direction::Left);
Taller "taller" Show (On(Screen::Explore)) "ctrl-down" "make the pane taller" "" => |m| layout::grow(m, Direction::Down);
Shorter "shorter" Show (On(Screen::Explore)) "ctrl-up" "make the pane shorter" "" => |m| layout::grow(m, Direction::Up);
ResetLayout "even" Show (On(Screen::Explore)) "Z" "give every pane the room it had at first" "" => layout::reset;
ToggleNodeCpus "show-cpus" Show (In(Pane::Distances)) "C" "show or hide each node's CPUs beside the distances" "" => bulk_edit::toggle_node_cpus;
ToggleDegenerated "degenerated" Show (Anywhere) "d" "show or hide levels that degenerated" "" => selection::toggle_degenerated;
ToggleFold "fold" Show (In(Pane::Cpus)) "f" "CPUs of a node that look alike as one row, or each" "fold" => listing::toggle_fold;
ToggleOrder "order" Show (In(Pane::Cpus)) "O" "list CPUs by number or by node" "" => listing::toggle_order;
Filter "filter" Show (Anywhere) "F" "list only some CPUs: a cpulist or `node 2`; empty for all" "" => listing::ask_filter;
Search "search" Show (Anywhere) "/" "search the pane: a CPU, `node 2`, a cpulist, a word" "search" => |m| prompt::ask(m, PromptKind::Search, String::new());
NextMatch "next-match" Show (Anywhere) "n" "next match" "" => |m| search::report_match(m, true);
PreviousMatch "previous-match" Show (Anywhere) "N" "match before" "" => |m| search::report_match(m, false);
CopyMenu "copy" Show (Anywhere) "y" "copy through the terminal: then c, r, t, p, d or s" "copy" => |m| m.overlay = Overlay::CopyMenu;
Export "export" Show (Anywhere) "E" "write the pane, or the screen beside Explore, to a file: text or .svg" "" => files::ask_export;
NextTheme "theme" Show (Anywhere) "T" "next colour theme" "" => layout::next_theme;
ToggleMouse "mouse" Show (Anywhere) "M" "take or release the mouse (to copy with the terminal)" "" => layout::toggle_mouse;
Palette "commands" Program (Anywhere) ": ctrl-p" "every command, fuzzy" "commands" => lists::pick_command;
Help "help" Program (Anywhere) "?" "this help" "help" => lists::open_help;
BackOut "back-out" Program (Anywhere) "esc" "back out: of a number, a search, a zoomed pane" "" => navigate::back_out;
Redraw "redraw" Program (Anywhere) "ctrl-l" "draw everything again" "" => layout::redraw;
Suspend "suspend" Program (Anywhere) "ctrl-z" "suspend" "" => layout::suspend;
Quit "quit" Program (Anywhere) "q ctrl-c" "quit; asks when there are unsaved edits" "quit" => files::quit;
Accept "accept" Typing (Typing) "enter" "take what is chosen or typed" "" => typing::accept;
Cancel "cancel" Typing (Typing) "esc ctrl-c" "leave things as they were" "" => typing::cancel;
ItemAbove "item-above" Typing (Typing) "up ctrl-p backtab" "the item above, the match before" "" => |m| typing::step(m, -1);
ItemBelow "item-below" Typing (Typing) "down ctrl-n tab" "the item below, the next match" "" => |m| typing::step(m, 1);
ListPageUp "list-page-up" Typing (Typing) "pgup" "half a list up" "" => |m| typing::page(m, -1);
ListPageDown "list-page-down" Typing (Typing) "pgdn" "half a list down" "" => |m| typing::page(m, 1);
CloseMenu "close-menu" Answers (CopyMenu) "esc" "copy nothing" "" => copy::close_menu;
AcceptRepair "accept-repair" Answers (Repair) "enter y" "make the change offered" "" => repair::accept;
RefuseRepair "refuse-repair" Answers (Repair) "esc n q ctrl-c" "stop the search, or leave the table as it is" "" => repair::refuse;
RepairUp "repair-up" Answers (Repair) "k up" "the change above" "" => |m| repair::scroll(m, -1);
RepairDown "repair-down" Answers (Repair) "j down" "the change below" "" => |m| repair::scroll(m, 1);
RepairPageUp "repair-page-up" Answers (Repair) "pgup" "eight changes up" "" => |m| repair::scroll(m, -8);
RepairPageDown "repair-page-down" Answers (Repair) "pgdn" "eight changes down" "" => |m| repair::scroll(m, 8);
    } };
}
pub(crate) use for_each_command;

macro_rules! define_commands {
    ($($variant:ident $name:literal $section:ident ($($place:tt)*) $keys:literal $about:literal $hint:literal => $run:expr;)*) => {
        /// What a person can ask for by a key or from the palette.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Command {
            $(#[doc = $about] $variant,)*
            /// Focus a pane.
            Focus(Pane),
            /// Show another screen.
            Show(Screen),
            /// One digit of a distance, 0 to 9.
            Digit(u8),
            /// Copy through the terminal.
            Copy(Clip),
            /// Choose an answer of the lesson's question, from 0.
            Choose(u8),
            /// Answer the question on screen.
            Answer(Answer),
        }

        fn plain_rows() -> Vec<CommandRow> {
            vec![$(CommandRow {
                name: $name,
                command: Command::$variant,
                place: Place::$($place)*,
                section: Section::$section,
                keys: $keys,
                about: $about,
                hint: $hint,
            },)*]
        }
    };
}
for_each_command!(define_commands);

/// One row of the table.
#[derive(Clone, Debug)]
pub struct CommandRow {
    /// The name in a configuration file.
    pub name: &'static str,
    /// What it does.
    pub command: Command,
    /// Where its keys do it.
    pub place: Place,
    /// Where help lists it.
    pub section: Section,
    /// Its keys when nobody says otherwise, separated by blanks.
    pub keys: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The word in the footer; empty when it has none there.
    pub hint: &'static str,
}

/// Part of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Moving about.
    Move,
    /// Changing the machine.
    Edit,
    /// Kernels, files.
    Open,
    /// What is shown.
    Show,
    /// Leaving and the like.
    Program,
    /// Where something is typed.
    Typing,
    /// Where something is asked.
    Answers,
}

impl Section {
    /// Every section, in help order.
    pub const ALL: [Self; 7] =
        [Self::Move, Self::Edit, Self::Open, Self::Show, Self::Program, Self::Typing, Self::Answers];

    /// Its heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "Moving",
            Self::Edit => "Editing",
            Self::Open => "Kernels and files",
            Self::Show => "Showing and finding",
            Self::Program => "Program",
            Self::Typing => "In lists and lines",
            Self::Answers => "Answers and menus",
        }
    }
}

/// Something to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clip {
    /// The chosen value: a distance, a set of CPUs, a finding.
    Cell,
    /// The chosen row of the distance table.
    Row,
    /// The distance table.
    Table,
    /// The focused pane.
    Pane,
    /// What this kernel prints for this machine.
    Dmesg,
    /// A command that shows the same outside of the explorer.
    Shell,
}

impl Clip {
    /// Everything that can be copied, in the order of the menu.
    pub const ALL: [Self; 6] = [Self::Cell, Self::Row, Self::Table, Self::Pane, Self::Dmesg, Self::Shell];

    /// Its word in the copy menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cell => "value",
            Self::Row => "row",
            Self::Table => "table",
            Self::Pane => "pane",
            Self::Dmesg => "kernel log",
            Self::Shell => "shell command",
        }
    }
}

/// How a person answers when something would be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Save first.
    Save,
    /// Yes, do what is asked.
    Yes,
    /// Delete what was kept.
    Delete,
    /// No, leave everything as it is.
    No,
}

/// The table, in the order of the help.
pub fn rows() -> &'static [CommandRow] {
    static ROWS: LazyLock<Vec<CommandRow>> = LazyLock::new(|| {
        let mut rows = Vec::new();
        for row in plain_rows() {
            match row.command {
                Command::NextGroup => rows.extend(pane_rows().chain(screen_rows())),
                Command::LevelUp => rows.extend(choice_rows()),
                Command::Erase => rows.extend(digit_rows()),
                Command::Export => rows.extend(copy_rows()),
                Command::CloseMenu => rows.extend(answer_rows().chain(menu_rows())),
                _ => {}
            }
            rows.push(row);
        }
        rows
    });
    &ROWS
}

/// The row of a command; the first one where it has several.
pub fn row_of(command: Command) -> Option<&'static CommandRow> {
    rows().iter().find(|row| row.command == command)
}

fn pane_rows() -> impl Iterator<Item = CommandRow> {
    Pane::ALL.into_iter().map(|pane| {
        let (name, about, keys) = pane.command();
        let (command, place, section) = (Command::Focus(pane), Place::Anywhere, Section::Move);
        CommandRow { name, command, place, section, keys, about, hint: "" }
    })
}

fn screen_rows() -> impl Iterator<Item = CommandRow> {
    Screen::ALL.into_iter().map(|screen| {
        let (name, about, keys) = screen.command();
        let (command, place, section) = (Command::Show(screen), Place::Anywhere, Section::Move);
        CommandRow { name, command, place, section, keys, about, hint: "" }
    })
}

fn choice_rows() -> impl Iterator<Item = CommandRow> {
    let rows = [
        ("answer-1", "a", "in the lesson: the first answer"),
        ("answer-2", "b", "in the lesson: the second answer"),
        ("answer-3", "c", "in the lesson: the third answer"),
        ("answer-4", "d", "in the lesson: the fourth answer"),
    ];
    (0..).zip(rows).map(|(choice, (name, keys, about))| {
        let (command, place, section) = (Command::Choose(choice), Place::LessonQuestion, Section::Show);
        CommandRow { name, command, place, section, keys, about, hint: "" }
    })
}

fn digit_rows() -> impl Iterator<Item = CommandRow> {
    let rows = [
        ("digit-0", "0", "type a distance: what is built follows from 10 on"),
        ("digit-1", "1", "type a distance"),
        ("digit-2", "2", "type a distance"),
        ("digit-3", "3", "type a distance"),
        ("digit-4", "4", "type a distance"),
        ("digit-5", "5", "type a distance"),
        ("digit-6", "6", "type a distance"),
        ("digit-7", "7", "type a distance"),
        ("digit-8", "8", "type a distance"),
        ("digit-9", "9", "type a distance"),
    ];
    (0..).zip(rows).map(|(digit, (name, keys, about))| {
        let (command, place, section) = (Command::Digit(digit), Place::In(Pane::Distances), Section::Edit);
        CommandRow { name, command, place, section, keys, about, hint: "" }
    })
}

/// By clip: its names where its keys hold anywhere and in the menu, its key, and what it does.
fn clip(clip: Clip) -> [&'static str; 5] {
    match clip {
        Clip::Cell => ["copy-cell", "menu-cell", "alt-c", "c", "copy the chosen value or set"],
        Clip::Row => ["copy-row", "menu-row", "alt-r", "r", "copy the row of the distance table"],
        Clip::Table => ["copy-table", "menu-table", "alt-t", "t", "copy the distance table"],
        Clip::Pane => ["copy-pane", "menu-pane", "alt-p", "p", "copy the pane as text"],
        Clip::Dmesg => ["copy-dmesg", "menu-dmesg", "alt-d", "d", "copy what this kernel prints"],
        Clip::Shell => ["copy-command", "menu-command", "alt-s", "s", "copy a shell command that shows the same"],
    }
}

fn copy_rows() -> impl Iterator<Item = CommandRow> {
    Clip::ALL.into_iter().map(|what| {
        let [name, _, keys, _, about] = clip(what);
        let (command, place, section) = (Command::Copy(what), Place::Anywhere, Section::Show);
        CommandRow { name, command, place, section, keys, about, hint: "" }
    })
}

fn menu_rows() -> impl Iterator<Item = CommandRow> {
    Clip::ALL.into_iter().map(|what| {
        let [_, name, _, keys, about] = clip(what);
        let (command, place, section) = (Command::Copy(what), Place::CopyMenu, Section::Answers);
        CommandRow { name, command, place, section, keys, about, hint: what.name() }
    })
}

fn answer_rows() -> impl Iterator<Item = CommandRow> {
    let rows = [
        (Answer::Save, "answer-save", "w s", "save first, where that is offered"),
        (Answer::Yes, "answer-yes", "y", "yes"),
        (Answer::Delete, "answer-delete", "d", "delete what was kept, where that is offered"),
        (Answer::No, "answer-no", "n esc", "no: leave everything as it is"),
    ];
    rows.into_iter().map(|(answer, name, keys, about)| {
        let (command, place, section) = (Command::Answer(answer), Place::Question, Section::Answers);
        CommandRow { name, command, place, section, keys, about, hint: "" }
    })
}
