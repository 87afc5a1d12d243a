//! Answer sheets that cannot be filled.

use plan::{AnswerCell, AnswerSource, Plan};
use results::statistics::Stat;

use super::{HEAD, rejection};

const TESTS: &str = "[[test]]\nid = \"A\"\nior = \"-w -r -e\"\nrepetitions = 3\n\
                     decide = { rule = \"min\", confidence = 0.95 }\n\
                     criterion = { metric = \"read.bw\", stat = \"median\", op = \">=\", \
                     value = \"1 B/s\" }\n\
                     [[test]]\nid = \"B\"\nior = \"-w -e\"\nrole = \"reported\"\n\
                     [[score]]\nid = \"S\"\nof = [\"B.write.bw\", \"B.write.bw\"]\n";

/// A sheet with these columns and this row.
fn sheet(columns: &str, row: &str, more: &str) -> String {
    format!(
        "{TESTS}[[answer]]\nid = \"x\"\ntitle = \"t\"\nlabels = [\"L\"]\n{more}\
         columns = [{columns}]\nrows = [{row}]\n"
    )
}

const WRITE: &str = "{ title = \"W\", metric = \"write.bw\", unit = \"MB/s\" }";
const OWN: &str = "{ title = \"V\" }";

#[test]
fn a_sheet_with_an_unknown_test_metric_or_unit_is_rejected_in_one_line() {
    let row = |tests: &str, more: &str| format!("{{ labels = [\"1\"], of = [{tests}]{more} }}");
    let (a, more) = (row("\"A\"", ""), "");
    let two = "runs = \"maxima\"\n";
    for (columns, row, more, wanted) in [
        (WRITE, row("\"C\"", ""), more, "answer x: row 1: no test, group or score `C`"),
        (WRITE, row("", ""), more, "row 1: `of` is empty. Name at least one test."),
        (WRITE, row("\"A\", \"B\"", ""), more, "row 1: several of its tests have `write.bw`"),
        (WRITE, row("\"S\"", ""), more, "`write.bw`: a score has only the metric `score`"),
        (OWN, a.clone(), more, "row 1: neither it nor the column V has a `metric`. Add it."),
        (OWN, row("\"A\"", ", metric = \"write.bw\""), more, "V has a `unit`"),
        (
            "{ title = \"W\", metric = \"write.bww\", unit = \"MB/s\" }",
            a.clone(),
            more,
            "unknown metric `bww`",
        ),
        (
            "{ title = \"W\", metric = \"write.bw\", unit = \"kIOPS\" }",
            a.clone(),
            more,
            "`kIOPS` is not a unit of write.bw, with values such as `3.0 GB/s`",
        ),
        ("{ title = \"W\", metric = \"write.bw\", unit = \"0 MB/s\" }", a.clone(), more, "is not a unit"),
        (
            "{ title = \"N\", fact = \"nodes\", unit = \"MB/s\" }",
            a.clone(),
            more,
            "column N: a fact has no metric and no unit",
        ),
        (WRITE, "{ labels = [], of = [\"A\"] }".to_owned(), more, "it has 0 labels, and the sheet has 1"),
        ("", a.clone(), more, "answer x: `columns` is empty. Add at least one."),
        (WRITE, String::new(), more, "answer x: `rows` is empty. Add at least one."),
        (
            OWN,
            row("\"S\"", ", metric = \"score\", unit = \"MB/s\""),
            two,
            "`S` is not a test. Only tests have lines for single runs.",
        ),
        (
            "{ title = \"R\", metric = \"read.bw\", unit = \"MB/s\" }",
            row("\"A\", \"B\"", ""),
            two,
            "A has 3 repetitions and B has 1. Give all as many.",
        ),
        (
            WRITE,
            row("\"B\"", ", system = \"B\""),
            more,
            "there is no [[projection]] of B.write.bw to system B",
        ),
    ] {
        let found = rejection(&sheet(columns, &row, more));
        assert!(found.contains(wanted), "{columns} {row}\n{found}\n{wanted}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
    let twice = sheet(WRITE, &a, "")
        + "[[answer]]\nid = \"x\"\ntitle = \"t\"\nlabels = [\"L\"]\ncolumns = []\nrows = []\n";
    assert!(rejection(&twice).contains("another answer sheet already has this id"), "{}", rejection(&twice));
}

#[test]
fn a_cell_has_the_statistic_of_the_criterion_on_its_metric_or_that_of_the_test() {
    let columns = "{ title = \"W\", metric = \"write.bw\", unit = \"MB/s\" }, \
                   { title = \"R\", metric = \"read.bw\", unit = \"GiB/s\" }, \
                   { title = \"L\", metric = \"read.latency.p99\", unit = \"ms\" }, \
                   { title = \"N\", fact = \"ppn\" }";
    let text = format!("{HEAD}{}", sheet(columns, "{ labels = [\"1\"], of = [\"A\"] }", ""));
    let plan = Plan::parse(&text, "p.toml").unwrap();
    let cells = &plan.answers[0].rows[0].cells;
    let of_value = |cell: &AnswerCell| match cell {
        AnswerCell::Value(value) => Some((value.source, value.criterion.stat, value.unit_value)),
        AnswerCell::Fact(_) => None,
    };
    let found: Vec<_> = cells.iter().filter_map(of_value).collect();
    let a = AnswerSource::Test(0);
    // The worst latency is the longest.
    assert_eq!(found, [(a, Stat::Min, 1e6), (a, Stat::Median, 1_073_741_824.0), (a, Stat::Max, 1e-3)]);
}
