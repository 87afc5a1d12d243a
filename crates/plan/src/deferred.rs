//! The parts of a job that are known only after other jobs: imported values, and a searched placement.
//!
//! Invariant: pure. The same records give the same arguments, also when a campaign is resumed.
//! Never here: directories, processes.

use std::borrow::Cow;

use results::folder::{Campaign, Job, JobEnd};
use results::reason::{Code, Reason, reason};
use results::record::{self, Record};
use results::statistics::{self, Interval, ratio_interval};

use crate::dataset_check::unfit_for;
use crate::model::{Plan, Search, Test};
use crate::placement::Placement;
use crate::schedule::{PlannedJob, Purpose};

/// Gives the records of a repetition of a test.
pub type RecordsOf<'r> = &'r dyn Fn(&str, u32) -> Cow<'r, [Record]>;

/// The records of a job with this end, as this module reads them. A job that was killed after its last record
/// loses its end record, because the whole job must end well.
pub fn recorded<'r>(end: Option<&JobEnd>, records: impl Into<Cow<'r, [Record]>>) -> Cow<'r, [Record]> {
    let (mut records, is_end) = (records.into(), |record: &Record| matches!(record, Record::End(_)));
    if end != Some(&JobEnd::Exit(0)) && records.iter().any(is_end) {
        records.to_mut().retain(|record| !is_end(record));
    }
    records
}

/// The reason why a job was left out although its dependencies ended well, if there is one.
///
/// Its dataset is not fit for it, a search ended before it, or an import is unknown.
pub fn left_out(plan: &Plan, campaign: &Campaign, job: &PlannedJob) -> Option<Reason> {
    let records = |test: &str, repetition: u32| {
        let of = |job: &&Job| job.info.test == test && job.info.repetition == repetition;
        let found = campaign.jobs.iter().find(of);
        found.map(|job| recorded(Some(&job.info.end), &job.records)).unwrap_or_default()
    };
    unfit_for(plan, campaign, job)
        .or_else(|| unneeded(plan, job, &records))
        .or_else(|| bind(plan, &mut job.clone(), &records).err())
}

/// Inserts the exports of earlier jobs into the arguments of `job`. The error names the missing one.
pub fn bind(plan: &Plan, job: &mut PlannedJob, records: RecordsOf<'_>) -> Result<(), Reason> {
    let Purpose::Test(index) = job.purpose else { return Ok(()) };
    if let Some(search) = &plan.tests[index].search {
        let found = find(plan, search, records);
        let best = found.best.ok_or_else(|| found.why.clone())?;
        job.placement = plan.tests[search.steps[best]].placement.clone();
    }
    for import in &plan.tests[index].imports {
        let maker = &plan.tests[import.test];
        let repetition = plan.maker_repetition(&plan.tests[index], job.repetition, maker);
        let smallest = smallest_file(maker, &records(&maker.id, repetition));
        let Some(bytes) = smallest.filter(|bytes| *bytes > 0) else {
            return Err(reason!(ImportMissing { name: &import.name, test: &maker.id, repetition }));
        };
        let mark = format!("${{{}}}", import.name);
        for word in &mut job.words {
            *word = word.replace(&mark, &bytes.to_string());
        }
    }
    Ok(())
}

/// The reason why `job` need not run, if it belongs to a search that has already ended.
pub fn unneeded(plan: &Plan, job: &PlannedJob, records: RecordsOf<'_>) -> Option<Reason> {
    let Purpose::Test(index) = job.purpose else { return None };
    let searches = plan.tests.iter().filter_map(|test| test.search.as_ref());
    searches.into_iter().find_map(|search| {
        let place = search.steps.iter().position(|step| *step == index)?;
        let found = find(plan, search, records);
        found.ended.is_some_and(|ended| ended < place).then_some(found.why)
    })
}

/// The placement with which a test ran. A test with a search runs where its search decided.
pub fn placed<'p>(plan: &'p Plan, test: &'p Test, records: RecordsOf<'_>) -> &'p Placement {
    let best = test.search.as_ref().and_then(|search| Some(search.steps[find(plan, search, records).best?]));
    best.map_or(&test.placement, |step| &plan.tests[step].placement)
}

/// The optimum that a search found, or the reason why it is unknown. It is also unknown if the largest number
/// of nodes still gained, or if a step neither clearly gained nor clearly did not.
pub fn searched(plan: &Plan, search: &Search, records: RecordsOf<'_>) -> Result<Reason, Reason> {
    let why = find(plan, search, records).why;
    if why.code == Code::SearchOptimum { Ok(why) } else { Err(why) }
}

/// The progress of a search.
struct SearchProgress {
    /// The best step: the last one that clearly gained, or a later one with a higher mean that may have.
    best: Option<usize>,
    /// The step that clearly gained too little, or the last one; `None` while the search continues.
    ended: Option<usize>,
    /// Its result, or the reason why it has none.
    why: Reason,
}

fn find(plan: &Plan, search: &Search, records: RecordsOf<'_>) -> SearchProgress {
    let nodes = |step: usize| plan.tests[search.steps[step]].placement.nodes.unwrap_or(0);
    let last = search.steps.len() - 1;
    // Any comparison may be wrong, so each has a part of the error (Bonferroni).
    let confidence = plan.tests[search.steps[0]].decide.confidence_at(1);
    let confidence = 1.0 - (1.0 - confidence) / last.max(1) as f64;
    let (mut best, mut unclear): (Option<(usize, Vec<f64>)>, Option<Reason>) = (None, None);
    for (step, test) in search.steps.iter().enumerate() {
        let values = match step_values(&plan.tests[*test], search, records) {
            Ok(values) => values,
            Err(why) => return SearchProgress { best: None, ended: None, why },
        };
        let Some((at, before)) = &best else {
            best = Some((step, values));
            continue;
        };
        let ratio = ratio_interval(&values, before, confidence);
        let least = 1.0 + search.gain;
        let mean = |values: &[f64]| statistics::mean(values).unwrap_or(0.0);
        let gain = mean(&values) / mean(before);
        if ratio.is_some_and(|ratio| ratio.high < least) {
            let nodes_at_best = nodes(*at);
            let why = match unclear {
                Some(unclear) => reason!(SearchUnclear { nodes: nodes_at_best, ..unclear }),
                None => reason!(SearchOptimum {
                    nodes: nodes_at_best,
                    more_nodes: nodes(step),
                    metric: &search.metric,
                    gain: gain - 1.0,
                    gain_min: search.gain,
                    confidence
                }),
            };
            return SearchProgress { best: Some(*at), ended: Some(step), why };
        }
        if ratio.is_none_or(|ratio| ratio.low < least) {
            unclear.get_or_insert_with(|| {
                let of = |end: fn(Interval) -> f64| ratio.map(end).filter(|end| end.is_finite());
                reason!(SearchUnclear {
                    metric: &search.metric,
                    more_nodes: nodes(step),
                    fewer_nodes: nodes(*at),
                    gain_min: search.gain,
                    n: values.len(),
                    confidence,
                    ratio_low: of(|ratio| ratio.low),
                    ratio_high: of(|ratio| ratio.high),
                    ..
                })
            });
        }
        if gain > 1.0 {
            best = Some((step, values));
        }
    }
    let best = best.map_or(last, |(best, _)| best);
    let why = match unclear {
        Some(unclear) => reason!(SearchUnclear { nodes: nodes(best), ..unclear }),
        None => reason!(SearchOpen { nodes: nodes(last) }),
    };
    SearchProgress { best: Some(best), ended: Some(last), why }
}

/// The values of all repetitions of a step, or why they are not known.
fn step_values(test: &Test, search: &Search, records: RecordsOf<'_>) -> Result<Vec<f64>, Reason> {
    let value = |repetition| {
        let recorded = records(&test.id, repetition);
        let value = measured(&recorded, &search.metric).filter(|_| ended_well(&recorded));
        value.ok_or_else(|| {
            let code = match recorded.is_empty() || ended_well(&recorded) {
                true => Code::SearchValueMissing,
                false => Code::SearchStepFailed,
            };
            reason!(SearchStepFailed { test: &test.id, metric: &search.metric, ..Reason::new(code) })
        })
    };
    (1..=test.repetitions).map(value).collect()
}

/// Whether the records are those of a job that ended successfully.
fn ended_well(records: &[Record]) -> bool {
    matches!(records.last(), Some(Record::End(end)) if end.exit == 0)
}

/// The value of `PHASE.NAME` in the records, the mean of several.
fn measured(records: &[Record], metric: &str) -> Option<f64> {
    let (wanted, name) = metric.split_once('.')?;
    let values: Vec<f64> = records
        .iter()
        .filter_map(|record| match record {
            Record::Phase(phase) if phase.phase == wanted => phase.metric(name).map(|metric| metric.value),
            Record::Value(value) if value.name == metric => Some(value.value),
            _ => None,
        })
        .collect();
    statistics::mean(&values).filter(|mean| *mean > 0.0)
}

/// Bytes of the smallest file that a job left, in whole transfers. Readers do not read parts of transfers.
fn smallest_file(maker: &Test, records: &[Record]) -> Option<u64> {
    let transfer = maker.line.as_ior().map_or(1, |line| line.transfer).max(1);
    let written = record::phases(records).filter(|phase| phase.phase == "write");
    let smallest = written.filter_map(|phase| phase.smallest_file_bytes).min();
    smallest.map(|bytes| bytes / transfer * transfer)
}

#[cfg(test)]
mod tests {
    use results::reason::row;

    use results::record::{End, Phase, Spans};

    use super::*;
    use crate::schedule;

    const PLAN: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}", servers = 3, set_servers = "on {servers}", count_servers = "count" }
[[series]]
id = "S"
over = "servers"
steps = ["1/3", "3/3"]
[[series.phases]]
id = "w"
ior = "-w -k -F -D 5 -t 4m -b 4096g"
role = "reported"
exports = { SMALLEST = "min(file.size)" }
[[series.phases]]
id = "r"
ior = "-r -k -F -D 5 -t 4m -b ${SMALLEST}"
role = "reported"
uses = "w"
"#;

    /// Searches 2, 4, 8 and 16 nodes, then runs three times on the best number.
    const SEARCH: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
[[test]]
id = "T"
repetitions = 3
ior = "-w -F"
nodes = { search = [2, 4, 8, 16], gain = "3 %" }
criterion = { metric = "write.bw", op = ">=", value = "1 GB/s" }
"#;

    /// The rate of a job that was killed after its phase.
    const KILLED: &u64 = &1_000_000;

    /// A search over 2, 4, 8 and 16 nodes with these rates. Returns its result, the test's number of nodes,
    /// and the unneeded steps.
    fn search(rates: &[u64]) -> (Result<Reason, Reason>, Option<u32>, Vec<String>) {
        search_of(&rates.iter().map(|rate| [*rate; 3]).collect::<Vec<_>>())
    }

    /// The same with the rate of each repetition.
    fn search_of(rates: &[[u64; 3]]) -> (Result<Reason, Reason>, Option<u32>, Vec<String>) {
        let plan = Plan::parse(SEARCH, "p.toml").unwrap();
        let jobs = schedule::jobs(&plan, &[]).unwrap();
        let ids: Vec<&str> = jobs.iter().map(|job| job.test.as_str()).collect();
        let thrice = |id| [id; 3];
        assert_eq!(ids, ["T.n2", "T.n4", "T.n8", "T.n16", "T"].map(thrice).concat());
        assert!(plan.tests[..4].iter().all(|test| test.criteria.is_empty()));
        let records = |test: &str, repetition: u32| {
            let step = ["T.n2", "T.n4", "T.n8", "T.n16"].iter().position(|id| *id == test).unwrap();
            let spans = Spans { total_s: 1.0, ..Default::default() };
            let phase =
                |bytes: &u64| Phase { phase: "write".into(), bytes: *bytes, spans, ..Phase::default() };
            let all = |bytes: &u64| vec![Record::Phase(Box::new(phase(bytes))), Record::End(End::default())];
            let killed = |bytes: &u64| vec![Record::Phase(Box::new(phase(bytes)))];
            let found: Vec<Record> = match rates.get(step).map(|rates| &rates[repetition as usize - 1]) {
                Some(KILLED) => killed(KILLED),
                rate => rate.map(all).unwrap_or_default(),
            };
            Cow::Owned(found)
        };
        let mut job = jobs[12].clone();
        let bound = bind(&plan, &mut job, &records);
        let first = jobs.iter().filter(|job| job.repetition == 1);
        let unneeded = first.filter(|job| unneeded(&plan, job, &records).is_some());
        let why = searched(&plan, plan.tests[4].search.as_ref().unwrap(), &records);
        let nodes = bound.ok().and(job.placement.nodes);
        (why, nodes, unneeded.map(|job| job.test.clone()).collect())
    }

    #[test]
    fn a_search_ends_when_more_nodes_gain_too_little() {
        let (why, nodes, unneeded) = search(&[100, 190, 192]);
        assert_eq!((nodes, unneeded), (Some(4), vec!["T.n16".to_owned()]));
        let found = why.unwrap();
        let of = |field| found.get(field);
        let steps = (of(row::SearchOptimum::nodes), of(row::SearchOptimum::more_nodes));
        assert_eq!((found.code, steps), (Code::SearchOptimum, (Some(4.0), Some(8.0))));
        assert_eq!(search(&[100, 90]).1, Some(2), "a loss does not gain");
        let (why, nodes, unneeded) = search(&[100, 200, 400, 800]);
        assert_eq!((nodes, unneeded), (Some(16), vec![]));
        assert_eq!(why, Err(reason!(SearchOpen { nodes: 16_u32 })), "more nodes may reach a higher rate");
        let (why, nodes, _) = search(&[100, 200]);
        assert_eq!(nodes, None);
        let of = |code, test: &str| {
            Err(reason!(SearchValueMissing { test, metric: "write.bw", ..Reason::new(code) }))
        };
        assert_eq!(why, of(Code::SearchValueMissing, "T.n8"));
        let (why, nodes, _) = search(&[*KILLED, 200, 400, 800]);
        assert_eq!((nodes, why), (None, of(Code::SearchStepFailed, "T.n2")));
    }

    #[test]
    fn a_step_that_neither_clearly_gained_nor_clearly_did_not_leaves_the_optimum_unknown() {
        let (why, nodes, unneeded) = search_of(&[[99, 100, 101], [95, 105, 112], [60, 61, 62]]);
        let why = why.unwrap_err();
        let steps = [row::SearchUnclear::nodes, row::SearchUnclear::more_nodes].map(|field| why.get(field));
        assert_eq!((why.code, steps), (Code::SearchUnclear, [Some(4.0), Some(4.0)]));
        assert!(why.get(row::SearchUnclear::ratio_low) < Some(1.03), "{why}");
        assert!(why.get(row::SearchUnclear::ratio_high) > Some(1.03), "{why}");
        assert_eq!((nodes, unneeded), (Some(4), vec!["T.n16".to_owned()]), "a clear loss ends it");
        let (why, nodes, unneeded) = search_of(&[[100; 3], [95, 105, 94], [90, 100, 110], [95, 105, 97]]);
        assert_eq!((why.unwrap_err().code, nodes), (Code::SearchUnclear, Some(2)), "the highest mean");
        assert_eq!(unneeded, Vec::<String>::new(), "noise does not end a search");
    }

    #[test]
    fn a_job_that_was_killed_after_its_last_record_did_not_end_well() {
        let all = || vec![Record::Phase(Box::default()), Record::End(End::default())];
        assert!(ended_well(&recorded(Some(&JobEnd::Exit(0)), all())));
        for end in [Some(JobEnd::Signal(9)), Some(JobEnd::TimedOut), Some(JobEnd::Exit(137)), None] {
            let left = recorded(end.as_ref(), all());
            assert_eq!((left.len(), ended_well(&left)), (1, false), "{end:?}");
        }
    }

    #[test]
    fn a_reader_gets_the_size_of_the_smallest_file_in_whole_transfers() {
        let plan = Plan::parse(PLAN, "p.toml").unwrap();
        let jobs = schedule::jobs(&plan, &[]).unwrap();
        let job = jobs.iter().find(|job| job.test == "S.s3.r").unwrap();
        assert!(job.words.contains(&"${SMALLEST}".to_owned()), "{:?}", job.words);
        let phase = Phase {
            phase: "write".into(),
            smallest_file_bytes: Some(14_763_950_080 + 5),
            ..Phase::default()
        };
        let records = |test: &str, repetition: u32| {
            assert_eq!((test, repetition), ("S.s3.w", 1));
            vec![Record::Phase(Box::new(phase.clone()))].into()
        };
        let mut bound = job.clone();
        bind(&plan, &mut bound, &records).unwrap();
        assert!(bound.words.join(" ").contains("-t 4m -b 14763950080 "), "{:?}", bound.words);
        let why = bind(&plan, &mut job.clone(), &|_, _| Vec::new().into()).unwrap_err();
        assert_eq!((why.code, why.get(row::ImportMissing::test)), (Code::ImportMissing, Some("S.s3.w")));
    }
    #[test]
    fn only_steps_after_the_end_of_a_search_were_left_out() {
        let plan = Plan::parse(SEARCH, "p.toml").unwrap();
        let spans = Spans { total_s: 1.0, ..Spans::default() };
        let mut campaign = Campaign::default();
        let steps = [("T.n2", 100), ("T.n4", 190), ("T.n8", 192)];
        for ((test, bytes), repetition) in steps.into_iter().flat_map(|step| [1, 2, 3].map(|at| (step, at))) {
            let phase = Phase { phase: "write".into(), bytes, spans, ..Phase::default() };
            let records = vec![Record::Phase(Box::new(phase)), Record::End(End::default())];
            let mut job = Job { records, ..Job::default() };
            (job.info.test, job.info.repetition) = (test.to_owned(), repetition);
            job.info.end = JobEnd::Exit(0);
            campaign.jobs.push(job);
        }
        let jobs = schedule::jobs(&plan, &[]).unwrap();
        let out: Vec<&str> = jobs
            .iter()
            .filter(|job| left_out(&plan, &campaign, job).is_some())
            .map(|job| job.test.as_str())
            .collect();
        assert_eq!(out, ["T.n16"; 3]);
        campaign.jobs[8].info.end = JobEnd::Signal(9);
        let why = left_out(&plan, &campaign, &jobs[9]);
        assert_eq!(why, None, "a killed step does not end a search");
        let why = left_out(&plan, &campaign, &jobs[12]).unwrap();
        assert_eq!(
            (why.code, why.get(row::SearchStepFailed::test)),
            (results::Code::SearchStepFailed, Some("T.n8"))
        );
    }
}
