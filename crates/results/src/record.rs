//! What was measured, one JSON object a line.
//!
//! A job's records are, in order: one [`Run`] (who measured, with what), one [`Phase`] for each
//! phase of each repetition, [`Failure`]s and [`Notice`]s where they happened, and one [`End`].
//! Rank 0 writes each line when its phase ends, so that a later failure loses nothing.
//! A file without an [`End`] belongs to a job that was killed.
//!
//! Invariant: every format ever released still loads. A field is added with a default, never
//! renamed; `schema` in [`Run`] counts the breaks.
//! Never here: judgement. A record says what happened, a verdict says what it means.

mod case;
mod check;
mod clients;
mod each_rank;
mod metrics;
mod state;

use serde::{Deserialize, Serialize};

pub use case::{Case, CaseOutcome, Evidence};
pub use check::{BadRange, BadRank, Check};
pub use clients::{Clients, ClockDifference, DifferingNodes, Mounted, SKEW_S};
pub use each_rank::{Column, EachRank, Moments};
pub use metrics::{METRICS, Metric};
pub use state::{ReachedState, StateExtents};

/// The version of the record format that this program writes.
pub const SCHEMA: u32 = 1;

/// One line of a records file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// Who measured, with what; the first line.
    Run(Run),
    /// One phase of one repetition.
    Phase(Box<Phase>),
    /// A state that a file system was brought to.
    State(Box<ReachedState>),
    /// One case of a conformance suite.
    Case(Box<Case>),
    /// One number that an external program printed.
    Value(Value),
    /// Something went wrong and ended the phase on all ranks.
    Failure(Failure),
    /// Something the reader of the numbers has to know.
    Notice(Notice),
    /// The last line: the program ended by itself.
    End(End),
}

/// One number that an external program printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// `PHASE.NAME`, as the plan calls it.
    pub name: String,
    /// In the base unit of its dimension.
    pub value: f64,
    /// That unit.
    pub unit: String,
    /// How many lines it comes from.
    pub lines: u64,
}

/// Who measured, with what.
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
    /// The MPI library in its own words, absent for local ranks.
    #[serde(default)]
    pub mpi: Option<String>,
    /// What the clock is worth.
    pub clock: ClockFacts,
    /// What the nodes said when it began; absent where there was nothing to say, and in records from before
    /// they were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<Box<Clients>>,
}

/// What the clock is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockFacts {
    /// `cycle counter` or `CLOCK_MONOTONIC`.
    pub source: String,
    /// Smallest step seen between two different readings, nanoseconds.
    pub resolution_ns: u64,
    /// Time one reading takes, nanoseconds.
    pub cost_ns: f64,
    /// Worst uncertainty of a rank's clock against rank 0's, nanoseconds; 0 where all ranks share one clock.
    pub offset_uncertainty_ns: u64,
}

/// One phase of one repetition, over all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Number of the test within the job, from 0.
    pub test: u32,
    /// Repetition within the job, from 0.
    pub repetition: u32,
    /// Of transfers: `write`, `write_check`, `mixed_write`, `mixed_read` (the two halves of a mixed phase),
    /// `read` or `read_check`. Of operations on names what they are, such as `file_creation`.
    pub phase: String,
    /// Backend, such as `posix`.
    pub backend: String,
    /// Whether each rank has a file of its own.
    pub file_per_rank: bool,
    /// The first file of the phase.
    pub path: String,
    /// Participating ranks.
    pub ranks: u32,
    /// Bytes one transfer moves.
    pub transfer_bytes: u64,
    /// Bytes of one block, that is of one rank in one segment.
    pub block_bytes: u64,
    /// How many segments.
    pub segments: u64,
    /// Bytes the options ask for, over all ranks.
    pub expected_bytes: u64,
    /// Bytes moved, over all ranks.
    pub bytes: u64,
    /// Transfers that completed, over all ranks.
    pub ops: u64,
    /// When the phase began, seconds since the job's clocks were compared.
    pub began_s: f64,
    /// The four spans of the phase.
    pub spans: Spans,
    /// How evenly the ranks worked.
    pub balance: Balance,
    /// Latency of single transfers over all ranks; absent where nothing was transferred.
    #[serde(default)]
    pub latency: Option<Latency>,
    /// Bytes per interval over all ranks.
    #[serde(default)]
    pub timeline: Option<Timeline>,
    /// What verification found; absent where nothing was verified.
    #[serde(default)]
    pub check: Option<Check>,
    /// What the deadline did; absent where there was none.
    #[serde(default)]
    pub stonewall: Option<Stonewall>,
    /// For a read: share of the sampled pages that were in this client's page cache before it began,
    /// the worst over all ranks, 0 to 1; absent where that cannot be known.
    #[serde(default)]
    pub cached_before: Option<f64>,
    /// The smallest file the phase left or found, bytes; with one shared file, that file's size.
    #[serde(default)]
    pub smallest_file_bytes: Option<u64>,
    /// Whether the data was made durable (fsync) within the transfer span.
    #[serde(default)]
    pub persisted: bool,
    /// Whether the page cache was bypassed (`O_DIRECT`).
    #[serde(default)]
    pub direct: bool,
    /// Most transfers of one rank under way at once; 1 where each is a call that blocks.
    #[serde(default = "one")]
    pub depth: u32,
    /// Seconds at the start of the phase whose transfers do not count; the spans begin after them.
    #[serde(default)]
    pub ramp_s: f64,
    /// Transfers per second that all ranks together were held to; latency then counts from the moment
    /// at which a transfer should have begun.
    #[serde(default)]
    pub rate_limit: Option<f64>,
    /// What `balance` and `timeline` count, and `ops` are.
    #[serde(default)]
    pub counts: Counts,
    /// Operations that failed while the run went on; absent where none did.
    #[serde(default)]
    pub failed: Option<Failed>,
    /// While all ranks were at work at once; absent where that is not told apart.
    #[serde(default)]
    pub window: Option<Window>,
    /// What each rank did; absent in records from before that was kept.
    #[serde(default)]
    pub each_rank: Option<EachRank>,
    /// When it was, by the calendar; absent in records from before that was kept.
    #[serde(default)]
    pub moments: Option<Moments>,
}

/// From the common start until the first rank had ended its work: all ranks at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Operations of all ranks that had ended by then.
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
    /// Operations on names.
    Operations,
}

/// Operations that failed; they are in the latency, but not in `ops`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// How many, over all ranks.
    pub operations: u64,
    /// How many for each reason, in the system's words, the most frequent first.
    pub reasons: Vec<(String, u64)>,
    /// Some of them, at most [`Failed::CAP`]: the first of each rank, then the second, while there is room.
    pub first: Vec<FailedOperation>,
}

impl Failed {
    /// How many single failures a record lists; the count goes on beyond.
    pub const CAP: usize = 64;
}

/// One operation that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedOperation {
    /// The rank.
    pub rank: u32,
    /// The call, such as `mkdir`.
    pub operation: String,
    /// On which name.
    pub path: String,
    /// What happened, in the system's words.
    pub why: String,
}

/// The depth of records from before there were queues.
fn one() -> u32 {
    1
}

/// Seconds from the first rank's start to the last rank's end, after clock correction.
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

/// How evenly the ranks worked: bytes (or operations, as [`Phase::counts`] says) and seconds of the extremes.
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
    /// The rank with the lowest rate over its own transfer time; of operations, among those that had any.
    pub slowest_rank: u32,
    /// The node of that rank.
    pub slowest_node: String,
    /// That rank's bytes per second over its own transfer time.
    pub slowest_rate: f64,
    /// Median of the ranks' bytes per second, each over its own transfer time; 0 where unknown.
    #[serde(default)]
    pub median_rate: f64,
}

/// The phases among `records`, in their order.
pub fn phases(records: &[Record]) -> impl Iterator<Item = &Phase> {
    records.iter().filter_map(|record| match record {
        Record::Phase(phase) => Some(&**phase),
        _ => None,
    })
}

/// The cases among `records`, in their order.
pub fn cases(records: &[Record]) -> impl Iterator<Item = &Case> {
    records.iter().filter_map(|record| match record {
        Record::Case(case) => Some(&**case),
        _ => None,
    })
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
    /// Non-empty buckets as (lower bound in nanoseconds, transfers); at most 0.8 % wide.
    pub buckets: Vec<(u64, u64)>,
}

/// Bytes moved (or operations done, as [`Phase::counts`] says) per interval, all ranks summed, from the
/// phase's first transfer on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Length of one interval, nanoseconds.
    pub interval_ns: u64,
    /// Bytes whose transfer ended in each interval; the last interval may be cut short.
    pub bytes: Vec<u64>,
}

/// What the deadline did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stonewall {
    /// The deadline, seconds.
    pub deadline_s: f64,
    /// Whether the slower ranks then caught up with the fastest.
    pub wear_out: bool,
    /// Fewest transfers of any rank at the deadline.
    pub transfers_min: u64,
    /// Most transfers of any rank at the deadline.
    pub transfers_max: u64,
    /// Bytes of all ranks at the deadline.
    pub bytes: u64,
    /// Longest time any rank needed to reach its deadline, seconds.
    pub seconds: f64,
    /// How many ranks finished everything before the deadline, and so ran dry.
    #[serde(default)]
    pub ran_dry: u32,
}

/// A failure that ended a phase on all ranks together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The step, such as `write` or `open`.
    pub step: String,
    /// The rank that failed.
    pub rank: u32,
    /// Its node.
    pub node: String,
    /// What happened, with path and offset.
    pub why: String,
}

/// Something the reader of the numbers has to know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// A short stable name, such as `cached-read`.
    pub id: String,
    /// Repetition it belongs to.
    #[serde(default)]
    pub repetition: u32,
    /// Phase it belongs to, empty for the whole job.
    #[serde(default)]
    pub phase: String,
    /// The sentence.
    pub text: String,
}

/// The program ended by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Its exit status.
    pub exit: u8,
    /// End time, RFC 3339.
    pub finished: String,
    /// The libraries for parallel work that rank 0 had loaded by then: their files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
}
