//! The sentences about codes. Each code has at least one sentence, and a file shows all sentences.
//!
//! If `BLESS` is set in the environment, the tests write tests/fixtures/sentences.txt,
//! docs/reference/reasons.md and docs/reference/verdicts.schema.json instead of comparing them.

use std::fmt::Write as _;
use std::fs;

use report::sentences::{remedy, sentence, template_for};
use results::reason;
use results::reason::template::{Slot, WHO, slots};
use results::reason::{Code, Datum, Reason, any};

use crate::lint_samples;
use crate::text::same_as_fixture;

/// The templates of a code, in the order in which they are tried.
fn templates(code: Code) -> impl Iterator<Item = &'static str> {
    code.row().templates().into_iter().flatten().copied()
}

/// The names of the data that the templates of a code mention, each once. Required data come first.
fn data_of(code: Code) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for wanted in [false, true] {
        for slot in templates(code).flat_map(slots).filter(|slot| slot.optional == wanted) {
            let own =
                if slot.name == WHO { &["job", "repetition"][..] } else { std::slice::from_ref(&slot.name) };
            for name in own {
                if !all.contains(name) {
                    all.push(name);
                }
            }
        }
    }
    all
}

#[test]
fn every_code_has_a_sentence() {
    let all = Code::ALL.iter().copied().filter(|code| *code != Code::Unset);
    let without: Vec<Code> = all.filter(|code| templates(*code).next().is_none()).collect();
    assert_eq!(without, []);
}

const SECONDS: &[&str] = &[
    "after",
    "common",
    "deadline",
    "first_rank",
    "from",
    "interval",
    "lasted",
    "left_after",
    "measured_s",
    "needed_s",
    "off",
    "skew",
    "steady_after",
    "time",
    "timeout",
    "uncertainty",
    "until",
    "waited",
    "wear_out",
    "window",
    "within",
    "ahead",
    "behind",
    "longest",
];
const BYTES: &[&str] = &[
    "allocated",
    "asked",
    "beyond",
    "bytes",
    "compared",
    "fair",
    "kernel_bytes",
    "memory",
    "mean",
    "moved",
    "per_node",
    "repeated",
    "served",
    "unused",
];
const RATES: &[&str] = &[
    "high",
    "limit",
    "low",
    "rate",
    "rate_max",
    "required",
    "sequential",
    "threshold",
    "value",
    "whole",
    "reached",
];
const SHARES: &[&str] = &[
    "alone_high",
    "alone_low",
    "blocks",
    "change",
    "confidence",
    "cov",
    "cov_max",
    "cov_reference",
    "error_max",
    "error_rate_max",
    "fill",
    "fragmented",
    "gain",
    "gain_max",
    "gain_min",
    "inodes",
    "range",
    "range_max",
    "power",
    "ratio",
    "ratio_high",
    "ratio_low",
    "raw",
    "share",
    "slope",
    "slope_error",
    "slope_max",
    "wall",
    "wrong_max",
    "new_names",
];
const COUNTS: &[&str] = &[
    "bytes_before",
    "directories",
    "directories_before",
    "directories_made",
    "entries_min",
    "fewer_nodes",
    "files",
    "files_before",
    "files_made",
    "found",
    "more",
    "more_nodes",
    "n",
    "n_min",
    "counted",
    "counted_reference",
    "looks",
    "n_reference",
    "nodes",
    "of",
    "offset",
    "operations",
    "others",
    "others_held",
    "others_held_max",
    "others_held_min",
    "planned",
    "planned_looks",
    "ran",
    "rank",
    "ranks",
    "ranks_in_all",
    "recorded",
    "rejected",
    "sampled_blocks",
    "repetition",
    "repetitions",
    "repetitions_max",
    "signal",
    "slowest",
    "status",
    "steps",
    "steps_min",
    "targets",
    "times",
    "transfers",
    "wrong",
    "amount",
    "bad",
    "entries",
    "iteration",
    "listed",
    "minutes",
    "piece",
    "ramp",
    "ranges",
    "short",
    "single",
    "trees",
    "walker",
];
const REASONS: &[&str] = &["cause", "failed", "failure", "rejection"];

/// Sample data for this name.
fn sample(code: Code, name: &str, how: &str) -> Datum {
    let is_in = |names: &[&str]| names.contains(&name);
    // With some codes the name has another meaning.
    match (code, name) {
        (_, "confidence") => return Datum::share(0.95),
        (_, "power") => return Datum::share(0.8),
        (_, "statistic") => return "mean".into(),
        (_, "repetitions_max") => return 200_u32.into(),
        (Code::ValueNotFinite, "found") => return "inf".into(),
        (Code::RecordedFailure, "step") => return "open".into(),
        (Code::DatasetFileSize | Code::DatasetChanged, "bytes") => return 4096_u32.into(),
        (Code::PathOnWrongFs, "found" | "planned") => return name.to_uppercase().into(),
        (Code::WrongData, "found") | (_, "cases") => return 3_u32.into(),
        (Code::NoSteadyState, "measured") | (Code::SustainedNotMet, "needed") => return Datum::seconds(10.0),
        (Code::DatasetTooSmall, "needed") => return Datum::bytes(6e6),
        (Code::Overlap, "needed") => return Datum::share(0.9),
        (Code::StateNotReached, "target") => return Datum::share(0.8),
        (Code::FillRecorded, "low" | "high") => return Datum::share(if name == "low" { 0.6 } else { 0.7 }),
        (Code::NotPredicted, "error") => return Datum::share(0.2),
        (Code::Harmonic, "mean") => return Datum::rate(2.72e9),
        (Code::ReportedTime | Code::ReportedShort, "claimed" | "wall") => return Datum::seconds(12.5),
        (Code::ReportedRate, "total") | (Code::ReportedLess, "expected" | "found") => {
            return Datum::bytes(6e6);
        }
        (Code::ReportedRate, "best") => return Datum::rate(2.72e9),
        (Code::QuotaNotShown, "used" | "expected") => return Datum::bytes(6e6),
        (Code::CachedRead, "memory") => return "tmpfs".into(),
        (Code::SlowGroup | Code::UnevenPlacement | Code::SlowRanks, "ranks") => return vec![2_u32, 6].into(),
        (Code::SlowGroup | Code::UnevenPlacement, "files") => {
            return vec!["data.00000002", "data.00000006"].into();
        }
        _ => {}
    }
    match how {
        "?" => true.into(),
        how if how.starts_with('|') => 3_u32.into(),
        how if how.starts_with(':') => how[1..].split('=').next().unwrap_or_default().into(),
        _ if is_in(SECONDS) => Datum::seconds(12.5),
        _ if is_in(BYTES) => Datum::bytes(f64::from(5 << 20)),
        _ if is_in(RATES) => Datum::rate(if name == "threshold" { 3e9 } else { 2.9988e9 }),
        _ if is_in(SHARES) => Datum::share(0.125),
        _ if is_in(COUNTS) => 2_u32.into(),
        _ if is_in(REASONS) => reason!(NothingRecorded { repetition: 1_u32 }).into(),
        _ => match name {
            "p" => 0.03.into(),
            "lag_one" => 0.61.into(),
            "factor" | "factor_max" | "margin" | "cycles" | "step" => 1.5.into(),
            "folder" => "jobs/0002-T-r2".into(),
            "folders" => vec!["jobs/0002-T-r2"].into(),
            "when" => "before".into(),
            "comparison" => ">=".into(),
            "metric" => "write.bw".into(),
            "phase" => "write".into(),
            _ => name.to_uppercase().into(),
        },
    }
}

/// The reason with data for all slots of a template, or only for its required slots.
fn with_data(code: Code, template: &str, whole: bool) -> Reason {
    let mut reason = Reason::new(code);
    for Slot { name, how, optional } in slots(template) {
        if name == WHO {
            reason = reason.with(any::repetition, 2_u32);
        } else if whole || !optional {
            reason.data.insert(name.to_owned(), sample(code, name, how));
        }
    }
    reason
}

/// The reasons of all sentences: for the judge with made-up data, for the linter with its own samples.
fn all_reasons() -> Vec<Reason> {
    let of_linter = lint_samples::samples();
    let mut all = Vec::new();
    for code in Code::ALL {
        for template in code.row().says {
            let mut reasons = [false, true].map(|whole| with_data(*code, template, whole)).to_vec();
            reasons.dedup();
            all.extend(reasons);
        }
        all.extend(of_linter.iter().filter(|reason| reason.code == *code).cloned());
    }
    all.extend(with_additions());
    all
}

/// Reasons with data that each decision can have.
fn with_additions() -> [Reason; 3] {
    let compared = |code, value: f64| {
        let (value, threshold) = (Datum::rate(value), Datum::rate(100e6));
        let (statistic, comparison, n) = ("mean", ">=", 5_u32);
        reason!(ThresholdMet { statistic, comparison, n, value, threshold, ..Reason::new(code) })
    };
    let dependent = |reason: Reason| {
        let reason = reason.with(any::lag_one, 0.61).with(any::p, 0.03);
        reason!(ThresholdMet { confidence: 0.95, limit: Datum::rate(0.0), ..reason })
    };
    [
        dependent(compared(Code::LimitContradictsMet, 429e6))
            .with(any::limit_independent, Datum::rate(234e6)),
        compared(Code::ThresholdMet, 429e6).with(any::rule, "as-written"),
        compared(Code::ThresholdNotMet, 42e6).with(any::rule, "as-written"),
    ]
}

#[test]
fn each_sample_of_the_linter_uses_its_own_template() {
    let samples = lint_samples::samples();
    for code in Code::ALL {
        let templates = code.row().lint.as_ref().map_or(&[][..], |lint| lint.says);
        let samples: Vec<&Reason> = samples.iter().filter(|sample| sample.code == *code).collect();
        assert_eq!(templates.len(), samples.len(), "{code}: lint_samples.rs has one for each template");
        for (template, sample) in templates.iter().zip(samples) {
            assert_eq!(template_for(sample), Some(*template), "{code}: {}", sentence(sample));
        }
    }
}

#[test]
fn all_sentences_are_those_of_the_fixture() {
    let mut text = String::new();
    for reason in all_reasons() {
        let parts = [Some(sentence(&reason)), remedy(&reason)];
        let _ =
            writeln!(text, "{}: {}", reason.code, parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    assert!(!text.contains(['{', '}', '[', ']']), "{text}");
    same_as_fixture("sentences.txt", &text);
}

#[test]
fn no_sentence_has_more_than_25_words() {
    for reason in all_reasons() {
        let text = sentence(&reason);
        let longest = text.split(". ").map(|one| one.split_whitespace().count()).max();
        assert!(longest <= Some(25), "{}: {text}", reason.code);
    }
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/reasons.md");

/// The text before the table.
const HEAD: &str = "# Reasons

Each verdict, warning, note, finding and rejection in the files of a campaign has a reason. A reason has a
`code` and `data`. A code keeps its meaning in later versions. Programs should read codes and data. The
sentences of reports are made from them and may change.

Each quantity has its base unit. A share has the unit `1`.

A reason of any code may also have these data.

`measured` is the reason that a verdict would have without this one.

`also` is a second reason.

`wrong` is the reason about wrong data that was found.

`cause` is the reason that caused this one.

`lag_one` and `p` are the correlation of neighbouring repetitions and its p-value. The limit is widened for
them. `limit_independent` is the limit without that.

`rule` is `as-written` if the value alone decides, without a confidence.

`approve_with` states how to approve the waiver of the plan.

A test of the program writes this table from the list of codes.

| code | meaning | data |
|---|---|---|
";

#[test]
fn the_page_about_reasons_is_made_from_the_codes() {
    let mut text = HEAD.to_owned();
    for code in Code::ALL.iter().filter(|code| **code != Code::Unset) {
        let data: Vec<String> = data_of(*code).iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "| `{code}` | {} | {} |", code.meaning(), data.join(", "));
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(PAGE, &text).expect(PAGE);
    }
    assert!(text == fs::read_to_string(PAGE).unwrap_or_default(), "BLESS=1 writes docs/reference/reasons.md");
}

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/verdicts.schema.json");

#[test]
fn the_schema_of_verdicts_is_made_from_their_types() {
    let schema = schemars::schema_for!(Vec<results::Verdict>);
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("BLESS").is_some() {
        fs::write(SCHEMA, &text).expect(SCHEMA);
    }
    assert!(
        text == fs::read_to_string(SCHEMA).unwrap_or_default(),
        "BLESS=1 writes docs/reference/verdicts.schema.json"
    );
}
