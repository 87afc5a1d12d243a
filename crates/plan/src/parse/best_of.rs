//! The rules of `best_of`, the rate that chooses the repetition that all criteria of a test are about.
//!
//! Never here: which repetition that is.

use results::record::{MetricKind, MetricRow};
use toml::Spanned;

use super::defaults::Defaults;
use super::{BestOf, Plan, Uses};

/// The choice as the plan writes it, of the test that is added next.
pub(super) fn written(key: Option<&Spanned<String>>, plan: &Plan) -> Option<BestOf> {
    let metric = key?;
    Some(BestOf { test: plan.tests.len(), metric: metric.get_ref().clone(), span: metric.span() })
}

impl Defaults<'_> {
    /// Completes `best_of` of all tests, of which one may name a later one. Errors are added.
    pub(super) fn best_repetitions(&self, plan: &mut Plan) {
        for at in 0..plan.tests.len() {
            let Some(best) = plan.tests[at].best_of.clone() else { continue };
            match self.chooser(at, &best, plan) {
                Ok((test, metric)) => plan.tests[at].best_of = Some(BestOf { test, metric, ..best }),
                Err(why) => {
                    let what = format!("test {}: best_of: {why}", plan.tests[at].id);
                    self.errors.add(self.place.at(best.span, &what));
                }
            }
        }
    }

    /// The test whose rate chooses, and the metric.
    fn chooser(&self, at: usize, best: &BestOf, plan: &Plan) -> Result<(usize, String), String> {
        let test = &plan.tests[at];
        if test.part.is_some() {
            return Err("the repetitions of a part belong to those of its group".to_owned());
        }
        if test.decide.looks > 1 {
            return Err(
                "one repetition has no confidence that `looks` could share. Remove `looks`.".to_owned()
            );
        }
        let (other, metric) = match self.dimension_of(&best.metric, test) {
            Ok(_) => (at, best.metric.clone()),
            Err(why) => self.measured(&best.metric, None, plan).map_err(|_| why)?,
        };
        self.dimension_of(&metric, &plan.tests[other])?;
        let is_rate = MetricRow::in_phase(&metric).is_some_and(|row| row.kind == MetricKind::Rate);
        if !is_rate || test.line.as_app().is_some() {
            return Err(format!("`{metric}` is not a rate of all ranks, such as `write.bw`"));
        }
        let uses = |user: usize, maker: usize| plan.tests[user].uses == Some(Uses::Test(maker));
        if other != at && !uses(at, other) && !uses(other, at) {
            let other = &plan.tests[other].id;
            return Err(format!("neither of {} and {other} `uses` the files of the other", test.id));
        }
        let repetitions = plan.tests[other].repetitions;
        if repetitions != test.repetitions {
            let other = &plan.tests[other].id;
            return Err(format!("{other} has {repetitions} repetitions, and it has {}", test.repetitions));
        }
        Ok((other, metric))
    }
}
