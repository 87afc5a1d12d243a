//! Files by io_uring: up to a whole queue of outstanding transfers, from registered buffers and a registered
//! file. A system call sends several new transfers, and another waits for the first one to end.
//!
//! Options: `odirect` adds `O_DIRECT` to every open (as does `posix.odirect`), `plain-buffers` leaves the
//! buffers unregistered. Registered buffers are locked memory. Where a user may not lock that much, the queue
//! is rejected with the limit and the remedies; the backend never silently uses a slower method.

mod queue;

use std::io;
use std::path::Path;

use ranks::Comm;

use crate::backends::Driver;
use crate::plain::{MountedBackend, OnMount, PlainFile, PlainFiles};
use crate::{File, Open, Queue};

/// Slots of a queue whose caller leaves the depth to the backend.
const DEPTH: u32 = 64;

pub(super) const DRIVER: Driver = Driver {
    name: "uring",
    library: None,
    open: |settings| {
        let plain = PlainFiles::queued("uring", settings)?;
        Ok(Box::new(OnMount(Uring { plain, registers: !settings.flag("uring.plain-buffers") })))
    },
};

struct Uring {
    plain: PlainFiles,
    registers: bool,
}

impl MountedBackend for Uring {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        Ok(Box::new(PlainFile::new(self.plain.open(comm, path, how)?)))
    }

    fn queue(&self, depth: Option<u32>, bytes: usize) -> io::Result<Option<Box<dyn Queue>>> {
        Ok(Some(Box::new(queue::Ring::new(depth.unwrap_or(DEPTH), bytes, self.registers)?)))
    }

    fn check_queue(&self, depth: Option<u32>, bytes: u64) -> io::Result<()> {
        queue::check(depth.unwrap_or(DEPTH) as usize, bytes as usize, self.registers)
    }

    fn is_direct(&self) -> bool {
        self.plain.is_direct()
    }
}
