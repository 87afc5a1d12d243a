//! `md-workbench`: the classic command line and output, over the workload of that name.
//!
//! A run is parsed and checked completely before any rank begins.

mod text;

use std::path::PathBuf;

use command::MdWorkbenchOption;
use command::classic::{self, ClassicLine, OptionNote, help_of_options};
use command::md_workbench::{Output, Parsed, Request};
use ranks::Halt;
use storage::Storage;
use units::Usage;
use workloads::md_workbench::{self, ObjectCall, WorkbenchStep};

use super::LineEffect;
use super::classic::{help_of_backends, interrupt, notes_on_machine, random_seed};
use super::own_files::{self, check_writable};
use super::own_lines::print_note;
use super::perform::{RankContext, perform};
use super::printer::{Printer, are_printed};
use super::program::StartedProgram;
use super::within::{RunWithin, agree};
use crate::session::{Needs, RankStart, Session};
use crate::status::{DONE, error_if};
use text::{MdWorkbenchText, VERSION};

/// A run that was checked, with its storage.
struct ReadyMdWorkbench {
    parameters: Request,
    storage: Box<dyn Storage>,
}

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives the
/// exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("md-workbench", argv, |program| started(program, tokens, local))
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let begun = measure::unix_seconds();
    let typed = classic::parse::<Parsed>(tokens)?;
    if typed.help {
        program.print(&help());
        return Ok(DONE);
    }
    if typed.version {
        return Ok(program.print_version("MD-Workbench", VERSION));
    }
    let (look, record) = (typed.output, typed.record.clone());
    let (ready, mut notes) = ready(typed)?;
    notes.extend(notes_on_machine(&ready.parameters.backend, &*ready.storage));
    let session = Session::start(program.launch.as_ref(), local, Needs::Nothing)?;
    let (session, plain) = session.agree(ready.storage.load().and_then(|()| program.is_plain()))?;
    let look = Output { plain, ..look };
    if program.speaks {
        notes.iter().for_each(|note| print_note(&note.to_string()));
    }
    let kept = if program.speaks { written_later(&ready.parameters) } else { Ok(()) };
    let (session, kept) = session.agree(kept.and_then(|()| program.records(record.as_deref())))?;
    if session.mpi().is_none() && ready.parameters.precreate {
        interrupt::watch(program.name, [PathBuf::from(&ready.parameters.dir)].into_iter(), "");
    }
    let printer = Printer::to_stdout(plain);
    let text =
        |kept| (kept, MdWorkbenchText::new(printer, ready.parameters.clone(), look, program.argv, begun));
    Ok(perform(program, session, kept.map(text), |part, voice| one_rank(&ready, part, voice)))
}

/// Runs `argv` on the ranks of another program, as [`RunWithin`] says.
pub(super) fn run_within(argv: &[String], within: RunWithin<'_>) -> Result<u8, Halt> {
    let RunWithin { part, to, .. } = within;
    let begun = measure::unix_seconds();
    let typed = classic::parse::<Parsed>(&argv[1..]);
    let look = typed.as_ref().map(|typed| typed.output).unwrap_or_default();
    let ready = agree(part.comm, typed.and_then(ready))?.0;
    let mut text = to.map(|to| MdWorkbenchText::new(to, ready.parameters.clone(), look, argv, begun));
    one_rank(&ready, part, text.as_mut())
}

/// Checks a run and opens its storage. Gives the notes for the user, too.
fn ready(typed: Parsed) -> Result<(ReadyMdWorkbench, Vec<OptionNote>), Usage> {
    let Parsed { request: parameters, record, taken, .. } = typed.finished()?;
    let storage = (storage::driver(&parameters.backend)?.open)(&parameters.settings)?;
    let has_info = !(parameters.precreate && parameters.cleanup);
    let run_info = has_info.then_some(parameters.run_info.as_str());
    own_files::check(&own_files::given([("--record", record.as_deref()), ("--run-info-file", run_info)]))?;
    Ok((ReadyMdWorkbench { parameters, storage }, taken.notes))
}

/// Rejects files that could not be written after the work. Of the files of `-L` the first one is checked.
fn written_later(parameters: &Request) -> Result<(), Usage> {
    let new_dirs: &[&str] = if parameters.precreate { &[&parameters.dir] } else { &[] };
    if !parameters.cleanup {
        check_writable("--run-info-file", &parameters.run_info, new_dirs)?;
    }
    let Some(prefix) = &parameters.latency else { return Ok(()) };
    let name = match parameters {
        Request { precreate: true, .. } => WorkbenchStep::Precreate.name(),
        Request { benchmark: true, .. } => ObjectCall::Read.name(),
        _ => WorkbenchStep::Cleanup.name(),
    };
    let all = if parameters.latency_all { "-all" } else { "" };
    check_writable("-L", &format!("{prefix}-{:.2}-0-{name}{all}.csv", parameters.waiting), new_dirs)
}

/// The whole help text, from the table that the parser uses.
fn help() -> String {
    let mut text = help_of_options::<MdWorkbenchOption>() + &help_of_backends(has_names);
    text.push_str(
        "\n\nNumbers take k, m, g, t, p in powers of 1024. Without -1, -2 or -3 all three phases are done.\n\
         Ranks are those of mpirun or srun; `assay -n RANKS md-workbench ...` makes local ones, as \
         threads.\n",
    );
    text
}

/// Whether a backend has directories.
fn has_names(backend: &str) -> bool {
    let backend = backend.to_owned();
    Request { backend, ..Request::default() }.check().is_ok()
}

/// The part of one rank. Gives the exit status.
fn one_rank(
    ready: &ReadyMdWorkbench,
    part: RankContext<'_>,
    mut voice: Option<&mut MdWorkbenchText>,
) -> Result<u8, Halt> {
    let RankContext { comm, mut clock, records } = part;
    let seed = random_seed();
    let observer = &mut voice.as_deref_mut();
    let ReadyMdWorkbench { parameters, storage } = ready;
    let done = md_workbench::run(parameters, &**storage, comm, &mut clock, records, observer, seed);
    let is_printed = are_printed("md-workbench", voice.map_or(Ok(()), MdWorkbenchText::finish));
    Ok(error_if(done?.errors > 0 || !is_printed))
}

/// Rejects a command line that a run rejects on any machine.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let typed = classic::parse::<Parsed>(tokens)?;
    if typed.help || typed.version {
        return Ok(LineEffect::Prints);
    }
    ready(typed)?;
    start.check(Needs::Nothing)?;
    Ok(LineEffect::Runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_with_options_that_the_backend_rejects_is_rejected() {
        let tokens = ["-a", "AIO", "--aio.max-pending=0"].map(str::to_owned);
        assert_eq!(
            check(&tokens, RankStart::default()).unwrap_err().0,
            "--aio.max-pending=0: give at least 8"
        );
    }
}
