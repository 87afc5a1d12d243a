//! Quantities as people write them: sizes, rates, durations, shares. Also the errors of a user, and text that
//! is safe to show, and enums of fixed words.
//!
//! Values with a unit, from contracts and command lines, are parsed here, once. The result is a [`Quantity`]
//! in base units (bytes, bytes per second, operations per second, seconds, fraction).
//!
//! Invariant: no I/O, no clock, no dependency.
#![forbid(unsafe_code)]

mod format;
mod layout;
mod quantity;
mod usage;
mod utf8;
mod visible;
mod words;

pub use format::{
    bytes_binary, confidence, count, duration, exponential, percent, percent_apart, rate_binary,
    rate_decimal, several, trimmed,
};
pub use layout::{characters, elided, shell_line, shell_quoted, shortened, wrap};
pub use quantity::{Dimension, Quantity, size};
pub use usage::Usage;
pub use utf8::{NotUtf8, utf8_text};
pub use visible::{visible, visible_lines};

/// One kibibyte in bytes.
pub const KIB: u64 = 1 << 10;
/// One mebibyte in bytes.
pub const MIB: u64 = 1 << 20;
/// One gibibyte in bytes.
pub const GIB: u64 = 1 << 30;
/// One tebibyte in bytes.
pub const TIB: u64 = 1 << 40;
