//! Fuzz target: see `fuzz::chain`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::chain(bytes));
