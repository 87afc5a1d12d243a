//! `age`: words in, a file system with a past out.
//!
//! The options are this program's own; no classic program is followed.

mod args;
mod progress;
mod text;

use ranks::Halt;
use storage::Settings;
use units::Usage;
use workloads::ageing::{self, DEFAULT_PROFILE, REFUSED, Request};
use workloads::kit::rank::Rank;

use super::kept::Kept;
use super::perform::{Part, Run, perform};
use crate::session::{Session, launch};
use crate::speech::{complain, say};
pub(crate) use args::Args;
use progress::Line;

/// Runs the command on `local` ranks or the launcher's, and gives the exit status: 0 the fill is reached or
/// all is removed, 1 stopped before, or something foreign was left, 2 refused before anything was written.
pub(crate) fn run(argv: &[String], args: Args, local: Option<u32>) -> u8 {
    let launch = launch();
    let speaks = launch.as_ref().is_none_or(|launch| launch.rank == 0);
    let refuse = |usage: &Usage| {
        if speaks {
            complain(&format!("age: {usage}"));
        }
        2
    };
    if args.print_profile {
        let said = if speaks { say(DEFAULT_PROFILE) } else { Ok(()) };
        return u8::from(said.is_err());
    }
    let meant = match args.meant() {
        Ok(meant) => meant,
        Err(usage) => return refuse(&usage),
    };
    let session = match Session::start(launch.as_ref(), local, false) {
        Ok(session) => session,
        Err(usage) => return refuse(&usage),
    };
    // What is outside the command line, only rank 0 reads.
    let outside = if speaks { meant.outside().map(Some) } else { Ok(None) };
    let (session, outside) = match session.agree(outside) {
        Ok(agreed) => agreed,
        Err(usage) => return refuse(&usage),
    };
    let (profile, kept) = outside.map_or((None, None), |(profile, kept)| (profile, Some(kept)));
    let request = Request { profile, ..meant.request.clone() };
    let voice = kept.map(|kept: Kept| (kept, Line::new()));
    perform(&Run { name: "age", argv }, session, voice, |part, line| {
        let done = if meant.remove { remove(part, &request) } else { age(part, &request, line) };
        done.or_else(refused)
    })
}

/// Says no to options behind a directory that a run, in a folder of its own, would refuse before it starts.
pub(crate) fn check(words: &[String]) -> Result<(), Usage> {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
    let line = ["age".to_owned(), "DIR".to_owned()].into_iter().chain(words.iter().cloned());
    let line = <Line as clap::Parser>::try_parse_from(line).map_err(|error| {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        Usage::new(first.strip_prefix("error: ").unwrap_or(first))
    })?;
    line.args.meant()?.found_from_anywhere()
}

/// Exit status of a run that was refused before anything was written.
const REFUSED_STATUS: u8 = 2;

/// Every rank hears why; rank 0 says it.
struct Refusal {
    halt: Halt,
    speaks: bool,
}

fn refused(refusal: Refusal) -> Result<u8, Halt> {
    let Refusal { halt, speaks } = refusal;
    if halt.step != REFUSED {
        return Err(halt);
    }
    if speaks {
        complain(&format!("age: {}", halt.why));
    }
    Ok(REFUSED_STATUS)
}

fn files() -> Result<Box<dyn storage::Storage>, String> {
    let backend = storage::backend("posix").map_err(|usage| usage.0)?;
    (backend.open)(&Settings::default()).map_err(|usage| usage.0)
}

fn age(part: Part<'_>, request: &Request, line: Option<&mut Line>) -> Result<u8, Refusal> {
    let Part { comm, mut clock, records } = part;
    let speaks = comm.rank() == 0;
    let body = || {
        let storage = comm.agree(REFUSED, files())?;
        let mut rank = Rank::begin(comm, &mut clock, records, None)?;
        let mut line = line;
        let observer = line.as_deref_mut().map(|line| line as &mut dyn ageing::Observer);
        let outcome = ageing::run(&mut rank, &*storage, request, observer);
        if let Some(line) = line {
            line.clear();
        }
        let outcome = outcome?;
        let said = if speaks { say(&text::report(&outcome)) } else { Ok(()) };
        comm.agree("print", said)?;
        Ok(0)
    };
    body().map_err(|halt| Refusal { halt, speaks })
}

fn remove(part: Part<'_>, request: &Request) -> Result<u8, Refusal> {
    let (comm, speaks) = (part.comm, part.comm.rank() == 0);
    let body = || {
        let storage = comm.agree(REFUSED, files())?;
        let removed = ageing::remove(comm, &*storage, &request.dir)?;
        if speaks {
            for path in &removed.told {
                complain(&format!("age: {path}: is not of this program's making, and stays"));
            }
        }
        let said = if speaks { say(&text::removed(&removed)) } else { Ok(()) };
        comm.agree("print", said)?;
        Ok(u8::from(removed.foreign > 0))
    };
    body().map_err(|halt| Refusal { halt, speaks })
}
