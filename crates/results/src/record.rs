//! Records: the measured facts, one JSON object per line.
//!
//! A job writes these records, in order: one [`Run`], then one [`Phase`] for each phase of each repetition.
//! [`Failure`]s and [`Notice`]s follow where they happened. One [`End`] is last. Rank 0 writes each line when
//! its phase ends, so that a later failure loses nothing. A file without an [`End`] belongs to a job that was
//! killed.
//!
//! Invariant: every format ever released still loads. A new field has a default, and a field is never
//! renamed. `schema` in [`Run`] counts incompatible changes.
//! Never here: evaluation. A record states what happened, a verdict states what it means.

mod case;
mod check;
mod clients;
mod data_key;
mod each_rank;
mod failed_call;
mod identity;
mod kernel;
mod metrics;
mod opened;
mod phase_names;
mod possible;
mod quota;
mod reported;
mod stall;
mod state;
mod sync_time;
mod waiting;

use measure::Histogram;
use serde::{Deserialize, Serialize};

use crate::reason::Reason;

pub use case::{Case, CaseOutcome, Evidence};
pub use check::{BadRange, BadRank, Check, SampledData};
pub use clients::{Clients, ClockDifference, DifferingNodes, Mounted, SKEW_S, is_local};
pub use data_key::DataKeyFacts;
pub use each_rank::{Column, EachRank, Moments, WorkPart};
pub use failed_call::{ErrorCause, FailedCall, error_cause, error_name};
pub use identity::{MappedObject, NodeIdentity};
pub use kernel::{ClockPace, KernelCount, MountCount};
pub use metrics::{CACHED_SHARE, GroupValue, METRICS, Metric, MetricKind, MetricRow, PartStatistic};
pub use opened::{OpenedFiles, StrayFile};
pub use phase_names::{BENCHMARK, has_kinds, is_kind, is_part};
pub use quota::{QuotaRejection, QuotaUnit, QuotaUse};
pub use reported::{Reported, ReportedPhase, printed_words};
pub use stall::PhaseStall;
pub use state::{ReachedState, StateExtents};
pub use sync_time::SyncTime;
pub use waiting::{WAITS, WaitingCall};

/// The version of the record format that this program writes.
pub const SCHEMA: u32 = 1;

/// One line of a records file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// Facts of the job; the first line.
    Run(Run),
    /// One phase of one repetition.
    Phase(Box<Phase>),
    /// The state of a file system after preparation.
    State(Box<ReachedState>),
    /// One case of a conformance suite.
    Case(Box<Case>),
    /// One number that an external program printed.
    Value(Value),
    /// What an external program printed about its own run.
    Reported(Box<Reported>),
    /// A failure that ended the phase on all ranks.
    Failure(Failure),
    /// A fact that the reader of the numbers should know.
    Notice(Notice),
    /// The last line: the program ended by itself.
    End(End),
}

/// One number that an external program printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// `PHASE.NAME`, as in the plan.
    pub name: String,
    /// The value, in the base unit of its dimension.
    pub value: f64,
    /// That unit.
    pub unit: String,
    /// The number of lines that it comes from.
    pub lines: u64,
}

/// The workload of a job that is an external program.
pub const APP: &str = "app";

/// Facts of a job: who measured, and with which programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Format version, [`SCHEMA`].
    pub schema: u32,
    /// Program and version, such as `assay 0.1.0`.
    pub tool: String,
    /// Which workload, such as `ior`.
    pub workload: String,
    /// The command line as given.
    pub argv: Vec<String>,
    /// Start time, RFC 3339 with the local offset.
    pub started: String,
    /// Name of the node of rank 0.
    pub host: String,
    /// How many ranks the job had.
    pub ranks: u32,
    /// On how many nodes.
    pub nodes: u32,
    /// The version text of the MPI library; absent for local ranks.
    pub mpi: Option<String>,
    /// Facts of the clock.
    pub clock: ClockFacts,
    /// What the nodes reported at the start; absent if there was nothing to report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Box<Clients>>,
}

/// The quality of the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockFacts {
    /// `cycle counter` or `CLOCK_MONOTONIC`.
    pub source: String,
    /// Smallest step between two different readings, nanoseconds.
    pub resolution_ns: u64,
    /// Time one reading takes, nanoseconds.
    pub cost_ns: f64,
    /// Worst uncertainty of a rank's clock relative to rank 0, nanoseconds; 0 if all ranks share one clock.
    pub offset_uncertainty_ns: u64,
}

/// One phase of one repetition, over all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Number of the test within the job, from 0.
    pub test: u32,
    /// Repetition within the job, from 0.
    pub repetition: u32,
    /// For transfers: `write`, `write_check`, `mixed_write`, `mixed_read` (the two halves of a mixed phase),
    /// `read` or `read_check`. For metadata operations their name, such as `file_creation`.
    pub phase: String,
    /// Backend, such as `posix`.
    pub backend: String,
    /// Whether each rank has its own file.
    pub file_per_rank: bool,
    /// The first file of the phase.
    pub path: String,
    /// Participating ranks.
    pub ranks: u32,
    /// Bytes of one transfer.
    pub transfer_bytes: u64,
    /// Bytes of one block: the data of one rank in one segment.
    pub block_bytes: u64,
    /// How many segments.
    pub segments: u64,
    /// Bytes that the options ask for, over all ranks.
    pub expected_bytes: u64,
    /// Bytes moved, over all ranks.
    pub bytes: u64,
    /// Transfers that completed, over all ranks.
    pub ops: u64,
    /// When the phase began, seconds since the clocks of the job were compared.
    pub began_s: f64,
    /// The four spans of the phase.
    pub spans: Spans,
    /// How evenly the ranks worked.
    pub balance: Balance,
    /// Latency of single transfers over all ranks; absent if nothing was transferred.
    pub latency: Option<Latency>,
    /// Bytes per interval over all ranks.
    pub timeline: Option<Timeline>,
    /// What verification found; absent if nothing was verified.
    pub check: Option<Check>,
    /// What happened at the deadline; absent without a deadline.
    pub stonewall: Option<Stonewall>,
    /// For a read: the share of the sampled pages that were in this client's page cache before it began. It
    /// is the worst over all ranks, 0 to 1; absent if it cannot be known.
    pub cached_before: Option<f64>,
    /// What a few blocks of a plain read had; absent if the data has no stamps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<SampledData>,
    /// The smallest file that the phase wrote or read, bytes. For a single shared file it is the size of that
    /// file. A creation of small files has their size as written.
    pub smallest_file_bytes: Option<u64>,
    /// Whether the data was flushed to storage (fsync) within the transfer span.
    pub persisted: bool,
    /// Whether the page cache was bypassed (`O_DIRECT`).
    pub direct: bool,
    /// The maximum number of outstanding transfers of a rank; 1 for blocking calls.
    pub depth: u32,
    /// Seconds at the start of the phase whose transfers are excluded. The spans begin after them.
    pub ramp_s: f64,
    /// The rate limit of all ranks together, transfers per second. With a limit, latency starts at the moment
    /// at which a transfer should have begun.
    pub rate_limit: Option<f64>,
    /// The unit of `balance`, `timeline` and `ops`.
    pub counts: Counts,
    /// Operations that failed while the run continued; absent without failures.
    pub failed: Option<Failed>,
    /// Files that met the conditions of a search; absent for other phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// The time in which all ranks were active; absent if it is not recorded separately.
    pub window: Option<Window>,
    /// The work of each rank; absent for a part of another phase.
    pub each_rank: Option<EachRank>,
    /// The times of the phase by the wall clock; absent for a part of another phase.
    pub moments: Option<Moments>,
    /// Bytes among `bytes` that were moved again: the pattern was repeated for a minimum time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated_bytes: u64,
    /// Whether an fsync followed every write.
    #[serde(default, skip_serializing_if = "is_false")]
    pub persisted_each: bool,
    /// What the kernel counted; absent for a part of another phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelCount>,
    /// The pace of the ranks' clocks; absent for phases shorter than 1 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace: Option<ClockPace>,
    /// On which file systems the files are; absent without files of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened: Option<OpenedFiles>,
    /// The fsync after the last write of each rank; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncTime>,
    /// What keyed the data; absent for data without a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_key: Option<DataKeyFacts>,
    /// What the ranks were allowed to use of a quota; absent if the phase tests none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<Box<QuotaUse>>,
}

/// The time from the common start until the first rank ended its work: all ranks were active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Operations of all ranks that ended within this time.
    pub ops: u64,
    /// Its length, seconds.
    pub seconds: f64,
    /// The rank that ended first.
    pub first_rank: u32,
}

/// What a phase counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counts {
    /// Bytes, moved by transfers.
    #[default]
    Bytes,
    /// Metadata operations.
    Operations,
}

/// Failed operations. `ops` does not include them. The latency includes them, except in md-workbench.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// How many, over all ranks.
    pub operations: u64,
    /// The reasons, the most frequent first.
    pub reasons: Vec<FailureReason>,
    /// Some of them, at most [`Failed::CAP`]: the first of each rank, then the second, and so on.
    pub first: Vec<FailedOperation>,
}

impl Failed {
    /// The maximum number of failures that a record lists. The count includes all.
    pub const CAP: usize = 64;

    /// The text and the number of each reason.
    pub fn counted(&self) -> Vec<(&str, u64)> {
        self.reasons.iter().map(|reason| (reason.why.as_str(), reason.operations)).collect()
    }
}

/// Why operations failed, and how many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureReason {
    /// The number of the system's error; absent if a library reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errno: Option<i32>,
    /// Whether the calls succeeded but moved too few bytes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_short: bool,
    /// The error as the system states it.
    pub why: String,
    /// How many operations.
    pub operations: u64,
}

impl FailureReason {
    /// Whom the error concerns.
    pub fn cause(&self) -> ErrorCause {
        error_cause(self.errno, self.is_short)
    }
}

/// One operation that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedOperation {
    /// The rank.
    pub rank: u32,
    /// Its node.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The call, such as `mkdir`.
    pub operation: String,
    /// The path.
    pub path: String,
    /// The offset in the file, bytes; absent if the call is about the path itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The number of the system's error; absent if a library reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errno: Option<i32>,
    /// Whether the call succeeded but moved too few bytes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_short: bool,
    /// The error of the system.
    pub why: String,
    /// When it failed by the clock of its node, milliseconds since 1970.
    pub at_unix_ms: u64,
}

impl FailedOperation {
    /// Its call on the path.
    pub fn call(&self) -> FailedCall {
        FailedCall {
            call: self.operation.clone(),
            path: self.path.clone(),
            offset: self.offset,
            errno: self.errno,
            is_short: self.is_short,
            at_unix_ms: self.at_unix_ms,
        }
    }
}

fn is_zero(number: &(impl Default + PartialEq)) -> bool {
    *number == Default::default()
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Seconds from the start of the first rank to the end of the last rank, corrected for clock differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spans {
    /// First open started to last open ended.
    pub open_s: f64,
    /// First transfer started to last transfer (and its fsync) ended.
    pub transfer_s: f64,
    /// First close started to last close ended.
    pub close_s: f64,
    /// First open started to last close ended.
    pub total_s: f64,
}

/// How evenly the ranks worked: the extremes of bytes (or operations, see [`Phase::counts`]) and seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// Fewest bytes of any rank.
    pub bytes_min: u64,
    /// Most bytes of any rank.
    pub bytes_max: u64,
    /// Shortest transfer time of any rank, seconds.
    pub seconds_min: f64,
    /// Longest transfer time of any rank, seconds.
    pub seconds_max: f64,
    /// The rank with the lowest rate over its own transfer time. For operations, ranks without work are
    /// ignored.
    pub slowest_rank: u32,
    /// The node of that rank.
    pub slowest_node: String,
    /// That rank's bytes per second over its own transfer time.
    pub slowest_rate: f64,
    /// Median of the ranks' bytes per second, each over its own transfer time; 0 if it is not known.
    pub median_rate: f64,
}

/// Defines the functions that find the records of one kind.
macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident = $variant:ident($kind:ty);)*) => {
        $(
            $(#[$meta])*
            pub fn $name(records: &[Record]) -> impl Iterator<Item = &$kind> + Clone {
                records.iter().filter_map(|record| match record {
                    Record::$variant(found) => Some::<&$kind>(found),
                    _ => None,
                })
            }
        )*
    };
}

kinds! {
    /// The facts of the job among `records`.
    runs = Run(Run);
    /// The phases among `records`, in their order.
    phases = Phase(Phase);
    /// The states of file systems among `records`, in their order.
    states = State(ReachedState);
    /// The cases among `records`, in their order.
    cases = Case(Case);
    /// The numbers that an external program printed, in their order.
    values = Value(Value);
    /// What an external program printed about its own run.
    reported = Reported(Reported);
    /// The failures among `records`, in their order.
    failures = Failure(Failure);
    /// The notices among `records`, in their order.
    notices = Notice(Notice);
    /// The ends of programs among `records`.
    ends = End(End);
}

/// Whether the program that wrote `records` ended by itself.
pub fn is_complete(records: &[Record]) -> bool {
    ends(records).next().is_some()
}

/// Latency of single transfers, nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// How many transfers.
    pub count: u64,
    /// Shortest, exact.
    pub min_ns: u64,
    /// Longest, exact.
    pub max_ns: u64,
    /// Mean, exact.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: u64,
    /// 90th percentile.
    pub p90_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// 99.9th percentile.
    pub p999_ns: u64,
    /// Non-empty buckets as (lower edge in nanoseconds, transfers), at most 0.8 % wide.
    pub buckets: Vec<(u64, u64)>,
}

impl Latency {
    /// The histogram of the buckets, without the sum of the values.
    pub fn histogram(&self) -> Histogram {
        Histogram::of_buckets(&self.buckets, 0, self.min_ns, self.max_ns)
    }
}

/// Bytes moved (or operations done, see [`Phase::counts`]) per interval, summed over all ranks, from the
/// phase's first transfer on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Length of one interval, nanoseconds.
    pub interval_ns: u64,
    /// Bytes whose transfer ended in each interval. The last interval may be shorter.
    pub bytes: Vec<u64>,
}

/// What happened at the deadline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stonewall {
    /// The deadline, seconds.
    pub deadline_s: f64,
    /// Whether the slower ranks then continued until they had as many transfers as the fastest.
    pub wear_out: bool,
    /// Fewest transfers of any rank at the deadline.
    pub transfers_min: u64,
    /// Most transfers of any rank at the deadline.
    pub transfers_max: u64,
    /// Bytes of all ranks at the deadline.
    pub bytes: u64,
    /// Longest time any rank needed to reach its deadline, seconds.
    pub seconds: f64,
    /// The number of ranks that ran out of data before the deadline.
    pub ran_dry: u32,
}

/// A failure that ended a phase on all ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The step, such as `write` or `open`.
    pub step: String,
    /// The rank that failed.
    pub rank: u32,
    /// Its node.
    pub node: String,
    /// The error, with path and offset.
    pub why: String,
    /// The call on a file that failed, if this is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<FailedCall>,
}

/// A fact that the reader of the numbers should know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// The repetition that it belongs to.
    pub repetition: u32,
    /// The phase that it belongs to; empty for the whole job.
    pub phase: String,
    /// The fact.
    pub reason: Reason,
    /// The call on a file that failed, if the notice is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<FailedCall>,
}

/// The program ended by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Its exit status.
    pub exit: u8,
    /// End time, RFC 3339.
    pub finished: String,
    /// The files of the libraries for parallel work that rank 0 had loaded by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
}
