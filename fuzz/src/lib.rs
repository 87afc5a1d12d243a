//! Reads any bytes in place of each input that may come from a stranger.
//!
//! `cargo +nightly fuzz run TARGET` in this directory searches for bytes that break a reader. The test
//! `any_input` of `cli` includes this file, and calls each function with a limited number of random inputs.
//!
//! Invariant: a reader returns a value or an error. It never panics, hangs or writes outside its directory.
//! Never here: what a value means.

use std::fs;
use std::io::Write;
use std::path::Path;

use command::{ToolLine, TypedCommand, WORKLOADS, WorkloadLine};
use plan::app::{App, AppMetric, KnownProgram, Pick, PrintedText, Stream};
use plan::{Plan, schedule};
use results::folder::{self, CampaignInfo, JobInfo, Machine, Manifest, names};
use results::record::{METRICS, Record};
use results::summary::Summary;
use results::{Verdict, records as record_files};

/// The text of a plan.
pub fn plan(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(plan) = Plan::parse(&text, "p.toml")
        && let Ok(jobs) = schedule::jobs(&plan, &[])
    {
        schedule::needs(&jobs);
        schedule::beside_states(&jobs);
    }
}

/// A records file. Each phase that loads gives its metrics.
pub fn records(bytes: &[u8]) {
    let place = tempfile::tempdir().expect("a directory");
    let path = place.path().join(names::RECORDS);
    fs::write(&path, bytes).expect("a file");
    for record in record_files::load(&path).unwrap_or_default() {
        if let Record::Phase(phase) = record {
            let _ = METRICS.iter().filter(|row| phase.metric(row.name).is_some()).count();
            let each = phase.each_rank.unwrap_or_default();
            let _ = (0..each.ranks.min(1000))
                .filter_map(|rank| Some((each.rate(rank)?, each.node_of(rank)?)))
                .count();
        }
    }
}

/// Each file with one JSON value.
pub fn json(bytes: &[u8]) {
    let _ = serde_json::from_slice::<JobInfo>(bytes);
    let _ = serde_json::from_slice::<CampaignInfo>(bytes);
    let _ = serde_json::from_slice::<Machine>(bytes);
    let _ = serde_json::from_slice::<Manifest>(bytes);
    let _ = serde_json::from_slice::<Summary>(bytes);
    let _ = serde_json::from_slice::<Vec<Verdict>>(bytes);
}

/// The hash chain of a folder. A folder that verifies is resumed, too.
pub fn chain(bytes: &[u8]) {
    let place = tempfile::tempdir().expect("a directory");
    let (dir, beside) = (place.path().join("c"), place.path().join("beside"));
    let job = dir.join("jobs/.0001-w-r1");
    fs::create_dir_all(&job).expect("a directory");
    for file in [&beside, &job.join(names::STDOUT), &dir.join(names::PLAN), &dir.join(".plan.toml.part")] {
        fs::write(file, "text").expect("a file");
    }
    fs::write(dir.join(names::CHAIN), bytes).expect("a file");
    let _ = folder::check(&dir);
    let _ = folder::load(&dir);
    let _ = folder::resume(&dir, &|_| Vec::new());
    assert_eq!(fs::read_to_string(&beside).expect("the file is still there"), "text");
    assert_eq!(entries(place.path()), 2, "nothing is written beside the folder");
}

/// The contents of an archive, before compression.
pub fn archive(bytes: &[u8]) {
    let place = tempfile::tempdir().expect("a directory");
    let (packed, into) = (place.path().join("a.tar.gz"), place.path().join("u"));
    fs::create_dir(&into).expect("a directory");
    let file = fs::File::create(&packed).expect("a file");
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::none());
    gzip.write_all(bytes).and_then(|()| gzip.finish()).expect("a file");
    if let Ok(dir) = folder::unpack(&packed, &into) {
        let _ = folder::check(&dir);
        let _ = folder::load(&dir);
    }
    assert_eq!(entries(place.path()), 2, "nothing is written beside the directory");
}

fn entries(dir: &Path) -> usize {
    fs::read_dir(dir).expect("a directory").count()
}

/// A command line: launcher, workload and options.
pub fn command_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let _ = TypedCommand::read(&words);
    for workload in WORKLOADS {
        let _ = ToolLine::parse(workload.key, &text);
        WorkloadLine::read(workload.name, &words);
    }
    let line = text.replace(['"', '\\'], " ").replace(char::is_control, " ");
    plan(
        format!("{PLAN_HEAD}[[test]]\nid = \"T\"\nranks = 2\nrole = \"reported\"\nior = \"{line}\"\n")
            .as_bytes(),
    );
}

const PLAN_HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n";

/// A pattern, a NUL, and the output of a program in which the pattern is searched.
pub fn output(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (line, printed) = text.split_once('\0').unwrap_or(("^rate ([0-9.]+)", &text));
    let (out, err) = printed.split_once('\0').unwrap_or((printed, printed));
    let printed = PrintedText { out, err };
    let all = [Pick::One, Pick::Max, Pick::Mean]
        .map(|pick| [Stream::Out, Stream::Err].map(|stream| (pick, stream)));
    for (pick, stream) in all.into_iter().flatten() {
        let (name, unit) = ("w.bw".to_owned(), "B/s".to_owned());
        let metric = AppMetric { name, lines: vec![line.to_owned()], unit, pick, stream };
        if metric.dimension().is_ok() {
            let app = App { metrics: vec![metric], ..App::default() };
            let _ = app.records(&[], 1, "/", printed);
        }
    }
    for known in [KnownProgram::Ior, KnownProgram::Mdtest, KnownProgram::FlashIo] {
        let metrics = AppMetric::known(known, Stream::Out);
        let _ = App { metrics, ..App::default() }.records(&[], 1, "/", printed);
        let _ = App { parse: Some(known), ..App::default() }.records(&[], 1, "/", printed);
    }
}
