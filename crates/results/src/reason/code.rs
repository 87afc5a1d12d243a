//! All codes, with their meanings.
//!
//! Invariant: ids never change. docs/reference/reasons.md is made from this table.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($($variant:ident = $id:literal: $meaning:literal;)*) => {
        /// The subject of a reason.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
            /// No reason is given; only in incomplete values.
            #[default]
            Unset,
        }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)* Self::Unset];

            /// Its id in files.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$variant => $id,)*
                    Self::Unset => "unset",
                }
            }

            /// Its meaning, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                    Self::Unset => "No reason is given.",
                }
            }
        }
    };
}

// The codes of the linter come last. They have the ids of its table.
codes! {
    // Decisions.
    ThresholdMet = "threshold-met": "The statistic meets its threshold, and the repetitions support that.";
    ThresholdNotMet = "threshold-not-met":
        "The statistic does not meet its threshold, and the repetitions support that.";
    LimitContradictsMet = "limit-contradicts-met":
        "The statistic meets its threshold, but its confidence limit does not.";
    LimitContradictsMiss = "limit-contradicts-miss":
        "The statistic does not meet its threshold, but its confidence limit does.";
    NoLimit = "no-limit":
        "The confidence limit decides, but so few repetitions, or this statistic, have none.";
    RatioUndecided = "ratio-undecided":
        "The confidence limits of the ratio to the measured reference do not decide whether it is met.";
    RatioNoLimit = "ratio-no-limit":
        "The threshold is measured, too, and one of the two has too few repetitions for a limit.";
    VariabilityAboveMax = "variability-above-max":
        "The threshold is met, but the repetitions vary by more than the plan allows.";
    VariabilityUnknown = "variability-unknown":
        "The plan limits the variability, but the repetitions do not show it.";
    NoValues = "no-values": "No repetition has a value.";
    ReferenceUnusable = "reference-unusable":
        "The test that is the reference of this one has no usable value.";
    AcceptedMissing = "accepted-missing":
        "The criterion compares with the accepted campaign, which has no value of the metric.";
    AcceptedDiffers = "accepted-differs":
        "The accepted campaign measured the test with other parameters, so they are not compared.";
    PartUnusable = "part-unusable": "A part of the group has no usable value.";
    LintError = "lint-error": "The campaign was started despite a lint error about this clause.";
    EvidenceModified = "evidence-modified": "Files of the campaign are not intact.";

    // Comparisons of campaigns, and the state of their evidence.
    ComparedFaster = "compared-faster":
        "The other campaign is faster than the baseline, and the interval of the ratio supports that.";
    ComparedSlower = "compared-slower":
        "The other campaign is slower than the baseline, and the interval of the ratio supports that.";
    ComparedLarger = "compared-larger":
        "The value is larger than in the baseline, and the interval of the ratio supports that.";
    ComparedSmaller = "compared-smaller":
        "The value is smaller than in the baseline, and the interval of the ratio supports that.";
    NoDifferenceShown = "no-difference-shown": "The interval of the ratio contains 1.";
    CountsCompared = "counts-compared": "Counts are compared as they are, because they have no interval.";
    NotInCampaign = "not-in-campaign": "One of the compared campaigns does not have this test.";
    TestsDiffer = "tests-differ": "The compared tests differ in what decides their rate.";
    UnitsDiffer = "units-differ": "The compared values have different units.";
    UnusableInCampaign = "unusable-in-campaign": "One of the compared campaigns has no usable value.";
    TooFewToCompare = "too-few-to-compare": "One of the compared campaigns has fewer than two repetitions.";
    NoVariabilityToCompare = "no-variability-to-compare":
        "No repetition differs from the others of its campaign, so the ratio has no interval.";
    RatioNotPositive = "ratio-not-positive": "One of the compared means is zero or negative.";
    EvidenceIntact = "evidence-intact": "The evidence is complete, unmodified and reproduced.";
    EvidenceSoFar = "evidence-so-far": "The evidence is unmodified, but the campaign has not ended.";
    EvidenceNotReproduced = "evidence-not-reproduced":
        "The measured data is unmodified, but verdicts or report are not those of this program.";
    EvidenceRejected = "evidence-rejected":
        "Files of the campaign were modified or contradict each other, so its values are not used.";
    EvidenceUnreadable = "evidence-unreadable": "The folder or archive cannot be read as a campaign.";

    // What was not run, or did not end.
    NoneRan = "none-ran": "The campaign ended before a job of the test was run.";
    NotYetRun = "not-yet-run": "The campaign has not ended, and the test has not started yet.";
    AttemptOpen = "attempt-open":
        "The campaign has not ended. An attempt still runs, or was stopped with the campaign.";
    NotChosen = "not-chosen": "The test was not selected.";
    RepetitionsMissing = "repetitions-missing": "Fewer repetitions than planned were run.";
    RepetitionTwice = "repetition-twice": "A repetition exists twice, and neither is used.";
    ProbeFailed = "probe-failed":
        "A probe of the launcher failed, so the campaign ended before its first job.";
    JobFailed = "job-failed": "A job failed.";
    JobNotStarted = "job-not-started": "A job could not be started.";
    RecordedFailure = "recorded-failure": "A job recorded a failure that ended a phase.";
    RecordsUnreadable = "records-unreadable": "The records of a job cannot be read.";
    RecordsContradict = "records-contradict": "Two facts of a job contradict each other.";
    RecordsIncomplete = "records-incomplete": "Records lack a part that the program always records.";
    MeasuredTwice = "measured-twice": "Two jobs have the same measurement.";
    NothingRecorded = "nothing-recorded": "A job recorded nothing.";
    NoEndRecord = "no-end-record": "The records of a job have no end record.";
    MetricMissing = "metric-missing": "A repetition did not record the metric.";
    ValueNotFinite = "value-not-finite": "A repetition has a value that is not a finite number.";
    CasesUntried = "cases-untried": "A repetition ran none of the cases.";
    CasesUndecided = "cases-undecided":
        "Cases of a repetition ended without an outcome, so their number is not known.";
    DummyBackend = "dummy-backend": "The DUMMY backend moves no data, so there is nothing to evaluate.";
    ImportMissing = "import-missing": "An earlier test did not export the value that the command line needs.";
    SearchValueMissing = "search-value-missing":
        "A step of the search for the number of nodes did not measure its metric.";
    SearchStepFailed = "search-step-failed": "A step of the search for the number of nodes failed.";

    // How it was run.
    CommandDiffers = "command-differs": "A job received other arguments than planned.";
    ParametersDiffer = "parameters-differ":
        "A phase had other parameters than the command line of the plan.";
    DataKeyDiffers = "data-key-differs": "A phase moved data of another key than that of the campaign.";
    RanksDiffer = "ranks-differ": "The number of ranks of a job differs from the plan.";
    NodesDiffer = "nodes-differ": "The number of nodes of a job differs from the plan.";
    SharedKernel = "shared-kernel": "Nodes of a job have the same kernel, so they are one node.";
    ReportedDiffers = "reported-differs":
        "What an external program reports about its run differs from the plan.";
    ReportedTime = "reported-time": "An external program reports more time than its job took.";
    ReportedRate = "reported-rate":
        "A rate that an external program reports contradicts its own sizes, times or rates.";
    StateNotRecorded = "state-not-recorded": "A state that the test needs was not recorded.";
    StateNotReached = "state-not-reached": "A state that the test needs was not reached.";
    PreloadUncounted = "preload-uncounted": "The files that a state requires were not counted.";
    PreloadCount = "preload-count": "The number of counted files differs from the state.";
    PartMissing = "part-missing": "A part that should run at the same time did not run.";
    PartTimeUnknown = "part-time-unknown": "The records do not state when a part ran.";
    Overlap = "overlap": "Two parts ran at the same time for less than the plan requires.";
    PartNotAtWork = "part-not-at-work": "A part was never active together with all other parts.";
    CommonTimeTooShort = "common-time-too-short":
        "All parts were active together for less than an interval of the timeline.";

    // Datasets.
    DatasetUnreadable = "dataset-unreadable": "A dataset could not be examined.";
    DatasetNotWritten = "dataset-not-written": "The job of a dataset recorded no phase that wrote.";
    DatasetWrongData = "dataset-wrong-data": "Data of a dataset was wrong when it was read again.";
    DatasetNotStored = "dataset-not-stored":
        "The DUMMY backend wrote the dataset, so there is nothing to read.";
    DatasetFilesMissing = "dataset-files-missing": "The number of files of a dataset differs from the plan.";
    DatasetFileSize = "dataset-file-size": "The size of a file of a dataset differs from the recorded size.";
    DatasetSparse = "dataset-sparse": "A file of a dataset is sparse.";
    DatasetTooSmall = "dataset-too-small": "A dataset holds less than its readers need.";
    ReadBeyondDataset = "read-beyond-dataset": "A test reads more than the smallest file of its dataset has.";
    DatasetNamesDiffer = "dataset-names-differ":
        "The number of counted files or directories differs from the number that was made.";
    DatasetChanged = "dataset-changed":
        "A dataset differs from the one that was made. The file system may have lost data.";
    DatasetWritten = "dataset-written": "Another program wrote to a dataset after it was made.";
    DatasetChangedLater = "dataset-changed-later": "A later job found a dataset changed.";
    WrongDataUnattributed = "wrong-data-unattributed":
        "Wrong data was read from a dataset that another program wrote to.";
    DatasetReused = "dataset-reused": "A dataset of an earlier campaign was used again.";
    DatasetRecreated = "dataset-recreated": "A dataset was recreated instead of using a kept one.";
    KeptUnfinished = "kept-unfinished": "A kept dataset was never finished.";
    KeptUnreadable = "kept-unreadable": "A kept dataset cannot be read.";
    KeptOtherRecipe = "kept-other-recipe": "A kept dataset was made with another recipe.";
    KeptIncomplete = "kept-incomplete": "A kept dataset lacks a file of its evidence.";
    KeptExpired = "kept-expired": "A kept dataset had expired.";
    KeptChanged = "kept-changed": "A kept dataset was changed since it was made.";
    KeptNotEnough = "kept-not-enough": "A kept dataset is not sufficient for this plan.";

    // What was read or written.
    WrongData = "wrong-data": "Data that was read differs from the data that was written.";
    SampledWrong = "sampled-wrong": "A plain read returned other data than was written.";
    FileCallFailed = "file-call-failed":
        "A call on a file of the campaign failed, and its error concerns the storage system.";
    CallNeverReturned = "call-never-returned":
        "A rank was in a call on a file when the time limit of its job passed.";
    EntriesWrong = "entries-wrong":
        "Entries were missing in a listing, or names remained after their removal.";
    NothingCompared = "nothing-compared":
        "The counted errors are failed calls, because the phase compared no data.";
    OperationsFailed = "operations-failed":
        "Operations failed, so the rate is not that of the required work.";
    CachedRead = "cached-read": "Data was in the client's page cache before it was read.";
    KernelReadLess = "kernel-read-less": "The kernel fetched less from storage than a job read.";
    KernelWroteLess = "kernel-wrote-less":
        "The kernel counted less for storage than a job wrote and flushed.";
    RepeatedData = "repeated-data":
        "The same data was moved again, and nothing shows that each time reached storage.";
    ClockPace = "clock-pace": "The clock of a rank ran at another pace than the clocks of the kernel.";
    NamesCached = "names-cached":
        "The workload reports that a client's cache may have served files and directories.";
    NamesOnOwnNode = "names-on-own-node":
        "Files and directories were accessed on a node that had them from an earlier job.";
    NamesMaybeDropped = "names-maybe-dropped":
        "A node had files and directories from an earlier job. A command may have dropped its caches.";
    NamesOriginUnknown = "names-origin-unknown":
        "It is not known whether a node had files and directories from an earlier job.";
    SustainedNotMet = "sustained-not-met":
        "A phase, or a rank, ended before the time for which the rate must be sustained.";
    NoWholeWindow = "no-whole-window": "The timeline has no complete window of the required length.";
    NoSteadyState = "no-steady-state":
        "The rate did not become steady in time, or did not stay steady while it was measured.";
    SteadyUnclear = "steady-unclear":
        "The rate varies so much that it is not known whether it was steady.";

    // Findings in the records.
    FillRecorded = "fill-recorded":
        "The utilization of the file system was not recorded, or is outside the range of comparison.";
    OneFsTwice = "one-fs-twice": "Two file systems of the plan are the same file system.";
    EvidenceOnTested = "evidence-on-tested":
        "The evidence is written to a file system under test.";
    BackingStore = "backing-store":
        "A file system lies on a file, on directories of other file systems, or in memory.";
    Degraded = "degraded": "A part of the file system was offline or being rebuilt.";
    NotDegraded = "not-degraded": "The test needs a degraded file system, but nothing was offline.";
    HealthUnknown = "health-unknown": "The state of the file system after a job is not known.";
    Exclusive = "exclusive": "Servers moved data of others.";
    CampaignBeside = "campaign-beside": "Another campaign worked in the same directory during a job.";
    TrafficLess = "traffic-less": "The servers counted less than jobs moved to and from storage.";
    TrafficUnknown = "traffic-unknown": "The count of the servers' traffic restarted during a repetition.";
    LayoutUndeclared = "layout-undeclared":
        "The layout of files differs from the required layout, or is not known.";
    PathOnWrongFs = "path-on-wrong-fs":
        "Files were on another file system than planned, or nodes mount it from another server.";
    StrayFile = "stray-file": "Files were on another file system than their directory.";
    LinkedFile = "linked-file": "Files were links to other files.";
    ReportedShort = "reported-short":
        "An external program accounts only for a small part of the time of its job.";
    ReportedCached = "reported-cached":
        "Nothing in the output of an external program shows that its reads came from storage.";
    ReportedLess = "reported-less": "An external program found smaller files than it expected.";
    ProgramChanged = "program-changed": "The file of an external program changed between repetitions.";
    UnexplainedTime = "unexplained-time":
        "A job lasted much longer than the program that its records are of.";
    MappedObject = "mapped-object":
        "A file with code that the program does not need was mapped into its processes.";
    OtherProgram = "other-program": "A launcher started another program than the one of the campaign.";
    TracedProcess = "traced-process": "Another process traced a process of a job.";
    SystemCallFilter = "system-call-filter":
        "A filter of system calls was active in a process of a job.";
    UncountedProcess = "uncounted-process":
        "The kernel did not count the bytes of some processes of a job.";
    OtherNodes = "other-nodes": "Repetitions of a test ran on different nodes.";
    ClockSkew = "clock-skew": "The wall clocks of nodes, or of a node and the campaign, differ.";
    Straggler = "straggler": "A rank moved much less than the mean rank by the deadline.";
    WearoutTail = "wearout-tail": "The wear-out took longer than the deadline.";
    CovMissing = "cov-missing": "A single repetition has no variability.";
    CovHigh = "cov-high": "The repetitions vary by more than the maximum (10 % if the plan has none).";
    Harmonic = "harmonic": "The mean of the rates is above the total amount divided by the total time.";
    PlannedLooks = "planned-looks": "Repetitions were added after a planned evaluation.";
    UnplannedLooks = "unplanned-looks": "Repetitions were added after an evaluation that was not planned.";
    AsWrittenLooks = "as-written-looks":
        "Repetitions were added after an evaluation in which the value alone decides.";
    AbovePhysics = "above-physics": "A rate is above the maximum of the file system.";
    TwoFsBalance = "two-fs-balance": "The file systems of a group did not take equal shares.";
    LsWalk = "ls-walk": "A walk listed few entries.";
    MdTooShort = "md-too-short": "A phase of metadata operations was short.";
    RateTooShort = "rate-too-short": "A phase of transfers was short.";
    WitnessSilent = "witness-silent": "The witness of the campaign did not take every hash of the chain.";
    AuditGap = "audit-gap": "Evidence that an auditor asks for is missing.";
    Waiver = "waiver": "A waiver is not needed, or has no effect.";

    // Warnings and notes.
    MovedOtherAmount = "moved-other-amount": "The amount that a phase moved differs from its command line.";
    OutOfData = "out-of-data": "Ranks ran out of data before the deadline.";
    NotFlushed = "not-flushed": "The data was not flushed to storage within the measured time.";
    MemoryFileSystem = "memory-file-system": "The file system is in memory, so no storage took part.";
    FitsMemory = "fits-memory": "The data per node is less than 1.5 times the memory of a client.";
    SingleClient = "single-client": "Only one client node took part.";
    SimulatedNodes = "simulated-nodes":
        "Nodes of the plan were simulated, by local ranks or on shared kernels.";
    ClientLimited = "client-limited":
        "More client nodes clearly have a higher rate, so the file system can do more than was measured.";
    ClientsSufficient = "clients-sufficient":
        "More client nodes clearly do not have a rate that is higher by more than the gain.";
    ClientLimitUnclear = "client-limit-unclear":
        "The repetitions do not decide whether more client nodes have a higher rate.";
    ClientLimitUnknown = "client-limit-unknown": "It is not known whether the clients limit the rate.";
    SearchOptimum = "search-optimum":
        "The search found a number of nodes that more nodes do not improve sufficiently.";
    SearchUnclear = "search-unclear":
        "The repetitions do not decide whether more nodes gain enough, so the optimum is not known.";
    SearchOpen = "search-open": "The rate still rose at the largest number of nodes that was tried.";
    DependentRepetitions = "dependent-repetitions":
        "Neighbouring repetitions are significantly alike, so they show less than independent ones.";
    StalledRepetition = "stalled-repetition": "A repetition was far worse than the others.";
    FirstDiffers = "first-differs": "The first repetition differs from the others.";
    Trend = "trend": "The values fell or rose over the repetitions.";
    WarmUp = "warm-up": "Warm-up jobs ran before the repetitions and are excluded.";
    SlowGroup = "slow-group": "The ranks of a node, or the files of a target, were slower than the others.";
    UnevenPlacement = "uneven-placement": "A node or target was overloaded by placement.";
    MoreSlowGroups = "more-slow-groups": "More nodes or targets were slow or overloaded than are listed.";
    SlowRank = "slow-rank": "A rank was slower than the median rank.";
    SlowRanks = "slow-ranks": "Several ranks were slower than the median rank.";
    LoadImbalance = "load-imbalance": "A rank moved less than the mean rank.";
    TimeLost = "time-lost": "Only a few ranks were still active for a part of the time.";
    WearOutTime = "wear-out-time": "The wear-out took more than 10 % of the deadline.";
    WorstWindow = "worst-window": "The slowest window of the length for which the rate must be sustained.";
    WorstWindowUnknown = "worst-window-unknown": "The records do not contain the slowest window.";
    FewTransfers = "few-transfers":
        "A window holds few transfers of a rank, so the rate of the slowest window may be too low.";
    CoarseTimeline = "coarse-timeline": "The intervals of the timeline are long for the required windows.";
    CommonWindow = "common-window": "The rate is that of the time in which all parts were active.";
    CommonWindowUnknown = "common-window-unknown":
        "The records do not state the rate of a part while all parts were active.";
    SteadyFrom = "steady-from": "The time at which the rate was steady.";
    StateReached = "state-reached": "The state that the test ran on.";
    InnerRepetitions = "inner-repetitions": "Repetitions within a job are one value: their mean.";
    AllTrees = "all-trees": "The rate counts the trees of all ranks, but mdtest's own table counts one.";
    CasesFailed = "cases-failed": "Cases failed.";
    CasesOfLibrary = "cases-of-library":
        "Cases failed as known for the MPI library, not because of the file system.";
    CasesOutOfTime = "cases-out-of-time": "Cases ended at their time limit without an outcome.";
    CasesUnsupported = "cases-unsupported": "Cases are not supported.";
    CasesSkipped = "cases-skipped": "Cases were not run.";
    Notice = "notice": "A notice of the workload.";
    AttemptsRepeated = "attempts-repeated":
        "Earlier attempts at jobs were set aside, and the jobs ran again.";
    DiedRepeated = "died-repeated":
        "Jobs died without a result and ran again, as often as the plan allows.";
    AskedRepeated = "asked-repeated":
        "A user had jobs without a result run again after the verdicts were known.";
    AttemptsOpen = "attempts-open": "Attempts that were stopped with the campaign were not run again yet.";

    // Projections.
    StepUnusable = "step-unusable": "A step of the series has no usable value.";
    StepImpossible = "step-impossible": "A step has less than one unit, or a rate of zero.";
    TooFewSteps = "too-few-steps": "There are too few different steps for a projection.";
    TooFar = "too-far": "The extrapolation factor is too large.";
    NotPredicted = "not-predicted": "No model predicts the largest step from the others.";
    ThresholdInInterval = "threshold-in-interval":
        "The threshold lies within the interval of the projection.";

    // The linter, before a run.
    WriteIopsBuffered = "write-iops-buffered": "Small random writes go through the client's page cache.";
    ClientCacheFit = "client-cache-fit": "The data of a node fits in its memory.";
    MissingPersist = "missing-persist": "A measured write is not flushed to storage within its time.";
    WrSameLaunch = "wr-same-launch": "A command line writes and reads the same data in one job.";
    ReaderIsWriter = "reader-is-writer": "Ranks read on the node that wrote.";
    ReadBeyondWritten = "read-beyond-written": "A command line reads more than was written, or other files.";
    SparseRandomWrite = "sparse-random-write": "Random writes go to a new file, so they also allocate space.";
    WearoutOnMeasured = "wearout-on-measured": "A measured rate includes the wear-out of the slowest rank.";
    NoWearoutOnDataset = "no-wearout-on-dataset":
        "A dataset stops at a deadline, so its files differ in size.";
    HeroAsContract = "hero-as-contract": "A hero run has a criterion.";
    Geometry = "geometry": "Ranks, nodes and sizes contradict each other.";
    RoleMismatch = "role-mismatch": "The command line does not match its role.";
    LineRejected = "line-rejected": "The program rejects the command line on any machine.";
    OptionDrift = "option-drift": "An option is renamed, without effect, or has changed.";
    OptionsInFile = "options-in-file": "Options of the command line are in a file that is not read.";
    CbStateUnset = "cb-state-unset": "Collective calls of MPI-IO have no hint for buffering.";
    NotAged = "not-aged": "A metadata rate is measured on a file system in an undeclared state.";
    FillIsNotAge = "fill-is-not-age": "A state fills a file system without overwriting.";
    SharedUniquePair = "shared-unique-pair": "Only shared or only separate directories are tested.";
    MdSameNode = "md-same-node": "Files are stat'ed or removed on the node that created them.";
    StatUnnamed = "stat-unnamed": "A criterion does not name the statistic that is compared.";
    RepsShort = "reps-short": "There are fewer repetitions than required, or they share one job.";
    LinearityBase = "linearity-base": "A series over servers has no valid base for the comparison.";
    OptimalUndefined = "optimal-undefined":
        "The clause text mentions an optimum or steps that the plan does not define.";
    ThresholdMissing = "threshold-missing": "A clause text states a requirement, but nothing is compared.";
    AsWritten = "as-written": "The value of a criterion alone decides, so its verdict has no confidence.";
    ClauseUntested = "clause-untested": "No criterion belongs to the clause of the contract.";
    TableLabel = "table-label": "A text cites a table that the report does not have.";
    UncheckedData = "unchecked-data":
        "Written data is not compared, or is compared within the measured time.";
    Compressible = "compressible": "The file system reduces data, and the written data repeats.";
    NotPacked = "not-packed": "Nodes have fewer ranks than cores.";
    DeadCriterion = "dead-criterion": "A criterion always passes, always fails, or is reversed.";
    ClauseNumber = "clause-number": "The threshold of a criterion is not in the text of its clause.";
    LowConfidence = "low-confidence": "The confidence level of a verdict is below 90 %.";
    HighCovMax = "high-cov-max": "The largest permitted coefficient of variation is above 50 %.";
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
        Self::named(&id)
            .ok_or_else(|| serde::de::Error::custom(format!("`{id}` is not a known code of this version")))
    }
}
