//! `mpi-io`: the conformance suite as a command: options, starting the ranks, time limits, and text.
//!
//! The options are of this program; it follows no classic program.

mod activity;
mod crash;
mod driver;
mod rank_state;
mod reporter;
mod speed;
mod text;
mod watchdog;

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use command::mpi_io::MpiIoArgs;
use conformance::{ConformanceCase, ConformanceEvent, LockRelease, RankLibrary, Suite, matches};
use ranks::launcher::RankLaunch;
use ranks::{Comm, Halt};
use results::Record;
use storage::locks::Owner;
use units::Usage;
use workloads::kit::rank::Rank;

use super::LineEffect;
use super::perform::{RankContext, perform};
use super::program::{StartedProgram, options};
use super::run_records::RunRecords;
use crate::session::{Needs, RankStart, Session};
use crate::speech::{complain, say};
use crate::status::{DONE, ERROR, USAGE};
use rank_state::RankStates;
use reporter::Reporter;
use watchdog::{Limits, OnTimeout, RunningCase, Watchdog};

/// Runs the command on `local` ranks, on the ranks of a launcher around it, or on ranks that it starts
/// itself. Gives the exit status.
pub(crate) fn run(argv: &[String], args: MpiIoArgs, local: Option<u32>) -> u8 {
    if let Some(owner) = &args.hold_lock {
        return hold_lock(owner, args.tested_dir());
    }
    StartedProgram::start("mpi-io", argv, false, |program| started(program, &args, local))
}

/// Locks a file until the input ends. The last line reports an error to the case that started this process.
fn hold_lock(owner: &str, path: &Path) -> u8 {
    let Some(owner) = Owner::ALL.into_iter().find(|known| known.word() == owner) else {
        complain(&format!("mpi-io: --hold-lock {owner}: not an owner. Give process, description or flock."));
        return USAGE;
    };
    let held = conformance::hold_lock(owner, path, &mut io::stdout(), &mut io::stdin());
    let Err(error) = held else { return DONE };
    let _ = say(&format!("{error}\n"));
    ERROR
}

/// The command of a process that locks a file.
fn lock_holder(owner: Owner, path: &Path) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["mpi-io", "--hold-lock", owner.word()]).arg(path);
    Ok(command)
}

fn started(program: &StartedProgram<'_>, args: &MpiIoArgs, local: Option<u32>) -> Result<u8, Usage> {
    let cases = cases(args)?;
    if args.list {
        return Ok(program.print(&list(&cases)));
    }
    let is_parallel = program.launch.as_ref().is_some_and(RankLaunch::is_parallel);
    args.check(is_parallel || local.is_some())?;
    let dir = args.tested_dir();
    if !dir.is_dir() {
        return Err(Usage(format!("{}: not a directory. Create it or choose another.", dir.display())));
    }
    if args.launch.is_some() {
        return driver::run(program.argv, args, &cases);
    }
    let session = session(program.launch.as_ref(), local)?;
    let (session, kept) = session.agree(program.records(args.record.as_deref()))?;
    Ok(run_session(program, args, &cases, session, kept))
}

/// Rejects a command line that a run rejects on any machine.
pub(crate) fn check(words: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let Some(args) = options::<MpiIoArgs>("mpi-io", words)? else { return Ok(LineEffect::Prints) };
    cases(&args)?;
    if args.list {
        return Ok(LineEffect::Prints);
    }
    args.check(start.launched.is_some_and(|ranks| ranks > 1) || start.local.is_some())?;
    start.check(Needs::Nothing)?;
    Ok(LineEffect::Runs)
}

/// The selected cases, in order.
fn cases(args: &MpiIoArgs) -> Result<Vec<ConformanceCase>, Usage> {
    let all = conformance::cases();
    let any = |patterns: &[String], case: &ConformanceCase| patterns.iter().any(|p| matches(p, &case.name));
    for (option, patterns) in [("--only", &args.only), ("--skip", &args.skip)] {
        let unmatched = patterns.iter().find(|pattern| !all.iter().any(|case| matches(pattern, &case.name)));
        if let Some(pattern) = unmatched {
            return Err(Usage(format!(
                "{option} {pattern}: no case matches. `assay mpi-io --list` lists all."
            )));
        }
    }
    let mut selected: Vec<ConformanceCase> = all
        .into_iter()
        .filter(|case| args.only.is_empty() || any(&args.only, case))
        .filter(|case| !any(&args.skip, case))
        .collect();
    if selected.is_empty() {
        return Err(Usage::new("--only and --skip leave no case. `assay mpi-io --list` lists all."));
    }
    if let Some(first) = args.speak_from.as_ref().filter(|first| !first.is_empty()) {
        let at = selected.iter().position(|case| case.name == **first);
        let at = at.ok_or_else(|| Usage(format!("--speak-from {first}: no case matches")))?;
        selected.drain(..at);
    }
    Ok(selected)
}

/// Starts the session. A single rank without a launcher is an MPI rank too if there is an MPI library.
fn session(launch: Option<&RankLaunch>, local: Option<u32>) -> Result<Session, Usage> {
    if launch.is_none() && local.is_none() {
        return Session::start(None, None, Needs::Mpi)
            .or_else(|_| Session::start(None, None, Needs::Nothing));
    }
    Session::start(launch, local, Needs::Nothing)
}

fn list(cases: &[ConformanceCase]) -> String {
    let line = |case: &ConformanceCase| {
        let large = if case.large { " (with --large)" } else { "" };
        format!("{:<52} {:>2}+  {}: {}{large}\n", case.name, case.ranks, case.document, case.promise)
    };
    cases.iter().map(line).collect()
}

fn run_session(
    program: &StartedProgram<'_>,
    args: &MpiIoArgs,
    cases: &[ConformanceCase],
    session: Session,
    kept: Option<RunRecords>,
) -> u8 {
    let mpi = session.mpi().map(str::to_owned);
    let library = mpi.as_deref().map_or_else(RankLibrary::default, RankLibrary::read);
    let reporter = Arc::new(Mutex::new(Reporter::new(args, cases, library, mpi)));
    let voice = kept.map(|kept| (kept, ()));
    perform(program, session, voice, |part, _| {
        let comm = part.comm;
        let done = run_cases(part, args, cases, &reporter);
        let reporter = lock(&reporter);
        if comm.rank() == 0 && done.is_ok() {
            let said = reporter.close();
            return said.map_err(|error| halt(comm, &error)).map(|()| reporter.status());
        }
        // Only rank 0 gives the exit status. A status of another rank would end the job before rank 0 is
        // done.
        done.map(|()| DONE)
    })
}

fn lock(reporter: &Mutex<Reporter>) -> std::sync::MutexGuard<'_, Reporter> {
    reporter.lock().unwrap_or_else(PoisonError::into_inner)
}

fn halt(comm: &dyn Comm, error: &io::Error) -> Halt {
    let (rank, node) = (comm.rank(), comm.node_name().to_owned());
    Halt { step: "print".to_owned(), rank, node, why: error.to_string(), call: None }
}

fn run_cases(
    part: RankContext<'_>,
    args: &MpiIoArgs,
    cases: &[ConformanceCase],
    reporter: &Arc<Mutex<Reporter>>,
) -> Result<(), Halt> {
    let RankContext { comm, mut clock, records } = part;
    let nodes = comm.split_by_node()?;
    let nodes = comm.reduce_one(u64::from(nodes.rank() == 0), ranks::Reduce::Sum)? as u32;
    let mut library = lock(reporter).library().clone();
    conformance::detect_io_component(comm, &mut library, args.tested_dir())?;
    let dirs = [args.tested_dir().to_owned()];
    let rank = Rank::begin(comm, &mut clock, records, None, &dirs)?;
    let mut name = format!("assay-mpi-io.{}", run_number()).into_bytes();
    comm.broadcast(0, &mut name)?;
    let run_name = String::from_utf8_lossy(&name).into_owned();
    let dir = args.tested_dir();
    let speaks = comm.rank() == 0;
    let (most, why) = limit(comm, args, &format!("{run_name}.speed"))?;
    let within = Duration::from_secs(args.lock_release.into());
    let limits = Limits { most, lock_release: within, library: library.clone() };
    if speaks {
        let (host, nodes) = (comm.node_name(), (nodes, rank.clients()));
        let ready = lock(reporter).ready(library.clone(), comm.size(), nodes, host, why);
        ready.map_err(|error| halt(comm, &error))?;
    }
    let on_timeout = speaks.then(|| -> OnTimeout {
        let reporter = Arc::clone(reporter);
        Box::new(move |running: &RunningCase, states: &RankStates| lock(&reporter).timed_out(running, states))
    });
    let watchdog = Watchdog::start(limits.clone(), comm.rank(), comm.size(), dir.join(&run_name), on_timeout);
    let hints_file = std::env::var_os("ROMIO_HINTS").map(std::path::PathBuf::from);
    let suite = Suite {
        dir,
        run_name: &run_name,
        library: &library,
        seed: args.seed.into(),
        hints_file: hints_file.as_deref(),
        lock_release: LockRelease { within, holder: lock_holder },
        large: args.large,
        keep_failed: args.keep_failed,
        runs_fatal: args.speak_from.is_some(),
    };
    let Rank { records, .. } = rank;
    let mut report = |event: ConformanceEvent<'_>| {
        if let ConformanceEvent::End(case) = &event {
            records.put(&Record::Case(case.clone()))?;
        }
        lock(reporter).event(event, &limits)
    };
    conformance::run(&suite, cases, comm, &watchdog, &mut report)
}

/// The time limit of most cases, the same on all ranks. The text is the line that reports a longer one.
/// `name` is that of a new file. Collective.
fn limit(comm: &dyn Comm, args: &MpiIoArgs, name: &str) -> Result<(Duration, String), Halt> {
    let requested = Duration::from_secs(args.timeout.into());
    let (mut limit, mut why) = (requested, String::new());
    if comm.rank() == 0 {
        let piece = speed::time_of_piece(args.tested_dir(), name);
        limit = speed::limit(requested, piece);
        let seconds = limit.as_secs();
        why = match piece {
            _ if limit == requested => String::new(),
            Some(piece) => {
                let ms = piece.as_secs_f64() * 1e3;
                format!("a small write under a lock takes {ms:.1} ms here, so cases have {seconds} s\n")
            }
            None => format!("the directory is very slow, so cases have {seconds} s\n"),
        };
    }
    let ms = comm.reduce_one(limit.as_millis() as u64, ranks::Reduce::Max)?;
    Ok((Duration::from_millis(ms), why))
}

/// A text that no other run of this machine has.
fn run_number() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{}", since.as_millis(), std::process::id())
}
