//! Campaigns with a test program: a shell script that copies records.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::stage::{Stage, run_to_end};
use crate::{numbers, outcome};
use plan::line::Line;
use results::Outcome;
use results::folder::{Campaign, JobEnd, load};
use results::reason::{Code, any, row};
use results::record::{End, Phase, Record, Run, Spans};
use run::CampaignRequest;
use run::Ended;
use run::Event;
use run::Trouble;
use run::run;

/// Keeps a list of its calls. `-j 1` fails, `-j 2` hangs with a child, `-j 3` hangs and ignores SIGTERM, and
/// `-j 4` writes invalid records.
const SCRIPT: &str = r#"#!/bin/sh
echo "$*" >> "$0.calls"
for last; do :; done
case "$*" in
*"-j 1"*) echo "no luck" >&2; exit 4 ;;
*"-j 2"*) sleep 100 & echo $! $$ > "$0.pids"; wait ;;
*"-j 4"*) printf 'none\nof them\n' > "$last"; exit 0 ;;
*"-j 3"*) trap '' TERM; sleep 100 & echo $! $$ > "$0.pids"; wait ;;
esac
previous=
for word; do
    if [ "$previous" = -o ]; then head -c 1M /dev/zero > "$word"; fi
    previous=$word
done
sed "s/\"ranks\":1,\"nodes\"/\"ranks\":$2,\"nodes\"/" "$0.records" > "$last"
"#;

impl Stage {
    fn with_records() -> Self {
        let stage = Self::of(SCRIPT);
        // 1 MiB in half a second.
        let spans = Spans { transfer_s: 0.5, total_s: 0.5, ..Default::default() };
        let phase = |name: &str| {
            Record::Phase(Box::new(Phase {
                phase: name.into(),
                path: "data".into(),
                bytes: 1 << 20,
                ops: 1,
                spans,
                persisted: true,
                cached_before: (name == "read").then_some(0.0),
                ..Default::default()
            }))
        };
        let records = [
            Record::Run(Run { ranks: 1, workload: "ior".into(), ..Run::default() }),
            phase("write"),
            phase("read"),
            Record::End(End::default()),
        ];
        let lines: Vec<String> =
            records.iter().map(|record| serde_json::to_string(record).unwrap() + "\n").collect();
        stage.write("program.records", &lines.concat());
        stage
    }

    fn calls(&self) -> Vec<String> {
        self.text("program.calls").lines().map(str::to_owned).collect()
    }

    fn script_request(&self, tests: &str, resume: bool) -> CampaignRequest {
        let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                    launch = { kind = \"local\", env = { ASSAY_COLOUR = \"blue\" } }\n";
        let mut asked = self.campaign_of(&format!("{head}{tests}"));
        asked.resume = resume;
        for (name, value) in [("SLURM_PROCID", "0"), ("SECRET", "not recorded")] {
            asked.environment.push((name.into(), value.into()));
        }
        asked
    }

    fn completed_run(&self, tests: &str, resume: bool) -> Campaign {
        run_to_end(&self.script_request(tests, resume))
    }

    fn scratch(&self) -> Vec<String> {
        entries(&self.path("scratch"))
    }
}

fn entries(dir: &Path) -> Vec<String> {
    let found =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = found.collect();
    names.sort();
    names
}

/// Whether a killed process ends within a minute. It may take time on a busy machine.
fn ends_soon(pid: &str) -> bool {
    let begin = Instant::now();
    while alive(pid) && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    !alive(pid)
}

fn alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z"))
}

/// Stops the campaign when job `at` runs and has written its process ids.
fn stop_at(at: u32, pids: &Path, stop: &AtomicBool) -> impl FnMut(&Event<'_>) {
    move |event| {
        if let Event::Runs(job, _) = event
            && job.number == at
            && fs::read_to_string(pids).is_ok_and(|pids| pids.ends_with('\n'))
        {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

const CRITERION: &str = "criterion = { metric = \"write.bw\", op = \">=\", value = \"50 B/s\" }";
const READ_CRITERION: &str = "criterion = { metric = \"read.bw\", op = \">=\", value = \"50 B/s\" }";

fn two_tests() -> String {
    format!(
        "[dataset.d]\nior = \"-w -k\"\nranks = 3\n\
         [[test]]\nid = \"W\"\nior = \"-w -e\"\nrepetitions = 2\n{CRITERION}\n\
         [[test]]\nid = \"R\"\nuses = \"dataset.d\"\nior = \"-r -k -O x={{dir}}/s\"\n{READ_CRITERION}\n"
    )
}

#[test]
fn a_campaign_runs_its_jobs_keeps_the_evidence_and_removes_its_files() {
    let stage = Stage::with_records();
    fs::write(stage.path("scratch/mine"), "precious").unwrap();
    let campaign = stage.completed_run(&two_tests(), false);
    let outcomes: Vec<Outcome> = campaign.verdicts.iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [Outcome::Pass, Outcome::Pass]);
    let scratch = stage.path("scratch").canonicalize().unwrap();
    let data = scratch.join("campaign.data").to_string_lossy().into_owned();
    let own = " --progress .progress.json --record records.jsonl";
    let text = " --data-of=campaign.data";
    assert_eq!(
        stage.calls(),
        [
            format!("-n 1 ior -w -e -l stamped -o {data}/tests/W-r1/data{text}/tests/W-r1{own}"),
            format!("-n 1 ior -w -e -l stamped -o {data}/tests/W-r2/data{text}/tests/W-r2{own}"),
            format!("-n 3 ior -w -k -l stamped -o {data}/datasets/d/data{own}"),
            format!("-n 1 ior -r -k -O x={data}/datasets/d/s -l stamped -o {data}/datasets/d/data{own}"),
        ]
    );
    assert_eq!(stage.scratch(), ["mine"], "its own directory is removed, the file of the user stays");
    assert_eq!(
        entries(&stage.path("campaign/jobs")),
        ["0001-W-r1", "0002-W-r2", "0003-dataset.d-r1", "0004-R-r1"]
    );
    assert_eq!(
        entries(&stage.path("campaign/jobs/0001-W-r1")),
        ["job.json", "records.jsonl", "stderr.txt", "stdout.txt"]
    );
    let env = &campaign.jobs[0].info.env;
    assert_eq!(env.keys().map(String::as_str).collect::<Vec<_>>(), ["ASSAY_COLOUR", "PATH"]);
    assert!(campaign.before.is_some() && campaign.after.is_some());
    assert_eq!(
        load(&stage.path("campaign")).unwrap(),
        campaign,
        "the evaluated campaign is that in the folder"
    );
    assert_eq!(results::folder::check(&stage.path("campaign")).unwrap().said(), Vec::<String>::new());
}

#[test]
fn files_of_others_in_the_campaigns_directory_stay() {
    let stage = Stage::with_records();
    let mut asked = stage.script_request(&two_tests(), false);
    let note = stage.path("scratch/campaign.data/note");
    asked.only = vec!["W".into()];
    let mut write_note = |_: &Event<'_>| drop(fs::write(&note, "keep me"));
    run(&asked, &mut write_note).unwrap();
    assert_eq!(fs::read_to_string(note).unwrap(), "keep me");
}

#[test]
fn a_stopped_campaign_resumes_at_the_first_job_that_has_not_ended() {
    let stage = Stage::with_records();
    let hanging = two_tests().replace("-r -k", "-r -k -j 2");
    let mut stopping = stage.script_request(&hanging, false);
    let pids = stage.path("program.pids");
    let ended = run(&stopping, &mut stop_at(4, &pids, &stopping.stop)).unwrap();
    assert!(matches!(ended, Ended::Stopped { done: 3, of: 4 }), "{ended:?}");
    let written = fs::read_to_string(&pids).unwrap();
    assert!(written.split_whitespace().all(ends_soon), "the job and its child have ended: {written}");
    fs::remove_file(&pids).unwrap();
    assert_eq!(stage.scratch(), ["campaign.data"], "the dataset stays for the other jobs");

    // The job no longer hangs, and the plan is the same.
    let script = SCRIPT.replace("*\"-j 2\"*) ", "*\"-j 9\"*) ");
    stopping.stop.store(false, Ordering::Relaxed);
    stopping.resume = true;
    stage.write_program(&script);
    let rejected = run(&stopping, &mut |_| {}).unwrap_err().to_string();
    assert!(rejected.contains("was started by another build of test-program 1."), "{rejected}");
    stage.write_program(SCRIPT);
    let ended = run(&stopping, &mut stop_at(4, &pids, &stopping.stop)).unwrap();
    assert!(matches!(ended, Ended::Stopped { done: 3, of: 4 }), "{ended:?}");
    assert_eq!(stage.calls().len(), 5, "only the job that had not ended ran again");
    let loaded = load(&stage.path("campaign")).unwrap();
    assert_eq!(loaded.killed, ["jobs/.0004-R-r1", "jobs/0004-R-r1.killed-1"], "every attempt is kept");

    let changed = stage.script_request(&two_tests(), true);
    let rejected = run(&changed, &mut |_| {}).unwrap_err().to_string();
    assert!(rejected.contains("was started with another plan text."), "{rejected}");
}

#[test]
fn a_resumed_campaign_has_the_verdicts_of_one_that_was_never_stopped() {
    let stage = Stage::with_records();
    let tests = two_tests();
    let asked = stage.script_request(&tests, false);
    let mut stop_before = |event: &Event<'_>| {
        if let Event::Ends(job, _) = event
            && job.number == 2
        {
            asked.stop.store(true, Ordering::Relaxed);
        }
    };
    let ended = run(&asked, &mut stop_before).unwrap();
    assert!(matches!(ended, Ended::Stopped { done: 2, of: 4 }));
    let campaign = stage.completed_run(&tests, true);
    assert!(
        campaign.verdicts.iter().all(|verdict| verdict.outcome == Outcome::Pass),
        "{:?}",
        campaign.verdicts
    );
    assert_eq!(stage.calls().len(), 4);
    assert_eq!(stage.scratch(), Vec::<String>::new());
}

#[test]
fn a_job_over_its_time_limit_is_killed_with_its_children_even_if_it_ignores_sigterm() {
    for option in ["-j 2", "-j 3"] {
        let stage = Stage::with_records();
        let tests =
            format!("[[test]]\nid = \"W\"\nior = \"-w -e {option}\"\ntimeout = \"3 s\"\n{CRITERION}\n");
        let campaign = stage.completed_run(&tests, false);
        assert_eq!(campaign.jobs[0].info.end, JobEnd::TimedOut);
        let pids = fs::read_to_string(stage.path("program.pids")).unwrap();
        assert!(pids.split_whitespace().all(|pid| !alive(pid)), "{pids}");
        assert_eq!(outcome(&campaign.verdicts[0]), (Outcome::Invalid, Code::JobFailed));
        assert_eq!(numbers(&campaign.verdicts[0].reason, ["repetition", "timeout"]), [Some(1.0), Some(3.0)]);
    }
}

#[test]
fn a_failed_dataset_invalidates_only_its_readers() {
    let stage = Stage::with_records();
    let campaign = stage.completed_run(&two_tests().replace("-w -k", "-w -k -j 1"), false);
    assert_eq!(campaign.verdicts[0].outcome, Outcome::Pass);
    assert_eq!(outcome(&campaign.verdicts[1]), (Outcome::Invalid, Code::JobFailed));
    let reason = &campaign.verdicts[1].reason;
    assert_eq!(
        (reason.get(any::job), reason.get(row::JobFailed::output)),
        (Some("dataset.d"), Some("no luck"))
    );
    assert_eq!(reason.get(row::JobFailed::status), Some(4.0));
    let stderr = fs::read_to_string(stage.path("campaign/jobs/0003-dataset.d-r1/stderr.txt")).unwrap();
    assert_eq!(stderr, "no luck\n");
    assert_eq!(stage.scratch(), Vec::<String>::new());
}

#[test]
fn after_a_failed_repetition_the_next_one_runs() {
    let stage = Stage::with_records();
    let tests = format!("[[test]]\nid = \"W\"\nior = \"-w -e -j 1\"\nrepetitions = 2\n{CRITERION}\n");
    let campaign = stage.completed_run(&tests, false);
    assert_eq!(campaign.jobs.len(), 2);
    let reason = &campaign.verdicts[0].reason;
    assert_eq!(numbers(reason, ["repetition", "status"]), [Some(1.0), Some(4.0)]);
    assert_eq!((reason.code, reason.get(row::JobFailed::output)), (Code::JobFailed, Some("no luck")));
}

#[test]
fn unreadable_records_invalidate_their_test_and_not_the_campaign() {
    let stage = Stage::with_records();
    let tests = format!(
        "[[test]]\nid = \"A\"\nior = \"-w -e -j 4\"\n{CRITERION}\n[[test]]\nid = \"B\"\nior = \"-w \
         -e\"\n{CRITERION}"
    );
    let campaign = stage.completed_run(&tests, false);
    let [a, b] = &campaign.verdicts[..] else { panic!("{:#?}", campaign.verdicts) };
    assert_eq!(outcome(a), (Outcome::Invalid, Code::RecordsUnreadable));
    let error = a.reason.get(row::RecordsUnreadable::error).unwrap();
    assert!(error.starts_with("jobs/0001-A-r1/records.jsonl line 1: expected "), "{a:#?}");
    assert_eq!(b.outcome, Outcome::Pass, "{b:#?}");
    assert_eq!(load(&stage.path("campaign")).unwrap(), campaign);
}

#[test]
fn a_program_that_cannot_be_started_makes_the_clause_invalid() {
    let stage = Stage::with_records();
    let tests = format!("[[test]]\nid = \"W\"\nior = \"-w -e\"\n{CRITERION}\n");
    let mut asked = stage.script_request(&tests, false);
    fs::write(stage.path("not-a-program"), "").unwrap();
    asked.program = stage.path("not-a-program");
    let Ended::Judged(campaign) = run(&asked, &mut |_| {}).unwrap() else { panic!() };
    let reason = &campaign.verdicts[0].reason;
    assert_eq!(reason.code, Code::JobNotStarted);
    let output = reason.get(row::JobNotStarted::output).unwrap();
    assert!(output.starts_with("cannot start `") && output.contains("Permission denied"), "{reason}");
    let stderr = fs::read_to_string(stage.path("campaign/jobs/0001-W-r1/stderr.txt")).unwrap();
    assert!(stderr.starts_with("cannot start `"), "{stderr}");
}

#[test]
fn an_impossible_campaign_is_rejected_before_anything_is_created() {
    let stage = Stage::with_records();
    let tests = format!("[[test]]\nid = \"W\"\nior = \"-w -e\"\n{CRITERION}\n");
    let rejection = |change: &dyn Fn(&mut CampaignRequest)| {
        let mut asked = stage.script_request(&tests, false);
        change(&mut asked);
        match run(&asked, &mut |_| {}) {
            Err(Trouble::Usage(usage)) => usage.0,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(rejection(&|asked| asked.dir = None), "plan p: fs.s needs a directory. Add `--dir DIR`.");
    let missing = rejection(&|asked| asked.dir = Some("/no/such/place".into()));
    assert!(missing.starts_with("fs.s: /no/such/place: No such file or directory"), "{missing}");
    let kind = rejection(&|asked| {
        asked.plan.file_systems.get_mut("s").unwrap().kind = Some("lustre".into());
    });
    assert!(kind.ends_with(", but the plan tests lustre. Choose a directory on lustre."), "{kind}");
    let space = rejection(&|asked| {
        asked.plan.tests[0].line = Line::parse("ior", "-w -s 1024 -b 1p").unwrap();
    });
    assert!(space.contains(" free, but W needs 1.10 EiB"), "{space}");
    let state = "[state.aged]\nage = \"--blocks 99.9999999999%\"\n";
    let on_it = format!("{state}{tests}states = [\"aged\"]\n");
    let full = rejection(&|asked| asked.plan = stage.script_request(&on_it, false).plan);
    assert!(
        full.starts_with("state.aged leaves ")
            && full.contains("W, which runs on it, needs 1.10 MiB (all files"),
        "{full}"
    );
    assert_eq!(rejection(&|asked| asked.only = vec!["X".into()]), "plan p has no test `X`. Known: W.");
    assert!(!stage.path("campaign").exists() && stage.scratch().is_empty());
    fs::create_dir(stage.path("campaign")).unwrap();
    fs::write(stage.path("campaign/mine"), "precious").unwrap();
    assert!(rejection(&|_| ()).contains("exists. Resume its campaign with `assay run --resume "));
}
