//! dmesg
