//! Goals that are parts of something else, and rates that have to hold.

use results::Outcome;

use campaign::judge;
use plan::Plan;

use super::{Parsed, campaign, job, phase, plan};

/// Two tests of three repetitions each, of which the second has to reach half of the first.
fn half(first: [u64; 3], second: [u64; 3]) -> results::Verdict {
    let keys = "ior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\nrepetitions = 3\n\
                ior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"50% of T.write.bw\" }";
    let jobs = (1..).zip(first).map(|(repetition, rate)| job("T", repetition, phase("write", rate)));
    let others = (1..).zip(second).map(|(repetition, rate)| job("U", repetition, phase("write", rate)));
    let verdicts = judge::judge(&plan(keys), &campaign(jobs.chain(others).collect()));
    assert_eq!(verdicts.len(), 1, "a test that is only reported is no clause");
    verdicts.into_iter().next().unwrap()
}

#[test]
fn a_part_of_what_another_test_measured_is_a_goal() {
    let verdict = half([200, 200, 200], [120, 121, 122]);
    assert_eq!((verdict.outcome, verdict.threshold), (Outcome::Pass, Some(100.0)), "{verdict:#?}");
    assert_eq!(verdict.criterion, "mean >= 50% of T.write.bw");
    assert!(
        verdict.reason.starts_with("mean 121 B/s meets >= 50% of T.write.bw = 100 B/s"),
        "{}",
        verdict.reason
    );
    assert!(verdict.reason.ends_with("; it is between 119.3 % and 122.7 % of that"), "{}", verdict.reason);
    assert_eq!(half([200, 200, 200], [90, 90, 90]).outcome, Outcome::Fail);
    let near = half([180, 200, 220], [95, 105, 110]);
    assert_eq!(near.outcome, Outcome::Inconclusive);
    let why = "mean 103 B/s meets >= 50% of T.write.bw = 100 B/s, but after 3 repetitions the truth may be \
               anything between 88.8 % and 122.1 % of that, and 100 % is the least that is asked for; what \
               it is compared with scatters by 10.0 % (COV), and it by 7.4 %; about 40 repetitions of \
               each side would decide";
    assert_eq!(near.reason, why, "what the other test is known by counts too");
    let far = half([20, 200, 500], [118, 120, 122]).reason;
    assert!(far.contains("the truth may be anything between 37.0 % and any multiple of that"), "{far}");
}

#[test]
fn a_ceiling_of_what_another_test_measured_says_of_what_it_is_a_part() {
    let keys = "ior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\nrepetitions = 3\n\
                ior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \"<=\", value = \"100% of T.write.bw\" }";
    let of = |id: &str, rates: [u64; 3]| {
        (1..).zip(rates).map(|(at, rate)| job(id, at, phase("write", rate))).collect::<Vec<_>>()
    };
    let jobs = [of("T", [99, 100, 101]), of("U", [198, 200, 202])].concat();
    let verdict = judge::judge(&plan(keys), &campaign(jobs)).remove(0);
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert!(verdict.reason.ends_with("; it is between 196.5 % and 203.5 % of that"), "{}", verdict.reason);
}

#[test]
fn a_step_among_several_that_is_open_shows_bounds_between_which_it_may_meet() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\", servers = 8, \
                set_servers = \"s {servers}\", count_servers = \"c\" }\n[[series]]\nid = \"S\"\n\
                over = \"servers\"\nsteps = [\"1\", \"2\", \"4\", \"8\"]\nrepetitions = 4\n\
                [[series.phases]]\nid = \"w\"\nior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", linear_within = \"10%\" }\n";
    let of = |servers: u64, rates: [u64; 4]| {
        let id = format!("S.s{servers}.w");
        (1..).zip(rates).map(|(at, rate)| job(&id, at, phase("write", rate))).collect::<Vec<_>>()
    };
    let good = [4, 8].map(|servers| of(servers, [990, 1000, 1000, 1010].map(|rate| rate * servers))).concat();
    let judged = |two: [u64; 4]| {
        let jobs = [of(1, [990, 1000, 1000, 1010]), of(2, two), good.clone()].concat();
        judge::judge(&text.to_owned().parsed(), &campaign(jobs)).remove(0)
    };
    let open = judged([1625, 1705, 1745, 1745]);
    assert_eq!(open.outcome, Outcome::Inconclusive, "{open:#?}");
    let why = "the truth may be anything between 89.1 % and 100.3 % of that, and 100 % is the least";
    assert!(open.reason.contains(why), "{}", open.reason);
    let missed = judged([1618, 1698, 1738, 1738]);
    assert_eq!(missed.outcome, Outcome::Fail, "{missed:#?}");
    let lies = "; it is between 88.7 % and 99.95 % of that";
    assert!(missed.reason.ends_with(lies), "not 100.0 %, which would be enough: {}", missed.reason);
}

#[test]
fn a_part_of_something_that_cannot_be_judged_is_not_judged_either() {
    let keys = "ior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\nior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"50% of T.write.bw\" }";
    let campaign = campaign(vec![job("T", 1, phase("write", 100)), job("U", 1, phase("write", 100))]);
    let verdict = judge::judge(&plan(keys), &campaign).remove(0);
    assert_eq!(verdict.outcome, Outcome::Invalid);
    let why = "write.bw of T is what it is compared with, and 1 of 3 repetitions were run: the campaign \
        ended before its turn";
    assert_eq!(verdict.reason, why);
}

#[test]
fn a_number_that_is_known_beforehand_is_a_goal_with_its_source() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                [known.before]\nvalue = \"1000 B/s\"\nsource = \"the report of 2015\"\n\
                [[test]]\nid = \"T\"\nior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"66% of known.before\" }";
    let plan = Plan::parse(text, "p.toml").unwrap();
    let verdict = judge::judge(&plan, &campaign(vec![job("T", 1, phase("write", 661))])).remove(0);
    assert_eq!((verdict.outcome, verdict.threshold), (Outcome::Pass, Some(660.0)));
    assert_eq!(verdict.criterion, "mean >= 66% of known.before (1000 B/s) = 660.0 B/s");
}

#[test]
fn a_rate_that_has_to_hold_is_one_of_phases_that_lasted_with_every_rank_at_work() {
    let sustained = |seconds: f64, first: f64| {
        let keys = "sustained = \"30 s\"\nior = \"-w -e\"\n\
                    criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }";
        let jobs = (1..=3).map(|repetition| {
            let mut phase = phase("write", 1000);
            phase.spans.transfer_s = if repetition == 2 { seconds } else { 40.0 };
            phase.balance.seconds_min = if repetition == 2 { first } else { 40.0 };
            job("T", repetition, phase)
        });
        judge::judge(&plan(keys), &campaign(jobs.collect())).remove(0)
    };
    assert_eq!(sustained(31.0, 30.5).outcome, Outcome::Pass);
    let short = sustained(12.0, 12.0);
    assert_eq!(
        (short.outcome, short.reason.as_str()),
        (Outcome::Invalid, "repetition 2: write lasted 12.0 s, and has to hold 30.0 s")
    );
    let dry = sustained(45.0, 3.0);
    assert_eq!(
        (dry.outcome, dry.reason.as_str()),
        (Outcome::Invalid, "repetition 2: write: a rank was done after 3.00 s, and all have to hold 30.0 s")
    );
}

#[test]
fn an_error_of_the_linter_makes_what_was_measured_invalid_and_says_what_would_do() {
    let plan = |value: &str| {
        plan(&format!(
            "ior = \"-w -e\"\ndecide = {{ rule = \"mean\" }}\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"{value}\" }}"
        ))
    };
    let jobs = || (1..=3).map(|repetition| job("T", repetition, phase("write", 100))).collect();
    let clear = judge::judge(&plan("50 B/s"), &campaign(jobs())).remove(0);
    assert_eq!(clear.outcome, Outcome::Pass, "{clear:#?}");
    let dead = judge::judge(&plan("0 B/s"), &campaign(jobs())).remove(0);
    assert_eq!(dead.outcome, Outcome::Invalid);
    assert!(dead.reason.contains("(dead-criterion); "), "{}", dead.reason);
    assert!(dead.reason.contains(". What was measured: mean 100 B/s meets >= 0 B/s"), "{}", dead.reason);
    let found = campaign::summary(&plan("0 B/s"), &campaign(jobs())).findings;
    assert!(found.iter().any(|finding| finding.lint == "dead-criterion" && finding.level == "error"));
}

#[test]
fn an_error_about_one_criterion_leaves_the_others_of_its_test_alone() {
    let keys = "ior = \"-w -e\"\ndecide = { rule = \"mean\" }\n\
                criterion = [\n  { metric = \"write.bw\", op = \">=\", value = \"0 B/s\" },\n\
                { metric = \"write.seconds\", op = \"<=\", value = \"2 s\" },\n]";
    let jobs = (1..=3).map(|repetition| job("T", repetition, phase("write", 100))).collect();
    let outcomes: Vec<Outcome> =
        judge::judge(&plan(keys), &campaign(jobs)).iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [Outcome::Invalid, Outcome::Pass]);
}
