//! The system under test, backend by backend: that each keeps the promises of the traits, that queues do what
//! they say, and what happens on file systems that are full or small, which only root may mount.
#![allow(clippy::print_stdout)]

mod abilities;
mod conformance;
mod mounted;
mod names;
mod queues;
