//! The storage backends: the properties of the traits, of the queues, and the behaviour on full or small file
//! systems, which only root may mount.
#![allow(clippy::print_stdout)]

mod abilities;
mod conformance;
mod mounted;
mod names;
mod queues;
