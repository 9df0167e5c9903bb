//! The counters of a machine at work.

use super::*;
use crate::explore::state::counters::Sample;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::pane::Pane;
use crate::formats::schedstat;
use crate::presets;
use std::sync::Arc;

/// A reading of the ring under 5.10: what its three levels of CPU 0 and CPU 2 did until then.
fn reading(times: u64) -> Sample {
    let domain = |index: usize, span: &str, calls: u64| {
        let kind = |calls: u64, failed: u64, pulled: u64| format!("{calls} 0 {failed} 0 {pulled} 0 0 0");
        let idle = kind(calls * times, times, 3 * times);
        format!("domain{index} {span} {idle} {} {} 0 0 0 0 0 0 0 0 0 0 0 0", kind(times, 0, 0), kind(0, 0, 0))
    };
    let text = format!(
        "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 0 0 0\n{}\n{}\ncpu2 0 0 0 0 0 0 0 0 0\n{}\n{}\n",
        domain(0, "b", 250),
        domain(1, "f", 20),
        domain(0, "e", 10),
        domain(1, "3", 5),
    );
    Sample { stat: Arc::new(schedstat::read(&text).unwrap()), seconds: 1.0, switched_off: false }
}

#[test]
fn rates_are_shown_by_level_and_node_and_for_the_chosen_domain() {
    let mut driver = Driver::new(presets::find("ring4").unwrap().topology().unwrap(), "v5.10", 160, 45);
    driver.keys("alt-8");
    assert!(driver.picture().contains("no machine at work"), "{}", driver.picture());
    driver.act(Action::Sampled(Ok(reading(1))));
    driver.act(Action::Sampled(Ok(reading(2))));
    driver.draw();
    let text = driver.picture();
    assert!(
        text.contains("1 domain is not in the model: domain 1 of CPU 2 spans"),
        "what the model does not have is said: {text}"
    );
    assert!(text.contains("a second: busy 1.0"), "{text}");
    let view = Arc::clone(driver.model.counters.shown.as_ref().unwrap());
    assert_eq!(view.totals.len(), 3);
    // The rows are levels and nodes: choosing one chooses its domain everywhere.
    driver.keys("g");
    assert_eq!((driver.model.selection.level, driver.model.selection.cpu), (view.totals[0].level, 0));
    driver.keys("G");
    assert_eq!(driver.model.selection.cpu, 2);
    driver.keys("enter");
    assert_eq!(driver.model.focus, Pane::Domains);
    assert!(driver.picture().contains("idle 10"), "{}", driver.picture());
    // Another machine has other counters.
    driver.act(Action::Sampled(Err("gone".to_owned())));
    driver.keys("alt-8");
    driver.draw();
    assert!(driver.picture().contains("gone"), "{}", driver.picture());
}

#[test]
fn counters_fit_the_smallest_screen() {
    let mut driver = Driver::new(presets::find("ring4").unwrap().topology().unwrap(), "v5.10", 60, 15);
    driver.act(Action::Sampled(Ok(reading(1))));
    driver.act(Action::Sampled(Ok(reading(3))));
    driver.keys("alt-8");
    driver.draw();
    let text = driver.picture();
    assert!(text.contains("calls") && text.contains("moved") && text.contains("NUMA"), "{text}");
}
