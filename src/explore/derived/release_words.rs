//! Releases in a few words.

use crate::kernel::release::OverlapGroups;

/// What a release does when it builds groups, in a few words.
pub fn group_rule(rule: OverlapGroups) -> &'static str {
    match rule {
        OverlapGroups::FromFirstCpu => "groups from the lowest CPU",
        OverlapGroups::WrapOwnerFound => "groups from the CPU, sgc where found",
        OverlapGroups::ChildFirst => "own child first",
        OverlapGroups::ChildFirstThenOwner => "own child first, sgc by first owner",
        OverlapGroups::WrapBalanceOwner => "groups from the CPU",
        OverlapGroups::WrapDescended => "groups from the CPU, siblings descend",
    }
}
