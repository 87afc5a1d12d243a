//! Runs a workload on its ranks. Only rank 0 prints and keeps records.
//!
//! Invariant: all ranks begin and end together. A failure is reported once, in one line.

use std::sync::Mutex;

use measure::CycleClock;
use ranks::{Comm, Halt};
use results::records::{Nowhere, Sink};
use units::Usage;
use workloads::kit::failed_call::words;

use super::classic::interrupt;
use super::classic::live::LiveFiles;
use super::program::StartedProgram;
use super::run_records::{RunRecords, run_record};
use super::waiting;
use crate::session::Session;
use crate::speech::complain;
use crate::status::{ERROR, USAGE};

/// What one rank works with.
pub(crate) struct RankContext<'a> {
    /// All ranks.
    pub(crate) comm: &'a dyn Comm,
    /// This rank's clock. Ranks of one process have clones of the same clock.
    pub(crate) clock: CycleClock,
    /// The records: on rank 0 their file, on other ranks a sink that drops them.
    pub(crate) records: &'a mut dyn Sink,
}

/// Rank 0's records, and its printer. `open` makes the printer after the files of `--live` and `--progress`.
/// If anything fails, none of these files is left: the next run would reject it.
pub(crate) fn open_voice<V>(
    record: Option<&str>,
    live: Option<&str>,
    progress: Option<&str>,
    open: impl FnOnce(LiveFiles) -> Result<V, Usage>,
) -> Result<(RunRecords, V), Usage> {
    let records = RunRecords::open(record)?;
    let opened = LiveFiles::create(live, progress).and_then(|files| {
        let created = [live, progress].into_iter().flatten();
        open(files).inspect_err(|_| created.for_each(|path| drop(std::fs::remove_file(path))))
    });
    match opened {
        Ok(voice) => Ok((records, voice)),
        Err(usage) => {
            records.discard();
            Err(usage)
        }
    }
}

/// Runs `body` of `program` on every rank and gives the exit status.
///
/// `voice` is rank 0's printer with its records; other processes have none. The body gives its own exit
/// status. A body that cannot print reports this itself and gives a status other than 0. If it rejects its
/// arguments before any work, the records are removed.
pub(crate) fn perform<V: Send>(
    program: &StartedProgram<'_>,
    session: Session,
    voice: Option<(RunRecords, V)>,
    body: impl Fn(RankContext<'_>, Option<&mut V>) -> Result<u8, Halt> + Sync,
) -> u8 {
    perform_unless(program, session.size(), session, &|| false, voice, body)
}

/// Like [`perform`], but at most `ranks` take part. If `leaves` is true on any rank afterwards, the process
/// ends without finalizing MPI.
pub(crate) fn perform_unless<V: Send>(
    program: &StartedProgram<'_>,
    ranks: u32,
    session: Session,
    leaves: &dyn Fn() -> bool,
    voice: Option<(RunRecords, V)>,
    body: impl Fn(RankContext<'_>, Option<&mut V>) -> Result<u8, Halt> + Sync,
) -> u8 {
    // One clock for all ranks of this process, so that their stamps compare without conversion.
    let clock = CycleClock::new();
    let about = run_record(program.name, program.argv, ranks, session.mpi(), &clock);
    let voice = Mutex::new(voice.map(|(kept, voice)| (kept, voice, about)));
    let watch = program.reports_waits.then(waiting::watch);
    if watch.is_some() && session.mpi().is_some() {
        interrupt::watch_rank();
    }
    let done = session.run(leaves, |comm| {
        if let Some(watch) = &watch {
            watch.rank(comm.rank());
        }
        let clock = clock.clone();
        let mine = if comm.rank() == 0 { voice.lock().ok().and_then(|mut voice| voice.take()) } else { None };
        let Some((mut kept, mut voice, about)) = mine else {
            // Rank 0 reports a failure; the other ranks only end with it.
            return Ok(body(RankContext { comm, clock, records: &mut Nowhere }, None).unwrap_or(ERROR));
        };
        kept.about(about, comm.node_name());
        let done = body(RankContext { comm, clock, records: &mut kept }, Some(&mut voice));
        let exit = done.as_ref().map_or(ERROR, |status| *status);
        if exit == USAGE {
            kept.discard();
            return Ok(exit);
        }
        let ended = kept.end(done.as_ref().err(), exit);
        if let Err(halt) = &done {
            program.complain_of(halt);
        }
        if let Err(error) = &ended {
            complain(&format!("{}: cannot write the records: {}", program.name, words(error)));
        }
        Ok(if ended.is_err() { exit.max(ERROR) } else { exit })
    });
    done.unwrap_or_else(|halt| {
        program.complain_of(&halt);
        ERROR
    })
}
