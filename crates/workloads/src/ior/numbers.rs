//! The numbers of a phase over all ranks. One reduction has all extremes, and one all sums. A third brings
//! latencies and the timeline to rank 0.

use measure::Meter;
use ranks::Halt;
use results::record::{Balance, Check, ClockPace, KernelCount, OpenedFiles, Stonewall, SyncTime};

use super::each_rank::{self, OwnNumbers};
use super::setting::{PhaseOutcome, PhaseSetting};
use super::sync_time::SyncPlaces;
use super::test::RunningTest;
use super::transfer::{AtDeadline, RankDone};
use crate::kit::balance::BalancePlaces;
use crate::kit::each_rank::percentiles;
use crate::kit::opened::OpenedPlaces;
use crate::kit::parts::{PartPlace, ReducedParts, ReductionParts, TOP};
use crate::kit::reduce::{DeadlinePlaces, DoneAtDeadline, MeasuredPlaces};
use crate::kit::stamps::PhaseSpans;

/// The numbers, the same on all ranks unless noted.
pub(super) struct PhaseNumbers {
    pub(super) spans: PhaseSpans,
    pub(super) sums: Sums,
    /// The effect of the deadline, if there is one, and the transfers of all ranks until then.
    pub(super) stonewall: Option<(Stonewall, u64)>,
    /// Without the slowest rank.
    pub(super) balance: Balance,
    /// The time of the fsync, if there was one.
    pub(super) sync: Option<SyncTime>,
    /// On rank 0.
    pub(super) opened: Option<OpenedFiles>,
    pub(super) kernel: Option<KernelCount>,
    pub(super) own: OwnNumbers,
    pub(super) pace: Option<ClockPace>,
}

/// Reduces the numbers of this phase. The latencies and the timeline of rank 0 become those of all ranks.
/// Collective.
pub(super) fn reduce(
    test: &RunningTest<'_>,
    setting: &PhaseSetting,
    done: &mut RankDone,
) -> Result<PhaseNumbers, Halt> {
    let (rank, parameters) = (&test.rank, test.parameters);
    let mut parts = ReductionParts::default();
    let stamps = done.stamps.add(&mut parts, rank);
    let sums = SumPlaces::add(&mut parts, test, setting, done);
    let balance = BalancePlaces::add(&mut parts, each_rank::work(test, done));
    let AtDeadline { transfers, bytes, elapsed_ns, ran_dry, .. } = done.at_deadline;
    let mine = DoneAtDeadline { transfers, bytes, elapsed_ns, ran_dry };
    let wall = (parameters.deadline > 0).then(|| DeadlinePlaces::add(&mut parts, mine));
    let opened = OpenedPlaces::add(&mut parts, rank.comm, test.storage, &setting.path);
    let kernel = rank.add_kernel(&mut parts);
    let Meter { latency, timeline, .. } = &mut done.tally.meter;
    let percentiles_ns = percentiles(latency);
    let measured = MeasuredPlaces::add(&mut parts, latency, Some(timeline));
    // All ranks have one, or none has.
    let sync = done.sync_ns.filter(|_| setting.is_first).map(|ns| SyncPlaces::add(&mut parts, ns));
    let reduced = parts.reduce(rank.comm)?;
    measured.to_rank_0(rank.comm, &reduced, latency, Some(timeline))?;
    let own = OwnNumbers { kernel: rank.kernel_bytes(kernel.as_ref()), percentiles_ns };
    let (kernel, pace) = rank.kernel(kernel, &reduced);
    let spans = stamps.spans(&reduced, rank, parameters.ramp > 0);
    let span_s = spans.spans.transfer_s;
    let sync = sync.map(|sync| sync.of(&reduced, rank.comm, &rank.node, span_s)).transpose()?;
    Ok(PhaseNumbers {
        spans,
        sync,
        sums: sums.of(&reduced),
        stonewall: wall.map(|wall| wall.stonewall(&reduced, parameters.deadline, parameters.wear_out)),
        balance: balance.extremes(&reduced),
        opened: opened.files(rank.comm, &reduced)?,
        kernel,
        own,
        pace,
    })
}

/// Sums and extremes over the ranks.
pub(super) struct Sums {
    /// Complete transfers.
    pub(super) transfers: u64,
    /// Fewest and most transfers of any rank, also those that do not count.
    pub(super) of_a_rank: [u64; 2],
    /// Their bytes, and the bytes of transfers that met the end of a file.
    pub(super) bytes: u64,
    pub(super) short: u64,
    /// Bytes that were moved again, because the pattern was repeated.
    pub(super) repeated: u64,
    pub(super) files: u64,
    pub(super) smallest_file: Option<u64>,
    /// Number of devices among the files, whose size is not usable.
    pub(super) devices: u64,
}

impl Sums {
    /// What later phases use of this one. `transfers` are those of this rank.
    pub(super) fn outcome(&self, transfers: u64, check: Option<&Check>) -> PhaseOutcome {
        let [transfers_min, transfers_max] = self.of_a_rank;
        let bad = check.map_or(0, |check| check.bad_transfers);
        PhaseOutcome { transfers, transfers_min, transfers_max, bad }
    }
}

/// Where they are.
struct SumPlaces {
    sums: [PartPlace; 6],
    of_a_rank: [PartPlace; 2],
    smallest: PartPlace,
}

impl SumPlaces {
    fn add(
        parts: &mut ReductionParts,
        test: &RunningTest<'_>,
        setting: &PhaseSetting,
        done: &RankDone,
    ) -> Self {
        let counts = test.parameters.file_per_rank || test.rank.comm.rank() == 0;
        let device = counts && test.storage.is_device(&setting.path);
        let size = if counts && !device { test.storage.size(&setting.path).unwrap_or(None) } else { None };
        let meter = &done.tally.meter;
        let repeated = done.transfers.saturating_sub(setting.transfers) * test.call_bytes();
        let (transfers, bytes) = (meter.transfers(), meter.bytes());
        let sums = parts.sums([transfers, bytes, done.short, repeated, size.unwrap_or(0), device.into()]);
        let of_a_rank = [parts.min(done.transfers), parts.max(done.transfers)];
        Self { sums, of_a_rank, smallest: parts.min(size.unwrap_or(TOP)) }
    }

    fn of(self, reduced: &ReducedParts) -> Sums {
        let [transfers, bytes, short, repeated, files, devices] = reduced.all(self.sums);
        let smallest_file = Some(reduced.of(self.smallest)).filter(|bytes| *bytes != TOP);
        let of_a_rank = reduced.all(self.of_a_rank);
        Sums { transfers, of_a_rank, bytes, short, repeated, files, smallest_file, devices }
    }
}
