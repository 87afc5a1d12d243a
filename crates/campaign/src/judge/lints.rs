//! What the linter says to a verdict: errors make it INVALID. What somebody has to answer for is listed in
//! the summary, with who does.
//!
//! Never here: the checks themselves.

use results::folder::Campaign;
use results::record::{Counts, Phase};
use results::{Outcome, Verdict};
use units::Dimension;

use super::wrong::Wrong;
use super::{Case, measuring, summary::metrics};
use crate::lint::table::Shown;
use crate::lint::{self, Finding, Level, about};
use plan::{Plan, Test, Waiver};

/// All findings about a plan and about what its campaign recorded, with the plan's waivers.
pub(super) fn findings(plan: &Plan, campaign: &Campaign) -> Vec<Finding> {
    let found = [lint::plan(plan), lint::measured(plan, campaign), lint::reported(campaign)].concat();
    let all = All { plan, campaign, findings: &found };
    let stays = |one: &&Finding| !OF_VALUES.contains(&one.lint) || rests(plan, campaign, &found, one);
    let mut findings: Vec<Finding> = found.iter().filter(stays).map(|one| all.settled(one)).collect();
    // Of a part of the tests nobody can say what the others would have needed, nor of one scale what another.
    if campaign.after.is_some() && campaign.info.only.is_empty() && !plan.has_scales() {
        let looked = |waiver: &Waiver| all.hold(&waiver.about, &|case| case.is_usable());
        findings.extend(lint::waiver::idle(&found, &lint::waivers(plan), &looked));
    }
    findings
}

/// A plan with its campaign, and all that the linter found.
#[derive(Clone, Copy)]
struct All<'a> {
    plan: &'a Plan,
    campaign: &'a Campaign,
    findings: &'a [Finding],
}

impl All<'_> {
    /// The finding as it is told once the records have decided: one that lets expect what they show did not
    /// come true, and so counts for nothing that was measured, is no error.
    fn settled(&self, finding: &Finding) -> Finding {
        let counts = |case: &Case<'_>| grave(case).contains(&finding);
        let expects = finding.level == Level::Error && finding.shown().is_some();
        if !expects || !self.hold(&finding.about, &|case| case.is_usable() && !counts(case)) {
            return finding.clone();
        }
        let what = format!("{}; by what was recorded it counts for nothing", finding.what);
        Finding { level: Level::Info, what, ..finding.clone() }
    }

    /// Whether this is true of all that is measured by the tests that findings called `about` are about;
    /// false where that is nothing.
    fn hold(&self, about: &str, is_true: &dyn Fn(&Case<'_>) -> bool) -> bool {
        let Self { plan, campaign, findings } = *self;
        let mut tests = plan.tests.iter().filter(|test| about::concerns(plan, test, about)).peekable();
        let of_test = |test: &Test| {
            let metrics = metrics(campaign, test);
            let case = |(metric, dimension): &(String, Dimension)| {
                let criterion = measuring(metric, *dimension);
                is_true(&Case { plan, campaign, findings, test, criterion: &criterion })
            };
            !metrics.is_empty() && metrics.iter().all(case)
        };
        tests.peek().is_some() && tests.all(of_test)
    }
}

/// Lints that ask somebody to explain the values that a verdict rests on.
const OF_VALUES: [&str; 2] = ["cov-high", "harmonic"];

/// Whether anything rests on the values that a finding is about.
fn rests(plan: &Plan, campaign: &Campaign, findings: &[Finding], of: &Finding) -> bool {
    let phase = of.phase.as_deref().unwrap_or_default();
    let criterion = measuring(&format!("{phase}.bw"), Dimension::BytesPerSecond);
    let tests = plan.tests.iter().filter(|test| test.id == of.about);
    let mut cases = tests.map(|test| Case { plan, campaign, findings, test, criterion: &criterion });
    cases.all(|case| grave(&case).is_empty())
}

/// The lint about a group that is as much about each of its parts.
const ONE: &str = "one-fs-twice";

/// The findings that make what `case` measured INVALID: errors about it that the records do not disprove.
pub(super) fn grave<'a>(case: &Case<'a>) -> Vec<&'a Finding> {
    let about = about(case);
    let parts = case.test.part.map(|part| &case.plan.groups[part].id);
    let counts = |finding: &&Finding| {
        finding.level == Level::Error
            && (about.contains(&finding.about)
                || parts.is_some_and(|id| finding.lint == ONE && finding.about == *id))
            && is_of(case, finding)
            && !disproved(case, finding)
    };
    case.findings.iter().filter(counts).collect()
}

/// Those about a group as a whole. Its parts have those about the whole campaign.
pub(super) fn about_group<'a>(findings: &'a [Finding], group: &str) -> Vec<&'a Finding> {
    findings.iter().filter(|finding| finding.invalidates() && finding.about == group).collect()
}

/// Has grave findings count for a verdict; `wrong` is the wrong data that was found.
pub(super) fn apply(grave: &[&Finding], wrong: Option<&Wrong>, verdict: &mut Verdict) {
    if verdict.outcome == Outcome::NotRun {
        return;
    }
    for finding in grave {
        let said = said(finding);
        let wrong = wrong.filter(|_| verdict.outcome == Outcome::Fail);
        let stays = wrong.is_some_and(|wrong| !wrong.outweighed_by(finding));
        if verdict.outcome == Outcome::Invalid || stays {
            verdict.warnings.push(said);
        } else {
            verdict.reason = format!("{said}. What was measured: {}", verdict.reason);
            verdict.outcome = Outcome::Invalid;
        }
    }
}

/// A finding in words.
pub(super) fn said(finding: &Finding) -> String {
    let Finding { lint, what, remedy, .. } = finding;
    format!("{what} ({lint}); {remedy}")
}

/// What a finding may be about to count for a test: itself, its series, its file system, the dataset that
/// it reads, and the whole campaign, which has no name.
fn about(case: &Case<'_>) -> Vec<String> {
    let mut about = about::of_test(case.plan, case.test);
    // What a count of errors is does not depend on how full the file system was.
    about.extend((!case.counts_errors()).then(|| about::fs(case.test)));
    about
}

/// Whether a finding about a test is about this criterion of it: one on another phase, or one that begins
/// with the metric of another criterion, is not.
fn is_of(case: &Case<'_>, finding: &Finding) -> bool {
    let own = finding.about == case.test.id;
    let phase = case.metric().0;
    if finding.phase.as_ref().is_some_and(|of| own && phase != of && !phase.ends_with(&format!("_{of}"))) {
        return false;
    }
    let first = finding.what.split([' ', ':']).next().unwrap_or_default();
    let mut metrics = case.plan.tests.iter().flat_map(|test| &test.criteria);
    first == case.criterion.metric || metrics.all(|criterion| criterion.metric != first)
}

/// Whether the records show that what a line let one expect did not come true.
fn disproved(case: &Case<'_>, finding: &Finding) -> bool {
    let Some(shown) = finding.shown() else { return false };
    let jobs = case.jobs();
    let all = |holds: &dyn Fn(&Phase) -> bool| jobs.iter().flat_map(|job| case.phases(job)).all(holds);
    case.counts_errors()
        || match shown {
            Shown::Whole => true,
            Shown::Cache => all(&|phase| phase.counts == Counts::Operations || phase.cached_before.is_some()),
            Shown::RanDry => all(&|phase| phase.stonewall.as_ref().is_some_and(|wall| wall.ran_dry == 0)),
        }
}

/// The findings as the folder keeps them.
pub(super) fn kept(findings: &[Finding]) -> Vec<results::summary::Finding> {
    let signed = |finding: &Finding| finding.waived.as_ref().map(|by| format!("{}: {}", by.by, by.why));
    let kept = |finding: &Finding| results::summary::Finding {
        lint: finding.lint.to_owned(),
        test: finding.about.clone(),
        level: match finding.level {
            Level::Error => "error",
            Level::Waiver => "waiver",
            Level::Info => "info",
        }
        .to_owned(),
        found: finding.what.clone(),
        remedy: finding.remedy.clone(),
        waived: signed(finding).unwrap_or_default(),
    };
    findings.iter().map(kept).collect()
}
