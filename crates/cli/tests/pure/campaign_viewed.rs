//! The view of a campaign on a real terminal, and that of its watcher beside it.

use crate::common::campaign::{Place, signal, three_tests_with_a_failure};
use crate::common::terminal::PseudoTerminal;

/// Starts a campaign that hangs in its job C, in a terminal.
fn viewed(place: &Place, words: &str) -> Option<PseudoTerminal> {
    place.plan(&format!("{}{}", place.hanging("-R"), three_tests_with_a_failure()));
    let mut command = place.command(&format!("run p.toml --dir dir {words}"));
    PseudoTerminal::start(command.env("NO_COLOR", ""), 90, 24)
}

/// The lines of the clauses.
fn clauses(rows: &[String]) -> Vec<String> {
    let is_clause = |row: &&String| ["A  ", "B  ", "C  "].iter().any(|test| row.starts_with(test));
    rows.iter().filter(is_clause).cloned().collect()
}

/// Whether the job C runs and the other clauses are decided.
fn is_in_c(rows: &[String]) -> bool {
    rows.iter().any(|row| row.starts_with("> C 1")) && clauses(rows).len() == 3
}

#[test]
fn the_view_and_that_of_a_watcher_have_the_same_verdicts_and_both_terminals_are_restored() {
    let place = Place::new();
    let Some(mut run) = viewed(&place, "") else { return };
    let own = clauses(&run.until("the view", is_in_c));
    assert!(own[0].ends_with("PASS") && own[1].ends_with("FAIL") && own[2].ends_with("open"), "{own:#?}");
    let folder = place.folder();
    let command = place.command(&format!("watch {}", folder.display()));
    let Some(mut watch) = PseudoTerminal::start(&command, 90, 24) else { return };
    let seen = watch.until("the view of the watcher", is_in_c);
    assert_eq!(clauses(&seen), own, "{seen:#?}");
    assert!(!run.is_restored() && !watch.is_restored(), "both are on the alternate screen");
    assert!(run.raw().contains("\u{1b}[0;1;31m"), "FAIL is red");

    run.resize(40, 10);
    let small = run
        .until("the small view", |rows| rows.first().is_some_and(|row| row.len() <= 40) && rows.len() <= 10);
    assert!(small.iter().all(|row| row.len() <= 40) && is_in_c(&small), "{small:#?}");

    run.press("\u{3}");
    assert_eq!(run.wait().code(), Some(3), "{:#?}", run.rows());
    assert!(run.is_restored(), "{:?}", run.raw());
    let text = run.last_text();
    assert!(text.contains("2/3  B") && text.contains("stopped after 2 of 3 jobs"), "{text}");
    assert_eq!(watch.wait().code(), Some(3), "{:#?}", watch.rows());
    assert!(watch.is_restored(), "{:?}", watch.raw());
    assert!(watch.last_text().contains("is gone: 2 of 3 jobs have ended"), "{:#?}", watch.rows());
}

#[test]
fn a_kill_restores_the_terminal_and_no_colour_is_used_if_the_user_wants_none() {
    let place = Place::new();
    place.plan(&format!("{}{}", place.hanging("-R"), three_tests_with_a_failure()));
    let mut command = place.command("run p.toml --dir dir");
    let Some(mut run) = PseudoTerminal::start(command.env("NO_COLOR", "1"), 90, 24) else { return };
    run.until("the view", is_in_c);
    signal("-TERM", run.pid());
    assert_eq!(run.wait().code(), Some(3), "{:#?}", run.rows());
    assert!(run.is_restored(), "{:?}", run.raw());
    let colours = ["31", "32", "33"].map(|colour| run.raw().contains(&format!(";{colour}m")));
    assert_eq!(colours, [false; 3], "{:?}", run.raw());
}

#[test]
fn a_watcher_that_is_interrupted_ends_alone() {
    let place = Place::new();
    let Some(mut run) = viewed(&place, "") else { return };
    run.until("the view", is_in_c);
    let command = place.command(&format!("watch {}", place.folder().display()));
    let Some(mut watch) = PseudoTerminal::start(&command, 90, 24) else { return };
    watch.until("the view of the watcher", is_in_c);
    watch.press("\u{3}");
    assert_eq!(watch.wait().code(), Some(3), "{:#?}", watch.rows());
    assert!(watch.is_restored(), "{:?}", watch.raw());
    assert!(is_in_c(&run.rows()), "{:#?}", run.rows());
    run.press("\u{3}");
    run.wait();
}

#[test]
fn plain_lines_use_no_escape_on_a_terminal() {
    let place = Place::new();
    place.plan(&three_tests_with_a_failure());
    let command = place.command("run p.toml --dir dir --plain");
    let Some(mut run) = PseudoTerminal::start(&command, 90, 24) else { return };
    assert_eq!(run.wait().code(), Some(1), "{:#?}", run.rows());
    let text = run.last_text();
    assert!(text.contains("  3/3  C") && !run.raw().contains("\u{1b}[?1049h"), "{text}");
}
