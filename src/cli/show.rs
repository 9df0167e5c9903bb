//! `schedtopo show`: the Explore screen as text.

use super::error::CliError;
use super::input;
use super::machine::Machine;
use super::outcome::Outcome;
use super::write::Table;
use crate::analysis::sharing;
use crate::cpumask::CpuMask;
use crate::formats::record::Record;
use crate::formats::visible;
use crate::kernel::{self, Build, Domain, Fate, SpanId, dmesg};
use crate::topology::Topology;
use std::io::{self, Write};

/// Rows of CPUs shown before CPUs are folded by node.
const ROWS: usize = 48;
/// CPUs whose groups are shown when none is asked for.
const CPUS: usize = 4;

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine and the kernel.
    #[command(flatten)]
    pub of: Machine,
    /// Show these CPUs' domains and groups (cpulist)
    #[arg(long, value_name = "CPULIST")]
    pub cpu: Option<String>,
    /// Show this level only: MC, NUMA, NUMA-2 (the second NUMA level), or its index
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<String>,
    /// Print the build as JSON, as batch does
    #[arg(long)]
    pub json: bool,
}

/// Prints a machine's domains.
///
/// # Errors
/// Bad input, a CPU or level there is not, or output that can't be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (topology, release) = input::machine(&args.of)?;
    let build = kernel::build(&topology, &release);
    if args.json {
        serde_json::to_writer(&mut *out, &Record { build: &build, topology: &topology }).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(Outcome::Clean);
    }
    let level = args.level.as_deref().map(|name| input::level(&build, name)).transpose()?;
    let cpus = args.cpu.as_deref().map(|list| input::cpus(&topology, "--cpu", list)).transpose()?;
    let page = Page { topology: &topology, build: &build, level };
    page.head(out)?;
    page.chains(cpus.as_ref(), out)?;
    page.groups(cpus.as_ref(), out)?;
    page.sharing(out)?;
    page.messages(out)?;
    Ok(Outcome::Clean)
}

struct Page<'a> {
    topology: &'a Topology,
    build: &'a Build,
    /// The only level to show.
    level: Option<usize>,
}

impl Page<'_> {
    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        let (topology, build) = (self.topology, self.build);
        let name = if topology.name.is_empty() { "(no name)" } else { &topology.name };
        writeln!(
            out,
            "{}: {} CPUs, {} nodes, {}",
            visible(name),
            topology.nr_cpus,
            topology.nodes.len(),
            topology.arch.name()
        )?;
        if !topology.about.is_empty() {
            writeln!(out, "{}", visible(&topology.about))?;
        }
        writeln!(out)?;
        writeln!(out, "kernel          {}", build.release)?;
        if let Some(note) = &build.release.note {
            writeln!(out, "                {note}")?;
        }
        let distances: Vec<String> = build.numa.distances.iter().map(ToString::to_string).collect();
        writeln!(out, "numa distances  {}", or_none(&distances.join(" ")))?;
        writeln!(out, "topology type   {}, largest distance {}", build.numa.topology_type, build.numa.max_distance)?;
        let levels: Vec<String> = (0..build.levels.len()).map(|level| build.level_label(level)).collect();
        writeln!(out, "levels          {}", levels.join(" "))?;
        if let Some(error) = &build.error {
            writeln!(out, "NOT BUILT       {error}")?;
        }
        Ok(())
    }

    fn shows(&self, level: usize) -> bool {
        self.level.is_none_or(|only| only == level)
    }

    /// CPUs × levels: a row for CPUs whose domains have the same spans; by node when there are too many.
    fn chains(&self, cpus: Option<&CpuMask>, out: &mut dyn Write) -> io::Result<()> {
        let build = self.build;
        let wanted = cpus.unwrap_or(&build.online);
        let mut rows = fold(build, wanted, |_| true);
        let folded = rows.len() > ROWS;
        if folded {
            rows = fold(build, wanted, |level| build.levels[level].overlap);
        }
        let columns: Vec<usize> = (0..build.levels.len())
            .filter(|&level| self.shows(level))
            .filter(|&level| rows.iter().any(|row| self.kept(row.first(), level).is_some()))
            .collect();
        let node_of = self.topology.node_of_cpus();
        let mut table = Table::new(
            ["CPUs".into(), "node".into()].into_iter().chain(columns.iter().map(|&level| build.level_label(level))),
        );
        for cpus in &rows {
            let mut nodes: Vec<u32> =
                cpus.iter().filter_map(|cpu| Some(self.topology.nodes[node_of[cpu]? as usize].id)).collect();
            nodes.dedup();
            nodes.sort_unstable();
            nodes.dedup();
            let nodes: CpuMask = nodes.into_iter().map(|id| id as usize).collect();
            let spans = columns.iter().map(|&level| self.cell(cpus, level));
            table.row([cpus.to_string(), nodes.to_string()].into_iter().chain(spans));
        }
        writeln!(out, "\nDomains{}", if folded { " (CPUs with the same NUMA domains are one row)" } else { "" })?;
        table.write(out)
    }

    fn kept(&self, cpu: Option<usize>, level: usize) -> Option<&Domain> {
        self.build.domain(cpu?, level).filter(|domain| domain.fate == Fate::Kept)
    }

    /// The span of `cpus` at a level: one span, or the first and how many alike there are.
    fn cell(&self, cpus: &CpuMask, level: usize) -> String {
        let mut spans: Vec<SpanId> = cpus.iter().filter_map(|cpu| Some(self.kept(Some(cpu), level)?.span)).collect();
        spans.sort_unstable();
        spans.dedup();
        match spans.as_slice() {
            [] => "-".to_owned(),
            [span] => self.build.span(*span).to_string(),
            [first, rest @ ..] => format!("{} and {} more", self.build.span(*first), rest.len()),
        }
    }

    fn groups(&self, cpus: Option<&CpuMask>, out: &mut dyn Write) -> io::Result<()> {
        let build = self.build;
        let attached: CpuMask = build.cpu_map();
        let chosen: Vec<usize> = match cpus {
            Some(cpus) => cpus.iter().collect(),
            None => fold(build, &attached, |level| build.levels[level].overlap)
                .iter()
                .filter_map(CpuMask::first)
                .take(CPUS)
                .collect(),
        };
        for &cpu in &chosen {
            writeln!(out, "\nGroups of CPU {cpu}")?;
            let mut shown = false;
            for (level, domain) in build.chain(cpu).filter(|&(level, _)| self.shows(level)) {
                shown = true;
                self.domain(level, domain, out)?;
            }
            if !shown {
                writeln!(out, "  no domain")?;
            }
        }
        if cpus.is_none() && attached.weight() > chosen.len() {
            writeln!(out, "\n--cpu CPULIST shows other CPUs")?;
        }
        Ok(())
    }

    fn domain(&self, level: usize, domain: &Domain, out: &mut dyn Write) -> io::Result<()> {
        let build = self.build;
        let flags: Vec<&str> = domain.flags.names(build.release.rules.llc_flag_name).collect();
        writeln!(out, "  {}  {}", build.level_label(level), build.span(domain.span))?;
        writeln!(out, "    {}", flags.join(" "))?;
        let rules = &build.release.rules;
        let header = ["span", "mask", "balance CPU", "capacity", "sgc"].map(String::from);
        let mut table = Table::new(header.into_iter().chain(rules.group_cores.then(|| "cores".to_owned())));
        table.indent = 4;
        for group in build.groups_of(domain) {
            let balance = group.balance_cpu().map_or_else(|| "none".to_owned(), |cpu| cpu.to_string());
            let row = [
                group.span.to_string(),
                group.mask.to_string(),
                balance,
                group.sgc.capacity.to_string(),
                build.sgc_name(group.sgc),
            ];
            table.row(row.into_iter().chain(rules.group_cores.then(|| group.group.cores.to_string())));
        }
        table.write(out)
    }

    /// Who shares which capacity, for the levels where that is not plain: NUMA levels, or the one asked for.
    fn sharing(&self, out: &mut dyn Write) -> io::Result<()> {
        let build = self.build;
        for level in (0..build.levels.len()).filter(|&level| self.shows(level)) {
            let alone = self.level.is_none() && !build.levels[level].overlap;
            if alone || build.cpu_map().iter().all(|cpu| self.kept(Some(cpu), level).is_none()) {
                continue;
            }
            let sharing = sharing::of_level(build, level);
            writeln!(out, "\nCapacity sharing at {}", build.level_label(level))?;
            let mut table = Table::new(["sgc", "group", "held by"].map(String::from));
            table.indent = 2;
            for instance in sharing.instances.iter().take(ROWS) {
                let groups: Vec<String> =
                    instance.spans.iter().map(|&span| format!("{{{}}}", build.span(span))).collect();
                table.row([build.sgc_name(build.sgc(instance.sgc)), groups.join(" "), instance.holders.to_string()]);
            }
            table.write(out)?;
            if sharing.instances.len() > ROWS {
                writeln!(out, "  and {} more", sharing.instances.len() - ROWS)?;
            }
            for verdict in &sharing.verdicts {
                match verdict.witness {
                    None => writeln!(out, "  holds   {}", verdict.rule.text())?,
                    Some(witness) => writeln!(out, "  BROKEN  {}: {}", verdict.rule.text(), witness.text(build))?,
                }
            }
        }
        Ok(())
    }

    fn messages(&self, out: &mut dyn Write) -> io::Result<()> {
        let lines = dmesg::warnings(self.build, self.topology);
        if lines.is_empty() {
            return writeln!(out, "\nThe kernel complains of nothing.");
        }
        writeln!(out, "\nKernel messages")?;
        for line in lines.iter().take(ROWS) {
            writeln!(out, "  {line}")?;
        }
        if lines.len() > ROWS {
            writeln!(out, "  and {} more lines; `schedtopo dmesg` prints them at their place", lines.len() - ROWS)?;
        }
        Ok(())
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// CPUs by the spans of their kept domains at the levels that count, in order of their lowest CPU.
fn fold(build: &Build, cpus: &CpuMask, counts: impl Fn(usize) -> bool) -> Vec<CpuMask> {
    let mut rows: indexmap::IndexMap<Vec<(usize, SpanId)>, CpuMask> = indexmap::IndexMap::new();
    for cpu in cpus.iter() {
        let key = build.chain(cpu).filter(|&(level, _)| counts(level)).map(|(level, domain)| (level, domain.span));
        rows.entry(key.collect()).or_default().insert(cpu);
    }
    rows.into_values().collect()
}
