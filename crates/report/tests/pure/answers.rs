//! Answer sheets as Markdown, comma-separated values and HTML.

use report::document::{AnsweredCampaign, CampaignLimits, IndexedCampaign, answers, answers_csv};
use results::Outcome;
use results::answers::{AnswerLine, AnswerSheet, AnsweredCell, AnsweredValue};
use results::folder::Head;
use results::reason::reason;
use results::summary::SystemProjection;

/// A rate of a test in MB/s.
fn rate(test: &str, value: Option<f64>) -> AnsweredValue {
    AnsweredValue {
        test: test.into(),
        metric: "write.bw".into(),
        value,
        base_unit: "B/s".into(),
        unit: "MB/s".into(),
        unit_value: 1e6,
        outcome: if value.is_some() { Outcome::Pass } else { Outcome::Invalid },
        reason: value.is_none().then(|| reason!(NoValues)),
        statistic: "mean".into(),
        repetitions: 3,
        jobs: vec!["jobs/0001-W-r1".into()],
        ..AnsweredValue::default()
    }
}

fn line(label: &str, nodes: &str, value: AnsweredValue) -> AnswerLine {
    AnswerLine {
        labels: vec![label.into()],
        sources: vec![value.test.clone()],
        cells: vec![AnsweredCell::Fact(nodes.into()), AnsweredCell::Value(Box::new(value))],
    }
}

fn sheet(lines: Vec<AnswerLine>) -> AnswerSheet {
    AnswerSheet {
        id: "bandwidth".into(),
        title: "Bandwidth".into(),
        source: "README, 4.2".into(),
        labels: vec!["Load".into()],
        columns: vec![("Nodes".into(), String::new()), ("Max Write".into(), "MB/s".into())],
        lines,
    }
}

fn campaign(name: &str, lines: Vec<AnswerLine>) -> AnsweredCampaign {
    let head = Head { hash: "ab12".into(), ..Head::default() };
    AnsweredCampaign {
        name: name.into(),
        folder: format!("runs/{name}"),
        report: Some(format!("runs/{name}/report.html")),
        source: "contract 4711".into(),
        places: [("W".to_owned(), "#W".to_owned())].into(),
        facts: IndexedCampaign {
            plan: "acme".into(),
            title: "Acme".into(),
            started: "2026-11-24T10:15:00Z".into(),
            tool: "assay 1".into(),
            evidence: reason!(EvidenceIntact),
            is_usable: true,
            head: Some(head),
            ..IndexedCampaign::default()
        },
        sheets: vec![sheet(lines)],
        ..AnsweredCampaign::default()
    }
}

/// Two tiers: one at a scale, with one unusable value, and one with a projection.
fn tiers() -> [AnsweredCampaign; 2] {
    let best = AnsweredValue { repetition: Some(2), is_maximum: true, ..rate("W", Some(2_512_345_678.9)) };
    let reported = AnsweredValue { as_reported: true, repetitions: 1, ..rate("W", Some(12.5e6)) };
    let mut scratch = campaign("scratch", vec![line("1.a", "8", best), line("1.b", "", rate("X", None))]);
    scratch.limits = CampaignLimits {
        is_reduced: true,
        values: Some("The campaign used the scale \"small\".".into()),
        ..CampaignLimits::default()
    };
    let projection = SystemProjection {
        from: "S.w".into(),
        over: "nodes".into(),
        system: "B".into(),
        steps: vec![(1.0, 1e9), (2.0, 2e9), (4.0, 4e9)],
        to: 8.0,
        factor: 2.0,
        rate: Some(8e9),
        low: Some(7e9),
        high: Some(9e9),
        confidence: 0.95,
        unit: "B/s".into(),
        ..SystemProjection::default()
    };
    let projected = AnsweredValue { projection: Some(projection), ..rate("W", Some(8e9)) };
    [scratch, campaign("NFS", vec![line("1.a", "1", reported), line("1.b", "8", projected)])]
}

const MARKDOWN: &str = "\
# Answers: Acme

Made now from 2 campaigns. The evidence of 2 is intact.

## Bandwidth

| Campaign | Load | Nodes | Max Write (MB/s) | Values | Test |
| --- | --- | ---: | ---: | --- | --- |
| scratch | 1.a | 8 | [2512.35 (reduced)](runs/scratch/report.html#W) | repetition 2 of 3 \
(maximum: Max Write) | \
[W](runs/scratch/report.html#W) |
| scratch | 1.b | – | INVALID | – | [X](runs/scratch/report.html) |
| NFS | 1.a | 1 | [12.5000 (as reported)](runs/NFS/report.html#W) | 1 repetition | \
[W](runs/NFS/report.html#W) |
| NFS | 1.b | 8 | [8000 (projected)](runs/NFS/report.html#W) | projection | [W](runs/NFS/report.html#W) |

Source: README, 4.2. projected: not measured, but extrapolated. reduced: the campaign used a scale of the \
plan, \
not the plan as written. as reported: measured by an external program.

## Cells with remarks

| Campaign | Sheet | Row | Column | Mark | Why |
| --- | --- | --- | --- | --- | --- |
| scratch | bandwidth | 1.b | Max Write | INVALID | WHY |
| NFS | bandwidth | 1.b | Max Write | projected | Projected from S.w (1, 2, 4 nodes) to system B, 8 nodes: \
8.00 GB/s \
(95 % interval 7.00 GB/s to 9.00 GB/s), extrapolation factor 2.00. |

## Campaigns and evidence

| Fact | scratch | NFS |
| --- | --- | --- |
| Folder | [runs/scratch](runs/scratch/report.html) | [runs/NFS](runs/NFS/report.html) |
| Plan | acme | acme |
| Title | Acme | Acme |
| Source | contract 4711 | contract 4711 |
| Values of the plan | The campaign used the scale \"small\". | As written. |
| Result | RESULT | RESULT |
| Started | 2026-11-24 10:15:00 UTC | 2026-11-24 10:15:00 UTC |
| Verified | yes | yes |
| Evidence | INTACT | INTACT |
| Evidence hash | ab12 | ab12 |
| Program | assay 1 | assay 1 |
";

#[test]
fn markdown_has_the_sheet_the_marked_cells_and_the_evidence_of_each_campaign() {
    let campaigns = tiers();
    let text = report::answers_markdown(&answers(&campaigns, None, "Made now"));
    let masks = [
        ("WHY", report::sentences::explained(&reason!(NoValues))),
        ("INTACT", report::sentences::explained(&reason!(EvidenceIntact))),
        ("RESULT", report::sentences::overall(Outcome::NotRun, false, false).to_string()),
    ];
    let wanted = masks.iter().fold(MARKDOWN.to_owned(), |text, (mask, words)| text.replace(mask, words));
    assert_eq!(text, wanted);
}

#[test]
fn each_csv_line_has_its_mark_in_the_cell_and_leads_back_to_jobs_and_evidence() {
    let campaigns = tiers();
    let text = answers_csv(&answers(&campaigns, Some("bandwidth"), "Made now"), &campaigns);
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines[0].starts_with("Campaign,Load,Nodes,Max Write (MB/s),Values,Test,Folder,Jobs,"), "{text}");
    assert!(lines[1].starts_with(
        "scratch,1.a,8,2512.35 (reduced),repetition 2 of 3 (maximum: Max Write),W,runs/scratch,"
    ));
    assert!(lines[2].starts_with("scratch,1.b,,INVALID,") && lines[2].contains("Max Write: "));
    assert!(lines[4].contains(",8000 (projected),projection,") && lines[4].contains("extrapolation factor"));
    let ends = |line: &&str| line.ends_with(",ab12,assay 1,Made now") && line.contains(",jobs/0001-W-r1,");
    assert!(lines[1..].iter().all(ends), "{text}");
}

#[test]
fn no_value_of_a_campaign_whose_evidence_is_not_intact_is_in_a_sheet() {
    let [mut scratch, _] = tiers();
    scratch.facts.is_usable = false;
    scratch.facts.evidence = reason!(EvidenceRejected { fault: "records.jsonl was changed", faults: 1 });
    let campaigns = [scratch];
    let document = answers(&campaigns, None, "Made now");
    let (markdown, csv) = (report::answers_markdown(&document), answers_csv(&document, &campaigns));
    for text in [&markdown, &csv, &report::answers_html(&document).unwrap()] {
        assert!(text.contains("INVALID") && !text.contains("2512"), "{text}");
        assert!(text.contains("records.jsonl was changed"), "{text}");
    }
    assert!(csv.contains(",no,"), "it is not verified: {csv}");
}

#[test]
fn hostile_names_stay_text_in_every_format() {
    let hostile = "=cmd|' /C'!A0 <script>alert(1)</script> | [x](http://evil) `\u{202e}\n# h";
    let mut one = campaign("x", vec![line(hostile, hostile, rate("W", Some(1e6)))]);
    one.name = hostile.into();
    one.folder = hostile.into();
    one.report = Some(format!("{hostile}/report.html"));
    one.facts.title = hostile.into();
    one.sheets[0].title = hostile.into();
    one.sheets[0].labels[0] = hostile.into();
    one.sheets[0].columns[1].0 = hostile.into();
    let campaigns = [one];
    let document = answers(&campaigns, None, "Made now");
    let html = report::answers_html(&document).unwrap();
    assert!(!html.contains("<script") && !html.contains("href=\"http") && !html.contains('\u{202e}'));
    assert!(html.contains("&lt;script&gt;"));
    let markdown = report::answers_markdown(&document);
    assert!(
        !markdown.contains('\u{202e}')
            && !markdown.replace("\\]", "").contains("](http")
            && !markdown.contains("\n# h")
    );
    let is_escaped = |(at, _): (usize, &str)| markdown[..at].ends_with('\\');
    assert!(markdown.match_indices('<').all(is_escaped) && markdown.match_indices('`').all(is_escaped));
    let rows = markdown.lines().filter(|line| line.starts_with('|'));
    let pipes = |line: &str| line.matches('|').count() - line.matches("\\|").count();
    assert!(rows.map(pipes).all(|pipes| matches!(pipes, 3 | 7)), "no name adds a column: {markdown}");
    let csv = answers_csv(&document, &campaigns);
    assert_eq!(csv.matches("\r\n").count(), 2, "{csv}");
    assert!(!csv.contains("\"=cmd") && csv.contains("'=cmd"), "no cell is a formula: {csv}");
}
