//! `SD_*` flags of sched domains and groups.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of `SD_*` flags. The bits are this program's own, in the order every release prints them; numeric values
/// differ from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flags(u32);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal $text:literal;)*) => {
        impl Flags {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            /// Every flag with the name the newest releases give it, in printing order.
            pub const NAMED: &'static [(Self, &'static str)] = &[$((Self::$name, $text)),*];
        }
    };
}

flags! {
    /// Periodic balancing; gone in 5.8, when every domain balances.
    LOAD_BALANCE = 0 "SD_LOAD_BALANCE";
    /// Balance when about to become idle.
    BALANCE_NEWIDLE = 1 "SD_BALANCE_NEWIDLE";
    /// Balance on exec.
    BALANCE_EXEC = 2 "SD_BALANCE_EXEC";
    /// Balance on fork and clone.
    BALANCE_FORK = 3 "SD_BALANCE_FORK";
    /// Balance on wakeup.
    BALANCE_WAKE = 4 "SD_BALANCE_WAKE";
    /// Consider waking a task on the waking CPU.
    WAKE_AFFINE = 5 "SD_WAKE_AFFINE";
    /// CPUs of different capacity inside.
    ASYM_CPUCAPACITY = 6 "SD_ASYM_CPUCAPACITY";
    /// Every capacity of the machine inside; 5.14 on.
    ASYM_CPUCAPACITY_FULL = 7 "SD_ASYM_CPUCAPACITY_FULL";
    /// CPUs share capacity (SMT).
    SHARE_CPUCAPACITY = 8 "SD_SHARE_CPUCAPACITY";
    /// CPUs share a power domain; gone in 5.10.
    SHARE_POWERDOMAIN = 9 "SD_SHARE_POWERDOMAIN";
    /// CPUs share a cluster; 6.7 on.
    CLUSTER = 10 "SD_CLUSTER";
    /// CPUs share a last-level cache; `SD_SHARE_PKG_RESOURCES` up to 6.8.
    SHARE_LLC = 11 "SD_SHARE_LLC";
    /// One balance pass at a time machine-wide.
    SERIALIZE = 12 "SD_SERIALIZE";
    /// Busy CPUs are packed on preferred ones.
    ASYM_PACKING = 13 "SD_ASYM_PACKING";
    /// Spread over sibling domains.
    PREFER_SIBLING = 14 "SD_PREFER_SIBLING";
    /// Groups may overlap; gone with 6.17, when `SD_NUMA` says it.
    OVERLAP = 15 "SD_OVERLAP";
    /// Spans nodes.
    NUMA = 16 "SD_NUMA";
}

impl Flags {
    /// No flags.
    pub const NONE: Self = Self(0);

    /// Whether every flag of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any flag of `other` is set.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether no flag is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// `self` with the flags of `other`; for constants.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `self` without the flags of `other`; for constants.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The flags that are set, one by one, in printing order.
    pub fn iter(self) -> impl Iterator<Item = Self> {
        Self::NAMED.iter().map(|&(flag, _)| flag).filter(move |&flag| self.contains(flag))
    }

    /// The names of the flags that are set. `llc_name` is what the release calls [`Flags::SHARE_LLC`].
    pub fn names(self, llc_name: &'static str) -> impl Iterator<Item = &'static str> {
        Self::NAMED
            .iter()
            .filter(move |&&(flag, _)| self.contains(flag))
            .map(move |&(flag, name)| if flag == Self::SHARE_LLC { llc_name } else { name })
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.with(other)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Flags {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for Flags {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl Not for Flags {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The newest names, separated by spaces.
impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names("SD_SHARE_LLC").enumerate() {
            write!(f, "{}{name}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}
