//! The groups of a line of the log.

use super::PrintedGroup;
use crate::cpumask::CpuMask;

/// The capacity that is not printed.
const FULL: u64 = 1024;

/// Reads what follows `groups:`; `None` when it is cut short or no such line.
pub(super) fn read(text: &str) -> Option<Vec<PrintedGroup>> {
    if text.contains(":{") { text.trim().split_inclusive('}').map(read_new).collect() } else { read_old(text) }
}

/// Whether a line goes on with groups that a message cut in two.
pub(super) fn goes_on(text: &str) -> bool {
    let text = text.trim_start();
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with('}') || (after_number.len() < text.len() && after_number.starts_with(":{ span="))
}

/// `0:{ span=0-1,3 mask=0 cap=3072 }`, from 4.13 on. Fields that vendors add are passed over.
fn read_new(text: &str) -> Option<PrintedGroup> {
    let (owner, fields) = text.trim_start_matches([',', ' ', '\t']).split_once(":{")?;
    let fields = fields.trim().strip_suffix('}')?;
    let mut group =
        PrintedGroup { owner: Some(owner.trim().parse().ok()?), span: CpuMask::new(), mask: None, capacity: FULL };
    let mut seen = false;
    for (name, value) in fields.split_whitespace().filter_map(|field| field.split_once('=')) {
        match name {
            "span" => {
                group.span = CpuMask::parse(value, None).ok()?;
                seen = true;
            }
            "mask" => group.mask = Some(CpuMask::parse(value, None).ok()?),
            "cap" => group.capacity = value.parse().ok()?,
            _ => {}
        }
    }
    seen.then_some(group)
}

/// `0-1,3 (cpu_capacity = 3072) 1-3`, up to 4.12.
fn read_old(text: &str) -> Option<Vec<PrintedGroup>> {
    let mut groups: Vec<PrintedGroup> = Vec::new();
    let text = text.replace("(cpu_capacity = ", "(").replace("(cpu_power = ", "(");
    for word in text.split_whitespace() {
        if let Some(capacity) = word.strip_prefix('(') {
            groups.last_mut()?.capacity = capacity.strip_suffix(')')?.parse().ok()?;
        } else {
            let span = CpuMask::parse(word, None).ok()?;
            groups.push(PrintedGroup { owner: None, span, mask: None, capacity: FULL });
        }
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_eras() {
        let new = read(" 0:{ span=0-1,3 mask=0 cap=3010 }, 2:{ span=1-3 vendor=7 mask=2 }").unwrap();
        assert_eq!((new[0].owner, new[0].capacity, new[1].capacity), (Some(0), 3010, 1024));
        assert_eq!(new[1].mask.as_ref().unwrap().to_string(), "2");
        let old = read(" 0-1,3 (cpu_capacity = 3072) 1-3").unwrap();
        assert_eq!((old[0].capacity, old[1].capacity, old[1].span.to_string().as_str()), (3072, 1024, "1-3"));
        assert_eq!(read(" 0:{ span=0-1,3 mask=0 ca"), None);
        assert_eq!(read(" 0-1,3 (cpu_cap"), None);
        assert!(goes_on(" }, 2:{ span=1 }") && goes_on(" 12:{ span=1 }") && !goes_on("1234 kernel: x"));
    }
}
