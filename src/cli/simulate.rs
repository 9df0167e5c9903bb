//! `schedtopo simulate`: CPU-bound tasks on the domains, and where they end up.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::{Table, write_json};
use crate::balance::Balancer;
use crate::balance::simulate::matrix;
use crate::balance::simulate::{Decision, Pair, PairResult, Reason, Simulation, Start, What, parse_tasks};
use crate::cpumask::CpuMask;
use crate::topology::Topology;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::io::Write;

/// Arguments of `simulate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine and the kernel.
    #[command(flatten)]
    pub of: Machine,
    /// The tasks: COUNT@nodes:LIST or COUNT@cpus:LIST, several separated by blanks
    #[arg(long, value_name = "TASKS", required_unless_present = "matrix")]
    pub tasks: Option<String>,
    /// Put all tasks on this node first, its CPUs in turn; else they are forked on the first CPU they may run on
    #[arg(long, value_name = "NODE")]
    pub start: Option<u32>,
    /// How long, in ticks of 1 ms
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub ticks: u64,
    /// Draws when each CPU balances first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Try every ordered pair of nodes: all CPUs of the first loaded four-fold, the second allowed too
    #[arg(long, conflicts_with_all = ["tasks", "start"])]
    pub matrix: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs tasks, or every pair of nodes.
///
/// # Errors
/// Bad input, tasks that fit no CPU of the machine, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (topology, build) = input::build(&args.of)?;
    let balancer = Balancer::new(&topology, &build);
    if args.matrix {
        return pairs(args, &balancer, out);
    }
    let spec = args.tasks.as_deref().unwrap_or_default();
    let tasks = parse_tasks(&topology, spec).map_err(|error| CliError::Argument(format!("--tasks {error}")))?;
    let start = start(&topology, args.start, &tasks[0])?;
    let mut simulation = Simulation::new(&balancer, &tasks, &start, args.seed);
    let mut moves = Vec::new();
    simulation.run_until(&balancer, args.ticks, |decision| moves.push(*decision));
    let ended = Ended { balancer: &balancer, simulation: &simulation, moves: &moves };
    if args.json {
        write_json(out, &ended.to_json())?;
    } else {
        ended.to_text(out)?;
    }
    Ok(Outcome::Clean)
}

fn start(topology: &Topology, node: Option<u32>, first: &CpuMask) -> Result<Start, CliError> {
    let Some(id) = node else {
        return Ok(Start::ForkedOn(first.first_and(&topology.online).unwrap_or(0)));
    };
    let index = topology.node_index(id).ok_or_else(|| {
        let ids: Vec<String> = topology.nodes.iter().map(|node| node.id.to_string()).collect();
        CliError::Argument(format!("--start {id}: the nodes are {}", ids.join(", ")))
    })?;
    let cpus = topology.node_online(index);
    if cpus.is_empty() {
        return Err(CliError::Argument(format!("--start {id}: the node has no online CPU")));
    }
    Ok(Start::On(cpus))
}

/// A simulation at its end.
struct Ended<'a> {
    balancer: &'a Balancer<'a>,
    simulation: &'a Simulation,
    moves: &'a [Decision],
}

/// Moves printed before the rest is counted.
const MOVES: usize = 40;

impl Ended<'_> {
    /// Tasks of each CPU.
    fn counts(&self) -> Vec<usize> {
        (0..self.balancer.topology.nr_cpus).map(|cpu| self.simulation.tasks_on(cpu).len()).collect()
    }

    /// Node ids of the tasks' affinities on which no task is.
    fn idle_nodes(&self) -> Vec<u32> {
        let topology = self.balancer.topology;
        let tasks = 0..self.simulation.nr_tasks() as u32;
        let mut allowed = CpuMask::new();
        tasks.for_each(|task| allowed.or_assign(self.simulation.allowed(task)));
        let nodes = topology.nodes.iter().filter(|node| node.cpus.intersects(&allowed));
        nodes
            .filter(|node| node.cpus.iter().all(|cpu| self.simulation.tasks_on(cpu).len() == 0))
            .map(|node| node.id)
            .collect()
    }

    fn to_json(&self) -> Value {
        let moves: Vec<Value> = self.moves.iter().filter_map(|decision| self.move_json(decision)).collect();
        json!({
            "ticks": self.simulation.tick(),
            "migrations": moves,
            "final": self.counts(),
            "idle_nodes": self.idle_nodes(),
        })
    }

    fn move_json(&self, decision: &Decision) -> Option<Value> {
        let What::Moved { task, from, to, .. } = decision.what else { return None };
        let level = self.balancer.build.level_label(decision.level as usize);
        Some(json!({
            "tick": decision.tick, "task": task, "from": from, "to": to, "puller": decision.puller, "level": level,
        }))
    }

    fn to_text(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let build = self.balancer.build;
        if let Some(error) = &build.error {
            writeln!(out, "NOT BUILT: {error}\n")?;
        }
        writeln!(out, "{} tasks, {} ticks, {}\n", self.simulation.nr_tasks(), self.simulation.tick(), build.release)?;
        for decision in self.moves.iter().take(MOVES) {
            let What::Moved { task, from, to, active } = decision.what else { continue };
            let level = build.level_label(decision.level as usize);
            let puller = decision.puller;
            let how = match (active, puller == to) {
                (true, _) => format!("CPU {puller} had the running task pushed"),
                (false, true) => format!("CPU {puller} pulled"),
                (false, false) => format!("CPU {puller} pulled for CPU {to}"),
            };
            writeln!(out, "{:>8}  task {task}: CPU {from} -> CPU {to}   {how} at {level}", decision.tick)?;
        }
        if self.moves.len() > MOVES {
            writeln!(out, "          and {} more moves", self.moves.len() - MOVES)?;
        }
        if self.moves.is_empty() {
            writeln!(out, "no task moved")?;
        }
        writeln!(out)?;
        let mut table = Table::new(["node", "CPUs", "tasks", "tasks on each CPU"].map(String::from));
        let counts = self.counts();
        for node in &self.balancer.topology.nodes {
            let on: Vec<usize> = node.cpus.iter().filter_map(|cpu| counts.get(cpu).copied()).collect();
            let each: Vec<String> = on.iter().take(32).map(ToString::to_string).collect();
            let more = if on.len() > 32 { " …" } else { "" };
            let total: usize = on.iter().sum();
            table.row([
                node.id.to_string(),
                node.cpus.to_string(),
                total.to_string(),
                format!("{}{more}", each.join(" ")),
            ]);
        }
        table.write(out)?;
        let idle = self.idle_nodes();
        if !idle.is_empty() {
            let ids: Vec<String> = idle.iter().map(ToString::to_string).collect();
            writeln!(out, "\nallowed, and left without a task: node {}", ids.join(", "))?;
        }
        Ok(())
    }
}

fn pairs(args: &Args, balancer: &Balancer<'_>, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let nodes = matrix::nodes(balancer);
    let pairs: Vec<Pair> = nodes
        .iter()
        .flat_map(|&from| nodes.iter().filter(move |&&to| to != from).map(move |&to| Pair { from, to }))
        .collect();
    let results: Vec<(Pair, PairResult)> = pairs
        .into_par_iter()
        .with_max_len(1)
        .map(|pair| (pair, matrix::run_pair(balancer, pair, args.ticks, args.seed)))
        .collect();
    let id = |node: usize| balancer.topology.nodes[node].id;
    if args.json {
        let rows: Vec<Value> = results.iter().map(|(pair, result)| pair_json(balancer, *pair, result)).collect();
        write_json(
            out,
            &json!({ "ticks": args.ticks, "nodes": nodes.iter().map(|&node| id(node)).collect::<Vec<_>>(), "pairs": rows }),
        )?;
        return Ok(Outcome::Clean);
    }
    writeln!(
        out,
        "Four tasks for each CPU of a node (row), which may run on another (column) too: when the first moves there, \
         in ticks of {}; {}\n",
        args.ticks, balancer.build.release
    )?;
    let header = nodes.iter().map(|&node| format!("node {}", id(node)));
    let mut table = Table::new(std::iter::once(String::new()).chain(header));
    for &from in &nodes {
        let cells = nodes.iter().map(|&to| {
            let result = results.iter().find(|(pair, _)| *pair == Pair { from, to }).map(|(_, result)| result);
            match result {
                Some(PairResult::Moved { tick, puller }) => {
                    let own = balancer.topology.nodes[to].cpus.contains(*puller);
                    if own { tick.to_string() } else { format!("{tick}*") }
                }
                Some(PairResult::Stuck(_)) => "STUCK".to_owned(),
                None => "-".to_owned(),
            }
        });
        table.row(std::iter::once(format!("node {}", id(from))).chain(cells));
    }
    table.write(out)?;
    writeln!(out)?;
    let mut stuck = 0;
    for (pair, result) in &results {
        if let PairResult::Stuck(why) = result {
            stuck += 1;
            writeln!(out, "node {} to node {}: {}", id(pair.from), id(pair.to), why_text(balancer, *why))?;
        }
    }
    let sent = |pair: &Pair, result: &PairResult| matches!(result, PairResult::Moved { puller, .. } if !balancer.topology.nodes[pair.to].cpus.contains(*puller));
    if results.iter().any(|(pair, result)| sent(pair, result)) {
        writeln!(out, "*: a CPU of another node found the task pinned, and sent it there")?;
    }
    if stuck == 0 {
        writeln!(out, "tasks move from every node to every other")?;
    }
    Ok(Outcome::Clean)
}

fn why_text(balancer: &Balancer<'_>, why: Option<(usize, Reason)>) -> String {
    why.map_or_else(
        || "no CPU of the second has a domain with both".to_owned(),
        |(level, reason)| format!("{}, {}: {}", balancer.build.level_label(level), reason.function(), reason.text()),
    )
}

fn pair_json(balancer: &Balancer<'_>, pair: Pair, result: &PairResult) -> Value {
    let id = |node: usize| balancer.topology.nodes[node].id;
    let mut value = json!({ "from": id(pair.from), "to": id(pair.to), "moved_after": null });
    match result {
        PairResult::Moved { tick, puller } => {
            value["moved_after"] = json!(tick);
            value["puller"] = json!(puller);
        }
        PairResult::Stuck(why) => {
            value["level"] = json!(why.map(|(level, _)| balancer.build.level_label(level)));
            value["test"] = json!(why.map(|(_, reason)| reason.function()));
            value["why"] = json!(why_text(balancer, *why));
        }
    }
    value
}
