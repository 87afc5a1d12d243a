//! Series of numbers of servers. The servers of the test file system are a number in a file. The test program
//! moves 100 bytes per second for each server.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use crate::numbers;
use crate::stage::{Stage, run_to_end};
use plan::{Choice, Plan};
use results::answers::AnsweredCell;
use results::folder::{Campaign, JobEnd};
use results::reason::{Code, row};
use results::summary::Model;
use results::{Outcome, Verdict};
use run::CampaignRequest;
use run::Ended;
use run::Event;
use run::run;

/// Records the bytes that the servers move. `$0.loss` is the percentage that the last step loses. With
/// `$0.jitter`, every other call is slower by that percentage.
const PROGRAM: &str = r#"#!/bin/sh
servers=$(cat "$0.servers")
rate=$((servers * 100))
if [ "$servers" = 6 ] && [ -e "$0.loss" ]; then rate=$((rate * (100 - $(cat "$0.loss")) / 100)); fi
calls=0
if [ -e "$0.calls" ]; then calls=$(wc -l < "$0.calls"); fi
if [ -e "$0.jitter" ] && [ $((calls % 2)) = 1 ]; then rate=$((rate * (100 - $(cat "$0.jitter")) / 100)); fi
case "$*" in *" -r "*) phase=read ;; *) phase=write ;; esac
echo "$*" >> "$0.calls"
for last; do :; done
spans='{"open_s":0,"transfer_s":1,"close_s":0,"total_s":1}'
clock='{"source":"","resolution_ns":1,"cost_ns":1,"offset_uncertainty_ns":0}'
balance='{"bytes_min":0,"bytes_max":0,"seconds_min":0,"seconds_max":0,"slowest_rank":0'
balance=$balance',"slowest_node":"","slowest_rate":0,"median_rate":0}'
sizes='"ranks":1,"transfer_bytes":1,"block_bytes":1,"segments":1,"expected_bytes":'$rate',"bytes":'$rate
run='"schema":1,"tool":"","workload":"ior","argv":[],"started":"","host":"n","ranks":1,"nodes":2'
{
echo '{"record":"run",'$run',"clock":'$clock'}'
printf '{"record":"phase","test":0,"repetition":0,"phase":"%s","backend":"posix",' $phase
printf '"file_per_rank":true,"path":"",%s,"ops":1,"began_s":0,' "$sizes"
printf '"persisted":true,"direct":false,"ramp_s":0,"counts":"bytes","depth":1,"cached_before":0,'
printf '"spans":%s,"balance":%s,' "$spans" "$balance"
echo '"smallest_file_bytes":'$((servers * 10485760 + 7))'}'
echo '{"record":"end","exit":0,"finished":""}'
} > "$last"
"#;

const SERIES: &str = r#"
[[series]]
id = "S"
clause = "scales within 10 % of linear"
over = "servers"
steps = ["1", "1/3", "2/3", "3/3"]
repetitions = 2
[[series.phases]]
id = "w"
ior = "-w -e -k -F -D 5 -t 1m -b 4g"
exports = { SMALLEST = "min(file.size)" }
setup = ["echo set up {dir}"]
criterion = { metric = "write.bw", linear_within = "10%" }
[[series.phases]]
id = "r"
ior = "-r -k -F -D 5 -t 1m -b ${SMALLEST}"
uses = "w"
criterion = { metric = "read.bw", linear_within = "10%" }
"#;

impl Stage {
    fn new() -> Self {
        let stage = Self::of(PROGRAM);
        stage.write("program.servers", "6\n");
        stage
    }

    /// A campaign whose `set_servers` is this command.
    fn completed(&self, set: &str) -> Campaign {
        self.completed_with(set, "", "")
    }

    /// The same with keys of the plan, and with tables after the series.
    fn completed_with(&self, set: &str, keys: &str, tables: &str) -> Campaign {
        run_to_end(&self.request(set, keys, tables))
    }

    fn request(&self, set: &str, keys: &str, tables: &str) -> CampaignRequest {
        let state = self.path("program.servers").to_string_lossy().into_owned();
        let set = set.replace("FILE", &state);
        let head = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\"{keys} }}\nlaunch = {{ kind = \"local\" }}\n\
             [fs.s]\ndir = \"{{dir}}\"\nservers = 6\nset_servers = '''{set}'''\n\
             count_servers = \"cat {state}\"\n"
        );
        self.campaign_of(&format!("{head}{SERIES}{tables}"))
    }

    /// Runs a campaign that stops when a job of this test has ended.
    fn run_until(&self, asked: &CampaignRequest, test: &'static str) {
        let mut stop_after = |event: &Event<'_>| match event {
            Event::Ends(job, _) if job.test == test => asked.stop.store(true, Ordering::Relaxed),
            Event::Trouble(what) => panic!("{what}"),
            _ => {}
        };
        let ended = run(asked, &mut stop_after);
        assert!(matches!(ended, Ok(Ended::Stopped { .. })), "{ended:?}");
        asked.stop.store(false, Ordering::Relaxed);
    }
}

/// The projections of the series, and a hero run that is compared with its last step.
const PROJECTIONS: &str = r#"
[[test]]
id = "H"
ior = "-w -e -F -t 8m"
role = "hero"
compare_to = "S.s6.w"
[[projection]]
of = "S.s6.w.write.bw"
from = "S.w"
to = 12
system = "B"
[[projection]]
of = "S.s6.w.write.bw"
from = "S.w"
to = 60
system = "B"
[system.A]
processor = "a"
clock = "2 GHz"
interconnect = "i"
cores = 8
[system.B]
processor = "b"
clock = "3 GHz"
interconnect = "i"
cores = "16"
"#;

fn outcomes(verdicts: &[Verdict]) -> Vec<(&str, Outcome)> {
    verdicts.iter().map(|verdict| (verdict.test.as_str(), verdict.outcome)).collect()
}

#[test]
fn each_step_is_compared_with_the_first_and_reads_what_it_wrote() {
    let stage = Stage::new();
    let campaign = stage.completed("echo {servers} > FILE; echo {servers} >> FILE.history");
    let passed = ["S.s2.w", "S.s2.r", "S.s4.w", "S.s4.r", "S.s6.w", "S.s6.r"].map(|id| (id, Outcome::Pass));
    assert_eq!(outcomes(&campaign.verdicts), passed);
    let criterion = &campaign.verdicts[0].criterion;
    assert_eq!(criterion, "mean >= 90 % of linear from S.s1.w (1 to 2 servers)");
    assert_eq!(campaign.verdicts[4].threshold, Some(540.0));
    assert_eq!(
        stage.text("program.servers.history"),
        "1\n2\n4\n6\n",
        "servers are set only if their number changes"
    );
    let calls = stage.text("program.calls");
    assert_eq!(calls.lines().count(), 16);
    assert!(
        calls.contains("-r -k -F -D 5 -t 1m -b 20971520 "),
        "the smallest file, in whole transfers: {calls}"
    );
    let job = campaign.jobs.iter().find(|job| job.info.test == "S.s2.w").unwrap();
    let printed = ["servers-1", "servers-2", "setup-1"]
        .map(|name| stage.text(&format!("campaign/{}/{name}.stdout.txt", job.folder)));
    assert!(printed[0].is_empty() && printed[1] == "2\n", "{printed:?}");
    assert!(printed[2].starts_with("set up ") && printed[2].ends_with("/tests/S.s2.w-r1\n"), "{printed:?}");
}

#[test]
fn a_step_below_the_limit_fails_and_all_servers_are_online_again() {
    let stage = Stage::new();
    fs::write(stage.path("program.loss"), "15").unwrap();
    let campaign = stage.completed("echo {servers} > FILE");
    let failed: Vec<&str> = campaign
        .verdicts
        .iter()
        .filter(|verdict| verdict.outcome == Outcome::Fail)
        .map(|verdict| verdict.test.as_str())
        .collect();
    assert_eq!(failed, ["S.s6.w", "S.s6.r"]);
    let reason = &campaign.verdicts[4].reason;
    assert_eq!(reason.code, Code::ThresholdNotMet);
    assert_eq!(numbers(reason, ["value", "threshold"]), [Some(510.0), Some(540.0)]);
    assert_eq!(
        reason.get(row::ThresholdNotMet::reference),
        Some("90 % of linear from S.s1.w (1 to 6 servers)")
    );
    assert_eq!(stage.text("program.servers"), "6\n");
}

#[test]
fn a_directory_is_created_after_the_servers_of_its_step_are_set() {
    let stage = Stage::new();
    let scratch = stage.path("scratch").display().to_string();
    stage.completed(&format!(
        "echo {{servers}} > FILE; find {scratch} -name 'S.s*' >> FILE.there.{{servers}}"
    ));
    for servers in [1, 2, 4, 6] {
        let there = stage.text(&format!("program.servers.there.{servers}"));
        assert!(!there.contains(&format!("/S.s{servers}.")), "{servers}: {there}");
    }
}

/// A series that ends with few servers, and a test after it.
const SERIES_AND_TEST: &str = r#"
[[series]]
id = "T"
over = "servers"
steps = ["2/3", "1/3"]
[[series.phases]]
id = "w"
ior = "-w -e -F -D 5 -t 1m -b 4g"
criterion = { metric = "write.bw", linear_within = "10%" }
[[test]]
id = "A"
ior = "-w -e -F -t 1m -b 4g"
criterion = { metric = "write.bw", op = ">=", value = "600 B/s" }
"#;

/// A series that ends with few servers, and nothing after it.
const LAST_SERIES: &str = r#"
[[series]]
id = "T"
over = "servers"
steps = ["2/3", "1/3"]
[[series.phases]]
id = "w"
ior = "-w -F -D 5 -t 1m -b 4g"
criterion = { metric = "write.bw", linear_within = "10%" }
"#;

#[test]
fn a_test_without_a_number_of_servers_runs_on_all_of_them() {
    let stage = Stage::new();
    let campaign =
        stage.completed_with("echo {servers} > FILE; echo {servers} >> FILE.history", "", SERIES_AND_TEST);
    let verdict = campaign.verdicts.iter().find(|verdict| verdict.test == "A").unwrap();
    assert_eq!(verdict.outcome, Outcome::Pass, "{verdict:#?} {}", stage.text("program.servers.history"));
}

#[test]
fn a_stopped_campaign_brings_all_servers_online() {
    let stage = Stage::new();
    let asked = stage.request("sleep 0.2; echo {servers} > FILE", "", "");
    stage.run_until(&asked, "S.s2.w");
    assert_eq!(stage.text("program.servers"), "6\n");
}

#[test]
fn a_campaign_that_was_killed_with_few_servers_sets_them_again() {
    let stage = Stage::new();
    let mut asked = stage.request("echo {servers} > FILE", "", SERIES_AND_TEST);
    stage.run_until(&asked, "T.s2.w");
    // A kill leaves the setting of the last step.
    fs::write(stage.path("program.servers"), "2\n").unwrap();
    asked.resume = true;
    let Ok(Ended::Judged(campaign)) = run(&asked, &mut |_| {}) else { panic!() };
    let verdict = campaign.verdicts.iter().find(|verdict| verdict.test == "A").unwrap();
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Pass, Some(600.0)), "{verdict:#?}");
    assert_eq!(stage.text("program.servers"), "6\n");
}

#[test]
fn after_a_failed_set_servers_command_the_servers_are_set_again_for_the_next_test_and_at_the_end() {
    let stage = Stage::new();
    let campaign = stage.completed_with("echo {servers} > FILE; [ {servers} -gt 4 ]", "", SERIES_AND_TEST);
    let verdict = campaign.verdicts.iter().find(|verdict| verdict.test == "A").unwrap();
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Pass, Some(600.0)), "{verdict:#?}");
    let stage = Stage::new();
    stage.completed_with("echo {servers} > FILE; [ {servers} -gt 4 ]", "", LAST_SERIES);
    assert_eq!(stage.text("program.servers"), "6\n");
}

#[test]
fn a_daemon_that_a_command_starts_does_not_block_the_campaign() {
    let stage = Stage::new();
    let daemon = "setsid sleep 20 >FILE.out 2>&1 & echo $! >> FILE.daemons";
    let mut asked = stage.request(&format!("echo {{servers}} > FILE; {daemon}"), "", "");
    let held = "setup = [\"echo set up {dir}\"]";
    assert!(SERIES.contains(held));
    let daemon = format!(
        "setsid sleep 20 >/dev/null 2>&1 & echo $! >> {}",
        stage.path("program.servers.daemons").display()
    );
    let text = asked.plan.text.replace(held, &format!("setup = ['''{daemon}''']"));
    asked.plan = Plan::recorded(&text, "p.toml", &Choice::default()).unwrap();
    stage.run_until(&asked, "S.s2.w");
    let folder = fs::canonicalize(stage.path("campaign")).unwrap();
    let daemons = stage.text("program.servers.daemons");
    let open = |process: &str| -> Vec<PathBuf> {
        let all = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        all.filter_map(|fd| fs::read_link(fd.path()).ok()).filter(|file| file.starts_with(&folder)).collect()
    };
    let held: Vec<PathBuf> = daemons.lines().flat_map(open).collect();
    assert_eq!(held, Vec::<PathBuf>::new());
    assert!(daemons.lines().any(|process| PathBuf::from(format!("/proc/{process}")).exists()), "{daemons}");
    asked.resume = true;
    let ended = run(&asked, &mut |_| {});
    for process in stage.text("program.servers.daemons").lines() {
        let _ = std::process::Command::new("kill").arg(process).status();
    }
    assert!(matches!(ended, Ok(Ended::Judged(_))), "{ended:?}");
}

#[test]
fn a_job_does_not_start_if_the_number_of_servers_is_wrong() {
    let stage = Stage::new();
    let campaign = stage.completed("echo bring on {servers}");
    assert_eq!(campaign.jobs[0].info.end, JobEnd::NotStarted);
    let error = stage.text(&format!("campaign/{}/stderr.txt", campaign.jobs[0].folder));
    assert!(error.starts_with("fs.s: 1 server should be online, but `cat "), "{error}");
    assert!(error.ends_with("` printed `6`\n"), "{error}");
    assert!(campaign.verdicts.iter().all(|verdict| verdict.outcome != Outcome::Pass));
}

#[test]
fn the_summary_has_rates_hero_runs_and_accepted_or_rejected_projections() {
    let stage = Stage::new();
    let keys = ", report = \"procurement\", system = \"A\"";
    let campaign = stage.completed_with("echo {servers} > FILE", keys, PROJECTIONS);
    let summary = &campaign.summary;
    assert_eq!((summary.layout.as_str(), summary.measured_on.as_str()), ("procurement", "A"));
    let rates: Vec<(&str, Option<f64>)> =
        summary.rates.iter().map(|rate| (rate.test.as_str(), rate.mean)).collect();
    assert_eq!((rates.len(), rates[0], rates[8]), (9, ("S.s1.w", Some(100.0)), ("H", Some(600.0))));
    let step = summary.rates[0].step.as_ref().expect("a step of the series");
    assert_eq!(
        (step.series.as_str(), step.name.as_str(), step.over.as_str(), step.at),
        ("S", "w", "servers", 1.0)
    );
    assert_eq!(summary.rates[8].step, None, "a hero run is no step");
    let hero = &summary.heroes[0];
    assert_eq!((hero.contract.as_str(), hero.hero_mean, hero.contract_mean), ("S.s6.w", 600.0, 600.0));
    let [near, far] = &summary.projections[..] else { panic!("{:#?}", summary.projections) };
    assert!((near.rate.unwrap() - 1200.0).abs() < 1e-6, "{near:#?}");
    assert_eq!((near.factor, &near.rejection, near.system.as_str()), (2.0, &None, "B"));
    assert_eq!(near.model.map(|fit| fit.model), Some(Model::Linear));
    assert_eq!(far.rate, None, "a projection to ten times the largest step is rejected");
    let rejection = far.rejection.as_ref().unwrap();
    assert_eq!((rejection.code, rejection.get(row::TooFar::factor)), (Code::TooFar, Some(10.0)));
    let again = crate::summary(&Plan::recorded(&campaign.plan, "p", &Choice::default()).unwrap(), &campaign);
    assert_eq!(again, *summary, "the same folder gives the same summary");
}

/// A test with a required rate, and its projection to twice as many servers.
const REQUIRED_RATE: &str = r#"
[[test]]
id = "A"
ior = "-w -F -t 1m -b 4g"
criterion = { metric = "write.bw", op = ">=", value = "1170 B/s" }
[[projection]]
of = "A.write.bw"
from = "S.w"
to = 12
system = "B"
[system.B]
processor = "b"
clock = "3 GHz"
interconnect = "i"
cores = 16
"#;

#[test]
fn a_projection_whose_interval_contains_the_threshold_does_not_decide() {
    for (value, is_accepted) in [("1170 B/s", false), ("300 B/s", true)] {
        let stage = Stage::new();
        fs::write(stage.path("program.jitter"), "6").unwrap();
        let tables = REQUIRED_RATE.replace("1170 B/s", value);
        let campaign = stage.completed_with("echo {servers} > FILE", ", report = \"procurement\"", &tables);
        let [projected] = &campaign.summary.projections[..] else { panic!("{:#?}", campaign.summary) };
        let rejection = projected.rejection.as_ref().map(|rejection| rejection.code);
        assert_eq!(rejection, (!is_accepted).then_some(Code::ThresholdInInterval), "{value}: {projected:#?}");
        assert!(projected.rate.is_some(), "{projected:#?}");
        let required = value.split_once(' ').and_then(|(number, _)| number.parse().ok());
        assert_eq!(projected.threshold, required);
    }
}

/// A sheet with the projection and with the measured rate of test A.
const SHEET: &str = r#"
[[answer]]
id = "offer"
title = "offer"
labels = ["System"]
columns = [{ title = "Write", metric = "write.bw", unit = "MB/s" }, { title = "Nodes", fact = "nodes" }]
rows = [{ labels = ["B"], of = ["A"], system = "B" }, { labels = ["A"], of = ["A"] }]
"#;

#[test]
fn a_cell_for_another_system_has_the_accepted_projection_and_no_rejected_one() {
    for (value, is_accepted) in [("1170 B/s", false), ("300 B/s", true)] {
        let stage = Stage::new();
        fs::write(stage.path("program.jitter"), "6").unwrap();
        let tables = REQUIRED_RATE.replace("1170 B/s", value) + SHEET;
        let campaign = stage.completed_with("echo {servers} > FILE", "", &tables);
        let plan = Plan::recorded(&campaign.plan, "p", &Choice::default()).unwrap();
        let sheet = judge::answers(&plan, &crate::with_arguments(&campaign)).remove(0);
        let cells: Vec<&AnsweredCell> = sheet.lines.iter().flat_map(|line| &line.cells).collect();
        let [AnsweredCell::Value(projected), nodes, AnsweredCell::Value(measured), _] = &cells[..] else {
            panic!("{cells:#?}")
        };
        let projection = &campaign.summary.projections[0];
        assert_eq!(projected.projection.as_ref(), Some(projection), "the cell is marked");
        let code = projected.reason.as_ref().map(|reason| reason.code);
        let (outcome, rejection) = match is_accepted {
            true => (Outcome::Pass, None),
            false => (Outcome::Invalid, Some(Code::ThresholdInInterval)),
        };
        assert_eq!((projected.outcome, code), (outcome, rejection), "{value}");
        assert_eq!(projected.value, projection.rate.filter(|_| is_accepted));
        assert_eq!(**nodes, AnsweredCell::Fact(String::new()), "servers were projected, not nodes");
        assert!(measured.projection.is_none() && measured.value.is_some(), "{measured:#?}");
    }
}
