//! The calls into MPI: each starts an operation on slices, tests it until it has ended, and turns a code into
//! words.
//!
//! Invariant: a buffer is borrowed until its request has ended; nothing here blocks inside MPI, but for the
//! making and freeing of communicators.
//! Never here: meaning.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use ffi::mpi::{Functions, Handle, MpiConstants, MpiLibrary, Status};

use super::wait::{RankWait, WaitPolicy};

/// Room for any text of MPI: `MPI_MAX_LIBRARY_VERSION_STRING` of MPICH is the longest.
const TEXT_BYTES: usize = 8192;

/// What all communicators of this process share.
#[derive(Debug)]
pub(super) struct Mpi {
    pub(super) library: &'static MpiLibrary,
    /// The thread that started MPI, the only one that may call it.
    pub(super) home: ThreadId,
    /// More ranks than processors on some node; the same on all ranks.
    pub(super) oversubscribed: AtomicBool,
    /// MPI has been finalised.
    pub(super) ended: AtomicBool,
}

impl Mpi {
    /// A library whose MPI is about to be started by this thread.
    pub(super) fn new(library: &'static MpiLibrary) -> Self {
        Self {
            library,
            home: thread::current().id(),
            oversubscribed: AtomicBool::new(true),
            ended: AtomicBool::new(false),
        }
    }

    pub(super) fn functions(&self) -> &'static Functions {
        &self.library.functions
    }

    pub(super) fn constants(&self) -> &'static MpiConstants {
        &self.library.constants
    }

    /// Whether this thread may call MPI now.
    pub(super) fn is_home(&self) -> bool {
        !self.ended.load(Ordering::Relaxed) && thread::current().id() == self.home
    }

    /// Whether MPI was started in this process before, by anyone.
    pub(super) fn was_started(&self) -> bool {
        let mut flag = 0;
        // SAFETY: MPI allows the question at any time.
        unsafe { (self.functions().initialized)(&mut flag) };
        flag != 0
    }

    /// Starts MPI, which was not started before.
    pub(super) fn init(&self) -> Result<(), c_int> {
        let (wanted, mut given) = (self.constants().thread_funneled, 0);
        let none = ptr::null_mut();
        // SAFETY: MPI has not been started, and accepts null in place of the arguments.
        checked(unsafe { (self.functions().init_thread)(ptr::null_mut(), none, wanted, &mut given) })?;
        self.return_errors(self.constants().comm_world);
        self.return_errors(self.constants().comm_self);
        Ok(())
    }

    /// Ends MPI for this process.
    pub(super) fn finalize(&self) -> Result<(), c_int> {
        if self.ended.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: MPI was initialised by this thread, and `ended` keeps every later call away from it.
        checked(unsafe { (self.functions().finalize)() })
    }

    /// Ends all ranks at once.
    pub(super) fn abort(&self, code: c_int) {
        // SAFETY: the world's handle is always live; MPI ends this process here.
        unsafe { (self.functions().abort)(self.constants().comm_world, code) };
    }

    /// Lets errors on `comm` come back as codes; a library that rejects keeps its own way.
    pub(super) fn return_errors(&self, comm: Handle) {
        // SAFETY: `comm` is live, the handler is predefined.
        unsafe { (self.functions().comm_set_errhandler)(comm, self.constants().errors_return) };
    }

    /// The rank's number in `comm`, and how many there are.
    pub(super) fn place(&self, comm: Handle) -> Result<(u32, u32), c_int> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `comm` is live; both functions only write the number.
        checked(unsafe { (self.functions().comm_rank)(comm, &mut rank) })?;
        // SAFETY: as above.
        checked(unsafe { (self.functions().comm_size)(comm, &mut size) })?;
        Ok((rank.try_into().unwrap_or(0), size.try_into().unwrap_or(1)))
    }

    /// A communicator made by `make`, which writes its handle.
    pub(super) fn new_comm(
        &self,
        make: impl FnOnce(&Functions, &mut Handle) -> c_int,
    ) -> Result<Handle, c_int> {
        let mut new: Handle = 0;
        checked(make(self.functions(), &mut new))?;
        self.return_errors(new);
        Ok(new)
    }

    /// A copy of the world, so that our messages never meet those of others. Collective.
    pub(super) fn world_comm(&self) -> Result<Handle, c_int> {
        let (world, mut new) = (self.constants().comm_world, 0);
        let start = |f: &Functions, request: &mut Handle| {
            // SAFETY: the world's handle is live, and `new` outlives the request, at whose end MPI has
            // written it.
            unsafe { (f.comm_idup)(world, &mut new, request) }
        };
        self.complete(start, || {})?;
        self.return_errors(new);
        Ok(new)
    }

    pub(super) fn free(&self, mut comm: Handle) {
        // SAFETY: the caller owns `comm` and forgets it; MPI has not been finalised.
        unsafe { (self.functions().comm_free)(&mut comm) };
    }

    /// The library's own words for an error code.
    pub(super) fn error_text(&self, code: c_int) -> String {
        let words = text(|buffer, length| {
            // SAFETY: the buffer is larger than MPI_MAX_ERROR_STRING of every library.
            unsafe { (self.functions().error_string)(code, buffer, length) }
        });
        if words.is_empty() { format!("MPI error {code}") } else { words }
    }

    /// The first line of what the library says of itself.
    pub(super) fn version(&self) -> String {
        text(|buffer, length| {
            // SAFETY: the buffer has MPI_MAX_LIBRARY_VERSION_STRING bytes; MPI allows the question at any
            // time.
            unsafe { (self.functions().get_library_version)(buffer, length) }
        })
    }

    /// The name of the node, as MPI knows it.
    pub(super) fn processor_name(&self) -> String {
        text(|buffer, length| {
            // SAFETY: the buffer is larger than MPI_MAX_PROCESSOR_NAME of every library.
            unsafe { (self.functions().get_processor_name)(buffer, length) }
        })
    }

    /// Seconds since some moment.
    pub(super) fn seconds(&self) -> f64 {
        // SAFETY: takes nothing, reads a clock.
        unsafe { (self.functions().wtime)() }
    }

    /// The sender of a message with `tag` that is waiting, if any; `source` may be any source.
    pub(super) fn waiting(&self, comm: Handle, source: c_int, tag: c_int) -> Option<c_int> {
        let (mut flag, mut status) = (0, Status::new());
        // SAFETY: `comm` is live and this is the home thread (callers ask `is_home`).
        let code = unsafe { (self.functions().iprobe)(source, tag, comm, &mut flag, &mut status) };
        (code == 0 && flag != 0).then(|| status.source(self.library.abi))
    }

    /// Whether `request` has ended; it is MPI's null request afterwards.
    pub(super) fn has_ended(&self, request: &mut Handle) -> Result<bool, c_int> {
        let (mut flag, mut status) = (0, Status::new());
        // SAFETY: `request` was written by MPI and has not been given up since.
        checked(unsafe { (self.functions().test)(request, &mut flag, &mut status) })?;
        Ok(flag != 0)
    }

    /// Whether some node has more ranks than processors.
    pub(super) fn is_oversubscribed(&self) -> bool {
        self.oversubscribed.load(Ordering::Relaxed)
    }

    /// A wait that begins now.
    pub(super) fn new_wait(&self) -> RankWait {
        RankWait::new(WaitPolicy::new(self.is_oversubscribed()))
    }

    /// Starts an operation and waits for it; `meanwhile` is called after each sleep.
    pub(super) fn complete(
        &self,
        start: impl FnOnce(&Functions, &mut Handle) -> c_int,
        mut meanwhile: impl FnMut(),
    ) -> Result<(), c_int> {
        assert!(self.is_home(), "MPI is called by the thread that started it, and not after its end");
        let mut request: Handle = 0;
        checked(start(self.functions(), &mut request))?;
        let mut wait = self.new_wait();
        while !self.has_ended(&mut request)? {
            if wait.pause() {
                meanwhile();
            }
        }
        Ok(())
    }
}

/// A code of MPI as a result.
pub(super) fn checked(code: c_int) -> Result<(), c_int> {
    if code == 0 { Ok(()) } else { Err(code) }
}

/// The first line that `fill` writes, with single blanks.
fn text(fill: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    let mut bytes = vec![0_u8; TEXT_BYTES];
    let mut length = 0;
    if fill(bytes.as_mut_ptr().cast(), &mut length) != 0 {
        return String::new();
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let all = String::from_utf8_lossy(&bytes[..end]);
    let line = all.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
