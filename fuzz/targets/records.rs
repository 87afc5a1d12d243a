//! Fuzz target: see `fuzz::records`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::records(bytes));
