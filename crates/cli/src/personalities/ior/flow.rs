//! Runs the tests of a run one after the other on their ranks.
//!
//! A test that fails ends the run. The tests before it keep their results.
//!
//! Invariant: all ranks begin and end each test together, also ranks outside the test.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::Ordering;

use command::ior::Output;
use measure::CycleClock;
use ranks::{Comm, Halt, Reduce};
use report::sentences::sentence;
use results::records::Sink;
use storage::{Space, StorageLibrary};
use units::{Usage, visible};
use workloads::ior::{self, IorContext, IorEvent, IorListener, first_path};
use workloads::kit::board::Board;
use workloads::kit::observer::EventObserver;

use super::output::IorOutput;
use super::streams::Streams;
use super::{Outside, ReadyTest, files, ready_within, text};
use crate::personalities::classic::live::{Boards, LiveFiles, LiveView};
use crate::personalities::classic::{header_dir, random_seed};
use crate::personalities::own_lines::print_note;
use crate::personalities::perform::{RankContext, open_voice, perform_unless};
use crate::personalities::printer::Printer;
use crate::personalities::program::StartedProgram;
use crate::personalities::run_records::RunRecords;
use crate::personalities::stuck::{self, RankStanding};
use crate::personalities::within::{RunWithin, agree};
use crate::session::Session;
use crate::speech::complain;
use crate::status::{DONE, ERROR, error_if};

/// The outputs that only rank 0 has. A thread of rank 0 takes them.
pub(crate) struct IorPrinter {
    output: IorOutput,
    /// The files of `--live` and `--progress`, until the live view takes them.
    live_files: LiveFiles,
    live_path: Option<String>,
    live: Option<LiveView>,
}

/// The board of one process, and the row of each of its ranks.
type BoardRows<'a> = Option<(&'a Board, u32)>;

/// Runs the tests, at least one, and gives the exit status.
pub(crate) fn run_tests(
    program: &StartedProgram<'_>,
    tests: &[ReadyTest],
    session: Session,
    voice: Option<(RunRecords, IorPrinter)>,
) -> u8 {
    let wants =
        voice.as_ref().is_some_and(|(_, voice)| !voice.live_files.is_empty() || io::stderr().is_terminal());
    let boards = Boards::new(&session, wants);
    let rank = session.rank();
    let body = |part: RankContext<'_>, voice: Option<&mut IorPrinter>| {
        let board = boards.row(part.comm)?;
        let rows = board.as_ref().map(|(board, row)| (board, *row));
        let Some(voice) = voice else { return all_tests(tests, part, rows, None) };
        voice.begin(rows, tests);
        let done = all_tests(tests, part, rows, Some(voice));
        voice.end(done, program)
    };
    let ranks = tests.iter().map(|test| test.ranks).max().unwrap_or(0);
    watched(tests, rank, || perform_unless(program, ranks, session, &|| have_abandoned(tests), voice, body))
}

/// Runs `argv` on the ranks of another program, as [`RunWithin`] says, with the environment of rank 0.
pub(crate) fn run_within(argv: &[String], outside: &Outside, within: RunWithin<'_>) -> Result<u8, Halt> {
    let RunWithin { host, part, to } = within;
    let comm = part.comm;
    let tests = agree(comm, ready_within(argv, outside, comm.size(), host.standard))?;
    let printer = to.map(|to| IorPrinter::within(argv, &tests, to)).transpose();
    let mut printer = agree(comm, printer)?;
    if let Some(printer) = &mut printer {
        printer.begin(None, &tests);
    }
    let done = watched(&tests, comm.rank(), || all_tests(&tests, part, None, printer.as_mut()));
    host.abandoned.fetch_or(have_abandoned(&tests), Ordering::Relaxed);
    match printer {
        Some(mut printer) => printer.end(done, host.program),
        None => done,
    }
}

/// Removes the file of this rank, or the file of all ranks on rank 0, after [`run_within`] with `argv`. With
/// directories of their own, these are removed, too.
pub(crate) fn remove_file(argv: &[String], outside: &Outside, comm: &dyn Comm) {
    let Ok(tests) = ready_within(argv, outside, comm.size(), None) else { return };
    let ReadyTest { parsed, storage, .. } = &tests[0];
    if parsed.request.file_per_rank || comm.rank() == 0 {
        let path = first_path(&parsed.request, comm.rank());
        // What cannot be removed is named at the end.
        let _ = storage.remove(Path::new(&path));
        if parsed.request.unique_dir {
            let _ = Path::new(&path).parent().map(std::fs::remove_dir);
        }
    }
}

/// Whether a library cannot be left in order.
fn have_abandoned(tests: &[ReadyTest]) -> bool {
    tests.iter().any(|test| test.storage.library().is_some_and(StorageLibrary::has_abandoned))
}

/// Ends this process if a collective call of `body` on a file of the tests does not end.
fn watched<T>(tests: &[ReadyTest], rank: u32, body: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let standing = || RankStanding {
            inside: tests.iter().find_map(|test| test.storage.library()?.inside()),
            stuck: tests.iter().find_map(|test| test.storage.library()?.stuck()),
        };
        let together = tests.iter().find(|test| test.parsed.request.abilities().collective);
        let _watch = together.map(|test| stuck::watch(scope, "ior", rank, test.call_limit, standing));
        body()
    })
}

/// The part of each rank: all tests up to the first that fails. Gives the exit status.
fn all_tests(
    tests: &[ReadyTest],
    part: RankContext<'_>,
    rows: BoardRows<'_>,
    mut voice: Option<&mut IorPrinter>,
) -> Result<u8, Halt> {
    let RankContext { comm, clock, records } = part;
    let mut status = DONE;
    for test in tests {
        let takes_part = comm.rank() < test.ranks;
        // A split takes MPI seconds if there are many more ranks than processors.
        let fewer = test.ranks < comm.size();
        let some = if fewer { Some(comm.split(u32::from(!takes_part))?) } else { None };
        let takers = some.as_deref().unwrap_or(comm);
        if let Some(printer) = &mut voice {
            printer.output.test(&test.parsed, space(test));
        }
        let outcome = match takes_part {
            true => one_test(test, takers, &clock, rows, records, &mut voice.as_deref_mut()),
            false => Ok(0),
        };
        if let (Some(printer), Ok(_)) = (&mut voice, &outcome) {
            printer.output.end_test();
        }
        // Ranks outside the test learn its outcome here.
        let failed = comm.reduce_one(outcome.is_err().into(), Reduce::Max)?;
        // Rank 0 reports the failure; the other ranks only end with it.
        match outcome {
            Err(halt) if comm.rank() == 0 => return Err(halt),
            Ok(bad) if failed == 0 => status = status.max(error_if(bad > 0)),
            _ => return Ok(ERROR),
        }
    }
    Ok(status)
}

/// The part of one rank in one test. Gives the number of transfers with wrong data.
fn one_test(
    test: &ReadyTest,
    comm: &dyn Comm,
    clock: &CycleClock,
    rows: BoardRows<'_>,
    records: &mut dyn Sink,
    observer: &mut IorListener<'_>,
) -> Result<u64, Halt> {
    let mut clock = clock.clone();
    let seed = random_seed();
    let offset = comm.clock_offset(&|| measure::Clock::ns(&clock))?;
    let warning = test.parsed.warnings.first();
    let warning = warning.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut cx = IorContext {
        clock: &mut clock,
        offset,
        records,
        observer,
        board: rows,
        seed,
        warning,
        sentence,
        data_key: test.data_key,
    };
    ior::run(&test.parsed.request, &*test.storage, comm, &mut cx).map(|summary| summary.bad_transfers)
}

/// The space of the test's file system. Zero in all fields if the backend reports none, as in the classic
/// program.
fn space(test: &ReadyTest) -> Option<Space> {
    let parameters = &test.parsed.request;
    let path = first_path(parameters, 0);
    let dir = header_dir(&path);
    // With `-u` the rank's own directory does not exist yet.
    let dir = if parameters.unique_dir && !dir.exists() { dir.parent().unwrap_or(dir) } else { dir };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    test.storage.space(dir).ok().map(Option::unwrap_or_default)
}

impl IorPrinter {
    /// Opens all outputs of a run, as its last test requests.
    pub(crate) fn new(argv: &[String], tests: &[ReadyTest]) -> Result<(RunRecords, Self), Usage> {
        files::check_status_files(tests)?;
        let parsed = &tests[tests.len() - 1].parsed;
        let Output { record, live, progress, .. } = &parsed.output;
        open_voice(record.as_deref(), live.as_deref(), progress.as_deref(), |live_files| {
            let output = IorOutput::open(Streams::open(&parsed.output)?, &parsed.output, argv)?;
            Ok(Self { output, live_files, live_path: live.clone(), live: None })
        })
    }

    /// All outputs of a run within another program in `to`.
    fn within(argv: &[String], tests: &[ReadyTest], to: Printer) -> Result<Self, Usage> {
        files::check_status_files(tests)?;
        let output = IorOutput::open(Streams::together(to), &tests[0].parsed.output, argv)?;
        Ok(Self { output, live_files: LiveFiles::default(), live_path: None, live: None })
    }

    fn begin(&mut self, rows: BoardRows<'_>, tests: &[ReadyTest]) {
        let warnings = tests.iter().flat_map(|test| &test.parsed.warnings);
        let files = std::mem::take(&mut self.live_files);
        self.live = rows.map(|(board, _)| LiveView::start(board.clone(), files, true));
        self.output.begin(&text::before_tests(warnings));
    }

    /// Prints the end of the run. Gives the exit status.
    fn end(&mut self, done: Result<u8, Halt>, program: &StartedProgram<'_>) -> Result<u8, Halt> {
        // The line on the terminal disappears before the last output.
        let unfollowed = self.live.take().and_then(LiveView::end);
        let failure = done.as_ref().err().map(ToString::to_string);
        let printed = self.output.finish(done.is_ok(), failure.as_deref());
        // The document has the failure. Standard error often goes to the same file, which must stay valid.
        let is_reported = self.output.is_document() && failure.is_some() && printed.is_ok();
        program.reported.store(is_reported, Ordering::Relaxed);
        if let Err(what) = &printed {
            complain(&format!("ior: {what}"));
        }
        if let Some((path, why)) = unfollowed.and_then(|why| Some((self.live_path.as_ref()?, why))) {
            print_note(&format!("--live {}: {why}. Its last lines are missing", visible(path)));
        }
        done.map(|status| if printed.is_err() { ERROR } else { status })
    }
}

/// Forwards every event while the line is hidden from the terminal.
impl EventObserver<IorEvent<'_>> for IorPrinter {
    fn event(&mut self, event: &IorEvent<'_>) {
        let Some(live) = &self.live else { return self.output.event(event) };
        match event {
            IorEvent::Test { test, .. } => live.test(*test),
            IorEvent::Begins(beginning) => live.begins(*beginning),
            IorEvent::Phase(phase) => live.ended(phase),
            _ => {}
        }
        live.beside(|| self.output.event(event));
    }
}

#[cfg(test)]
mod tests {
    use command::ior::ResultFormat;

    use super::*;

    #[test]
    fn a_document_of_a_good_run_leaves_a_later_failure_to_standard_error() {
        let halt = Halt { step: "write".into(), rank: 1, node: "n1".into(), why: "short".into(), call: None };
        for (done, is_reported) in [(Ok(DONE), false), (Err(halt), true)] {
            let look = Output { format: ResultFormat::Json, ..Output::default() };
            let output = IorOutput::open(Streams::open(&look).unwrap(), &look, &[]).unwrap();
            let live_files = LiveFiles::default();
            let mut printer = IorPrinter { output, live_files, live_path: None, live: None };
            StartedProgram::run("ior", &[], |program| {
                assert_eq!(printer.end(done.clone(), program), done);
                assert_eq!(program.reported.load(Ordering::Relaxed), is_reported);
                Ok(DONE)
            });
        }
    }
}
