//! MPI files in safe code: every call of the standard's chapter on files, its datatypes, hints and errors.
//!
//! The backend `mpiio` moves its transfers through it. Conformance cases are written with it: they can make
//! every call that the standard permits, and many that it forbids. *Collective* calls say so: all ranks that
//! opened the file make them, in the same order.
//!
//! Invariant: no call can access memory outside the buffer it was given. The bounds of a datatype are read
//! from MPI when it is made, and a buffer too small for them panics before MPI is called. A call that does
//! not wait owns its buffer until it has ended; if its end is never known, the buffer is never freed. Values
//! do not outlive MPI and stay on the thread that started it; the caller ensures both.
//! Never here: retries, fallbacks, agreement between ranks, clocks.
#![allow(unsafe_code)]

mod access;
mod callbacks;
mod datatype;
mod done;
mod error;
mod file;
mod info;
mod memory;
mod request;
mod requests;
mod shapes;
mod split;
mod view;

pub use access::{At, Participation};
pub use callbacks::{Conversion, DatarepCalls, Handler};
pub use callbacks::{datarep_calls, handler_calls, register_datarep, set_default_handler};
pub use datatype::{Datatype, NamedDatatype, listed_names};
pub use done::CallStatus;
pub use error::{Class, MpiError};
pub use file::{Flag, MpiFile, Opener, Pointer, Whence};
pub use info::Info;
pub use memory::{ElementCalls, Elements};
pub use request::{MpiRequest, RejectedCall, RequestProgress};
pub use requests::{EndedRequest, Many, Requests};
pub use shapes::{DimensionOrder, Distribution};
pub use split::Split;
pub use view::{TypeShape, View, ViewStart};
