//! Whole screens, styles included.

use super::{Desk, ring4};
use crate::ui::theme::{Charset, Palette, Theme};

#[test]
fn explore_at_120x40() {
    insta::assert_snapshot!(Desk::ring4("v4.11").painting());
}

#[test]
fn explore_at_80x24() {
    insta::assert_snapshot!(Desk::new(ring4(), "v4.13", 80, 24).painting());
}

#[test]
fn explore_at_60x15() {
    insta::assert_snapshot!(Desk::new(ring4(), "v4.13", 60, 15).picture());
}

#[test]
fn explore_at_200x60() {
    insta::assert_snapshot!(Desk::new(ring4(), "v6.12", 200, 60).picture());
}

#[test]
fn too_small() {
    insta::assert_snapshot!(Desk::new(ring4(), "v4.13", 50, 10).picture());
}

#[test]
fn a_number_being_typed() {
    let mut desk = Desk::new(ring4(), "v4.13", 80, 24);
    desk.keys("s 2");
    insta::assert_snapshot!(desk.painting());
}

#[test]
fn the_help() {
    let mut desk = Desk::new(ring4(), "v4.13", 80, 24);
    desk.keys("?").text("level");
    insta::assert_snapshot!(desk.painting());
}

#[test]
fn ascii_only() {
    let mut desk = Desk::new(ring4(), "v4.11", 120, 40);
    desk.model.options.charset = Charset::Ascii;
    desk.model.theme = Theme::new(Palette::Mono, desk.model.options.depth, Charset::Ascii);
    desk.keys("alt-4 j");
    let painting = desk.painting();
    assert!(painting.is_ascii(), "{painting}");
    insta::assert_snapshot!(painting);
}
