//! Fuzz target: see `fuzz::json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::json(bytes));
