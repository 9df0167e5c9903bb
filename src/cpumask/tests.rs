//! Sets against the plainest sets there are, and the notation both ways.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn list(text: &str) -> CpuMask {
    CpuMask::parse(text, Some(64)).unwrap()
}

#[test]
fn reads_the_kernel_notation() {
    assert_eq!(list("0-3,8").iter().collect::<Vec<_>>(), [0, 1, 2, 3, 8]);
    assert_eq!(list("0-31:2/4").to_string(), "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29");
    assert_eq!(list("0-9:3/4").to_string(), "0-2,4-6,8-9");
    assert_eq!(list("all").weight(), 64);
    assert_eq!(list("60-N").to_string(), "60-63");
    assert_eq!(list("N").to_string(), "63");
    assert_eq!(list(" 1 , 3\n").to_string(), "1,3");
    assert_eq!(list("").to_string(), "");
}

#[test]
fn refuses_what_is_no_cpulist() {
    let why = |text| CpuMask::parse(text, None).unwrap_err().why;
    assert_eq!(why("x"), CpuListFault::NotANumber);
    assert_eq!(why("-3"), CpuListFault::NotANumber);
    assert_eq!(why("1-"), CpuListFault::NotANumber);
    assert_eq!(why("+1"), CpuListFault::NotANumber);
    assert_eq!(why("8192"), CpuListFault::TooHigh);
    assert_eq!(why("99999999999999999999999"), CpuListFault::TooHigh);
    assert_eq!(why("3-1"), CpuListFault::Backwards);
    assert_eq!(why("0-7:3"), CpuListFault::Pattern);
    assert_eq!(why("0-7:1/0"), CpuListFault::Pattern);
    assert_eq!(why("all"), CpuListFault::NoLast);
    assert_eq!(why("0-N"), CpuListFault::NoLast);
}

fn cpus() -> impl Strategy<Value = BTreeSet<usize>> {
    prop::collection::btree_set(prop_oneof![0..200usize, 0..MAX_CPUS], 0..40)
}

fn mask(set: &BTreeSet<usize>) -> CpuMask {
    set.iter().rev().copied().collect()
}

proptest! {
    #[test]
    fn agrees_with_an_ordinary_set(a in cpus(), b in cpus(), c in cpus(), at in 0..MAX_CPUS) {
        let (x, y, z) = (mask(&a), mask(&b), mask(&c));
        prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
        prop_assert!(x.iter().rev().eq(a.iter().rev().copied()));
        prop_assert_eq!(x.weight(), a.len());
        prop_assert_eq!(x.first(), a.first().copied());
        prop_assert_eq!(x.last(), a.last().copied());
        prop_assert_eq!(x.contains(at), a.contains(&at));
        prop_assert_eq!(x.next_from(at), a.range(at..).next().copied());
        prop_assert_eq!(x.and(&y), a.intersection(&b).copied().collect::<CpuMask>());
        prop_assert_eq!(x.or(&y), a.union(&b).copied().collect::<CpuMask>());
        prop_assert_eq!(x.andnot(&y), a.difference(&b).copied().collect::<CpuMask>());
        prop_assert_eq!(x.intersects(&y), a.intersection(&b).next().is_some());
        prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
        prop_assert!(x.and(&y).is_subset(&x));
        prop_assert_eq!(x.first_and(&y), a.intersection(&b).next().copied());
        prop_assert_eq!(x.weight_and(&y), a.intersection(&b).count());
        prop_assert_eq!(x.first_and_and(&y, &z), x.and(&y).and(&z).first());
        let wrapped: Vec<_> = a.range(at..).chain(a.range(..at)).copied().collect();
        prop_assert_eq!(x.iter_wrap(at).collect::<Vec<_>>(), wrapped);
        let mut without = x.clone();
        without.remove(at);
        prop_assert!(without.iter().all(|cpu| cpu != at));
        prop_assert_eq!(CpuMask::parse(&x.to_string(), None).unwrap(), x);
    }

    #[test]
    fn reading_never_panics(text in "[0-9N,:/\\- all]{0,24}") {
        let _ = CpuMask::parse(&text, Some(8));
    }
}

#[test]
fn hexadecimal_masks_are_read_as_kernels_and_tools_print_them() {
    for (text, list) in [
        ("03", Some("0-1")),
        ("cf", Some("0-3,6-7")),
        ("1,00000000", Some("32")),
        ("0x00000001,,0x00000003", Some("0-1,64")),
        ("ff00000000", Some("32-39")),
        ("00", Some("")),
        ("", None),
        ("xyz", None),
        ("123456789,0", None),
    ] {
        assert_eq!(CpuMask::parse_hex(text).map(|mask| mask.to_string()).as_deref(), list, "{text}");
    }
    let far = format!("1{}", ",00000000".repeat(MAX_CPUS / 32));
    assert_eq!(CpuMask::parse_hex(&far), None);
}
