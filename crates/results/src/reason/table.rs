//! The table of all reasons.
//!
//! A row has all that is said about a reason: its meaning, its id in files, and its fields with their kinds.
//! Each row also has the common fields of `field.rs`. It has the templates of its sentence, and what to do
//! about it. `template.rs` describes templates. If a lint finds it before a run, the row has the lint's
//! severity, source and templates, which state the remedy.
//!
//! To add a reason, add a row, and make it with `reason!` where it is found.
//!
//! Invariant: ids never change. docs/reference/reasons.md is made from this table.
//! Never here: decisions, and checks of lints.
// tidy: long because it is a table.

use super::code::{LintRow, Row, reasons};
use crate::severity::Severity;

/// A finding that may need a waiver. If the plan has an unapproved waiver, the text says how to approve it.
macro_rules! waivable {
    ($text:literal) => {
        concat!($text, "[ To approve its waiver: {approve_with}.]")
    };
}

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

reasons! {
    // Decisions.
    /// The statistic meets its threshold, and the repetitions support that.
    ThresholdMet "threshold-met" { statistic: Text, value: Amount, comparison: Text, threshold: Amount,
        reference: Text, transfers: Count, compared: Bytes, error_rate_max: Share, operations: Count,
        confidence: Share, ratio_low: Share, ratio_high: Share, n: Count, limit: Amount, binary: Flag }
        says ["The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. 0 of \
               {transfers} transfers ({compared}) were wrong. 95 % upper limit of the error rate: \
               {error_rate_max} (n = {transfers}).",
              "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. 0 of \
               {operations} operations ({compared}) were wrong. 95 % upper limit of the error rate: \
               {error_rate_max} (n = {operations}).",
              "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. \
               One-sided {confidence} confidence limits of its ratio to the threshold: {ratio_low} and \
               {ratio_high} (n = {n}).",
              "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. \
               Lower one-sided {confidence} confidence limit of its ratio to the threshold: {ratio_low} (n = \
               {n}).",
              "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. \
               One-sided {confidence} confidence limit: {limit} (n = {n}).",
              "The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})][ (n = \
               {n})]."];
    /// The statistic does not meet its threshold, and the repetitions support that.
    ThresholdNotMet "threshold-not-met" { statistic: Text, value: Amount, comparison: Text, threshold: Amount,
        reference: Text, confidence: Share, ratio_low: Share, ratio_high: Share, n: Count, limit: Amount,
        binary: Flag, transfers: Count, operations: Count, compared: Bytes, error_rate_max: Share }
        says ["The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ \
               ({reference})]. One-sided {confidence} confidence limits of its ratio to the threshold: \
               {ratio_low} and {ratio_high} (n = {n}).",
              "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ \
               ({reference})]. Lower one-sided {confidence} confidence limit of its ratio to the threshold: \
               {ratio_low} (n = {n}).",
              "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ \
               ({reference})]. One-sided {confidence} confidence limit: {limit} (n = {n}).",
              "The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ \
               ({reference})][ (n = {n})]."];
    /// The statistic meets its threshold, but its confidence limit does not.
    LimitContradictsMet "limit-contradicts-met" { statistic: Text, value: Amount, comparison: Text,
        threshold: Amount, reference: Text, confidence: Share, limit: Amount, n: Count, repetitions: Count,
        power: Share, repetitions_max: Count, binary: Flag }
        says ["The {statistic} of {value} meets the threshold {comparison} {threshold}[ ({reference})]. Its \
               one-sided {confidence} confidence limit of {limit} (n = {n}) does not meet it.[ With mean and \
               variability as measured, {repetitions} repetitions in total decide with a probability of \
               {power}.][ More than {repetitions_max} repetitions would be needed.]"]
        remedy ["To decide, set `repetitions` in the plan to this number and run a new campaign. To add \
                 repetitions to this one, with stricter limits, use `assay run --extend`.{repetitions?}"];
    /// The statistic does not meet its threshold, but its confidence limit does.
    LimitContradictsMiss "limit-contradicts-miss" { statistic: Text, value: Amount, comparison: Text,
        threshold: Amount, reference: Text, confidence: Share, limit: Amount, n: Count, repetitions: Count,
        power: Share, repetitions_max: Count, binary: Flag }
        says ["The {statistic} of {value} does not meet the threshold {comparison} {threshold}[ \
               ({reference})]. Its one-sided {confidence} confidence limit of {limit} (n = {n}) meets it.[ \
               With mean and variability as measured, {repetitions} repetitions in total decide with a \
               probability of {power}.][ More than {repetitions_max} repetitions would be needed.]"]
        remedy ["To decide, set `repetitions` in the plan to this number and run a new campaign. To add \
                 repetitions to this one, with stricter limits, use `assay run --extend`.{repetitions?}"];
    /// The confidence limit decides, but so few repetitions, or this statistic, have none.
    NoLimit "no-limit" { statistic: Text, value: Amount, n: Count, n_min: Count, comparison: Text,
        threshold: Amount, binary: Flag, reference: Text }
        says ["The {statistic} of {value} has no confidence limit (n = {n}[, at least {n_min} needed]). So \
               it does not decide about the threshold {comparison} {threshold}."]
        remedy ["Set `repetitions` in the plan to at least {n_min}, better to more, and run a new campaign.",
                "Compare the mean or the median."];
    /// The confidence limits of the ratio to the measured reference do not decide whether it is met.
    RatioUndecided "ratio-undecided" { statistic: Text, value: Amount, comparison: Text, threshold: Amount,
        reference: Text, confidence: Share, ratio_low: Share, ratio_high: Share, n: Count, cov: Share,
        cov_reference: Share, repetitions: Count, power: Share, repetitions_max: Count, binary: Flag }
        says ["The {statistic} of {value} may or may not meet the threshold {comparison} {threshold}[ \
               ({reference})]. One-sided {confidence} confidence limits of its ratio to the threshold: \
               {ratio_low} and {ratio_high} (n = {n}). COV: {cov}, of the reference {cov_reference}.[ With \
               means and variability as measured, {repetitions} repetitions in total of each decide with a \
               probability of {power}.][ More than {repetitions_max} repetitions of each would be needed.]",
              "The {statistic} of {value} may or may not meet the threshold {comparison} {threshold}[ \
               ({reference})]. Lower one-sided {confidence} confidence limit of its ratio to the threshold: \
               {ratio_low} (n = {n}). It has no upper limit. COV: {cov}, of the reference {cov_reference}.[ \
               With means and variability as measured, {repetitions} repetitions in total of each decide \
               with a probability of {power}.][ More than {repetitions_max} repetitions of each would be \
               needed.]"]
        remedy ["To decide, set `repetitions` of both tests to this number and run a new \
                 campaign.{repetitions?}"];
    /// The threshold is measured, too, and one of the two has too few repetitions for a limit.
    RatioNoLimit "ratio-no-limit" { statistic: Text, value: Amount, comparison: Text, threshold: Amount,
        reference: Text, n: Count, n_reference: Count, n_min: Count, binary: Flag }
        says ["The {statistic} of {value} is compared with the threshold {comparison} {threshold}[ \
               ({reference})]. Their ratio has no confidence limit (n = {n}, of the reference {n_reference}, \
               both at least {n_min})."]
        remedy ["Set `repetitions` of both tests to at least {n_min}, better to more, and run a new \
                 campaign."];
    /// The threshold is met, but the repetitions vary by more than the plan allows.
    VariabilityAboveMax "variability-above-max" { n: Count, cov: Share, cov_max: Share }
        says ["The {n} repetitions vary by {cov} (COV), more than the {cov_max} that the plan allows."]
        remedy ["Find the cause of the variability, and measure again."];
    /// The plan limits the variability, but the repetitions do not show it.
    VariabilityUnknown "variability-unknown" { n: Count, cov_max: Share }
        says ["The variability (COV) is not known (n = {n}). The plan allows at most {cov_max}."]
        remedy ["Set `repetitions` in the plan to at least 3 and run a new campaign."];
    /// No repetition has a value.
    NoValues "no-values" {} says ["No repetition has a value."];
    /// The test that is the reference of this one has no usable value.
    ReferenceUnusable "reference-unusable" { test: Text }
        says ["The reference, {metric} of {test}, cannot be used. {cause}"];
    /// The criterion compares with the accepted campaign, which has no value of the metric.
    AcceptedMissing "accepted-missing" {}
        says ["The accepted campaign has no value of {metric} for this test."];
    /// The accepted campaign measured the test with other parameters, so they are not compared.
    AcceptedDiffers "accepted-differs" { what: Text }
        says ["The accepted campaign measured this with another {what:command=command line;setup=command \
               before the job;source=content of the files that are \
               read;state=state;course=course;ranks=number of ranks;nodes=number of nodes;parameters=set of \
               parameters;program=program}. Repeat the acceptance with the same, or correct the plan."];
    /// A part of the group has no usable value.
    PartUnusable "part-unusable" { part: Text } says ["Part {part} cannot be used. {cause}"];
    /// The campaign was started despite a lint error about this clause.
    LintError "lint-error" {} says ["The campaign was started despite a lint error. {cause}"];
    /// Files of the campaign are not intact.
    EvidenceModified "evidence-modified" {}
        says ["Files of the campaign are not intact, so its verdicts are not valid."]
        remedy ["List these files with `assay verify FOLDER`."];

    // Comparisons of campaigns, and the state of their evidence.
    /// The other campaign is faster than the baseline, and the interval of the ratio supports that.
    ComparedFaster "compared-faster" { ratio: Share, ratios: Count, ratio_low: Share, ratio_high: Share,
        confidence: Share, n_reference: Count, n: Count }
        says ["Its mean is {ratio} of the baseline's, so it is faster. Interval of the ratio, for \
               {ratios|ratio} together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and \
               {n}).",
              "Its mean is {ratio} of the baseline's, so it is faster. Interval of the ratio, for \
               {ratios|ratio} together: above {ratio_low} ({confidence}, n = {n_reference} and {n})."];
    /// The other campaign is slower than the baseline, and the interval of the ratio supports that.
    ComparedSlower "compared-slower" { ratio: Share, ratios: Count, ratio_low: Share, ratio_high: Share,
        confidence: Share, n_reference: Count, n: Count }
        says ["Its mean is {ratio} of the baseline's, so it is slower. Interval of the ratio, for \
               {ratios|ratio} together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and \
               {n}).",
              "Its mean is {ratio} of the baseline's, so it is slower. Interval of the ratio, for \
               {ratios|ratio} together: above {ratio_low} ({confidence}, n = {n_reference} and {n})."];
    /// The value is larger than in the baseline, and the interval of the ratio supports that.
    ComparedLarger "compared-larger" { ratio: Share, ratios: Count, ratio_low: Share, ratio_high: Share,
        confidence: Share, n_reference: Count, n: Count }
        says ["Its mean is {ratio} of the baseline's, so it is larger. Interval of the ratio, for \
               {ratios|ratio} together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and \
               {n}).",
              "Its mean is {ratio} of the baseline's, so it is larger. Interval of the ratio, for \
               {ratios|ratio} together: above {ratio_low} ({confidence}, n = {n_reference} and {n})."];
    /// The value is smaller than in the baseline, and the interval of the ratio supports that.
    ComparedSmaller "compared-smaller" { ratio: Share, ratios: Count, ratio_low: Share, ratio_high: Share,
        confidence: Share, n_reference: Count, n: Count }
        says ["Its mean is {ratio} of the baseline's, so it is smaller. Interval of the ratio, for \
               {ratios|ratio} together: {ratio_low} to {ratio_high} ({confidence}, n = {n_reference} and \
               {n}).",
              "Its mean is {ratio} of the baseline's, so it is smaller. Interval of the ratio, for \
               {ratios|ratio} together: above {ratio_low} ({confidence}, n = {n_reference} and {n})."];
    /// The interval of the ratio contains 1.
    NoDifferenceShown "no-difference-shown" { ratio: Share, ratios: Count, ratio_low: Share,
        ratio_high: Share, confidence: Share, n_reference: Count, n: Count, alone_low: Share,
        alone_high: Share }
        says ["Its mean is {ratio} of the baseline's. The interval of the ratio contains 100 %, so no \
               difference is shown. For {ratios|ratio} together: {ratio_low} to {ratio_high} ({confidence}, \
               n = {n_reference} and {n}).[ Alone, the interval would be {alone_low} to {alone_high}. Among \
               {ratios|ratio}, chance can cause that.]",
              "Its mean is {ratio} of the baseline's. The interval of the ratio contains 100 %, so no \
               difference is shown. For {ratios|ratio} together: above {ratio_low} ({confidence}, n = \
               {n_reference} and {n}).[ Alone, the interval would be {alone_low} to {alone_high}. Among \
               {ratios|ratio}, chance can cause that.]"];
    /// Counts are compared as they are, because they have no interval.
    CountsCompared "counts-compared" { counted_reference: Number, n_reference: Count, counted: Number,
        n: Count }
        says ["The baseline counted {counted_reference} in {n_reference|repetition}, and this campaign \
               {counted} in {n|repetition}."];
    /// One of the compared campaigns does not have this test.
    NotInCampaign "not-in-campaign" { campaign: Text } says ["Campaign {campaign} does not have this test."];
    /// The compared tests differ in what decides their rate.
    TestsDiffer "tests-differ" { what: List, compared: Flag, rejected: Flag }
        says ["The tests were compared although they differ: {what:command=command line;setup=commands \
               before the job;source=files that are read;state=state;course=other \
               requirements;ranks=ranks;nodes=nodes;parameters=parameters}.{compared?}",
              "The tests are not compared, because they differ: {what:command=command line;setup=commands \
               before the job;source=files that are read;state=state;course=other \
               requirements;ranks=ranks;nodes=nodes;parameters=parameters}."]
        remedy ["To compare them anyway, add --other-parameters.{rejected?}"];
    /// The compared values have different units.
    UnitsDiffer "units-differ" { unit_reference: Text, unit: Text }
        says ["The values have different units: `{unit_reference}` and `{unit}`."];
    /// One of the compared campaigns has no usable value.
    UnusableInCampaign "unusable-in-campaign" { campaign: Text }
        says ["Campaign {campaign} has no usable value. {cause}"];
    /// One of the compared campaigns has fewer than two repetitions.
    TooFewToCompare "too-few-to-compare" { n_reference: Count, n: Count }
        says ["A ratio has an interval only from two repetitions of each campaign on (n = {n_reference} and \
               {n})."]
        remedy ["Set `repetitions` in the plan to at least 3, better to more, and run a new campaign."];
    /// No repetition differs from the others of its campaign, so the ratio has no interval.
    NoVariabilityToCompare "no-variability-to-compare" { n_reference: Count, n: Count }
        says ["The repetitions of each campaign are equal, so their ratio has no interval (n = {n_reference} \
               and {n})."];
    /// One of the compared means is zero or negative.
    RatioNotPositive "ratio-not-positive" {} says ["A mean is not positive, so the ratio has no meaning."];
    /// The evidence is complete, unmodified and reproduced.
    EvidenceIntact "evidence-intact" {} says ["The evidence is intact."];
    /// The evidence is unmodified, but the campaign has not ended.
    EvidenceSoFar "evidence-so-far" {}
        says ["The evidence is unmodified so far, but the campaign has not ended."];
    /// The measured data is unmodified, but verdicts or report are not those of this program.
    EvidenceNotReproduced "evidence-not-reproduced" { other_build: Flag, difference: Text }
        says ["The measured data is unmodified. Verdicts or report were made by another build. They were \
               derived again here.{other_build?}",
              "The measured data is unmodified. Verdicts or report are not those of this program. They were \
               derived again here. First difference: {difference}."];
    /// Files of the campaign were modified or contradict each other, so its values are not used.
    EvidenceRejected "evidence-rejected" { faults: Count, fault: Text }
        says ["The evidence is not intact, so no value of this campaign is used. {faults|fault} found. The \
               first: {fault}."]
        remedy ["List all faults with `assay verify FOLDER`."];
    /// The folder or archive cannot be read as a campaign.
    EvidenceUnreadable "evidence-unreadable" { error: Text } says ["This is no readable campaign: {error}"];

    // What was not run, or did not end.
    /// The campaign ended before a job of the test was run.
    NoneRan "none-ran" {}
        says ["{job} repetition {repetition} was not run.",
              "The campaign ended before the test was run."];
    /// The campaign has not ended, and the test has not started yet.
    NotYetRun "not-yet-run" {} says ["The campaign has not ended, and this test has not started yet."]
        remedy ["If the campaign was stopped, resume it with `assay run --resume FOLDER`."];
    /// The campaign has not ended. An attempt still runs, or was stopped with the campaign.
    AttemptOpen "attempt-open" {}
        says ["The campaign has not ended. The attempt {folder} still runs, or was stopped with the \
               campaign."]
        remedy ["If the campaign was stopped, resume it with `assay run --resume FOLDER`."];
    /// The test was not selected.
    NotChosen "not-chosen" { chosen: List } says ["The test was not selected. Selected tests: {chosen}."];
    /// Fewer repetitions than planned were run.
    RepetitionsMissing "repetitions-missing" { ran: Count, planned: Count }
        says ["Only {ran} of {planned|repetition} were run. {cause}"];
    /// A repetition exists twice, and neither is used.
    RepetitionTwice "repetition-twice" {}
        says ["Repetition {repetition} exists twice ({folders}). Neither of them is used."];
    /// A probe of the launcher failed, so the campaign ended before its first job.
    ProbeFailed "probe-failed" { ranks: Count, launch_rejected: Text, output: Text, started: Count,
        nodes: Count, planned: Count, timeout: Seconds, signal: Count, status: Count, failure: Cause }
        says [concat!("The launcher started no usable ranks for the probe of {ranks|rank}. ",
                      launch_mistake!(),
                      "[ Error output: {output}]"),
              "The probe started {started|rank} instead of {ranks}. Compare the arguments of the launcher \
               with the plan.",
              "The probe of {ranks|rank} ran on {nodes|node} instead of {planned}. Compare the arguments of \
               the launcher with the plan.",
              "The probe of {ranks|rank} did not end within {timeout} and was killed.[ Error output: \
               {output}]",
              "The probe of {ranks|rank} was ended by signal {signal}.[ Error output: {output}]",
              "The probe of {ranks|rank} ended with status {status}.[ {failure}][ Error output: {output}]",
              "The probe of {ranks|rank} left no complete records.[ Error output: {output}]"];
    /// A job failed.
    JobFailed "job-failed" { status: Count, launch_rejected: Text, launcher: Text, dead_process: Count,
        dead_node: Text, dead_rank: Count, dead_signal: Count, dead_status: Count, failure: Cause,
        output: Text, reported: Cause, signal: Count, timeout: Seconds, timed_out: Flag, rejection: Cause }
        says [concat!("{who} started no rank (status {status}). ", launch_mistake!()),
              concat!("{who} ended with status {status}", end_of_job!()),
              concat!("{who} was ended by signal {signal}", end_of_job!()),
              concat!("{who} did not end within {timeout} and was killed", end_of_job!()),
              concat!("{who} exceeded its time limit and was killed", end_of_job!())];
    /// A job could not be started.
    JobNotStarted "job-not-started" { rejection: Cause, output: Text, launcher: Text, launch_rejected: Text,
        failure: Cause, reported: Text, dead_process: Count, dead_node: Text, dead_rank: Count,
        dead_signal: Count, dead_status: Count }
        says ["{who} was not started. {rejection}",
              "{who} could not be started[: {output}]."];
    /// A job recorded a failure that ended a phase.
    RecordedFailure "recorded-failure" { step: Text, rank: Count, node: Text, error: Text }
        says ["{step} failed on rank {rank} (node {node}): {error}.",
              "{step} failed: {error}."];
    /// The records of a job cannot be read.
    RecordsUnreadable "records-unreadable" { error: Text }
        says ["The records of repetition {repetition} cannot be read: {error}."];
    /// Two facts of a job contradict each other.
    RecordsContradict "records-contradict" { fact: Text, value: Text, other: Text, other_value: Text }
        says ["The evidence of {folder} contradicts itself: {fact} is {value}, but {other} is \
               {other_value}."];
    /// Records lack a part that the program always records.
    RecordsIncomplete "records-incomplete" { part: Text }
        says ["The records of {folder} have no {part} of {phase}, although this program always records it.",
              "The records of {folder} have no {part}, although this program always records it."];
    /// Two jobs have the same measurement.
    MeasuredTwice "measured-twice" { other: Text, fact: Text, value: Text }
        says ["{folder} and {other} have the same {fact} ({value}). One measurement cannot be two \
               repetitions."];
    /// A job recorded nothing.
    NothingRecorded "nothing-recorded" {} says ["Repetition {repetition} recorded nothing."];
    /// The records of a job have no end record.
    NoEndRecord "no-end-record" {}
        says ["The records of repetition {repetition} are incomplete: they have no end record."];
    /// A repetition did not record the metric.
    MetricMissing "metric-missing" {} says ["Repetition {repetition} did not record {metric}."];
    /// A repetition has a value that is not a finite number.
    ValueNotFinite "value-not-finite" { found: Text }
        says ["Repetition {repetition}: {metric} is {found}, which is not a finite number."];
    /// A repetition ran none of the cases.
    CasesUntried "cases-untried" { cases: Count, group: Text, error: Text }
        says ["Repetition {repetition} ran none of the {cases|case} of {group}: {error}."];
    /// Cases of a repetition ended without an outcome, so their number is not known.
    CasesUndecided "cases-undecided" { cases: Count, outcome: Text, least: Count, most: Count, names: Text,
        error: Text }
        says ["Repetition {repetition}: {cases|case} ended without an outcome, so the number of cases with \
               the outcome `{outcome}` is {least} to {most}. First: {names}: {error}."];
    /// The DUMMY backend moves no data, so there is nothing to evaluate.
    DummyBackend "dummy-backend" {} says ["The DUMMY backend moves no data, so there is nothing to evaluate."]
        remedy ["Measure with another backend."];
    /// An earlier test did not export the value that the command line needs.
    ImportMissing "import-missing" { test: Text, name: Text }
        says ["{test} repetition {repetition} did not export {name}, because it recorded no file size."];
    /// A step of the search for the number of nodes did not measure its metric.
    SearchValueMissing "search-value-missing" { test: Text }
        says ["{test} did not measure {metric}. The search for the number of nodes needs this value."];
    /// A step of the search for the number of nodes failed.
    SearchStepFailed "search-step-failed" { test: Text }
        says ["{test} failed, so its {metric} is not known. The search for the number of nodes needs this \
               value."];

    // How it was run.
    /// A job received other arguments than planned.
    CommandDiffers "command-differs" { planned: Text, received: Text }
        says ["{who} received other arguments than planned. Planned: {planned}. Received: {received}."];
    /// A phase had other parameters than the command line of the plan.
    ParametersDiffer "parameters-differ" { option: Text, found: Text, planned: Text }
        says ["{who}: {phase} ran with {option} {found}, but the plan has {planned}."];
    /// A phase moved data of another key than that of the campaign.
    DataKeyDiffers "data-key-differs" { found: Text, planned: Text }
        says ["{who}: {phase} moved data of the key {found}, but the campaign has the key {planned}."];
    /// The number of ranks of a job differs from the plan.
    RanksDiffer "ranks-differ" { ranks: Count, planned: Count }
        says ["{who} ran on {ranks|rank}, but the plan asks for {planned}."];
    /// The number of nodes of a job differs from the plan.
    NodesDiffer "nodes-differ" { nodes: Count, planned: Count }
        says ["{who} ran on {nodes|node}, but the plan asks for {planned}."];
    /// Nodes of a job have the same kernel, so they are one node.
    SharedKernel "shared-kernel" { nodes: Count, kernels: Count }
        says ["{who} ran on {nodes|node} with only {kernels|kernel}. Nodes with one kernel are one node."]
        remedy ["Run on real nodes, or set `clients.simulated = true`. The report then states that nodes \
                 were simulated."];
    /// What an external program reports about its run differs from the plan.
    ReportedDiffers "reported-differs" { what: Text, found: Any, planned: Any }
        says ["{who}: the program reports {what}: {found}. Planned: {planned}."];
    /// An external program reports more time than its job took.
    ReportedTime "reported-time" { claimed: Seconds, wall: Seconds }
        says ["{who}: the program reports {claimed}, but the job took only {wall}."];
    /// A rate that an external program reports contradicts its own sizes, times or rates.
    ReportedRate "reported-rate" { rate: Rate, time: Seconds, total: Bytes, best: Rate }
        says ["{who}, {phase}: the program reports {rate} for {time}. That is more than its total of \
               {total}.",
              "{who}, {phase}: the program reports {rate}, but the best of its repetitions is {best}."];
    /// A state that the test needs was not recorded.
    StateNotRecorded "state-not-recorded" { state: Text } says ["{state} recorded no state."];
    /// A state that the test needs was not reached.
    StateNotReached "state-not-reached" { state: Text, blocks: Share, target: Share, inodes: Share,
        cycles: Number }
        says ["{state}: {blocks} of the blocks were in use, but {target} are required.",
              "{state}: {inodes} of the inodes were in use, but {target} are required.",
              "{state}: {cycles} overwrite cycles were done, but {target} are required."];
    /// The files that a state requires were not counted.
    PreloadUncounted "preload-uncounted" { state: Text }
        says ["{state}: repetition {repetition} did not count the files."];
    /// The number of counted files differs from the state.
    PreloadCount "preload-count" { state: Text, files: Count, directories: Count, planned: Count }
        says ["{state}: repetition {repetition} counted {files|file} in {directories|directory|directories}, \
               but {planned} per directory are required."];
    /// A part that should run at the same time did not run.
    PartMissing "part-missing" { other: Text, part: Text }
        says ["Repetition {repetition}: {other} should run at the same time, but it did not run."];
    /// The records do not state when a part ran.
    PartTimeUnknown "part-time-unknown" { other: Text, part: Text }
        says ["Repetition {repetition}: the records do not state when {other} ran."];
    /// Two parts ran at the same time for less than the plan requires.
    Overlap "overlap" { part: Text, other: Text, share: Share, needed: Share }
        says ["Repetition {repetition}: {part} and {other} ran together for {share} of the shorter one, but \
               {needed} is required."];
    /// A part was never active together with all other parts.
    PartNotAtWork "part-not-at-work" { part: Text }
        says ["Repetition {repetition}: {part} was never active together with all other parts."];
    /// All parts were active together for less than an interval of the timeline.
    CommonTimeTooShort "common-time-too-short" { common: Seconds, interval: Seconds }
        says ["Repetition {repetition}, {phase}: all parts were active together for {common}, less than one \
               interval of the timeline ({interval}).",
              "{phase}: all parts were active together for {common}, less than one interval of the timeline \
               ({interval})."];

    // Datasets.
    /// A dataset could not be examined.
    DatasetUnreadable "dataset-unreadable" { dataset: Text, error: Text }
        says ["{dataset} could not be examined: {error}."];
    /// The job of a dataset recorded no phase that wrote.
    DatasetNotWritten "dataset-not-written" { dataset: Text }
        says ["{dataset} recorded no phase that wrote."];
    /// Data of a dataset was wrong when it was read again.
    DatasetWrongData "dataset-wrong-data" { dataset: Text, transfers: Count }
        says ["{dataset}: {transfers|transfer} returned wrong data."];
    /// The DUMMY backend wrote the dataset, so there is nothing to read.
    DatasetNotStored "dataset-not-stored" { dataset: Text }
        says ["{dataset}: the DUMMY backend stores nothing, so there is nothing to read."];
    /// The number of files of a dataset differs from the plan.
    DatasetFilesMissing "dataset-files-missing" { dataset: Text, found: Count, planned: Count }
        says ["{dataset}: {found} of {planned} files were found."];
    /// The size of a file of a dataset differs from the recorded size.
    DatasetFileSize "dataset-file-size" { dataset: Text, path: Text, bytes: Count, recorded: Count }
        says ["{dataset}: {path} has {bytes} bytes, but {recorded} were recorded."];
    /// A file of a dataset is sparse.
    DatasetSparse "dataset-sparse" { dataset: Text, path: Text, allocated: Bytes, bytes: Bytes }
        says ["{dataset}: {path} is sparse. The file system stores {allocated} of {bytes}, so the rest was \
               never written or was compressed."];
    /// A dataset holds less than its readers need.
    DatasetTooSmall "dataset-too-small" { dataset: Text, bytes: Bytes, needed: Bytes, margin: Number,
        rate: Rate, time: Seconds, maker: Text, deadline: Seconds, read: Bytes, least: Bytes, lasts: Seconds,
        sustained: Seconds, rate_full: Rate }
        says ["{dataset} holds {bytes}, but its readers need {needed} ({margin} times {rate} for {time})."]
        lint Info { records_decide: true,
            why: "A reader that reaches the end of its files before its time is up sustains nothing",
            source: "Lockwood, IOR results at NERSC",
            rejected: "a dataset that cannot hold the data that its `cover` requires",
            says: &["{maker} holds {bytes}. Reading at {rate} for {deadline} takes {read}. Make the dataset \
                     at least {least}.",
                    "At {rate} the {bytes} of the dataset are read in {lasts}, and {sustained} are needed. \
                     Make the dataset at least {least}.",
                    "-D stops the dataset after {deadline}, before it holds {bytes}, unless it is written \
                     at {rate_full}. Give -O stoneWallingStatusFile=F on both command lines."] };
    /// A test reads more than the smallest file of its dataset has.
    ReadBeyondDataset "read-beyond-dataset" { test: Text, asked: Bytes, path: Text, dataset: Text,
        bytes: Bytes }
        says ["{test} reads {asked} of {path} in {dataset}, but the file holds only {bytes}."];
    /// The number of counted files or directories differs from the number that was made.
    DatasetNamesDiffer "dataset-names-differ" { dataset: Text, files_counted: Count, files_made: Count,
        directories_counted: Count, directories_made: Count }
        says ["{dataset}: {files_counted|file} were counted, but {files_made} were made.",
              "{dataset}: {directories_counted|directory|directories} were counted, but {directories_made} \
               were made."];
    /// A dataset differs from the one that was made. The file system may have lost data.
    DatasetChanged "dataset-changed" { dataset: Text, path: Text, bytes: Count, bytes_before: Count,
        files: Count, directories: Count, files_before: Count, directories_before: Count, change: Text }
        says ["[{dataset} was changed after it was made. ]{path} has {bytes} bytes, but it had \
               {bytes_before}.",
              "[{dataset} was changed after it was made. ]{files|file} in \
               {directories|directory|directories} were counted, instead of {files_before} in \
               {directories_before}. First difference: {path}.",
              "[{dataset} was changed after it was made. ]{path} {change:gone=is missing;not-a-file=is no \
               longer a file}."];
    /// Another program wrote to a dataset after it was made.
    DatasetWritten "dataset-written" { dataset: Text, path: Text, modified_before: Text, modified: Text,
        differs: Text, offset: Count }
        says ["[{dataset} was changed after it was made. ]{path} was written to, or its modification time \
               was set[: {modified_before} before, {modified} now].[ The data of {differs} differs at \
               {offset}.]"];
    /// A later job found a dataset changed.
    DatasetChangedLater "dataset-changed-later" {}
        says ["A later job ({folder}) found the dataset changed. {cause}"];
    /// Wrong data was read from a dataset that another program wrote to.
    WrongDataUnattributed "wrong-data-unattributed" {}
        says ["Another program wrote to the dataset, so the origin of the wrong data is not known. {cause}[ \
               ({folder})]"];
    /// A dataset of an earlier campaign was used again.
    DatasetReused "dataset-reused" { dataset: Text, campaign: Text, made: Text, files: Count, bytes: Bytes,
        samples: Count }
        says ["{dataset} was made by {campaign} at {made} and used again. {files|file} ({bytes}) were \
               unchanged, and {samples|sample} matched.",
              "{dataset} was made by {campaign} at {made} and used again. {files|file} were counted, and \
               {samples|sample} matched."];
    /// A dataset was recreated instead of using a kept one.
    DatasetRecreated "dataset-recreated" { dataset: Text } says ["{dataset} was recreated. {cause}"];
    /// A kept dataset was never finished.
    KeptUnfinished "kept-unfinished" {} says ["The kept dataset was never finished."];
    /// A kept dataset cannot be read.
    KeptUnreadable "kept-unreadable" { campaign: Text, made: Text, error: Text }
        says ["The kept dataset cannot be read: {error}."];
    /// A kept dataset was made with another recipe.
    KeptOtherRecipe "kept-other-recipe" { campaign: Text, made: Text }
        says ["The kept dataset of {campaign} (made {made}) was made with another recipe."];
    /// A kept dataset lacks a file of its evidence.
    KeptIncomplete "kept-incomplete" { campaign: Text, made: Text, file: Text }
        says ["The kept dataset of {campaign} (made {made}) lacks {file}."];
    /// A kept dataset had expired.
    KeptExpired "kept-expired" { campaign: Text, made: Text }
        says ["The kept dataset of {campaign} (made {made}) had expired."];
    /// A kept dataset was changed since it was made.
    KeptChanged "kept-changed" { campaign: Text, made: Text, path: Text, offset: Count }
        says ["The kept dataset of {campaign} (made {made}) was changed. {cause}",
              "The kept dataset of {campaign} (made {made}) was changed: {path} holds other data at offset \
               {offset}."];
    /// A kept dataset is not sufficient for this plan.
    KeptNotEnough "kept-not-enough" { campaign: Text, made: Text }
        says ["The kept dataset of {campaign} (made {made}) is not sufficient for this plan. {cause}"];

    // What was read or written.
    /// Data that was read differs from the data that was written.
    WrongData "wrong-data" { transfers: Count, path: Text, offset: Count, expected: Text, found: Text }
        says ["{transfers|transfer} returned wrong data ({folder}). First: {path} at offset {offset}[, \
               expected {expected}, found {found}].",
              "{transfers|transfer} returned wrong data ({folder})."];
    /// A plain read returned other data than was written.
    SampledWrong "sampled-wrong" { label: Text, wrong: Count, sampled_blocks: Count }
        says ["{label}: {wrong} of {sampled_blocks} sampled blocks did not have the data that was written \
               there. Compare all data with -R",
              "Repetition {repetition}: {wrong} of {sampled_blocks} sampled blocks of {phase} did not have \
               the data that was written there."]
        remedy ["Compare all data with -R.{repetition?}"];
    /// A call on a file of the campaign failed, and its error concerns the storage system.
    FileCallFailed "file-call-failed" { call: Text, path: Text, offset: Count, rank: Count, node: Text,
        at: Text, short: Flag, operations: Count, error: Text }
        says ["{call} of {path}[ at offset {offset}] moved too few bytes or entries[ on rank {rank}][ (node \
               {node})][ at {at}] ({folder}).{short?}[ {operations|operation} of this phase failed.]",
              "{call} of {path}[ at offset {offset}] failed with {error}[ on rank {rank}][ (node {node})][ \
               at {at}] ({folder}).[ {operations|operation} of this phase failed.]"];
    /// A rank was in a call on a file when the time limit of its job passed.
    CallNeverReturned "call-never-returned" { timeout: Seconds, rank: Count, node: Text, call: Text,
        path: Text, offset: Count, lasted: Seconds, at: Text, ranks: Count }
        says ["The time limit of {timeout} passed while rank {rank} (node {node}) was in {call}[ of {path}][ \
               at offset {offset}] ({folder}). This call had lasted {lasted}[ at {at}]. {ranks|rank} waited \
               so."];
    /// Entries were missing in a listing, or names remained after their removal.
    EntriesWrong "entries-wrong" { call: Text, path: Text, error: Text, at: Text, offset: Count,
        short: Flag }
        says ["{cause} ({folder}). First: {call} of {path}[ failed with {error}][ at {at}]."];
    /// The counted errors are failed calls, because the phase compared no data.
    NothingCompared "nothing-compared" {}
        says ["{phase} compared no data, so its errors are failed calls. To compare data, use `verify` or a \
               phase that reads and compares."];
    /// Operations failed, so the rate is not that of the required work.
    OperationsFailed "operations-failed" { operations: Count, operation: Text, path: Text, error: Text }
        says ["{operations|operation} failed ({folder}). First: {operation} {path}: {error}.",
              "{operations|operation} failed ({folder})."];
    /// Data was in the client's page cache before it was read.
    CachedRead "cached-read" { label: Text, share: Share, memory: Text, not_dropped: Flag, dropped: Flag }
        says ["{label}: {share} of the data was in this client's page cache before the phase. The rate is \
               the speed of memory, not of the file system",
              "{phase}: {share} of the data was in the client's page cache before the read (maximum 1 %).",
              "{share} of the data was in the client's page cache before the read (maximum 1 %). {memory} is \
               a memory file system, so nothing was read from storage.",
              "{share} of the data was in the client's page cache before the read (maximum 1 %)."]
        remedy ["Read with --drop-caches, or allow cached data with `cache = \"warm\"`.{not_dropped?}",
                "Here --drop-caches did not help. Read from other nodes, or allow cached data with `cache = \
                 \"warm\"`.{dropped?}"];
    /// The kernel fetched less from storage than a job read.
    KernelReadLess "kernel-read-less" { rank: Count, bytes: Bytes, kernel_bytes: Bytes, source: Text }
        says ["Repetition {repetition}: {phase}[ of rank {rank}] read {bytes}, but the kernel fetched only \
               {kernel_bytes} from storage ({source})."]
        remedy ["Find what served the data: a cache, holes in the file, or another file system."];
    /// The kernel counted less for storage than a job wrote and flushed.
    KernelWroteLess "kernel-wrote-less" { rank: Count, bytes: Bytes, kernel_bytes: Bytes, source: Text }
        says ["Repetition {repetition}: {phase}[ of rank {rank}] wrote and flushed {bytes}, but the kernel \
               counted only {kernel_bytes} for storage ({source})."]
        remedy ["Find what kept the data: a file that was removed, or another file system."];
    /// The same data was moved again, and nothing shows that each time reached storage.
    RepeatedData "repeated-data" { label: Text, repeated: Bytes, bytes: Bytes, cacheable: Flag }
        says ["{label}: {repeated} of {bytes} were the same data again, because the minimum time was not \
               over[. The page cache can serve such transfers, and the rate is then the speed of \
               memory{cacheable?}]",
              "Repetition {repetition}: {repeated} of the {bytes} of {phase} were the same data again. The \
               page cache can serve a second transfer of the same data."]
        remedy ["Give more data with -b or -s instead of -O minTimeDuration.{repetition?}"];
    /// The clock of a rank ran at another pace than the clocks of the kernel.
    ClockPace "clock-pace" { raw: Share, wall: Share }
        says ["Repetition {repetition}, {phase}: the clock of a rank differs by {raw} from the pace of \
               CLOCK_MONOTONIC_RAW (maximum 1 %).",
              "Repetition {repetition}, {phase}: the clock of a rank differs by {wall} from the pace of the \
               wall clock (maximum 1 %)."]
        remedy ["Find what changes the clock, such as a preloaded library or a virtual machine.{raw?}",
                "Find what set the wall clock, and measure again.{wall?}"];
    /// The workload reports that a client's cache may have served files and directories.
    NamesCached "names-cached" {} says ["Repetition {repetition}: {cause}."]
        remedy ["If this is intended, allow it with `cache = \"warm\"`."];
    /// Files and directories were accessed on a node that had them from an earlier job.
    NamesOnOwnNode "names-on-own-node" { host: Text, made: Flag, seen: Flag, walk: Flag, operations: Flag }
        says ["Repetition {repetition}: the same node ({host}) had created{made?} the files and directories \
               in {folder}. Its cache may have answered instead of the file system.",
              "Repetition {repetition}: the same node ({host}) had accessed{seen?} the files and directories \
               in {folder}. Its cache may have answered instead of the file system."]
        remedy ["Drop caches with --cold, walk on other nodes (--shift), or allow it with `cache = \
                 \"warm\"`.{walk?}",
                "Use other nodes (-N 1), drop caches with --run-cmd-before-phase, or allow it with `cache = \
                 \"warm\"`.{operations?}"];
    /// A node had files and directories from an earlier job. A command may have dropped its caches.
    NamesMaybeDropped "names-maybe-dropped" { host: Text, made: Flag, seen: Flag }
        says ["Repetition {repetition}: the same node ({host}) had created{made?} the files and directories \
               in {folder}. It is not recorded whether a command dropped its caches.",
              "Repetition {repetition}: the same node ({host}) had accessed{seen?} the files and directories \
               in {folder}. It is not recorded whether a command dropped its caches."];
    /// It is not known whether a node had files and directories from an earlier job.
    NamesOriginUnknown "names-origin-unknown" { host_before: Text, host: Text, made: Flag, seen: Flag,
        earlier_campaign: Flag }
        says ["Repetition {repetition}: rank 0 was on {host_before} in {folder} and is on {host} now. It is \
               not known whether other nodes had cached the files and directories.",
              "Repetition {repetition}: the same node ({host}) had created{made?} the files and directories \
               in an earlier campaign ({folder}). They may have left its cache since.",
              "Repetition {repetition}: the same node ({host}) had accessed{seen?} the files and directories \
               in an earlier campaign ({folder}). They may have left its cache since."];
    /// A measurement is not what the plan requires beside its number.
    RequirementNotMet "requirement-not-met" { per_node: Bytes, least: Bytes, lasted: Seconds, needed: Seconds,
        gap: Seconds, phase_gap: Seconds, allowed: Seconds, maker: Text, between: Text, pause: Seconds,
        shortest: Seconds, nodes: Count, nodes_min: Count, all_ranks: Count, ranks: Count, cores: Count,
        share: Share, unknown: Text }
        says ["Repetition {repetition}: {phase} moved {per_node} per node, and at least {least} are \
               required.",
              "Repetition {repetition} lasted {lasted}, and at least {needed} are required.",
              "Repetition {repetition} began {gap} after the end of {maker}, and at most {allowed} are \
               allowed.",
              "Repetition {repetition} had {phase_gap} between two phases, and at most {allowed} are \
               allowed.",
              "Repetition {repetition} followed a job of {between}, and consecutive repetitions are \
               required.",
              "Repetition {repetition} began {pause} after the one before, which must be less than the \
               {shortest} of a repetition.",
              "Repetition {repetition} ran on {nodes|node}, and at least {nodes_min} are required.",
              "Repetition {repetition} had {all_ranks} ranks, and a power of two is required.",
              "Repetition {repetition} had {ranks|rank} per node with {cores|core}, and at least {share} of \
               them are required.",
              "The {unknown} of a node are not known, so the requirement cannot be shown. State them in \
               [clients].",
              "Repetition {repetition}: {phase} did not flush its data within the measured time, which is \
               required."]
        remedy ["Change the command line or the placement, and measure again."]
        lint Error { records_decide: true,
            why: "A rate that a document does not accept is no answer to it",
            source: "NERSC-10, JUPITER and ESIF-HPC-4 benchmarks",
            says: &["Each node moves {per_node}, and at least {least} are required.",
                    "A node with {cores|core} has {ranks|rank}, and at least {share} of them are required.",
                    "It runs on {nodes|node}, and at least {nodes_min} are required.",
                    "It has {all_ranks} ranks, and a power of two is required."] };
    /// A phase, or a rank, ended before the time for which the rate must be sustained.
    SustainedNotMet "sustained-not-met" { lasted: Seconds, needed: Seconds, first_rank: Seconds,
        deadline: Seconds, sustained: Seconds, rate: Rate, bytes: Bytes, lasts: Seconds, least: Bytes,
        rate_max: Rate }
        says ["Repetition {repetition}: {phase} lasted {lasted}, but the rate must be sustained for \
               {needed}.",
              "Repetition {repetition}: one rank ended {phase} after {first_rank}, but all ranks must \
               sustain the rate for {needed}."]
        remedy ["Move more data, and stop with a deadline (-D)."]
        lint Info { records_decide: true,
            why: "A rate is sustained only for the time in which it was measured",
            source: "Lockwood, IOR results at NERSC",
            says: &["-D ends the phase after {deadline}, but the rate must be sustained for {sustained}. \
                     Set -D to at least {sustained}.",
                    "At {rate} the {bytes} of all ranks last {lasts}, and the rate must be sustained for \
                     {sustained}. Move at least {least}, and stop with -D.",
                    "At {rate_max} or more the job ends before the {sustained} for which the rate must be \
                     sustained. Give more data, and stop with -D."] };
    /// The timeline has no complete window of the required length.
    NoWholeWindow "no-whole-window" { window: Seconds, interval: Seconds }
        says ["Repetition {repetition}: the timeline of {phase} has no complete window of {window} (interval \
               {interval}).",
              "Repetition {repetition}: {phase} has no timeline, so a window of {window} is not known."];
    /// The rate did not become steady in time, or did not stay steady while it was measured.
    NoSteadyState "no-steady-state" { within: Seconds, window: Seconds, until: Seconds, slope: Share,
        slope_max: Share, range: Share, range_max: Share, steady_after: Seconds, time: Seconds,
        left_after: Seconds, measured: Seconds }
        says ["Repetition {repetition}: {phase} was not steady within {within}. The window of {window} until \
               {until} changed by {slope+} (maximum {slope_max}). It varied by {range} (maximum \
               {range_max}).",
              "Repetition {repetition}: {phase} was steady after {steady_after}, but it did not stay steady \
               for {measured}. Over {time} its rate changed by {slope+} (maximum {slope_max}).",
              "Repetition {repetition}: {phase} was steady after {steady_after}, but no longer after \
               {left_after}. {measured} must be measured in the steady state.",
              "Repetition {repetition}: {phase} was steady after {steady_after}, but it ended before \
               {measured} were measured.",
              "Repetition {repetition}: {phase} has no complete window of {window} within {within}, so it is \
               not known whether it was steady.",
              "Repetition {repetition}: {phase} has no timeline, so it is not known whether it was steady."];
    /// The rate varies so much that it is not known whether it was steady.
    SteadyUnclear "steady-unclear" { time: Seconds, slope: Share, slope_error: Share, slope_max: Share,
        left_after: Seconds, within: Seconds, window: Seconds, range: Share, range_max: Share }
        says ["Repetition {repetition}: {phase} varies too much to know whether it was steady. Over {time} \
               its rate changed by {slope+} with an uncertainty of {slope_error} (maximum {slope_max}).[ \
               After {left_after} it was beyond what is allowed, but noise may explain that.]",
              "Repetition {repetition}: {phase} varies too much to know whether it was steady within \
               {within}. The last window of {window} changed by {slope+} (maximum {slope_max}) and varied by \
               {range} (maximum {range_max})."]
        remedy ["Measure for longer (`measured` of `steady`), or find what makes the rate vary."];

    // Findings in the records.
    /// The utilization of the file system was not recorded, or is outside the range of comparison.
    FillRecorded "fill-recorded" { fill: Share, when: Text, low: Share, high: Share, fs_without_size: Text }
        says ["The utilization of fs.{fs} was {fill} {when} repetition {repetition}. Only results between \
               {low} and {high} are comparable.",
              "The utilization of fs.{fs} was not recorded."]
        remedy ["Bring the file system to a utilization in this range, or start a new series.{fill?}"]
        lint Error { records_decide: true,
            why: "File systems slow down as they fill, so a rate without its utilization cannot be compared",
            source: "Lockwood, IOR results at NERSC (66 % and 53 % of the former rates on fuller targets)",
            says: &["The utilization of fs.{fs_without_size} is not known, because statfs reports no size. \
                     Test a directory on a file system that reports its size."] };
    /// Two file systems of the plan are the same file system.
    OneFsTwice "one-fs-twice" { other: Text, kind: Text, device: Text, mount: Text, other_mount: Text,
        group: Text }
        says ["fs.{fs} and fs.{other} are the same file system: {kind} {device}, mounted on {mount}[ and \
               {other_mount}]."]
        remedy ["Give a directory on each of two file systems, or describe only one."]
        lint Error { records_decide: true,
            why: "Two paths on one file system turn a test of two file systems into a test of one",
            source: "LLNL Purple GPFS acceptance (even ranks on one file system, odd on the other)",
            says: &[waivable!("The parts of {group} use fs.{fs} and fs.{other}, which are the same file \
                               system: {kind} {device}, mounted on {mount}[ and {other_mount}]. Give a \
                               directory on each of two file systems."),
                    waivable!("fs.{fs} and fs.{other} are the same file system: {kind} {device}, mounted on \
                               {mount}[ and {other_mount}]. Give a directory on each of two file systems, \
                               or describe only one.")] };
    /// The evidence is written to a file system under test.
    EvidenceOnTested "evidence-on-tested" { place: Text }
        says ["The evidence is written to {place}, on the file system under test (fs.{fs})."]
        remedy ["To write it elsewhere, start in another directory or use --campaigns."];
    /// A file system lies on a file, on directories of other file systems, or in memory.
    BackingStore "backing-store" { layers: List, how: Text, direct: Flag }
        says ["fs.{fs} lies on other files or directories, or in memory: {layers}. {how:loop=A loop device \
               has a second page cache;overlay=New data goes to the first of them;memory=Data in memory is \
               not in storage}."]
        remedy ["Test the storage itself{how:loop=, or set `backing` of fs.NAME if the plan means \
                 it;memory=, or explain it in a waiver;overlay=}."];
    /// A part of the file system was offline or being rebuilt.
    Degraded "degraded" { missing: List, targets: Count, when: Text, health: Text }
        says ["fs.{fs} lacked {missing} of its {targets|storage target} {when} repetition {repetition}.",
              "fs.{fs} was degraded {when} repetition {repetition}: {health}."]
        remedy ["Repair the file system and measure again, or set `degraded = true` for a test that must \
                 tolerate this."];
    /// The test needs a degraded file system, but nothing was offline.
    NotDegraded "not-degraded" { when: Text, known: Flag, unknown: Flag }
        says ["fs.{fs} should be degraded, but nothing was offline {when} repetition {repetition}{known?}.",
              "fs.{fs} should be degraded. It is not known whether anything was offline {when} repetition \
               {repetition}."]
        remedy ["Let the `degrade` command of the state take something offline that the `health` command \
                 reports."];
    /// The state of the file system after a job is not known.
    HealthUnknown "health-unknown" { error: Text }
        says ["The state of fs.{fs} is not known after repetition {repetition}: {error}."]
        remedy ["Correct the command, and measure again."];
    /// Servers moved data of others.
    Exclusive "exclusive" { share: Share }
        says ["During repetition {repetition}, {share} of the traffic of the servers of fs.{fs} came from \
               others (maximum 1 %)."]
        remedy ["Measure while no other jobs use the file system."];
    /// Another campaign worked in the same directory during a job.
    CampaignBeside "campaign-beside" { campaigns: List }
        says ["During repetition {repetition}, another campaign worked in the same directory: {campaigns}."]
        remedy ["Run one campaign after the other, or explain it in a waiver."];
    /// The servers counted less than jobs moved to and from storage.
    TrafficLess "traffic-less" { bytes: Bytes, served: Bytes }
        says ["Repetition {repetition}: jobs moved {bytes} to or from the storage of fs.{fs}, but its \
               servers counted only {served}."]
        remedy ["Find what served the data, or correct the `traffic` command."];
    /// The count of the servers' traffic restarted during a repetition.
    TrafficUnknown "traffic-unknown" {}
        says ["The traffic count of the servers of fs.{fs} restarted during repetition {repetition}. The \
               traffic of others is not known."]
        remedy ["Check whether a server was restarted."];
    /// The layout of files differs from the required layout, or is not known.
    LayoutUndeclared "layout-undeclared" { asked: Count, found: Count, targets: Count, found_all: Flag,
        asked_all: Flag, layout: Text, stripes: Count, shared_on: Count, kind: Text, files: Count }
        says ["fs.{fs}: each file should be on {asked|target}, but some files are on {found}[ of {targets}].",
              "fs.{fs}: each file should be on {asked|target}, but some files are on all targets[ \
               ({targets})]{found_all?}.",
              "fs.{fs}: each file should be on {asked|target}, but the layout of the files is not known.",
              "fs.{fs}: each file should be on all targets{asked_all?}, but some files are on {found}[ of \
               {targets}].",
              "fs.{fs}: each file should be on all targets{asked_all?}, but some files are on all known \
               targets[ ({targets})]{found_all?}.",
              "fs.{fs}: each file should be on all targets{asked_all?}, but the layout of the files is not \
               known."]
        remedy ["Set the layout of the directory before its files are made."]
        lint NeedsWaiver { records_decide: true,
            why: "Stripes decide how many servers a file can use",
            source: "Lockwood, IOR results at NERSC; Blue Waters IO-2017",
            says: &[waivable!("Each file per process is on {layout} targets. Set stripes = 1, or give the \
                               reason in a waiver."),
                    waivable!("Each file per process is on {stripes|target}. Set stripes = 1, or give the \
                               reason in a waiver."),
                    waivable!("The single shared file is on {shared_on|target}. Set stripes = \"all\" to \
                               use all targets."),
                    waivable!("The layout of files on {kind} is not declared, so the layout of the \
                               directory is measured. Set `stripes`, and a `setup` that creates files with \
                               this layout."),
                    waivable!("{files|file} on one target each cannot use all {targets|target}. Start at \
                               least {targets|rank}, or stripe each file over several targets.")] };
    /// Files were on another file system than planned, or nodes mount it from another server.
    PathOnWrongFs "path-on-wrong-fs" { host: Text, dir: Text, found: Text, planned: Text, nodes: Count,
        of: Count, here: List, there: List, begins: Flag, other_server: Flag, directory: Text,
        example: Text, path: Text, maker: Text, maker_path: Text, mount: Text, relative: Text, elsewhere:
        Flag }
        says ["on {nodes} of {of} nodes the files are on another file system than on {host} ({here}): \
               {there}{begins?}",
              "{who}: on {host}, {dir} is on {found}, but fs.{fs} has the type {planned}.",
              "{who}: {nodes} of {of} nodes mount the file system from another server than {host} ({here}): \
               {there}{other_server?}.",
              "{who}: on {nodes} of {of} nodes the files are on another file system than on {host} ({here}): \
               {there}."]
        remedy ["Explain in a waiver why it is the same file system.{other_server?}",
                "Mount the file system on these nodes, or leave them out."]
        lint Error { records_decide: true,
            why: "A path outside the mount measures another file system",
            source: "Lockwood, IOR results at NERSC (a result from another file system than in its title)",
            rejected: "a path outside the campaign's own directory",
            says: &["{directory} is a directory, but -o needs a file. Give a file, for example -o \
                     {example}.",
                    "The command line reads {path}, but {maker} wrote {maker_path}. Write the same path in \
                     both command lines.",
                    "{path} is not below {mount}, the file system under test. Give a path below {mount}.",
                    "{relative} is a relative path, so the file is in the directory in which the job \
                     starts. Give an absolute path below {mount}.",
                    "The command line names no file, so IOR uses `testFile` in the directory in which the \
                     job starts. Add -o with a path below {mount}."] };
    /// Files were on another file system than their directory.
    StrayFile "stray-file" { ranks: Count, path: Text, place: Text, found: Text, expected: Text }
        says ["Repetition {repetition}, {phase}: {ranks|rank} used files on another file system than their \
               directory. First: {path} is {place} on {found}, not on {expected}.",
              "Repetition {repetition}, {phase}: {path} is on {found}, but the campaign began with \
               {expected} there.",
              "Repetition {repetition}, {phase}: {ranks|rank} used files on another file system than their \
               directory."]
        remedy ["Remove the link or the mount, and measure again."];
    /// Files were links to other files.
    LinkedFile "linked-file" { ranks: Count, path: Text, place: Text, found: Text, expected: Text }
        says ["Repetition {repetition}, {phase}: the files of {ranks|rank} are links. First: {path} is \
               {place}.",
              "Repetition {repetition}, {phase}: the files of {ranks|rank} are links."]
        remedy ["Remove the links, or explain them in a waiver."];
    /// An external program accounts only for a small part of the time of its job.
    ReportedShort "reported-short" { claimed: Seconds, wall: Seconds }
        says ["Repetition {repetition}: the program reports measured times of {claimed} in total, but the \
               job took {wall}. It is not known what it did in the rest."]
        remedy ["Measure for most of the time of the job, or explain it in a waiver."];
    /// Nothing in the output of an external program shows that its reads came from storage.
    ReportedCached "reported-cached" {}
        says ["Repetition {repetition}, {phase}: nothing in the output shows that the data was not in the \
               cache of the node that reads it."]
        remedy ["Read on other nodes than those that wrote (-C of ior, -N of mdtest), or explain it in a \
                 waiver."];
    /// An external program found smaller files than it expected.
    ReportedLess "reported-less" { expected: Bytes, found: Bytes }
        says ["Repetition {repetition}: the program expected files of {expected} in total and found {found}."]
        remedy ["Compare the sizes of the files, or explain it in a waiver."];
    /// The file of an external program changed between repetitions.
    ProgramChanged "program-changed" { path: Text }
        says ["{path} has another SHA-256 in repetition {repetition} than before."]
        remedy ["Use one build for all repetitions, or explain the change in a waiver."];
    /// A job lasted much longer than the program that its records are of.
    UnexplainedTime "unexplained-time" { lasted: Seconds, ran: Seconds, outside: Seconds }
        says ["{folder} lasted {lasted}, but its program ran for {ran}. For the other {outside} the launcher \
               did something else."]
        remedy ["Find what the launcher does beside the job, or explain it in a waiver."];
    /// A file with code that the program does not need was mapped into its processes.
    MappedObject "mapped-object" { nodes: Count, of: Count, node: Text, path: Text, sha256: Text,
        others: List }
        says ["On {nodes} of {of} nodes (first {node}), {path} was mapped into the program at its start[ \
               (SHA-256 {sha256})]. It is not a part of the program[. Others: {others}]."]
        remedy ["Remove it from LD_PRELOAD, LD_LIBRARY_PATH and /etc/ld.so.preload, or explain it in a \
                 waiver."];
    /// A launcher started another program than the one of the campaign.
    OtherProgram "other-program" { nodes: Count, of: Count, node: Text, sha256: Text, own: Text }
        says ["On {nodes} of {of} nodes (first {node}), processes ran a program with SHA-256 {sha256}. The \
               campaign's own has {own}."]
        remedy ["Let the launcher start the campaign's own program, or explain the other in a waiver."];
    /// Another process traced a process of a job.
    TracedProcess "traced-process" { nodes: Count, of: Count, node: Text, pid: Count, tracer: Text }
        says ["On {nodes} of {of} nodes (first {node}), process {pid}[ ({tracer})] traced the program. A \
               tracer can change memory and system calls.",
              "{who}: a process traced the program at the begin or the end of {phase}. A tracer can change \
               memory and system calls."]
        remedy ["Run without a tracer, or explain it in a waiver."];
    /// A filter of system calls was active in a process of a job.
    SystemCallFilter "system-call-filter" { nodes: Count, of: Count, node: Text, mode: Count }
        says ["On {nodes} of {of} nodes (first {node}), a filter of system calls was active (seccomp mode \
               {mode}). A filter can answer calls in place of the kernel.",
              "{who}: a filter of system calls was active at the begin or the end of {phase}. A filter can \
               answer calls in place of the kernel."]
        remedy ["Run outside the container or sandbox, or explain the filter in a waiver."];
    /// The kernel did not count the bytes of some processes of a job.
    UncountedProcess "uncounted-process" { processes: Count }
        says ["{who}: the kernel did not count the bytes of {processes|process} in {phase}, so the rate is \
               not compared with its count."]
        remedy ["Let /proc/self/io be readable on all nodes (CONFIG_TASK_IO_ACCOUNTING), or explain it in a \
                 waiver."];
    /// Repetitions of a test ran on different nodes.
    OtherNodes "other-nodes" { new: Count, first: Count, node: Text }
        says ["Repetition {repetition} used {new|node} that repetition {first} did not use, such as {node}."]
        remedy ["Resume on the same nodes, or explain the change in a waiver."];
    /// The wall clocks of nodes, or of a node and the campaign, differ.
    ClockSkew "clock-skew" { node: Text, skew: Seconds, ahead: Seconds, behind: Seconds, host: Text,
        uncertainty: Seconds, begins: Flag, phases_from: Text, phases_to: Text, job_from: Text,
        job_to: Text, off: Seconds }
        says ["the wall clock of {node} is {ahead} ahead of that of {host} (uncertainty {uncertainty})[. Do \
               not compare times of different jobs or logs{begins?}]",
              "the wall clock of {node} is {behind} behind that of {host} (uncertainty {uncertainty})[. Do \
               not compare times of different jobs or logs{begins?}]",
              "{who}: the wall clock of {node} differs by {skew+} from that of {host} (uncertainty \
               {uncertainty}, maximum 1 s).",
              "{who}: by the wall clock of {host} its phases ran from {phases_from} to {phases_to}. By the \
               campaign's wall clock the job ran from {job_from} to {job_to}. One clock is off by at least \
               {off} (maximum 1 s)."]
        remedy ["Synchronize the clocks of all nodes with NTP or chrony."];
    /// A rank moved much less than the mean rank by the deadline.
    Straggler "straggler" { bytes: Bytes, share: Share, mean: Bytes }
        says ["{phase}: one rank moved only {bytes}, {share} of the mean of {mean} (minimum 80 %)."]
        remedy ["Find the slow node or target, or explain it in a waiver."];
    /// The wear-out took longer than the deadline.
    WearoutTail "wearout-tail" { wear_out: Seconds, deadline: Seconds }
        says ["The wear-out took {wear_out}, longer than the deadline of {deadline}."]
        remedy ["Find what delays the slowest ranks."];
    /// A single repetition has no variability.
    CovMissing "cov-missing" {} says ["There is only one repetition, so the variability (COV) is not known."]
        remedy ["Set `repetitions` in the plan to at least 3."];
    /// The repetitions vary by more than the maximum (10 % if the plan has none).
    CovHigh "cov-high" { n: Count, cov: Share, cov_max: Share }
        says ["The {n} repetitions vary by {cov} (COV, maximum {cov_max})."]
        remedy ["Find the cause, or explain it in a waiver."];
    /// The mean of the rates is above the total amount divided by the total time.
    Harmonic "harmonic" { mean: Amount, whole: Amount, share: Share, required: Amount, within_limit: Flag }
        says ["The criterion compares the mean of the rates, {mean}. Total amount / total time is {whole}, \
               and the mean is {share} higher. Only the mean meets the threshold {required}.",
              "The criterion compares the mean of the rates, {mean}. Total amount / total time is {whole}, \
               and the mean is {share} higher.[ The confidence limit of the mean is no higher than the \
               total.{within_limit?}]"]
        remedy ["Report both, or stop each repetition with a deadline (-D)."];
    /// Repetitions were added after a planned evaluation.
    PlannedLooks "planned-looks" { looks: Count, planned_looks: Count, confidence: Share, wrong_max: Share }
        says ["Repetitions were added after the verdict was known ({looks|look} of {planned_looks} planned). \
               The limits use a confidence level of {confidence}. A wrong verdict at any look has a \
               probability of at most {wrong_max}."];
    /// Repetitions were added after an evaluation that was not planned.
    UnplannedLooks "unplanned-looks" { looks: Count, planned_looks: Count, confidence: Share,
        wrong_max: Share }
        says ["Repetitions were added after the verdict was known ({looks|look} of {planned_looks} planned). \
               The limits use a confidence level of {confidence}. A wrong verdict at any look has a \
               probability of up to {wrong_max}."]
        remedy ["Set `decide.looks` in the plan, or explain the extension in a waiver."];
    /// Repetitions were added after an evaluation in which the value alone decides.
    AsWrittenLooks "as-written-looks" { looks: Count, planned_looks: Count }
        says ["Repetitions were added after the verdict was known ({looks|look}). The value alone decides, \
               so each look is another chance of a PASS."]
        remedy ["Explain the extension in a waiver."];
    /// A rate is above the maximum of the file system.
    AbovePhysics "above-physics" { rate: Rate, rate_max: Rate, sequential: Rate }
        says ["{rate} is above the maximum of {rate_max} that the plan states for the file system.",
              "Random transfers reach {rate}, no less than sequential ones ({sequential})."]
        remedy ["Find the cache that served the data, or offsets that repeat."];
    /// The file systems of a group did not take equal shares.
    TwoFsBalance "two-fs-balance" { bytes: Bytes, fair: Bytes }
        says ["fs.{fs} received {bytes}, but an equal share is {fair} (tolerance 10 %)."]
        remedy ["Let even ranks write to one file system and odd ranks to the other."];
    /// A walk listed few entries.
    LsWalk "ls-walk" { entries: Count, entries_min: Count, least: Count, command: Text, walks: Count,
        least_walks: Count }
        says ["A walk listed {entries|entry|entries}, but contracts usually ask for more than {entries_min}."]
        remedy ["Make larger trees."]
        lint NeedsWaiver { records_decide: true,
            why: "Walks of small, shared or cached trees do not reach the servers",
            source: "LLNL Purple GPFS acceptance (ten `ls -lR` of more than 100 000 entries)",
            less_severe: Some((
                "info or needs-waiver",
                "because the records show the number of listed entries, and walks of cached trees are \
                 INVALID",
            )),
            says: &["The command line makes trees of {entries} entries, but at least {least} are usual. \
                     Make larger trees with --entries.",
                    waivable!("One `{command}` on one node is not timed together with others, and caches \
                               may serve it. Use `assay -n 10 ls-lr --cold`."),
                    waivable!("{walks|walk} run at once, but at least {least_walks} are usual. Start \
                               {least_walks}, each in its own tree."),
                    "The walk may find its entries in the memory of its node. Add --cold, or walk on other \
                     nodes with --shift."] };
    /// A phase of metadata operations was short.
    MdTooShort "md-too-short" { operations: Count, lasted: Seconds, items: Count, least: Count,
        per_rank: Count }
        says ["{phase}: only {operations|operation} in {lasted}."]
        remedy ["Run at least 1000000 operations for at least 30 s."]
        lint Info { records_decide: true,
            why: "A short phase measures caches and start-up",
            source: "NERSC-10 benchmark rules; IO500 rules",
            says: &["All ranks together have {items|item} in a repetition, but at least {least} are usual. \
                     Give -n {per_rank} or more."] };
    /// A phase of transfers was short.
    RateTooShort "rate-too-short" { bytes: Bytes, lasted: Seconds, times: Count }
        says ["{phase}: only {bytes} in {lasted}."]
        remedy ["Move {times} times as much, so that the phase lasts at least 1 s (ior: -b, -s or -D).",
                "Move more, so that the phase lasts at least 1 s (ior: -b, -s or -D)."]
        lint Info { records_decide: true,
            why: "In a fraction of a second, start-up, one stall or a cache decides the rate",
            source: "IO500 rules; Lockwood, IOR results at NERSC",
            says: &["Without -b each rank moves only {bytes}, in a fraction of a second. Give -b and -s, so \
                     that the phase lasts at least 1 s."] };
    /// The witness of the campaign did not take every hash of the chain.
    WitnessSilent "witness-silent" { witness: Text, times: Count, error: Text }
        says ["The witness {witness} did not answer {times|time}. First reason: {error}."]
        remedy ["Measure again with a witness that answers, or approve a waiver."];
    /// Evidence that an auditor asks for is missing.
    AuditGap "audit-gap" { missing: List } says ["The evidence lacks: {missing}."]
        remedy ["Measure again with a program that records it. Evidence cannot be added later."];
    /// A waiver is not needed, or has no effect.
    Waiver "waiver" { waived: Text, unknown: Text, error: Text, idle: Text }
        says ["The waiver of {waived} is not needed, because there is no such finding."]
        remedy ["Remove it from the plan."]
        lint Error {
            why: "A waiver needs a finding, a reason, and a person who approves it",
            source: "this program",
            says: &["The waiver names {unknown}, which is not a known code. List the codes with `assay lint \
                     --list`.",
                    "The waiver of {error} has no effect, because an error cannot be waived. Correct the \
                     cause, and remove the waiver.",
                    "The waiver of {idle} has no effect, because there is no such finding. Remove it."] };

    // Warnings and notes.
    /// The amount that a phase moved differs from its command line.
    MovedOtherAmount "moved-other-amount" { moved: Bytes, asked: Bytes }
        says ["{phase} moved {moved}, but its command line asks for {asked}."];
    /// Ranks ran out of data before the deadline.
    OutOfData "out-of-data" { label: Text, ranks: Count, of: Count, deadline: Seconds, rate: Rate,
        bytes: Bytes, lasts: Seconds, least: Bytes, rate_max: Rate }
        says ["{label}: {ranks} of {of} ranks ran out of data before the deadline of {deadline}",
              "{phase}: {ranks} of {of|rank} ran out of data before the deadline of {deadline}."]
        remedy ["Give the ranks more data (ior: -b or -s)."]
        lint Info { records_decide: true,
            why: "Ranks that run out of data before the deadline are counted as if they still worked",
            source: "Lockwood, IOR results at NERSC",
            says: &["At {rate} the {bytes} of all ranks last {lasts}, but every rank must still have data \
                     after {deadline}. Give the ranks {least} in total with -b or -s.",
                    "The {bytes} of all ranks last for the {deadline} of -D only up to a rate of \
                     {rate_max}. Add a criterion or --target, so that the expected rate is checked."] };
    /// The data was not flushed to storage within the measured time.
    NotFlushed "not-flushed" { ior: Flag }
        says ["{phase}: the data was not flushed to storage within the measured time[{ior?} (no -e, -Y or \
               O_DIRECT)]."]
        remedy ["Add -e.{ior?}"];
    /// The file system is in memory, so no storage took part.
    MemoryFileSystem "memory-file-system" { kind: Text }
        says ["{phase}: {kind} is a memory file system, so no storage took part."]
        remedy ["Test a directory on a file system with storage."];
    /// The data per node is less than 1.5 times the memory of a client.
    FitsMemory "fits-memory" { per_node: Bytes, memory: Bytes }
        says ["{phase}: {per_node} per node is less than 1.5 times the memory of a client ({memory}), so \
               caches may hold it."]
        remedy ["Move more data per node."];
    /// Only one client node took part.
    SingleClient "single-client" { delivered: Count, host: Text }
        says ["Only one client node of {delivered} ({host}) took part. It may be the bottleneck.",
              "Only one client node ({host}) took part. It may be the bottleneck."]
        remedy ["Measure with more client nodes."];
    /// Nodes of the plan were simulated, by local ranks or on shared kernels.
    SimulatedNodes "simulated-nodes" { nodes: Count, kernels: Count }
        says ["The {nodes|node} were simulated: they had {kernels|kernel} (clients.simulated).",
              "Local ranks simulated the {nodes|node} of the plan (launch.kind `local`)."];
    /// More client nodes clearly have a higher rate, so the file system can do more than was measured.
    ClientLimited "client-limited" { nodes: Count, times: Number, ratio_low: Share, confidence: Share }
        says ["The clients limit the rate: {nodes} nodes reach {times} times as much. The file system can do \
               more than was measured."]
        remedy ["Measure with more client nodes."];
    /// More client nodes clearly do not have a rate that is higher by more than the gain.
    ClientsSufficient "clients-sufficient" { nodes: Count, gain: Share }
        says ["{nodes} nodes changed the rate by {gain+}, so the clients do not limit it."];
    /// The repetitions do not decide whether more client nodes have a higher rate.
    ClientLimitUnclear "client-limit-unclear" { nodes: Count, ratio_low: Share, ratio_high: Share,
        confidence: Share, n: Count, gain_max: Share, gain: Share }
        says ["It is not clear whether the clients limit the rate. {nodes} nodes reach {ratio_low} to \
               {ratio_high} of it ({confidence} limits, n = {n}), and a gain above {gain_max} counts.",
              "It is not clear whether the clients limit the rate. {nodes} nodes changed it by {gain+}, but \
               n = {n} gives no limits."]
        remedy ["Set more `repetitions`, or a larger `gain`, and run a new campaign."];
    /// It is not known whether the clients limit the rate.
    ClientLimitUnknown "client-limit-unknown" { test: Text }
        says ["It is not known whether the clients limit the rate, because {test} cannot be used. {cause}"];
    /// The search found a number of nodes that more nodes do not improve sufficiently.
    SearchOptimum "search-optimum" { nodes: Count, more_nodes: Count, gain: Share, gain_min: Share,
        confidence: Share }
        says ["The optimum is {nodes|node}. With {more_nodes} nodes {metric} changed by {gain+}, but a gain \
               of {gain_min} is required."];
    /// The repetitions do not decide whether more nodes gain enough, so the optimum is not known.
    SearchUnclear "search-unclear" { more_nodes: Count, ratio_low: Share, ratio_high: Share,
        fewer_nodes: Count, confidence: Share, n: Count, gain_min: Share, nodes: Count }
        says ["The search does not decide on a number of nodes. {more_nodes} nodes reach {ratio_low} to \
               {ratio_high} of {metric} at {fewer_nodes|node} ({confidence} limits, n = {n}). A gain of \
               {gain_min} is required. The test ran on the best, {nodes|node}.",
              "The search does not decide on a number of nodes. {more_nodes} nodes and {fewer_nodes} nodes \
               cannot be compared by {metric} with n = {n}. The test ran on the best, {nodes|node}."]
        remedy ["Set more `repetitions`, or a larger `gain`, and run a new campaign."];
    /// The rate still rose at the largest number of nodes that was tried.
    SearchOpen "search-open" { nodes: Count }
        says ["The rate still rose at {nodes|node}, the largest number that was tried."]
        remedy ["Add larger numbers of nodes to the search."];
    /// Neighbouring repetitions are significantly alike, so they show less than independent ones.
    DependentRepetitions "dependent-repetitions" { lag_one: Number, p: Number, n: Count, widened: Flag,
        statistic: Text, comparison: Text, threshold: Amount, value: Amount, reference: Text, binary: Flag }
        says ["Neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = {p}, n = {n}). The \
               confidence limit is widened for that.{widened?}",
              "Neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = {p}, n = {n}). So the \
               limit of the {statistic} does not decide about the threshold {comparison} {threshold}.",
              "Neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = {p}, n = {n})."]
        remedy ["Run the repetitions further apart in time, or alternate them with other tests (`order`)."];
    /// A repetition was far worse than the others.
    StalledRepetition "stalled-repetition" { share: Share, others: Count, p: Number }
        says ["Repetition {repetition} reached {share} of the mean of the {others} others (p = {p}). \
               Confidence limits do not know of rare stalls that did not happen."]
        remedy ["Find the cause, and run more repetitions."];
    /// The first repetition differs from the others.
    FirstDiffers "first-differs" { share: Share, others: Count, no_warm_up: Flag }
        says ["Repetition 1 reached {share} of the mean of the {others} others and is included."]
        remedy ["To add an excluded warm-up run, set `warm_up = 1`.{no_warm_up?}"];
    /// The values fell or rose over the repetitions.
    Trend "trend" { change: Share, n: Count, p: Number }
        says ["{metric} changed by {change+} over the {n} repetitions (p = {p})."];
    /// Warm-up jobs ran before the repetitions and are excluded.
    WarmUp "warm-up" { ran: Count, planned: Count, failed: Cause }
        says ["{ran}[ of {planned}] warm-up jobs ran before the repetitions and are excluded[ ({folders})].[ \
               {failed}]"];
    /// The ranks of a node, or the files of a target, were slower than the others.
    SlowGroup "slow-group" { kind: Text, name: Text, share: Share, ranks: List, ranks_in_all: Count,
        files: List, files_held: Number, others_held: Number, others_held_min: Number,
        others_held_max: Number, ranks_held: Number, same_ranks_kind: Text, same_ranks_as: Text }
        says ["{phase}: {kind} {name} ran at {share} of the rate of the others (ranks {ranks}[, … \
               {ranks_in_all} in all][; files {files}]).[ It has {files_held|file}, the others have \
               {others_held}.][ It has {files_held|file}, the others have {others_held_min} to \
               {others_held_max}.][ It has {ranks_held|rank}, the others have {others_held}.][ It has \
               {ranks_held|rank}, the others have {others_held_min} to {others_held_max}.][ The \
               {same_ranks_kind} {same_ranks_as} has the same ranks, so either may be the cause.]"]
        remedy ["Examine the {kind} {name}."];
    /// A node or target was overloaded by placement.
    UnevenPlacement "uneven-placement" { kind: Text, name: Text, share: Share, ranks: List,
        ranks_in_all: Count, files: List, files_held: Number, others_held: Number, others_held_min: Number,
        others_held_max: Number, ranks_held: Number, repetitions: Count, of: Count, same_ranks_kind: Text,
        same_ranks_as: Text }
        says ["{phase}: {kind} {name} ran at {share} of the rate of the others (ranks {ranks}[, … \
               {ranks_in_all} in all][; files {files}]).[ It has {files_held|file}, the others have \
               {others_held}.][ It has {files_held|file}, the others have {others_held_min} to \
               {others_held_max}.][ It has {ranks_held|rank}, the others have {others_held}.][ It has \
               {ranks_held|rank}, the others have {others_held_min} to {others_held_max}.] In total it was \
               as fast as the others, so the {kind} is overloaded by placement, not slow.[ This happened in \
               {repetitions} of {of} repetitions.]"]
        remedy ["Distribute ranks and files evenly."];
    /// More nodes or targets were slow or overloaded than are listed.
    MoreSlowGroups "more-slow-groups" { more: Count }
        says ["{more} more nodes or targets were slow or overloaded."];
    /// A rank was slower than the median rank.
    SlowRank "slow-rank" { rank: Count, node: Text, share: Share }
        says ["{phase}: rank {rank} on {node} ran at {share} of the rate of the median rank."];
    /// Several ranks were slower than the median rank.
    SlowRanks "slow-ranks" { ranks_in_all: Count, ranks: List, rank: Count, node: Text, share: Share }
        says ["{phase}: {ranks_in_all|slow rank} ({ranks}). The slowest, rank {rank} on {node}, ran at \
               {share} of the rate of the median rank."];
    /// A rank moved less than the mean rank.
    LoadImbalance "load-imbalance" { rank: Count, share: Share, by_deadline: Flag }
        says ["{phase}: rank {rank} moved {share} of the mean amount of a rank[{by_deadline?} by the \
               deadline]."];
    /// Only a few ranks were still active for a part of the time.
    TimeLost "time-lost" { share: Share, slowest: Count, ranks: Count }
        says ["{phase}: for {share} of the time only {slowest} of {ranks|rank} were still active."];
    /// The wear-out took more than 10 % of the deadline.
    WearOutTime "wear-out-time" { wear_out: Seconds, share: Share, deadline: Seconds }
        says ["{phase}: the wear-out took {wear_out}, {share} of the deadline of {deadline}."];
    /// The slowest window of the length for which the rate must be sustained.
    WorstWindow "worst-window" { window: Seconds, from: Seconds, rate: Amount, share: Share }
        says ["{phase}: the slowest {window} of repetition {repetition} (from {from} on) ran at {rate}, \
               {share} of its mean rate."];
    /// The records do not contain the slowest window.
    WorstWindowUnknown "worst-window-unknown" { window: Seconds }
        says ["{phase}: the slowest {window} is not known, because the phase has no timeline."];
    /// A window holds few transfers of a rank, so the rate of the slowest window may be too low.
    FewTransfers "few-transfers" { window: Seconds, transfers: Number, operations: Number }
        says ["{phase}: a window of {window} holds only {transfers|transfer} per rank. A transfer counts \
               when it ends, so the rate of the slowest window may be too low.",
              "{phase}: a window of {window} holds only {operations|operation} per rank. An operation counts \
               when it ends, so the rate of the slowest window may be too low."];
    /// The intervals of the timeline are long for the required windows.
    CoarseTimeline "coarse-timeline" { interval: Seconds, window: Seconds }
        says ["{phase}: the intervals of the timeline ({interval}) are long for windows of {window}."];
    /// The rate is that of the time in which all parts were active.
    CommonWindow "common-window" { window: Seconds, share: Share }
        says ["{phase}: the rate is that of the time in which all parts were active ({window} in repetition \
               {repetition}). It is {share} of the rate of the whole phase."];
    /// The slowest node or rank, for a criterion on single ones.
    SlowestPart "slowest-part" { part: Text, n: Count, value: Amount, mean: Amount }
        says ["{phase}: in repetition {repetition}, {part} was the slowest of {n}: {value}. The mean is \
               {mean}."];
    /// The repetition that a criterion is about.
    BestRepetition "best-repetition" { test: Text, n: Count, value: Amount }
        says ["Repetition {repetition} of {n} had the highest {metric} of {test}: {value}. The best of \
               several repetitions is above what one reaches on average."];
    /// The records do not state the rate of a part while all parts were active.
    CommonWindowUnknown "common-window-unknown" {}
        says ["{phase}: the rate while all parts were active is not known, because the phase has no \
               timeline. The rate of the whole phase is used."];
    /// The time at which the rate was steady.
    SteadyFrom "steady-from" { after: Seconds, window: Seconds }
        says ["{phase}: every repetition was steady after {after} at the latest (windows of {window})."];
    /// The state that the test ran on.
    StateReached "state-reached" { state: Text, blocks: Share, inodes: Share, cycles: Number,
        fragmented: Share }
        says ["{state}: {blocks} of the blocks and {inodes} of the inodes in use, {cycles} overwrite \
               cycles[, {fragmented} of the files fragmented]."];
    /// Repetitions within a job are one value: their mean.
    InnerRepetitions "inner-repetitions" { inner: Count }
        says ["The {inner|repetition} within one job count once, with their mean."];
    /// The rate counts the trees of all ranks, but mdtest's own table counts one.
    AllTrees "all-trees" { ranks: Count }
        says ["{phase}: the rate counts the trees of all {ranks|rank}. The table of mdtest counts one of \
               them (-u) and is about {ranks} times lower."];
    /// Cases failed.
    CasesFailed "cases-failed" { cases: Count, of: Count, names: List, more: Count, rank: Count, step: Text,
        seen: Text, error: Text }
        says ["{cases} of {of} cases failed: {names}[ and {more} more].[ The first failed on rank {rank} at \
               `{step}`: {seen}.][ Reason of the first: {error}.]"];
    /// Cases failed as known for the MPI library, not because of the file system.
    CasesOfLibrary "cases-of-library" { cases: Count, of: Count, names: List, more: Count, rank: Count,
        step: Text, seen: Text, error: Text }
        says ["{cases} of {of} cases failed as known for this MPI library: {names}[ and {more} more]. This \
               says nothing about the file system.[ The first failed on rank {rank} at `{step}`: {seen}.][ \
               Reason of the first: {error}.]"];
    /// Cases ended at their time limit without an outcome.
    CasesOutOfTime "cases-out-of-time" { cases: Count, of: Count, names: List, more: Count, rank: Count,
        step: Text, seen: Text, error: Text }
        says ["{cases} of {of} cases ended at the time limit without an outcome: {names}[ and {more} more].[ \
               The first ended on rank {rank} at `{step}`: {seen}.][ Reason of the first: {error}.]"];
    /// Cases are not supported.
    CasesUnsupported "cases-unsupported" { cases: Count, of: Count, names: List, more: Count, rank: Count,
        step: Text, seen: Text, error: Text }
        says ["{cases} of {of} cases are not supported here: {names}[ and {more} more].[ The first failed on \
               rank {rank} at `{step}`: {seen}.][ Reason of the first: {error}.]"];
    /// Cases were not run.
    CasesSkipped "cases-skipped" { cases: Count, of: Count, names: List, more: Count, rank: Count, step: Text,
        seen: Text, error: Text }
        says ["{cases} of {of} cases were not run: {names}[ and {more} more].[ The first failed on rank \
               {rank} at `{step}`: {seen}.][ Reason of the first: {error}.]"];
    /// Earlier attempts at jobs were set aside, and the jobs ran again.
    AttemptsRepeated "attempts-repeated" { attempts_max: Count }
        says ["Earlier attempts were set aside, and their jobs ran again: {folders}.[ More than \
               {attempts_max} of a test need a waiver.]"]
        remedy ["Compare the attempts, and explain them in a waiver.{attempts_max?}"];
    /// Jobs died without a result and ran again, as often as the plan allows.
    DiedRepeated "died-repeated" { why: Text }
        says ["Jobs died without a result ({why}) and ran again, as the plan allows: {folders}."];
    /// A user had jobs without a result run again after the verdicts were known.
    AskedRepeated "asked-repeated" { why: Text }
        says ["After the verdicts were known, jobs without a result were run again: {folders}. Reason: \
               {why}."]
        remedy ["Compare the attempts, and explain the repetition in a waiver."];
    /// Attempts that were stopped with the campaign were not run again yet.
    AttemptsOpen "attempts-open" {}
        says ["Attempts that still run, or were stopped with the campaign, were not run again yet: \
               {folders}."];

    // Notices of workloads. Warnings of classic programs have no full stop, so these have none either.
    /// It is unknown whether data was in the page cache before it was read.
    CacheUnknown "cache-unknown" { label: Text }
        says ["{label}: it is unknown whether the data was in this client's page cache before. Only the \
               owner of a file, or a user who may change it, can query this"];
    /// The files could not be dropped from the page cache.
    DropCachesFailed "drop-caches-failed" { ranks: Count, of: Count }
        says ["--drop-caches: {ranks} of {of} ranks could not drop their file from the page cache"];
    /// Caches of a client could not be dropped.
    CachesNotDropped "caches-not-dropped" { why: Text }
        says ["--cold: could not drop the caches. Only root may ({why})"];
    /// A node uses objects that it has just created or used, so its cache may serve them.
    WarmNames "warm-names" { labels: List }
        says ["the node that has just created the items also looks them up, so its cache may answer instead \
               of the file system: {labels}. Use -N 1 on three nodes or more, or create with -C and do the \
               other phases in separate runs with dropped caches",
              "a node looks up and opens objects that it has just made or opened, so its cache may answer \
               instead of the file system. Use one rank on each node, more than twice as many nodes as -O \
               times -D, and one iteration if it renews no objects"];
    /// Names and attributes came, or may have come, from a client's cache.
    Warm "warm" { new_names: Share, walked: Flag }
        says ["names and attributes came from a client's cache: only {new_names} of the names were new to it",
              "names and attributes may have come from a client's cache: the trees were walked before in \
               this run{walked?}",
              "names and attributes may have come from a client's cache: the trees were created in this run"];
    /// Time passed in which no rank moved anything.
    Stall "stall" { label: Text, operations: Flag, lasted: Seconds, from: Seconds, times: Count,
        total: Seconds }
        says ["{label}: no rank ended an operation for {lasted} from {from}[ ({times} such times, {total} in \
               all)]{operations?}",
              "{label}: no rank moved anything for {lasted} from {from}[ ({times} such times, {total} in \
               all)]"];
    /// Ranks moved nothing after the ramp.
    NothingAfterRamp "nothing-after-ramp" { label: Text, ramp: Count }
        says ["{label}: some ranks moved nothing after the ramp of {ramp} s"];
    /// The rate limit was not reached.
    RateNotReached "rate-not-reached" { label: Text, limit: Amount, reached: Amount }
        says ["{label}: --rate asked for {limit}, and {reached} were reached. Latencies count from the \
               moment at which each transfer was due"];
    /// Transfers moved only a part of their data and were continued.
    ShortTransfer "short-transfer" { label: Text, short: Count, of: Count }
        says ["{label}: {short} of {of} transfers moved only a part and were continued",
              "{label}: {short} of its transfers moved only a part and were continued"];
    /// Transfers that should be collective were not.
    NotCollective "not-collective" { label: Text, single: Count, of: Count, option: Text }
        says ["{label}: {single} of {of} transfers were not collective, although {option:-c=-c was \
               given;none=collective I/O is meant}. The library moved them by calls of single ranks. The \
               numbers of this phase are not those of collective transfers"];
    /// The library did not take hints that were passed.
    HintsNotTaken "hints-not-taken" { ignored: List, changed: List }
        says ["the library ignored {ignored}[; {changed}]", "{changed}"];
    /// How many transfers or files hold each kind of wrong data.
    WrongKinds "wrong-kinds" { label: Text, bad: Count, files: Flag, several: Flag, kinds: List }
        says ["{label}: {bad} files with wrong data, by kind[ (one may hold several){several?}]: \
               {kinds}{files?}",
              "{label}: {bad|bad transfer}, by kind[ (one may hold several){several?}]: {kinds}"];
    /// The ranks with most wrong data.
    WrongRanks "wrong-ranks" { label: Text, listed: Count, ranges: Count, files: Flag, ranks: Count,
        cut: Flag, worst: List }
        says ["{label}: {listed} of {ranges} bad ranges are listed; files with wrong data of {ranks|rank}[, \
               the worst{cut?}]: {worst}{files?}",
              "{label}: {listed} of {ranges} bad ranges are listed; bad transfers of {ranks|rank}[, the \
               worst{cut?}]: {worst}"];
    /// Objects hold wrong data.
    WrongObjects "wrong-objects" { iteration: Count, objects: List }
        says ["iteration {iteration}: wrong data in {objects}"];
    /// Objects do not exist.
    MissingObjects "missing-objects" { iteration: Count, missing: Count, of: Count, rank: Count, path: Text }
        says ["iteration {iteration}: {missing} of {of} objects do not exist[, such as rank {rank}: {path}]"];
    /// Repetitions were left out to keep files with wrong data.
    KeptWithError "kept-with-error" { repetitions: Count }
        says ["-K: stopped after {repetitions} repetitions. Their files hold wrong data and are kept"];
    /// Every rank reads its own data although another order was requested.
    ReorderNoEffect "reorder-no-effect" {}
        says ["-C has no effect here: it shifts by whole nodes, and the shift returns to the same rank. \
               Every rank fetches its own data. To shift by ranks, set -O numTasksOnNode0=1"];
    /// The time limit of the test has passed, so phases were skipped.
    OutOfTime "out-of-time" { minutes: Count, phases: List, repetitions: Count }
        says ["-T {minutes}: the time limit in minutes has passed. Skipped: {phases} of repetition \
               {repetition}[, and {repetitions|repetition} after it]"];
    /// Data was written before the measured write.
    Prefill "prefill" { amount: Count, piece: Count, seconds: Seconds }
        says ["--randomPrefill: {amount} bytes were written sequentially, in pieces of {piece}, before the \
               measured phase. This took {seconds}"];
    /// Files that will be written exist.
    FilesExist "files-exist" { ranks: Count, kept: Flag }
        says ["The files of {ranks} ranks exist and will be overwritten. Some are listed{kept?}",
              "The files of {ranks} ranks exist and will be deleted. Some are listed"];
    /// Only some of the ranks with unusual times are listed.
    OutliersCut "outliers-cut" { allowed: Count, ranks: Count, of: Count, label: Text }
        says ["-j {allowed}: {ranks} of {of} ranks differ in {label}. Some are listed"];
    /// Names to remove were missing.
    Missing "missing" { label: Text, iteration: Count, missing: Count, files: Flag }
        says ["{label}, iteration {iteration}: {missing|file was|files were} missing{files?}",
              "{label}, iteration {iteration}: {missing|directory was|directories were} missing"];
    /// Files of a preload keep a directory.
    Preloaded "preloaded" { label: Text, files: Count }
        says ["{label}: a directory holds {files} files of --preload. Add --preload {files}"];
    /// Directories were filled with files before the items were created.
    Preload "preload" { files: Count, directories: Count }
        says ["--preload: {files} files were counted in each of {directories} directories before the items \
               were created"];
    /// Test directories hold names of others and stay.
    Kept "kept" { directories: Count, first: Text }
        says ["{directories|test directory is|test directories are} kept, because of names that mdtest did \
               not make: {first} ..."];
    /// Test directories could not be removed.
    Left "left" { directories: Count, why: Text }
        says ["{directories|test directory was|test directories were} not deleted: {why} ..."];
    /// Trees that existed in part were completed.
    MakeResumed "make-resumed" { trees: Count }
        says ["{trees} trees existed in part. Their existing entries are included in the creation rate"];
    /// Trees do not have the number of entries that they were created with.
    EntriesMismatch "entries-mismatch" { trees: Count }
        says ["{trees} trees do not have the number of entries that they were created with"];
    /// No file meets the conditions of a search.
    NothingFound "nothing-found" { path: Text }
        says ["no file in {path} meets the conditions, so the rate is not that of a search"];
    /// A tree is smaller than those of contracts.
    SmallTree "small-tree" { entries: Count, entries_min: Count }
        says ["a walker listed only {entries} entries. The trees of a contract have more than {entries_min}"];
    /// The time in which all walkers worked was short.
    ShortWindow "short-window" { window: Seconds, needed_s: Seconds }
        says ["the common window of all walkers was {window}, less than {needed_s}"];
    /// A walker ended long before the last one.
    UnevenWalkers "uneven-walkers" { walker: Count, after: Seconds, longest: Seconds }
        says ["walker {walker} ended after {after}, the last one after {longest}"];
    /// Trees that existed only in part were removed.
    RemovePartial "remove-partial" { trees: Count }
        says ["{trees} trees existed only in part. The removal rate is not usable"];
    /// No tree exists that can be removed.
    NothingToRemove "nothing-to-remove" { path: Text } says ["no tree to remove, for example {path}"];
    /// Trees stay, because there are fewer walkers than trees.
    TreesStay "trees-stay" { path: Text }
        says ["{path} and later trees are not removed, because a walker removes one tree. Use as many \
               walkers as created them"];

    // Quotas.
    /// More was accepted beyond a limit than the run allows, and ranks were not rejected.
    QuotaNotEnforced "quota-not-enforced" { rejected: Count, ranks: Count, beyond: Amount }
        says ["{phase}: the quota rejected {rejected} of {ranks} ranks, and calls accepted {beyond} beyond \
               the limit[ ({folder})]"];
    /// The time of a step passed before all ranks were rejected.
    QuotaNotReached "quota-not-reached" { timeout: Seconds }
        says ["{phase}: {timeout} passed before all ranks were rejected. Use a longer --timeout or a lower \
               limit"];
    /// Ranks were rejected far below the limit.
    QuotaEarly "quota-early" { unused: Amount }
        says ["{phase}: the ranks were rejected although {unused} of the limit were not used"];
    /// Ranks were rejected with another error than EDQUOT.
    QuotaErrno "quota-errno" { ranks: Count, error: Text }
        says ["{phase}: {ranks} ranks were rejected with {error} instead of EDQUOT"];
    /// The usage that the system shows is not that of the files.
    QuotaNotShown "quota-not-shown" { waited: Seconds, used: Amount, expected: Amount }
        says ["{phase}: {waited} after its end the system shows a usage of {used} instead of {expected}[ \
               ({folder})]"];
    /// Space that was freed could not be used again.
    QuotaNotFreed "quota-not-freed" { waited: Seconds }
        says ["{phase}: {waited} after files were shortened, all writes were still rejected[ ({folder})]"];
    /// The soft limit was passed, and the system reports no end of the grace.
    GraceNotStarted "grace-not-started" {}
        says ["{phase}: the soft limit is passed, but the system shows no end of its grace"];
    /// Others could not write because of a limit that is not theirs.
    OthersRejected "others-rejected" { moment: Text, error: Text }
        says ["others cannot write {moment}: {error}[ ({folder})]"];

    // Projections.
    /// A step of the series has no usable value.
    StepUnusable "step-unusable" { test: Text } says ["{test} cannot be used. {cause}"];
    /// A step has less than one unit, or a rate of zero.
    StepImpossible "step-impossible" { step: Number }
        says ["The step at {step} cannot be used: a step needs at least 1 unit and rates above 0."];
    /// There are too few different steps for a projection.
    TooFewSteps "too-few-steps" { steps_min: Count, steps: Count }
        says ["A projection needs at least {steps_min} different steps, but there are {steps}."]
        remedy ["Measure more steps."];
    /// The extrapolation factor is too large.
    TooFar "too-far" { factor: Number, factor_max: Number }
        says ["The extrapolation factor {factor} is above the maximum of {factor_max}."]
        remedy ["Measure larger steps."];
    /// No model predicts the largest step from the others.
    NotPredicted "not-predicted" { error_max: Share, error: Share }
        says ["No model predicts the largest step from the others within {error_max} (best: {error+})."]
        remedy ["Add repetitions, or steps nearer to the target."];
    /// The threshold lies within the interval of the projection.
    ThresholdInInterval "threshold-in-interval" { threshold: Amount, low: Amount, high: Amount }
        says ["The threshold {threshold} lies within the interval of the projection ({low} to {high})."]
        remedy ["Add repetitions, or larger steps."];

    // The linter, before a run.
    /// Small random writes go through the client's page cache.
    WriteIopsBuffered "write-iops-buffered" { transfer: Bytes }
        lint NeedsWaiver {
            why: "Caches merge and reorder small random writes, so the rate is not that of the servers",
            source: "Lockwood, IOR results at NERSC",
            says: &[waivable!("Random writes of {transfer} pass through the client's page cache, which \
                               merges and reorders them. Add --posix.odirect, or report the rate as what a \
                               user sees.")] };
    /// The data of a node fits in its memory.
    ClientCacheFit "client-cache-fit" { written: Bytes, deadline: Seconds, memory: Bytes, least: Bytes,
        read: Bytes }
        lint NeedsWaiver { records_decide: true,
            why: "Data that fits the clients' memory is written to that memory and read from it",
            source: "NERSC-10 benchmark rules (1.5 times the memory); MLPerf Storage rules (5 times)",
            less_severe: Some((
                "info",
                "for reads: records show page-cache residency, and cached reads are INVALID",
            )),
            says: &[waivable!("Each node writes {written}[ in the {deadline} of -D at the target rate], \
                               which fits in its memory of {memory}. Add --posix.odirect, or write at least \
                               {least} per node."),
                    "Each node reads {read} that the same job wrote, which fits in its memory of {memory}. \
                     Read in a separate job with --drop-caches, or move at least {least} per node."] };
    /// A measured write is not flushed to storage within its time.
    MissingPersist "missing-persist" {}
        lint Error { records_decide: true,
            why: "Without an fsync in the measured time, a write ends while data is still in memory",
            source: "Lockwood, IOR results at NERSC; IO500 rules",
            less_severe: Some(("needs-waiver", "for reported and hero tests: no clause depends on them")),
            says: &[waivable!("The command line writes without -e, -Y or O_DIRECT, so the measured time \
                               ends while data is still in memory. Add -e.")] };
    /// A command line writes and reads the same data in one job.
    WrSameLaunch "wr-same-launch" { implied: Text }
        lint Info { records_decide: true,
            why: "A read in the job that wrote the data can be served from caches",
            source: "Lockwood, IOR results at NERSC",
            less_severe: Some((
                "info",
                "because the records show page-cache residency: cached reads are INVALID",
            )),
            says: &["The command line names no phase, so IOR writes and reads ({implied}) in one job, and \
                     caches may serve the reads. Write with -w -k. Read with -r in a separate job.",
                    "The command line writes and reads in one job, so caches may serve the reads. Read in a \
                     separate job, or add --drop-caches."] };
    /// Ranks read on the node that wrote.
    ReaderIsWriter "reader-is-writer" { nodes: Count }
        lint Info { records_decide: true,
            why: "A rank that reads data of its own node can read it from that node's memory",
            source: "Lockwood, IOR results at NERSC; NERSC-10 benchmark rules (tasks shifted by those of a \
                     node)",
            less_severe: Some((
                "info",
                "because the records show page-cache residency: cached reads are INVALID",
            )),
            says: &["All ranks run on {nodes|node}, so its page cache may serve the reads. Add \
                     --drop-caches or --posix.odirect, or use several nodes and -C.",
                    "Each rank reads on the node that wrote the file, so the page cache of the node may \
                     serve the reads. Add -C to read what another node wrote, or add --drop-caches."] };
    /// Ranks are shifted by a multiple of the number of nodes, so that they get their own data.
    ReorderOwnNode "reorder-own-node" { option: Text, shift: Count, nodes: Count }
        lint Info { records_decide: true,
            why: "-Q of IOR and -N of mdtest count nodes: they are multiplied by the ranks of a node, modulo \
                  all ranks",
            source: "IOR 4.1; benchmark decks that give the ranks of a node as -Q or -N",
            says: &["{option} {shift} on {nodes|node} leads every rank back to its own node, whose cache may \
                     answer. Give a number that is not a multiple of {nodes}, such as {option} 1."] };
    /// A command line reads more than was written, or other files.
    ReadBeyondWritten "read-beyond-written" { maker: Text, remove: Text, add: Text, files_read: Count,
        files_made: Count, read: Bytes, written: Bytes, deadline: Seconds, full: Bytes, rate_full: Rate }
        lint Error {
            why: "After the end of a file, IOR aborts, or reads nothing and still reports a rate",
            source: "Lockwood, IOR results at NERSC",
            rejected: "a reader of more data than exists, or of a stopped dataset without a status file",
            says: &["The command line reads one file per process, but {maker} made a single shared file. \
                     Remove {remove} here, or add it to both command lines.",
                    "The command line reads a single shared file, but {maker} made one file per process. \
                     Add {add} here, or remove it from both command lines.",
                    "The command line reads {files_read|file}, but {maker} made {files_made}. Read with at \
                     most as many ranks as wrote.",
                    "The command line reads {read} of each file, but {maker} wrote {written}. Read no more \
                     than was written.",
                    "{maker} stops after {deadline}, but the command line reads its files as if they were \
                     full[ ({full} in all, which needs {rate_full})]. Give -O stoneWallingStatusFile=F on \
                     both command lines, or remove -D from the dataset."] };
    /// Random writes go to a new file, so they also allocate space.
    SparseRandomWrite "sparse-random-write" {}
        lint NeedsWaiver {
            why: "Random writes into a new file also measure the allocation of space",
            source: "IOR issue 261",
            says: &[waivable!("Random writes go to a new file, so each write also allocates space. Fill the \
                               file first with --randomPrefill 1m, or state that allocation is part of the \
                               test.")] };
    /// A measured rate includes the wear-out of the slowest rank.
    WearoutOnMeasured "wearout-on-measured" { deadline: Seconds }
        lint Error {
            why: "Wear-out waits for the slowest rank, as applications do, so the rate is not the sustained \
                  one",
            source: "Lockwood, IOR results at NERSC",
            less_severe: Some((
                "needs-waiver",
                "without a required sustained time: IO500 is defined with wear-out",
            )),
            says: &["After the deadline (-D, {deadline}) all ranks continue until they have done as much as \
                     the fastest rank. The slowest rank therefore decides the rate. Remove \
                     stoneWallingWearOut. Only datasets need it."] };
    /// A dataset stops at a deadline, so its files differ in size.
    NoWearoutOnDataset "no-wearout-on-dataset" { deadline: Seconds }
        lint Error {
            why: "A stopped dataset without wear-out has files of unequal size, and readers reach their ends",
            source: "Lockwood, IOR results at NERSC",
            rejected: "a dataset with -D but without stoneWallingWearOut",
            says: &["The dataset stops after {deadline}, so its files differ in size. Add -O \
                     stoneWallingWearOut=1, or let its readers read no more than the smallest file."] };
    /// A hero run has a criterion.
    HeroAsContract "hero-as-contract" {}
        lint Error {
            why: "Larger transfers and chosen nodes show the best of a system, not what was bought",
            source: "Lockwood, IOR results at NERSC",
            rejected: "a hero run with a criterion",
            says: &["A hero run shows what the system can do, but this one has a criterion. Remove the \
                     criterion, and compare the rate with that of the contract test."] };
    /// Ranks, nodes and sizes contradict each other.
    Geometry "geometry" { launched: Count, quantity: Text, stated: Count, nodes: Count, ppn: Count,
        product: Count, ranks: Count, nodes_of_ranks: Count, taking_part: Count, moved: Bytes,
        stated_bytes: Bytes }
        lint Error {
            why: "Ranks, nodes and sizes that contradict each other do not describe a run",
            source: "Lockwood, IOR results at NERSC (28 nodes × 8 and 184 ranks)",
            rejected: "a number of ranks that differs from the nodes times the ranks per node",
            says: &["The launcher starts {launched} {quantity}, but {stated} are stated. Make both numbers \
                     equal.",
                    "{nodes|node} with {ppn|rank} each have {product|rank}, but {ranks} are started. Start \
                     {product}[, or state {nodes_of_ranks|node}].",
                    "-N {taking_part} asks for more than the {ranks|rank} that are started. Start \
                     {taking_part}, or remove -N.",
                    "With -b and -s all ranks move {moved}, but {stated_bytes} are stated. Change -s, or \
                     the stated number."] };
    /// The command line does not match its role.
    RoleMismatch "role-mismatch" { role: Text, implied: Text, extra: Text, missing: Text, lost: Text,
        worded_role: Text }
        lint Error {
            why: "A command line that does not do what its test is for measures something else",
            source: "Blue Waters IO-2017 (a read test with -w)",
            rejected: "a criterion on a phase that the command line does not have",
            less_severe: Some(("info", "if only the clause text states what the test is for")),
            says: &["The command line should measure a {role} but names no phase, so IOR also writes \
                     ({implied}). Add -r.",
                    "The command line should measure a {role}, but it has {extra} and lacks {missing}. \
                     Remove {extra}, and add {missing} -k.",
                    "The command line is for a {role}, but it lacks {missing}. Add {missing}.",
                    "The command line is for a {role}, but IOR removes its files when it ends. Add {lost}.",
                    "The clause text mentions a {worded_role}, but the command line differs[, with \
                     {extra}][, without {missing}][, with an implied {implied}]. Check that the command \
                     line measures what the clause means."] };
    /// The program rejects the command line on any machine.
    LineRejected "line-rejected" { rejected: Text }
        lint Error {
            why: "The program ends with exit status 2 on any machine, before it touches a file",
            source: "Lockwood, IOR results at NERSC (-4); IOR 4.1 and mdtest 4.1",
            rejected: "every command line that the program rejects",
            says: &["The program rejects the command line: {rejected}."] };
    /// An option is renamed, without effect, or has changed.
    OptionDrift "option-drift" { option: Text, since: Text, segments: Count, renamed: Text, idle: Text }
        lint NeedsWaiver {
            why: "Options are added, removed and redefined between versions",
            source: "Blue Waters IO-2017 (mdtest -k); Lockwood, IOR results at NERSC (-H, lustrestripecount)",
            says: &[waivable!("{option} of mdtest creates files with mknod since {since}, and older \
                               versions did not know it. Agree on the meaning of the option, and state it."),
                    "{option} shuffles the transfers of all {segments|segment}, because -b equals -t. IOR \
                     does so up to version 3.3, and rejects it since 4.0. Check that this order is meant.",
                    "An option has a new name: {renamed}. Use the new name.",
                    "An option has no effect: {idle}. Remove it."] };
    /// Options of the command line are in a file that is not read.
    OptionsInFile "options-in-file" { file: Text }
        lint NeedsWaiver {
            why: "Options in a file decide what is measured, but the command line does not show them",
            source: "IOR 4.1 (-f)",
            rejected: "a command line of a plan with -f",
            says: &[waivable!("The options in {file} are not read, so it is not known what is moved. Write \
                               them on the command line as -O KEY=VALUE.")] };
    /// Collective calls of MPI-IO have no hint for buffering.
    CbStateUnset "cb-state-unset" {}
        lint NeedsWaiver {
            why: "Collective buffering decides which ranks use the servers; if it is unset, the library \
                  chooses",
            source: "Lockwood, IOR results at NERSC",
            says: &[waivable!("Collective calls of MPI-IO have no hint for buffering, so the MPI library \
                               chooses. Set romio_cb_write and romio_cb_read with --mpiio.hintsFileName.")] };
    /// A metadata rate is measured on a file system in an undeclared state.
    NotAged "not-aged" {}
        lint NeedsWaiver { records_decide: true,
            why: "An empty file system finds free space and directory entries without searching",
            source: "LLNL Purple GPFS acceptance (80 % of the blocks, 20 % of the inodes)",
            less_severe: Some((
                "needs-waiver",
                "as long as only the plan is known: the utilization is known when the file system is checked",
            )),
            says: &[waivable!("A metadata rate is measured on a file system in an unknown state, and an \
                               empty one is faster. Give the test a state with `age` or `preload`.")] };
    /// A state fills a file system without overwriting.
    FillIsNotAge "fill-is-not-age" { options: Text }
        lint NeedsWaiver {
            why: "Sequential filling leaves free space in one piece; fragmentation costs more than \
                  utilization",
            source: "LUG 2017, Kaitschuck; HotStorage 2019, Conway and others",
            says: &[waivable!("The state fills the file system ({options}) but overwrites nothing, so free \
                               space stays in one piece. Add --cycles 1.")] };
    /// Only shared or only separate directories are tested.
    SharedUniquePair "shared-unique-pair" { mentioned: List, directories: Text, other: Text }
        lint NeedsWaiver {
            why: "A shared directory and one per rank are two tests, and servers often do well in only one",
            source: "Blue Waters IO-2017",
            says: &["The clause text mentions {mentioned} directories, but the command line uses \
                     {directories} ones. Check -u, which gives each rank a directory of its own.",
                    waivable!("Files are created only in {directories} directories, and servers differ most \
                               in {other} ones. Add a test with {other} directories.")] };
    /// Files are stat'ed or removed on the node that created them.
    MdSameNode "md-same-node" { nodes: Count }
        lint Info { records_decide: true,
            why: "A stat on the node that created the file is served from that node's cache",
            source: "NERSC-10 benchmark rules",
            says: &["All ranks run on {nodes|node}, so its cache may serve stat and delete. Use several \
                     nodes, or drop caches with --run-cmd-before-phase.",
                    "Every rank stats the files that it created, so the cache of its node may serve them. \
                     Add -N 1, which shifts by one node."] };
    /// A criterion does not name the statistic that is compared.
    StatUnnamed "stat-unnamed" { statistic: Text }
        lint Info {
            why: "Mean, minimum and maximum of ten repetitions differ; without a name, the mean is compared",
            source: "Blue Waters IO-2017",
            less_severe: Some(("info", "because the criterion and the verdict name the statistic")),
            says: &["The clause text mentions an average, but {metric} compares the {statistic} of the \
                     repetitions. Check the statistic.",
                    "{metric} names no statistic of the repetitions, so the mean is compared. To state \
                     this, write stat = \"mean\"."] };
    /// There are fewer repetitions than required, or they share one job.
    RepsShort "reps-short" { mentioned: Count, planned: Count, overwrites: Count, rereads: Count }
        lint NeedsWaiver { records_decide: true,
            why: "Fewer repetitions than required, or all in one job, are weaker evidence",
            source: "Blue Waters IO-2017",
            says: &["The clause text mentions {mentioned|repetition}, but the plan has {planned}. Check \
                     `repetitions`.",
                    waivable!("The {overwrites|repetition} of -i run in one job, and each overwrites the \
                               files of the one before. Start each in a separate job, as a campaign does."),
                    waivable!("The {rereads|repetition} of -i run in one job, and each reads what the one \
                               before has read. Start each in a separate job, as a campaign does.")] };
    /// A series over servers has no valid base for the comparison.
    LinearityBase "linearity-base" { step: Text, nodes_per_server: Number, before: Text,
        nodes_per_server_before: Number, servers: Count, available: Count, nodes: Count, first_step: Text }
        lint Error {
            why: "Scaling is compared with one server, with counted servers and enough clients",
            source: "Blue Waters IO-2017",
            says: &["Step {step} has {nodes_per_server} client nodes per server, but step {before} has \
                     {nodes_per_server_before}, so the clients may limit it. Give every step the same \
                     number of client nodes per server.",
                    "Step {step} has {servers|server}, but the file system has {available}[ (the step has \
                     {nodes|client node})]. State how many servers work at this step.",
                    "Step {step} has {servers|server} and {nodes|client node}, so one number may be taken \
                     for the other. Check the step, and set `servers` of the file system.",
                    "The first step, {first_step}, is not a single server, so the rate of one server is not \
                     known. Begin with one server.",
                    "The servers at work are requested, but not counted. Set `count_servers` of the file \
                     system."] };
    /// The clause text mentions an optimum or steps that the plan does not define.
    OptimalUndefined "optimal-undefined" { key: Text }
        lint Info {
            why: "A share of an undefined optimum, at undefined steps, cannot be evaluated",
            source: "Blue Waters IO-2017 (50 % of optimal at every step)",
            says: &["The clause text mentions an optimum or steps, but the plan has no `{key}` for them. \
                     Check what the clause compares with."] };
    /// A clause text states a requirement, but nothing is compared.
    ThresholdMissing "threshold-missing" {}
        lint Info {
            why: "A clause with a requirement needs a number to get a verdict",
            source: "Lockwood, IOR results at NERSC (no threshold is published)",
            rejected: "a contract test without a criterion",
            says: &["The clause text states a requirement, but the test has no criterion. Add one with the \
                     contract's number, if it has one."] };
    /// The value of a criterion alone decides, so its verdict has no confidence.
    AsWritten "as-written" { metrics: List }
        lint Info {
            why: "A value without a confidence can meet its threshold by chance",
            source: "this program: a contract that asks for the mean of five runs and nothing else",
            says: &["The value of {metrics} alone decides, as written in the contract. Its verdict has no \
                     confidence: a system just below the threshold passes in about half of all campaigns."] };
    /// No criterion belongs to the clause of the contract.
    ClauseUntested "clause-untested" { clause: Text }
        says ["No criterion of the plan belongs to this clause, so nothing was measured for it."]
        remedy ["Name the clause in a criterion of the plan."]
        lint Info {
            why: "A clause that the plan does not test stays NOT RUN",
            source: "this program: a contract of twelve clauses, of which a plan tests three",
            says: &["No criterion of the plan belongs to clause {clause}, so it will be NOT RUN. Name it in \
                     a criterion."] };
    /// A text cites a table that the report does not have.
    TableLabel "table-label" { label: Text, tables: List }
        lint Info {
            why: "A table cited by a number that the report does not use gets filled in wrongly",
            source: "Blue Waters IO-2017 (results in Table 4, which is Table 3)",
            says: &["A text cites {label}, but the report has the tables {tables}. Refer to the table by \
                     its content."] };
    /// Written data is not compared, or is compared within the measured time.
    UncheckedData "unchecked-data" { option: Text }
        lint NeedsWaiver {
            why: "Data that is never read back may be wrong",
            source: "LLNL Purple GPFS acceptance (all tests with data checking)",
            less_severe: Some((
                "needs-waiver",
                "in both cases: the data may be compared by other means. Wrong data that is found is never a \
                 PASS",
            )),
            says: &[waivable!("{option} compares every word within the measured time, so the rate includes \
                               the client's comparison. Measure with -r, and compare in a separate test."),
                    waivable!("The data that is written here is never read back and compared. Add a test \
                               with -R that `uses` it, or set `verify`.")] };
    /// The file system reduces data, and the written data repeats.
    Compressible "compressible" { kind: Text }
        lint NeedsWaiver {
            why: "A store that reduces data writes fewer bytes than are counted",
            source: "IO500 rules",
            says: &[waivable!("The file system[ ({kind})] reduces data, and the command line writes data \
                               that repeats. Write random data with -l random.")] };
    /// Nodes have fewer ranks than cores.
    NotPacked "not-packed" { cores: Count, ranks: Count }
        lint NeedsWaiver {
            why: "Nodes with idle cores show less contention than applications meet",
            source: "Blue Waters IO-2017",
            says: &[waivable!("A node with {cores|core} has {ranks|rank}. Start {cores} ranks on each node, \
                               or name the clause that asks for fewer.")] };
    /// A criterion always passes, always fails, or is reversed.
    DeadCriterion "dead-criterion" { op: Text, value: Text, certain: Text, meant: Text }
        lint Error {
            why: "A criterion that cannot fail, or cannot be met, decides nothing",
            source: "public benchmark suites whose conditions match anything",
            rejected: "a metric that the command line does not yield",
            less_severe: Some((
                "needs-waiver",
                "if a rate has an upper limit, or a latency or error count a lower limit: that may be \
                 intended",
            )),
            says: &["{metric} {op} {value} is {certain} for every measured value. Write the number of the \
                     contract.",
                    waivable!("{metric} {op} {value} is met more easily by worse values. If this is not \
                               meant, write {meant}.")] };
    /// The threshold of a criterion is not in the text of its clause.
    ClauseNumber "clause-number" { value: Text, clause_values: List }
        lint NeedsWaiver {
            why: "A verdict on another number than that of the clause decides another contract",
            source: "this program: a criterion of 9 GB/s for a clause of 900 GB/s",
            less_severe: Some(("info", "if the clause text has no number with a unit of the criterion")),
            says: &[waivable!("{metric} is compared with {value}, but the text of the clause has \
                               {clause_values}. Write the number of the clause."),
                    "{metric} is compared with {value}, which the text of the clause does not have. Add the \
                     number to the clause."] };
    /// The confidence level of a verdict is below 90 %.
    LowConfidence "low-confidence" { confidence: Share, least: Share }
        lint NeedsWaiver {
            why: "At 50 %, every second system at the threshold passes and every second fails",
            source: "GUM, Guide to the expression of uncertainty in measurement (95 % by convention)",
            says: &[waivable!("The confidence level is {confidence}. Below {least}, chance decides too many \
                               verdicts. Remove the key, or write 0.95.")] };
    /// The largest permitted coefficient of variation is above 50 %.
    HighCovMax "high-cov-max" { cov_max: Share, limit: Share }
        lint NeedsWaiver {
            why: "Repetitions that differ by half of their mean describe no rate",
            source: "this program: a `cov_max` that no measurement exceeds",
            says: &[waivable!("cov_max is {cov_max}. Above {limit}, repetitions describe no rate. Write a \
                               smaller share.")] };
    /// Units of powers of 1000 and of 1024 are mixed.
    Units "units" { clause_units: Text, value: Text, value_units: Text, decimal: Text, other: Text,
        binary: Text }
        lint Info {
            why: "Powers of 1000 and of 1024 differ by 10 % at the prefix T",
            source: "Blue Waters IO-2017 (TB/s required, MiB/s printed)",
            rejected: "a number without a unit",
            less_severe: Some((
                "info",
                "because values are compared in base units, and only readers can confuse them",
            )),
            says: &["The clause text has {clause_units} units, but {metric} is compared with {value}, which \
                     is {value_units}. At a T they differ by 10 %. Write the unit of the clause.",
                    "The plan compares with {decimal}[ in {other}] (powers of 1000) and here with {binary} \
                     (powers of 1024). Write all values in the family of units of the contract."] };
}
