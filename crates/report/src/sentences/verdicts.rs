//! The sentences of verdicts, of findings in the records, of warnings and notes.
//!
//! Never here: codes of the linter.
// tidy: long because it is a table.

use results::reason::Code;

/// How a job ended, after its status: what its launcher reports, what it recorded, and its error output.
macro_rules! end_of_job {
    () => {
        "[ ({launcher:killed=a rank was killed;cancelled=the job was \
         cancelled;allocation-time=the time of its allocation was over;node-died=a node failed})].[ The \
         launcher first reported the end of process {dead_process} on {dead_node}.][ It was rank \
         {dead_rank}.][ Signal {dead_signal} ended it.][ It ended with status {dead_status}.][ {failure}][ \
         Error output: {output}][ It reported: {reported}.]"
    };
}

/// What a launcher rejects, and what would help, from the data `launch_rejected`.
macro_rules! launch_mistake {
    () => {
        "{launch_rejected:root=Open MPI does not start as root. Set \
         OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or add `--allow-run-as-root` to \
         `options` or `argv` of the launch table.;slots=Open MPI has fewer slots than ranks. Set \
         OMPI_MCA_rmaps_base_oversubscribe=1 (since Open MPI 5: \
         PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe), or add `--oversubscribe` to `options` or \
         `argv` of the launch table.;option=The launcher does not know an option. Correct `options` or \
         `argv` of the launch table.;program=The launcher does not find a program. Install it on all nodes, \
         or correct its path.;node=The launcher cannot reach a node. Correct the names of the \
         nodes.;mpi=The ranks do not find the MPI library of their launcher. Load its module, or set \
         ASSAY_MPI_LIBRARY.}"
    };
}

/// The templates.
pub(super) const TEXTS: &[(Code, &str)] = templates! {
    // Decisions.
    ThresholdMet:
        "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. 0 of \
         {transfers} transfers ({compared}) were wrong. 95 % upper limit of the error rate: {error_rate_max} \
         (n = {transfers}).",
        "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. 0 of \
         {operations} operations ({compared}) were wrong. 95 % upper limit of the error rate: \
         {error_rate_max} (n = {operations}).",
        "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. One-sided \
         {confidence} confidence limits of its ratio to the threshold: {ratio_low} and {ratio_high} (n = \
         {n}).",
        "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. Lower \
         one-sided {confidence} confidence limit of its ratio to the threshold: {ratio_low} (n = {n}).",
        "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. One-sided \
         {confidence} confidence limit: {limit} (n = {n}).",
        "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})][ (n = \
         {n})].";
    ThresholdNotMet:
        "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ ({reference})]. \
         One-sided {confidence} confidence limits of its ratio to the threshold: {ratio_low} and \
         {ratio_high} (n = {n}).",
        "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ ({reference})]. \
         Lower one-sided {confidence} confidence limit of its ratio to the threshold: {ratio_low} (n = {n}).",
        "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ ({reference})]. \
         One-sided {confidence} confidence limit: {limit} (n = {n}).",
        "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ ({reference})][ (n \
         = {n})].";
    LimitContradictsMet:
        "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. Its \
         one-sided {confidence} confidence limit of {limit} (n = {n}) does not meet it.[ With mean and \
         variability as measured, {repetitions} repetitions in total decide with a probability of {power}.][ \
         More than {repetitions_max} repetitions would be needed.]";
    LimitContradictsMiss:
        "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ ({reference})]. \
         Its one-sided {confidence} confidence limit of {limit} (n = {n}) meets it.[ With mean and \
         variability as measured, {repetitions} repetitions in total decide with a probability of {power}.][ \
         More than {repetitions_max} repetitions would be needed.]";
    NoLimit:
        "The {statistic} of {value} has no confidence limit (n = {n}[, at least {n_min} needed]). So it does \
         not decide about the threshold {comparison} {threshold}.";
    RatioUndecided:
        "The {statistic} of {value} may or may not meet the threshold {comparison} {threshold}[ \
         ({reference})]. One-sided {confidence} confidence limits of its ratio to the threshold: {ratio_low} \
         and {ratio_high} (n = {n}). COV: {cov}, of the reference {cov_reference}.[ With means and \
         variability as measured, {repetitions} repetitions in total of each decide with a probability of \
         {power}.][ More than {repetitions_max} repetitions of each would be needed.]",
        "The {statistic} of {value} may or may not meet the threshold {comparison} {threshold}[ \
         ({reference})]. Lower one-sided {confidence} confidence limit of its ratio to the threshold: \
         {ratio_low} (n = {n}). It has no upper limit. COV: {cov}, of the reference {cov_reference}.[ \
         With means and variability as measured, {repetitions} repetitions in total of each decide with a \
         probability of {power}.][ More than {repetitions_max} repetitions of each would be needed.]";
    RatioNoLimit:
        "The {statistic} of {value} is compared with the threshold {comparison} {threshold}[ ({reference})]. \
         Their ratio has no confidence limit (n = {n}, of the reference {n_reference}, both at least \
         {n_min}).";
    VariabilityAboveMax:
        "The {n} repetitions vary by {cov} (COV), more than the {cov_max} that the plan allows.";
    VariabilityUnknown:
        "The variability (COV) is not known (n = {n}). The plan allows at most {cov_max}.";
    NoValues: "No repetition has a value.";
    ReferenceUnusable: "The reference, {metric} of {test}, cannot be used. {cause}";
    AcceptedMissing: "The accepted campaign has no value of {metric} for this test.";
    AcceptedDiffers:
        "The accepted campaign measured this with another {what:command=command line;setup=command before \
         the job;source=content of the files that are read;state=state;course=course;ranks=number of ranks;\
         nodes=number of nodes;parameters=set of parameters;program=program}. Repeat the acceptance with the \
         same, or correct the plan.";
    PartUnusable: "Part {part} cannot be used. {cause}";
    LintError: "The campaign was started despite a lint error. {cause}";
    EvidenceModified: "Files of the campaign are not intact, so its verdicts are not valid.";
    // Comparisons of campaigns, and the state of their evidence.
    ComparedFaster:
        "Its mean is {ratio} of the baseline's, so it is faster. Interval of the ratio, for {ratios|ratio} \
         together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and {n}).",
        "Its mean is {ratio} of the baseline's, so it is faster. Interval of the ratio, for {ratios|ratio} \
         together: above {ratio_low} ({confidence}, n = {n_reference} and {n}).";
    ComparedSlower:
        "Its mean is {ratio} of the baseline's, so it is slower. Interval of the ratio, for {ratios|ratio} \
         together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and {n}).",
        "Its mean is {ratio} of the baseline's, so it is slower. Interval of the ratio, for {ratios|ratio} \
         together: above {ratio_low} ({confidence}, n = {n_reference} and {n}).";
    ComparedLarger:
        "Its mean is {ratio} of the baseline's, so it is larger. Interval of the ratio, for {ratios|ratio} \
         together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and {n}).",
        "Its mean is {ratio} of the baseline's, so it is larger. Interval of the ratio, for {ratios|ratio} \
         together: above {ratio_low} ({confidence}, n = {n_reference} and {n}).";
    ComparedSmaller:
        "Its mean is {ratio} of the baseline's, so it is smaller. Interval of the ratio, for {ratios|ratio} \
         together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and {n}).",
        "Its mean is {ratio} of the baseline's, so it is smaller. Interval of the ratio, for {ratios|ratio} \
         together: above {ratio_low} ({confidence}, n = {n_reference} and {n}).";
    NoDifferenceShown:
        "Its mean is {ratio} of the baseline's. The interval of the ratio contains 100 %, so no difference \
         is shown. For {ratios|ratio} together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} \
         and {n}).[ Alone, the interval would be {alone_low} to {alone_high}. Among {ratios|ratio}, chance \
         can cause that.]",
        "Its mean is {ratio} of the baseline's. The interval of the ratio contains 100 %, so no difference \
         is shown. For {ratios|ratio} together: above {ratio_low} ({confidence}, n = {n_reference} and \
         {n}).[ Alone, the interval would be {alone_low} to {alone_high}. Among {ratios|ratio}, \
         chance can cause that.]";
    CountsCompared:
        "The baseline counted {counted_reference} in {n_reference|repetition}, and this campaign {counted} \
         in {n|repetition}.";
    NotInCampaign: "Campaign {campaign} does not have this test.";
    TestsDiffer:
        "The tests were compared although they differ: {what:command=command line;setup=commands before the \
         job;source=files that are read;state=state;course=other requirements;ranks=ranks;nodes=nodes;\
         parameters=parameters}.{compared?}",
        "The tests are not compared, because they differ: {what:command=command line;setup=commands before \
         the job;source=files that are read;state=state;course=other requirements;ranks=ranks;nodes=nodes;\
         parameters=parameters}.";
    UnitsDiffer: "The values have different units: `{unit_reference}` and `{unit}`.";
    UnusableInCampaign: "Campaign {campaign} has no usable value. {cause}";
    TooFewToCompare:
        "A ratio has an interval only from two repetitions of each campaign on (n = {n_reference} and {n}).";
    NoVariabilityToCompare:
        "The repetitions of each campaign are equal, so their ratio has no interval (n = {n_reference} and \
         {n}).";
    RatioNotPositive: "A mean is not positive, so the ratio has no meaning.";
    EvidenceIntact: "The evidence is intact.";
    EvidenceSoFar: "The evidence is unmodified so far, but the campaign has not ended.";
    EvidenceNotReproduced:
        "The measured data is unmodified. Verdicts or report were made by another build. They were derived \
         again here.{other_build?}",
        "The measured data is unmodified. Verdicts or report are not those of this program. They were \
         derived again here. First difference: {difference}.";
    EvidenceRejected:
        "The evidence is not intact, so no value of this campaign is used. {faults|fault} found. The first: \
         {fault}.";
    EvidenceUnreadable: "This is no readable campaign: {error}";
    // What was not run, or did not end.
    ClauseUntested: "No criterion of the plan belongs to this clause, so nothing was measured for it.";
    NoneRan:
        "{job} repetition {repetition} was not run.",
        "The campaign ended before the test was run.";
    NotYetRun: "The campaign has not ended, and this test has not started yet.";
    AttemptOpen:
        "The campaign has not ended. The attempt {folder} still runs, or was stopped with the campaign.";
    NotChosen: "The test was not selected. Selected tests: {chosen}.";
    RepetitionsMissing: "Only {ran} of {planned|repetition} were run. {cause}";
    RepetitionTwice: "Repetition {repetition} exists twice ({folders}). Neither of them is used.";
    ProbeFailed:
        concat!("The launcher started no usable ranks for the probe of {ranks|rank}. ", launch_mistake!(),
                "[ Error output: {output}]"),
        "The probe started {started|rank} instead of {ranks}. Compare the arguments of the launcher with the \
         plan.",
        "The probe of {ranks|rank} ran on {nodes|node} instead of {planned}. Compare the arguments of the \
         launcher with the plan.",
        "The probe of {ranks|rank} did not end within {timeout} and was killed.[ Error output: {output}]",
        "The probe of {ranks|rank} was ended by signal {signal}.[ Error output: {output}]",
        "The probe of {ranks|rank} ended with status {status}.[ {failure}][ Error output: {output}]",
        "The probe of {ranks|rank} left no complete records.[ Error output: {output}]";
    JobFailed:
        concat!("{who} started no rank (status {status}). ", launch_mistake!()),
        concat!("{who} ended with status {status}", end_of_job!()),
        concat!("{who} was ended by signal {signal}", end_of_job!()),
        concat!("{who} did not end within {timeout} and was killed", end_of_job!()),
        concat!("{who} exceeded its time limit and was killed", end_of_job!());
    JobNotStarted:
        "{who} was not started. {rejection}",
        "{who} could not be started[: {output}].";
    RecordedFailure:
        "{step} failed on rank {rank} (node {node}): {error}.",
        "{step} failed: {error}.";
    RecordsUnreadable: "The records of repetition {repetition} cannot be read: {error}.";
    RecordsContradict:
        "The evidence of {folder} contradicts itself: {fact} is {value}, but {other} is {other_value}.";
    RecordsIncomplete:
        "The records of {folder} have no {part} of {phase}, although this program always records it.",
        "The records of {folder} have no {part}, although this program always records it.";
    MeasuredTwice:
        "{folder} and {other} have the same {fact} ({value}). One measurement cannot be two repetitions.";
    NothingRecorded: "Repetition {repetition} recorded nothing.";
    NoEndRecord: "The records of repetition {repetition} are incomplete: they have no end record.";
    MetricMissing: "Repetition {repetition} did not record {metric}.";
    ValueNotFinite: "Repetition {repetition}: {metric} is {found}, which is not a finite number.";
    CasesUndecided:
        "Repetition {repetition}: {cases|case} ended without an outcome, so the number of cases \
         with the outcome `{outcome}` is {least} to {most}. First: {names}: {error}.";
    CasesUntried: "Repetition {repetition} ran none of the {cases|case} of {group}: {error}.";
    DummyBackend: "The DUMMY backend moves no data, so there is nothing to evaluate.";
    ImportMissing: "{test} repetition {repetition} did not export {name}, because it recorded no file size.";
    SearchValueMissing:
        "{test} did not measure {metric}. The search for the number of nodes needs this value.";
    SearchStepFailed:
        "{test} failed, so its {metric} is not known. The search for the number of nodes needs this value.";
    CommandDiffers: "{who} received other arguments than planned. Planned: {planned}. Received: {received}.";
    ParametersDiffer:
        "{who}: {phase} ran with {option} {found}, but the plan has {planned}.";
    DataKeyDiffers:
        "{who}: {phase} moved data of the key {found}, but the campaign has the key {planned}.";
    RanksDiffer: "{who} ran on {ranks|rank}, but the plan asks for {planned}.";
    NodesDiffer: "{who} ran on {nodes|node}, but the plan asks for {planned}.";
    ReportedDiffers: "{who}: the program reports {what}: {found}. Planned: {planned}.";
    ReportedTime: "{who}: the program reports {claimed}, but the job took only {wall}.";
    ReportedRate:
        "{who}, {phase}: the program reports {rate} for {time}. That is more than its total of {total}.",
        "{who}, {phase}: the program reports {rate}, but the best of its repetitions is {best}.";
    SharedKernel: "{who} ran on {nodes|node} with only {kernels|kernel}. Nodes with one kernel are one node.";
    StateNotRecorded: "{state} recorded no state.";
    StateNotReached:
        "{state}: {blocks} of the blocks were in use, but {target} are required.",
        "{state}: {inodes} of the inodes were in use, but {target} are required.",
        "{state}: {cycles} overwrite cycles were done, but {target} are required.";
    PreloadUncounted: "{state}: repetition {repetition} did not count the files.";
    PreloadCount:
        "{state}: repetition {repetition} counted {files|file} in {directories|directory|directories}, but \
         {planned} per directory are required.";
    PartMissing: "Repetition {repetition}: {other} should run at the same time, but it did not run.";
    PartTimeUnknown: "Repetition {repetition}: the records do not state when {other} ran.";
    Overlap:
        "Repetition {repetition}: {part} and {other} ran together for {share} of the shorter one, but \
         {needed} is required.";
    PartNotAtWork: "Repetition {repetition}: {part} was never active together with all other parts.";
    CommonTimeTooShort:
        "Repetition {repetition}, {phase}: all parts were active together for {common}, less than one \
         interval of the timeline ({interval}).",
        "{phase}: all parts were active together for {common}, less than one interval of the timeline \
         ({interval}).";
    DatasetUnreadable: "{dataset} could not be examined: {error}.";
    DatasetNotWritten: "{dataset} recorded no phase that wrote.";
    DatasetWrongData: "{dataset}: {transfers|transfer} returned wrong data.";
    DatasetNotStored: "{dataset}: the DUMMY backend stores nothing, so there is nothing to read.";
    DatasetFilesMissing: "{dataset}: {found} of {planned} files were found.";
    DatasetFileSize: "{dataset}: {path} has {bytes} bytes, but {recorded} were recorded.";
    DatasetSparse:
        "{dataset}: {path} is sparse. The file system stores {allocated} of {bytes}, so the rest was never \
         written or was compressed.";
    DatasetTooSmall:
        "{dataset} holds {bytes}, but its readers need {needed} ({margin} times {rate} for {time}).";
    ReadBeyondDataset: "{test} reads {asked} of {path} in {dataset}, but the file holds only {bytes}.";
    DatasetNamesDiffer:
        "{dataset}: {files_counted|file} were counted, but {files_made} were made.",
        "{dataset}: {directories_counted|directory|directories} were counted, but {directories_made} were \
         made.";
    DatasetChanged:
        "[{dataset} was changed after it was made. ]{path} has {bytes} bytes, but it had {bytes_before}.",
        "[{dataset} was changed after it was made. ]{files|file} in {directories|directory|directories} were \
         counted, instead of {files_before} in {directories_before}. First difference: {path}.",
        "[{dataset} was changed after it was made. ]{path} {change:gone=is missing;not-a-file=is no longer a \
         file}.";
    DatasetWritten:
        "[{dataset} was changed after it was made. ]{path} was written to, or its modification time was \
         set[: {modified_before} before, {modified} now].[ The data of {differs} differs at {offset}.]";
    DatasetChangedLater: "A later job ({folder}) found the dataset changed. {cause}";
    WrongDataUnattributed:
        "Another program wrote to the dataset, so the origin of the wrong data is not known. {cause}[ \
         ({folder})]";
    DatasetReused:
        "{dataset} was made by {campaign} at {made} and used again. {files|file} ({bytes}) were unchanged, \
         and {samples|sample} matched.",
        "{dataset} was made by {campaign} at {made} and used again. {files|file} were counted, and \
         {samples|sample} matched.";
    DatasetRecreated: "{dataset} was recreated. {cause}";
    KeptUnfinished: "The kept dataset was never finished.";
    KeptUnreadable: "The kept dataset cannot be read: {error}.";
    KeptOtherRecipe: "The kept dataset of {campaign} (made {made}) was made with another recipe.";
    KeptIncomplete: "The kept dataset of {campaign} (made {made}) lacks {file}.";
    KeptExpired: "The kept dataset of {campaign} (made {made}) had expired.";
    KeptChanged:
        "The kept dataset of {campaign} (made {made}) was changed. {cause}",
        "The kept dataset of {campaign} (made {made}) was changed: {path} holds other data at offset \
         {offset}.";
    KeptNotEnough: "The kept dataset of {campaign} (made {made}) is not sufficient for this plan. {cause}";
    WrongData:
        "{transfers|transfer} returned wrong data ({folder}). First: {path} at offset {offset}[, expected \
         {expected}, found {found}].",
        "{transfers|transfer} returned wrong data ({folder}).";
    SampledWrong:
        "Repetition {repetition}: {wrong} of {sampled_blocks} sampled blocks of {phase} did not have the \
         data that was written there.";
    FileCallFailed:
        "{call} of {path}[ at offset {offset}] moved too few bytes or entries[ on rank {rank}][ (node \
         {node})][ at {at}] ({folder}).{short?}[ {operations|operation} of this phase failed.]",
        "{call} of {path}[ at offset {offset}] failed with {error}[ on rank {rank}][ (node {node})][ at \
         {at}] ({folder}).[ {operations|operation} of this phase failed.]";
    CallNeverReturned:
        "The time limit of {timeout} passed while rank {rank} (node {node}) was in {call}[ of {path}][ at \
         offset {offset}] ({folder}). This call had lasted {lasted}[ at {at}]. {ranks|rank} waited so.";
    EntriesWrong:
        "{what} ({folder}). First: {call} of {path}[ failed with {error}][ at {at}].";
    NothingCompared:
        "{phase} compared no data, so its errors are failed calls. To compare data, use `verify` or a phase \
         that reads and compares.";
    OperationsFailed:
        "{operations|operation} failed ({folder}). First: {operation} {path}: {error}.",
        "{operations|operation} failed ({folder}).";
    CachedRead:
        "{phase}: {share} of the data was in the client's page cache before the read (maximum 1 %).",
        "{share} of the data was in the client's page cache before the read (maximum 1 %). {memory} is a \
         memory file system, so nothing was read from storage.",
        "{share} of the data was in the client's page cache before the read (maximum 1 %).";
    KernelReadLess:
        "Repetition {repetition}: {phase}[ of rank {rank}] read {bytes}, but the kernel fetched only \
         {kernel_bytes} from storage ({source}).";
    KernelWroteLess:
        "Repetition {repetition}: {phase}[ of rank {rank}] wrote and flushed {bytes}, but the kernel counted \
         only {kernel_bytes} for storage ({source}).";
    RepeatedData:
        "Repetition {repetition}: {repeated} of the {bytes} of {phase} were the same data again. The page \
         cache can serve a second transfer of the same data.";
    ClockPace:
        "Repetition {repetition}, {phase}: the clock of a rank differs by {raw} from the pace of \
         CLOCK_MONOTONIC_RAW (maximum 1 %).",
        "Repetition {repetition}, {phase}: the clock of a rank differs by {wall} from the pace of the wall \
         clock (maximum 1 %).";
    NamesCached: "Repetition {repetition}: {text}.";
    NamesOnOwnNode:
        "Repetition {repetition}: the same node ({host}) had created{made?} the files and directories in \
         {folder}. Its cache may have answered instead of the file system.",
        "Repetition {repetition}: the same node ({host}) had accessed{seen?} the files and directories in \
         {folder}. Its cache may have answered instead of the file system.";
    NamesMaybeDropped:
        "Repetition {repetition}: the same node ({host}) had created{made?} the files and directories in \
         {folder}. It is not recorded whether a command dropped its caches.",
        "Repetition {repetition}: the same node ({host}) had accessed{seen?} the files and directories in \
         {folder}. It is not recorded whether a command dropped its caches.";
    NamesOriginUnknown:
        "Repetition {repetition}: rank 0 was on {host_before} in {folder} and is on {host} now. It is not \
         known whether other nodes had cached the files and directories.",
        "Repetition {repetition}: the same node ({host}) had created{made?} the files and directories in an \
         earlier campaign ({folder}). They may have left its cache since.",
        "Repetition {repetition}: the same node ({host}) had accessed{seen?} the files and directories in an \
         earlier campaign ({folder}). They may have left its cache since.";
    SustainedNotMet:
        "Repetition {repetition}: {phase} lasted {lasted}, but the rate must be sustained for {needed}.",
        "Repetition {repetition}: one rank ended {phase} after {first_rank}, but all ranks must sustain the \
         rate for {needed}.";
    NoWholeWindow:
        "Repetition {repetition}: the timeline of {phase} has no complete window of {window} (interval \
         {interval}).",
        "Repetition {repetition}: {phase} has no timeline, so a window of {window} is not known.";
    NoSteadyState:
        "Repetition {repetition}: {phase} was not steady within {within}. The window of {window} until \
         {until} changed by {slope+} (maximum {slope_max}). It varied by {range} (maximum {range_max}).",
        "Repetition {repetition}: {phase} was steady after {steady_after}, but it did not stay steady for \
         {measured}. Over {time} its rate changed by {slope+} (maximum {slope_max}).",
        "Repetition {repetition}: {phase} was steady after {steady_after}, but no longer after {left_after}. \
         {measured} must be measured in the steady state.",
        "Repetition {repetition}: {phase} was steady after {steady_after}, but it ended before {measured} \
         were measured.",
        "Repetition {repetition}: {phase} has no complete window of {window} within {within}, so it is not \
         known whether it was steady.",
        "Repetition {repetition}: {phase} has no timeline, so it is not known whether it was steady.";
    SteadyUnclear:
        "Repetition {repetition}: {phase} varies too much to know whether it was steady. Over {time} its \
         rate changed by {slope+} with an uncertainty of {slope_error} (maximum {slope_max}).[ After \
         {left_after} it was beyond what is allowed, but noise may explain that.]",
        "Repetition {repetition}: {phase} varies too much to know whether it was steady within {within}. The \
         last window of {window} changed by {slope+} (maximum {slope_max}) and varied by {range} (maximum \
         {range_max}).";
    FillRecorded:
        "The utilization of fs.{fs} was {fill} {when} repetition {repetition}. Only results between {low} \
         and {high} are comparable.",
        "The utilization of fs.{fs} was not recorded.";
    OneFsTwice:
        "fs.{fs} and fs.{other} are the same file system: {kind} {device}, mounted on {mount}[ and \
         {other_mount}].";
    Degraded:
        "fs.{fs} lacked {missing} of its {targets|storage target} {when} repetition {repetition}.",
        "fs.{fs} was degraded {when} repetition {repetition}: {health}.";
    NotDegraded:
        "fs.{fs} should be degraded, but nothing was offline {when} repetition {repetition}{known?}.",
        "fs.{fs} should be degraded. It is not known whether anything was offline {when} repetition \
         {repetition}.";
    HealthUnknown: "The state of fs.{fs} is not known after repetition {repetition}: {error}.";
    Exclusive:
        "During repetition {repetition}, {share} of the traffic of the servers of fs.{fs} came from others \
         (maximum 1 %).";
    CampaignBeside:
        "During repetition {repetition}, another campaign worked in the same directory: {campaigns}.";
    TrafficLess:
        "Repetition {repetition}: jobs moved {bytes} to or from the storage of fs.{fs}, but its servers \
         counted only {served}.";
    TrafficUnknown:
        "The traffic count of the servers of fs.{fs} restarted during repetition {repetition}. The traffic \
         of others is not known.";
    EvidenceOnTested:
        "The evidence is written to {place}, on the file system under test (fs.{fs}).";
    BackingStore:
        "fs.{fs} lies on other files or directories, or in memory: {layers}. {how:loop=A loop device has a \
         second page cache;overlay=New data goes to the first of them;memory=Data in memory is not in \
         storage}.";
    LayoutUndeclared:
        "fs.{fs}: each file should be on {asked|target}, but some files are on {found}[ of {targets}].",
        "fs.{fs}: each file should be on {asked|target}, but some files are on all targets[ \
         ({targets})]{found_all?}.",
        "fs.{fs}: each file should be on {asked|target}, but the layout of the files is not known.",
        "fs.{fs}: each file should be on all targets{asked_all?}, but some files are on {found}[ of \
         {targets}].",
        "fs.{fs}: each file should be on all targets{asked_all?}, but some files are on all known targets[ \
         ({targets})]{found_all?}.",
        "fs.{fs}: each file should be on all targets{asked_all?}, but the layout of the files is not known.";
    PathOnWrongFs:
        "{who}: on {host}, {dir} is on {found}, but fs.{fs} has the type {planned}.",
        "{who}: {nodes} of {of} nodes mount the file system from another server than {host} ({here}): \
         {there}{other_server?}.",
        "{who}: on {nodes} of {of} nodes the files are on another file system than on {host} ({here}): \
         {there}.";
    StrayFile:
        "Repetition {repetition}, {phase}: {ranks|rank} used files on another file system than their \
         directory. First: {path} is {place} on {found}, not on {expected}.",
        "Repetition {repetition}, {phase}: {path} is on {found}, but the campaign began with {expected} \
         there.",
        "Repetition {repetition}, {phase}: {ranks|rank} used files on another file system than their \
         directory.";
    ReportedShort:
        "Repetition {repetition}: the program reports measured times of {claimed} in total, but the job took \
         {wall}. It is not known what it did in the rest.";
    ReportedCached:
        "Repetition {repetition}, {phase}: nothing in the output shows that the data was not in the cache of \
         the node that reads it.";
    ReportedLess:
        "Repetition {repetition}: the program expected files of {expected} in total and found {found}.";
    ProgramChanged: "{path} has another SHA-256 in repetition {repetition} than before.";
    MappedObject:
        "On {nodes} of {of} nodes (first {node}), {path} was mapped into the program at its start[ (SHA-256 \
         {sha256})]. It is not a part of the program[. Others: {others}].";
    OtherNodes:
        "Repetition {repetition} used {new|node} that repetition {first} did not use, such as {node}.";
    OtherProgram:
        "On {nodes} of {of} nodes (first {node}), processes ran a program with SHA-256 {sha256}. The \
         campaign's own has {own}.";
    TracedProcess:
        "On {nodes} of {of} nodes (first {node}), process {pid}[ ({tracer})] traced the program. A tracer \
         can change memory and system calls.",
        "{who}: a process traced the program at the begin or the end of {phase}. A tracer can change memory \
         and system calls.";
    SystemCallFilter:
        "On {nodes} of {of} nodes (first {node}), a filter of system calls was active (seccomp mode {mode}). \
         A filter can answer calls in place of the kernel.",
        "{who}: a filter of system calls was active at the begin or the end of {phase}. A filter can answer \
         calls in place of the kernel.";
    UncountedProcess:
        "{who}: the kernel did not count the bytes of {processes|process} in {phase}, so the rate is not \
         compared with its count.";
    LinkedFile:
        "Repetition {repetition}, {phase}: the files of {ranks|rank} are links. First: {path} is {place}.",
        "Repetition {repetition}, {phase}: the files of {ranks|rank} are links.";
    ClockSkew:
        "{who}: the wall clock of {node} differs by {skew+} from that of {host} (uncertainty {uncertainty}, \
         maximum 1 s).",
        "{who}: by the wall clock of {host} its phases ran from {phases_from} to {phases_to}. By the \
         campaign's wall clock the job ran from {job_from} to {job_to}. One clock is off by at least {off} \
         (maximum 1 s).";
    Straggler: "{phase}: one rank moved only {bytes}, {share} of the mean of {mean} (minimum 80 %).";
    WearoutTail: "The wear-out took {wear_out}, longer than the deadline of {deadline}.";
    CovMissing: "There is only one repetition, so the variability (COV) is not known.";
    CovHigh: "The {n} repetitions vary by {cov} (COV, maximum {cov_max}).";
    Harmonic:
        "The criterion compares the mean of the rates, {mean}. Total amount / total time is {whole}, and the \
         mean is {share} higher. Only the mean meets the threshold {required}.",
        "The criterion compares the mean of the rates, {mean}. Total amount / total time is {whole}, and the \
         mean is {share} higher.[ The confidence limit of the mean is no higher than the \
         total.{within_limit?}]";
    PlannedLooks:
        "Repetitions were added after the verdict was known ({looks|look} of {planned_looks} planned). The \
         limits use a confidence level of {confidence}. A wrong verdict at any look has a probability of at \
         most {wrong_max}.";
    UnplannedLooks:
        "Repetitions were added after the verdict was known ({looks|look} of {planned_looks} planned). The \
         limits use a confidence level of {confidence}. A wrong verdict at any look has a probability of up \
         to {wrong_max}.";
    AsWrittenLooks:
        "Repetitions were added after the verdict was known ({looks|look}). The value alone decides, so each \
         look is another chance of a PASS.";
    AbovePhysics:
        "{rate} is above the maximum of {rate_max} that the plan states for the file system.",
        "Random transfers reach {rate}, no less than sequential ones ({sequential}).";
    TwoFsBalance: "fs.{fs} received {bytes}, but an equal share is {fair} (tolerance 10 %).";
    LsWalk: "A walk listed {entries|entry|entries}, but contracts usually ask for more than {entries_min}.";
    MdTooShort: "{phase}: only {operations|operation} in {lasted}.";
    RateTooShort: "{phase}: only {bytes} in {lasted}.";
    WitnessSilent: "The witness {witness} did not answer {times|time}. First reason: {error}.";
    AuditGap: "The evidence lacks: {missing}.";
    Waiver: "The waiver of {waived} is not needed, because there is no such finding.";
    MovedOtherAmount: "{phase} moved {moved}, but its command line asks for {asked}.";
    OutOfData: "{phase}: {ranks} of {of|rank} ran out of data before the deadline of {deadline}.";
    NotFlushed:
        "{phase}: the data was not flushed to storage within the measured time[{ior?} (no -e, -Y or \
         O_DIRECT)].";
    MemoryFileSystem: "{phase}: {kind} is a memory file system, so no storage took part.";
    FitsMemory:
        "{phase}: {per_node} per node is less than 1.5 times the memory of a client ({memory}), so caches \
         may hold it.";
    SingleClient:
        "Only one client node of {delivered} ({host}) took part. It may be the bottleneck.",
        "Only one client node ({host}) took part. It may be the bottleneck.";
    SimulatedNodes:
        "The {nodes|node} were simulated: they had {kernels|kernel} (clients.simulated).",
        "Local ranks simulated the {nodes|node} of the plan (launch.kind `local`).";
    ClientLimited:
        "The clients limit the rate: {nodes} nodes reach {times} times as much. The file system can do more \
         than was measured.";
    ClientsSufficient: "{nodes} nodes changed the rate by {gain+}, so the clients do not limit it.";
    ClientLimitUnclear:
        "It is not clear whether the clients limit the rate. {nodes} nodes reach {ratio_low} to {ratio_high} \
         of it ({confidence} limits, n = {n}), and a gain above {gain_max} counts.",
        "It is not clear whether the clients limit the rate. {nodes} nodes changed it by {gain+}, but n = \
         {n} gives no limits.";
    ClientLimitUnknown:
        "It is not known whether the clients limit the rate, because {test} cannot be used. {cause}";
    SearchOptimum:
        "The optimum is {nodes|node}. With {more_nodes} nodes {metric} changed by {gain+}, but a gain of \
         {gain_min} is required.";
    SearchUnclear:
        "The search does not decide on a number of nodes. {more_nodes} nodes reach {ratio_low} to \
         {ratio_high} of {metric} at {fewer_nodes|node} ({confidence} limits, n = {n}). A gain of {gain_min} \
         is required. The test ran on the best, {nodes|node}.",
        "The search does not decide on a number of nodes. {more_nodes} nodes and {fewer_nodes} nodes cannot \
         be compared by {metric} with n = {n}. The test ran on the best, {nodes|node}.";
    SearchOpen: "The rate still rose at {nodes|node}, the largest number that was tried.";
    DependentRepetitions:
        "Neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = {p}, n = {n}). The confidence \
         limit is widened for that.{widened?}",
        "Neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = {p}, n = {n}). So the limit of \
         the {statistic} does not decide about the threshold {comparison} {threshold}.",
        "Neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = {p}, n = {n}).";
    StalledRepetition:
        "Repetition {repetition} reached {share} of the mean of the {others} others (p = {p}). Confidence \
         limits do not know of rare stalls that did not happen.";
    FirstDiffers: "Repetition 1 reached {share} of the mean of the {others} others and is included.";
    Trend: "{metric} changed by {change+} over the {n} repetitions (p = {p}).";
    WarmUp:
        "{ran}[ of {planned}] warm-up jobs ran before the repetitions and are excluded[ ({folders})].[ \
         {failed}]";
    SlowGroup:
        "{phase}: {kind} {name} ran at {share} of the rate of the others (ranks {ranks}[, … {ranks_in_all} \
         in all][; files {files}]).[ It has {files_held|file}, the others have {others_held}.][ It has \
         {files_held|file}, the others have {others_held_min} to {others_held_max}.][ It has \
         {ranks_held|rank}, the others have {others_held}.][ It has {ranks_held|rank}, the others have \
         {others_held_min} to {others_held_max}.][ The {same_ranks_kind} {same_ranks_as} has the same ranks, \
         so either may be the cause.]";
    UnevenPlacement:
        "{phase}: {kind} {name} ran at {share} of the rate of the others (ranks {ranks}[, … {ranks_in_all} \
         in all][; files {files}]).[ It has {files_held|file}, the others have {others_held}.][ It has \
         {files_held|file}, the others have {others_held_min} to {others_held_max}.][ It has \
         {ranks_held|rank}, the others have {others_held}.][ It has {ranks_held|rank}, the others have \
         {others_held_min} to {others_held_max}.] In total it was as fast as the others, so the {kind} is \
         overloaded by placement, not slow.[ This happened in {repetitions} of {of} repetitions.]";
    MoreSlowGroups: "{more} more nodes or targets were slow or overloaded.";
    SlowRank: "{phase}: rank {rank} on {node} ran at {share} of the rate of the median rank.";
    SlowRanks:
        "{phase}: {ranks_in_all|slow rank} ({ranks}). The slowest, rank {rank} on {node}, ran at {share} of \
         the rate of the median rank.";
    LoadImbalance:
        "{phase}: rank {rank} moved {share} of the mean amount of a rank[{by_deadline?} by the deadline].";
    TimeLost: "{phase}: for {share} of the time only {slowest} of {ranks|rank} were still active.";
    WearOutTime: "{phase}: the wear-out took {wear_out}, {share} of the deadline of {deadline}.";
    WorstWindow:
        "{phase}: the slowest {window} of repetition {repetition} (from {from} on) ran at {rate}, {share} of \
         its mean rate.";
    WorstWindowUnknown: "{phase}: the slowest {window} is not known, because the phase has no timeline.";
    FewTransfers:
        "{phase}: a window of {window} holds only {transfers|transfer} per rank. A transfer counts when it \
         ends, so the rate of the slowest window may be too low.",
        "{phase}: a window of {window} holds only {operations|operation} per rank. An operation counts when \
         it ends, so the rate of the slowest window may be too low.";
    CoarseTimeline: "{phase}: the intervals of the timeline ({interval}) are long for windows of {window}.";
    CommonWindow:
        "{phase}: the rate is that of the time in which all parts were active ({window} in repetition \
         {repetition}). It is {share} of the rate of the whole phase.";
    CommonWindowUnknown:
        "{phase}: the rate while all parts were active is not known, because the phase has no timeline. The \
         rate of the whole phase is used.";
    SteadyFrom: "{phase}: every repetition was steady after {after} at the latest (windows of {window}).";
    StateReached:
        "{state}: {blocks} of the blocks and {inodes} of the inodes in use, {cycles} overwrite cycles[, \
         {fragmented} of the files fragmented].";
    InnerRepetitions:
        "The {inner|repetition} within one job count once, with their mean.";
    AllTrees:
        "{phase}: the rate counts the trees of all {ranks|rank}. The table of mdtest counts one of them (-u) \
         and is about {ranks} times lower.";
    CasesFailed:
        "{cases} of {of} cases failed: {names}[ and {more} more].[ The first failed on rank {rank} at \
         `{step}`: {seen}.][ Reason of the first: {error}.]";
    CasesOfLibrary:
        "{cases} of {of} cases failed as known for this MPI library: {names}[ and {more} more]. This says \
         nothing about the file system.[ The first failed on rank {rank} at `{step}`: {seen}.][ Reason of \
         the first: {error}.]";
    CasesOutOfTime:
        "{cases} of {of} cases ended at the time limit without an outcome: {names}[ and {more} more].[ The \
         first ended on rank {rank} at `{step}`: {seen}.][ Reason of the first: {error}.]";
    CasesUnsupported:
        "{cases} of {of} cases are not supported here: {names}[ and {more} more].[ The first failed on rank \
         {rank} at `{step}`: {seen}.][ Reason of the first: {error}.]";
    CasesSkipped:
        "{cases} of {of} cases were not run: {names}[ and {more} more].[ The first failed on rank {rank} at \
         `{step}`: {seen}.][ Reason of the first: {error}.]";
    Notice: "{text}";
    AttemptsRepeated:
        "Earlier attempts were set aside, and their jobs ran again: {folders}.[ More than {attempts_max} of \
         a test need a waiver.]";
    UnexplainedTime:
        "{folder} lasted {lasted}, but its program ran for {ran}. For the other {outside} the launcher did \
         something else.";
    DiedRepeated: "Jobs died without a result ({why}) and ran again, as the plan allows: {folders}.";
    AskedRepeated:
        "After the verdicts were known, jobs without a result were run again: {folders}. Reason: {why}.";
    AttemptsOpen:
        "Attempts that still run, or were stopped with the campaign, were not run again yet: {folders}.";
    StepUnusable: "{test} cannot be used. {cause}";
    StepImpossible: "The step at {step} cannot be used: a step needs at least 1 unit and rates above 0.";
    TooFewSteps: "A projection needs at least {steps_min} different steps, but there are {steps}.";
    TooFar: "The extrapolation factor {factor} is above the maximum of {factor_max}.";
    NotPredicted: "No model predicts the largest step from the others within {error_max} (best: {error+}).";
    ThresholdInInterval:
        "The threshold {threshold} lies within the interval of the projection ({low} to {high}).";
};
