//! `flash-io`, also as `flash_benchmark_io`: the command line and the output of the FLASH I/O benchmark of
//! PnetCDF 1.14, over the workload of that name. With `--hdf5` it follows the first benchmark, as far as its
//! output is known.

mod text;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use command::flash_io::{FlashIoParameters, Form, OWN, Parsed};
use ranks::Halt;
use storage::Storage;
use storage::arrays::Arrays;
use units::{Usage, visible};
use workloads::flash_io::FlashIoContext;

use super::LineEffect;
use super::own_lines::print_note;
use super::perform::{RankContext, perform_unless};
use super::printer::{Printer, are_printed};
use super::program::{StartedProgram, posix};
use super::stuck::{self, RankStanding};
use crate::session::{Needs, RankStart, Session};
use crate::speech::complain;
use crate::status::error_if;
use text::{FlashIoLook, FlashIoText};

/// Runs the options `tokens` of the command line `argv` on the launcher's ranks, and gives the exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("flash-io", argv, |program| started(program, tokens, local))
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let typed = Parsed::parse(tokens)?;
    if typed.help {
        return Ok(program.print(&help(&called(program.argv))));
    }
    let needs = Needs::of_backend(typed.parameters.form.backend())?;
    if program.launch.is_none() {
        // Wrong options are reported before a missing MPI.
        let start = RankStart { launched: None, local };
        start.check(needs)?;
        typed.parameters.check(start.ranks())?;
    }
    let (session, ready) = prepare(&typed, Session::start(program.launch.as_ref(), local, needs)?)?;
    if typed.bare && program.speaks {
        let prefix = visible(&ready.parameters.prefix);
        print_note(&format!("taken as -f {prefix}, as in versions before 2020"));
    }
    program.note_preloaded();
    let (session, plain) = session.agree(program.is_plain())?;
    let (quiet, latency) = (typed.quiet, typed.latency);
    let (parameters, version) = (ready.parameters.clone(), ready.arrays.version());
    let look = FlashIoLook { parameters, version, ranks: session.size(), quiet, latency };
    let (session, kept) = session.agree(program.records(typed.record.as_deref()))?;
    let text = |records| (records, FlashIoText::new(look, Printer::to_stdout(plain)));
    let (rank, ranks, arrays) = (session.rank(), session.size(), &*ready.arrays);
    Ok(std::thread::scope(|scope| {
        let standing = || RankStanding { inside: ready.call(), stuck: arrays.stuck() };
        let _watch = stuck::watch(scope, program.name, rank, ready.call_limit, standing);
        let leaves = || arrays.has_abandoned();
        perform_unless(program, ranks, session, &leaves, kept.map(text), |part, voice| {
            one_rank(&ready, part, voice)
        })
    }))
}

/// The name under which the program was called, for the original's help.
fn called(argv: &[String]) -> String {
    let base = argv.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    if super::named(base).is_some() { base.to_owned() } else { "flash-io".to_owned() }
}

/// The whole help text of a program of this name: the original's text, then assay's own options.
fn help(program: &str) -> String {
    let mut text = format!(" Usage: {program} [-hqbi] -f <ouput file prefix name>\n");
    text.push_str(
        "        -h: print this message\n        \
         -q: quiet mode\n        \
         -b: use PnetCDF blocking APIs (default: nonblocking)\n",
    );
    text.push_str(
        "        -i: use MPI independent I/O (default: collective)\n        \
         -f prefix: output file prefix name (required)\n",
    );
    text.push('\n');
    OWN.iter().for_each(|own| text.push_str(&own.help(19)));
    text.push_str(
        "\nThe ranks are MPI ranks: mpirun -n RANKS assay flash-io -f PREFIX. PnetCDF (with --hdf5: HDF5)\n\
         must be built on the same MPI; `assay backends` checks this.\n\
         The files are overwritten and stay:\n  \
         PREFIXncmpi_chk_0000.nc       with --hdf5: PREFIXhdf5_chk_0000\n  \
         PREFIXncmpi_plt_cnt_0000.nc                PREFIXhdf5_plt_cnt_0000\n  \
         PREFIXncmpi_plt_crn_0000.nc                PREFIXhdf5_plt_crn_0000\n",
    );
    text
}

/// A run that was checked.
struct ReadyFlashIo {
    parameters: FlashIoParameters,
    /// How long a collective call on a file may last.
    call_limit: Duration,
    /// How many calls on files this rank has begun.
    calls: AtomicU64,
    arrays: Box<dyn Arrays>,
    /// The file system of the files.
    storage: Box<dyn Storage>,
}

impl ReadyFlashIo {
    /// The last call on a file that this rank has begun, with its number. It may have ended a moment ago.
    fn call(&self) -> Option<(u64, &'static str)> {
        match self.calls.load(Ordering::Relaxed) {
            0 => None,
            begun => Some((begun, "open, transfer or close")),
        }
    }
}

/// Checks everything. All ranks reject together.
fn prepare(typed: &Parsed, session: Session) -> Result<(Session, ReadyFlashIo), Usage> {
    let parameters = &typed.parameters;
    let ready = parameters.check(session.size()).and_then(|()| {
        let arrays = match parameters.form {
            Form::Pnetcdf => storage::arrays::pnetcdf()?,
            Form::Hdf5 => storage::arrays::hdf5(typed.alignment.unwrap_or(1))?,
        };
        let call_limit = stuck::call_limit(std::env::var(stuck::CALL_LIMIT_VARIABLE).ok().as_deref())?;
        Ok(ReadyFlashIo {
            parameters: parameters.clone(),
            call_limit,
            calls: AtomicU64::new(0),
            arrays,
            storage: posix()?,
        })
    });
    session.agree(ready)
}

/// The part of each rank.
fn one_rank(
    ready: &ReadyFlashIo,
    part: RankContext<'_>,
    mut voice: Option<&mut FlashIoText>,
) -> Result<u8, Halt> {
    let ReadyFlashIo { parameters, arrays, storage, calls, .. } = ready;
    let RankContext { comm, mut clock, records } = part;
    if let Some(text) = &mut voice {
        text.on_node(comm.node_name());
    }
    let mut observer = voice.as_deref_mut();
    let mut cx = FlashIoContext { clock: &mut clock, records, observer: &mut observer, calls };
    let wrong = workloads::flash_io::run(parameters, &**arrays, &**storage, comm, &mut cx)?;
    let Some(text) = voice else { return Ok(error_if(wrong > 0)) };
    if wrong > 0 {
        complain(&format!("flash-io: wrong data: {wrong} reads returned values that were not written"));
    }
    Ok(error_if(!are_printed("flash-io", text.printer.finish()) || wrong > 0))
}

/// Rejects a command line that a run rejects on any machine.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let typed = Parsed::parse(tokens)?;
    if typed.help {
        return Ok(LineEffect::Prints);
    }
    start.check(Needs::of_backend(typed.parameters.form.backend())?)?;
    typed.parameters.check(start.ranks())?;
    Ok(LineEffect::Runs)
}
