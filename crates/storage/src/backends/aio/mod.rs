//! Files by Linux's native asynchronous I/O, called directly. Transfers are sent in groups of `granularity`
//! until all slots are outstanding; then the queue waits for as many to end.
//!
//! Options: `odirect` (as does `posix.odirect`), `max-pending`, `granularity`. A given queue depth replaces
//! `max-pending`. Without O_DIRECT the kernel mostly moves the data inside the call that sends the transfer.

mod queue;
mod sys;

use std::io;
use std::path::Path;

use command::Settings;
use ranks::Comm;
use units::Usage;

use crate::backends::Driver;
use crate::plain::{MountedBackend, OnMount, PlainFile, PlainFiles};
use crate::{File, Open, Queue, Storage};

/// Defaults and limits are those of IOR 4.1.
const MAX_PENDING: i64 = 128;
const MAX_PENDING_LEAST: i64 = 8;
const GRANULARITY: i64 = 16;

pub(super) const DRIVER: Driver = Driver { name: "aio", library: None, open };

struct Aio {
    plain: PlainFiles,
    max_pending: u32,
    granularity: u32,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let plain = PlainFiles::queued("aio", settings)?;
    let pending = settings.number("aio.max-pending").unwrap_or(MAX_PENDING);
    let group = settings.number("aio.granularity").unwrap_or(GRANULARITY);
    let max_pending = u32::try_from(pending).ok().filter(|_| pending >= MAX_PENDING_LEAST);
    let Some(max_pending) = max_pending else {
        return Err(Usage(format!("--aio.max-pending={pending}: give at least {MAX_PENDING_LEAST}")));
    };
    let granularity = u32::try_from(group).ok().filter(|group| (1..=max_pending).contains(group));
    let Some(granularity) = granularity else {
        return Err(Usage(format!(
            "--aio.granularity={group}: give at least 1 and at most --aio.max-pending, which is {pending}"
        )));
    };
    Ok(Box::new(OnMount(Aio { plain, max_pending, granularity })))
}

impl MountedBackend for Aio {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        Ok(Box::new(PlainFile::new(self.plain.open(comm, path, how)?)))
    }

    fn queue(&self, depth: Option<u32>, bytes: usize) -> io::Result<Option<Box<dyn Queue>>> {
        let depth = depth.unwrap_or(self.max_pending).max(1);
        let granularity = self.granularity.min(depth);
        Ok(Some(Box::new(queue::AioQueue::new(depth as usize, granularity as usize, bytes)?)))
    }

    fn is_direct(&self) -> bool {
        self.plain.is_direct()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(words: &[(&str, &str)]) -> Result<(), Usage> {
        let mut settings = Settings::default();
        words.iter().for_each(|(name, value)| settings.set(name, *value));
        open(&settings).map(drop)
    }

    #[test]
    fn a_depth_or_granularity_out_of_range_is_rejected_with_its_limits() {
        opened(&[("aio.max-pending", "8"), ("aio.granularity", "8")]).unwrap();
        for (words, what) in [
            (vec![("aio.max-pending", "7")], "--aio.max-pending=7: give at least 8"),
            (
                vec![("aio.max-pending", "8")],
                "--aio.granularity=16: give at least 1 and at most --aio.max-pending, which is 8",
            ),
            (
                vec![("aio.granularity", "0")],
                "--aio.granularity=0: give at least 1 and at most --aio.max-pending, which is 128",
            ),
        ] {
            assert_eq!(opened(&words).unwrap_err().0, what);
        }
    }

    #[test]
    fn locks_around_transfers_are_rejected() {
        let error = opened(&[("posix.rangelocks", "1")]).unwrap_err();
        assert!(error.0.contains("Use POSIX, not AIO"), "{}", error.0);
    }
}
