//! What tests of several crates share: a clock that a test owns, and storage that fails on demand.
//!
//! Both are full members of their traits. Only ever a dev-dependency.
#![forbid(unsafe_code)]

mod clock;
mod faulty;

pub use clock::FakeClock;
pub use faulty::{Fault, Faulty};
