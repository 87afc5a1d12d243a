//! Clauses whose texts differ from their tests: prose decides nothing.

use plan::Plan;
use results::finding::{Finding, Severity};

fn findings(tests: &str) -> Vec<Finding> {
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                launch = { kind = \"mpirun\" }\n\
                defaults = { ranks = 8, decide = { rule = \"mean\" } }\n";
    lint::plan(&Plan::parse(&format!("{head}{tests}"), "p.toml").unwrap())
}

/// The findings that are more severe than info.
fn severe(tests: &str) -> Vec<Finding> {
    findings(tests).into_iter().filter(|finding| finding.severity > Severity::Info).collect()
}

fn test(clause: &str, line: &str, criterion: &str) -> String {
    format!("[[test]]\nid = \"T\"\nclause = \"{clause}\"\nrepetitions = 3\n{line}\n{criterion}\n")
}

const WRITE: &str = "ior = \"-w -e -W -C -F -b 1g\"";
const WRITE_RATE: &str = "criterion = { metric = \"write.bw\", op = \">=\", value = \"1 MB/s\" }";

#[test]
fn a_clause_about_iterations_of_an_application_does_not_ask_for_repetitions() {
    assert_eq!(severe(&test("checkpoint every 100 iterations", WRITE, WRITE_RATE)), []);
    let named = findings(&test("the average over ten repetitions", WRITE, WRITE_RATE));
    assert!(named.iter().any(|finding| finding.code().id() == "reps-short"), "it is reported: {named:#?}");
}

#[test]
fn a_group_whose_clause_has_a_number_compares_its_sum_without_findings_on_its_parts() {
    let part = |id: &str| format!("[[group.parts]]\nid = \"{id}\"\n{WRITE}\nrole = \"reported\"\n");
    let (one, other) = (part("a"), part("b"));
    let group = format!("[[group]]\nid = \"G\"\nclause = \"at least 1 MB/s\"\n{WRITE_RATE}\n{one}{other}");
    assert_eq!(severe(&group), []);
    let codes: Vec<_> = findings(&group).into_iter().map(|finding| finding.code().id()).collect();
    assert!(!codes.contains(&"threshold-missing"), "the sum has it: {codes:?}");
}

#[test]
fn a_clause_that_disagrees_with_the_command_line_gives_info_at_most() {
    let read = "ior = \"-r -k -C -F -b 1g\"";
    let reported = "role = \"reported\"";
    for clause in [
        "read bandwidth of all nodes",
        "write bandwidth of all nodes",
        "random writes must be as fast as sequential reads",
        "the file system has at least 10 PB",
        "50% of optimal at every step, with an optimal number of nodes",
        "at least 1000 files per second in a single directory and in separate directories",
        "25,000 creates per second, an average of ten repetitions, as in Table 4",
    ] {
        for test in [test(clause, WRITE, WRITE_RATE), test(clause, WRITE, reported)] {
            assert_eq!(severe(&test), [], "{test}");
        }
        let made = "[dataset.d]\nior = \"-w -k -C -F -b 1g\"\n";
        let reads = format!("{made}{}", test(clause, &format!("{read}\nuses = \"dataset.d\""), reported));
        assert_eq!(severe(&reads), [], "{reads}");
        let create = "mdtest = \"-C -n 1000000\"";
        let pair = format!(
            "{}{}",
            test(clause, create, reported),
            test(clause, &format!("{create} -u").replace("\" -u", " -u\""), reported)
                .replace("\"T\"", "\"U\"")
        );
        assert_eq!(severe(&pair), [], "{pair}");
    }
}

#[test]
fn a_criterion_with_another_number_than_its_clause_needs_a_waiver() {
    let code = |finding: &Finding| (finding.code().id().to_owned(), finding.severity);
    let of = |clause: &str| {
        let all = findings(&test(clause, WRITE, WRITE_RATE));
        all.iter().map(code).find(|(id, _)| id == "clause-number")
    };
    assert_eq!(of("files are written at 1 GB/s"), Some(("clause-number".into(), Severity::NeedsWaiver)));
    assert_eq!(of("files are written"), Some(("clause-number".into(), Severity::Info)));
    assert_eq!(of("files are written at 1000 kB/s"), None);
    assert_eq!(of(""), None);
    // A criterion with a clause of its own is compared with that.
    let own = WRITE_RATE.replace(" }", ", clause = \"slow files at 1 MB/s\" }");
    let all = findings(&test("files are written at 1 GB/s", WRITE, &own));
    assert!(all.iter().all(|finding| code(finding).0 != "clause-number"), "{all:#?}");
}
