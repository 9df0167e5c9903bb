//! sane
