//! The linter: opinions about storage tests, each turned into a check that says what it found.
//!
//! A [`Lint`] is a row of one table: its id, how grave it is, who said it first and why. Its checks are pure
//! functions from a subject (one command, a plan, a machine before, a campaign after) to what they found.
//! A fact that is not known is no finding: a check that misses one is silent, or says which option tells it.
//!
//! Invariant: the same subject gives the same findings, in the order of the table.
//! Never here: reading files, asking machines, running anything; the texts of the options of a workload.

pub(crate) mod about;
pub mod after;
pub mod before;
mod checks;
pub mod document;
mod from_campaign;
mod from_jobs;
mod from_plan;
pub mod ior_facts;
pub mod launcher;
pub mod name_facts;
mod paper;
mod path;
pub mod runs;
pub mod state;
pub mod subject;
pub mod table;
mod twins;
pub mod waiver;
mod words;

use std::fmt;

use serde::Serialize;

pub use about::concerns;
pub use from_campaign::{measured, reported};
pub(crate) use from_jobs::losses;
pub use from_plan::{subjects, waivers};
pub use paper::{LESS_GRAVE, paper};
pub use subject::{LineSubject, PlanSubject, Role};
pub use table::{LINTS, Lint, named};
pub use words::size;

use plan::Plan;
use table::Check;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// To be known by the reader of the number.
    Info,
    /// The number may be used only with a waiver that somebody has signed.
    Waiver,
    /// The number is not what the clause is about: the result is INVALID, whoever signs.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Info => "info",
            Self::Waiver => "waiver",
            Self::Error => "error",
        })
    }
}

/// When a lint is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Before anything is spent, from the words alone.
    Plan,
    /// On the machine, before the first job.
    Before,
    /// From what was measured.
    After,
    /// From what is reported.
    Report,
}

impl fmt::Display for Stage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Plan => "plan",
            Self::Before => "before",
            Self::After => "after",
            Self::Report => "report",
        })
    }
}

/// Where in its source a finding is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Line and column of the plan's file, from 1.
    Plan(usize, usize),
    /// A word of the command, from 1, and the word.
    Word(usize, String),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(line, column) => write!(out, "{line}:{column}"),
            Self::Word(number, word) => write!(out, "word {number} `{word}`"),
        }
    }
}

/// What a check found, before the table says whose it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Another level than the lint's, where this case is less or more grave.
    pub level: Option<Level>,
    /// The test or dataset it is about; empty where the subject is one line.
    pub about: String,
    /// The phase that it is about, where it is about one.
    pub phase: Option<String>,
    /// The folders of the jobs that it is about, where it is about some; what was found is of the first.
    pub jobs: Vec<String>,
    /// Where.
    pub place: Option<Place>,
    /// What was found, with its numbers.
    pub what: String,
    /// What would satisfy the lint.
    pub remedy: String,
}

impl Found {
    /// A finding of the lint's own level.
    pub(crate) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into(), ..Default::default() }
    }

    /// The same, of this level.
    pub(crate) fn level(self, level: Level) -> Self {
        Self { level: Some(level), ..self }
    }

    /// The same, there.
    pub(crate) fn at(self, place: Option<Place>) -> Self {
        Self { place, ..self }
    }

    /// The same, about this test.
    pub(crate) fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// The same, about this phase.
    pub(crate) fn of_phase(self, phase: &str) -> Self {
        Self { phase: Some(phase.to_owned()), ..self }
    }

    /// The finding of the lint with this id.
    pub(crate) fn of(self, lint: &Lint) -> Finding {
        Finding {
            lint: lint.id,
            level: self.level.unwrap_or(lint.level),
            about: self.about,
            phase: self.phase,
            jobs: self.jobs,
            place: self.place,
            what: self.what,
            remedy: self.remedy,
            waived: None,
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The lint's id.
    pub lint: &'static str,
    /// How grave it is.
    pub level: Level,
    /// The test or dataset it is about; empty where the subject is one line.
    pub about: String,
    /// The phase that it is about, where it is about one; `write` is also that of a mix.
    pub phase: Option<String>,
    /// The folders of the jobs that it is about, where it is about some; what was found is of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
    /// Where.
    pub place: Option<Place>,
    /// What was found, with its numbers.
    pub what: String,
    /// What would satisfy the lint.
    pub remedy: String,
    /// Who has waived it, and why.
    pub waived: Option<waiver::Signed>,
}

impl Finding {
    /// Whether it still stands in the way: graver than [`Level::Info`], and not waived.
    pub fn stands(&self) -> bool {
        self.level > Level::Info && self.waived.is_none()
    }

    /// Whether it makes what is measured INVALID, whatever is recorded.
    pub fn invalidates(&self) -> bool {
        self.level == Level::Error && self.shown().is_none()
    }

    /// What of the records outweighs it, where the judge looks at them for the same.
    pub fn shown(&self) -> Option<table::Shown> {
        table::named(self.lint).and_then(table::Lint::shown)
    }
}

/// The findings of the plan stage about one command, the gravest first.
pub fn line(subject: &LineSubject) -> Vec<Finding> {
    let found = table::all_found(|check| match check {
        Check::Line(check) => check(subject),
        _ => Vec::new(),
    });
    let mut findings: Vec<Finding> = found
        .into_iter()
        .map(|mut finding| {
            finding.about.clone_from(&subject.id);
            finding.place = match (subject.at, finding.place) {
                (Some((line, column)), _) => Some(Place::Plan(line, column)),
                (None, Some(Place::Word(number, word))) => Some(Place::Word(number + subject.offset, word)),
                (None, place) => place,
            };
            finding
        })
        .collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}

/// The findings of the plan stage about a plan, of its lines and of the whole, in the order of its lines.
pub fn whole(subject: &PlanSubject) -> Vec<Finding> {
    let mut findings: Vec<Finding> = subject.lines.iter().flat_map(line).collect();
    findings.extend(table::all_found(|check| match check {
        Check::Plan(check) => check(subject),
        _ => Vec::new(),
    }));
    let order = |about: &str| subject.lines.iter().position(|line| line.id == about).unwrap_or(usize::MAX);
    findings.sort_by_key(|finding| order(&finding.about));
    findings
}

/// The findings of the plan stage about a checked plan, with the waivers given in it taken into account.
pub fn plan(plan: &Plan) -> Vec<Finding> {
    waiver::settle(whole(&subjects(plan)), &waivers(plan))
}
