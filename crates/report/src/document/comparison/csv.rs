//! A comparison as comma-separated values: campaigns, ratios, verdicts and differences, one line each.

use results::comparison::{CampaignComparison, ComparedRow, MetricDirection, letter};

use crate::document::csv::quoted;
use crate::sentences::{datum, sentence};

/// The columns, in their order. A field that does not apply to a line is empty.
const COLUMNS: &str = "kind,campaign,test,metric,unit,direction,baseline_mean,baseline_n,mean,n,ratio,low,\
    high,alone_low,alone_high,confidence,ratios,conclusion,code,baseline_outcome,outcome,baseline_criterion,\
    criterion,fact,about,baseline_value,value,remark";

/// All lines. `campaign` lines have the evidence of each campaign, `ratio` lines the conclusions, `verdict`
/// lines the outcomes, and `difference` lines the facts that differ. Values are in base units.
pub fn comparison_csv(comparison: &CampaignComparison) -> String {
    let mut text = format!("{COLUMNS}\n");
    for (at, one) in comparison.campaigns.iter().enumerate() {
        let hash = one.head.as_ref().map(|head| head.hash.clone()).unwrap_or_default();
        line(
            &mut text,
            &[
                ("kind", "campaign".into()),
                ("campaign", letter(at)),
                ("about", one.name.clone()),
                ("value", hash),
                ("outcome", one.overall.to_string()),
                ("code", one.evidence.code.to_string()),
                ("remark", sentence(&one.evidence)),
            ],
        );
    }
    for row in &comparison.rows {
        ratio_lines(&mut text, comparison, row);
    }
    verdict_lines(&mut text, comparison);
    for one in &comparison.differences {
        for other in 1..one.values.len() {
            let value = |at: usize| one.values[at].as_ref().map(datum).unwrap_or_default();
            line(
                &mut text,
                &[
                    ("kind", "difference".into()),
                    ("campaign", letter(other)),
                    ("fact", one.fact.word().into()),
                    ("about", one.about.clone()),
                    ("baseline_value", value(0)),
                    ("value", value(other)),
                ],
            );
        }
    }
    text
}

fn ratio_lines(text: &mut String, comparison: &CampaignComparison, row: &ComparedRow) {
    for (at, one) in row.against.iter().enumerate() {
        let (baseline, other) = (&row.samples[0], &row.samples[at + 1]);
        let caution = one.caution.iter().map(sentence);
        let remark: Vec<String> = std::iter::once(sentence(&one.reason)).chain(caution).collect();
        let (alone, together) = (one.alone, one.together);
        line(
            text,
            &[
                ("kind", "ratio".into()),
                ("campaign", letter(at + 1)),
                ("test", row.test.clone()),
                ("metric", row.metric.clone()),
                ("unit", row.unit.clone()),
                ("direction", direction(row.direction).into()),
                ("baseline_mean", number(baseline.mean)),
                ("baseline_n", baseline.values.len().to_string()),
                ("mean", number(other.mean)),
                ("n", other.values.len().to_string()),
                ("ratio", number(one.ratio)),
                ("low", number(together.map(|interval| interval.low))),
                ("high", number(together.map(|interval| interval.high))),
                ("alone_low", number(alone.map(|interval| interval.low))),
                ("alone_high", number(alone.map(|interval| interval.high))),
                ("confidence", number(together.map(|_| comparison.confidence))),
                ("ratios", together.map(|_| comparison.ratios.to_string()).unwrap_or_default()),
                ("conclusion", one.conclusion.word().into()),
                ("code", one.reason.code.to_string()),
                ("remark", remark.join(" ")),
            ],
        );
    }
}

fn verdict_lines(text: &mut String, comparison: &CampaignComparison) {
    for clause in &comparison.clauses {
        for other in 1..clause.verdicts.len() {
            let of = |at: usize| clause.verdicts[at].as_ref();
            let outcome = |at: usize| of(at).map(|one| one.outcome.to_string()).unwrap_or_default();
            let criterion = |at: usize| of(at).map(|one| one.criterion.clone()).unwrap_or_default();
            let value = |at: usize| number(of(at).and_then(|one| one.value));
            line(
                text,
                &[
                    ("kind", "verdict".into()),
                    ("campaign", letter(other)),
                    ("test", clause.test.clone()),
                    ("metric", clause.metric.clone()),
                    ("unit", of(other).or(of(0)).map(|one| one.unit.clone()).unwrap_or_default()),
                    ("baseline_outcome", outcome(0)),
                    ("outcome", outcome(other)),
                    ("baseline_criterion", criterion(0)),
                    ("criterion", criterion(other)),
                    ("baseline_value", value(0)),
                    ("value", value(other)),
                ],
            );
        }
    }
}

fn direction(direction: MetricDirection) -> &'static str {
    match direction {
        MetricDirection::HigherIsFaster => "higher is faster",
        MetricDirection::LowerIsFaster => "lower is faster",
        MetricDirection::Neither => "neither",
        MetricDirection::Count => "count",
    }
}

/// A number; an infinite limit is `inf`.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn line(text: &mut String, fields: &[(&str, String)]) {
    debug_assert!(fields.iter().all(|(name, _)| COLUMNS.split(',').any(|column| column == *name)));
    let fields = COLUMNS.split(',').map(|column| {
        let own = fields.iter().find(|(name, _)| *name == column).map_or("", |(_, field)| field);
        quoted(own)
    });
    text.push_str(&fields.collect::<Vec<_>>().join(","));
    text.push('\n');
}
