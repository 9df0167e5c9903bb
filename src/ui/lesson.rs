//! The lesson: short steps in a panel beside the live explorer. Its words and what they claim are data, and a test holds
//! every claim against the model.

use super::action::{Command, Effect, Pane, Screen};
use super::model::{Model, Tone, Waiting, Welcome};
use super::picker::Source;
use super::screens::compare::Against;
use crate::kernel::Release;
use serde::Deserialize;
use std::sync::LazyLock;

/// The steps, in order.
pub fn steps() -> &'static [LessonStep] {
    static BOOK: LazyLock<Vec<LessonStep>> = LazyLock::new(|| read(TEXT).unwrap_or_default());
    &BOOK
}

const TEXT: &str = include_str!("../../assets/lesson.toml");

fn read(text: &str) -> Result<Vec<LessonStep>, toml::de::Error> {
    toml::from_str::<Book>(text).map(|book| book.step)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    step: Vec<LessonStep>,
}

/// One step: what to look at, and what to know of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonStep {
    /// A name that stays.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The words.
    pub text: String,
    /// The machine.
    pub preset: String,
    /// The kernel.
    pub kernel: String,
    /// The screen to look at.
    pub screen: Screen,
    /// The pane that has the focus, on Explore.
    pub pane: Option<Pane>,
    /// The pair of nodes chosen, by index.
    pub pair: Option<(usize, usize)>,
    /// The CPU chosen.
    pub cpu: usize,
    /// The level chosen.
    pub level: String,
    /// The step of the construction, on Construct.
    pub at: Option<usize>,
    /// The release to compare with, on Compare.
    pub other: Option<String>,
    /// Something to predict.
    pub question: Option<Ask>,
    /// What the words rely on.
    #[serde(default)]
    pub claims: Vec<Claim>,
}

/// A question with its answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The question.
    pub ask: String,
    /// The answers to choose from.
    pub choices: Vec<String>,
    /// Which is right, from 0.
    pub right: usize,
    /// Why.
    pub why: String,
    /// Panes that give the answer away: they are covered until there is one.
    #[serde(default)]
    pub veil: Vec<Pane>,
}

/// Something the model must agree with. What is not named is not looked at.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The machine, if another than the step's.
    pub preset: Option<String>,
    /// The kernel, if another than the step's.
    pub kernel: Option<String>,
    /// The CPU, if another than the step's.
    pub cpu: Option<usize>,
    /// The level, if another than the step's.
    pub level: Option<String>,
    /// The domain's CPUs.
    pub span: Option<String>,
    /// The groups' CPUs, the first group first.
    pub groups: Option<Vec<String>>,
    /// Their balance masks.
    pub masks: Option<Vec<String>>,
    /// Their balance CPUs.
    pub balance: Option<Vec<usize>>,
    /// The CPUs their capacity instances belong to.
    pub owners: Option<Vec<u32>>,
    /// Pairs (puller, source) that can never pull: all of them.
    pub holes: Option<Vec<(usize, usize)>>,
    /// Pairs that could and nobody lets: all of them.
    pub stuck: Option<Vec<(usize, usize)>>,
    /// A line the kernel prints.
    pub says: Option<String>,
}

/// How many lines of a step are on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The first of them.
    pub first: usize,
    /// How many.
    pub shown: usize,
    /// How many come after them.
    pub below: usize,
}

/// Where the person is in the lesson.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    /// Whether the panel is there.
    pub open: bool,
    /// The step.
    pub at: usize,
    /// The first line shown, where not all have room.
    pub first: usize,
    /// What of the step was on the screen last.
    seen: Seen,
    /// By step, what was answered; a number past the choices when the answer was only looked up.
    answers: Vec<Option<u8>>,
    /// Whether the machine of the step is still on its way.
    going: bool,
}

impl Lesson {
    /// The step.
    pub fn step(&self) -> Option<&'static LessonStep> {
        steps().get(self.at)
    }

    /// The answer given to the step's question.
    pub fn answer(&self) -> Option<u8> {
        self.answers.get(self.at).copied().flatten()
    }

    /// Whether the step waits for an answer.
    pub fn asks(&self) -> bool {
        self.open && self.answer().is_none() && self.step().is_some_and(|step| step.question.is_some())
    }

    /// The view has drawn so much of the step.
    pub(super) fn seen(&mut self, seen: Seen) {
        (self.first, self.seen) = (seen.first, seen);
    }

    /// The step's name; `None` at the first one, where a lesson begins anyway.
    pub(super) fn bookmark(&self) -> Option<String> {
        self.step().filter(|_| self.at > 0).map(|step| step.id.clone())
    }

    /// Takes up the lesson at the step of that name, if there still is one.
    pub(super) fn resume(&mut self, bookmark: &str) {
        self.at = steps().iter().position(|step| step.id == bookmark).unwrap_or(self.at);
    }

    /// Whether a pane is covered until there is an answer.
    pub fn veils(&self, pane: Pane) -> bool {
        let ask = self.step().and_then(|step| step.question.as_ref());
        self.asks() && ask.is_some_and(|ask| ask.veil.contains(&pane))
    }

    fn go(&mut self, at: usize) {
        (self.at, self.first, self.seen) = (at, 0, Seen::default());
    }

    fn give(&mut self, answer: u8) {
        // The answer and why it is right come last: that far the view goes, and no further.
        self.first = usize::MAX;
        self.answers.resize(steps().len(), None);
        if let Some(slot) = self.answers.get_mut(self.at) {
            *slot = Some(answer);
        }
    }
}

impl Model {
    /// Greets the person as asked for.
    pub(super) fn welcome(&mut self) -> Vec<Effect> {
        match self.options.welcome {
            Welcome::Silent => Vec::new(),
            Welcome::Hint => {
                let (steps, at) = (steps().len(), self.screens.lesson.at);
                let [lesson, help] = [Command::Lesson, Command::Help].map(|command| self.keys.key_of(command));
                let text = if at == 0 {
                    format!(
                        "new to scheduler domains? {lesson} is a lesson of {steps} short steps; {help} has every key"
                    )
                } else {
                    format!("{lesson} goes on with the lesson at step {} of {steps}; {help} has every key", at + 1)
                };
                self.say(Tone::Done, text);
                Vec::new()
            }
            Welcome::Lesson => self.run_lesson(Command::Lesson),
        }
    }

    pub(super) fn run_lesson(&mut self, command: Command) -> Vec<Effect> {
        let lesson = &mut self.screens.lesson;
        match command {
            Command::Choose(choice) if lesson.asks() => {
                let choices = lesson.step().and_then(|step| step.question.as_ref()).map_or(0, |ask| ask.choices.len());
                if usize::from(choice) < choices {
                    lesson.give(choice);
                }
                Vec::new()
            }
            Command::Choose(_) => Vec::new(),
            Command::Lesson if lesson.open => {
                lesson.open = false;
                let key = self.keys.key_of(Command::Lesson);
                self.say(Tone::Done, format!("the lesson waits here: {key} goes on with it"));
                Vec::new()
            }
            Command::Lesson => {
                lesson.open = true;
                self.enter_step()
            }
            Command::NextStep if lesson.seen.below > 0 => {
                lesson.first = lesson.seen.first + lesson.seen.shown;
                lesson.seen.below = 0;
                Vec::new()
            }
            // Going on without an answer shows it first.
            Command::NextStep if lesson.asks() => {
                lesson.give(u8::MAX);
                Vec::new()
            }
            Command::NextStep if lesson.at + 1 >= steps().len() => {
                lesson.open = false;
                lesson.go(0);
                self.say(Tone::Done, "that was the lesson; everything stays as it is, to try things out");
                vec![Effect::Remember(self.memory())]
            }
            Command::NextStep => {
                lesson.go(lesson.at + 1);
                self.enter_step()
            }
            _ if lesson.seen.first > 0 => {
                lesson.first = lesson.seen.first.saturating_sub(lesson.seen.shown);
                lesson.seen.first = 0;
                Vec::new()
            }
            _ => {
                lesson.go(lesson.at.saturating_sub(1));
                self.enter_step()
            }
        }
    }

    /// Goes to the machine, kernel and place of the step.
    fn enter_step(&mut self) -> Vec<Effect> {
        let Some(step) = self.screens.lesson.step() else { return Vec::new() };
        let mut effects = vec![Effect::Remember(self.memory())];
        effects.extend(self.go_for_step(step));
        effects
    }

    fn go_for_step(&mut self, step: &LessonStep) -> Vec<Effect> {
        self.screens.lesson.going = true;
        if self.doc.topology().name != step.preset || self.doc.path.is_some() || self.doc.is_unsaved() {
            return self.leave_for(Waiting::Open(Source::Preset(step.preset.clone())));
        }
        self.lesson_opened();
        if self.built.build.release.name == self.release.name && !self.is_rebuilding() {
            self.lesson_built();
            return Vec::new();
        }
        self.rebuild()
    }

    /// A machine was opened: if it is the step's, the kernel goes with it.
    pub(super) fn lesson_opened(&mut self) {
        let lesson = &self.screens.lesson;
        let Some(step) = lesson.step().filter(|_| lesson.open && lesson.going) else { return };
        if self.doc.topology().name == step.preset
            && let Ok(release) = Release::parse(&step.kernel)
        {
            self.release = release;
        }
    }

    /// A build is there: if it is the step's, the place goes with it.
    pub(super) fn lesson_built(&mut self) {
        let lesson = &self.screens.lesson;
        let Some(step) = lesson.step().filter(|_| lesson.open && lesson.going) else { return };
        let built = &self.built;
        if built.topology.name == step.preset && built.build.release.name == self.release.name {
            self.screens.lesson.going = false;
            self.go_to_step(step);
        }
    }

    fn go_to_step(&mut self, step: &LessonStep) {
        self.show_screen(step.screen);
        if let Some(pair) = step.pair {
            (self.selection.from, self.selection.to) = pair;
        }
        if let Some(pane) = step.pane {
            self.focus_on(pane);
        }
        self.selection.cpu = step.cpu;
        self.selection.level = self.built.build.find_level(&step.level).unwrap_or(self.selection.level);
        self.selection.group = 0;
        self.clamp();
        self.link_group();
        if let Some(other) = &step.other {
            self.screens.compare.other = Some(Against::Release(other.clone()));
        }
        if let Some(at) = step.at {
            self.settle_screens();
            self.screens.construct.put(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::reach;
    use crate::kernel::{self, Build, GroupView, dmesg};
    use crate::presets;
    use crate::topology::Topology;

    fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
        items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// What was claimed and what the model says, where something was claimed.
    fn sides(step: &LessonStep, claim: &Claim, topology: &Topology, build: &Build) -> Vec<(String, String)> {
        let cpu = claim.cpu.unwrap_or(step.cpu);
        let level = build.find_level(claim.level.as_ref().unwrap_or(&step.level)).unwrap();
        let domain = build.domain(cpu, level).unwrap();
        let of = |what: &dyn Fn(&GroupView) -> String| list(build.groups_of(domain).map(|group| what(&group)));
        let reach = reach::reach(topology, build);
        let pairs = |pairs: &[(usize, usize)]| format!("{pairs:?}");
        let log = || dmesg::text(build, topology);
        let both = [
            claim.span.clone().map(|span| (span, build.span(domain.span).to_string())),
            claim.groups.as_ref().map(|all| (list(all), of(&|group| group.span.to_string()))),
            claim.masks.as_ref().map(|all| (list(all), of(&|group| group.mask.to_string()))),
            claim.balance.as_ref().map(|all| (list(all), of(&|group| list(group.balance_cpu())))),
            claim.owners.as_ref().map(|all| (list(all), of(&|group| group.sgc.owner.to_string()))),
            claim.holes.as_ref().map(|all| (pairs(all), pairs(&reach.holes))),
            claim.stuck.as_ref().map(|all| (pairs(all), pairs(&reach.stuck().collect::<Vec<_>>()))),
            claim.says.clone().map(|line| (line.clone(), log().lines().find(|&l| l == line).unwrap_or("").to_owned())),
        ];
        both.into_iter().flatten().collect()
    }

    #[test]
    fn every_claim_holds() {
        assert!((8..=12).contains(&read(TEXT).unwrap().len()));
        for step in steps() {
            assert!(!step.claims.is_empty(), "{} claims nothing", step.id);
            for claim in &step.claims {
                let name = claim.preset.as_ref().unwrap_or(&step.preset);
                let topology = presets::find(name).unwrap().topology().unwrap();
                let kernel = claim.kernel.as_ref().unwrap_or(&step.kernel);
                let build = kernel::build(&topology, &Release::parse(kernel).unwrap());
                let sides = sides(step, claim, &topology, &build);
                assert!(!sides.is_empty(), "{}: {claim:?} claims nothing", step.id);
                for (claimed, found) in sides {
                    assert_eq!(claimed, found, "{}: {claim:?}", step.id);
                }
            }
        }
    }

    #[test]
    fn every_step_names_things_that_exist() {
        for step in steps() {
            let topology = presets::find(&step.preset).unwrap().topology().unwrap();
            let build = kernel::build(&topology, &Release::parse(&step.kernel).unwrap());
            assert!(build.find_level(&step.level).is_some() && step.cpu < build.nr_cpus, "{}", step.id);
            assert!(step.pair.is_none_or(|(from, to)| from < topology.nodes.len() && to < topology.nodes.len()));
            assert_eq!(step.pane.is_some(), step.screen == Screen::Explore, "{}", step.id);
            if let Some(other) = &step.other {
                assert!(Release::all().iter().any(|release| release.name == *other), "{}", step.id);
            }
            if let Some(ask) = &step.question {
                assert!(ask.veil.is_empty() || step.screen == Screen::Explore, "{}", step.id);
                assert!(ask.right < ask.choices.len() && (2..=4).contains(&ask.choices.len()), "{}", step.id);
            }
        }
    }
}
