//! The queue over a ring of io_uring.
//!
//! The thread that makes the ring also uses it. Where the kernel can (Linux 6.1), the ring allows only one
//! submitter and does the work of ended transfers when that thread waits. This saves interrupts.
//!
//! Invariant: the buffers outlive every transfer that was sent, also when the queue is dropped.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::AsRawFd;

use io_uring::{EnterFlags, IoUring, opcode, squeue, types};

use crate::slots::{Piece, Slots};
use crate::{EndedTransfer, File, Op, Queue, Wait};

/// The most slots: the kernel allows this many entries in a ring.
const DEPTH_MAX: usize = 32768;
/// The most registered buffers, and the most bytes in one (kernel: `IORING_MAX_REG_BUFFERS`, and 1 GiB).
const REGISTERED_MAX: usize = 1 << 14;
const REGISTERED_BYTES_MAX: usize = 1 << 30;
/// The most bytes in one transfer (kernel: `MAX_RW_COUNT`); the caller continues a longer one.
const TRANSFER_MAX: usize = 0x7fff_f000;
/// Transfers that are sent together while more are prepared. An idle device waits less for a group than for
/// all transfers in one call. 4 KiB O_DIRECT reads at depth 64 on a virtual disk: 69,000/s with one call per
/// reap, 75,000/s with groups of 4, 72,000/s one by one (medians of 10 runs in turns). Groups cost 9 % more
/// CPU time.
const GROUP: usize = 4;
/// The attached file, by its index in the ring's table of files.
const ATTACHED: types::Fixed = types::Fixed(0);

/// A ring, its slots and its file. The ring is dropped first.
pub(super) struct Ring {
    ring: IoUring,
    slots: Slots,
    registers: bool,
    has_file: bool,
}

impl Ring {
    /// A ring of `depth` slots of `bytes` each, for the calling thread.
    pub(super) fn new(depth: u32, bytes: usize, registers: bool) -> io::Result<Self> {
        let depth = depth.max(1) as usize;
        check(depth, bytes, registers)?;
        let ring = start(depth as u32).map_err(|error| not_allowed(&error))?;
        let slots = Slots::new(depth, bytes)?;
        let made = Self { ring, slots, registers, has_file: false };
        if registers && bytes > 0 {
            made.register_buffers(bytes)?;
        }
        Ok(made)
    }

    fn register_buffers(&self, bytes: usize) -> io::Result<()> {
        let depth = self.slots.depth();
        let whole = |slot| {
            let Piece { start, length } = self.slots.whole(slot);
            libc::iovec { iov_base: start.cast(), iov_len: length }
        };
        let all: Vec<_> = (0..depth).map(whole).collect();
        // SAFETY: the buffers live in `slots`, which is dropped after the ring, and only when no transfer is
        // outstanding.
        unsafe { self.ring.submitter().register_buffers(&all) }.map_err(|error| {
            let what = match error.raw_os_error() {
                Some(libc::ENOMEM) => format!(
                    "{depth} buffers of {bytes} bytes are more than this user may lock in memory ({}). Raise \
                     `ulimit -l`, or give a smaller --iodepth or -t, or --uring.plain-buffers",
                    locked_limit()
                ),
                _ => format!("cannot register {depth} buffers of {bytes} bytes: {error}"),
            };
            crate::call_error::reworded(&error, what)
        })
    }

    fn entry(&self, slot: usize, op: Op, piece: Piece, offset: u64) -> squeue::Entry {
        let Piece { start, length } = piece;
        let (length, index) = (length.min(TRANSFER_MAX) as u32, slot as u16);
        let entry = match (op, self.registers) {
            (Op::Write, true) => {
                opcode::WriteFixed::new(ATTACHED, start, length, index).offset(offset).build()
            }
            (Op::Read, true) => opcode::ReadFixed::new(ATTACHED, start, length, index).offset(offset).build(),
            (Op::Write, false) => opcode::Write::new(ATTACHED, start, length).offset(offset).build(),
            (Op::Read, false) => opcode::Read::new(ATTACHED, start, length).offset(offset).build(),
        };
        entry.user_data(slot as u64)
    }

    /// Sends what was submitted. If a transfer is outstanding and none has ended, waits as `wait` says.
    fn send(&mut self, wait: Wait) -> io::Result<()> {
        loop {
            let has_ended = !self.ring.completion().is_empty();
            let unsent = self.ring.submission().len();
            let waits = wait != Wait::No && !has_ended && self.slots.outstanding() > 0;
            if unsent == 0 && (has_ended || !waits && self.slots.outstanding() == 0) {
                return Ok(());
            }
            match self.enter(if waits { wait } else { Wait::No }) {
                Ok(sent) if sent == 0 && unsent > 0 => {
                    return Err(io::Error::other("the kernel accepts no more transfers"));
                }
                Ok(_) => {}
                // A signal interrupted the wait.
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => continue,
                Err(error) if error.raw_os_error() == Some(libc::ETIME) => return Ok(()),
                Err(error) => return Err(error),
            }
            let is_sent = self.ring.submission().is_empty();
            if is_sent && (!waits || wait != Wait::ForOne || !self.ring.completion().is_empty()) {
                return Ok(());
            }
        }
    }

    /// One call that sends and waits; returns how many were sent.
    fn enter(&self, wait: Wait) -> io::Result<usize> {
        match wait {
            Wait::AtMost(most) if self.ring.params().is_feature_ext_arg() => {
                let most = types::Timespec::from(most);
                self.ring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&most))
            }
            Wait::ForOne => self.ring.submit_and_wait(1),
            Wait::No | Wait::AtMost(_) => self.ring.submit_and_wait(0),
        }
    }

    /// Waits until no sent transfer is outstanding; transfers that were never sent are dropped.
    fn settle(&mut self) -> io::Result<()> {
        let mut left = self.slots.outstanding() - self.ring.submission().len();
        left -= self.ring.completion().count().min(left);
        while left > 0 {
            let flags = EnterFlags::GETEVENTS.bits();
            // SAFETY: sends nothing, and waits for outstanding transfers.
            let waited =
                unsafe { self.ring.submitter().enter::<libc::sigset_t>(0, left as u32, flags, None) };
            match waited {
                Err(error) if error.raw_os_error() != Some(libc::EINTR) => return Err(error),
                _ => left -= self.ring.completion().count().min(left),
            }
        }
        Ok(())
    }
}

impl Queue for Ring {
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
        self.ring.submitter().register_files(&[fd.as_raw_fd()])?;
        self.has_file = true;
        Ok(())
    }

    fn detach(&mut self) -> io::Result<()> {
        let mut ended = Vec::new();
        while self.slots.outstanding() > 0 {
            self.reap(Wait::ForOne, &mut ended)?;
        }
        if std::mem::take(&mut self.has_file) {
            self.ring.submitter().unregister_files()?;
        }
        Ok(())
    }

    fn submit(&mut self, slot: usize, op: Op, from: usize, offset: u64) -> io::Result<()> {
        assert!(self.has_file, "a file is attached before a transfer is submitted");
        let piece = self.slots.begin(slot, from);
        let entry = self.entry(slot, op, piece, offset);
        // SAFETY: the piece belongs to the kernel until the transfer has ended; see the invariant.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        pushed.expect("the ring has at least as many entries as there are slots");
        if self.ring.submission().len() >= GROUP {
            // If the kernel does not accept them now, the next reap sends them and reports errors.
            let _ = self.ring.submit();
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, ended: &mut Vec<EndedTransfer>) -> io::Result<()> {
        self.send(wait)?;
        for entry in self.ring.completion() {
            let slot = entry.user_data() as usize;
            self.slots.end(slot);
            let moved =
                usize::try_from(entry.result()).map_err(|_| io::Error::from_raw_os_error(-entry.result()));
            ended.push(EndedTransfer { slot, moved });
        }
        Ok(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.settle().is_err() {
            self.slots.abandon();
        }
        if self.registers {
            // Explicitly, because after the close the kernel releases the locked memory only some time later.
            let _ = self.ring.submitter().unregister_buffers();
        }
    }
}

/// Rejects a queue that no kernel makes.
pub(super) fn check(depth: usize, bytes: usize, registers: bool) -> io::Result<()> {
    let most = if registers { REGISTERED_MAX } else { DEPTH_MAX };
    let what = if depth > most {
        format!("{depth} transfers at once are more than {most}. Give a smaller --iodepth")
    } else if registers && bytes > REGISTERED_BYTES_MAX {
        format!(
            "a registered buffer has at most 1 GiB, not {bytes} bytes. Give -t 1g or --uring.plain-buffers"
        )
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// A ring with all useful features that the kernel has: older kernels reject flags that they do not know.
fn start(depth: u32) -> io::Result<IoUring> {
    let newest = IoUring::builder()
        .setup_submit_all()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .build(depth);
    match newest {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => IoUring::builder().build(depth),
        made => made,
    }
}

fn not_allowed(error: &io::Error) -> io::Error {
    let what = match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "io_uring is forbidden here (sysctl kernel.io_uring_disabled, or the container's seccomp rules). \
             Use AIO or POSIX"
                .to_owned()
        }
        Some(libc::ENOSYS) => "this kernel has no io_uring. Use AIO or POSIX".to_owned(),
        Some(libc::ENOMEM) => {
            format!(
                "the ring is more than this user may lock in memory ({}). Raise `ulimit -l`",
                locked_limit()
            )
        }
        _ => format!("cannot make a ring: {error}"),
    };
    crate::call_error::reworded(error, what)
}

/// How much memory this user may lock, as text for a message.
fn locked_limit() -> String {
    match rustix::process::getrlimit(rustix::process::Resource::Memlock).current {
        Some(bytes) => format!("at most {bytes} bytes"),
        None => "no limit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::plain::PlainFile;

    #[test]
    fn what_cannot_be_registered_is_rejected_with_the_remedy() {
        assert!(check(64, 1 << 30, true).is_ok());
        for (depth, bytes, word) in [(64, (1 << 30) + 1, "-t 1g"), (1 << 15, 8, "--iodepth")] {
            let error = check(depth, bytes, true).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(check(1 << 15, 1 << 31, false).is_ok(), "unregistered buffers have no such limit");
        assert!(check((1 << 15) + 1, 8, false).is_err());
    }

    /// A pipe has no data to read until a process writes to it.
    #[test]
    #[allow(clippy::print_stdout)]
    fn a_wait_with_a_time_limit_ends_while_a_transfer_is_outstanding() {
        let mut ring = match Ring::new(2, 8, true) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                println!("SKIPPED: {error}");
                return;
            }
            made => made.unwrap(),
        };
        let (reader, mut writer) = io::pipe().unwrap();
        let file = PlainFile::new(reader.into());
        ring.attach(&file).unwrap();
        let (go, gone) = mpsc::channel::<()>();
        let writing = std::thread::spawn(move || {
            // A wait without a time limit would have to end at some point, too.
            let _ = gone.recv_timeout(Duration::from_secs(10));
            writer.write_all(&[7; 8]).unwrap();
        });
        ring.submit(1, Op::Read, 0, u64::MAX).unwrap();
        let mut ended = Vec::new();
        ring.reap(Wait::AtMost(Duration::from_millis(1)), &mut ended).unwrap();
        assert!(ended.is_empty(), "{ended:?}");
        go.send(()).unwrap();
        ring.reap(Wait::ForOne, &mut ended).unwrap();
        assert_eq!((ended[0].moved.as_ref().unwrap(), ring.buffer(1)), (&8, &mut [7; 8][..]));
        writing.join().unwrap();
    }

    #[test]
    fn a_forbidden_ring_is_an_error_that_names_the_cause() {
        for (code, word) in
            [(libc::EPERM, "io_uring_disabled"), (libc::ENOSYS, "no io_uring"), (libc::ENOMEM, "ulimit -l")]
        {
            let error = not_allowed(&io::Error::from_raw_os_error(code)).to_string();
            assert!(error.contains(word) && error.lines().count() == 1, "{error}");
        }
    }
}
