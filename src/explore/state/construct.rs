//! Stepping through a decision after another: how groups, levels and domains came to be.

use crate::explore::derived::trace_view::{Subject, TraceView};
use crate::explore::vocabulary::direction::{Direction, MoveBy, moved};
use std::time::Duration;

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
    pub(in crate::explore) built: Option<u64>,
    pub(in crate::explore) place: Option<TracePlace>,
    /// What is traced.
    pub subject: Subject,
    /// Its steps; none where the chosen CPU has no domain at the chosen level.
    pub trace: Option<TraceView>,
    /// The step that was made last.
    pub at: usize,
    /// Whether the steps run by themselves.
    pub playing: bool,
    /// How fast, an index into the paces.
    pace: usize,
}

/// What a trace is of: no CPU and no level where they make no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explore) struct TracePlace {
    pub(in crate::explore) subject: Subject,
    pub(in crate::explore) cpu: Option<usize>,
    pub(in crate::explore) level: Option<usize>,
}

impl TracePlace {
    pub(in crate::explore) fn new(subject: Subject, cpu: usize, level: usize) -> Self {
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
        Self { built: None, place: None, subject, trace: None, at: 0, playing: false, pace: 2 }
    }
}

impl Construct {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.trace.as_ref().map_or(0, TraceView::len)
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
    pub(in crate::explore) fn put(&mut self, at: usize) {
        self.at = at.min(self.len().saturating_sub(1));
    }

    pub(in crate::explore) fn go(&mut self, direction: Direction, by: MoveBy, page: usize) {
        self.playing = false;
        self.at = moved(self.at, self.len(), direction, by, page);
    }

    /// Lets the steps run, from the start when they are at their end, or stops them.
    pub(in crate::explore) fn toggle_play(&mut self) {
        self.playing = !self.playing && self.len() > 1;
        if self.playing && self.at + 1 >= self.len() {
            self.at = 0;
        }
    }

    /// Plays one pace faster.
    pub(in crate::explore) fn faster(&mut self) {
        self.pace = (self.pace + 1).min(PACES.len() - 1);
    }

    /// Plays one pace slower.
    pub(in crate::explore) fn slower(&mut self) {
        self.pace = self.pace.saturating_sub(1);
    }

    /// Traces another subject.
    pub(in crate::explore) fn change_subject(&mut self, change: impl FnOnce(Subject) -> Subject) {
        self.subject = change(self.subject);
    }

    /// To where the next or previous part begins, or else to the end.
    pub(in crate::explore) fn seek_part(&mut self, forwards: bool) {
        self.playing = false;
        let Some(trace) = &self.trace else { return };
        let begins = |at: &usize| trace.begins_part(*at);
        let last = trace.len().saturating_sub(1);
        self.at = if forwards {
            (self.at + 1..trace.len()).find(begins).unwrap_or(last)
        } else {
            (0..self.at.min(trace.len())).rev().find(begins).unwrap_or(0)
        };
    }

    pub(in crate::explore) fn play_on(&mut self) {
        self.at += 1;
        if self.at + 1 >= self.len() {
            self.playing = false;
            self.put(self.at);
        }
    }
}
