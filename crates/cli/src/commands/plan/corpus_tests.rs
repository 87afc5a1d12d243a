//! The answers of this program about a corpus of plans stay equal while the code moves.
//!
//! The corpus has the plans of the program, its documents and its tests, then others with random changes.

use std::fmt::Write as _;

use anyhow::Result;
use plan::estimate::EarlierResults;
use plan::{Choice, Plan, schedule};

use super::{check_lines, jobs, summary};
use crate::corpus::Corpus;
use crate::personalities::drifted;

/// What `plan check` prints, without the probabilities, and the jobs and lints.
fn answers(text: &str) -> String {
    answered(text).unwrap_or_else(|why| format!("{why:#}\n"))
}

fn answered(text: &str) -> Result<String> {
    let plan = check_lines(Plan::check(text, "p.toml", &Choice::default())?, "p.toml")?;
    let jobs = schedule::jobs(&plan, &[])?;
    let mut out = summary(&plan, &jobs)?;
    out += &jobs::table(&plan, &jobs, &EarlierResults::default());
    for job in &jobs {
        let place = (&job.folder, &job.files, job.makes_files, &job.states);
        let _ = writeln!(out, "{} {place:?} {:?} {}", job.number, job.words, job.timeout_s);
    }
    for finding in ::lint::plan_with(&plan, drifted) {
        out += &serde_json::to_string(&finding).expect("a finding");
        out.push('\n');
    }
    Ok(out)
}

#[test]
fn the_answers_about_plans_are_those_of_the_corpus() {
    Corpus { name: "plans", separator: '\0', written: 0, sampled: 1 }.compare(&answers);
}
