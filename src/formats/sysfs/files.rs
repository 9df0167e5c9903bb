//! The files that say something of a machine, by short names, wherever they came from.

use std::collections::BTreeMap;

/// The most files kept: 8192 CPUs with 40 domains of a dozen files each are more than anybody looks at.
const MAX_FILES: usize = 2_000_000;

/// The files that were found: content by short name. `node3/distance` and `cpu7/topology/core_cpus_list` are what they
/// say; `node/online` and `cpu/isolated` stand in the folders above; `domains/cpu0/domain1/name` is of the scheduler's
/// debug files, wherever the release has them; `proc/version` and its like are of `/proc`, and `dmesg` is the kernel log.
/// A link between a CPU and its node is there with no content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    content: BTreeMap<String, String>,
    /// What could not be read, and why.
    pub unread: Vec<String>,
}

impl Files {
    /// The content of a file, without white space around.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.content.get(name).map(|content| content.trim())
    }

    /// The content of a file as it is.
    pub fn whole(&self, name: &str) -> Option<&str> {
        self.content.get(name).map(String::as_str)
    }

    /// Names and contents, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.content.iter().map(|(name, content)| (name.as_str(), content.as_str()))
    }

    /// The names that begin with `start`, with the rest of each.
    pub fn below<'a>(&'a self, start: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        let from = self.content.range(start.to_owned()..);
        from.map_while(move |(name, content)| Some((name.strip_prefix(start)?, content.as_str())))
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Adds a file by its short name.
    pub fn add(&mut self, name: &str, content: String) {
        self.content.insert(name.to_owned(), content);
    }

    /// Keeps a file if it is one that says something; whether it is.
    pub(super) fn keep(&mut self, path: &str, content: impl FnOnce() -> Option<String>) -> bool {
        let Some(name) = short_name(path).filter(|_| self.content.len() < MAX_FILES) else { return false };
        if let Some(content) = content() {
            self.content.insert(name, content);
        }
        true
    }
}

fn numbered(part: &str, prefix: &str) -> bool {
    part.strip_prefix(prefix).is_some_and(|number| {
        !number.is_empty() && number.len() < 6 && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

const OF_NODE: [&str; 3] = ["cpulist", "cpumap", "distance"];
const OF_NODES: [&str; 3] = ["possible", "online", "has_cpu"];
const OF_CPUS: [&str; 6] = ["possible", "present", "online", "offline", "isolated", "nohz_full"];
const OF_TOPOLOGY: [&str; 15] = [
    "thread_siblings_list",
    "core_cpus_list",
    "core_siblings_list",
    "package_cpus_list",
    "cluster_cpus_list",
    "book_siblings_list",
    "drawer_siblings_list",
    "thread_siblings",
    "core_cpus",
    "core_siblings",
    "cluster_cpus",
    "cluster_id",
    "physical_package_id",
    "die_id",
    "core_id",
];
const OF_CACHE: [&str; 4] = ["level", "type", "shared_cpu_list", "shared_cpu_map"];
const OF_PROC: [&str; 4] = ["version", "cmdline", "cpuinfo", "schedstat"];

/// The short name of a path, wherever the tree begins; `None` for files that say nothing about domains.
pub(super) fn short_name(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let end = |count: usize| parts.len().checked_sub(count).map(|from| &parts[from..]);
    if let Some([cpu, domain, file]) = end(3)
        && numbered(cpu, "cpu")
        && numbered(domain, "domain")
    {
        return Some(format!("domains/{cpu}/{domain}/{file}"));
    }
    if let Some([cpu, "cache", index, file]) = end(4)
        && numbered(cpu, "cpu")
        && numbered(index, "index")
        && OF_CACHE.contains(file)
    {
        return Some(format!("{cpu}/cache/{index}/{file}"));
    }
    if let Some([cpu, "topology", file]) = end(3)
        && numbered(cpu, "cpu")
        && OF_TOPOLOGY.contains(file)
    {
        return Some(format!("{cpu}/topology/{file}"));
    }
    match end(2) {
        Some([node, file]) if numbered(node, "node") && OF_NODE.contains(file) => {
            return Some(format!("{node}/{file}"));
        }
        // The link stands on both sides.
        Some([one, other]) if numbered(one, "node") && numbered(other, "cpu") => return Some(format!("{other}/{one}")),
        Some([cpu, file]) if numbered(cpu, "cpu") && (*file == "cpu_capacity" || numbered(file, "node")) => {
            return Some(format!("{cpu}/{file}"));
        }
        Some(["node", file]) if OF_NODES.contains(file) => return Some(format!("node/{file}")),
        Some(["cpu", file]) if OF_CPUS.contains(file) => return Some(format!("cpu/{file}")),
        Some(["proc", file]) if OF_PROC.contains(file) => return Some(format!("proc/{file}")),
        _ => {}
    }
    matches!(end(1), Some(["dmesg" | "dmesg.txt"])).then(|| "dmesg".to_owned())
}

/// Where a file of this short name stands in a tree that begins at `/`.
pub(super) fn path_of(name: &str) -> String {
    match name.split_once('/') {
        None | Some(("proc", _)) => name.to_owned(),
        Some(("domains", rest)) => format!("sys/kernel/debug/sched/domains/{rest}"),
        Some(("node", file)) => format!("sys/devices/system/node/{file}"),
        Some(("cpu", file)) => format!("sys/devices/system/cpu/{file}"),
        Some((node, _)) if node.starts_with("node") => format!("sys/devices/system/node/{name}"),
        Some(_) => format!("sys/devices/system/cpu/{name}"),
    }
}

/// Whether a text lists such files, `path:content` a line, as `grep -r .` prints them.
pub fn is_listing(text: &str) -> bool {
    super::super::found::lines(text).any(|(_, line)| {
        listed(&line).is_some_and(|(path, _)| path.ends_with("/distance") || path.ends_with("/cpulist"))
    })
}

fn listed(line: &str) -> Option<(&str, &str)> {
    let (path, content) = line.split_once(':')?;
    (path.contains('/') && !path.contains(' ') && short_name(path).is_some()).then_some((path, content))
}

/// The files such a text lists.
pub fn from_text(text: &str) -> Files {
    let mut files = Files::default();
    for (_, line) in super::super::found::lines(text) {
        if let Some((path, content)) = listed(&line) {
            files.keep(path, || Some(content.trim().to_owned()));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_every_kind_are_told_from_those_that_say_nothing() {
        for (path, name) in [
            ("ring4/sys/devices/system/node/node0/distance", Some("node0/distance")),
            ("./node12/cpulist", Some("node12/cpulist")),
            ("sys/devices/system/node/node1/cpu3", Some("cpu3/node1")),
            ("/sys/devices/system/cpu/cpu3/node1", Some("cpu3/node1")),
            ("sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", Some("cpu0/cache/index3/shared_cpu_list")),
            ("sys/kernel/debug/sched/domains/cpu0/domain1/name", Some("domains/cpu0/domain1/name")),
            ("proc/sys/kernel/sched_domain/cpu0/domain1/flags", Some("domains/cpu0/domain1/flags")),
            ("proc/version", Some("proc/version")),
            ("sys/devices/system/node/node0/meminfo", None),
            ("sys/devices/system/cpu/cpufreq/policy0/online", None),
            ("etc/shadow", None),
        ] {
            assert_eq!(short_name(path).as_deref(), name, "{path}");
            if let Some(name) = name {
                assert_eq!(short_name(&path_of(name)).as_deref(), Some(name));
            }
        }
    }
}
