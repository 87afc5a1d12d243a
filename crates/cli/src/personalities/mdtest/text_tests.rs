//! The output of a run given as events, compared with the original's.

use command::classic::{self, ClassicLine};
use command::mdtest::Parsed;
use results::record::Phase;
use storage::Space;
use workloads::kit::observer::EventObserver;
use workloads::mdtest::MdtestEvent;

use super::results::tests::ended;
use super::text::MdtestText;
use crate::personalities::printer::Printer;
use crate::personalities::printer::tests::Page;

/// A writer to a page, and the page.
fn onto_page(words: &[String], space: Option<Space>) -> (MdtestText, Page) {
    let parsed = classic::parse::<Parsed>(words).unwrap().finished().unwrap();
    let argv: Vec<String> = ["mdtest".to_owned()].into_iter().chain(words.iter().cloned()).collect();
    let page = Page::default();
    (MdtestText::new(Printer::new(page.clone(), false), &parsed, &argv, space), page)
}

/// The output of a run on two ranks with these options. Each phase takes half a second.
fn printed(words: &str, phases: &[&'static str], iterations: u32, complete: bool) -> String {
    let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let space = Space { bytes: 1 << 40, inodes: 1 << 21, ..Space::default() };
    let (mut text, page) = onto_page(&tokens, Some(space));
    text.event(&MdtestEvent::Started { ranks: 2, nodes: 1, on_node_0: &[true, true] });
    text.event(&MdtestEvent::Ranks { ranks: 2, items: 100 });
    for iteration in 0..iterations {
        text.event(&MdtestEvent::Iteration(iteration));
        for label in phases {
            let name: &'static str = label.to_lowercase().replace(' ', "_").leak();
            text.event(&MdtestEvent::Begins { phase: name, items: 100 });
            let (mut phase, mut ranks) = (Phase::default(), Vec::new());
            let items = if label.starts_with("Tree") { 1 } else { 100 };
            text.event(&MdtestEvent::Ended(ended(label, items, 0.5, &mut phase, &mut ranks)));
        }
    }
    if complete {
        text.event(&MdtestEvent::Over { wrong: 0 });
    }
    text.finish(complete).unwrap();
    page.text()
}

const ALL: [&str; 10] = [
    "Tree creation",
    "Directory creation",
    "Directory stat",
    "Directory rename",
    "Directory removal",
    "File creation",
    "File stat",
    "File read",
    "File removal",
    "Tree removal",
];

#[test]
fn a_plain_run_prints_the_classic_lines_in_their_order() {
    let text = printed("-n 100 -d x/y", &ALL, 1, true);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("-- started at ") && lines[0].ends_with(" --"), "{text}");
    assert_eq!(
        lines[1..12],
        [
            "",
            "mdtest-4.1.0+dev was launched with 2 total task(s) on 1 node(s)",
            "Command line used: mdtest '-n' '100' '-d' 'x/y'",
            "WARNING: Read bytes is 0, thus, a read test will actually just open/close",
            "Nodemap: 11",
            "Path                : x/y",
            "FS                  : 1024.0 GiB   Used FS: 100.0%   Inodes: 2.0 Mi   Used Inodes: 100.0%",
            "2 tasks, 200 files/directories",
            "",
            "SUMMARY rate (in ops/sec): (of 1 iterations)",
            "   Operation                     Max            Min           Mean        Std Dev",
        ]
    );
    assert!(lines[23].starts_with("-- finished at "), "{text}");
    assert!(text.ends_with(" --\n\n"), "{text}");
}

#[test]
fn lines_of_v_come_between_the_iterations() {
    let text = printed("-n 100 -v", &ALL, 2, true);
    let (_, iterations) = text.split_once("main: * iteration 1 *\n").expect("it begins");
    let (first, _) =
        iterations.split_once("V-1: Rank   0 Line  2063 main: * iteration 2 *").expect("a second");
    let numbers: Vec<&str> = first.lines().map(|line| &line[20..24]).collect();
    assert_eq!(numbers, ["2139", "1125", "1126", "1127", "1128", "1435", "1439", "1440", "1441", "2249"]);
    assert!(text.contains("\nassay: latency of single operations"), "{text}");
    assert!(text.contains("\nV-1: Rank   0 Line  2677 \nV-1: Rank   0 Line  2678    Operation  "), "{text}");
}

#[test]
fn phases_that_are_not_run_have_lines_too() {
    let text = printed("-n 100 -F -C -v", &["Tree creation", "File creation"], 1, true);
    assert!(
        text.contains(
            " Line  1441   File removal      :          0.000 sec,          0.000 ops/sec\n\nSUMMARY"
        ),
        "{text}"
    );
    assert!(!text.contains("Directory") && !text.contains("Line  2249"), "{text}");
    assert!(text.contains("\n2 tasks, 200 files\n"), "{text}");
}

#[test]
fn a_run_that_ends_early_prints_its_complete_iterations_and_their_number() {
    let text = printed("-n 100 -F -i 3", &["Tree creation", "File creation"], 2, false);
    assert!(text.contains("\nSUMMARY rate (in ops/sec): (of 1 iterations)\n"), "{text}");
    let early = "\nassay: the run ended early: 1 of 3 iterations are complete. Done of the next one: \
                 mk-tree 2.000/s, mk-file 400.000/s\n";
    assert!(text.contains(early), "{text}");
    assert!(!text.contains("finished at"), "{text}");
    let text = printed("-n 100", &[], 1, false);
    assert!(!text.contains("SUMMARY") && text.contains("0 of 1 iterations are complete\n"), "{text}");
}

#[test]
fn a_run_that_fails_after_its_tables_does_not_print_them_again() {
    let (mut text, page) = onto_page(&["-i".to_owned(), "1".to_owned()], None);
    text.event(&MdtestEvent::Ranks { ranks: 2, items: 1 });
    text.event(&MdtestEvent::Iteration(0));
    text.event(&MdtestEvent::Over { wrong: 0 });
    text.finish(false).unwrap();
    let page = page.text();
    assert_eq!(page.matches("SUMMARY").count(), 1, "{page}");
    assert!(page.ends_with("\nassay: the run ended early: 1 of 1 iterations are complete\n"), "{page}");
}

#[test]
fn older_versions_have_their_headers_and_tails() {
    let text = printed("-n 100 -F --compat 3.3", &["File creation"], 1, true);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[2], "mdtest-3.3.0 was launched with 2 total task(s) on 1 node(s)");
    assert!(lines[3].ends_with("'--compat' '3.3'") && lines[4].starts_with("Path: /"), "{text}");
    assert!(lines[5].starts_with("FS: 1024.0 GiB   Used FS: "), "{text}");
    assert_eq!(
        lines[6..11],
        ["", "Nodemap: 11", "2 tasks, 200 files", "", "SUMMARY rate: (of 1 iterations)"]
    );
    assert!(text.ends_with(" --\n\n"), "{text}");
    let text = printed("-n 100 -F --compat 1.9 -d q", &["File creation"], 1, true);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[3], "Command line used: mdtest -n 100 -F --compat 1.9 -d q");
    assert_eq!(lines[6..10], ["", "2 tasks, 200 files", "", "SUMMARY: (of 1 iterations)"]);
    assert!(text.contains("\n\n-- finished at ") && text.ends_with(" --\n"), "{text}");
}

#[test]
fn events_between_the_phases_have_the_classic_text() {
    let said = |event: MdtestEvent<'_>| {
        let (mut text, page) = onto_page(&["-v".to_owned()], None);
        text.event(&event);
        page.text()
    };
    assert_eq!(said(MdtestEvent::Shift(1)), "V-0: Rank   0 Line  2594 Shifting ranks by 1 for each phase.\n");
    assert_eq!(said(MdtestEvent::RandomSeed(5)), "random seed: 5\n");
    assert_eq!(said(MdtestEvent::Delay(3)), "delaying 3 seconds . . .\n");
    assert_eq!(
        said(MdtestEvent::Stonewall { least: 211_079, most: 216_207, mean: 213_643.0 }),
        "Continue stonewall hit min: 211079 max: 216207 avg: 213643.0 \n\n"
    );
    assert_eq!(said(MdtestEvent::Warning("x")), "WARNING: x\n");
    assert_eq!(said(MdtestEvent::Notice(&results::reason!(WarmNames))), "", "below the text");
    let (mut text, page) = onto_page(&[], None);
    text.event(&MdtestEvent::Ranks { ranks: 2, items: 1 });
    text.event(&MdtestEvent::Over { wrong: 8 });
    let warning =
        "\nERROR: verifying the data on read (8 errors)! Take the performance values with care!\n\n";
    assert!(page.text().ends_with(warning));
}
