//! Sustained and steady rates, warm-ups, trends, more clients, and parts that ran at once.

use results::TimeWindowKind;
use results::reason::{Code, any, row};
use results::record::{Counts, Moments, Timeline};

use super::*;

const SECOND: u64 = 1_000_000_000;
/// 2026-01-01, seconds since 1970.
const DAY: u64 = 1_767_225_600;

/// A write that moved these bytes in each second, from `began_s` on. Its last interval is shorter.
fn timed(moved: &[u64], began_s: u64) -> Phase {
    let seconds = moved.len() as f64;
    let at = |seconds: u64| (DAY + seconds) * SECOND;
    Phase {
        bytes: moved.iter().sum(),
        expected_bytes: moved.iter().sum(),
        spans: Spans { transfer_s: seconds, total_s: seconds, ..Default::default() },
        timeline: Some(Timeline { interval_ns: SECOND, bytes: moved.to_vec() }),
        moments: Some(Moments {
            first_start_unix_ns: at(began_s),
            last_end_unix_ns: at(began_s + moved.len() as u64),
            timeline_unix_ns: at(began_s),
            uncertainty_ns: 0,
        }),
        stonewall: Some(Stonewall { deadline_s: seconds, ..Default::default() }),
        ..phase("write", 0)
    }
}

/// A job at a time of its own: repetitions follow each other, and parts of a group end a nanosecond apart.
fn job(test: &str, repetition: u32, mut phase: Phase) -> Job {
    if let Some(moments) = &mut phase.moments {
        let later = u64::from(repetition) * 1000 * SECOND;
        moments.first_start_unix_ns += later;
        moments.last_end_unix_ns += later + u64::from(test.ends_with(".b"));
        moments.timeline_unix_ns += later;
    }
    crate::job(test, repetition, phase)
}

/// Three repetitions of test T with these phases.
fn three(phases: [Phase; 3]) -> Campaign {
    campaign((1..).zip(phases).map(|(repetition, phase)| job("T", repetition, phase)).collect())
}

fn asks(keys: &str, metric: &str) -> Plan {
    plan(&format!(
        "ior = \"-w -e\"\n{keys}\ncriterion = {{ metric = \"{metric}\", op = \">=\", value = \"90 B/s\" }}"
    ))
}

/// 100 bytes per second, except for some seconds from 12 on.
fn dip(seconds: usize, to: u64) -> Phase {
    timed(&(0..41).map(|at| if (12..12 + seconds).contains(&at) { to } else { 100 }).collect::<Vec<_>>(), 0)
}

#[test]
fn the_worst_window_is_a_metric_and_in_every_verdict_of_a_sustained_test() {
    let runs = || three([dip(0, 100), dip(5, 80), dip(2, 90)]);
    let verdict = one(&asks("sustained = \"10 s\"", "write.bw"), &runs());
    assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.reason);
    let worst = of(&verdict.notes, Code::WorstWindow).unwrap();
    let found = numbers(worst, ["window", "repetition", "rate", "share", "from"]);
    assert_eq!(found, [Some(10.0), Some(2.0), Some(90.0), Some(0.923), Some(7.0)]);
    let uneven =
        one(&asks("sustained = \"10 s\"", "write.bw"), &three([dip(0, 120), dip(9, 40), dip(0, 120)]));
    let worst = of(&uneven.warnings, Code::WorstWindow).unwrap();
    assert_eq!(numbers(worst, ["repetition", "rate"]), [Some(2.0), Some(46.0)]);
    let verdict = one(&asks("sustained = \"10 s\"", "write.sustained"), &runs());
    assert_eq!(verdict.statistics.unwrap().values, [100.0, 90.0, 98.0]);
    assert_eq!(verdict.outcome, Outcome::Inconclusive, "{}", verdict.reason);
    let kinds: Vec<_> = verdict.time_windows.iter().map(|one| (one.repetition, one.kind, one.rate)).collect();
    let worst = TimeWindowKind::Worst;
    assert_eq!(kinds, [(1, worst, 100.0), (2, worst, 90.0), (3, worst, 98.0)]);
}

#[test]
fn a_window_with_few_transfers_per_rank_is_reported() {
    let verdict_of = |ops: u64, counts: Counts| {
        let runs = three([0; 3].map(|_| Phase { ops, counts, ranks: 2, ..dip(0, 100) }));
        one(&asks("sustained = \"10 s\"", "write.bw"), &runs).warnings
    };
    for (counts, what) in [(Counts::Bytes, "transfers"), (Counts::Operations, "operations")] {
        let warnings = verdict_of(40, counts);
        let few = of(&warnings, Code::FewTransfers).unwrap();
        assert_eq!(numbers(few, [what, "window"]), [Some(4.88), Some(10.0)]);
        assert_eq!(of(&verdict_of(4000, counts), Code::FewTransfers), None, "{what}");
    }
}

#[test]
fn a_timeline_too_coarse_for_the_window_is_reported_and_one_without_a_window_is_invalid() {
    let runs = three([dip(0, 100), dip(0, 100), dip(0, 100)]);
    let warnings =
        |seconds: &str| one(&asks(&format!("sustained = \"{seconds}\""), "write.bw"), &runs).warnings;
    let coarse = warnings("5 s");
    let coarse = of(&coarse, Code::CoarseTimeline).unwrap();
    assert_eq!(numbers(coarse, ["interval", "window"]), [Some(1.0), Some(5.0)]);
    assert_eq!(of(&warnings("10 s"), Code::CoarseTimeline), None);
    let verdict = one(&asks("sustained = \"0.5 s\"", "write.sustained"), &runs);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::NoWholeWindow));
    assert_eq!(numbers(&verdict.reason, ["window", "interval"]), [Some(0.5), Some(1.0)]);
    let mut bare = runs;
    for job in &mut bare.jobs {
        let Record::Phase(phase) = &mut job.records[1] else { panic!() };
        phase.timeline = None;
    }
    let verdict = one(&asks("sustained = \"5 s\"", "write.sustained"), &bare);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::NoWholeWindow));
    assert_eq!(numbers(&verdict.reason, ["window", "interval"]), [Some(5.0), None]);
}

const STEADY: &str = "steady = { window = \"10 s\", max = \"30 s\" }";

/// A rate that falls from 400 to 100 within this many seconds and stays there.
fn settling(seconds: u64) -> Phase {
    timed(&(0..61).map(|at| 100 + 300 * (seconds.max(at) - at) / seconds).collect::<Vec<_>>(), 0)
}

#[test]
fn a_rate_counts_from_when_it_was_steady_and_a_run_that_never_was_is_invalid() {
    let plan = asks(STEADY, "write.steady");
    let verdict = one(&plan, &three([settling(10), settling(10), settling(15)]));
    assert_eq!(verdict.outcome, Outcome::Pass, "{}", verdict.reason);
    assert_eq!(verdict.value, Some(100.0), "what was faster before does not count");
    let from = of(&verdict.notes, Code::SteadyFrom).unwrap();
    assert_eq!(numbers(from, ["window", "after"]), [Some(10.0), Some(25.0)]);
    assert_eq!((verdict.time_windows[2].from_s, verdict.time_windows[2].seconds), (25.0, 10.0));
    for metric in ["write.steady", "write.bw"] {
        let verdict = one(&asks(STEADY, metric), &three([settling(10), settling(60), settling(10)]));
        assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::NoSteadyState));
        let names = ["repetition", "within", "until", "slope", "slope_max", "range", "range_max"];
        let wanted = [2.0, 30.0, 30.0, -0.18, 0.1, 0.144, 0.2].map(Some);
        assert_eq!(numbers(&verdict.reason, names), wanted);
    }
}

#[test]
fn a_run_that_left_the_steady_state_or_ended_too_early_is_no_steady_one() {
    let plan = asks(STEADY, "write.steady");
    let left: Vec<u64> = (0..61).map(|at| if at < 15 { 100 } else { 50 }).collect();
    let steady = || timed(&[100; 61], 0);
    let found = |phase: Phase| {
        let verdict = one(&plan, &three([steady(), steady(), phase]));
        assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::NoSteadyState));
        numbers(&verdict.reason, ["repetition", "steady_after", "left_after", "measured", "within"])
    };
    let third = Some(3.0);
    assert_eq!(found(timed(&left, 0)), [third, Some(10.0), Some(16.0), Some(10.0), None]);
    assert_eq!(found(timed(&[100; 18], 0)), [third, Some(10.0), None, Some(10.0), None]);
    assert_eq!(found(timed(&[100; 8], 0)), [third, None, None, None, Some(7.0)]);
}

#[test]
fn a_different_first_repetition_and_a_decrease_over_the_repetitions_are_reported() {
    let five = |rates: [u64; 5]| {
        let jobs = (1..).zip(rates).map(|(repetition, rate)| job("T", repetition, timed(&[rate; 3], 0)));
        one(
            &asks("", "write.bw").text.replace("repetitions = 3", "repetitions = 5").parsed(),
            &campaign(jobs.collect()),
        )
    };
    let cold = five([160, 100, 101, 99, 100]).warnings;
    let first = of(&cold, Code::FirstDiffers).unwrap();
    assert_eq!(
        (numbers(first, ["share", "others"]), first.flag(row::FirstDiffers::no_warm_up)),
        ([Some(1.6), Some(4.0)], true)
    );
    let falling = five([120, 115, 109, 104, 100]).warnings;
    let trend = of(&falling, Code::Trend).unwrap();
    assert_eq!(trend.get(row::Trend::metric), Some("write.bw"));
    assert!((trend.get(row::Trend::change).unwrap() + 0.18).abs() < 0.005, "{trend}");
    assert_eq!(numbers(trend, ["n", "p"]), [Some(5.0), Some(0.0167)]);
    let even = five([100, 101, 99, 100, 102]).warnings;
    assert_eq!((of(&even, Code::Trend), of(&even, Code::FirstDiffers)), (None, None));
}

/// The verdict on repetitions with these rates, and a threshold of 90 B/s.
fn repeated(rates: &[u64], stat: &str) -> Verdict {
    let text =
        asks("", "write.bw").text.replace("repetitions = 3", &format!("repetitions = {}", rates.len()));
    let text = text.replace("op = ", &format!("stat = \"{stat}\", op = "));
    let jobs = (1..).zip(rates).map(|(repetition, rate)| job("T", repetition, timed(&[*rate; 3], 0)));
    one(&text.parsed(), &campaign(jobs.collect()))
}

#[test]
fn neighbours_that_are_alike_widen_the_limit_of_the_mean_and_leave_the_median_undecided() {
    let drifting = [112, 110, 111, 106, 104, 99, 97, 92, 90, 91];
    let mixed = [112, 90, 106, 97, 111, 91, 104, 92, 110, 99];
    let limit = |verdict: &Verdict| verdict.reason.get(row::ThresholdMet::limit).unwrap();
    let (alike, apart) = (repeated(&drifting, "mean"), repeated(&mixed, "mean"));
    assert_eq!((alike.outcome, apart.outcome), (Outcome::Inconclusive, Outcome::Pass), "{}", alike.reason);
    assert!(limit(&alike) < 90.0 && limit(&apart) > 95.0, "{} {}", alike.reason, apart.reason);
    assert_eq!(alike.statistics.as_ref().unwrap().bound, Some(limit(&alike)), "one limit everywhere");
    let warning = of(&alike.warnings, Code::DependentRepetitions).unwrap();
    assert!(warning.get(any::lag_one) > Some(0.5) && warning.get(any::p) < Some(0.001), "{warning}");
    assert!(warning.flag(row::DependentRepetitions::widened));
    assert_eq!(of(&apart.warnings, Code::DependentRepetitions), None);
    let median = repeated(&drifting, "median");
    assert_eq!(outcome(&median), (Outcome::Inconclusive, Code::DependentRepetitions));
    assert_eq!(repeated(&mixed, "median").outcome, Outcome::Pass);
}

#[test]
fn a_stalled_repetition_is_named() {
    let stalled = repeated(&[100, 101, 40, 99, 100, 102], "mean").warnings;
    let found = of(&stalled, Code::StalledRepetition).unwrap();
    assert_eq!(numbers(found, ["repetition", "share", "others"]), [Some(3.0), Some(0.398), Some(5.0)]);
    let even = repeated(&[100, 101, 98, 99, 100, 102], "mean").warnings;
    assert_eq!(of(&even, Code::StalledRepetition), None);
    let fast = repeated(&[100, 101, 180, 99, 100, 102], "mean").warnings;
    assert_eq!(of(&fast, Code::StalledRepetition), None, "a fast one is no stall");
}

#[test]
fn a_warm_up_counts_for_nothing_and_the_verdict_says_so() {
    let mut campaign = rates("write", [100, 100, 100]);
    let mut warm = job("T+warm-up", 1, phase("write", 1));
    warm.folder = "jobs/0001-T+warm-up-r1".into();
    campaign.jobs.insert(0, warm);
    let verdict = one(&asks("warm_up = 1", "write.bw"), &campaign);
    assert_eq!(verdict.statistics.as_ref().unwrap().values, [100.0; 3]);
    let warm_up = of(&verdict.warnings, Code::WarmUp).unwrap();
    assert_eq!((warm_up.get(row::WarmUp::ran), warm_up.get(row::WarmUp::planned)), (Some(1.0), None));
    assert_eq!(texts(warm_up, "folders"), ["jobs/0001-T+warm-up-r1"]);
    assert!(verdict.jobs.iter().all(|job| !job.contains("warm-up")));
}

#[test]
fn one_of_several_runs_of_a_repetition_is_never_chosen() {
    let mut campaign = rates("write", [100, 100, 100]);
    let mut again = job("T", 2, phase("write", 900));
    again.folder = "jobs/0009-T-r2".into();
    campaign.jobs.push(again);
    let verdict = one(&plan(WRITE), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::RepetitionTwice));
    assert_eq!(texts(&verdict.reason, "folders"), ["jobs/0002-T-r2", "jobs/0009-T-r2"]);
    assert!(verdict.jobs.contains(&"jobs/0009-T-r2".to_owned()), "both are listed");
}

#[test]
fn repetitions_of_a_fixed_amount_also_have_total_bytes_by_total_time() {
    let slow = |seconds: f64| {
        let spans = Spans { transfer_s: seconds, total_s: seconds, ..Default::default() };
        Phase { spans, ..phase("write", 600) }
    };
    let verdict = one(&asks("", "write.bw"), &three([slow(3.0), slow(6.0), slow(3.0)]));
    let harmonic = of(&verdict.warnings, Code::Harmonic).unwrap();
    assert_eq!(numbers(harmonic, ["whole", "mean", "share"]), [Some(150.0), Some(167.0), Some(0.111)]);
    let even = one(&asks("", "write.bw"), &three([slow(3.0), slow(3.0), slow(3.0)]));
    assert_eq!(of(&even.warnings, Code::Harmonic), None);
    let stopped = |bytes| timed(&[bytes; 4], 0);
    let timed = one(&asks("", "write.bw"), &three([stopped(100), stopped(200), stopped(100)]));
    assert_eq!(of(&timed.warnings, Code::Harmonic), None);
}

#[test]
fn a_threshold_that_only_the_mean_of_the_rates_meets_is_named_and_needs_a_waiver() {
    // 600 bytes in 0.4 s and in 1.2 s: 1500 and 500 B/s, but 1200 bytes in 1.6 s.
    let lasting = |seconds: f64| {
        let spans = Spans { transfer_s: seconds, total_s: seconds, ..Default::default() };
        Phase { spans, ..phase("write", 600) }
    };
    let text = asks("", "write.bw").text.replace("repetitions = 3", "repetitions = 20");
    let plan = text.replace("value = \"90 B/s\"", "value = \"790 B/s\"").parsed();
    let jobs = (1..=20).map(|at| job("T", at, lasting(if at % 2 == 0 { 0.4 } else { 1.2 })));
    let campaign = campaign(jobs.collect());
    let verdict = one(&plan, &campaign);
    assert_eq!((verdict.outcome, verdict.threshold), (Outcome::Pass, Some(790.0)), "{}", verdict.reason);
    let warning = of(&verdict.warnings, Code::Harmonic).unwrap();
    let names = ["mean", "whole", "share", "required"];
    assert_eq!(numbers(warning, names), [1000.0, 750.0, 0.333, 790.0].map(Some));
    let findings = summary(&plan, &campaign).findings;
    let finding = findings.iter().find(|finding| finding.code() == Code::Harmonic).unwrap();
    assert_eq!(finding.severity, Severity::NeedsWaiver);
}

#[test]
fn a_window_as_long_as_the_phase_is_all_its_whole_intervals() {
    let plan = asks("sustained = \"20 s\"", "write.sustained");
    let runs = |seconds: usize| three([0; 3].map(|_| timed(&vec![100; seconds], 0)));
    let verdict = one(&plan, &runs(20));
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Pass, Some(100.0)), "{}", verdict.reason);
    assert_eq!(verdict.time_windows[0].seconds, 19.0);
    assert_eq!(one(&plan, &runs(17)).outcome, Outcome::Invalid);
}

/// The codes of the findings that these tests are about.
fn found(plan: &Plan, campaign: &Campaign) -> Vec<Code> {
    let meant = [Code::AbovePhysics, Code::TwoFsBalance];
    codes(&summary(plan, campaign).findings).into_iter().filter(|code| meant.contains(code)).collect()
}

#[test]
fn uneven_file_systems_and_random_transfers_above_sequential_ones_are_found() {
    let two =
        group().text.replace("fs.s = { dir = \"/s\" }", "fs.s = { dir = \"/s\" }\nfs.t = { dir = \"/t\" }");
    let two =
        two.replace("id = \"a\"", "fs = \"s\"\nid = \"a\"").replace("id = \"b\"", "fs = \"t\"\nid = \"b\"");
    let both = |second: u64| {
        campaign(vec![job("G.a", 1, timed(&[100; 20], 0)), job("G.b", 1, timed(&[second; 20], 0))])
    };
    assert_eq!(found(&two.parsed(), &both(150)), [Code::TwoFsBalance]);
    assert_eq!(found(&two.parsed(), &both(101)), []);
    let unlike = two.replacen("-w -e", "-w -e -t 1m", 1);
    assert_eq!(found(&unlike.parsed(), &both(150)), [], "parts that differ have no share in common");
    let pair = |words: &str, id: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"-w -e {words}\"\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"90 B/s\" }}\n"
        )
    };
    let pair = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n{}{}",
        pair("-t 1m", "S"),
        pair("-t 4k -z", "R")
    );
    let rates =
        |random: u64| campaign(vec![job("S", 1, timed(&[100; 3], 0)), job("R", 1, timed(&[random; 3], 0))]);
    assert_eq!(found(&pair.parsed(), &rates(101)), [Code::AbovePhysics]);
    assert_eq!(found(&pair.parsed(), &rates(99)), []);
    for (was, is) in [("-t 4k -z", "-t 1m -z"), ("-t 4k -z", "-t 4k -z -F")] {
        let other = pair.replace(was, is).parsed();
        assert_eq!(found(&other, &rates(101)), [], "`{is}` may be as fast as `-t 1m`");
    }
}

#[test]
fn a_group_over_two_names_of_one_file_system_is_invalid_in_its_parts_and_in_its_sum() {
    let text = group()
        .text
        .replace("fs.s = { dir = \"/s\" }", "fs.s = { dir = \"/m/s\" }\nfs.t = { dir = \"/m/t\" }");
    let text = text.replace("id = \"a\"", "fs = \"s\"\nid = \"a\"");
    let plan = text.replace("id = \"b\"", "fs = \"t\"\nid = \"b\"").replace("290", "190").parsed();
    let verdict_of = |numbers: [&str; 2], scale: Option<&str>| {
        let mut campaign = campaign(["G.a", "G.b"].map(|id| job(id, 1, timed(&[100; 20], 0))).into());
        campaign.info.scale = scale.map(str::to_owned);
        let file_systems = &mut campaign.before.as_mut().unwrap().file_systems;
        for (fs, number) in file_systems.iter_mut().zip(numbers) {
            fs.dir = format!("/m/{}", fs.name);
            fs.mounts = vec![format!("40 22 {number} / /m rw - ext4 /dev/sda1 rw")];
        }
        verdicts_of(&plan, &campaign)
    };
    let outcomes = |verdicts: &[Verdict]| verdicts.iter().map(|one| one.outcome).collect::<Vec<_>>();
    let one = verdict_of(["8:1", "8:1"], None);
    assert_eq!(outcomes(&one), [Outcome::Invalid; 3], "{one:#?}");
    assert!(one.iter().all(|verdict| verdict.reason.code == Code::OneFsTwice), "{one:#?}");
    let reason = &one[0].reason;
    assert_eq!(
        [row::OneFsTwice::fs, row::OneFsTwice::other, row::OneFsTwice::device].map(|field| reason.get(field)),
        [Some("s"), Some("t"), Some("/dev/sda1")]
    );
    assert_eq!(of(&one[2].warnings, Code::OneFsTwice), None, "listed once: {one:#?}");
    assert_eq!(outcomes(&verdict_of(["8:1", "8:2"], None)), [Outcome::Pass; 3]);
    assert_eq!(
        outcomes(&verdict_of(["8:1", "8:1"], Some("small"))),
        [Outcome::Pass; 3],
        "to be signed there"
    );
}

/// A group of two writers, each with a floor, and their sum.
fn group() -> Plan {
    let part = |id: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\nior = \"-w -e\"\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"90 B/s\" }}\n"
        )
    };
    format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n[[group]]\n\
         id = \"G\"\noverlap = \"50%\"\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"290 B/s\" }}\n{}{}",
        part("a"),
        part("b")
    )
    .parsed()
}

#[test]
fn parts_that_ran_at_once_are_judged_by_the_time_that_they_had_in_common() {
    // The second begins 10 s later. While the first ran alone, it was twice as fast.
    let first: Vec<u64> = (0..21).map(|at| if at < 10 { 200 } else { 100 }).collect();
    let runs = |second: Phase| campaign(vec![job("G.a", 1, timed(&first, 0)), job("G.b", 1, second)]);
    let verdicts = verdicts_of(&group(), &runs(timed(&[200; 14], 10)));
    let said: Vec<_> = verdicts.iter().map(|one| (one.test.as_str(), one.outcome, one.value)).collect();
    assert_eq!(
        said,
        [
            ("G.a", Outcome::Pass, Some(100.0)),
            ("G.b", Outcome::Pass, Some(200.0)),
            ("G", Outcome::Pass, Some(300.0))
        ]
    );
    let common = of(&verdicts[0].notes, Code::CommonWindow).unwrap();
    assert_eq!(numbers(common, ["window", "repetition"]), [Some(11.0), Some(1.0)]);
    assert!((common.get(row::CommonWindow::share).unwrap() - 0.68).abs() < 0.005, "{common}");
    let of_part = verdicts[2].notes.iter().find(|note| note.about == "G.a").unwrap();
    assert_eq!(&of_part.reason, common);
    let window = &verdicts[0].time_windows[0];
    assert_eq!((window.kind, window.from_s, window.seconds), (TimeWindowKind::Common, 10.0, 11.0));
    let late = verdicts_of(&group(), &runs(timed(&[200; 14], 15)));
    assert_eq!(outcome(&late[0]), (Outcome::Invalid, Code::Overlap));
    assert_eq!(
        numbers(&late[0].reason, ["repetition", "share", "needed"]),
        [Some(1.0), Some(0.429), Some(0.5)]
    );
    assert_eq!(
        (late[0].reason.get(row::Overlap::part), late[0].reason.get(row::Overlap::other)),
        (Some("G.a"), Some("G.b"))
    );
    assert_eq!(outcome(&late[2]), (Outcome::Invalid, Code::PartUnusable));
}

#[test]
fn a_group_compares_the_rates_of_its_parts_in_the_common_time_and_their_starts() {
    let first: Vec<u64> = (0..21).map(|at| if at < 10 { 200 } else { 100 }).collect();
    let runs = campaign(vec![job("G.a", 1, timed(&first, 0)), job("G.b", 1, timed(&[200; 14], 10))]);
    for (metric, value, criterion) in [
        ("min", 100.0, "op = \">=\", value = \"101 B/s\""),
        // 100 / 150; (200 - 100) / 150; 200 / 100; 300² / (2 · 50,000)
        ("min_of_mean", 100.0 / 150.0, "op = \">=\", value = \"67 %\""),
        ("spread", 100.0 / 150.0, "op = \"<=\", value = \"66 %\""),
        ("max_over_min", 2.0, "op = \"<=\", value = \"199 %\""),
        ("jain", 0.9, "op = \">=\", value = \"91 %\""),
        ("skew", 10.0, "op = \"<=\", value = \"9 s\""),
    ] {
        let of_sum = "metric = \"write.bw\", op = \">=\", value = \"290 B/s\"";
        let text = group().text.replace(of_sum, &format!("metric = \"write.part.{metric}\", {criterion}"));
        let verdict = verdicts_of(&text.parsed(), &runs).remove(2);
        assert_eq!(outcome(&verdict), (Outcome::Fail, Code::ThresholdNotMet), "{metric}");
        assert!((verdict.value.unwrap() - value).abs() < 1e-6, "{metric}: {:?}", verdict.value);
        assert!(verdict.criterion.starts_with("2 parts: "), "{}", verdict.criterion);
        let slowest = of(&verdict.notes, Code::SlowestPart).and_then(|one| one.get(row::SlowestPart::part));
        assert_eq!(slowest, (metric != "skew").then_some("G.a"), "{metric}");
    }
}

#[test]
fn the_sum_of_a_group_has_its_own_variability_and_not_that_of_each_part() {
    let text = group().text.replace("overlap = \"50%\"", "overlap = \"50%\"\nrepetitions = 3");
    let part = |id: &str, repetition: u32, rate: u64| job(id, repetition, timed(&[rate; 21], 0));
    let jobs =
        (1..).zip([100, 400, 900]).flat_map(|(at, wild)| [part("G.a", at, 100), part("G.b", at, wild)]);
    let verdict = verdicts_of(&text.parsed(), &campaign(jobs.collect())).remove(2);
    let spread = |finding: &&Finding| matches!(finding.code(), Code::CovHigh | Code::CovMissing);
    let spread: Vec<&Finding> = verdict.warnings.iter().filter(spread).collect();
    assert_eq!(spread.len(), 1, "{:#?}", verdict.warnings);
    assert_eq!((spread[0].code(), spread[0].about.as_str()), (Code::CovHigh, ""));
}

#[test]
fn a_part_without_a_timeline_is_used_completely_and_this_is_reported() {
    let bare = Phase { timeline: None, ..timed(&[100; 20], 0) };
    let runs = campaign(vec![job("G.a", 1, bare), job("G.b", 1, timed(&[200; 21], 0))]);
    let verdicts = verdicts_of(&group(), &runs);
    assert_eq!((verdicts[0].value, verdicts[1].value), (Some(100.0), Some(200.0)));
    assert!(of(&verdicts[0].warnings, Code::CommonWindowUnknown).is_some(), "{:#?}", verdicts[0].warnings);
    assert_eq!(of(&verdicts[1].warnings, Code::CommonWindowUnknown), None);
}

#[test]
fn a_part_that_flushes_at_its_end_is_not_faster_in_the_common_time_than_with_its_fsync() {
    // All calls end within 14 s, and the fsync takes as long again.
    let flushed = |phase: Phase| {
        let spans = Spans { transfer_s: 28.0, total_s: 28.0, ..phase.spans };
        let mut moments = phase.moments.unwrap();
        moments.last_end_unix_ns += 14 * SECOND;
        Phase { persisted: true, bytes: 14 * 200, spans, moments: Some(moments), ..phase }
    };
    let each = |phase: Phase| Phase { persisted_each: true, ..flushed(phase) };
    let value = |change: &dyn Fn(Phase) -> Phase| {
        let part = || timed(&[200; 14], 0);
        verdicts_of(&group(), &campaign(vec![job("G.a", 1, change(part())), job("G.b", 1, part())]))[0].value
    };
    assert_eq!(value(&|phase| phase), Some(200.0));
    assert_eq!(value(&flushed), Some(100.0));
    assert_eq!(value(&each), Some(200.0), "the calls include their fsync");
}
