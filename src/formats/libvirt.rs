//! libvirt's XML of a guest: `<numa><cell><distances>`.

use super::error::FormatError;
use super::found::{Found, cpus};
use super::xml::{self, Element};
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::topology::{Distances, LOCAL_DISTANCE, REMOTE_DISTANCE, Topology};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Memory of each cell in KiB, enough for a kernel to boot.
const MEMORY: usize = 262_144;

/// Whether a text has such cells.
pub(super) fn is_libvirt(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.contains("<cell") && text.contains("<numa")
}

/// Reads the machine.
///
/// # Errors
/// What is wrong, with its line.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    let root = xml::read(text)?;
    let missing = || FormatError::new("there is no <numa> in it", "give the guest's XML, as `virsh dumpxml` prints it");
    let numa = root.find("numa").ok_or_else(missing)?;
    let mut found = Found::default();
    let mut distances: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (at, cell) in numa.named("cell").enumerate() {
        let id = cell.number("id").unwrap_or(at as u32);
        let list = cpus(cell.get("cpus").unwrap_or_default(), cell.line)?;
        if found.nodes.insert(id, list).is_some() {
            return Err(FormatError::new(format!("cell {id} is there twice"), "give each its own id").at(cell.line, 1));
        }
        for sibling in cell.named("distances").flat_map(|all| all.named("sibling")) {
            let (to, value) = sibling_of(sibling)?;
            distances.insert((id, to), value);
        }
    }
    give_rest(&root, &mut found);
    let ids: Vec<u32> = found.nodes.keys().copied().collect();
    if let Some(&id) = ids.iter().enumerate().find(|&(at, &id)| at as u32 != id).map(|(_, id)| id) {
        let fault = format!("the ids of cells have holes: {id} follows");
        return Err(FormatError::new(fault, "libvirt numbers cells from 0 without holes").at(numa.line, 1));
    }
    if let Some(&(from, to)) = distances.keys().find(|(_, to)| !ids.contains(to)) {
        let fault = format!("cell {from} has a distance to cell {to}, which is not there");
        return Err(FormatError::new(fault, "give distances between cells that are there").at(numa.line, 1));
    }
    let mut topology = found.into_topology()?;
    if !distances.is_empty() {
        topology.about.clear();
    }
    topology.distances = Distances::from_fn(ids.len(), |from, to| {
        let (from, to) = (ids[from], ids[to]);
        let otherwise = if from == to { LOCAL_DISTANCE } else { REMOTE_DISTANCE };
        // One direction stands for both.
        distances.get(&(from, to)).or_else(|| distances.get(&(to, from))).copied().unwrap_or(otherwise)
    });
    root.find("name").map_or("", |name| name.text.trim()).clone_into(&mut topology.name);
    topology.validate()?;
    Ok(topology)
}

fn sibling_of(sibling: &Element) -> Result<(u32, u32), FormatError> {
    let wrong = |fault: &str, cure: &str| FormatError::new(fault, cure).at(sibling.line, 1);
    let to = sibling.number("id").ok_or_else(|| wrong("a sibling has no id", "add id='N'"))?;
    let value = sibling.number("value").ok_or_else(|| wrong("a sibling has no value", "add value='20'"))?;
    if !(10..=255).contains(&value) {
        let fault = format!("a distance of {value}");
        return Err(wrong(&fault, "libvirt takes 10 to 255"));
    }
    Ok((to, value))
}

/// CPUs of the guest that no cell names belong to the first.
fn give_rest(root: &Element, found: &mut Found) {
    let count = root.find("vcpu").and_then(|vcpu| vcpu.text.trim().parse::<usize>().ok()).unwrap_or(0);
    let mut rest = CpuMask::first_n(count.min(MAX_CPUS));
    found.nodes.values().for_each(|cpus| rest.andnot_assign(cpus));
    if let Some(first) = found.nodes.values_mut().next() {
        first.or_assign(&rest);
    }
}

/// Writes the `<cpu>` of a guest with such nodes.
///
/// # Errors
/// When libvirt can't have such nodes or distances.
pub fn write(topology: &Topology) -> Result<String, FormatError> {
    if topology.nodes.iter().enumerate().any(|(index, node)| node.id as usize != index) {
        let cure = "libvirt has cells from 0 on without holes: number them so";
        return Err(FormatError::new("the node ids have holes", cure));
    }
    let rows = topology.distances.rows().enumerate();
    let mut cells = rows.flat_map(|(from, row)| row.iter().enumerate().map(move |(to, &value)| (from, to, value)));
    let impossible = |from, to, value| if from == to { value != LOCAL_DISTANCE } else { !(11..=255).contains(&value) };
    if let Some((from, to, value)) = cells.find(|&(from, to, value)| impossible(from, to, value)) {
        let fault = format!("the distance from node {from} to {to} is {value}");
        return Err(FormatError::new(fault, "libvirt takes 10 within a cell, and 11 to 255 between cells"));
    }
    let mut out = String::from("<cpu>\n  <numa>\n");
    // Writing to a string can't fail.
    for (index, node) in topology.nodes.iter().enumerate() {
        let cpus = if node.cpus.is_empty() { String::new() } else { format!(" cpus='{}'", node.cpus) };
        let _ = writeln!(out, "    <cell id='{index}'{cpus} memory='{MEMORY}' unit='KiB'>\n      <distances>");
        for to in 0..topology.nodes.len() {
            let value = topology.distances.get(index, to);
            let _ = writeln!(out, "        <sibling id='{to}' value='{value}'/>");
        }
        out.push_str("      </distances>\n    </cell>\n");
    }
    out.push_str("  </numa>\n</cpu>\n");
    Ok(out)
}
