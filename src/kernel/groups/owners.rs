//! The third patch of 2017 alone: owners of capacity instances are chosen once every group exists.

use super::{BuildError, Builder, CpuMask, FxHashMap, GroupState, MessageKind, NONE, SgcId, SpanId};

impl Builder<'_> {
    /// The third patch of 2017: once all groups exist, each takes the instance of the first of its CPUs whose first
    /// group has the same span.
    pub(super) fn choose_owners(
        &mut self,
        state: &mut GroupState,
        cpu_map: &CpuMask,
        level: usize,
    ) -> Result<(), BuildError> {
        let mut chosen: FxHashMap<SpanId, SgcId> = FxHashMap::default();
        for cpu in cpu_map.iter() {
            if !self.has_sd(level, cpu) {
                continue;
            }
            let ring = self.ring_at(level, cpu);
            if self.groups[ring.groups[0].0 as usize].sgc != SgcId(NONE) {
                continue;
            }
            for group in ring.groups.clone() {
                let span = self.groups[group.0 as usize].span;
                let sgc = match chosen.get(&span) {
                    Some(&sgc) => sgc,
                    None => {
                        let sgc = self.choose_owner(state, cpu, level, span)?;
                        chosen.insert(span, sgc);
                        sgc
                    }
                };
                self.groups[group.0 as usize].sgc = sgc;
                self.preset_capacity(sgc, self.spans.weight(span));
            }
        }
        Ok(())
    }

    fn choose_owner(
        &mut self,
        state: &mut GroupState,
        cpu: usize,
        level: usize,
        span: SpanId,
    ) -> Result<SgcId, BuildError> {
        let first_group = |builder: &Self, i: usize| {
            builder.has_sd(level, i).then(|| {
                let ring = builder.ring_at(level, i);
                builder.groups[ring.groups[0].0 as usize].span
            })
        };
        let mut owner = None;
        for i in self.span(span).iter() {
            match first_group(self, i) {
                None => return Err(self.oops(cpu, level, "a sibling's groups were never built")),
                Some(first) if first == span => {
                    owner = Some(i);
                    break;
                }
                Some(_) => {}
            }
        }
        if owner.is_none() {
            self.say(cpu, level, MessageKind::BalanceCpuNotFound);
        }
        let mask = self.span(span).iter().filter(|&i| first_group(self, i) == Some(span)).collect();
        let (sgc, _) = self.claim_sgc(level, owner.unwrap_or(0));
        self.use_overlap_sgc(state, sgc, cpu, level, mask);
        Ok(sgc)
    }
}
