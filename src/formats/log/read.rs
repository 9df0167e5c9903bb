//! The builds that are in a log.

use super::line::{self, Line};
use super::{PrintedGroup, groups};
use crate::cpumask::{CpuMask, MAX_CPUS};
use std::collections::{BTreeMap, BTreeSet};

/// A domain as it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedDomain {
    /// Its line, from 1.
    pub line: usize,
    /// The name of its level.
    pub name: String,
    /// Its span.
    pub span: CpuMask,
    /// Its groups in the order printed; `None` where their line is lost or broken.
    pub groups: Option<Vec<PrintedGroup>>,
    /// What the kernel complained of here.
    pub complaints: Vec<String>,
}

/// A CPU and its domains, bottom up; none when it was attached to no domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedCpu {
    /// Its line, from 1.
    pub line: usize,
    /// Its domains, bottom up.
    pub domains: Vec<PrintedDomain>,
    /// Whether a line of a domain is lost, so that those above are not known.
    pub broken: bool,
}

/// One build of domains: at boot, or after a CPU came or went, or cpusets changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuild {
    /// Its first line, from 1.
    pub line: usize,
    /// The CPUs attached, by number.
    pub cpus: BTreeMap<usize, PrintedCpu>,
    /// The CPUs of its last line; `None` where the log has no such line.
    pub span: Option<CpuMask>,
    /// The CPUs that went offline before it, and did not come back.
    pub offline: BTreeSet<usize>,
    /// Whether it is the first one.
    pub at_boot: bool,
}

/// A kernel's log, as far as it is about domains.
#[derive(Clone, Debug, Default)]
pub struct KernelLog {
    /// The `Linux version` line.
    pub version: Option<String>,
    /// The command line.
    pub command_line: Option<String>,
    /// The builds, in order.
    pub rebuilds: Vec<Rebuild>,
    /// The nodes firmware describes.
    pub nodes: BTreeSet<u32>,
    /// The CPUs of nodes, as they came up at boot.
    pub node_cpus: BTreeMap<u32, CpuMask>,
    /// What is lost or broken, with its line.
    pub lost: Vec<(usize, String)>,
}

/// Reads a log.
pub fn read(text: &str) -> KernelLog {
    let mut reader = Reader::default();
    for (at, text) in text.lines().enumerate() {
        if !reader.line(at + 1, line::read(text)) {
            break;
        }
    }
    reader.break_off();
    reader.log
}

/// The domains of each CPU in a text that holds nothing else.
pub fn read_domains(text: &str) -> BTreeMap<usize, PrintedCpu> {
    let mut cpus = read(text).rebuilds.pop().map(|rebuild| rebuild.cpus).unwrap_or_default();
    for cpu in cpus.values_mut() {
        cpu.broken = false;
    }
    cpus
}

#[derive(Default)]
struct Reader {
    log: KernelLog,
    now: Rebuild,
    cpu: Option<usize>,
    /// The groups of the last domain as far as they were printed, and their line.
    open: Option<(usize, String)>,
    offline: BTreeSet<usize>,
}

impl Reader {
    /// Takes a line; whether to go on.
    fn line(&mut self, at: usize, line: Line) -> bool {
        match line {
            Line::Groups(text) => {
                self.close_groups();
                self.open = Some((at, text.to_owned()));
                return true;
            }
            // A complaint may stand in the middle of a line of groups.
            Line::Complaint(text) => {
                self.complain(at, text);
                return true;
            }
            Line::Other(text) => {
                if let Some((_, groups)) = self.open.as_mut().filter(|_| groups::goes_on(text)) {
                    groups.push_str(text);
                }
                return true;
            }
            _ => self.close_groups(),
        }
        match line {
            Line::Attaching(cpu) => self.attach(at, cpu),
            Line::Detached(cpu) => {
                self.attach(at, cpu);
                self.cpu = None;
            }
            Line::Domain { index, span, name } => self.domain(at, index, span, name),
            Line::RootSpan(span) => {
                if !self.now.cpus.is_empty() {
                    self.now.span = Some(span);
                    self.end_rebuild();
                }
            }
            Line::Version(text) => {
                // A second boot in the same log: only the last one counts.
                if self.log.version.is_some() {
                    *self = Self::default();
                }
                self.log.version = Some(text.to_owned());
            }
            Line::Parameters(text) => self.log.command_line = Some(text.to_owned()),
            Line::Offline(cpu) => {
                self.offline.insert(cpu);
            }
            Line::Online(cpu) => {
                self.offline.remove(&cpu);
            }
            Line::NodeCpus(node, cpus) => {
                self.log.nodes.insert(node);
                let known = self.log.node_cpus.entry(node).or_default();
                cpus.into_iter().filter(|&cpu| cpu < MAX_CPUS).for_each(|cpu| known.insert(cpu));
            }
            Line::Node(node) => {
                self.log.nodes.insert(node);
            }
            Line::Oops => {
                self.log.lost.push((at, "the kernel is in trouble here: what follows is not looked at".to_owned()));
                return false;
            }
            Line::Groups(_) | Line::Complaint(_) | Line::Other(_) => {}
        }
        true
    }

    fn attach(&mut self, at: usize, cpu: usize) {
        if cpu >= MAX_CPUS {
            self.cpu = None;
            return;
        }
        if self.now.cpus.contains_key(&cpu) {
            self.end_rebuild();
        }
        if self.now.cpus.is_empty() {
            self.now.line = at;
            self.now.offline.clone_from(&self.offline);
        }
        self.now.cpus.insert(cpu, PrintedCpu { line: at, ..PrintedCpu::default() });
        self.cpu = Some(cpu);
    }

    fn domain(&mut self, at: usize, index: usize, span: CpuMask, name: &str) {
        let Some(cpu) = self.cpu.and_then(|cpu| self.now.cpus.get_mut(&cpu)) else {
            self.log.lost.push((at, "a domain of a CPU whose line is lost".to_owned()));
            return;
        };
        if index != cpu.domains.len() {
            if index == 0 {
                self.cpu = None;
                self.log.lost.push((at, "a domain of a CPU whose line is lost".to_owned()));
                return;
            }
            self.log.lost.push((at, format!("the line of domain {} is lost", cpu.domains.len())));
            cpu.broken = true;
        }
        if !cpu.broken {
            cpu.domains.push(PrintedDomain {
                line: at,
                name: name.to_owned(),
                span,
                groups: None,
                complaints: Vec::new(),
            });
        }
    }

    fn last_domain(&mut self) -> Option<&mut PrintedDomain> {
        let cpu = self.now.cpus.get_mut(&self.cpu?)?;
        if cpu.broken { None } else { cpu.domains.last_mut() }
    }

    fn complain(&mut self, _at: usize, text: &str) {
        let text = text.to_owned();
        if let Some(domain) = self.last_domain() {
            domain.complaints.push(text);
        }
    }

    fn close_groups(&mut self) {
        let Some((at, text)) = self.open.take() else { return };
        let groups = groups::read(&text);
        if groups.is_none() {
            self.log.lost.push((at, "the line of groups is broken".to_owned()));
        }
        match self.last_domain() {
            // Its own groups are there already: these are of a domain above whose line is lost.
            Some(domain) if domain.groups.is_some() => {
                self.log.lost.push((at, "groups of a domain whose line is lost".to_owned()));
                if let Some(cpu) = self.cpu.and_then(|cpu| self.now.cpus.get_mut(&cpu)) {
                    cpu.broken = true;
                }
            }
            Some(domain) => domain.groups = groups,
            None => {}
        }
    }

    /// The log ends. A build that has no last line may have gone on, and so may its last CPU.
    fn break_off(&mut self) {
        self.close_groups();
        if let Some(cpu) = self.cpu.and_then(|cpu| self.now.cpus.get_mut(&cpu)) {
            cpu.broken = true;
        }
        self.end_rebuild();
    }

    fn end_rebuild(&mut self) {
        self.close_groups();
        self.cpu = None;
        let mut rebuild = std::mem::take(&mut self.now);
        // CPUs that leave their domains before new ones are built make no build of their own.
        let only_leaves =
            rebuild.cpus.values().all(|cpu| cpu.domains.is_empty() && !cpu.broken) && rebuild.span.is_none();
        if rebuild.cpus.is_empty() || only_leaves && !self.log.rebuilds.is_empty() {
            return;
        }
        rebuild.at_boot = self.log.rebuilds.is_empty();
        for (cpu, printed) in &rebuild.cpus {
            for domain in printed.domains.iter().filter(|domain| domain.groups.is_none()) {
                let known = self.log.lost.iter().any(|(line, _)| *line == domain.line || *line == domain.line + 1);
                if !known {
                    self.log.lost.push((domain.line, format!("the groups of CPU {cpu}'s {} are lost", domain.name)));
                }
            }
        }
        self.log.rebuilds.push(rebuild);
    }
}
