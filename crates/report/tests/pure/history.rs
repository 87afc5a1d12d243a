//! The pages of a history: what charts show, what is left out, links, and texts of strangers.

use std::collections::BTreeMap;

use crate::html::{assert_balanced, attributes, escaped};
use report::document::Cell;
use report::history::{
    DrawingCharacters, FallRule, HISTORY_MARKER, HistoryLinks, HistoryView, overview_page, series_file,
    series_page, series_text,
};
use results::Outcome;
use results::comparison::MetricDirection;
use results::history::{EntryFact, EntrySource, SeriesId};
use results::reason::{Code, Datum};
use track::change::{ChangeSettings, HistoryPoint, analyse};
use track::course::{CoursePart, SeriesCourse};
use track::store::{EntrySummary, HistoryNote, SeriesSummary, StoredPoint};

const DAY_S: f64 = 86_400.0;
const START_S: f64 = 1_500_000_000.0;

/// A point of a day with this value, from an entry of its own.
fn point(day: usize, mean: Option<f64>) -> StoredPoint {
    StoredPoint {
        time_s: START_S + DAY_S * day as f64,
        entry: day as i64,
        setup: 1,
        mean,
        values: mean.into_iter().collect(),
        why: None,
        outcome: None,
        threshold: None,
        fill: None,
        concurrency: None,
    }
}

/// Points about a level, with noise of a few percent; `factor` is that of a day.
fn points(days: usize, factor: impl Fn(usize) -> f64) -> Vec<StoredPoint> {
    let noise = |day: usize| {
        let mixed = (day as u64 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / f64::from(1 << 24)
    };
    (0..days).map(|day| point(day, Some(1e9 * factor(day) * (1.0 + 0.06 * noise(day))))).collect()
}

fn course(id: i64, system: &str, test: &str, points: Vec<StoredPoint>) -> SeriesCourse {
    let mut setups: Vec<i64> = points.iter().map(|point| point.setup).collect();
    setups.dedup();
    let part = |setup: &i64| {
        let places: Vec<usize> = (0..points.len()).filter(|at| points[*at].setup == *setup).collect();
        let rate = |at: &usize| HistoryPoint {
            time_s: points[*at].time_s,
            rate: points[*at].mean.unwrap_or(f64::NAN),
        };
        let rates: Vec<HistoryPoint> = places.iter().map(rate).collect();
        let analysis = analyse(&rates, &ChangeSettings::default());
        CoursePart { places, differs: Vec::new(), analysis }
    };
    SeriesCourse {
        summary: SeriesSummary {
            id,
            series: SeriesId {
                system: system.to_owned(),
                place: "scratch".to_owned(),
                test: test.to_owned(),
                metric: "write.bw".to_owned(),
                unit: "B/s".to_owned(),
                ..SeriesId::default()
            },
            direction: MetricDirection::HigherIsFaster,
            points: points.len() as u64,
            first_s: points[0].time_s,
            last_s: points[points.len() - 1].time_s,
        },
        parts: setups.iter().map(part).collect(),
        points,
    }
}

fn entry(id: i64, location: &str) -> EntrySummary {
    EntrySummary {
        id,
        hash: format!("{id:064x}"),
        source: EntrySource::Campaign,
        location: location.to_owned(),
        plan: "p".to_owned(),
        tool: "assay".to_owned(),
        started_s: START_S,
        overall: None,
        facts: vec![EntryFact {
            fact: "kernel".to_owned(),
            about: String::new(),
            value: Datum::Text(if id < 40 { "5.10" } else { "6.1" }.to_owned()),
        }],
    }
}

fn view(courses: Vec<SeriesCourse>) -> HistoryView {
    let ids: Vec<i64> = courses.iter().flat_map(|one| one.points.iter().map(|point| point.entry)).collect();
    let entries: BTreeMap<i64, EntrySummary> =
        ids.into_iter().map(|id| (id, entry(id, &format!("/evidence/c{id}")))).collect();
    let setup = |block: &str| BTreeMap::from([("command".to_owned(), format!("ior -b {block}"))]);
    let setups = BTreeMap::from([(1, setup("1m")), (2, setup("2m"))]);
    HistoryView::of("h.sqlite".to_owned(), courses, entries, setups, Vec::new(), FallRule::default())
}

/// Two series of one system that fall together, and one of another system.
fn fallen() -> HistoryView {
    let fall = |day: usize| if day < 40 { 1.0 } else { 0.8 };
    view(vec![
        course(1, "lab", "A", points(80, fall)),
        course(-2, "lab", "B", points(80, fall)),
        course(3, "other", "A", points(80, |_| 1.0)),
    ])
}

const LINKS: HistoryLinks<'static> =
    HistoryLinks { overview: "index.html", series: &series_file, evidence: &|_| None, navigation: &[] };

fn overview(view: &HistoryView) -> String {
    let page = overview_page(view, &LINKS).unwrap().replace('\u{a0}', " ");
    assert_balanced(&page);
    page
}

fn page(view: &HistoryView, series: usize) -> String {
    let page = series_page(view, series, &LINKS).unwrap().replace('\u{a0}', " ");
    assert_balanced(&page);
    page
}

/// The part of an overview with the chart of a series.
fn multiple(overview: &str, series: usize) -> &str {
    overview.split("<figure class=\"multiple").nth(series + 1).unwrap().split("</figure>").next().unwrap()
}

#[test]
fn each_series_has_a_chart_with_its_standing_that_links_to_its_page() {
    let page = overview(&fallen());
    assert!(page.contains(HISTORY_MARKER) && !page.contains("<script") && !page.contains("http"));
    assert!(page.contains("240 points from 2017-07-14 to 2017-10-01, from 80 campaigns."));
    assert!(page.contains("2 of 3 series fell by more than 5 %. 0 rose."));
    for (series, id) in [(0, 1), (1, -2), (2, 3)] {
        let multiple = multiple(&page, series);
        assert!(multiple.contains(&format!("href=\"{}\"", series_file(id))), "{multiple}");
        assert_eq!(multiple.matches("<svg").count(), 1);
        assert_eq!(multiple.contains("FELL on 2017-08-23"), series < 2, "{series}");
    }
    assert_eq!(series_file(-2), "series-fffffffffffffffe.html");
}

#[test]
fn an_event_of_several_series_is_a_band_in_the_charts_of_its_system_and_names_the_facts_that_changed() {
    let page = overview(&fallen());
    let event = page.split("<article").nth(1).unwrap();
    assert!(event.contains("id=\"event-1\"") && event.contains("2 series: 2 slower; ×0.80"), "{event}");
    assert!(event.contains("Kernel: 5.10, then 6.1"), "{event}");
    for series in 0..3 {
        let bands = multiple(&page, series).matches("<g class=\"event\"").count();
        assert_eq!(bands, usize::from(series < 2), "{series}");
    }
    assert!(multiple(&page, 0).contains("<a href=\"#event-1\">"));
    assert!(multiple(&page, 0).contains("▼×0.8") && multiple(&page, 0).contains("shift fail"));
}

#[test]
fn a_setup_that_changes_is_a_cut_with_what_differs() {
    let mut all = points(60, |_| 1.0);
    all[30..].iter_mut().for_each(|point| point.setup = 2);
    let view = view(vec![course(1, "lab", "A", all)]);
    for page in [overview(&view), page(&view, 0)] {
        assert_eq!(page.matches("<g class=\"cut\"><title>").count(), 1);
        assert!(page.contains("Not comparable from here on\ncommand: ior -b 1m, then ior -b 2m"), "{page}");
    }
    let own = page(&view, 0);
    assert!(own.contains("Parts that are not compared with each other") && own.contains("Setup of the last"));
    let once = overview(&fallen());
    assert!(!once.contains("<g class=\"cut\"") && !once.contains("not comparable from here on"));
}

#[test]
fn verdicts_have_shapes_and_points_without_values_are_marked_with_the_reason() {
    let mut all = points(8, |_| 1.0);
    for (point, outcome) in
        all.iter_mut().zip([Outcome::Pass, Outcome::Fail, Outcome::Inconclusive, Outcome::Invalid])
    {
        (point.outcome, point.threshold) = (Some(outcome), Some(1.01e9));
    }
    (all[5].mean, all[5].why) = (None, Some(Code::JobFailed));
    let view = view(vec![course(1, "lab", "A", all)]);
    let chart = overview(&view);
    let chart = multiple(&chart, 0);
    for (class, element) in
        [("pass", "<circle"), ("fail", "<path"), ("inconclusive", "<path"), ("invalid", "<path")]
    {
        let symbol = chart.split(&format!("<g class=\"point {class}\">")).nth(1).unwrap();
        let symbol = symbol.split("</title>").nth(1).unwrap();
        assert!(symbol.starts_with(element), "{class}: {symbol}");
    }
    assert!(chart.contains("FAIL, threshold 1.01 GB/s") && chart.contains("class=\"threshold-line\""));
    assert!(chart.contains("<path class=\"unusable\"") && chart.contains("no usable values: A job failed."));
    assert!(page(&view, 0).contains("8, 1 without usable values"));
}

#[test]
fn a_note_is_beside_its_event_and_an_accepted_one_is_the_baseline() {
    let note = |is_accepted| HistoryNote {
        time_s: START_S + 41.0 * DAY_S,
        words: "half of the targets moved".to_owned(),
        author: "ann".to_owned(),
        is_accepted,
        ..HistoryNote::default()
    };
    let with = |notes| {
        let HistoryView { name, courses, entries, setups, rule, .. } = fallen();
        HistoryView::of(name, courses, entries, setups, notes, rule)
    };
    let explained = with(vec![note(false)]);
    assert!(explained.has_fallen(0), "a note does not accept the fall");
    let line = "(ann): half of the targets moved";
    let [overview, own] =
        [overview_page(&explained, &LINKS).unwrap(), series_page(&explained, 0, &LINKS).unwrap()];
    for page in [&overview, &own] {
        let article = page.split("event-part\"").nth(1).unwrap();
        assert!(article.split("</article>").next().unwrap().contains(line), "{article}");
    }
    let accepted = with(vec![note(true)]);
    assert!(!accepted.has_fallen(0));
    let overview = overview_page(&accepted, &LINKS).unwrap();
    assert!(overview.contains("or the first one since the last accepted note about it"), "{overview}");
    assert!(series_page(&accepted, 0, &LINKS).unwrap().contains("(ann, accepted)"));
}

#[test]
fn names_and_facts_of_strangers_are_escaped() {
    let evil = "</title><script>alert('1')</script>\u{202e}\"";
    let mut all = points(60, |day| if day < 30 { 1.0 } else { 0.5 });
    all[40..].iter_mut().for_each(|point| point.setup = 2);
    let mut one = course(1, evil, evil, all);
    one.summary.series.metric = evil.to_owned();
    one.summary.series.unit = evil.to_owned();
    let mut view = view(vec![one]);
    view.setups.insert(2, BTreeMap::from([(evil.to_owned(), evil.to_owned())]));
    for entry in view.entries.values_mut() {
        (entry.location, entry.hash) = (format!("/x/{evil}"), evil.to_owned());
        entry.facts[0].fact = evil.to_owned();
        entry.facts[0].value = Datum::Text(format!("{evil}{}", entry.id));
    }
    let time_s = START_S + 30.0 * DAY_S;
    let note = HistoryNote { time_s, words: evil.to_owned(), author: evil.to_owned(), ..Default::default() };
    view = HistoryView::of(evil.to_owned(), view.courses, view.entries, view.setups, vec![note], view.rule);
    let links = HistoryLinks { evidence: &|entry| Some(entry.location.clone()), ..LINKS };
    let overview = overview_page(&view, &links).unwrap();
    let own = series_page(&view, 0, &links).unwrap();
    for page in [&overview, &own] {
        assert_balanced(page);
        assert!(!page.contains("<script") && !page.contains('\u{202e}'));
        assert!(page.contains("&lt;script&gt;"));
    }
    let ids = attributes(&overview, "id");
    assert!(
        ids.iter().all(|id| id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))),
        "{ids:?}"
    );
    let text = series_text(&view, 0, 80, DrawingCharacters::Unicode);
    assert!(!text.contains('\u{202e}'), "{text}");
}

#[test]
fn thinning_keeps_extremes_verdicts_and_a_small_page_and_says_what_is_left_out() {
    let mut all = points(40_000, |_| 1.0);
    all[12_345].mean = Some(9e9);
    all[23_456].mean = Some(1e6);
    all[31_000].outcome = Some(Outcome::Fail);
    let view = view(vec![course(1, "lab", "A", all)]);
    let (overview, own) = (overview(&view), page(&view, 0));
    for page in [&overview, &own] {
        let texts: Vec<&str> = page.split("<title>").collect();
        for wanted in ["9.00 GB/s", "1.00 MB/s", "\nFAIL"] {
            assert!(
                texts.iter().any(|text| text.split("</title>").next().unwrap().contains(wanted)),
                "{wanted}"
            );
        }
        assert!(page.len() < 900_000, "{}", page.len());
    }
    assert!(overview.contains("A chart of many points shows the lowest and the highest"));
    assert!(own.contains(" of 40000 points are plotted") && own.contains("The last 400 of 40000 points"));
    assert!(own.contains("assay track export"));
    assert_eq!(own.split("id=\"points\"").nth(1).unwrap().matches("<tr>").count(), 401);
}

#[test]
fn the_points_name_their_evidence_and_a_link_has_nothing_that_a_browser_interprets() {
    let view = view(vec![course(1, "lab", "A", points(6, |_| 1.0))]);
    let links = HistoryLinks {
        overview: "../all",
        series: &|id| format!("/series/{id}"),
        evidence: &|entry| match entry.id {
            0 => Some("../c 0/report.html".to_owned()),
            1 => Some("javascript:alert(1)".to_owned()),
            _ => None,
        },
        navigation: &[],
    };
    let page = series_page(&view, 0, &links).unwrap();
    let links_of_page = attributes(&page, "href");
    let wanted = ["..&#x2f;all", "javascript%3Aalert%281%29", "..&#x2f;c%200&#x2f;report.html"];
    assert_eq!(links_of_page, wanted);
    for id in 0..6 {
        assert!(page.contains(&format!("{id:064x}")) && page.contains(&escaped(&format!("/evidence/c{id}"))));
    }
    assert!(overview_page(&view, &links).unwrap().contains("href=\"&#x2f;series&#x2f;1\""));
    let others = [Cell::new("<b>Campaigns").linked("/campaigns")];
    let links = HistoryLinks { navigation: &others, ..links };
    for page in [overview_page(&view, &links).unwrap(), series_page(&view, 0, &links).unwrap()] {
        assert!(page.contains("<a href=\"&#x2f;campaigns\">&lt;b&gt;Campaigns</a>"), "{page}");
    }
}

#[test]
fn repetitions_utilization_and_other_jobs_are_panels_of_the_page_only() {
    let mut all = points(12, |_| 1.0);
    for (day, point) in all.iter_mut().enumerate() {
        point.values = vec![0.9e9, 1.1e9];
        (point.fill, point.concurrency) = (Some(0.5 + 0.01 * day as f64), Some(day as f64));
    }
    let view = view(vec![course(1, "lab", "A", all)]);
    let own = page(&view, 0);
    for title in
        ["Variability of repetitions (COV)", "Utilization of the file system", "Other jobs at the same"]
    {
        assert!(own.contains("<text class=\"ylabel\"") && own.contains(title), "{title}");
    }
    assert_eq!(own.matches("class=\"interval\"").count(), 12);
    assert!(!overview(&view).contains("class=\"interval\""));
}

#[test]
fn a_history_without_series_and_one_with_a_single_point_are_pages() {
    assert!(overview(&view(vec![])).contains("No series of the history has these texts"));
    let single = view(vec![course(1, "", "A", points(1, |_| 1.0))]);
    assert!(
        overview(&single).contains("too few points: 1") && page(&single, 0).contains("No change was found.")
    );
    let mut nothing = points(1, |_| 1.0);
    nothing[0].mean = None;
    let nothing = view(vec![course(1, "", "A", nothing)]);
    assert!(overview(&nothing).contains("no usable value"), "a chart without values is plotted");
    assert!(series_text(&nothing, 0, 80, DrawingCharacters::Ascii).contains("x no usable values"));
}

#[test]
fn the_same_history_gives_the_same_pages() {
    assert_eq!(overview(&fallen()), overview(&fallen()));
    assert_eq!(page(&fallen(), 1), page(&fallen(), 1));
}

#[test]
fn a_series_on_a_terminal_fits_and_has_its_shift_and_evidence() {
    let view = fallen();
    let text = series_text(&view, 0, 80, DrawingCharacters::Unicode);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.starts_with("lab / scratch / A / write.bw\n80 points, 2017-07-14 to 2017-10-01: FELL on"));
    let rows: Vec<&str> = text.lines().filter(|line| line.contains('│')).collect();
    assert_eq!(rows.len(), 12, "{text}");
    assert!(rows.iter().all(|row| row.contains('┊') || row.contains('─') || row.contains('·')), "{text}");
    for wanted in ["Level shifts", "×0.80 (", "Last 10 points", &format!("{:064x}", 79), "/evidence/c79"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let ascii = series_text(&view, 0, 60, DrawingCharacters::Ascii);
    let chart: Vec<&str> = ascii.lines().filter(|line| line.contains(" |") || line.contains("+--")).collect();
    assert!(chart.len() == 13 && chart.iter().all(|line| line.is_ascii()), "{ascii}");
}
