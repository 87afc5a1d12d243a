//! Estimates of small plans.

use super::*;
use crate::schedule::jobs;

/// A plan with these tables, on two local ranks.
fn plan(tables: &str) -> Plan {
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                defaults = { ranks = 2, timeout = \"1000 s\" }\n";
    Plan::parse(&format!("{head}{tables}"), "p.toml").unwrap()
}

/// The known seconds, whether a part is unknown, and the sources, of all jobs together.
fn all(plan: &Plan, earlier: &EarlierResults) -> (f64, bool, Vec<Basis>) {
    let jobs = jobs(plan, &[]).unwrap();
    let total = total(&jobs, &of_jobs(plan, &jobs, earlier));
    (total.seconds, total.is_open, total.rests_on.into_iter().collect())
}

fn alone(tables: &str) -> (f64, bool, Vec<Basis>) {
    all(&plan(tables), &EarlierResults::default())
}

const MIB: f64 = 1024.0 * 1024.0;

#[test]
fn a_threshold_gives_the_time_of_a_system_that_just_meets_it() {
    let bw = "[[test]]\nid = \"W\"\nior = \"-w -t 1m -b 50m\"\nrepetitions = 3\n\
              criterion = { metric = \"write.bw\", op = \">=\", value = \"10 MiB/s\" }\n";
    assert_eq!(alone(bw), (3.0 * (10.0 + START_S), false, vec![Basis::Threshold]));
    let iops = "[[test]]\nid = \"W\"\nior = \"-w -z -t 64k -b 1m\"\nrepetitions = 1\n\
                criterion = { metric = \"write.iops\", op = \">=\", value = \"8/s\" }\n";
    assert_eq!(alone(iops).0, 4.0 + START_S);
    let md = "[[test]]\nid = \"M\"\nmdtest = \"-n 500 -F -C\"\nrepetitions = 1\n\
              criterion = { metric = \"file_creation.rate\", op = \">=\", value = \"100/s\" }\n";
    assert_eq!(alone(md), (10.0 + START_S, false, vec![Basis::Threshold]));
}

#[test]
fn a_benchmark_of_md_workbench_takes_its_own_time_or_that_of_one_kind_of_operation() {
    let test = |metric: &str| {
        alone(&format!(
            "[[test]]\nid = \"M\"\nmd_workbench = \"-P 5 -I 50 -D 2 -R 3\"\nrepetitions = 1\n\
             criterion = {{ metric = \"{metric}\", op = \">=\", value = \"100/s\" }}\n"
        ))
    };
    let objects = 2.0 * 2.0 * 50.0 * 3.0;
    assert_eq!(test("benchmark.rate"), (4.0 * objects / 100.0 + START_S, true, vec![Basis::Threshold]));
    assert_eq!(test("benchmark_read.rate"), (objects / 100.0 + START_S, true, vec![Basis::Threshold]));
    assert_eq!(test("cleanup.rate").0, 2.0 * 2.0 * 6.0 / 100.0 + START_S);
}

#[test]
fn the_limit_of_an_iteration_of_md_workbench_limits_its_benchmarks_together() {
    let test = |limit: &str, metric: &str| {
        alone(&format!(
            "[[test]]\nid = \"M\"\nmd_workbench = \"-P 5 -I 50 -D 2 -R 3 {limit}\"\nrepetitions = 1\n\
             criterion = {{ metric = \"{metric}\", op = \">=\", value = \"100/s\" }}\n"
        ))
    };
    assert_eq!(test("-w 2", "benchmark.rate"), (3.0 * 2.0 + START_S, true, vec![Basis::Deadline]));
    assert_eq!(test("-w 100", "benchmark.rate"), test("", "benchmark.rate"), "the rate ends it earlier");
    let cleanup = 2.0 * 2.0 * 6.0 / 100.0;
    assert_eq!(test("-w 2", "cleanup.rate").0, 3.0 * 2.0 + cleanup + START_S, "only benchmarks have a limit");
}

#[test]
fn a_share_of_another_test_is_followed_to_its_threshold() {
    let text = "[[test]]\nid = \"W\"\nior = \"-w -t 1m -b 50m\"\nrepetitions = 1\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"10 MiB/s\" }\n\
                [[test]]\nid = \"H\"\nior = \"-w -t 1m -b 50m\"\nrepetitions = 1\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"50 % of W.write.bw\" }\n";
    assert_eq!(alone(text).0, 10.0 + 20.0 + 2.0 * START_S);
}

#[test]
fn a_deadline_a_rate_limit_and_a_minimum_time_are_used() {
    let test = |ior: &str, more: &str| {
        alone(&format!("[[test]]\nid = \"W\"\nior = \"{ior}\"\nrepetitions = 1\nrole = \"reported\"\n{more}"))
    };
    assert_eq!(test("-w -t 1m -b 50m -D 30", ""), (30.0 + START_S, false, vec![Basis::Deadline]));
    let limited = test("-w -t 1m -b 50m --rate=20MiB/s", "");
    assert_eq!(limited, (5.0 + START_S, false, vec![Basis::RateLimit]));
    let sustained = test("-w -t 1m -b 50m --rate=20MiB/s", "sustained = \"60 s\"\n");
    assert_eq!(sustained, (60.0 + START_S, false, vec![Basis::MinimumTime]));
}

#[test]
fn what_is_not_known_is_unknown_and_makes_the_total_a_lower_limit() {
    let reported = "[[test]]\nid = \"U\"\nior = \"-w -t 1m -b 50m\"\nrepetitions = 1\nrole = \"reported\"\n";
    assert_eq!(alone(reported), (0.0, true, vec![]));
    let known = "[[test]]\nid = \"W\"\nior = \"-w -t 1m -b 50m\"\nrepetitions = 1\n\
                 criterion = { metric = \"write.bw\", op = \">=\", value = \"10 MiB/s\" }\n";
    assert_eq!(alone(&format!("{reported}{known}")), (10.0 + START_S, true, vec![Basis::Threshold]));
}

#[test]
fn a_job_that_cannot_meet_its_time_limit_ends_with_it() {
    let text = "[[test]]\nid = \"W\"\nior = \"-w -t 1m -b 50m\"\nrepetitions = 1\ntimeout = \"4 s\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"10 MiB/s\" }\n";
    assert_eq!(alone(text), (4.0, false, vec![Basis::Threshold, Basis::TimeLimit]));
}

#[test]
fn an_earlier_campaign_gives_the_time_of_the_same_job_and_the_rate_of_another_size() {
    let text = |block: &str| {
        format!(
            "[[test]]\nid = \"W\"\nior = \"-w -t 1m -b {block}\"\nrepetitions = 2\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    let before = plan(&text("50m"));
    let seconds = |job: &PlannedJob| Some(if job.repetition == 1 { 6.0 } else { 8.0 });
    let rate = [("W".to_owned(), "write.bw".to_owned(), 25.0 * MIB)];
    let earlier = EarlierResults::new(&jobs(&before, &[]).unwrap(), &seconds, rate);
    assert_eq!(all(&before, &earlier), (14.0, false, vec![Basis::EarlierJob]));
    let larger = plan(&text("100m"));
    assert_eq!(all(&larger, &earlier), (2.0 * (8.0 + START_S), false, vec![Basis::EarlierRate]));
}

#[test]
fn parts_of_a_group_run_at_the_same_time() {
    let text = "[[group]]\nid = \"G\"\nrepetitions = 1\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"20 MiB/s\" }\n\
                [[group.parts]]\nid = \"a\"\nior = \"-w -t 1m -b 50m -F\"\n\
                [[group.parts]]\nid = \"b\"\nior = \"-w -t 1m -b 50m -F\"\n";
    assert_eq!(alone(text), (10.0 + START_S, false, vec![Basis::Threshold]));
}
