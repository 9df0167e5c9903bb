//! What the screens beside Explore know.

use super::balance::BalanceState;
use super::compare::CompareState;
use super::construct::Construct;
use super::lesson::Lesson;
use super::log::Log;
use super::reach::ReachState;
use crate::explore::vocabulary::pane::Screen;

/// What the screens know.
#[derive(Clone, Debug, Default)]
pub struct Screens {
    /// The one shown.
    pub now: Screen,
    /// The kernel log.
    pub log: Log,
    /// Who can pull from whom.
    pub reach: ReachState,
    /// The steps of a construction.
    pub construct: Construct,
    /// What the build shown is compared with.
    pub compare: CompareState,
    /// Tasks on the domains.
    pub balance: BalanceState,
    /// The lesson.
    pub lesson: Lesson,
}
