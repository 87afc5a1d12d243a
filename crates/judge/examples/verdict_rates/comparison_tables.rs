//! The tables of docs/validation/comparison.md.

use super::comparisons::{FAMILIES, FamilyFound, WORLDS, coverage, family};
use super::worlds::Shape;

/// Trials for each cell of the first table.
const TRIALS: u32 = 20_000;
/// Comparisons for each cell of the second table.
const COMPARISONS: u32 = 1_000;

/// How often an interval contains the true ratio.
pub(crate) fn intervals() {
    println!("\nThe interval of a ratio, percent of {TRIALS} trials.\n");
    println!(
        "| repetitions vary | COV of A | COV of B | n of A | n of B | inside | above | below | no \
         upper limit |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (shape, covs, n) in WORLDS {
        let found = coverage(shape, covs, n, TRIALS, 21);
        let [one, other] = covs.map(|cov| cov * 100.0);
        let shape = match shape {
            Shape::Even => "normally",
            Shape::Stalls => "with stalls",
        };
        println!(
            "| {shape} | {one} % | {other} % | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} |",
            n[0], n[1], found.inside, found.above, found.below, found.unlimited
        );
    }
}

/// How often a comparison of many rows is wrong.
pub(crate) fn families() {
    println!("\nComparisons of many rows, percent of {COMPARISONS} comparisons.\n");
    println!("| rows | COV | n | wrong, each alone | wrong, together | −10 % found | −30 % found |");
    println!("|---|---|---|---|---|---|---|");
    for (rows, cov, n) in FAMILIES {
        let FamilyFound { wrong_alone, wrong, found_ten, found_thirty } =
            family(rows, cov, n, COMPARISONS, 22);
        println!(
            "| {rows} | {} % | {n} | {wrong_alone:.1} | {wrong:.1} | {found_ten:.1} | {found_thirty:.1} |",
            cov * 100.0
        );
    }
}
