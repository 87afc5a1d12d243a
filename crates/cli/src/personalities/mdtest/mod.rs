//! `mdtest`: the classic command line and output, over the workload of that name.
//!
//! A run is parsed and checked completely before any rank begins.

mod dry_run;
mod own_text;
mod results;
mod tables;
mod text;
mod verbose;

#[cfg(test)]
mod parser_tests;
#[cfg(test)]
mod text_tests;

use std::path::PathBuf;

use command::MdtestOption;
use command::classic::{self, ClassicLine, ClassicOption, described, help_of_options};
use command::mdtest::{Edition, Output, Parsed, Request, operation_names};
use ranks::Halt;
use ranks::launcher::RankLaunch;
use storage::Storage;
use units::Usage;
use workloads::ior::PhaseStart;
use workloads::kit::board::Board;
use workloads::kit::observer::EventObserver;
use workloads::kit::payload::DataKey;
use workloads::mdtest::{self, MdtestEvent, names};

use super::LineEffect;
use super::classic::environment::Variables;
use super::classic::live::{Boards, LiveFiles, LiveView};
use super::classic::{
    data_key, header_dir, help_of_backends, help_of_variables, interrupt, notes_on_machine, random_seed,
};
use super::own_files::{self, check_writable};
use super::own_lines::print_note;
use super::perform::{RankContext, open_voice, perform};
use super::printer::{Printer, are_printed};
use super::program::StartedProgram;
use super::run_records::RunRecords;
use super::waiting;
use super::within::{RunWithin, agree};
use crate::session::{Needs, RankStart, Session};
use crate::status::{DONE, ERROR, error_if};
use text::MdtestText;

/// The directories of this many iterations are looked for after Ctrl-C.
const LOOKED_FOR: u32 = 1000;

/// The outputs that only rank 0 has.
struct MdtestPrinter {
    text: MdtestText,
    /// The file of `--progress`, until the live view takes it.
    live_files: LiveFiles,
    live: Option<LiveView>,
    /// The runs so far, one per number of ranks.
    tests: u32,
    ranks: u32,
    iteration: u32,
}

/// Forwards every event, and shows the phases in the live view.
impl EventObserver<MdtestEvent<'_>> for MdtestPrinter {
    fn event(&mut self, event: &MdtestEvent<'_>) {
        self.text.event(event);
        let Some(live) = &self.live else { return };
        match event {
            MdtestEvent::Ranks { ranks, .. } => {
                live.test(self.tests);
                (self.tests, self.ranks) = (self.tests + 1, *ranks);
            }
            MdtestEvent::Iteration(iteration) => self.iteration = *iteration,
            MdtestEvent::Begins { phase, items } => live.begins(PhaseStart {
                phase,
                repetition: self.iteration,
                transfers: *items,
                // Operations on files and directories have no bytes.
                transfer_bytes: 0,
                ranks: self.ranks,
                deadline: 0,
                least_seconds: 0,
            }),
            MdtestEvent::Ended(ended) => live.ended(ended.phase),
            _ => {}
        }
    }
}

/// A run that was checked, with its storage.
pub(super) struct ReadyMdtest {
    parsed: Parsed,
    storage: Box<dyn Storage>,
    /// What keys its data, once the secret is read.
    data_key: Option<DataKey>,
}

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives the
/// exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("mdtest", argv, |program| started(program, tokens, local))
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let typed = classic::parse::<Parsed>(tokens)?;
    if typed.help {
        program.print(&help());
        return Ok(DONE);
    }
    if typed.version {
        return Ok(program.print_version("mdtest", typed.output.edition.version()));
    }
    let (mut ready, session) = prepare(typed, program.launch.as_ref(), local)?;
    ready.parsed.taken.notes.extend(notes_on_machine(&ready.parsed.request.backend, &*ready.storage));
    if program.speaks {
        ready.parsed.taken.notes.iter().for_each(|note| print_note(&note.to_string()));
    }
    if ready.parsed.dry_run {
        return Ok(program.print_dry_run(session, |session| dry_run::text(&ready.parsed, session.size())));
    }
    waiting::records_in(ready.parsed.output.record.as_deref());
    let voice = if program.speaks { voice(&ready, program.argv).map(Some) } else { Ok(None) };
    let (session, voice) = session.agree(voice)?;
    if session.mpi().is_none() {
        interrupt::watch("mdtest", test_dirs(&ready.parsed.request), "");
    }
    let wants = voice.as_ref().is_some_and(|(_, voice)| !voice.live_files.is_empty());
    let boards = Boards::new(&session, wants);
    Ok(perform(program, session, voice, |part, voice| {
        let board = boards.row(part.comm)?;
        one_rank(&ready, part, board.as_ref().map(|(board, row)| (board, *row)), voice)
    }))
}

/// The whole help text, from the table that the parser uses.
fn help() -> String {
    let mut text = help_of_options::<MdtestOption>() + &help_of_backends(has_names);
    text.push_str("\n\nOptions of mdtest 1.9 that are still accepted\n");
    for retired in MdtestOption::retired() {
        let letter = retired.short.unwrap_or_default();
        let value = if retired.takes_value { "=VALUE" } else { "" };
        text.push_str(&described(&format!("-{letter}{value}"), &retired.about()));
    }
    text.push_str(&format!(
        "  Also -B without a number, and -RSEED.\n\n\
         Operations for --operations: {}.\n\
         Numbers take k, m, g, t, p in powers of 1024. Without -C, -T, -E, -U or -r all five are done.\n\
         Ranks are those of mpirun or srun; `assay -n RANKS mdtest ...` makes local ones, as threads.\n",
        operation_names().collect::<Vec<_>>().join(", ")
    ));
    text.push_str(&help_of_variables("1.9, 3.3 or 4.1"));
    text
}

/// Whether a backend has directories, which mdtest needs.
fn has_names(backend: &str) -> bool {
    Request { backend: backend.to_owned(), ..Request::default() }.check(1).is_ok()
}

/// Test directories that a run creates: the first of each iteration, for all ranks.
fn test_dirs(parameters: &Request) -> impl Iterator<Item = PathBuf> {
    let iterations = if parameters.create { parameters.iterations.min(LOOKED_FOR) } else { 0 };
    let dirs = 0..parameters.dirs.len() as u32;
    let all = (0..iterations).flat_map(move |iteration| dirs.clone().map(move |rank| (iteration, rank)));
    all.map(|(iteration, rank)| PathBuf::from(names::test_dir(parameters, rank, iteration, 0)))
}

/// Reads and checks everything. All ranks reject together. Ranks of a launcher meet first, because only rank
/// 0 reads the environment.
pub(super) fn prepare(
    typed: Parsed,
    launch: Option<&RankLaunch>,
    local: Option<u32>,
) -> Result<(ReadyMdtest, Session), Usage> {
    let read = || Variables::read(Variables::is_common);
    let Some(first) = launch.filter(|launch| launch.is_parallel()) else {
        // Wrong options are reported before a missing requirement, such as MPI.
        let start = RankStart { launched: None, local };
        let ready = ready(typed, &read(), start.ranks())?;
        start.check(Needs::Nothing)?;
        return Ok((complete(ready)?, Session::start(launch, local, Needs::Nothing)?));
    };
    let session = Session::start(launch, local, Needs::Nothing)?;
    let variables = if first.rank == 0 { read() } else { Variables::default() };
    let variables = variables.share(&session)?;
    let ranks = session.size();
    let (session, ready) = session.agree(ready(typed, &variables, ranks).and_then(complete))?;
    Ok((ready, session))
}

/// The same run with the secret of its key, from its file, and the library that its storage needs.
fn complete(mut ready: ReadyMdtest) -> Result<ReadyMdtest, Usage> {
    ready.storage.load()?;
    ready.data_key = data_key(&ready.parsed.request.key)?;
    Ok(ready)
}

/// Checks a run on `ranks` ranks by the rules that do not depend on the machine, and opens its storage.
fn ready(mut typed: Parsed, variables: &Variables, ranks: u32) -> Result<ReadyMdtest, Usage> {
    typed.output.plain = variables.is_plain()?;
    let given = variables.compat(Edition::parse)?;
    typed.edition = typed.edition.or(given);
    let mut parsed = typed.finished()?;
    let parameters = &mut parsed.request;
    parsed.taken.notes.extend(variables.apply(&mut parameters.nodes, &mut parameters.ranks_on_node0)?);
    parsed.request.check(ranks)?;
    let driver = storage::driver(&parsed.request.backend)?;
    let storage = (driver.open)(&parsed.request.settings)?;
    if storage.names().is_none() {
        let name = &parsed.request.backend;
        return Err(Usage(format!(
            "-a {name}: mdtest needs directories, which this backend lacks. Use -a POSIX."
        )));
    }
    own_files::check(&own_files::given([
        ("--record", parsed.output.record.as_deref()),
        ("--progress", parsed.output.progress.as_deref()),
        ("--saveRankPerformanceDetails", parsed.output.rank_csv.as_deref()),
        ("-x", parsed.request.status_file.as_deref()),
    ]))?;
    Ok(ReadyMdtest { parsed, storage, data_key: None })
}

/// Rank 0's printer and records. All its files are created now.
fn voice(ready: &ReadyMdtest, argv: &[String]) -> Result<(RunRecords, MdtestPrinter), Usage> {
    let Output { record, progress, plain, .. } = &ready.parsed.output;
    open_voice(record.as_deref(), None, progress.as_deref(), |live_files| {
        Ok(MdtestPrinter { live_files, ..printer(ready, argv, Printer::to_stdout(*plain))? })
    })
}

/// The printer of a run that writes to `to`. The other files of its output are created now.
fn printer(ready: &ReadyMdtest, argv: &[String], to: Printer) -> Result<MdtestPrinter, Usage> {
    let parsed = &ready.parsed;
    written_later(&parsed.request)?;
    let dir = parsed.request.dirs.first().map(String::as_str).unwrap_or_default();
    let space = ready.storage.space(header_dir(dir)).unwrap_or(None);
    let text = MdtestText::open(to, parsed, argv, space)?;
    let live_files = LiveFiles::default();
    Ok(MdtestPrinter { text, live_files, live: None, tests: 0, ranks: 0, iteration: 0 })
}

/// Runs `argv` on the ranks of another program, as [`RunWithin`] says, with the environment of rank 0.
pub(super) fn run_within(argv: &[String], variables: &Variables, within: RunWithin<'_>) -> Result<u8, Halt> {
    let RunWithin { part, to, .. } = within;
    let ready = classic::parse::<Parsed>(&argv[1..]).and_then(|typed| {
        let ready = ready(typed, variables, part.comm.size())?;
        complete(ready)
    });
    let ready = agree(part.comm, ready)?;
    let printer = to.map(|to| printer(&ready, argv, to)).transpose();
    let mut printer = agree(part.comm, printer)?;
    one_rank(&ready, part, None, printer.as_mut())
}

/// Rejects files that could not be written after hours of work. Rank 0 checks for all ranks.
fn written_later(parameters: &Request) -> Result<(), Usage> {
    let dirs = if parameters.create { &parameters.dirs[..] } else { &[] };
    let new_dirs: Vec<&str> = dirs.iter().map(String::as_str).collect();
    if let Some(path) = parameters.status_file.as_deref().filter(|_| parameters.stores_counts()) {
        check_writable("-x", path, &new_dirs)?;
    }
    match &parameters.operation_csv {
        Some(prefix) => {
            check_writable("--savePerOpDataCSV", &format!("{prefix}-File creation-00000.csv"), &new_dirs)
        }
        None => Ok(()),
    }
}

/// The part of one rank. Gives the exit status.
fn one_rank(
    ready: &ReadyMdtest,
    part: RankContext<'_>,
    rows: Option<(&Board, u32)>,
    mut voice: Option<&mut MdtestPrinter>,
) -> Result<u8, Halt> {
    let RankContext { comm, mut clock, records } = part;
    let seed = random_seed();
    if let Some(printer) = &mut voice {
        let files = std::mem::take(&mut printer.live_files);
        printer.live = rows.map(|(board, _)| LiveView::start(board.clone(), files, false));
    }
    let observer = &mut voice.as_deref_mut();
    let (parameters, key) = (&ready.parsed.request, ready.data_key);
    let warning = text::reads_nothing(&ready.parsed).then_some(text::NOTHING_READ);
    let done = mdtest::stop_at_warning(parameters, comm, warning).and_then(|()| {
        mdtest::run(parameters, &*ready.storage, comm, &mut clock, records, rows, observer, seed, key)
    });
    let mut exit = done.as_ref().map_or(ERROR, |summary| error_if(summary.wrong > 0 || summary.failed > 0));
    if let Some(printer) = voice {
        printer.live = None;
        if !are_printed("mdtest", printer.text.finish(done.is_ok())) {
            exit = ERROR;
        }
    }
    done.map(|_| exit)
}

/// Rejects a command line that a run rejects on any machine.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let typed = classic::parse::<Parsed>(tokens)?;
    if typed.help || typed.version {
        return Ok(LineEffect::Prints);
    }
    ready(typed, &Variables::default(), start.ranks())?;
    start.check(Needs::Nothing)?;
    Ok(LineEffect::Runs)
}
