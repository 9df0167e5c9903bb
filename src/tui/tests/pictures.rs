//! Whole screens, styles included.

use super::{Driver, ring4};
use crate::explore::vocabulary::appearance::{Charset, Palette};

#[test]
fn explore_at_120x40() {
    insta::assert_snapshot!(Driver::ring4("v4.11").painting());
}

#[test]
fn explore_at_80x24() {
    insta::assert_snapshot!(Driver::new(ring4(), "v4.13", 80, 24).painting());
}

#[test]
fn explore_at_60x15() {
    insta::assert_snapshot!(Driver::new(ring4(), "v4.13", 60, 15).picture());
}

#[test]
fn explore_at_200x60() {
    insta::assert_snapshot!(Driver::new(ring4(), "v6.12", 200, 60).picture());
}

#[test]
fn too_small() {
    insta::assert_snapshot!(Driver::new(ring4(), "v4.13", 50, 10).picture());
}

#[test]
fn a_number_being_typed() {
    let mut driver = Driver::new(ring4(), "v4.13", 80, 24);
    driver.keys("s 2");
    insta::assert_snapshot!(driver.painting());
}

#[test]
fn the_help() {
    let mut driver = Driver::new(ring4(), "v4.13", 80, 24);
    driver.keys("?").text("level");
    insta::assert_snapshot!(driver.painting());
}

#[test]
fn ascii_only() {
    let mut driver = Driver::new(ring4(), "v4.11", 120, 40);
    driver.model.options.charset = Charset::Ascii;
    (driver.model.options.palette, driver.model.options.charset) = (Palette::Mono, Charset::Ascii);
    driver.keys("alt-4 j");
    let painting = driver.painting();
    assert!(painting.is_ascii(), "{painting}");
    insta::assert_snapshot!(painting);
}
