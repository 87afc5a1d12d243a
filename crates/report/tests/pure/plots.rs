//! Plots: what they show is in the records, odd values break nothing, and the page stays small.

use crate::golden::{self, many};
use crate::sections;
use proptest::prelude::*;
use report::document::{
    Block, ClauseRow, Document, LineStyle, MarkShape, Plot, PlotMark, Section, SpanKind, of,
};
use results::folder::Campaign;
use results::reason::{Datum, row};
use results::record::{EachRank, Latency, Phase, Record, Spans, Timeline};
use results::statistics::Side;
use results::{Outcome, Statistics, Verdict};

fn html(campaign: &Campaign) -> String {
    let mut page = vec![];
    report::write_html(campaign, &mut page).unwrap();
    String::from_utf8(page).unwrap().replace('\u{a0}', " ")
}

/// All plots of a section.
fn plots_in(section: Section) -> impl Iterator<Item = Plot> {
    section.blocks.into_iter().flat_map(|block| match block {
        Block::Plots(plots) => plots,
        _ => Vec::new(),
    })
}

/// All plots of the section with this id.
fn plots(campaign: &Campaign, section: &str) -> Vec<Plot> {
    plots_in(sections(campaign).find(|one| one.id == section).expect("the section")).collect()
}

fn plot(campaign: &Campaign, title: &str) -> Plot {
    let mut all = sections(campaign).flat_map(plots_in);
    all.find(|plot| plot.title == title).unwrap_or_else(|| panic!("{title}"))
}

fn phases(campaign: &mut Campaign) -> impl Iterator<Item = &mut Phase> {
    campaign.jobs.iter_mut().flat_map(|job| &mut job.records).filter_map(|record| match record {
        Record::Phase(phase) => Some(&mut **phase),
        _ => None,
    })
}

/// The compared value of a clause, and its repetitions.
fn marks(row: &ClauseRow) -> (&PlotMark, &[PlotMark]) {
    row.plot.marks.split_last().expect("a compared value")
}

/// The ends and the text of the line to the limit.
fn limit_line(row: &ClauseRow) -> (f64, f64, &str) {
    let line = row.plot.lines.first().expect("a line");
    (line.points[0].0, line.points[1].0, &line.label)
}

fn base(row: &ClauseRow) -> f64 {
    row.plot.spans.iter().find(|span| span.kind == SpanKind::Base).expect("a threshold").at
}

fn rows(document: &Document) -> &[ClauseRow] {
    &document.picture.as_ref().expect("a picture").rows
}

#[test]
fn every_clause_has_a_row_with_its_value_divided_by_its_threshold() {
    let campaign = many::campaign();
    let document = of(&campaign);
    let picture = document.picture.as_ref().unwrap();
    assert_eq!(picture.rows.len(), 17);
    for (verdict, row) in campaign.verdicts.iter().zip(&picture.rows) {
        assert_eq!(
            (row.test.text.as_str(), &row.verdict.text),
            (verdict.test.as_str(), &verdict.outcome.to_string())
        );
        let threshold = verdict.threshold.unwrap();
        let Some(value) = verdict.value.filter(|_| threshold > 0.0) else {
            assert!(row.plot == Plot::default() && !row.missing.is_empty(), "{row:?}");
            continue;
        };
        let (mark, dots) = marks(row);
        assert!((mark.x - value / threshold).abs() < 1e-12 && base(row) == 1.0, "{row:?}");
        let statistics = verdict.statistics.as_ref().unwrap();
        let all = &statistics.values;
        assert!(dots.len() == all.len() || (all.len() > 60 && dots.len() <= 60), "{}", dots.len());
        assert!(dots.iter().all(|dot| all.iter().any(|value| (dot.x - value / threshold).abs() < 1e-12)));
        let failing = row.plot.spans.iter().find(|span| span.kind == SpanKind::Failing).expect("a side");
        let (from, to) = (failing.from, failing.to);
        let fails_below = verdict.criterion.contains(">=");
        assert_eq!((from, to), if fails_below { (picture.axis.from, 1.0) } else { (1.0, picture.axis.to) });
        if let Some(limit) = statistics.bound {
            let (low, high, words) = limit_line(row);
            let ends = [statistics.mean.min(limit), statistics.mean.max(limit)].map(|end| end / threshold);
            assert!((low - ends[0]).abs() < 1e-12 && (high - ends[1]).abs() < 1e-12, "{words}");
            assert!(words.contains("95 % limit of the mean"), "{words}");
        }
    }
    let words: Vec<&str> =
        rows(&document).iter().map(|row| row.missing.as_str()).filter(|words| !words.is_empty()).collect();
    assert_eq!(words, ["the threshold is 0, so there is no ratio", "no measured value", "no measured value"]);
}

#[test]
fn the_line_of_a_clause_that_is_not_met_ends_at_the_limit_that_decided() {
    let mut campaign = many::campaign();
    let of_mean = |verdict: &&mut results::Verdict| {
        verdict.outcome == Outcome::Fail && verdict.statistic == "mean" && verdict.statistics.is_some()
    };
    let verdict = campaign.verdicts.iter_mut().find(of_mean).expect("a mean that is not met");
    let (mean, threshold) = (verdict.statistics.as_ref().unwrap().mean, verdict.threshold.unwrap());
    verdict.reason = verdict.reason.clone().with(row::ThresholdMet::limit, Datum::rate(mean * 1.001));
    let test = verdict.test.clone();
    let document = of(&campaign);
    let row = rows(&document).iter().find(|row| row.test.text == test).expect("its row");
    let (low, high, words) = limit_line(row);
    assert!((low - mean / threshold).abs() < 1e-12, "{words}");
    assert!((high - 1.001 * mean / threshold).abs() < 1e-12, "{words}");
}

#[test]
fn verdicts_have_different_shapes_and_their_words_are_in_the_page() {
    let mut campaign = many::campaign();
    campaign.verdicts.iter_mut().for_each(|verdict| verdict.value = verdict.value.or(verdict.threshold));
    let document = of(&campaign);
    let shape = |outcome: Outcome| {
        let row = rows(&document).iter().find(|row| row.verdict.text == outcome.to_string()).unwrap();
        marks(row).0.shape
    };
    let shapes = [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive, Outcome::Invalid].map(shape);
    for (at, one) in shapes.iter().enumerate() {
        assert!(!shapes[..at].contains(one), "{shapes:?}");
    }
    let page = html(&many::campaign());
    for words in ["<b>PASS</b>", "<b>FAIL</b>", "<b>INCONCLUSIVE</b>", "<b>INVALID</b>", "<b>NOT RUN</b>"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn ratios_over_a_wide_range_have_a_logarithmic_axis_and_values_outside_are_named() {
    let mut campaign = many::campaign();
    campaign.verdicts[0].value = Some(3e14);
    campaign.verdicts[1].value = Some(0.0);
    let document = of(&campaign);
    let picture = document.picture.as_ref().unwrap();
    assert!((base(&picture.rows[0]), marks(&picture.rows[0]).0.x) == (0.0, 3.0), "{picture:?}");
    assert!(picture.note.contains("The axis is logarithmic. Values outside the axis are at its end"));
    let (outside, _) = marks(&picture.rows[1]);
    assert!(outside.x == picture.axis.from && outside.text.contains("mean 0 B/s"), "{outside:?}");
}

#[test]
fn the_repetitions_of_a_criterion_are_dots_with_its_threshold_and_limit() {
    let campaign = golden::campaign();
    let plot = plot(&campaign, "Repetitions of write.bw");
    let points: Vec<(f64, f64)> = plot.marks.iter().map(|mark| (mark.x, mark.y)).collect();
    assert_eq!(points, [(1.0, 3.39e9), (2.0, 3.41e9), (3.0, 3.43e9)]);
    let verdict = &campaign.verdicts[0];
    let rules: Vec<f64> = plot.lines.iter().map(|line| line.points[0].1).collect();
    assert_eq!(rules, [3e9, 3.41e9, verdict.statistics.as_ref().unwrap().bound.unwrap()]);
    assert_eq!(plot.marks[1].text, "repetition 2: 3.41 GB/s");
    assert!(
        plots(&campaign, "integrity").iter().all(|plot| !plot.title.starts_with("Repetitions")),
        "one value"
    );
}

#[test]
fn labelled_percentiles_are_those_of_the_slowest_repetition_in_the_record() {
    let campaign = golden::campaign();
    let plot = plot(&campaign, "Latency of write, by percentile");
    let writes = campaign.jobs.iter().filter(|job| job.info.test == "write-bw").flat_map(|job| &job.records);
    let latencies: Vec<&Latency> = writes
        .filter_map(|record| match record {
            Record::Phase(phase) => phase.latency.as_ref(),
            _ => None,
        })
        .collect();
    type Pick = fn(&Latency) -> u64;
    let picks: [(&str, Pick); 5] = [
        ("max", |latency| latency.max_ns),
        ("p99", |latency| latency.p99_ns),
        ("p50", |latency| latency.p50_ns),
        ("p99.9", |latency| latency.p999_ns),
        ("p90", |latency| latency.p90_ns),
    ];
    let labels: Vec<&str> = plot.marks.iter().map(|mark| mark.label.as_str()).collect();
    let wanted = picks.map(|(name, pick)| {
        let slowest = latencies.iter().map(|latency| pick(latency)).max().unwrap();
        format!("{name} {}", units::duration(slowest as f64 * 1e-9))
    });
    assert_eq!(labels, wanted);
}

#[test]
fn a_stall_of_rate_limited_transfers_is_marked_where_the_record_has_it() {
    let plot = plot(&many::campaign(), "Bandwidth of write over time");
    let [stall] = &plot.marks[..] else { panic!("{:?}", plot.marks) };
    let interval = many::INTERVAL_NS as f64 * 1e-9;
    let (first, number) = many::STALL;
    assert!((stall.x - (first as f64 + number as f64 / 2.0) * interval).abs() < 1e-9);
    let words = format!("repetition 1: 0 B/s for 201 ms, from {:.2} s on", first as f64 * interval);
    assert!(stall.shape == MarkShape::Triangle && stall.text.starts_with(&words), "{}", stall.text);
    assert!(plot.lines[0].points.len() > 200, "not two steps");
}

#[test]
fn a_straggler_is_the_slowest_cell_of_the_heat_map() {
    let campaign = many::campaign();
    let plot = plot(&campaign, "Ranks of write, by node");
    assert_eq!(plot.cells.len(), 640);
    let slowest: Vec<&str> =
        plot.cells.iter().filter(|cell| cell.level == 4).map(|cell| cell.text.as_str()).collect();
    let [one] = slowest[..] else { panic!("{slowest:?}") };
    assert!(
        one.starts_with("rank 137 on compute-008: ") && one.contains(" of the median, in repetition "),
        "{one}"
    );
    let rates = campaign.jobs.iter().filter(|job| job.info.test == "C.1").map(|job| {
        let Some(Record::Phase(phase)) = job.records.iter().find(|one| matches!(one, Record::Phase(_)))
        else {
            panic!("a phase")
        };
        phase.each_rank.as_ref().unwrap().rate(many::SLOW.0).unwrap()
    });
    assert!(rates.map(units::rate_decimal).any(|rate| one.contains(&rate)), "{one}");
    let row = |node: f64| plot.cells.iter().filter(move |cell| cell.y == node);
    assert!(row(20.0).all(|cell| cell.level >= 1) && row(21.0).all(|cell| cell.level == 0), "a slow node");
}

#[test]
fn more_ranks_than_cells_are_summarized_by_node_and_a_straggler_remains_visible() {
    let plot = plot(&many::campaign(), "Ranks of read, by node");
    assert_eq!(plot.cells.len(), 100);
    assert!(
        plot.note.contains("Each cell is the slowest rank of a node. It summarizes 400 ranks on 100 nodes")
    );
    let slow: Vec<&str> =
        plot.cells.iter().filter(|cell| cell.is_marked).map(|cell| cell.text.as_str()).collect();
    assert_eq!(slow.len(), 2, "{slow:?}");
    assert!(slow[0].contains("rank 50 on nid00012") && slow[1].contains(" on nid00077"), "{slow:?}");
}

#[test]
fn a_projection_has_its_steps_model_interval_and_threshold_as_recorded() {
    let campaign = many::campaign();
    let one = &campaign.summary.projections[0];
    let all = plots(&campaign, "projections");
    let plot = &all[0];
    let projected = plot.marks.iter().find(|mark| mark.interval.is_some()).expect("the projected rate");
    // The largest step is twelve times the smallest, so the axis is logarithmic.
    assert_eq!((projected.x, Some(projected.y)), (one.to.log2(), one.rate));
    assert_eq!(projected.interval, one.low.zip(one.high));
    assert_eq!(plot.lines[1].style, LineStyle::Required);
    assert_eq!(plot.lines[1].points[0].1, one.threshold.unwrap());
    for (at, mean) in &one.steps {
        assert!(plot.marks.iter().any(|mark| (mark.x, mark.y) == (at.log2(), *mean)), "{at}");
    }
    let fit = one.model.unwrap();
    let of_model = |(x, y): &(f64, f64)| (fit.at(x.exp2()) - y).abs() <= 1e-6 * y.abs();
    assert!(plot.lines[0].points.len() > 10 && plot.lines[0].points.iter().all(of_model));
    let is_model = |style| matches!(style, LineStyle::Series(_));
    assert!(all[1].lines.iter().all(|line| !is_model(line.style)), "rejected");
    assert!(all[1].marks.iter().all(|mark| mark.interval.is_none()), "rejected");
}

#[test]
fn a_series_has_the_dots_of_its_repetitions_and_a_wide_range_of_steps_is_logarithmic() {
    let campaign = many::campaign();
    let [servers, transfers] = &plots(&campaign, "scaling")[..] else { panic!("two series") };
    assert_eq!(servers.title, "write.bw of S.w over servers");
    let values: Vec<f64> = campaign
        .summary
        .rates
        .iter()
        .filter(|rate| rate.step.as_ref().unwrap().series == "S")
        .flat_map(|rate| rate.values.clone())
        .collect();
    assert_eq!(servers.marks.iter().map(|mark| mark.y).collect::<Vec<_>>(), values);
    assert_eq!(
        servers.lines[0].points.iter().map(|point| point.0).collect::<Vec<_>>(),
        [10.0, 20.0, 30.0, 60.0]
    );
    assert_eq!((transfers.x.label.as_str(), transfers.x.ticks[0].at), ("transfer size (logarithmic)", 12.0));
    assert_eq!(transfers.x.ticks[0].label, "4 KiB");
}

#[test]
fn the_utilization_is_plotted_before_and_after_each_job() {
    let campaign = many::campaign();
    let plot = plot(&campaign, "Utilization of the file system over the campaign");
    assert_eq!(plot.marks.len(), 2 * campaign.jobs.len());
    let before = campaign.jobs[0].info.fill_before.as_ref().unwrap();
    let share = before.bytes_used as f64 / (before.bytes_used + before.bytes_free) as f64;
    assert!((plot.marks[0].y - share).abs() < 1e-12);
    assert_eq!(plot.marks[0].text, "file system scratch: 33.3 % used before job 1 (C.1)");
    assert!(plots(&golden::campaign(), "jobs").is_empty(), "nothing recorded");
}

#[test]
fn the_whole_page_of_two_hundred_jobs_with_all_drawings_is_below_three_megabytes() {
    let page = html(&many::of_jobs(200, 2));
    let drawings = page.matches("<svg class=\"drawing\"").count();
    // Repetitions, rates over time, latencies, ranks by node and by target of each test.
    assert!(drawings >= 5 * 100, "{drawings}");
    assert!(page.len() < 3_000_000, "{} bytes, {drawings} drawings", page.len());
}

#[test]
fn with_many_phases_only_slow_ranks_have_texts_and_the_notes_say_what_is_left_out() {
    let campaign = many::of_jobs(120, 1);
    let map = plot(&campaign, "Ranks of write, by node");
    let (with, without): (Vec<_>, Vec<_>) = map.cells.iter().partition(|cell| !cell.text.is_empty());
    assert!(with.iter().all(|cell| cell.level > 0) && without.iter().all(|cell| cell.level == 0));
    assert_eq!((with.len(), without.len()), (2, 38), "a slow node, and a node with a slow rank");
    assert!(map.note.ends_with("only slower cells have their values on hover."), "{}", map.note);
    let targets = plot(&campaign, "Rates of ranks in write, by storage target");
    assert_eq!(targets.marks.len(), 3 * 33);
    assert!(targets.note.contains(" The slowest 33 of 64 storage targets are plotted."), "{}", targets.note);
    let page = html(&many::of_jobs(120, 1));
    assert!(page.contains("<path class=\"cell h0\" d=\"M") && page.contains("<path class=\"dots s0\" d=\"M"));
    assert!(page.contains(" 34 more are not listed. The records of the jobs have all ranks."));
}

/// The texts of all drawings with their boxes: left, right, base line.
fn texts(page: &str) -> Vec<Vec<(f64, f64, f64, String)>> {
    let attribute = |tag: &str, name: &str| -> Option<String> {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split('"').next().map(str::to_owned)
    };
    let text = |piece: &str| {
        let (tag, rest) = piece.split_once('>')?;
        let words = rest.split('<').next()?.to_owned();
        let (x, y): (f64, f64) = (attribute(tag, "x")?.parse().ok()?, attribute(tag, "y")?.parse().ok()?);
        let width = 6.2 * words.chars().count() as f64;
        let class = attribute(tag, "class")?;
        let anchor = attribute(tag, "text-anchor").unwrap_or_default();
        let left = match (class.as_str(), anchor.as_str()) {
            ("ytick", _) | (_, "end") => x - width,
            ("xtick" | "xlabel", _) => x - width / 2.0,
            _ => x,
        };
        Some((left, left + width, y, words))
    };
    let drawing =
        |svg: &str| svg.split("</svg>").next().unwrap().split("<text").skip(1).filter_map(text).collect();
    page.split("<svg class=\"drawing\"").skip(1).map(drawing).collect()
}

#[test]
fn no_text_of_a_drawing_covers_another() {
    for campaign in [golden::campaign(), many::campaign()] {
        let page = html(&campaign);
        let all = texts(&page);
        assert!(all.len() > 10 && all.iter().all(|texts| texts.len() > 2), "{}", all.len());
        for texts in all {
            for (at, one) in texts.iter().enumerate() {
                for other in &texts[..at] {
                    let apart = one.1 <= other.0 || other.1 <= one.0 || (one.2 - other.2).abs() >= 11.0;
                    assert!(apart, "{one:?} {other:?}");
                }
            }
        }
    }
}

/// Numbers that a record or a verdict may contain by mistake.
fn odd() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        Just(-1.0),
        1e-12_f64..1e18,
        0.9_f64..1.1,
    ]
}

/// This number of values: the given ones, repeated if they are too few.
fn repeated<T: Copy>((values, number): (Vec<T>, usize)) -> Vec<T> {
    let all = values.iter().copied().cycle();
    if number == 0 { values } else { all.take(number).collect() }
}

fn odd_verdict() -> impl Strategy<Value = Verdict> {
    let op = prop_oneof![Just(">="), Just("<="), Just("=="), Just("")];
    let outcome = prop_oneof![
        Just(Outcome::Pass),
        Just(Outcome::Fail),
        Just(Outcome::Inconclusive),
        Just(Outcome::Invalid),
        Just(Outcome::NotRun)
    ];
    let values = (prop::collection::vec(odd(), 0..4), prop_oneof![Just(0), Just(10_000)]).prop_map(repeated);
    (op, outcome, values, prop::option::of(odd()), prop::option::of(odd()), prop::option::of(odd())).prop_map(
        |(op, outcome, values, value, threshold, bound)| Verdict {
            test: "write-bw".into(),
            metric: "write.bw".into(),
            criterion: format!("mean {op} 1 GB/s"),
            outcome,
            value,
            threshold,
            unit: "B/s".into(),
            statistics: Statistics::of(&values[..values.len().min(40)], Side::Lower, 0.95)
                // Without a limit the report does not resample ten thousand values.
                .map(|statistics| Statistics {
                    bound: bound.filter(|_| values.len() < 100),
                    values: values.clone(),
                    ..statistics
                }),
            ..Verdict::default()
        },
    )
}

/// A phase with odd numbers in all that is plotted.
fn odd_phase() -> impl Strategy<Value = Phase> {
    let bytes = (prop::collection::vec(any::<u64>(), 0..4), prop_oneof![Just(0), Just(40), Just(10_000)])
        .prop_map(repeated);
    let latency =
        (any::<u64>(), any::<u64>(), any::<u64>(), prop::collection::vec(any::<(u64, u64)>(), 0..300));
    let ranks = (0_u32..60, prop::collection::vec(odd(), 0..4), any::<u32>());
    (bytes, any::<u64>(), odd(), latency, ranks).prop_map(|(bytes, interval_ns, seconds, latency, ranks)| {
        Phase {
            phase: "write".into(),
            ranks: ranks.2,
            spans: Spans { transfer_s: seconds, total_s: seconds, ..Spans::default() },
            timeline: Some(Timeline { interval_ns, bytes }),
            latency: Some(Latency {
                count: latency.0,
                min_ns: latency.1,
                max_ns: latency.2,
                p50_ns: latency.2 / 3,
                p99_ns: latency.1,
                buckets: latency.3,
                ..Latency::default()
            }),
            each_rank: Some(EachRank {
                ranks: ranks.0,
                moved: vec![7; ranks.0 as usize].into(),
                seconds: ranks.1.into(),
                ..EachRank::default()
            }),
            ..Phase::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn odd_numbers_break_no_plot(verdict in odd_verdict(), odd in odd_phase(), rate in odd(), to in odd()) {
        let mut campaign = many::campaign();
        campaign.jobs.truncate(3);
        campaign.verdicts = vec![verdict];
        for job in &mut campaign.jobs {
            job.info.test = "write-bw".into();
            job.info.seconds = rate;
        }
        phases(&mut campaign).for_each(|phase| *phase = odd.clone());
        for projection in &mut campaign.summary.projections {
            (projection.to, projection.rate, projection.low) = (to, Some(rate), Some(to));
            projection.steps.push((to, rate));
            projection.threshold = Some(rate);
        }
        campaign.summary.rates[0].mean = Some(rate);
        campaign.summary.rates[1].step.as_mut().unwrap().at = to;
        let page = html(&campaign);
        let drawings = page.split("<svg").skip(1).filter_map(|rest| rest.split("</svg>").next());
        let drawings: Vec<&str> = drawings.collect();
        for drawing in &drawings {
            let attributes: Vec<&str> = drawing.split('"').skip(1).step_by(2).collect();
            for attribute in attributes.iter().filter(|text| !text.contains(": ")) {
                prop_assert!(!attribute.contains("NaN") && !attribute.contains("inf"), "{}", attribute);
            }
        }
        let all: usize = drawings.iter().map(|drawing| drawing.len()).sum();
        prop_assert!(all < 500_000, "{} bytes", all);
    }
}
