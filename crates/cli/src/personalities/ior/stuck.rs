//! The end of a run whose ranks cannot come together any more, because a call of a library failed on one of
//! them and the others wait inside it.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use super::flow::Ready;
use crate::speech::complain;

/// How often is looked.
const EVERY: Duration = Duration::from_secs(1);
/// How long the other ranks have to learn of a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks after the tests until it is dropped.
pub(super) struct Watch {
    _end: Option<Sender<()>>,
}

/// Begins to look after the tests whose ranks may become stuck, if any.
pub(super) fn watch<'scope>(scope: &'scope Scope<'scope, '_>, tests: &'scope [Ready], rank: u32) -> Watch {
    if !tests.iter().any(|test| test.storage.is_fragile()) {
        return Watch { _end: None };
    }
    let (end, ended) = mpsc::channel();
    scope.spawn(move || {
        let mut since = None;
        while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
            let Some(why) = tests.iter().find_map(|test| test.storage.stuck()) else {
                since = None;
                continue;
            };
            if since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                leave(rank, &why);
            }
        }
    });
    Watch { _end: Some(end) }
}

/// Ends this process; the launcher then ends the others.
fn leave(rank: u32, why: &str) -> ! {
    let seconds = PATIENCE.as_secs();
    complain(&format!(
        "ior: rank {rank}: {why}; other ranks were not out of the library after {seconds} s; files are left"
    ));
    ffi::end::at_once(1)
}
