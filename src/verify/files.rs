//! The scheduler's debug files and `/proc/schedstat` against the model.

use super::difference::{Difference, Part};
use super::report::{Check, Taken};
use crate::cpumask::CpuMask;
use crate::formats::schedstat::Schedstat;
use crate::formats::sysfs::Files;
use crate::kernel::{Build, Domain, Flags};
use std::collections::{BTreeMap, BTreeSet};

/// Names of the flag bits up to 5.9, by bit, where the files hold numbers.
const OLD_BITS: [&str; 15] = [
    "SD_LOAD_BALANCE",
    "SD_BALANCE_NEWIDLE",
    "SD_BALANCE_EXEC",
    "SD_BALANCE_FORK",
    "SD_BALANCE_WAKE",
    "SD_WAKE_AFFINE",
    "SD_ASYM_CPUCAPACITY",
    "SD_SHARE_CPUCAPACITY",
    "SD_SHARE_POWERDOMAIN",
    "SD_SHARE_PKG_RESOURCES",
    "SD_SERIALIZE",
    "SD_ASYM_PACKING",
    "SD_PREFER_SIBLING",
    "SD_OVERLAP",
    "SD_NUMA",
];

/// The number a value begins with: on a serial console another line may run into it.
fn leading_number(value: &str) -> Option<u32> {
    let value = value.trim_start();
    value[..value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len()].parse().ok()
}

fn flag_words(value: &str) -> String {
    match leading_number(value) {
        Some(bits) => (0..OLD_BITS.len())
            .filter(|bit| bits >> bit & 1 == 1)
            .map(|bit| OLD_BITS[bit])
            .collect::<Vec<_>>()
            .join(" "),
        None => value.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// A file of the model's: what it is and what is in it. Those a machine at work changes are left out.
fn model_file(build: &Build, cpu: usize, level: usize, domain: &Domain, file: &str) -> Option<(Part, String)> {
    let words = |flags: Flags| flags.names(build.release.rules.llc_flag_name).collect::<Vec<_>>().join(" ");
    Some(match file {
        "name" => (Part::Name, build.level_name(level).to_owned()),
        "level" => (Part::Value("level"), level.to_string()),
        "flags" => (Part::Flags, words(domain.flags)),
        "groups_flags" => (Part::GroupFlags, words(build.group(domain, 0).flags)),
        "min_interval" => (Part::Value("min_interval"), domain.interval.to_string()),
        "max_interval" => (Part::Value("max_interval"), (2 * domain.interval).to_string()),
        "busy_factor" => (Part::Value("busy_factor"), build.release.rules.busy_factor.to_string()),
        "imbalance_pct" => (Part::Value("imbalance_pct"), build.imbalance_pct(domain).to_string()),
        "cache_nice_tries" => (Part::Value("cache_nice_tries"), build.cache_nice_tries(domain).to_string()),
        "cpu" => (Part::Value("cpu"), cpu.to_string()),
        _ => return None,
    })
}

/// Compares the debug files of every CPU that has some; `None` when there are none.
pub fn check_debug_files(build: &Build, files: &Files) -> Option<Check> {
    let mut differences = Vec::new();
    let mut depth: BTreeMap<usize, usize> = BTreeMap::new();
    for (rest, content) in files.below("domains/cpu") {
        let Some((cpu, index, file)) = place(rest) else { continue };
        let deepest = depth.entry(cpu).or_default();
        *deepest = (*deepest).max(index + 1);
        let chain = if cpu < build.nr_cpus { build.chain(cpu).nth(index) } else { None };
        let Some((level, domain)) = chain else { continue };
        let Some((part, model)) = model_file(build, cpu, level, domain, file) else { continue };
        let flags = matches!(part, Part::Flags | Part::GroupFlags);
        let printed = match part {
            _ if flags => flag_words(content),
            Part::Value(_) => {
                leading_number(content).map_or_else(|| content.trim().to_owned(), |number| number.to_string())
            }
            _ => content.trim().to_owned(),
        };
        if printed != model {
            let domain = Some((index, build.level_name(level).to_owned()));
            differences.push(Difference { line: None, cpu: Some(cpu), domain, group: None, part, printed, model });
        }
    }
    if depth.is_empty() {
        return None;
    }
    count_domains(build, &depth, &mut differences);
    let cpus = depth.keys().copied().collect();
    Some(Check { what: "the debug files".to_owned(), line: None, cpus, taken: Taken::AsGiven, differences })
}

fn place(rest: &str) -> Option<(usize, usize, &str)> {
    let (cpu, rest) = rest.split_once("/domain")?;
    let (index, file) = rest.split_once('/')?;
    Some((cpu.parse().ok()?, index.parse().ok()?, file))
}

/// A CPU of the model's that has no files has empty folders, which no copy keeps.
fn count_domains(build: &Build, depth: &BTreeMap<usize, usize>, differences: &mut Vec<Difference>) {
    let cpus: BTreeSet<usize> = depth.keys().copied().chain(build.cpu_map().iter()).collect();
    for cpu in cpus {
        let (printed, model) =
            (depth.get(&cpu).copied().unwrap_or(0), if cpu < build.nr_cpus { build.chain(cpu).count() } else { 0 });
        if printed != model {
            differences.push(Difference {
                line: None,
                cpu: Some(cpu),
                domain: None,
                group: None,
                part: Part::Domains,
                printed: printed.to_string(),
                model: model.to_string(),
            });
        }
    }
}

/// Compares the spans, and from version 17 the names, of `/proc/schedstat`.
pub fn check_schedstat(build: &Build, stat: &Schedstat) -> Check {
    let mut differences = Vec::new();
    for (&cpu, printed) in &stat.cpus {
        let model: Vec<(usize, &Domain)> = if cpu < build.nr_cpus { build.chain(cpu).collect() } else { Vec::new() };
        let about = |line, domain, part, printed: String, model: String| Difference {
            line: Some(line),
            cpu: Some(cpu),
            domain,
            group: None,
            part,
            printed,
            model,
        };
        for (index, (here, &(level, domain))) in printed.domains.iter().zip(&model).enumerate() {
            let place = Some((index, build.level_name(level).to_owned()));
            let span = build.span(domain.span);
            if here.span != *span {
                differences.push(about(here.line, place.clone(), Part::Span, here.span.to_string(), span.to_string()));
            }
            if let Some(name) = here.name.as_deref().filter(|name| *name != build.level_name(level)) {
                differences.push(about(
                    here.line,
                    place,
                    Part::Name,
                    name.to_owned(),
                    build.level_name(level).to_owned(),
                ));
            }
        }
        if printed.domains.len() != model.len() {
            let counts = (printed.domains.len().to_string(), model.len().to_string());
            differences.push(about(printed.line, None, Part::Domains, counts.0, counts.1));
        }
    }
    let cpus: CpuMask = stat.cpus.keys().copied().collect();
    Check { what: "/proc/schedstat".to_owned(), line: None, cpus, taken: Taken::AsGiven, differences }
}
