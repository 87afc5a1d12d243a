//! Handling of pages of a mapping that the kernel cannot supply: it raises SIGBUS in the middle of a copy.
//!
//! A signal handler of the whole process checks whether the address lies in a watched mapping. If so, it maps
//! an empty memory page at that address, so that the copy ends. It also marks the mapping, so that the
//! transfer fails. The new page does not belong to the file, so the mark stays, and every later transfer
//! fails too. The handler passes any other fault to the previous handler.
//!
//! Invariant: the handler takes no lock, allocates nothing and accesses only memory that is never freed.
#![allow(unsafe_code)]

use std::io;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// A watched range of addresses; it stays in the list forever and is reused.
struct WatchedRange {
    is_taken: AtomicBool,
    has_faulted: AtomicBool,
    start: AtomicUsize,
    /// First address after the range; 0 where nothing is watched.
    end: AtomicUsize,
    next: Option<&'static WatchedRange>,
}

/// The newest range; it links to all older ones.
static NEWEST: AtomicPtr<WatchedRange> = AtomicPtr::new(ptr::null_mut());

/// The handler that was installed before this one.
static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

/// Page size in bytes, for the handler.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// Keeps a range of addresses watched until it is dropped.
pub(super) struct RangeWatch(&'static WatchedRange);

impl std::fmt::Debug for RangeWatch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Watch(faulted: {})", self.has_faulted())
    }
}

impl RangeWatch {
    /// Watches `length` bytes from the address `start`.
    pub(super) fn new(start: usize, length: usize) -> Self {
        let place = places().find(|place| !place.is_taken.swap(true, Ordering::AcqRel));
        let place = place.unwrap_or_else(add);
        place.has_faulted.store(false, Ordering::Release);
        place.start.store(start, Ordering::Release);
        place.end.store(start + length, Ordering::Release);
        Self(place)
    }

    /// Whether the kernel could not supply a page of the range.
    pub(super) fn has_faulted(&self) -> bool {
        self.0.has_faulted.load(Ordering::Acquire)
    }
}

impl Drop for RangeWatch {
    fn drop(&mut self) {
        self.0.end.store(0, Ordering::Release);
        self.0.is_taken.store(false, Ordering::Release);
    }
}

fn places() -> impl Iterator<Item = &'static WatchedRange> {
    // SAFETY: null, or a range that was leaked when it was added.
    let newest = unsafe { NEWEST.load(Ordering::Acquire).as_ref() };
    std::iter::successors(newest, |place| place.next)
}

/// Adds a range to the list; the caller owns it at once.
fn add() -> &'static WatchedRange {
    let place = Box::leak(Box::new(WatchedRange {
        is_taken: AtomicBool::new(true),
        has_faulted: AtomicBool::new(false),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        next: None,
    }));
    let mut newest = NEWEST.load(Ordering::Acquire);
    loop {
        // SAFETY: null, or a range that was leaked when it was added.
        place.next = unsafe { newest.as_ref() };
        match NEWEST.compare_exchange(newest, place, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return place,
            Err(now) => newest = now,
        }
    }
}

/// Installs the handler, once for the process.
pub(super) fn install() -> io::Result<()> {
    PAGE.store(rustix::param::page_size(), Ordering::Relaxed);
    let before = BEFORE.get_or_init(|| {
        // SAFETY: a structure of numbers and addresses, for which zeros are valid.
        let (mut new, mut old): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
        new.sa_sigaction = on_bus as extern "C" fn(_, _, _) as usize;
        // On the alternate stack, if there is one: the previous handler may need it.
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        // SAFETY: both structures outlive the call, and the handler only does what a signal handler may do.
        let code = unsafe { libc::sigaction(libc::SIGBUS, &raw const new, &raw mut old) };
        (code == 0).then_some(old)
    });
    let no_handler = || io::Error::other("the system rejected the SIGBUS handler that mappings need");
    before.as_ref().map(|_| ()).ok_or_else(no_handler)
}

extern "C" fn on_bus(signal: libc::c_int, what: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid description of the signal.
    let (address, is_sent) = unsafe { ((*what).si_addr().addr(), (*what).si_code <= 0) };
    let inside = |place: &&WatchedRange| {
        // Another thread may reuse the place meanwhile: only a start between two equal ends is its own.
        let end = place.end.load(Ordering::Acquire);
        let start = place.start.load(Ordering::Acquire);
        (start..end).contains(&address) && place.end.load(Ordering::Acquire) == end
    };
    // A signal that a process sent has no address.
    match places().find(inside).filter(|_| !is_sent) {
        Some(place) if replace(address) => place.has_faulted.store(true, Ordering::Release),
        _ => pass_on(signal, what, context, is_sent),
    }
}

/// Maps an empty memory page at `address`.
fn replace(address: usize) -> bool {
    let page = PAGE.load(Ordering::Relaxed);
    let start = ptr::with_exposed_provenance_mut(address / page * page);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: errno is restored, because the interrupted code may be about to read it.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the page belongs to a watched mapping, and its owner is in the middle of a copy to or from it.
    let at = unsafe { libc::mmap(start, page, access, kind, -1, 0) };
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    at != libc::MAP_FAILED
}

/// Does what the process would do without this handler.
fn pass_on(signal: libc::c_int, what: *mut libc::siginfo_t, context: *mut libc::c_void, is_sent: bool) {
    match BEFORE.get().and_then(Option::as_ref) {
        Some(before) if before.sa_sigaction == libc::SIG_IGN && is_sent => {}
        Some(before) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&before.sa_sigaction) => {
            if before.sa_flags & libc::SA_SIGINFO != 0 {
                type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                // SAFETY: the system returned this as the address of a handler of this type.
                let handler: Handler = unsafe { std::mem::transmute(before.sa_sigaction) };
                handler(signal, what, context);
            } else {
                // SAFETY: the system returned this as the address of a handler of the older type.
                let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(before.sa_sigaction) };
                handler(signal);
            }
        }
        _ => {
            // SAFETY: the access repeats on return, and then ends the program with the default action.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            if is_sent {
                // SAFETY: a sent signal does not repeat by itself, so it is raised again and ends the program
                // here.
                unsafe { libc::raise(signal) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_reused_without_its_old_fault() {
        let first = RangeWatch::new(0x1000, 0x1000);
        first.0.has_faulted.store(true, Ordering::Release);
        let place = ptr::from_ref(first.0);
        drop(first);
        // Other tests of this process may take the range in the meantime; then this check does not apply.
        let second = RangeWatch::new(0x9000, 0x1000);
        assert!(!second.has_faulted());
        assert!(places().any(|known| ptr::eq(known, place)), "it stays in the list");
    }
}
