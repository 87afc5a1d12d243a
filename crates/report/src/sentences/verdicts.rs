//! The sentences of verdicts, of findings in the records, of warnings and notes.
//!
//! Never here: codes of the linter.

use results::reason::Code;

/// The templates.
pub(super) const TEXTS: &[(Code, &str)] = templates! {
    // Decisions.
    ThresholdMet:
        "{statistic} {value} meets {comparison} {threshold}[ ({reference})]: 0 of {transfers} transfers \
         ({compared}) wrong. 95 % upper limit of the error rate: {error_rate_max} (n = {transfers}).",
        "{statistic} {value} meets {comparison} {threshold}[ ({reference})]: 0 of {operations} operations \
         ({compared}) wrong. 95 % upper limit of the error rate: {error_rate_max} (n = {operations}).",
        "{statistic} {value} meets {comparison} {threshold}[ ({reference})]. {confidence} confidence limits \
         of the ratio: {ratio_low} to {ratio_high} (n = {n}).",
        "{statistic} {value} meets {comparison} {threshold}[ ({reference})]. One-sided {confidence} \
         confidence limit of the ratio: {ratio_low} (n = {n}).",
        "{statistic} {value} meets {comparison} {threshold}[ ({reference})] (n = {n}, one-sided {confidence} \
         confidence limit {limit}).",
        "{statistic} {value} meets {comparison} {threshold}[ ({reference})][ (n = {n})].";
    ThresholdNotMet:
        "{statistic} {value} does not meet {comparison} {threshold}[ ({reference})]. {confidence} confidence \
         limits of the ratio: {ratio_low} to {ratio_high} (n = {n}).",
        "{statistic} {value} does not meet {comparison} {threshold}[ ({reference})]. One-sided {confidence} \
         confidence limit of the ratio: {ratio_low} (n = {n}).",
        "{statistic} {value} does not meet {comparison} {threshold}[ ({reference})] (n = {n}, one-sided \
         {confidence} confidence limit {limit}).",
        "{statistic} {value} does not meet {comparison} {threshold}[ ({reference})][ (n = {n})].";
    LimitContradictsMet:
        "{statistic} {value} meets {comparison} {threshold}[ ({reference})], but the one-sided {confidence} \
         confidence limit {limit} (n = {n}) does not.[ About {repetitions} repetitions would \
         decide.][{more_would_decide?} More repetitions would decide.][{undecidable?} No practical number of \
         repetitions would decide.]";
    LimitContradictsMiss:
        "{statistic} {value} does not meet {comparison} {threshold}[ ({reference})], but the one-sided \
         {confidence} confidence limit {limit} (n = {n}) does.[ About {repetitions} repetitions would \
         decide.][{more_would_decide?} More repetitions would decide.][{undecidable?} No practical number of \
         repetitions would decide.]";
    NoLimit:
        "{statistic} {value} of {n|repetition} has no confidence limit, and the plan decides by the limit \
         ({comparison} {threshold}).";
    RatioUndecided:
        "{statistic} {value}, required {comparison} {threshold}[ ({reference})]. The one-sided {confidence} \
         confidence limits of the ratio are {ratio_low} and {ratio_high} (n = {n}). COV {cov}, of the \
         reference {cov_reference}.[ About {repetitions} repetitions of each would decide.][{undecidable?} \
         No practical number of repetitions would decide.]",
        "{statistic} {value}, required {comparison} {threshold}[ ({reference})]. The lower one-sided \
         {confidence} confidence limit of the ratio is {ratio_low} (n = {n}), without an upper one. COV \
         {cov}, of the reference {cov_reference}.[ About {repetitions} repetitions of each would \
         decide.][{undecidable?} No practical number of repetitions would decide.]";
    VariabilityAboveMax: "The {n|repetition} vary by {cov} (COV); the plan allows {cov_max}.";
    NoValues: "No repetition has a value.";
    ReferenceUnusable: "{metric} of {test}, with which it is compared, cannot be used. {cause}";
    PartUnusable: "Part {part} cannot be used. {cause}";
    LintError: "The campaign was started in spite of an error of the linter. {cause}";
    EvidenceModified: "Files are not as they were recorded, so this proves nothing.";
    // What was not run, or not to its end.
    NoneRan:
        "{job} repetition {repetition} was not run.",
        "The campaign ended before the test was run.";
    NotYetRun: "The campaign has not ended and has not come to the test yet.";
    AttemptOpen: "The campaign has not ended. An attempt ended with it or still runs ({folder}).";
    NotChosen: "The test was not chosen. Chosen: {chosen}.";
    RepetitionsMissing: "{ran} of {planned|repetition} were run. {cause}";
    RepetitionTwice: "Repetition {repetition} is there twice ({folders}). Neither of them is chosen.";
    JobFailed:
        "{who} ended with status {status}[ ({launcher:killed=a rank was killed;cancelled=the job was \
         cancelled;allocation-time=the time of its allocation was over;node-died=a node died})].[ \
         {failure}][ Output: {output}]",
        "{who} was ended by signal {signal}[ ({launcher:killed=a rank was killed;cancelled=the job was \
         cancelled;allocation-time=the time of its allocation was over;node-died=a node died})].[ \
         {failure}][ Output: {output}]",
        "{who} did not end within {timeout} and was killed[ ({launcher:killed=a rank was \
         killed;cancelled=the job was cancelled;allocation-time=the time of its allocation was \
         over;node-died=a node died})].[ {failure}][ Output: {output}]",
        "{who} did not end in time and was killed[ ({launcher:killed=a rank was killed;cancelled=the job was \
         cancelled;allocation-time=the time of its allocation was over;node-died=a node died})].[ \
         {failure}][ Output: {output}]";
    JobNotStarted:
        "{who} was not started. {rejection}",
        "{who} could not be started[: {output}].";
    RecordedFailure:
        "{step} failed on rank {rank} (node {node}): {error}.",
        "{step} failed: {error}.";
    RecordsUnreadable: "The records of repetition {repetition} cannot be read: {error}.";
    NothingRecorded: "Repetition {repetition} recorded nothing.";
    NoEndRecord: "The records of repetition {repetition} have no end.";
    MetricMissing: "Repetition {repetition} recorded no {metric}.";
    CasesUntried: "Repetition {repetition} tried none of the {cases|case} of {group}: {error}.";
    DummyBackend: "The DUMMY backend moves nothing, so there is nothing to evaluate.";
    ImportMissing: "{test} repetition {repetition} did not export {name}: it recorded no file size.";
    SearchValueMissing: "{test} measured no {metric}, by which the number of nodes is searched.";
    SearchStepFailed:
        "{test} did not end well, so its {metric} is not known. The number of nodes is searched by it.";
    RanksDiffer: "{who} ran on {ranks|rank}; the plan asks for {planned}.";
    NodesDiffer: "{who} ran on {nodes|node}; the plan asks for {planned}.";
    StateNotRecorded: "{state} recorded no state.";
    StateNotReached:
        "{state}: {blocks} of the blocks were in use; {target} were asked for.",
        "{state}: {inodes} of the inodes were in use; {target} were asked for.",
        "{state}: {cycles} overwrite cycles were done; {target} were asked for.";
    PreloadUncounted: "{state}: repetition {repetition} counted no files.";
    PreloadCount:
        "{state}: repetition {repetition} counted {files|file} in {directories|directory|directories}; \
         {planned} in each were asked for.";
    PartMissing: "Repetition {repetition}: {other}, which is to run at the same time, did not run.";
    PartTimeUnknown: "Repetition {repetition}: the records do not tell when {other} ran.";
    Overlap:
        "Repetition {repetition}: {part} and {other} ran together for {share} of the shorter one; {needed} \
         is required.";
    PartNotAtWork: "Repetition {repetition}: {part} was not at work together with all other parts.";
    CommonTimeTooShort:
        "Repetition {repetition}, {phase}: all parts were at work together for {common}, less than an \
         interval of the timeline ({interval}).",
        "{phase}: all parts were at work together for {common}, less than an interval of the timeline \
         ({interval}).";
    DatasetUnreadable: "{dataset} could not be looked at: {error}.";
    DatasetNotWritten: "{dataset} recorded no phase that wrote.";
    DatasetWrongData: "{dataset}: {transfers|transfer} came back with wrong data.";
    DatasetNotStored: "{dataset}: the DUMMY backend writes nothing, so there is nothing to read.";
    DatasetFilesMissing: "{dataset}: {found} of {planned} files found.";
    DatasetFileSize: "{dataset}: {path} has {bytes} bytes; {recorded} were recorded.";
    DatasetSparse:
        "{dataset}: {path} is sparse. The file system stores {allocated} of {bytes}, so the rest was never \
         written or was compressed.";
    DatasetTooSmall:
        "{dataset} holds {bytes}; its readers need {needed} ({rate} for {time}, {margin} times).";
    ReadBeyondDataset: "{test} reads {asked} of {path} in {dataset}, which has {bytes}.";
    DatasetNamesDiffer:
        "{dataset}: {files_counted|file} were counted; {files_made} were made.",
        "{dataset}: {directories_counted|directory|directories} were counted; {directories_made} were made.";
    DatasetChanged:
        "[{dataset} was changed since it was made. ]{path} has {bytes} bytes; it had {bytes_before}.",
        "[{dataset} was changed since it was made. ]{files|file} in {directories|directory|directories} were \
         counted; there were {files_before} in {directories_before}. First difference: {path}.",
        "[{dataset} was changed since it was made. ]{path} {change:gone=is gone;not-a-file=is no longer a \
         file}.";
    DatasetWritten: "[{dataset} was changed since it was made. ]{path} was written to, or its time was set.";
    DatasetChangedLater: "{folder} found the dataset changed afterwards. {cause}";
    WrongDataUnattributed:
        "Another program wrote to the dataset, so it is not known whose wrong data this is. {cause}[ \
         ({folder})]";
    DatasetReused:
        "{dataset} was made by {campaign} on {made} and used again. {files|file} of {bytes} unchanged, \
         {samples|sample} compared.",
        "{dataset} was made by {campaign} on {made} and used again. {files|file} counted, {samples|sample} \
         compared.";
    DatasetRecreated: "{dataset} was recreated. {cause}";
    KeptUnfinished: "The kept dataset was never finished.";
    KeptUnreadable: "The kept dataset cannot be read: {error}.";
    KeptOtherRecipe: "The kept dataset of {campaign} (made {made}) was made by another recipe.";
    KeptIncomplete: "The kept dataset of {campaign} (made {made}) lacks {file}.";
    KeptExpired: "The kept dataset of {campaign} (made {made}) had expired.";
    KeptChanged:
        "The kept dataset of {campaign} (made {made}) was changed. {cause}",
        "The kept dataset of {campaign} (made {made}) was changed: {path} holds other bytes at {offset}.";
    KeptNotEnough: "The kept dataset of {campaign} (made {made}) is not fit for this plan. {cause}";
    WrongData:
        "{transfers|transfer} held wrong data ({folder}). First: {path} at {offset}[, expected {expected}, \
         found {found}].",
        "{transfers|transfer} held wrong data ({folder}).";
    OperationsFailed:
        "{operations|operation} failed ({folder}). First: {operation} {path}: {error}.",
        "{operations|operation} failed ({folder}).";
    CachedRead:
        "{phase}: {share} of the data was in the page cache of the client before it was read.",
        "{share} of the data was in the page cache of the client before it was read. {memory} is memory, so \
         nothing was read from storage.",
        "{share} of the data was in the page cache of the client before it was read.";
    NamesCached: "Repetition {repetition}: {text}.";
    NamesOnOwnNode:
        "Repetition {repetition}: the names had been made{made?} on the same node ({host}) in {folder}. Its \
         cache may have answered instead of the file system.",
        "Repetition {repetition}: the names had been looked at{seen?} on the same node ({host}) in {folder}. \
         Its cache may have answered instead of the file system.";
    NamesMaybeDropped:
        "Repetition {repetition}: the names had been made{made?} on the same node ({host}) in {folder}. \
         Whether a command dropped its caches is not recorded.",
        "Repetition {repetition}: the names had been looked at{seen?} on the same node ({host}) in {folder}. \
         Whether a command dropped its caches is not recorded.";
    NamesOriginUnknown:
        "Repetition {repetition}: rank 0 was on {host_before} in {folder} and on {host} now. Whether other \
         nodes had the names before is not known.",
        "Repetition {repetition}: an earlier campaign had made{made?} the names on the same node ({host}, \
         {folder}). It may have forgotten them since.",
        "Repetition {repetition}: an earlier campaign had looked at{seen?} the names on the same node \
         ({host}, {folder}). It may have forgotten them since.";
    SustainedNotMet:
        "Repetition {repetition}: {phase} lasted {lasted}; the rate has to hold for {needed}.",
        "Repetition {repetition}: a rank ended {phase} after {first_rank}; all have to hold for {needed}.";
    NoWholeWindow:
        "Repetition {repetition}: the timeline of {phase} has no whole window of {window} (intervals of \
         {interval}).",
        "Repetition {repetition}: {phase} has no timeline, so no window of {window}.";
    NoSteadyState:
        "Repetition {repetition}: {phase} was not steady within {within}. The window of {window} until \
         {until} changed by {slope+} (maximum {slope_max}) and varied by {range} (maximum {range_max}).",
        "Repetition {repetition}: {phase} was steady after {steady_after}, and no longer after {left_after}, \
         before {measured} were measured.",
        "Repetition {repetition}: {phase} was steady after {steady_after}, and ended before {measured} were \
         measured.",
        "Repetition {repetition}: {phase} has no whole window of {window} within {within}, so it is not \
         known whether it was steady.",
        "Repetition {repetition}: {phase} has no timeline, so it is not known whether it was steady.";
    FillRecorded:
        "The utilization of fs.{fs} was {fill} {when} repetition {repetition}; results between {low} and \
         {high} compare.",
        "The utilization of fs.{fs} was not recorded.";
    OneFsTwice:
        "fs.{fs} and fs.{other} are the same file system: {kind} of {device}, mounted on {mount}[ and \
         {other_mount}].";
    Degraded:
        "fs.{fs}: {missing} missing {when} repetition {repetition}, of {targets|storage target}.",
        "fs.{fs}, {when} repetition {repetition}: {health}.";
    NotDegraded:
        "fs.{fs} was to be degraded; nothing was down {when} repetition {repetition}{known?}.",
        "fs.{fs} was to be degraded; whether anything was down {when} repetition {repetition} is not known.";
    HealthUnknown: "The state of fs.{fs} could not be asked after repetition {repetition}: {error}.";
    Exclusive:
        "{share} of what the servers of fs.{fs} moved during repetition {repetition} was not the test's.";
    TrafficUnknown:
        "The traffic count of the servers of fs.{fs} began again during repetition {repetition}. The traffic \
         of others is not known.";
    LayoutUndeclared:
        "fs.{fs}: files were to lie on {asked|target} each; some lie on {found}[ of {targets}].",
        "fs.{fs}: files were to lie on {asked|target} each; some lie on all[ of {targets}]{found_all?}.",
        "fs.{fs}: files were to lie on {asked|target} each; where they lie is not known.",
        "fs.{fs}: files were to lie on all targets{asked_all?} each; some lie on {found}[ of {targets}].",
        "fs.{fs}: files were to lie on all targets{asked_all?} each; some lie on all[ of \
         {targets}]{found_all?}.",
        "fs.{fs}: files were to lie on all targets{asked_all?} each; where they lie is not known.";
    PathOnWrongFs:
        "{who}: on {host}, {dir} is on {found}; fs.{fs} has the type {planned}.",
        "{who}: {nodes} of {of} nodes have the file system from another server than {host} ({here}): \
         {there}{other_server?}.",
        "{who}: on {nodes} of {of} nodes the files are on another file system than on {host} ({here}): \
         {there}.";
    ClockSkew:
        "{who}: the wall clock of {node} differs by {skew+} from that of {host} (known to {uncertainty}).",
        "{who}: by the wall clock of {host} its phases ran from {phases_from} to {phases_to}. The campaign's \
         job ran from {job_from} to {job_to}. One clock is off by {off} or more.";
    Straggler: "{phase}: the rank with the least moved {bytes}, {share} of the mean of {mean}.";
    WearoutTail: "The wear-out took {wear_out} after a deadline of {deadline}.";
    CovMissing: "One repetition has no variability (COV).";
    CovHigh: "The {n} repetitions vary by {cov} (COV).";
    Harmonic: "Total amount / total time is {whole}; the mean of the rates is {mean}, {share} higher.";
    AbovePhysics:
        "{rate} is more than the {rate_max} that the plan gives as the most of the file system.",
        "Random transfers reach {rate}; sequential ones reach {sequential}.";
    TwoFsBalance: "fs.{fs} took {bytes}; a fair share is {fair}.";
    LsWalk: "A walk listed {entries|entry|entries}; contracts usually ask for more than {entries_min}.";
    MdTooShort: "{phase}: {operations|operation} in {lasted}.";
    RateTooShort: "{phase}: {bytes} in {lasted}.";
    AuditGap: "Missing in the evidence: {missing}.";
    Waiver: "The waiver of {waived} is not needed: nothing was found.";
    MovedOtherAmount: "{phase} moved {moved}; its command line asks for {asked}.";
    OutOfData: "{phase}: {ranks} of {of|rank} ran out of data before the deadline of {deadline}.";
    NotFlushed:
        "{phase}: the data was not flushed to storage within the time measured[{ior?} (no -e, -Y, \
         O_DIRECT)].";
    MemoryFileSystem: "{phase}: {kind} is memory, so no storage took part.";
    FitsMemory: "{phase}: {per_node} per node fits the memory of a client ({memory}).";
    SingleClient:
        "Only one client node of {delivered} ({host}) took part; it may be the bottleneck.",
        "Only one client node ({host}) took part; it may be the bottleneck.";
    SimulatedNodes: "Groups of local ranks simulated the {nodes|node} of the plan (launch.kind `local`).";
    ClientLimited:
        "Limited by the clients: {nodes} nodes reach {times} times the rate, so the value is a lower bound.";
    ClientsSufficient: "{nodes} nodes changed the rate by {gain+}, so the clients do not limit it.";
    ClientLimitUnknown:
        "Whether the clients limit the rate is not known, because {test} cannot be used. {cause}";
    SearchOptimum:
        "The optimum is {nodes|node}: {more_nodes} changed {metric} by {gain+}; a gain of {gain_min} is \
         asked for.";
    SearchOpen: "The rate still rose at {nodes|node}, the largest number that was tried.";
    FirstDiffers: "Repetition 1 reached {share} of the mean of the {others} others and is included.";
    Trend: "{metric} changed by {change+} over the {n} repetitions (p = {p}).";
    WarmUp:
        "{ran}[ of {planned}] warm-up jobs ran before the repetitions and are excluded[ ({folders})].[ \
         {failed}]";
    SlowGroup:
        "{phase} on {kind} {name} ran at {share} of the others' rate (ranks {ranks}[, … {ranks_in_all} of \
         them][; files {files}]).[ It holds {files_held|file}; others hold {others_held}.][ It holds \
         {files_held|file}; others hold {others_held_min} to {others_held_max}.][ It holds \
         {ranks_held|rank}; others hold {others_held}.][ It holds {ranks_held|rank}; others hold \
         {others_held_min} to {others_held_max}.][ The same ranks are those of {same_ranks_kind} \
         {same_ranks_as}; either may be the cause.]";
    UnevenPlacement:
        "{phase} on {kind} {name} ran at {share} of the others' rate (ranks {ranks}[, … {ranks_in_all} of \
         them][; files {files}]).[ It holds {files_held|file}; others hold {others_held}.][ It holds \
         {files_held|file}; others hold {others_held_min} to {others_held_max}.][ It holds \
         {ranks_held|rank}; others hold {others_held}.][ It holds {ranks_held|rank}; others hold \
         {others_held_min} to {others_held_max}.] All of these together were as fast as others: the {kind} \
         is overloaded by placement, not slow.[ This was so in {repetitions} of {of} repetitions.]";
    MoreSlowGroups: "{more} more nodes or targets were slow or overloaded.";
    SlowRank: "{phase}: rank {rank} on {node} ran at {share} of the median rank.";
    SlowRanks:
        "{phase}: rank {rank} on {node} ran at {share} of the median rank, the slowest of {ranks_in_all|slow \
         rank} ({ranks}).";
    LoadImbalance:
        "{phase}: rank {rank} had moved {share} of what the mean rank moved[{by_deadline?} by the deadline].";
    TimeLost: "{phase}: for {share} of the time only {slowest} of {ranks|rank} still worked.";
    WearOutTime: "{phase}: the wear-out took {wear_out}, {share} of the deadline of {deadline}.";
    WorstWindow:
        "{phase}: the slowest {window} of repetition {repetition} ran at {rate}, {share} of its mean (from \
         {from} on).";
    WorstWindowUnknown: "{phase}: there is no timeline that tells the slowest {window}.";
    FewTransfers:
        "{phase}: a window of {window} holds {transfers|transfer} of a rank. Each counts when it ends, so \
         the slowest window may be too low.",
        "{phase}: a window of {window} holds {operations|operation} of a rank. Each counts when it ends, so \
         the slowest window may be too low.";
    CoarseTimeline: "{phase}: the timeline has intervals of {interval}, long for windows of {window}.";
    CommonWindow:
        "{phase}: the rate is that while all parts were at work ({window} in repetition {repetition}), \
         {share} of that of the whole phase.";
    CommonWindowUnknown:
        "{phase}: no timeline tells the rate while all parts were at work. The rate is that of the whole \
         phase.";
    SteadyFrom: "{phase}: steady by windows of {window}, in every repetition after {after} at the latest.";
    StateReached:
        "{state}: {blocks} of the blocks and {inodes} of the inodes in use, {cycles} overwrite cycles[, \
         {fragmented} of the files fragmented].";
    InnerRepetitions: "The {inner|repetition} of -i share a job, so each job counts once, by their mean.";
    AllTrees:
        "{phase}: the trees of all {ranks|rank} are counted. mdtest's own table counts one of them (-u), and \
         is about {ranks} times lower.";
    CasesFailed:
        "{cases} of {of} cases failed: {names}[ and {more} more].[ The first failed on rank {rank} at \
         `{step}`: {seen}.][ The first: {error}.]";
    CasesOfLibrary:
        "{cases} of {of} cases failed as is known of the MPI library, which says nothing of the file system: \
         {names}[ and {more} more].[ The first failed on rank {rank} at `{step}`: {seen}.][ The first: \
         {error}.]";
    CasesUnsupported:
        "{cases} of {of} cases are not supported here: {names}[ and {more} more].[ The first failed on rank \
         {rank} at `{step}`: {seen}.][ The first: {error}.]";
    CasesSkipped:
        "{cases} of {of} cases were not tried: {names}[ and {more} more].[ The first failed on rank {rank} \
         at `{step}`: {seen}.][ The first: {error}.]";
    Notice: "{text}";
    AttemptsRepeated: "Attempts that ended with the campaign were run again: {folders}.";
    AttemptsOpen: "Attempts that ended with the campaign, or still run, were not run again yet: {folders}.";
    StepUnusable: "{test} cannot be used. {cause}";
    StepImpossible: "The step at {step} is not usable: a step has 1 unit or more and rates above 0.";
    TooFewSteps: "A projection needs {steps_min} different steps or more; there are {steps}.";
    TooFar: "The extrapolation factor {factor} is above the maximum of {factor_max}.";
    NotPredicted: "No model predicts the largest step from the others within {error_max} (best: {error+}).";
    ThresholdInInterval: "The threshold {threshold} lies within the interval from {low} to {high}.";
};

/// What to do.
pub(super) const REMEDIES: &[(Code, &str)] = templates! {
    CachedRead:
        "Read with --drop-caches, or allow it with `cache = \"warm\"`.{not_dropped?}",
        "Here --drop-caches did not help. Allow it with `cache = \"warm\"`, or read from other \
         nodes.{dropped?}";
    NamesCached: "If that is intended, allow it with `cache = \"warm\"`.";
    NamesOnOwnNode:
        "Drop caches with --cold, walk on other nodes (--shift), or allow it with `cache = \"warm\"`.{walk?}",
        "Look from other nodes (-N 1), drop caches with --run-cmd-before-phase, or allow it with `cache = \
         \"warm\"`.{operations?}";
    SustainedNotMet: "Move more data, and stop by a deadline (-D).";
    FirstDiffers: "To add an excluded warm-up run, set `warm_up = 1`.{no_warm_up?}";
    FillRecorded: "Bring the file system to that utilization, or start a new series.{fill?}";
    OneFsTwice: "Give a directory on each of two file systems, or describe only one.";
    Degraded:
        "Repair the file system and measure again, or set `degraded = true` for a test that has to bear it.";
    NotDegraded: "Let `degrade` of the state take down what `health` then reports.";
    HealthUnknown: "Correct the command, and measure again.";
    Exclusive: "Measure while no other jobs use the file system.";
    TrafficUnknown: "Check whether a server was restarted.";
    LayoutUndeclared: "Set the layout of the directory before its files are made.";
    PathOnWrongFs:
        "Explain in a waiver why it is the same file system.{other_server?}",
        "Mount the file system on those nodes, or leave them out.";
    ClockSkew: "Synchronise the clocks of all nodes with NTP or chrony.";
    Straggler: "Find the slow node or target, or explain it in a waiver.";
    WearoutTail: "Find what holds the slowest ranks back.";
    CovMissing: "Repeat it at least three times.";
    CovHigh: "Find the cause, or explain it in a waiver.";
    Harmonic: "Report both, or stop by a deadline (-D).";
    AbovePhysics: "Find the cache that answered, or offsets that repeat.";
    TwoFsBalance: "Let even ranks write to one file system and odd ranks to the other.";
    LsWalk: "Make larger trees.";
    MdTooShort: "Run at least a million operations for at least half a minute.";
    RateTooShort:
        "Move {times} times as much, so that it lasts a second at least (ior: -b, -s or -D).",
        "Move more, so that it lasts a second at least (ior: -b, -s or -D).";
    AuditGap: "Measure again with a program that records it; evidence cannot be added later.";
    Waiver: "Remove it from the plan.";
    NotPredicted: "Add repetitions, or steps nearer to the target.";
    ThresholdInInterval: "Add repetitions, or larger steps.";
};
