//! Steps, bands and stalls of a plot over time.

use super::*;
use results::record::{Latency, Spans, Timeline};

const DETAIL: PlotDetail =
    PlotDetail { points: 240, hovers: 40, cells: 99, groups: 99, rows: 9, usual_texts: true, phases: 9 };

fn phase(interval_ns: u64, bytes: &[u64], transfer_s: f64) -> Phase {
    let timeline = Some(Timeline { interval_ns, bytes: bytes.to_vec() });
    let spans = Spans { transfer_s, ..Spans::default() };
    Phase { phase: "write".into(), timeline, spans, ..Phase::default() }
}

fn seconds(bytes: &[u64], transfer_s: f64) -> Phase {
    phase(1_000_000_000, bytes, transfer_s)
}

/// The plot of one repetition.
fn plot(phase: &Phase) -> Plot {
    let one = RepetitionPhase { phase, repetition: "1".into() };
    let named = NamedPhase { title: "write".into(), name: "write", all: vec![&one] };
    super::plot(&named, &[], DETAIL).expect("a plot")
}

#[test]
fn a_shorter_last_interval_is_divided_by_its_own_length() {
    let steps = steps(&seconds(&[10, 10, 5], 2.5), 1).unwrap();
    assert_eq!(steps, [(0.0, 1.0, 10), (1.0, 2.0, 10), (2.0, 2.5, 5)]);
}

#[test]
fn a_very_short_last_interval_is_joined_to_the_one_before_it() {
    let steps = steps(&seconds(&[8, 8, 2], 2.25), 1).unwrap();
    assert_eq!(steps, [(0.0, 1.0, 8), (1.0, 2.25, 10)]);
}

#[test]
fn long_timelines_keep_all_bytes() {
    let plot = plot(&seconds(&vec![7; 4096], 4096.0));
    let points = &plot.lines[0].points;
    let bytes: f64 = points.chunks(2).map(|step| (step[1].0 - step[0].0) * step[0].1).sum();
    assert!((bytes - 7.0 * 4096.0).abs() < 1e-6 && points.len() <= 2 * DETAIL.points, "{bytes}");
}

#[test]
fn a_step_holds_several_transfers_if_they_end_in_bursts_and_one_long_stall_does_not_lengthen_it() {
    // Every fourth interval holds the transfers of 2 s of all ranks. Single intervals would give a comb.
    let bytes: Vec<u64> = (0..64).map(|n| if n % 4 == 3 { 20 } else { 0 }).collect();
    let mut comb = phase(500_000_000, &bytes, 32.0);
    (comb.ops, comb.ranks) = (16, 1);
    let step = |stalls: u64| {
        let buckets = vec![(2_000_000_000, 16), (9_000_000_000, stalls)];
        let phase = Phase { latency: Some(Latency { buckets, ..Latency::default() }), ..comb.clone() };
        let plot = plot(&phase);
        plot.lines[0].points[1].0
    };
    assert_eq!((step(0), step(1)), (4.0, 4.0), "eight transfers");
}

#[test]
fn transfers_at_a_limited_rate_give_many_steps_and_a_stall_of_a_fifth_of_a_second_is_marked() {
    // Four minutes: 64 ranks with one transfer each per 250 ms, evenly spread.
    let mut bytes = vec![17 << 20; 3600];
    for stalled in &mut bytes[1800..1803] {
        *stalled = 0;
    }
    let mut limited = phase(1 << 26, &bytes, 3600.0 * 0.067_108_864);
    (limited.ranks, limited.ops, limited.rate_limit) = (64, 64 * 966, Some(256.0));
    let plot = plot(&limited);
    assert!(plot.lines[0].points.len() >= 2 * 200, "{}", plot.lines[0].points.len());
    let [stall] = &plot.marks[..] else { panic!("{:?}", plot.marks) };
    assert!((stall.x - 1801.5 * 0.067_108_864).abs() < 1e-6 && stall.shape == MarkShape::Triangle);
    assert!(stall.text.contains("0 B/s for 201 ms, from 120.80 s on"), "{}", stall.text);
    let lowest = plot.bands[0].steps.iter().map(|step| step.2).fold(f64::INFINITY, f64::min);
    assert_eq!(lowest, 0.0, "the band reaches down to the stall");
    assert!(
        plot.note
            .contains("A triangle marks a low rate: below 20 % of the median rate for about 200 ms or more")
    );
}

#[test]
fn the_rates_on_hover_are_the_bytes_of_the_record_divided_by_their_time() {
    let plot = plot(&seconds(&[900, 1000, 950, 1100, 900, 990, 1000, 980], 8.0));
    let texts: Vec<&str> = plot.spans.iter().map(|hover| hover.text.as_str()).collect();
    assert_eq!(texts.len(), 8);
    assert_eq!(texts[0], "repetition 1: 900 B/s from 0.00 s to 1.00 s");
    assert_eq!(texts[3], "repetition 1: 1.10 kB/s from 3.00 s to 4.00 s");
}

#[test]
fn a_step_states_whether_it_holds_several_transfers_of_a_rank() {
    let of = |ops: u64| plot(&Phase { ranks: 8, ops, ..seconds(&[20; 12], 12.0) }).note;
    assert!(
        of(4800).starts_with("Each step is 1.00 s long and holds several transfers per rank. "),
        "{}",
        of(4800)
    );
    assert!(
        of(48).starts_with("Each step is 1.00 s long and holds only a few transfers per rank. "),
        "{}",
        of(48)
    );
}

#[test]
fn of_many_repetitions_the_slowest_and_the_fastest_are_plotted() {
    let phases: Vec<Phase> = (1..=40)
        .map(|n| Phase {
            bytes: n * 10,
            spans: Spans { total_s: 1.0, transfer_s: 4.0, ..Spans::default() },
            ..seconds(&[n, n, n, n], 4.0)
        })
        .collect();
    let all: Vec<RepetitionPhase> =
        (1..).zip(&phases).map(|(n, phase)| RepetitionPhase { phase, repetition: format!("{n}") }).collect();
    let named = NamedPhase { title: "write".into(), name: "write", all: all.iter().collect() };
    let plot = super::plot(&named, &[], DETAIL).unwrap();
    let labels: Vec<&str> = plot.lines.iter().map(|line| line.label.as_str()).collect();
    assert_eq!((labels.len(), labels[0], labels[7]), (8, "repetition 1", "repetition 40"));
    assert!(
        plot.note
            .ends_with("8 of 40 repetitions are plotted: the slowest, the fastest, and some between them.")
    );
}
