//! `age`: fills a file system and ages it.
//!
//! The options are assay's own. It follows no classic program.

mod args;
mod text;

use command::age::AgeArgs;
use ranks::Halt;
use report::sentences::sentence;
use storage::Storage;
use units::Usage;
use workloads::ageing::{self, AgeingRequest, DEFAULT_PROFILE, REJECTED};
use workloads::kit::observer::EventObserver;
use workloads::kit::{clients, rank::Rank};

use super::classic::interrupt;
use super::perform::{RankContext, open_voice, perform};
use super::program::{StartedProgram, options, posix};
use super::{LineEffect, PRINTS, waiting};
use crate::session::{Needs, RankStart, Session};
use crate::speech::{complain, say};
use crate::status::{DONE, USAGE, error_if};
use args::MeantAgeing;
use text::LiveLine;

/// Runs the command on `local` ranks or the launcher's, and gives the exit status.
pub(crate) fn run(argv: &[String], args: AgeArgs, local: Option<u32>) -> u8 {
    StartedProgram::run("age", argv, |program| started(program, args, local))
}

fn started(program: &StartedProgram<'_>, args: AgeArgs, local: Option<u32>) -> Result<u8, Usage> {
    if args.print_profile {
        return Ok(program.print(DEFAULT_PROFILE));
    }
    let (parsed, storage) = (MeantAgeing::read(args)?, posix()?);
    let (record, progress) = (parsed.record.as_deref(), parsed.progress.as_deref());
    // Only rank 0 reads files.
    let outside = || {
        let profile = parsed.profile()?;
        Ok((profile, open_voice(record, None, progress, |files| Ok(LiveLine::new(files)))?))
    };
    waiting::records_in(record);
    let session = Session::start(program.launch.as_ref(), local, Needs::Nothing)?;
    let (session, outside) = session.agree(program.speaks.then(outside).transpose())?;
    let (profile, voice) = outside.map_or((None, None), |(profile, voice)| (profile, Some(voice)));
    let request = AgeingRequest { profile, ..parsed.request.clone() };
    if session.mpi().is_none() {
        let advice = match parsed.remove {
            true => ". Continue with --remove.",
            false => ". Continue with --resume, or remove it with --remove.",
        };
        interrupt::watch(program.name, std::iter::once(request.dir.clone()), advice);
    }
    Ok(perform(program, session, voice, |part, line| {
        let speaks = part.comm.rank() == 0;
        let done = if parsed.remove {
            remove(part, &*storage, &request)
        } else {
            age(part, &*storage, &request, line)
        };
        match done {
            // Every rank gets the reason; rank 0 prints it.
            Err(halt) if halt.step == REJECTED && speaks => Ok(program.reject(&Usage(halt.why))),
            Err(halt) if halt.step == REJECTED => Ok(USAGE),
            done => done,
        }
    }))
}

/// Rejects a command line that a run rejects on any machine.
pub(crate) fn check(words: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    match options::<AgeArgs>("age", words)? {
        Some(args) if !args.print_profile => {
            MeantAgeing::read(args)?;
            start.check(Needs::Nothing)?;
            Ok(LineEffect::Runs)
        }
        _ => Ok(LineEffect::Prints),
    }
}

/// Rejects options after the directory that a job in a directory of its own would reject before it starts.
pub(crate) fn check_state(words: &[String]) -> Result<(), Usage> {
    match options::<AgeArgs>("age", &[&["DIR".to_owned()], words].concat())? {
        Some(args) => MeantAgeing::read(args)?.found_from_anywhere(),
        None => Err(Usage::new(PRINTS)),
    }
}

fn age(
    part: RankContext<'_>,
    storage: &dyn Storage,
    request: &AgeingRequest,
    mut line: Option<&mut LiveLine>,
) -> Result<u8, Halt> {
    let RankContext { comm, mut clock, records } = part;
    let mut rank = Rank::begin(comm, &mut clock, records, None, &clients::dirs(storage, [&request.dir]))?;
    if let Some(line) = &mut line {
        line.ranks = comm.size();
    }
    let observer = line.as_deref_mut().map(|line| line as &mut dyn EventObserver<ageing::AgeingProgress>);
    let outcome = ageing::run(&mut rank, storage, request, observer);
    if let Some(line) = line {
        line.clear();
    }
    let outcome = outcome?;
    let notices: String =
        rank.node_notices().iter().map(|reason| format!("assay: warning: {}\n", sentence(reason))).collect();
    let said = if comm.rank() == 0 { say(&(text::report(&outcome) + &notices)) } else { Ok(()) };
    comm.agree("print", said)?;
    Ok(DONE)
}

fn remove(part: RankContext<'_>, storage: &dyn Storage, request: &AgeingRequest) -> Result<u8, Halt> {
    let comm = part.comm;
    let removed = ageing::remove(comm, storage, &request.dir)?;
    if comm.rank() == 0 {
        for path in &removed.named {
            complain(&format!("age: {path}: not created by this program. It remains."));
        }
    }
    let said = if comm.rank() == 0 { say(&text::removed(&removed)) } else { Ok(()) };
    comm.agree("print", said)?;
    Ok(error_if(removed.foreign > 0))
}
