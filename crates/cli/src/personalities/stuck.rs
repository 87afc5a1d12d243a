//! The end of a run whose ranks cannot come together any more, because a call of a library failed on one of
//! them and the others wait inside it, or because none comes back from one (see `long_call`).

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use super::long_call::LongCall;
use crate::speech::complain;

/// How often is looked.
const EVERY: Duration = Duration::from_secs(1);
/// How long the other ranks have to learn of a failure, at most half of what a call may last: who failed
/// tells why, before those that wait for it only tell where.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks after a run until it is dropped.
pub(super) struct StuckWatch {
    _end: Sender<()>,
}

/// How a rank stands with the others.
pub(super) struct RankStanding {
    /// The call that all ranks make together and it is in, with a number that no other call has.
    pub(super) inside: Option<(u64, &'static str)>,
    /// Why its ranks may not come together any more.
    pub(super) stuck: Option<String>,
}

/// Begins to look after a run of `name`, in which no call that all ranks make together may last longer than
/// `limit`.
pub(super) fn watch<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &'static str,
    rank: u32,
    limit: Duration,
    standing: impl Fn() -> RankStanding + Send + 'scope,
) -> StuckWatch {
    let (end, ended) = mpsc::channel();
    let patience = PATIENCE.min(limit / 2);
    scope.spawn(move || {
        let mut since = None;
        let mut long = LongCall::new(name, rank, limit);
        while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
            let RankStanding { inside, stuck } = standing();
            long.look(inside);
            let Some(why) = stuck else {
                since = None;
                continue;
            };
            if since.get_or_insert_with(Instant::now).elapsed() > patience {
                leave(name, rank, &why, patience);
            }
        }
    });
    StuckWatch { _end: end }
}

/// Ends this process; the launcher then ends the others.
fn leave(name: &str, rank: u32, why: &str, patience: Duration) -> ! {
    let seconds = patience.as_secs();
    complain(&format!(
        "{name}: rank {rank}: {why}; other ranks were not out of the library after {seconds} s; \
         files are left"
    ));
    ffi::end::at_once(1)
}
