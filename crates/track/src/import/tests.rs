//! Tables with sound and wrong lines.

use std::collections::BTreeMap;

use results::comparison::MetricDirection;

use super::csv::{CsvMapping, FIELDS, entry};
use super::*;

fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn mapped(columns: &[(&str, &str)], constants: &[(&str, &str)]) -> CsvMapping {
    CsvMapping { columns: texts(columns), constants: texts(constants) }
}

fn rejected(text: &str, mapping: &CsvMapping) -> String {
    entry(text, mapping, "h".into(), "/f.csv").unwrap_err().to_string()
}

#[test]
fn each_line_with_a_value_is_a_point_in_the_base_unit() {
    let mapping = mapped(
        &[("time", "epoch"), ("value", "mib")],
        &[("unit", "MiB/s"), ("test", "fpp"), ("system", "e")],
    );
    let text = "epoch,mib,fill\n1487064900,2,0.5\n1487064901,,\n1487064890,1.5,\n";
    let entry = entry(text, &mapping, "h".into(), "/f.csv").unwrap();
    assert_eq!((entry.started_s, entry.points.len(), entry.extent), (1_487_064_890.0, 2, 2));
    let first = &entry.points[0];
    assert_eq!((first.time_s, first.values.as_slice()), (1_487_064_900.0, [2_097_152.0].as_slice()));
    assert_eq!((first.fill, first.direction), (Some(0.5), MetricDirection::HigherIsFaster));
    let series = &first.series;
    assert_eq!((series.system.as_str(), series.test.as_str(), series.unit.as_str()), ("e", "fpp", "B/s"));
    assert_eq!((series.plan.as_str(), series.metric.as_str()), ("csv", "value"));
}

#[test]
fn columns_with_the_names_of_fields_need_no_mapping() {
    let text = "time,value,unit,test,metric,plan\n2017-02-14T09:35:00Z,\"3\",s,A,create.time,daily\n";
    let entry = entry(text, &CsvMapping::default(), "h".into(), "/f.csv").unwrap();
    let point = &entry.points[0];
    assert_eq!((point.time_s, point.direction), (1_487_064_900.0, MetricDirection::LowerIsFaster));
    assert_eq!((point.series.plan.as_str(), point.series.metric.as_str()), ("daily", "create.time"));
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_the_remedy() {
    let sound = mapped(&[], &[("unit", "MiB/s"), ("test", "A")]);
    for (text, mapping, wanted) in [
        ("time,value\n1,x\n", &sound, "line 2: `x` is not a number"),
        ("time,value\n1,NaN\n", &sound, "line 2: `NaN` is not a number"),
        ("time,value\n1,inf\n", &sound, "line 2: `inf` is not a number"),
        ("time,value\n1,-2\n", &sound, "line 2: `-2` is not a number of 0 or more"),
        ("time,value,fill\n1,2,NaN\n", &sound, "line 2: fill: `NaN` is not a number"),
        ("time,value\n1,2\nsoon,3\n", &sound, "line 3: `soon` is not a time. Write seconds or RFC 3339."),
        ("time,value\n1,2,3\n", &sound, "line 2: CSV error"),
        ("time,value\n", &sound, "there is no line with a value"),
        ("time,mib\n1,2\n", &sound, "--map value=COLUMN"),
        ("time,value\n1,2\n", &mapped(&[], &[("test", "A")]), "line 1: unit is missing"),
        ("time,value\n1,2\n", &mapped(&[], &[("test", "A"), ("unit", "furlong")]), "`furlong` is not a unit"),
        (
            "time,value\n1,2\n",
            &mapped(&[("fill", "used")], &[("unit", "s"), ("test", "A")]),
            "no column used. The columns are: time, value.",
        ),
        (
            "time,value\n1,2\n",
            &mapped(&[("test", "value")], &[("unit", "s"), ("test", "A")]),
            "a column and a constant",
        ),
    ] {
        let line = rejected(text, mapping);
        assert!(line.contains(wanted), "{line}");
    }
}

#[test]
fn a_file_that_has_grown_replaces_what_was_imported_before() {
    let mapping = mapped(&[], &[("unit", "s"), ("test", "A")]);
    let of = |text: &str| entry(text, &mapping, text.into(), "/f.csv").unwrap();
    let (one, two) = (of("time,value\n1,2\n"), of("time,value\n1,2\n2,2\n"));
    assert_eq!(one.campaign, two.campaign);
    assert!(one.extent < two.extent);
    let other = entry("time,value\n1,2\n", &mapping, "h".into(), "/g.csv").unwrap();
    assert_ne!(one.campaign, other.campaign);
}

#[test]
fn times_are_read_in_the_forms_of_programs() {
    for text in ["1487064900", "2017-02-14T09:35:00Z", "2017-02-14T10:35:00+01:00"] {
        assert_eq!(seconds(text), Some(1_487_064_900.0), "{text}");
    }
    let local = seconds("2017-02-14 09:35:00").unwrap();
    assert_eq!(seconds("Tue Feb 14 09:35:00 2017"), Some(local));
    assert_eq!(seconds("2017-02-14").map(|day| local - day), Some(9.0 * 3600.0 + 35.0 * 60.0));
    for text in ["", "soon", "inf", "2017-13-01"] {
        assert_eq!(seconds(text), None, "{text}");
    }
}

const SUMMARY: &str = "\
IO500 version io500-sc23 (standard)
[RESULT]       ior-easy-write        0.500000 GiB/s : time 0.027 seconds
[RESULT]    mdtest-easy-write      103.300821 kIOPS : time 1.121 seconds
[      ]            timestamp        0.000000 kIOPS : time 0.000 seconds
[RESULT]       ior-hard-write        0.001313 GiB/s : time 0.200 seconds [INVALID]
[SCORE ] Bandwidth 0.25 GiB/s : IOPS 292.625029 kiops : TOTAL 7.096374
";
const RESULT: &str = "\
[run]
procs = 20
[ior-easy-write]
t_start = 2017-02-14 09:35:00
exe = ./ior -C -o /d/2017.02.14/ior-easy/f -t 2m -b 9920000m -F
";

fn io500_run(
    summary: &'static str,
    result: &'static str,
    location: &'static str,
) -> io500::Io500Run<'static> {
    io500::Io500Run { summary, result, hash: "h", location }
}

#[test]
fn the_summary_of_io500_has_a_point_for_each_valid_result_and_for_the_scores() {
    let names = ImportNames { system: Some("edison"), ..ImportNames::default() };
    let entry = io500::entry(io500_run(SUMMARY, RESULT, "/r/x"), names).unwrap();
    assert_eq!(entry.started_s, seconds("2017-02-14 09:35:00").unwrap());
    let points: Vec<(&str, &str, &str, f64)> = entry
        .points
        .iter()
        .map(|one| {
            let series = &one.series;
            (series.test.as_str(), series.metric.as_str(), series.unit.as_str(), one.values[0])
        })
        .collect();
    assert_eq!(
        points,
        [
            ("ior-easy-write", "total.bw", "B/s", 536_870_912.0),
            ("mdtest-easy-write", "total.rate", "/s", 103_300.821),
            ("SCORE", "bandwidth.bw", "B/s", 268_435_456.0),
            ("SCORE", "iops.rate", "/s", 292_625.029),
            ("SCORE", "total.score", "points", 7.096_374),
        ]
    );
    let setup = &entry.points[0].setup;
    assert_eq!((setup["ranks"].as_str(), setup["command"].as_str()), ("20", "-C -t 2m -b 9920000m -F"));
    assert_eq!(entry.points[0].series.system, "edison");
}

#[test]
fn the_date_of_io500_is_also_in_the_name_of_its_folder() {
    let at = |location| io500::entry(io500_run(SUMMARY, "", location), ImportNames::default());
    let entry = at("/results/2017.02.14-09.35.00").unwrap();
    assert_eq!(entry.started_s, seconds("2017-02-14 09:35:00").unwrap());
    assert!(at("/results/last").unwrap_err().to_string().ends_with("Give it with --set time=DATE."));
    let given = ImportNames { time_s: Some(7.0), ..ImportNames::default() };
    assert_eq!(io500::entry(io500_run(SUMMARY, "", "/results/last"), given).unwrap().started_s, 7.0);
    let none = io500::entry(io500_run("[SCORE ] x\n", RESULT, "/r"), ImportNames::default());
    assert_eq!(none.unwrap_err().to_string(), "the summary has no valid result");
}

/// What the script of 2017 to 2020 printed: each result when it was there, and all of them again.
const SCRIPT: &str = "\
[Summary] Results files in /r/results/2019.09.17-22.52.53
[RESULT] BW   phase 1            ior_easy_write                8.000 GB/s : time  58.27 seconds
[RESULT-invalid] BW   phase 2            ior_hard_write                0.250 GiB/s : time 708.39 seconds
[RESULT] IOPS phase 1         mdtest_easy_write               20.608 kiops : time 333.32 seconds
[RESULT] BW   phase 1            ior_easy_write                8.000 GB/s : time  58.27 seconds
[SCORE] Bandwidth 1.5 GB/s : IOPS 14.8749 kiops : TOTAL 4.90749
";

#[test]
fn the_summary_of_the_script_continues_the_series_of_the_program() {
    assert!(io500::is_summary(SCRIPT));
    let entry = io500::entry(io500_run(SCRIPT, "", "/r/copied"), ImportNames::default()).unwrap();
    assert_eq!(entry.started_s, seconds("2019-09-17 22:52:53").unwrap());
    let points: Vec<(&str, &str, f64)> = entry
        .points
        .iter()
        .map(|one| (one.series.test.as_str(), one.series.metric.as_str(), one.values[0]))
        .collect();
    let wanted = [
        ("ior-easy-write", "total.bw", 8.0 * 1_073_741_824.0),
        ("mdtest-easy-write", "total.rate", 20_608.0),
        ("SCORE", "bandwidth.bw", 1.5 * 1_073_741_824.0),
        ("SCORE", "iops.rate", 14_874.9),
        ("SCORE", "total.score", 4.907_49),
    ];
    assert_eq!(points, wanted);
    let invalid = SCRIPT.replace("[SCORE]", "[SCORE-invalid]");
    assert_eq!(io500::entry(run_of(&invalid), ImportNames::default()).unwrap().points.len(), 2);
}

fn run_of(summary: &str) -> io500::Io500Run<'_> {
    io500::Io500Run { summary, result: "", hash: "h", location: "/r/x" }
}

#[test]
fn a_result_that_cannot_be_read_or_that_differs_is_an_error_with_its_line() {
    for (from, to, wanted) in [
        ("20.608", "much", "line 4: `much` is not a number"),
        ("20.608", "nan", "line 4: `nan` is not a number"),
        ("20.608", "-20.608", "line 4: `-20.608` is not a number of 0 or more"),
        ("TOTAL 4.90749", "TOTAL inf", "line 6: `inf` is not a number"),
        ("kiops : time", "furlongs : time", "line 4: `furlongs` is not a unit of IO500"),
        ("22.52.53\n", "22.52.53\n[RESULT] ior_easy_write\n", "line 2: this line of results is not complete"),
        (" : TOTAL 4.90749", "", "line 6: this line of scores is not complete"),
        (
            "IOPS phase 1 ",
            "[RESULT] ior_easy_write 7.0 GB/s \n[RESULT] IOPS phase 1 ",
            "line 4: ior-easy-write has",
        ),
    ] {
        let summary = SCRIPT.replacen(from, to, 1).replace("[RESULT] [RESULT]", "[RESULT]");
        let error = io500::entry(run_of(&summary), ImportNames::default()).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{from}: {error}");
    }
}

#[test]
fn each_field_has_a_meaning() {
    assert!(FIELDS.iter().all(|(name, meaning)| !name.is_empty() && !meaning.ends_with('.')));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_rejected(text in ".{0,200}") {
        let mapping = mapped(&[], &[("unit", "s"), ("test", "A"), ("time", "1")]);
        let _ = entry(&text, &mapping, "h".into(), "/f.csv");
        let run = io500::Io500Run { summary: &text, result: &text, hash: "h", location: &text };
        let _ = io500::entry(run, ImportNames::default());
    }
}
