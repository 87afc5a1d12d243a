//! The kinds of operations of a phase over all ranks: numbers, balance and latencies.
//!
//! Invariant: whether a kind has a collective depends on the numbers of all ranks, because a rank may have
//! done no operation of it.

use measure::Histogram;
use ranks::{Comm, Halt};
use results::record::{Balance, Failed, FailureReason, Latency, Phase};

use super::result::{CALLS, ObjectCall, StepResult};
use crate::kit::balance::{self, BalancePlaces, RankWork};
use crate::kit::few;
use crate::kit::node::Node;
use crate::kit::operations::failures::Failures;
use crate::kit::parts::ReductionParts;
use crate::kit::reduce::MeasuredPlaces;

/// Sums and extremes of all ranks, the same on every rank.
pub(super) struct RankTotals {
    /// Operations with a latency, by kind.
    timed: [u64; CALLS],
    balances: [Balance; CALLS],
    /// Operations that failed, by kind.
    failed: [u64; CALLS],
    /// Operations that failed, or found wrong data.
    pub(super) errors: u64,
    /// Ranks that found wrong data.
    pub(super) wrong: u64,
    /// Ranks with a data set that stays.
    pub(super) kept: u64,
}

impl RankTotals {
    /// Reduces what each rank did, and makes the latencies of rank 0 those of all ranks. `failed` has the
    /// operations of this rank that failed, by kind. `texts` says whether it found wrong data, and a data set
    /// that stays. Collective.
    pub(super) fn reduce(
        comm: &dyn Comm,
        mine: &StepResult,
        histograms: &mut [Histogram],
        failed: [u64; CALLS],
        texts: [bool; 2],
    ) -> Result<Self, Halt> {
        let mut parts = ReductionParts::default();
        let add = |histogram: &mut Histogram| MeasuredPlaces::add(&mut parts, histogram, None);
        let measured: Vec<MeasuredPlaces> = histograms.iter_mut().map(add).collect();
        let balances = ObjectCall::ALL.map(|call| BalancePlaces::add(&mut parts, work(mine, call)));
        let timed = parts.sums(mine.counts.map(|count| count.timed));
        let failed = parts.sums(failed);
        let others = parts.sums([mine.errors(), texts[0].into(), texts[1].into()]);
        let reduced = parts.reduce(comm)?;
        let timed = reduced.all(timed);
        for ((places, histogram), timed) in measured.into_iter().zip(histograms).zip(timed) {
            if timed > 0 {
                places.to_rank_0(comm, &reduced, histogram, None)?;
            }
        }
        let [errors, wrong, kept] = reduced.all(others);
        let balances = balances.map(|places| places.extremes(&reduced));
        Ok(Self { timed, balances, failed: reduced.all(failed), errors, wrong, kept })
    }

    /// The failed operations of all ranks by kind. Only rank 0 has their paths. Collective.
    pub(super) fn failures(
        &self,
        comm: &dyn Comm,
        mine: [Failures; CALLS],
    ) -> Result<Vec<Option<Failed>>, Halt> {
        mine.into_iter().zip(self.failed).map(|(kind, all)| kind.over_ranks(comm, all)).collect()
    }

    /// Whether any rank tried an operation of this kind.
    pub(super) fn tried(&self, call: ObjectCall) -> bool {
        self.has(call) || self.failed[call as usize] > 0
    }

    /// Whether any rank did an operation of this kind.
    pub(super) fn has(&self, call: ObjectCall) -> bool {
        self.timed[call as usize] > 0
    }

    /// The record of one kind in the phase `whole`, without its failures. The times are those of the whole
    /// phase. The columns and what the kernel counted are only in the record of the whole phase. Only rank 0
    /// has the `latency` and the results of all `ranks`. `node` is that of rank 0.
    pub(super) fn record(
        &self,
        whole: &Phase,
        call: ObjectCall,
        object_bytes: u64,
        latency: Option<Latency>,
        (ranks, node): (&[StepResult], &Node),
    ) -> Phase {
        let moves = matches!(call, ObjectCall::Create | ObjectCall::Read);
        let transfer_bytes = if moves { object_bytes } else { 0 };
        let ops = self.timed[call as usize];
        let bytes = ops * transfer_bytes;
        let mut balance = self.balances[call as usize].clone();
        balance::add_slowest(&mut balance, ranks.iter().map(|rank| work(rank, call)), node);
        Phase {
            phase: format!("{}_{}", whole.phase, call.name()),
            ops,
            transfer_bytes,
            expected_bytes: bytes,
            bytes,
            latency,
            balance,
            direct: moves && whole.direct,
            timeline: None,
            each_rank: None,
            kernel: None,
            failed: None,
            ..whole.clone()
        }
    }
}

/// The failed operations of all kinds together.
pub(super) fn all_failed(kinds: &[Option<Failed>]) -> Option<Failed> {
    let mut reasons: Vec<FailureReason> = Vec::new();
    for reason in kinds.iter().flatten().flat_map(|kind| &kind.reasons) {
        match reasons.iter_mut().find(|known| known.why == reason.why) {
            Some(known) => known.operations += reason.operations,
            None => reasons.push(reason.clone()),
        }
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.operations));
    let first = kinds.iter().flatten().map(|kind| kind.first.clone()).collect();
    let operations: u64 = kinds.iter().flatten().map(|kind| kind.operations).sum();
    let failed = Failed { operations, reasons, first: few::in_turn(first, Failed::CAP) };
    (operations > 0).then_some(failed)
}

/// The operations of one kind, in the time of all kinds.
fn work(rank: &StepResult, call: ObjectCall) -> RankWork {
    let amount = rank.count(call).timed;
    RankWork { amount, ns: (rank.seconds * 1e9) as u64, given: amount > 0 }
}
