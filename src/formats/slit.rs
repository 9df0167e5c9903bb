//! ACPI's System Locality Information Table: the bytes firmware has, and the text of `iasl`.

use super::error::FormatError;
use crate::cpumask::CpuMask;
use crate::topology::{Distances, MAX_NODES, Topology};
use std::fmt::Write;

/// Bytes before the distances: the header that all tables have, and the number of localities.
const HEADER: usize = 44;
/// Where the sum is that makes all bytes add up to 0.
const CHECKSUM: usize = 9;
/// What is said of CPUs, which the table has none of.
const ASSUMED: &str = "an ACPI SLIT names no CPUs: one CPU a node assumed";
/// Where a kernel looks for tables that replace the firmware's.
const OVERRIDE: &str = "kernel/firmware/acpi/slit.aml";

/// Whether bytes are such a table, or an archive with one.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SLIT") || (bytes.starts_with(b"070701") && table_in(bytes).is_some())
}

/// The table in an archive of the kernel's initrd.
fn table_in(bytes: &[u8]) -> Option<&[u8]> {
    let at = bytes.windows(4).position(|word| word == b"SLIT")?;
    Some(&bytes[at..])
}

/// Reads the table.
///
/// # Errors
/// When signature, length or checksum do not hold.
pub fn read_binary(bytes: &[u8]) -> Result<Topology, FormatError> {
    let bytes = if bytes.starts_with(b"SLIT") { bytes } else { table_in(bytes).unwrap_or_default() };
    let wrong = |fault: String| FormatError::new(fault, "copy /sys/firmware/acpi/tables/SLIT again");
    let number = |at: usize, size: usize| {
        let field = bytes.get(at..at + size)?;
        Some(field.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte)))
    };
    let length = number(4, 4).ok_or_else(|| wrong("the SLIT breaks off in its header".to_owned()))? as usize;
    if length < HEADER || length > bytes.len() {
        return Err(wrong(format!("the SLIT says it has {length} bytes, and {} are there", bytes.len())));
    }
    let table = &bytes[..length];
    if table.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte)) != 0 {
        return Err(wrong("the checksum of the SLIT does not hold".to_owned()));
    }
    let nodes = number(36, 8).unwrap_or(0) as usize;
    if nodes == 0 || nodes > MAX_NODES || table.len() < HEADER + nodes * nodes {
        return Err(wrong(format!("the SLIT has {nodes} localities in {length} bytes")));
    }
    let distances = Distances::from_fn(nodes, |from, to| u32::from(table[HEADER + from * nodes + to]));
    Ok(machine(distances))
}

fn machine(distances: Distances) -> Topology {
    let cpus = (0..distances.nodes()).map(CpuMask::single).collect();
    Topology { about: ASSUMED.to_owned(), ..Topology::new("", cpus, distances) }
}

/// Whether a text is what `iasl` makes of such a table.
pub(super) fn is_text(text: &str) -> bool {
    text.contains("\"SLIT\"") && text.contains("Localities")
}

/// Reads what `iasl` wrote, as it is or edited.
///
/// # Errors
/// What is wrong, with its line.
pub fn read_text(text: &str) -> Result<Topology, FormatError> {
    let mut rows: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        let line = line.split("//").next().unwrap_or_default();
        let is_row = line.rsplit(']').next().is_some_and(|rest| rest.trim_start().starts_with("Locality "));
        if !is_row && !goes_on {
            continue;
        }
        let values = line.rsplit([':', ']']).next().unwrap_or_default();
        let (values, more) = match values.trim().strip_suffix('\\') {
            Some(values) => (values, true),
            None => (values, false),
        };
        let parsed: Result<Vec<u32>, _> = values.split_whitespace().map(|word| u32::from_str_radix(word, 16)).collect();
        let bad = |_| FormatError::new("this is no row of hexadecimal distances", "write two digits each").at(at, 1);
        let parsed = parsed.map_err(bad)?;
        match rows.last_mut().filter(|_| goes_on) {
            Some((_, row)) => row.extend(parsed),
            None => rows.push((at, parsed)),
        }
        goes_on = more;
    }
    let nodes = rows.len();
    if let Some((at, row)) = rows.iter().find(|(_, row)| row.len() != nodes) {
        let fault = format!("{} distances, and there are {nodes} localities", row.len());
        return Err(FormatError::new(fault, format!("give {nodes} of them")).at(*at, 1));
    }
    let rows: Vec<Vec<u32>> = rows.into_iter().map(|(_, row)| row).collect();
    let topology = machine(Distances::from_rows(&rows).unwrap_or_default());
    topology.validate()?;
    Ok(topology)
}

/// The distances as bytes.
fn bytes_of(distances: &Distances) -> Result<Vec<u8>, FormatError> {
    let mut bytes = Vec::new();
    for (from, row) in distances.rows().enumerate() {
        for (to, &value) in row.iter().enumerate() {
            bytes.push(u8::try_from(value).map_err(|_| {
                let fault = format!("the distance from node {from} to {to} is {value}");
                FormatError::new(fault, "a SLIT has one byte for each: at most 255")
            })?);
        }
    }
    Ok(bytes)
}

/// Writes the table; its localities are the nodes in order. The OEM revision is the highest there is, so that a kernel takes
/// it for newer than the firmware's.
///
/// # Errors
/// When a distance has no room in a byte.
pub fn write_binary(topology: &Topology) -> Result<Vec<u8>, FormatError> {
    let cells = bytes_of(&topology.distances)?;
    let mut table = Vec::with_capacity(HEADER + cells.len());
    table.extend_from_slice(b"SLIT");
    table.extend_from_slice(&((HEADER + cells.len()) as u32).to_le_bytes());
    table.extend_from_slice(&[1, 0]);
    table.extend_from_slice(b"SCHEDTTOPOLOGY");
    table.extend_from_slice(&u32::MAX.to_le_bytes());
    table.extend_from_slice(b"STOP");
    table.extend_from_slice(&1_u32.to_le_bytes());
    table.extend_from_slice(&(topology.nodes.len() as u64).to_le_bytes());
    table.extend_from_slice(&cells);
    let sum = table.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
    table[CHECKSUM] = 0_u8.wrapping_sub(sum);
    Ok(table)
}

/// Writes an archive for the front of an initrd, from which a kernel built with `ACPI_TABLE_UPGRADE` takes the table in place
/// of the firmware's.
///
/// # Errors
/// As [`write_binary`].
pub fn write_override(topology: &Topology) -> Result<Vec<u8>, FormatError> {
    let table = write_binary(topology)?;
    let mut archive = Vec::new();
    let folders = ["kernel", "kernel/firmware", "kernel/firmware/acpi"];
    for (inode, folder) in (1..).zip(folders) {
        entry(&mut archive, inode, 0o040_755, folder, &[]);
    }
    entry(&mut archive, 4, 0o100_644, OVERRIDE, &table);
    entry(&mut archive, 0, 0, "TRAILER!!!", &[]);
    while !archive.len().is_multiple_of(512) {
        archive.push(0);
    }
    Ok(archive)
}

/// One entry of a `newc` archive.
fn entry(archive: &mut Vec<u8>, inode: u32, mode: u32, name: &str, content: &[u8]) {
    let fields = [inode, mode, 0, 0, 1, 0, content.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0]
        .map(|field| format!("{field:08X}"));
    archive.extend_from_slice(b"070701");
    archive.extend_from_slice(fields.concat().as_bytes());
    archive.extend_from_slice(name.as_bytes());
    archive.push(0);
    pad(archive);
    archive.extend_from_slice(content);
    pad(archive);
}

fn pad(archive: &mut Vec<u8>) {
    while !archive.len().is_multiple_of(4) {
        archive.push(0);
    }
}

/// Writes the source that `iasl` compiles.
///
/// # Errors
/// As [`write_binary`].
pub fn write_text(topology: &Topology) -> Result<String, FormatError> {
    let cells = bytes_of(&topology.distances)?;
    let nodes = topology.nodes.len();
    let mut out = String::new();
    // Writing to a string can't fail.
    let mut field = |size: usize, name: &str, value: &str| {
        let _ = writeln!(out, "[{size:04}] {name:>34} : {value}");
    };
    field(4, "Signature", "\"SLIT\"    [System Locality Information Table]");
    field(4, "Table Length", &format!("{:08X}", HEADER + cells.len()));
    field(1, "Revision", "01");
    field(1, "Checksum", "00");
    field(6, "Oem ID", "\"SCHEDT\"");
    field(8, "Oem Table ID", "\"TOPOLOGY\"");
    field(4, "Oem Revision", "FFFFFFFF");
    field(4, "Asl Compiler ID", "\"INTL\"");
    field(4, "Asl Compiler Revision", "00000001");
    field(8, "Localities", &format!("{nodes:016X}"));
    for (index, row) in cells.chunks(nodes.max(1)).enumerate() {
        let lines: Vec<String> = row
            .chunks(16)
            .map(|part| part.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" "))
            .collect();
        field(nodes, &format!("Locality {index:>3}"), &lines.join(&format!(" \\\n{:44}", "")));
    }
    Ok(out)
}
