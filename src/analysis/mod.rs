//! What a build means: who can pull tasks from whom, what is wrong, how two builds differ, and why groups came out as
//! they did. Pure: no terminal, no files, nothing is printed.

pub mod reach;
pub mod sharing;

use crate::kernel::Build;

/// The name of a level for people: NUMA levels are counted from 1, `NUMA-1`, `NUMA-2`; the others have the kernel's own
/// name.
pub fn level_label(build: &Build, level: usize) -> String {
    let name = build.levels[level].name;
    if !build.levels[level].overlap {
        return name.to_owned();
    }
    let count = build.levels[..=level].iter().filter(|level| level.overlap).count();
    format!("{name}-{count}")
}

/// The level a person names: a label such as `MC` or `NUMA-2`, `NUMA` for the first of them, or an index.
pub fn level_named(build: &Build, text: &str) -> Option<usize> {
    let wanted = text.trim().to_ascii_uppercase();
    let is_it = |level: &usize| {
        let label = level_label(build, *level);
        label == wanted || label.strip_suffix("-1") == Some(wanted.as_str())
    };
    let by_index = || wanted.parse().ok().filter(|&index| index < build.levels.len());
    (0..build.levels.len()).find(is_it).or_else(by_index)
}
