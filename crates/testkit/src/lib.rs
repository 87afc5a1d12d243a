//! Help for the tests of several crates: a clock that a test controls, storage that fails on demand, a server
//! of PostgreSQL, JSON schemas, the examples of the documents, and the choice between the two sets of tests.
//!
//! Clock and storage are full implementations of their traits. This crate is only ever a dev-dependency.
#![forbid(unsafe_code)]

mod clock;
pub mod complete;
pub mod documents;
mod faulty;
mod postgres;
pub mod schema;

pub use clock::FakeClock;
pub use faulty::{Fault, Faulty};
pub use postgres::PostgresServer;
