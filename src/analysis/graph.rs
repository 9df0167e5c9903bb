//! Where the nodes of the graph lie, and which links are drawn: near nodes near, as far as a plane allows.
//!
//! The distances are laid out by stress majorization: each node moves to where the others would have it, again and
//! again, until the distances on the plane are as close to those of the table as they get. A plane can't hold every
//! table, so the picture is a help to the eye; numbers and spans are what is true.

use crate::topology::{Distances, LOCAL_DISTANCE};
use std::f64::consts::PI;

/// More nodes than this are drawn as a grid: on a plane of letters they could not be told apart.
pub const MOST: usize = 32;
/// Rounds of the layout at most.
const ROUNDS: usize = 100;
/// A round that moves nothing further than this is the last; distances begin at 10.
const AT_REST: f64 = 0.02;

/// A place in the unit square; y goes down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A pair of nodes with a line between them, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The node of the lower index.
    pub a: usize,
    /// The other.
    pub b: usize,
}

/// The picture of a distance table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Where each node is, by index; empty when there are more than [`MOST`].
    pub points: Vec<Point>,
    /// The links: the shortest distances that join all nodes.
    pub links: Vec<Link>,
}

impl Graph {
    /// Lays out a table.
    pub fn new(distances: &Distances) -> Self {
        let nodes = distances.nodes();
        if nodes > MOST {
            return Self::default();
        }
        let wanted = wanted(distances);
        let circle = settle(circle(nodes), &wanted);
        let line = settle(line(nodes), &wanted);
        // What is as good on a circle is clearer there.
        let best = if stress(&line, &wanted) < 0.9 * stress(&circle, &wanted) { line } else { circle };
        Self { points: fitted(&level(best)), links: links(distances) }
    }
}

/// How far apart two nodes are to be: as the table says, both directions counted alike.
fn wanted(distances: &Distances) -> Vec<Vec<f64>> {
    let nodes = distances.nodes();
    let both = |a: usize, b: usize| f64::from(distances.get(a, b)) + f64::from(distances.get(b, a));
    let row = |a: usize| (0..nodes).map(|b| (both(a, b) / 2.0).max(f64::from(LOCAL_DISTANCE))).collect();
    (0..nodes).map(row).collect()
}

fn circle(nodes: usize) -> Vec<Point> {
    // Begun so that four nodes stand in the corners of a square.
    let at = |node: usize| {
        let turn = -PI / 2.0 - PI / nodes as f64 + 2.0 * PI * node as f64 / nodes as f64;
        Point { x: 20.0 * turn.cos(), y: 20.0 * turn.sin() }
    };
    (0..nodes).map(at).collect()
}

/// A line that is bent a little, so that nodes can leave it.
fn line(nodes: usize) -> Vec<Point> {
    (0..nodes).map(|node| Point { x: 10.0 * node as f64, y: 3.0 * (node as f64 * 2.4).sin() }).collect()
}

fn settle(mut points: Vec<Point>, wanted: &[Vec<f64>]) -> Vec<Point> {
    for _ in 0..ROUNDS {
        // All at once, and half the way: what is even at first stays even, and nothing swings.
        let half = |(node, here): (usize, &Point)| {
            let there = pulled(node, &points, &wanted[node]);
            Point { x: f64::midpoint(here.x, there.x), y: f64::midpoint(here.y, there.y) }
        };
        let next: Vec<Point> = points.iter().enumerate().map(half).collect();
        let moved = points.iter().zip(&next).map(|(a, b)| (a.x - b.x).abs() + (a.y - b.y).abs());
        let moved = moved.fold(0.0, f64::max);
        points = next;
        if moved < AT_REST {
            break;
        }
    }
    points
}

/// Where the other nodes would have a node: each one at the distance wanted in the direction it is in now. Near ones
/// count for more.
fn pulled(node: usize, points: &[Point], wanted: &[f64]) -> Point {
    let here = points[node];
    let (mut x, mut y, mut all) = (0.0, 0.0, 0.0);
    for (other, there) in points.iter().enumerate().filter(|&(other, _)| other != node) {
        let (dx, dy) = (here.x - there.x, here.y - there.y);
        // This is the inner loop: a square root does, a hypotenuse that can't overflow takes three times as long.
        let pull = wanted[other] / (dx * dx + dy * dy).sqrt().max(1e-9);
        let weight = 1.0 / (wanted[other] * wanted[other]);
        x += weight * (there.x + pull * dx);
        y += weight * (there.y + pull * dy);
        all += weight;
    }
    if all > 0.0 { Point { x: x / all, y: y / all } } else { here }
}

/// How far the plane is from the table.
fn stress(points: &[Point], wanted: &[Vec<f64>]) -> f64 {
    let mut sum = 0.0;
    for (a, one) in points.iter().enumerate() {
        for (b, other) in points.iter().enumerate().skip(a + 1) {
            let off = (one.x - other.x).hypot(one.y - other.y) / wanted[a][b] - 1.0;
            sum += off * off;
        }
    }
    sum
}

/// Turns the points so that they are widest from left to right, if they are wider one way than the other.
fn level(mut points: Vec<Point>) -> Vec<Point> {
    let count = points.len().max(1) as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.x / count, y + point.y / count));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for point in &mut points {
        (point.x, point.y) = (point.x - mx, point.y - my);
        xx += point.x * point.x;
        yy += point.y * point.y;
        xy += point.x * point.y;
    }
    let uneven = (xx - yy).hypot(2.0 * xy) / (xx + yy).max(1e-9);
    if uneven < 0.05 {
        return points;
    }
    let (sin, cos) = (-0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    for point in &mut points {
        (point.x, point.y) = (point.x * cos - point.y * sin, point.x * sin + point.y * cos);
    }
    // The first node is to the left.
    if points.first().is_some_and(|first| first.x > 0.0) {
        for point in &mut points {
            point.x = -point.x;
        }
    }
    points
}

/// Stretches the points over the unit square; what has no extent lies in the middle.
fn fitted(points: &[Point]) -> Vec<Point> {
    let range = |of: fn(&Point) -> f64| {
        let ends = points.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        (ends.0, ends.1 - ends.0)
    };
    let ((left, wide), (top, high)) = (range(|point| point.x), range(|point| point.y));
    let most = wide.max(high);
    let scale = |v: f64, from: f64, long: f64| if long > most * 0.02 { (v - from) / long } else { 0.5 };
    points.iter().map(|point| Point { x: scale(point.x, left, wide), y: scale(point.y, top, high) }).collect()
}

/// The pairs nearest to each other, then the next nearest and so on, until every node can be reached.
fn links(distances: &Distances) -> Vec<Link> {
    let nodes = distances.nodes();
    let near = |link: &Link| distances.get(link.a, link.b).min(distances.get(link.b, link.a));
    let mut pairs: Vec<Link> = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| Link { a, b })).collect();
    pairs.sort_by_key(near);
    let mut part: Vec<usize> = (0..nodes).collect();
    let mut parts = nodes;
    let mut links = Vec::new();
    for alike in pairs.chunk_by(|one, other| near(one) == near(other)) {
        if parts <= 1 {
            break;
        }
        links.extend_from_slice(alike);
        for link in alike {
            let (kept, gone) = (part[link.a], part[link.b]);
            if kept != gone {
                part.iter_mut().filter(|part| **part == gone).for_each(|part| *part = kept);
                parts -= 1;
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[u32]]) -> Distances {
        Distances::from_fn(rows.len(), |a, b| rows[a][b])
    }

    fn ring() -> Distances {
        table(&[&[10, 20, 30, 20], &[20, 10, 20, 30], &[30, 20, 10, 20], &[20, 30, 20, 10]])
    }

    #[test]
    fn a_ring_is_a_square_with_its_sides() {
        let graph = Graph::new(&ring());
        let sides = [(0, 1), (0, 3), (1, 2), (2, 3)].map(|(a, b)| Link { a, b });
        assert_eq!(graph.links, sides);
        for (point, (x, y)) in graph.points.iter().zip([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]) {
            assert!((point.x - x).abs() < 0.01 && (point.y - y).abs() < 0.01, "{:?}", graph.points);
        }
    }

    #[test]
    fn a_line_is_straight_and_in_order() {
        let line = Distances::from_fn(6, |a, b| 10 + 10 * a.abs_diff(b) as u32);
        let graph = Graph::new(&line);
        assert!(graph.points.windows(2).all(|pair| pair[0].x < pair[1].x), "{:?}", graph.points);
        assert!(graph.points.iter().all(|point| (point.y - 0.5).abs() < 0.51));
        assert_eq!(graph.links.len(), 5);
    }

    #[test]
    fn links_join_every_node_and_no_more_than_it_takes() {
        let islands = table(&[&[10, 12, 40, 40], &[12, 10, 40, 50], &[40, 40, 10, 12], &[40, 50, 12, 10]]);
        let links = Graph::new(&islands).links;
        assert!(links.contains(&Link { a: 0, b: 2 }) && !links.contains(&Link { a: 1, b: 3 }));
    }

    #[test]
    fn any_table_gives_places_inside_the_square() {
        for nodes in [0, 1, 2, 3, 16, MOST] {
            for far in [0, 1, 20, 255] {
                let graph = Graph::new(&Distances::from_fn(nodes, |a, b| if a == b { 10 } else { far }));
                assert_eq!(graph.points.len(), nodes);
                assert!(
                    graph.points.iter().all(|point| (0.0..=1.0).contains(&point.x) && (0.0..=1.0).contains(&point.y))
                );
            }
        }
        assert_eq!(Graph::new(&Distances::from_fn(MOST + 1, |_, _| 20)), Graph::default());
    }
}
