//! Campaigns on a substitute file system that answers commands. A file lists its offline servers, and another
//! one holds the sum of their traffic. A program adds 1000 bytes with each job.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::stage::Stage;
use crate::{numbers, of, outcome};
use results::folder::{Campaign, Job, JobEnd};
use results::reason::{Code, Reason, row};
use results::{Outcome, Verdict};
use run::CampaignRequest;
use run::Ended;
use run::Event;
use run::Trouble;
use run::run;

/// During the job, `-j 1` takes a server offline, and `-j 2` hangs as long as the file `.hang` exists.
const PROGRAM: &str = r#"#!/bin/sh
case "$*" in
*"-j 1"*) echo "ost7 is down" > "$0.down" ;;
*"-j 2"*) [ -e "$0.hang" ] && sleep 100 ;;
esac
echo 1000 >> "$0.moved"
for last; do :; done
cp "$0.records" "$last"
"#;

const RECORDS: &str = concat!(
    r#"{"record":"run","schema":1,"tool":"","workload":"ior","argv":[],"started":"","host":"n","ranks":1,"#,
    r#""nodes":1,"clock":{"source":"","resolution_ns":1,"cost_ns":1,"offset_uncertainty_ns":0}}"#,
    "\n",
    r#"{"record":"phase","test":0,"repetition":0,"phase":"write","backend":"posix","file_per_rank":true,"#,
    r#""path":"","ranks":1,"transfer_bytes":1,"block_bytes":1,"segments":1,"expected_bytes":1000,"#,
    r#""bytes":1000,"ops":1,"depth":1,"persisted":false,"direct":false,"ramp_s":0,"counts":"bytes","#,
    r#""began_s":0,"spans":{"open_s":0,"transfer_s":1,"close_s":0,"total_s":1},"#,
    r#""balance":{"bytes_min":0,"bytes_max":0,"seconds_min":0,"seconds_max":0,"slowest_rank":0,"#,
    r#""slowest_node":"","slowest_rate":0,"median_rate":0}}"#,
    "\n",
    r#"{"record":"end","exit":0,"finished":""}"#,
    "\n",
);

/// The keys of a file system that answers commands. `FILE` is the prefix of the names of its files.
const ASKED: &str = "health = \"touch FILE.down; cat FILE.down\"\n\
                     traffic = \"awk '{ sum += $1 } END { print sum + 0 }' FILE.moved\"\n";

const LOST: &str = "[state.lost]\n\
                    degrade = \"echo ost3 is down > FILE.down; echo degrade >> FILE.history\"\n\
                    restore = \"rm FILE.down; echo restore >> FILE.history\"\n";

/// Stops the campaign when it reports a running job, and stores the problems that a user must correct.
#[derive(Default)]
struct Watch {
    stop: Option<Arc<AtomicBool>>,
    troubles: Vec<String>,
}

impl Watch {
    fn see(&mut self, event: &Event<'_>) {
        match (event, &self.stop) {
            (Event::Runs(..), Some(stop)) => stop.store(true, Ordering::Relaxed),
            (Event::Trouble(what), _) => self.troubles.push((*what).to_owned()),
            _ => {}
        }
    }
}

impl Stage {
    fn with_hooks() -> Self {
        let stage = Self::of(PROGRAM);
        stage.write("program.records", RECORDS);
        stage.write("program.moved", "5\n");
        stage
    }

    /// A campaign on a file system with these keys.
    fn asked_with_hooks(&self, keys: &str, tests: &str) -> CampaignRequest {
        let head = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\ndefaults = {{ timeout = \"20 s\" }}\n\
             [fs.s]\ndir = \"{{dir}}\"\n{keys}\n{tests}"
        );
        self.campaign_of(&head.replace("FILE", &self.path("program").to_string_lossy()))
    }

    fn judged_with_hooks(&self, keys: &str, tests: &str) -> Campaign {
        let mut watch = Watch::default();
        match run(&self.asked_with_hooks(keys, tests), &mut |event| watch.see(event)) {
            Ok(Ended::Judged(campaign)) if watch.troubles.is_empty() => *campaign,
            other => panic!("{other:?} {:?}", watch.troubles),
        }
    }
}

/// A test with these additional options and keys.
fn test(id: &str, options: &str, keys: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nior = \"-w -e -F {options}\"\n{keys}\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"50 B/s\" }}\n"
    )
}

fn outcomes(campaign: &Campaign) -> Vec<(&str, Outcome)> {
    campaign.verdicts.iter().map(|verdict| (verdict.test.as_str(), verdict.outcome)).collect()
}

fn verdict<'c>(campaign: &'c Campaign, test: &str) -> &'c Verdict {
    campaign.verdicts.iter().find(|verdict| verdict.test == test).unwrap()
}

fn job<'c>(campaign: &'c Campaign, test: &str) -> &'c Job {
    campaign.jobs.iter().find(|job| job.info.test == test).unwrap()
}

/// The findings about a test, by code.
fn findings<'c>(campaign: &'c Campaign, test: &str, code: Code) -> Vec<&'c Reason> {
    let all = campaign.summary.findings.iter();
    all.filter(|one| one.about == test && one.code() == code).map(|one| &one.reason).collect()
}

/// The error stream of a test that could not be started.
fn not_started<'c>(campaign: &'c Campaign, test: &str) -> &'c str {
    let reason = &verdict(campaign, test).reason;
    assert_eq!(reason.code, Code::JobNotStarted, "{reason}");
    reason.get(row::JobNotStarted::output).unwrap()
}

#[test]
fn a_file_system_is_asked_before_and_after_each_job_and_what_it_says_is_kept() {
    let stage = Stage::with_hooks();
    let others = "setup = [\"echo 700 >> FILE.moved\"]";
    let tests = [test("T", "", others), test("LOST", "-j 1", "")].concat();
    let campaign = stage.judged_with_hooks(ASKED, &tests);
    let info = &job(&campaign, "T").info;
    assert_eq!((&info.down_before, &info.down_after), (&Some(vec![]), &Some(vec![])));
    assert_eq!(info.traffic_bytes, Some(1000), "what its setup moved came before");
    assert_eq!(info.unasked, None);
    let printed =
        |name: &str| stage.text(&format!("campaign/{}/{name}.stdout.txt", job(&campaign, "T").folder));
    assert_eq!((printed("traffic-before-1"), printed("traffic-after-1")), ("705\n".into(), "1705\n".into()));
    let info = &job(&campaign, "LOST").info;
    assert_eq!((&info.down_before, &info.down_after), (&Some(vec![]), &Some(vec!["ost7 is down".into()])));
    assert_eq!(outcomes(&campaign), [("T", Outcome::Pass), ("LOST", Outcome::Invalid)]);
    let reason = &verdict(&campaign, "LOST").reason;
    assert_eq!((reason.code, reason.get(row::Degraded::health)), (Code::Degraded, Some("ost7 is down")));
    assert_eq!(reason.get(row::Degraded::when), Some("after"));
    assert!(findings(&campaign, "T", Code::Exclusive).is_empty());
}

#[test]
fn traffic_of_others_is_found_and_what_parts_of_a_group_move_is_not_theirs() {
    let stage = Stage::with_hooks();
    // After each query of the traffic, other clients move as much as the test.
    let busy =
        ASKED.replace("print sum + 0 }' FILE.moved", "print sum + 0 }' FILE.moved; echo 1000 >> FILE.moved");
    let campaign = stage.judged_with_hooks(&busy, &test("T", "", ""));
    let [exclusive] = findings(&campaign, "T", Code::Exclusive)[..] else { panic!("{campaign:#?}") };
    assert_eq!(numbers(exclusive, ["share", "repetition"]), [Some(0.5), Some(1.0)]);
    assert_eq!(outcomes(&campaign), [("T", Outcome::Pass)], "a person must approve it");

    let stage = Stage::with_hooks();
    let part = |id: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\nior = \"-w -e -F\"\nrole = \"reported\"\n\
             setup = [\"echo 700 >> FILE.moved\"]\n"
        )
    };
    let group = format!("[[group]]\nid = \"G\"\noverlap = \"1 %\"\n{}{}", part("a"), part("b"));
    let campaign = stage.judged_with_hooks(ASKED, &group);
    for id in ["G.a", "G.b"] {
        assert_eq!(job(&campaign, id).info.traffic_bytes, Some(2000));
        assert!(findings(&campaign, id, Code::Exclusive).is_empty());
    }
}

#[test]
fn a_failed_query_makes_the_attempt_invalid() {
    for (health, traffic, said) in [
        (
            "echo no way >&2; exit 3",
            "echo 5",
            "fs.s: the `health` command failed: `echo no way >&2; exit 3` ended with status 3: no way",
        ),
        (
            "true",
            "echo some",
            "fs.s: the `traffic` command failed: `echo some` printed `some` instead of a number of bytes",
        ),
    ] {
        let stage = Stage::with_hooks();
        let keys = format!("health = {health:?}\ntraffic = {traffic:?}\n");
        let campaign = stage.judged_with_hooks(&keys, &test("T", "", ""));
        assert_eq!(job(&campaign, "T").info.end, JobEnd::NotStarted);
        assert_eq!(not_started(&campaign, "T"), said);
        assert_eq!(stage.text("program.moved"), "5\n", "nothing was started");
    }
    let stage = Stage::with_hooks();
    let once = "health = \"[ ! -e FILE.asked ] && touch FILE.asked\"\n";
    let campaign = stage.judged_with_hooks(once, &test("T", "", ""));
    let info = &job(&campaign, "T").info;
    assert_eq!((&info.end, &info.down_after), (&JobEnd::Exit(0), &None), "it had ended");
    let found = verdict(&campaign, "T");
    assert_eq!(outcome(found), (Outcome::Invalid, Code::HealthUnknown));
    let error = found.reason.get(row::HealthUnknown::error).unwrap();
    assert!(error.starts_with("fs.s: the `health` command failed"), "{error}");
}

#[test]
fn a_state_is_made_before_its_first_test_kept_between_its_tests_and_restored_before_the_next() {
    let stage = Stage::with_hooks();
    let lost = "states = [\"lost\"]\nrepetitions = 2";
    let tests =
        [LOST.to_owned(), test("A", "", ""), test("B", "", lost), test("C", "", lost), test("D", "", "")];
    let campaign = stage.judged_with_hooks(ASKED, &tests.concat());
    assert_eq!(stage.text("program.history"), "degrade\nrestore\n");
    let passed = ["A", "B", "C", "D"].map(|id| (id, Outcome::Pass));
    assert_eq!(outcomes(&campaign), passed, "{:#?}", campaign.verdicts);
    for id in ["B", "C"] {
        let warnings = &verdict(&campaign, id).warnings;
        let down = of(warnings, Code::Degraded).unwrap();
        assert_eq!(
            (down.get(row::Degraded::health), down.get(row::Degraded::when)),
            (Some("ost3 is down"), Some("before"))
        );
    }
    let restored = format!("campaign/{}/restore-1.stdout.txt", job(&campaign, "D").folder);
    assert!(stage.path(&restored).exists(), "what the command printed is kept");
}

#[test]
fn a_state_that_takes_nothing_down_or_does_not_come_about_measures_nothing() {
    let stage = Stage::with_hooks();
    let on_it = test("T", "", "states = [\"lost\"]");
    let idle = LOST.replace("echo ost3 is down > FILE.down; ", "").replace("rm FILE.down; ", "");
    let campaign = stage.judged_with_hooks(ASKED, &[idle.as_str(), &on_it].concat());
    assert_eq!(stage.text("program.history"), "degrade\nrestore\n", "the last test needs it no more");
    assert_eq!(outcome(verdict(&campaign, "T")), (Outcome::Invalid, Code::NotDegraded));

    let stage = Stage::with_hooks();
    let failing = LOST.replace("echo degrade >>", "exit 4; echo degrade >>");
    let campaign = stage.judged_with_hooks(ASKED, &[failing.as_str(), &on_it, &test("A", "", "")].concat());
    let said = not_started(&campaign, "T");
    assert!(said.starts_with("state.lost: the `degrade` command failed: `"), "{said}");
    assert_eq!(stage.text("program.history"), "restore\n", "half of it may have been done");
    assert_eq!(verdict(&campaign, "A").outcome, Outcome::Pass);
}

#[test]
fn a_failed_restore_prevents_the_next_test_and_is_reported_at_the_end() {
    let stage = Stage::with_hooks();
    let stuck = LOST.replace("rm FILE.down", "exit 5");
    let tests = [stuck, test("T", "", "states = [\"lost\"]"), test("A", "", "")].concat();
    let mut watch = Watch::default();
    let Ok(Ended::Judged(campaign)) =
        run(&stage.asked_with_hooks(ASKED, &tests), &mut |event| watch.see(event))
    else {
        panic!()
    };
    let said = not_started(&campaign, "A");
    assert!(said.starts_with("fs.s: the `restore` command of state.lost failed: `exit 5; "), "{said}");
    assert!(
        watch.troubles[0].starts_with("fs.s: the `restore` command of state.lost failed: `exit 5; "),
        "{:?}",
        watch.troubles
    );
}

#[test]
fn a_campaign_that_is_stopped_restores_what_it_took_down_and_brings_its_servers_back() {
    let stage = Stage::with_hooks();
    fs::write(stage.path("program.hang"), "").unwrap();
    let servers = "servers = 2\nset_servers = \"echo {servers} > FILE.servers\"\n\
                   count_servers = \"cat FILE.servers\"\n";
    let series = "[[series]]\nid = \"S\"\nover = \"servers\"\nsteps = [\"1\", \"2\"]\n\
                  [[series.phases]]\nid = \"w\"\n\
                  ior = \"-w -e -F -j 2\"\nstates = [\"lost\"]\nrole = \"reported\"\n";
    let mut asked = stage.asked_with_hooks(&[ASKED, servers].concat(), &[LOST, series].concat());
    let mut watch = Watch { stop: Some(Arc::clone(&asked.stop)), ..Watch::default() };
    let ended = run(&asked, &mut |event| watch.see(event)).unwrap();
    assert!(matches!(ended, Ended::Stopped { .. }), "{ended:?}");
    assert_eq!(watch.troubles, [""; 0]);
    assert_eq!(stage.text("program.history"), "degrade\nrestore\n");
    assert_eq!(stage.text("program.servers"), "2\n");

    fs::remove_file(stage.path("program.hang")).unwrap();
    asked.stop.store(false, Ordering::Relaxed);
    asked.resume = true;
    let ended = run(&asked, &mut |_| {}).unwrap();
    let Ended::Judged(campaign) = ended else { panic!("{ended:?}") };
    assert_eq!(stage.text("program.history"), "degrade\nrestore\n".repeat(2), "it is created again");
    let lost = Some(vec!["ost3 is down".to_owned()]);
    assert!(campaign.jobs.iter().all(|job| job.info.down_before == lost && job.info.down_after == lost));
    assert_eq!(campaign.jobs.len(), 2);
}

/// Ends the campaign like a kill, without an end record, when the job of this test starts.
fn killed(asked: &CampaignRequest, at: &'static str) {
    let mut dies = |event: &Event<'_>| {
        if let Event::Starts(job) = event
            && job.test == at
        {
            std::panic::resume_unwind(Box::new("killed"));
        }
    };
    let run = std::panic::AssertUnwindSafe(|| run(asked, &mut dies));
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn a_campaign_that_is_killed_while_something_is_down_has_it_back_before_the_next_test() {
    let stage = Stage::with_hooks();
    let lost = LOST.replace("rm FILE.down;", "grep -q ost3 FILE.down && rm FILE.down &&");
    let tests = [&lost, &test("A", "", "states = [\"lost\"]"), &test("B", "", ""), &test("C", "", "")];
    let mut asked = stage.asked_with_hooks(ASKED, &tests.map(String::as_str).concat());
    killed(&asked, "B");
    asked.resume = true;
    killed(&asked, "C");
    // Nothing is left to restore, so a failure here is no error.
    let mut watch = Watch::default();
    let Ended::Judged(campaign) = run(&asked, &mut |event| watch.see(event)).unwrap() else { panic!() };
    assert_eq!(outcomes(&campaign), ["A", "B", "C"].map(|id| (id, Outcome::Pass)));
    assert_eq!((stage.text("program.history").as_str(), watch.troubles), ("degrade\nrestore\n", vec![]));
}

#[test]
fn a_quota_limits_the_space_and_a_state_without_a_report_is_rejected() {
    let stage = Stage::with_hooks();
    let rejected = |keys: &str, tests: &str| match run(&stage.asked_with_hooks(keys, tests), &mut |_| {}) {
        Err(Trouble::Usage(usage)) => usage.0,
        other => panic!("{other:?}"),
    };
    let (dir, wide) = (stage.path("scratch").canonicalize().unwrap(), test("T", "-t 1m -b 1m", ""));
    let dir = dir.display();
    assert_eq!(
        rejected("quota = \"echo 1000000 -\"", &wide),
        format!(
            "the quota in {dir} leaves 977 KiB, but T needs 1.10 MiB (all files at that time plus \
             10 %). Remove files or choose another directory."
        )
    );
    assert!(
        rejected("quota = \"echo - 0\"", &wide)
            .starts_with(&format!("the quota in {dir} leaves 0 inodes, but"))
    );
    assert_eq!(
        rejected("quota = \"echo unlimited\"", &wide),
        "fs.s: the `quota` command failed: `echo unlimited` printed `unlimited` instead of a number of bytes \
         and a number of files (`-` for no limit)"
    );
    let aged = "[state.aged]\nage = \"--blocks 99.9%\"\n".to_owned();
    let on_it = aged + &test("T", "-t 1m -b 1m", "states = [\"aged\"]");
    let beside = rejected("quota = \"echo 2000000 -\"", &on_it);
    assert!(beside.starts_with("state.aged leaves 0 B of the quota on fs.s, but "), "{beside}");
    let lost = [LOST, &test("T", "", "states = [\"lost\"]")].concat();
    assert_eq!(
        rejected("", &lost),
        "state.lost: fs.s does not report what is offline. Add a `health` command to the file system."
    );
    assert!(!stage.path("campaign").exists(), "rejected before anything is made");
    assert_eq!(outcomes(&stage.judged_with_hooks("quota = \"echo - 50000\"", &wide)), [("T", Outcome::Pass)]);
}
