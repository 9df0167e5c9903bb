//! The lesson: short steps in a panel beside the live explorer. Its words and what they claim are data, and a test holds
//! every claim against the model.

use crate::explore::vocabulary::border::LessonRows;
use crate::explore::vocabulary::pane::{Pane, Screen};
use serde::Deserialize;
use std::sync::LazyLock;

/// The steps, in order.
pub fn steps() -> &'static [LessonStep] {
    static STEPS: LazyLock<Vec<LessonStep>> = LazyLock::new(|| read(TEXT).unwrap_or_default());
    &STEPS
}

const TEXT: &str = include_str!("../../../assets/lesson.toml");

fn read(text: &str) -> Result<Vec<LessonStep>, toml::de::Error> {
    toml::from_str::<LessonFile>(text).map(|book| book.step)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LessonFile {
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
    /// The release to compare with, on Compare, or to show beside, on Balance.
    pub other: Option<String>,
    /// Something to predict.
    pub question: Option<LessonQuestion>,
    /// What the words rely on.
    #[serde(default)]
    pub claims: Vec<Claim>,
}

/// A question with its answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonQuestion {
    /// The question.
    pub ask: String,
    /// The answers to choose from.
    pub choices: Vec<String>,
    /// Which is right, from 0.
    pub right: usize,
    /// Why.
    pub why: String,
    /// Panes that give the answer away: they are hidden until there is one.
    #[serde(default)]
    pub hidden_until_answered: Vec<Pane>,
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
    /// Whether the pair's first node gets a task of the second, when all are there at first.
    pub pulls: Option<bool>,
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
    pub(in crate::explore) seen: LessonRows,
    /// By step, what was answered; a number past the choices when the answer was only looked up.
    answers: Vec<Option<u8>>,
    /// Whether the machine of the step is still on its way.
    pub(in crate::explore) going: bool,
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
    pub(in crate::explore) fn seen(&mut self, seen: LessonRows) {
        (self.first, self.seen) = (seen.first, seen);
    }

    /// The step's name; `None` at the first one, where a lesson begins anyway.
    pub(in crate::explore) fn bookmark(&self) -> Option<String> {
        self.step().filter(|_| self.at > 0).map(|step| step.id.clone())
    }

    /// Takes up the lesson at the step of that name, if there still is one.
    pub fn resume(&mut self, bookmark: &str) {
        self.at = steps().iter().position(|step| step.id == bookmark).unwrap_or(self.at);
    }

    /// Whether a pane is hidden until there is an answer.
    pub fn hides(&self, pane: Pane) -> bool {
        let ask = self.step().and_then(|step| step.question.as_ref());
        self.asks() && ask.is_some_and(|ask| ask.hidden_until_answered.contains(&pane))
    }

    pub(in crate::explore) fn go(&mut self, at: usize) {
        (self.at, self.first, self.seen) = (at, 0, LessonRows::default());
    }

    pub(in crate::explore) fn give(&mut self, answer: u8) {
        // The answer and why it is right come last: that far the view goes, and no further.
        self.first = usize::MAX;
        self.answers.resize(steps().len(), None);
        if let Some(slot) = self.answers.get_mut(self.at) {
            *slot = Some(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::reach;
    use crate::balance::Balancer;
    use crate::balance::simulate::{Pair, PairResult, matrix};
    use crate::kernel::{self, Build, GroupView, Release, dmesg};
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
            claim.pulls.map(|pulls| (pulls.to_string(), has_pulled(step, topology, build).to_string())),
        ];
        both.into_iter().flatten().collect()
    }

    /// Whether the pair's first node got a task of the second in three seconds.
    fn has_pulled(step: &LessonStep, topology: &Topology, build: &Build) -> bool {
        let (to, from) = step.pair.unwrap();
        let balancer = Balancer::new(topology, build);
        matches!(matrix::run_pair(&balancer, Pair { from, to }, 3000, 0), PairResult::Moved { .. })
    }

    #[test]
    fn every_claim_holds() {
        assert!((8..=14).contains(&read(TEXT).unwrap().len()));
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
                assert!(ask.hidden_until_answered.is_empty() || step.screen == Screen::Explore, "{}", step.id);
                assert!(ask.right < ask.choices.len() && (2..=4).contains(&ask.choices.len()), "{}", step.id);
            }
        }
    }
}
