//! `ior`: the classic command line and its look, over the workload of that name.

mod beyond;
mod grammar;
mod help;
mod live;
mod numbers;
mod output;
mod summary;
mod table;
mod text;
mod typed;

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

use crate::session::{Session, launch};
use crate::speech::{complain, say};
use output::Output;
use text::Text;
use typed::Meant;

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives
/// the exit status: 0 done, 1 failed or wrong data, 2 wrong usage.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    let launch = launch();
    let speaks = launch.as_ref().is_none_or(|launch| launch.rank == 0);
    let refuse = |usage: &Usage| {
        if speaks {
            complain(&format!("ior: {usage}"));
        }
        2
    };
    let typed = match grammar::parse(tokens) {
        Ok(typed) => typed,
        Err(usage) => return refuse(&usage),
    };
    if typed.help {
        if speaks {
            // The classic's status; nothing is lost with a help that cannot be printed.
            let _ = say(&help::text("ior"));
        }
        return 1;
    }
    let prepared = typed.meant().and_then(|mut meant| {
        let backend = storage::backend(&meant.parameters.backend)?;
        let storage = (backend.open)(&meant.parameters.settings)?;
        let session = Session::start(launch.as_ref(), local, backend.needs_mpi)?;
        let ranks = session.size();
        let wanted = meant.parameters.ranks.unwrap_or(ranks);
        if wanted > ranks {
            meant.notes.push(format!("-N {wanted}: more ranks than there are; running with {ranks}"));
        }
        meant.parameters.check(wanted.min(ranks))?;
        let kept: Result<Box<dyn Sink + Send>, Usage> =
            if speaks { keep(&meant) } else { Ok(Box::new(Nowhere)) };
        let (session, kept) = session.agree(kept)?;
        Ok((meant, storage, session, kept))
    });
    match prepared {
        Err(usage) => refuse(&usage),
        Ok((meant, storage, session, kept)) => {
            if speaks {
                meant.notes.iter().for_each(|note| complain(&format!("ior: note: {note}")));
            }
            perform(argv, &meant, &*storage, session, kept)
        }
    }
}

/// Says no to options that a run on `ranks` ranks would refuse before it starts; `local` ranks are
/// threads, and have no MPI.
pub(crate) fn check(tokens: &[String], ranks: u32, local: bool) -> Result<(), Usage> {
    let typed = grammar::parse(tokens)?;
    if typed.help {
        return Err(Usage::new("the line runs nothing; take -h out"));
    }
    let meant = typed.meant()?;
    let backend = storage::backend(&meant.parameters.backend)?;
    if backend.needs_mpi && local && ranks > 1 {
        return Err(Usage::new("this backend needs MPI: start the ranks with mpirun"));
    }
    (backend.open)(&meant.parameters.settings)?;
    meant.parameters.check(meant.parameters.ranks.map_or(ranks, |some| some.min(ranks)))
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

/// What rank 0 has and the others do not; a thread of rank 0 takes it.
struct Voice {
    output: Box<dyn Output>,
    kept: Box<dyn Sink + Send>,
}

fn perform(
    argv: &[String],
    meant: &Meant,
    storage: &dyn Storage,
    session: Session,
    kept: Box<dyn Sink + Send>,
) -> u8 {
    let mpi = session.mpi().map(str::to_owned);
    let voice = Mutex::new(Some(Voice { output: Box::new(Text::new(io::stdout(), argv)), kept }));
    // One clock for all ranks of this process: their stamps compare as they are.
    let clock = CycleClock::new();
    let done = session.run(|comm| {
        let taking_part = meant.parameters.ranks.is_none_or(|ranks| comm.rank() < ranks);
        let part = comm.split(u32::from(!taking_part))?;
        let outcome = match taking_part {
            false => Ok(0),
            true if comm.rank() == 0 => {
                let voice = voice.lock().expect("only rank 0 takes it").take();
                first_rank(
                    argv,
                    meant,
                    storage,
                    &*part,
                    &clock,
                    voice.expect("rank 0 runs once"),
                    mpi.clone(),
                )
            }
            true => one_rank(meant, storage, &*part, &clock, &mut Nowhere, &mut Silent)
                .map(|summary| u8::from(summary.bad_transfers > 0)),
        };
        // Ranks outside the test learn here how it ended.
        let failed = comm.reduce_one(outcome.is_err().into(), Reduce::Max)?;
        match outcome {
            Ok(status) => Ok(status.max(u8::from(failed > 0))),
            Err(_) => Ok(1),
        }
    });
    done.unwrap_or_else(|halt| {
        complain(&format!("ior: {halt}"));
        1
    })
}

/// Rank 0's part: it also prints and keeps records.
fn first_rank(
    argv: &[String],
    meant: &Meant,
    storage: &dyn Storage,
    comm: &dyn Comm,
    clock: &CycleClock,
    mut voice: Voice,
    mpi: Option<String>,
) -> Result<u8, Halt> {
    let path = first_path(&meant.parameters, 0);
    voice.output.begin();
    voice.output.test(meant, storage.space(text::header_dir(&path)).unwrap_or(None));
    let quality = clock.quality();
    let run = Run {
        schema: SCHEMA,
        tool: concat!("assay ", env!("CARGO_PKG_VERSION")).to_owned(),
        workload: "ior".to_owned(),
        argv: argv.to_vec(),
        started: rfc3339(),
        host: comm.node_name().to_owned(),
        ranks: comm.size(),
        nodes: 0,
        mpi,
        clock: ClockFacts {
            source: quality.source.to_owned(),
            resolution_ns: quality.resolution_ns,
            cost_ns: quality.cost_ns,
            offset_uncertainty_ns: 0,
        },
    };
    let mut started = Started { sink: &mut *voice.kept, run: Some(run) };
    let done = one_rank(meant, storage, comm, clock, &mut started, &mut *voice.output);
    if done.is_ok() {
        voice.output.end_test();
    }
    let exit = match &done {
        Ok(summary) => u8::from(summary.bad_transfers > 0),
        Err(halt) => {
            let Halt { step, rank, node, why } = halt.clone();
            let _ = voice.kept.put(&Record::Failure(Failure { step, rank, node, why }));
            1
        }
    };
    let printed = voice.output.finish(done.is_ok());
    let exit = if printed.is_ok() { exit } else { 1 };
    let ended = voice.kept.put(&Record::End(End { exit, finished: rfc3339() }));
    if let Err(halt) = &done {
        complain(&format!("ior: {halt}"));
    }
    for (what, result) in [("write the records", ended), ("print the results", printed)] {
        if let Err(error) = result {
            complain(&format!("ior: cannot {what}: {error}"));
        }
    }
    done.map(|_| exit)
}

/// Puts the run's own record first, once it is known how the clocks differ.
struct Started<'a> {
    sink: &'a mut (dyn Sink + Send),
    run: Option<Run>,
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

/// Every rank's part.
fn one_rank(
    meant: &Meant,
    storage: &dyn Storage,
    comm: &dyn Comm,
    clock: &CycleClock,
    records: &mut dyn Sink,
    observer: &mut dyn Observer,
) -> Result<ior::Summary, Halt> {
    let mut clock = clock.clone();
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    let offset = comm.clock_offset(&|| measure::Clock::ns(&clock))?;
    ior::run(
        &meant.parameters,
        storage,
        comm,
        &mut Cx { clock: &mut clock, offset, records, observer, board: None, seed },
    )
}

fn rfc3339() -> String {
    Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
