//! `ls-lr`: many `ls -lR` at once. There is no classic program of this name; the options are our own.

mod options;
mod text;
mod trees;

use units::Usage;
use workloads::kit::rank::Rank;
use workloads::ls_lr::{self, Observer, Parameters, Silent};

use super::kept::Kept;
use super::perform::{Run, perform};
use crate::session::{Session, launch};
use crate::speech::{complain, say};
use options::Options;
use text::Text;

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives
/// the exit status: 0 done, 1 failed or trees not as they were made, 2 wrong usage.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    let launch = launch();
    let speaks = launch.as_ref().is_none_or(|launch| launch.rank == 0);
    let refuse = |usage: &str| {
        if speaks {
            complain(&format!("ls-lr: {usage}"));
        }
        2
    };
    let options = match options::parse(tokens) {
        Ok(options) => options,
        Err((text, 0)) => {
            // Nothing is lost with a help that cannot be printed.
            let _ = if speaks { say(&text) } else { Ok(()) };
            return 0;
        }
        Err((usage, _)) => return refuse(&usage),
    };
    if let (Some(outer), Some(inner)) = (local, options.ranks) {
        return refuse(&format!("-n {outer} and -n {inner}: say it once"));
    }
    let session = match Session::start(launch.as_ref(), local.or(options.ranks), false) {
        Ok(session) => session,
        Err(usage) => return refuse(&usage.0),
    };
    let mine = launch.filter(|_| session.mpi().is_some()).map(|launch| launch.rank);
    let ready = ready(&options, session.size(), mine);
    let prepared = session.agree(ready).and_then(|(session, parameters)| {
        let kept = if speaks { Kept::open(options.record.as_deref()).map(Some) } else { Ok(None) };
        session.agree(kept).map(|(session, kept)| (session, parameters, kept))
    });
    match prepared {
        Err(usage) => refuse(&usage.0),
        Ok((session, parameters, kept)) => {
            let text = Text::new(&parameters, session.size(), options.verbose);
            go(argv, session, &parameters, kept.map(|kept| (kept, text)))
        }
    }
}

/// Says no to options that a run on `ranks` ranks would refuse before it starts, whatever is in the directory
/// of the trees, which is not among them.
pub(crate) fn check(tokens: &[String], ranks: u32, _local: bool) -> Result<(), Usage> {
    let options = options::parse(&[tokens, &["{dir}".to_owned()]].concat()).map_err(|(text, status)| {
        Usage(if status == 0 { "the line runs nothing; take the help out".to_owned() } else { text })
    })?;
    if options.ranks.is_some() {
        return Err(Usage::new("`-n`: how many walkers there are is said by `ranks`; leave it out"));
    }
    options.parameters(ranks, |_| true).map(drop)
}

/// Checks everything that can be known beforehand. `mine` is the rank of this process, where it has only
/// one; it looks after its own trees.
fn ready(options: &Options, ranks: u32, mine: Option<u32>) -> Result<Parameters, Usage> {
    let parameters = options.parameters(ranks, |tree| options.holds(tree))?;
    match mine {
        None => (0..ranks).try_for_each(|tree| trees::check(&parameters, tree))?,
        Some(rank) => trees::check(&parameters, parameters.walked_by(rank, ranks))?,
    }
    if mine.unwrap_or(0) == 0 {
        trees::apart(&parameters, ranks)?;
    }
    Ok(parameters)
}

fn go(argv: &[String], session: Session, parameters: &Parameters, voice: Option<(Kept, Text)>) -> u8 {
    let run = Run { name: "ls-lr", argv };
    let posix = storage::backend("posix").and_then(|backend| (backend.open)(&storage::Settings::default()));
    let storage = match posix {
        Ok(storage) => storage,
        Err(usage) => {
            complain(&format!("ls-lr: {usage}"));
            return 2;
        }
    };
    perform(&run, session, voice, |part, mut text| {
        let mut clock = part.clock;
        let mut rank = Rank::begin(part.comm, &mut clock, part.records, None)?;
        let mut silent = Silent;
        let observer: &mut dyn Observer = match text.as_deref_mut() {
            Some(text) => text,
            None => &mut silent,
        };
        let done = ls_lr::run(parameters, &*storage, &mut rank, observer);
        let printed = text.map_or(Ok(()), Text::finish);
        let good = done?;
        if let Err(error) = printed {
            complain(&format!("ls-lr: cannot print the results: {error}"));
            return Ok(1);
        }
        Ok(u8::from(!good))
    })
}
