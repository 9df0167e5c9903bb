//! Saving into a file a person wrote: only what changed is touched, everything else stays as it stands.

use super::merge::{add, drop_key, merge, place, put};
use super::read::read;
use super::write::{RunKey, level_value, lists, numbers, packages, per_cpu, quoted, run, short_form, table, write};
use super::{COUNTS, SHORT, groups_key};
use crate::cpumask::CpuMask;
use crate::formats::FormatError;
use crate::formats::table::Table as Pasted;
use crate::topology::generate::{Dealing, Machine, Numbering};
use crate::topology::{Arch, CpuMasks, LOCAL_DISTANCE, MaskLevel, Topology};
use std::fmt::Write;
use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError, Value};

/// `original` changed so that it says `topology`: comments, order and everything that is still true stay.
///
/// # Errors
/// What is wrong with `original`, when it does not hold a topology itself.
pub fn save(original: &str, topology: &Topology) -> Result<String, FormatError> {
    if read(original)? == *topology {
        return Ok(original.to_owned());
    }
    let file = original.parse::<DocumentMut>();
    let file = file.map_err(|error: TomlError| FormatError::new(error.message(), "check the TOML"))?;
    let mut saver = Saver { file, topology };
    saver.labels();
    let labels = saver.distances();
    saver.machine(labels);
    saver.run();
    let text = with_line_ends_of(original, saver.file.to_string());
    // Losing comments is bad, losing data is worse: what does not read back as it should is written afresh.
    if read(&text).is_ok_and(|saved| saved == *topology) { Ok(text) } else { Ok(write(topology)) }
}

/// A file of DOS line ends stays one.
fn with_line_ends_of(original: &str, text: String) -> String {
    let dos = original.matches("\r\n").count();
    if dos > 0 && dos == original.matches('\n').count() {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text
    }
}

struct Saver<'a> {
    file: DocumentMut,
    topology: &'a Topology,
}

impl Saver<'_> {
    /// Name, about and source.
    fn labels(&mut self) {
        let topology = self.topology;
        for (key, text) in [("name", &topology.name), ("about", &topology.about), ("source", &topology.source)] {
            let root: &mut dyn TableLike = self.file.as_table_mut();
            if !text.is_empty() || root.contains_key(key) {
                put(root, key, quoted(text), None);
            }
        }
    }

    /// The table under `key`, made where it is missing; `None` when something else has that name.
    fn section(&mut self, key: &str) -> Option<&mut dyn TableLike> {
        let item = self.file.entry(key).or_insert_with(|| Item::Table(Table::new()));
        item.as_table_like_mut()
    }

    /// The distances; gives the node ids that the table's labels name.
    fn distances(&mut self) -> Option<Vec<u32>> {
        let topology = self.topology;
        let alone = topology.nodes.len() == 1 && topology.distances.get(0, 0) == LOCAL_DISTANCE;
        if alone && !self.file.contains_key("distances") {
            return None;
        }
        let section = self.section("distances")?;
        match section.get_mut("table").and_then(Item::as_value_mut) {
            Some(Value::Array(rows)) => {
                let fresh = topology.distances.rows().map(|row| numbers(row.iter().copied())).collect();
                merge(rows, fresh, None);
            }
            Some(pasted @ Value::String(_)) => {
                let fresh = pasted_with(pasted, topology).unwrap_or_else(|| pasted_table(topology));
                if pasted.as_str() != fresh.as_str() {
                    place(pasted, fresh);
                }
            }
            _ if alone => {}
            _ => add(section, "table", pasted_table(topology)),
        }
        let text = section.get("table").and_then(Item::as_str)?;
        Pasted::parse(text).ok()?.ids
    }

    /// CPUs, packages and levels. `labels` are the node ids the table names.
    fn machine(&mut self, labels: Option<Vec<u32>>) {
        let topology = self.topology;
        let Some(machine) = self.section("machine") else { return };
        let arch = Value::from(topology.arch.name());
        put_unless(machine, "arch", arch, topology.arch == Arch::Generic, None);
        let written_out = machine.contains_key("node_cpus");
        let short = if written_out { None } else { short_form_of(machine, topology) };
        let dealt = if written_out { dealt(machine, topology) } else { None };
        let named = topology.nodes.iter().filter_map(|node| node.cpus.last()).max().map_or(0, |last| last + 1);
        put_unless(machine, "nr_cpus", Value::from(topology.nr_cpus as i64), named == topology.nr_cpus, None);
        if short.is_none() {
            put(machine, "node_cpus", lists(topology.nodes.iter().map(|node| &node.cpus)), Some(topology.nr_cpus));
            let gone = |key: &&str| dealt.is_none() || COUNTS.contains(key);
            for key in SHORT.iter().filter(|key| gone(key)) {
                drop_key(machine, key);
            }
        }
        let ids: Vec<u32> = topology.nodes.iter().map(|node| node.id).collect();
        let by_default = labels.unwrap_or_else(|| (0..ids.len() as u32).collect());
        put_unless(machine, "node_ids", numbers(ids.iter().copied()), ids == by_default, None);
        let packed = short.as_ref().and_then(|short| short.nodes_per_package);
        let packed =
            packed.or_else(|| dealt.as_ref().and(whole(machine, "nodes_per_package"))).filter(|&packed| packed > 0);
        let package = |index| packed.map(|packed| (index / packed) as u32);
        let same = topology.nodes.iter().enumerate().all(|(index, node)| node.package == package(index));
        put_unless(machine, "package", packages(topology), same, None);
        let numa_in_package = packed.is_some_and(|packed| packed > 1);
        let same = topology.numa_in_package == numa_in_package;
        put_unless(machine, "numa_in_package", Value::from(topology.numa_in_package), same, None);
        let made = short.as_ref().map(|short| short.levels().map(|(level, _)| level).collect());
        save_levels(machine, topology, &made.or(dealt).unwrap_or_default());
    }

    fn run(&mut self) {
        let topology = self.topology;
        let keys = run(topology);
        if !self.file.contains_key("run") && keys.iter().all(|key| key.is_default) {
            return;
        }
        let Some(section) = self.section("run") else { return };
        for RunKey { key, value, is_default } in keys {
            match value {
                Some(value) => put_unless(section, key, value, is_default, Some(topology.nr_cpus)),
                None => drop_key(section, key),
            }
        }
    }
}

/// Writes a value where the key is there already or where leaving it out would not say the same.
fn put_unless(section: &mut dyn TableLike, key: &str, value: Value, is_default: bool, nr_cpus: Option<usize>) {
    if section.contains_key(key) || !is_default {
        put(section, key, value, nr_cpus);
    }
}

/// The short form that says `topology`'s CPUs, written into the file; `None` when none does.
fn short_form_of(machine: &mut dyn TableLike, topology: &Topology) -> Option<Machine> {
    let resized = resized(machine, topology);
    if holds(&resized, topology) {
        for (key, value) in short_form(&resized).into_iter().take(2) {
            let is_default = if key == "nodes" { true } else { resized.cpus_per_node == 1 };
            put_unless(machine, key, value, is_default, None);
        }
        return Some(resized);
    }
    let fresh = Machine::infer(topology)?;
    let wanted = short_form(&fresh);
    for (key, value) in &wanted {
        put(machine, key, value.clone(), None);
    }
    for key in SHORT.into_iter().filter(|key| wanted.iter().all(|(wanted, _)| wanted != key)) {
        drop_key(machine, key);
    }
    Some(fresh)
}

/// A whole number of the short form in the file.
fn whole(machine: &dyn TableLike, key: &str) -> Option<usize> {
    machine.get(key).and_then(Item::as_integer).and_then(|size| usize::try_from(size).ok())
}

fn numbering(machine: &dyn TableLike) -> Option<Numbering> {
    let name = machine.get("numbering").and_then(Item::as_str)?;
    Numbering::ALL.into_iter().find(|numbering| numbering.name() == name)
}

/// The levels that follow from how the file deals the CPUs of nodes written out; `None` when what follows is not true of
/// `topology`.
fn dealt(machine: &dyn TableLike, topology: &Topology) -> Option<Vec<MaskLevel>> {
    let dealing = Dealing {
        threads_per_core: whole(machine, "threads_per_core").unwrap_or(1),
        numbering: numbering(machine),
        llc_cpus: whole(machine, "llc_cpus"),
        cluster_cpus: whole(machine, "cluster_cpus"),
    };
    let nodes: Vec<CpuMask> = topology.nodes.iter().map(|node| node.cpus.clone()).collect();
    let levels = dealing.levels(&nodes, topology.nr_cpus).ok()?;
    let packed = whole(machine, "nodes_per_package").unwrap_or(1);
    let holds =
        |(level, masks): &(MaskLevel, CpuMasks)| topology.levels.get(*level).is_some_and(|given| **given == *masks);
    let fits = packed > 0 && nodes.len().is_multiple_of(packed) && levels.iter().all(holds);
    fits.then(|| levels.into_iter().map(|(level, _)| level).collect())
}

/// The short form in the file, with as many nodes and CPUs as `topology` has.
fn resized(machine: &dyn TableLike, topology: &Topology) -> Machine {
    let size = |key| whole(machine, key);
    Machine {
        threads_per_core: size("threads_per_core").unwrap_or(1),
        numbering: numbering(machine).unwrap_or_default(),
        llc_cpus: size("llc_cpus"),
        cluster_cpus: size("cluster_cpus"),
        nodes_per_package: size("nodes_per_package"),
        ..Machine::new(topology.nodes.len(), topology.nodes.first().map_or(0, |node| node.cpus.weight()))
    }
}

/// Whether what follows from `short` is true of `topology`; what does not follow from it, other keys can say.
fn holds(short: &Machine, topology: &Topology) -> bool {
    short.check().is_ok()
        && topology.nodes.len() == short.nodes
        && short.node_cpus().iter().zip(&topology.nodes).all(|(cpus, node)| *cpus == node.cpus)
        && short.levels().all(|(level, masks)| topology.levels.get(level).is_some_and(|given| **given == masks))
}

/// The levels that don't follow from the short form.
fn save_levels(machine: &mut dyn TableLike, topology: &Topology, made: &[MaskLevel]) {
    let given = |level| topology.levels.get(level).filter(|_| !made.contains(&level));
    if !machine.contains_key("levels") {
        if MaskLevel::ALL.into_iter().all(|level| given(level).is_none()) {
            return;
        }
        machine.insert("levels", Item::Table(Table::new()));
    }
    let Some(levels) = machine.get_mut("levels").and_then(Item::as_table_like_mut) else { return };
    for level in MaskLevel::ALL {
        let Some(masks) = given(level) else {
            drop_key(levels, level.name());
            drop_key(levels, groups_key(level));
            continue;
        };
        let (mut key, mut value) = level_value(level, masks);
        if levels.contains_key(level.name()) {
            (key, value) = (level.name(), per_cpu(masks));
        }
        put(levels, key, value, Some(topology.nr_cpus));
        if key == level.name() {
            drop_key(levels, groups_key(level));
        }
    }
}

/// The table as text in a string of several lines.
fn pasted_table(topology: &Topology) -> Value {
    let text = table(&topology.distances);
    format!("\"\"\"\n{text}\"\"\"").parse().unwrap_or_else(|_| Value::from(text))
}

/// The string of a pasted table with only those numbers changed that differ; `None` when its shape or its labels no
/// longer fit.
fn pasted_with(old: &Value, topology: &Topology) -> Option<Value> {
    let Value::String(string) = old else { return None };
    let text = string.value();
    let pasted = Pasted::parse(text).ok()?;
    let labelled = |ids: &Vec<u32>| topology.nodes.iter().map(|node| node.id).eq(ids.iter().copied());
    if pasted.rows.len() != topology.nodes.len() || !pasted.ids.as_ref().is_none_or(labelled) {
        return None;
    }
    let changed = with_cells(text, &pasted, topology);
    // As written, quotes included, where the text has no escapes: then the quotes stay what they are.
    let written = string.as_repr()?.as_raw().as_str()?;
    let quotes =
        if written.len() >= 6 && (written.starts_with("\"\"\"") || written.starts_with("'''")) { 3 } else { 1 };
    let inner = written.get(quotes..written.len() - quotes)?;
    if inner.trim_start_matches(['\r', '\n']) == text.trim_start_matches(['\r', '\n']) {
        let lead = &inner[..inner.len() - inner.trim_start_matches(['\r', '\n']).len()];
        let body = changed.trim_start_matches(['\r', '\n']);
        return format!("{}{lead}{body}{}", &written[..quotes], &written[written.len() - quotes..]).parse().ok();
    }
    Some(Value::from(changed))
}

/// `text` with the cells of `topology` in the places of the old ones, right-aligned where there is room.
fn with_cells(text: &str, pasted: &Pasted, topology: &Topology) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut from = 0;
    for (row, cells) in pasted.rows.iter().zip(topology.distances.rows()) {
        for (cell, &value) in row.iter().zip(cells).filter(|(cell, value)| cell.value != **value) {
            changed.push_str(&text[from..cell.bytes.start]);
            let number = value.to_string();
            let width = cell.bytes.len();
            for _ in width..number.len() {
                // A longer number takes the place of a blank before it, as long as one blank is left.
                if changed.ends_with("  ") {
                    changed.pop();
                }
            }
            // Writing into a String can't fail.
            let _ = write!(changed, "{number:>width$}");
            from = cell.bytes.end;
        }
    }
    changed.push_str(&text[from..]);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpumask::CpuMask;
    use crate::topology::generate::Shape;
    use crate::topology::{Distances, arbitrary};
    use proptest::prelude::*;

    const RING: &str = r#"# my ring
name = 'ring'   # a label

[machine]
# four nodes
nodes = 4
cpus_per_node = 2            # node by node
threads_per_core = 2

[distances]
# from a mail
table = """
> node  0   1   2   3
>  0:  10  20  30  20
>  1:  20  10  20  30
>  2:  30  20  10  20
>  3:  20  30  20  10
"""

[run]
isolated = "0,1"  # keep out
reclaim_distance = 0x1e
"#;

    fn saved(change: impl FnOnce(&mut Topology)) -> String {
        let mut topology = read(RING).unwrap();
        change(&mut topology);
        topology.validate().unwrap();
        let text = save(RING, &topology).unwrap();
        assert_eq!(read(&text).unwrap(), topology, "{text}");
        text
    }

    #[test]
    fn a_changed_cell_changes_two_characters() {
        let text = saved(|ring| {
            ring.distances.set(0, 1, 21);
            ring.distances.set(1, 0, 121);
            ring.distances.set(2, 2, 9);
        });
        let expected = RING
            .replace("0:  10  20", "0:  10  21")
            .replace("1:  20", "1: 121")
            .replace("2:  30  20  10", "2:  30  20   9");
        assert_eq!(text, expected);
    }

    #[test]
    fn labels_and_run_keep_their_comments() {
        let text = saved(|ring| {
            ring.name = "ring \"two\"".to_owned();
            ring.isolated = CpuMask::single(3);
            ring.reclaim_distance = 32;
            ring.sched_debug = false;
        });
        let expected = RING
            .replace("'ring'", "'ring \"two\"'")
            .replace("\"0,1\"", "\"3\"")
            .replace("0x1e\n", "32\nsched_debug = false\n");
        assert_eq!(text, expected);
    }

    #[test]
    fn a_node_more_keeps_the_short_form() {
        let text = saved(|ring| {
            let five = Machine { threads_per_core: 2, ..Machine::new(5, 2) };
            let five = five.topology("ring", Shape::parse("ring:5").unwrap().distances()).unwrap();
            *ring = Topology { isolated: ring.isolated.clone(), ..five };
        });
        assert!(text.contains("# four nodes\nnodes = 5\ncpus_per_node = 2            # node by node\n"), "{text}");
        assert!(text.contains("# from a mail\ntable = \"\"\"\n10 20 30 30 20\n"), "{text}");
    }

    #[test]
    fn uneven_nodes_are_written_out_and_comments_stay() {
        let text = saved(|ring| {
            ring.nodes[0].cpus = CpuMask::single(0);
            ring.nodes[3].cpus.insert(1);
        });
        assert!(
            text.contains("# four nodes\n# node by node\nnode_cpus = [\"0\", \"2-3\", \"4-5\", \"1,6-7\"]\n"),
            "{text}"
        );
        assert!(text.contains("[machine.levels]\nsmt_groups = [\"0-1\", \"2-3\", \"4-5\", \"6-7\"]\n"), "{text}");
        assert!(!text.contains("nodes ="), "{text}");
    }

    #[test]
    fn renumbered_nodes_drop_the_labels_that_lie() {
        let text = saved(|ring| ring.nodes[3].id = 8);
        assert!(text.contains("node_ids = [0, 1, 2, 8]\n"), "{text}");
        assert!(text.contains("table = \"\"\"\n10 20 30 20\n"), "{text}");
    }

    #[test]
    fn dos_line_ends_stay() {
        let dos = RING.replace('\n', "\r\n");
        let mut topology = read(&dos).unwrap();
        topology.distances.set(0, 1, 21);
        assert_eq!(save(&dos, &topology).unwrap(), dos.replace("0:  10  20", "0:  10  21"));
    }

    #[test]
    fn lists_are_changed_in_place() {
        let text = "[machine]\nnode_cpus = [\n  \"0,1\", # first\n  \"2-3\",\n]\n[distances]\ntable = [[10, 20], # near\n[20, 10]]\n";
        let mut topology = read(text).unwrap();
        topology.distances.set(0, 1, 21);
        topology.nodes[1].cpus.remove(3);
        topology.online.remove(3);
        let saved = save(text, &topology).unwrap();
        let expected = text.replace("[[10, 20]", "[[10, 21]").replace("\"2-3\"", "\"2\"");
        let expected = expected.replace("\n]\n", "\n]\nnr_cpus = 4\n") + "\n[run]\nonline = \"0-2\"\n";
        assert_eq!(saved, expected);
    }

    #[test]
    fn nodes_written_out_keep_how_their_cpus_are_dealt() {
        let text = "[machine]\nnode_cpus = [\"0-5,12-17\", \"6-11,18-23\"] # as lscpu says\nthreads_per_core = 2\nllc_cpus = 6\n\
                    nodes_per_package = 1\n[distances]\ntable = [[10, 20], [20, 10]]\n";
        let mut topology = read(text).unwrap();
        assert_eq!(topology.mask(MaskLevel::Smt).get(6).to_string(), "6,18");
        assert_eq!(
            (topology.mask(MaskLevel::Mc).get(6).to_string(), topology.nodes[1].package),
            ("6-8,18-20".to_owned(), Some(1))
        );
        topology.distances.set(0, 1, 21);
        assert_eq!(save(text, &topology).unwrap(), text.replace("[[10, 20]", "[[10, 21]"));
        // What no longer follows is written out.
        topology.nodes[0].cpus.remove(17);
        topology.online.remove(17);
        let saved = save(text, &topology).unwrap();
        assert_eq!(read(&saved).unwrap(), topology, "{saved}");
        assert!(saved.contains("as lscpu says") && !saved.contains("threads_per_core"), "{saved}");
    }

    #[test]
    fn a_file_that_is_none_is_refused() {
        assert!(save("[machine", &read(RING).unwrap()).is_err());
    }

    proptest! {
        #[test]
        fn what_is_saved_reads_back(before in arbitrary::topology(), after in arbitrary::topology()) {
            let original = write(&before);
            prop_assert_eq!(save(&original, &before).unwrap(), original.clone());
            let saved = save(&original, &after).unwrap();
            prop_assert_eq!(read(&saved).map_err(|error| format!("{error}\n{saved}")), Ok(after.clone()));
            // Into a hand-written file as well, and back again.
            let saved = save(RING, &after).unwrap();
            prop_assert_eq!(read(&saved).unwrap(), after);
            let back = save(&saved, &before).unwrap();
            prop_assert_eq!(read(&back).unwrap(), before);
        }

        /// The careful way works for changes people make: nothing falls back on writing afresh.
        #[test]
        fn comments_survive_any_change(before in arbitrary::topology(), after in arbitrary::topology()) {
            let original = format!("# first\n{}# last\n", write(&before));
            let saved = save(&original, &after).unwrap();
            prop_assert!(saved.contains("# first") && saved.contains("# last"), "{}\n{}", original, saved);
        }

        #[test]
        fn one_cell_changes_one_line(topology in arbitrary::topology(), at in any::<prop::sample::Index>(), value in 0_u32..300) {
            let original = write(&topology);
            let mut after = topology.clone();
            let (nodes, at) = (topology.nodes.len(), at.index(topology.nodes.len().pow(2)));
            after.distances = Distances::from_fn(nodes, |from, to| {
                if from * nodes + to == at { value } else { topology.distances.get(from, to) }
            });
            let saved = save(&original, &after).unwrap();
            let changed = original.lines().zip(saved.lines()).filter(|(a, b)| a != b).count();
            let same_lines = original.lines().count() == saved.lines().count();
            prop_assert!(changed <= 1 && same_lines, "{original}\n{saved}");
        }
    }
}
