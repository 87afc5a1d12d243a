//! Evidence that was changed, with hashes and a hash chain that fit. Other facts of the job contradict it.
//! Honest campaigns of all workloads do not contradict themselves.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use judge::crosscheck;
use plan::{Choice, Plan};
use results::folder::{self, names};
use results::reason::{Code, row};
use serde_json::Value;

use crate::common::campaign::Place;
use crate::common::forged;

const WRITES: &str = "[[test]]\nid = \"W\"\nior = \"-w -F -e -t 64k -b 16m\"\nrepetitions = 3\n\
                      criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";
const FIRST: &str = "jobs/0001-W-r1";
const SECOND: &str = "jobs/0002-W-r2";

/// A campaign of three honest writes.
fn campaign() -> Place {
    honest(WRITES).0
}

/// Changes a job: its facts and its records. All hashes and the hash chain fit afterwards.
fn forge(dir: &Path, job: &str, change: &dyn Fn(&mut Value, &mut Vec<Value>)) {
    let (at, info_at) = (dir.join(job).join(names::RECORDS), dir.join(job).join(names::JOB));
    let value = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let mut records: Vec<Value> = fs::read_to_string(&at).unwrap().lines().map(value).collect();
    let mut info = value(&fs::read_to_string(&info_at).unwrap());
    change(&mut info, &mut records);
    let lines: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
    fs::write(&at, lines.concat()).unwrap();
    let hash = folder::sha256_of(&at).unwrap();
    if let Some(known) = info["sha256"].as_object_mut() {
        known.insert(names::RECORDS.to_owned(), hash.into());
    }
    fs::write(info_at, info.to_string()).unwrap();
    forged::chain(dir, &|_| {});
}

/// The phase in the records of a job.
fn phase(records: &mut [Value]) -> &mut Value {
    records.iter_mut().find(|record| record["record"] == "phase").unwrap()
}

fn scale(value: &mut Value, by: f64) {
    *value = (value.as_f64().unwrap() * by).into();
}

/// The codes of the clauses, from the records alone. All hashes fit, and `verify` lists the fault of `job`.
fn codes(place: &Place, job: &str) -> BTreeSet<Code> {
    let dir = place.folder();
    assert_eq!(folder::check(&dir).unwrap().said(), Vec::<String>::new(), "the hashes fit");
    let ran = place.assay(&format!("verify {}", dir.display()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains(job), "{ran:#?}");
    assert_eq!(place.assay(&format!("judge {}", dir.display())).status, Some(3));
    let campaign = folder::load(&dir).unwrap();
    let plan = Plan::parse_with(&campaign.plan, "p.toml", &Choice::of(&campaign)).unwrap();
    let found = crosscheck::of_campaign(&campaign);
    assert!(found.iter().any(|one| one.folder == job), "{found:#?}");
    let verdicts = judge::evaluate(&plan, &campaign).verdicts;
    assert!(verdicts.iter().all(|verdict| verdict.outcome == results::Outcome::Invalid), "{verdicts:#?}");
    verdicts.iter().map(|verdict| verdict.reason.code).collect()
}

/// The codes after a change of the phase of the second repetition.
fn of_phase(change: fn(&mut Value)) -> BTreeSet<Code> {
    let place = campaign();
    forge(&place.folder(), SECOND, &|_, records| change(phase(records)));
    codes(&place, SECOND)
}

fn contradicted() -> BTreeSet<Code> {
    [Code::RecordsContradict].into()
}

#[test]
fn spans_divided_by_ten_are_no_faster_write() {
    let all = |phase: &mut Value| {
        for field in ["open_s", "transfer_s", "close_s", "total_s"] {
            scale(&mut phase["spans"][field], 0.1);
        }
    };
    assert_eq!(of_phase(all), contradicted());
}

#[test]
fn a_shorter_time_of_one_rank_contradicts_the_others() {
    let faster = |phase: &mut Value| {
        let [mut first, second] = [0, 1].map(|rank| phase["each_rank"]["seconds"][rank].as_f64());
        first = first.map(|seconds| seconds / 3.0);
        let second = second.or(phase["each_rank"]["seconds"][0].as_f64());
        phase["each_rank"]["seconds"] = serde_json::json!([first, second]);
    };
    assert_eq!(of_phase(faster), contradicted());
}

#[test]
fn a_scaled_timeline_is_not_that_of_the_phase() {
    let more = |phase: &mut Value| {
        for bytes in phase["timeline"]["bytes"].as_array_mut().unwrap() {
            *bytes = (bytes.as_u64().unwrap() * 10).into();
        }
    };
    assert_eq!(of_phase(more), contradicted());
    let slower = |phase: &mut Value| {
        let interval = phase["timeline"]["interval_ns"].as_u64().unwrap();
        phase["timeline"]["interval_ns"] = (interval * 100_000).into();
        phase["timeline"]["bytes"] = serde_json::json!([0, phase["bytes"]]);
    };
    assert_eq!(of_phase(slower), contradicted());
}

#[test]
fn latencies_of_another_job_are_not_those_of_the_phase() {
    let place = campaign();
    let dir = place.folder();
    let first = fs::read_to_string(dir.join(FIRST).join(names::RECORDS)).unwrap();
    let value = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let mut first: Vec<Value> = first.lines().map(value).collect();
    let latency = phase(&mut first)["latency"].clone();
    forge(&dir, SECOND, &|_, records| phase(records)["latency"] = latency.clone());
    assert_eq!(codes(&place, SECOND), [Code::MeasuredTwice].into());
    let fewer = |phase: &mut Value| {
        let buckets = phase["latency"]["buckets"].as_array_mut().unwrap();
        buckets.pop();
    };
    assert_eq!(of_phase(fewer), contradicted());
}

/// The records of a repetition as those of another one, with its paths.
fn copied(from: &Path, name: &str, to_name: &str) -> Vec<Value> {
    let text = fs::read_to_string(from.join(names::RECORDS)).unwrap().replace(name, to_name);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn one_repetition_is_not_used_twice() {
    let place = campaign();
    let dir = place.folder();
    let first = copied(&dir.join(FIRST), "W-r1", "W-r2");
    forge(&dir, SECOND, &|_, records| {
        // The copy gets the command line of its job.
        let argv = records[0]["argv"].clone();
        records.clone_from(&first);
        records[0]["argv"] = argv;
    });
    assert_eq!(codes(&place, SECOND), [Code::MeasuredTwice].into());
}

#[test]
fn a_repetition_of_another_campaign_is_not_used() {
    let (place, other) = (campaign(), campaign());
    let dir = place.folder();
    let of_other = copied(&other.folder().join(SECOND), "none", "none");
    forge(&dir, SECOND, &|_, records| records.clone_from(&of_other));
    // Campaigns of the same second have the same name, and so the same commands.
    let is_same_name = dir.file_name() == other.folder().file_name();
    let wanted = if is_same_name { contradicted() } else { [Code::CommandDiffers].into() };
    assert_eq!(codes(&place, SECOND), wanted, "it wrote the data of another job");
    // With the whole job, arguments and job.json agree, and the files are not those of this campaign.
    let text = fs::read_to_string(other.folder().join(SECOND).join(names::JOB)).unwrap();
    let job: Value = serde_json::from_str(&text).unwrap();
    forge(&dir, SECOND, &|info, _| info["argv"].clone_from(&job["argv"]));
    assert_eq!(codes(&place, SECOND), contradicted());
}

#[test]
fn a_job_that_started_true_for_a_microsecond_in_2031_measured_nothing() {
    let changes: [fn(&mut Value); 3] = [
        |info| info["argv"] = serde_json::json!(["true"]),
        |info| info["seconds"] = 1e-6.into(),
        |info| info["started"] = "2031-01-01T00:00:00.000+00:00".into(),
    ];
    for (at, wanted) in [(0, Code::CommandDiffers), (2, Code::RecordsContradict)] {
        let place = campaign();
        forge(&place.folder(), SECOND, &|info, _| changes[at](info));
        assert_eq!(codes(&place, SECOND), [wanted].into());
    }
    let place = campaign();
    let facts = place.folder().join(names::CAMPAIGN);
    let mut of_campaign: Value = serde_json::from_slice(&fs::read(&facts).unwrap()).unwrap();
    of_campaign["data"] = serde_json::json!({});
    fs::write(facts, of_campaign.to_string()).unwrap();
    forge(&place.folder(), SECOND, &|info, records| {
        changes.iter().for_each(|change| change(info));
        records[0]["argv"] = serde_json::json!(["true"]);
    });
    assert_eq!(codes(&place, SECOND), [Code::CommandDiffers].into());
}

#[test]
fn a_phase_longer_than_its_job_and_a_hash_that_only_the_chain_has_are_found() {
    let place = campaign();
    forge(&place.folder(), SECOND, &|_, records| {
        phase(records)["began_s"] = 3600.into();
        phase(records)["each_rank"]["ended_s"] = serde_json::json!([]);
    });
    assert_eq!(codes(&place, SECOND), contradicted());
    let place = campaign();
    let records = place.folder().join(SECOND).join(names::RECORDS);
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text + "\n").unwrap();
    forged::chain(&place.folder(), &|_| {});
    let found = crosscheck::of_campaign(&folder::load(&place.folder()).unwrap());
    assert!(found.iter().any(|one| one.folder == SECOND && one.reason.code == Code::RecordsContradict));
}

#[test]
fn a_part_that_is_removed_because_it_would_contradict_is_missed_by_verify() {
    let parts = ["latency", "timeline", "each_rank", "moments", "kernel", "pace", "opened"];
    let place = campaign();
    let dir = place.folder();
    let at = dir.join(SECOND).join(names::RECORDS);
    let whole = fs::read(&at).unwrap();
    for part in parts.into_iter().chain(["nodes"]) {
        fs::write(&at, &whole).unwrap();
        forge(&dir, SECOND, &|_, records| match part {
            "nodes" => records[0]["clients"][part] = Vec::<Value>::new().into(),
            _ => {
                let phase = phase(records);
                phase[part] = Value::Null;
                // The pace of a short phase may be unknown.
                phase["spans"]["transfer_s"] = 1.0.into();
            }
        });
        let ran = place.assay(&format!("verify {}", dir.display()));
        assert_eq!(ran.status, Some(3), "{part}: {ran:#?}");
        let reason = crosscheck::lacks(&folder::load(&dir).unwrap().jobs[1]).expect("a part is missing");
        assert_eq!(
            (reason.code, reason.get(row::RecordsIncomplete::part)),
            (Code::RecordsIncomplete, Some(part))
        );
        let sentence = report::sentences::sentence(&reason);
        assert!(ran.out.contains(&sentence), "{ran:#?}");
        let judged = place.assay(&format!("judge {}", dir.display()));
        assert!(judged.status == Some(3) && judged.err.contains(&sentence), "{part}: {judged:#?}");
    }
    // Another build of the same version records the same parts.
    let at = dir.join(names::CAMPAIGN);
    let mut info: Value = serde_json::from_str(&fs::read_to_string(&at).unwrap()).unwrap();
    info["tool_sha256"] = "0".repeat(64).into();
    fs::write(&at, info.to_string()).unwrap();
    forged::chain(&dir, &|_| {});
    let ran = place.assay(&format!("verify {}", dir.display()));
    assert!(ran.status == Some(3) && ran.out.contains("although this program always records it"), "{ran:#?}");
    forge(&dir, SECOND, &|_, records| drop(records.remove(0)));
    let reason = crosscheck::lacks(&folder::load(&dir).unwrap().jobs[1]).expect("a record is missing");
    assert_eq!(reason.get(row::RecordsIncomplete::part), Some("run record"));
}

#[test]
fn records_of_another_workload_are_not_those_of_the_plan() {
    let place = campaign();
    let dir = place.folder();
    forge(&dir, SECOND, &|info, records| {
        records[0]["workload"] = "app".into();
        records[0]["argv"] = info["argv"].clone();
    });
    let judged = place.assay(&format!("judge {}", dir.display()));
    assert!(judged.status == Some(3) && judged.out.contains("INVALID"), "{judged:#?}");
    assert_eq!(place.assay(&format!("verify {}", dir.display())).status, Some(1));
}

#[test]
fn a_chain_whose_entries_go_back_in_time_does_not_verify() {
    let place = campaign();
    let dir = place.folder();
    forged::chain(&dir, &|entry| {
        if entry["what"] == "ended" && entry["path"] == FIRST {
            entry["time"] = "2031-01-01T00:00:00.000+00:00".into();
        }
    });
    let faults = folder::check(&dir).unwrap().faults;
    assert!(faults.iter().any(|fault| fault.about == names::CHAIN), "{faults:?}");
    assert_eq!(place.assay(&format!("verify {}", dir.display())).status, Some(3));
    assert_eq!(place.assay(&format!("judge {}", dir.display())).status, Some(3));
}

/// The folder of a campaign of these tests, after it ended.
fn honest(tests: &str) -> (Place, PathBuf) {
    let place = Place::new();
    place.plan(tests);
    let ran = place.campaign();
    assert!(matches!(ran.status, Some(0 | 1 | 3)), "{ran:#?}");
    let folder = place.folder();
    (place, folder)
}

#[test]
fn honest_campaigns_do_not_contradict_themselves() {
    let test = |id: &str, line: &str, metric: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\n{line}\nrepetitions = 2\n\
             criterion = {{ metric = \"{metric}\", op = \">\", value = \"0.001/s\" }}\n"
        )
        .replace("bw\", op = \">\", value = \"0.001/s\"", "bw\", op = \">\", value = \"1 B/s\"")
    };
    let ior = |id: &str, words: &str, metric: &str| test(id, &format!("ior = \"{words}\""), metric);
    let part = |id: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\nior = \"-w -e -t 64k -b 8m\"\n\
             criterion = {{ metric = \"write.bw\", op = \">\", value = \"1 B/s\" }}\n"
        )
    };
    let tests = [
        ior("OWN", "-w -r -R -F -C -e -t 64k -b 4m -i 2", "write.bw"),
        ior("SHARED", "-w -r -g -e -t 47008 -b 470080 -s 8", "write.bw"),
        ior("UNIQUE", "-w -F -u -e -t 64k -b 1m", "write.bw"),
        ior("PLACED", "-w -F -e -t 64k -b 1m -O numNodes=2", "write.bw"),
        ior("RANDOM", "-w -F -z -Y -t 4k -b 256k", "write.bw"),
        "[dataset.d]\nior = \"-w -e -k -F -D 1 --rate=20MB/s -t 1m -b 1g -O stoneWallingWearOut=1 \
         -O stoneWallingStatusFile={dir}/pairs\"\n"
            .to_owned(),
        ior("STOPPED", "-w -F -e -D 1 -t 64k -b 1g --rate=20MB/s", "write.bw"),
        ior("RAMP", "-w -F -e -D 2 --ramp=1 -t 64k -b 1g --rate=20MB/s", "write.bw"),
        ior("AGAIN", "-w -F -e -t 64k -b 1m -O minTimeDuration=1", "write.bw"),
        ior("MIXED", "-w -F -e --rwmix=50 -t 64k -b 4m", "mixed_read.bw"),
        ior("QUEUED", "-a AIO -w -r -F --iodepth=8 --aio.odirect -t 64k -b 4m", "write.bw"),
        test("META", "mdtest = \"-n 100 -u -z 1 -b 2 -i 2 -w 64 -e 64\"", "file_creation.rate"),
        test("TREE", "fdtree = \"-l 2 -d 2 -f 3 -s 1\"", "file_creation.rate"),
        test("LIST", "ls_lr = \"--make --walk --remove --entries 500\"", "list.rate"),
        test(
            "READ",
            "uses = \"dataset.d\"\nior = \"-r -F -k -t 1m -b 1g -O stoneWallingStatusFile={dir}/pairs\"",
            "read.bw",
        ),
        format!("[[group]]\nid = \"G\"\noverlap = \"1%\"\n{}{}", part("a"), part("b")),
    ];
    let (place, folder) = honest(&tests.concat());
    let campaign = folder::load(&folder).unwrap();
    let found = crosscheck::of_campaign(&campaign);
    assert!(found.is_empty(), "{found:#?}");
    let ended = campaign.jobs.iter().filter(|job| job.info.end == folder::JobEnd::Exit(0)).count();
    assert!(ended >= 22, "{:#?}", place.verdicts());
    let ran = place.assay(&format!("verify {}", folder.display()));
    assert!(ran.out.contains(" is intact: "), "{ran:#?}");
}
