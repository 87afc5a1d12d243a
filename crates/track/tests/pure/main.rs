//! The statistics of a history, against histories with a known change.
#![allow(clippy::print_stdout)]

mod known;
mod rates;
mod standing;
