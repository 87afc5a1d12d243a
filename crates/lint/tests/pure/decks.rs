//! The bundled plans of benchmark decks have the published options, except for the deviations that their
//! headers list with reasons. Findings on what the documents do wrong are those of the page on plans.
//!
//! Never here: a plan as a whole, which `bundled` checks.

use command::classic::{self, ClassicLine};
use command::{ior, mdtest};
use plan::{Choice, Plan};

use crate::{ids, subject};

/// A command line of a document, and the tests of a plan that have it.
struct Published {
    plan: &'static str,
    /// Their ids, or what these begin with, up to a point.
    tests: &'static [&'static str],
    /// As published, with the values of the document, without names of files.
    line: &'static str,
}

/// What all decks with directives have in common.
const DIRECTIVES: &str = "memoryPerNode=80%,reorderTasksConstant=1,intraTestBarriers=1,repetitions=1,\
                          verbose=2,fsync=1,writeFile=1,readFile=1";

/// The documents with the commit that was read:
///
/// - NERSC-10: aturner-epcc/uknss-benchmark-ior_mdtest 1283359 (2025-07-22), inputs.N10, README.mdtest.N10
/// - UK NNSS: adrianjhpc/uknnss-benchmark-ior_mdtest 3f75e73 (2026-06-17)
/// - JUPITER: FZJ-JSC/jubench-ior 52fbea6 (2024-07-26), benchmark/jube/config
/// - ESIF-HPC-4: NatLabRockies/ESIFHPC4 64b14a3 (2026-02-13), IOR-tests, kestrel-mdtest-example-run-simple.sh
/// - ATS-5: lanl/benchmarks 7e0fdf9 (2024-10-14), inputs.xroads, M7_MDTEST
const PUBLISHED: &[Published] = &[
    Published {
        plan: "nersc10",
        tests: &["L1"],
        line: "ior -O numTasks=240,segmentCount=4096,transferSize=1M,blockSize=1M,collective=0,keepFile=0,\
               api=POSIX,filePerProc=1,randomOffset=0",
    },
    Published {
        plan: "nersc10",
        tests: &["L2"],
        line: "ior -O numTasks=240,segmentCount=4096,transferSize=1M,blockSize=1M,collective=1,keepFile=0,\
               api=MPIIO,filePerProc=0,randomOffset=0",
    },
    Published {
        plan: "nersc10",
        tests: &["L3"],
        line: "ior -O numTasks=240,segmentCount=1048576,transferSize=4K,blockSize=4K,keepFile=0,api=POSIX,\
               filePerProc=1,randomOffset=1",
    },
    Published { plan: "nersc10", tests: &["MD1"], line: "mdtest -F -C -T -r -n 16384 -N 16" },
    Published { plan: "nersc10", tests: &["MD2"], line: "mdtest -F -C -T -r -n 16384 -N 16 -u" },
    Published {
        plan: "uknnss",
        tests: &["BW"],
        line: "ior -O numTasks=256,segmentCount=4096,transferSize=1M,blockSize=1M,collective=1,keepFile=0,\
               api=MPIIO,filePerProc=0,randomOffset=0,reorderTasksConstant=64",
    },
    Published {
        plan: "jubench",
        tests: &["EASY"],
        line: "ior -a POSIX -C -Q 64 -g -b 2147483648 -t 16777216 -i 3 -s 1 -r -w -v -F",
    },
    Published {
        plan: "jubench",
        tests: &["HARD"],
        line: "ior -a POSIX -C -Q 64 -g -b 4096 -t 4096 -i 3 -s 524288 -r -w -v",
    },
    Published {
        plan: "esif-hpc4",
        tests: &["T1.posix"],
        line: "ior -O numTasks=104,segmentCount=177,transferSize=4M,blockSize=4M,collective=0,keepFile=1,\
               api=POSIX,filePerProc=1,randomOffset=0",
    },
    Published {
        plan: "esif-hpc4",
        tests: &["T1.mpiio"],
        line: "ior -O numTasks=104,segmentCount=177,transferSize=4M,blockSize=4M,collective=0,keepFile=1,\
               api=MPIIO,filePerProc=1,randomOffset=0",
    },
    Published {
        plan: "esif-hpc4",
        tests: &["T2"],
        line: "ior -O numTasks=104,segmentCount=177,transferSize=4M,blockSize=4M,collective=1,keepFile=1,\
               api=MPIIO,filePerProc=0,randomOffset=0",
    },
    Published {
        plan: "esif-hpc4",
        tests: &["T3"],
        line: "ior -O numTasks=104,segmentCount=180289,transferSize=4K,blockSize=4K,keepFile=1,api=POSIX,\
               filePerProc=1,randomOffset=1",
    },
    Published {
        plan: "esif-hpc4",
        tests: &["T4"],
        line: "ior -O numTasks=104,segmentCount=177,transferSize=4M,blockSize=4M,collective=1,keepFile=1,\
               api=HDF5,filePerProc=0,randomOffset=0,individualDataSets=1",
    },
    Published { plan: "esif-hpc4", tests: &["A"], line: "mdtest -a=POSIX -F -C -T -N 1 -r -n=65536 -z=0" },
    Published {
        plan: "esif-hpc4",
        tests: &["B"],
        line: "mdtest -a=POSIX -F -C -T -N 1 -r -n=65536 -z=0 -I=16",
    },
    Published { plan: "esif-hpc4", tests: &["C"], line: "mdtest -a=POSIX -F -C -T -N 1 -r -n=65536 -z=0 -u" },
    Published {
        plan: "ats5",
        tests: &["L1.mpiio"],
        line: "ior -O numTasks=240,segmentCount=4096,transferSize=1M,blockSize=1M,collective=1,keepFile=0,\
               api=MPIIO,filePerProc=1,randomOffset=0",
    },
    Published {
        plan: "ats5",
        tests: &["L1.mpiio-shared"],
        line: "ior -O numTasks=240,segmentCount=4096,transferSize=1M,blockSize=1M,collective=1,keepFile=0,\
               api=MPIIO,filePerProc=0,randomOffset=0",
    },
    Published {
        plan: "ats5",
        tests: &["L1.posix"],
        line: "ior -O numTasks=240,segmentCount=4096,transferSize=1M,blockSize=1M,collective=0,keepFile=0,\
               api=POSIX,filePerProc=1,randomOffset=0",
    },
    Published {
        plan: "ats5",
        tests: &["L1.posix-shared"],
        line: "ior -O numTasks=240,segmentCount=4096,transferSize=1M,blockSize=1M,collective=0,keepFile=0,\
               api=POSIX,filePerProc=0,randomOffset=0",
    },
    Published {
        plan: "ats5",
        tests: &["L2.posix"],
        line: "ior -O numTasks=240,segmentCount=1048576,transferSize=4K,blockSize=4K,keepFile=0,api=POSIX,\
               filePerProc=1,randomOffset=1",
    },
    Published {
        plan: "ats5",
        tests: &["L2.posix-shared"],
        line: "ior -O numTasks=240,segmentCount=1048576,transferSize=4K,blockSize=4K,keepFile=0,api=POSIX,\
               filePerProc=0",
    },
    Published { plan: "ats5", tests: &["MD1"], line: "mdtest -F -C -T -r -n 16384 -N 16" },
    Published { plan: "ats5", tests: &["MD2"], line: "mdtest -F -C -T -r -n 16384 -N 16 -u" },
    Published { plan: "ats5", tests: &["MD3"], line: "mdtest -F -C -T -r -n 16384 -N 16 -S" },
];

/// What a campaign sets in each command line of `ior`: all ranks that it starts, no verbosity, stamped data
/// that it reads back (`verify`).
const OF_CAMPAIGN: &str = "-O numTasks=-1,verbose=0 -l stamped -W";

/// What a command line requests.
#[derive(Debug, PartialEq)]
enum Requested {
    Ior(Box<ior::Request>),
    Mdtest(Box<mdtest::Request>),
}

fn requested(program: &str, words: &[String]) -> Requested {
    match program {
        "ior" => {
            let parsed: ior::Parsed = classic::parse(words).and_then(ClassicLine::finished).expect(program);
            Requested::Ior(Box::new(parsed.request))
        }
        "mdtest" => {
            let parsed: mdtest::Parsed =
                classic::parse(words).and_then(ClassicLine::finished).expect(program);
            Requested::Mdtest(Box::new(parsed.request))
        }
        other => panic!("{other}"),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

impl Published {
    /// What it requests in a campaign, with these other options.
    fn with(&self, options: &[&str]) -> Requested {
        let (program, published) = self.line.split_once(' ').unwrap();
        let of_deck = published.replacen("-O ", &format!("-O {DIRECTIVES},"), 1);
        let of_campaign = if program == "ior" { OF_CAMPAIGN } else { "" };
        requested(program, &words(&[&of_deck, of_campaign, &options.join(" ")].join(" ")))
    }
}

/// Whether one of these is the id, or its beginning up to a point.
fn names(ids: &[&str], id: &str) -> bool {
    ids.iter().any(|name| id.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// A deviation in the header of a plan: ``# - TESTS: `OPTIONS`: reason``.
struct Deviation {
    tests: Vec<String>,
    options: String,
}

/// The deviations that the header of a plan lists.
fn deviations(text: &str) -> Vec<Deviation> {
    let (_, list) = text.split_once("# Deviations from the published options.").expect("a list");
    let (list, _) = list.split_once("\nschema = 1").unwrap();
    let items = list.split("\n# - ").skip(1);
    let read = |item: &str| {
        let (tests, rest) = item.split_once(": `").expect(item);
        let (options, reason) = rest.split_once("`: ").expect(item);
        assert!(reason.trim_end_matches(['#', '\n']).ends_with('.'), "{item}");
        Deviation { tests: tests.split(", ").map(str::to_owned).collect(), options: options.to_owned() }
    };
    items.map(read).collect()
}

fn file(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).expect(path)
}

fn plan_text(name: &str) -> String {
    file(&format!("plans/{name}.toml"))
}

/// The plans of decks.
fn plans() -> Vec<&'static str> {
    let mut names: Vec<&str> = PUBLISHED.iter().map(|published| published.plan).collect();
    names.dedup();
    names
}

#[test]
fn a_plan_of_a_deck_has_its_options_except_for_the_listed_deviations() {
    for name in plans() {
        let text = plan_text(name);
        let plan = Plan::parse(&text, name).unwrap();
        let listed = deviations(&text);
        let mut used = vec![false; listed.len()];
        for test in &plan.tests {
            let mut decks = PUBLISHED.iter().filter(|deck| deck.plan == name && names(deck.tests, &test.id));
            let (Some(deck), None) = (decks.next(), decks.next()) else { panic!("{name} {}", test.id) };
            let of_test =
                |one: &Deviation| names(&one.tests.iter().map(String::as_str).collect::<Vec<_>>(), &test.id);
            let own: Vec<usize> = (0..listed.len()).filter(|at| of_test(&listed[*at])).collect();
            let options: Vec<&str> = own.iter().map(|at| &*listed[*at].options).collect();
            let planned = requested(test.line.workload(), test.line.words());
            assert_eq!(planned, deck.with(&options), "{name} {}", test.id);
            for (place, at) in own.iter().enumerate() {
                let mut others = options.clone();
                others.remove(place);
                assert_ne!(
                    planned,
                    deck.with(&others),
                    "{name} {}: {} changes nothing",
                    test.id,
                    options[place]
                );
                used[*at] = true;
            }
        }
        assert!(used.iter().all(|used| *used), "{name}: a deviation without a test");
    }
}

/// The cells of the rows of a table in the page on plans, by the first cell of its head.
fn rows(head: &str) -> Vec<Vec<String>> {
    let page = file("docs/validation/plans.md");
    let (_, table) = page.split_once(&format!("\n| {head} |")).expect(head);
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

#[test]
fn the_page_on_plans_has_the_criteria_and_the_deviations_of_each_deck() {
    let rows = rows("plan");
    for name in plans() {
        let text = plan_text(name);
        let plan = Plan::parse(&text, name).unwrap();
        let row = rows.iter().find(|row| row[0] == format!("`{name}`")).expect(name);
        assert!(row[2].starts_with(&format!("{} PASS", plan.criteria().count())), "{name}: {}", row[2]);
        let mut options: Vec<String> = deviations(&text).into_iter().map(|one| one.options).collect();
        options.dedup();
        let in_page: Vec<&str> = row[3].split('`').skip(1).step_by(2).collect();
        assert_eq!(in_page, options, "{name}");
    }
}

/// The findings of the command `assay lint ...` or `assay plan check ...`.
fn found(command: &str) -> Vec<&'static str> {
    if let Some(typed) = command.strip_prefix("assay lint ") {
        let (facts, command) = typed.split_once("-- ").unwrap();
        let facts: Vec<&str> = facts.split_whitespace().collect();
        let facts = facts.chunks(2).map(|fact| format!("{}={}", fact[0].trim_start_matches('-'), fact[1]));
        return ids(&subject(&facts.collect::<Vec<_>>().join(" "), command));
    }
    let (name, set) = command.strip_prefix("assay plan check ").unwrap().split_once(" --set ").unwrap();
    let (key, value) = set.split_once('=').unwrap();
    let choice = Choice { set: [(key.to_owned(), value.to_owned())].into(), ..Choice::default() };
    let plan = Plan::parse_with(&plan_text(name), name, &choice).unwrap();
    lint::plan(&plan).iter().map(|finding| finding.code().id()).collect()
}

#[test]
fn a_mistake_of_a_document_is_the_finding_that_the_page_on_plans_names() {
    let rows = rows("document");
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let command = row[2].trim_matches('`');
        let (_, finding) = row[3].split_once('[').unwrap();
        let (finding, _) = finding.trim_start_matches('`').split_once('`').unwrap();
        let found = found(command);
        assert!(found.contains(&finding), "{command}: {finding} in {found:?}");
    }
}
