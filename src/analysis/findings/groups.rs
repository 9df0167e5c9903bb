//! Groups that share what they should not, or reach where they should not.

use super::advice::Advice;
use super::{Checker, REPAIR, Severity, Witness, text};
use crate::analysis::sharing::{self, Sharing, Verdict};
use crate::cpumask::CpuMask;
use crate::kernel::{RingId, SpanId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Groups of one finding kept as witnesses.
const WITNESSES: usize = 16;

impl Checker<'_> {
    pub(super) fn groups(&mut self) {
        for level in 0..self.build.levels.len() {
            if !self.is_kept(level) {
                continue;
            }
            let sharing = sharing::of_level(self.build, level);
            let [split, shared, _] = &sharing.verdicts;
            self.verdict("split-sgc", Severity::Info, level, split);
            self.verdict("shared-sgc", Severity::Warning, level, shared);
            self.balance_cpus(&sharing);
        }
        self.leaving();
        self.depths();
    }

    fn verdict(&mut self, id: &'static str, severity: Severity, level: usize, verdict: &Verdict) {
        let Some(witness) = verdict.witness else { return };
        let label = self.build.level_label(level);
        let more = if verdict.broken > 1 { format!(" ({} such cases)", verdict.broken) } else { String::new() };
        let message = format!("at {label}, group {}{more}", witness.text(self.build));
        let groups = match witness {
            sharing::Witness::TwoInstances { span, .. }
            | sharing::Witness::NoBalanceCpu { span, .. }
            | sharing::Witness::GroupElsewhere { span, .. } => vec![self.build.span(span).clone()],
            sharing::Witness::TwoGroups { first, second, .. } => {
                vec![self.build.span(first).clone(), self.build.span(second).clone()]
            }
        };
        let witness =
            Witness { cpus: CpuMask::single(witness.cpu()), level: Some(level), groups, ..Witness::default() };
        let otherwise = match id {
            "split-sgc" => "each domain keeps a capacity of its own for these CPUs",
            _ => REPAIR,
        };
        let why = "where a group's instance is that of the lowest CPU that has it first";
        let advice = Advice::Release { since: (4, 13), why, otherwise };
        self.push(id, severity, message, witness, advice);
    }

    /// A group is balanced by the lowest CPU in its span and mask; that CPU must have it first, at the level the
    /// capacity instance belongs to (from 5.13 that may be a level below).
    fn balance_cpus(&mut self, sharing: &Sharing) {
        let build = self.build;
        let (mut cpus, mut groups, mut cases, mut first) = (CpuMask::new(), Vec::new(), 0, None);
        for instance in &sharing.instances {
            let sgc = build.sgc(instance.sgc);
            for &span in &instance.spans {
                let Some(balance) = build.span(span).first_and(build.span(sgc.mask)) else { continue };
                let head = build
                    .domain(balance, sgc.level as usize)
                    .filter(|domain| build.nr_groups(domain) > 0)
                    .map(|domain| build.group(domain, 0).group.span);
                if head == Some(span) {
                    continue;
                }
                cases += 1;
                first.get_or_insert((span, balance, head));
                cpus.insert(balance);
                if groups.len() < WITNESSES {
                    groups.push(build.span(span).clone());
                }
            }
        }
        let Some((span, balance, head)) = first else { return };
        let whose = match head {
            Some(head) => format!("whose own first group is {{{}}}", build.span(head)),
            None => "which has no group at this level".to_owned(),
        };
        let more = if cases > 1 { format!(" ({cases} such groups)") } else { String::new() };
        let label = build.level_label(sharing.level);
        let message = format!("at {label}, group {{{}}} is balanced by CPU {balance}, {whose}{more}", build.span(span));
        let witness = Witness { cpus, level: Some(sharing.level), groups, ..Witness::default() };
        let why = "where a balance mask holds only CPUs that have the group first";
        let advice = Advice::Release { since: (4, 13), why, otherwise: REPAIR };
        self.push("balance-cpu-elsewhere", Severity::Warning, message, witness, advice);
    }

    /// Groups that hold CPUs outside their domain: a sibling's child taken whole, up to 5.12.
    fn leaving(&mut self) {
        let build = self.build;
        let mut known: FxHashMap<(RingId, SpanId), bool> = FxHashMap::default();
        let mut by_level: BTreeMap<usize, CpuMask> = BTreeMap::new();
        for cpu in self.cpu_map.iter() {
            for (level, domain) in build.chain(cpu) {
                let leaves = *known.entry((domain.ring, domain.span)).or_insert_with(|| {
                    let span = build.span(domain.span);
                    build.groups_of(domain).any(|group| !group.span.is_subset(span))
                });
                if leaves {
                    by_level.entry(level).or_default().insert(cpu);
                }
            }
        }
        for (level, cpus) in by_level {
            let Some(domain) = cpus.first().and_then(|cpu| build.domain(cpu, level)) else { continue };
            let span = build.span(domain.span);
            let groups: Vec<CpuMask> = build
                .groups_of(domain)
                .filter(|group| !group.span.is_subset(span))
                .map(|group| group.span.clone())
                .collect();
            let message = format!(
                "at {}, {} {} groups that reach out of the domain: {} in domain {span}",
                build.level_label(level),
                text::cpus(&cpus),
                text::have(&cpus),
                text::sets(&groups)
            );
            let witness = Witness { cpus, level: Some(level), groups, ..Witness::default() };
            let why = "where a descendant that fits stands in for such a sibling";
            let advice = Advice::Release { since: (5, 13), why, otherwise: REPAIR };
            self.push("groups-leave-domain", Severity::Warning, message, witness, advice);
        }
    }

    /// Chains that end at different levels: siblings of some CPUs have no domain where others go on.
    fn depths(&mut self) {
        let build = self.build;
        for map in &build.cpu_maps {
            let mut by_top: BTreeMap<usize, CpuMask> = BTreeMap::new();
            for cpu in map.iter() {
                if let Some((level, _)) = build.built_chain(cpu).last() {
                    by_top.entry(level).or_default().insert(cpu);
                }
            }
            if by_top.len() < 2 {
                continue;
            }
            let tops: Vec<String> = by_top
                .iter()
                .map(|(&level, cpus)| format!("{} at {}", text::cpus(cpus), build.level_label(level)))
                .collect();
            let message = format!("CPUs reach the whole machine at different levels: {}", text::list(&tops));
            let witness = Witness {
                cpus: map.clone(),
                level: by_top.keys().next().copied(),
                groups: by_top.into_values().collect(),
                ..Witness::default()
            };
            let advice = "nothing to do: a sibling without a domain at a level is skipped there";
            self.push("unequal-depth", Severity::Info, message, witness, advice);
        }
    }
}
