//! Further repetitions of a campaign, after its verdicts were known.
//!
//! Each evaluation of the same clause is a *look*: the first after the plan's own repetitions, and one after
//! each extension. A wrong verdict can come from any look, so each look may use only a part of the error that
//! the plan allows.
//!
//! Invariant: pure. The repetitions of an earlier look keep their numbers, jobs and files.
//! Never here: the evaluation.

use std::ops::RangeInclusive;

use results::folder::Extension;
use units::Usage;

use crate::model::{Criterion, Decide, Goal, Plan, Test};
use crate::schedule;

/// The most repetitions that one extension adds.
const REPETITIONS_MAX: u32 = 1000;

impl Plan {
    /// Adds the repetitions of `extensions`, in their order.
    pub(crate) fn extend(&mut self, extensions: &[Extension]) -> Result<(), Usage> {
        if extensions.is_empty() {
            return Ok(());
        }
        for extension in extensions {
            let n = extension.repetitions;
            if !extension.repeat.is_empty() {
                // No repetition is added: those without a result run again under their own numbers.
                schedule::wanted_tests(self, &extension.repeat)?;
                self.tests.iter_mut().for_each(|test| test.add_look(0));
                continue;
            }
            if n == 0 || n > REPETITIONS_MAX {
                return Err(Usage(format!(
                    "an extension by {n} repetitions is not possible. Add 1 to {REPETITIONS_MAX}."
                )));
            }
            let wanted = schedule::wanted_tests(self, &extension.only)?;
            for (test, wanted) in self.tests.iter_mut().zip(&wanted) {
                if *wanted && test.search.is_some() {
                    return Err(Usage(format!(
                        "test {}: a search for a number of nodes cannot be extended. Start a new campaign, \
                         or choose other tests with --only.",
                        test.id
                    )));
                }
                test.add_look(if *wanted { n } else { 0 });
            }
            for group in &mut self.groups {
                group.repetitions = group.tests.first().map_or(0, |part| self.tests[*part].repetitions);
            }
        }
        self.count_looks();
        Ok(())
    }

    /// Counts the looks of each criterion. Each extension of a test whose values it uses is one.
    fn count_looks(&mut self) {
        let tests = self.tests.clone();
        let count = |own: &[usize], criterion: &mut Criterion| {
            let reference = match &criterion.goal {
                Goal::Share { test, .. } => Some(*test),
                Goal::Value(_) | Goal::Accepted { .. } => None,
            };
            let used: Vec<&Test> = own.iter().copied().chain(reference).map(|at| &tests[at]).collect();
            let all = used.iter().map(|test| test.looks.len()).max().unwrap_or(0);
            let adds = |look: &usize| used.iter().any(|test| !test.of_look(*look).is_empty());
            criterion.terms.further_looks = (1..=all).filter(adds).count() as u32;
        };
        for (at, test) in self.tests.iter_mut().enumerate() {
            test.criteria.iter_mut().for_each(|criterion| count(&[at], criterion));
        }
        for group in &mut self.groups {
            group.criteria.iter_mut().for_each(|criterion| count(&group.tests, criterion));
        }
        for score in &mut self.scores {
            let parts: Vec<usize> = score.parts.iter().map(|part| part.test).collect();
            score.criterion.iter_mut().for_each(|criterion| count(&parts, criterion));
        }
    }

    /// The repetition of `maker` whose files or values a repetition of `test` reads: the same one, or the
    /// nearest of the same look.
    pub(crate) fn maker_repetition(&self, test: &Test, repetition: u32, maker: &Test) -> u32 {
        let of_look = maker.of_look(test.look_of(repetition));
        if of_look.is_empty() { repetition.min(maker.repetitions) } else { clamped(repetition, &of_look) }
    }
}

fn clamped(value: u32, range: &RangeInclusive<u32>) -> u32 {
    value.clamp(*range.start(), *range.end())
}

impl Test {
    /// Ends the present look, and adds the repetitions of the next one.
    fn add_look(&mut self, repetitions: u32) {
        self.looks.push(self.repetitions);
        self.repetitions += repetitions;
    }

    /// The repetitions of a look of the campaign, from 0; empty if the look added none to this test.
    pub fn of_look(&self, look: usize) -> RangeInclusive<u32> {
        let end = |look: usize| self.looks.get(look).copied().unwrap_or(self.repetitions);
        let before = look.checked_sub(1).map_or(0, end);
        before + 1..=end(look)
    }

    /// The look of the campaign, from 0, to which a repetition belongs.
    pub fn look_of(&self, repetition: u32) -> usize {
        self.looks.iter().take_while(|end| repetition > **end).count()
    }
}

impl Criterion {
    /// How many looks it had, from 1.
    pub fn looks(&self) -> u32 {
        self.terms.further_looks + 1
    }
}

impl Decide {
    /// The confidence level of one look, from 1, at which the error of all looks together stays within
    /// [`Decide::error_at`].
    ///
    /// A planned look gets a share of the error that the plan allows. The shares are those of the spending
    /// function of Lan and DeMets (Biometrika 1983) for Pocock's limits. The errors of looks are added, which
    /// is right for any dependence between them. An unplanned look is charged half of the error of the look
    /// before it.
    pub fn confidence_at(&self, look: u32) -> f64 {
        // Without other looks it is the level of the plan, to the last digit.
        if (look, self.looks) == (1, 1) { self.asked } else { 1.0 - self.error_of(look) }
    }

    /// The confidence level of a criterion at its present look.
    pub fn confidence_of(&self, criterion: &Criterion) -> f64 {
        self.confidence_at(criterion.looks())
    }

    /// The largest probability of a wrong verdict at any of the first `looks` looks.
    pub fn error_at(&self, looks: u32) -> f64 {
        (1..=looks).map(|look| self.error_of(look)).sum()
    }

    fn error_of(&self, look: u32) -> f64 {
        let planned = f64::from(self.looks);
        let spent = |look: u32| (f64::from(look) / planned * (std::f64::consts::E - 1.0)).ln_1p();
        let of_planned = |look: u32| (1.0 - self.asked) * (spent(look) - spent(look - 1));
        match look.checked_sub(self.looks) {
            Some(unplanned) if unplanned > 0 => of_planned(self.looks) / 2_f64.powf(f64::from(unplanned)),
            _ => of_planned(look),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use crate::schedule::jobs;

    const PLAN: &str = r#"
    schema = 1
    plan = { id = "p", title = "t" }
    fs.scratch = { dir = "{dir}" }
    launch = { kind = "mpirun" }
    defaults = { repetitions = 3 }
    [dataset.d]
    ior = "-w -k -F"
    [[test]]
    id = "W"
    ior = "-w -k"
    role = "reported"
    [[test]]
    id = "R"
    uses = "W"
    repetitions = 5
    ior = "-r -k"
    role = "reported"
    [[test]]
    id = "D"
    uses = "dataset.d"
    ior = "-r -k -F"
    role = "reported"
    "#;

    fn extended(extensions: &[(u32, &[&str])]) -> Result<Plan, Usage> {
        let extension = |(repetitions, only): &(u32, &[&str])| Extension {
            repetitions: *repetitions,
            only: only.iter().map(|id| (*id).to_owned()).collect(),
            ..Extension::default()
        };
        let extensions = extensions.iter().map(extension).collect();
        Plan::parse_with(PLAN, "p.toml", &Choice { extensions, ..Choice::default() })
    }

    fn folders(plan: &Plan) -> Vec<String> {
        jobs(plan, &[]).unwrap().into_iter().map(|job| job.folder).collect()
    }

    #[test]
    fn an_extension_adds_jobs_behind_those_of_the_campaign_and_changes_none_of_them() {
        let base = jobs(&extended(&[]).unwrap(), &[]).unwrap();
        let plan = extended(&[(2, &[]), (1, &["R"])]).unwrap();
        let all = jobs(&plan, &[]).unwrap();
        for (before, after) in base.iter().zip(&all) {
            let after = crate::schedule::PlannedJob { removes: before.removes.clone(), ..after.clone() };
            assert_eq!(*before, after);
        }
        let first: Vec<&str> = all[12..20].iter().map(|job| job.folder.as_str()).collect();
        assert_eq!(
            first,
            [
                "0013-W-r4",
                "0014-W-r5",
                "0015-R-r6",
                "0016-R-r7",
                "0017-dataset.d-r2",
                "0018-D-r4",
                "0019-D-r5",
                "0020-W-r6",
            ]
        );
        assert_eq!(folders(&plan)[19..], ["0020-W-r6", "0021-R-r8"], "R needs the files of W");
        let needs = |folder: &str| all.iter().find(|job| job.folder == folder).unwrap().needs.clone();
        assert_eq!(needs("0015-R-r6"), [("W".to_owned(), 5)], "the nearest of its look");
        assert_eq!(needs("0007-R-r4"), [("W".to_owned(), 3)]);
        assert_eq!(needs("0021-R-r8"), [("W".to_owned(), 6)]);
        assert_eq!(needs("0018-D-r4"), [("dataset.d".to_owned(), 2)]);
    }

    #[test]
    fn an_impossible_extension_is_rejected() {
        assert!(extended(&[(0, &[])]).is_err());
        assert!(extended(&[(1001, &[])]).is_err());
        assert!(extended(&[(1, &["X"])]).is_err());
    }

    #[test]
    fn planned_looks_share_the_error_and_all_unplanned_ones_add_at_most_as_much_again() {
        let decide = |looks| Decide {
            chosen: true,
            stat: crate::Stat::Mean,
            by_bound: false,
            as_written: false,
            asked: 0.95,
            looks,
        };
        for planned in 1..=10 {
            let decide = decide(planned);
            assert!((decide.error_at(planned) - 0.05).abs() < 1e-12, "{planned}");
            assert!(decide.error_at(planned + 50) < 0.1 + 1e-12, "{planned}");
            let levels: Vec<f64> = (1..20).map(|look| decide.confidence_at(look)).collect();
            assert!(levels.is_sorted(), "{levels:?}");
        }
        assert_eq!(decide(1).confidence_at(1), 0.95);
        // 0.05 ln(1 + (e - 1) / 2), of the two planned looks the first.
        assert!((decide(2).confidence_at(1) - 0.968_994_3).abs() < 1e-6);
    }
}
