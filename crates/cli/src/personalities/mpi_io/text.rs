//! The text for people: a line for each case, with its evidence, and a table of groups at the end.

use std::collections::BTreeMap;
use std::fmt::Write;

use results::record::{Case, CaseOutcome};
use units::several;

use crate::status::{DONE, FAIL, UNDECIDED};

/// The lines of one case.
pub(super) fn line(case: &Case) -> String {
    let word = case.outcome.word().to_uppercase();
    let mut text = match case.outcome {
        CaseOutcome::Skipped => format!("{word:<12} {}\n", case.name),
        _ => format!("{word:<12} {:<52} {:>8.3} s\n", case.name, case.seconds),
    };
    if let Some(seen) = &case.evidence {
        let ranks = match case.failed_ranks {
            0 | 1 => String::new(),
            many => format!(" (first of {many} of {} ranks)", case.ranks),
        };
        let node = if seen.node.is_empty() { String::new() } else { format!(", node {}", seen.node) };
        let _ =
            writeln!(text, "{:12} rank {}{node}{ranks}, at `{}`: {}", "", seen.rank, seen.step, seen.what);
        let mut place = seen.path.clone();
        if let Some(offset) = seen.offset {
            let _ = write!(place, " offset {offset}");
        }
        if !seen.expected.is_empty() || !seen.found.is_empty() {
            let colon = if place.is_empty() { "" } else { ": " };
            let _ =
                writeln!(text, "{:12} {place}{colon}expected {}, found {}", "", seen.expected, seen.found);
        }
        let _ = writeln!(text, "{:12} promised by {}: {}", "", case.document, case.promise);
    }
    if !case.why.is_empty() {
        let _ = writeln!(text, "{:12} {}", "", case.why);
    }
    text
}

/// The table of groups, and the cases without an outcome.
pub(super) fn table(ended: &[Case], pending: &[String]) -> String {
    let mut groups: BTreeMap<&str, [usize; CaseOutcome::ALL.len()]> = BTreeMap::new();
    for case in ended {
        let counts = groups.entry(case.group()).or_default();
        let column = CaseOutcome::ALL.iter().position(|outcome| *outcome == case.outcome);
        counts[column.expect("every outcome has a column")] += 1;
    }
    let mut text = format!("\n{:<14}", "group");
    for outcome in CaseOutcome::ALL {
        let _ = write!(text, "{:>13}", outcome.word());
    }
    text.push('\n');
    let mut all = [0; CaseOutcome::ALL.len()];
    for (group, counts) in &groups {
        row(&mut text, group, counts);
        all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    row(&mut text, "all", &all);
    if !pending.is_empty() {
        let _ = writeln!(text, "not run: {}, from {} on", several(pending.len() as u64, "case"), pending[0]);
    }
    let tried = |case: &&Case| !matches!(case.outcome, CaseOutcome::Skipped | CaseOutcome::Unsupported);
    if !ended.is_empty() && !ended.iter().any(|case| tried(&case)) {
        text.push_str("nothing was tried: these cases show nothing about this file system\n");
    }
    text
}

fn row(text: &mut String, name: &str, counts: &[usize; CaseOutcome::ALL.len()]) {
    let _ = write!(text, "{name:<14}");
    counts.iter().for_each(|count| {
        let _ = write!(text, "{count:>13}");
    });
    text.push('\n');
}

/// The exit status of the cases that `ended` and those that are `pending`.
pub(super) fn status(ended: &[Case], pending: &[String]) -> u8 {
    let any = |outcome| ended.iter().any(|case| case.outcome == outcome);
    match any(CaseOutcome::Fail) {
        true => FAIL,
        false if pending.is_empty() && !any(CaseOutcome::Undecided) => DONE,
        false => UNDECIDED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::record::Evidence;

    fn case(name: &str, outcome: CaseOutcome) -> Case {
        Case { name: name.into(), outcome, ranks: 4, ..Case::default() }
    }

    #[test]
    fn a_failure_shows_rank_place_both_values_and_the_promise() {
        let evidence = Evidence {
            rank: 2,
            node: "n".into(),
            step: "read".into(),
            path: "/d/f".into(),
            offset: Some(7),
            expected: "0x01".into(),
            found: "0x02".into(),
            what: "bytes".into(),
        };
        let failed = Case {
            evidence: Some(evidence),
            failed_ranks: 3,
            document: "POSIX.1-2017 write".into(),
            promise: "it is there".into(),
            ..case("posix.a", CaseOutcome::Fail)
        };
        let text = line(&failed);
        for part in [
            "FAIL         posix.a",
            "rank 2, node n (first of 3 of 4 ranks), at `read`: bytes\n",
            "/d/f offset 7: expected 0x01, found 0x02\n",
            "promised by POSIX.1-2017 write: it is there\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn the_table_counts_by_group_and_the_status_separates_failures_from_cases_not_run() {
        let ended = [
            case("a.x", CaseOutcome::Pass),
            case("b.x", CaseOutcome::Library),
            case("b.y", CaseOutcome::Pass),
        ];
        let words: Vec<Vec<&str>> = ["a", "b", "all"]
            .iter()
            .map(|name| {
                let table: &'static str = table(&ended, &[]).leak();
                let row = table.lines().find(|line| line.split_whitespace().next() == Some(name));
                row.unwrap().split_whitespace().skip(1).collect()
            })
            .collect();
        assert_eq!(
            words,
            [["1", "0", "0", "0", "0", "0"], ["1", "0", "0", "0", "1", "0"], ["2", "0", "0", "0", "1", "0"]]
        );
        assert_eq!(status(&ended, &[]), DONE);
        assert_eq!(status(&ended, &["c".into()]), UNDECIDED);
        assert_eq!(status(&[case("a.x", CaseOutcome::Undecided)], &[]), UNDECIDED);
        assert_eq!(status(&[case("a.x", CaseOutcome::Fail)], &["c".into()]), FAIL);
        assert!(!table(&ended, &[]).contains("nothing was tried"));
        let idle = [case("a.x", CaseOutcome::Skipped)];
        assert!(table(&idle, &[]).contains("\nnothing was tried: "));
        assert!(table(&ended, &["c.x".into()]).ends_with("not run: 1 case, from c.x on\n"));
    }
}
