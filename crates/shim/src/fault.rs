//! The injected fault, and the delayed writes.

use std::collections::HashMap;
use std::ffi::{CStr, OsStr, c_int};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The injected fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InjectedFault {
    /// The write with this number is not done.
    Drop(u64),
    /// Only its first half is done.
    Tear(u64),
    /// It never returns.
    Block(u64),
    /// The first write ends the process by this signal.
    Die(u64),
    /// This write and all later ones fail for lack of space.
    Full(u64),
    /// Every write takes this number of milliseconds longer.
    Slow(u64),
    /// Every sync takes this number of milliseconds longer.
    SlowSync(u64),
    /// Files cannot be opened.
    Open,
    /// Writes are delayed until the file is synced.
    Delay,
    /// Writes stay delayed even after a sync.
    Lie,
    /// A sync only reports success.
    NoSync,
    /// Locks exclude no other process.
    Locks,
    /// A lock that a process waited for stays for this many seconds after its end.
    Stays(u64),
    /// The wall clock is this many seconds ahead.
    Ahead(i64),
    /// The other clocks run at this percentage of their pace.
    Pace(i64),
    /// No page is in memory.
    Cold,
    /// `MPI_Test` fails, and the operation continues.
    MpiTest,
}

/// What happens to a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Done.
    Done,
    /// Not done.
    Dropped,
    /// Half done.
    Torn,
    /// Delayed.
    Held,
    /// Rejected for lack of space.
    Full,
}

/// A delayed write: offset and data.
pub(crate) type Held = (i64, Vec<u8>);

#[derive(Default)]
struct FaultState {
    /// Writes so far, by file.
    writes: HashMap<PathBuf, u64>,
    held: HashMap<c_int, Vec<Held>>,
}

static STATE: OnceLock<Mutex<FaultState>> = OnceLock::new();
static FAULT: OnceLock<Option<(InjectedFault, String)>> = OnceLock::new();

fn state() -> MutexGuard<'static, FaultState> {
    STATE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// The fault of this process and the path prefix it applies to, if any.
fn fault() -> Option<&'static (InjectedFault, String)> {
    FAULT.get_or_init(read).as_ref()
}

fn read() -> Option<(InjectedFault, String)> {
    let variable = |name: &str| std::env::var(name).ok();
    if variable("ASSAY_SHIM_RANK").is_some_and(|only| rank_of_launcher() != only) {
        return None;
    }
    let (words, under) = (variable("ASSAY_SHIM_FAULT")?, variable("ASSAY_SHIM_UNDER")?);
    let (kind, number) = words.split_once(':').unwrap_or((&words, "1"));
    let number = number.parse().ok()?;
    let fault = match kind {
        "drop" => InjectedFault::Drop(number),
        "tear" => InjectedFault::Tear(number),
        "block" => InjectedFault::Block(number),
        "die" => InjectedFault::Die(number),
        "full" => InjectedFault::Full(number),
        "slow" => InjectedFault::Slow(number),
        "slow_sync" => InjectedFault::SlowSync(number),
        "open" => InjectedFault::Open,
        "delay" => InjectedFault::Delay,
        "lie" => InjectedFault::Lie,
        "no_sync" => InjectedFault::NoSync,
        "locks" => InjectedFault::Locks,
        "stays" => InjectedFault::Stays(number),
        "ahead" => InjectedFault::Ahead(number as i64),
        "pace" => InjectedFault::Pace(number as i64),
        "cold" => InjectedFault::Cold,
        "mpi_test" => InjectedFault::MpiTest,
        _ => return None,
    };
    Some((fault, under))
}

/// The number of this rank, as its launcher reports it.
pub(crate) fn rank_of_launcher() -> String {
    let ranks = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"];
    ranks.iter().find_map(|name| std::env::var(name).ok()).unwrap_or_else(|| "0".to_owned())
}

/// The fault that applies to the file of a descriptor, and the path of the file.
pub(crate) fn of(descriptor: c_int) -> Option<(InjectedFault, PathBuf)> {
    let (fault, under) = fault()?;
    Some((*fault, path_under(descriptor, under)?))
}

/// The path of the file of a descriptor, if it is in the directory `under`.
///
/// The handler of a signal may write to a pipe while the interrupted thread is in the allocator. So nothing
/// is allocated for a file elsewhere: the handler would wait forever for the lock of its own thread.
pub(crate) fn path_under(descriptor: c_int, under: &str) -> Option<PathBuf> {
    let mut link = [0; 32];
    write!(&mut link[..31], "/proc/self/fd/{descriptor}").ok()?;
    let mut target = [0; libc::PATH_MAX as usize];
    // SAFETY: `link` ends in a zero byte, and the call writes at most the length of `target`.
    let length = unsafe { libc::readlink(link.as_ptr().cast(), target.as_mut_ptr().cast(), target.len()) };
    let path = Path::new(OsStr::from_bytes(&target[..usize::try_from(length).ok()?]));
    path.starts_with(under).then(|| path.to_owned())
}

/// Reads the fault when the library is loaded, and not in the handler of a signal.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = {
    extern "C" fn at_load() {
        fault();
    }
    at_load
};

/// Whether the file at `path` cannot be opened.
pub(crate) fn rejects(path: &CStr) -> bool {
    let Some((InjectedFault::Open, under)) = fault() else { return false };
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    std::path::absolute(path).is_ok_and(|path| path.starts_with(under))
}

/// By how many seconds the wall clock is ahead.
pub(crate) fn ahead() -> i64 {
    match fault() {
        Some((InjectedFault::Ahead(seconds), _)) => *seconds,
        _ => 0,
    }
}

/// The percentage of its pace at which a clock runs, other than the wall clock.
pub(crate) fn pace() -> i64 {
    match fault() {
        Some((InjectedFault::Pace(percent), _)) => *percent,
        _ => 100,
    }
}

/// Whether no page may be reported to be in memory.
pub(crate) fn is_cold() -> bool {
    matches!(fault(), Some((InjectedFault::Cold, _)))
}

/// Whether `MPI_Test` fails.
pub(crate) fn fails_mpi_test() -> bool {
    matches!(fault(), Some((InjectedFault::MpiTest, _)))
}

/// What happens to a write; a write that must block does so here.
pub(crate) fn fate(descriptor: c_int) -> Fate {
    let Some((fault, path)) = of(descriptor) else { return Fate::Done };
    let number = match fault {
        InjectedFault::Delay | InjectedFault::Lie => return Fate::Held,
        InjectedFault::Slow(ms) => {
            std::thread::sleep(std::time::Duration::from_millis(ms));
            return Fate::Done;
        }
        InjectedFault::Die(signal) => end_by(signal as c_int),
        InjectedFault::Locks
        | InjectedFault::Stays(_)
        | InjectedFault::NoSync
        | InjectedFault::SlowSync(_)
        | InjectedFault::Open
        | InjectedFault::Ahead(_)
        | InjectedFault::Pace(_)
        | InjectedFault::MpiTest
        | InjectedFault::Cold => return Fate::Done,
        InjectedFault::Drop(number)
        | InjectedFault::Tear(number)
        | InjectedFault::Block(number)
        | InjectedFault::Full(number) => number,
    };
    let count = {
        let mut state = state();
        let count = state.writes.entry(path).or_default();
        *count += 1;
        *count
    };
    match fault {
        InjectedFault::Full(_) if count >= number => Fate::Full,
        _ if count != number => Fate::Done,
        InjectedFault::Drop(_) => Fate::Dropped,
        InjectedFault::Tear(_) => Fate::Torn,
        _ => loop {
            std::thread::park();
        },
    }
}

/// Ends this process by a signal, for which libraries may have a handler.
fn end_by(signal: c_int) -> ! {
    // SAFETY: both calls accept any number.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    unreachable!("signal {signal} ends a process")
}

/// Waits before a sync, if it is slow.
pub(crate) fn before_sync(descriptor: c_int) {
    if let Some((InjectedFault::SlowSync(ms), _)) = of(descriptor) {
        std::thread::sleep(std::time::Duration::from_millis(ms));
    }
}

/// Delays a write.
pub(crate) fn hold(descriptor: c_int, offset: i64, data: Vec<u8>) {
    state().held.entry(descriptor).or_default().push((offset, data));
}

/// Passes the delayed writes of a descriptor to `show`, in order.
pub(crate) fn each_held(descriptor: c_int, mut show: impl FnMut(i64, &[u8])) {
    if let Some((InjectedFault::Delay | InjectedFault::Lie, _)) = fault() {
        let state = state();
        state.held.get(&descriptor).into_iter().flatten().for_each(|(offset, data)| show(*offset, data));
    }
}

/// Removes and returns the delayed writes of a descriptor, in order.
pub(crate) fn release(descriptor: c_int) -> Vec<Held> {
    // Most processes delay nothing: they skip the rest.
    match fault() {
        Some((InjectedFault::Delay | InjectedFault::Lie, _)) => {
            state().held.remove(&descriptor).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;
    use std::fs::File;
    use std::os::fd::AsRawFd;

    use super::*;

    thread_local! {
        static ALLOCATED: Cell<u32> = const { Cell::new(0) };
    }

    struct Counting;

    // SAFETY: all calls go to the allocator of the system.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            ALLOCATED.set(ALLOCATED.get() + 1);
            // SAFETY: the arguments are passed on.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            // SAFETY: the arguments are passed on.
            unsafe { System.dealloc(at, layout) }
        }
    }

    #[global_allocator]
    static COUNTING: Counting = Counting;

    #[test]
    fn the_path_of_a_file_elsewhere_is_compared_without_allocation() {
        let file = File::open("/proc/self/status").unwrap();
        let before = ALLOCATED.get();
        let elsewhere = path_under(file.as_raw_fd(), "/nowhere");
        assert_eq!((elsewhere, ALLOCATED.get()), (None, before));
        assert!(path_under(file.as_raw_fd(), "/proc").is_some_and(|path| path.ends_with("status")));
        assert!(ALLOCATED.get() > before, "the allocator counts");
    }
}
