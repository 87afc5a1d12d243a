//! The end of a run whose ranks cannot come together any more, because a call of a library failed on one of
//! them and the others wait inside it.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use crate::speech::complain;

/// How often is looked.
const EVERY: Duration = Duration::from_secs(1);
/// How long the other ranks have to learn of a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks after a run until it is dropped.
pub(super) struct Watch {
    _end: Sender<()>,
}

/// Begins to look after a run of `name`, of which `stuck` says why its ranks may not come together any more.
pub(super) fn watch<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &'static str,
    rank: u32,
    stuck: impl Fn() -> Option<String> + Send + 'scope,
) -> Watch {
    let (end, ended) = mpsc::channel();
    scope.spawn(move || {
        let mut since = None;
        while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
            let Some(why) = stuck() else {
                since = None;
                continue;
            };
            if since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                leave(name, rank, &why);
            }
        }
    });
    Watch { _end: end }
}

/// Ends this process; the launcher then ends the others.
fn leave(name: &str, rank: u32, why: &str) -> ! {
    let seconds = PATIENCE.as_secs();
    complain(&format!(
        "{name}: rank {rank}: {why}; other ranks were not out of the library after {seconds} s; \
         files are left"
    ));
    ffi::end::at_once(1)
}
