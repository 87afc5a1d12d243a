//! The rules of systems and projections.
//!
//! Never here: the projection itself.

use results::summary::System;
use toml::Spanned;
use units::{Dimension, Quantity};

use super::defaults::{Defaults, ParseResult, among};
use super::plan_text::PlanText;
use super::{Comparison, Goal, Plan, Projection, wire};
use crate::language::rejections::Rejection;
use crate::launcher::LaunchKind;
use crate::model::{FACTOR_MAX, Question, STEPS_MIN};

/// The end of a message about `of`.
const OF: &str = " `of` names the test whose rate is projected, with its metric.";

/// The systems of a plan, and the letter of the one that is measured.
pub(super) fn systems(file: &wire::PlanFile, place: &PlanText<'_>) -> ParseResult<(Vec<System>, String)> {
    let system = |(letter, spanned): (&String, &Spanned<wire::SystemKeys>)| {
        let wire::SystemKeys { processor, clock, interconnect, cores } = spanned.get_ref();
        System {
            letter: letter.clone(),
            processor: processor.clone(),
            clock: clock.clone(),
            interconnect: interconnect.clone(),
            cores: cores.0,
        }
    };
    let systems: Vec<System> = file.system.iter().map(system).collect();
    let measured_on = match (&file.plan.system, systems.as_slice()) {
        (None, []) => String::new(),
        (None, [only]) => only.letter.clone(),
        (None, _) => {
            let what = "there are several systems. Name the measured one in [plan], as `system = \"A\"`.";
            return Err(place.error(&file.plan.id, what));
        }
        (Some(letter), _) => known(letter, &systems, place)?,
    };
    Ok((systems, measured_on))
}

/// The letter, if such a system exists.
fn known(letter: &Spanned<String>, systems: &[System], place: &PlanText<'_>) -> ParseResult<String> {
    let known: Vec<&str> = systems.iter().map(|system| system.letter.as_str()).collect();
    match known.contains(&letter.get_ref().as_str()) {
        true => Ok(letter.get_ref().clone()),
        false => {
            let near = among(letter.get_ref(), &known);
            Err(place.error(letter, format!("no [system.{}]{near}", letter.get_ref())))
        }
    }
}

impl Defaults<'_> {
    /// One projection of the plan, all of whose tests are known.
    pub(super) fn projection(&self, wire: &wire::ProjectionKeys, plan: &Plan) -> ParseResult<Projection> {
        let who = format!("projection of {}", wire.of.get_ref());
        let system = format!("system.{}", wire.system.get_ref());
        if [wire.of.get_ref(), wire.from.get_ref(), &system]
            .into_iter()
            .any(|name| self.errors.is_spoiled(name))
        {
            return Err(Rejection::Follows);
        }
        let (test, metric) = self
            .measured(wire.of.get_ref(), None, plan)
            .map_err(|why| self.place.error(&wire.of, format!("{who}: {why}{OF}")))?;
        let dimension = self
            .dimension_of(&metric, &plan.tests[test])
            .map_err(|why| self.place.error(&wire.of, format!("{who}: {why}{OF}")))?;
        let (steps, over) = self.steps_of(&who, &wire.from, &metric, plan)?;
        let is_simulated = self.extrapolates(&who, wire, &over)?;
        self.carries(&who, wire, &steps, plan)?;
        let confidence = self.confidence(wire.confidence.as_ref())?;
        let cap = match &wire.cap {
            None => None,
            Some(text) => match text.get_ref().parse::<Quantity>() {
                Ok(cap) if cap.dimension == dimension && cap.value > 0.0 => Some(cap.value),
                _ => {
                    let example = dimension.example();
                    let what = format!("{who}: cap does not fit. Write for example `{example}`.");
                    return Err(self.place.error(text, what));
                }
            },
        };
        if !matches!(dimension, Dimension::BytesPerSecond | Dimension::PerSecond) {
            return Err(self.place.error(&wire.of, format!("{who}: only rates can be projected")));
        }
        let asked = plan.tests[test].criteria.iter().filter(|criterion| criterion.metric == metric);
        let threshold = asked
            .filter(|criterion| matches!(criterion.op, Comparison::AtLeast | Comparison::Above))
            .find_map(|criterion| match criterion.goal {
                Goal::Value(value) => Some(value.value),
                Goal::Share { .. } | Goal::Accepted { .. } => None,
            });
        Ok(Projection {
            test,
            metric,
            steps,
            from: wire.from.get_ref().clone(),
            over,
            is_simulated,
            system: known(&wire.system, &plan.systems, self.place)?,
            question: Question { to: wire.to.get_ref().0 as f64, threshold, cap, confidence, dimension },
        })
    }

    /// Whether the nodes of the steps are simulated. Steps that cannot be extrapolated are rejected.
    fn extrapolates(&self, who: &str, wire: &wire::ProjectionKeys, over: &str) -> ParseResult<bool> {
        let rejected = |what: &str| Err(self.place.error(&wire.from, format!("{who}: {what}")));
        let is_simulated = over == "nodes" && (self.clients.simulated || *self.launch == LaunchKind::Local);
        match over {
            "transfer" => {
                rejected("steps of transfers cannot be extrapolated. Take a series over servers or nodes.")
            }
            "ranks" => rejected(
                "steps of ranks cannot be extrapolated, because the clients become the bottleneck. Take a \
                 series over servers or nodes.",
            ),
            _ if is_simulated && !wire.simulated && !self.is_recorded => rejected(
                "the nodes of its steps are simulated, so they share the limits of one machine. Measure on \
                 real nodes, or mark the projection with `simulated = true`.",
            ),
            _ => Ok(is_simulated),
        }
    }

    /// Whether the steps support a projection to the requested number.
    fn carries(
        &self,
        who: &str,
        wire: &wire::ProjectionKeys,
        steps: &[usize],
        plan: &Plan,
    ) -> ParseResult<()> {
        let mut at: Vec<f64> =
            steps.iter().filter_map(|test| Some(plan.tests[*test].step.as_ref()?.value)).collect();
        at.sort_by(f64::total_cmp);
        at.dedup();
        if at.len() < STEPS_MIN {
            let steps = at.len();
            let what = format!("a projection needs {STEPS_MIN} different steps, but there are only {steps}");
            return Err(self.place.error(&wire.from, format!("{who}: {what}")));
        }
        let (to, largest) = (wire.to.get_ref().0 as f64, at[at.len() - 1]);
        if to <= largest {
            let what = format!("{to} is not above {largest}, the largest step. Project to a larger number.");
            return Err(self.place.error(&wire.to, format!("{who}: {what}")));
        }
        if to > largest * FACTOR_MAX && !self.is_recorded {
            let (factor, most) = (to / largest, (largest * FACTOR_MAX).floor());
            let what = format!(
                "{to} is {factor:.2} times the largest step, {largest}, but at most {FACTOR_MAX} times can \
                 be projected. Measure larger steps, or project to at most {most}."
            );
            return Err(self.place.error(&wire.to, format!("{who}: {what}")));
        }
        Ok(())
    }

    /// The tests of a phase at all steps of its series, and the quantity of the steps.
    fn steps_of(
        &self,
        who: &str,
        from: &Spanned<String>,
        metric: &str,
        plan: &Plan,
    ) -> ParseResult<(Vec<usize>, String)> {
        let rejected = |what: String| Err(self.place.error(from, format!("{who}: {what}")));
        let mut phases: Vec<(usize, &str)> = Vec::new();
        for test in &plan.tests {
            let Some(step) = &test.step else { continue };
            if !phases.contains(&(step.series, test.name.as_str())) {
                phases.push((step.series, &test.name));
            }
        }
        let named = |(series, phase): &(usize, &str)| format!("{}.{phase}", plan.series[*series].id);
        let word = from.get_ref();
        let fitting: Vec<_> = phases.iter().filter(|phase| named(phase) == *word).collect();
        let (series, phase) = match fitting[..] {
            [one] => *one,
            [] => {
                let known: Vec<String> = phases.iter().map(named).collect();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                return rejected(format!("`{word}` is not a phase of a series{}", among(word, &known)));
            }
            _ => return rejected(format!("`{word}` is a phase of two series. Rename one of them.")),
        };
        let fits = |index: &usize| {
            let test = &plan.tests[*index];
            test.name == phase && test.step.as_ref().is_some_and(|step| step.series == series)
        };
        let steps: Vec<usize> = (0..plan.tests.len()).filter(fits).collect();
        if let Some(other) = steps.iter().find(|step| self.dimension_of(metric, &plan.tests[**step]).is_err())
        {
            return rejected(format!("{} does not yield {metric}", plan.tests[*other].id));
        }
        Ok((steps, plan.series[series].over.clone()))
    }
}
