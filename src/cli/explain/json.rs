//! Traces as JSON: every step with its fields, and the sentence that the text has.

use crate::analysis::trace::{
    self, DegenerateStep, DistanceFate, DistanceStep, HeadWhy, LevelCheck, MaskPart, MaskWhy, Rule, Skip, SpanOutcome,
    Start, Step, Trace, Verdict,
};
use crate::cpumask::CpuMask;
use crate::kernel::release::SpanCheck;
use crate::kernel::{Build, Fate, Flags, SpanId};
use crate::topology::Topology;
use serde_json::{Value, json};

/// Everything `explain` says of a CPU.
pub(super) fn explained(topology: &Topology, build: &Build, cpu: usize, traces: &[Trace]) -> Value {
    let writer = Writer { build };
    let check = trace::span_check(topology, build);
    let distances = trace::distances(topology, build);
    let degeneration = trace::degeneration(build, cpu);
    json!({
        "cpu": cpu,
        "kernel": build.release.name,
        "distances": {
            "rule": trace::distances_rule(build),
            "steps": distances.iter().map(|step| writer.distance(step)).collect::<Vec<_>>(),
        },
        "span_check": {
            "kind": span_check_name(check.rule),
            "rule": trace::span_check_rule(build),
            "steps": check.levels.iter().map(|level| writer.check(level)).collect::<Vec<_>>(),
        },
        "error": build.error.as_ref().map(ToString::to_string),
        "traces": traces.iter().map(|trace| writer.trace(trace)).collect::<Vec<_>>(),
        "degeneration": {
            "rule": trace::degeneration_rule(build),
            "steps": degeneration.iter().map(|step| writer.degenerate(step)).collect::<Vec<_>>(),
        },
    })
}

/// A step's own fields with its kind and its sentence.
fn step(kind: &str, text: String, mut fields: Value) -> Value {
    fields["step"] = kind.into();
    fields["text"] = text.into();
    fields
}

/// Writes what names levels and spans.
struct Writer<'a> {
    build: &'a Build,
}

impl Writer<'_> {
    fn label(&self, level: usize) -> String {
        self.build.level_label(level)
    }

    fn set(&self, span: SpanId) -> String {
        self.build.span(span).to_string()
    }

    fn flags(&self, flags: Flags) -> Vec<&'static str> {
        flags.names(self.build.release.rules.llc_flag_name).collect()
    }

    fn trace(&self, trace: &Trace) -> Value {
        let groups = trace.groups.iter().map(|group| {
            json!({
                "span": self.set(group.span),
                "mask": group.mask.to_string(),
                "found_at": group.found_at,
                "owner": group.owner,
                "level": self.label(group.level),
            })
        });
        json!({
            "level": self.label(trace.level),
            "span": self.set(trace.span),
            "child": trace.child.map(|child| self.set(child)),
            "builder": builder(trace.rule),
            "rule": trace.rule.text(),
            "steps": trace.steps.iter().map(|step| self.decision(step)).collect::<Vec<_>>(),
            "groups": groups.collect::<Vec<_>>(),
            "spans_domain": trace.spans_domain(self.build),
        })
    }

    fn decision(&self, decision: &Step) -> Value {
        let (kind, fields) = match decision {
            Step::Start { at, why } => ("start", json!({ "cpu": at, "why": start_name(*why) })),
            Step::Skip { cpus, why } => ("skip", self.skip(cpus, *why)),
            Step::Descend { cpu, from, to, outside, fits } => (
                "descend",
                json!({
                    "cpu": cpu,
                    "from": self.label(*from),
                    "to": self.label(*to),
                    "outside": self.set(*outside),
                    "fits": self.set(*fits),
                }),
            ),
            Step::Take { group, cpu, level, span, child } => (
                "take",
                json!({
                    "group": group,
                    "cpu": cpu,
                    "level": self.label(*level),
                    "span": self.set(*span),
                    "child": child,
                }),
            ),
            Step::Mask { group, made_by, parts } => {
                let parts: Vec<Value> = parts.iter().map(|part| self.part(part)).collect();
                ("mask", json!({ "group": group, "made_for": made_by, "parts": parts }))
            }
            Step::Sgc { group, owner, sgc, earlier } => {
                let earlier = earlier.map(|earlier| {
                    json!({
                        "cpu": earlier.cpu,
                        "level": self.label(earlier.level),
                        "group": self.set(earlier.group),
                    })
                });
                let sgc = sgc.map(|sgc| self.build.sgc_name(self.build.sgc(sgc)));
                ("sgc", json!({ "group": group, "owner": owner, "sgc": sgc, "earlier": earlier }))
            }
            Step::Head { group, why } => ("head", json!({ "group": group, "why": head_name(*why) })),
            Step::Tangled => ("tangled", json!({})),
            Step::End { covered, span } => ("end", json!({ "covered": covered.to_string(), "span": self.set(*span) })),
        };
        step(kind, decision.text(self.build), fields)
    }

    fn skip(&self, cpus: &CpuMask, why: Skip) -> Value {
        let cpus = cpus.to_string();
        match why {
            Skip::Covered => json!({ "cpus": cpus, "why": "covered" }),
            Skip::NotInOwnDomain(sibling) => {
                json!({ "cpus": cpus, "why": "not-in-own-domain", "sibling": self.set(sibling) })
            }
            Skip::NoDomain => json!({ "cpus": cpus, "why": "no-domain" }),
        }
    }

    fn part(&self, part: &MaskPart) -> Value {
        let (why, set) = match part.why {
            MaskWhy::ChildIsGroup => ("child-is-group", None),
            MaskWhy::ChildIs(span) => ("child-is", Some(span)),
            MaskWhy::NoChild => ("no-child", None),
            MaskWhy::HasDomain => ("has-domain", None),
            MaskWhy::NoDomain => ("no-domain", None),
            MaskWhy::HeadIsGroup => ("head-is-group", None),
            MaskWhy::HeadIs(span) => ("head-is", Some(span)),
            MaskWhy::AllOnes => ("all-ones", None),
            MaskWhy::InGroup => ("in-group", None),
        };
        let mut value = json!({ "cpus": part.cpus.to_string(), "in": part.why.is_in(), "why": why });
        if let Some(set) = set {
            value["set"] = self.set(set).into();
        }
        value
    }

    fn distance(&self, distance: &DistanceStep) -> Value {
        let (fate, level) = match distance.fate {
            DistanceFate::Local => ("local", None),
            DistanceFate::Level(level) => ("level", Some(self.label(level))),
            DistanceFate::NotInRowZero => ("not-in-row-0", None),
            DistanceFate::WithoutCpus => ("without-cpus", None),
            DistanceFate::Averaged => ("averaged", None),
            DistanceFate::Refused => ("refused", None),
        };
        let fields = json!({
            "distance": distance.distance,
            "first": distance.first.map(|(from, to)| [from, to]),
            "pairs": distance.pairs,
            "fate": fate,
            "level": level,
        });
        step("distance", distance.text(self.build), fields)
    }

    fn check(&self, check: &LevelCheck) -> Value {
        let mut fields = match &check.outcome {
            SpanOutcome::MayOverlap => json!({ "outcome": "may-overlap" }),
            SpanOutcome::Apart(masks) => json!({ "outcome": "apart", "masks": masks }),
            SpanOutcome::Clash { a, mask_a, b, mask_b } => json!({
                "outcome": "clash",
                "cpus": [a, b],
                "masks": [mask_a.to_string(), mask_b.to_string()],
            }),
            SpanOutcome::NotReached => json!({ "outcome": "not-reached" }),
        };
        fields["level"] = self.label(check.level).into();
        fields["read_as"] = self.label(check.read_as).into();
        step("check", check.text(self.build), fields)
    }

    fn degenerate(&self, decided: &DegenerateStep) -> Value {
        let (verdict, missing) = match decided.verdict {
            Verdict::Goes(fate) => (fate_name(fate), None),
            Verdict::SpansMore => ("spans-more", None),
            Verdict::HasFlags(flags) => ("has-flags", Some(self.flags(flags))),
            Verdict::Lowest => ("lowest", None),
        };
        let group_flags =
            decided.group_flags.map(|(level, flags)| json!({ "level": self.label(level), "flags": self.flags(flags) }));
        let fields = json!({
            "level": self.label(decided.level),
            "child": decided.child.map(|child| self.label(child)),
            "goes": matches!(decided.verdict, Verdict::Goes(_)),
            "why": verdict,
            "missing_flags": missing,
            "prefer_sibling_moves": decided.prefer_sibling_moves,
            "group_flags": group_flags,
        });
        step("degenerate", decided.text(self.build), fields)
    }
}

fn builder(rule: Rule) -> &'static str {
    match rule {
        Rule::Overlap(_) => "build_overlap_sched_groups",
        Rule::Plain(_) => "build_sched_groups",
    }
}

fn start_name(why: Start) -> &'static str {
    match why {
        Start::LowestCpu => "lowest-cpu",
        Start::OwnCpu => "own-cpu",
        Start::OwnChildFirst => "own-child-first",
        Start::FirstCpuLinks => "first-cpu-links",
        Start::LastCpuLinks => "last-cpu-links",
    }
}

fn head_name(why: HeadWhy) -> &'static str {
    match why {
        HeadWhy::TakenFirst => "taken-first",
        HeadWhy::BalanceCpu => "balance-cpu",
        HeadWhy::FirstHolding => "first-holding",
        HeadWhy::OwnGroup => "own-group",
    }
}

fn span_check_name(rule: SpanCheck) -> &'static str {
    match rule {
        SpanCheck::None => "none",
        SpanCheck::Pairwise => "pairwise",
        SpanCheck::PairwiseAbove => "pairwise-above",
        SpanCheck::StaleNode => "stale-node",
        SpanCheck::Linear => "linear",
    }
}

fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Kept => "kept",
        Fate::OneCpu => "one-cpu",
        Fate::OneGroup => "one-group",
        Fate::SameAsChild => "same-as-child",
    }
}
