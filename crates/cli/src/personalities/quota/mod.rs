//! `quota`: ranks write, grow and create files until a quota rejects it.
//!
//! The options are assay's own. It follows no classic program.

mod rights;
mod text;

use command::quota::{QuotaArgs, QuotaRequest};
use ranks::Halt;
use storage::Storage;
use units::Usage;
use workloads::kit::{clients, rank::Rank};
use workloads::quota::{self, REJECTED, home};

use super::LineEffect;
use super::classic::interrupt;
use super::perform::{RankContext, perform};
use super::printer::are_printed;
use super::program::{StartedProgram, options, posix};
use crate::session::{Needs, RankStart, Session};
use crate::status::{USAGE, error_if};
use text::QuotaText;

/// Runs the command on `local` ranks or the launcher's, and gives the exit status.
pub(crate) fn run(argv: &[String], args: QuotaArgs, local: Option<u32>) -> u8 {
    StartedProgram::run("quota", argv, |program| started(program, &args, local))
}

fn started(program: &StartedProgram<'_>, args: &QuotaArgs, local: Option<u32>) -> Result<u8, Usage> {
    let (request, storage) = (args.request()?, posix()?);
    let session = Session::start(program.launch.as_ref(), local, Needs::Nothing)?;
    let (session, ()) = session.agree(rights::check(&request))?;
    let (session, kept) = session.agree(program.records(args.record.as_deref()))?;
    if session.mpi().is_none() {
        interrupt::watch(program.name, std::iter::once(home(&request.dir)), ". Remove it.");
    }
    program.note_preloaded();
    let voice = kept.map(|kept| (kept, QuotaText::new(&request)));
    Ok(perform(program, session, voice, |part, text| one_rank(program, &request, &*storage, part, text)))
}

/// Rejects a command line that a run rejects on any machine.
pub(crate) fn check(words: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let Some(args) = options::<QuotaArgs>("quota", words)? else { return Ok(LineEffect::Prints) };
    args.request()?;
    start.check(Needs::Nothing)?;
    Ok(LineEffect::Runs)
}

/// The part of each rank.
fn one_rank(
    program: &StartedProgram<'_>,
    request: &QuotaRequest,
    storage: &dyn Storage,
    part: RankContext<'_>,
    mut text: Option<&mut QuotaText>,
) -> Result<u8, Halt> {
    let RankContext { comm, mut clock, records } = part;
    let mut rank = Rank::begin(comm, &mut clock, records, None, &clients::dirs(storage, [&request.dir]))?;
    let speaks = comm.rank() == 0;
    let observer = &mut text.as_deref_mut();
    let done = quota::run(request, storage, &mut rank, observer);
    let printed = text.map_or(Ok(()), QuotaText::finish);
    match done {
        // Every rank gets the reason; rank 0 prints it.
        Err(halt) if halt.step == REJECTED && speaks => Ok(program.reject(&Usage(halt.why))),
        Err(halt) if halt.step == REJECTED => Ok(USAGE),
        done => done.map(|is_kept| error_if(!are_printed("quota", printed) || !is_kept)),
    }
}
