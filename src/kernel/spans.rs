//! Every different CPU set of a build, stored once.

use crate::cpumask::CpuMask;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A CPU set of a build; equal ids are equal sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpanId(pub(crate) u32);

impl SpanId {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
}

/// The sets, by id.
#[derive(Clone, Debug)]
pub struct SpanTable {
    masks: IndexSet<CpuMask, FxBuildHasher>,
    weights: Vec<u32>,
}

impl SpanTable {
    /// A table of the empty set alone, with room for so many more.
    pub(crate) fn with_room(sets: usize) -> Self {
        let masks = IndexSet::with_capacity_and_hasher(sets + 1, FxBuildHasher);
        let mut table = Self { masks, weights: Vec::with_capacity(sets + 1) };
        table.intern(CpuMask::new());
        table
    }

    /// The id of `mask`, new or known.
    pub(crate) fn intern(&mut self, mask: CpuMask) -> SpanId {
        let (index, new) = self.masks.insert_full(mask);
        if new {
            self.weights.push(self.masks[index].weight() as u32);
        }
        SpanId(index as u32)
    }

    /// The set of an id.
    pub fn get(&self, id: SpanId) -> &CpuMask {
        &self.masks[id.0 as usize]
    }

    /// The id of a set the build holds.
    pub fn find(&self, mask: &CpuMask) -> Option<SpanId> {
        self.masks.get_index_of(mask).map(|index| SpanId(index as u32))
    }

    /// How many CPUs a set holds.
    pub fn weight(&self, id: SpanId) -> u32 {
        self.weights[id.0 as usize]
    }

    /// How many different sets there are, the empty one included.
    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// Whether the table holds nothing; it always holds the empty set.
    pub fn is_empty(&self) -> bool {
        false
    }
}
