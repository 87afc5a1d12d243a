//! A workload on its ranks, with one voice: rank 0's, which prints and keeps records.
//!
//! Invariant: all ranks begin and end together; a failure is told once, in one line.

use std::sync::Mutex;

use measure::CycleClock;
use ranks::{Comm, Halt};
use results::records::{Nowhere, Sink};
use workloads::kit::drive::words;

use super::program::StartedProgram;
use super::run_records::{RunRecords, run_record};
use crate::session::Session;
use crate::speech::complain;
use crate::status::{ERROR, USAGE};

/// What one rank has to work with.
pub(crate) struct RankContext<'a> {
    /// All ranks.
    pub(crate) comm: &'a dyn Comm,
    /// This rank's clock; ranks of one process have clones of one.
    pub(crate) clock: CycleClock,
    /// Where records go: on rank 0 to their file, on others nowhere.
    pub(crate) records: &'a mut dyn Sink,
}

/// Runs `body` of `program` on every rank and gives the exit status. `voice` is what rank 0 prints with, and
/// where it keeps the records; on other processes there is none. The body gives its own exit status; one that
/// cannot print says so by an error of its own making and a status that is not 0. Of one that has rejected
/// before it did anything no records are left.
pub(crate) fn perform<V: Send>(
    program: &StartedProgram<'_>,
    session: Session,
    voice: Option<(RunRecords, V)>,
    body: impl Fn(RankContext<'_>, Option<&mut V>) -> Result<u8, Halt> + Sync,
) -> u8 {
    perform_unless(program, session.size(), session, &|| false, voice, body)
}

/// The same, but at most `ranks` take part, and where `leaves` says so afterwards on some rank the process
/// ends without ending MPI.
pub(crate) fn perform_unless<V: Send>(
    program: &StartedProgram<'_>,
    ranks: u32,
    session: Session,
    leaves: &dyn Fn() -> bool,
    voice: Option<(RunRecords, V)>,
    body: impl Fn(RankContext<'_>, Option<&mut V>) -> Result<u8, Halt> + Sync,
) -> u8 {
    // One clock for all ranks of this process: their stamps compare as they are.
    let clock = CycleClock::new();
    let about = run_record(program.name, program.argv, ranks, session.mpi(), &clock);
    let voice = Mutex::new(voice.map(|(kept, voice)| (kept, voice, about)));
    let done = session.run(leaves, |comm| {
        let clock = clock.clone();
        let mine = if comm.rank() == 0 { voice.lock().ok().and_then(|mut voice| voice.take()) } else { None };
        let Some((mut kept, mut voice, about)) = mine else {
            // Rank 0 tells a failure, the others only end with it.
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
            complain(&format!("{}: {halt}", program.name));
        }
        if let Err(error) = &ended {
            complain(&format!("{}: cannot write the records: {}", program.name, words(error)));
        }
        Ok(if ended.is_err() { exit.max(ERROR) } else { exit })
    });
    done.unwrap_or_else(|halt| {
        complain(&format!("{}: {halt}", program.name));
        ERROR
    })
}
