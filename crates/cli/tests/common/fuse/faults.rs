//! A directory of the test, mounted a second time with a fault in it.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rustix::io::Errno;

use super::FuseMount;
use super::through::Through;

/// A call that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `open`, also one that makes the file.
    Open,
    /// `read`.
    Read,
    /// `write`.
    Write,
    /// `fsync`.
    Fsync,
    /// `close`.
    Close,
    /// The search of a name, as `stat` and `open` make it.
    Lookup,
    /// `unlink` and `rmdir`.
    Remove,
}

/// What a layer does wrong. A number is that of a byte in the file. The call that moves this byte meets the
/// fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Such calls end with this error; those that move data only if they move this byte or later ones.
    Fails(Call, Errno, u64),
    /// The write reports success, but is not done.
    Lost(u64),
    /// Such a call reports success, but is not done.
    Ignored(Call),
    /// Only its first half is done.
    Torn(u64),
    /// It is done 512 bytes further on.
    Shifted(u64),
    /// The lowest bit of this byte is written wrong.
    Flipped(u64),
    /// The lowest bit of this byte is read wrong, each time.
    Misread(u64),
    /// The next such call, chosen in the same way, waits for this time. All other calls wait behind it.
    Stalls(Call, Duration, u64),
    /// The clock of the file system is this number of seconds ahead, or behind if it is negative.
    Ahead(i64),
}

impl Fault {
    /// The byte that the fault waits for.
    fn byte(self, call: Call) -> Option<u64> {
        match self {
            Self::Lost(byte) | Self::Torn(byte) | Self::Shifted(byte) | Self::Flipped(byte) => {
                (call == Call::Write).then_some(byte)
            }
            Self::Misread(byte) => (call == Call::Read).then_some(byte),
            Self::Fails(..) | Self::Stalls(..) | Self::Ahead(_) | Self::Ignored(_) => None,
        }
    }
}

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    /// Only paths with this text are concerned.
    within: String,
    struck: u64,
}

/// The fault of a layer, which the test changes while the layer is mounted.
#[derive(Clone, Default)]
pub(super) struct Current(Arc<Mutex<State>>);

impl Current {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no holder panics")
    }

    /// Before a call on a file that moves these bytes: the data fault that it meets. A failing call fails
    /// here, and a stalled one waits here.
    pub(super) fn strike(&self, path: &Path, call: Call, bytes: Range<u64>) -> io::Result<Option<Fault>> {
        let mut state = self.state();
        let Some(fault) = state.fault.filter(|_| path.to_string_lossy().contains(&state.within)) else {
            return Ok(None);
        };
        let meets = |faulty, from| faulty == call && (bytes.is_empty() || bytes.end > from);
        match fault {
            Fault::Fails(failing, errno, from) if meets(failing, from) => {
                state.struck += 1;
                Err(errno.into())
            }
            Fault::Stalls(stalling, time, from) if meets(stalling, from) => {
                state.struck += 1;
                state.fault = None;
                drop(state);
                std::thread::sleep(time);
                Ok(None)
            }
            Fault::Ignored(ignored) if ignored == call => {
                state.struck += 1;
                Ok(Some(fault))
            }
            _ if fault.byte(call).is_some_and(|byte| bytes.contains(&byte)) => {
                state.struck += 1;
                Ok(Some(fault))
            }
            _ => Ok(None),
        }
    }

    /// How many seconds the clock is ahead.
    pub(super) fn ahead(&self) -> i64 {
        match self.state().fault {
            Some(Fault::Ahead(seconds)) => seconds,
            _ => 0,
        }
    }
}

/// A directory with faults, until dropped.
pub struct FaultLayer {
    current: Current,
    // Unmounted before the directories are removed.
    _mount: FuseMount,
    dir: tempfile::TempDir,
}

impl FaultLayer {
    /// A layer without a fault. `None`, with the reason printed, if this machine cannot mount it.
    pub fn mount() -> Option<Self> {
        let dir = tempfile::Builder::new().prefix("assay-fault.").tempdir().unwrap();
        let [below, above] = ["below", "above"].map(|name| dir.path().join(name));
        for path in [&below, &above] {
            std::fs::create_dir(path).unwrap();
        }
        let current = Current::default();
        let mount = FuseMount::new(Through::new(&below, current.clone()).unwrap(), &above)?;
        Some(Self { current, _mount: mount, dir })
    }

    /// The mount point.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("above")
    }

    /// From now on this fault strikes files whose path contains `within`.
    pub fn set(&self, within: &str, fault: Fault) {
        *self.current.state() = State { fault: Some(fault), within: within.to_owned(), struck: 0 };
    }

    /// From now on there is no fault.
    pub fn remove_fault(&self) {
        *self.current.state() = State::default();
    }

    /// The number of calls that have met the fault.
    pub fn struck(&self) -> u64 {
        self.current.state().struck
    }
}
