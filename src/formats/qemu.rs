//! The command line of QEMU: `-smp`, `-numa node`, `-numa cpu`, `-numa dist`, and boot parameters after `-append`.
//!
//! Which of it a guest sees hangs on its CPU model: older kernels take the threads of a model that does not announce them for
//! cores.

use super::boot::Parameters;
use super::error::FormatError;
use super::found::{Found, cpus, level};
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::topology::{Arch, Distances, LOCAL_DISTANCE, MaskLevel, REMOTE_DISTANCE, Topology};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Memory of each node in MiB, enough for a kernel to boot.
const MEMORY: usize = 256;

/// Whether a text has nodes for QEMU.
pub(super) fn is_qemu(text: &str) -> bool {
    options(text).any(|(name, value)| name == "-numa" && (value.starts_with("node") || value.starts_with("dist")))
}

/// Whether a line of a text is such a command, whatever is before it: scripts set variables first.
pub(super) fn is_script(text: &str) -> bool {
    let begins = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        ["-smp", "-numa"].contains(&word) || word.contains("qemu-system-")
    };
    text.lines().any(begins) && options(text).any(|(name, _)| name == "-smp" || name == "-numa")
}

/// The options and their values.
fn options(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let words: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .flat_map(str::split_whitespace)
        .filter(|word| *word != "\\")
        .collect();
    let pairs: Vec<(&str, &str)> = words.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.into_iter()
}

/// The fields of a value: `name=value` between commas.
fn fields(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value.split(',').filter_map(|field| field.split_once('='))
}

fn number(value: &str, name: &str) -> Result<Option<usize>, FormatError> {
    let field = fields(value).find(|(field, _)| *field == name).map(|(_, number)| number);
    let parsed = field.map(str::parse::<usize>).transpose();
    parsed.map_err(|_| FormatError::new(format!("`{}`: {name} is no number", super::visible(value)), "write a number"))
}

/// `-smp`: how many CPUs, and how they are numbered: threads within cores, cores within sockets.
struct Smp {
    cpus: usize,
    cores: usize,
    threads: usize,
}

impl Smp {
    fn read(value: &str) -> Result<Self, FormatError> {
        let plain = value.split(',').next().and_then(|first| first.parse().ok());
        let count = number(value, "cpus")?.or(plain);
        let (cores, threads) =
            (number(value, "cores")?.unwrap_or(1).max(1), number(value, "threads")?.unwrap_or(1).max(1));
        let dies = number(value, "dies")?.unwrap_or(1).max(1) * number(value, "clusters")?.unwrap_or(1).max(1);
        let of_sockets = number(value, "sockets")?.and_then(|sockets| sockets.checked_mul(dies * cores * threads));
        let cpus = count.or(of_sockets).unwrap_or(1);
        if cpus == 0 || cpus > MAX_CPUS {
            return Err(FormatError::new(
                format!("-smp has {cpus} CPUs"),
                format!("between 1 and {MAX_CPUS} are possible"),
            ));
        }
        Ok(Self { cpus, cores: cores * dies, threads })
    }

    /// The CPUs that a `-numa cpu` names.
    fn named(&self, value: &str) -> Result<CpuMask, FormatError> {
        let (socket, core, thread) =
            (number(value, "socket-id")?, number(value, "core-id")?, number(value, "thread-id")?);
        let is = |wanted: Option<usize>, is: usize| wanted.is_none_or(|wanted| wanted == is);
        Ok((0..self.cpus)
            .filter(|cpu| {
                is(socket, cpu / self.threads / self.cores)
                    && is(core, cpu / self.threads % self.cores)
                    && is(thread, cpu % self.threads)
            })
            .collect())
    }
}

/// The command line given to the kernel: what is quoted after `-append`, or in a variable of that name.
fn appended(text: &str) -> String {
    let after = text.split_once("-append").or_else(|| text.split_once("APPEND="));
    let rest = after.map_or("", |(_, rest)| rest.trim_start());
    match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next().unwrap_or_default().to_owned(),
        _ => rest.split_whitespace().next().unwrap_or_default().to_owned(),
    }
}

/// The masks of each CPU where its threads and sockets say them: a guest's cores share what QEMU shows as caches by socket.
fn set_levels(topology: &mut Topology, smp: &Smp) {
    let cut = |size: usize, online: &CpuMask| -> Vec<CpuMask> {
        let group = |cpu: usize| CpuMask::range(cpu / size * size, cpu / size * size + size - 1).and(online);
        (0..online.last().map_or(0, |last| last + 1)).map(group).collect()
    };
    let online = topology.online.clone();
    let nodes = topology.node_of_cpus();
    level(topology, MaskLevel::Smt, cut(smp.threads, &online));
    let mut caches = cut(smp.threads * smp.cores, &online);
    for (cpu, mask) in caches.iter_mut().enumerate() {
        if let Some(node) = nodes[cpu] {
            *mask = mask.and(&topology.nodes[node as usize].cpus);
        }
    }
    level(topology, MaskLevel::Mc, caches);
    let socket = |cpu: usize| cpu / (smp.threads * smp.cores);
    let reaches_over = |cpu: usize| cpu > 0 && socket(cpu) == socket(cpu - 1) && nodes[cpu] != nodes[cpu - 1];
    topology.numa_in_package = (0..nodes.len()).any(reaches_over);
    for node in &mut topology.nodes {
        node.package = node.cpus.first().map(|cpu| socket(cpu) as u32);
    }
}

/// Reads the machine.
///
/// # Errors
/// What is wrong.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    let smp = options(text).filter(|(name, _)| *name == "-smp").last().map_or("1", |(_, value)| value);
    let smp = Smp::read(smp)?;
    let mut found = Found::default();
    let mut distances: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (_, value) in options(text).filter(|(name, _)| *name == "-numa") {
        let need = |name: &str| {
            let missing =
                || FormatError::new(format!("`{}` has no {name}", super::visible(value)), format!("add {name}=N"));
            number(value, name)?.and_then(|number| u32::try_from(number).ok()).ok_or_else(missing)
        };
        match value.split(',').next() {
            Some("node") => {
                let next = found.nodes.keys().last().map_or(0, |last| last + 1);
                let id = number(value, "nodeid")?.and_then(|id| u32::try_from(id).ok()).unwrap_or(next);
                let node = found.nodes.entry(id).or_default();
                for (_, list) in fields(value).filter(|(name, _)| *name == "cpus") {
                    node.or_assign(&cpus(list, 1)?);
                }
            }
            Some("cpu") => found.nodes.entry(need("node-id")?).or_default().or_assign(&smp.named(value)?),
            Some("dist") => {
                distances.insert((need("src")?, need("dst")?), need("val")?);
            }
            _ => {}
        }
    }
    if found.nodes.is_empty() {
        found.nodes.insert(0, CpuMask::new());
    }
    if found.nodes.values().all(CpuMask::is_empty) {
        // QEMU deals them out by itself, in turn.
        let ids: Vec<u32> = found.nodes.keys().copied().collect();
        for cpu in 0..smp.cpus {
            found.nodes.entry(ids[cpu % ids.len().max(1)]).or_default().insert(cpu);
        }
    }
    let ids: Vec<u32> = found.nodes.keys().copied().collect();
    let mut topology = found.into_topology()?;
    // Options alone are those of the machine nearly everybody means.
    let other =
        text.split("qemu-system-").nth(1).is_some_and(|name| !name.starts_with("x86_64") && !name.starts_with("i386"));
    if !other {
        topology.arch = Arch::X86;
        set_levels(&mut topology, &smp);
    }
    Parameters::read(&appended(text)).apply(&mut topology);
    if !distances.is_empty() {
        topology.about.clear();
        topology.distances = Distances::from_fn(ids.len(), |from, to| {
            let (from, to) = (ids[from], ids[to]);
            let otherwise = if from == to { LOCAL_DISTANCE } else { REMOTE_DISTANCE };
            // One direction stands for both.
            distances.get(&(from, to)).or_else(|| distances.get(&(to, from))).copied().unwrap_or(otherwise)
        });
        topology.validate()?;
    }
    Ok(topology)
}

/// The threads of a core and the CPUs of a socket, which share its last cache; `None` where they are not all of one size and in
/// order.
fn shape(topology: &Topology) -> Option<(usize, usize)> {
    let size = |level| {
        let masks = topology.mask(level);
        let size = masks.get(0).weight().max(1);
        let in_order = |cpu: usize| *masks.get(cpu) == CpuMask::range(cpu / size * size, cpu / size * size + size - 1);
        let regular = topology.nr_cpus.is_multiple_of(size) && (0..topology.nr_cpus).all(in_order);
        regular.then_some(size)
    };
    let (threads, socket) = (size(MaskLevel::Smt)?, size(MaskLevel::Mc)?);
    socket.is_multiple_of(threads).then_some((threads, socket))
}

/// Whether QEMU can have the cores and caches of a machine.
pub fn has_shape(topology: &Topology) -> bool {
    shape(topology).is_some()
}

/// Writes a command line that boots such a machine: a disk and a kernel are to be added.
///
/// # Errors
/// When QEMU can't have such nodes or distances.
pub fn write(topology: &Topology) -> Result<String, FormatError> {
    let nodes = topology.nodes.len();
    let refuse = |fault: String, cure: &str| Err(FormatError::new(fault, cure));
    if topology.nodes.iter().enumerate().any(|(index, node)| node.id as usize != index) {
        return refuse("the node ids have holes".to_owned(), "QEMU has nodes from 0 on without holes: number them so");
    }
    for (from, row) in topology.distances.rows().enumerate() {
        for (to, &distance) in row.iter().enumerate() {
            let possible = if from == to { distance == LOCAL_DISTANCE } else { (11..=255).contains(&distance) };
            if !possible {
                return refuse(
                    format!("the distance from node {from} to {to} is {distance}"),
                    "QEMU takes 10 within a node, and 11 to 255 between nodes",
                );
            }
        }
    }
    let mut out = String::from("qemu-system-x86_64 -machine q35");
    for node in 0..nodes {
        let _ = write!(out, " \\\n  -object memory-backend-ram,id=m{node},size={MEMORY}M");
    }
    let (threads, per_socket) = shape(topology).unwrap_or((1, 1));
    let (sockets, cores) = (topology.nr_cpus / per_socket, per_socket / threads);
    let _ = write!(
        out,
        " \\\n  -m {}M -smp {},sockets={sockets},cores={cores},threads={threads}",
        MEMORY * nodes,
        topology.nr_cpus
    );
    for (index, node) in topology.nodes.iter().enumerate() {
        let _ = write!(out, " \\\n  -numa node,nodeid={index}");
        for (first, last) in node.cpus.ranges() {
            let _ = write!(out, ",cpus={first}-{last}");
        }
        let _ = write!(out, ",memdev=m{index}");
    }
    let symmetric = topology.distances.is_symmetric();
    for from in 0..nodes {
        for to in (0..nodes).filter(|&to| to != from && (!symmetric || to > from)) {
            let _ = write!(out, " \\\n  -numa dist,src={from},dst={to},val={}", topology.distances.get(from, to));
        }
    }
    out.push('\n');
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    #[test]
    fn what_is_written_reads_back_as_the_same_nodes_and_distances() {
        let mut written = 0;
        for preset in presets::all() {
            let before = preset.topology().unwrap();
            let Ok(text) = write(&before) else { continue };
            let crate::formats::Loaded { topology: after, format, .. } = crate::formats::parse(&text).unwrap();
            assert_eq!(format, crate::formats::Format::Qemu, "{}", preset.name);
            assert_eq!(after.distances, before.distances, "{}", preset.name);
            let cpus = |topology: &Topology| topology.nodes.iter().map(|node| node.cpus.clone()).collect::<Vec<_>>();
            assert_eq!(cpus(&after), cpus(&before), "{}", preset.name);
            written += 1;
        }
        assert!(written > 20, "{written}");
    }

    #[test]
    fn sockets_are_nodes_where_the_command_line_says_so() {
        let text = "# tried\nqemu-system-x86_64 -m 768M -smp 4,sockets=2,cores=2,threads=1 \\\n -numa node,nodeid=0,memdev=m0 \
                    \\\n -numa node,nodeid=1,memdev=m1 -numa node,nodeid=2,memdev=m2 -numa cpu,node-id=0,socket-id=0 \
                    -numa cpu,node-id=1,socket-id=1 -numa dist,src=0,dst=1,val=21 -numa dist,src=0,dst=2,val=14 \
                    -numa dist,src=2,dst=1,val=24 -numa dist,src=1,dst=2,val=25\n";
        let topology = read(text).unwrap();
        let cpus: Vec<String> = topology.nodes.iter().map(|node| node.cpus.to_string()).collect();
        assert_eq!(cpus, ["0-1", "2-3", ""]);
        assert_eq!((topology.distances.get(1, 0), topology.distances.get(1, 2)), (21, 25));
    }

    #[test]
    fn a_script_with_variables_and_boot_parameters_is_a_machine() {
        let text = "CPU=max APPEND=\"isolcpus=2 relax_domain_level=1\"\n-smp 4,sockets=2,cores=1,threads=2 -m 512M\n";
        let loaded = crate::formats::parse(text).unwrap();
        assert_eq!(loaded.format, crate::formats::Format::Qemu);
        let topology = loaded.topology;
        assert_eq!((topology.nodes.len(), topology.nr_cpus, topology.isolated.to_string()), (1, 4, "2".to_owned()));
        assert_eq!(
            (topology.mask(MaskLevel::Smt).get(3).to_string(), topology.relax_domain_level),
            ("2-3".to_owned(), Some(1))
        );
    }

    #[test]
    fn what_qemu_refuses_is_said_when_writing() {
        let odd = presets::find("ring4").unwrap().topology().unwrap();
        let with = |from, to, value| {
            let mut odd = odd.clone();
            odd.distances.set(from, to, value);
            write(&odd).unwrap_err().to_string()
        };
        assert!(with(0, 0, 12).contains("from node 0 to 0 is 12"));
        assert!(with(0, 1, 10).contains("from node 0 to 1 is 10"));
    }
}
