//! `--saveRankPerformanceDetails`: a row for all ranks, then one for each rank and iteration.
//!
//! Invariant: every row has as many fields as the heading. Only the tree's fields are missing in the rows of
//! single ranks.

use units::exponential;

use super::results::{LABELS, MeasuredPhase, ResultUnit, Results, is_of_tree, own};

/// The first line of the file.
pub(crate) fn heading() -> String {
    let columns: Vec<String> = LABELS.iter().map(|label| format!("rate-{label},time-{label}")).collect();
    format!("rank,items,{}\n", columns.join(","))
}

/// The rows of a run on one number of ranks.
pub(crate) fn rows(results: &Results) -> String {
    let both = [ResultUnit::Rate, ResultUnit::Time];
    let pair = |values: Option<[f64; 2]>| {
        values
            .map_or(",,".to_owned(), |pair| pair.map(|value| format!(",{}", exponential(value, 10))).concat())
    };
    let of_all = |one: &MeasuredPhase| both.map(|unit| one.value(unit));
    let all: String = LABELS.iter().map(|label| pair(results.find(0, label).map(of_all))).collect();
    let mut text = format!("all,{}{all}\n", results.items);
    for iteration in 0..results.ended {
        for rank in 0..results.ranks as usize {
            // The classic program leaves out the items of single ranks.
            text.push_str(&format!("{rank},"));
            for label in LABELS.iter().filter(|label| !is_of_tree(label)) {
                let times = results.find(iteration, label).and_then(|one| one.ranks.get(rank));
                text.push_str(&pair(times.map(|times| both.map(|unit| own(times, unit)))));
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::{measured, results_of};
    use super::*;

    #[test]
    fn the_file_has_the_form_of_the_classic_program() {
        let iteration = || vec![measured("Tree creation", 1, 0.5), measured("File creation", 4, 0.5)];
        let results = results_of(4, vec![iteration(), iteration()]);
        assert!(heading().starts_with("rank,items,rate-Directory creation,time-Directory creation,rate-Dir"));
        assert_eq!(heading().split(',').count(), 24);
        let text = rows(&results);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "all,4,,,,,,,,,,,1.6000000000e+01,5.0000000000e-01,,,,,,,2.0000000000e+00,5.0000000000e-01,,"
        );
        assert_eq!(lines[1], "0,,,,,,,,,,,,8.0000000000e+00,5.0000000000e-01,,,,,,");
        assert_eq!(lines[2], "1,,,,,,,,,,,,1.6000000000e+01,2.5000000000e-01,,,,,,");
        assert_eq!(lines.len(), 5);
        assert!(lines[1..].iter().all(|line| line.split(',').count() == 20));
    }
}
