//! `assay report --answers` on real campaigns: values that a reader computes from the records.

use std::fs;

use serde_json::Value;

use crate::common::campaign::{Place, passing_test};

/// A write and a read, three repetitions, and the sheets of a document about them.
const PLAN: &str = r#"schema = 1
plan = { id = "p", title = "Storage | offer", source = "annex B", tier = "${tier}" }
parameters = { tier = "" }
scale.small = { tier = "small disk" }
fs.s = { dir = "{dir}" }
defaults = { ranks = 2, timeout = "90 s", repetitions = 3 }
[[test]]
id = "W"
ior = "-w -r -C -O numTasksOnNode0=1 -e -F -t 64k -b 256k --drop-caches"
best_of = "write.bw"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "M"
mdtest = "-F -C -T -r -n 20"
cache = "warm"
role = "reported"
[[answer]]
id = "ior"
title = "IOR | one run"
labels = ["Load"]
columns = [
  { title = "Ranks", fact = "ranks" },
  { title = "Max Write", metric = "write.bw", unit = "MB/s" },
  { title = "Read", metric = "read.bw", unit = "KiB/s" },
]
rows = [{ labels = ["1"], of = ["W"] }]
[[answer]]
id = "mdtest"
title = "mdtest"
labels = ["Test"]
runs = "all"
columns = [
  { title = "Create", metric = "file_creation.rate", unit = "ops/s" },
  { title = "Remove", metric = "file_removal.rate", unit = "kIOPS" },
]
rows = [{ labels = ["1"], of = ["M"] }]
"#;

fn campaigns() -> Place {
    let place = Place::new();
    fs::write(place.path("p.toml"), PLAN).unwrap();
    for (folder, more) in [("one", ""), ("two", "--scale small")] {
        let ran = place.assay(&format!("run p.toml --dir dir --folder {folder} {more}"));
        assert!(ran.passed(), "{ran:#?}");
    }
    place
}

/// The phases with this name in the records of a test, one for each repetition.
fn phases(place: &Place, folder: &str, test: &str, phase: &str) -> Vec<Value> {
    let jobs = fs::read_dir(place.path(folder).join("jobs")).unwrap().map(|job| job.unwrap().path());
    let is_own = |job: &std::path::PathBuf| job.to_string_lossy().contains(&format!("-{test}-r"));
    let mut jobs: Vec<_> = jobs.filter(is_own).collect();
    jobs.sort();
    let of_job = |job: &std::path::PathBuf| {
        let text = fs::read_to_string(job.join("records.jsonl")).unwrap();
        let mut records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.find(|record| record["phase"] == phase).unwrap_or_else(|| panic!("{phase} in {text}"))
    };
    jobs.iter().map(of_job).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// The fields of a line, without the quotes of those that have a comma.
fn fields(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let ends = |char: char| {
        is_quoted ^= char == '"';
        char == ',' && !is_quoted
    };
    line.split(ends).map(|field| field.trim_matches('"')).collect()
}

/// Whether a cell has this number with six digits.
fn is_shown(cell: &str, number: f64) -> bool {
    let shown: f64 = cell.split_once(' ').map_or(cell, |(shown, _)| shown).parse().unwrap();
    (shown / number - 1.0).abs() < 6e-6
}

#[test]
fn a_sheet_has_the_values_of_the_records_in_the_units_of_the_document() {
    let place = campaigns();
    let ran = place.assay("report --answers csv --sheet ior one two");
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{ran:#?}");
    let lines: Vec<&str> = ran.out.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 3, "{}", ran.out);
    assert!(lines[0].starts_with("Campaign,Load,Ranks,Max Write (MB/s),Read (KiB/s),Values,Test,"));
    for (folder, line) in ["one", "two"].into_iter().zip(&lines[1..]) {
        let rate = |phase: &Value| number(&phase["bytes"]) / number(&phase["spans"]["total_s"]);
        let [write, read] = ["write", "read"].map(|name| phases(&place, folder, "W", name));
        let best = (0..3).max_by(|a, b| rate(&write[*a]).total_cmp(&rate(&write[*b]))).unwrap();
        let cells = fields(line);
        assert!(is_shown(cells[3], rate(&write[best]) / 1e6), "{line}\n{write:#?}");
        assert!(is_shown(cells[4], rate(&read[best]) / 1024.0), "the read of the same run: {line}");
        assert_eq!(cells[2], "2");
        assert_eq!(cells[5], format!("repetition {} of 3", best + 1));
        assert!(cells[8].ends_with(&format!("-W-r{}", best + 1)), "the job of this run: {line}");
        assert_eq!(cells[3].ends_with(" (reduced)"), folder == "two", "{line}");
        let verified = place.assay(&format!("verify {folder}")).out;
        let is_hash = |cell: &&&str| cell.len() == 64 && cell.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = cells.iter().find(is_hash).unwrap();
        assert!(verified.contains(hash), "{hash}\n{verified}");
    }
    assert!(lines[1].starts_with("one,") && lines[2].starts_with("small disk,"), "the folder, or the tier");
    let all = place.assay("report --answers csv --sheet mdtest one");
    let created = phases(&place, "one", "M", "file_creation");
    let removed = phases(&place, "one", "M", "file_removal");
    let lines: Vec<&str> = all.out.split_terminator("\r\n").skip(1).collect();
    assert_eq!(lines.len(), 3, "a line for each repetition: {}", all.out);
    for (at, line) in lines.into_iter().enumerate() {
        let rate = |phase: &Value| number(&phase["ops"]) / number(&phase["spans"]["total_s"]);
        let cells = fields(line);
        assert!(cells[4].starts_with(&format!("repetition {} of 3", at + 1)), "{line}");
        assert!(is_shown(cells[2], rate(&created[at])), "{line}\n{}", created[at]);
        assert!(is_shown(cells[3], rate(&removed[at]) / 1000.0), "{line}\n{}", removed[at]);
    }
}

#[test]
fn campaigns_are_side_by_side_and_one_that_was_changed_has_no_value() {
    let place = campaigns();
    let ran = place.assay("report --answers html one two --out pages.html");
    assert_eq!((ran.status, ran.out.as_str()), (Some(0), ""), "{ran:#?}");
    let page = fs::read_to_string(place.path("pages.html")).unwrap();
    for wanted in
        ["IOR | one run", "small disk", "href=\"one&#x2f;report.html#W\"", "The evidence of 2 is intact"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("<script") && !page.contains("http"));
    let report = fs::read_to_string(place.path("one/report.html")).unwrap();
    assert!(report.contains("id=\"W\""), "the link leads to the test");
    let records = place.path("two/jobs/0001-W-r1/records.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text.replacen("\"bytes\":", "\"bytes\":9", 1)).unwrap();
    place.assay("pack one -o one.tar.gz").ok();
    let ran = place.assay("report --answers markdown one.tar.gz two");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let row = |name: &str| {
        let mut rows = ran.out.lines().filter(|line| line.starts_with(&format!("| {name} | 1 | 2 |")));
        rows.next().unwrap_or_else(|| panic!("{name} in {}", ran.out)).to_owned()
    };
    assert_eq!(row("small disk").matches("INVALID").count(), 2);
    assert!(!row("one.tar.gz").contains("INVALID") && !row("one.tar.gz").contains("]("), "no report to link");
}

#[test]
fn what_cannot_be_filled_is_rejected_in_one_line() {
    let place = campaigns();
    place.plan(&passing_test("a clause"));
    place.assay("run p.toml --dir dir --folder bare").ok();
    for (words, wanted) in [
        ("report one two", "2 folders are given. Give one, or add --answers."),
        ("report --answers csv one", "A csv file has one sheet. Choose one with --sheet ID: ior, mdtest."),
        (
            "report --answers csv --sheet no one",
            "--sheet no: no plan has this answer sheet. Choose one of: ior",
        ),
        ("report --answers html bare", "have no answer sheets. Add [[answer]] tables to the plan"),
        ("report --answers html one dir", "dir is not a campaign folder."),
        ("report --answers html one --out one/x.html", "--out one/x.html is inside the campaign folder"),
        ("report --answers html one --out no/such/x.html", "--out no/such/x.html: "),
    ] {
        let ran = place.assay(words);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{words}: {ran:#?}");
        assert!(ran.err.contains(wanted) && ran.out.is_empty(), "{words}: {}", ran.err);
    }
    assert_eq!(place.assay("report --answers xml one").status, Some(2));
    assert_eq!(place.assay("report --sheet ior one").status, Some(2));
    assert_eq!(place.assay("report").status, Some(2));
}
