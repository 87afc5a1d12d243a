//! Results and verdicts as comma-separated values, one line each.
//!
//! Never here: numbers that summary and verdicts do not have.

use results::Verdict;
use results::folder::Campaign;
use results::summary::{Rate, SystemProjection};

use super::build::shown_verdicts;
use super::summary::model;
use super::{clauses, margin};
use crate::sentences::sentence;

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
        line(&mut text, &columns, system, &fields);
    }
    text
}

/// Columns with their fields.
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

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// One line.
fn line(text: &mut String, columns: &str, system: &str, fields: &Fields) {
    let quoted = columns.split(',').map(|column| {
        let own = fields.iter().find(|(name, _)| *name == column).map_or("", |(_, field)| field);
        quoted(if column == "system" { system } else { own })
    });
    text.push_str(&quoted.collect::<Vec<_>>().join(","));
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
    use results::reason;

    use results::{Outcome, Statistics};

    use super::*;

    #[test]
    fn every_criterion_and_every_sum_has_a_line_with_its_value_and_outcome() {
        let verdict = |test: &str, statistic: &str, criterion: &str| Verdict {
            test: test.into(),
            clause: "at least, and \"more\"".into(),
            metric: "write.bw".into(),
            criterion: criterion.into(),
            outcome: Outcome::Fail,
            reason: reason!(NoValues),
            statistic: statistic.into(),
            value: Some(2e9),
            threshold: Some(3e9),
            unit: "B/s".into(),
            statistics: Some(Statistics { values: vec![2e9, 4e9], cov: Some(0.5), ..Statistics::default() }),
            jobs: vec!["jobs/1".into(), "jobs/2".into()],
            ..Verdict::default()
        };
        let verdicts =
            vec![verdict("A", "min", "min >= 3 GB/s"), verdict("G", "mean", "sum of 2: mean >= 3 GB/s")];
        let rate = Rate { test: "A".into(), mean: Some(3e9), values: vec![2e9, 4e9], ..Rate::default() };
        let mut campaign = Campaign { verdicts, ..Campaign::default() };
        campaign.summary.rates.push(rate);
        campaign.summary.measured_on = "B".into();
        let text = csv(&campaign);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!(lines[1], "A,,,,B,benchmarked,mean,3000000000,,,2,,,,,,,,,,,,");
        let judged = |test: &str, stat: &str, criterion: &str| {
            format!(
                "{test},\"at least, and \
                 \"\"more\"\"\",contract,write.bw,B,judged,{stat},2000000000,B/s,0.5,2,,,,,\
                 {criterion},3000000000,FAIL,No repetition has a value.,jobs/1 jobs/2,-0.3333333333333333,,"
            )
        };
        assert_eq!(lines[2], judged("A", "min", "min >= 3 GB/s"));
        assert_eq!(lines[3], judged("G", "mean", "sum of 2: mean >= 3 GB/s"));
    }

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

    #[test]
    fn if_files_are_not_intact_no_line_passes_and_each_line_states_it() {
        let verdict = Verdict { outcome: Outcome::Pass, ..Verdict::default() };
        let faults = vec!["a was changed".to_owned(), "b is missing".to_owned()];
        let mut campaign = Campaign { verdicts: vec![verdict], faults, ..Campaign::default() };
        campaign.summary.rates.push(Rate::default());
        campaign.summary.projections.push(SystemProjection::default());
        let text = csv(&campaign);
        let ends = text.lines().skip(1).map(|line| line.splitn(18, ',').last().unwrap_or_default());
        let remark = "Files of the campaign are not intact: a was changed";
        let wanted = [format!(",{remark},,,,"), format!("INVALID,{remark},,,,"), format!(",{remark},,,0 ,0")];
        assert_eq!(ends.collect::<Vec<_>>(), wanted);
    }
}
