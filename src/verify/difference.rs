//! What is not as the model has it.

use std::fmt;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The CPUs domains were built for.
    CpuMap,
    /// Whether a CPU has domains at all, and how many.
    Domains,
    /// The name of a level.
    Name,
    /// The span of a domain.
    Span,
    /// How many groups a domain has.
    Groups,
    /// The order of groups that are otherwise the same.
    GroupOrder,
    /// The span of a group.
    GroupSpan,
    /// The CPU a group's capacity instance is named after.
    GroupOwner,
    /// The balance mask of a group.
    BalanceMask,
    /// The capacity of a group.
    Capacity,
    /// What the kernel complains of.
    Complaint,
    /// The flags of a domain.
    Flags,
    /// The flags of a domain's first group.
    GroupFlags,
    /// A number in the debug files.
    Value(&'static str),
}

impl Part {
    /// The word for people and for JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::CpuMap => "CPU map",
            Self::Domains => "domains",
            Self::Name => "name",
            Self::Span => "span",
            Self::Groups => "number of groups",
            Self::GroupOrder => "group order",
            Self::GroupSpan => "group span",
            Self::GroupOwner => "group id",
            Self::BalanceMask => "balance mask",
            Self::Capacity => "capacity",
            Self::Complaint => "complaint",
            Self::Flags => "flags",
            Self::GroupFlags => "groups_flags",
            Self::Value(name) => name,
        }
    }
}

/// One thing that is not as the model has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line it was printed in, from 1, in a log or `/proc/schedstat`.
    pub line: Option<usize>,
    /// The CPU; none where it is about all.
    pub cpu: Option<usize>,
    /// The domain, counted from 0, bottom up, and the name of its level in the model, or as printed where the model has none.
    pub domain: Option<(usize, String)>,
    /// The group, counted from 0 in the order printed.
    pub group: Option<usize>,
    /// What differs.
    pub part: Part,
    /// As the kernel printed it.
    pub printed: String,
    /// As the model has it.
    pub model: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut place = Vec::new();
        place.extend(self.line.map(|line| format!("line {line}")));
        place.extend(self.cpu.map(|cpu| format!("CPU {cpu}")));
        place.extend(self.domain.as_ref().map(|(index, name)| format!("domain {index} ({name})")));
        place.extend(self.group.map(|group| format!("group {group}")));
        let shown = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
        write!(
            f,
            "{}: {}: printed {}, model {}",
            place.join(", "),
            self.part.name(),
            shown(&self.printed),
            shown(&self.model)
        )
    }
}
