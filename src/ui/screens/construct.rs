//! Stepping through a decision after another: how groups, levels and domains came to be.

pub mod moment;
pub mod scene;
pub mod story;

use crate::ui::action::{Command, Step, Way};
use crate::ui::model::{Model, Tone};
use crate::ui::select::moved;
use std::time::Duration;
use story::{Story, Subject};

/// How long a step stays while playing, slowest first.
const PACES: [Duration; 5] = [
    Duration::from_secs(3),
    Duration::from_millis(1500),
    Duration::from_millis(700),
    Duration::from_millis(300),
    Duration::from_millis(100),
];

/// What the Construct screen knows.
#[derive(Clone, Debug)]
pub struct Construct {
    built: Option<u64>,
    place: Option<Place>,
    /// What is traced.
    pub subject: Subject,
    /// Its steps; none where the chosen CPU has no domain at the chosen level.
    pub story: Option<Story>,
    /// The step that was made last.
    pub at: usize,
    /// Whether the steps run by themselves.
    pub playing: bool,
    /// How fast, an index into the paces.
    pace: usize,
}

/// What a story is about: no CPU and no level where they make no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    subject: Subject,
    cpu: Option<usize>,
    level: Option<usize>,
}

impl Place {
    fn new(subject: Subject, cpu: usize, level: usize) -> Self {
        let (of_cpu, of_level) = match subject {
            Subject::Groups => (true, true),
            Subject::Degeneration => (true, false),
            Subject::Distances | Subject::SpanCheck => (false, false),
        };
        Self { subject, cpu: of_cpu.then_some(cpu), level: of_level.then_some(level) }
    }
}

impl Default for Construct {
    fn default() -> Self {
        let subject = Subject::default();
        Self { built: None, place: None, subject, story: None, at: 0, playing: false, pace: 2 }
    }
}

impl Construct {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.story.as_ref().map_or(0, Story::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How long a step stays while playing.
    pub fn pace(&self) -> Duration {
        PACES[self.pace.min(PACES.len() - 1)]
    }

    /// Chooses a step.
    pub(in crate::ui) fn put(&mut self, at: usize) {
        self.at = at.min(self.len().saturating_sub(1));
    }

    pub(super) fn go(&mut self, way: Way, step: Step, page: usize) {
        self.playing = false;
        self.at = moved(self.at, self.len(), way, step, page);
    }

    pub(super) fn run(&mut self, command: Command) {
        match command {
            Command::Play => {
                self.playing = !self.playing && self.len() > 1;
                if self.playing && self.at + 1 >= self.len() {
                    self.at = 0;
                }
            }
            Command::Faster => self.pace = (self.pace + 1).min(PACES.len() - 1),
            Command::Slower => self.pace = self.pace.saturating_sub(1),
            Command::NextSubject => self.subject = self.subject.next(),
            Command::PreviousSubject => self.subject = self.subject.previous(),
            Command::NextGroup => self.seek_part(true),
            Command::PreviousGroup => self.seek_part(false),
            _ => {}
        }
    }

    /// To where the next or previous part begins, or else to the end.
    fn seek_part(&mut self, forwards: bool) {
        self.playing = false;
        let Some(story) = &self.story else { return };
        let begins = |at: &usize| story.tale.begins_part(*at);
        let last = story.len().saturating_sub(1);
        self.at = if forwards {
            (self.at + 1..story.len()).find(begins).unwrap_or(last)
        } else {
            (0..self.at.min(story.len())).rev().find(begins).unwrap_or(0)
        };
    }

    pub(super) fn play_on(&mut self) {
        self.at += 1;
        if self.at + 1 >= self.len() {
            self.playing = false;
            self.put(self.at);
        }
    }
}

impl Model {
    /// Runs a command of the Construct screen.
    pub(super) fn run_construct(&mut self, command: Command) {
        self.settle_construct();
        self.screens.construct.run(command);
        if matches!(command, Command::Faster | Command::Slower) {
            let pace = self.screens.construct.pace().as_secs_f32();
            self.say(Tone::Done, format!("playing takes {pace} s a step"));
        }
    }

    /// Traces what is chosen. Another release or an edit keeps the step: the same one under the other rule; another
    /// place starts anew.
    pub(super) fn settle_construct(&mut self) {
        let (built, selection) = (&self.built, self.selection);
        let construct = &mut self.screens.construct;
        let place = Place::new(construct.subject, selection.cpu, selection.level);
        let is_new = construct.built != Some(built.generation);
        if !is_new && construct.place == Some(place) {
            return;
        }
        let told = construct.story.take().and_then(|story| story.key(construct.at));
        construct.story = Story::tell(construct.subject, built, selection.cpu, selection.level);
        // A level keeps its name from build to build, not its index.
        let stays = construct
            .place
            .is_some_and(|before| before == place || is_new && Place { level: place.level, ..before } == place);
        if stays {
            let same = told.zip(construct.story.as_ref()).and_then(|(key, story)| story.find(&key));
            construct.at = same.unwrap_or(construct.at);
        } else {
            (construct.at, construct.playing) = (0, false);
        }
        (construct.built, construct.place) = (Some(built.generation), Some(place));
        construct.put(construct.at);
    }
}
