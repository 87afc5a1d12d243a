//! A test from its first to its last repetition (IOR 4.1).

use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::Clock;
use ranks::{Comm, Halt, Reduce};
use storage::Storage;

use super::observer::Event;
use super::parameters::{Parameters, Reorder};
use super::phase::{self, Kind, Outcome, Repetition};
use super::reorder::Place;
use super::test::{Cx, Summary, Test};
use super::{names, reorder};
use crate::kit::drive::words;

/// Runs a test that was [`Parameters::check`]ed on the ranks of `comm`; every rank's body.
pub fn run(
    parameters: &Parameters,
    storage: &dyn Storage,
    comm: &dyn Comm,
    cx: &mut Cx<'_>,
) -> Result<Summary, Halt> {
    let place = place(parameters, comm)?;
    let mut test = Test { parameters, storage, comm, place, cx, began_ns: 0, phases: 0 };
    test.began_ns = comm.reduce_one(test.on_rank_0(test.cx.clock.ns()), Reduce::Min)?;
    begin(&mut test)?;
    let seed = agreed_seed(&test)?;
    if parameters.write {
        tell_existing(&mut test)?;
    }
    let mut bad_transfers = 0;
    let mut worn_out = 0;
    for number in 0..parameters.repetitions.max(1) {
        let signature = parameters.signature.unwrap_or((seed as u32).wrapping_add(number) as i32);
        let offset_seed = parameters.offset_seed.unwrap_or(seed);
        let repetition = Repetition { number, signature, offset_seed };
        test.cx.observer.event(&Event::Repetition { repetition: number, signature });
        let (bad, most) = one(&mut test, repetition)?;
        bad_transfers += bad;
        if number == 0 {
            worn_out = most;
        }
        if bad > 0
            && parameters.keep_with_error
            && !parameters.multi_file
            && number + 1 < parameters.repetitions
        {
            let done = number + 1;
            let text =
                format!("-K: stopped after {done} repetitions, whose files hold wrong data and are kept");
            test.notice("kept-with-error", &text)?;
            break;
        }
    }
    if parameters.write && parameters.wear_out {
        leave_status(&test, worn_out)?;
    }
    Ok(Summary { bad_transfers })
}

/// Tells rank 0's sink and observer that the test begins.
fn begin(test: &mut Test<'_, '_>) -> Result<(), Halt> {
    let worst = test.comm.reduce_one(test.cx.offset.uncertainty_ns, Reduce::Max)?;
    let nodes = test.place.nodes;
    let begun = if test.comm.rank() == 0 { test.cx.records.begin(nodes, worst) } else { Ok(()) };
    test.comm
        .agree("record", begun.map_err(|error| format!("cannot write the records: {}", words(&error))))?;
    test.cx.observer.event(&Event::Test {
        test: test.parameters.test,
        place: test.place,
        ranks: test.comm.size(),
    });
    tell_idle_reordering(test)
}

/// `-C` counts in nodes: with all ranks on one node it changes nothing, and a reader is its own writer.
fn tell_idle_reordering(test: &mut Test<'_, '_>) -> Result<(), Halt> {
    let (parameters, ranks) = (test.parameters, test.comm.size());
    let reads = parameters.read || parameters.read_check;
    let own = reorder::owner(parameters, test.place, 0, ranks, 0, false) == 0;
    if !(reads && own && parameters.reorder == Reorder::Constant && ranks > 1) {
        return Ok(());
    }
    let text = "-C has no effect here: it shifts by whole nodes, and the ranks come round to themselves; \
                every rank reads its own data (-O numTasksOnNode0=1 shifts by ranks)";
    test.notice("reorder-no-effect", text)
}

/// One repetition; returns its bad transfers and the most transfers any rank wrote.
fn one(test: &mut Test<'_, '_>, repetition: Repetition) -> Result<(u64, u64), Halt> {
    let parameters = test.parameters;
    let mut bad = 0;
    let mut written: Option<Outcome> = None;
    if parameters.write {
        delay(test);
        make_dirs(test)?;
        if !parameters.use_existing {
            remove(test, repetition.number)?;
        }
        let outcome = phase::run(test, Kind::Write, repetition, None);
        written = Some(outcome.inspect_err(|_| clean_up(test, repetition.number))?);
    }
    if parameters.write_check {
        let limit = limit(test, written)?;
        let checked = phase::run(test, Kind::WriteCheck, repetition, limit);
        bad += checked.map_err(|halt| naming_files(test, repetition.number, halt))?.bad;
    }
    if parameters.mix.is_some() {
        delay(test);
        all_there(test, repetition.number)?;
        let limit = limit(test, written)?;
        let mixed = phase::run(test, Kind::Mixed, repetition, limit);
        mixed.map_err(|halt| naming_files(test, repetition.number, halt))?;
    }
    if parameters.read || parameters.read_check {
        delay(test);
        let kind = if parameters.read_check { Kind::ReadCheck } else { Kind::Read };
        let limit = limit(test, written)?;
        let read = phase::run(test, kind, repetition, limit);
        bad += read.map_err(|halt| naming_files(test, repetition.number, halt))?.bad;
    }
    // Files that a mixed phase found are not this run's; the classic removes only what it read or wrote.
    let found = parameters.mix.is_some() && !parameters.write && !(parameters.read || parameters.read_check);
    let kept = parameters.keep || (parameters.keep_with_error && bad > 0) || found;
    if !kept {
        test.comm.barrier()?;
        let begin = test.cx.clock.ns();
        remove(test, repetition.number)?;
        test.comm.barrier()?;
        let seconds = (test.cx.clock.ns() - begin) as f64 * 1e-9;
        test.cx.observer.event(&Event::Removed { repetition: repetition.number, seconds });
    }
    Ok((bad, written.map_or(0, |outcome| outcome.transfers_max)))
}

/// Says no to a mixed phase on files that are not there in full: it reads what it has not yet written.
fn all_there(test: &Test<'_, '_>, repetition: u32) -> Result<(), Halt> {
    let needed = test.parameters.layout(test.comm.size()).file_bytes();
    let there = own_file(test, repetition).map_or(Ok(()), |path| match test.storage.size(&path) {
        _ if !test.storage.keeps_data() || test.parameters.write => Ok(()),
        Ok(Some(found)) if found >= needed => Ok(()),
        Ok(found) => Err(format!(
            "{}: {} bytes are there and --rwmix needs {needed}; add -w to write them first",
            path.display(),
            found.unwrap_or(0)
        )),
        Err(error) => Err(format!("{}: {}", path.display(), words(&error))),
    });
    test.comm.agree("mixed", there)
}

/// The halt of a read, which also names the files that this run wrote and now leaves behind.
fn naming_files(test: &Test<'_, '_>, repetition: u32, mut halt: Halt) -> Halt {
    if test.parameters.write && !test.parameters.keep {
        let first = names::file(test.parameters, 0, repetition);
        halt.why.push_str(&format!(" (what this run wrote is left: {} ...)", first.display()));
    }
    halt
}

/// How much a reader may read: what the writer of its data wrote, or the count of an earlier run.
fn limit(test: &mut Test<'_, '_>, written: Option<Outcome>) -> Result<Option<u64>, Halt> {
    if let Some(written) = written {
        let own = test.parameters.reorder == Reorder::Own;
        return Ok(Some(if own { written.transfers } else { written.transfers_min }));
    }
    let Some(path) = &test.parameters.status_file else { return Ok(None) };
    let mut words = Vec::new();
    if test.comm.rank() == 0 {
        words = std::fs::read_to_string(path).unwrap_or_default().trim().as_bytes().to_vec();
    }
    test.comm.broadcast(0, &mut words)?;
    let count = String::from_utf8_lossy(&words).parse().ok().filter(|count: &u64| *count > 0);
    if count.is_none() {
        let text = "Could not read back the stonewalling status from the file!";
        test.cx.observer.event(&Event::Warning(text));
    }
    Ok(count)
}

fn leave_status(test: &Test<'_, '_>, transfers: u64) -> Result<(), Halt> {
    let Some(path) = &test.parameters.status_file else { return Ok(()) };
    let written = if test.comm.rank() == 0 { std::fs::write(path, transfers.to_string()) } else { Ok(()) };
    test.comm.agree("status file", written.map_err(|error| format!("{path}: {}", words(&error))))
}

/// `-d`: rank 0 sleeps, the others wait for it at the phase's barrier.
fn delay(test: &mut Test<'_, '_>) {
    let seconds = test.parameters.delay;
    if seconds > 0 {
        test.cx.observer.event(&Event::Delay(seconds));
        if test.comm.rank() == 0 {
            std::thread::sleep(Duration::from_secs(seconds.into()));
        }
    }
}

/// The file that this rank makes and removes, if any: its own, or the shared one on rank 0.
fn own_file(test: &Test<'_, '_>, repetition: u32) -> Option<PathBuf> {
    let rank = test.comm.rank();
    (test.parameters.file_per_rank || rank == 0).then(|| names::file(test.parameters, rank, repetition))
}

/// Removes the files of a repetition; one that is not there is not an error.
fn remove(test: &Test<'_, '_>, repetition: u32) -> Result<(), Halt> {
    let removed = own_file(test, repetition).map_or(Ok(()), |path| remove_file(test.storage, &path));
    test.comm.agree("remove", removed)
}

fn remove_file(storage: &dyn Storage, path: &Path) -> Result<(), String> {
    let exists = storage.size(path).map(|size| size.is_some());
    match exists.and_then(|exists| if exists { storage.remove(path) } else { Ok(()) }) {
        Ok(()) => Ok(()),
        Err(error) => Err(format!("{}: {}", path.display(), words(&error))),
    }
}

/// After a failed write: takes away what this run made, unless the user wants the files kept.
fn clean_up(test: &Test<'_, '_>, repetition: u32) {
    let wanted = test.parameters.keep || test.parameters.keep_with_error || test.parameters.use_existing;
    if let Some(path) = own_file(test, repetition).filter(|_| !wanted) {
        // The failure that led here is what the user has to hear of, not this one.
        let _ = remove_file(test.storage, &path);
    }
}

fn make_dirs(test: &Test<'_, '_>) -> Result<(), Halt> {
    let Some(dir) = names::unique_dir(test.parameters, test.comm.rank()) else { return Ok(()) };
    let made = match test.storage.names() {
        Some(names) => names.make_dir(&dir).map_err(|error| format!("{}: {}", dir.display(), words(&error))),
        None => Err("-u needs directories, and this backend has none".to_owned()),
    };
    test.comm.agree("make directory", made)
}

/// Tells which of the files to be written are there already.
fn tell_existing(test: &mut Test<'_, '_>) -> Result<(), Halt> {
    let repetitions = if test.parameters.multi_file { test.parameters.repetitions } else { 1 };
    let files = (0..repetitions).filter_map(|number| own_file(test, number));
    let there = |path: &PathBuf| test.storage.size(path).is_ok_and(|size| size.is_some());
    let found: Vec<String> = files.filter(there).map(|path| path.display().to_string()).collect();
    let exists = !found.is_empty();
    let kept = test.parameters.use_existing;
    if test.comm.reduce_one(exists.into(), Reduce::Max)? == 0 {
        return Ok(());
    }
    for paths in test.comm.gather(found.join("\n").as_bytes())?.unwrap_or_default() {
        for path in String::from_utf8_lossy(&paths).lines() {
            test.cx.observer.event(&Event::Exists { path, kept });
        }
    }
    Ok(())
}

/// Rank 0's seed, on all ranks.
fn agreed_seed(test: &Test<'_, '_>) -> Result<u64, Halt> {
    let mut bytes = test.cx.seed.to_le_bytes().to_vec();
    test.comm.broadcast(0, &mut bytes)?;
    Ok(bytes.try_into().map_or(0, u64::from_le_bytes))
}

/// Where the ranks are: nodes by shared memory, `-O numNodes` and `numTasksOnNode0` go first.
fn place(parameters: &Parameters, comm: &dyn Comm) -> Result<Place, Halt> {
    let node = comm.split_by_node()?;
    let nodes = comm.reduce_one(u64::from(node.rank() == 0), Reduce::Sum)? as u32;
    let on_node0 = if comm.rank() == 0 { node.size() } else { 0 };
    let on_node0 = comm.reduce_one(on_node0.into(), Reduce::Max)? as u32;
    // Rank 1 shares the node of rank 0 when it is second there.
    let beside = comm.rank() == 1 && node.rank() == 1;
    let beside = comm.reduce_one(beside.into(), Reduce::Max)? == 1;
    let place = Place {
        nodes: parameters.nodes.unwrap_or(nodes),
        ranks_on_node0: parameters.ranks_on_node0.unwrap_or(on_node0),
        by_block: beside || comm.size() == 1,
    };
    debug_assert!(reorder::owner(parameters, place, comm.rank(), comm.size(), 0, false) < comm.size());
    Ok(place)
}
