//! `pfind`: a search by all ranks, with the options of the parallel find of IO500.

mod text;

use command::pfind::{PfindOptions, with_two_dashes};
use ranks::Halt;
use storage::Storage;
use units::Usage;
use workloads::kit::failed_call::words;
use workloads::kit::{clients, rank::Rank};
use workloads::pfind::{self, PfindParameters};

use super::LineEffect;
use super::perform::{RankContext, perform};
use super::printer::{Printer, are_printed};
use super::program::{StartedProgram, local_ranks, options_or_help, posix};
use super::within::{RunWithin, agree};
use crate::session::{Needs, RankStart, Session};
use crate::status::{DONE, error_if};
use text::PfindText;

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives
/// the exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("pfind", argv, |program| started(program, tokens, local))
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let Some(options) = program.options_after_help(parse(tokens)?) else { return Ok(DONE) };
    let local = local_ranks(local, options.ranks)?;
    let session = Session::start(program.launch.as_ref(), local, Needs::Nothing)?;
    let speaks = program.launch.as_ref().is_none_or(|launch| launch.rank == 0);
    let (session, ready) = session.agree(ready(&options, speaks))?;
    let (session, kept) = session.agree(program.records(options.record.as_deref()))?;
    program.note_preloaded();
    let text = PfindText::new(Printer::to_stdout(false), &options, &ready.parameters);
    let voice = kept.map(|kept| (kept, text));
    Ok(perform(program, session, voice, |part, text| one_rank(&ready, part, text)))
}

/// Runs `argv` on the ranks of another program, as [`RunWithin`] says.
pub(super) fn run_within(argv: &[String], within: RunWithin<'_>) -> Result<u8, Halt> {
    let RunWithin { part, to, .. } = within;
    let options = parse(&argv[1..]).and_then(|options| options.map_err(|_| Usage::new(super::PRINTS)));
    let ready = options.and_then(|options| Ok((ready(&options, part.comm.rank() == 0)?, options)));
    let (ready, mut options) = agree(part.comm, ready)?;
    options.per_rank = true;
    let mut text = to.map(|to| PfindText::new(to, &options, &ready.parameters));
    one_rank(&ready, part, text.as_mut())
}

/// The options, or the help text to print instead.
fn parse(tokens: &[String]) -> Result<Result<PfindOptions, String>, Usage> {
    options_or_help("pfind", with_two_dashes(tokens), "no directory is given. Give the root of a tree")
}

/// A run that was checked.
struct ReadyPfind {
    parameters: PfindParameters,
    storage: Box<dyn Storage>,
}

/// Rejects a command line that a run rejects on any machine. It does not read the directory.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let Ok(options) = parse(tokens)? else { return Ok(LineEffect::Prints) };
    let start = RankStart { local: local_ranks(start.local, options.ranks)?, ..start };
    start.check(Needs::Nothing)?;
    Ok(LineEffect::Runs)
}

/// Checks what can be known before the run. The process of rank 0 `looks` at the directory.
fn ready(options: &PfindOptions, looks: bool) -> Result<ReadyPfind, Usage> {
    let parameters = PfindParameters {
        dir: options.dir.clone().unwrap_or_default(),
        newer: options.newer.clone(),
        bytes: options.size,
        name: options.name.clone(),
        queue: options.queue as usize,
        asks_previous: options.next,
        cold: options.cold,
        keep_going: options.keep_going,
        ..PfindParameters::default()
    };
    if looks {
        let dir = parameters.dir.display();
        match parameters.dir.symlink_metadata() {
            Err(error) => {
                return Err(Usage(format!("{dir}: {}. Choose an existing directory.", words(&error))));
            }
            Ok(found) if found.is_symlink() => {
                return Err(Usage(format!("{dir}: a link, which is not followed. Put a slash after it.")));
            }
            Ok(found) if !found.is_dir() => {
                return Err(Usage(format!("{dir}: not a directory. Choose the root of a tree.")));
            }
            Ok(_) => {}
        }
    }
    Ok(ReadyPfind { parameters, storage: posix()? })
}

/// The part of each rank.
fn one_rank(ready: &ReadyPfind, part: RankContext<'_>, mut text: Option<&mut PfindText>) -> Result<u8, Halt> {
    let RankContext { comm, mut clock, records } = part;
    let dirs = clients::dirs(&*ready.storage, std::slice::from_ref(&ready.parameters.dir));
    let mut rank = Rank::begin(comm, &mut clock, records, None, &dirs)?;
    let observer = &mut text.as_deref_mut();
    let done = pfind::run(&ready.parameters, &*ready.storage, &mut rank, observer);
    let printed = text.map_or(Ok(()), PfindText::finish);
    let good = done?;
    Ok(error_if(!are_printed("pfind", printed) || !good))
}
