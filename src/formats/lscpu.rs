//! What `lscpu` prints: plain, `-p`, `-e`, and `-J`. It knows cores, packages and caches, and no distances.

use super::error::FormatError;
use super::found::{Found, cpus, lines};
use crate::cpumask::{CpuMask, MAX_CPUS};
use crate::topology::{CpuMasks, MaskLevel, Topology};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::sync::Arc;

/// Whether a text is, or holds, what `lscpu` prints.
pub(super) fn is_lscpu(text: &str) -> bool {
    is_json(text) || lines(text).any(|(_, line)| plain_line(&line).is_some() || header(&line).is_some())
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && (text.contains("\"lscpu\"") || (text.contains("\"cpus\"") && text.contains("\"cpu\":")))
}

/// `NUMA node0 CPU(s):  0,1`.
fn plain_line(line: &str) -> Option<(u32, &str)> {
    let (before, after) = line.split_once(':')?;
    let id = before.trim().strip_prefix("NUMA node")?.strip_suffix("CPU(s)")?;
    Some((id.trim().parse().ok()?, after.trim()))
}

/// The names of the columns, in lower case: of `-p` after the `#`, of `-e` in capitals.
fn header(line: &str) -> Option<Vec<String>> {
    let parsable = line.strip_prefix('#').map(str::trim).filter(|names| names.starts_with("CPU,"));
    let names: Vec<String> = match parsable {
        Some(names) => names.split(',').filter(|name| !name.is_empty()).map(str::to_lowercase).collect(),
        None if line.starts_with("CPU ") => line.split_whitespace().map(str::to_lowercase).collect(),
        None => return None,
    };
    names.iter().any(|name| name == "node" || name == "core").then_some(names)
}

/// One CPU's row.
#[derive(Default)]
struct Row {
    cpu: usize,
    node: Option<u32>,
    socket: Option<u32>,
    core: Option<u32>,
    /// The last level of cache, by id.
    llc: Option<String>,
    online: bool,
}

impl Row {
    /// A row of cells by column name; `None` where the CPU is no number.
    fn new<'a>(cells: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut row = Self { cpu: usize::MAX, online: true, ..Self::default() };
        for (name, cell) in cells {
            match name {
                "cpu" => row.cpu = cell.parse().ok()?,
                "node" => row.node = cell.parse().ok(),
                "socket" => row.socket = cell.parse().ok(),
                "core" => row.core = cell.parse().ok(),
                "online" => row.online = matches!(cell, "yes" | "Y" | "true"),
                // `l3` alone, or all caches as `l1d:l1i:l2:l3`, of which the last counts.
                name if name.contains("l3") || name.contains("l2") => {
                    let last = cell.rsplit(':').next().filter(|id| !id.is_empty() && *id != "-");
                    row.llc = last.map(str::to_owned).or(row.llc);
                }
                _ => {}
            }
        }
        (row.cpu < MAX_CPUS).then_some(row)
    }
}

/// Reads the machine.
///
/// # Errors
/// What is wrong, with its line where it has one.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    if is_json(text) {
        return read_json(text);
    }
    let mut found = Found::default();
    let mut columns: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for (at, line) in lines(text) {
        if let Some((id, list)) = plain_line(&line) {
            found.nodes.insert(id, cpus(list, at)?);
        } else if let Some(names) = header(&line) {
            columns = Some(names);
        } else if let Some(names) = &columns {
            rows.extend(read_row(names, &line));
        }
    }
    if rows.is_empty() { found.into_topology() } else { from_rows(&rows) }
}

fn read_row(names: &[String], line: &str) -> Option<Row> {
    let cells: Vec<&str> = if line.contains(',') {
        // A blank column is before the caches, and an offline CPU has fewer.
        let caches = names.iter().position(|name| name.starts_with('l')).unwrap_or(names.len());
        let cells: Vec<&str> = line.split(',').collect();
        let blank = cells.len() > caches && cells[caches].is_empty();
        cells.into_iter().enumerate().filter(|(at, _)| !(blank && *at == caches)).map(|(_, cell)| cell).collect()
    } else {
        line.split_whitespace().collect()
    };
    // The cells of an offline CPU do not fill the columns; its last one still says whether it is online.
    let offline = cells.last().is_some_and(|last| *last == "no");
    let mut row = Row::new(names.iter().map(String::as_str).zip(cells))?;
    row.online &= !offline;
    Some(row)
}

fn read_json(text: &str) -> Result<Topology, FormatError> {
    let wrong = |error: serde_json::Error| {
        FormatError::new(format!("bad JSON: {error}"), "give the output of lscpu -J as it is")
            .at(error.line(), error.column())
    };
    let value: Value = serde_json::from_str(text).map_err(wrong)?;
    if let Some(list) = value["cpus"].as_array() {
        let as_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let rows = list.iter().filter_map(Value::as_object).filter_map(|object| {
            let cells: Vec<(String, String)> =
                object.iter().map(|(name, cell)| (name.to_lowercase(), as_text(cell))).collect();
            Row::new(cells.iter().map(|(name, cell)| (name.as_str(), cell.as_str())))
        });
        return from_rows(&rows.collect::<Vec<_>>());
    }
    let mut found = Found::default();
    fields(&value["lscpu"], &mut found)?;
    found.into_topology()
}

/// The fields of `lscpu -J`, which have children from 2.38 on.
fn fields(list: &Value, found: &mut Found) -> Result<(), FormatError> {
    for field in list.as_array().into_iter().flatten() {
        let text = |name: &str| field[name].as_str().unwrap_or_default().trim_end_matches(':').to_owned();
        if let Some((id, list)) = plain_line(&format!("{}: {}", text("field"), text("data"))) {
            found.nodes.insert(id, cpus(list, 1)?);
        }
        fields(&field["children"], found)?;
    }
    Ok(())
}

fn from_rows(rows: &[Row]) -> Result<Topology, FormatError> {
    let mut found = Found::default();
    let on = rows.iter().filter(|row| row.online);
    for row in on.clone() {
        // Without NUMA there is no such column, or nothing in it.
        let node = row.node.unwrap_or(0);
        found.nodes.entry(node).or_default().insert(row.cpu);
        if let Some(socket) = row.socket {
            found.packages.insert(node, socket);
        }
    }
    let mut topology = found.into_topology()?;
    topology.nr_cpus = rows.iter().map(|row| row.cpu + 1).max().unwrap_or(0).max(topology.nr_cpus);
    let nr_cpus = topology.nr_cpus;
    let mut set = |level, groups: Vec<CpuMask>| {
        if groups.iter().any(|group| group.weight() > 1) {
            topology.levels.set(level, Some(Arc::new(CpuMasks::from_groups(&groups, nr_cpus))));
        }
    };
    set(MaskLevel::Smt, groups(on.clone(), |row| Some((row.socket, row.core?))));
    set(MaskLevel::Mc, groups(on, |row| row.llc.clone()));
    topology.validate()?;
    Ok(topology)
}

/// The CPUs that have something in common, in the order it is first met.
fn groups<'a, K: std::hash::Hash + Eq>(
    rows: impl Iterator<Item = &'a Row>,
    key: impl Fn(&Row) -> Option<K>,
) -> Vec<CpuMask> {
    let mut at: FxHashMap<K, usize> = FxHashMap::default();
    let mut groups: Vec<CpuMask> = Vec::new();
    for row in rows {
        let Some(key) = key(row) else { continue };
        let group = *at.entry(key).or_insert_with(|| {
            groups.push(CpuMask::new());
            groups.len() - 1
        });
        groups[group].insert(row.cpu);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARSABLE: &str = "# The following is the parsable format, which can be fed to other\n\
        # CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,0,0,0,,0,0,0,0\n2,2,1,1,,2,2,2,2\n3,3,1,1,,3,3,3,2\n";
    const EXTENDED: &str = "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n  0    0      0    0 0:0:0:0          yes\n  \
        1    0      0    0 0:0:0:0          yes\n  2    1      1    2 2:2:2:2          yes\n  3    1      1    3 3:3:3:2    yes\n";
    const JSON: &str = r#"{"cpus": [
        {"cpu": 0, "node": 0, "socket": 0, "core": 0, "l1d:l1i:l2:l3": "0:0:0:0", "online": true},
        {"cpu": 1, "node": 0, "socket": 0, "core": 0, "l1d:l1i:l2:l3": "0:0:0:0", "online": true},
        {"cpu": 2, "node": 1, "socket": 1, "core": 2, "l1d:l1i:l2:l3": "2:2:2:2", "online": true},
        {"cpu": 3, "node": 1, "socket": 1, "core": 3, "l1d:l1i:l2:l3": "3:3:3:2", "online": true}]}"#;

    #[test]
    fn every_form_is_the_same_machine() {
        let topology = read(PARSABLE).unwrap();
        assert_eq!(topology.mask(MaskLevel::Smt).get(0).to_string(), "0-1");
        assert_eq!(topology.mask(MaskLevel::Smt).get(3).to_string(), "3");
        assert_eq!(topology.mask(MaskLevel::Mc).get(3).to_string(), "2-3");
        assert_eq!((topology.nodes[1].cpus.to_string().as_str(), topology.nodes[1].package), ("2-3", Some(1)));
        assert_eq!(read(EXTENDED).unwrap(), topology);
        assert_eq!(read(JSON).unwrap(), topology);
        assert_eq!(crate::formats::parse(JSON).unwrap().format, crate::formats::Format::Lscpu);
        assert_eq!(crate::formats::parse(EXTENDED).unwrap().format, crate::formats::Format::Lscpu);
    }

    #[test]
    fn offline_cpus_are_there_and_not_online() {
        let parsable = "# CPU,Node,Socket,Core,Online,,L1d,L1i,L2,L3\n0,0,0,0,Y,,0,0,0,0\n1,0,0,1,Y,,1,1,1,0\n2,1,1,2,Y,,2,2,2,2\n3,,,,N,,2\n";
        let extended = "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n0 0 0 0 0:0:0:0 yes\n1 0 0 1 1:1:1:0 yes\n2 1 1 2 2:2:2:2 yes\n3 - - - 2 no\n";
        for text in [parsable, extended] {
            let topology = read(text).unwrap();
            assert_eq!((topology.nr_cpus, topology.online.to_string().as_str()), (4, "0-2"), "{text}");
        }
    }

    #[test]
    fn plain_output_has_nodes_and_no_distances() {
        let text = "Architecture:  x86_64\nNUMA node(s):   2\nNUMA node0 CPU(s):   0,1,8,9\nNUMA node1 CPU(s):   2-7\n";
        let crate::formats::Loaded { topology, format, .. } = crate::formats::parse(text).unwrap();
        assert_eq!(format, crate::formats::Format::Lscpu);
        assert_eq!(topology.nodes[0].cpus.to_string(), "0-1,8-9");
        assert_eq!(topology.distances.get(0, 1), 20);
        assert!(topology.about.contains("assumed"));
        let json = r#"{"lscpu": [{"field": "NUMA:", "data": null, "children": [{"field": "NUMA node0 CPU(s):", "data": "0-3"}]}]}"#;
        assert_eq!(read(json).unwrap().nodes[0].cpus.to_string(), "0-3");
    }
}
