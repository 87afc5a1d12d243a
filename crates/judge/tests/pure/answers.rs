//! Answer sheets: the values of their cells, and what leaves a cell without one.

use plan::Plan;
use results::Outcome;
use results::answers::{AnswerLine, AnswerSheet, AnsweredCell, AnsweredValue};
use results::finding::{Finding, Severity};
use results::folder::Campaign;
use results::reason::{Code, reason};

use super::{Parsed, campaign, job, phase, verdicts_of};

/// A write test and a read test with three repetitions, and a sheet over both.
fn sheet_plan(keys: &str, runs: &str) -> Plan {
    let test = |id: &str, line: &str, phase: &str| {
        let criterion = format!("{{ metric = \"{phase}.bw\", op = \">=\", value = \"1 kB/s\" }}");
        format!("[[test]]\nid = \"{id}\"\nrepetitions = 3\nior = \"{line}\"\n{keys}criterion = {criterion}\n")
    };
    let tests = test("W", "-w -e -k", "write") + &test("R", "-r -k -C", "read") + "uses = \"W\"\n";
    let keys = keys.replace("write.bw", "W.write.bw");
    let tests = tests.replacen(
        "ior = \"-r -k -C\"\nbest_of = \"write.bw\"\n",
        &format!("ior = \"-r -k -C\"\n{keys}"),
        1,
    );
    format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n{tests}\
         [[score]]\nid = \"SUM\"\nof = [\"W.write.bw\", \"R.read.bw\"]\nformula = \"sum\"\n\
         [[answer]]\nid = \"pair\"\ntitle = \"one run\"\nlabels = [\"Load\"]\n{runs}\
         columns = [\n{{ title = \"Ranks\", fact = \"ranks\" }},\n\
         {{ title = \"Write\", metric = \"write.bw\", unit = \"kB/s\" }},\n\
         {{ title = \"Read\", metric = \"read.bw\", unit = \"kB/s\" }},\n]\n\
         rows = [{{ labels = [\"1\"], of = [\"W\", \"R\"] }}]\n\
         [[answer]]\nid = \"sum\"\ntitle = \"score\"\nlabels = [\"Score\"]\n\
         columns = [{{ title = \"Value\" }}]\n\
         rows = [{{ labels = [\"a\"], of = [\"SUM\"], metric = \"score\", unit = \"KiB/s\" }}]\n"
    )
    .parsed()
}

const BEST: &str = "best_of = \"write.bw\"\n";

/// The rates of W and of R in three repetitions.
fn measured(write: [u64; 3], read: [u64; 3]) -> Campaign {
    let all = |id: &'static str, name: &'static str, rates: [u64; 3]| {
        (1..).zip(rates).map(move |(repetition, rate)| job(id, repetition, phase(name, rate)))
    };
    campaign(all("W", "write", write).chain(all("R", "read", read)).collect())
}

fn sheets(plan: &Plan, campaign: &Campaign) -> Vec<AnswerSheet> {
    judge::answers(plan, campaign)
}

fn values(line: &AnswerLine) -> Vec<&AnsweredValue> {
    let values = line.cells.iter().filter_map(|cell| match cell {
        AnsweredCell::Value(value) => Some(&**value),
        AnsweredCell::Fact(_) => None,
    });
    values.collect()
}

/// The repetition and the value of each value cell.
fn numbers(line: &AnswerLine) -> Vec<(Option<usize>, Option<f64>)> {
    values(line).into_iter().map(|value| (value.repetition, value.value)).collect()
}

#[test]
fn a_line_has_the_values_of_the_best_repetition_or_the_statistic_of_all() {
    let runs = measured([90, 110, 80], [120, 95, 130]);
    let plan = sheet_plan(BEST, "");
    let [pair, sum] = &sheets(&plan, &runs)[..] else { panic!("two sheets") };
    assert_eq!(numbers(&pair.lines[0]), [(Some(2), Some(110.0)), (Some(2), Some(95.0))]);
    assert_eq!(pair.lines[0].cells[0], AnsweredCell::Fact("1".to_owned()));
    assert_eq!(values(&pair.lines[0])[1].jobs, ["jobs/0002-R-r2"], "only the job of this repetition");
    assert_eq!((values(&pair.lines[0])[0].unit_value, pair.columns[1].1.as_str()), (1000.0, "kB/s"));
    assert_eq!(values(&sum.lines[0])[0].value, Some(205.0), "the score of that repetition");
    let verdicts = verdicts_of(&plan, &runs);
    let of_verdicts: Vec<_> = verdicts.iter().map(|verdict| verdict.value).collect();
    assert_eq!(of_verdicts, [Some(110.0), Some(95.0)], "the report has the same values");
    assert!(verdicts.iter().all(|verdict| verdict.outcome == Outcome::Fail), "and the threshold is not met");
    let mean = sheets(&sheet_plan("", ""), &runs);
    let shown = values(&mean[0].lines[0]);
    assert_eq!((shown[1].value, shown[1].statistic.as_str(), shown[1].repetitions), (Some(115.0), "mean", 3));
    assert_eq!(shown[1].jobs.len(), 3);
}

#[test]
fn both_runs_are_lines_if_the_maxima_are_in_two_and_all_runs_if_the_sheet_wants_all() {
    let runs = measured([90, 110, 80], [120, 95, 130]);
    let maxima = sheets(&sheet_plan("", "runs = \"maxima\"\n"), &runs);
    let lines: Vec<_> = maxima[0].lines.iter().map(numbers).collect();
    assert_eq!(
        lines,
        [[(Some(2), Some(110.0)), (Some(2), Some(95.0))], [(Some(3), Some(80.0)), (Some(3), Some(130.0))]]
    );
    let is_maximum: Vec<_> = maxima[0].lines.iter().flat_map(values).map(|value| value.is_maximum).collect();
    assert_eq!(is_maximum, [true, false, false, true], "each line states which of its values is one");
    let same = sheets(&sheet_plan("", "runs = \"maxima\"\n"), &measured([90, 110, 80], [90, 120, 110]));
    assert_eq!(same[0].lines.len(), 1, "both maxima are in one run");
    let all = sheets(&sheet_plan("", "runs = \"all\"\n"), &runs);
    let reads: Vec<_> = all[0].lines.iter().map(|line| numbers(line)[1].1.unwrap()).collect();
    assert_eq!(reads, [120.0, 95.0, 130.0]);
}

#[test]
fn a_cell_whose_measurement_cannot_be_used_has_no_value_but_the_outcome_and_its_reason() {
    let runs = measured([90, 110, 80], [120, 95, 130]);
    let outcomes = |runs: &Campaign, keys: &str| {
        let all = sheets(&sheet_plan("", keys), runs);
        assert_eq!(all[0].lines.len(), 1, "the runs of a row without one of its values are not lines");
        let cells = values(&all[0].lines[0]);
        let code = |value: &&AnsweredValue| value.reason.as_ref().map(|reason| reason.code);
        cells.iter().map(|value| (value.value, value.outcome, code(value))).collect::<Vec<_>>()
    };
    let not_run = Campaign { jobs: runs.jobs[..3].to_vec(), ..runs.clone() };
    let [write, read] = outcomes(&not_run, "runs = \"all\"\n")[..] else { panic!("two values") };
    assert_eq!((write.1, read.0, read.1), (Outcome::Pass, None, Outcome::NotRun));
    let missing = Campaign { jobs: runs.jobs[..5].to_vec(), ..runs.clone() };
    let [_, read] = outcomes(&missing, "")[..] else { panic!("two values") };
    assert_eq!(read, (None, Outcome::Invalid, Some(Code::RepetitionsMissing)));
    let mut rejected = runs.clone();
    let error = Finding::new(Severity::Error, reason!(SparseRandomWrite));
    rejected.info.findings.push(error.about("W"));
    let [write, read] = outcomes(&rejected, "runs = \"maxima\"\n")[..] else { panic!("two values") };
    assert_eq!(write, (None, Outcome::Invalid, Some(Code::LintError)), "as the verdict on it");
    assert_eq!(read.1, Outcome::Pass);
    assert_eq!(sheets(&sheet_plan("", ""), &rejected)[1].lines[0].cells.len(), 1);
    let sum = &sheets(&sheet_plan("", ""), &rejected)[1].lines[0];
    assert_eq!((values(sum)[0].value, values(sum)[0].outcome), (None, Outcome::Invalid), "nor has the score");
}
