//! The rules of a score: the geometric mean or the sum of what several tests measure.
//!
//! A part that is itself a score gives its own parts, so a score is one weighted mean or sum of metrics.
//!
//! Never here: its value.

use toml::Spanned;
use units::{Dimension, Quantity};

use super::defaults::{Defaults, ParseResult, holder, name};
use super::{
    Comparison, Criterion, CriterionTerms, Goal, Plan, Rejection, Score, ScoreFormula, ScorePart, Stat, Test,
    wire,
};

/// One entry of `of`.
struct ScoreFactor {
    dimension: Dimension,
    parts: Vec<ScorePart>,
}

impl Defaults<'_> {
    /// One score of the plan, all of whose tests and earlier scores are known.
    pub(super) fn score(&self, wire: &wire::ScoreKeys, plan: &Plan) -> ParseResult<Score> {
        let id = wire.id.get_ref();
        let who = format!("score {id}");
        name(&wire.id, "a score's id", self.place)?;
        if let Some(other) = holder(plan, id, None) {
            return Err(self
                .place
                .error(&wire.id, format!("{who}: {other} already has this id. Change one.")));
        }
        if wire.of.len() < 2 {
            let what = "it needs at least two parts, such as `of = [\"W.write.bw\", \"R.read.bw\"]`";
            return Err(self.place.error(&wire.id, format!("{who}: {what}")));
        }
        if wire.of.iter().any(|word| self.errors.is_spoiled(word.get_ref())) {
            return Err(Rejection::Follows);
        }
        let factors: Vec<ScoreFactor> = wire
            .of
            .iter()
            .map(|word| {
                let factor = self.score_factor(word.get_ref(), plan);
                factor.map_err(|why| self.place.error(word, format!("{who}: {why}")))
            })
            .collect::<ParseResult<_>>()?;
        let dimension = self.score_dimension(&who, wire, &factors)?;
        let units = self.score_units(&who, wire, &factors)?;
        let formula = self.formula(&who, wire, plan)?;
        let weights = self.weights(&who, wire, formula)?;
        let of_factor = |((factor, unit), weight): ((ScoreFactor, f64), f64)| {
            // The unit of a score is the product of the units of its parts, each to its exponent.
            let scaled = move |part: ScorePart| ScorePart {
                unit: part.unit * unit,
                weight: part.weight * weight,
                ..part
            };
            factor.parts.into_iter().map(scaled)
        };
        let parts: Vec<ScorePart> = factors.into_iter().zip(units).zip(weights).flat_map(of_factor).collect();
        self.as_often(&who, wire, &parts, plan)?;
        let criterion = match &wire.criterion {
            Some(asked) => {
                let clause = self.criterion_clause(&who, wire.clause.as_ref(), id, wire.id.span())?;
                let test = &plan.tests[parts[0].test];
                let terms = self.terms(&who, &asked.label, asked.rule, &asked.cov_max, clause, test)?;
                Some(self.score_criterion(&who, asked, dimension, test, plan, terms)?)
            }
            None => None,
        };
        let at = self.place.line_column(&wire.id.span());
        let (_, clause) = self.clause(&who, wire.clause.as_ref(), "")?;
        Ok(Score { id: id.clone(), clause, parts, formula, dimension, criterion, at })
    }

    /// The formula, which is also that of the scores among its parts.
    fn formula(&self, who: &str, wire: &wire::ScoreKeys, plan: &Plan) -> ParseResult<ScoreFormula> {
        let formula = match wire.formula {
            wire::ScoreFormulaWord::GeometricMean => ScoreFormula::GeometricMean,
            wire::ScoreFormulaWord::Sum => ScoreFormula::Sum,
        };
        let score = |word: &&Spanned<String>| plan.scores.iter().find(|score| score.id == *word.get_ref());
        match wire.of.iter().find(|word| score(word).is_some_and(|score| score.formula != formula)) {
            None => Ok(formula),
            Some(other) => {
                let what = format!(
                    "{who}: {} has another formula, so both are no single mean or sum",
                    other.get_ref()
                );
                Err(self.place.error(other, what))
            }
        }
    }

    /// The weight of each part of `of`.
    fn weights(&self, who: &str, wire: &wire::ScoreKeys, formula: ScoreFormula) -> ParseResult<Vec<f64>> {
        let n = wire.of.len();
        let weights: Vec<f64> = wire.weights.iter().map(|weight| *weight.get_ref()).collect();
        if let Some(first) = wire.weights.first().filter(|_| weights.len() != n) {
            let what = format!(
                "{who}: weights has {} numbers for {n} parts. Write one for each part.",
                weights.len()
            );
            return Err(self.place.error(first, what));
        }
        let is_weight = |weight: f64| weight.is_finite() && weight > 0.0;
        if let Some(wrong) = wire.weights.iter().find(|weight| !is_weight(*weight.get_ref())) {
            return Err(self.place.error(wrong, format!("{who}: a weight is a number above 0, such as 2.0")));
        }
        let weights = if weights.is_empty() { vec![1.0; n] } else { weights };
        let sum: f64 = weights.iter().sum();
        if let Some(first) = wire.weights.first().filter(|_| !sum.is_finite()) {
            return Err(self.place.error(first, format!("{who}: the weights have no finite sum")));
        }
        Ok(match formula {
            ScoreFormula::GeometricMean => weights.into_iter().map(|weight| weight / sum).collect(),
            ScoreFormula::Sum => weights,
        })
    }

    /// A metric of a test, or an earlier score.
    fn score_factor(&self, word: &str, plan: &Plan) -> Result<ScoreFactor, String> {
        if let Some(score) = plan.scores.iter().find(|score| score.id == word) {
            return Ok(ScoreFactor { dimension: score.dimension, parts: score.parts.clone() });
        }
        let (test, metric) = self.measured(word, None, plan)?;
        let dimension = self.dimension_of(&metric, &plan.tests[test])?;
        if !matches!(dimension, Dimension::BytesPerSecond | Dimension::PerSecond) {
            return Err(format!(
                "`{word}` is not a rate. A score is made of rates, of which more is better."
            ));
        }
        let part = ScorePart { test, metric, dimension, unit: 1.0, weight: 1.0 };
        Ok(ScoreFactor { dimension, parts: vec![part] })
    }

    /// The dimension of the score.
    fn score_dimension(
        &self,
        who: &str,
        wire: &wire::ScoreKeys,
        factors: &[ScoreFactor],
    ) -> ParseResult<Dimension> {
        let first = factors[0].dimension;
        match factors.iter().position(|factor| factor.dimension != first) {
            _ if !wire.points.is_empty() => Ok(Dimension::Points),
            None => Ok(first),
            Some(other) => {
                let what = format!(
                    "{who}: `{}` and `{}` have different units. Write the unit of each part, such as \
                     `points = [\"GiB/s\", \"kIOPS\"]`.",
                    wire.of[0].get_ref(),
                    wire.of[other].get_ref()
                );
                Err(self.place.error(&wire.of[other], what))
            }
        }
    }

    /// The unit of each part, in base units.
    fn score_units(
        &self,
        who: &str,
        wire: &wire::ScoreKeys,
        factors: &[ScoreFactor],
    ) -> ParseResult<Vec<f64>> {
        let Some(first) = wire.points.first() else { return Ok(vec![1.0; factors.len()]) };
        if wire.points.len() != factors.len() {
            let (units, parts) = (wire.points.len(), factors.len());
            let what = format!("{who}: points has {units} units for {parts} parts. Write one for each part.");
            return Err(self.place.error(first, what));
        }
        let one = |(text, factor): (&Spanned<String>, &ScoreFactor)| {
            let unit: Result<Quantity, _> = format!("1 {}", text.get_ref().trim()).parse();
            match unit {
                Ok(unit) if unit.dimension == factor.dimension => Ok(unit.value),
                _ => {
                    let example = factor.dimension.example();
                    let what = format!(
                        "{who}: points: `{}` is not a unit of this part, with values such as `{example}`",
                        text.get_ref()
                    );
                    Err(self.place.error(text, what))
                }
            }
        };
        wire.points.iter().zip(factors).map(one).collect()
    }

    /// Whether all parts have as many repetitions, so that each repetition has a score.
    fn as_often(
        &self,
        who: &str,
        wire: &wire::ScoreKeys,
        parts: &[ScorePart],
        plan: &Plan,
    ) -> ParseResult<()> {
        let first = &plan.tests[parts[0].test];
        let other = parts.iter().map(|part| &plan.tests[part.test]);
        let alone = parts.iter().map(|part| &plan.tests[part.test]);
        let mut alone = alone.filter(|test| test.best_of.is_some() != first.best_of.is_some());
        if let Some(other) = alone.next() {
            let what = format!(
                "{who}: one of {} and {} has `best_of`. The parts are of one repetition each, or of all.",
                first.id, other.id
            );
            return Err(self.place.error(&wire.of[0], what));
        }
        match other.into_iter().find(|test| test.repetitions != first.repetitions) {
            None => Ok(()),
            Some(other) => {
                let what = format!(
                    "{who}: {} has {} repetitions and {} has {}. Give all parts as many.",
                    first.id, first.repetitions, other.id, other.repetitions
                );
                Err(self.place.error(&wire.of[0], what))
            }
        }
    }

    fn score_criterion(
        &self,
        who: &str,
        wire: &wire::ScoreCriterionKeys,
        dimension: Dimension,
        first: &Test,
        plan: &Plan,
        terms: CriterionTerms,
    ) -> ParseResult<Criterion> {
        let known = [Comparison::AtLeast, Comparison::Above];
        let Some(op) = known.into_iter().find(|op| op.to_string() == *wire.op.get_ref()) else {
            let what = format!("{who}: `{}` does not fit. More is better: write >= or >.", wire.op.get_ref());
            return Err(self.place.error(&wire.op, what));
        };
        let rejected = |what: String| self.place.error(&wire.value, format!("{who}: {what}"));
        let (goal, written) = self.goal(&wire.value.get_ref().0, dimension, None, plan).map_err(rejected)?;
        if let Goal::Share { .. } = goal {
            return Err(rejected("a score is compared with a number, or a share of known.NAME".to_owned()));
        }
        let decide = &first.decide;
        if first.best_of.is_some() && !matches!(goal, Goal::Value(_)) {
            return Err(rejected("its tests have `best_of`. Compare it with a value.".to_owned()));
        }
        if first.best_of.is_some() && wire.stat.is_some() {
            return Err(rejected(
                "its tests have `best_of`, so there is one score. Remove `stat`.".to_owned(),
            ));
        }
        if wire.stat == Some(Stat::Best) {
            return Err(rejected(
                "`best` needs tests with `best_of`, which choose the repetition".to_owned(),
            ));
        }
        let stat = if first.best_of.is_some() { Stat::Best } else { wire.stat.unwrap_or(decide.stat) };
        if stat.row().is_variability {
            return Err(rejected("a score has no criterion on its variability".to_owned()));
        }
        let stat_named = wire.stat.is_some() || first.best_of.is_some() || decide.chosen;
        let metric = "score".to_owned();
        Ok(Criterion { metric, stat, stat_named, op, goal, written, dimension, terms })
    }
}
