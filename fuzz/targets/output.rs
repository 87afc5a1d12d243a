//! Fuzz target: see `fuzz::output`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::output(bytes));
