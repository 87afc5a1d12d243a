//! What a rank measures while it works: clock, meter, latency histogram, timeline.
//!
//! Invariant: pure. Merging the halves of a run gives the same result as measuring the whole. Memory does not
//! grow with the length of the run.
//! Never here: I/O, collectives, printing.
#![forbid(unsafe_code)]

mod clock;
mod date;
mod histogram;
mod meter;
pub mod statistics;
pub mod steady;
mod timeline;

pub use clock::{Clock, ClockQuality, CycleClock, Scale, Tick};
pub use date::{WallClock, unix_ms, unix_seconds};
pub use histogram::Histogram;
pub use meter::Meter;
pub use timeline::ByteTimeline;
