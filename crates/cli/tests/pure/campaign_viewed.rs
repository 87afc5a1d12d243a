//! The view of a campaign on a real terminal, and that of its watcher beside it.

use crate::common::campaign::{Place, names, signal, three_tests_with_a_failure, until};
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
fn a_part_of_a_group_that_has_ended_does_not_run_in_the_view_and_for_a_watcher() {
    let place = Place::new();
    let part = |id: &str, more: &str| {
        format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w -e -t 64k -b 64k{more}\"\nrole = \"reported\"\n")
    };
    let parts = part("short", "") + &part("long", " -g");
    place.plan(&format!("{}[[group]]\nid = \"G\"\n{parts}", place.hanging(" -g")));
    let Some(mut run) = PseudoTerminal::start(&place.command("run p.toml --dir dir"), 90, 24) else { return };
    let is_apart = |rows: &[String]| {
        let job = |name: &str| rows.iter().find(|row| row.starts_with(&format!("> G.{name} 1  "))).cloned();
        job("short").is_some_and(|row| row.contains("has ended"))
            && job("long").is_some_and(|row| !row.contains("has ended"))
    };
    let rows = run.until("the end of a part", is_apart);
    assert!(rows.iter().any(|row| row.starts_with("A job runs.")), "{rows:#?}");
    let command = place.command(&format!("watch {}", place.folder().display()));
    let Some(mut watch) = PseudoTerminal::start(&command, 90, 24) else { return };
    watch.until("the end of a part", is_apart);
    watch.press("\u{3}");
    watch.wait();
    run.press("\u{3}");
    run.wait();
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
    assert!(run.raw().contains("\u{1b}[0;1m"), "bold is no colour: {:?}", run.raw());
    assert!(run.raw().contains("\u{1b}[0;2m"), "dim is no colour: {:?}", run.raw());
}

#[test]
fn a_watcher_that_is_interrupted_ends_alone() {
    let place = Place::new();
    let Some(mut run) = viewed(&place, "") else { return };
    run.until("the view", is_in_c);
    let command = place.command(&format!("watch {}", place.folder().display()));
    for request in ["-INT", "-TERM", "-HUP", "\u{3}"] {
        let Some(mut watch) = PseudoTerminal::start(&command, 90, 24) else { return };
        watch.until("the view of the watcher", is_in_c);
        match request {
            "\u{3}" => watch.press(request),
            _ => assert!(signal(request, watch.pid())),
        }
        assert_eq!(watch.wait().code(), Some(3), "{request}: {:#?}", watch.rows());
        assert!(watch.is_restored(), "{request}: {:?}", watch.raw());
        assert!(is_in_c(&run.rows()), "{request}: {:#?}", run.rows());
    }
    run.press("\u{3}");
    run.wait();
}

/// Whether a process is stopped, as by Ctrl-Z.
fn is_stopped(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") T "))
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_the_program_continues() {
    let place = Place::new();
    let Some(mut run) = viewed(&place, "") else { return };
    run.until("the view", is_in_c);
    let command = place.command(&format!("watch {}", place.folder().display()));
    let Some(mut watch) = PseudoTerminal::start(&command, 90, 24) else { return };
    watch.until("the view of the watcher", is_in_c);
    for (who, terminal) in [("watch", &mut watch), ("run", &mut run)] {
        for _ in 0..2 {
            terminal.press("\u{1a}");
            until("the stop", || is_stopped(terminal.pid()));
            until("the terminal as it was", || terminal.is_restored());
            signal("-CONT", terminal.pid());
            terminal.until("the view again", is_in_c);
            assert!(!terminal.is_restored(), "{who}: the view is on the alternate screen");
        }
        terminal.press("\u{3}");
        assert_eq!(terminal.wait().code(), Some(3), "{who}: {:#?}", terminal.rows());
        assert!(terminal.is_restored(), "{who}: {:?}", terminal.raw());
    }
}

#[test]
fn a_watcher_sees_clauses_the_running_job_with_its_rate_and_the_end_of_the_campaign() {
    let place = Place::new();
    // The second job takes at least 8 s, in which a watcher that reads every second sees its progress.
    place.plan(
        "[[test]]\nid = \"A\"\nior = \"-w -e -t 64k -b 256k\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n\
         [[test]]\nid = \"B\"\nior = \"-w -e -F -t 4k -b 320k --rate 20/s\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"900 PB/s\" }\n",
    );
    let mut campaign = place.start("run p.toml --dir dir");
    let has_begun = |name: &String| place.dir().join(name).join("campaign.json").exists();
    until("the campaign", || names(&place.dir()).iter().any(has_begun));
    let command = place.command(&format!("watch {}", place.folder().display()));
    let Some(mut watch) = PseudoTerminal::start(&command, 90, 24) else {
        campaign.wait().unwrap();
        return;
    };
    watch.until("the rate of the running job", |rows| {
        rows.iter().any(|row| row.starts_with("> B 1") && row.contains(" % ") && row.contains("B/s"))
            && rows.iter().any(|row| row.starts_with("A  ") && row.ends_with("PASS"))
            && rows.iter().any(|row| row.starts_with("B  ") && row.ends_with("open"))
    });
    assert_eq!(campaign.wait().unwrap().code(), Some(1));
    assert_eq!(watch.wait().code(), Some(1), "as the campaign: {:#?}", watch.rows());
    assert!(watch.is_restored(), "{:?}", watch.raw());
    let text = watch.last_text();
    assert!(text.contains("PASS") && text.contains("FAIL"), "the verdicts stay on the screen: {text}");
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
