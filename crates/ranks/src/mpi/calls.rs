//! The calls into MPI. Each starts an operation on slices, tests it until it has ended, and converts a code
//! into a message.
//!
//! Invariant: a buffer is borrowed until its request has ended. Nothing here blocks inside MPI, except the
//! creation and freeing of communicators.
//! Never here: the meaning of the data.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use ffi::mpi::{Functions, Handle, MpiConstants, MpiLibrary, Status};

use super::wait::{RankWait, WaitPolicy};

/// Space for the text of an error, or the name of a processor, of any library.
const TEXT_BYTES: usize = 8192;

/// State that all communicators of this process share.
#[derive(Debug)]
pub(super) struct Mpi {
    pub(super) library: &'static MpiLibrary,
    /// The thread that started MPI; only this thread may call it.
    pub(super) home: ThreadId,
    /// Whether a node has more ranks than processors; the same on all ranks.
    pub(super) oversubscribed: AtomicBool,
    /// Whether MPI has been finalized.
    pub(super) ended: AtomicBool,
}

impl Mpi {
    /// A library whose MPI this thread is about to start.
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

    /// Whether any code has started MPI in this process before.
    pub(super) fn was_started(&self) -> bool {
        let mut flag = 0;
        // SAFETY: MPI allows this call at any time.
        unsafe { (self.functions().initialized)(&mut flag) };
        flag != 0
    }

    /// Starts MPI for the first time.
    pub(super) fn init(&self) -> Result<(), c_int> {
        let (wanted, mut given) = (self.constants().thread_funneled, 0);
        let none = ptr::null_mut();
        // SAFETY: MPI has not been started, and accepts null instead of the arguments.
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
        // SAFETY: this thread initialized MPI, and `ended` prevents every later call.
        checked(unsafe { (self.functions().finalize)() })
    }

    /// Ends all ranks at once.
    pub(super) fn abort(&self, code: c_int) {
        // SAFETY: the world's handle is always live; MPI ends this process here.
        unsafe { (self.functions().abort)(self.constants().comm_world, code) };
    }

    /// Makes calls on `comm` return errors as codes; if the library rejects this, its own handler stays.
    pub(super) fn return_errors(&self, comm: Handle) {
        // SAFETY: `comm` is live, and the handler is predefined.
        unsafe { (self.functions().comm_set_errhandler)(comm, self.constants().errors_return) };
    }

    /// The rank's number in `comm`, and the number of ranks.
    pub(super) fn place(&self, comm: Handle) -> Result<(u32, u32), c_int> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `comm` is live; both functions only write the number.
        checked(unsafe { (self.functions().comm_rank)(comm, &mut rank) })?;
        // SAFETY: as above.
        checked(unsafe { (self.functions().comm_size)(comm, &mut size) })?;
        Ok((rank.try_into().unwrap_or(0), size.try_into().unwrap_or(1)))
    }

    /// A communicator that `make` creates; it writes the handle.
    pub(super) fn new_comm(
        &self,
        make: impl FnOnce(&Functions, &mut Handle) -> c_int,
    ) -> Result<Handle, c_int> {
        let mut new: Handle = 0;
        checked(make(self.functions(), &mut new))?;
        self.return_errors(new);
        Ok(new)
    }

    /// A copy of the world, so that messages of this program never meet those of other code. Collective.
    pub(super) fn world_comm(&self) -> Result<Handle, c_int> {
        let (world, mut new) = (self.constants().comm_world, 0);
        let start = |f: &Functions, request: &mut Handle| {
            // SAFETY: the world's handle is live, and `new` outlives the request; MPI has written it when the
            // request ends.
            unsafe { (f.comm_idup)(world, &mut new, request) }
        };
        self.complete(start, || {})?;
        self.return_errors(new);
        Ok(new)
    }

    pub(super) fn free(&self, mut comm: Handle) {
        // SAFETY: the caller owns `comm` and does not use it again; MPI has not been finalized.
        unsafe { (self.functions().comm_free)(&mut comm) };
    }

    /// The library's message for an error code.
    pub(super) fn error_text(&self, code: c_int) -> String {
        let words = text(|buffer, length| {
            // SAFETY: the buffer is larger than MPI_MAX_ERROR_STRING of every library.
            unsafe { (self.functions().error_string)(code, buffer, length) }
        });
        if words.is_empty() { format!("MPI error {code}") } else { words }
    }

    /// The first line of the library's version text.
    pub(super) fn version(&self) -> String {
        first_line(&self.library.version_text())
    }

    /// The version of the MPI standard that the library follows; zeros if the call fails.
    pub(super) fn standard(&self) -> (c_int, c_int) {
        let (mut version, mut subversion) = (0, 0);
        // SAFETY: both places live through the call; MPI allows this call at any time.
        unsafe { (self.functions().get_version)(&raw mut version, &raw mut subversion) };
        (version, subversion)
    }

    /// The name of the node, as MPI knows it.
    pub(super) fn processor_name(&self) -> String {
        text(|buffer, length| {
            // SAFETY: the buffer is larger than MPI_MAX_PROCESSOR_NAME of every library.
            unsafe { (self.functions().get_processor_name)(buffer, length) }
        })
    }

    /// Seconds since an arbitrary time in the past.
    pub(super) fn seconds(&self) -> f64 {
        // SAFETY: the call takes no arguments and reads a clock.
        unsafe { (self.functions().wtime)() }
    }

    /// The sender of an arrived message with `tag`, if any; `source` may be any source.
    pub(super) fn waiting(&self, comm: Handle, source: c_int, tag: c_int) -> Option<c_int> {
        let (mut flag, mut status) = (0, Status::new());
        // SAFETY: `comm` is live and this is the home thread (callers check `is_home`).
        let code = unsafe { (self.functions().iprobe)(source, tag, comm, &mut flag, &mut status) };
        (code == 0 && flag != 0).then(|| status.source(self.library.abi))
    }

    /// Whether `request` has ended, also by an error; afterwards it is MPI's null request.
    ///
    /// MPI may still use the memory of a request that did not end, and callers have only borrowed it. If MPI
    /// fails and leaves such a request, this ends the process.
    pub(super) fn has_ended(&self, request: &mut Handle) -> Result<bool, c_int> {
        let (mut flag, mut status) = (0, Status::new());
        // SAFETY: MPI wrote `request`, and it has not been freed since.
        let code = unsafe { (self.functions().test)(request, &mut flag, &mut status) };
        if code != 0 && *request != self.constants().request_null {
            let _end = EndsProcess;
            let why = self.error_text(code);
            panic!("MPI_Test failed ({why}). MPI may still use memory of this rank, so the rank ends.");
        }
        checked(code)?;
        Ok(flag != 0)
    }

    /// Whether a node has more ranks than processors.
    pub(super) fn is_oversubscribed(&self) -> bool {
        self.oversubscribed.load(Ordering::Relaxed)
    }

    /// A wait that begins now.
    pub(super) fn new_wait(&self) -> RankWait {
        RankWait::new(WaitPolicy::new(self.is_oversubscribed()))
    }

    /// Starts an operation and waits for it; calls `meanwhile` after each sleep.
    pub(super) fn complete(
        &self,
        start: impl FnOnce(&Functions, &mut Handle) -> c_int,
        mut meanwhile: impl FnMut(),
    ) -> Result<(), c_int> {
        assert!(self.is_home(), "only the thread that started MPI may call it, and not after its end");
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

/// Ends the process when it is dropped, before the memory of any caller is freed.
struct EndsProcess;

impl Drop for EndsProcess {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// Converts MPI's return code to a result.
pub(super) fn checked(code: c_int) -> Result<(), c_int> {
    if code == 0 { Ok(()) } else { Err(code) }
}

/// The first line that `fill` writes, with single spaces.
fn text(fill: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    let mut bytes = vec![0_u8; TEXT_BYTES];
    let mut length = 0;
    if fill(bytes.as_mut_ptr().cast(), &mut length) != 0 {
        return String::new();
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    first_line(&String::from_utf8_lossy(&bytes[..end]))
}

/// The first line that is not blank, with single spaces.
fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
