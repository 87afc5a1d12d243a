//! What to do about a verdict, a finding in the records, a warning or a note.
//!
//! Never here: what happened.

use results::reason::Code;

/// What to do.
pub(super) const TEXTS: &[(Code, &str)] = templates! {
    LimitContradictsMet:
        "To decide, set `repetitions` in the plan to this number and run a new campaign. To add repetitions \
         to this one, with stricter limits, use `assay run --extend`.{repetitions?}";
    LimitContradictsMiss:
        "To decide, set `repetitions` in the plan to this number and run a new campaign. To add repetitions \
         to this one, with stricter limits, use `assay run --extend`.{repetitions?}";
    NoLimit:
        "Set `repetitions` in the plan to at least {n_min}, better to more, and run a new campaign.",
        "Compare the mean or the median.";
    RatioUndecided:
        "To decide, set `repetitions` of both tests to this number and run a new campaign.{repetitions?}";
    RatioNoLimit:
        "Set `repetitions` of both tests to at least {n_min}, better to more, and run a new campaign.";
    VariabilityUnknown: "Set `repetitions` in the plan to at least 3 and run a new campaign.";
    VariabilityAboveMax: "Find the cause of the variability, and measure again.";
    EvidenceModified: "List these files with `assay verify FOLDER`.";
    TestsDiffer: "To compare them anyway, add --other-parameters.{rejected?}";
    TooFewToCompare: "Set `repetitions` in the plan to at least 3, better to more, and run a new campaign.";
    EvidenceRejected: "List all faults with `assay verify FOLDER`.";
    ClauseUntested: "Name the clause in a criterion of the plan.";
    NotYetRun: "If the campaign was stopped, resume it with `assay run --resume FOLDER`.";
    AttemptOpen: "If the campaign was stopped, resume it with `assay run --resume FOLDER`.";
    DummyBackend: "Measure with another backend.";
    CachedRead:
        "Read with --drop-caches, or allow cached data with `cache = \"warm\"`.{not_dropped?}",
        "Here --drop-caches did not help. Read from other nodes, or allow cached data with `cache = \
         \"warm\"`.{dropped?}";
    KernelReadLess: "Find what served the data: a cache, holes in the file, or another file system.";
    KernelWroteLess: "Find what kept the data: a file that was removed, or another file system.";
    SampledWrong: "Compare all data with -R.";
    RepeatedData: "Give more data with -b or -s instead of -O minTimeDuration.";
    ClockPace:
        "Find what changes the clock, such as a preloaded library or a virtual machine.{raw?}",
        "Find what set the wall clock, and measure again.{wall?}";
    TrafficLess: "Find what served the data, or correct the `traffic` command.";
    StrayFile: "Remove the link or the mount, and measure again.";
    ReportedCached:
        "Read on other nodes than those that wrote (-C of ior, -N of mdtest), or explain it in a waiver.";
    ReportedShort: "Measure for most of the time of the job, or explain it in a waiver.";
    ReportedLess: "Compare the sizes of the files, or explain it in a waiver.";
    ProgramChanged: "Use one build for all repetitions, or explain the change in a waiver.";
    SharedKernel:
        "Run on real nodes, or set `clients.simulated = true`. The report then states that nodes were \
         simulated.";
    EvidenceOnTested: "To write it elsewhere, start in another directory or use --campaigns.";
    BackingStore:
        "Test the storage itself{how:loop=, or set `backing` of fs.NAME if the plan means it;memory=, or \
         explain it in a waiver;overlay=}.";
    MappedObject:
        "Remove it from LD_PRELOAD, LD_LIBRARY_PATH and /etc/ld.so.preload, or explain it in a waiver.";
    OtherNodes: "Resume on the same nodes, or explain the change in a waiver.";
    OtherProgram: "Let the launcher start the campaign's own program, or explain the other in a waiver.";
    TracedProcess: "Run without a tracer, or explain it in a waiver.";
    UncountedProcess:
        "Let /proc/self/io be readable on all nodes (CONFIG_TASK_IO_ACCOUNTING), or explain it in a waiver.";
    SystemCallFilter: "Run outside the container or sandbox, or explain the filter in a waiver.";
    LinkedFile: "Remove the links, or explain them in a waiver.";
    NamesCached: "If this is intended, allow it with `cache = \"warm\"`.";
    NamesOnOwnNode:
        "Drop caches with --cold, walk on other nodes (--shift), or allow it with `cache = \"warm\"`.{walk?}",
        "Use other nodes (-N 1), drop caches with --run-cmd-before-phase, or allow it with `cache = \
         \"warm\"`.{operations?}";
    SustainedNotMet: "Move more data, and stop with a deadline (-D).";
    SteadyUnclear: "Measure for longer (`measured` of `steady`), or find what makes the rate vary.";
    OutOfData: "Give the ranks more data (ior: -b or -s).";
    NotFlushed: "Add -e.{ior?}";
    MemoryFileSystem: "Test a directory on a file system with storage.";
    FitsMemory: "Move more data per node.";
    SingleClient: "Measure with more client nodes.";
    ClientLimited: "Measure with more client nodes.";
    SearchUnclear: "Set more `repetitions`, or a larger `gain`, and run a new campaign.";
    ClientLimitUnclear: "Set more `repetitions`, or a larger `gain`, and run a new campaign.";
    SearchOpen: "Add larger numbers of nodes to the search.";
    DependentRepetitions:
        "Run the repetitions further apart in time, or alternate them with other tests (`order`).";
    StalledRepetition: "Find the cause, and run more repetitions.";
    FirstDiffers: "To add an excluded warm-up run, set `warm_up = 1`.{no_warm_up?}";
    FillRecorded: "Bring the file system to a utilization in this range, or start a new series.{fill?}";
    OneFsTwice: "Give a directory on each of two file systems, or describe only one.";
    Degraded:
        "Repair the file system and measure again, or set `degraded = true` for a test that must tolerate \
         this.";
    NotDegraded:
        "Let the `degrade` command of the state take something offline that the `health` command reports.";
    HealthUnknown: "Correct the command, and measure again.";
    Exclusive: "Measure while no other jobs use the file system.";
    CampaignBeside: "Run one campaign after the other, or explain it in a waiver.";
    TrafficUnknown: "Check whether a server was restarted.";
    LayoutUndeclared: "Set the layout of the directory before its files are made.";
    PathOnWrongFs:
        "Explain in a waiver why it is the same file system.{other_server?}",
        "Mount the file system on these nodes, or leave them out.";
    ClockSkew: "Synchronize the clocks of all nodes with NTP or chrony.";
    Straggler: "Find the slow node or target, or explain it in a waiver.";
    WearoutTail: "Find what delays the slowest ranks.";
    CovMissing: "Set `repetitions` in the plan to at least 3.";
    CovHigh: "Find the cause, or explain it in a waiver.";
    Harmonic: "Report both, or stop each repetition with a deadline (-D).";
    AttemptsRepeated: "Compare the attempts, and explain them in a waiver.{attempts_max?}";
    UnexplainedTime: "Find what the launcher does beside the job, or explain it in a waiver.";
    AskedRepeated: "Compare the attempts, and explain the repetition in a waiver.";
    UnplannedLooks: "Set `decide.looks` in the plan, or explain the extension in a waiver.";
    AsWrittenLooks: "Explain the extension in a waiver.";
    AbovePhysics: "Find the cache that served the data, or offsets that repeat.";
    TwoFsBalance: "Let even ranks write to one file system and odd ranks to the other.";
    LsWalk: "Make larger trees.";
    MdTooShort: "Run at least 1000000 operations for at least 30 s.";
    RateTooShort:
        "Move {times} times as much, so that the phase lasts at least 1 s (ior: -b, -s or -D).",
        "Move more, so that the phase lasts at least 1 s (ior: -b, -s or -D).";
    WitnessSilent: "Measure again with a witness that answers, or approve a waiver.";
    AuditGap: "Measure again with a program that records it. Evidence cannot be added later.";
    Waiver: "Remove it from the plan.";
    SlowGroup: "Examine the {kind} {name}.";
    UnevenPlacement: "Distribute ranks and files evenly.";
    TooFar: "Measure larger steps.";
    TooFewSteps: "Measure more steps.";
    NotPredicted: "Add repetitions, or steps nearer to the target.";
    ThresholdInInterval: "Add repetitions, or larger steps.";
};
