//! Exports of a store with one usable point and one that is not.

use std::collections::BTreeMap;

use results::comparison::MetricDirection;
use results::history::{HistoryEntry, MeasuredPoint};
use results::reason::Code;

use super::*;
use crate::import::csv::{CsvMapping, entry};

/// A store with a usable point, and a later one that is not.
fn store(system: &str) -> (tempfile::TempDir, Store) {
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open_or_create(&place.path().join("h.sqlite")).unwrap();
    let series = SeriesId {
        system: system.into(),
        place: "lustre a:/b".into(),
        plan: "daily".into(),
        test: "B.1".into(),
        metric: "write.bw".into(),
        unit: "B/s".into(),
        ..SeriesId::default()
    };
    let point = |time_s, values: &[f64]| MeasuredPoint {
        series: series.clone().into(),
        direction: MetricDirection::HigherIsFaster,
        time_s,
        values: values.to_vec(),
        why: values.is_empty().then_some(Code::NoneRan),
        outcome: Some(if values.is_empty() { Outcome::NotRun } else { Outcome::Pass }),
        threshold: Some(1e9),
        setup: BTreeMap::new(),
        fill: Some(0.25),
        concurrency: None,
    };
    let points = vec![point(1000.0, &[2e9, 3e9]), point(2000.0, &[])];
    let one = HistoryEntry {
        hash: "e1".into(),
        campaign: "c".into(),
        location: "/a,b".into(),
        points,
        ..HistoryEntry::default()
    };
    store.add(&[one], 0.0).unwrap();
    (place, store)
}

fn written(
    store: &Store,
    write: impl Fn(&Store, &[SeriesSummary], &mut dyn Write) -> Result<(), ExportError>,
) -> String {
    let mut out = Vec::new();
    write(store, &store.series().unwrap(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_csv_export_names_the_evidence_and_can_be_imported_again() {
    let (_place, store) = store("edison");
    let text = written(&store, csv);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[1..],
        [
            "1000,2500000000,B/s,edison,lustre a:/b,daily,,B.1,write.bw,2,PASS,1000000000,,0.25,,\
             campaign,e1,\"/a,b\"",
            "2000,,B/s,edison,lustre a:/b,daily,,B.1,write.bw,0,NOT RUN,1000000000,none-ran,0.25,,\
             campaign,e1,\"/a,b\"",
        ]
    );
    let again = entry(&text, &CsvMapping::default(), "h".into(), "/f.csv").unwrap();
    assert_eq!(again.points.len(), 1, "a point without a value is none");
    assert_eq!(
        (again.points[0].values[0], &*again.points[0].series),
        (2.5e9, &store.series().unwrap()[0].series)
    );
}

#[test]
fn a_name_does_not_become_a_formula_of_a_spreadsheet() {
    let (_place, store) = store("=HYPERLINK(1)");
    assert!(written(&store, csv).contains(",'=HYPERLINK(1),"));
}

#[test]
fn each_json_line_is_an_object_with_all_repetitions() {
    let (_place, store) = store("edison");
    let text = written(&store, json_lines);
    let all: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all.len(), 2);
    assert_eq!((&all[0]["values"][1], &all[0]["system"]), (&3e9.into(), &"edison".into()));
    assert_eq!((&all[1]["value"], &all[1]["why"]), (&serde_json::Value::Null, &"none-ran".into()));
}

#[test]
fn metrics_have_the_last_usable_point_with_escaped_labels() {
    let (_place, store) = store("a\"b\\");
    let text = written(&store, open_metrics);
    let labels = "{system=\"a\\\"b\\\\\",place=\"lustre a:/b\",plan=\"daily\",scale=\"\",test=\"B.1\",\
                  metric=\"write.bw\",unit=\"B/s\"}";
    assert!(text.contains(&format!("\nassay_value{labels} 2500000000\n")), "{text}");
    assert!(text.contains(&format!("\nassay_measured_timestamp_seconds{labels} 1000\n")), "{text}");
    assert!(text.contains(&format!("\nassay_clause_pass{labels} 1\n")), "{text}");
    assert!(text.ends_with("# EOF\n"));
}
