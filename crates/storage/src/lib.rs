//! The storage system under test, divided by ability: a system does not return an ability that it lacks.
//!
//! [`Storage`] opens files; a [`File`] moves bytes; a [`Queue`] moves many pieces at once. [`PageCache`] is
//! the ability to query and empty this client's page cache. `backends/<name>/` are the systems, listed in
//! [`BACKENDS`].
//!
//! Invariant: a backend never retries, falls back or prints; it returns what happened. All backends pass the
//! same conformance suite (`tests/pure/conformance.rs`).
//! Never here: clocks, agreement between ranks, data patterns.
#![deny(unsafe_code)]

pub mod arrays;
mod backends;
mod buffer;
pub mod call_error;
mod calls;
mod client;
mod files;
mod hdf5;
mod hints;
mod inside;
pub mod libraries;
mod listing;
mod listing_calls;
pub mod locks;
pub mod mpi_file;
mod names;
mod plain;
mod quota;
mod residency;
mod shared;
mod slots;
pub mod targets;
mod traits;

pub use backends::{Driver, LIBRARIES, Mapped, driver};
pub use buffer::{ALIGNMENT, Buffer};
pub use client::{Client, KernelClock, NodeMemory, read_clock, unforeseen};
pub use files::{MountedFileSystem, directory_of, space, stored_before_full};
pub use hints::Hints;
pub use listing::{Directory, DirectoryIdentity, EntryKind, EntryStatus, ListedEntry, Listing};
pub use quota::{QuotaLimit, QuotaLimits, Quotas};
pub use traits::{
    EndedTransfer, File, Mode, NameStatus, Names, Op, Open, PageCache, Parts, Queue, Space, Storage,
    StorageLibrary, Wait,
};
