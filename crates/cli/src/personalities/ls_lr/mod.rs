//! `ls-lr`: many `ls -lR` at the same time. No classic program has this name; the options are assay's own.

mod options;
mod text;
mod trees;

use command::ls_lr::LsLrOptions;
use ranks::Halt;
use storage::Storage;
use units::Usage;
use workloads::kit::{clients, rank::Rank};
use workloads::ls_lr::{self, LsLrParameters};

use super::LineEffect;
use super::classic::interrupt;
use super::perform::{RankContext, perform};
use super::printer::are_printed;
use super::program::{StartedProgram, local_ranks, posix};
use crate::session::{Needs, RankStart, Session};
use crate::status::{DONE, error_if};
use text::LsLrText;

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives
/// the exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("ls-lr", argv, |program| started(program, tokens, local))
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let Some(options) = program.options_after_help(options::parse(tokens)?) else { return Ok(DONE) };
    let local = local_ranks(local, options.ranks)?;
    let session = Session::start(program.launch.as_ref(), local, Needs::Nothing)?;
    let mine = program.launch.as_ref().filter(|_| session.mpi().is_some()).map(|launch| launch.rank);
    let ready = ready(&options, session.size(), mine);
    let (session, ready) = session.agree(ready)?;
    let (session, kept) = session.agree(program.records(options.record.as_deref()))?;
    if session.mpi().is_none() {
        watch(program.name, &ready.parameters, session.size());
    }
    program.note_preloaded();
    let text = LsLrText::new(&ready.parameters, session.size(), options.verbose);
    let voice = kept.map(|kept| (kept, text));
    Ok(perform(program, session, voice, |part, text| one_rank(&ready, part, text)))
}

/// Installs the report for Ctrl-C: trees that are being made or removed are left in part.
fn watch(program: &'static str, parameters: &LsLrParameters, ranks: u32) {
    let trees = if parameters.make || parameters.remove { 0..ranks } else { 0..0 };
    let trees = trees.map(|tree| parameters.tree(tree));
    let advice = match parameters.make {
        true => ". Continue with --make, or remove it with --remove.",
        false => ". Continue with --remove.",
    };
    interrupt::watch(program, trees, advice);
}

/// A run that was checked.
struct ReadyLsLr {
    parameters: LsLrParameters,
    storage: Box<dyn Storage>,
}

/// Rejects a command line that a run rejects on any machine. It does not read the directory of the trees.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let Ok(options) = options::parse(tokens)? else { return Ok(LineEffect::Prints) };
    let start = RankStart { local: local_ranks(start.local, options.ranks)?, ..start };
    start.check(Needs::Nothing)?;
    options::parameters(&options, start.ranks(), |_| true)?;
    Ok(LineEffect::Runs)
}

/// Checks everything that can be known before the run. `mine` is the rank of this process if it has only one;
/// it checks only its own trees.
fn ready(options: &LsLrOptions, ranks: u32, mine: Option<u32>) -> Result<ReadyLsLr, Usage> {
    let parameters = options::parameters(options, ranks, |tree| options::holds(options, tree))?;
    match mine {
        None => (0..ranks).try_for_each(|tree| trees::check(&parameters, tree))?,
        Some(rank) => trees::check(&parameters, parameters.walked_by(rank, ranks))?,
    }
    if mine.unwrap_or(0) == 0 {
        trees::apart(&parameters, ranks)?;
    }
    Ok(ReadyLsLr { parameters, storage: posix()? })
}

/// The part of each rank.
fn one_rank(ready: &ReadyLsLr, part: RankContext<'_>, mut text: Option<&mut LsLrText>) -> Result<u8, Halt> {
    let RankContext { comm, mut clock, records } = part;
    let dirs = clients::dirs(&*ready.storage, ready.parameters.dirs());
    let mut rank = Rank::begin(comm, &mut clock, records, None, &dirs)?;
    let observer = &mut text.as_deref_mut();
    let done = ls_lr::run(&ready.parameters, &*ready.storage, &mut rank, observer);
    let printed = text.map_or(Ok(()), LsLrText::finish);
    let good = done?;
    Ok(error_if(!are_printed("ls-lr", printed) || !good))
}
