//! Truth for scaling: a parallel file system whose servers are held to a known speed, as the thirds of a
//! contract. What is linear is found to be, what is not is told with its reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::common::campaign::{self, Place, data_of, names};
use crate::common::gluster::{Gluster, Volume};
use crate::common::{only_in_all, run_for};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;
const BRICKS: usize = 6;
/// Ranks for each brick that serves, as the plan has nodes.
const RANKS: usize = 2;
/// Longest wait for one campaign, on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(900);
/// How many bricks serve at each step: one, and the thirds.
const STEPS: [usize; 4] = [1, 2, 4, 6];
/// What a brick does, bytes per second: little enough that nothing else of a machine is the limit.
const RATE: u64 = 2 * MIB;

/// A name whose files lie evenly, two on each of 2, 4 and 6 bricks, by the hash of GlusterFS.
const EVEN: &str = "f1675";
/// One whose files lie unevenly over 6 bricks, of which one has five of them.
const UNEVEN: &str = "u192";

/// Written until a deadline, and read as far as the smallest file goes. What is written is not compared in a
/// phase of its own, because it is read. A device serves in slices of a tenth of a second, so a phase is many
/// of them: reading for only two seconds varied by up to 7 %, which leaves the scaling undecided.
const STOPPED: &str = "transfer=128k,block=16m,write_s=6,sustained=1 s,read_s=5,read_window=500 ms,verify=no";
/// The same where a slow brick has the smallest file, so that the others have soon read as much. Each of its
/// transfers takes four seconds: the last ones end three seconds after the deadline.
const SMALL: &str = "transfer=512k,block=12m,write_s=5,sustained=1 s,read_s=2,read_window=400 ms,verify=no";
/// How far from linear, as the contract has it.
const LINEAR: &str = "linear=10%";
/// As much by each rank as by the others, however long it takes; enough that what an idle device saved up
/// does not make the bricks of one file look much faster than that of five.
const WHOLE: &str = "transfer=128k,block=4m,write_s=60,verify=no";
/// How lines of the plan begin that ask for a rate which is held: where each rank writes as much, those
/// that are done leave the others behind.
const HELD: [&str; 2] = ["sustained = \"${", "steady = {"];

/// The series over servers of Blue Waters, and what a campaign of it left.
struct Thirds {
    place: Place,
}

impl Thirds {
    /// Runs these tests of the series of the ready plan on the volume: its lines, but for those that begin
    /// like `less`, and its 10 %, at no pace but that of the bricks, and with files of this name and the
    /// values `own` of its parameters.
    fn ran(gluster: &Gluster, name: &str, tests: &[(usize, &str)], own: &str, less: &[&str]) -> Self {
        let place = Place::new();
        fs::create_dir(place.path("evidence")).unwrap();
        let ready = place.assay("plan show bluewaters-io2017").ok();
        let stays = |line: &&str| !less.iter().any(|begin| line.starts_with(begin));
        let plan: Vec<&str> = ready.lines().filter(stays).collect();
        fs::write(place.path("p.toml"), plan.join("\n")).unwrap();
        let mut command = place.command("run p.toml --scale small --campaigns evidence --set server_pace=");
        let mount = gluster.mount();
        command.arg("--dir").arg(&mount);
        let hooks = gluster.servers().map(|(name, hook)| format!("{name}={hook}"));
        let same = [&format!("name={name}"), "kind=fuse.glusterfs", LINEAR].map(str::to_owned);
        let own = own.split(',').map(str::to_owned);
        for value in hooks.into_iter().chain(same).chain(own) {
            command.args(["--set", &value]);
        }
        for (step, phase) in tests {
            command.args(["--only", &format!("IOR-2.s{step}.{phase}")]);
        }
        let ran = run_for(&mut command, PATIENCE);
        assert_eq!(names(&place.path("evidence")).len(), 1, "{ran:#?}");
        assert_eq!(names(&mount), [""; 0], "{ran:#?}");
        Self { place }
    }

    fn folder(&self) -> PathBuf {
        let evidence = self.place.path("evidence");
        evidence.join(&names(&evidence)[0])
    }

    /// The folders of the jobs of a test.
    fn jobs(&self, test: &str) -> Vec<PathBuf> {
        let jobs = self.folder().join("jobs");
        let own = |name: &String| name.get(5..).and_then(|name| name.rsplit_once("-r")).unwrap().0 == test;
        names(&jobs).iter().filter(|name| own(name)).map(|name| jobs.join(name)).collect()
    }

    fn verdict(&self, test: &str) -> Value {
        let verdicts = campaign::json(&self.folder().join("verdicts.json"));
        let mut all = verdicts.as_array().unwrap().iter();
        all.find(|verdict| verdict["test"] == test).unwrap_or_else(|| panic!("{test}: {verdicts:#}")).clone()
    }

    /// The best rate that a repetition of a test had, bytes per second, if so many seconds more had passed:
    /// whatever else the machine does makes a rate lower.
    fn best(&self, test: &str, seconds_more: f64) -> f64 {
        let rate = |job: PathBuf| {
            let records = fs::read_to_string(job.join("records.jsonl")).unwrap();
            let phase = records.lines().find(|line| line.contains(r#""record":"phase""#)).unwrap();
            let phase: Value = serde_json::from_str(phase).unwrap();
            phase["bytes"].as_f64().unwrap() / (phase["spans"]["total_s"].as_f64().unwrap() + seconds_more)
        };
        self.jobs(test).into_iter().map(rate).fold(0.0, f64::max)
    }
}

/// Writing and reading at these steps.
fn both_phases(steps: &[usize]) -> Vec<(usize, &'static str)> {
    steps.iter().flat_map(|step| [(*step, "w"), (*step, "r")]).collect()
}

/// The bricks that are called slow; not those that are overloaded by placement.
fn accused(verdict: &Value) -> Vec<&Value> {
    let warnings = verdict["warnings"].as_array().unwrap().iter().map(|warning| &warning["reason"]);
    warnings.filter(|one| one["code"] == "slow-group" && one["data"]["kind"] == "brick").collect()
}

/// Says why a test is only in `--all`, where it runs without others beside it.
const ALONE: &str = "waits minutes for throttled devices, and compares rates that other tests would disturb";

/// The judge FAILs a step only if the interval of its ratio to the first, at 95 % over all steps of the
/// series together, lies below what is allowed. So of 20 systems that are exactly at the 90 % allowed at most
/// one FAILs; one that is linear is 10 % above it, which at the variability of throttled devices (COV of 1 to
/// 3 %) is a false alarm in less than one of 10,000 series. Nothing is tried again here.
#[test]
fn servers_of_equal_and_known_speed_scale_linearly_and_a_slow_one_is_named_where_they_do_not() {
    if !only_in_all(ALONE) {
        return;
    }
    let Some(gluster) = Gluster::start(Volume::Distribute, &[RATE; BRICKS]) else { return };
    let sound = Thirds::ran(&gluster, EVEN, &both_phases(&STEPS), STOPPED, &[]);
    every_step_had_its_servers(&gluster, &sound);
    for (step, phase) in both_phases(&STEPS[1..]) {
        let verdict = sound.verdict(&format!("IOR-2.s{step}.{phase}"));
        assert_eq!(verdict["outcome"], "PASS", "{verdict:#}");
        // In phases of a second on devices that had saved up speed, a brick that is read from may seem slow.
        assert!(phase == "r" || accused(&verdict).is_empty(), "{verdict:#}");
    }
    for (step, phase) in both_phases(&STEPS) {
        let best = |more| sound.best(&format!("IOR-2.s{step}.{phase}"), more) / (step as u64 * RATE) as f64;
        // A device may save up what it was not asked for, for two tenths of a second or a little more.
        let (least, most) = (best(0.0), best(0.5));
        assert!(most < 1.0 && least > 0.6, "{step} {phase}: {least} of what was set");
    }
    gluster.throttle(BRICKS, RATE / 8);
    let told = Thirds::ran(&gluster, EVEN, &both_phases(&[1, BRICKS]), SMALL, &[]);
    let name = gluster.name(BRICKS);
    for phase in ["w", "r"] {
        let test = format!("IOR-2.s6.{phase}");
        let verdict = told.verdict(&test);
        assert_eq!(verdict["outcome"], "FAIL", "{verdict:#}");
        assert_eq!(verdict["reason"]["code"], "threshold-not-met", "{verdict:#}");
        let on: BTreeSet<u64> =
            told.jobs(&test).iter().flat_map(|job| gluster.ranks_on(BRICKS, job)).collect();
        let files: Vec<String> = on.iter().take(3).map(|rank| format!("{EVEN}.{rank:08}")).collect();
        let accused = accused(&verdict);
        assert_eq!(accused.len(), 1, "{verdict:#}");
        let data = &accused[0]["data"];
        assert_eq!((&data["name"], &data["ranks"]), (&json!(name), &json!(on)), "{verdict:#}");
        assert!(phase == "r" || data["files"] == json!(files), "{files:?}: {verdict:#}");
    }
    let report = fs::read_to_string(told.folder().join("report.html")).unwrap();
    assert!(report.contains(&name.replace('/', "&#x2f;")), "{name}");
}

/// Of every job as many bricks had files as the step says, and each as many.
fn every_step_had_its_servers(gluster: &Gluster, ran: &Thirds) {
    for (step, phase) in both_phases(&STEPS) {
        let test = format!("IOR-2.s{step}.{phase}");
        let jobs = ran.jobs(&test);
        assert_eq!(jobs.len(), 3, "{test}");
        for (job, brick) in jobs.iter().flat_map(|job| (1..=BRICKS).map(move |brick| (job, brick))) {
            let ranks = gluster.ranks_on(brick, job);
            let share = if brick <= step { RANKS } else { 0 };
            assert_eq!(ranks.len(), share, "{test}: brick {brick}: {ranks:?}");
        }
    }
}

#[test]
fn files_that_lie_unevenly_are_told_from_servers_that_do_not_scale() {
    if !only_in_all(ALONE) {
        return;
    }
    let Some(gluster) = Gluster::start(Volume::Distribute, &[RATE; BRICKS]) else { return };
    let uneven = Thirds::ran(&gluster, UNEVEN, &[(1, "w"), (BRICKS, "w")], WHOLE, &HELD);
    let verdict = uneven.verdict("IOR-2.s6.w");
    assert_eq!(verdict["outcome"], "FAIL", "{verdict:#}");
    assert!(accused(&verdict).is_empty(), "{verdict:#}");
    let data = data_of(&verdict["warnings"], "uneven-placement");
    let held = ["files_held", "others_held_min", "others_held_max"].map(|key| data[key].as_f64());
    assert_eq!(held, [Some(5.0), Some(1.0), Some(2.0)], "{verdict:#}");
}

#[test]
fn what_a_phase_exports_is_read_by_the_next_also_without_a_series() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"W\"\nrole = \"reported\"\nior = \"-w -F -e -k -t 64k -b 256k -D 60\"\n\
         exports = { SMALLEST = \"min(file.size)\" }\n\
         [[test]]\nid = \"R\"\nuses = \"W\"\ncache = \"warm\"\nior = \"-r -F -k -t 64k -b ${SMALLEST}\"\n\
         criterion = { metric = \"read.bytes\", op = \"==\", value = \"512 KiB\" }\n",
    );
    let ran = place.campaign();
    assert_eq!(place.outcomes(), ["R PASS"], "{ran:#?}");
}
