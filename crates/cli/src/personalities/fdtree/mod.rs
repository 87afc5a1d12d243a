//! `fdtree`: the command line and the output of fdtree 1.0.2, over the workload of that name.

mod text;
mod trace;

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use command::PlannedLine;
use command::fdtree::Parsed;
use ranks::Halt;
use storage::Storage;
use units::Usage;
use workloads::fdtree::{self, FdtreeParameters, FdtreePhase, find, has_shape};
use workloads::kit::path::c_path;
use workloads::kit::{clients, rank::Rank};

use super::LineEffect;
use super::classic::interrupt;
use super::own_lines::{amount, own_lines};
use super::perform::{RankContext, perform};
use super::printer::{Printer, are_printed};
use super::program::{StartedProgram, posix};
use crate::session::{Needs, RankStart, Session};
use crate::speech::complain;
use crate::status::error_if;
use text::{FdtreeLook, FdtreeText};

/// The file in which the kernel reports the name of this node.
const HOST: &str = "/proc/sys/kernel/hostname";

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives the
/// exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("fdtree", argv, |program| started(program, tokens, local))
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let started = measure::unix_seconds();
    let typed = Parsed::parse(tokens)?;
    if typed.help {
        return Ok(program.print(&command::fdtree::help()));
    }
    let session = Session::start(program.launch.as_ref(), local, Needs::Nothing)?;
    let (session, plain) = session.agree(program.is_plain())?;
    let (session, ready) = prepare(&typed, session)?;
    let mut look = FdtreeLook {
        parameters: ready.parameters.clone(),
        ranks: session.size(),
        verbose: typed.verbose,
        debug: typed.debug,
        sized: typed.sized,
        warning: None,
    };
    if typed.dry_run {
        return Ok(program.print_dry_run(session, |_| Ok(dry_run(&look, &*ready.storage))));
    }
    program.note_preloaded();
    if program.speaks && look.parameters.create {
        look.warning = space_warning(&look, &*ready.storage);
    }
    let (session, kept) = session.agree(program.records(typed.record.as_deref()))?;
    if session.mpi().is_none() {
        interrupt::watch(program.name, trees(&ready.parameters, session.size()), "");
    }
    let printer = Printer::new(BufWriter::new(io::stdout()), plain);
    let text = |records| (records, FdtreeText::new(look, printer, started));
    Ok(perform(program, session, kept.map(text), |part, voice| one_rank(&ready, part, voice)))
}

/// The trees that a run may leave behind.
fn trees(parameters: &FdtreeParameters, ranks: u32) -> impl Iterator<Item = PathBuf> {
    (0..ranks).map(move |rank| PathBuf::from(parameters.tree(rank, ranks)))
}

/// A run that was checked.
struct ReadyFdtree {
    parameters: FdtreeParameters,
    storage: Box<dyn Storage>,
}

/// Checks everything. All ranks reject together. Rank 0 finds the tree, or chooses its name.
fn prepare(typed: &Parsed, session: Session) -> Result<(Session, ReadyFdtree), Usage> {
    let storage = posix()?;
    let ranks = session.size();
    let first = session.rank() == 0;
    let base = match first {
        true => {
            check_shape(typed, ranks).and_then(|()| base(typed, &*storage, ranks)).map(String::into_bytes)
        }
        false => Ok(Vec::new()),
    };
    let (session, mut base) = session.agree(base)?;
    session.broadcast(&mut base)?;
    let parameters = FdtreeParameters {
        shape: typed.shape,
        base: String::from_utf8_lossy(&base).into_owned(),
        create: typed.creates(),
        remove: typed.removes(),
        keep_going: typed.keep_going,
    };
    let checked = parameters.check(ranks);
    let (session, ()) = session.agree(checked)?;
    Ok((session, ReadyFdtree { parameters, storage }))
}

/// The base of the tree: a new name for a tree to be created, the name of the existing tree for one to be
/// removed.
fn base(typed: &Parsed, storage: &dyn Storage, ranks: u32) -> Result<String, Usage> {
    let dir = typed.parent();
    let there = Path::new(dir);
    if !there.is_dir() {
        let what = if there.exists() { "not a directory" } else { "does not exist" };
        return Err(Usage(format!("-o {dir}: {what}. Choose an existing directory.")));
    }
    if typed.creates() {
        // All ranks later check the longest name. The host name is the kernel's, without its domain.
        let host = std::fs::read_to_string(HOST).unwrap_or_default();
        let host = host.trim().split('.').next().filter(|host| !host.is_empty()).unwrap_or("localhost");
        return Ok(format!("{dir}/LEVEL0.{host}.{}", std::process::id()));
    }
    let names = storage.names().ok_or_else(|| Usage::new("posix has no directories"))?;
    let Some(base) = &typed.base else { return find(names, dir, typed.shape, ranks) };
    let base = base.trim_end_matches('/');
    let base = if base.contains('/') { base.to_owned() } else { format!("{dir}/{base}") };
    let tree = FdtreeParameters { base: base.clone(), ..FdtreeParameters::default() }.tree(0, ranks);
    let is_tree = names.lstat(&c_path(Path::new(&tree))).is_ok_and(|entry| entry.directory);
    let hint = "Give the options it was made with";
    match has_shape(names, &tree, typed.shape) {
        Err(why) if !typed.keep_going => {
            Err(Usage(format!("--base: {why}. {hint}, or remove its existing part with --continue.")))
        }
        Err(why) if !is_tree => Err(Usage(format!("--base: {why}. Choose an existing tree."))),
        _ => Ok(base),
    }
}

/// The text of `--dryRun`: what would be done, from the options and the free space. Nothing is made or
/// removed.
fn dry_run(look: &FdtreeLook, storage: &dyn Storage) -> String {
    let mut text = String::from("Dry run: nothing is made or removed.\n");
    text.push_str(&(look.header() + &own_lines(&look.own_header())));
    let (parameters, ranks) = (&look.parameters, u64::from(look.ranks));
    for step in parameters.steps() {
        let count = step.items(parameters.shape) * ranks;
        text.push_str(&own_lines(&match step {
            FdtreePhase::CreateDirectories => format!("would make {count} directories"),
            FdtreePhase::CreateFiles => format!("would make {count} files"),
            FdtreePhase::RemoveFiles => format!("would DELETE {count} files"),
            FdtreePhase::RemoveDirectories => format!("would DELETE {count} directories"),
        }));
    }
    if parameters.create {
        text.push_str(&own_lines(&space_check(look, storage).0));
    }
    text
}

/// A warning in one line if the trees do not fit.
fn space_warning(look: &FdtreeLook, storage: &dyn Storage) -> Option<String> {
    let (text, fits) = space_check(look, storage);
    (fits == Some(false)).then(|| format!("warning: {text}"))
}

/// The space that the trees need and the free space, and whether they fit, if the free space is known.
fn space_check(look: &FdtreeLook, storage: &dyn Storage) -> (String, Option<bool>) {
    let (shape, ranks) = (look.parameters.shape, u64::from(look.ranks));
    let bytes = shape.files_total() * shape.file_bytes() * ranks;
    let inodes = (shape.files_total() + shape.directories()) * ranks;
    let needed = format!("needs {} and {inodes} inodes", amount(bytes as f64));
    let dir = Path::new(&look.parameters.base).parent().unwrap_or(Path::new("."));
    match storage.space(dir) {
        Ok(Some(space)) => {
            let counts = space.inodes > 0;
            let fits = space.bytes_available >= bytes && (!counts || space.inodes_free >= inodes);
            let free = amount(space.bytes_available as f64);
            let inodes = if counts { format!(" and {} inodes", space.inodes_free) } else { String::new() };
            let verdict = if fits { "fits" } else { "DOES NOT FIT" };
            (format!("{needed}; {free}{inodes} are free: {verdict}"), Some(fits))
        }
        Ok(None) => (format!("{needed}; the free space is not reported"), None),
        Err(error) => (format!("{needed}; the free space is unknown: {error}"), None),
    }
}

/// The part of each rank.
fn one_rank(
    ready: &ReadyFdtree,
    part: RankContext<'_>,
    mut voice: Option<&mut FdtreeText>,
) -> Result<u8, Halt> {
    let RankContext { comm, mut clock, records } = part;
    let dirs = clients::dirs(&*ready.storage, [clients::dir_of(&ready.parameters.base)]);
    let mut rank = Rank::begin(comm, &mut clock, records, None, &dirs)?;
    let observer = &mut voice.as_deref_mut();
    let done = fdtree::run(&ready.parameters, &*ready.storage, &mut rank, observer);
    let Some(text) = voice else { return Ok(error_if(done? > 0)) };
    let is_printed = are_printed("fdtree", text.finish(done.as_ref().ok().copied()));
    let failed = done?;
    if failed > 0 {
        complain(&format!("fdtree: {failed} operations failed. Each phase lists its failures."));
    }
    Ok(error_if(failed > 0 || !is_printed))
}

/// Rejects a command line that a run rejects on any machine.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let typed = Parsed::parse(tokens)?;
    if typed.help {
        return Ok(LineEffect::Prints);
    }
    start.check(Needs::Nothing)?;
    check_shape(&typed, start.ranks())?;
    Ok(LineEffect::Runs)
}

/// Rejects trees that cannot be made on any machine. The name of the tree has at least `LEVEL0`; the host's
/// name makes it longer.
fn check_shape(typed: &Parsed, ranks: u32) -> Result<(), Usage> {
    let base = format!("{}/LEVEL0", typed.parent());
    FdtreeParameters { shape: typed.shape, base, ..FdtreeParameters::default() }.check(ranks)
}
