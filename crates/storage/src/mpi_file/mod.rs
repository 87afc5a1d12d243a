//! Files of MPI in safe code: every call of the standard's chapter on files, its datatypes, hints and errors.
//!
//! The backend `mpiio` moves its transfers through it, and whoever examines what a library owes can say
//! everything with it that the standard allows, and much that it forbids. Calls that are *collective* say so:
//! all ranks that opened the file make them, in the same order.
//!
//! Invariant: no call can touch memory but that of the buffer it was given: the bounds of a datatype are
//! asked of MPI when it is made, a buffer too small for them panics before MPI hears of it, and a call that
//! does not wait owns its buffer until it has ended (if that is never learnt, the buffer is never freed).
//! Values live no longer than MPI runs, and stay on the thread that started it: the caller sees to both.
//! Never here: retries, fallbacks, agreement of ranks, clocks.
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
