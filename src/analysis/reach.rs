//! Which node can pull tasks directly from which other, and at what level.
//!
//! # What is modelled
//! Balancing pulls: a CPU runs `should_we_balance`, then `find_busiest_group` looks through the groups of its domain
//! for one to take tasks from. Two things decide whether CPU *c* can ever take tasks from node *s* at a level:
//!
//! * **Election.** Of the CPUs that have *c*'s first group, only those in its balance mask may balance for it: the
//!   first idle one of `span & mask` up to 4.12, of `group_balance_mask` from 4.13. The mask lies within the span
//!   there, so one rule serves both: *c* must be in `span & mask` of its first group.
//! * **A group apart.** A group that holds *c* is *local*, however many such groups there are, and a local group is
//!   never the busiest. So some group of the domain must hold CPUs of *s* and not *c*.
//!
//! # Local groups, by release
//! `find_busiest_group` has `update_sd_lb_stats` go round the ring of groups, and a group is local when it holds
//! `env->dst_cpu`: in every release from 4.10 to 7.2, whatever the balance mask says. What groups these are differs:
//!
//! * Up to 4.12 the ring is the one built from the lowest CPU of the span, so the child of *c*'s domain need not be in
//!   it, and *c* is in as many groups as happen to hold it: in all of them, in the bug of 2017.
//! * 4.12.3 (stable) and 4.13 on, the ring begins with *c*'s child. Other groups may hold *c* as well; each one that does
//!   is local too. The last of them in the ring is the one whose load is compared, and none of them can be busiest.
//! * Up to 5.12 a group may hold CPUs outside of the domain; 5.13 on it holds none.
//!
//! How the busiest of the groups that are not local is chosen (by load up to 5.4, by `group_type` from 5.5) decides
//! *when* tasks move, not whether they can, and is not asked here.
//!
//! # Levels, holes, blocked pairs
//! [`Reach::level`] is the lowest level, among domains that degeneration kept, at which some CPU of the puller's node
//! meets both. A pair with no such level is a **hole**: whatever the load, tasks never move directly between them.
//! Groups are taken whole, CPUs outside the domain included (up to 5.12 groups can leave the domain; whether the
//! balancer then looks at those CPUs changed with 4.12.3, see the finding about such groups).
//!
//! A pair is **blocked** when there is such a CPU, but not when it matters: with every CPU outside the source node
//! idle, `should_we_balance` lets only the *first* idle CPU of `span & mask` through (without an idle one, the group's
//! balance CPU), and at no level is that a CPU that has a group apart. The 2017 bug is both: up to 4.12 nearly every
//! CPU is in every balance mask, so the CPU elected may be one for which all groups are local.
//!
//! That is the ordinary state of a machine of packages of several nodes: the first CPU of a package pulls for all of
//! it, and the others pull from there, a level below. Such a blocked pair is **relayed**: the CPU elected in the
//! puller's stead has a group apart itself, so tasks do come over (those pinned to the two nodes are handed on to the
//! puller at once, as `LBF_DST_PINNED`). Blocked and not relayed is what leaves a node idle next to a busy one.
//!
//! From 6.6 `should_we_balance` prefers, above the SMT level, an idle CPU whose whole core is idle. With all CPUs
//! outside the source node idle, every candidate's core is (cores do not span nodes), so this changes nothing here.
//! Newly idle balance, which skips the election, needs a task that just stopped and does not help nodes that are idle.
//!
//! # Cost
//! One pass over the CPUs' kept domains with look-ups by ring and first group, plus the different rings; never CPUs
//! squared.

mod survey;

use crate::cpumask::CpuMask;
use crate::kernel::{Build, SpanId};
use crate::topology::Topology;
use rustc_hash::{FxHashMap, FxHashSet};
use survey::Survey;

/// A set of node *indices* (into [`Topology::nodes`]).
pub type NodeSet = CpuMask;

/// Who can pull from whom. Rows and columns are node indices, all nodes of the topology included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The nodes' ids, by index.
    pub nodes: Vec<u32>,
    /// `level[puller][source]`: the lowest level, index into [`Build::levels`], at which a CPU of the puller can take
    /// tasks from CPUs of the source. On the diagonal: from another CPU of its own node.
    pub level: Vec<Vec<Option<u32>>>,
    /// Ordered pairs (puller, source) of different nodes with CPUs in one CPU map and no level; ascending.
    pub holes: Vec<(usize, usize)>,
    /// Ordered pairs (puller, source) that have a level, and never elect a CPU that could pull; ascending.
    pub blocked: Vec<(usize, usize)>,
    /// The blocked pairs of which the CPU elected instead pulls on the puller's behalf; ascending.
    pub relayed: Vec<(usize, usize)>,
}

impl Reach {
    /// The blocked pairs nobody helps: (puller, source), ascending.
    pub fn stuck(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.blocked.iter().copied().filter(|pair| self.relayed.binary_search(pair).is_err())
    }
}

/// Why CPUs of a node can't pull from another node at one level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// No group of the domain holds a CPU of the source.
    OutOfSight,
    /// Every group that holds CPUs of the source holds the puller too: these groups, by span.
    OnlyLocalGroups(Vec<SpanId>),
    /// The puller is not among the CPUs that may balance for its first group.
    NotElectable {
        /// The first group's CPUs.
        group: SpanId,
        /// Its balance mask.
        mask: SpanId,
    },
    /// It could pull, but with all CPUs outside the source idle this other CPU is elected.
    OtherElected(u32),
    /// It can pull.
    Pulls,
}

impl Why {
    /// The reason in plain words, without its place.
    pub fn text(&self, build: &Build) -> String {
        match self {
            Self::OutOfSight => "no group holds the source: too far away for this level".to_owned(),
            Self::OnlyLocalGroups(spans) => {
                let spans: Vec<String> = spans.iter().map(|&span| format!("{{{}}}", build.span(span))).collect();
                format!("in every group with the source is the puller too, so all are local: {}", spans.join(" "))
            }
            Self::NotElectable { group, mask } => format!(
                "not in the balance mask {{{}}} of its first group {{{}}}: others balance for it",
                build.span(*mask),
                build.span(*group)
            ),
            Self::OtherElected(cpu) => format!("could, but CPU {cpu} is the one that should_we_balance lets through"),
            Self::Pulls => "can pull: a group holds the source and not the puller".to_owned(),
        }
    }

    /// The groups it is about.
    pub fn groups(&self) -> &[SpanId] {
        match self {
            Self::OnlyLocalGroups(spans) => spans,
            Self::NotElectable { group, .. } => std::slice::from_ref(group),
            Self::OutOfSight | Self::OtherElected(_) | Self::Pulls => &[],
        }
    }
}

/// What keeps some CPUs of the puller's node from pulling at one level, or that nothing does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The level, index into [`Build::levels`].
    pub level: u32,
    /// The CPUs it is the same for.
    pub cpus: CpuMask,
    /// What it is.
    pub why: Why,
}

/// Which node can pull from which in `build`, which is a build of `topology`.
///
/// ```
/// use schedtopo::analysis::reach;
/// use schedtopo::kernel::{self, Release};
/// use schedtopo::presets;
///
/// let ring = presets::find("ring4").unwrap().topology()?;
/// let build = kernel::build(&ring, &Release::parse("v4.11")?);
/// let reach = reach::reach(&ring, &build);
/// let level = |puller: usize, source: usize| reach.level[puller][source].map(|at| build.level_label(at as usize));
/// assert_eq!(level(0, 1).as_deref(), Some("NUMA-1"));
/// assert_eq!(level(1, 3), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reach(topology: &Topology, build: &Build) -> Reach {
    let nodes = topology.nodes.len();
    let mut survey = Survey::new(topology, build);
    let mut level = vec![vec![None; nodes]; nodes];
    let (mut blocked, mut relayed) = (Vec::new(), Vec::new());
    for (puller, row) in level.iter_mut().enumerate() {
        let pulled = survey.pull(puller, row);
        let stopped = |&source: &usize| source != puller && row[source].is_some() && !pulled.direct.contains(source);
        for source in (0..nodes).filter(stopped) {
            blocked.push((puller, source));
            if pulled.relayed.contains(source) {
                relayed.push((puller, source));
            }
        }
    }
    let holes = holes(topology, build, &level);
    Reach { nodes: topology.nodes.iter().map(|node| node.id).collect(), level, holes, blocked, relayed }
}

/// Pairs of nodes that share a CPU map and have no level.
fn holes(topology: &Topology, build: &Build, level: &[Vec<Option<u32>>]) -> Vec<(usize, usize)> {
    let nodes = topology.nodes.len();
    let present = |node: &usize, map: &CpuMask| topology.nodes[*node].cpus.intersects(map);
    let together: Vec<Vec<usize>> =
        build.cpu_maps.iter().map(|map| (0..nodes).filter(|node| present(node, map)).collect()).collect();
    let mut holes = FxHashSet::default();
    for members in &together {
        for &puller in members {
            holes.extend(
                members
                    .iter()
                    .filter(|&&source| source != puller && level[puller][source].is_none())
                    .map(|&source| (puller, source)),
            );
        }
    }
    let mut holes: Vec<_> = holes.into_iter().collect();
    holes.sort_unstable();
    holes
}

/// Why `puller` can or can't pull from `source` (node indices), level by level, equal reasons folded.
pub fn why(topology: &Topology, build: &Build, puller: usize, source: usize) -> Vec<Obstacle> {
    let mut survey = Survey::new(topology, build);
    let mut obstacles: Vec<Obstacle> = Vec::new();
    let mut known: FxHashMap<(u32, Why), usize> = FxHashMap::default();
    for cpu in topology.nodes[puller].cpus.iter() {
        for (level, domain) in build.chain(cpu) {
            let why = survey.why(domain, cpu, source);
            let at = *known.entry((level as u32, why)).or_insert_with_key(|(level, why)| {
                obstacles.push(Obstacle { level: *level, cpus: CpuMask::new(), why: why.clone() });
                obstacles.len() - 1
            });
            obstacles[at].cpus.insert(cpu);
        }
    }
    obstacles.sort_by_key(|obstacle| obstacle.level);
    obstacles
}

/// The obstacle that says most about a pair: where it pulls, or else the highest level in all of whose groups with the
/// source the puller is, or else the highest at which the source is seen.
pub fn decisive(obstacles: &[Obstacle]) -> Option<&Obstacle> {
    // Of the highest level the first CPUs.
    let highest = |wanted: &dyn Fn(&Why) -> bool| {
        obstacles.iter().rev().filter(|obstacle| wanted(&obstacle.why)).max_by_key(|obstacle| obstacle.level)
    };
    let pulls = obstacles.iter().find(|obstacle| obstacle.why == Why::Pulls);
    let local = || highest(&|why| matches!(why, Why::OnlyLocalGroups(_)));
    pulls.or_else(local).or_else(|| highest(&|why| *why != Why::OutOfSight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{self, Release};
    use crate::topology::Distances;

    /// A machine of `cpus` CPUs a node.
    fn machine(rows: &[&[u32]], cpus: usize) -> Topology {
        let rows: Vec<Vec<u32>> = rows.iter().map(|row| row.to_vec()).collect();
        let nodes = (0..rows.len()).map(|node| CpuMask::range(node * cpus, node * cpus + cpus - 1)).collect();
        Topology::new("", nodes, Distances::from_rows(&rows).unwrap())
    }

    fn ring4(cpus: usize) -> Topology {
        machine(&[&[10, 20, 30, 20], &[20, 10, 20, 30], &[30, 20, 10, 20], &[20, 30, 20, 10]], cpus)
    }

    fn on(topology: &Topology, release: &str) -> (Build, Reach) {
        let build = kernel::build(topology, &Release::parse(release).unwrap());
        let reach = reach(topology, &build);
        (build, reach)
    }

    #[test]
    fn the_ring_of_2017_has_holes_between_its_odd_nodes() {
        for cpus in [1, 2, 5] {
            let (build, reach) = on(&ring4(cpus), "v4.11");
            assert_eq!(reach.holes, [(1, 3), (3, 1)]);
            assert_eq!(reach.blocked, [(2, 0)]);
            let labels: Vec<_> =
                reach.level[0].iter().map(|level| level.map(|at| build.level_label(at as usize))).collect();
            let own = (cpus > 1).then(|| "DIE".to_owned());
            assert_eq!(labels, [own, Some("NUMA-1".into()), Some("NUMA-2".into()), Some("NUMA-1".into())]);
        }
    }

    /// Who took tasks from whom on real kernels: source, taker, and whether tasks moved on 4.12 with one and two CPUs a
    /// node. On 4.14 and later all of them move with two CPUs a node.
    const SEEN_ON_4_12: &[(usize, usize, bool)] =
        &[(1, 3, false), (3, 1, false), (0, 2, false), (2, 0, true), (0, 1, true), (1, 0, true), (2, 3, true)];

    #[test]
    fn agrees_with_what_real_kernels_did() {
        for cpus in [1, 2] {
            for release in ["4.12", "4.14", "6.12", "7.2"] {
                let (_, reach) = on(&ring4(cpus), release);
                for &(source, puller, moved) in SEEN_ON_4_12 {
                    let stuck = reach.holes.contains(&(puller, source)) || reach.blocked.contains(&(puller, source));
                    assert_eq!(!stuck, moved || release != "4.12", "{release}: {source} to {puller}");
                }
            }
        }
    }

    #[test]
    fn says_why() {
        let topology = ring4(1);
        let (build, _) = on(&topology, "v4.11");
        let top = build.levels.len() - 1;
        let at_top = |puller, source| why(&topology, &build, puller, source).pop().unwrap();
        let hole = at_top(1, 3);
        assert_eq!(hole.level as usize, top);
        let Why::OnlyLocalGroups(groups) = hole.why else { panic!("{:?}", hole.why) };
        let spans: Vec<String> = groups.iter().map(|&span| build.span(span).to_string()).collect();
        assert_eq!(spans, ["1-3", "0-1,3"]);
        assert_eq!(at_top(2, 0).why, Why::OtherElected(1));
        assert_eq!(at_top(0, 2).why, Why::Pulls);
        assert_eq!(why(&topology, &build, 1, 3)[0].why, Why::OutOfSight);
    }

    #[test]
    fn isolated_offline_and_missing_cpus_take_no_part() {
        let mut topology = ring4(2);
        topology.nodes.push(crate::topology::Node { id: 9, ..Default::default() });
        topology.distances = Distances::from_fn(5, |i, j| if i == j { 10 } else { [20, 30, 20][(i + j) % 3] });
        topology.isolated = CpuMask::range(2, 3);
        topology.online.remove(4);
        let (_, reach) = on(&topology, "v6.12");
        assert_eq!(reach.nodes, [0, 1, 2, 3, 9]);
        assert!(reach.level[1].iter().all(Option::is_none) && reach.level.iter().all(|row| row[1].is_none()));
        assert!(reach.level[4].iter().all(Option::is_none) && reach.level.iter().all(|row| row[4].is_none()));
        assert!(reach.holes.is_empty() && reach.blocked.is_empty(), "{reach:?}");
        assert!(reach.level[0][2].is_some() && reach.level[2][3].is_some());
    }

    #[test]
    fn partitions_have_no_holes_between_them_and_a_refused_build_has_all() {
        let mut topology = ring4(1);
        topology.cpusets = vec![CpuMask::range(0, 1), CpuMask::range(2, 3)];
        let (_, apart) = on(&topology, "v6.12");
        assert!(apart.holes.is_empty() && apart.level[0][1].is_some() && apart.level[0][2].is_none());
        topology.cpusets.clear();
        topology.distances.set(0, 1, 300);
        let (_, refused) = on(&topology, "v6.12");
        assert_eq!(refused.holes.len(), 12);
    }
}
