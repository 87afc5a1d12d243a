//! The tests of a run, one after the other, on their ranks.
//!
//! A test that fails ends the run; those before it keep their results.
//!
//! Invariant: all ranks begin and end each test together, also those that take no part in it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Zoned;
use measure::CycleClock;
use ranks::{Comm, Halt, Reduce};
use results::Record;
use results::record::{ClockFacts, End, Failure, Run, SCHEMA};
use results::records::{Nowhere, RecordFile, Sink};
use storage::Storage;
use units::Usage;
use workloads::ior::{self, Cx, Observer, Silent, first_path};
use workloads::kit::board::Board;

use super::live::{self, Followed, Live};
use super::output::{self, Output};
use super::strict::Strict;
use super::text;
use super::typed::Meant;
use crate::session::Session;
use crate::speech::complain;

/// A test that was checked, with its storage.
pub(crate) struct Ready {
    pub(crate) meant: Meant,
    pub(crate) storage: Box<dyn Storage>,
    /// How many ranks take part.
    pub(crate) ranks: u32,
}

/// What rank 0 has and the others do not; a thread of rank 0 takes it.
pub(crate) struct Voice {
    output: Box<dyn Output>,
    kept: Box<dyn Sink + Send>,
    /// The file of `--live`, until somebody follows the run.
    live_file: Option<File>,
    live: Option<Live>,
    /// The run's own record, until the first test puts it.
    run: Option<Run>,
    /// The first warning of a test that allows none.
    warning: Option<String>,
}

/// The board of one process, and the row of each of its ranks.
type Rows<'a> = Option<(&'a Board, u32)>;

/// Runs the tests, of which there is at least one, and gives the exit status.
pub(crate) fn perform(argv: &[String], tests: &[Ready], session: Session, voice: Option<Voice>) -> u8 {
    // One clock for all ranks of this process: their stamps compare as they are.
    let clock = CycleClock::new();
    let run = run_record(argv, tests, session.mpi(), &clock);
    let wants = voice.as_ref().is_some_and(|voice| voice.live_file.is_some() || live::has_terminal());
    let threads = match session.mpi() {
        None if wants => Board::for_threads(session.size()).ok(),
        _ => None,
    };
    let is_local = session.mpi().is_none();
    let voice = Mutex::new(voice.map(|voice| Voice { run: Some(run), ..voice }));
    let done = session.run(|comm| {
        let node = if is_local { None } else { node_board(comm, wants)? };
        let rows = match &threads {
            Some(board) => Some((board, comm.rank())),
            None => node.as_ref().map(|board| (board, 0)),
        };
        let voice =
            if comm.rank() == 0 { voice.lock().ok().and_then(|mut voice| voice.take()) } else { None };
        match voice {
            None => all_tests(tests, comm, &clock, rows, None),
            Some(mut voice) => {
                voice.begin(comm, rows);
                let done = all_tests(tests, comm, &clock, rows, Some(&mut voice));
                Ok(voice.end(done))
            }
        }
    });
    done.unwrap_or_else(|halt| {
        complain(&format!("ior: {halt}"));
        1
    })
}

/// The board of this node, where rank 0 wants one.
fn node_board(comm: &dyn Comm, wants: bool) -> Result<Option<Board>, Halt> {
    let wanted = comm.reduce_one(wants.into(), Reduce::Max)? > 0;
    if wanted { Board::for_node(comm) } else { Ok(None) }
}

/// Every rank's part: all tests up to the first that fails. Gives the exit status.
fn all_tests(
    tests: &[Ready],
    comm: &dyn Comm,
    clock: &CycleClock,
    rows: Rows<'_>,
    mut voice: Option<&mut Voice>,
) -> Result<u8, Halt> {
    let mut status = 0;
    for test in tests {
        let takes_part = comm.rank() < test.ranks;
        let part = comm.split(u32::from(!takes_part))?;
        let outcome = match (takes_part, voice.as_deref_mut()) {
            (false, _) => Ok(0),
            (true, Some(voice)) => voice.test(test, &*part, clock, rows),
            (true, None) => one_test(test, &*part, clock, rows, &mut Nowhere, &mut Silent),
        };
        // Ranks outside the test learn here how it ended.
        let failed = comm.reduce_one(outcome.is_err().into(), Reduce::Max)?;
        // Rank 0 tells the failure, the others only end with it.
        match outcome {
            Err(halt) if comm.rank() == 0 => return Err(halt),
            Ok(bad) if failed == 0 => status = status.max(u8::from(bad > 0)),
            _ => return Ok(1),
        }
    }
    Ok(status)
}

/// One rank's part in one test; gives the transfers with wrong data.
fn one_test(
    test: &Ready,
    comm: &dyn Comm,
    clock: &CycleClock,
    rows: Rows<'_>,
    records: &mut dyn Sink,
    observer: &mut dyn Observer,
) -> Result<u64, Halt> {
    let mut clock = clock.clone();
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    let offset = comm.clock_offset(&|| measure::Clock::ns(&clock))?;
    let mut cx = Cx { clock: &mut clock, offset, records, observer, board: rows, seed };
    ior::run(&test.meant.parameters, &*test.storage, comm, &mut cx).map(|summary| summary.bad_transfers)
}

/// Where rank 0 keeps the records.
fn keep(meant: &Meant) -> Result<Box<dyn Sink + Send>, Usage> {
    match &meant.record {
        None => Ok(Box::new(Nowhere)),
        Some(path) => match RecordFile::create(Path::new(path)) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => {
                Err(Usage(format!("--record {path}: {error}; name a file that does not exist yet")))
            }
        },
    }
}

impl Voice {
    /// Opens everything that the results of a run go to, as its last test `meant` asks.
    pub(crate) fn new(argv: &[String], meant: &Meant) -> Result<Self, Usage> {
        let kept = keep(meant)?;
        let files = meant.live.as_deref().map(live::create).transpose();
        let files = files.and_then(|live_file| Ok((live_file, output::open(&meant.look, argv)?)));
        let (live_file, output) = files.inspect_err(|_| {
            // Made a moment ago and empty; left behind, it would be refused the next time.
            let _ = meant.record.as_ref().map(std::fs::remove_file);
        })?;
        Ok(Self { output, kept, live_file, live: None, run: None, warning: None })
    }

    fn begin(&mut self, comm: &dyn Comm, rows: Rows<'_>) {
        if let Some(run) = &mut self.run {
            run.host = comm.node_name().to_owned();
        }
        self.live = rows.map(|(board, _)| Live::start(board.clone(), self.live_file.take()));
        self.output.begin();
    }

    /// Rank 0's part in one test: it also prints and keeps records.
    fn test(
        &mut self,
        test: &Ready,
        comm: &dyn Comm,
        clock: &CycleClock,
        rows: Rows<'_>,
    ) -> Result<u64, Halt> {
        let path = first_path(&test.meant.parameters, 0);
        let space = test.storage.space(text::header_dir(&path)).unwrap_or(None);
        self.output.test(&test.meant, space);
        let mut first = test.meant.warnings.first().cloned();
        let mut records = Started { sink: &mut *self.kept, run: &mut self.run };
        let mut followed = Followed { live: self.live.as_ref(), output: &mut *self.output };
        let mut observer = Strict { output: &mut followed, first: &mut first };
        let bad = one_test(test, comm, clock, rows, &mut records, &mut observer)?;
        self.output.end_test();
        if test.meant.parameters.warnings_fail && self.warning.is_none() {
            self.warning = first;
        }
        Ok(bad)
    }

    /// Prints and keeps how the run ended; gives the exit status.
    fn end(mut self, done: Result<u8, Halt>) -> u8 {
        // The line of the terminal goes before the last words come.
        drop(self.live.take());
        let printed = self.output.finish(done.is_ok());
        let mut exit = match &done {
            Ok(status) => *status,
            Err(halt) => {
                let Halt { step, rank, node, why } = halt.clone();
                let _ = self.kept.put(&Record::Failure(Failure { step, rank, node, why }));
                1
            }
        };
        if printed.is_err() || self.warning.is_some() {
            exit = 1;
        }
        let ended = self.kept.put(&Record::End(End { exit, finished: rfc3339() }));
        if let Err(halt) = &done {
            complain(&format!("ior: {halt}"));
        }
        if let Some(warning) = &self.warning {
            complain(&format!("ior: --warningAsErrors: {warning}"));
        }
        for (what, result) in [("write the records", &ended), ("print the results", &printed)] {
            if let Err(error) = result {
                complain(&format!("ior: cannot {what}: {error}"));
            }
        }
        exit
    }
}

/// Puts the run's own record first, once it is known how the clocks differ.
struct Started<'a> {
    sink: &'a mut (dyn Sink + Send),
    run: &'a mut Option<Run>,
}

impl Sink for Started<'_> {
    fn put(&mut self, record: &Record) -> io::Result<()> {
        self.sink.put(record)
    }

    fn begin(&mut self, nodes: u32, offset_uncertainty_ns: u64) -> io::Result<()> {
        match self.run.take() {
            None => Ok(()),
            Some(mut run) => {
                run.nodes = nodes;
                run.clock.offset_uncertainty_ns = offset_uncertainty_ns;
                self.sink.put(&Record::Run(run))
            }
        }
    }
}

/// What is known of the run before it begins; rank 0 fills in the rest.
fn run_record(argv: &[String], tests: &[Ready], mpi: Option<&str>, clock: &CycleClock) -> Run {
    let quality = clock.quality();
    Run {
        schema: SCHEMA,
        tool: concat!("assay ", env!("CARGO_PKG_VERSION")).to_owned(),
        workload: "ior".to_owned(),
        argv: argv.to_vec(),
        started: rfc3339(),
        host: String::new(),
        ranks: tests.iter().map(|test| test.ranks).max().unwrap_or(0),
        nodes: 0,
        mpi: mpi.map(str::to_owned),
        clock: ClockFacts {
            source: quality.source.to_owned(),
            resolution_ns: quality.resolution_ns,
            cost_ns: quality.cost_ns,
            offset_uncertainty_ns: 0,
        },
    }
}

fn rfc3339() -> String {
    Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
