//! Every different CPU set of a build, stored once.

use crate::cpumask::CpuMask;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

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
    /// Sets kept from an earlier build; their ids come first.
    base: Option<Arc<SpanTable>>,
    masks: IndexSet<CpuMask, FxBuildHasher>,
    weights: Vec<u32>,
}

impl SpanTable {
    /// A table of the empty set alone, with room for so many more.
    pub(crate) fn with_room(sets: usize) -> Self {
        let masks = IndexSet::with_capacity_and_hasher(sets + 1, FxBuildHasher);
        let mut table = Self { base: None, masks, weights: Vec::with_capacity(sets + 1) };
        table.intern(CpuMask::new());
        table
    }

    /// A table that goes on where `base` ends.
    pub(crate) fn on(base: Arc<Self>) -> Self {
        Self { base: Some(base), masks: IndexSet::default(), weights: Vec::new() }
    }

    /// How many sets are those of the table this one goes on from.
    fn kept(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.len())
    }

    /// The id of `mask`, new or known.
    pub(crate) fn intern(&mut self, mask: CpuMask) -> SpanId {
        if let Some(known) = self.base.as_ref().and_then(|base| base.find(&mask)) {
            return known;
        }
        let (index, new) = self.masks.insert_full(mask);
        if new {
            self.weights.push(self.masks[index].weight() as u32);
        }
        SpanId((self.kept() + index) as u32)
    }

    /// The set of an id.
    pub fn get(&self, id: SpanId) -> &CpuMask {
        match &self.base {
            Some(base) if (id.0 as usize) < base.len() => base.get(id),
            _ => &self.masks[id.0 as usize - self.kept()],
        }
    }

    /// The id of a set the build holds.
    pub fn find(&self, mask: &CpuMask) -> Option<SpanId> {
        let own = || Some(SpanId((self.kept() + self.masks.get_index_of(mask)?) as u32));
        self.base.as_ref().and_then(|base| base.find(mask)).or_else(own)
    }

    /// How many CPUs a set holds.
    pub fn weight(&self, id: SpanId) -> u32 {
        match &self.base {
            Some(base) if (id.0 as usize) < base.len() => base.weight(id),
            _ => self.weights[id.0 as usize - self.kept()],
        }
    }

    /// How many different sets there are, the empty one included.
    pub fn len(&self) -> usize {
        self.kept() + self.masks.len()
    }

    /// Whether the table holds nothing; it always holds the empty set.
    pub fn is_empty(&self) -> bool {
        false
    }
}
