//! The queue over a context of native asynchronous I/O.
//!
//! Invariant: the buffers outlive every transfer that was sent, also when the queue is dropped.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use super::sys::{Context, IoControlBlock, IoEvent, READ, WRITE};
use crate::slots::Slots;
use crate::{EndedTransfer, File, Op, Queue, Wait};

/// A context, its slots and its file. The context is dropped first.
pub(super) struct AioQueue {
    context: Context,
    slots: Slots,
    /// The requests of all slots; the kernel reads a request only during the call that sends it.
    requests: Vec<IoControlBlock>,
    /// Slots submitted and not yet sent, oldest first.
    unsent: Vec<usize>,
    /// Addresses of the requests that are sent next; kept, so that nothing is allocated during a measurement.
    group: Vec<usize>,
    /// Transfers that the kernel rejected when they were sent.
    rejected: Vec<EndedTransfer>,
    events: Vec<IoEvent>,
    granularity: usize,
    /// The file of all transfers that were not sent.
    fd: Option<Arc<OwnedFd>>,
}

impl AioQueue {
    /// `depth` slots of `bytes` each; their transfers are sent in groups of `granularity`.
    pub(super) fn new(depth: usize, granularity: usize, bytes: usize) -> io::Result<Self> {
        let context = Context::new(depth).map_err(|error| not_made(depth, &error))?;
        Ok(Self {
            context,
            slots: Slots::new(depth, bytes)?,
            requests: vec![IoControlBlock::default(); depth],
            unsent: Vec::with_capacity(depth),
            group: Vec::with_capacity(depth),
            rejected: Vec::new(),
            events: vec![IoEvent::default(); depth],
            granularity,
            fd: None,
        })
    }

    /// Transfers that the kernel has.
    fn sent(&self) -> usize {
        self.slots.outstanding() - self.unsent.len() - self.rejected.len()
    }

    /// Sends everything that was submitted, in one call where the kernel takes it.
    fn send(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            let requests = self.requests.as_mut_ptr();
            self.group.clear();
            // Slots are below the depth, which is the number of requests.
            self.group
                .extend(self.unsent.iter().map(|slot| requests.wrapping_add(*slot).expose_provenance()));
            // SAFETY: a slot's bytes belong to the kernel until its transfer has ended; see the invariant.
            match unsafe { self.context.submit(&mut self.group) } {
                Ok(0) => return Err(io::Error::other("the kernel accepts no more transfers")),
                Ok(taken) => drop(self.unsent.drain(..taken)),
                // The kernel's queue is full: the rest is sent after a transfer has ended.
                Err(error) if error.raw_os_error() == Some(libc::EAGAIN) && self.sent() > 0 => return Ok(()),
                Err(error) => {
                    // The call fails for its first transfer only; that one has ended.
                    let slot = self.unsent.remove(0);
                    self.rejected.push(EndedTransfer { slot, moved: Err(error) });
                }
            }
        }
        Ok(())
    }

    /// How many transfers must end before the wait returns.
    fn least(&self, wait: Wait) -> usize {
        if wait == Wait::No || !self.rejected.is_empty() {
            0
        } else if wait == Wait::ForOne && self.slots.outstanding() == self.slots.depth() {
            self.granularity.min(self.sent())
        } else {
            self.sent().min(1)
        }
    }

    /// Waits until `least` transfers have ended, for `most` at the longest; returns the number of events.
    fn wait(&mut self, least: usize, most: Option<Duration>) -> io::Result<usize> {
        loop {
            match self.context.events(least, most, &mut self.events) {
                // A signal interrupted the wait.
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                // Interrupted before any event: the wait starts again.
                Ok(0) if least > 0 && most.is_none() => {}
                waited => return waited,
            }
        }
    }
}

impl Queue for AioQueue {
    fn depth(&self) -> usize {
        self.slots.depth()
    }

    fn buffer(&mut self, slot: usize) -> &mut [u8] {
        self.slots.bytes(slot)
    }

    fn attach(&mut self, file: &dyn File) -> io::Result<()> {
        self.detach()?;
        let Some(fd) = file.descriptor() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the file has no descriptor"));
        };
        self.fd = Some(fd);
        Ok(())
    }

    fn detach(&mut self) -> io::Result<()> {
        let mut ended = Vec::new();
        while self.slots.outstanding() > 0 {
            self.reap(Wait::ForOne, &mut ended)?;
        }
        self.fd = None;
        Ok(())
    }

    fn submit(&mut self, slot: usize, op: Op, from: usize, offset: u64) -> io::Result<()> {
        let fd = self.fd.as_ref().expect("a file is attached before a transfer is submitted");
        let invalid = |_| io::Error::new(io::ErrorKind::InvalidInput, "beyond what an offset can be");
        let offset = i64::try_from(offset).map_err(invalid)?;
        let piece = self.slots.begin(slot, from);
        self.requests[slot] = IoControlBlock {
            slot: slot as u64,
            operation: if op == Op::Write { WRITE } else { READ },
            fd: fd.as_raw_fd() as u32,
            start: piece.start.expose_provenance() as u64,
            length: piece.length as u64,
            offset,
            ..IoControlBlock::default()
        };
        self.unsent.push(slot);
        if self.unsent.len() >= self.granularity {
            // If the kernel does not accept them now, the next reap sends them and reports errors.
            let _ = self.send();
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, ended: &mut Vec<EndedTransfer>) -> io::Result<()> {
        self.send()?;
        if self.sent() > 0 {
            let least = self.least(wait);
            let most = if let Wait::AtMost(most) = wait { Some(most) } else { None };
            let count = self.wait(least, most)?;
            for event in &self.events[..count] {
                let slot = event.slot as usize;
                self.slots.end(slot);
                let error = |_| io::Error::from_raw_os_error(event.result.unsigned_abs() as i32);
                ended.push(EndedTransfer { slot, moved: usize::try_from(event.result).map_err(error) });
            }
        }
        for rejected in self.rejected.drain(..) {
            self.slots.end(rejected.slot);
            ended.push(rejected);
        }
        Ok(())
    }
}

impl Drop for AioQueue {
    fn drop(&mut self) {
        // Transfers that were never sent are dropped. The kernel may still write into the buffers of the sent
        // ones.
        let mut left = self.sent();
        while left > 0 {
            match self.wait(left, None) {
                Ok(count) => left -= count.min(left),
                Err(_) => return self.slots.abandon(),
            }
        }
    }
}

fn not_made(depth: usize, error: &io::Error) -> io::Error {
    let what = match error.raw_os_error() {
        Some(libc::EAGAIN) => format!(
            "{depth} transfers at once are more than the system has left (sysctl fs.aio-max-nr); take a \
             smaller --iodepth or --aio.max-pending"
        ),
        Some(libc::ENOSYS) => "this kernel has no native asynchronous I/O. Use URING or POSIX".to_owned(),
        _ => format!("cannot allocate a context for {depth} transfers at once: {error}"),
    };
    crate::call_error::reworded(error, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_all_slots_outstanding_the_queue_waits_for_a_group_and_otherwise_for_one() {
        let mut pending = AioQueue::new(8, 3, 8).unwrap();
        let mut least = |begun: usize, unsent: usize, wait: Wait| {
            for slot in 0..begun {
                pending.slots.begin(slot, 0);
            }
            pending.unsent = (0..unsent).collect();
            let least = pending.least(wait);
            (0..begun).for_each(|slot| pending.slots.end(slot));
            pending.unsent.clear();
            least
        };
        assert_eq!(least(8, 0, Wait::ForOne), 3);
        assert_eq!(least(8, 6, Wait::ForOne), 2, "no more than the kernel has");
        assert_eq!(least(7, 0, Wait::ForOne), 1, "the caller has no more to give");
        assert_eq!(least(0, 0, Wait::ForOne), 0);
        assert_eq!(least(8, 0, Wait::No), 0);
    }

    #[test]
    fn a_depth_above_the_system_limit_is_an_error_that_names_the_setting() {
        let error = AioQueue::new(1 << 30, 1, 8).err().expect("no system has that many");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        let error = not_made(9, &io::Error::from_raw_os_error(libc::EAGAIN)).to_string();
        assert!(error.contains("fs.aio-max-nr") && error.contains("9 transfers"), "{error}");
    }
}
