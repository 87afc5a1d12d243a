//! The tables of docs/validation/comparison.md are true: each line is simulated again with another seed, and
//! the intervals hold their level.

#[path = "../../examples/verdict_rates/comparisons.rs"]
mod comparisons;

use crate::verdict_rates::worlds;
use comparisons::{FAMILIES, WORLDS, coverage, family};

const PAGE: &str = include_str!("../../../../docs/validation/comparison.md");

/// The numbers in the last columns of the table whose heading begins so.
fn table(heading: &str, columns: usize) -> Vec<Vec<f64>> {
    let (_, rest) = PAGE.split_once(heading).unwrap_or_else(|| panic!("no table {heading}"));
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    let numbers = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        cells[cells.len() - columns..].iter().map(|cell| cell.parse().expect("a number")).collect()
    };
    rows.map(numbers).collect()
}

/// Whether a share of `trials` agrees with one that was found in `of` trials, both in percent: within four
/// standard deviations of their difference, and the rounding.
fn agrees(found: f64, stated: f64, trials: u32, of: u32) -> bool {
    let share = (f64::midpoint(found, stated) / 100.0).clamp(0.005, 0.995);
    let deviation = (share * (1.0 - share) * (1.0 / f64::from(trials) + 1.0 / f64::from(of))).sqrt();
    (found - stated).abs() <= 400.0 * deviation + 0.1
}

#[test]
fn each_line_about_one_interval_is_found_again() {
    let stated = table("| repetitions vary |", 4);
    assert_eq!(stated.len(), WORLDS.len(), "each world has a line");
    for ((shape, covs, n), line) in WORLDS.into_iter().zip(stated) {
        let found = coverage(shape, covs, n, 500, 77);
        let found = [found.inside, found.above, found.below, found.unlimited];
        let is_same = found.iter().zip(&line).all(|(found, stated)| agrees(*found, *stated, 500, 20_000));
        assert!(is_same, "{shape:?} {covs:?} {n:?}: {found:?}, but the page has {line:?}");
        let is_normal = shape == worlds::Shape::Even;
        assert!(!is_normal || line[0] >= 93.5, "a normal world holds its level: {line:?}");
    }
}

#[test]
fn each_line_about_many_rows_is_found_again_and_few_comparisons_are_wrong() {
    let stated = table("| rows | COV | n | wrong", 4);
    assert_eq!(stated.len(), FAMILIES.len(), "each size has a line");
    for ((rows, cov, n), line) in FAMILIES.into_iter().zip(stated) {
        let trials = (1500 / rows as u32).clamp(20, 300);
        let found = family(rows, cov, n, trials, 78);
        let found = [found.wrong_alone, found.wrong, found.found_ten, found.found_thirty];
        let is_same = found.iter().zip(&line).all(|(found, stated)| agrees(*found, *stated, trials, 1000));
        assert!(is_same, "{rows} rows of {n}: {found:?}, but the page has {line:?}");
        assert!(line[1] <= 5.0, "wrong in at most 5 %: {line:?}");
        assert!(rows == 1 || line[0] > 2.0 * line[1], "the common level is needed: {line:?}");
    }
}
