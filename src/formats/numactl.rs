//! What `numactl -H` prints, and loops over `/sys` that print `node dist 0: 10 20`; anywhere in a text.

use super::error::FormatError;
use super::found::{Found, cpus, lines, numbers};
use crate::cpumask::CpuMask;
use crate::topology::Topology;

/// A line that says something.
enum Line<'a> {
    /// `node 0 cpus: 0 1`.
    Cpus(u32, &'a str),
    /// `node dist 0: 10 20`.
    Distances(u32, &'a str),
    /// `node distances:`.
    Title,
}

fn read_line(line: &str) -> Option<Line<'_>> {
    let (before, after) = line.split_once(':')?;
    let words: Vec<&str> = before.split_whitespace().collect();
    match words[..] {
        ["node", id, "cpus"] => Some(Line::Cpus(id.parse().ok()?, after)),
        ["node", "dist" | "distance", id] | ["node", id, "dist" | "distance"] => {
            Some(Line::Distances(id.parse().ok()?, after))
        }
        ["node", "distances"] => Some(Line::Title),
        _ => None,
    }
}

/// Whether such lines are in a text.
pub(super) fn is_numactl(text: &str) -> bool {
    lines(text).any(|(_, line)| matches!(read_line(&line), Some(Line::Cpus(..) | Line::Distances(..))))
}

/// Reads the machine.
///
/// # Errors
/// What is wrong, with its line.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    let mut found = Found::default();
    let mut in_table = false;
    for (at, line) in lines(text) {
        match read_line(&line) {
            Some(Line::Cpus(id, list)) => {
                let before = found.nodes.insert(id, cpus(list, at)?);
                if before.is_some() {
                    let fault = format!("node {id} is there twice");
                    return Err(FormatError::new(fault, "give the output of one machine").at(at, 1));
                }
            }
            Some(Line::Distances(id, row)) => {
                found.rows.insert(id, numbers(row, at)?);
            }
            Some(Line::Title) => in_table = true,
            None if in_table => in_table = table_line(&mut found, &line, at)?,
            None => {}
        }
    }
    one_cpu_each(&mut found);
    found.into_topology()
}

/// A line below `node distances:`; whether the table goes on.
fn table_line(found: &mut Found, line: &str, at: usize) -> Result<bool, FormatError> {
    if let Some(ids) = line.strip_prefix("node") {
        found.columns = Some(numbers(ids, at)?);
        return Ok(true);
    }
    let Some((id, row)) = line.split_once(':') else { return Ok(line.is_empty()) };
    let Ok(id) = id.trim().parse() else { return Ok(false) };
    found.rows.insert(id, numbers(row, at)?);
    Ok(true)
}

/// Distances alone stand for a machine of one CPU a node.
fn one_cpu_each(found: &mut Found) {
    if found.nodes.is_empty() {
        found.nodes = found.rows.keys().enumerate().map(|(cpu, &id)| (id, CpuMask::single(cpu))).collect();
    }
}

/// Writes the machine as `numactl -H` 2.0.16 would. It says nothing of memory, which we know nothing of.
pub fn write(topology: &Topology) -> String {
    let ids: Vec<u32> = topology.nodes.iter().map(|node| node.id).collect();
    let list: CpuMask = ids.iter().map(|&id| id as usize).collect();
    let mut out = format!("available: {} nodes ({list})\n", ids.len());
    for (index, id) in ids.iter().enumerate() {
        let cpus: Vec<String> = topology.node_online(index).iter().map(|cpu| cpu.to_string()).collect();
        out.push_str(format!("node {id} cpus: {}", cpus.join(" ")).trim_end());
        out.push('\n');
    }
    let cells = |row: &[u32]| row.iter().map(|cell| format!("{cell:>3} ")).collect::<Vec<_>>().concat();
    out.push_str("node distances:\nnode ");
    out.push_str(&cells(&ids));
    out.push('\n');
    for (id, row) in ids.iter().zip(topology.distances.rows()) {
        out.push_str(format!("{id:>3}: ").as_str());
        out.push_str(&cells(row));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    #[test]
    fn what_is_written_reads_back_as_the_same_nodes_and_distances() {
        for preset in presets::all() {
            let before = preset.topology().unwrap();
            let after = read(&write(&before)).unwrap();
            assert_eq!(after.distances, before.distances, "{}", preset.name);
            for (index, node) in after.nodes.iter().enumerate() {
                assert_eq!(
                    (node.id, &node.cpus),
                    (before.nodes[index].id, &before.node_online(index)),
                    "{}",
                    preset.name
                );
            }
        }
    }

    #[test]
    fn it_is_found_in_a_mail() {
        let mail = "Hi all,\n\nmy box is odd, see = below:\n```\n> available: 2 nodes (0,8)\n> node 0 cpus: 0-1 4\n\
                    > node 0 size: 0 MB\n>\u{a0}node 8 cpus:\n> node distances:\n> node     0    8\n>    0:   10   40\n\
                    >    8:   40   10\n```\nAny idea: 3?\n";
        let crate::formats::Loaded { topology, format, .. } = crate::formats::parse(mail).unwrap();
        assert_eq!(format, crate::formats::Format::Numactl);
        assert_eq!(topology.nodes[0].cpus.to_string(), "0-1,4");
        assert_eq!((topology.nodes[1].id, topology.nodes[1].cpus.is_empty()), (8, true));
        assert_eq!(topology.distances.get(0, 1), 40);
    }

    #[test]
    fn a_loop_over_sys_is_a_machine_of_one_cpu_a_node() {
        let topology = read("node dist 0: 10 11\nnode dist 1: 11 10\n").unwrap();
        assert_eq!((topology.nr_cpus, topology.distances.get(0, 1)), (2, 11));
    }

    #[test]
    fn missing_distances_are_assumed_and_said() {
        let topology = read("node 0 cpus: 0\nnode 1 cpus: 1\nNo distance information available.\n").unwrap();
        assert_eq!(topology.distances.get(0, 1), 20);
        assert!(topology.about.contains("20 between nodes assumed"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, said) in [
            ("node 0 cpus: 0\nnode 0 cpus: 1\n", "2:1: node 0 is there twice"),
            ("node 0 cpus: x\n", "1:1: "),
            ("node 0 cpus: 0\nnode 1 cpus: 1\nnode distances:\nnode 0 1\n0: 10 20\n", "node 1 are missing"),
            ("node 0 cpus: 0\nnode dist 0: 10 20\n", "node 0 has 2 distances"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
