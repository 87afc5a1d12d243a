//! `ior`: the classic command line and output, over the workload of that name.
//!
//! A run is parsed and checked completely before its first test begins.

mod csv;
mod dry_run;
mod environment;
mod files;
mod flow;
mod json;
mod output;
mod own_text;
mod script;
mod shown;
mod streams;
mod text;
mod value;

#[cfg(test)]
mod parser_tests;

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use command::IorOption;
use command::classic::{self, ClassicOption, described, help_of_options};
use command::ior::Parsed;
use ranks::launcher::RankLaunch;
use storage::Storage;
use units::Usage;
use workloads::kit::payload::DataKey;

use super::LineEffect;
use super::classic::{data_key, help_of_backends, help_of_variables, notes_on_machine};
use super::own_lines::print_note;
use super::program::StartedProgram;
use super::waiting;
use crate::session::{Needs, RankStart, Session};
use crate::status::DONE;
pub(super) use environment::Outside;
use flow::{IorPrinter, run_tests};
pub(super) use flow::{remove_file, run_within};
use script::ScriptTest;

/// A test that was checked, with its storage.
pub(crate) struct ReadyTest {
    pub(crate) parsed: Parsed,
    /// `file:line: ` for a script, empty for the command line.
    pub(crate) at: String,
    pub(crate) storage: Box<dyn Storage>,
    /// Number of ranks in the test.
    pub(crate) ranks: u32,
    /// How long a collective call on a file may last.
    pub(crate) call_limit: Duration,
    /// What keys its data, once the secret is read.
    pub(crate) data_key: Option<DataKey>,
}

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives
/// the exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("ior", argv, |program| started(program, tokens, local))
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let typed = classic::parse::<Parsed>(tokens)?;
    if typed.help {
        program.print(&help());
        return Ok(DONE);
    }
    if prints_version(&typed, tokens) {
        return Ok(program.print_version("IOR", typed.output.edition().version()));
    }
    let (mut tests, session) = prepare(typed, program.launch.as_ref(), local)?;
    for test in &mut tests {
        test.parsed.taken.notes.extend(notes_on_machine(&test.parsed.request.backend, &*test.storage));
    }
    let dry_run = tests[0].parsed.request.dry_run;
    let is_data = tests[tests.len() - 1].parsed.output.is_data_on_stdout();
    // JSON has the notes. Standard error often goes to the same file, which must stay valid.
    if program.speaks && (dry_run || !is_data) {
        print_notes(tests.iter().flat_map(|test| &test.parsed.taken.notes).map(ToString::to_string));
    }
    if dry_run {
        if program.speaks {
            print_notes(tests.iter().flat_map(|test| test.parsed.warnings.clone()));
        }
        return Ok(program.print_dry_run(session, |_| Ok(dry_run::text(&tests))));
    }
    let standard = session.mpi_standard();
    let (session, ()) = session.agree(load(&mut tests, standard))?;
    waiting::records_in(tests[tests.len() - 1].parsed.output.record.as_deref());
    let voice = if program.speaks { IorPrinter::new(program.argv, &tests).map(Some) } else { Ok(None) };
    let (session, voice) = session.agree(voice)?;
    if session.mpi().is_none() {
        files::watch(&tests);
    }
    Ok(run_tests(program, &tests, session, voice))
}

/// Whether only the version is printed. Most programs print it for a single -V. With other options that is a
/// file view, as in IOR 3.
fn prints_version(typed: &Parsed, tokens: &[String]) -> bool {
    typed.version || tokens.iter().map(String::as_str).eq(["-V"])
}

/// The whole help text, from the table that the parser uses.
fn help() -> String {
    let mut text = help_of_options::<IorOption>() + &help_of_backends(|_| true);
    text.push_str("\n\nRetired options that are still accepted\n");
    for retired in IorOption::retired() {
        let letter = retired.short.map(|letter| format!("-{letter}, ")).unwrap_or_default();
        let directive = retired.directive.unwrap_or_default();
        let value = if retired.takes_value { "=VALUE" } else { "" };
        text.push_str(&described(&format!("{letter}-O {directive}{value}"), &retired.about()));
    }
    text.push_str(
        "\nNames in brackets are directives, for -O name=value,name=value and for the lines of scripts.\n\
         Sizes take k, m, g, t, p in powers of 1024. Without -w, -r, -W, -R or --rwmix a\n\
         test writes and reads.\n\
         Ranks are those of mpirun or srun; `assay -n RANKS ior ...` makes local ones, as threads.\n",
    );
    text.push_str(&help_of_variables("3.3 or 4.1"));
    text
}

/// Reads and checks everything. All ranks reject together. Ranks of a launcher meet first, because only rank
/// 0 reads the inputs from outside the command line.
pub(super) fn prepare(
    typed: Parsed,
    launch: Option<&RankLaunch>,
    local: Option<u32>,
) -> Result<(Vec<ReadyTest>, Session), Usage> {
    let named = typed.script.clone();
    let Some(first) = launch.filter(|launch| launch.is_parallel()) else {
        let outside = Outside::read(typed.script.as_deref())?;
        let tests = script::tests(typed, outside.script.as_deref())?;
        // Wrong options are reported before a missing requirement, such as MPI.
        let start = RankStart { launched: None, local };
        let (ready, needs) = checked(tests, &outside, named.as_deref(), start)?;
        let ready = ready.into_iter().map(fit_here).collect::<Result<_, _>>()?;
        return Ok((ready, Session::start(launch, local, needs)?));
    };
    let session = Session::start(launch, local, Needs::Nothing)?;
    let script = typed.script.as_deref();
    let outside = if first.rank == 0 { Outside::read(script) } else { Ok(Outside::default()) };
    let (session, outside) = session.agree(outside)?;
    let outside = outside.share(&session)?;
    let tests = script::tests(typed, outside.script.as_deref());
    let ranks = session.size();
    let (session, ready) = session.agree(tests.and_then(|tests| {
        let ready = all_ready(tests, &outside, ranks)?;
        // Other ranks may see other disks.
        if first.rank == 0 {
            files::check(&ready, named.as_deref())?;
        }
        ready.into_iter().map(fit_here).collect()
    }))?;
    Ok((ready, session))
}

/// The tests, and what they need, after all rules that do not depend on the machine. `script` is the file of
/// the tests.
fn checked(
    tests: Vec<ScriptTest>,
    outside: &Outside,
    script: Option<&str>,
    start: RankStart,
) -> Result<(Vec<ReadyTest>, Needs), Usage> {
    let ready = all_ready(tests, outside, start.ranks())?;
    files::check(&ready, script)?;
    let all = || ready.iter().map(|test| needs(&test.parsed));
    let library = all().find(|needs| matches!(needs, Needs::Library(_)));
    let needs = library.or_else(|| all().find(|needs| matches!(needs, Needs::Mpi)));
    let needs = needs.unwrap_or(Needs::Nothing);
    start.check(needs)?;
    Ok((ready, needs))
}

/// The test of `argv` on `ranks` ranks of another program. `standard` is the version of MPI.
fn ready_within(
    argv: &[String],
    outside: &Outside,
    ranks: u32,
    standard: Option<(i32, i32)>,
) -> Result<Vec<ReadyTest>, Usage> {
    let tests = script::tests(classic::parse::<Parsed>(&argv[1..])?, None)?;
    let ready = all_ready(tests, outside, ranks)?;
    files::check(&ready, None)?;
    let mut ready: Vec<ReadyTest> = ready.into_iter().map(fit_here).collect::<Result<_, _>>()?;
    load(&mut ready, standard)?;
    Ok(ready)
}

/// Checks all tests. All or none must be dry, so that a user need not find out which of them wrote.
fn all_ready(tests: Vec<ScriptTest>, outside: &Outside, ranks: u32) -> Result<Vec<ReadyTest>, Usage> {
    let tests: Vec<_> =
        tests.into_iter().map(|test| ready(test, outside, ranks)).collect::<Result<_, _>>()?;
    let dry = |test: &ReadyTest| test.parsed.request.dry_run;
    match tests.iter().position(|test| dry(test) != dry(&tests[0])) {
        None => Ok(tests),
        Some(other) => Err(Usage(format!(
            "--dryRun differs between the tests 0 and {other} of the script. Give it on the command line."
        ))),
    }
}

fn needs(parsed: &Parsed) -> Needs {
    Needs::of_backend(&parsed.request.backend).unwrap_or(Needs::Nothing)
}

/// Bytes of a transfer in the queue that is opened only for a check.
const QUEUE_PROBE: usize = 8;

/// Checks a test on `ranks` ranks by the rules that do not depend on the machine, and opens its storage.
fn ready(test: ScriptTest, outside: &Outside, ranks: u32) -> Result<ReadyTest, Usage> {
    let ScriptTest { mut parsed, at } = test;
    let placed = |usage| placed(&at, usage);
    parsed.taken.notes.extend(outside.apply(&mut parsed.request)?);
    outside.apply_to_look(&mut parsed.output)?;
    let wanted = parsed.request.ranks.unwrap_or(ranks);
    if wanted > ranks {
        let why = format!("More tasks requested ({wanted}) than available ({ranks}),");
        parsed.warnings.insert(0, format!("{why}\n         running with {ranks} tasks.\n"));
    }
    let ranks = wanted.min(ranks);
    parsed.request.check(ranks).map_err(placed)?;
    let driver = storage::driver(&parsed.request.backend).map_err(placed)?;
    let call_limit = outside.call_limit()?;
    let storage = (driver.open)(&parsed.request.settings.without_files()).map_err(placed)?;
    let possible = storage.check_queue(parsed.request.depth, parsed.request.transfer);
    possible.map_err(|error| placed(of_queue(&parsed, &error)))?;
    Ok(ReadyTest { parsed, at, storage, ranks, call_limit, data_key: None })
}

/// The same test, after it was compared with this machine: its directories, its files of hints and keys, and
/// what the kernel allows. Nothing is touched.
fn fit_here(mut test: ReadyTest) -> Result<ReadyTest, Usage> {
    let at = std::mem::take(&mut test.at);
    let placed = |usage| placed(&at, usage);
    let (parsed, parameters) = (&test.parsed, &test.parsed.request);
    files::check_logs(parameters).map_err(placed)?;
    test.data_key = data_key(&parameters.key).map_err(placed)?;
    test.storage = (storage::driver(&parameters.backend)?.open)(&parameters.settings).map_err(placed)?;
    // Detects what the system does not allow before the first file is removed.
    let queue = test.storage.queue(parameters.depth, QUEUE_PROBE);
    queue.map_err(|error| placed(of_queue(parsed, &error)))?;
    Ok(test)
}

/// A rejection with the place of its test.
fn placed(at: &str, usage: Usage) -> Usage {
    Usage(format!("{at}{usage}"))
}

fn of_queue(parsed: &Parsed, error: &io::Error) -> Usage {
    Usage(format!("-a {}: {error}", parsed.request.backend))
}

/// Loads the libraries that the tests need. No file was touched yet. `standard` is the version of MPI.
fn load(tests: &mut [ReadyTest], standard: Option<(i32, i32)>) -> Result<(), Usage> {
    tests.iter_mut().try_for_each(|test| {
        test.storage.load()?;
        test.parsed.output.api_version = match (needs(&test.parsed), standard) {
            (Needs::Mpi, Some((version, subversion))) => format!("({version}.{subversion})"),
            _ => test.storage.version(),
        };
        Ok(())
    })
}

/// Prints each note once.
fn print_notes(notes: impl Iterator<Item = String>) {
    let mut printed = HashSet::new();
    for note in notes {
        if printed.insert(note.clone()) {
            print_note(&note);
        }
    }
}

/// Rejects a command line that a run rejects on any machine. The options in a script are not checked.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let typed = classic::parse::<Parsed>(tokens)?;
    if typed.help || prints_version(&typed, tokens) {
        return Ok(LineEffect::Prints);
    }
    if typed.script.is_none() {
        let outside = Outside::default();
        checked(script::tests(typed, None)?, &outside, None, start)?;
    }
    Ok(LineEffect::Runs)
}

/// Rejects a command line that passes [`check`], but that this machine cannot run.
pub(crate) fn check_here(tokens: &[String], start: RankStart) -> Result<(), Usage> {
    let typed = classic::parse::<Parsed>(tokens)?;
    let (ready, _) = checked(script::tests(typed, None)?, &Outside::default(), None, start)?;
    ready.into_iter().try_for_each(|test| fit_here(test).map(drop))
}
