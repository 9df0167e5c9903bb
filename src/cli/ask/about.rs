//! What can be asked, and about what, as arguments and as fields of a JSON line.

use crate::balance::distance::NodeId;
use crate::balance::pinned::Purpose;
use crate::balance::question::Question;
use crate::cli::error::CliError;
use crate::cli::input;
use crate::cpumask::CpuMask;
use crate::topology::Topology;
use serde::Deserialize;

/// The questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Kind {
    /// Which of the CPUs --among is closest to --cpu? (`sched_numa_find_closest`, 5.4)
    Closest,
    /// Which of the CPUs --among is the -n-th closest to --node? (`sched_numa_find_nth_cpu`, 6.3)
    Nth,
    /// Which CPUs are within --hops NUMA levels of --node? (`sched_numa_hop_mask`, 6.3)
    Hops,
    /// Which is the -n-th CPU for a device at --node? (`cpumask_local_spread`)
    Spread,
    /// May --cpu balance at --level when --idle CPUs are idle? (`should_we_balance`)
    MayBalance,
    /// Which CPU is retried with when --dst, at --level, finds a task --allowed elsewhere? (`can_migrate_task`)
    Pinned,
    /// Where does a timer of --cpu go when --idle CPUs are idle? (`get_nohz_timer_target`)
    Timer,
    /// Which CPU balances for the --nohz-idle ones when --cpu asks? (`find_new_ilb`)
    Ilb,
}

/// What a question is asked about; which of these apply depends on the question. Sets of CPUs are cpulists.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
pub struct About {
    /// The CPU that asks
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<usize>,
    /// The CPU that pulls
    #[arg(long, value_name = "CPU")]
    pub dst: Option<usize>,
    /// The node, by id; -1 for none
    #[arg(long, value_name = "NODE", allow_negative_numbers = true)]
    pub node: Option<i64>,
    /// Which CPU, the first being 0
    #[arg(short, value_name = "N")]
    pub n: Option<usize>,
    /// How many NUMA levels away at most
    #[arg(long, value_name = "N")]
    pub hops: Option<usize>,
    /// The domain of the CPU, counted from 0, bottom up, after degeneration
    #[arg(long, value_name = "N")]
    pub level: Option<usize>,
    /// The CPUs to choose from; all online ones when not named
    #[arg(long, value_name = "CPULIST")]
    pub among: Option<String>,
    /// The CPUs the task may run on
    #[arg(long, value_name = "CPULIST")]
    pub allowed: Option<String>,
    /// The CPUs that are idle; none when not named
    #[arg(long, value_name = "CPULIST")]
    pub idle: Option<String>,
    /// The CPUs whose tick is stopped; the idle ones when not named
    #[arg(long, value_name = "CPULIST")]
    pub nohz_idle: Option<String>,
    /// The housekeeping CPUs; all when not named
    #[arg(long, value_name = "CPULIST")]
    pub housekeeping: Option<String>,
    /// The active CPUs; the online ones when not named
    #[arg(long, value_name = "CPULIST")]
    pub active: Option<String>,
    /// The CPU ran out of tasks just now
    #[arg(long)]
    #[serde(default)]
    pub newidle: bool,
    /// It is an active balance
    #[arg(long)]
    #[serde(default)]
    pub active_lb: bool,
}

impl About {
    /// The question of this kind about it.
    ///
    /// # Errors
    /// What is missing, or no set of the machine's CPUs.
    pub(super) fn question(&self, kind: Kind, topology: &Topology) -> Result<Question, CliError> {
        let possible = || CpuMask::first_n(topology.nr_cpus);
        let set = |name: &str, list: &Option<String>| -> Result<Option<CpuMask>, CliError> {
            list.as_deref().map(|list| input::cpus(topology, name, list)).transpose()
        };
        let idle = || Ok::<_, CliError>(set("idle", &self.idle)?.unwrap_or_default());
        let among = || Ok::<_, CliError>(set("among", &self.among)?.unwrap_or_else(|| topology.online.clone()));
        let active = || Ok::<_, CliError>(set("active", &self.active)?.unwrap_or_else(|| topology.online.clone()));
        let housekeeping = || Ok::<_, CliError>(set("housekeeping", &self.housekeeping)?.unwrap_or_else(possible));
        let node = needed("node", self.node);
        Ok(match kind {
            Kind::Closest => Question::Closest { cpu: needed("cpu", self.cpu)?, among: among()? },
            Kind::Nth => Question::Nth { node: node_id(node?)?, n: needed("n", self.n)?, among: among()? },
            Kind::Hops => Question::Hops {
                // The kernel reads a negative id as one beyond all.
                node: u32::try_from(node?).unwrap_or(u32::MAX),
                hops: needed("hops", self.hops)?,
            },
            Kind::Spread => Question::Spread { node: node_id(node?)?, n: needed("n", self.n)? },
            Kind::MayBalance => Question::MayBalance {
                cpu: needed("cpu", self.cpu)?,
                level: needed("level", self.level)?,
                idle: idle()?,
                newly_idle: self.newidle,
                active: active()?,
            },
            Kind::Pinned => Question::Pinned {
                dst: needed("dst", self.dst)?,
                level: needed("level", self.level)?,
                allowed: needed("allowed", set("allowed", &self.allowed)?)?,
                purpose: match (self.active_lb, self.newidle) {
                    (true, _) => Purpose::Active,
                    (false, true) => Purpose::NewlyIdle,
                    (false, false) => Purpose::Periodic,
                },
                active: active()?,
            },
            Kind::Timer => {
                Question::Timer { cpu: needed("cpu", self.cpu)?, idle: idle()?, housekeeping: housekeeping()? }
            }
            Kind::Ilb => Question::Ilb {
                cpu: needed("cpu", self.cpu)?,
                nohz_idle: set("nohz_idle", &self.nohz_idle)?.map_or_else(idle, Ok)?,
                idle: idle()?,
                housekeeping: housekeeping()?,
            },
        })
    }
}

fn needed<T>(name: &str, value: Option<T>) -> Result<T, CliError> {
    value.ok_or_else(|| CliError::Argument(format!("{name} is missing: the question needs it")))
}

fn node_id(id: i64) -> Result<NodeId, CliError> {
    match u32::try_from(id) {
        Ok(id) => Ok(NodeId::Id(id)),
        Err(_) if id == -1 => Ok(NodeId::None),
        Err(_) => Err(CliError::Argument(format!("node {id}: give a node's id, or -1 for none"))),
    }
}
