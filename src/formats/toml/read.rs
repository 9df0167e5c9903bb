//! Reading TOML, short forms included.

use super::value::{Section, Value};
use super::{COUNTS, DISTANCES, MACHINE, ROOT, RUN, SHORT, groups_key};
use crate::formats::error::FormatError;
use crate::formats::raw::{PER_CPU, PER_NODE, Raw, RawLevel, RawMask};
use crate::formats::table::Table;
use crate::topology::generate::{Dealing, Machine, Numbering};
use crate::topology::{Arch, CpuMasks, Invalid, MAX_DISTANCE, MaskLevel, Topology};
use toml::Spanned;
use toml::de::DeTable;

/// Reads one topology.
///
/// # Errors
/// Where, what and how to put it right: bad TOML, an unknown or misplaced key, a bad cpulist or table, a short form
/// that does not add up, or a topology that can't be one.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    let file = parse(text)?;
    let root = Section::new(text, file.get_ref());
    let raw = read_file(root)?;
    raw.into_topology().map_err(|invalid| {
        let place = locate(root, &invalid.place);
        let error = FormatError::from(invalid);
        match place {
            Some(value) => error.at_byte(text, value.byte()),
            None => error,
        }
    })
}

/// The tables of a TOML file, whatever they are about.
///
/// # Errors
/// Where and why it is no TOML.
pub(crate) fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, FormatError> {
    DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or(0, |span| span.start);
        FormatError::new(error.message().replace('\n', ", "), "check the TOML here").at_byte(text, place)
    })
}

fn read_file(root: Section<'_>) -> Result<Raw, FormatError> {
    let machine_keys: Vec<&str> = MACHINE.into_iter().chain(SHORT).collect();
    let homes: [(&str, &[&str]); 4] =
        [("", &ROOT[..3]), ("machine", &machine_keys), ("distances", &DISTANCES), ("run", &RUN)];
    root.only(&ROOT, &homes)?;
    let (machine, distances, run) = (root.section("machine")?, root.section("distances")?, root.section("run")?);
    machine.only(&machine_keys, &homes)?;
    distances.only(&DISTANCES, &homes)?;
    run.only(&RUN, &homes)?;
    let mut raw = Raw {
        name: root.get("name").map(|value| text_of(value, "a name")).transpose()?,
        about: root.get("about").map(|value| text_of(value, "a line of text")).transpose()?,
        source: root.get("source").map(|value| text_of(value, "a line of text")).transpose()?,
        ..Raw::default()
    };
    let labels = read_distances(distances, &mut raw)?;
    read_machine(machine, &mut raw)?;
    read_run(run, &mut raw)?;
    settle_ids(distances, labels, &mut raw)?;
    Ok(raw)
}

fn text_of(value: Value<'_>, what: &str) -> Result<String, FormatError> {
    value.string(what).map(str::to_owned)
}

fn mask(value: Value<'_>) -> Result<RawMask, FormatError> {
    RawMask::parse(value.string("a cpulist such as \"0-3,8\"")?).map_err(|error| value.wrong(&error))
}

fn masks(value: Value<'_>, bound: (usize, &str)) -> Result<Vec<RawMask>, FormatError> {
    value.list(bound, mask)
}

/// Reads the table; gives the node ids that its labels name.
fn read_distances(distances: Section<'_>, raw: &mut Raw) -> Result<Option<Vec<u32>>, FormatError> {
    let Some(value) = distances.get("table") else { return Ok(None) };
    if value.is_list() {
        raw.distance = Some(value.list(PER_NODE, |row| row.list(PER_NODE, distance))?);
        return Ok(None);
    }
    let text = value.string("rows of distances between \"\"\" and \"\"\", or a list of lists")?;
    let table = Table::parse(text).map_err(|error| in_string(value, error))?;
    raw.distance = Some(table.rows());
    Ok(table.ids)
}

fn distance(value: Value<'_>) -> Result<u32, FormatError> {
    let what = format!("a distance from 0 to {MAX_DISTANCE}");
    let number = value.number(&what)?;
    if number > MAX_DISTANCE {
        Err(value.error(format!("{number} is no distance"), format!("give {what}")))
    } else {
        Ok(number)
    }
}

/// An error inside a string's text as one in the file.
fn in_string(value: Value<'_>, error: FormatError) -> FormatError {
    let here = value.error("", "");
    let first_line = here.line.unwrap_or(1);
    let written = value.written();
    let opened = written.starts_with("\"\"\"\n") || written.starts_with("'''\n");
    let opened = opened || written.starts_with("\"\"\"\r\n") || written.starts_with("'''\r\n");
    let (line, column) = (error.line.unwrap_or(1), error.column.unwrap_or(1));
    match (opened, line) {
        (true, _) => error.at(first_line + line, column),
        (false, 1) => error.at(first_line, here.column.unwrap_or(1) + column),
        (false, _) => error.at(first_line + line - 1, column),
    }
}

/// The node ids: as listed, or else as the table's labels have them; both must say the same.
fn settle_ids(distances: Section<'_>, labels: Option<Vec<u32>>, raw: &mut Raw) -> Result<(), FormatError> {
    let Some(labels) = labels else { return Ok(()) };
    match (&raw.node_ids, distances.get("table")) {
        (Some(ids), Some(table)) if *ids != labels => {
            Err(table.error("its labels are not the ids in node_ids", "make them agree, or take the labels away"))
        }
        (Some(_), _) => Ok(()),
        (None, _) => {
            raw.node_ids = Some(labels);
            Ok(())
        }
    }
}

fn read_machine(machine: Section<'_>, raw: &mut Raw) -> Result<(), FormatError> {
    raw.arch = machine.choice("arch", &Arch::ALL, Arch::name)?;
    raw.nr_cpus = machine.get("nr_cpus").map(|value| value.number("a number of CPUs")).transpose()?;
    raw.node_ids =
        machine.get("node_ids").map(|value| value.list(PER_NODE, |id| id.number("a node id"))).transpose()?;
    raw.package = machine.get("package").map(|value| value.list(PER_NODE, package)).transpose()?;
    raw.numa_in_package = machine.get("numa_in_package").map(Value::switch).transpose()?;
    raw.node_cpus = machine.get("node_cpus").map(|value| masks(value, PER_NODE)).transpose()?;
    read_levels(machine.section("levels")?, raw)?;
    if raw.node_cpus.is_none() {
        return expand(machine, raw);
    }
    if let Some((key, value)) = COUNTS.into_iter().find_map(|key| machine.get(key).map(|value| (key, value))) {
        let fault = format!("`{key}` and `node_cpus` both say which CPUs there are");
        return Err(value.error(fault, "keep one of the two"));
    }
    deal(machine, raw)
}

/// A whole number of the short form.
fn size(machine: Section<'_>, key: &'static str) -> Result<Option<usize>, FormatError> {
    Ok(machine.get(key).map(|value| value.number("a whole number")).transpose()?.map(|n| n as usize))
}

/// Cores, caches and packages of nodes that are written out.
fn deal(machine: Section<'_>, raw: &mut Raw) -> Result<(), FormatError> {
    if SHORT.into_iter().all(|key| machine.get(key).is_none()) {
        return Ok(());
    }
    let dealing = Dealing {
        threads_per_core: size(machine, "threads_per_core")?.unwrap_or(1),
        numbering: machine.choice("numbering", &Numbering::ALL, Numbering::name)?,
        llc_cpus: size(machine, "llc_cpus")?,
        cluster_cpus: size(machine, "cluster_cpus")?,
    };
    let nr_cpus = raw.given_cpus()?.unwrap_or_else(|| raw.named_cpus());
    let nodes = raw.known_nodes(nr_cpus)?;
    let levels = dealing.levels(&nodes, nr_cpus).map_err(|invalid| place(machine, invalid))?;
    take_levels(machine, raw, levels)?;
    if let Some(packed) = size(machine, "nodes_per_package")? {
        if packed == 0 || !nodes.len().is_multiple_of(packed) {
            let fault = format!("{packed} nodes a package do not make up {} nodes", nodes.len());
            let cure = format!("give a divisor of {}", nodes.len());
            return Err(place(machine, Invalid::new("nodes_per_package", fault, cure)));
        }
        raw.package.get_or_insert_with(|| (0..nodes.len()).map(|index| Some((index / packed) as u32)).collect());
        raw.numa_in_package.get_or_insert(packed > 1);
    }
    Ok(())
}

/// Takes the levels that follow from the short form.
fn take_levels(
    machine: Section<'_>,
    raw: &mut Raw,
    levels: impl IntoIterator<Item = (MaskLevel, CpuMasks)>,
) -> Result<(), FormatError> {
    for (level, masks) in levels {
        if raw.levels.iter().any(|(given, _)| *given == level) {
            let fault = format!("levels.{} and the short form both say who shares", level.name());
            return Err(place(machine, Invalid::new(short_key(level), fault, "keep one of the two")));
        }
        raw.levels.push((level, RawLevel::Made(masks)));
    }
    Ok(())
}

fn package(value: Value<'_>) -> Result<Option<u32>, FormatError> {
    let what = "a package number, -1 where it is not known";
    if value.integer(what)? == -1 { Ok(None) } else { value.number(what).map(Some) }
}

fn read_levels(levels: Section<'_>, raw: &mut Raw) -> Result<(), FormatError> {
    let known: Vec<&str> = MaskLevel::ALL.into_iter().flat_map(|level| [level.name(), groups_key(level)]).collect();
    levels.only(&known, &[])?;
    for level in MaskLevel::ALL {
        let masks = match (levels.get(level.name()), levels.get(groups_key(level))) {
            (None, None) => continue,
            (Some(_), Some(groups)) => {
                let fault = format!("`{}` is given as well", level.name());
                return Err(groups.error(fault, "keep either the list with a mask per CPU or the groups"));
            }
            (Some(list), None) => per_cpu(masks(list, PER_CPU)?),
            (None, Some(groups)) => RawLevel::Groups(masks(groups, PER_CPU)?),
        };
        raw.levels.push((level, masks));
    }
    Ok(())
}

fn per_cpu(masks: Vec<RawMask>) -> RawLevel {
    let of_cpu = (0..masks.len() as u32).collect();
    RawLevel::PerCpu { distinct: masks, of_cpu }
}

/// The short form; without any of its keys there is one CPU a node, as many nodes as the table has rows.
fn expand(machine: Section<'_>, raw: &mut Raw) -> Result<(), FormatError> {
    let size = |key| size(machine, key);
    let rows = raw.distance.as_ref().map(Vec::len);
    let Some(nodes) = size("nodes")?.or(rows) else { return Ok(()) };
    let short = Machine {
        threads_per_core: size("threads_per_core")?.unwrap_or(1),
        numbering: machine.choice("numbering", &Numbering::ALL, Numbering::name)?.unwrap_or_default(),
        llc_cpus: size("llc_cpus")?,
        cluster_cpus: size("cluster_cpus")?,
        nodes_per_package: size("nodes_per_package")?,
        ..Machine::new(nodes, size("cpus_per_node")?.unwrap_or(1))
    };
    short.check().map_err(|invalid| place(machine, invalid))?;
    raw.node_cpus = Some(short.node_cpus().into_iter().map(RawMask::Known).collect());
    take_levels(machine, raw, short.levels())?;
    if short.nodes_per_package.is_some() {
        raw.package.get_or_insert_with(|| (0..nodes).map(|index| short.package(index)).collect());
        raw.numa_in_package.get_or_insert(short.numa_in_package());
    }
    Ok(())
}

/// The key of the short form that makes a level.
fn short_key(level: MaskLevel) -> &'static str {
    match level {
        MaskLevel::Smt => "threads_per_core",
        MaskLevel::Cls => "cluster_cpus",
        _ => "llc_cpus",
    }
}

/// An error of the short form at the key it speaks of.
fn place(machine: Section<'_>, invalid: Invalid) -> FormatError {
    let key = SHORT.into_iter().find(|key| *key == invalid.place);
    match key.and_then(|key| machine.get(key)) {
        Some(value) => value.error(invalid.fault, invalid.cure),
        None => invalid.into(),
    }
}

fn read_run(run: Section<'_>, raw: &mut Raw) -> Result<(), FormatError> {
    raw.online = run.get("online").map(mask).transpose()?;
    raw.isolated = run.get("isolated").map(mask).transpose()?;
    raw.nohz_full = run.get("nohz_full").map(mask).transpose()?;
    raw.cpusets = run.get("cpusets").map(|value| masks(value, PER_CPU)).transpose()?;
    let capacity = |value: Value<'_>| value.number("a capacity, 1024 is full");
    raw.capacity = run.get("capacity").map(|value| value.list(PER_CPU, capacity)).transpose()?;
    raw.sched_debug = run.get("sched_debug").map(Value::switch).transpose()?;
    raw.reclaim_distance = run.get("reclaim_distance").map(|value| value.number("a distance")).transpose()?;
    raw.relax_domain_level = run.get("relax_domain_level").map(|value| value.number("a level")).transpose()?;
    Ok(())
}

/// The value an error's place speaks of.
fn locate<'a>(root: Section<'a>, place: &str) -> Option<Value<'a>> {
    let name = place.split(['[', '.']).next()?;
    let section = |key| root.section(key).ok();
    let (section, keys): (_, &'static [&'static str]) = match name {
        "distance" => (section("distances")?, &["table"]),
        "levels" => (section("machine")?, &["levels"]),
        _ if RUN.contains(&name) => (section("run")?, &RUN),
        _ => (section("machine")?, &["nr_cpus", "node_cpus", "node_ids", "package"]),
    };
    let key = keys.iter().copied().find(|&key| key == name || keys.len() == 1)?;
    section.get(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RING: &str = r#"name = "4-node ring"
about = "Nodes 0-2 and 1-3 are two hops apart."

[machine]
arch  = "x86"
nodes = 4
cpus_per_node = 8            # CPUs are numbered node by node
threads_per_core = 2
llc_cpus = 4
[distances]
table = """
10 20 30 20
20 10 20 30
30 20 10 20
20 30 20 10
"""
"#;

    fn says(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn the_short_form_expands() {
        let ring = read(RING).unwrap();
        assert_eq!((ring.nr_cpus, ring.arch, ring.nodes.len()), (32, Arch::X86, 4));
        assert_eq!(ring.nodes[1].cpus.to_string(), "8-15");
        assert_eq!(ring.mask(MaskLevel::Smt).get(9).to_string(), "8-9");
        assert_eq!(ring.mask(MaskLevel::Mc).get(9).to_string(), "8-11");
        assert!(ring.levels.get(MaskLevel::Cls).is_none());
        let split = read(&RING.replace("llc_cpus = 4", "numbering = \"split\"\nnodes_per_package = 2")).unwrap();
        assert_eq!(split.nodes[1].cpus.to_string(), "4-7,20-23");
        assert!(split.numa_in_package);
        assert_eq!(split.nodes[3].package, Some(1));
    }

    #[test]
    fn a_table_is_enough() {
        let ring = read("[distances]\ntable = [[10, 20], [20, 10]]\n").unwrap();
        assert_eq!((ring.nr_cpus, ring.nodes.len()), (2, 2));
        let sparse = read("[distances]\ntable = \"\"\"\nnode 0 8\n0: 10 40\n8: 40 10\n\"\"\"").unwrap();
        assert_eq!(sparse.nodes[1].id, 8);
    }

    #[test]
    fn the_explicit_form_has_the_words_of_json() {
        let text = r#"
            [machine]
            nr_cpus = 8
            node_cpus = ["0-1,4-5", "2-3,6-N", ""]
            node_ids = [0, 8, 250]
            package = [0, 1, -1]
            levels.smt_groups = ["0,4", "1,5"]
            levels.mc = ["0-1", "0-1", "2", "3", "4", "5", "6", "7"]
            [distances]
            table = [[10, 40, 80], [40, 10, 80], [80, 80, 10]]
            [run]
            online = "0-6"
            isolated = "1"
            capacity = [1024, 1024, 1024, 1024, 512, 512, 512, 512]
            cpusets = ["0-1", "2-3"]
            sched_debug = false
            reclaim_distance = 0x20"#;
        let machine = read(text).unwrap();
        assert_eq!(machine.nodes[1].cpus.to_string(), "2-3,6-7");
        assert_eq!(machine.nodes[1].package, Some(1));
        assert_eq!(machine.nodes[2].package, None);
        assert_eq!(machine.mask(MaskLevel::Smt).get(5).to_string(), "1,5");
        assert_eq!(machine.mask(MaskLevel::Smt).get(2).to_string(), "2");
        assert_eq!(machine.mask(MaskLevel::Mc).get(1).to_string(), "0-1");
        assert_eq!((machine.sched_debug, machine.reclaim_distance), (false, 32));
        assert_eq!(machine.cpusets.len(), 2);
    }

    #[test]
    fn errors_say_where_what_and_how() {
        let with = |from: &str, to: &str| says(&RING.replace(from, to));
        assert_eq!(
            with("cpus_per_node", "cpu_per_node"),
            "7:1: unknown field `cpu_per_node`; did you mean `cpus_per_node`?"
        );
        assert_eq!(
            with("30 20 10 20", "30 20 1O 20"),
            "14:7: `1O` is not a distance; write whole numbers such as 10 or 21"
        );
        assert_eq!(with("nodes = 4", "nodes = 5"), "11:9: distance: 4 rows for 5 nodes; give 5 rows of 5 distances");
        assert_eq!(
            with("llc_cpus = 4", "llc_cpus = 3"),
            "9:12: llc_cpus: groups of 3 CPUs do not make up a node of 8; give a divisor of 8"
        );
        assert_eq!(with("llc_cpus = 4", "online = \"0\""), "9:1: `online` is in the wrong table; move it to [run]");
        assert_eq!(with("arch  = \"x86\"", "arch = \"x68\""), "5:8: arch: \"x68\" is not known; did you mean `x86`?");
        assert!(with("nodes = 4", "node_cpus = [\"0\"]").contains("`cpus_per_node` and `node_cpus` both say"));
        assert!(with("nodes = 4", "nodes = \"4\"").contains("6:9: nodes: `\"4\"` does not fit; give a whole number"));
        assert!(with("nodes = 4", "nodes = -4").contains("does not fit"));
        assert!(with("nodes = 4", "nodes == 4").starts_with("6:8: "));
        assert!(with("llc_cpus = 4", "llc_cpus = 4\nlevels.mc = []").contains("both say who shares"));
        assert!(with("\"\"\"\n10", "\"\"\"\nnode 0 1 2\n10").starts_with("13:1: the header names 3 nodes"));
        assert!(says("").contains("the nodes are missing"));
        assert!(says("[machine]\nnodes = 2\n").contains("the table is missing"));
        assert!(
            says("[machine]\nnode_cpus = [\"0\", \"0\"]\n[distances]\ntable=[[1,1],[1,1]]")
                .starts_with("2:13: node_cpus[1]")
        );
        assert!(
            says("[machine]\nlevels.mc_groups = [\"0-1\", \"1-2\"]\nnodes = 1\ncpus_per_node = 3")
                .contains("in two groups")
        );
        assert!(says("machine = 3").contains("write [machine] on a line of its own"));
        let labels = "[machine]\nnode_ids = [0, 9]\n[distances]\ntable = \"0: 10 20\\n8: 20 10\"";
        assert!(says(labels).starts_with("4:9: table: its labels are not the ids"));
    }
}
