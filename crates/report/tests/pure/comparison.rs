//! Comparisons with names that are markup, escape sequences or formulas, and with extreme ratios.

use report::document::{self, LineStyle, MarkShape, PlotLine};
use results::Outcome;
use results::comparison::{
    CampaignComparison, ClauseVerdict, ComparedCampaign, ComparedClause, ComparedFact, ComparedRow,
    Conclusion, FactDifference, MetricDirection, RowConclusion, RowSample,
};
use results::reason::{Code, Reason, reason};
use results::statistics::Interval;

const HOSTILE: &str = "\u{1b}[2J<img src=x>&\"'\u{202e}";

fn campaign(name: &str, code: Code) -> ComparedCampaign {
    ComparedCampaign {
        name: name.into(),
        plan: HOSTILE.into(),
        title: HOSTILE.into(),
        evidence: if code == Code::EvidenceRejected {
            reason!(EvidenceRejected { fault: HOSTILE, faults: 2_u32 })
        } else {
            Reason::new(code)
        },
        is_usable: code == Code::EvidenceIntact,
        overall: Outcome::Pass,
        ..ComparedCampaign::default()
    }
}

fn row(test: &str, low: f64, ratio: f64, high: f64) -> ComparedRow {
    let interval = Interval { low, high };
    let against = RowConclusion {
        conclusion: Conclusion::Slower,
        reason: reason!(ComparedSlower { ratio, ratio_low: low, ratios: 2_u32, .. }),
        ratio: Some(ratio),
        alone: Some(interval),
        together: Some(interval),
        caution: None,
    };
    let sample =
        |mean: f64| RowSample { values: vec![mean, mean], mean: Some(mean), unit: "B/s".into(), why: None };
    ComparedRow {
        test: test.into(),
        metric: "write.bw".into(),
        clause: HOSTILE.into(),
        unit: "B/s".into(),
        direction: MetricDirection::HigherIsFaster,
        samples: vec![sample(1e9), sample(1e9 * ratio)],
        against: vec![against],
    }
}

fn comparison() -> CampaignComparison {
    let verdict =
        |outcome| Some(ClauseVerdict { criterion: HOSTILE.into(), outcome, ..ClauseVerdict::default() });
    CampaignComparison {
        confidence: 0.95,
        ratios: 2,
        campaigns: vec![campaign("=cmd()", Code::EvidenceIntact), campaign(HOSTILE, Code::EvidenceRejected)],
        rows: vec![row("W", 0.4, 0.5, 0.6), row(HOSTILE, 0.0, 0.9, f64::INFINITY)],
        clauses: vec![ComparedClause {
            test: HOSTILE.into(),
            clause: HOSTILE.into(),
            metric: "write.bw".into(),
            verdicts: vec![verdict(Outcome::Pass), verdict(Outcome::Fail)],
        }],
        differences: vec![FactDifference {
            fact: ComparedFact::Kernel,
            about: HOSTILE.into(),
            values: vec![Some(HOSTILE.into()), None],
        }],
    }
}

/// Whether a text has a character that a terminal obeys.
fn has_control(text: &str) -> bool {
    text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}')
}

#[test]
fn no_format_of_a_comparison_obeys_a_hostile_name() {
    let comparison = comparison();
    let text = report::comparison_text(&comparison, 80, report::Emphasis::None);
    assert!(!has_control(&text) && text.contains("\\u001b[2J"), "{text}");
    let page = report::comparison_html(&comparison).unwrap();
    assert!(!has_control(&page) && !page.contains("<img") && page.contains("&lt;img"), "{page}");
    let csv = document::comparison_csv(&comparison);
    assert!(!has_control(&csv) && csv.contains(",'=cmd(),"), "a spreadsheet would run it: {csv}");
    let columns = csv.lines().next().unwrap().split(',').count();
    let plain = csv.lines().filter(|line| !line.contains('"'));
    assert!(plain.clone().count() >= 2);
    assert!(plain.into_iter().all(|line| line.split(',').count() == columns), "{csv}");
}

#[test]
fn each_class_of_the_drawing_has_a_rule_and_names_are_left_of_the_points() {
    let page = report::comparison_html(&comparison()).unwrap();
    let (style, rest) = page.split_once("</style>").unwrap();
    let from = rest.find("<svg class=\"forest\"").unwrap();
    let drawing = &rest[from..from + rest[from..].find("</svg>").unwrap()];
    let classes = drawing.split("class=\"").skip(1).filter_map(|part| part.split('"').next());
    let classes: Vec<&str> = classes.flat_map(str::split_whitespace).collect();
    assert!(classes.contains(&"ytick"), "{drawing}");
    for class in classes {
        assert!(style.contains(&format!(".{class} ")) || style.contains(&format!(".{class},")), "{class}");
    }
    let rule = style.split("svg .ytick {").nth(1).and_then(|rest| rest.split('}').next());
    assert!(rule.is_some_and(|rule| rule.contains("text-anchor: end")), "{rule:?}");
}

#[test]
fn the_evidence_comes_before_any_number_and_a_rejected_campaign_is_named() {
    let text = report::comparison_text(&comparison(), 100, report::Emphasis::None);
    let evidence = text.find("The evidence is not intact").expect("it is stated");
    assert!(evidence < text.find("write.bw").unwrap(), "{text}");
    assert!(text.contains("The evidence of 1 campaign is not intact, so its values are not used."), "{text}");
    assert!(text.contains("Verdicts differ in 1 of 1 clause."), "{text}");
}

#[test]
fn intervals_without_end_are_cut_at_the_axis_and_marked() {
    let document = document::comparison(&comparison());
    let forest = &document.forest;
    let shapes: Vec<MarkShape> = forest.marks.iter().map(|mark| mark.shape).collect();
    use MarkShape::{CutHigh, CutLow, Dot, End};
    assert_eq!(shapes, [End, End, Dot, CutLow, CutHigh, Dot]);
    let is_decisive = |line: &&PlotLine| matches!(line.style, LineStyle::Together(_));
    let ends: Vec<(f64, f64)> =
        forest.lines.iter().filter(is_decisive).map(|line| (line.points[0].0, line.points[1].0)).collect();
    assert!(ends[0].1 < forest.spans[0].at, "it is completely below the baseline");
    assert_eq!(ends[1], (forest.x.from, forest.x.to));
    let ticks: Vec<&str> = forest.x.ticks.iter().map(|tick| tick.label.as_str()).collect();
    assert!(ticks.contains(&"100 %") && ticks.contains(&"50 %"), "{ticks:?}");
    assert_eq!(document.rows[1].against[0].interval, "above 0 %");
    assert_eq!(document.rows[0].against[0].interval, "40 % to 60 %");
}

#[test]
fn an_empty_index_and_an_index_of_hostile_names_are_sound_pages() {
    let entry = document::IndexEntry {
        name: HOSTILE.into(),
        report: Some("a\"b/<c>/report.html".into()),
        campaign: Some(document::IndexedCampaign {
            plan: HOSTILE.into(),
            title: HOSTILE.into(),
            started: "a | b | <no".into(),
            evidence: reason!(EvidenceIntact),
            is_usable: true,
            verdicts: vec![results::Verdict { test: HOSTILE.into(), ..Default::default() }],
            ..Default::default()
        }),
        error: String::new(),
    };
    let unread = document::IndexEntry { name: "n".into(), error: HOSTILE.into(), ..Default::default() };
    let page = report::index_html(&[entry, unread]).unwrap();
    assert!(page.contains(report::INDEX_MARKER) && !has_control(&page), "{page}");
    assert!(!page.contains("<img") && !page.contains("<c>") && !page.contains("<no"), "{page}");
    assert!(page.contains("a%22b&#x2f;%3Cc%3E&#x2f;report.html"), "{page}");
    assert_eq!(page.matches(report::INDEX_MARKER).count(), 1);
    assert!(report::index_html(&[]).unwrap().contains("0 campaigns"));
}
