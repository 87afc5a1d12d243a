//! The probability of a PASS before anything is measured.

use judge::{PlanPower, power};
use plan::Plan;
use results::Outcome;
use results::statistics::Dice;
use testkit::complete::by_set;

use super::{Parsed, campaign, job, phase, verdicts_of};

fn of(text: &str, cov: f64) -> PlanPower {
    power(&text.to_owned().parsed(), &|_, _| cov)
}

fn test(id: &str, keys: &str) -> String {
    format!("[[test]]\nid = \"{id}\"\nior = \"-w -e\"\n{keys}\n")
}

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                    clients.delivered = 1\n";

fn criterion(stat: &str, op: &str, value: &str) -> String {
    format!("criterion = {{ metric = \"write.bw\", stat = \"{stat}\", op = \"{op}\", value = \"{value}\" }}")
}

#[test]
fn twenty_clauses_of_a_system_that_is_five_percent_better_never_pass_together() {
    let keys = format!("repetitions = 5\n{}", criterion("mean", ">=", "1 GB/s"));
    let tests: String = (0..20).map(|at| test(&format!("T{at}"), &keys)).collect();
    let found = of(&format!("{HEAD}{tests}"), 0.05);
    assert_eq!(found.clauses.len(), 20);
    let [at, better, much] = found.clauses[0].pass;
    assert!((at - 0.05).abs() < 0.005 && (better - 0.53).abs() < 0.02 && much > 0.88, "{found:?}");
    assert!(found.all[1] < 0.0005 && (found.all[2] - 0.126).abs() < 0.015, "{:?}", found.all);
    let (one, all) = (found.clauses[0].enough.unwrap(), found.enough.unwrap());
    assert!((11..=14).contains(&one) && (20..=30).contains(&all), "{one} {all}");
}

#[test]
fn the_probabilities_are_those_of_samples_that_scipy_decided() {
    let reference = |n: u32| test("R", &format!("repetitions = {n}\nrole = \"reported\""));
    // 200,000 samples for each number, percent.
    for (stat, value, n, expected) in [
        ("mean", "100% of R.write.bw", 2, [2.8, 10.0, 22.1]),
        ("mean", "100% of accepted", 5, [4.2, 35.2, 77.3]),
        ("median", "1 GB/s", 10, [1.0, 45.1, 90.8]),
    ] {
        let own = test("T", &format!("repetitions = {n}\n{}", criterion(stat, ">=", value)));
        let found = of(&format!("{HEAD}{}{own}", reference(n)), 0.05).clauses[0].pass;
        for (found, expected) in found.iter().zip(expected) {
            assert!((100.0 * found - expected).abs() < 1.5, "{stat} {value}: {found} {expected}");
        }
    }
}

#[test]
fn a_maximum_of_the_variability_has_the_probability_of_the_supposed_one() {
    let most = criterion("cov", "<=", "10 %");
    let found = of(&format!("{HEAD}{}", test("T", &format!("repetitions = 5\n{most}"))), 0.05);
    let [one] = &found.clauses[..] else { panic!("{found:?}") };
    // P(COV <= 4.206 %) by the noncentral t distribution of scipy, of the samples that do not look dependent.
    assert!(one.pass.iter().all(|pass| (pass - 0.41337 * 0.95).abs() < 0.001), "{one:?}");
    assert_eq!(found.all, one.pass);
    let written = format!("repetitions = 5\n{}", most.replace(" }", ", rule = \"as-written\" }"));
    let found = of(&format!("{HEAD}{}", test("T", &written)), 0.05).clauses[0].pass;
    assert!(found.iter().all(|pass| *pass > 0.97), "the value alone: {found:?}");
    let at_it = of(&format!("{HEAD}{}", test("T", &written.replace("10 %", "5 %"))), 0.05).clauses[0].pass;
    // P(COV <= 5 %) by the noncentral t distribution of scipy.
    assert!(at_it.iter().all(|pass| (pass - 0.594).abs() < 0.02), "{at_it:?}");
}

#[test]
fn the_best_of_several_repetitions_passes_as_often_as_the_largest_of_as_many_normal_values() {
    let found = |n: u32, metric: &str| {
        let line = "ior = \"-w -r -C -e\"";
        let keys = format!(
            "repetitions = {n}\nbest_of = \"write.bw\"\n\
             criterion = {{ metric = \"{metric}\", op = \">=\", value = \"1 GB/s\" }}"
        );
        of(&format!("{HEAD}{}", test("T", &keys).replace("ior = \"-w -e\"", line)), 0.05).clauses[0].pass
    };
    // 1 - Φ(z)^n with z = (1 / m - 1) / 0.05 for the means m of 1, 1.05 and 1.1 thresholds.
    for (n, metric, expected) in [
        (3, "write.bw", [87.5, 99.5, 100.0]),
        (5, "write.bw", [96.9, 100.0, 100.0]),
        (5, "read.bw", [50.0, 83.0, 96.5]),
    ] {
        for (found, expected) in found(n, metric).iter().zip(expected) {
            assert!((100.0 * found - expected).abs() < 1.5, "{n} {metric}: {found} {expected}");
        }
    }
}

#[test]
fn clauses_that_cannot_pass_have_a_probability_of_zero() {
    let with = |keys: &str, criterion: &str| {
        of(&format!("{HEAD}{}", test("T", &format!("{keys}\n{criterion}"))), 0.05)
    };
    let mean = criterion("mean", ">=", "1 GB/s");
    for keys in ["repetitions = 1\ncov_max = \"5 %\"", "repetitions = 1\ndecide = { rule = \"lower_bound\" }"]
    {
        assert_eq!(with(keys, &mean).clauses[0].pass, [0.0; 3], "{keys}");
    }
    assert_eq!(with("repetitions = 4", &criterion("median", ">=", "1 GB/s")).clauses[0].pass, [0.0; 3]);
    let least = with("repetitions = 5", &criterion("min", ">=", "1 GB/s"));
    assert_eq!(least.clauses[0].enough, None, "more repetitions do not help a smallest value");
    let errors = "criterion = { metric = \"write.failures\", op = \"==\", value = \"0 count\" }";
    let mdtest = test("T", errors).replace("ior = \"-w -e\"", "mdtest = \"-F -C -n 5\"");
    assert_eq!(of(&format!("{HEAD}{}", mdtest.replace("write.", "file_creation.")), 0.05).clauses, []);
}

/// How often real verdicts about a system of this mean are PASS.
fn passed(plan: &Plan, [own, reference]: [f64; 2], trials: u32) -> f64 {
    let mut dice = Dice::new(33);
    let mut draw = |id: &str, mean: f64| {
        let n = plan.test(id).map_or(0, |test| test.repetitions);
        let all = (1..=n).map(|at| job(id, at, phase("write", (mean * (1.0 + 0.05 * dice.normal())) as u64)));
        all.collect::<Vec<_>>()
    };
    let mut one = || {
        let jobs = [draw("R", reference), draw("T", own)].concat();
        let verdicts = verdicts_of(plan, &campaign(jobs));
        verdicts.iter().find(|verdict| verdict.test == "T").unwrap().outcome == Outcome::Pass
    };
    (0..trials).map(|_| u32::from(one())).sum::<u32>() as f64 / f64::from(trials)
}

#[test]
fn the_probabilities_are_those_of_real_verdicts() {
    let trials = by_set(200, 10_000);
    // Four standard errors of the two shares.
    let reach = 4.0 * (0.25 / f64::from(trials) + 0.25 / 10_000.0).sqrt();
    for (stat, op, value, keys, better) in [
        ("mean", ">=", "1 GB/s", "repetitions = 5", 1.05e9),
        ("mean", "<=", "1 GB/s", "repetitions = 4", 0.95e9),
        ("mean", ">=", "1 GB/s", "repetitions = 3\ncov_max = \"4 %\"", 1.05e9),
        ("median", ">=", "1 GB/s", "repetitions = 8", 1.05e9),
        ("min", ">=", "1 GB/s", "repetitions = 3", 1.05e9),
        ("max", ">=", "1 GB/s", "repetitions = 3", 1.05e9),
        ("mean", ">=", "100% of R.write.bw", "repetitions = 5", 1.05e9),
        ("median", ">=", "100% of R.write.bw", "repetitions = 8", 1.05e9),
        ("min", ">=", "100% of R.write.bw", "repetitions = 3", 1.05e9),
        ("cov", "<=", "10 %", "repetitions = 5", 1e9),
        ("mean", ">=", "1 GB/s", "repetitions = 5\ndecide = { rule = \"as-written\" }", 1.05e9),
    ] {
        let reference = test("R", "repetitions = 8\nrole = \"reported\"");
        let own = test("T", &format!("{keys}\n{}", criterion(stat, op, value)));
        let plan = format!("{HEAD}{reference}{own}").parsed();
        let found = power(&plan, &|_, _| 0.05).clauses[0].pass[1];
        let seen = passed(&plan, [better, 1e9], trials);
        assert!((found - seen).abs() < reach, "{stat} {op} {value}: {found} and {seen}");
    }
}
