//! Records of runs: usable ones, and what is rejected.

use results::Record;
use results::history::{HistoryEntry, MeasuredPoint};
use results::reason::Code;
use results::record::{Check, Clients, Counts, End, Failed, Mounted, Phase, Run, SCHEMA, Spans};

use super::records::{entry, is_records};
use super::*;

fn run() -> Run {
    let lustre = Mounted { dir: "/l".into(), kind: "lustre".into(), device: "a@tcp:/l".into() };
    let root = Mounted { dir: "/".into(), kind: "ext4".into(), device: "/dev/sda1".into() };
    let words = "/usr/bin/assay -n 2 ior -w -r -i 2 -o /l/f.1 --record=r.jsonl -t 1m";
    Run {
        schema: SCHEMA,
        tool: "assay 0.1.0".into(),
        workload: "ior".into(),
        argv: words.split(' ').map(str::to_owned).collect(),
        started: "2017-02-14T10:35:00+01:00".into(),
        host: "n1".into(),
        ranks: 2,
        nodes: 1,
        clients: Some(Box::new(Clients { mounted: vec![root, lustre], ..Clients::default() })),
        ..Run::default()
    }
}

/// A phase of 100 bytes.
fn phase(name: &str, repetition: u32, total_s: f64) -> Phase {
    let spans = Spans { total_s, ..Spans::default() };
    let (phase, path) = (name.into(), "/l/f.1".into());
    Phase { phase, path, repetition, bytes: 100, spans, backend: "posix".into(), ..Phase::default() }
}

fn file(run: Run, phases: Vec<Phase>) -> Vec<Record> {
    let phases = phases.into_iter().map(|phase| Record::Phase(Box::new(phase)));
    std::iter::once(Record::Run(run)).chain(phases).chain([Record::End(End::default())]).collect()
}

fn entry_of(records: &[Record]) -> Result<HistoryEntry, String> {
    entry(records, "h", "/r.jsonl", ImportNames::default()).map_err(|error| error.to_string())
}

fn points(phases: Vec<Phase>) -> Vec<MeasuredPoint> {
    entry_of(&file(run(), phases)).unwrap().points
}

#[test]
fn each_phase_is_a_point_with_a_value_for_each_repetition() {
    let phases =
        [("write", 0, 1.0), ("read", 0, 2.0), ("read_check", 0, 1.0), ("write", 1, 4.0), ("read", 1, 5.0)];
    let entry = entry_of(&file(run(), phases.map(|(name, at, time)| phase(name, at, time)).into())).unwrap();
    let all: Vec<(&str, &[f64])> =
        entry.points.iter().map(|one| (one.series.metric.as_str(), one.values.as_slice())).collect();
    assert_eq!(all, [("write.bw", [100.0, 25.0].as_slice()), ("read.bw", &[50.0, 20.0])]);
    let first = &entry.points[0];
    assert_eq!(first.series.test, "ior -w -r -i 2 -t 1m", "without the names of files");
    assert_eq!((first.series.system.as_str(), first.series.place.as_str()), ("", "lustre a@tcp:/l"));
    assert_eq!((first.time_s, entry.started_s), (1_487_064_900.0, 1_487_064_900.0));
    assert_eq!((first.setup["ranks"].as_str(), first.setup["nodes"].as_str()), ("2", "1"));
    assert!(first.setup["parameters"].starts_with("backend posix, "), "{:?}", first.setup);
    let facts: Vec<&str> = entry.facts.iter().map(|one| one.fact.as_str()).collect();
    assert_eq!((entry.tool.as_str(), facts), ("assay 0.1.0", vec!["program", "node-names"]));
}

#[test]
fn a_local_file_system_belongs_to_its_host_and_the_tests_of_a_script_are_apart() {
    let here = Phase { path: "/tmp/f".into(), ..phase("write", 0, 1.0) };
    let second = Phase { test: 1, ..here.clone() };
    let points = points(vec![here, second]);
    assert_eq!((points[0].series.system.as_str(), points[0].series.place.as_str()), ("n1", "ext4 /dev/sda1"));
    assert_eq!(points[1].series.test, format!("{} #2", points[0].series.test));
}

#[test]
fn operations_have_a_rate() {
    let created = Phase { counts: Counts::Operations, ops: 50, ..phase("file_creation", 0, 2.0) };
    let points = points(vec![created]);
    assert_eq!((points[0].series.metric.as_str(), points[0].values[0]), ("file_creation.rate", 25.0));
}

#[test]
fn a_run_whose_values_a_campaign_would_reject_has_points_without_values() {
    let write = || phase("write", 0, 1.0);
    let wrong = Check { bad_transfers: 1, ..Check::default() };
    for (other, code) in [
        (Phase { cached_before: Some(0.5), ..phase("read", 0, 1.0) }, Code::CachedRead),
        (Phase { check: Some(wrong), ..phase("read", 0, 1.0) }, Code::WrongData),
        (Phase { failed: Some(Failed::default()), ..phase("read", 0, 1.0) }, Code::OperationsFailed),
        (Phase { backend: "dummy".into(), ..phase("read", 0, 1.0) }, Code::DummyBackend),
        (phase("read", 0, 0.0), Code::NoValues),
    ] {
        let points = points(vec![write(), other]);
        assert_eq!((points[1].why, points[1].values.len()), (Some(code), 0));
        let is_alone = matches!(code, Code::CachedRead | Code::NoValues);
        assert_eq!(points[0].values.len(), usize::from(is_alone), "{code:?}");
    }
    let mut records = file(run(), vec![write()]);
    records[2] = Record::End(End { exit: 4, ..End::default() });
    assert_eq!(entry_of(&records).unwrap().points[0].why, Some(Code::JobFailed));
}

#[test]
fn what_is_not_the_file_of_one_ended_run_is_rejected_with_a_reason() {
    let sound = file(run(), vec![phase("write", 0, 1.0)]);
    let rejected = |records: &[Record]| entry_of(records).unwrap_err();
    assert_eq!(rejected(&sound[1..]), "its first line is not the record of a run");
    assert_eq!(rejected(&sound[..2]), "the run has not ended, or was killed: the last record is missing");
    let twice = [sound.clone(), sound.clone()].concat();
    assert_eq!(rejected(&twice), "line 4: a second run begins here. Add the file of each run by itself.");
    let none = file(Run { workload: "age".into(), ..run() }, vec![]);
    assert_eq!(rejected(&none), "this run of age recorded no rates");
    let newer = file(Run { schema: SCHEMA + 1, ..run() }, vec![]);
    assert!(rejected(&newer).contains("Use a newer assay."));
    let undated = file(Run { started: "today".into(), ..run() }, vec![phase("write", 0, 1.0)]);
    assert_eq!(rejected(&undated), "line 1: its start `today` is not a time");
    assert!(is_records("{\"record\":\"run\",") && !is_records("{\"a\":1}") && !is_records(""));
}
