//! Fuzz target: see `fuzz::command_line`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::command_line(bytes));
