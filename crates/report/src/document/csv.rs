//! Results and verdicts of a campaign, and comparisons, as comma-separated values.
//!
//! Never here: numbers that summary, verdicts and comparison do not have.

use results::Verdict;
use results::comparison::{CampaignComparison, ComparedRow, MetricDirection, letter};
use results::folder::Campaign;
use results::summary::{Rate, SystemProjection};

use super::build::shown_verdicts;
use super::summary::model;
use super::{clauses, margin};
use crate::sentences::{datum, sentence};

/// The columns, in their order. A field that does not apply to a line is empty.
const COLUMNS: &str = "benchmark,purpose,role,metric,system,kind,stat,value,unit,cov,runs,low,high,factor,\
    model,criterion,threshold,outcome,remark,jobs,margin,target,confidence";

/// The further columns of a plan with the clauses of a contract.
const CLAUSE_COLUMNS: &str = ",clause,clause_outcome,label";

/// The measured rates (`benchmarked`, means), the evaluated criteria with the sums of groups (`judged`), and
/// the projected rates (`projected`). Values are in base units. If evidence files are not intact, each line
/// states it, and each evaluated criterion is INVALID. With clauses of a contract, each criterion also has
/// the id and the outcome of its clause, and its label.
pub fn csv(campaign: &Campaign) -> String {
    let summary = &campaign.summary;
    let rates = summary.rates.iter().map(|rate| (&summary.measured_on, benchmarked(rate)));
    let verdicts = shown_verdicts(campaign);
    let has_clauses = verdicts.iter().any(|verdict| verdict.contract_clause.is_some());
    let columns = format!("{COLUMNS}{}", if has_clauses { CLAUSE_COLUMNS } else { "" });
    let verdicts = verdicts.iter().map(|verdict| (&summary.measured_on, judged(verdict)));
    let projections = summary.projections.iter().map(|one| (&one.system, projected(one)));
    let mut text = format!("{columns}\n");
    for (system, mut fields) in rates.chain(verdicts).chain(projections) {
        let remark = fields.iter_mut().find(|(column, _)| *column == "remark");
        if let (Some(fault), Some((_, remark))) = (campaign.faults.first(), remark) {
            *remark = format!("Files of the campaign are not intact: {fault}");
        }
        fields.push(("system", system.clone()));
        line(&mut text, &columns, &fields);
    }
    text
}

type Fields = Vec<(&'static str, String)>;

fn benchmarked(rate: &Rate) -> Fields {
    vec![
        ("benchmark", rate.test.clone()),
        ("purpose", rate.purpose.clone()),
        ("role", rate.role.clone()),
        ("metric", rate.metric.clone()),
        ("kind", "benchmarked".into()),
        ("stat", "mean".into()),
        ("value", number(rate.mean)),
        ("unit", rate.unit.clone()),
        ("cov", number(rate.cov)),
        ("runs", rate.values.len().to_string()),
        ("remark", rate.why.as_ref().map(sentence).unwrap_or_default()),
        ("jobs", rate.jobs.join(" ")),
    ]
}

fn judged(verdict: &Verdict) -> Fields {
    let statistics = verdict.statistics.as_ref();
    let clause = verdict.contract_clause.as_ref();
    vec![
        ("clause", clause.map(|clause| clause.id.clone()).unwrap_or_default()),
        ("clause_outcome", clause.map(|clause| clause.outcome.to_string()).unwrap_or_default()),
        ("label", verdict.label.clone()),
        ("benchmark", verdict.test.clone()),
        ("purpose", verdict.clause.clone()),
        ("role", "contract".into()),
        ("metric", verdict.metric.clone()),
        ("kind", "judged".into()),
        ("stat", verdict.statistic.clone()),
        ("value", number(verdict.value)),
        ("unit", verdict.unit.clone()),
        ("cov", number(statistics.and_then(|statistics| statistics.cov))),
        ("runs", statistics.map_or(0, |statistics| statistics.values.len()).to_string()),
        ("criterion", clauses::criterion(verdict)),
        ("threshold", number(verdict.threshold)),
        ("outcome", verdict.outcome.to_string()),
        ("remark", sentence(&verdict.reason)),
        ("jobs", verdict.jobs.join(" ")),
        ("margin", number(margin::margin(verdict))),
    ]
}

fn projected(one: &SystemProjection) -> Fields {
    vec![
        ("benchmark", one.test.clone()),
        ("metric", one.metric.clone()),
        ("kind", "projected".into()),
        ("value", number(one.rate)),
        ("unit", one.unit.clone()),
        ("low", number(one.low)),
        ("high", number(one.high)),
        ("factor", one.factor.to_string()),
        ("model", model(one)),
        ("remark", one.rejection.as_ref().map(sentence).unwrap_or_default()),
        ("target", format!("{} {}", one.to, one.over)),
        ("confidence", one.confidence.to_string()),
    ]
}

/// A number; an infinite limit is `inf`.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The columns of a comparison, in their order.
const COMPARISON_COLUMNS: &str = "\
    kind,campaign,test,metric,unit,direction,baseline_mean,baseline_n,mean,n,ratio,\
    low,high,alone_low,alone_high,confidence,ratios,conclusion,code,baseline_outcome,\
    outcome,baseline_criterion,criterion,fact,about,baseline_value,value,remark";

/// All lines. `campaign` lines have the evidence of each campaign, `ratio` lines the conclusions, `verdict`
/// lines the outcomes, and `difference` lines the facts that differ. Values are in base units.
pub fn comparison_csv(comparison: &CampaignComparison) -> String {
    let mut text = format!("{COMPARISON_COLUMNS}\n");
    for (at, one) in comparison.campaigns.iter().enumerate() {
        line(
            &mut text,
            COMPARISON_COLUMNS,
            &[
                ("kind", "campaign".into()),
                ("campaign", letter(at)),
                ("about", one.name.clone()),
                ("value", one.head.as_ref().map(|head| head.hash.clone()).unwrap_or_default()),
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
                COMPARISON_COLUMNS,
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
            COMPARISON_COLUMNS,
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
            let verdict = |at: usize| clause.verdicts[at].as_ref();
            let outcome = |at: usize| verdict(at).map(|one| one.outcome.to_string()).unwrap_or_default();
            let criterion = |at: usize| verdict(at).map(|one| one.criterion.clone()).unwrap_or_default();
            let value = |at: usize| number(verdict(at).and_then(|one| one.value));
            line(
                text,
                COMPARISON_COLUMNS,
                &[
                    ("kind", "verdict".into()),
                    ("campaign", letter(other)),
                    ("test", clause.test.clone()),
                    ("metric", clause.metric.clone()),
                    ("unit", verdict(other).or(verdict(0)).map(|one| one.unit.clone()).unwrap_or_default()),
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

/// One line. A column without a field is empty.
fn line(text: &mut String, columns: &str, fields: &[(&str, String)]) {
    let is_column = |name: &str| columns.split(',').any(|column| column == name);
    debug_assert!(fields.iter().all(|(name, _)| is_column(name) || CLAUSE_COLUMNS.contains(name)));
    let fields = columns
        .split(',')
        .map(|column| quoted(fields.iter().find(|(name, _)| *name == column).map_or("", |(_, field)| field)));
    text.push_str(&fields.collect::<Vec<_>>().join(","));
    text.push('\n');
}

/// A field, with quotes as RFC 4180 requires.
pub(super) fn quoted(field: &str) -> String {
    let field = cell(field);
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

/// The text of a field. A text that a spreadsheet would take for a formula begins with an apostrophe.
fn cell(field: &str) -> String {
    let is_number = field.parse::<f64>().is_ok_and(f64::is_finite);
    let formula = !is_number && field.trim_start().starts_with(['=', '+', '-', '@', '|', '%']);
    format!("{}{}", if formula { "'" } else { "" }, units::visible(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_begins_a_formula_and_numbers_stay_numbers() {
        for (field, wanted) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
            (" @SUM(1)", "' @SUM(1)"),
            ("-inf", "'-inf"),
            ("\t=1", "'\\t=1"),
            ("\n=1", "'\\n=1"),
            ("a=1", "a=1"),
            ("-1.5", "-1.5"),
            ("", ""),
        ] {
            assert_eq!(cell(field), wanted);
        }
    }
}
