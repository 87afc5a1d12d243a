//! The rules of a test's course: a steady rate, warm-up jobs, the order of repetitions, and the client limit.
//!
//! The client limit shows whether more clients reach a higher rate.
//!
//! Never here: whether a course met its rules.

use results::record::{MetricRow, is_part};
use results::steady::SteadyRule;
use toml::Spanned;
use units::{Dimension, duration};

use super::defaults::{Defaults, ParseResult, Variant};
use super::placement::RanksRequest;
use super::wire::{NodesValue, OrderWord, SteppedBy};
use super::{AlternatingTests, Course, Plan, Test, Uses, wire};
use crate::line::Line;

/// The default rule of a steady rate, after Blue Waters' rules and SNIA's specification.
const WINDOW_S: f64 = 30.0;
const SLOPE: f64 = 0.1;
const RANGE: f64 = 0.2;
const MAX_S: f64 = 300.0;
/// The fewest intervals of a timeline that ends at a deadline. `EDGES` of them are lost at its ends and by
/// rounding windows and blocks up to whole intervals.
const INTERVALS: f64 = 300.0;
const EDGES: f64 = 7.0;
/// Default gain with more clients above which the clients are the bottleneck.
const GAIN: f64 = 0.05;

/// The dimension of a metric of a phase's course; `None` for any other metric.
pub(super) fn dimension(phase: &str, kind: &str, test: &Test) -> Option<Result<Dimension, String>> {
    let (asked, how) = match kind {
        "sustained" => (test.sustained_s.is_some(), "`sustained = \"30 s\"`"),
        "steady" => (test.course.steady.is_some(), "`steady = { window = \"30 s\" }`"),
        _ => return None,
    };
    let phases = test.line.phases();
    let row = MetricRow::named(kind)?;
    Some(match test.line.counts() {
        None => Err(format!("`{phase}.{kind}`: {} records no timeline", test.line.workload())),
        Some(_) if !asked => Err(format!("`{phase}.{kind}` needs the length of a window. Add {how}.")),
        Some(_) if is_part(phase) => {
            Err(format!("`{phase}.{kind}`: `{phase}` is a part of another phase, which has the timeline"))
        }
        Some(_) if !phases.iter().any(|known| known == phase) => {
            let phases = phases.join(", ");
            Err(format!("the command line does not yield `{phase}.{kind}`. Its phases are {phases}."))
        }
        Some(counts) => Ok(row.dimension(counts)),
    })
}

/// The tests that alternate in this order, beginning with `first`.
fn turns(order: OrderWord, first: usize) -> Option<AlternatingTests> {
    match order {
        OrderWord::Sequential => None,
        OrderWord::Interleaved => Some(AlternatingTests { first, randomized: false }),
        OrderWord::Random => Some(AlternatingTests { first, randomized: true }),
    }
}

impl Defaults<'_> {
    /// The course that a test requires, except what depends on later tests.
    pub(super) fn course(
        &self,
        who: &str,
        wire: &wire::TestKeys,
        variant: &Variant,
        line: &Line,
        uses: Option<&Uses>,
    ) -> ParseResult<Course> {
        // A scale with short phases requires no steady state.
        let asked = wire.steady.as_ref().filter(|steady| {
            steady.get_ref().window.as_ref().is_none_or(|window| !window.get_ref().is_empty())
        });
        let steady = asked.map(|steady| self.steady(who, steady, line)).transpose()?;
        if let (Some(_), Some(order)) = (&variant.family, &wire.order) {
            let what = format!("{who}: `order` belongs to a [[series]] or a [[test]] with steps. Move it.");
            return Err(self.place.error(order, what));
        }
        if let (Some(_), Some(limit)) = (&variant.family, &wire.client_limit) {
            let what = format!("{who}: `client_limit` is only for a [[test]]");
            return Err(self.place.error(limit, what));
        }
        let warm_up = match &wire.warm_up {
            Some(_) if variant.is_probe => 0,
            Some(count) => {
                let rejected = |why: &str| Err(self.place.error(count, format!("{who}: warm_up: {why}")));
                match uses {
                    Some(Uses::Test(_)) => {
                        return rejected(
                            "a warm-up job would read the files of another test first. Give it to the test \
                             that makes them.",
                        );
                    }
                    _ if variant.part.is_some() => return rejected("the parts of a group run together"),
                    _ => self.count(who, "warm_up", Some(count), None, 0)?,
                }
            }
            None => 0,
        };
        Ok(Course { steady, warm_up, turns: variant.turns, client_limit: None })
    }

    fn steady(&self, who: &str, spanned: &Spanned<wire::SteadyKeys>, line: &Line) -> ParseResult<SteadyRule> {
        let wire = spanned.get_ref();
        let rejected = |why: String| Err(self.place.error(spanned, format!("{who}: steady: {why}")));
        let value = |key: &str, text: &Option<Spanned<String>>, dimension, otherwise: f64| match text {
            Some(text) => self.place.quantity(who, &format!("steady.{key}"), text, dimension),
            None => Ok(otherwise),
        };
        if line.counts().is_none() {
            return rejected(format!("{} records no timeline", line.workload()));
        }
        let window = value("window", &wire.window, Dimension::Seconds, WINDOW_S)?;
        let rule = SteadyRule {
            window,
            slope: value("slope", &wire.slope, Dimension::Fraction, SLOPE)?,
            range: value("range", &wire.range, Dimension::Fraction, RANGE)?,
            within: Some(value("max", &wire.max, Dimension::Seconds, MAX_S)?),
            measured: value("measured", &wire.measured, Dimension::Seconds, window)?,
        };
        if let Some(within) = rule.within.filter(|within| *within < window) {
            let (window, within) = (duration(window), duration(within));
            return rejected(format!("a window of {window} is longer than the limit of {within}"));
        }
        let stops = line.as_ior().filter(|line| line.deadline > 0 && !line.wears_out());
        let least = ((window + rule.measured) / (1.0 - EDGES / INTERVALS)).ceil();
        match stops.map(|line| f64::from(line.deadline)) {
            Some(deadline) if deadline < least => rejected(format!(
                "-D {deadline} is too short. The window of {} and the measurement of {} after it take whole \
                 intervals of the timeline. Give -D {least}.",
                duration(window),
                duration(rule.measured)
            )),
            _ => Ok(rule),
        }
    }

    /// The tests that alternate, for a test with steps of nodes.
    pub(super) fn turns(
        &self,
        who: &str,
        wire: &wire::TestKeys,
        plan: &Plan,
    ) -> ParseResult<Option<AlternatingTests>> {
        let Some(order) = &wire.order else { return Ok(None) };
        match wire.nodes.as_ref().map(Spanned::get_ref) {
            Some(NodesValue::Steps(_)) => Ok(turns(*order.get_ref(), plan.tests.len())),
            _ => {
                let what =
                    format!("{who}: `order` needs steps. Write `nodes = {{ steps = [\"50%\", \"100%\"] }}`.");
                Err(self.place.error(order, what))
            }
        }
    }

    /// The tests that alternate, for a series.
    pub(super) fn series_turns(
        &self,
        who: &str,
        wire: &wire::SeriesKeys,
        plan: &Plan,
    ) -> ParseResult<Option<AlternatingTests>> {
        let Some(order) = &wire.order else { return Ok(None) };
        match turns(*order.get_ref(), plan.tests.len()) {
            Some(_) if wire.over == SteppedBy::Servers => {
                let what = "steps of servers cannot alternate, because files stay on the servers that were \
                            online when they were written";
                Err(self.place.error(order, format!("{who}: order: {what}")))
            }
            turns => Ok(turns),
        }
    }

    /// Rejects a random order if one step works on the files of another step, which must run before.
    pub(super) fn in_any_order(
        &self,
        who: &str,
        order: Option<&Spanned<OrderWord>>,
        turns: Option<AlternatingTests>,
        plan: &Plan,
    ) -> ParseResult<()> {
        let (Some(order), Some(AlternatingTests { first, randomized: true })) = (order, turns) else {
            return Ok(());
        };
        let of_another = |test: &&Test| match test.uses {
            Some(Uses::Test(made)) => {
                made >= first && (test.step.is_none() || plan.tests[made].step != test.step)
            }
            _ => false,
        };
        match plan.tests[first..].iter().find(of_another) {
            Some(test) => {
                let what = format!("{} works on the files of another step, which must run first", test.id);
                Err(self.place.error(order, format!("{who}: order: {what}. Write `interleaved`.")))
            }
            None => Ok(()),
        }
    }

    /// Whether a search for the best number of nodes can use the first criterion, and is the only such check.
    /// `probe` is one of its steps.
    pub(super) fn searchable(&self, who: &str, wire: &wire::TestKeys, probe: &Test) -> ParseResult<()> {
        if let Some(limit) = &wire.client_limit {
            let what = format!("{who}: client_limit: the search already shows this. Remove it.");
            return Err(self.place.error(limit, what));
        }
        let Some(criterion) = wire.criterion.0.first() else { return Ok(()) };
        let metric = criterion.metric.get_ref();
        let rejected = |what: String| Err(self.place.error(&criterion.metric, format!("{who}: {what}")));
        if metric.ends_with(".sustained") || metric.ends_with(".steady") {
            return rejected(format!(
                "a search needs a rate of whole phases, such as `write.bw`, not `{metric}`"
            ));
        }
        let dimension = match self.dimension_of(metric, probe) {
            Ok(dimension) => dimension,
            Err(why) => return rejected(why),
        };
        let more = criterion.op.as_ref().is_some_and(|op| op.get_ref().starts_with('>'));
        match dimension {
            Dimension::BytesPerSecond | Dimension::PerSecond if more => Ok(()),
            _ => rejected(format!(
                "a search needs a rate with `>=` or `>` as its first criterion. Put one before `{metric}`."
            )),
        }
    }

    /// Adds the tests on more client nodes after the last test.
    pub(super) fn more_clients(&self, who: &str, wire: &wire::TestKeys, plan: &mut Plan) -> ParseResult<()> {
        let Some(spanned) = &wire.client_limit else { return Ok(()) };
        let limit = spanned.get_ref();
        let rejected = |why: &str| Err(self.place.error(spanned, format!("{who}: client_limit: {why}")));
        if matches!(wire.nodes.as_ref().map(Spanned::get_ref), Some(NodesValue::Steps(_))) {
            return rejected("the steps of this test already show this. Remove it.");
        }
        let index = plan.tests.len() - 1;
        let test = &plan.tests[index];
        let compared = |metric: &str| MetricRow::in_phase(metric).is_some_and(|row| row.kind.is_rate());
        if !test.criteria.iter().any(|criterion| compared(&criterion.metric)) {
            return rejected("it compares rates, but no criterion is on a rate");
        }
        let Some(own) = test.placement.nodes else {
            return rejected("set the nodes of the test itself, as `nodes`");
        };
        let gain = match &limit.gain {
            Some(gain) => self.place.quantity(who, "client_limit.gain", gain, Dimension::Fraction)?,
            None => GAIN,
        };
        let words = limit.nodes.get_ref().iter().map(|count| count.0.clone()).collect();
        let nodes = Some(Spanned::new(limit.nodes.span(), NodesValue::Steps(words)));
        let asked = RanksRequest::new(&None, &nodes, &wire.ppn, wire.id.span());
        for placement in self.placements(who, &asked)? {
            let Some(more) = placement.nodes.filter(|nodes| *nodes > own) else {
                return rejected(&format!("its nodes must be more than the {own} of the test itself"));
            };
            let variant = Variant {
                behind: format!(".n{more}"),
                placement: Some(placement),
                is_probe: true,
                uses: limit.uses.clone(),
                ..Variant::default()
            };
            self.add(wire, &variant, plan)?;
        }
        let probes = (index + 1..plan.tests.len()).collect();
        plan.tests[index].course.client_limit = Some(super::ClientLimit { probes, gain });
        Ok(())
    }
}
