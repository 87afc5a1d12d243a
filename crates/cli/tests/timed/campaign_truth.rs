//! Truth for scaling: a parallel file system whose servers are held to a known speed, as the thirds of a
//! contract. What is linear is found to be, what is not is told with its reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::common::campaign::{Place, json, names};
use crate::common::gluster::{Gluster, Volume};
use crate::common::run_for;
use serde_json::Value;

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
/// phase of its own, because it is read.
const STOPPED: &str = "transfer=128k,block=8m,write_s=3,sustained=1 s,read_s=2,read_window=500 ms,verify=no";
/// The same where a slow brick has the smallest file, so that the others have soon read as much. Each of its
/// transfers takes four seconds: the last ones end three seconds after the deadline.
const SMALL: &str = "transfer=512k,block=12m,write_s=5,sustained=1 s,read_s=2,read_window=400 ms,verify=no";
/// How far from linear, as the contract has it.
const LINEAR: &str = "linear=10%";
/// What else a machine does may cost six bricks a tenth that it does not cost one, or leave open what misses
/// by almost half: so often a campaign is tried where its verdicts are not the true ones.
const TRIES: usize = 3;
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
        let verdicts = json(&self.folder().join("verdicts.json"));
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

fn words(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn warnings(verdict: &Value) -> Vec<&str> {
    verdict["warnings"].as_array().unwrap().iter().map(words).collect()
}

/// Writing and reading at these steps.
fn both_phases(steps: &[usize]) -> Vec<(usize, &'static str)> {
    steps.iter().flat_map(|step| [(*step, "w"), (*step, "r")]).collect()
}

/// Which bricks are accused of being slow.
fn accused(verdict: &Value) -> Vec<&str> {
    let slow = |text: &&str| text.contains("ing to brick ") || text.contains("ing from brick ");
    warnings(verdict).into_iter().filter(slow).filter(|text| !text.contains("and no slow brick")).collect()
}

/// Whether a step is found to be linear, and no brick is accused; where others use the machine meanwhile,
/// more repetitions may be asked for, and a brick that is read from may seem slow.
fn is_sound(verdict: &Value) -> bool {
    let (outcome, reason) = (words(&verdict["outcome"]), words(&verdict["reason"]));
    let open = outcome == "INCONCLUSIVE" && reason.contains(" would decide");
    let of_reading = words(&verdict["metric"]).starts_with("read");
    (outcome == "PASS" || open) && (of_reading || accused(verdict).is_empty())
}

/// What one of several tries gives; why it is not what is true, where none does.
fn settled<T>(tried: impl Fn() -> Result<T, String>) -> T {
    let last = (1..TRIES).fold(tried(), |told, _| told.or_else(|_| tried()));
    last.unwrap_or_else(|missed| panic!("{missed}"))
}

/// The campaign, if these tests of it fail; the first verdict that is another if not.
fn failed(told: Thirds, tests: &[&str]) -> Result<Thirds, String> {
    let mut verdicts = tests.iter().map(|test| told.verdict(test));
    let other = verdicts.find(|verdict| verdict["outcome"] != "FAIL");
    other.map_or(Ok(told), |verdict| Err(format!("{verdict:#}")))
}

#[test]
fn servers_of_equal_and_known_speed_scale_linearly_and_a_slow_one_is_named_where_they_do_not() {
    let Some(gluster) = Gluster::start(Volume::Distribute, &[RATE; BRICKS]) else { return };
    let (sound, verdicts) = settled(|| {
        let sound = Thirds::ran(&gluster, EVEN, &both_phases(&STEPS), STOPPED, &[]);
        every_step_had_its_servers(&gluster, &sound);
        let tests = both_phases(&STEPS[1..]).into_iter();
        let verdict = |(step, phase)| sound.verdict(&format!("IOR-2.s{step}.{phase}"));
        let verdicts: Vec<Value> = tests.map(verdict).collect();
        let missed = verdicts.iter().find(|verdict| !is_sound(verdict)).map(|verdict| format!("{verdict:#}"));
        missed.map_or(Ok((sound, verdicts)), Err)
    });
    let quiet = verdicts.iter().all(|verdict| verdict["outcome"] == "PASS");
    for (step, phase) in both_phases(&STEPS) {
        let best = |more| sound.best(&format!("IOR-2.s{step}.{phase}"), more) / (step as u64 * RATE) as f64;
        // A device may save up what it was not asked for, for two tenths of a second or a little more.
        let (least, most) = (best(0.0), best(0.5));
        assert!(most < 1.0 && (least > 0.6 || !quiet), "{step} {phase}: {least} of what was set");
    }
    gluster.throttle(BRICKS, RATE / 8);
    let slow = || Thirds::ran(&gluster, EVEN, &both_phases(&[1, BRICKS]), SMALL, &[]);
    let told = settled(|| failed(slow(), &["IOR-2.s6.w", "IOR-2.s6.r"]));
    let name = gluster.name(BRICKS);
    for (phase, doing) in [("w", "writing to"), ("r", "reading from")] {
        let test = format!("IOR-2.s6.{phase}");
        let verdict = told.verdict(&test);
        assert!(words(&verdict["reason"]).contains("misses >= 90 % of linear"), "{verdict:#}");
        let on: BTreeSet<u64> =
            told.jobs(&test).iter().flat_map(|job| gluster.ranks_on(BRICKS, job)).collect();
        let listed = |all: Vec<String>| all.join(", ");
        let ranks = listed(on.iter().map(u64::to_string).collect());
        let files = listed(on.iter().take(3).map(|rank| format!("{EVEN}.{rank:08}")).collect());
        let accused = accused(&verdict);
        assert_eq!(accused.len(), 1, "{verdict:#}");
        assert!(accused[0].starts_with(&format!("{doing} brick {name} ran at ")), "{verdict:#}");
        assert!(accused[0].contains(&format!("(ranks {ranks}")), "{ranks}: {verdict:#}");
        assert!(phase == "r" || accused[0].contains(&format!("; files {files}")), "{files}: {verdict:#}");
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
    let Some(gluster) = Gluster::start(Volume::Distribute, &[RATE; BRICKS]) else { return };
    let uneven = || Thirds::ran(&gluster, UNEVEN, &[(1, "w"), (BRICKS, "w")], WHOLE, &HELD);
    let verdict = settled(|| failed(uneven(), &["IOR-2.s6.w"])).verdict("IOR-2.s6.w");
    assert!(words(&verdict["reason"]).contains("misses >= 90 % of linear"), "{verdict:#}");
    assert!(accused(&verdict).is_empty(), "{verdict:#}");
    let why = "it held 5 files, others 1 to 2, so this is uneven placement and no slow brick";
    assert!(warnings(&verdict).iter().any(|text| text.contains(why)), "{verdict:#}");
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
