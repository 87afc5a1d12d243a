//! Criteria on the best of several repetitions, and scores of them.

use plan::Plan;
use results::folder::Campaign;
use results::reason::{Code, any, row};
use results::{Outcome, Verdict};

use super::{Parsed, campaign, job, of, outcome, phase, verdicts_of};

/// A write test and a read test on its files, both with these keys, and scores.
fn linked(write: &str, read: &str, rest: &str) -> String {
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n";
    let criterion = |phase: &str| {
        format!("criterion = {{ metric = \"{phase}.bw\", op = \">=\", value = \"100 B/s\" }}\n")
    };
    format!(
        "{head}[[test]]\nid = \"W\"\nrepetitions = 3\nior = \"-w -e -k\"\n{write}{}\
         [[test]]\nid = \"R\"\nrepetitions = 3\nior = \"-r -k -C\"\nuses = \"W\"\n{read}{}{rest}",
        criterion("write"),
        criterion("read")
    )
}

/// The rates of W and of R in three repetitions.
fn measured(write: [u64; 3], read: [u64; 3]) -> Campaign {
    let one = |id: &'static str, name: &'static str, rates: [u64; 3]| {
        (1..).zip(rates).map(move |(repetition, rate)| job(id, repetition, phase(name, rate)))
    };
    campaign(one("W", "write", write).chain(one("R", "read", read)).collect())
}

fn verdicts(write: &str, read: &str, campaign: &Campaign) -> Vec<Verdict> {
    verdicts_of(&linked(write, read, "").parsed(), campaign)
}

/// The value, the statistic and the chosen repetition of a verdict.
fn chosen(verdict: &Verdict) -> (Option<f64>, &str, Option<f64>) {
    let best = of(&verdict.notes, Code::BestRepetition);
    (verdict.value, &verdict.statistic, best.and_then(|best| best.get(row::BestRepetition::n)))
}

#[test]
fn criteria_are_about_the_repetition_whose_rate_is_highest() {
    // The writes are best in the second repetition, whose read is the slowest.
    let runs = measured([90, 110, 80], [120, 95, 130]);
    let by_write = verdicts("best_of = \"write.bw\"\n", "best_of = \"W.write.bw\"\n", &runs);
    assert_eq!(chosen(&by_write[0]), (Some(110.0), "max", Some(3.0)));
    assert_eq!(chosen(&by_write[1]), (Some(95.0), "best", Some(3.0)));
    assert_eq!(outcome(&by_write[0]), (Outcome::Pass, Code::ThresholdMet));
    assert_eq!(outcome(&by_write[1]), (Outcome::Fail, Code::ThresholdNotMet));
    assert_eq!(by_write[1].statistics.as_ref().map(|all| all.values.len()), Some(3), "all tries are listed");
    let by_read = verdicts("best_of = \"R.read.bw\"\n", "best_of = \"read.bw\"\n", &runs);
    assert_eq!((chosen(&by_read[0]).0, chosen(&by_read[1]).0), (Some(80.0), Some(130.0)));
    let best = of(&by_read[0].notes, Code::BestRepetition).unwrap();
    assert_eq!(best.get(any::repetition), Some(3.0), "{best}");
    let all = verdicts("", "", &runs);
    assert_eq!(all[0].statistic, "mean", "without best_of");
}

#[test]
fn of_equally_good_repetitions_the_first_counts() {
    let runs = measured([110, 110, 110], [120, 95, 130]);
    let verdicts = verdicts("best_of = \"write.bw\"\n", "best_of = \"W.write.bw\"\n", &runs);
    assert_eq!(chosen(&verdicts[1]).0, Some(120.0));
}

#[test]
fn without_a_measurement_of_the_rate_that_chooses_nothing_is_chosen() {
    let mut runs = measured([90, 110, 80], [120, 95, 130]);
    runs.jobs.retain(|job| job.info.test != "W");
    let verdicts = verdicts("best_of = \"write.bw\"\n", "best_of = \"W.write.bw\"\n", &runs);
    assert_eq!(verdicts[1].outcome, Outcome::NotRun, "{:#?}", verdicts[1]);
    assert_eq!(verdicts[1].reason.code, Code::ReferenceUnusable);
}

#[test]
fn a_test_with_other_repetitions_than_the_one_that_chooses_is_invalid() {
    let runs = measured([90, 110, 80], [120, 95, 130]);
    let mut plan = linked("best_of = \"R.read.bw\"\n", "", "").parsed();
    plan.tests[0].repetitions = 2;
    let mut fewer = runs;
    fewer.jobs.retain(|job| job.info.test != "W" || job.info.repetition < 3);
    let verdict = verdicts_of(&plan, &fewer).remove(0);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::ReferenceUnusable), "{}", verdict.reason);
}

/// The value of a score with these keys over both tests.
fn score(best: [&str; 2], keys: &str, campaign: &Campaign) -> (f64, String) {
    let text = format!(
        "[[score]]\nid = \"S\"\nof = [\"W.write.bw\", \"R.read.bw\"]\n{keys}\
         criterion = {{ op = \">=\", value = \"1 B/s\" }}\n"
    );
    let plan: Plan = linked(best[0], best[1], &text).parsed();
    let verdict = verdicts_of(&plan, campaign).pop().unwrap();
    (verdict.value.unwrap_or_else(|| panic!("{verdict:#?}")), verdict.criterion)
}

#[test]
fn scores_are_sums_and_weighted_means_of_all_or_of_the_best_repetitions() {
    let runs = measured([90, 110, 80], [120, 95, 130]);
    let best = ["best_of = \"write.bw\"\n", "best_of = \"W.write.bw\"\n"];
    let sum = "formula = \"sum\"\n";
    for (best, keys, value, criterion) in [
        // Means of 280 / 3 and 115.
        (["", ""], sum, 280.0 / 3.0 + 115.0, "sum of 2: mean >= 1 B/s"),
        (
            ["", ""],
            "formula = \"sum\"\nweights = [2.0, 0.5]\n",
            560.0 / 3.0 + 57.5,
            "sum of 2: mean >= 1 B/s",
        ),
        (best, sum, 110.0 + 95.0, "sum of 2: best >= 1 B/s (as written)"),
        (best, "", (110.0_f64 * 95.0).sqrt(), "geometric mean of 2: best >= 1 B/s (as written)"),
        (
            best,
            "weights = [3.0, 1.0]\n",
            110.0_f64.powf(0.75) * 95.0_f64.powf(0.25),
            "geometric mean of 2: best >= 1 B/s (as written)",
        ),
    ] {
        let (found, text) = score(best, keys, &runs);
        assert!((found - value).abs() < 1e-9, "{keys}: {found}");
        assert_eq!(text, criterion, "{keys}");
    }
}
