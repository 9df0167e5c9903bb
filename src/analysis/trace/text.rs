//! Traces in words, a line per decision.

use super::{DegenerateStep, DistanceFate, DistanceStep, HeadWhy, MaskPart, MaskWhy, Rule, Skip, Start, Step, Trace};
use super::{LevelCheck, SpanOutcome, Verdict};
use crate::kernel::release::{OverlapGroups, PlainGroups};
use crate::kernel::{Build, Fate};

impl Rule {
    /// The rule in a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Self::Overlap(OverlapGroups::FromFirstCpu) => {
                "the scan starts at the lowest CPU of the span, whichever CPU the groups are for; each group uses the \
                 instance of the CPU it was found at"
            }
            Self::Overlap(OverlapGroups::ChildFirst) => {
                "the CPU's own child first, then upwards from the lowest CPU; each group uses the instance of the CPU it \
                 was found at"
            }
            Self::Overlap(OverlapGroups::ChildFirstThenOwner) => {
                "the CPU's own child first, then upwards from the lowest CPU; instances are chosen once all groups exist"
            }
            Self::Overlap(OverlapGroups::WrapOwnerFound) => {
                "the scan starts at the CPU itself and wraps; each group uses the instance of the CPU it was found at"
            }
            Self::Overlap(OverlapGroups::WrapBalanceOwner) => {
                "the scan starts at the CPU itself and wraps; each group uses the instance of the lowest CPU in its mask"
            }
            Self::Overlap(OverlapGroups::WrapDescended) => {
                "the scan starts at the CPU itself and wraps, a child that reaches out of the span is replaced by a \
                 descendant; each group uses the instance of the lowest CPU in its mask"
            }
            Self::Plain(PlainGroups::FirstCpuLinks) => "one group a child, linked once by the lowest CPU of the span",
            Self::Plain(PlainGroups::EveryCpuRewrites | PlainGroups::EveryCpuLinks) => {
                "one group a child, linked anew by every CPU of the span, so that the last one's order stays"
            }
        }
    }
}

impl Start {
    /// Why there.
    pub fn text(self) -> &'static str {
        match self {
            Self::LowestCpu => "the lowest CPU of the span",
            Self::OwnCpu => "the CPU itself",
            Self::OwnChildFirst => "the CPU's own child",
            Self::FirstCpuLinks => "the lowest CPU of the span, which links for all",
            Self::LastCpuLinks => "the highest CPU of the span, which links last",
        }
    }
}

impl HeadWhy {
    /// Why that one.
    pub fn text(self) -> &'static str {
        match self {
            Self::TakenFirst => "taken first",
            Self::BalanceCpu => "the CPU is its balance CPU",
            Self::FirstHolding => "the first that holds the CPU",
            Self::OwnGroup => "the CPU is in it",
        }
    }
}

impl MaskPart {
    /// The part in words.
    pub fn text(&self, build: &Build) -> String {
        let why = match self.why {
            MaskWhy::ChildIsGroup => "their child is this group".to_owned(),
            MaskWhy::ChildIs(span) => format!("their child is {{{}}}", build.span(span)),
            MaskWhy::NoChild => "they have no child domain".to_owned(),
            MaskWhy::HasDomain => "they have a domain at this level".to_owned(),
            MaskWhy::NoDomain => "they have no domain at this level".to_owned(),
            MaskWhy::HeadIsGroup => "this is their first group".to_owned(),
            MaskWhy::HeadIs(span) => format!("their first group is {{{}}}", build.span(span)),
            MaskWhy::AllOnes => "every CPU is let in".to_owned(),
            MaskWhy::InGroup => "the group is its own mask".to_owned(),
        };
        format!("{} {{{}}}: {why}", if self.why.is_in() { "in" } else { "out" }, self.cpus)
    }
}

impl Step {
    /// The decision in a sentence.
    pub fn text(&self, build: &Build) -> String {
        let set = |span| format!("{{{}}}", build.span(span));
        let label = |level| build.level_label(level);
        match self {
            Self::Start { at, why } => format!("start at CPU {at}: {}", why.text()),
            Self::Skip { cpus, why } => match why {
                Skip::Covered => format!("pass over {cpus}: a group holds them already"),
                Skip::NotInOwnDomain(span) => format!("pass over {cpus}: their own domain {} lacks them", set(*span)),
                Skip::NoDomain => format!("pass over {cpus}: no domain at this level, their chain ended below"),
            },
            Self::Descend { cpu, from, to, outside, fits } => format!(
                "the child of CPU {cpu} at {}, {}, reaches out of the span: go down to {}, which has {}",
                label(*from),
                set(*outside),
                label(*to),
                set(*fits)
            ),
            Self::Take { group, cpu, level, span, child } => {
                let what = if *child { "the child of its domain" } else { "it has no child" };
                format!("group {group} at CPU {cpu}: {}, {what} at {}", set(*span), label(*level))
            }
            Self::Mask { group, made_by, parts } => {
                let parts: Vec<String> = parts.iter().map(|part| part.text(build)).collect();
                format!("balance mask of group {group}, made for CPU {made_by}: {}", parts.join("; "))
            }
            Self::Sgc { group, owner, sgc, earlier } => {
                let name = sgc.map_or_else(|| format!("that of CPU {owner}"), |sgc| build.sgc_name(build.sgc(sgc)));
                let used = match earlier {
                    None => "used here first".to_owned(),
                    Some(use_) => {
                        format!("used first by CPU {} at {} for {}", use_.cpu, label(use_.level), set(use_.group))
                    }
                };
                format!("capacity of group {group}: {name}, {used}")
            }
            Self::Head { group, why } => format!("first group: {group}, {}", why.text()),
            Self::Tangled => {
                "masks of this level overlap, and CPUs relinked each other's groups: this is what is left".into()
            }
            Self::End { covered, span } if covered == build.span(*span) => {
                format!("end: the groups hold {{{covered}}}, all of the domain and nothing else")
            }
            Self::End { covered, span } => {
                format!("end: the groups hold {{{covered}}}, and the domain is {}: they don't span it", set(*span))
            }
        }
    }
}

impl Trace {
    /// Whether the groups hold exactly the domain's CPUs.
    pub fn spans_domain(&self, build: &Build) -> bool {
        let covered = self.steps.iter().rev().find_map(|step| match step {
            Step::End { covered, .. } => Some(covered),
            _ => None,
        });
        covered.is_some_and(|covered| covered == build.span(self.span))
    }
}

impl DistanceStep {
    /// The step in a sentence.
    pub fn text(&self, build: &Build) -> String {
        let fate = match self.fate {
            DistanceFate::Local => "the local distance, no level".to_owned(),
            DistanceFate::Level(level) => format!("makes {}", build.level_label(level)),
            DistanceFate::NotInRowZero => "not in the row of node 0, so no level".to_owned(),
            DistanceFate::WithoutCpus => "only nodes without CPUs have it, so no level".to_owned(),
            DistanceFate::Averaged => "an average stands in for it".to_owned(),
            DistanceFate::Refused => "the table is refused, so no level".to_owned(),
        };
        let place = match self.first {
            Some((from, to)) => format!("first from node {from} to {to}, {} in all", self.pairs),
            None => "an average".to_owned(),
        };
        format!("distance {} ({place}): {fate}", self.distance)
    }
}

impl LevelCheck {
    /// The check in a sentence.
    pub fn text(&self, build: &Build) -> String {
        let label = build.level_label(self.level);
        let read = if self.read_as == self.level {
            String::new()
        } else {
            format!(" (read as {})", build.level_label(self.read_as))
        };
        let outcome = match &self.outcome {
            SpanOutcome::MayOverlap => "may overlap, not checked".to_owned(),
            SpanOutcome::Apart(masks) => format!("{masks} different masks, all apart"),
            SpanOutcome::Clash { a, mask_a, b, mask_b } => {
                format!("CPU {a} has {{{mask_a}}} and CPU {b} has {{{mask_b}}}: they meet and differ")
            }
            SpanOutcome::NotReached => "not reached".to_owned(),
        };
        format!("{label}{read}: {outcome}")
    }
}

impl DegenerateStep {
    /// The decision in a sentence.
    pub fn text(&self, build: &Build) -> String {
        let label = build.level_label(self.level);
        let child = self.child.map_or_else(String::new, |child| build.level_label(child));
        let llc = build.release.rules.llc_flag_name;
        let mut text = match self.verdict {
            Verdict::Goes(Fate::OneCpu) => format!("{label} goes: it spans one CPU"),
            Verdict::Goes(Fate::OneGroup) => format!("{label} goes: one group, and no flag that matters with it"),
            Verdict::Goes(_) => format!("{label} goes: the span of {child}, and no flag that {child} lacks"),
            Verdict::SpansMore => format!("{label} stays: it spans more than {child}"),
            Verdict::HasFlags(flags) => {
                format!(
                    "{label} stays: {child} spans the same and lacks {}",
                    flags.names(llc).collect::<Vec<_>>().join(", ")
                )
            }
            Verdict::Lowest => format!("{label} stays as the lowest domain"),
        };
        if self.prefer_sibling_moves {
            text = format!("{text}; SD_PREFER_SIBLING moves to {child}");
        }
        if let Some((up, flags)) = self.group_flags {
            let names: Vec<&str> = flags.names(llc).collect();
            let names = if names.is_empty() { "no flags".to_owned() } else { names.join(", ") };
            text = format!("{text}; the first group of {} gets {names}", build.level_label(up));
        }
        text
    }
}
