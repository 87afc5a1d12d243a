//! Clauses of a contract with several criteria, values that decide as written, and limits with their causes.

use plan::{Choice, Plan};
use results::finding::Severity;
use results::folder::Extension;
use results::reason::{Code, any, row};
use results::{Outcome, Verdict};

use super::{Parsed, campaign, evaluated, job, numbers, of, one, outcome, phase, verdicts_of};

/// A plan with these clauses of the contract, and tests that each belong to one of them.
fn contract(clauses: &[&str], tests: &[(&str, &str)]) -> Plan {
    let clauses = clauses.iter().map(|id| format!("[[clause]]\nid = \"{id}\"\ntext = \"text of {id}\"\n"));
    let tests = tests.iter().map(|(id, clause)| {
        format!(
            "[[test]]\nid = \"{id}\"\nclause = \"{clause}\"\nior = \"-w -e\"\ncriterion = {{ metric = \
             \"write.bw\", op = \">=\", value = \"100 B/s\", label = \"label of {id}\" }}\n"
        )
    });
    let parts: String = clauses.chain(tests).collect();
    format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
         clients.delivered = 1\n{parts}"
    )
    .parsed()
}

/// The id, the outcome and the code of each clause.
fn clauses(verdicts: &[Verdict]) -> Vec<(String, Outcome, Code)> {
    let all = Verdict::of_clauses(verdicts);
    all.into_iter().map(|clause| (clause.test, clause.outcome, clause.reason.code)).collect()
}

#[test]
fn a_clause_has_one_verdict_the_worst_of_its_criteria_in_the_order_of_the_contract() {
    let plan = contract(&["2", "1", "3"], &[("A", "1"), ("B", "2"), ("C", "1"), ("D", "1")]);
    let jobs = [("A", 200), ("B", 100), ("C", 50)].map(|(id, rate)| job(id, 1, phase("write", rate)));
    let verdicts = verdicts_of(&plan, &campaign(jobs.into()));
    let tests: Vec<&str> = verdicts.iter().map(|one| one.test.as_str()).collect();
    assert_eq!(tests, ["B", "A", "C", "D", "3"]);
    assert_eq!(
        clauses(&verdicts),
        [
            ("2".to_owned(), Outcome::Pass, Code::ThresholdMet),
            ("1".to_owned(), Outcome::Fail, Code::ThresholdNotMet),
            ("3".to_owned(), Outcome::NotRun, Code::ClauseUntested),
        ]
    );
    let told = verdicts.iter().map(|one| one.contract_clause.as_ref().unwrap().outcome);
    use Outcome::{Fail, NotRun, Pass};
    assert_eq!(told.collect::<Vec<_>>(), [Pass, Fail, Fail, Fail, NotRun]);
    assert_eq!((verdicts[1].clause.as_str(), verdicts[1].label.as_str()), ("text of 1", "label of A"));
    assert_eq!(Verdict::exit_code(&Verdict::of_clauses(&verdicts)), Verdict::exit_code(&verdicts));
}

#[test]
fn an_invalid_criterion_outweighs_all_but_a_failed_one() {
    let plan = contract(&["1"], &[("A", "1"), ("B", "1")]);
    let rates = |first, second| {
        let mut jobs = [("A", first), ("B", second)].map(|(id, rate)| job(id, 1, phase("write", rate)));
        jobs[0].info.end = results::folder::JobEnd::Signal(9);
        clauses(&verdicts_of(&plan, &campaign(jobs.into())))[0].1
    };
    assert_eq!(rates(200, 200), Outcome::Invalid);
    assert_eq!(rates(200, 50), Outcome::Fail);
}

/// A plan with one test T of repetitions with these criterion keys.
fn with(criterion: &str, repetitions: usize) -> Plan {
    format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
         clients.delivered = 1\ndefaults.cov_max = \"10 %\"\n[[test]]\nid = \"T\"\nior = \"-w -e\"\n\
         repetitions = {repetitions}\ncriterion = {{ metric = \"write.bw\", op = \">=\", value = \"100 \
         B/s\", {criterion} }}\n"
    )
    .parsed()
}

fn measured(criterion: &str, rates: &[u64]) -> Verdict {
    let jobs = (1..).zip(rates).map(|(at, rate)| job("T", at, phase("write", *rate))).collect();
    one(&with(criterion, rates.len()), &campaign(jobs))
}

#[test]
fn a_criterion_has_its_own_limit_of_variability() {
    let rates = [150, 200, 250, 200, 150];
    let least = |keys: &str| outcome(&measured(&format!("stat = \"min\"{keys}"), &rates));
    assert_eq!(least(""), (Outcome::Inconclusive, Code::VariabilityAboveMax));
    assert_eq!(least(", cov_max = \"\""), (Outcome::Pass, Code::ThresholdMet));
    assert_eq!(least(", cov_max = \"50 %\""), (Outcome::Pass, Code::ThresholdMet));
    assert_eq!(least(", cov_max = \"20 %\"").0, Outcome::Inconclusive);
}

#[test]
fn a_value_that_decides_as_written_passes_or_fails_without_a_confidence_and_without_a_waiver() {
    const RULE: &str = "rule = \"as-written\"";
    for (rates, wanted) in [
        (&[10, 30, 500, 20, 15][..], (Outcome::Pass, Code::ThresholdMet)),
        (&[10, 30, 400, 20, 15], (Outcome::Fail, Code::ThresholdNotMet)),
        (&[100], (Outcome::Pass, Code::ThresholdMet)),
    ] {
        let verdict = measured(RULE, rates);
        assert_eq!(outcome(&verdict), wanted, "{rates:?}");
        assert_eq!((verdict.as_written, verdict.reason.get(any::rule)), (true, Some("as-written")));
        assert_eq!(verdict.criterion, "mean >= 100 B/s (as written)");
        assert_eq!(
            (verdict.reason.get(row::ThresholdMet::confidence), verdict.statistics.unwrap().bound),
            (None, None)
        );
        let jobs = (1..).zip(rates).map(|(at, rate)| job("T", at, phase("write", *rate))).collect();
        let summary = evaluated(&with(RULE, rates.len()), &campaign(jobs)).summary;
        let open: Vec<Code> =
            summary.findings.iter().filter(|one| one.is_open()).map(|finding| finding.code()).collect();
        assert!(!open.contains(&Code::CovMissing) && !open.contains(&Code::CovHigh), "{open:?}");
        assert!(!open.contains(&Code::Harmonic), "{open:?}");
    }
    let usual = measured("stat = \"mean\"", &[10, 30, 500, 20, 15]);
    assert_eq!((usual.outcome, usual.as_written), (Outcome::Inconclusive, false));
    let varies = measured(&format!("{RULE}, cov_max = \"20 %\""), &[10, 30, 500, 20, 15]);
    assert_eq!(outcome(&varies), (Outcome::Inconclusive, Code::VariabilityAboveMax));
}

#[test]
fn further_looks_at_a_value_that_decides_as_written_need_a_waiver_and_have_no_error_probability() {
    let findings = |criteria: &str, rest: &str, looks: usize| {
        let text = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
             clients.delivered = 1\ndefaults.decide = {{ rule = \"mean\", looks = 3 }}\n\
             [[test]]\nid = \"T\"\nior = \"-w -e\"\nrepetitions = 2\n{criteria}\n{rest}"
        );
        let extensions = vec![Extension { repetitions: 1, ..Extension::default() }; looks - 1];
        let choice = Choice { extensions, ..Choice::default() };
        let plan = Plan::parse_with(&text, "p.toml", &choice).unwrap();
        let jobs = (1..=1 + looks as u32).map(|at| job("T", at, phase("write", 120))).collect();
        let findings = evaluated(&plan, &campaign(jobs)).summary.findings;
        let of_looks = [Code::PlannedLooks, Code::UnplannedLooks, Code::AsWrittenLooks];
        let found = findings.iter().filter(|one| of_looks.contains(&one.code()));
        let all = found.map(|one| {
            (one.about.clone(), one.code(), one.severity, one.reason.has(row::UnplannedLooks::confidence))
        });
        all.collect::<Vec<_>>()
    };
    let criterion = |metric: &str, keys: &str| {
        format!("{{ metric = \"{metric}\", op = \">=\", value = \"100 B/s\"{keys} }}")
    };
    let written = criterion("write.bw", ", rule = \"as-written\"");
    let usual = criterion("write.bw", "");
    let of_value = |id: &str| (id.to_owned(), Code::AsWrittenLooks, Severity::NeedsWaiver, false);
    let planned = [("T".to_owned(), Code::PlannedLooks, Severity::Info, true)];
    let unplanned = ("T".to_owned(), Code::UnplannedLooks, Severity::NeedsWaiver, true);
    let one = |criterion: &str| format!("criterion = {criterion}");
    assert_eq!(findings(&one(&written), "", 1), []);
    assert_eq!(findings(&one(&written), "", 2), [of_value("T")]);
    assert_eq!(findings(&one(&usual), "", 2), planned);
    assert_eq!(
        findings(&one(&format!("[{written}, {usual}]")), "", 2),
        [&[of_value("T")], &planned[..]].concat()
    );
    assert_eq!(findings(&one(&format!("[{written}, {usual}]")), "", 4), [of_value("T"), unplanned]);
    let score = "[[score]]\nid = \"S\"\nof = [\"T.write.bw\", \"T.write.bw\"]\ncriterion = { op = \">=\", \
                 value = \"1 B/s\", rule = \"as-written\" }\n";
    assert_eq!(findings("role = \"reported\"", score, 2), [of_value("S")]);
}

#[test]
fn a_widened_limit_has_its_cause_and_the_limit_without_it() {
    // The first half is slow, and the second is fast.
    let verdict = measured("cov_max = \"\"", &[60, 90, 95, 400, 700, 730, 750]);
    assert_eq!(outcome(&verdict), (Outcome::Inconclusive, Code::LimitContradictsMet));
    let [limit, independent, lag_one, p] =
        numbers(&verdict.reason, ["limit", "limit_independent", "lag_one", "p"]).map(Option::unwrap);
    assert_eq!((limit, independent), (0.0, 166.0), "{}", verdict.reason);
    assert!(lag_one > 0.5 && p < 0.05, "{}", verdict.reason);
    let bound = verdict.statistics.unwrap().bound.unwrap();
    assert_eq!(bound.to_bits(), 0.0_f64.to_bits(), "a rate is never negative: {bound}");
    let mixed = measured("cov_max = \"\"", &[60, 700, 90, 730, 95, 750, 400]);
    assert_eq!((mixed.reason.get(any::lag_one), mixed.reason.get(any::limit_independent)), (None, None));
}

#[test]
fn parts_of_a_group_are_compared_in_pairs_because_they_compete() {
    let part = |id: &str, value: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\nior = \"-w -e\"\ncriterion = {{ metric = \"write.bytes\", \
             stat = \"mean\", op = \">=\", value = \"{value}\" }}\n"
        )
    };
    let plan = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
         clients.delivered = 2\n[[group]]\nid = \"G\"\nrepetitions = 5\noverlap = \"1%\"\n{}{}",
        part("a", "1 B"),
        part("b", "80% of a.write.bytes")
    )
    .parsed();
    let rates = [[100, 100], [120, 80], [80, 120], [110, 90], [90, 110]];
    let at = |id: &str, repetition: u32, bytes: u64| {
        let mut job = job(&format!("G.{id}"), repetition, phase("write", bytes));
        job.info.started = format!("2026-01-0{repetition}T00:00:00Z");
        job.info.seconds = 1.0;
        job
    };
    let jobs =
        (1..).zip(rates).flat_map(|(repetition, [a, b])| [at("a", repetition, a), at("b", repetition, b)]);
    let verdicts = verdicts_of(&plan, &campaign(jobs.collect()));
    // Two independent samples of this variability would show the ratio above 1.
    let verdict = verdicts.iter().find(|one| one.test == "G.b").unwrap();
    assert_eq!(outcome(verdict), (Outcome::Inconclusive, Code::RatioUndecided));
    assert_eq!(numbers(&verdict.reason, ["threshold", "ratio_low"]), [Some(80.0), Some(0.923)]);
}

#[test]
fn the_total_rate_is_info_where_the_repetitions_differ_no_more_than_they_vary() {
    let finding = |criterion: &str, seconds: &[f64]| {
        let jobs = (1..).zip(seconds).map(|(at, seconds)| {
            let mut phase = phase("write", 1_000_000);
            (phase.spans.transfer_s, phase.spans.total_s) = (*seconds, *seconds);
            job("T", at, phase)
        });
        let summary = evaluated(&with(criterion, seconds.len()), &campaign(jobs.collect())).summary;
        let found = of(&summary.findings, Code::Harmonic).unwrap();
        assert!(
            !(found.flag(row::Harmonic::within_limit) && criterion.contains("as-written")),
            "it has no limit"
        );
        summary.findings.iter().any(|one| one.is_open() && one.code() == Code::Harmonic)
    };
    // Rates around 1 MB/s, far above the threshold.
    assert!(!finding("stat = \"mean\"", &[0.8, 1.0, 1.2, 1.1, 0.9]));
    // Of many repetitions, the mean is known better than it differs from the total.
    let many: Vec<f64> = (0..60).map(|at| if at % 3 == 0 { 4.0 } else { 1.0 }).collect();
    assert!(finding("stat = \"mean\"", &many));
    assert!(!finding("stat = \"mean\", rule = \"as-written\"", &many));
    assert!(!finding("stat = \"mean\", rule = \"as-written\"", &[0.8, 1.0, 1.2, 1.1, 0.9]));
}
