//! The look-ups behind reach: the groups that hold a CPU, the nodes in the others, and whom a first group elects.

use super::{NodeSet, Why};
use crate::kernel::{Build, Domain, Fate, GroupId, RingId, SpanId};
use crate::topology::Topology;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The CPUs `should_we_balance` elects for one first group.
#[derive(Clone, Copy, Debug)]
struct Elected {
    /// The lowest CPU that may balance.
    first: u32,
    /// Index of its node.
    node: u32,
    /// The lowest one of another node, elected when all of `node` are busy; `None` when they are all of that node.
    second: Option<u32>,
}

impl Elected {
    /// Whether it is ever `cpu`.
    fn is_one(self, cpu: usize) -> bool {
        self.first as usize == cpu || self.second == Some(cpu as u32)
    }

    /// Whom it is when the CPUs of the node at index `source` are busy and all others idle.
    fn when_busy(self, source: u32) -> u32 {
        if source == self.node { self.second.unwrap_or(self.first) } else { self.first }
    }
}

/// Nodes a puller gets tasks from when all but they are idle.
#[derive(Debug, Default)]
pub(super) struct Pulled {
    /// Pulled from by a CPU of the puller.
    pub(super) direct: NodeSet,
    /// Pulled from by a CPU elected instead, for a group that holds the puller as well.
    pub(super) relayed: NodeSet,
}

/// What an earlier CPU of the puller had at a level, when nothing but being elected tells others with the same from it.
#[derive(Clone, Copy, Debug)]
struct Before {
    ring: RingId,
    head: u32,
    sources: u32,
    elected: Option<Elected>,
}

impl Before {
    fn is_like(&self, domain: &Domain) -> bool {
        self.ring == domain.ring && self.head == domain.head
    }
}

/// The positions in a ring of the groups that hold a CPU.
type Local = SmallVec<[u32; 4]>;

/// What is looked up again and again.
pub(super) struct Survey<'a> {
    topology: &'a Topology,
    build: &'a Build,
    /// Index of each CPU's node.
    node_of: Vec<Option<u32>>,
    /// The nodes of a span.
    nodes_of: FxHashMap<SpanId, NodeSet>,
    /// The nodes a CPU with these local groups can pull from, as far as groups go.
    sources: FxHashMap<(RingId, Local), u32>,
    /// The values of `sources`, equal ones once.
    source_sets: IndexSet<NodeSet, FxBuildHasher>,
    /// How many groups of a ring hold CPUs of each node.
    groups_of_nodes: FxHashMap<RingId, Vec<(u32, u32)>>,
    /// Whether the groups of a ring hold all CPUs of a node or none.
    by_nodes: FxHashMap<RingId, bool>,
    /// By first group; `None` when span and mask are apart.
    elected: FxHashMap<GroupId, Option<Elected>>,
}

impl<'a> Survey<'a> {
    pub(super) fn new(topology: &'a Topology, build: &'a Build) -> Self {
        Self {
            topology,
            build,
            node_of: topology.node_of_cpus(),
            nodes_of: FxHashMap::default(),
            sources: FxHashMap::default(),
            source_sets: IndexSet::default(),
            groups_of_nodes: FxHashMap::default(),
            by_nodes: FxHashMap::default(),
            elected: FxHashMap::default(),
        }
    }

    /// Fills the row of `puller`.
    pub(super) fn pull(&mut self, puller: usize, row: &mut [Option<u32>]) -> Pulled {
        let build = self.build;
        let mut pulled = Pulled::default();
        // Most CPUs of a node see the same nodes at a level, and have the same first group: do each once.
        let mut merged: FxHashSet<(usize, u32)> = FxHashSet::default();
        let mut relays: FxHashSet<(usize, GroupId, u32)> = FxHashSet::default();
        let mut before: Vec<Option<Before>> = vec![None; build.levels.len()];
        for cpu in self.topology.nodes[puller].cpus.iter() {
            for (level, domain) in build.chain(cpu) {
                if build.nr_groups(domain) == 0 {
                    continue;
                }
                let like = before[level].filter(|before| before.is_like(domain));
                if like.is_some_and(|like| !like.elected.is_some_and(|elected| elected.is_one(cpu))) {
                    continue;
                }
                let head = build.group(domain, 0);
                if !head.span.contains(cpu) || !head.mask.contains(cpu) {
                    continue;
                }
                let sources = like.map_or_else(|| self.sources(domain, cpu), |like| like.sources);
                if merged.insert((level, sources)) {
                    lower(row, &self.source_sets[sources as usize], level as u32);
                }
                let elected = self.elected(head.id);
                before[level] = None;
                let seen = Before { ring: domain.ring, head: domain.head, sources, elected };
                let Some(elected) = elected else {
                    before[level] = Some(seen).filter(|_| self.is_by_nodes(domain.ring));
                    continue;
                };
                if elected.is_one(cpu) {
                    let pulls = |&source: &usize| elected.when_busy(source as u32) == cpu as u32;
                    pulled.direct.extend(self.source_sets[sources as usize].iter().filter(pulls));
                }
                let key = (level, head.id, sources);
                if relays.contains(&key) || self.relay(&mut pulled, elected, sources, level, cpu) {
                    relays.insert(key);
                    before[level] = Some(seen).filter(|_| self.is_by_nodes(domain.ring));
                }
            }
        }
        pulled
    }

    /// Notes the nodes of `sources` that a CPU elected instead of `cpu` pulls from for a group that holds `cpu` as
    /// well; whether every CPU elected holds it.
    fn relay(&mut self, pulled: &mut Pulled, elected: Elected, sources: u32, level: usize, cpu: usize) -> bool {
        let build = self.build;
        let mut all_hold = true;
        for other in [Some(elected.first), elected.second].into_iter().flatten() {
            let domain = build.domain(other as usize, level).filter(|domain| domain.fate == Fate::Kept);
            let Some(domain) = domain.filter(|domain| build.nr_groups(domain) > 0) else { continue };
            let head = build.group(domain, 0);
            if !head.span.contains(cpu) {
                all_hold = false;
                continue;
            }
            let theirs = self.sources(domain, other as usize);
            let Some(own) = self.elected(head.id) else { continue };
            let both = self.source_sets[sources as usize].and(&self.source_sets[theirs as usize]);
            let for_all =
                |&source: &usize| elected.when_busy(source as u32) == other && own.when_busy(source as u32) == other;
            pulled.relayed.extend(both.iter().filter(for_all));
        }
        all_hold
    }

    pub(super) fn why(&mut self, domain: &Domain, cpu: usize, source: usize) -> Why {
        let build = self.build;
        let cpus = &self.topology.nodes[source].cpus;
        let holding: Vec<_> = build.groups_of(domain).filter(|group| group.span.intersects(cpus)).collect();
        if holding.is_empty() {
            return Why::OutOfSight;
        }
        if holding.iter().all(|group| group.span.contains(cpu)) {
            return Why::OnlyLocalGroups(holding.iter().map(|group| group.group.span).collect());
        }
        let head = build.group(domain, 0);
        if !head.span.contains(cpu) || !head.mask.contains(cpu) {
            return Why::NotElectable { group: head.group.span, mask: head.sgc.mask };
        }
        match self.elected(head.id).map(|elected| elected.when_busy(source as u32)) {
            Some(elected) if elected != cpu as u32 => Why::OtherElected(elected),
            _ => Why::Pulls,
        }
    }

    /// The nodes in groups of `domain` that do not hold `cpu`, as an index into `source_sets`.
    fn sources(&mut self, domain: &Domain, cpu: usize) -> u32 {
        let key = (domain.ring, self.local(domain, cpu));
        if let Some(&known) = self.sources.get(&key) {
            return known;
        }
        let local: SmallVec<[NodeSet; 4]> = key
            .1
            .iter()
            .map(|&position| {
                let group = self.build.rings[domain.ring.0 as usize].groups[position as usize];
                self.nodes_of(self.build.groups[group.0 as usize].span).clone()
            })
            .collect();
        let held = |node: u32| local.iter().filter(|nodes| nodes.contains(node as usize)).count() as u32;
        let apart = |&&(node, groups): &&(u32, u32)| groups > held(node);
        let nodes = self.groups_of_nodes(domain.ring).iter().filter(apart).map(|&(node, _)| node as usize).collect();
        let index = self.source_sets.insert_full(nodes).0 as u32;
        self.sources.insert(key, index);
        index
    }

    /// Whether the groups of a ring hold all CPUs of a node that have domains, or none: then CPUs of one node have the
    /// same groups apart.
    fn is_by_nodes(&mut self, ring: RingId) -> bool {
        if let Some(&known) = self.by_nodes.get(&ring) {
            return known;
        }
        let (topology, build) = (self.topology, self.build);
        let by_nodes = build.rings[ring.0 as usize].groups.iter().all(|group| {
            let span = build.groups[group.0 as usize].span;
            let nodes = self.nodes_of(span);
            let cpus = |node: usize| topology.nodes[node].cpus.and(&topology.online);
            nodes.iter().all(|node| cpus(node).is_subset(build.span(span)))
        });
        self.by_nodes.insert(ring, by_nodes);
        by_nodes
    }

    /// Each node in a ring, with how many of the ring's groups hold CPUs of it.
    fn groups_of_nodes(&mut self, ring: RingId) -> &[(u32, u32)] {
        if !self.groups_of_nodes.contains_key(&ring) {
            let build = self.build;
            let mut groups: BTreeMap<u32, u32> = BTreeMap::new();
            for group in &build.rings[ring.0 as usize].groups {
                for node in self.nodes_of(build.groups[group.0 as usize].span).iter() {
                    *groups.entry(node as u32).or_default() += 1;
                }
            }
            self.groups_of_nodes.insert(ring, groups.into_iter().collect());
        }
        &self.groups_of_nodes[&ring]
    }

    /// The groups of `domain` that hold `cpu`.
    fn local(&self, domain: &Domain, cpu: usize) -> Local {
        let ring = &self.build.rings[domain.ring.0 as usize];
        let holds = |position: &usize| {
            let group = &self.build.groups[ring.groups[*position].0 as usize];
            self.build.span(group.span).contains(cpu)
        };
        let head = domain.head as usize;
        if ring.disjoint && holds(&head) {
            return SmallVec::from_slice(&[head as u32]);
        }
        (0..ring.groups.len()).filter(holds).map(|position| position as u32).collect()
    }

    /// The nodes whose CPUs are in a span.
    fn nodes_of(&mut self, span: SpanId) -> &NodeSet {
        let (topology, build, node_of) = (self.topology, self.build, &self.node_of);
        self.nodes_of.entry(span).or_insert_with(|| {
            let mut rest = build.span(span).clone();
            let mut nodes = NodeSet::new();
            while let Some(cpu) = rest.first() {
                match node_of[cpu] {
                    Some(node) => {
                        nodes.insert(node as usize);
                        rest.andnot_assign(&topology.nodes[node as usize].cpus);
                    }
                    None => rest.remove(cpu),
                }
            }
            nodes
        })
    }

    fn elected(&mut self, head: GroupId) -> Option<Elected> {
        let (topology, build, node_of) = (self.topology, self.build, &self.node_of);
        *self.elected.entry(head).or_insert_with(|| {
            let group = &build.groups[head.0 as usize];
            let (span, mask) = (build.span(group.span), build.span(build.sgc(group.sgc).mask));
            let first = span.first_and(mask)?;
            let node = node_of[first]?;
            let others = span.and(mask).andnot(&topology.nodes[node as usize].cpus);
            Some(Elected { first: first as u32, node, second: others.first().map(|cpu| cpu as u32) })
        })
    }
}

/// Notes that the nodes of `sources` can be pulled from at `level`.
fn lower(row: &mut [Option<u32>], sources: &NodeSet, level: u32) {
    for source in sources.iter() {
        let known = &mut row[source];
        *known = Some(known.map_or(level, |known| known.min(level)));
    }
}
