//! `mpi-io`: what a file system owes programs on many ranks, case by case.
//!
//! The options are this program's own; no classic program is followed.

mod args;
mod driver;
mod speech;
mod tale;
mod text;
mod watch;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ranks::{Comm, Halt};
use results::Record;
use units::Usage;
use workloads::kit::rank::Rank;
use workloads::mpi_io::{self, Case, Event, Library, Suite};

use super::kept::Kept;
use super::perform::{Part, Run, perform};
use super::program::options;
use crate::session::{Needs, Session, launch};
use crate::speech::{complain, say};
pub(crate) use args::Args;
use tale::Tale;
use watch::{Bark, Limits, Standing, Watchdog};

/// Runs the command on `local` ranks or the launcher's, or starts ranks by a launcher; gives the exit status:
/// 0 nothing failed, 1 a case failed or had no outcome, 2 wrong usage.
pub(crate) fn run(argv: &[String], args: Args, local: Option<u32>) -> u8 {
    let launch = launch();
    let speaks = launch.as_ref().is_none_or(|launch| launch.rank == 0);
    let refuse = |usage: &Usage| {
        if speaks {
            complain(&format!("mpi-io: {usage}"));
        }
        2
    };
    let cases = match args.check().and_then(|()| args.cases()) {
        Ok(cases) => cases,
        Err(usage) => return refuse(&usage),
    };
    if args.list {
        let said = if speaks { say(&list(&cases)) } else { Ok(()) };
        return u8::from(said.is_err());
    }
    if args.launch.is_some() {
        if launch.as_ref().is_some_and(|launch| launch.is_parallel()) || local.is_some() {
            let why = "--launch starts the ranks itself; leave -n, and the launcher around it, out";
            return refuse(&Usage::new(why));
        }
        return driver::run(argv, &args, &cases).unwrap_or_else(|usage| refuse(&usage));
    }
    let session = match session(launch.as_ref(), local) {
        Ok(session) => session,
        Err(usage) => return refuse(&usage),
    };
    let kept = if speaks { Kept::open(args.record.as_deref()).map(Some) } else { Ok(None) };
    match session.agree(kept) {
        Ok((session, kept)) => go(argv, &args, &cases, session, kept),
        Err(usage) => refuse(&usage),
    }
}

/// Says no to words that a run would refuse before it looks at its directory.
pub(crate) fn check(words: &[String]) -> Result<(), Usage> {
    options::<Args>("mpi-io", words)?.cases().map(drop)
}

/// One rank that no launcher started is MPI's all the same, where there is an MPI.
fn session(launch: Option<&ranks::launcher::Launch>, local: Option<u32>) -> Result<Session, Usage> {
    if launch.is_none() && local.is_none() {
        return Session::start(None, None, Needs::Mpi)
            .or_else(|_| Session::start(None, None, Needs::Nothing));
    }
    Session::start(launch, local, Needs::Nothing)
}

fn list(cases: &[Case]) -> String {
    let line = |case: &Case| {
        let large = if case.large { " (with --large)" } else { "" };
        format!("{:<52} {:>3}  {}: {}{large}\n", case.name, case.ranks, case.document, case.promise)
    };
    cases.iter().map(line).collect()
}

fn go(argv: &[String], args: &Args, cases: &[Case], session: Session, kept: Option<Kept>) -> u8 {
    let mpi = session.mpi().map(str::to_owned);
    let library = mpi.as_deref().map_or_else(Library::default, Library::read);
    let tale = Arc::new(Mutex::new(Tale::new(args, cases, library, mpi)));
    let voice = kept.map(|kept| (kept, ()));
    perform(&Run { name: "mpi-io", argv }, session, voice, |part, _| {
        let comm = part.comm;
        let done = play(part, args, cases, &tale);
        let tale = lock(&tale);
        if comm.rank() == 0 && done.is_ok() {
            let said = tale.close();
            return said.map_err(|error| halt(comm, &error)).map(|()| tale.status());
        }
        // The exit status is rank 0's: one of another rank would end the job before rank 0 is done.
        done.map(|()| 0)
    })
}

fn lock(tale: &Mutex<Tale>) -> std::sync::MutexGuard<'_, Tale> {
    tale.lock().unwrap_or_else(PoisonError::into_inner)
}

fn halt(comm: &dyn Comm, error: &io::Error) -> Halt {
    let (rank, node) = (comm.rank(), comm.node_name().to_owned());
    Halt { step: "print".to_owned(), rank, node, why: error.to_string() }
}

fn play(part: Part<'_>, args: &Args, cases: &[Case], tale: &Arc<Mutex<Tale>>) -> Result<(), Halt> {
    let Part { comm, mut clock, records } = part;
    let nodes = comm.split_by_node()?;
    let nodes = comm.reduce_one(u64::from(nodes.rank() == 0), ranks::Reduce::Sum)? as u32;
    let mut library = lock(tale).library().clone();
    mpi_io::learn(comm, &mut library, args.dir.as_deref().unwrap_or_else(|| ".".as_ref()))?;
    let dirs = [args.dir.clone().unwrap_or_default()];
    let rank = Rank::begin(comm, &mut clock, records, None, &dirs)?;
    let mut name = format!("assay-mpi-io.{}", run_number()).into_bytes();
    comm.broadcast(0, &mut name)?;
    let own = String::from_utf8_lossy(&name).into_owned();
    let dir = args.dir.clone().unwrap_or_default();
    let speaks = comm.rank() == 0;
    let limits = Limits { most: Duration::from_secs(args.timeout.into()), library: library.clone() };
    if speaks {
        let ready = lock(tale).ready(library.clone(), comm.size(), nodes, comm.node_name());
        ready.map_err(|error| halt(comm, &error))?;
    }
    let bark = speaks.then(|| -> Bark {
        let tale = Arc::clone(tale);
        Box::new(move |standing: &Standing, notes: &[String]| lock(&tale).bark(standing, notes))
    });
    let dog = Watchdog::start(limits.clone(), comm.rank(), comm.size(), dir.join(&own), bark);
    let hints_file = std::env::var_os("ROMIO_HINTS").map(std::path::PathBuf::from);
    let suite = Suite {
        dir: &dir,
        own: &own,
        library: &library,
        seed: args.seed.into(),
        hints_file: hints_file.as_deref(),
        large: args.large,
        keep_failed: args.keep_failed,
        tries_fatal: args.speak_from.is_some(),
    };
    let Rank { clock, records, .. } = rank;
    let mut tell = |event: Event<'_>| {
        if let Event::End(case) = &event {
            records.put(&Record::Case(case.clone()))?;
        }
        lock(tale).tell(event, &limits)
    };
    mpi_io::run(&suite, cases, comm, clock, &dog, &mut tell)
}

/// A number that no other run of this machine has.
fn run_number() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{}", since.as_millis(), std::process::id())
}
