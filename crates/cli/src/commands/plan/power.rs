//! `assay plan check`: how probable a PASS is for a system at, and above, each threshold.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use evidence::folder::EvidenceFolder;
use judge::{MARGINS, PlanPower, SAMPLES, WANTED};
use plan::Plan;
use units::{Dimension, Quantity, Usage, percent, several};

use crate::personalities::drifted;

/// The supposed variability if nothing is known.
const COV: f64 = 0.05;

/// The variability of the repetitions that a plan is checked with.
#[derive(clap::Args)]
pub(super) struct Variability {
    /// Variability (COV) of the repetitions, for the probability of a PASS [default: 5%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    cov: Option<f64>,
    /// Take the variability of each metric from an earlier campaign, where it has one
    #[arg(long, value_name = "FOLDER")]
    cov_from: Option<PathBuf>,
}

/// `5%`, above zero.
fn share(text: &str) -> Result<f64, String> {
    let quantity: Quantity = text.parse().map_err(|error: Usage| error.0)?;
    let fits = quantity.dimension == Dimension::Fraction && quantity.value > 0.0;
    fits.then_some(quantity.value).ok_or_else(|| format!("`{text}` is not a share such as `5%`"))
}

/// The probabilities of a plan's clauses, as lines; empty without a clause on a value that varies.
pub(super) fn table(plan: &Plan, variability: &Variability) -> Result<String> {
    let otherwise = variability.cov.unwrap_or(COV);
    let mut measured: BTreeMap<(String, String), f64> = BTreeMap::new();
    if let Some(folder) = &variability.cov_from {
        let campaign = EvidenceFolder::open(folder)?.evaluated(drifted)?.campaign;
        let known = campaign.verdicts.iter().filter_map(|verdict| {
            let cov = verdict.statistics.as_ref()?.cov.filter(|cov| *cov > 0.0)?;
            Some(((verdict.test.clone(), verdict.metric.clone()), cov))
        });
        measured.extend(known);
    }
    let cov = |test: &str, metric: &str| {
        measured.get(&(test.to_owned(), metric.to_owned())).copied().unwrap_or(otherwise)
    };
    let noun = if plan.clauses.is_empty() { "clause" } else { "criterion" };
    lines(&judge::power(plan, &cov), plan.criteria().count(), noun)
}

/// The lines about the clauses that vary, of this number of clauses in all.
fn lines(power: &PlanPower, clauses: usize, noun: &str) -> Result<String> {
    let mut text = String::new();
    if power.clauses.is_empty() {
        return Ok(text);
    }
    let margins: Vec<String> = MARGINS.iter().map(|margin| percent(*margin, 0)).collect();
    writeln!(
        text,
        "probability of PASS if a system is better than its threshold by {}, from {SAMPLES} samples of \
         normal independent repetitions with this COV:",
        margins.join(", ")
    )?;
    for one in &power.clauses {
        writeln!(
            text,
            "  {}: {} {} (n = {}, COV {}): {}; {}",
            one.test,
            one.metric,
            one.criterion,
            one.repetitions,
            percent(one.cov, 1),
            one.pass.map(|share| percent(share, 1)).join(", "),
            enough(one.enough)
        )?;
    }
    if power.clauses.iter().any(|one| one.as_written) {
        writeln!(text, "  (as written): the value alone decides, without a confidence.")?;
    }
    let number = power.clauses.len();
    let without = match clauses - number {
        0 => String::new(),
        others => format!(", without {others} whose value does not vary"),
    };
    writeln!(
        text,
        "  all {} together, if independent{without}: {}; {}",
        several(number as u64, noun),
        power.all.map(|share| percent(share, 1)).join(", "),
        enough(power.enough)
    )?;
    Ok(text)
}

/// The repetitions that are enough for the wanted probability.
fn enough(repetitions: Option<u32>) -> String {
    let (margin, wanted) = WANTED;
    let goal = format!("{} at {} better", percent(wanted, 0), percent(margin, 0));
    match repetitions {
        Some(n) => format!("{goal} needs n = {n}"),
        None => format!("no n up to {} gives {goal}", results::statistics::REPETITIONS_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_says_how_many_clauses_are_left_out_because_their_value_does_not_vary() {
        let of = |more: &str| {
            let text = format!(
                "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}\" }}\n\
                 [[test]]\nid = \"A\"\nior = \"-w -W -e -t 64k -b 256k\"\nrepetitions = 4\ncriterion = [\n\
                 {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }},\n{more}]\n"
            );
            let plan = Plan::parse(&text, "p.toml").unwrap();
            let table = table(&plan, &Variability { cov: None, cov_from: None }).unwrap();
            table.lines().last().unwrap().trim().to_owned()
        };
        let all = of("");
        assert!(all.starts_with("all 1 clause together, if independent: "), "{all}");
        let count = "{ metric = \"write_check.errors\", op = \"==\", value = \"0 errors\" },\n";
        let all = of(count);
        let begin = "all 1 clause together, if independent, without 1 whose value does not vary: ";
        assert!(all.starts_with(begin), "{all}");
    }
}
