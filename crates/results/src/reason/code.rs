//! All codes, with what each means.
//!
//! Invariant: ids stay. docs/REASONS.md is made of this table.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($($variant:ident = $id:literal: $meaning:literal;)*) => {
        /// What a reason is about.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
            /// No reason is given: only in values that are being made.
            #[default]
            Unset,
        }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)* Self::Unset];

            /// Its name in files.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$variant => $id,)*
                    Self::Unset => "unset",
                }
            }

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                    Self::Unset => "No reason is given.",
                }
            }
        }
    };
}

// Codes of the linter keep the ids of its table; they come last.
codes! {
    // Decisions.
    ThresholdMet = "threshold-met": "The statistic meets its threshold, and the repetitions support that.";
    ThresholdNotMet = "threshold-not-met":
        "The statistic does not meet its threshold, and the repetitions support that.";
    LimitContradictsMet = "limit-contradicts-met":
        "The statistic meets its threshold, but its confidence limit does not.";
    LimitContradictsMiss = "limit-contradicts-miss":
        "The statistic does not meet its threshold, but its confidence limit does.";
    NoLimit = "no-limit": "The plan decides by the confidence limit, and one repetition has none.";
    RatioUndecided = "ratio-undecided":
        "The confidence interval of the ratio to another test has both answers in it.";
    VariabilityAboveMax = "variability-above-max":
        "The threshold is met, but the repetitions vary by more than the plan allows.";
    NoValues = "no-values": "No repetition has a value.";
    ReferenceUnusable = "reference-unusable": "The test that this one is compared with has no usable value.";
    PartUnusable = "part-unusable": "A part of the group has no usable value.";
    LintError = "lint-error":
        "The campaign was started in spite of an error of the linter about this clause.";
    EvidenceModified = "evidence-modified": "Files of the campaign are not as they were recorded.";

    // What was not run, or not to its end.
    NoneRan = "none-ran": "The campaign ended before a job of the test was run.";
    NotYetRun = "not-yet-run": "The campaign has not ended, and has not come to the test yet.";
    AttemptOpen = "attempt-open": "The campaign has not ended; an attempt ended with it or still runs.";
    NotChosen = "not-chosen": "The test was not among the chosen ones.";
    RepetitionsMissing = "repetitions-missing": "Fewer repetitions than planned were run.";
    RepetitionTwice = "repetition-twice": "A repetition is there twice, and none of the two is chosen.";
    JobFailed = "job-failed": "A job did not end well.";
    JobNotStarted = "job-not-started": "A job could not be started.";
    RecordedFailure = "recorded-failure": "A job recorded a failure that ended a phase.";
    RecordsUnreadable = "records-unreadable": "The records of a job cannot be read.";
    NothingRecorded = "nothing-recorded": "A job recorded nothing.";
    NoEndRecord = "no-end-record": "The records of a job have no end.";
    MetricMissing = "metric-missing": "A repetition did not record the metric.";
    CasesUntried = "cases-untried": "A repetition tried none of the cases.";
    DummyBackend = "dummy-backend": "The DUMMY backend moves nothing, so there is nothing to evaluate.";
    ImportMissing = "import-missing": "An earlier test did not export the value that the line needs.";
    SearchValueMissing = "search-value-missing":
        "A step of the search for the number of nodes did not measure its metric.";
    SearchStepFailed = "search-step-failed": "A step of the search for the number of nodes did not end well.";

    // How it was run.
    RanksDiffer = "ranks-differ": "A job ran on another number of ranks than planned.";
    NodesDiffer = "nodes-differ": "A job ran on another number of nodes than planned.";
    StateNotRecorded = "state-not-recorded": "A state that the test needs was not recorded.";
    StateNotReached = "state-not-reached": "A state that the test needs was not reached.";
    PreloadUncounted = "preload-uncounted": "The files that a state asks for were not counted.";
    PreloadCount = "preload-count": "Another number of files was counted than the state asks for.";
    PartMissing = "part-missing": "A part that was to run at the same time did not run.";
    PartTimeUnknown = "part-time-unknown": "The records do not tell when a part ran.";
    Overlap = "overlap": "Two parts ran at the same time for less than the plan asks for.";
    PartNotAtWork = "part-not-at-work": "A part was not at work together with all others.";
    CommonTimeTooShort = "common-time-too-short":
        "All parts were at work together for less than an interval of the timeline.";

    // Datasets.
    DatasetUnreadable = "dataset-unreadable": "A dataset could not be looked at.";
    DatasetNotWritten = "dataset-not-written": "The job of a dataset recorded no phase that wrote.";
    DatasetWrongData = "dataset-wrong-data": "Data of a dataset came back wrong when it was read again.";
    DatasetNotStored = "dataset-not-stored":
        "The DUMMY backend wrote the dataset, so there is nothing to read.";
    DatasetFilesMissing = "dataset-files-missing": "A dataset has another number of files than planned.";
    DatasetFileSize = "dataset-file-size": "A file of a dataset has another size than recorded.";
    DatasetSparse = "dataset-sparse": "A file of a dataset is sparse.";
    DatasetTooSmall = "dataset-too-small": "A dataset holds less than its readers need.";
    ReadBeyondDataset = "read-beyond-dataset": "A test reads more than the smallest file of its dataset has.";
    DatasetNamesDiffer = "dataset-names-differ":
        "Another number of files or directories was counted than made.";
    DatasetChanged = "dataset-changed": "A dataset is not as it was made; the file system may have lost it.";
    DatasetWritten = "dataset-written": "Another program wrote to a dataset after it was made.";
    DatasetChangedLater = "dataset-changed-later": "A dataset was found changed when it was looked at again.";
    WrongDataUnattributed = "wrong-data-unattributed":
        "Wrong data was read from a dataset that another program wrote to.";
    DatasetReused = "dataset-reused": "A dataset of an earlier campaign was used again.";
    DatasetRecreated = "dataset-recreated": "A dataset was recreated instead of using a kept one.";
    KeptUnfinished = "kept-unfinished": "A kept dataset was never finished.";
    KeptUnreadable = "kept-unreadable": "A kept dataset cannot be read.";
    KeptOtherRecipe = "kept-other-recipe": "A kept dataset was made by another recipe.";
    KeptIncomplete = "kept-incomplete": "A kept dataset lacks a file of its evidence.";
    KeptExpired = "kept-expired": "A kept dataset had expired.";
    KeptChanged = "kept-changed": "A kept dataset was changed since it was made.";
    KeptNotEnough = "kept-not-enough": "A kept dataset is not fit for this plan.";

    // What was read or written.
    WrongData = "wrong-data": "Data that was read is not the data that was written.";
    OperationsFailed = "operations-failed":
        "Operations failed, so the rate is not that of the work asked for.";
    CachedRead = "cached-read": "Data was in the page cache of the client before it was read.";
    NamesCached = "names-cached":
        "The workload reports that the memory of a client may have answered for names.";
    NamesOnOwnNode = "names-on-own-node":
        "Files and directories were looked at on the node that had them from an earlier job.";
    NamesMaybeDropped = "names-maybe-dropped":
        "The node had the names from an earlier job; a command may have dropped its caches.";
    NamesOriginUnknown = "names-origin-unknown":
        "Whether a node had the names from an earlier job is not known.";
    SustainedNotMet = "sustained-not-met":
        "A phase, or a rank, ended before the time for which the rate has to hold.";
    NoWholeWindow = "no-whole-window": "The timeline has no whole window of the length asked for.";
    NoSteadyState = "no-steady-state":
        "The rate did not become steady in time, or did not stay so while it was measured.";

    // Findings in the records.
    FillRecorded = "fill-recorded":
        "The utilization of the file system was not recorded, or is outside of the band of comparison.";
    OneFsTwice = "one-fs-twice": "Two file systems of the plan are the same file system.";
    Degraded = "degraded": "A part of the file system was down or being rebuilt.";
    NotDegraded = "not-degraded": "The test needs a degraded file system, and nothing was down.";
    HealthUnknown = "health-unknown": "The state of the file system could not be asked after a job.";
    Exclusive = "exclusive": "Servers moved data that was not the test's.";
    TrafficUnknown = "traffic-unknown": "The count of the servers' traffic began again during a repetition.";
    LayoutUndeclared = "layout-undeclared":
        "Files lie on another number of targets than asked for, or the layout is not known.";
    PathOnWrongFs = "path-on-wrong-fs":
        "Files were on another file system than planned, or nodes have it from another server.";
    ClockSkew = "clock-skew": "The wall clocks of nodes, or of a node and the campaign, are apart.";
    Straggler = "straggler": "A rank moved much less than the mean rank by the deadline.";
    WearoutTail = "wearout-tail": "The wear-out took longer than the deadline.";
    CovMissing = "cov-missing": "A single repetition has no variability.";
    CovHigh = "cov-high": "The repetitions vary by more than a tenth.";
    Harmonic = "harmonic": "The mean of the rates is above the rate of all repetitions together.";
    AbovePhysics = "above-physics": "A rate is higher than the file system can have.";
    TwoFsBalance = "two-fs-balance": "The file systems of a group did not take equal shares.";
    LsWalk = "ls-walk": "A walk listed few entries.";
    MdTooShort = "md-too-short": "A phase of operations on names was short.";
    RateTooShort = "rate-too-short": "A phase of transfers was short.";
    AuditGap = "audit-gap": "Evidence that an auditor asks for is missing.";
    Waiver = "waiver": "A waiver is not needed, or cannot be applied.";

    // Warnings and notes.
    MovedOtherAmount = "moved-other-amount": "A phase moved another amount than its command line asks for.";
    OutOfData = "out-of-data": "Ranks ran out of data before the deadline.";
    NotFlushed = "not-flushed": "The data was not flushed to storage within the time measured.";
    MemoryFileSystem = "memory-file-system": "The file system is in memory, so no storage took part.";
    FitsMemory = "fits-memory": "The data fits the memory of the clients.";
    SingleClient = "single-client": "Only one client node took part.";
    SimulatedNodes = "simulated-nodes": "Local ranks simulated the nodes of the plan.";
    ClientLimited = "client-limited": "More client nodes have a higher rate, so the value is a lower bound.";
    ClientsSufficient = "clients-sufficient": "More client nodes do not have a higher rate.";
    ClientLimitUnknown = "client-limit-unknown": "Whether the clients limit the rate is not known.";
    SearchOptimum = "search-optimum":
        "The search found a number of nodes that more nodes do not improve enough.";
    SearchOpen = "search-open": "The rate still rose at the largest number of nodes that was tried.";
    FirstDiffers = "first-differs": "The first repetition differs from the others.";
    Trend = "trend": "The values fell or rose over the repetitions.";
    WarmUp = "warm-up": "Warm-up jobs ran before the repetitions and are excluded.";
    SlowGroup = "slow-group": "The ranks of a node, or the files of a target, were slower than the others.";
    UnevenPlacement = "uneven-placement": "A node or target was overloaded by placement.";
    MoreSlowGroups = "more-slow-groups": "More nodes or targets were slow or overloaded than are listed.";
    SlowRank = "slow-rank": "A rank was slower than the median rank.";
    SlowRanks = "slow-ranks": "Several ranks were slower than the median rank.";
    LoadImbalance = "load-imbalance": "A rank moved less than the mean rank.";
    TimeLost = "time-lost": "Few ranks were still at work for a part of the time.";
    WearOutTime = "wear-out-time": "The wear-out took a part of the deadline.";
    WorstWindow = "worst-window": "The slowest window of the length for which the rate has to hold.";
    WorstWindowUnknown = "worst-window-unknown": "The records do not tell the slowest window.";
    FewTransfers = "few-transfers": "A window holds few transfers of a rank, so the slowest may be too low.";
    CoarseTimeline = "coarse-timeline": "The intervals of the timeline are long for the windows asked for.";
    CommonWindow = "common-window": "The rate is that of the time in which all parts were at work.";
    CommonWindowUnknown = "common-window-unknown":
        "The records do not tell what a part did while all parts were at work.";
    SteadyFrom = "steady-from": "When the rate had become steady.";
    StateReached = "state-reached": "The state that the test ran on.";
    InnerRepetitions = "inner-repetitions": "Repetitions within a job are one value, their mean.";
    AllTrees = "all-trees": "The trees of all ranks are counted; mdtest's own table counts one.";
    CasesFailed = "cases-failed": "Cases failed.";
    CasesOfLibrary = "cases-of-library":
        "Cases failed as is known of the MPI library, not because of the file system.";
    CasesUnsupported = "cases-unsupported": "Cases are not supported.";
    CasesSkipped = "cases-skipped": "Cases were not tried.";
    Notice = "notice": "The workload reported this.";
    AttemptsRepeated = "attempts-repeated": "Attempts that ended with the campaign were run again.";
    AttemptsOpen = "attempts-open": "Attempts that ended with the campaign were not run again yet.";

    // Projections.
    StepUnusable = "step-unusable": "A step of the series has no usable value.";
    StepImpossible = "step-impossible": "A step has less than one unit, or a rate of zero.";
    TooFewSteps = "too-few-steps": "Too few different steps for a projection.";
    TooFar = "too-far": "The extrapolation factor is too large.";
    NotPredicted = "not-predicted": "No model predicts the largest step from the others.";
    ThresholdInInterval = "threshold-in-interval":
        "The threshold lies within the interval of the projection.";

    // The linter, before a run.
    WriteIopsBuffered = "write-iops-buffered": "Small random writes go through the client's page cache.";
    ClientCacheFit = "client-cache-fit": "The data of a node fits its memory.";
    MissingPersist = "missing-persist": "A measured write is not flushed to storage within its time.";
    WrSameLaunch = "wr-same-launch": "A line writes and reads the same data in one job.";
    ReaderIsWriter = "reader-is-writer": "Ranks read on the node that wrote.";
    ReadBeyondWritten = "read-beyond-written": "A line reads more than was written, or other files.";
    SparseRandomWrite = "sparse-random-write": "Random writes go into a new file, so they also allocate.";
    WearoutOnMeasured = "wearout-on-measured": "A measured rate includes the wear-out of the slowest rank.";
    NoWearoutOnDataset = "no-wearout-on-dataset": "A dataset is stopped, so its files differ in size.";
    HeroAsContract = "hero-as-contract": "A hero run has a criterion.";
    Geometry = "geometry": "Ranks, nodes and sizes contradict each other.";
    RoleMismatch = "role-mismatch": "The line does not do what it is for.";
    OptionDrift = "option-drift": "An option is unknown, renamed, without effect, or has changed.";
    OptionsInFile = "options-in-file": "Options of the line are in a file that is not read.";
    CbStateUnset = "cb-state-unset": "Collective calls of MPI-IO have no hint about buffering.";
    NotAged = "not-aged": "A metadata rate is measured in no declared state.";
    FillIsNotAge = "fill-is-not-age": "A state fills a file system without overwriting.";
    SharedUniquePair = "shared-unique-pair": "Only shared or only separate directories are tested.";
    MdSameNode = "md-same-node": "Files are stat'ed or removed on the node that created them.";
    StatUnnamed = "stat-unnamed": "A criterion does not name the statistic that is compared.";
    RepsShort = "reps-short": "Repetitions are fewer than asked for, or share one job.";
    LinearityBase = "linearity-base": "A series over servers has no sound base to compare with.";
    OptimalUndefined = "optimal-undefined": "An optimum or steps are mentioned and not defined.";
    ThresholdMissing = "threshold-missing": "A clause text asks for something, and nothing is compared.";
    TableLabel = "table-label": "A text cites a table that the report does not have.";
    UncheckedData = "unchecked-data": "Written data is not compared, or within the measured time.";
    Compressible = "compressible": "The file system reduces data, and the data written repeats.";
    NotPacked = "not-packed": "Nodes have fewer ranks than cores.";
    DeadCriterion = "dead-criterion": "A criterion always passes, always fails, or is reversed.";
    Units = "units": "Units of powers of 1000 and of 1024 are mixed.";
}

impl Code {
    /// The code with this id.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.id() == id)
    }
}

/// A text, one of the ids.
#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let ids: Vec<&str> = Self::ALL.iter().map(|code| code.id()).collect();
        schemars::json_schema!({ "type": "string", "enum": ids })
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(self.id())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let id = String::deserialize(from)?;
        Self::named(&id).ok_or_else(|| serde::de::Error::custom(format!("`{id}` is no code of this version")))
    }
}
