//! The rules of a criterion: the test yields its metric, and its value has the metric's dimension.

use command::WorkloadName;
use results::record::{CaseOutcome, Counts, METRICS, MetricKind, MetricRow, is_part};
use toml::Spanned;
use units::Dimension;

use super::clause::CriterionClause;
use super::defaults::{Defaults, ParseResult, among};
use super::{Comparison, Criterion, CriterionTerms, Decide, Goal, Plan, Stat, Test, wire};
use crate::language::rejections::Rejection;
use crate::line::Line;

/// The most looks that a plan may have.
const LOOKS_MAX: u64 = 20;

/// The test or group that a criterion belongs to.
pub(super) struct CriterionHolder<'a> {
    pub(super) id: &'a str,
    /// Its key `clause`.
    pub(super) clause: Option<&'a Spanned<String>>,
    /// The test, or the first part of a group that has the metric.
    pub(super) test: &'a Test,
    pub(super) is_group: bool,
}

impl Defaults<'_> {
    pub(super) fn criterion(
        &self,
        who: &str,
        wire: &wire::CriterionKeys,
        holder: &CriterionHolder<'_>,
        plan: &Plan,
    ) -> ParseResult<Option<Criterion>> {
        let test = holder.test;
        let dimension_of = if holder.is_group { Self::dimension_in_group } else { Self::dimension_of };
        let dimension = dimension_of(self, wire.metric.get_ref(), test)
            .map_err(|why| self.place.error(&wire.metric, format!("{who}: {why}")))?;
        let clause = wire.clause.as_ref().or(holder.clause);
        let clause = self.criterion_clause(who, clause, holder.id, wire.metric.span())?;
        let terms = self.terms(who, &wire.label, wire.rule, &wire.cov_max, clause, test)?;
        if let Some(within) = &wire.linear_within {
            return self.linear(who, wire, within, test, plan, terms);
        }
        let (Some(wire_op), Some(wire_value)) = (&wire.op, &wire.value) else {
            let what = "a criterion needs `op` and `value`, or in a series `linear_within`";
            return Err(self.place.error(&wire.metric, format!("{who}: {what}")));
        };
        let written = &wire_value.get_ref().0;
        if written.split_once(" of ").is_some_and(|(_, of)| self.errors.is_spoiled(of.trim())) {
            return Err(Rejection::Follows);
        }
        let op = Comparison::ALL.into_iter().find(|op| op.to_string() == *wire_op.get_ref());
        let Some(op) = op else {
            let what = format!("{who}: `{}` is not a comparison. Known: >= <= > < ==.", wire_op.get_ref());
            return Err(self.place.error(wire_op, what));
        };
        let metric = wire.metric.get_ref().clone();
        let rejected = |what: String| self.place.error(wire_value, format!("{who}: {metric}: {what}"));
        let is_variability = wire.stat.is_some_and(|stat| stat.row().is_variability);
        if is_variability {
            why_not_variability(op, dimension).map_or(Ok(()), |why| Err(rejected(why.to_owned())))?;
        }
        let of_goal = if is_variability { Dimension::Fraction } else { dimension };
        let (goal, written) = self.goal(written, of_goal, Some(test), plan).map_err(rejected)?;
        if is_variability && matches!(goal, Goal::Share { .. }) {
            return Err(rejected("a variability is compared with a share, such as `5 %`".to_owned()));
        }
        let stat = stat(wire.stat, (&metric, op, dimension), &goal, test).map_err(rejected)?;
        let stat_named = wire.stat.is_some() || test.best_of.is_some() || test.decide.chosen;
        Ok(Some(Criterion { metric, stat, stat_named, op, goal, written, dimension, terms }))
    }

    /// What a criterion of `test` has beside its threshold.
    pub(super) fn terms(
        &self,
        who: &str,
        label: &str,
        rule: Option<wire::CriterionRule>,
        cov_max: &Option<Spanned<String>>,
        (clause, requirement): CriterionClause,
        test: &Test,
    ) -> ParseResult<CriterionTerms> {
        let as_written = rule.is_some() || test.decide.as_written || test.best_of.is_some();
        let cov_max = match cov_max {
            None if as_written => None,
            None => test.cov_max,
            own => self.asked(who, "cov_max", own, &None, Dimension::Fraction)?,
        };
        let label = label.to_owned();
        Ok(CriterionTerms { clause, requirement, label, as_written, cov_max, further_looks: 0 })
    }

    /// A criterion on linearity. The first step has none, because the others are compared with it.
    fn linear(
        &self,
        who: &str,
        wire: &wire::CriterionKeys,
        within: &Spanned<String>,
        test: &Test,
        plan: &Plan,
        terms: CriterionTerms,
    ) -> ParseResult<Option<Criterion>> {
        let rejected = |why: &str| Err(self.place.error(within, format!("{who}: linear_within: {why}")));
        let below = self.place.quantity(who, "linear_within", within, Dimension::Fraction)?;
        let Some(step) = &test.step else { return rejected("it is only for the steps of a [[series]]") };
        if test.best_of.is_some() {
            return rejected("the means of steps are compared, so its test has no `best_of`");
        }
        if wire.op.is_some() || wire.value.is_some() || wire.stat.is_some() {
            return rejected(
                "give it alone with `metric`. Each step is compared with the first, mean with mean.",
            );
        }
        if below >= 1.0 {
            return rejected("it is a share below 100 %, such as `10%`");
        }
        let series = &plan.series[step.series];
        let first = &series.steps[0];
        if first.label == step.label {
            return Ok(None);
        }
        let base = |other: &Test| {
            let at = other.step.as_ref();
            other.name == test.name
                && at.is_some_and(|at| (at.series, &at.label) == (step.series, &first.label))
        };
        let Some(base) = plan.tests.iter().position(base) else {
            let first = format!("{}.{}.{}", series.id, first.label, test.name);
            if self.errors.is_spoiled(&first) {
                return Err(Rejection::Follows);
            }
            return rejected("the first step is missing");
        };
        let metric = wire.metric.get_ref().clone();
        let factor = step.value / first.value;
        let (percent, base_id) = ((1.0 - below) * 100.0, &plan.tests[base].id);
        let (from, to, over) = (first.value, step.value, &series.over);
        let written = format!("{percent} % of linear from {base_id} ({from} to {to} {over})");
        let dimension =
            self.dimension_of(&metric, test).map_err(|why| self.place.error(&wire.metric, why))?;
        let goal =
            Goal::Share { share: factor * (1.0 - below), test: base, metric: metric.clone(), dimension };
        let stat_named = test.decide.chosen;
        Ok(Some(Criterion {
            metric,
            stat: Stat::Mean,
            stat_named,
            op: Comparison::AtLeast,
            goal,
            written,
            dimension,
            terms,
        }))
    }

    /// The same for a part of a group, whose criteria may also compare the rates of parts.
    pub(super) fn dimension_in_group(&self, word: &str, part: &Test) -> Result<Dimension, String> {
        let Some(row) = MetricRow::in_phase(word).filter(|row| row.of_group().is_some()) else {
            return self.dimension_of(word, part);
        };
        if part.line.as_app().is_some() {
            return Err(format!("`{word}`: an external program has no phases to compare"));
        }
        let counts = part.line.counts().unwrap_or_default();
        let phase = word.split_once('.').map_or(word, |(phase, _)| phase);
        self.dimension_of(&format!("{phase}.{}", MetricRow::rate_of(counts).name), part)?;
        Ok(row.dimension(counts))
    }

    /// The metric's dimension, if the test's command line yields the metric.
    pub(super) fn dimension_of(&self, word: &str, test: &Test) -> Result<Dimension, String> {
        if let Line::App(app) = &test.line {
            return app
                .dimension(word)
                .map_err(|known| format!("the program has no metric `{word}`{}", among(word, &known)));
        }
        let phases = test.line.phases();
        let Some((phase, kind)) = word.split_once('.') else {
            return Err(format!("metric `{word}` has no phase. Write for example `{}.{word}`.", phases[0]));
        };
        if let Some(found) = super::steady::dimension(phase, kind, test) {
            return found;
        }
        let (row, outcome) = (MetricRow::named(kind), CaseOutcome::named(kind));
        if row.is_none() && outcome.is_none() {
            return Err(format!("unknown metric `{kind}`{}", among(kind, &known_metrics(test))));
        }
        if !phases.iter().any(|known| known == phase) {
            return Err(format!(
                "the command line does not yield `{word}`. Its phases are {}.",
                phases.join(", ")
            ));
        }
        if !test.line.yields(kind) {
            let workload = test.line.workload();
            let why = match (test.line.counts(), outcome) {
                (None, _) => {
                    "counts cases by outcome. Write `fail`, `pass`, `unsupported`, `skipped`, `library` or \
                     `undecided`."
                }
                (_, Some(_)) => "has no cases. Only mpi_io counts cases by outcome.",
                _ => &format!("does not measure this for a phase. {}", instead(kind)),
            };
            return Err(format!("`{word}`: {workload} {why}"));
        }
        if kind == "failures" && !test.line.knows_failures(phase) {
            return Err(format!(
                "`{word}`: it is unknown which objects exist at the end. Add -W to -w, and leave out \
                 --start-item."
            ));
        }
        if row.is_some_and(|row| row.of_group().is_some()) {
            return Err(format!("`{word}` compares the parts of a [[group]]. Put it into its `criterion`."));
        }
        if row.is_some_and(|row| row.kind == MetricKind::Share) && !phase.starts_with("read") {
            return Err(format!("`{word}`: only a read has this"));
        }
        if row.is_some_and(|row| row.kind == MetricKind::Matches) && phase != "find" {
            return Err(format!("`{word}`: only `find` has this"));
        }
        if let Some(phases) = row.and_then(MetricRow::of_quota)
            && !(tests_quota(test) && phases.contains(&phase))
        {
            return Err(format!("`{word}`: `quota` has this for {}", phases.join(", ")));
        }
        let has_ranks = !is_part(phase) && test.line.name().is_some_and(WorkloadName::records_ranks);
        if row.is_some_and(|row| row.part().is_some()) && !has_ranks {
            return Err(format!("`{word}`: the work of single ranks is not recorded for this phase"));
        }
        let counts = test.line.counts().unwrap_or(Counts::Operations);
        Ok(row.map_or(Dimension::Count, |row| row.dimension(counts)))
    }

    pub(super) fn decide(&self, wire: Option<&wire::DecideKeys>) -> ParseResult<Decide> {
        let Some(wire) = wire else {
            let asked = self.confidence(None)?;
            return Ok(Decide {
                chosen: false,
                stat: Stat::Mean,
                by_bound: false,
                as_written: false,
                asked,
                looks: 1,
            });
        };
        let asked = self.confidence(wire.confidence.as_ref())?;
        let looks = match &wire.looks {
            None => 1,
            Some(looks) if (1..=LOOKS_MAX).contains(&looks.get_ref().0) => looks.get_ref().0 as u32,
            Some(looks) => {
                return Err(self.place.error(looks, format!("looks must be 1 to {LOOKS_MAX}, such as 3")));
            }
        };
        let as_written = matches!(wire.rule, wire::RuleWord::AsWritten);
        if let Some(at) = wire.looks.as_ref().filter(|_| as_written && looks > 1) {
            let what =
                format!("as-written: there is no confidence that {looks} looks could share. Remove `looks`.");
            return Err(self.place.error(at, what));
        }
        let stat = match wire.rule {
            wire::RuleWord::Mean | wire::RuleWord::LowerBound | wire::RuleWord::AsWritten => Stat::Mean,
            wire::RuleWord::Median => Stat::Median,
            wire::RuleWord::Min => Stat::Min,
        };
        let by_bound = matches!(wire.rule, wire::RuleWord::LowerBound);
        Ok(Decide { chosen: true, stat, by_bound, as_written, asked, looks })
    }
}

fn tests_quota(test: &Test) -> bool {
    test.line.name() == Some(WorkloadName::Quota)
}

/// The metrics that a phase of the test can have without a rule of the plan.
fn known_metrics(test: &Test) -> Vec<&'static str> {
    let of_test = |row: &&MetricRow| {
        !row.needs_rule() && row.of_group().is_none() && (tests_quota(test) || row.of_quota().is_none())
    };
    let metrics = METRICS.iter().filter(of_test).map(|row| row.name);
    let all = metrics.chain(CaseOutcome::WORDS.iter().copied());
    all.filter(|name| test.line.yields(name)).collect()
}

/// The statistic that is compared: the one that the criterion names, that of `best_of`, or that of `decide`.
pub(super) fn stat(
    named: Option<Stat>,
    (metric, op, dimension): (&str, Comparison, Dimension),
    goal: &Goal,
    test: &Test,
) -> Result<Stat, String> {
    if dimension == Dimension::Count && named.is_none() {
        // Counts are not averaged: the worst repetition decides.
        let is_passed = metric.rsplit('.').next() == Some("pass");
        return Ok(if is_passed { Stat::Min } else { Stat::Max });
    }
    let rejected = |what: &str| Err(what.to_owned());
    match (&test.best_of, named) {
        (Some(_), Some(_)) => {
            rejected("`best_of` of the test chooses one repetition. Remove `stat`, or `best_of`.")
        }
        (Some(_), None) if !matches!(goal, Goal::Value(_)) => {
            rejected("its test has `best_of`. Compare it with a value, or a share of known.NAME.")
        }
        // The rate that chooses is the highest of all.
        (Some(best), None) if best.metric == metric => Ok(Stat::Max),
        (Some(_), None) => Ok(Stat::Best),
        (None, Some(Stat::Best)) => {
            rejected("`best` needs a test with `best_of`, which chooses the repetition")
        }
        (None, Some(stat)) => Ok(stat),
        // `min` means the worst, which is the largest value where less is better.
        (None, None)
            if test.decide.stat == Stat::Min && matches!(op, Comparison::AtMost | Comparison::Below) =>
        {
            Ok(Stat::Max)
        }
        (None, None) => Ok(test.decide.stat),
    }
}

/// The reason why the variability of a metric cannot be compared like this, if there is one.
fn why_not_variability(op: Comparison, dimension: Dimension) -> Option<&'static str> {
    match (op, dimension) {
        (_, Dimension::Count) => Some("counts have no variability. Compare the count itself."),
        (Comparison::AtMost | Comparison::Below, _) => None,
        _ => Some("less variability is better. Compare it with `<=` or `<`."),
    }
}

/// The advice for a metric that a workload does not have.
fn instead(kind: &str) -> &'static str {
    match kind {
        "rate" => "Write `iops`, operations over the transfer time, or `bw`.",
        "failures" => {
            "A failed transfer ends the job. Write `errors`, which counts failed calls and wrong data."
        }
        _ => "Write `rate`, operations from the common start to the common end, or `latency.p99`.",
    }
}
