//! Whether what an external program printed about its run agrees with the plan and with the job.
//!
//! Such a program is not a part of assay, and its numbers are its own. Only contradictions can be found.
//!
//! Never here: contradictions that a person may explain, and the metrics themselves.

use std::path::{Component, Path};

use plan::Placement;
use plan::app::App;
use plan::launcher::LaunchKind;
use results::folder::Job;
use results::reason::{Datum, Reason, any, reason};
use results::record::{self, Reported};

use crate::case::TestCriterion;

/// Printed numbers are rounded. Within this share they are the same.
const ROUNDED: f64 = 0.02;
/// The clock of a program may differ from that of the campaign by this share and these seconds.
const CLOCKS: (f64, f64) = (0.01, 0.1);

/// The first contradiction in the output of a job of an external program.
pub(super) fn consistent(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let Some(app) = case.test.line.as_app() else { return Ok(()) };
    let placement = case.index.placed(case.test);
    let local = case.index.plan.launch_of(case.test).kind == LaunchKind::Local;
    for job in case.jobs() {
        let found = in_time(job).or_else(|| {
            let facts = reported(job)?;
            let checks = [
                placed(facts, placement, local),
                started(facts, app),
                in_place(facts),
                geometry(facts, app),
                fast(facts, app),
            ];
            checks.into_iter().flatten().next().or_else(|| metric(case, job, facts))
        });
        found.map_or(Ok(()), |reason| Err(reason.with(any::repetition, job.info.repetition)))?;
    }
    Ok(())
}

/// What the program of a job printed about its run.
pub(crate) fn reported(job: &Job) -> Option<&Reported> {
    record::reported(&job.records).next()
}

/// Seconds that are longer than the job.
fn in_time(job: &Job) -> Option<Reason> {
    let values = record::values(&job.records).filter(|value| value.unit == "s").map(|value| value.value);
    let claimed = values.chain(reported(job).and_then(|facts| facts.seconds)).fold(0.0, f64::max);
    let wall = job.info.seconds;
    (claimed > wall * (1.0 + CLOCKS.0) + CLOCKS.1).then(|| reason!(ReportedTime { claimed, wall }))
}

fn differs(what: &str, found: impl Into<Datum>, planned: impl Into<Datum>) -> Reason {
    reason!(ReportedDiffers { what, found: found.into(), planned: planned.into() })
}

/// Other numbers of processes or nodes than planned. For `local` processes nodes do not matter.
fn placed(facts: &Reported, planned: &Placement, local: bool) -> Option<Reason> {
    let number = |what, found: Option<u64>, planned: Option<u32>| {
        let planned = planned.map(u64::from)?;
        found.filter(|found| *found != planned).map(|found| differs(what, found, planned))
    };
    let nodes = planned.nodes.filter(|_| !local);
    number("processes", facts.tasks, Some(planned.ranks))
        .or_else(|| number("nodes", facts.nodes, nodes))
        .or_else(|| number("processes per node", facts.tasks_per_node, planned.ppn.filter(|_| !local)))
}

/// Other arguments than planned, if the program itself is the first word of the plan.
fn started(facts: &Reported, app: &App) -> Option<Reason> {
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let (printed, planned) = (facts.argv.first()?, app.words.first()?);
    let is_itself = planned == "{assay}" || name(printed) == name(planned);
    let planned: Vec<String> = app.words[1..].iter().map(|word| word.replace("{dir}", &facts.dir)).collect();
    let (planned, printed) = (planned.join(" "), facts.argv[1..].join(" "));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    (is_itself && words(&planned) != words(&printed))
        .then(|| reason!(CommandDiffers { received: printed, planned }))
}

/// Files outside the directory of the job.
fn in_place(facts: &Reported) -> Option<Reason> {
    let is_below = |path: &String| {
        let path = Path::new(path);
        path.starts_with(&facts.dir) && !path.components().any(|part| part == Component::ParentDir)
    };
    let outside = facts.paths.iter().find(|path| !is_below(path))?;
    Some(differs("files", outside.as_str(), facts.dir.as_str()))
}

/// Sizes that contradict each other or the command line.
fn geometry(facts: &Reported, app: &App) -> Option<Reason> {
    let other = |what, found: Option<f64>, wanted: Option<f64>| {
        let (found, wanted) = (found?, wanted?);
        let is_same = (found - wanted).abs() <= ROUNDED * wanted;
        (!is_same).then(|| differs(what, Datum::bytes(found), Datum::bytes(wanted)))
    };
    let blocks = facts.tasks.zip(facts.segments).map(|(tasks, segments)| tasks as f64 * segments as f64);
    let total = blocks.zip(facts.block_bytes).map(|(blocks, bytes)| blocks * bytes);
    let line = app.ior_line(facts).filter(|line| line.parsed.script.is_none());
    let line = line.as_ref();
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64);
    other("total size", facts.total_bytes, total)
        .or_else(|| other("block size", facts.block_bytes, bytes(line?.block_bytes())))
        .or_else(|| other("transfer size", facts.transfer_bytes, bytes(line?.transfer_bytes())))
        .or_else(|| {
            let (found, wanted) = (facts.segments?, line?.segment_count()?);
            (found != wanted).then(|| differs("segments", found, wanted))
        })
        .or_else(|| {
            let (found, wanted) = (facts.file_per_task?, line?.file_per_rank);
            let word = |each: bool| if each { "one for each process" } else { "one for all processes" };
            (found != wanted).then(|| differs("number of files", word(found), word(wanted)))
        })
}

/// A rate above that of all bytes in the time of its phase.
fn fast(facts: &Reported, app: &App) -> Option<Reason> {
    let again =
        app.ior_line(facts).is_some_and(|line| line.has_minimum_time() || line.parsed.script.is_some());
    let total = facts.total_bytes.filter(|_| !again)?;
    let is_faster = |rate: f64, seconds: f64| rate * seconds > total * (1.0 + ROUNDED);
    let phase = facts.phases.iter().find(|phase| is_faster(phase.rate, phase.seconds))?;
    Some(reason!(ReportedRate { phase: &phase.phase, rate: phase.rate, time: phase.seconds, total }))
}

/// A rate of the verdict above all rates of its phase in the same output. Rates of operations are means
/// there.
fn metric(case: &TestCriterion<'_>, job: &Job, facts: &Reported) -> Option<Reason> {
    let wanted = case.phase();
    let rates = facts.phases.iter().filter(|phase| phase.phase == wanted && case.metric() == "bw");
    let best = rates.map(|phase| phase.rate).reduce(f64::max)?;
    let value = case.printed(job)?;
    (value > best * (1.0 + ROUNDED)).then(|| reason!(ReportedRate { phase: wanted, rate: value, best }))
}
