//! The tables of `mdtest`: rates, times, the numbers of each rank, and the file of the ranks.
//!
//! Invariant: the classic rows come first, in their order. Other phases follow them.

use command::mdtest::{Edition, Parsed};
use units::exponential;

use super::results::{LABELS, MeasuredPhase, ResultUnit, Results, is_of_tree, own};
use crate::personalities::spread::ValueSpread;

/// Whether the tables have a row of renames, which older versions lack.
pub(crate) fn has_renames(parsed: &Parsed) -> bool {
    parsed.request.rename || parsed.output.edition == Edition::Mdtest41
}

fn has_row(parsed: &Parsed, label: &str) -> bool {
    match (label.split(' ').next(), label) {
        (_, "Directory read") => false,
        (_, "Directory rename") => parsed.request.directories && has_renames(parsed),
        (Some("Directory"), _) => parsed.request.directories,
        (Some("File"), _) => parsed.request.files,
        _ => true,
    }
}

/// Everything after the phases of a run on one number of ranks.
pub(crate) fn tables(results: &Results, parsed: &Parsed) -> String {
    let look = &parsed.output;
    let units: &[ResultUnit] = match (look.both, look.times) {
        (true, _) => &[ResultUnit::Rate, ResultUnit::Time],
        (false, true) => &[ResultUnit::Time],
        (false, false) => &[ResultUnit::Rate],
    };
    let mut text = String::new();
    for unit in units {
        if look.all_ranks {
            text.push_str(&each_rank(results, parsed, *unit));
        }
        text.push_str(&table(results, parsed, *unit));
    }
    text
}

fn table(results: &Results, parsed: &Parsed, unit: ResultUnit) -> String {
    let look = &parsed.output;
    let statistics = look.rank_statistics && look.edition == Edition::Mdtest41;
    let mut text = caption(results.ended, look.edition, unit, statistics);
    let others = results.others();
    for label in LABELS.iter().filter(|label| has_row(parsed, label)).chain(&others) {
        let all = results.spread(label, unit);
        let ranks = statistics.then(|| results.spread_of_ranks(label, unit));
        text.push_str(&row(label, all, ranks, look.edition));
    }
    text
}

fn caption(iterations: u32, edition: Edition, unit: ResultUnit, statistics: bool) -> String {
    let what = match (edition, unit) {
        (Edition::Mdtest41, ResultUnit::Rate) => " rate (in ops/sec)",
        // The classic program says `in ms/op`, but the values are seconds of whole phases.
        (Edition::Mdtest41, ResultUnit::Time) => " time (in seconds)",
        (Edition::Mdtest33, ResultUnit::Rate) => " rate",
        (_, ResultUnit::Time) => " time",
        (Edition::Mdtest19, ResultUnit::Rate) => "",
    };
    let columns = match (edition, statistics) {
        (Edition::Mdtest41, true) => concat!(
            "   Operation     per Rank: Max            Min           Mean      ",
            "per Iteration: Max            Min           Mean        Std Dev\n",
            "   ---------               ---            ---           ----      ",
            "                ---            ---           ----        -------\n"
        ),
        (Edition::Mdtest41, false) => concat!(
            "   Operation                     Max            Min           Mean        Std Dev\n",
            "   ---------                     ---            ---           ----        -------\n"
        ),
        _ => concat!(
            "   Operation                      Max            Min           Mean        Std Dev\n",
            "   ---------                      ---            ---           ----        -------\n"
        ),
    };
    format!("\nSUMMARY{what}: (of {iterations} iterations)\n{columns}")
}

fn row(label: &str, all: ValueSpread, ranks: Option<ValueSpread>, edition: Edition) -> String {
    let deviation =
        if edition == Edition::Mdtest41 { all.sample_deviation() } else { all.population_deviation() };
    let numbers = format!("{:14.3} {:14.3} {:14.3} {deviation:14.3}", all.max, all.min, all.mean());
    let gap = "    ";
    let (narrow, ranks) = match ranks {
        None => (label.len() <= 18, String::new()),
        Some(ranks) => (
            label.len() <= 18 && !is_of_tree(label),
            format!("{:14.3} {:14.3} {:14.3} {gap}", ranks.max, ranks.min, ranks.mean()),
        ),
    };
    match edition {
        Edition::Mdtest19 => format!("   {label:<18}: {numbers}\n"),
        Edition::Mdtest33 => format!("   {label:<26}: {numbers}\n"),
        // The tree's label takes the place of the gap. This shifts its numbers if ranks have columns.
        Edition::Mdtest41 if narrow => format!("   {label:<18} {ranks}{gap}{numbers}\n"),
        Edition::Mdtest41 => format!("   {label:<22} {ranks}{numbers}\n"),
    }
}

/// `--print-all-procs`
fn each_rank(results: &Results, parsed: &Parsed, unit: ResultUnit) -> String {
    let word = if unit == ResultUnit::Rate { "rate" } else { "time" };
    let mut text = format!("\nPer process result ({word}):\n");
    let others = results.others();
    // All five phases of directories are shown or none, and files always, as in the classic program.
    let shown = LABELS.iter().filter(|label| parsed.request.directories || !label.starts_with("Directory"));
    let shown: Vec<&&str> = shown.chain(&others).collect();
    for iteration in 0..results.ended {
        text.push_str(&format!("iteration: {iteration}\n"));
        for label in &shown {
            let found = results.find(iteration, label).filter(|_| !is_of_tree(label));
            let values: Vec<f64> = match found {
                Some(measured) if !measured.ranks.is_empty() => measured.own(unit).collect(),
                _ => vec![0.0; results.ranks as usize],
            };
            let values: Vec<String> = values.iter().map(|value| exponential(*value, 6)).collect();
            text.push_str(&format!("Test {label} {}\n", values.join(",")));
        }
    }
    text
}

/// The heading of `--saveRankPerformanceDetails`.
pub(crate) fn ranks_heading() -> String {
    let columns: Vec<String> = LABELS.iter().map(|label| format!("rate-{label},time-{label}")).collect();
    format!("rank,items,{}\n", columns.join(","))
}

/// The rows of that file about a run on one number of ranks: one for all ranks, then one for each rank and
/// iteration. Every row has as many fields as the heading. Only the tree's fields are missing in the rows of
/// single ranks.
pub(crate) fn ranks_rows(results: &Results) -> String {
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
    use command::classic::{self, ClassicLine};

    use super::super::results::tests::{measured, results_of};
    use super::*;

    fn results() -> Results {
        let iteration = |seconds: f64| {
            vec![
                measured("Tree creation", 1, seconds),
                measured("File creation", 100, seconds),
                measured("File stat", 100, seconds),
                measured("List", 100, seconds),
                measured("Tree removal", 1, seconds),
            ]
        };
        results_of(100, vec![iteration(0.5), iteration(0.25)])
    }

    fn parsed(words: &str) -> Parsed {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        classic::parse::<Parsed>(&tokens).unwrap().finished().unwrap()
    }

    #[test]
    fn the_table_of_rates_has_the_form_of_4_1() {
        assert_eq!(
            tables(&results(), &parsed("-F")),
            concat!(
                "\n",
                "SUMMARY rate (in ops/sec): (of 2 iterations)\n",
                "   Operation                     Max            Min           Mean        Std Dev\n",
                "   ---------                     ---            ---           ----        -------\n",
                "   File creation                 800.000        400.000        600.000        282.843\n",
                "   File stat                     800.000        400.000        600.000        282.843\n",
                "   File read                       0.000          0.000          0.000          0.000\n",
                "   File removal                    0.000          0.000          0.000          0.000\n",
                "   Tree creation                   4.000          2.000          3.000          1.414\n",
                "   Tree removal                    4.000          2.000          3.000          1.414\n",
                "   List                          800.000        400.000        600.000        282.843\n",
            )
        );
    }

    #[test]
    fn rank_statistics_and_numbers_per_rank_have_the_form_of_4_1() {
        let mut parsed = parsed("-F");
        let look = &mut parsed.output;
        (look.rank_statistics, look.all_ranks, look.times) = (true, true, true);
        let text = tables(&results(), &parsed);
        assert!(
            text.starts_with(concat!(
                "\n",
                "Per process result (time):\n",
                "iteration: 0\n",
                "Test File creation 5.000000e-01,2.500000e-01\n",
                "Test File stat 5.000000e-01,2.500000e-01\n",
                "Test File read 0.000000e+00,0.000000e+00\n",
                "Test File removal 0.000000e+00,0.000000e+00\n",
                "Test Tree creation 0.000000e+00,0.000000e+00\n",
                "Test Tree removal 0.000000e+00,0.000000e+00\n",
                "Test List 5.000000e-01,2.500000e-01\n",
                "iteration: 1\n",
            )),
            "{text}"
        );
        let (_, table) = text.split_once("\nSUMMARY").expect("a table");
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], " time (in seconds): (of 2 iterations)");
        let cut = |line: &'static str| line.replace('|', "");
        for (number, line) in [
            (
                1,
                "   Operation     per Rank: Max            Min           Mean      |\
                 per Iteration: Max            Min           Mean        Std Dev",
            ),
            (
                2,
                "   ---------               ---            ---           ----      |                \
                 ---            ---           ----        -------",
            ),
            (
                3,
                "   File creation               0.500          0.125          0.281|                  \
                 0.500          0.250          0.375          0.177",
            ),
            (
                7,
                "   Tree creation                   0.500          0.250          0.375|              \
                 0.500          0.250          0.375          0.177",
            ),
        ] {
            assert_eq!(lines[number], cut(line));
        }
    }

    #[test]
    fn both_tables_come_rates_first_and_with_all_rows() {
        let mut both = parsed("");
        (both.output.both, both.output.times) = (true, true);
        let text = tables(&results(), &both);
        assert!(text.find("SUMMARY rate").unwrap() < text.find("SUMMARY time").unwrap());
        assert_eq!(text.matches("Directory rename ").count(), 2);
        assert_eq!(text.matches("Directory read").count(), 0);
    }

    #[test]
    fn older_tables_have_their_captions_labels_and_deviation() {
        let text = tables(&results(), &parsed("-F --compat 3.3"));
        assert!(
            text.starts_with(
                "
SUMMARY rate: (of 2 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation             :        800.000        400.000        600.000        200.000
"
            ),
            "{text}"
        );
        let text = tables(&results(), &parsed("-F --compat 1.9"));
        assert!(text.starts_with("\nSUMMARY: (of 2 iterations)\n"), "{text}");
        assert!(text.contains("\n   File creation     :        800.000        400.000 "), "{text}");
    }

    #[test]
    fn the_file_has_the_form_of_the_classic_program() {
        let iteration = || vec![measured("Tree creation", 1, 0.5), measured("File creation", 4, 0.5)];
        let results = results_of(4, vec![iteration(), iteration()]);
        assert!(
            ranks_heading()
                .starts_with("rank,items,rate-Directory creation,time-Directory creation,rate-Dir")
        );
        assert_eq!(ranks_heading().split(',').count(), 24);
        let text = ranks_rows(&results);
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
