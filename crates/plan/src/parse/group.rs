//! The rules of a group: tests that run at the same time.
//!
//! Each part is a test called `GROUP.PART`, with its own criteria. A criterion of the group is on the sum of
//! what its parts measure.

use results::record::{MetricKind, MetricRow};
use toml::Spanned;
use units::Dimension;

use super::criterion::CriterionHolder;
use super::defaults::{Defaults, ParseResult, Variant, name};
use super::{Group, Plan, Role, state, wire};
use crate::language::rejections::Rejection;
use crate::line::Line;

/// Default share of the shorter one of two parts that must run together.
const OVERLAP: f64 = 0.9;

impl Defaults<'_> {
    /// Adds all parts of a group.
    pub(super) fn group(&self, wire: &wire::GroupKeys, plan: &mut Plan) -> ParseResult<()> {
        let id = wire.id.get_ref();
        let who = format!("group {id}");
        name(&wire.id, "a group's id", self.place)?;
        let rejected = |what: String| Err(self.place.error(&wire.id, format!("{who}: {what}")));
        if wire.parts.len() < 2 {
            return rejected("it needs at least two parts, which run at the same time".into());
        }
        let overlap = self.overlap(&who, wire.overlap.as_ref())?;
        let (first, index) = (plan.tests.len(), plan.groups.len());
        let repetitions =
            self.count(&who, "repetitions", wire.repetitions.as_ref(), self.file.repetitions.as_ref(), 1)?;
        let before = self.errors.number();
        for part in &wire.parts {
            if let Some(own) = &part.repetitions {
                let what = format!("{who}: its parts run together. Set `repetitions` of the group.");
                return Err(self.place.error(own, what));
            }
            if matches!(
                part.nodes.as_ref().map(Spanned::get_ref),
                Some(wire::NodesValue::Steps(_) | wire::NodesValue::Search(..))
            ) {
                return rejected("its parts cannot have steps. Write a group for each step.".into());
            }
            let variant = Variant {
                before: format!("{id}."),
                family: Some(id.clone()),
                clause: wire.clause.clone(),
                repetitions: wire.repetitions.clone(),
                part: Some(index),
                floors: !wire.criterion.0.is_empty(),
                ..Variant::default()
            };
            let added = self.add(part, &variant, plan);
            self.errors.kept(added);
        }
        if self.errors.number() > before {
            return Err(Rejection::Follows);
        }
        let tests: Vec<usize> = (first..plan.tests.len()).collect();
        if let Some(made) = tests.iter().find(|test| {
            let used = plan.tests[**test].uses.as_ref();
            matches!(used, Some(super::Uses::Test(used)) if *used >= first)
        }) {
            return rejected(format!("{} uses a part that runs at the same time", plan.tests[*made].id));
        }
        if let Some(why) = state::at_once(&tests, plan) {
            return rejected(why);
        }
        let (_, clause) = self.clause(&who, wire.clause.as_ref(), "")?;
        plan.groups.push(Group { id: id.clone(), clause, overlap, repetitions, tests, criteria: Vec::new() });
        self.part_criteria(wire, first, plan);
        if self.errors.number() > before {
            return Err(Rejection::Follows);
        }
        let criteria = self.sums(&who, wire, plan, index)?;
        plan.groups[index].criteria = criteria;
        Ok(())
    }

    /// Adds the criteria of the parts, of which the first is the test `first`. Their errors are added.
    fn part_criteria(&self, wire: &wire::GroupKeys, first: usize, plan: &mut Plan) {
        for (at, part) in (first..).zip(&wire.parts) {
            let test = &plan.tests[at];
            if test.role == Role::Contract {
                let clause = part.clause.as_ref().or(wire.clause.as_ref());
                let criteria = self.criteria(&format!("test {}", test.id), part, clause, test, plan);
                plan.tests[at].criteria = criteria;
            }
        }
    }

    /// The share of the shorter one of any two parts that must run together.
    fn overlap(&self, who: &str, text: Option<&Spanned<String>>) -> ParseResult<f64> {
        let Some(text) = text else { return Ok(OVERLAP) };
        let share = self.place.quantity(who, "overlap", text, Dimension::Fraction)?;
        if share > 1.0 {
            let what = format!("{who}: overlap is a share of the shorter part, at most `100%`");
            return Err(self.place.error(text, what));
        }
        Ok(share)
    }

    /// The criteria on the parts that yield the metric: on their sum, or on how they compare.
    fn sums(
        &self,
        who: &str,
        wire: &wire::GroupKeys,
        plan: &Plan,
        index: usize,
    ) -> ParseResult<Vec<super::Criterion>> {
        let mut criteria = Vec::new();
        for criterion in &wire.criterion.0 {
            let word = criterion.metric.get_ref();
            let yields = |test: &&usize| self.dimension_in_group(word, &plan.tests[**test]).is_ok();
            let mut parts = plan.groups[index].tests.iter().filter(yields);
            let Some(first) = parts.next() else {
                let what = format!("{who}: no part yields `{word}`");
                return Err(self.place.error(&criterion.metric, what));
            };
            let compares = MetricRow::in_phase(word).is_some_and(|row| row.of_group().is_some());
            if compares && parts.next().is_none() {
                let what = format!("{who}: `{word}` compares parts, and only one has this phase");
                return Err(self.place.error(&criterion.metric, what));
            }
            if criterion.stat.is_none() && !compares && !is_summed(word, &plan.tests[*first].line) {
                let what = format!("{who}: `{word}` has no sum over parts. Put the criterion on the parts.");
                return Err(self.place.error(&criterion.metric, what));
            }
            let (id, test) = (&plan.groups[index].id, &plan.tests[*first]);
            let holder = CriterionHolder { id, clause: wire.clause.as_ref(), test, is_group: true };
            criteria.extend(self.criterion(who, criterion, &holder, plan)?);
        }
        Ok(criteria)
    }
}

/// Whether the values of parts have a sum. That of an external program needs a rate.
fn is_summed(metric: &str, line: &Line) -> bool {
    match line.as_app() {
        Some(app) => matches!(app.dimension(metric), Ok(Dimension::BytesPerSecond | Dimension::PerSecond)),
        None => MetricRow::in_phase(metric).is_some_and(|row| row.kind == MetricKind::Rate),
    }
}
