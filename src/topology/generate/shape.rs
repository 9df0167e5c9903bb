//! Interconnects, each a rule that counts hops between two nodes, and the distances made of those hops.

use crate::topology::{Distances, Invalid, LOCAL_DISTANCE, MAX_DISTANCE, MAX_NODES};
use std::fmt;
use std::ops::RangeInclusive;

/// How nodes are linked. Nodes are numbered along the figure, row by row where it has rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A closed circle.
    Ring {
        /// Nodes on the circle.
        nodes: usize,
    },
    /// A row with two ends.
    Line {
        /// Nodes in the row.
        nodes: usize,
    },
    /// A hub, node 0, and leaves linked to it alone.
    Star {
        /// Nodes, the hub included.
        nodes: usize,
    },
    /// A star whose hub is the last node, so that row 0 of the table is a leaf's.
    StarHubLast {
        /// Nodes, the hub included.
        nodes: usize,
    },
    /// Every node linked to every other.
    Full {
        /// Nodes.
        nodes: usize,
    },
    /// A grid with edges.
    Mesh {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        columns: usize,
    },
    /// Two lines with a rung between each pair: nodes 0 and 1 are the first rung.
    Ladder {
        /// Nodes, two a rung.
        nodes: usize,
    },
    /// A grid whose rows and columns are rings.
    Torus {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        columns: usize,
    },
    /// Node numbers that differ in one bit are linked.
    Hypercube {
        /// Nodes, a power of two.
        nodes: usize,
    },
    /// Packages of nodes: one hop inside a package, two between packages.
    TwoLevel {
        /// Packages.
        packages: usize,
        /// Nodes in each.
        nodes: usize,
    },
}

/// What the name stands for before its numbers are known.
struct Word {
    name: &'static str,
    example: &'static str,
    make: Make,
}

/// How many numbers a kind takes, and what it makes of them.
enum Make {
    One(fn(usize) -> Kind),
    Two(fn(usize, usize) -> Kind),
}

const WORDS: [Word; 10] = [
    Word { name: "ring", example: "ring:4", make: Make::One(|nodes| Kind::Ring { nodes }) },
    Word { name: "line", example: "line:4", make: Make::One(|nodes| Kind::Line { nodes }) },
    Word { name: "star", example: "star:5", make: Make::One(|nodes| Kind::Star { nodes }) },
    Word { name: "star-last", example: "star-last:5", make: Make::One(|nodes| Kind::StarHubLast { nodes }) },
    Word { name: "full", example: "full:4", make: Make::One(|nodes| Kind::Full { nodes }) },
    Word { name: "mesh", example: "mesh:3x3", make: Make::Two(|rows, columns| Kind::Mesh { rows, columns }) },
    Word { name: "ladder", example: "ladder:8", make: Make::One(|nodes| Kind::Ladder { nodes }) },
    Word { name: "torus", example: "torus:4x4", make: Make::Two(|rows, columns| Kind::Torus { rows, columns }) },
    Word { name: "hypercube", example: "hypercube:8", make: Make::One(|nodes| Kind::Hypercube { nodes }) },
    Word {
        name: "twolevel",
        example: "twolevel:2x4:12,32",
        make: Make::Two(|packages, nodes| Kind::TwoLevel { packages, nodes }),
    },
];

impl Kind {
    /// The names [`Shape::parse`] knows, each with an example.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        WORDS.iter().map(|word| (word.name, word.example))
    }

    /// The name files and commands use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring { .. } => "ring",
            Self::Line { .. } => "line",
            Self::Star { .. } => "star",
            Self::StarHubLast { .. } => "star-last",
            Self::Full { .. } => "full",
            Self::Mesh { .. } => "mesh",
            Self::Ladder { .. } => "ladder",
            Self::Torus { .. } => "torus",
            Self::Hypercube { .. } => "hypercube",
            Self::TwoLevel { .. } => "twolevel",
        }
    }

    /// How many nodes the figure has.
    pub fn nodes(self) -> usize {
        match self {
            Self::Ring { nodes }
            | Self::Line { nodes }
            | Self::Star { nodes }
            | Self::StarHubLast { nodes }
            | Self::Full { nodes }
            | Self::Ladder { nodes }
            | Self::Hypercube { nodes } => nodes,
            Self::Mesh { rows, columns } | Self::Torus { rows, columns } => rows.saturating_mul(columns),
            Self::TwoLevel { packages, nodes } => packages.saturating_mul(nodes),
        }
    }

    /// The fewest links between two nodes.
    fn hops(self, a: usize, b: usize) -> usize {
        if a == b {
            return 0;
        }
        match self {
            Self::Ring { nodes } => around(a, b, nodes),
            Self::Line { .. } => a.abs_diff(b),
            Self::Star { .. } => 1 + usize::from(a != 0 && b != 0),
            Self::StarHubLast { nodes } => 1 + usize::from(a + 1 != nodes && b + 1 != nodes),
            Self::Full { .. } => 1,
            Self::Mesh { columns, .. } => (a / columns).abs_diff(b / columns) + (a % columns).abs_diff(b % columns),
            Self::Ladder { .. } => (a / 2).abs_diff(b / 2) + (a % 2).abs_diff(b % 2),
            Self::Torus { rows, columns } => {
                around(a / columns, b / columns, rows) + around(a % columns, b % columns, columns)
            }
            Self::Hypercube { .. } => (a ^ b).count_ones() as usize,
            Self::TwoLevel { nodes, .. } => 1 + usize::from(a / nodes != b / nodes),
        }
    }
}

/// Steps between two places on a circle of `n`, the short way.
fn around(a: usize, b: usize, n: usize) -> usize {
    let way = a.abs_diff(b);
    way.min(n - way)
}

/// What a number of hops becomes in the table; no hop is [`LOCAL_DISTANCE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hops {
    /// Every hop adds this much to the local distance.
    Step(u32),
    /// The distance at one hop, at two, and so on; the last one holds for everything farther.
    Each(Vec<u32>),
}

impl Hops {
    fn distance(&self, hops: usize) -> u32 {
        match (hops, self) {
            (0, _) => LOCAL_DISTANCE,
            (_, Self::Step(step)) => LOCAL_DISTANCE + step * hops as u32,
            (_, Self::Each(list)) => list.get(hops - 1).or(list.last()).copied().unwrap_or(LOCAL_DISTANCE),
        }
    }
}

/// An interconnect and its distances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How nodes are linked.
    pub kind: Kind,
    /// What a hop costs.
    pub hops: Hops,
}

impl Shape {
    /// The figure with a step of 10 per hop, as virtual machines have it.
    pub fn new(kind: Kind) -> Self {
        Self { kind, hops: Hops::Step(10) }
    }

    /// Reads `KIND:SIZE` or `KIND:SIZE:DISTANCES`: `ring:4`, `mesh:3x3`, `twolevel:2x4:12,32` (distances at one hop, at
    /// two, …), `line:4:+5` (a step of 5 a hop).
    ///
    /// # Errors
    /// What part can't be read, what it should look like, and the nearest kind's name; also a figure that can't be
    /// (a hypercube of 6 nodes) or has too many nodes.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let mut parts = text.trim().splitn(3, ':');
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let word = word(&name)?;
        let kind = match (word.size(parts.next())?, &word.make) {
            ((n, None), Make::One(make)) => make(n),
            ((rows, Some(columns)), Make::Two(make)) => make(rows, columns),
            _ => return Err(word.bad_size()),
        };
        let hops = match parts.next() {
            None => Hops::Step(10),
            Some(list) => word.hops(list)?,
        };
        let shape = Self { kind, hops };
        shape.check()?;
        Ok(shape)
    }

    /// Checks that the figure can be drawn and stays in bounds.
    ///
    /// # Errors
    /// The fault and what would be right.
    pub fn check(&self) -> Result<(), Invalid> {
        let invalid = |fault: String, cure: &str| Err(Invalid::new("shape", fault, cure));
        let nodes = self.kind.nodes();
        if nodes == 0 || nodes > MAX_NODES {
            let fault = format!("{} of {nodes} nodes", self.kind.name());
            return invalid(fault, &format!("a machine has 1 to {MAX_NODES} nodes"));
        }
        match self.kind {
            Kind::Ladder { nodes } if nodes % 2 == 1 => {
                return invalid(format!("ladder of {nodes} nodes"), "a ladder has two nodes a rung, so an even number");
            }
            Kind::Hypercube { nodes } if !nodes.is_power_of_two() => {
                let cure = "a hypercube has a power of two nodes: 2, 4, 8, 16, …";
                return invalid(format!("hypercube of {nodes} nodes"), cure);
            }
            _ => {}
        }
        let farthest = match &self.hops {
            Hops::Step(step) => step.saturating_mul(nodes as u32).saturating_add(LOCAL_DISTANCE),
            Hops::Each(list) => list.iter().copied().max().unwrap_or(0),
        };
        if farthest > MAX_DISTANCE {
            return invalid(format!("distances up to {farthest}"), &format!("distances go up to {MAX_DISTANCE}"));
        }
        Ok(())
    }

    /// The distance table. The shape must hold its own [check](Shape::check).
    pub fn distances(&self) -> Distances {
        Distances::from_fn(self.kind.nodes(), |from, to| self.hops.distance(self.kind.hops(from, to)))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind.name())?;
        match self.kind {
            Kind::Mesh { rows, columns } | Kind::Torus { rows, columns } => write!(f, "{rows}x{columns}")?,
            Kind::TwoLevel { packages, nodes } => write!(f, "{packages}x{nodes}")?,
            other => write!(f, "{}", other.nodes())?,
        }
        match &self.hops {
            Hops::Step(10) => Ok(()),
            Hops::Step(step) => write!(f, ":+{step}"),
            Hops::Each(list) => {
                let list: Vec<String> = list.iter().map(u32::to_string).collect();
                write!(f, ":{}", list.join(","))
            }
        }
    }
}

/// The word of a kind, or an error that names the nearest.
fn word(name: &str) -> Result<&'static Word, Invalid> {
    // "two-level" is how people say it, "grid" what a mesh of rows and columns is called too.
    let plain = match name {
        "two-level" => "twolevel",
        "grid" => "mesh",
        other => other,
    };
    WORDS.iter().find(|word| word.name == plain).ok_or_else(|| {
        let near = WORDS.iter().max_by(|a, b| {
            let likeness = |word: &Word| strsim::jaro_winkler(word.name, name);
            likeness(a).total_cmp(&likeness(b))
        });
        let near = near.filter(|word| strsim::jaro_winkler(word.name, name) > 0.7);
        let cure = near.map_or_else(
            || format!("known are {}", WORDS.map(|word| word.name).join(", ")),
            |word| format!("did you mean {}?", word.example),
        );
        let name: String = name.chars().take(40).collect();
        Invalid::new("shape", format!("no figure is called {name:?}"), cure)
    })
}

impl Word {
    fn bad_size(&self) -> Invalid {
        let fault = match self.make {
            Make::One(_) => format!("{} needs a number of nodes", self.name),
            Make::Two(_) => format!("{} needs two numbers with an x between them", self.name),
        };
        Invalid::new("shape", fault, format!("write for example {}", self.example))
    }

    /// The size, `4` or `3x3`.
    fn size(&self, text: Option<&str>) -> Result<(usize, Option<usize>), Invalid> {
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| self.bad_size());
        let text = text.ok_or_else(|| self.bad_size())?;
        match text.split_once(['x', 'X', '×']) {
            None => Ok((number(text)?, None)),
            Some((rows, columns)) => Ok((number(rows)?, Some(number(columns)?))),
        }
    }

    /// The distances, `12,32` or `+5`.
    fn hops(&self, text: &str) -> Result<Hops, Invalid> {
        const LEGAL: RangeInclusive<u32> = 0..=MAX_DISTANCE;
        let number = |part: &str| {
            part.trim().parse().ok().filter(|value| LEGAL.contains(value)).ok_or_else(|| {
                let part: String = part.chars().take(40).collect();
                let cure = format!("write {}:20,30 for one and two hops, or :+10 for a step", self.example);
                Invalid::new("shape", format!("{part:?} is no distance"), cure)
            })
        };
        match text.trim().strip_prefix('+') {
            Some(step) => Ok(Hops::Step(number(step)?)),
            None => Ok(Hops::Each(text.split(',').map(number).collect::<Result<_, _>>()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn rows(text: &str) -> Vec<Vec<u32>> {
        Shape::parse(text).unwrap().distances().rows().map(<[u32]>::to_vec).collect()
    }

    #[test]
    fn tables_are_the_known_ones() {
        let ring = vec![vec![10, 20, 30, 20], vec![20, 10, 20, 30], vec![30, 20, 10, 20], vec![20, 30, 20, 10]];
        assert_eq!(rows("ring:4"), ring);
        assert_eq!(rows("torus:1x4"), ring);
        assert_eq!(rows("hypercube:4")[0], [10, 20, 20, 30]);
        assert_eq!(rows("line:3:20,30"), [[10, 20, 30], [20, 10, 20], [30, 20, 10]]);
        assert_eq!(rows("star:3"), [[10, 20, 20], [20, 10, 30], [20, 30, 10]]);
        assert_eq!(rows("star-last:3"), [[10, 30, 20], [30, 10, 20], [20, 20, 10]]);
        assert_eq!(rows("full:2:+11"), [[10, 21], [21, 10]]);
        assert_eq!(rows("two-level:2x2:12,32")[1], [12, 10, 32, 32]);
        assert_eq!(rows("mesh:2x3")[0], [10, 20, 30, 20, 30, 40]);
        assert_eq!(rows("ladder:4")[0], [10, 20, 20, 30]);
        assert_eq!(rows("ring:8:16,22")[0], [10, 16, 22, 22, 22, 22, 22, 16]);
    }

    /// Hops are what walking the links of one hop gives.
    #[test]
    fn hops_are_shortest_paths() {
        for text in [
            "ring:7",
            "line:5",
            "star:6",
            "star-last:6",
            "mesh:3x4",
            "ladder:10",
            "torus:3x5",
            "torus:2x4",
            "hypercube:16",
        ] {
            let kind = Shape::parse(text).unwrap().kind;
            let nodes = kind.nodes();
            for start in 0..nodes {
                let mut hops = vec![usize::MAX; nodes];
                hops[start] = 0;
                let mut queue = VecDeque::from([start]);
                while let Some(at) = queue.pop_front() {
                    for next in (0..nodes).filter(|&next| kind.hops(at, next) == 1) {
                        if hops[next] == usize::MAX {
                            hops[next] = hops[at] + 1;
                            queue.push_back(next);
                        }
                    }
                }
                let counted: Vec<usize> = (0..nodes).map(|to| kind.hops(start, to)).collect();
                assert_eq!(hops, counted, "{text} from {start}");
            }
        }
    }

    #[test]
    fn text_and_shape_go_both_ways() {
        for (_, example) in Kind::names() {
            let shape = Shape::parse(example).unwrap();
            assert_eq!(shape.to_string(), example);
            assert!(shape.distances().is_symmetric());
        }
        assert_eq!(Shape::parse(" Line:4:+5 ").unwrap().to_string(), "line:4:+5");
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let says = |text: &str| Shape::parse(text).unwrap_err().to_string();
        assert_eq!(says("rnig:4"), "shape: no figure is called \"rnig\"; did you mean ring:4?");
        assert_eq!(says("mesh:9"), "shape: mesh needs two numbers with an x between them; write for example mesh:3x3");
        assert_eq!(says("ring"), "shape: ring needs a number of nodes; write for example ring:4");
        assert!(says("qqqq:4").contains("known are ring, line"));
        assert!(says("hypercube:6").contains("power of two"));
        assert!(says("ladder:7").contains("even number"));
        assert!(says("ring:0").contains("1 to 1024"));
        assert!(says("mesh:99999999999x99999999999").contains("1 to 1024"));
        assert!(says("ring:4:ten").contains("is no distance"));
        assert!(says("ring:4:4294967295").contains("is no distance"));
        assert!(says("ring:1000:+9999").contains("distances go up to"));
    }
}
