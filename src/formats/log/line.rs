//! One line of a kernel log: what is before the kernel's words, and what they say of domains.

use crate::cpumask::CpuMask;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// `CPU0 attaching sched-domain(s):`
    Attaching(usize),
    /// `CPU0 attaching NULL sched-domain.`
    Detached(usize),
    /// ` domain-0: span=0-1 level=MC`
    Domain { index: usize, span: CpuMask, name: &'a str },
    /// `  groups: …`
    Groups(&'a str),
    /// `ERROR: …` or another complaint about domains.
    Complaint(&'a str),
    /// `root domain span: 0-3`, before 4.17 `span: 0-3 (…)`.
    RootSpan(CpuMask),
    /// `Linux version …`
    Version(&'a str),
    /// `Command line: …`
    Parameters(&'a str),
    /// A CPU has gone offline.
    Offline(usize),
    /// A CPU comes up.
    Online(usize),
    /// `.... node  #1, CPUs:   #2 #3`
    NodeCpus(u32, Vec<usize>),
    /// A node that firmware describes.
    Node(u32),
    /// The kernel is in trouble: what follows can't be relied on.
    Oops,
    /// Anything else, which may go on with what a message cut in two.
    Other(&'a str),
}

/// The kernel's own words: without priorities, time stamps, callers, and what syslog and journald put before.
pub(super) fn payload(line: &str) -> &str {
    let mut rest = line.trim_end_matches(['\r', '\n']);
    if let Some(at) = rest.find(" kernel: ") {
        rest = &rest[at + " kernel: ".len()..];
    }
    // `dmesg -x`: `kern  :info  : [    0.1] `.
    if let Some((before, after)) = rest.split_once(": [")
        && before.contains(':')
        && before.len() < 24
        && before.starts_with(|c: char| c.is_ascii_lowercase())
    {
        rest = &rest[rest.len() - after.len() - 1..];
    }
    loop {
        let next = match rest.as_bytes().first() {
            Some(b'<') => after(rest, '>', |inside| inside.bytes().all(|byte| byte.is_ascii_digit())),
            // A time, or with CONFIG_PRINTK_CALLER who printed it. What the kernel itself puts in brackets is longer.
            Some(b'[') => after(rest, ']', |inside| {
                let inside = inside.trim_start();
                inside.len() < 40 && inside.contains(|c: char| c.is_ascii_digit()) && !inside.starts_with("mem ")
            }),
            _ => None,
        };
        match next {
            Some(next) => rest = next,
            None => return rest,
        }
    }
}

/// What follows the bracket that is opened at the start, and one blank.
fn after(text: &str, close: char, fits: impl Fn(&str) -> bool) -> Option<&str> {
    let (inside, rest) = text[1..].split_once(close)?;
    fits(inside).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

fn number_at(text: &str) -> Option<(usize, &str)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// Reads a line.
pub(super) fn read(line: &str) -> Line<'_> {
    let whole = payload(line);
    let text = whole.trim();
    attaching(text)
        .or_else(|| domain(text))
        .or_else(|| text.strip_prefix("groups:").map(Line::Groups))
        .or_else(|| root_span(text))
        .or_else(|| about_boot(text))
        .or_else(|| hotplug(text))
        .or_else(|| is_oops(text).then_some(Line::Oops))
        .or_else(|| text.starts_with("ERROR: ").then_some(Line::Complaint(text)))
        .unwrap_or(Line::Other(whole))
}

fn attaching(text: &str) -> Option<Line<'_>> {
    let (cpu, rest) = number_at(text.strip_prefix("CPU")?)?;
    match rest.trim_start() {
        rest if rest.starts_with("attaching NULL sched-domain") => Some(Line::Detached(cpu)),
        rest if rest.starts_with("attaching sched-domain") => Some(Line::Attaching(cpu)),
        _ => None,
    }
}

fn domain(text: &str) -> Option<Line<'_>> {
    let rest = text.strip_prefix("domain")?;
    let (index, rest) = number_at(rest.strip_prefix(['-', ' '])?)?;
    let rest = rest.strip_prefix(": span")?;
    let (span, name) = rest.split_once(" level")?;
    let span = CpuMask::parse(span.trim_start_matches('=').trim(), None).ok()?;
    let name = name.strip_prefix(['=', ' '])?.split_whitespace().next()?;
    Some(Line::Domain { index, span, name })
}

fn root_span(text: &str) -> Option<Line<'_>> {
    let list = text.strip_prefix("root domain span: ").or_else(|| text.strip_prefix("span: "))?;
    let list = list.split_once(" (").map_or(list, |(list, _)| list);
    CpuMask::parse(list, None).ok().map(Line::RootSpan)
}

fn about_boot(text: &str) -> Option<Line<'_>> {
    if let Some(at) = text.find("Linux version ") {
        return Some(Line::Version(&text[at..]));
    }
    if let Some(line) = text.strip_prefix("Kernel command line: ").or_else(|| text.strip_prefix("Command line: ")) {
        return Some(Line::Parameters(line));
    }
    // `ACPI: SRAT: Node 0 PXM 0 [mem …]`, `NUMA: Node 0 [mem …`, `Initmem setup node 0 […`
    let node =
        ["ACPI: SRAT: Node ", "SRAT: Node ", "Initmem setup node "].iter().find_map(|start| text.strip_prefix(start));
    if let Some(rest) = node {
        return Some(Line::Node(number_at(rest)?.0 as u32));
    }
    let rest = text.strip_prefix(".... node")?.trim_start().strip_prefix('#')?;
    let (node, rest) = number_at(rest)?;
    let (_, list) = rest.split_once("CPUs:")?;
    let cpus = list.split_whitespace().filter_map(|word| word.strip_prefix('#')?.parse().ok()).collect();
    Some(Line::NodeCpus(node as u32, cpus))
}

fn hotplug(text: &str) -> Option<Line<'_>> {
    if let Some(at) = text.find("CPU ")
        && let Some((cpu, rest)) = number_at(&text[at + 4..])
        && rest.starts_with(" is now offline")
    {
        return Some(Line::Offline(cpu));
    }
    if let Some(at) = text.find("Booting Node ") {
        let (_, processor) = text[at..].split_once("Processor ")?;
        return Some(Line::Online(number_at(processor)?.0));
    }
    let (cpu, rest) = number_at(text.strip_prefix("CPU").or_else(|| text.strip_prefix("psci: CPU"))?)?;
    if rest.starts_with(": shutdown") || rest.starts_with(" killed") {
        return Some(Line::Offline(cpu));
    }
    rest.starts_with(": Booted secondary processor").then_some(Line::Online(cpu))
}

fn is_oops(text: &str) -> bool {
    [
        "Oops: ",
        "Kernel panic - not syncing",
        "BUG: unable to handle",
        "BUG: kernel NULL pointer",
        "Internal error: Oops",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_stands_before_the_words_of_the_kernel_goes() {
        let words = "CPU0 attaching sched-domain(s):";
        for before in [
            "",
            "[    2.338031] ",
            "<6>[    2.338031] ",
            "[    2.338031][    T1] ",
            "[Mon Dec  7 11:17:41 2026] ",
            "Dec 07 11:17:41 host kernel: ",
            "2026-12-07T11:17:41,123456+00:00 host kernel: [    2.3] ",
            "kern  :info  : [    2.338031] ",
            "[2026-12-07T11:17:41,123456+00:00] ",
        ] {
            assert_eq!(payload(&format!("{before}{words}\r")), words, "{before}");
        }
        assert_eq!(payload("[    0.1]  domain-0: span=0"), " domain-0: span=0");
    }

    #[test]
    fn lines_of_every_era() {
        assert_eq!(read(" domain 0: span 0-1,3 level NUMA"), read(" domain-0: span=0-1,3 level=NUMA"));
        assert!(
            matches!(read("  domain-1: span= level=MC"), Line::Domain { index: 1, span, name: "MC" } if span.is_empty())
        );
        assert_eq!(read("span: 0-3 (max cpu_capacity = 1024)"), read("root domain span: 0-3"));
        assert_eq!(read("smpboot: CPU 3 is now offline"), Line::Offline(3));
        assert_eq!(read("smpboot: Booting Node 3 Processor 12 APIC 0x3"), Line::Online(12));
        assert_eq!(read("CPU7: shutdown"), Line::Offline(7));
        assert_eq!(read(".... node  #1, CPUs:   #2 #3"), Line::NodeCpus(1, vec![2, 3]));
        assert!(matches!(read("CPU: 0 PID: 1 Comm: swapper"), Line::Other(_)));
    }
}
