//! mdtest: operations on the names of a regular tree, phase by phase (mdtest 4.1).
//!
//! [`Parameters`] is what is meant, whoever parsed it. What happens is told to an [`Observer`] on rank 0
//! and kept as records; the numbers are those of docs/METHODOLOGY.md.
//!
//! Never here: the command line, text for people.

mod observer;
mod parameters;

pub use observer::{Ended, Event, Observer, RankTimes, Silent};
pub use parameters::Parameters;
