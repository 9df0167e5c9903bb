//! Where keys hold.

use super::pane::{Pane, Screen};

/// What has the keys: the panes, or what lies over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// Nothing lies over the panes and screens.
    #[default]
    Panes,
    /// A list, or a line being typed.
    Typing,
    /// A question.
    Question,
    /// The copy menu.
    CopyMenu,
    /// A repair looked for or offered.
    Repair,
}

/// Where a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In every pane and on every screen.
    Anywhere,
    /// In one pane, before what holds anywhere.
    In(Pane),
    /// In every pane but this one.
    NotIn(Pane),
    /// On one screen, before what holds anywhere.
    On(Screen),
    /// While the lesson is open, before everything else in the panes.
    Lesson,
    /// While the lesson asks something, before everything else in the panes.
    LessonQuestion,
    /// In lists and lines being typed.
    Typing,
    /// While a question waits for its answer.
    Question,
    /// In the copy menu.
    CopyMenu,
    /// While a repair is looked for or offered.
    Repair,
}

/// Where the person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// What has the keys.
    pub layer: Layer,
    /// The screen.
    pub screen: Screen,
    /// The pane, on Explore.
    pub pane: Pane,
    /// Whether the lesson is open.
    pub lesson: bool,
    /// Whether the lesson waits for an answer.
    pub lesson_asks: bool,
}

impl Place {
    /// What has the keys there.
    pub fn layer(self) -> Layer {
        match self {
            Self::Typing => Layer::Typing,
            Self::Question => Layer::Question,
            Self::CopyMenu => Layer::CopyMenu,
            Self::Repair => Layer::Repair,
            Self::Anywhere | Self::In(_) | Self::NotIn(_) | Self::On(_) | Self::Lesson | Self::LessonQuestion => {
                Layer::Panes
            }
        }
    }

    /// Whether it covers `spot`, and how much it goes before others: 0 first.
    pub fn rank(self, spot: Spot) -> Option<u8> {
        let explore = spot.screen == Screen::Explore;
        let rank = match self {
            Self::LessonQuestion => spot.lesson_asks.then_some(0),
            Self::Lesson => spot.lesson.then_some(1),
            Self::On(screen) => (screen == spot.screen).then_some(2),
            Self::In(pane) => (explore && pane == spot.pane).then_some(2),
            Self::NotIn(pane) => (!explore || pane != spot.pane).then_some(2),
            Self::Anywhere | Self::Typing | Self::Question | Self::CopyMenu | Self::Repair => Some(3),
        };
        rank.filter(|_| self.layer() == spot.layer)
    }

    /// Whether it covers `spot`.
    pub fn holds(self, spot: Spot) -> bool {
        self.rank(spot).is_some()
    }

    /// Whether there is a spot where neither of two places goes before the other.
    pub fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::In(a), Self::In(b)) => a == b,
            (Self::In(a), Self::NotIn(b)) | (Self::NotIn(b), Self::In(a)) => a != b,
            (Self::On(a), Self::On(b)) => a == b,
            (Self::On(screen), Self::In(_)) | (Self::In(_), Self::On(screen)) => screen == Screen::Explore,
            (Self::On(_) | Self::NotIn(_), Self::NotIn(_)) | (Self::NotIn(_), Self::On(_)) => true,
            _ => self == other,
        }
    }

    /// Where that is, in words.
    pub fn name(self) -> String {
        match self {
            Self::Anywhere => "anywhere".to_owned(),
            Self::In(pane) => format!("in {}", pane.name()),
            Self::NotIn(pane) => format!("outside {}", pane.name()),
            Self::On(screen) => format!("on {}", screen.name()),
            Self::Lesson => "in the lesson".to_owned(),
            Self::LessonQuestion => "while the lesson asks".to_owned(),
            Self::Typing => "in lists and lines".to_owned(),
            Self::Question => "while a question is asked".to_owned(),
            Self::CopyMenu => "in the copy menu".to_owned(),
            Self::Repair => "while a repair is offered".to_owned(),
        }
    }
}
