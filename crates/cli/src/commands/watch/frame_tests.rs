//! Frames of all sizes, with hostile names and a thousand clauses.

use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;
use results::progress::ProgressShown;

use super::super::estimate::TimeLeft;
use super::*;

fn clause(test: &str, standing: ClauseStanding) -> ClauseShown {
    ClauseShown {
        tests: Vec::new(),
        test: test.into(),
        criterion: "write.bw mean >= 3.0 GB/s".into(),
        value: "3.12 GB/s".into(),
        standing,
        repetitions: (2, 3),
    }
}

fn campaign() -> CampaignShown {
    use ClauseStanding::{Decided, Open, SoFar, Waiting};
    let progress = ProgressShown {
        phase: "write".into(),
        bytes: 1 << 20,
        bytes_per_second: 2e9,
        p99_seconds: 0.01,
        slowest_rank: 3,
        slowest_transfers: 17,
        done: 0.5,
        ranks_seen: 4,
        ranks: 4,
        ..ProgressShown::default()
    };
    let running = RunningShown {
        test: "C.4".into(),
        repetition: 2,
        seconds: 12.0,
        limit_s: 600.0,
        left_s: Some(30.0),
        has_ended: false,
        progress: Some(progress),
    };
    let standings = [Decided(Outcome::Pass), Decided(Outcome::Fail), SoFar(Outcome::Pass), Open, Waiting];
    let clauses = standings.into_iter().enumerate();
    CampaignShown {
        title: "p: A plan".into(),
        folder: "/scratch/assay-p".into(),
        jobs: (9, 15),
        running: vec![running],
        left: Some(TimeLeft { seconds: 300.0, guessed: 0 }),
        clauses: clauses.map(|(at, standing)| clause(&format!("C.{}", at + 1), standing)).collect(),
        warnings: vec!["C.1: Only one client node took part.".into()],
        state: "A job runs.".into(),
        needs_care: false,
    }
}

/// The frame on a terminal of this size.
fn on_terminal(shown: &CampaignShown, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(shown, frame.buffer_mut())).unwrap();
    rows(terminal.backend().buffer())
}

#[test]
fn a_usual_terminal_shows_everything() {
    let rows = on_terminal(&campaign(), 80, 24);
    let all = rows.join("\n");
    for part in [
        "p: A plan",
        "[############--------] 9 of 15 jobs  about 5.0 min left",
        "> C.4 2  write 50 %  2.00 GB/s  p99 10.0 ms  slowest rank 3: 17",
        "about 30.0 s left",
        "C.2     write.bw mean >= 3.0 GB/s  3.12 GB/s   2/3  FAIL",
        "PASS so far",
        "open",
        "waiting",
        "! C.1: Only one client node took part.",
    ] {
        assert!(all.contains(part), "{part} is missing:\n{all}");
    }
    assert!(!all.contains("more clauses"), "{all}");
}

#[test]
fn every_size_has_the_progress_the_running_job_and_the_most_severe_clause() {
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        let rows = on_terminal(&campaign(), width, height);
        let all = rows.join("\n");
        assert_eq!(rows.len(), usize::from(height));
        assert!(rows[1].contains("9 of 15 jobs"), "{width}x{height}:\n{all}");
        assert!(all.contains("> C.4 2") && all.contains("C.2") && all.contains("FAIL"), "{all}");
        assert!(all.contains("! C.1:"), "{all}");
    }
}

#[test]
fn a_terminal_of_60_columns_has_each_criterion_with_its_threshold() {
    let mut shown = campaign();
    shown.clauses[0].standing = ClauseStanding::SoFar(Outcome::Inconclusive);
    shown.clauses[1].test = "a-long-name-of-a-test".into();
    let rows = on_terminal(&shown, 60, 24);
    let criteria = rows.iter().filter(|row| row.contains("write.bw mean >= 3.0 GB/s")).count();
    assert_eq!(criteria, shown.clauses.len(), "{rows:#?}");
    assert!(
        rows.iter().any(|row| row.starts_with("a-long-name-of-a-te") && row.ends_with("FAIL")),
        "{rows:#?}"
    );
    // With less height than two lines for each clause they are cut, and no clause is folded.
    let rows = on_terminal(&campaign(), 60, 16);
    assert_eq!(rows.iter().filter(|row| row.contains("write.bw mean")).count(), 5, "{rows:#?}");
}

#[test]
fn the_smallest_terminals_do_not_break_it() {
    for width in 1..45 {
        for height in 1..12 {
            assert_eq!(on_terminal(&campaign(), width, height).len(), usize::from(height));
        }
    }
}

#[test]
fn of_a_thousand_clauses_the_most_severe_are_listed_and_the_others_are_counted() {
    let standing = |at: usize| match at {
        900 => ClauseStanding::Decided(Outcome::Fail),
        950 => ClauseStanding::SoFar(Outcome::Invalid),
        at if at < 400 => ClauseStanding::Decided(Outcome::Pass),
        _ => ClauseStanding::Waiting,
    };
    let clauses = (0..1000).map(|at| clause(&format!("C.{at}"), standing(at))).collect();
    let shown = CampaignShown { clauses, ..campaign() };
    for (width, height) in [(40, 10), (80, 24), (200, 60)] {
        let all = on_terminal(&shown, width, height).join("\n");
        assert!(all.contains("C.900") && all.contains("more clauses: "), "{all}");
        assert!(width == 40 || all.contains("C.950"), "{all}");
    }
    let all = on_terminal(&shown, 200, 60).join("\n");
    let listed = all.lines().filter(|line| line.starts_with("C.")).count();
    assert!(all.contains(&format!("and {} more clauses: ", 1000 - listed)), "{listed}:\n{all}");
    let text = text(&shown, 100);
    assert_eq!(text.lines().filter(|line| line.starts_with("C.")).count(), 1000, "text is not folded");
}

#[test]
fn a_running_clause_stays_visible_among_many_that_failed() {
    let standing = |at: usize| match at {
        700 => ClauseStanding::Open,
        at if at < 700 => ClauseStanding::Decided(Outcome::Fail),
        _ => ClauseStanding::Waiting,
    };
    let clauses = (0..1000).map(|at| clause(&format!("C.{at}"), standing(at))).collect();
    let mut shown = CampaignShown { clauses, ..campaign() };
    for runs in ["C.700", "C.700+warm-up", "C.700.part"] {
        shown.running[0].test = runs.into();
        for (width, height) in [(40, 14), (80, 24)] {
            let rows = on_terminal(&shown, width, height);
            let listed = |begin: &str| rows.iter().filter(|row| row.starts_with(begin)).count();
            assert_eq!(listed("C.700 "), 1, "{runs}: {rows:#?}");
            assert_eq!(listed("C.70 ") + listed("C.7000"), 0, "{rows:#?}");
            let count = format!("and {} more clauses: ", 1000 - listed("C."));
            assert!(rows.iter().any(|row| row.starts_with(&count)), "{count}: {rows:#?}");
        }
    }
}

#[test]
fn hostile_names_reach_no_terminal_and_wide_ones_do_not_break_the_columns() {
    let mut shown = campaign();
    shown.title = "a\u{1b}[2J\u{7}b\nc".into();
    shown.clauses[0].test = "\u{1b}]0;title\u{7}".into();
    shown.clauses[1].test = "\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}".into();
    shown.clauses[2].criterion = "x".repeat(5000);
    shown.running[0].test = "e\u{301}\u{1b}c".into();
    for (width, height) in [(40, 10), (80, 24), (200, 60)] {
        let rows = on_terminal(&shown, width, height);
        assert!(rows.iter().all(|row| !row.chars().any(char::is_control)), "{rows:#?}");
        assert!(rows.iter().any(|row| row.contains("FAIL")), "{rows:#?}");
    }
}

#[test]
fn many_jobs_at_the_same_time_are_counted() {
    let mut shown = campaign();
    shown.running = vec![shown.running[0].clone(); 9];
    let all = on_terminal(&shown, 120, 60).join("\n");
    assert_eq!(
        (all.matches("> C.4").count(), all.contains("and 5 jobs more at the same time")),
        (4, true),
        "{all}"
    );
}

#[test]
fn a_long_warning_is_wrapped_and_older_ones_are_left_out() {
    let long = "A.1: ".to_owned() + &"many words ".repeat(12);
    let warnings = vec!["oldest".to_owned(), long, "latest".to_owned()];
    let shown = CampaignShown { warnings, ..campaign() };
    let rows = on_terminal(&shown, 60, 24);
    let at = rows.iter().position(|row| row.starts_with("! A.1: many words")).expect("the long one");
    assert!(rows[at + 1].starts_with("  words many") || rows[at + 1].starts_with("  many"), "{rows:#?}");
    assert_eq!(rows[at..].iter().filter(|row| row.starts_with("! ")).count(), 2, "{rows:#?}");
    let rows = on_terminal(&shown, 40, 10);
    assert!(rows.iter().any(|row| row == "! latest"), "{rows:#?}");
    assert!(!rows.iter().any(|row| row.contains("oldest")), "{rows:#?}");
}
