//! The rules of answer sheets: the tables of a document that results fill.
//!
//! Never here: the values.

use toml::Spanned;
use units::{Dimension, Quantity};

use super::criterion::stat;
use super::defaults::{Defaults, ParseResult, among, name};
use super::{
    Answer, AnswerCell, AnswerColumn, AnswerFact, AnswerRow, AnswerRuns, AnswerSource, AnswerValue,
    Comparison, Criterion, CriterionTerms, Goal, Plan, Rejection, Stat, Test, wire,
};

/// The metric of scores.
const SCORE: &str = "score";

/// A row while its cells are read.
struct RowReader<'a> {
    who: String,
    runs: AnswerRuns,
    row: &'a wire::AnswerRowKeys,
    sources: &'a [AnswerSource],
    plan: &'a Plan,
}

impl Defaults<'_> {
    /// One answer sheet of the plan, all of whose tests, scores and projections are known.
    pub(super) fn answer(&self, wire: &wire::AnswerKeys, plan: &Plan) -> ParseResult<Answer> {
        let id = wire.id.get_ref();
        let who = format!("answer {id}");
        name(&wire.id, "the id of an answer sheet", self.place)?;
        if plan.answers.iter().any(|other| other.id == *id) {
            let what = format!("{who}: another answer sheet already has this id. Change one.");
            return Err(self.place.error(&wire.id, what));
        }
        let (columns, rows) = (wire.columns.get_ref(), wire.rows.get_ref());
        let labels = wire.labels.get_ref();
        let empty = [
            (&wire.labels.span(), labels.is_empty(), "labels"),
            (&wire.columns.span(), columns.is_empty(), "columns"),
            (&wire.rows.span(), rows.is_empty(), "rows"),
        ];
        if let Some((span, _, key)) = empty.into_iter().find(|(_, is_empty, _)| *is_empty) {
            return Err(self.place.at(span.clone(), &format!("{who}: `{key}` is empty. Add at least one.")));
        }
        for column in columns.iter().filter(|column| column.fact.is_some()) {
            if let Some(other) = column.metric.as_ref().or(column.unit.as_ref()) {
                let what = format!("{who}: column {}: a fact has no metric and no unit", column.title);
                return Err(self.place.error(other, what));
            }
        }
        let runs = match wire.runs {
            wire::RunsWord::Reported => AnswerRuns::Reported,
            wire::RunsWord::Maxima => AnswerRuns::Maxima,
            wire::RunsWord::All => AnswerRuns::All,
        };
        let rows = rows.iter().map(|row| self.answer_row((&who, runs, columns, labels), row, plan));
        Ok(Answer {
            id: id.clone(),
            title: wire.title.clone(),
            source: wire.source.clone(),
            labels: labels.clone(),
            runs,
            rows: rows.collect::<ParseResult<_>>()?,
            columns: columns.iter().map(column).collect(),
        })
    }

    fn answer_row(
        &self,
        (who, runs, columns, labels): (&str, AnswerRuns, &[wire::AnswerColumnKeys], &[String]),
        row: &wire::AnswerRowKeys,
        plan: &Plan,
    ) -> ParseResult<AnswerRow> {
        let who = format!("{who}: row {}", row.labels.get_ref().join(", "));
        if row.labels.get_ref().len() != labels.len() {
            let (has, wanted) = (row.labels.get_ref().len(), labels.len());
            let what = format!("{who}: it has {has} labels, and the sheet has {wanted}. Write as many.");
            return Err(self.place.error(&row.labels, what));
        }
        if row.of.get_ref().is_empty() {
            let what = format!("{who}: `of` is empty. Name at least one test.");
            return Err(self.place.error(&row.of, what));
        }
        let sources = row.of.get_ref().iter().map(|id| self.answer_source(&who, runs, id, plan));
        let sources = sources.collect::<ParseResult<Vec<_>>>()?;
        let reader = RowReader { who, runs, row, sources: &sources, plan };
        self.as_many_runs(&reader)?;
        let cells = columns.iter().map(|column| self.answer_cell(&reader, column));
        let cells = cells.collect::<ParseResult<_>>()?;
        Ok(AnswerRow { labels: row.labels.get_ref().clone(), sources, cells })
    }

    /// The test, group or score with this id.
    fn answer_source(
        &self,
        who: &str,
        runs: AnswerRuns,
        id: &Spanned<String>,
        plan: &Plan,
    ) -> ParseResult<AnswerSource> {
        let word = id.get_ref().as_str();
        if self.errors.is_spoiled(word) {
            return Err(Rejection::Follows);
        }
        let test = plan.tests.iter().position(|test| test.id == word).map(AnswerSource::Test);
        let group = plan.groups.iter().position(|group| group.id == word).map(AnswerSource::Group);
        let score = plan.scores.iter().position(|score| score.id == word).map(AnswerSource::Score);
        match test.or(group).or(score) {
            Some(AnswerSource::Group(_) | AnswerSource::Score(_)) if runs != AnswerRuns::Reported => {
                let what = format!("{who}: `{word}` is not a test. Only tests have lines for single runs.");
                Err(self.place.error(id, what))
            }
            Some(source) => Ok(source),
            None => {
                let tests = plan.tests.iter().map(|test| test.id.as_str());
                let groups = plan.groups.iter().map(|group| group.id.as_str());
                let scores = plan.scores.iter().map(|score| score.id.as_str());
                let known: Vec<&str> = tests.chain(groups).chain(scores).collect();
                let what = format!("{who}: no test, group or score `{word}`{}", among(word, &known));
                Err(self.place.error(id, what))
            }
        }
    }

    /// Whether the tests of a row have as many repetitions, if each repetition has its own line.
    fn as_many_runs(&self, reader: &RowReader<'_>) -> ParseResult<()> {
        let tests = || reader.sources.iter().map(|source| reader.first_test(*source));
        let repetitions = reader.first_test(reader.sources[0]).repetitions;
        match tests().find(|test| test.repetitions != repetitions) {
            Some(other) if reader.runs != AnswerRuns::Reported => {
                let (first, other_id) = (&reader.row.of.get_ref()[0], &other.id);
                let what = format!(
                    "{}: {} has {repetitions} repetitions and {other_id} has {}. Give all as many.",
                    reader.who,
                    first.get_ref(),
                    other.repetitions
                );
                Err(self.place.error(first, what))
            }
            _ => Ok(()),
        }
    }

    fn answer_cell(
        &self,
        reader: &RowReader<'_>,
        column: &wire::AnswerColumnKeys,
    ) -> ParseResult<AnswerCell> {
        let RowReader { who, row, .. } = reader;
        if let Some(fact) = &column.fact {
            return Ok(AnswerCell::Fact(match fact {
                wire::FactWord::Nodes => AnswerFact::Nodes,
                wire::FactWord::Ranks => AnswerFact::Ranks,
                wire::FactWord::RanksPerNode => AnswerFact::RanksPerNode,
                wire::FactWord::Command => AnswerFact::Command,
                wire::FactWord::Unit => AnswerFact::Unit,
            }));
        }
        let missing = |key: &str| {
            let what = format!("{who}: neither it nor the column {} has a `{key}`. Add it.", column.title);
            self.place.error(&row.labels, what)
        };
        let metric = column.metric.as_ref().or(row.metric.as_ref()).ok_or_else(|| missing("metric"))?;
        let unit = column.unit.as_ref().or(row.unit.as_ref()).ok_or_else(|| missing("unit"))?;
        let (source, dimension) = self.measuring_source(reader, metric)?;
        let written = unit.get_ref().trim();
        let unit_value = match format!("1 {written}").parse::<Quantity>() {
            Ok(read) if read.dimension == dimension && read.value > 0.0 => read.value,
            _ => {
                let what = format!(
                    "{who}: `{written}` is not a unit of {}, with values such as `{}`",
                    metric.get_ref(),
                    dimension.example()
                );
                return Err(self.place.error(unit, what));
            }
        };
        let criterion = reader.criterion(source, metric.get_ref(), dimension);
        let projection = match &row.system {
            None => None,
            Some(system) => Some(self.projected(reader, source, metric.get_ref(), system)?),
        };
        let unit = written.to_owned();
        Ok(AnswerCell::Value(Box::new(AnswerValue { source, criterion, unit, unit_value, projection })))
    }

    /// The only one of the row that has the metric, with the dimension of the metric.
    fn measuring_source(
        &self,
        reader: &RowReader<'_>,
        metric: &Spanned<String>,
    ) -> ParseResult<(AnswerSource, Dimension)> {
        let rejected = |what: String| self.place.error(metric, format!("{}: {what}", reader.who));
        let all = reader.sources.iter().map(|source| (*source, self.dimension_in(reader, *source, metric)));
        let all: Vec<(AnswerSource, Result<Dimension, String>)> = all.collect();
        let having = all.iter().filter_map(|(source, found)| Some((*source, *found.as_ref().ok()?)));
        match having.collect::<Vec<_>>()[..] {
            [only] => Ok(only),
            [] => {
                let why = all.into_iter().find_map(|(_, found)| found.err());
                Err(rejected(why.unwrap_or_default()))
            }
            _ => Err(rejected(format!("several of its tests have `{}`", metric.get_ref()))),
        }
    }

    fn dimension_in(
        &self,
        reader: &RowReader<'_>,
        source: AnswerSource,
        metric: &Spanned<String>,
    ) -> Result<Dimension, String> {
        let (plan, word) = (reader.plan, metric.get_ref().as_str());
        match source {
            AnswerSource::Test(at) => self.dimension_of(word, &plan.tests[at]),
            AnswerSource::Score(at) if word == SCORE => Ok(plan.scores[at].dimension),
            AnswerSource::Score(_) => Err(format!("`{word}`: a score has only the metric `{SCORE}`")),
            AnswerSource::Group(at) => {
                let found = plan.parts(&plan.groups[at]).map(|part| self.dimension_in_group(word, part));
                found.reduce(Result::or).unwrap_or_else(|| Err(format!("`{word}`: the group has no parts")))
            }
        }
    }

    /// The projection of the metric to the system.
    fn projected(
        &self,
        reader: &RowReader<'_>,
        source: AnswerSource,
        metric: &str,
        system: &Spanned<String>,
    ) -> ParseResult<usize> {
        let letter = system.get_ref();
        let is_own = |projection: &super::Projection| {
            AnswerSource::Test(projection.test) == source
                && projection.metric == metric
                && projection.system == *letter
        };
        let unclear = |what: &str| {
            let id = &reader.first_test(source).id;
            let what = format!("{}: {what} [[projection]] of {id}.{metric} to system {letter}", reader.who);
            Err(self.place.error(system, what))
        };
        let mut found = reader.plan.projections.iter().enumerate().filter(|(_, one)| is_own(one));
        match (found.next(), found.next()) {
            _ if reader.runs != AnswerRuns::Reported => unclear("`runs` does not fit a"),
            (Some((at, _)), None) => Ok(at),
            (Some(_), Some(_)) => unclear("there is more than one"),
            (None, _) => unclear("there is no"),
        }
    }
}

impl<'a> RowReader<'a> {
    /// The test, or the first one of a group or score.
    fn first_test(&self, source: AnswerSource) -> &'a Test {
        let plan = self.plan;
        &plan.tests[match source {
            AnswerSource::Test(at) => at,
            AnswerSource::Group(at) => plan.groups[at].tests[0],
            AnswerSource::Score(at) => plan.scores[at].parts[0].test,
        }]
    }

    /// A criterion that only reads the metric, and that every value meets. Its statistic is that of the first
    /// criterion on the metric, so that sheet and report show the same value.
    fn criterion(&self, source: AnswerSource, metric: &str, dimension: Dimension) -> Criterion {
        let test = self.first_test(source);
        let criteria = match source {
            AnswerSource::Test(_) => &test.criteria[..],
            AnswerSource::Group(at) => &self.plan.groups[at].criteria[..],
            AnswerSource::Score(at) => self.plan.scores[at].criterion.as_slice(),
        };
        let known = criteria.iter().find(|own| own.metric == metric && !own.stat.row().is_variability);
        let goal = Goal::Value(Quantity { value: f64::NEG_INFINITY, dimension });
        // The worst of durations is the longest.
        let op = if dimension == Dimension::Seconds { Comparison::AtMost } else { Comparison::AtLeast };
        let usual = || stat(None, (metric, op, dimension), &goal, test).unwrap_or(Stat::Mean);
        Criterion {
            metric: metric.to_owned(),
            stat: known.map_or_else(usual, |known| known.stat),
            stat_named: true,
            op: Comparison::AtLeast,
            goal,
            written: String::new(),
            dimension,
            terms: CriterionTerms { as_written: true, ..CriterionTerms::default() },
        }
    }
}

/// The column of the sheet. Its heading has its unit.
fn column(wire: &wire::AnswerColumnKeys) -> AnswerColumn {
    let unit = wire.unit.as_ref().map(|unit| unit.get_ref().trim().to_owned()).unwrap_or_default();
    AnswerColumn { title: wire.title.clone(), unit }
}
