//! Nodes that can't take tasks from each other, and why.

use super::advice::Advice;
use super::{Checker, REPAIR, Severity, Witness, text};
use crate::analysis::reach::{self, Reach, Why};
use crate::cpumask::CpuMask;
use crate::kernel::release::OverlapGroups;
use crate::kernel::{BuildError, LevelMask};
use std::collections::BTreeMap;

/// Pairs beyond this many are one finding.
const PAIRS: usize = 8;

impl Checker<'_> {
    pub(super) fn paths(&mut self) {
        if self.build.error.is_some() || self.nodes_in_map().len() < 2 {
            return;
        }
        if self.hidden_levels() || self.no_numa_domains() {
            return;
        }
        let reach = reach::reach(self.topology, self.build);
        self.holes(&reach);
        self.blocked(&reach);
    }

    /// A level of the architecture that covers the whole CPU map ends every chain below the NUMA levels.
    fn hidden_levels(&mut self) -> bool {
        let build = self.build;
        let mut hides = false;
        for map in &build.cpu_maps {
            let several = self.topology.nodes.iter().filter(|node| node.cpus.intersects(map)).count() > 1;
            let covers = |cpu: usize| {
                let (level, domain) = build.built_chain(cpu).last()?;
                let arch = matches!(build.levels[level].mask, LevelMask::Arch(_));
                (arch && build.span(domain.span) == map).then_some(level)
            };
            let mut cpus: BTreeMap<usize, CpuMask> = BTreeMap::new();
            for cpu in map.iter().filter(|_| several) {
                if let Some(level) = covers(cpu) {
                    cpus.entry(level).or_default().insert(cpu);
                }
            }
            for (level, cpus) in cpus {
                hides |= cpus == *map;
                self.hidden_level(level, cpus, map);
            }
        }
        hides
    }

    fn hidden_level(&mut self, level: usize, cpus: CpuMask, map: &CpuMask) {
        let name = self.build.level_label(level);
        let nodes: Vec<u32> =
            self.topology.nodes.iter().filter(|node| node.cpus.intersects(map)).map(|node| node.id).collect();
        let message = format!(
            "{name} of {} covers all CPUs of {}, so no NUMA level is built above it and nodes are balanced as if they were one",
            text::cpus(&cpus),
            text::nodes(&nodes)
        );
        let witness = Witness { cpus, nodes, level: Some(level), groups: vec![map.clone()], ..Witness::default() };
        let advice =
            "correct the cache, cluster or package ids the firmware or hypervisor reports: they reach over nodes";
        self.push("numa-levels-hidden", Severity::Warning, message, witness, advice);
    }

    /// Several nodes, and each CPU's top domain lies within one.
    fn no_numa_domains(&mut self) -> bool {
        let build = self.build;
        let spans_nodes = |cpu: usize| {
            build.built_chain(cpu).last().is_some_and(|(_, domain)| {
                self.node_of[cpu]
                    .is_none_or(|node| !build.span(domain.span).is_subset(&self.topology.nodes[node as usize].cpus))
            })
        };
        let together = |map: &CpuMask| self.topology.nodes.iter().filter(|node| node.cpus.intersects(map)).count() > 1;
        if !build.cpu_maps.iter().any(together) || self.cpu_map.iter().any(spans_nodes) {
            return false;
        }
        let nodes: Vec<u32> = self.nodes_in_map().into_iter().map(|node| self.id(node)).collect();
        let message =
            format!("no domain spans two nodes: tasks never move between {} by load balancing", text::nodes(&nodes));
        let witness = Witness { cpus: self.cpu_map.clone(), nodes, ..Witness::default() };
        let advice = "give the nodes distances from 11 to 254 that differ from the local 10";
        self.push("no-numa-domains", Severity::Error, message, witness, advice);
        true
    }

    fn holes(&mut self, reach: &Reach) {
        let both_ways = |&&(a, b): &&(usize, usize)| a < b || reach.holes.binary_search(&(b, a)).is_err();
        let pairs: Vec<(usize, usize)> = reach.holes.iter().filter(both_ways).copied().collect();
        if pairs.len() > PAIRS {
            let ids: Vec<(u32, u32)> = reach.holes.iter().map(|&(a, b)| (self.id(a), self.id(b))).collect();
            let message = format!(
                "{} pairs of nodes can't take tasks from each other directly at any level, the first being {}",
                pairs.len(),
                text::list(&pairs.iter().map(|&(a, b)| format!("{}-{}", self.id(a), self.id(b))).collect::<Vec<_>>())
            );
            let witness = Witness { pairs: ids, ..Witness::default() };
            self.push("no-direct-path", Severity::Error, message, witness, self.hole_advice());
            return;
        }
        for (a, b) in pairs {
            self.hole(a, b, reach.holes.binary_search(&(b, a)).is_ok());
        }
    }

    fn hole(&mut self, puller: usize, source: usize, both: bool) {
        let (a, b) = (self.id(puller), self.id(source));
        let who = if both {
            format!("nodes {a} and {b} can't take tasks from each other")
        } else {
            format!("node {a} can't take tasks from node {b}")
        };
        // The reason at the highest level is the one that would have to go.
        let obstacle = reach::why(self.topology, self.build, puller, source).pop();
        let level = obstacle.as_ref().map(|obstacle| obstacle.level as usize);
        let label = level.map_or_else(String::new, |level| self.build.level_label(level));
        let groups: Vec<CpuMask> = match obstacle.as_ref().map(|obstacle| &obstacle.why) {
            Some(Why::OnlyLocalGroups(spans)) => spans.iter().map(|&span| self.build.span(span).clone()).collect(),
            _ => Vec::new(),
        };
        let why = match obstacle.as_ref().map(|obstacle| &obstacle.why) {
            Some(Why::OnlyLocalGroups(_)) => {
                format!("both are in every group of {label} that holds node {b}: {}", text::sets(&groups))
            }
            Some(Why::NotElectable { group, mask }) => format!(
                "at {label} no CPU of node {a} may balance for its first group {{{}}}, mask {}",
                self.build.span(*group),
                self.build.span(*mask)
            ),
            _ => format!("no group of its domains holds a CPU of node {b}"),
        };
        let cpus = obstacle.map(|obstacle| obstacle.cpus).unwrap_or_default();
        let mut pairs = vec![(a, b)];
        if both {
            pairs.push((b, a));
        }
        let witness = Witness { cpus, nodes: vec![a, b], pairs, level, groups };
        self.push("no-direct-path", Severity::Error, format!("{who}: {why}"), witness, self.hole_advice());
    }

    fn blocked(&mut self, reach: &Reach) {
        let stuck: Vec<(usize, usize)> = reach.stuck().collect();
        if stuck.len() > PAIRS {
            let pairs: Vec<(u32, u32)> = stuck.iter().map(|&(a, b)| (self.id(a), self.id(b))).collect();
            let named: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} from {b}")).collect();
            let message =
                format!("{} paths exist but are never taken when it matters: node {}", pairs.len(), text::list(&named));
            let witness = Witness { pairs, ..Witness::default() };
            self.push("blocked-path", Severity::Warning, message, witness, self.hole_advice());
            return;
        }
        for (puller, source) in stuck {
            self.blocked_path(puller, source);
        }
    }

    fn blocked_path(&mut self, puller: usize, source: usize) {
        let (a, b) = (self.id(puller), self.id(source));
        let mut witness = Witness { nodes: vec![a, b], pairs: vec![(a, b)], ..Witness::default() };
        let mut elected = None;
        for obstacle in reach::why(self.topology, self.build, puller, source) {
            if let Why::OtherElected(other) = obstacle.why {
                elected = Some((obstacle.level as usize, other));
                witness.cpus = obstacle.cpus;
            }
        }
        let mut why = String::new();
        if let Some((level, other)) = elected {
            witness.level = Some(level);
            let label = self.build.level_label(level);
            let domain = witness.cpus.first().and_then(|cpu| self.build.domain(cpu, level));
            witness.groups = domain
                .map_or_else(Vec::new, |domain| self.build.groups_of(domain).map(|group| group.span.clone()).collect());
            why = format!(
                ": when all but node {b} is idle, {label} elects CPU {other} to balance, and that one can't pull from there"
            );
        }
        let message = format!("node {a} never takes tasks from node {b}, though it could{why}");
        self.push("blocked-path", Severity::Warning, message, witness, self.hole_advice());
    }

    fn hole_advice(&self) -> Advice {
        let (since, why) = match self.build.release.rules.overlap_groups {
            OverlapGroups::WrapDescended => ((7, 0), "where distances are averaged by package"),
            OverlapGroups::WrapBalanceOwner => ((5, 13), "where groups stay within their domain"),
            _ => (
                (4, 13),
                "where each CPU's groups start at the CPU itself and only CPUs that have a group first balance for it",
            ),
        };
        Advice::Release { since, why, otherwise: REPAIR }
    }

    /// Whether the build stopped short of domains.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.build.error, Some(BuildError::SpanInsane { .. } | BuildError::EmptyCpuMap))
    }
}
