//! Campaigns with time windows, interleaved steps, groups, and tests of the client limit.

use std::fs;

use crate::common;
use crate::common::campaign::{Place, json};
use serde_json::Value;

/// Writes at a limited rate, so that the amount is small on a fast machine too.
const RATE_LIMITED: &str = "ior = \"-w -e -F -t 64k -b 1g -D 6 --rate 100/s\"";

fn verdicts(place: &Place) -> Vec<Value> {
    json(&place.folder().join("verdicts.json")).as_array().unwrap().clone()
}

fn jobs(place: &Place) -> Vec<String> {
    common::campaign::names(&place.folder().join("jobs"))
}

/// The reasons of the warnings and notes of a verdict with this code.
fn reasons<'v>(verdict: &'v Value, code: &str) -> Vec<&'v Value> {
    let all = ["warnings", "notes"].into_iter().filter_map(|kind| verdict[kind].as_array()).flatten();
    all.map(|one| &one["reason"]).filter(|reason| reason["code"] == code).collect()
}

#[test]
fn a_run_has_its_worst_window_and_steady_rate_and_its_warm_up_is_excluded() {
    let place = Place::new();
    place.plan(&format!(
        "[[test]]\nid = \"W\"\n{RATE_LIMITED}\nrepetitions = 2\nwarm_up = 1\nsustained = \"2 s\"\n\
         steady = {{ window = \"2 s\", slope = \"100000 %\", range = \"100000 %\", max = \"4 s\" }}\n\
         criterion = [\n  {{ metric = \"write.sustained\", stat = \"min\", op = \">\", value = \"1 \
         B/s\" }},\n\
         {{ metric = \"write.steady\", stat = \"min\", op = \">\", value = \"1 B/s\" }},\n]\n"
    ));
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(jobs(&place), ["0001-W+warm-up-r1", "0002-W-r1", "0003-W-r2"]);
    assert_eq!(place.outcomes(), ["W PASS", "W PASS"], "{:#?}", place.verdicts());
    for verdict in verdicts(&place) {
        assert_eq!(verdict["statistics"]["values"].as_array().unwrap().len(), 2);
        assert_eq!(reasons(&verdict, "worst-window").len(), 1, "{verdict:#}");
        let steady = reasons(&verdict, "steady-from");
        assert_eq!((steady.len(), &steady[0]["data"]["window"]["value"]), (1, &2.0.into()), "{verdict:#}");
        let warm_up = reasons(&verdict, "warm-up");
        assert_eq!((warm_up.len(), &warm_up[0]["data"]["ran"]), (1, &1.into()), "{verdict:#}");
        let kinds: Vec<&Value> =
            verdict["time_windows"].as_array().unwrap().iter().map(|window| &window["kind"]).collect();
        assert_eq!(kinds, ["worst", "worst", "steady", "steady"]);
    }
    let report = fs::read_to_string(place.folder().join("report.html")).unwrap_or_default();
    let shown = place.assay(&format!("report {}", place.folder().display()));
    let report = report + &shown.out;
    assert!(report.contains("Time windows within phases"), "{shown:#?}");
    assert!(report.contains("Warm-up of test W (excluded)"));
}

#[test]
fn interleaved_steps_run_round_by_round_and_readers_find_their_files() {
    let place = Place::new();
    place.plan(
        "[[series]]\nid = \"S\"\nover = \"transfer\"\nsteps = [\"64k\", \"128k\"]\nrepetitions = 2\n\
         order = \"interleaved\"\n[[series.phases]]\nid = \"w\"\nior = \"-w -e -k -t {step} -b 256k\"\n\
         criterion = { metric = \"write.bytes\", op = \"==\", value = \"512 KiB\" }\n\
         [[series.phases]]\nid = \"r\"\nuses = \"w\"\nior = \"-r -k -t {step} -b 256k\"\ncache = \"warm\"\n\
         criterion = { metric = \"read.bytes\", op = \"==\", value = \"512 KiB\" }\n",
    );
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    let order: Vec<String> = jobs(&place).iter().map(|job| job[5..].to_owned()).collect();
    let round = |n: u32| ["64k.w", "64k.r", "128k.w", "128k.r"].map(|step| format!("S.t{step}-r{n}"));
    assert_eq!(order, [round(1), round(2)].concat());
}

#[test]
fn parts_of_a_group_are_evaluated_in_their_common_time_window() {
    let place = Place::new();
    let part = |id: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\n{RATE_LIMITED}\nranks = 1\n\
             criterion = {{ metric = \"write.bw\", op = \">\", value = \"1 B/s\" }}\n"
        )
    };
    place.plan(&format!(
        "[[group]]\nid = \"G\"\noverlap = \"1%\"\n\
         criterion = {{ metric = \"write.bw\", op = \">\", value = \"1 B/s\" }}\n{}{}",
        part("a"),
        part("b")
    ));
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(place.outcomes(), ["G.a PASS", "G.b PASS", "G PASS"], "{:#?}", place.verdicts());
    let all = verdicts(&place);
    let sum = all[2]["value"].as_f64().unwrap();
    let parts = all[0]["value"].as_f64().unwrap() + all[1]["value"].as_f64().unwrap();
    assert!((sum / parts - 1.0).abs() < 1e-9, "{sum} {parts}");
    for part in &all[..2] {
        assert_eq!(reasons(part, "common-window").len(), 1, "{part:#}");
        assert_eq!(part["time_windows"][0]["kind"], "common");
        assert_eq!(part["time_windows"][0]["rate"], part["value"]);
    }
}

#[test]
fn the_client_limit_is_unknown_if_ranks_do_not_run_on_the_added_nodes() {
    let place = Place::new();
    let launch = place.hanging("no such word");
    let plan = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}\" }}\n{launch}\
         [[test]]\nid = \"T\"\nnodes = 1\nior = \"-w -e -F -t 64k -b 256k\"\n\
         client_limit = {{ nodes = [2, 3], gain = \"5 %\" }}\n\
         criterion = {{ metric = \"write.bw\", op = \">\", value = \"1 B/s\" }}\n"
    );
    fs::write(place.path("p.toml"), plan).unwrap();
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(jobs(&place), ["0001-T-r1", "0002-T.n2-r1", "0003-T.n3-r1"]);
    let verdict = &verdicts(&place)[0];
    // All ranks are on this node, although the plan requests more nodes.
    let unknown = reasons(verdict, "client-limit-unknown");
    assert_eq!(unknown.len(), 2, "{verdict:#}");
    for (one, nodes) in unknown.into_iter().zip([2, 3]) {
        let (data, cause) = (&one["data"], &one["data"]["cause"]);
        assert_eq!(data["test"], format!("T.n{nodes}"), "{one}");
        assert_eq!(
            (&cause["code"], &cause["data"]["planned"]),
            (&"nodes-differ".into(), &nodes.into()),
            "{one}"
        );
    }
    assert_eq!(place.outcomes(), ["T PASS"]);
}
