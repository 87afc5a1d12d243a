//! External programs, and groups of tests that run at once; the programs are lines of the shell.

use std::fs;

use crate::stage::Stage;
use crate::{numbers, verdicts_of};
use plan::Plan;
use results::folder::Campaign;
use results::reason::{Code, row};
use results::record::{Record, Value};
use results::{Outcome, Verdict};

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n";

fn run_to_end(tests: &str, only: &[&str]) -> (Stage, Campaign) {
    let stage = Stage::of("#!/bin/sh\n");
    let mut asked = stage.campaign_of(&format!("{HEAD}{tests}"));
    asked.only = only.iter().map(|id| (*id).to_owned()).collect();
    let campaign = crate::stage::run_to_end(&asked);
    (stage, campaign)
}

fn rejection(tests: &str) -> String {
    Plan::parse(&format!("{HEAD}{tests}"), "p.toml").expect_err(tests).0
}

fn outcomes(verdicts: &[Verdict]) -> Vec<(&str, Outcome, Code)> {
    verdicts.iter().map(|one| (one.test.as_str(), one.outcome, one.reason.code)).collect()
}

/// The text of a job's failure in its record.
fn failure(verdict: &Verdict) -> &str {
    assert_eq!((verdict.outcome, verdict.reason.code), (Outcome::Invalid, Code::RecordedFailure));
    verdict.reason.get(row::RecordedFailure::error).unwrap()
}

/// The exit status of a job.
fn status(verdict: &Verdict) -> Option<f64> {
    assert_eq!((verdict.outcome, verdict.reason.code), (Outcome::Invalid, Code::JobFailed));
    verdict.reason.get(row::JobFailed::status)
}

/// A program that runs for this time and prints this rate.
fn app(seconds: &str, rate: &str) -> String {
    format!(
        "app = {{ argv = [\"sh\", \"-c\", \"sleep {seconds}; echo 'rate: {rate} GB/s' | tee {{dir}}/out\"], \
         metrics = {{ \"step.bw\" = {{ line = \"rate: ([0-9.]+) GB/s\", unit = \"GB/s\", \
         pick = \"min\" }} }} }}\n"
    )
}

#[test]
fn what_an_external_program_prints_is_its_measurement() {
    let steps = "5.5 GB/s'; echo 'rate: 4.5";
    let criterion = "criterion = { metric = \"step.bw\", op = \">=\", value = \"4 GB/s\" }\n";
    let (_place, campaign) =
        run_to_end(&format!("[[test]]\nid = \"UMT\"\n{}{criterion}", app("0", steps)), &[]);
    let verdict = &campaign.verdicts[0];
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Pass, Some(4.5e9)), "{verdict:#?}");
    let value = Value { name: "step.bw".into(), value: 4.5e9, unit: "B/s".into(), lines: 2 };
    assert!(campaign.jobs[0].records.contains(&Record::Value(value)), "{:#?}", campaign.jobs[0]);
}

#[test]
fn a_recorded_value_that_the_program_did_not_print_is_invalid() {
    let criterion = "criterion = { metric = \"step.bw\", op = \">=\", value = \"4 GB/s\" }\n";
    let tests = format!("[[test]]\nid = \"UMT\"\n{}{criterion}", app("0", "5"));
    let (_place, mut campaign) = run_to_end(&tests, &[]);
    let plan = Plan::parse(&format!("{HEAD}{tests}"), "p.toml").unwrap();
    assert_eq!(verdicts_of(&plan, &campaign)[0].outcome, Outcome::Pass);
    for record in &mut campaign.jobs[0].records {
        if let Record::Value(value) = record {
            value.value = 6e9;
        }
    }
    let verdicts = verdicts_of(&plan, &campaign);
    assert_eq!(outcomes(&verdicts), [("UMT", Outcome::Invalid, Code::RecordsContradict)]);
    assert_eq!(verdicts[0].reason.get(row::RecordsContradict::other), Some("its value in stdout.txt"));
    campaign.jobs[0].printed = Some("nothing\n".into());
    assert_eq!(verdicts_of(&plan, &campaign)[0].reason.code, Code::RecordsContradict);
    campaign.jobs[0].printed = None;
    assert_eq!(verdicts_of(&plan, &campaign)[0].outcome, Outcome::Pass, "an output that is too long");
}

#[test]
fn a_number_that_is_not_finite_is_no_measurement_and_is_named() {
    let criterion = "criterion = { metric = \"step.bw\", op = \">=\", value = \"4 GB/s\" }\n";
    let tests: Vec<String> = ["nan", "inf"]
        .iter()
        .map(|word| {
            let app = app("0", word).replace("([0-9.]+)", "([a-z0-9.]+)");
            format!("[[test]]\nid = \"{word}\"\n{app}{criterion}")
        })
        .collect();
    let (_place, campaign) = run_to_end(&tests.concat(), &[]);
    for (verdict, word) in campaign.verdicts.iter().zip(["nan", "inf"]) {
        let wanted = format!("step.bw: the program printed `{word}`, which is not a finite number");
        assert!(failure(verdict).contains(&wanted), "{}", verdict.reason);
    }
}

#[test]
fn a_program_that_prints_nothing_of_it_or_fails_is_no_measurement() {
    let criterion = "criterion = { metric = \"step.bw\", op = \">=\", value = \"4 GB/s\" }\n";
    let silent = app("0", "none");
    let failing = app("0", "5 GB/s'; exit 3; echo '").replace(" | tee", "; true | tee");
    let tests =
        format!("[[test]]\nid = \"A\"\n{silent}{criterion}[[test]]\nid = \"B\"\n{failing}{criterion}");
    let (_place, campaign) = run_to_end(&tests, &[]);
    let [silent, failing] = &campaign.verdicts[..] else { panic!("{:#?}", campaign.verdicts) };
    assert!(failure(silent).contains("step.bw: no line of stdout matches `rate: "), "{}", silent.reason);
    assert_eq!(status(failing), Some(3.0));
}

#[test]
fn what_an_external_program_leaves_under_the_names_of_ours_is_set_aside() {
    let criterion = "criterion = { metric = \"step.bw\", op = \">=\", value = \"4 GB/s\" }\n";
    let littering = |end: &str| {
        let litter =
            "for f in records.jsonl records.jsonl.left job.json dataset.json; do echo mine > $f; done";
        app("0", &format!("5 GB/s'; {litter}; {end} echo '")).replace(" | tee", "; true | tee")
    };
    let gone = app("0", "5 GB/s'; rm stdout.txt; mkfifo stdout.txt; echo '");
    let tests = format!(
        "[[test]]\nid = \"A\"\n{}{criterion}[[test]]\nid = \"B\"\n{}{criterion}\
         [[test]]\nid = \"C\"\n{gone}{criterion}",
        littering(""),
        littering("exit 3;")
    );
    let (place, campaign) = run_to_end(&tests, &[]);
    let [a, b, c] = &campaign.verdicts[..] else { panic!("{:#?}", campaign.verdicts) };
    assert_eq!((a.outcome, a.value), (Outcome::Pass, Some(5e9)), "{a:#?}");
    assert_eq!(status(b), Some(3.0));
    assert!(failure(c).contains("stdout.txt: the program replaced this file"), "{}", c.reason);
    for job in ["0001-A-r1", "0002-B-r1"] {
        for name in ["records.jsonl.left", "records.jsonl.left-2", "job.json.left", "dataset.json.left"] {
            let left = fs::read_to_string(place.path("campaign/jobs").join(job).join(name));
            assert_eq!(left.unwrap(), "mine\n", "{job} {name}");
        }
    }
    assert_eq!(results::folder::check(&place.path("campaign")).unwrap().said(), Vec::<String>::new());
}

#[test]
fn parts_of_a_group_run_at_once_and_are_judged_alone_and_in_sum() {
    let floor = "criterion = { metric = \"step.bw\", op = \">=\", value = \"4 GB/s\" }\n";
    let group = format!(
        "[[group]]\nid = \"LOAD\"\nclause = \"both\"\nrepetitions = 2\n\
         criterion = {{ metric = \"step.bw\", op = \">=\", value = \"8 GB/s\" }}\n\
         [[group.parts]]\nid = \"app\"\n{}{floor}[[group.parts]]\nid = \"ior\"\n{}",
        app("3", "5"),
        app("3", "3.5"),
    );
    let (_place, campaign) = run_to_end(&group, &["LOAD.app"]);
    let order: Vec<String> =
        campaign.jobs.iter().map(|job| format!("{} {}", job.info.test, job.info.repetition)).collect();
    assert_eq!(order, ["LOAD.app 1", "LOAD.ior 1", "LOAD.app 2", "LOAD.ior 2"], "one part asks for all");
    let met = ["LOAD.app", "LOAD"].map(|id| (id, Outcome::Pass, Code::ThresholdMet));
    assert_eq!(outcomes(&campaign.verdicts), met);
    let of = |at: usize| numbers(&campaign.verdicts[at].reason, ["value", "threshold", "limit"]);
    assert_eq!((of(0), of(1)), ([5e9, 4e9, 5e9].map(Some), [8.5e9, 8e9, 8.5e9].map(Some)));
    assert_eq!(campaign.verdicts[1].criterion, "sum of 2: mean >= 8 GB/s");
    let plan = Plan::parse(&format!("{HEAD}{group}"), "p.toml").unwrap();
    let compared = crate::comparison::compared(&[(&plan, &campaign), (&plan, &campaign)], Default::default());
    let rows: Vec<_> = compared.rows.iter().map(|row| (row.test.as_str(), row.samples[1].mean)).collect();
    let means = [("LOAD.app", Some(5e9)), ("LOAD.ior", Some(3.5e9)), ("LOAD", Some(8.5e9))];
    assert_eq!(rows, means, "a comparison has the parts and their sum");
}

#[test]
fn parts_that_hardly_met_measure_nothing_together() {
    let floor = "criterion = { metric = \"step.bw\", op = \">=\", value = \"4 GB/s\" }\n";
    let group = format!(
        "[[group]]\nid = \"L\"\n[[group.parts]]\nid = \"a\"\n{}{floor}\
         [[group.parts]]\nid = \"b\"\nrole = \"reported\"\n{}",
        app("0.1", "5"),
        app("0.4", "5"),
    );
    let (_place, mut campaign) = run_to_end(&group, &[]);
    let plan = Plan::parse(&format!("{HEAD}{group}"), "p.toml").unwrap();
    let at = |campaign: &mut Campaign, minute: u32| {
        for (job, (minute, seconds)) in campaign.jobs.iter_mut().zip([(0, 100.0), (minute, 50.0)]) {
            job.info.started = format!("2026-01-01T00:0{minute}:00.000+00:00");
            job.info.seconds = seconds;
            job.chained = None;
        }
    };
    at(&mut campaign, 0);
    let beside = verdicts_of(&plan, &campaign);
    assert_eq!(beside[0].outcome, Outcome::Pass, "all of the shorter one ran beside the longer: {beside:#?}");
    at(&mut campaign, 1);
    let apart = verdicts_of(&plan, &campaign);
    assert_eq!(outcomes(&apart), [("L.a", Outcome::Invalid, Code::Overlap)]);
    assert_eq!(numbers(&apart[0].reason, ["share", "needed"]), [Some(0.8), Some(0.9)]);
    campaign.jobs.pop();
    let alone = verdicts_of(&plan, &campaign);
    assert_eq!(outcomes(&alone), [("L.a", Outcome::Invalid, Code::PartMissing)]);
    assert_eq!(alone[0].reason.get(row::PartMissing::other), Some("L.b"));
}

#[test]
fn groups_and_programs_that_cannot_work_are_rejected() {
    let program = |keys: &str| format!("[[test]]\nid = \"T\"\nrole = \"reported\"\napp = {{ {keys} }}\n");
    for (tests, error) in [
        (
            program("argv = []"),
            "p.toml:7:7: test T: app: give the program and its arguments as `argv = [\"./umt\", \
             \"{dir}/dump\"]`",
        ),
        (
            program("argv = [\"x\"]"),
            "p.toml:7:7: test T: app: no metrics. Write `metrics = { \"step.bw\" = { line = \"rate: \
             ([0-9.]+)\", unit = \"GB/s\" } }`, or `parse = \"ior\"`.",
        ),
        (
            program("argv = [\"x\"], parse = \"iorr\""),
            "p.toml:7:31: test T: `iorr` is not a known output. Did you mean `ior`?",
        ),
        (
            program("argv = [\"x\"], metrics = { bw = { line = \"(.)\", unit = \"s\" } }"),
            "p.toml:7:7: test T: app: `bw` has no phase. Write for example `step.bw`.",
        ),
        (
            program("argv = [\"x\"], metrics = { \"s.bw\" = { line = \"a\", unit = \"s\" } }"),
            "p.toml:7:7: test T: app: s.bw: `a` needs one group in ( ) for the number",
        ),
        (
            program("argv = [\"x\"], metrics = { \"s.bw\" = { line = \"(a\", unit = \"s\" } }")
                .replace("(a", "(["),
            "p.toml:7:7: test T: app: s.bw: `([`: ",
        ),
        (
            program("argv = [\"x\"], metrics = { \"s.bw\" = { line = \"(a)\", unit = \"parsec\" } }"),
            "p.toml:7:7: test T: app: s.bw: `parsec` is not a unit. Write for example `GB/s`, `/s` or `s`.",
        ),
        (
            program("argv = [\"x\"], parse = \"ior\"") + "ranks = 2\n",
            "p.toml:7:7: test T: launch.kind `local` starts external programs as one process. Give `ranks \
             = 1`.",
        ),
        (
            program("argv = [\"x\"], parse = \"ior\"") + "ior = \"-w\"\n",
            "p.toml:8:7: test T: it also has an `app`. Write this line as a separate test.",
        ),
        (
            "[[group]]\nid = \"G\"\nparts = []\n".into(),
            "p.toml:5:6: group G: it needs at least two parts, which run at the same time",
        ),
        (
            "[[group]]\nid = \"G\"\n[[group.parts]]\nid = \"a\"\nior = \"-w -k\"\nrole = \"reported\"\n\
             [[group.parts]]\nid = \"b\"\nuses = \"a\"\nior = \"-r -k\"\nrole = \"reported\"\n"
                .into(),
            "p.toml:5:6: group G: G.b uses a part that runs at the same time",
        ),
    ] {
        let said = rejection(&tests);
        assert!(said.starts_with(error), "{said}\n{error}");
    }
}
