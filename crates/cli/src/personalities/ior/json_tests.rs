//! The JSON output, compared with the keys of the classic program and with unusual inputs.

use command::ior::{Hog, Offsets, Output, Parsed, Request, ResultFormat};
use proptest::prelude::*;
use results::record::{BadRange, Check, Stonewall};
use workloads::ior::{IorEvent, IorRankTimes, RankPlacement, RankStamps, WearOut};
use workloads::kit::observer::EventObserver;

use super::super::output::IorOutput;
use super::super::shown::tests::{beginning, parsed, phase};
use super::super::streams::Streams;
use super::*;
use crate::personalities::printer::tests::Page;

const GOLDEN_SCRIPT: &str = include_str!("../../../tests/golden/script-v.keys");
const GOLDEN_RANDOM: &str = include_str!("../../../tests/golden/random-ranks.keys");

fn json(streams: Streams, argv: &[String]) -> IorOutput {
    IorOutput::new(streams, &Output { format: ResultFormat::Json, ..Output::default() }, argv)
}

/// Runs `tests` as events. Gives the document and the messages.
fn output(tests: &[Parsed], phases: &[Phase], complete: bool) -> (String, String) {
    let (page, chatter) = (Page::default(), Page::default());
    let streams = Streams::apart(&page, &chatter);
    let mut json = json(streams, &["ior".into(), "a\"b".into()]);
    json.begin("");
    for parsed in tests {
        json.test(parsed, Some(Space::default()));
        let place = RankPlacement { nodes: 1, ranks_on_node0: 2, by_block: true };
        json.event(&IorEvent::Hog { node_bytes: 0, rank_bytes: 1 << 20 });
        json.event(&IorEvent::Test { test: parsed.request.test, place, ranks: 2 });
        for phase in phases {
            json.event(&IorEvent::Phase(phase));
        }
        json.event(&IorEvent::Removed { repetition: 0, seconds: 0.5 });
        json.end_test();
    }
    json.finish(complete, None).unwrap();
    (page.text(), chatter.text())
}

#[test]
fn kept_phases_carry_no_buckets_and_no_timeline() {
    let page = Page::default();
    let mut json = json(Streams::on(&page), &[]);
    json.test(&parsed(|_| ()), None);
    json.event(&IorEvent::Phase(&phase("write", 0)));
    assert!(json.document.tests[0].phases[0].latency.as_ref().unwrap().buckets.is_empty());
}

/// The paths of all keys, in order of first appearance.
fn paths(value: &JsonValue, before: &str, all: &mut Vec<String>) {
    match value {
        JsonValue::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| *key != "assay") {
                let path = format!("{before}/{key}");
                if !all.contains(&path) {
                    all.push(path.clone());
                }
                paths(value, &path, all);
            }
        }
        JsonValue::List(values) => values.iter().for_each(|value| paths(value, before, all)),
        _ => {}
    }
}

/// Asserts that these tests, each with a write and a read, have the golden keys.
fn same_keys(tests: &[Parsed], golden: &str) {
    let (page, chatter) = (Page::default(), Page::default());
    let mut json = json(Streams::apart(&page, &chatter), &[]);
    for parsed in tests {
        json.test(parsed, Some(Space::default()));
        json.event(&IorEvent::Phase(&phase("write", 0)));
        json.event(&IorEvent::Phase(&phase("read", 0)));
        json.event(&IorEvent::Removed { repetition: 0, seconds: 0.5 });
    }
    let mut all = Vec::new();
    paths(&json.document.value("", &json.tests, true, None), "", &mut all);
    let expected: Vec<&str> = golden.lines().filter(|line| line.starts_with('/')).collect();
    assert_eq!(all.join("\n"), expected.join("\n"));
}

#[test]
fn a_script_and_random_ranks_have_the_keys_of_the_classic() {
    let test = |number| parsed(|parameters| (parameters.test, parameters.verbose) = (number, 1));
    same_keys(&[test(0), test(1)], GOLDEN_SCRIPT);
    let mut random = parsed(|parameters| parameters.hog = Hog::PerRank(1 << 20));
    random.random_ranks = 1;
    same_keys(&[random], GOLDEN_RANDOM);
}

#[test]
fn checks_and_halves_of_a_mixed_phase_are_not_in_the_summary() {
    let phases = ["write", "write_check", "mixed_write", "mixed_read"].map(|name| phase(name, 0));
    let (page, _) = output(&[parsed(|_| ())], &phases, true);
    let json: serde_json::Value = serde_json::from_str(&page).unwrap();
    let access = |number: usize| json["tests"][0]["Results"][number]["access"].clone();
    assert_eq!([access(0), access(1), access(2)], ["write", "mix-write", "mix-read"]);
    let own = &json["tests"][0]["assay"];
    assert_eq!(
        (&own["phases"][1]["phase"], own["phases"].as_array().unwrap().len()),
        (&"write_check".into(), 4)
    );
    assert_eq!(json["summary"].as_array().unwrap().len(), 1);
}

#[test]
fn a_run_that_failed_at_once_gives_a_valid_document_marked_incomplete() {
    let (page, _) = output(&[], &[], false);
    let json: serde_json::Value = serde_json::from_str(&page).unwrap();
    assert_eq!((&json["assay"]["complete"], json.get("Finished")), (&false.into(), None));
}

/// Numbers that a file system should not give but may give.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), Just(0.0), Just(-0.0), 0.0..1e-6]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,8}", "[\"\\\\\n\r\t\u{0}-\u{1f}\u{7f}/,{}é漢🦀]{0,12}"]
}

prop_compose! {
    fn any_phase()(
        name in prop_oneof!["write", "read", "read_check", "write_check", "mixed_write", "mixed_read"],
        path in text(),
        numbers in prop::array::uniform6(number()),
        counts in prop::array::uniform4(any::<u64>()),
        latency in any::<bool>(),
        wall in prop::option::of(any::<bool>()),
    ) -> Phase {
        let mut made = phase(&name, counts[3] as u32);
        (made.path, made.bytes, made.ops) = (path.clone(), counts[0], counts[1]);
        let [open_s, transfer_s, close_s, total_s, mean_ns, rate] = numbers;
        made.spans = results::record::Spans { open_s, transfer_s, close_s, total_s };
        (made.cached_before, made.rate_limit) = (Some(rate), Some(mean_ns));
        made.balance.slowest_node = path.clone();
        match &mut made.latency {
            Some(all) if latency => all.mean_ns = mean_ns,
            none => *none = None,
        }
        made.stonewall = wall.map(|wear_out| Stonewall { seconds: rate, wear_out, ..Stonewall::default() });
        let bad = BadRange { path, ..BadRange::default() };
        made.check = Some(Check { bytes: counts[2], bad_transfers: 1, bad: vec![bad], ..Check::default() });
        made
    }
}

prop_compose! {
    fn any_meant()(
        texts in prop::array::uniform2(text()),
        flags in prop::array::uniform8(any::<bool>()),
        sizes in prop::array::uniform4(any::<u64>()),
        small in prop::array::uniform4(any::<i32>()),
        verbose in 0..6u32,
        offsets in prop_oneof![Just(Offsets::Sequential), Just(Offsets::RandomBlocks)],
        orders in (0..3u64, 0..3u64),
    ) -> Parsed {
        let mut parsed = parsed(|p: &mut Request| {
            (p.backend, p.test_file) = (texts[0].clone(), texts[1].clone());
            (p.file_per_rank, p.collective, p.write, p.read) = (flags[0], flags[1], flags[2], flags[3]);
            (p.write_check, p.dry_run, p.unique_dir, p.wear_out) = (flags[4], flags[5], flags[6], flags[7]);
            (p.block, p.transfer, p.segments) = (sizes[0], sizes[1], sizes[2]);
            (p.hog, p.verbose, p.offsets) = (Hog::PerNode(sizes[3]), verbose, offsets);
            (p.reorder_seed, p.reference, p.signature) = (small[0], small[1], Some(small[2]));
            p.deadline = small[3].unsigned_abs();
        });
        (parsed.constant, parsed.random_ranks) = orders;
        parsed
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_document_is_valid_for_any_options_and_results(
        tests in prop::collection::vec(any_meant(), 0..3),
        phases in prop::collection::vec(any_phase(), 0..4),
        complete: bool,
    ) {
        let (page, _) = output(&tests, &phases, complete);
        let json: serde_json::Value = serde_json::from_str(&page).unwrap();
        prop_assert_eq!(json["tests"].as_array().unwrap().len(), tests.len());
        for (parsed, shown) in tests.iter().zip(json["tests"].as_array().unwrap()) {
            prop_assert_eq!(&shown["Parameters"]["testFileName"], &parsed.request.test_file);
            prop_assert_eq!(&shown["Parameters"]["blockSize"], parsed.request.block);
        }
    }

    #[test]
    fn messages_are_only_under_the_own_key(
        parsed in any_meant(), words in text(), seconds in number()
    ) {
        let (page, chatter) = (Page::default(), Page::default());
        let argv = [words.clone()];
        let mut json = json(Streams::apart(&page, &chatter), &argv);
        json.test(&parsed, None);
        let wall =
            WearOut { transfers_min: 1, transfers_max: 2, bytes_min: 3, bytes_mean: seconds, seconds };
        let ranks = [IorRankTimes { total_s: seconds, transfer_s: seconds, bytes: 1 }];
        let files = [(0, words.clone())];
        for event in [
            IorEvent::Repetition { repetition: 0, signature: -1 },
            IorEvent::Exists { path: &words, kept: false },
            IorEvent::Begins(beginning("read")),
            IorEvent::Files { action: "reading", rows: &files },
            IorEvent::FileHits(&[1, 0, 1]),
            IorEvent::Prefilled(seconds),
            IorEvent::WearOut(wall),
            IorEvent::RankTimes { phase: "read", rows: &ranks },
            IorEvent::Stamps { phase: "read", repetition: 0, rows: &[RankStamps::default()] },
            IorEvent::Size { expected: 1, found: 2, moved: 3 },
            IorEvent::Warning(&words),
            IorEvent::Notice(&results::reason!(CachesNotDropped { why: &words })),
        ] {
            json.event(&event);
        }
        json.finish(true, None).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&page.text()).unwrap();
        prop_assert_eq!(&parsed["tests"][0]["assay"]["warnings"][0], &words);
        let message = "WARNING: Expected aggregate file size       = 1";
        let messages = parsed["tests"][0]["assay"]["messages"].as_array().unwrap();
        prop_assert!(messages.iter().any(|line| line == message), "{:?}", messages);
        prop_assert!(chatter.text().contains(message));
    }
}
