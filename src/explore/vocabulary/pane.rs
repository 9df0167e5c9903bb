//! The panes and the screens.

/// One pane of the Explore screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// The editable distance table.
    Distances,
    /// CPUs × levels.
    Cpus,
    /// Domains of the chosen CPU.
    Domains,
    /// Groups of the chosen domain.
    Groups,
    /// Capacity instances of the chosen level.
    Capacity,
    /// What is wrong or worth knowing, the kernel's own messages among it.
    Findings,
    /// The nodes and the links between them.
    Graph,
    /// What the balancer does on a machine at work.
    Counters,
}

impl Pane {
    /// Every pane, in Tab order.
    pub const ALL: [Self; 8] = [
        Self::Distances,
        Self::Cpus,
        Self::Domains,
        Self::Groups,
        Self::Capacity,
        Self::Findings,
        Self::Graph,
        Self::Counters,
    ];

    /// The title.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distances => "Distances",
            Self::Cpus => "CPUs",
            Self::Domains => "Domains",
            Self::Groups => "Groups",
            Self::Capacity => "Capacity",
            Self::Findings => "Findings",
            Self::Graph => "Graph",
            Self::Counters => "Counters",
        }
    }

    /// What its command is called in a configuration, what that does, and its keys.
    pub(super) fn command(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Distances => ("distances", "to Distances (there digits type: use alt)", "1 alt-1"),
            Self::Cpus => ("cpus", "to CPUs", "2 alt-2"),
            Self::Domains => ("domains", "to Domains", "3 alt-3"),
            Self::Groups => ("groups", "to Groups", "4 alt-4"),
            Self::Capacity => ("capacity", "to Capacity", "5 alt-5"),
            Self::Findings => ("findings", "to Findings", "6 alt-6"),
            Self::Graph => ("graph", "to Graph", "7 alt-7"),
            Self::Counters => ("counters", "to Counters", "8 alt-8"),
        }
    }
}

/// A whole view of the machine; all screens share one selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Screen {
    /// The panes.
    #[default]
    Explore,
    /// How the groups came to be, step by step.
    Construct,
    /// This release against another.
    Compare,
    /// Who can pull from whom.
    Reach,
    /// What the kernel prints.
    Dmesg,
    /// What the domains do to tasks.
    Balance,
}

impl Screen {
    /// Every screen, in the order of the function keys.
    pub const ALL: [Self; 6] = [Self::Explore, Self::Construct, Self::Compare, Self::Reach, Self::Dmesg, Self::Balance];

    /// The name on its tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explore => "Explore",
            Self::Construct => "Construct",
            Self::Compare => "Compare",
            Self::Reach => "Reach",
            Self::Dmesg => "Dmesg",
            Self::Balance => "Balance",
        }
    }

    /// What its command is called in a configuration, what that does, and its keys.
    pub(super) fn command(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Explore => ("explore", "Explore: the panes", "f1"),
            Self::Construct => ("construct", "Construct: how the groups came to be", "f2"),
            Self::Compare => ("compare", "Compare: releases, before and after edits, machines", "f3"),
            Self::Reach => ("reach", "Reach: which node can pull from which", "f4"),
            Self::Dmesg => ("dmesg", "Dmesg: what the kernel prints", "f5"),
            Self::Balance => ("balance", "Balance: what the domains do to tasks", "f7"),
        }
    }
}
