//! The XML of hwloc 2 and 3, as `lstopo --of xml` writes it.

use super::error::FormatError;
use super::found::{Found, level};
use super::xml::{self, Element, quoted};
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::topology::{Arch, MaskLevel, Topology};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The bit in a matrix's kind that says its values are latencies.
const LATENCY: u32 = 4;

/// Whether a text is such XML.
pub(super) fn is_hwloc(text: &str) -> bool {
    text.contains("<topology") && text.contains("<object")
}

/// What the objects say.
#[derive(Default)]
struct Objects {
    found: Found,
    cores: Vec<CpuMask>,
    /// Caches from level 2 on.
    caches: Vec<(u32, CpuMask)>,
    packages: Vec<(u32, CpuMask)>,
    pus: CpuMask,
    all: CpuMask,
    /// Ids of nodes by the number all objects have.
    by_gp: BTreeMap<u32, u32>,
    infos: BTreeMap<String, String>,
}

/// Reads the machine, and the kernel it ran, where that is told.
///
/// # Errors
/// What is wrong, with its line.
pub fn read(text: &str) -> Result<(Topology, Option<String>), FormatError> {
    let at = text.find("<topology").unwrap_or(0);
    let lines_before = text[..at].matches('\n').count();
    let shift = |error: FormatError| FormatError { line: error.line.map(|line| line + lines_before), ..error };
    let root = xml::read(&text[at..]).map_err(shift)?;
    read_root(&root).map_err(shift)
}

fn read_root(root: &Element) -> Result<(Topology, Option<String>), FormatError> {
    if root.get("version").is_none_or(|version| version.starts_with('1')) {
        let cure = "write it with hwloc 2 or later: lstopo --of xml";
        return Err(FormatError::new("this XML is of hwloc 1", cure).at(root.line, 1));
    }
    let mut objects = Objects::default();
    for object in root.named("object") {
        gather(object, &mut objects)?;
    }
    for matrix in root.named("distances2") {
        read_matrix(matrix, &mut objects)?;
    }
    let Objects { mut found, cores, caches, packages, pus, all, infos, .. } = objects;
    cut_nodes(&mut found, &pus);
    for (&id, cpus) in &found.nodes {
        let package = packages.iter().find(|(_, of)| !cpus.is_empty() && cpus.first_and(of) == cpus.first());
        if let Some((package, _)) = package {
            found.packages.insert(id, *package);
        }
    }
    let mut topology = found.into_topology()?;
    topology.nr_cpus = topology.nr_cpus.max(all.last().map_or(0, |last| last + 1)).min(MAX_CPUS);
    topology.online = pus;
    topology.arch = match infos.get("Architecture").map(String::as_str) {
        Some("x86_64" | "i686") => Arch::X86,
        Some("aarch64") => Arch::Arm64,
        Some(name) if name.starts_with("ppc64") => Arch::Powerpc,
        Some("s390x") => Arch::S390,
        _ => Arch::Generic,
    };
    set_levels(&mut topology, &cores, &caches);
    let crosses = |of: &CpuMask| topology.nodes.iter().filter(|node| node.cpus.intersects(of)).count() > 1;
    topology.numa_in_package = topology.arch == Arch::X86 && packages.iter().any(|(_, of)| crosses(of));
    topology.validate()?;
    Ok((topology, infos.get("OSRelease").cloned()))
}

/// A node without CPUs is given those of the nodes it is near: CPUs belong to the smallest node that names them, and of equal
/// ones to the first.
fn cut_nodes(found: &mut Found, pus: &CpuMask) {
    let mut ids: Vec<u32> = found.nodes.keys().copied().collect();
    ids.sort_by_key(|id| (found.nodes[id].weight(), *id));
    let mut left = pus.clone();
    for id in ids {
        if let Some(cpus) = found.nodes.get_mut(&id) {
            *cpus = cpus.and(&left);
            left.andnot_assign(cpus);
        }
    }
}

/// The masks: cores, and the second and the last level of cache.
fn set_levels(topology: &mut Topology, cores: &[CpuMask], caches: &[(u32, CpuMask)]) {
    let nodes = topology.node_of_cpus();
    let online: Vec<bool> = (0..topology.nr_cpus).map(|cpu| topology.online.contains(cpu)).collect();
    let masks = |groups: &[&CpuMask]| -> Vec<CpuMask> {
        let mut masks: Vec<CpuMask> =
            (0..online.len()).map(|cpu| if online[cpu] { CpuMask::single(cpu) } else { CpuMask::new() }).collect();
        for group in groups {
            for cpu in group.iter().filter(|&cpu| online.get(cpu) == Some(&true)) {
                masks[cpu] = (*group).clone();
            }
        }
        masks
    };
    let smt = masks(&cores.iter().collect::<Vec<_>>());
    let of_cache = |wanted: u32| {
        let groups: Vec<&CpuMask> = caches.iter().filter(|(cache, _)| *cache == wanted).map(|(_, mask)| mask).collect();
        let mut cut = masks(&groups);
        for (cpu, mask) in cut.iter_mut().enumerate() {
            if let Some(node) = nodes[cpu] {
                *mask = mask.and(&topology.nodes[node as usize].cpus).or(&smt[cpu]);
            }
        }
        cut
    };
    let last = caches.iter().map(|(cache, _)| *cache).max();
    let second = caches.iter().any(|(cache, _)| *cache == 2).then(|| of_cache(2));
    let last = last.map(of_cache);
    level(topology, MaskLevel::Smt, smt);
    if topology.arch == Arch::X86
        && let Some(masks) = second
    {
        level(topology, MaskLevel::Cls, masks);
    }
    if let Some(masks) = last {
        level(topology, MaskLevel::Mc, masks);
    }
}

fn mask_of(object: &Element, name: &str) -> Result<CpuMask, FormatError> {
    let Some(text) = object.get(name) else { return Ok(CpuMask::new()) };
    let bad =
        || FormatError::new(format!("{name} is no mask of CPUs"), "give the XML as lstopo wrote it").at(object.line, 1);
    CpuMask::parse_hex(text).ok_or_else(bad)
}

fn gather(object: &Element, objects: &mut Objects) -> Result<(), FormatError> {
    let cpus = mask_of(object, "cpuset")?;
    let id = object.number("os_index");
    match object.get("type").unwrap_or_default() {
        "NUMANode" => {
            let missing =
                || FormatError::new("a NUMANode has no os_index", "give the XML as lstopo wrote it").at(object.line, 1);
            let id = id.ok_or_else(missing)?;
            objects.found.nodes.insert(id, cpus);
            if let Some(number) = object.number("gp_index") {
                objects.by_gp.insert(number, id);
            }
        }
        "Core" => objects.cores.push(cpus),
        "Package" => objects.packages.push((id.unwrap_or(objects.packages.len() as u32), cpus)),
        "PU" => objects.pus.or_assign(&cpus),
        "Machine" => objects.all = mask_of(object, "complete_cpuset")?,
        kind => {
            let level = kind.strip_prefix('L').and_then(|rest| rest.strip_suffix("Cache")?.parse::<u32>().ok());
            objects.caches.extend(level.filter(|&level| level >= 2).map(|level| (level, cpus)));
        }
    }
    for info in object.named("info") {
        if let (Some(name), Some(value)) = (info.get("name"), info.get("value")) {
            objects.infos.insert(name.to_owned(), value.to_owned());
        }
    }
    object.named("object").try_for_each(|child| gather(child, objects))
}

fn read_matrix(matrix: &Element, objects: &mut Objects) -> Result<(), FormatError> {
    let latency = matrix.number("kind").is_some_and(|kind| kind & LATENCY != 0);
    if matrix.get("type") != Some("NUMANode") || !latency {
        return Ok(());
    }
    let numbers = |name: &str| -> Result<Vec<u32>, FormatError> {
        let words = matrix.named(name).flat_map(|part| part.text.split_whitespace().map(move |word| (word, part.line)));
        words
            .map(|(word, line)| {
                let bad =
                    |_| FormatError::new("this is no row of numbers", "give the XML as lstopo wrote it").at(line, 1);
                word.parse::<u32>().map_err(bad)
            })
            .collect()
    };
    let (mut ids, values) = (numbers("indexes")?, numbers("u64values")?);
    if matrix.get("indexing") == Some("gp") {
        ids = ids.iter().filter_map(|number| objects.by_gp.get(number).copied()).collect();
    }
    if values.len() != ids.len() * ids.len() || ids.is_empty() {
        let fault = format!("{} distances for {} nodes", values.len(), ids.len());
        return Err(FormatError::new(fault, "give the XML as lstopo wrote it").at(matrix.line, 1));
    }
    for (id, row) in ids.iter().zip(values.chunks(ids.len())) {
        objects.found.rows.insert(*id, row.to_vec());
    }
    objects.found.columns = Some(ids);
    Ok(())
}

/// A mask as hwloc prints it.
fn hex(mask: &CpuMask) -> String {
    let words = mask.last().map_or(1, |last| last / 32 + 1);
    let word = |at: usize| (0..32).filter(|bit| mask.contains(at * 32 + bit)).fold(0_u32, |word, bit| word | 1 << bit);
    (0..words).rev().map(|at| format!("0x{:08x}", word(at))).collect::<Vec<_>>().join(",")
}

/// Writes XML of version 2 that `lstopo -i` reads.
pub fn write(topology: &Topology) -> String {
    let mut writer = Writer { out: String::new(), next: 1 };
    let ids: CpuMask = topology.nodes.iter().map(|node| node.id as usize).collect();
    writer.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n");
    writer.open(1, "Machine", Some(0), &topology.online, &ids);
    let arch = match topology.arch {
        Arch::X86 => Some("x86_64"),
        Arch::Arm64 => Some("aarch64"),
        Arch::Powerpc => Some("ppc64le"),
        Arch::S390 => Some("s390x"),
        Arch::Generic => None,
    };
    for (name, value) in
        [("Backend", Some("schedtopo")), ("Name", Some(topology.name.as_str())), ("Architecture", arch)]
    {
        if let Some(value) = value {
            let _ = writeln!(writer.out, "    <info name=\"{name}\" value=\"{}\"/>", quoted(value));
        }
    }
    for index in 0..topology.nodes.len() {
        writer.node(topology, index);
    }
    writer.close(1);
    writer.matrix(topology);
    writer.out.push_str("</topology>\n");
    writer.out
}

/// XML as it is written, and the next number of an object.
struct Writer {
    out: String,
    next: u32,
}

impl Writer {
    fn tag(&mut self, indent: usize, kind: &str, id: Option<usize>, cpus: &CpuMask, nodes: &CpuMask, end: &str) {
        let index = id.map(|id| format!(" os_index=\"{id}\"")).unwrap_or_default();
        let (cpus, nodes) = (hex(cpus), hex(nodes));
        let _ = writeln!(
            self.out,
            "{:2$}<object type=\"{kind}\"{index} cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{nodes}\" \
             complete_nodeset=\"{nodes}\" gp_index=\"{}\"{end}",
            "",
            self.next,
            indent * 2
        );
        self.next += 1;
    }

    fn open(&mut self, indent: usize, kind: &str, id: Option<usize>, cpus: &CpuMask, nodes: &CpuMask) {
        self.tag(indent, kind, id, cpus, nodes, ">");
    }

    fn close(&mut self, indent: usize) {
        let _ = writeln!(self.out, "{:1$}</object>", "", indent * 2);
    }

    fn node(&mut self, topology: &Topology, index: usize) {
        let (cpus, id) = (topology.node_online(index), topology.nodes[index].id as usize);
        let set = CpuMask::single(id);
        if cpus.is_empty() {
            self.tag(2, "NUMANode", Some(id), &cpus, &set, " local_memory=\"268435456\"/>");
            return;
        }
        self.tag(2, "Group", None, &cpus, &set, " kind=\"1001\" subkind=\"0\">");
        self.tag(3, "NUMANode", Some(id), &cpus, &set, " local_memory=\"268435456\"/>");
        let (mc, smt) = (topology.mask(MaskLevel::Mc), topology.mask(MaskLevel::Smt));
        let mut left = cpus.clone();
        while let Some(cpu) = left.first() {
            let cache = mc.get(cpu).and(&left).or(&CpuMask::single(cpu));
            self.tag(3, "L3Cache", Some(cpu), &cache, &set, " cache_size=\"16777216\" depth=\"3\" cache_type=\"0\">");
            let mut cores = cache.clone();
            while let Some(cpu) = cores.first() {
                let core = smt.get(cpu).and(&cores).or(&CpuMask::single(cpu));
                self.open(4, "Core", Some(cpu), &core, &set);
                for cpu in core.iter() {
                    self.tag(5, "PU", Some(cpu), &CpuMask::single(cpu), &set, "/>");
                }
                self.close(4);
                cores.andnot_assign(&core);
            }
            self.close(3);
            left.andnot_assign(&cache);
        }
        self.close(2);
    }

    fn matrix(&mut self, topology: &Topology) {
        let nodes = topology.nodes.len();
        let _ = writeln!(
            self.out,
            "  <distances2 type=\"NUMANode\" nbobjs=\"{nodes}\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">"
        );
        let ids: Vec<u32> = topology.nodes.iter().map(|node| node.id).collect();
        self.values("indexes", &ids);
        topology.distances.rows().for_each(|row| self.values("u64values", row));
        self.out.push_str("  </distances2>\n");
    }

    /// Rows of ten, as hwloc has them.
    fn values(&mut self, name: &str, values: &[u32]) {
        for part in values.chunks(10) {
            let text: String = part.iter().fold(String::new(), |text, value| text + &value.to_string() + " ");
            let _ = writeln!(self.out, "    <{name} length=\"{}\">{text}</{name}>", text.len());
        }
    }
}
