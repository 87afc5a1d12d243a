//! The stage after: what a file system was while the repetitions of a test ran on it.
//!
//! Never here: where the facts come from, and whether a state that a test needs was reached.

use std::collections::BTreeSet;

use units::several;

use super::table::{Check, all_found};
use super::{Finding, Found, Level};
use plan::Stripes;

/// Share of the servers' traffic that others may have.
const FOREIGN: f64 = 0.01;

/// A file system at one end of a repetition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Of a test, from 1.
    pub repetition: u32,
    /// `before` or `after`.
    pub when: &'static str,
    /// What was down or being rebuilt, by the plan's `health`; `None` where that was not asked.
    pub down: Option<Vec<String>>,
    /// Its targets that were there at another time; `None` where none is known.
    pub missing: Option<Vec<String>>,
    /// How many targets were there at one time or another.
    pub targets: usize,
    /// Share of its blocks in use.
    pub fill: Option<f64>,
}

impl Moment {
    /// Whether anything was down; `None` where nothing tells.
    fn is_degraded(&self) -> Option<bool> {
        let some = |all: &Option<Vec<String>>| all.as_ref().map(|all| !all.is_empty());
        match (some(&self.down), some(&self.missing)) {
            (None, None) => None,
            (down, missing) => Some(down == Some(true) || missing == Some(true)),
        }
    }
}

/// What may be down while a test runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Degraded {
    /// Nothing.
    #[default]
    No,
    /// Whatever is.
    Maybe,
    /// Something has to.
    Must,
}

/// The servers of a repetition that moved bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The repetition, from 1.
    pub repetition: u32,
    /// What the servers moved; below 0 where their count began anew.
    pub servers: i64,
    /// What the test moved, with those that ran at once.
    pub own: u64,
}

/// The file system of one test over its repetitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateSubject {
    /// The test.
    pub id: String,
    /// The file system.
    pub fs: String,
    /// It before and after each repetition, in their order.
    pub moments: Vec<Moment>,
    /// What may be down.
    pub degraded: Degraded,
    /// Shares of blocks in use between which results are compared.
    pub band: Option<(f64, f64)>,
    /// What its servers moved, of each repetition that tells.
    pub traffic: Vec<Traffic>,
    /// On how many targets each file was to lie.
    pub stripes: Option<Stripes>,
    /// On how many they did, all numbers that were met; -1 for all.
    pub found_stripes: Vec<i64>,
    /// How many targets hold data, where that is known.
    pub targets: Option<i64>,
    /// How many there are by the plan, where all of them serve.
    pub all_targets: Option<i64>,
    /// Why it could not be asked after a repetition, with that.
    pub unasked: Vec<(u32, String)>,
}

impl StateSubject {
    /// What was down at either end of a repetition, in words: each thing when it was met first.
    pub(crate) fn losses(&self) -> Vec<String> {
        let (mut lines, mut names) = (BTreeSet::new(), BTreeSet::new());
        let mut losses = Vec::new();
        for moment in &self.moments {
            let at = format!("{} repetition {}", moment.when, moment.repetition);
            let missing: Vec<&str> = moment
                .missing
                .iter()
                .flatten()
                .map(String::as_str)
                .filter(|name| names.insert(*name))
                .collect();
            if !missing.is_empty() {
                let was = if missing.len() == 1 { "was" } else { "were" };
                let of = several(moment.targets as u64, "storage target");
                losses.push(format!("{} {was} missing {at}, of {of}", missing.join(", ")));
            }
            let down = moment.down.iter().flatten().filter(|line| lines.insert(line.as_str()));
            losses.extend(down.map(|line| format!("{line}, {at}")));
        }
        losses
    }
}

/// The findings of these checks, in the order of the table.
pub fn findings(subject: &StateSubject) -> Vec<Finding> {
    let found = all_found(|check| match check {
        Check::State(check) => check(subject),
        _ => Vec::new(),
    });
    found.into_iter().map(|finding| Finding { about: subject.id.clone(), ..finding }).collect()
}

/// degraded
pub(super) fn degraded(subject: &StateSubject) -> Vec<Found> {
    let fs = &subject.fs;
    let mut found: Vec<Found> = subject
        .unasked
        .iter()
        .map(|(repetition, why)| {
            let what = format!("repetition {repetition} ended, and of its file system is not known: {why}");
            Found::new(what, "mend the command, and measure again")
        })
        .collect();
    match subject.degraded {
        Degraded::Maybe => {}
        Degraded::No => found.extend(subject.losses().into_iter().map(|loss| {
            let remedy = "repair it and measure again; a test that is to bear it says `degraded = true`";
            Found::new(format!("fs.{fs}: {loss}"), remedy)
        })),
        Degraded::Must => found.extend(subject.moments.iter().find_map(|moment| {
            let (when, repetition) = (moment.when, moment.repetition);
            let what = match moment.is_degraded() {
                Some(true) => return None,
                Some(false) => {
                    format!("fs.{fs} was to be degraded, and nothing is down {when} repetition {repetition}")
                }
                None => format!(
                    "fs.{fs} was to be degraded, and whether anything is down {when} repetition \
                     {repetition} is not known"
                ),
            };
            Some(Found::new(what, "let `degrade` of the state take down what `health` then tells"))
        })),
    }
    found
}

/// exclusive
pub(super) fn exclusive(subject: &StateSubject) -> Vec<Found> {
    let foreign = |traffic: &Traffic| {
        let share = (traffic.servers as f64 - traffic.own as f64) / traffic.servers as f64;
        (traffic.servers > 0).then_some((traffic.repetition, share))
    };
    let shares = subject.traffic.iter().filter_map(foreign);
    let worst = shares.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share > FOREIGN);
    let anew = subject.traffic.iter().find(|traffic| traffic.servers < 0);
    let anew = anew.map(|Traffic { repetition, .. }| {
        let what = format!(
            "fs.{}: the count of its servers' traffic began anew during repetition {repetition}, so what \
             others did then is not known",
            subject.fs
        );
        Found::new(what, "look whether a server was started again").level(Level::Info)
    });
    let told = worst.map(|(repetition, share)| {
        let what = format!(
            "fs.{}: {:.1} % of what its servers moved during repetition {repetition} was not the test's",
            subject.fs,
            share * 100.0
        );
        Found::new(what, "measure while nobody else is there")
    });
    told.into_iter().chain(anew).collect()
}

/// fill-recorded, where results are compared within a band
pub(super) fn band(subject: &StateSubject) -> Vec<Found> {
    let Some((low, high)) = subject.band else { return Vec::new() };
    let outside = subject.moments.iter().find_map(|moment| {
        let fill = moment.fill.filter(|fill| !(low..=high).contains(fill))?;
        Some((moment, fill))
    });
    let Some((moment, fill)) = outside else { return Vec::new() };
    let [fill, low, high] = [fill, low, high].map(|share| share * 100.0);
    let what = format!(
        "fs.{} was {fill:.1} % full {} repetition {}, and results of {low:.0} to {high:.0} % compare",
        subject.fs, moment.when, moment.repetition
    );
    vec![Found::new(what, "bring it to that fill, or start a new series").level(Level::Waiver)]
}

/// layout-undeclared, where it is read back
pub(super) fn layout(subject: &StateSubject) -> Vec<Found> {
    let Some(asked) = subject.stripes else { return Vec::new() };
    let wanted = match asked {
        Stripes::Count(count) => several(count, "target"),
        Stripes::All => "all targets".to_owned(),
    };
    if subject.found_stripes.is_empty() {
        let what = format!("files were to lie on {wanted} each, and fs.{} does not tell", subject.fs);
        return vec![Found::new(what, "look at them by hand").level(Level::Info)];
    }
    let targets = subject.targets;
    let other = |found: &i64| match (asked, *found) {
        (Stripes::Count(count), -1) => targets.is_none_or(|targets| targets as u64 != count),
        (Stripes::Count(count), found) => found as u64 != count,
        (Stripes::All, -1) => {
            subject.all_targets.is_some_and(|all| targets.is_some_and(|there| there != all))
        }
        // Of targets on other machines not all may be known.
        (Stripes::All, found) => match subject.all_targets {
            Some(all) => found != all,
            None => targets.is_some_and(|targets| found < targets),
        },
    };
    let Some(found) = subject.found_stripes.iter().copied().find(other) else { return Vec::new() };
    let of = subject.all_targets.filter(|_| asked == Stripes::All).or(targets);
    let of = match (of, found) {
        (Some(targets), found) if found > targets => {
            format!(", and fs.{} is said to have {targets}", subject.fs)
        }
        (Some(targets), _) => format!(" of {targets}"),
        (None, _) => String::new(),
    };
    let there = match (asked, found, targets) {
        (Stripes::All, -1, Some(targets)) => targets.to_string(),
        (_, -1, _) => "all".to_owned(),
        _ => found.to_string(),
    };
    let what = format!("files were to lie on {wanted} each, and some lie on {there}{of}");
    vec![Found::new(what, "set the layout of the directory before its files are made")]
}
