//! What is recorded of every single rank after a phase, and what is reported of it on request.
//!
//! These are the gathers whose total size grows with the number of ranks. docs/validation/scale.md lists
//! them.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use command::ior::Offsets;
use measure::{Clock, Tick, unix_seconds};
use ranks::Halt;
use results::record::{Balance, EachRank};
use storage::targets;

use super::observer::{IorEvent, IorRankTimes, RankStamps};
use super::setting::PhaseSetting;
use super::test::RunningTest;
use super::transfer::RankDone;
use super::{names, reorder};
use crate::kit::balance::RankWork;
use crate::kit::each_rank::{self, RankReport};
use crate::kit::reduce;
use crate::kit::stamps::PhaseStamps;

/// The verbosity at which every rank's stamps and files are reported.
const EACH_AT: u32 = 3;

/// What this rank alone has.
pub(super) struct OwnNumbers {
    /// Bytes that the kernel fetched and sent for it.
    pub(super) kernel: Option<[u64; 2]>,
    /// Of its latencies.
    pub(super) percentiles_ns: [u64; 2],
}

/// What each rank did, for the record, on rank 0. The slowest is added to the balance. This runs after the
/// clock has stopped. Collective.
pub(super) fn collect(
    test: &RunningTest<'_>,
    setting: &PhaseSetting,
    done: &RankDone,
    own: &OwnNumbers,
    balance: &mut Balance,
) -> Result<Option<EachRank>, Halt> {
    let parameters = test.parameters;
    let work = work(test, done);
    let wears_out = parameters.wear_out && parameters.deadline > 0;
    let at = &done.at_deadline;
    let asks = parameters.file_per_rank && test.storage.mounted().is_some();
    // Random blocks of a shared file are those of all ranks.
    let reads_anywhere = parameters.offsets == Offsets::RandomBlocks && !parameters.file_per_rank;
    let report = RankReport {
        work,
        ended_ns: test.rank.since_start_ns(done.stamps.transfer.1),
        wear_out: wears_out.then(|| (at.bytes, work.ns.saturating_sub(at.elapsed_ns))),
        opened_closed_ns: Some(opened_closed_ns(test, &done.stamps)),
        percentiles_ns: own.percentiles_ns,
        data_of: (setting.kind.reads() && !reads_anywhere).then_some(setting.owner),
        kernel: own.kernel,
        targets: asks.then(|| targets::of_file(test.storage.system_path(&setting.path))),
    };
    each_rank::collect(test.rank.comm, &test.rank.node, &report, balance)
}

/// How long the open and the close took. What was before the end of a ramp does not count.
fn opened_closed_ns(test: &RunningTest<'_>, stamps: &PhaseStamps) -> [u64; 2] {
    let ns = |(from, to): (Tick, Tick)| test.rank.clock.scale().ns(to.0.saturating_sub(from.0));
    let opened = if test.parameters.ramp > 0 { 0 } else { ns(stamps.open) };
    [opened, ns((stamps.close.0.max(stamps.transfer.0), stamps.close.1))]
}

/// The bytes of this rank, and the time of its transfers.
pub(super) fn work(test: &RunningTest<'_>, done: &RankDone) -> RankWork {
    let (from, to) = done.stamps.transfer;
    let ns = test.rank.clock.scale().ns(to.0 - from.0);
    RankWork { amount: done.tally.meter.bytes(), ns, given: true }
}

/// Reports every rank's own times (`-O saveRankPerformanceDetailsCSV`) and stamps (`-vvv`).
pub(super) fn report(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    done: &RankDone,
) -> Result<(), Halt> {
    let phase = setting.kind.name();
    let moments = moments(test, &done.stamps);
    if test.parameters.rank_times {
        let [[opened, _], transfer, [_, end]] = moments;
        // As in the phase's own record, counting begins after the ramp.
        let begin = if test.parameters.ramp > 0 { transfer[0] } else { opened };
        let bytes = done.tally.meter.bytes();
        let mine = [end.saturating_sub(begin), transfer[1].saturating_sub(transfer[0]), bytes];
        let rows = reduce::gather(test.rank.comm, mine)?.unwrap_or_default();
        let row = |[total, transfer, bytes]: [u64; 3]| IorRankTimes {
            total_s: seconds(total),
            transfer_s: seconds(transfer),
            bytes,
        };
        let rows: Vec<IorRankTimes> = rows.into_iter().map(row).collect();
        test.observer.event(&IorEvent::RankTimes { phase, rows: &rows });
    }
    // The two halves of a mixed phase have the same stamps.
    if test.parameters.verbose >= EACH_AT && setting.is_first {
        let [open, transfer, close] = moments;
        let mine = [open[0], open[1], transfer[0], transfer[1], close[0], close[1]];
        let rows = reduce::gather(test.rank.comm, mine)?.unwrap_or_default();
        let began = unix_seconds() - seconds(test.rank.since_start_ns(test.rank.clock.now()));
        let at = |ns| began + seconds(ns);
        let row = |row: [u64; 6]| RankStamps {
            open: (at(row[0]), at(row[1])),
            transfer: (at(row[2]), at(row[3])),
            close: (at(row[4]), at(row[5])),
        };
        let rows: Vec<RankStamps> = rows.into_iter().map(row).collect();
        let repetition = setting.repetition.number;
        test.observer.event(&IorEvent::Stamps { phase, repetition, rows: &rows });
    }
    Ok(())
}

/// Reports what each rank with a path does with it (`-vvv`).
pub(super) fn report_files(
    test: &mut RunningTest<'_>,
    action: &'static str,
    mine: Option<&Path>,
) -> Result<(), Halt> {
    if test.parameters.verbose < EACH_AT {
        return Ok(());
    }
    let mine = mine.map_or(&[][..], |path| path.as_os_str().as_bytes());
    let all = test.rank.comm.gather(mine)?.unwrap_or_default();
    let row = |(rank, path): (usize, &Vec<u8>)| (rank as u32, String::from_utf8_lossy(path).into_owned());
    let rows: Vec<_> = all.iter().enumerate().filter(|(_, path)| !path.is_empty()).map(row).collect();
    if !rows.is_empty() {
        test.observer.event(&IorEvent::Files { action, rows: &rows });
    }
    Ok(())
}

/// Reports which file each rank is about to read (`-vvv`).
pub(super) fn report_readers(test: &mut RunningTest<'_>, repetition: u32) -> Result<(), Halt> {
    let (rank, ranks) = (test.rank.comm.rank(), test.rank.comm.size());
    let owner = reorder::owner(test.parameters, test.place, rank, ranks, repetition, false);
    report_files(test, "reading", Some(&names::file(test.parameters, owner, repetition)))
}

/// Starts and ends since the start of the test, nanoseconds.
fn moments(test: &RunningTest<'_>, stamps: &PhaseStamps) -> [[u64; 2]; 3] {
    let parts = [stamps.open, stamps.transfer, stamps.close];
    parts.map(|(from, to)| [test.rank.since_start_ns(from), test.rank.since_start_ns(to)])
}

fn seconds(ns: u64) -> f64 {
    ns as f64 * 1e-9
}
